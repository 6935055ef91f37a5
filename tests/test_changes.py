"""What changed between two versions of a passage, in words and by families."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.changes import MAX_DESCRIPTION, changed_families, changed_text, describe_change


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ("Logs are kept.", "Logs are kept.", False),
        ("Logs are kept.", " Logs\n\nare\tkept. ", False),
        ("Logs are kept.", "Logs are Kept.", True),
        ("Logs are kept.", "Logs are kept", True),
        ("", " ", False),
        ("", "Logs are kept.", True),
    ],
)
def test_only_white_space_is_no_change(then, now, expected):
    assert changed_text(then, now) is expected


LONG = "The quick brown fox jumps over the lazy dog while eleven other foxes look on and wonder at it for a while."


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ("Logs are kept.", "Logs  are\nkept.", ""),
        ("Logs are kept for 30 days. No fee.", "Logs are kept for 7 days. No fee.", "'30 days' -> '7 days'"),
        ("Adults take two tablets.", "Adults take one tablet.", "'two tablets' -> 'one tablet'"),
        ("Sensors report twelve hours later.", "Sensors report eight hours later.", "'twelve hours' -> 'eight hours'"),
        ("Logs must be kept.", "Logs may be kept.", "'must' -> 'may'"),
        ("Logs are kept.", "Logs are not kept.", "'are kept' -> 'are not kept'"),
        ("Logs are not kept.", "Logs are kept.", "'are not kept' -> 'are kept'"),
        ("Logs are kept. Fees apply.", "Logs are kept.", "removed 'Fees apply.'"),
        ("Logs are kept.", "Some fees apply. Logs are kept.", "added 'Some fees apply.'"),
        (
            "Logs are kept in Spain.",
            "Every guest pays two euros.",
            "removed 'Logs are kept in Spain.'; added 'Every guest pays two euros.'",
        ),
        (
            "Logs are kept for 30 days. Some fees apply. Guests pay 2 EUR.",
            "Logs are kept for 7 days. Guests pay 3 EUR.",
            "'30 days' -> '7 days'; removed 'Some fees apply.'; '2 EUR' -> '3 EUR'",
        ),
        ("Fees: 3 % a year.", "Fees: 3% a year.", "'Fees: 3 % a year.' -> 'Fees: 3% a year.'"),
        ("", LONG, "added 'The quick brown fox jumps over the laz ... look on and wonder at it for a while.'"),
    ],
)
def test_describe_change(then, now, expected):
    assert describe_change(then, now) == expected


def test_what_does_not_fit_is_counted():
    then = " ".join(f"Rack {i} holds spare parts of pumps." for i in range(100))
    described = describe_change(then, then.replace("pumps", "engines"))
    assert described == "'pumps' -> 'engines'"
    described = describe_change(then, "\n".join(f"Rack {i} holds spare parts of type{i}." for i in range(100)))
    assert described.startswith("'pumps' -> 'type0'; 'pumps' -> 'type1'; ")
    assert described.endswith(" more")
    assert len(described) <= MAX_DESCRIPTION


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ("Logs are kept for 30 days.", "Logs  are kept for 30 days.", []),
        ("Logs are kept for 30 days.", "Logs are kept for 7 days.", ["quantity"]),
        ("Logs are kept in Spain.", "Logs are kept in Italy.", ["scope"]),
        ("Logs have been kept since 2023.", "Logs have been kept since 2024.", ["date"]),
        ("Logs are kept by Acme Corp.", "Logs are kept by Globex Corp.", ["entity"]),
        ("Logs are kept.", "Logs are not kept.", ["polarity"]),
        ("Logs must be kept.", "Logs may be kept.", ["modality"]),
        ("Most logs are kept.", "All logs are kept.", ["aggregation"]),
        ("Logs are kept. 2 EUR a day.", "Logs are kept. Guests from Spain pay nothing.", []),
        ("The pump is blue.", "The pump is green.", []),
        (
            "Logs are kept in Spain. Guests pay 2 EUR a night.",
            "Logs are kept in Italy. Guests pay 3 EUR a night.",
            ["scope", "quantity"],
        ),
    ],
)
def test_changed_families(then, now, expected):
    assert changed_families(then, now) == expected
    assert changed_families(now, then) == expected


TEXTS = st.lists(
    st.sampled_from(
        ["Logs are kept.", "Logs are not kept.", "Fees apply for 30 days.", "Fees apply for 7 days.", "It", "% 3", "3 %"]
    )
).map(" ".join) | st.text(max_size=80)


@given(then=TEXTS, now=TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_change_is_described_where_there_is_one(then, now):
    described = describe_change(then, now)
    assert bool(described) == changed_text(then, now)
    assert len(described) <= MAX_DESCRIPTION
    assert changed_families(then, then) == []


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("Aa. Bb. " * 12_500, "Bb. Aa. " * 12_500),
        ("word " * 20_000, "word " * 10_000 + "other " + "word " * 10_000),
        ("x" * 100_000, "y" * 100_000),
        ("| a | 1 | 2 |\n" * 7_000, "| a | 1 | 3 |\n" * 7_000),
        (" ".join(f"It is x{i}." for i in range(9_000)), " ".join(f"It is x{i}." for i in range(9_000, 0, -1))),
    ],
    ids=["recurring", "one sentence", "one word", "table", "reversed"],
)
def test_long_passages_end(then, now):
    """Quadratic work would take minutes here."""
    assert 0 < len(describe_change(then, now)) <= MAX_DESCRIPTION
