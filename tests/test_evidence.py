"""Edge statuses and the version valid when the answer was given."""

from __future__ import annotations

import pytest
from builders import edge, evidence, utc

from transforms.evidence import BrokenEvidence, Now, join_edge, look_now, older_versions, version_as_of

NOW = utc(2026, 6)
OLD = evidence(version="1", valid_to=utc(2026, 2))
NEW = evidence(version="2", text="Logs are kept for 7 days.", valid_from=utc(2026, 2))


@pytest.mark.parametrize(
    ("moment", "requested", "expected"),
    [
        (utc(2026, 1), None, "1"),
        (utc(2026, 2), None, "2"),
        (utc(2026, 3), None, "2"),
        (utc(2026, 3), "1", "1"),
        (utc(2026, 3), "9", None),
    ],
)
def test_version_as_of(moment, requested, expected):
    found = version_as_of([NEW, OLD], moment, requested)
    assert (found and found.version) == expected


def test_of_two_versions_valid_at_once_the_latest_to_begin_wins():
    overlapping = [
        evidence(version="b", valid_from=utc(2025)),
        evidence(version="a", valid_from=utc(2025, 6)),
        evidence(version="c"),
    ]
    assert version_as_of(overlapping, NOW).version == "a"


@pytest.mark.parametrize(
    ("versions", "changes", "expected"),
    [
        ([evidence()], {}, "judged"),
        ([], {}, "dangling"),
        ([evidence(valid_from=utc(2026, 4))], {}, "no_version"),
        ([evidence()], {"version": "9"}, "no_version"),
        ([evidence(principals=["legal"])], {"principals": ("sales",)}, "forbidden"),
        ([evidence(principals=["legal"])], {}, "forbidden"),
        ([evidence(principals=["legal"])], {"principals": ("legal", "sales")}, "judged"),
        ([evidence(text="")], {}, "empty_evidence"),
        ([evidence(text=None)], {}, "empty_evidence"),
        ([evidence(text=" \n")], {}, "empty_evidence"),
        ([evidence()], {"quote": "kept  for\n30 days"}, "judged"),
        ([evidence()], {"quote": "kept for 7 days"}, "quote_mismatch"),
        ([evidence()], {"status": "abstained"}, "abstained"),
    ],
)
def test_edge_status(versions, changes, expected):
    assert join_edge(edge(**changes), versions, [], NOW, incomplete=False).status == expected


@pytest.mark.parametrize(
    ("versions", "broken", "incomplete", "expected"),
    [
        ([], [BrokenEvidence("logs", "1", "unjudged")], False, "unjudged"),
        ([], [BrokenEvidence("logs", "1", "bad_span")], False, "bad_span"),
        ([evidence()], [BrokenEvidence("logs", "2", "unjudged")], False, "judged"),
        ([], [], True, "unjudged"),
        ([evidence(valid_from=utc(2027))], [], True, "unjudged"),
    ],
)
def test_lost_evidence_is_never_dangling(versions, broken, incomplete, expected):
    assert join_edge(edge(), versions, broken, NOW, incomplete).status == expected


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        (NEW, ("current", None)),
        (OLD, ("superseded", "2")),
        (evidence(status="retracted"), ("retracted", None)),
        (evidence(retracted_at=utc(2026, 5)), ("retracted", None)),
        (evidence(version="0", status="superseded", superseded_by="5"), ("superseded", "5")),
        (evidence(valid_to=utc(2026, 6)), ("expired", None)),
        (evidence(valid_to=utc(2026, 6, 2)), ("current", None)),
    ],
)
def test_what_has_become_of_a_version(judged, expected):
    versions = [OLD, NEW] if judged in (OLD, NEW) else [judged]
    found = look_now(judged, versions, NOW)
    assert (found.status, found.superseded_by) == expected


def test_a_changed_text_is_told_and_white_space_is_no_change():
    assert look_now(OLD, [OLD, NEW], NOW) == Now("superseded", "2", True, "'30 days' -> '7 days'", ("quantity",))
    same = evidence(version="2", text="Logs are kept\nfor 30  days.", valid_from=utc(2026, 2))
    assert look_now(OLD, [OLD, same], NOW) == Now("superseded", "2")
    assert look_now(OLD, [OLD], NOW).text_changed is None


def test_several_versions_valid_at_once_are_counted_and_the_one_asked_for_wins():
    versions = [evidence(version="a", valid_from=utc(2025)), evidence(version="b", valid_from=utc(2025, 6)), OLD]
    joined = join_edge(edge(answered_at=utc(2026)), versions, [], NOW, incomplete=False)
    assert (joined.version, joined.n_valid) == ("b", 3)
    asked = join_edge(edge(answered_at=utc(2026), version="a"), versions, [], NOW, incomplete=False)
    assert (asked.version, asked.status) == ("a", "judged")
    missing = join_edge(edge(version="x"), versions, [], NOW, incomplete=False)
    assert (missing.version, missing.status) == ("x", "no_version")


def test_older_versions_come_latest_first():
    first = evidence(version="0", valid_from=utc(2024), valid_to=utc(2025))
    second = evidence(version="1", valid_from=utc(2025), valid_to=utc(2026, 2))
    assert older_versions(NEW, [NEW, first, second]) == [second, first]
    assert older_versions(first, [NEW, first, second]) == []


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([evidence()], "judged"),
        ([evidence(principals=["legal"])], "forbidden"),
        ([], "dangling"),
        ([evidence(valid_from=utc(2026, 4))], "no_version"),
    ],
)
def test_the_edge_of_an_abstention_keeps_what_it_would_have_been(versions, expected):
    joined = join_edge(edge(status="abstained"), versions, [], NOW, incomplete=False)
    assert (joined.status, joined.abstained_status, joined.version, joined.evidence) == ("abstained", expected, None, None)
