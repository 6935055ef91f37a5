"""Drift of the input: a run's profile held against the profile of an earlier run, as warnings with their numbers.

A warning has to be large and beyond sampling noise at once (docs/drift.md): shares by a two-proportion z, histograms by a
chi-squared test, both at 0.01 over all comparisons of the run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from pipelines.manifest import SUCCESS, write_json
from pipelines.options import UsageError
from transforms.profile import REQUIRED, VERSION, AddUpProfile, Key, Share, Sums

PROFILE, DRIFT = "profile.json", "drift.json"
# For --previous: compare with nothing.
NO_RUN = "none"
# The share of nights without any drift that may warn nevertheless.
ALPHA = 0.01
# Shares that move less are no news, however sure; so many units must be expected on either side of a share, and in each bin.
LEAST_CHANGE, LEAST_EXPECTED = 0.05, 5
# The conventional limits of the population stability index.
SHIFTED, ANOTHER = 0.1, 0.25
_NAMES = {"nulls": "null share of", "families": "claims that state", "reasons": "claims by reason:"}


class Comparison(NamedTuple):
    """One number of two runs. `statistic` is a z or a chi-squared, `limit` what noise stays below, `size` the effect by which a
    change counts from `least`; `before` and `now` are shares, or means where a histogram is compared."""

    what: str
    before: float
    now: float
    n_before: int
    n_now: int
    measure: str
    size: float
    least: float
    test: str
    statistic: float
    degrees: int = 0
    limit: float = math.inf

    @property
    def drifted(self) -> bool:
        """Whether the change is large and more than noise."""
        return self.size >= self.least and self.statistic > self.limit


# --- statistics -------------------------------------------------------------------------------------------------------------------


def two_shares(before: Share, now: Share) -> float | None:
    """The z of two shares, their clusters accounted for; None where either side is too small for a z.

    With clusters of one it is the pooled two-proportion z; else that variance times the design effect, never below 1 (Rao and
    Scott 1992, a simple method for clustered binary data).

    >>> round(two_shares(Share(100, 10, 100, 10, 10), Share(100, 30, 100, 30, 30)), 3)
    3.536
    """
    if not before.n or not now.n:
        return None
    pooled = (before.part + now.part) / (before.n + now.n)
    if min(before.n, now.n) * min(pooled, 1 - pooled) < LEAST_EXPECTED:
        return None
    binomial = (before.n + now.n) * pooled * (1 - pooled)
    clustered = sum(one.part_part - 2 * pooled * one.n_part + pooled**2 * one.n_n for one in (before, now))
    variance = pooled * (1 - pooled) * (1 / before.n + 1 / now.n) * max(1.0, clustered / binomial)
    return abs(now.part / now.n - before.part / before.n) / math.sqrt(variance)


def merge_sparse(before: Sequence[int], now: Sequence[int]) -> list[tuple[int, int]]:
    """Merge neighbouring bins until each is expected to hold 5 or more on either side (Cochran's rule); the rest joins the last.

    >>> merge_sparse([50, 3, 3, 44], [50, 2, 2, 46])
    [(50, 50), (6, 4), (44, 46)]
    """
    smaller = min(sum(before), sum(now)) / max(1, sum(before) + sum(now))
    merged: list[tuple[int, int]] = []
    one = other = 0
    for left, right in zip(before, now, strict=True):
        one, other = one + left, other + right
        if (one + other) * smaller >= LEAST_EXPECTED:
            merged.append((one, other))
            one = other = 0
    if merged and one + other:
        merged[-1] = (merged[-1][0] + one, merged[-1][1] + other)
    return merged


def stability_index(bins: Sequence[tuple[int, int]]) -> float:
    """The population stability index of two histograms; half a unit a bin keeps empty ones finite.

    >>> stability_index([(50, 50), (50, 50)]), round(stability_index([(60, 40), (40, 60)]), 2)
    (0.0, 0.16)
    """
    totals = [sum(column) + len(bins) / 2 for column in zip(*bins, strict=True)]
    shares = [((one + 0.5) / totals[0], (other + 0.5) / totals[1]) for one, other in bins]
    return sum((now - before) * math.log(now / before) for before, now in shares)


def chi_squared(bins: Sequence[tuple[int, int]]) -> float:
    """Pearson's chi-squared of homogeneity, len(bins) - 1 degrees of freedom."""
    totals = [sum(column) for column in zip(*bins, strict=True)]
    expected = [[total * sum(pair) / sum(totals) for total in totals] for pair in bins]
    return sum(
        (seen - due) ** 2 / due for pair, dues in zip(bins, expected, strict=True) for seen, due in zip(pair, dues, strict=True)
    )


# --- comparing --------------------------------------------------------------------------------------------------------------------


def schema_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Columns added, gone and of another type, in words; a run's files may differ among themselves."""
    found = []
    for step, table in now["tables"].items():
        old = before["tables"][step]
        if not table["files"] or not old["files"]:
            continue
        for column in sorted(old["types"].keys() | table["types"].keys()):
            left, right = (_types(one["types"].get(column), one["files"]) for one in (old, table))
            if left != right:
                change = "added" if column not in old["types"] else "gone" if column not in table["types"] else "changed"
                seen = f"{_spelled(left, old['files'])} before, {_spelled(right, table['files'])} now"
                found.append(f"{step}: column {column} {change}: {seen}")
    return found


def _types(types: Mapping[str, int] | None, files: int) -> tuple[str, ...]:
    """The types of a column over files, `absent` for files that lack it; how many files hold each is no change."""
    seen = dict(types or {})
    return tuple(sorted((*seen, *(["absent"] if sum(seen.values()) < files else []))))


def _spelled(types: tuple[str, ...], files: int) -> str:
    return f"{' and '.join(types)} in {files} file{'s' if files != 1 else ''}"


def comparisons(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Comparison]:
    """Every share and histogram that both profiles hold and that is large enough to compare, limits included."""
    found = [one for step in now["tables"] for one in _of_table(step, before["tables"][step], now["tables"][step])]
    for kind in now["claims"]:
        found += _of_shares(kind, "", before["claims"].get(kind, {}), now["claims"][kind])
    return with_limits(found)


def _of_table(step: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Comparison]:
    # What a file lacks is a change of its schema, told there; here it would only be all null.
    there = {column for column in now["nulls"] if column in before["types"] and column in now["types"]}
    nulls = {column: share for column, share in now["nulls"].items() if column in there}
    yield from _of_shares("nulls", f"{step}.", before["nulls"], nulls)
    for name, histogram in now["histograms"].items():
        if name in before["histograms"] and before["histograms"][name]["edges"] == histogram["edges"]:
            yield from _of_histograms(f"{step}: {name.replace('_', ' ')}", before["histograms"][name], histogram)


def _of_shares(kind: str, prefix: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Comparison]:
    for name in sorted(before.keys() & now.keys()):
        old, new = Share(**before[name]), Share(**now[name])
        z = two_shares(old, new)
        if z is not None:
            left, right = old.part / old.n, new.part / new.n
            what = f"{_NAMES[kind]} {prefix}{name}"
            yield Comparison(what, left, right, old.n, new.n, "change", abs(right - left), LEAST_CHANGE, "z", z)


def _of_histograms(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Comparison]:
    bins = merge_sparse(before["counts"], now["counts"])
    if len(bins) > 1:
        left, right = (one["sum"] / one["n"] for one in (before, now))
        index, statistic = stability_index(bins), chi_squared(bins)
        measured = ("stability index", index, SHIFTED, "chi-squared", statistic, len(bins) - 1)
        yield Comparison(what, left, right, before["n"], now["n"], *measured)


def with_limits(found: Sequence[Comparison]) -> list[Comparison]:
    """Give each comparison the limit that noise stays below, at 0.01 over all of them."""
    from scipy.stats import chi2, norm

    each = ALPHA / max(1, len(found))
    return [one._replace(limit=float(norm.isf(each / 2) if one.test == "z" else chi2.isf(each, one.degrees))) for one in found]


def sentence(one: Comparison, of: int) -> str:
    """A comparison that drifted, in words: both numbers, their n, and why it is more than noise."""
    if one.test == "z":
        numbers = f"{100 * one.before:.1f} % (n={one.n_before}) before, {100 * one.now:.1f} % (n={one.n_now}) now"
        size = f"{100 * one.size:.1f} points"
    else:
        numbers = f"{one.before:.1f} on average (n={one.n_before}) before, {one.now:.1f} (n={one.n_now}) now"
        size = f"population stability index {one.size:.2f}, {'another population' if one.size >= ANOTHER else 'shifted'}"
    test = f"{one.test} {one.statistic:.1f}{f' ({one.degrees} df)' if one.degrees else ''}"
    return f"{one.what}: {numbers}; {size}; {test}, noise stays below {one.limit:.1f} ({of} comparisons)"


def compare_profiles(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Hold a profile against an earlier one. Goes out: `warnings` in words, and every comparison with its numbers."""
    compared = comparisons(before, now)
    warnings = [*schema_changes(before, now), *(sentence(one, len(compared)) for one in compared if one.drifted)]
    return {"warnings": warnings, "comparisons": [_rounded(one) for one in compared]}


def _rounded(one: Comparison) -> dict[str, Any]:
    plain = {name: round(value, 6) if isinstance(value, float) else value for name, value in one._asdict().items()}
    return {**plain, "drifted": one.drifted}


# --- the run before ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Earlier:
    """The run to compare with: its folder and profile, or why there is none."""

    folder: str | None = None
    profile: dict[str, Any] | None = None
    reason: str | None = None


def earlier_run(output: str, run_id: str, previous: str = "") -> Earlier:
    """Find the run to compare with: `previous` where it is named, else the successful run of the same output folder whose id comes
    right before this one's.

    Ids are compared as text, which is the order of time for the ids that a run gets by default: so a night that is run again meets
    the night before it, not the night after. Raises UsageError where a run that was named has no profile.
    """
    if previous == NO_RUN:
        return Earlier(reason="told to compare with nothing")
    if previous:
        try:
            return Earlier(previous, _read_profile(previous))
        except (OSError, ValueError) as error:
            raise UsageError(f"no run to compare with: {previous}: {error}; give the folder of a run, or {NO_RUN}") from error
    for folder in _earlier_folders(output, run_id):
        if FileSystems.exists(FileSystems.join(folder, SUCCESS)):
            try:
                return Earlier(folder, _read_profile(folder))
            except (OSError, ValueError) as error:
                return Earlier(folder, reason=f"the profile of the run before cannot be read: {error}")
    return Earlier(reason="no earlier run that succeeded in this output folder")


def _earlier_folders(output: str, run_id: str) -> list[str]:
    """The folders of runs with a profile, the latest id before `run_id` first."""
    found = FileSystems.match([FileSystems.join(output, "run=*", PROFILE)])[0].metadata_list
    folders = [FileSystems.split(one.path)[0] for one in found]
    earlier = [(FileSystems.split(folder)[1].removeprefix("run="), folder) for folder in folders]
    return [folder for name, folder in sorted(earlier, reverse=True) if name < run_id]


def _read_profile(folder: str) -> dict[str, Any]:
    path = FileSystems.join(folder, PROFILE)
    if not FileSystems.exists(path):
        raise ValueError(f"it has no {PROFILE}")
    with FileSystems.open(path) as stream:
        profile = json.loads(stream.read())
    if not isinstance(profile, dict) or profile.get("version") != VERSION:
        raise ValueError(f"{PROFILE} is of another version than {VERSION}")
    return profile


@dataclass
class WriteDrift(beam.PTransform):
    """Write profile.json, and drift.json with what it says beside the earlier run's.

    Comes in: (key, sums) of a profile. Goes out: the warnings, one list. Nothing in it ever fails a run.
    """

    folder: str
    earlier: Earlier

    def expand(self, parts: beam.PCollection) -> beam.PCollection[list[str]]:
        return parts | "AddUpProfile" >> AddUpProfile() | "WriteDrift" >> beam.Map(self._write)

    def _write(self, profile: dict[str, Any]) -> list[str]:
        write_json(FileSystems.join(self.folder, PROFILE), profile)
        drift = drift_of(self.earlier, profile)
        write_json(FileSystems.join(self.folder, DRIFT), drift)
        return drift["warnings"]


def profile_counts(part: tuple[Key, Sums]) -> Iterator[tuple[str, int]]:
    """What a part of the profile says of the run's counts, so that the two reconcile.

    >>> list(profile_counts((("answers", "rows", "", ""), (7,))))
    [('profile.answers', 7)]
    """
    (step, kind, name, _), sums = part
    if kind == "rows" or (kind, name) == ("reasons", REQUIRED):
        yield f"profile.{step}", sums[0]


def drift_of(earlier: Earlier, profile: dict[str, Any]) -> dict[str, Any]:
    """What drift.json says; an earlier profile that makes no sense is a warning, never a failure."""
    about: dict[str, Any] = {"previous": earlier.folder, "reason": earlier.reason, "warnings": [], "comparisons": []}
    if earlier.profile is None:
        return {**about, "warnings": [earlier.reason] if earlier.folder else []}
    try:
        return {**about, **compare_profiles(earlier.profile, profile)}
    except (KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        reason = f"the profile of {earlier.folder} does not read as one: {type(error).__name__}: {error}"
        return {**about, "reason": reason, "warnings": [reason]}
