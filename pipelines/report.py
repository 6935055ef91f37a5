"""The report of a finished run: one HTML file that opens anywhere, without a request to the network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import fsspec
from jinja2 import Environment, PackageLoader, select_autoescape
from rich.table import Table

from pipelines.data_docs import DATA_DOCS, INDEX, read_validation
from pipelines.runs import Folder, read_drift, read_failures, read_manifest, read_run_table
from schemas.aggregates import METRICS
from schemas.claims import COMPONENTS
from schemas.expectations import SEVERITIES
from transforms.metrics import ALL, ALL_FAMILIES
from transforms.tallies import unmet

# The report's tables of metrics; the terminal shows the first.
MAIN = ("citation_precision", "citation_precision_joint", "edge_precision", "precision_judged", "citation_recall", "completeness")
FURTHER = ("mismatch_rate", "exposure", "precision_exposed", "precision_unexposed")
RATES = (
    "judged_share",
    "dangling_rate",
    "partial_rate",
    "conflict_rate",
    "secondary_only_rate",
    "irrelevant_rate",
    "redundant_rate",
)
BY_SLICE = ("citation_precision", "citation_recall", "completeness")
SHOWN_REJECTS = SHOWN_REVIEWS = 200
SHOWN_SLICES = 50


def percent(value: float | None) -> str:
    """A ratio for people; nothing measured is a dash.

    >>> percent(0.5), percent(None)
    ('50.0 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


def between(row: dict[str, Any], prefix: str = "") -> str:
    """The interval of an aggregate for people, in per cent; of its correction with the prefix `corrected_`.

    >>> between({"low": 0.25, "high": 0.5})
    '25.0 to 50.0'
    """
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    return "" if low is None else f"{100 * low:.1f} to {100 * high:.1f}"


Rows = dict[str, dict[str, Any]]


def metric_rows(aggregates: Iterable[dict[str, Any]], slice_name: str = ALL, average: str = "micro") -> list[tuple[str, Rows]]:
    """Arrange a slice's aggregates: one row a family, its metrics by name."""
    by_family: dict[str, Rows] = defaultdict(dict)
    for row in aggregates:
        if row["slice"] == slice_name and row["average"] == average:
            by_family[row["family"]][row["metric"]] = row
    return [(family, by_family[family]) for family in ALL_FAMILIES if family in by_family]


def slice_rows(aggregates: Iterable[dict[str, Any]]) -> list[tuple[str, Rows]]:
    """The metrics of all families together, slice by slice: the whole first, then the largest."""
    by_slice: dict[str, Rows] = defaultdict(dict)
    for row in aggregates:
        if row["family"] == ALL and row["average"] == "micro":
            by_slice[row["slice"]][row["metric"]] = row
    return sorted(by_slice.items(), key=lambda one: (one[0] != ALL, -one[1]["completeness"]["n"], one[0]))


def summary_table(folder: Folder) -> Table:
    """The metrics of a run as a table for the terminal."""
    table = Table(
        title=f"Citation metrics, {read_manifest(folder)['run_id']}",
        caption="per cent (n), 95 % interval; families overlap",
        title_justify="left",
    )
    table.add_column("family")
    for metric in MAIN:
        table.add_column(metric.replace("_", " "), justify="right")
    for family, metrics in metric_rows(read_run_table(folder, "aggregates")):
        table.add_row(family, *(_cell(metrics[metric]) for metric in MAIN))
    return table


def _cell(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return "– (0)"
    corrected = "" if row["corrected"] is None else f"\ncorrected {100 * row['corrected']:.1f}\n{between(row, 'corrected_')}"
    return f"{100 * row['value']:.1f} ({row['n']})\n{between(row)}{corrected}"


def mark_span(
    passage: str | None, start: int | None, end: int | None, outer: tuple[int | None, int | None]
) -> list[tuple[str, str]]:
    """Cut a passage into (kind, text) parts: `span` the cited characters, `premise` what they were judged by, `rest`.

    >>> mark_span("Logs: 30 days. More.", 6, 13, (0, 14))
    [('premise', 'Logs: '), ('span', '30 days'), ('premise', '.'), ('rest', ' More.')]
    """
    if not passage:
        return []
    kinds = ["rest"] * len(passage)
    for kind, (first, last) in (("premise", outer), ("span", (start, end))):
        if first is not None and last is not None:
            kinds[first:last] = [kind] * len(kinds[first:last])
    parts: list[tuple[str, str]] = []
    for kind, character in zip(kinds, passage, strict=True):
        if parts and parts[-1][0] == kind:
            parts[-1] = (kind, parts[-1][1] + character)
        else:
            parts.append((kind, character))
    return parts


def safe_uri(uri: str | None) -> str | None:
    """A link only where it is plain http: `javascript:` and its kind never become links."""
    return uri if uri and uri.lower().startswith(("https://", "http://")) else None


def write_report(folder: Folder) -> str:
    """Write report.html into a run directory; returns its path."""
    environment = Environment(
        loader=PackageLoader("pipelines"), autoescape=select_autoescape(default=True), trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(percent=percent, between=between, mark_span=mark_span, safe_uri=safe_uri)
    manifest = read_manifest(folder)
    aggregates, rejects, reviews = (read_run_table(folder, name) for name in ("aggregates", "rejects", "review"))
    slices, counts = slice_rows(aggregates), manifest["counts"]
    page = environment.get_template("report.html").render(
        manifest=manifest,
        data_docs=f"{DATA_DOCS}/{INDEX}",
        failures=read_failures(folder),
        suites=(suites := read_validation(folder)),
        unmet=[(severity, one["message"]) for severity in SEVERITIES for one in unmet(suites, severity)],
        main=MAIN,
        further=FURTHER,
        rates=RATES,
        by_slice=BY_SLICE,
        families=metric_rows(aggregates),
        macro=dict(metric_rows(aggregates, average="macro"))[ALL],
        slices=slices[:SHOWN_SLICES],
        n_slices=len(slices),
        components={cause: component for cause, component in COMPONENTS.items() if f"cause_{cause}" in METRICS},
        uncorrected=_uncorrected(aggregates),
        date=aggregates[0]["date"],
        flagged=_by_family(folder),
        drift=read_drift(folder),
        reviews=sorted(reviews, key=_urgency)[:SHOWN_REVIEWS],
        n_reviews=len(reviews),
        rejects=rejects[:SHOWN_REJECTS],
        n_rejects=len(rejects),
        n_flagged=manifest_rows(manifest, "flagged"),
        groups=[
            (name, {key: n for key, n in counts.items() if key.startswith(name + ".")})
            for name in (
                "answers",
                "evidence",
                "claims",
                "outcomes",
                "causes",
                "edges",
                "questions",
                "pairs",
                "citations",
                "profile",
                "rejects",
            )
        ],
    )
    path = f"{folder}/report.html"
    with fsspec.open(path, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(page)
    return path


def manifest_rows(manifest: dict[str, Any], table: str) -> int:
    """Rows of a table, all shards."""
    return sum(file["rows"] for file in manifest["files"] if file["table"] == table)


def _uncorrected(aggregates: Iterable[dict[str, Any]]) -> list[str]:
    """Why rates of the whole traffic were not corrected, or not by the better method."""
    rows = [row for row in aggregates if row["slice"] == ALL and row["correction_reason"]]
    return list(dict.fromkeys(f"{row['family']}, {row['metric'].replace('_', ' ')}: {row['correction_reason']}" for row in rows))


def _urgency(review: dict[str, Any]) -> tuple[bool, bool, str, str]:
    """Answers that held and no longer would come first, then those whose text changed."""
    lost = review["supported"] and review["supported_now"] is False
    return not lost, not review["text_changed"], review["answer_id"], review["claim_id"]


def _by_family(folder: Folder) -> list[tuple[str, list[dict[str, Any]]]]:
    """Flagged pairs by family, the most urgent first."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_run_table(folder, "flagged"):
        groups[row["family"]].append(row)
    for rows in groups.values():
        rows.sort(key=lambda row: (row["status"] != "judged", row["status"], row["rank"]))
    return [(family, groups[family]) for family in ALL_FAMILIES if family in groups]
