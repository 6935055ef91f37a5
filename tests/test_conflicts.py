"""Which side prevails where cited spans entail and contradict one claim, and what a claim is about: a rule or a report."""

from __future__ import annotations

import pytest
from builders import utc
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.conflicts import Side, is_observation, prevailing, rank_sides

RULE = "Logs are kept for 30 days"
REPORT = "Uptime was 99.9 % in 2024"


def ids(claim: str, *sides: Side) -> str:
    return " ".join(side.evidence_id for side in rank_sides(claim, sides))


@pytest.mark.parametrize(
    ("claim", "better", "worse"),
    [
        (RULE, {"source_type": "primary"}, {"source_type": "secondary"}),
        (RULE, {"source_type": "primary"}, {"source_type": None}),
        (RULE, {"source_type": None}, {"source_type": "secondary"}),
        (RULE, {"statement_kind": "norm"}, {"statement_kind": "measured"}),
        (RULE, {"statement_kind": "measured"}, {"statement_kind": None}),
        (RULE, {"statement_kind": None}, {"statement_kind": "inferred"}),
        (REPORT, {"statement_kind": "measured"}, {"statement_kind": "norm"}),
        (REPORT, {"statement_kind": "norm"}, {"statement_kind": None}),
        (REPORT, {"statement_kind": None}, {"statement_kind": "inferred"}),
        (RULE, {"valid_from": utc(2025)}, {"valid_from": utc(2024)}),
        (RULE, {"valid_from": utc(2024)}, {"valid_from": None}),
        (RULE, {"published_at": utc(2025)}, {"published_at": utc(2024)}),
        (RULE, {"published_at": utc(2024)}, {"published_at": None}),
        # Each criterion decides before the next is asked.
        (
            RULE,
            {"source_type": "primary", "statement_kind": "inferred"},
            {"source_type": "secondary", "statement_kind": "norm", "valid_from": utc(2025)},
        ),
        (RULE, {"statement_kind": "norm"}, {"statement_kind": "inferred", "valid_from": utc(2025), "published_at": utc(2025)}),
        (
            RULE,
            {"valid_from": utc(2025), "published_at": utc(2023)},
            {"valid_from": utc(2024), "published_at": utc(2025)},
        ),
    ],
)
def test_the_better_side_prevails(claim, better, worse):
    """By whichever way it decides, and against any number of worse ones."""
    first, others = Side("z", True, **better), [Side(f"a{i}", False, **worse) for i in range(3)]
    assert ids(claim, *others, first) == "z a0 a1 a2"
    assert prevailing(claim, [*others, first]) == "support"
    assert prevailing(claim, [side._replace(entails=not side.entails) for side in (*others, first)]) == "contradiction"


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ([], None),
        ([Side("a", True)], "support"),
        ([Side("a", False)], "contradiction"),
        ([Side("a", True), Side("b", False)], None),
        ([Side("a", True), Side("b", False), Side("c", False)], None),
        ([Side("a", True, "primary"), Side("b", False, "primary"), Side("c", True, "secondary")], None),
    ],
)
def test_no_majority(sides, expected):
    assert prevailing(RULE, sides) == expected


DATES = st.sampled_from([None, utc(2023), utc(2024), utc(2025)])
SIDES = st.lists(
    st.builds(
        Side,
        st.sampled_from("abcdef"),
        st.booleans(),
        st.sampled_from([None, "primary", "secondary"]),
        st.sampled_from([None, "norm", "measured", "inferred"]),
        DATES,
        DATES,
    ),
    max_size=6,
)


@given(sides=SIDES, claim=st.sampled_from([RULE, REPORT]), data=st.data())
@settings(deadline=None)
def test_order_and_copies_change_nothing(sides, claim, data):
    shuffled = data.draw(st.permutations(sides))
    assert rank_sides(claim, shuffled) == rank_sides(claim, sides)
    assert prevailing(claim, shuffled) == prevailing(claim, sides)
    copied = data.draw(st.lists(st.sampled_from(sides), max_size=4)) if sides else []
    assert prevailing(claim, [*sides, *copied]) == prevailing(claim, sides)


@given(sides=SIDES, claim=st.sampled_from([RULE, REPORT]))
@settings(deadline=None)
def test_the_prevailing_side_is_that_of_the_first(sides, claim):
    found = prevailing(claim, sides)
    assert found in (None, "support" if sides and rank_sides(claim, sides)[0].entails else "contradiction")


@pytest.mark.parametrize(
    "claim",
    [
        "Retention must be 30 days",
        "Logs are kept for 30 days",
        "Users may export their data once a day",
        "Encrypted backups are stored in two regions",
        "Refunds are not allowed after 14 days",
        "The plan includes 10 seats",
        "Free accounts receive limited support",
        "Employees have to report accidents within 24 hours",
        "The temperature is measured every hour",
        "Readings must be recorded daily",
        "Support will end in May 2027",
        "Data stored in the EU is deleted after 30 days",
        "Adults take two tablets a day",
        "The API supports 500 requests per minute",
        "The valve needs to be closed before the pump starts",
        "Each contract runs for 12 months",
        "Customers who paid late are charged a fee of 5 EUR",
        "The speed limit does not exceed 50 km/h",
        "Opened bottles keep for six weeks",
        "Cancelled orders are refunded within 10 days",
        "The fee is 5 percent",
        "Fathers in Spain receive 16 weeks of paid leave",
        "There is no way back after the erasure has begun",
    ],
)
def test_what_must_hold(claim):
    assert not is_observation(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Uptime was 99.9 % in 2024",
        "The pump failed twice in May",
        "Measured latency averaged 20 ms",
        "Revenue rose by 5 percent",
        "The outage lasted three hours",
        "Most patients felt better on the third day",
        "Sick leave in Poland fell to 3.1 percent in 2024",
        "The Group employed 4,150 people at the end of 2024",
        "Complaints have doubled since March",
        "The crew has not found the leak",
        "On average, requests take 20 ms",
        "The measured flow is 12 litres per minute",
        "The survey shows that 40 percent of users prefer email",
        "Two servers were replaced last week",
        "Staff turnover in Germany increased sharply",
        "The company reported profits in 2023",
        "The team did not meet its target",
        "Blood pressure dropped slightly in the follow-up",
        "The auditors visited the plant yesterday",
        "The sensor recorded 41 degrees",
        "Sales had peaked before the price change",
    ],
)
def test_what_was_observed(claim):
    assert is_observation(claim)
