"""The report of a finished run: one HTML file that opens anywhere, without a request to the network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import fsspec
from jinja2 import Environment, PackageLoader, select_autoescape
from rich.table import Table

from pipelines.runs import Folder, read_manifest, read_run_table
from schemas.aggregates import METRICS
from transforms.metrics import ALL, ALL_FAMILIES

SHOWN = ("citation_precision", "edge_precision", "precision_judged", "citation_recall", "completeness", "mismatch_rate")


def percent(value: float | None) -> str:
    """A ratio for people; nothing measured is a dash.

    >>> percent(0.5), percent(None)
    ('50.0 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


def metric_rows(aggregates: Iterable[dict[str, Any]], slice_name: str = ALL) -> list[tuple[str, dict[str, dict[str, Any]]]]:
    """Arrange a slice's aggregates: one row a family, its metrics by name."""
    by_family: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in aggregates:
        if row["slice"] == slice_name and row["average"] == "micro":
            by_family[row["family"]][row["metric"]] = row
    return [(family, by_family[family]) for family in ALL_FAMILIES if family in by_family]


def summary_table(folder: Folder) -> Table:
    """The metrics of a run as a table for the terminal."""
    table = Table(
        title=f"Citation metrics, {read_manifest(folder)['run_id']}", caption="value (n); families overlap", title_justify="left"
    )
    table.add_column("family")
    for metric in SHOWN:
        table.add_column(metric.replace("_", " "), justify="right")
    for family, metrics in metric_rows(read_run_table(folder, "aggregates")):
        table.add_row(family, *(f"{percent(metrics[metric]['value'])} ({metrics[metric]['n']})" for metric in SHOWN))
    return table


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
    environment.globals.update(percent=percent, mark_span=mark_span, safe_uri=safe_uri)
    manifest = read_manifest(folder)
    aggregates, rejects = read_run_table(folder, "aggregates"), read_run_table(folder, "rejects")
    counts = manifest["counts"]
    page = environment.get_template("report.html").render(
        manifest=manifest,
        metrics=METRICS,
        families=metric_rows(aggregates),
        date=aggregates[0]["date"],
        flagged=_by_family(folder),
        rejects=rejects[:200],
        n_rejects=len(rejects),
        n_flagged=manifest_rows(manifest, "flagged"),
        groups=[
            (name, {key: n for key, n in counts.items() if key.startswith(name + ".")})
            for name in ("answers", "evidence", "claims", "edges", "pairs", "citations", "rejects")
        ],
    )
    path = f"{folder}/report.html"
    with fsspec.open(path, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(page)
    return path


def manifest_rows(manifest: dict[str, Any], table: str) -> int:
    """Rows of a table, all shards."""
    return sum(file["rows"] for file in manifest["files"] if file["table"] == table)


def _by_family(folder: Folder) -> list[tuple[str, list[dict[str, Any]]]]:
    """Flagged pairs by family; contradictions and sure failures first."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_run_table(folder, "flagged"):
        groups[row["family"]].append(row)
    for rows in groups.values():
        rows.sort(key=lambda row: (row["status"] != "judged", -(row["p_contradiction"] or 0), row["p_entailment"] or 0))
    return [(family, groups[family]) for family in ALL_FAMILIES if family in groups]
