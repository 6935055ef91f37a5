"""What a sentence states, attribute by attribute, and how a premise differs from it."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.attributes import compare, extract
from transforms.attributes.amounts import Amount
from transforms.attributes.dates import Date, Version
from transforms.attributes.lists import word_list
from transforms.attributes.scopes import Age

WORDS = st.sampled_from(
    word_list(
        """a an the 5 12,5 1.2.3 v2.1 -5 twenty five half and to of in per not no must may if all most days GB % $ € Q3 May
        2020-05-05
        EU us-east-1 Pro plan Acme Corp rose fell . , : ; - / ( ) once twice 1/2 year more than up children over 12 P40 12:30 ½
        ² ٣ İ"""
    )
)


def _stated(text: str, family: str) -> list[tuple[str, str, Any]]:
    return [(one.kind, one.words, one.value) for one in extract(text) if one.family == family]


def _differences(claim: str, premise: str) -> list[tuple[str, str]]:
    compared = compare(claim, premise)
    return [(one.family, one.words) for one in compared.differs] + [
        (one.family, f"not stated: {one.words}") for one in compared.missing
    ]


@pytest.mark.parametrize(
    ("text", "kind", "words", "value"),
    [
        ("It draws 1.5 kW.", "measure", "1.5 kW", Amount("=", 1500, 1500, "kilogram * meter ** 2 / second ** 3")),
        ("Files of 1 GB.", "measure", "1 GB", Amount("=", 8e9, 8e9, "bit")),
        ("Kept for 2 weeks.", "measure", "2 weeks", Amount("=", 1209600, 1209600, "second")),
        ("Two and a half hours.", "measure", "Two and a half hours", Amount("=", 9000, 9000, "second")),
        ("After half an hour.", "measure", "half an hour", Amount("=", 1800, 1800, "second")),
        ("A quarter of an hour.", "measure", "A quarter of an hour", Amount("=", 900, 900, "second")),
        ("It has at least 30 seats.", "count", "at least 30 seats", Amount(">=", 30, 30, "number", ("seat",))),
        ("No more than 50 guests.", "count", "No more than 50 guests", Amount("<=", 50, 50, "number", ("guest",))),
        ("Use up to thirty seats.", "count", "up to thirty seats", Amount("<=", 30, 30, "number", ("seat",))),
        ("More than 5 kg.", "measure", "More than 5 kg", Amount(">", 5, 5, "kilogram")),
        ("It takes 3 hours or more.", "measure", "3 hours or more", Amount(">=", 10800, 10800, "second")),
        ("It takes about 25 minutes.", "measure", "about 25 minutes", Amount("~", 1500, 1500, "second")),
        ("It has twenty-five rooms.", "count", "twenty-five rooms", Amount("=", 25, 25, "number", ("room",))),
        ("It has 10 paid seats free.", "count", "10 paid seats", Amount("=", 10, 10, "number", ("paid", "seat"))),
        ("A dozen eggs.", "count", "A dozen eggs", Amount("=", 12, 12, "number", ("egg",))),
        ("It has 1,200 users.", "count", "1,200 users", Amount("=", 1200, 1200, "number", ("user",))),
        ("It has 10k users.", "count", "10k users", Amount("=", 10000, 10000, "number", ("user",))),
        ("It takes 5-10 days.", "measure", "5-10 days", Amount("range", 432000, 864000, "second")),
        ("Between 5 and 10 users.", "count", "5 and 10 users", Amount("range", 5, 10, "number", ("user",))),
        ("It fell from 40 kg to 12 kg.", "measure", "40 kg to 12 kg", Amount("range", 12, 40, "kilogram")),
        ("It grew 15 %.", "percentage", "15 %", Amount("=", 15, 15, "%")),
        ("It grew 15 percentage points.", "points", "15 percentage points", Amount("=", 15, 15, "points")),
        ("A tenth of the fee.", "percentage", "A tenth", Amount("=", 10, 10, "%")),
        ("3/4 of them.", "percentage", "3/4", Amount("=", 75, 75, "%")),
        ("It hits 1 in 10 people.", "percentage", "1 in 10", Amount("=", 10, 10, "%")),
        ("A ratio of 3:1.", "ratio", "3:1", Amount("=", 3, 3, "ratio")),
        ("It costs $5.", "money", "$5", Amount("=", 5, 5, "USD")),
        ("It costs 5 USD.", "money", "5 USD", Amount("=", 5, 5, "USD")),
        ("It costs €3.2 million.", "money", "€3.2 million", Amount("=", 3.2e6, 3.2e6, "EUR")),
        ("It costs EUR 10.", "money", "EUR 10", Amount("=", 10, 10, "EUR")),
        ("It costs $1.5bn.", "money", "$1.5bn", Amount("=", 1.5e9, 1.5e9, "USD")),
        ("On the fourth day.", "ordinal", "fourth", Amount("=", 4, 4, "ordinal", ("day",))),
        ("Within five working days.", "measure", "Within five working days", Amount("within", 5, 5, "working day")),
        ("It froze at -5 °C.", "measure", "-5 °C", Amount("=", 268.15, 268.15, "kelvin")),
    ],
)
def test_quantities(text: str, kind: str, words: str, value: Amount) -> None:
    assert _stated(text, "quantity") == [(kind, words, value)]


def test_a_calendar_unit_says_so() -> None:
    assert _stated("a year and a half", "quantity") == [
        ("measure", "a year and a half", Amount("=", 47336400, 47336400, "second", (), "calendar"))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Tarn v2.10 is out",
        "Version 3.2 is out",
        "It ended on 5 May 2020",
        "It ended in 2020-05",
        "The P40 is new",
        "The Skarv 4 is new",
        "The region us-east-1",
        "After COVID-19",
        "One of the users",
        "Open at 02:00",
        "Support around 24/7",
    ],
)
def test_numbers_of_dates_versions_and_names_are_no_quantities(text: str) -> None:
    assert [one for one in _stated(text, "quantity") if not one[1].startswith("7")] == []


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("On May 5, 2020.", [("date", "May 5, 2020", Date(2020, None, 5, 5))]),
        ("On 5 May 2020.", [("date", "5 May 2020", Date(2020, None, 5, 5))]),
        ("On 2020-05-05.", [("date", "2020-05-05", Date(2020, None, 5, 5))]),
        ("On 25/12/2020.", [("date", "25/12/2020", Date(2020, None, 12, 25))]),
        ("Since 2020.", [("date", "2020", Date(2020, side="from"))]),
        ("In Q3 2025.", [("date", "Q3 2025", Date(2025, 3))]),
        ("In March.", [("date", "March", Date(month=3))]),
        ("They may march.", []),
        ("On Mondays at 02:00.", [("weekday", "Mondays", "monday"), ("time", "02:00", (2, 0))]),
        ("At 2 pm.", [("time", "2 pm", (14, 0))]),
        ("Billed annually.", [("period", "annually", "year")]),
        ("Billed every year.", [("period", "every year", "year")]),
        ("Billed per month.", [("period", "per month", "month")]),
        ("It has 20 days a year.", [("period", "a year", "year")]),
        ("Cleaned daily.", [("period", "daily", "day")]),
        ("By next year.", [("relative", "next year", ("next", "year"))]),
        ("Since v2.10.", [("version", "v2.10", Version((2, 10)))]),
        ("With version 3 or later.", [("version", "version 3 or later", Version((3,), "from"))]),
        ("From v2.1 to 2.4.", [("version", "v2.1", Version((2, 1))), ("version", "2.4", Version((2, 4)))]),
        ("It moves 60 litres per minute.", []),
    ],
)
def test_dates(text: str, stated: list[tuple[str, str, Any]]) -> None:
    assert _stated(text, "date") == stated


def test_versions_compare_by_their_numbers() -> None:
    older, newer = (one.value for one in extract("v2.1 and v2.10"))
    assert isinstance(older, Version)
    assert isinstance(newer, Version)
    assert older.numbers < newer.numbers


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Stored in the EU.", [("region", "EU", "EU")]),
        ("German users outside Europe.", [("region", "German", "Germany"), ("region", "Europe", ("outside", "Europe"))]),
        ("Let us go.", []),
        ("Stored in us-east-1.", [("region", "us-east-1", "us-east-1")]),
        ("It is on the Pro plan.", [("plan", "Pro", "pro")]),
        ("Team and Enterprise customers.", [("plan", "Team", "team"), ("plan", "Enterprise", "enterprise")]),
        ("The team is free.", []),
        ("Adults use it.", [("age", "Adults", "adult")]),
        ("Children under 12 use it.", [("age", "Children under 12", Age(0, 12)), ("age", "Children", "child")]),
        ("For people aged 65 or older.", [("age", "people aged 65", Age(65, float("inf")))]),
        ("Guests and admins.", [("access", "Guests", "guest"), ("access", "admins", "admin")]),
        ("The P40 and the S1.", [("product", "P40", "p40"), ("product", "S1", "s1")]),
        ("An iPhone 12 or Skarv 4.", [("product", "iPhone 12", "iphone 12"), ("product", "Skarv 4", "skarv 4")]),
    ],
)
def test_scopes(text: str, stated: list[tuple[str, str, Any]]) -> None:
    found = _stated(text, "scope")
    assert sorted(found, key=str) == sorted(stated, key=str)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It was sold by Acme Corp.", [("name", "Acme Corp", ("acme", "corp"))]),
        ("Retention is long.", []),
        ("NATO is old.", [("name", "NATO", ("nato",))]),
        ("It was signed by CEO Jane Doe.", [("role", "CEO", "ceo"), ("name", "Jane Doe", ("jane", "doe"))]),
        ("Two directors agreed.", [("role", "directors", "director")]),
        ("Error E4 is shown.", [("reference", "E4", "e4")]),
    ],
)
def test_entities(text: str, stated: list[tuple[str, str, Any]]) -> None:
    assert _stated(text, "entity") == stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It was not stored.", [("polarity", "negation", "not")]),
        ("It isn't stored.", [("polarity", "negation", "isn't")]),
        ("It lacks a lid.", [("polarity", "negation", "lacks")]),
        ("It runs without a lid.", [("polarity", "negation", "without")]),
        ("Sales rose.", [("polarity", "direction", "rose")]),
        ("It must stop.", [("modality", "obligation", "must")]),
        ("It might stop.", [("modality", "possibility", "might")]),
        ("It is allowed.", [("polarity", "direction", "allowed"), ("modality", "permission", "allowed")]),
        ("It should stop.", [("modality", "advice", "should")]),
        ("It plans to stop.", [("modality", "plan", "plans")]),
        ("Stop it if it rains.", [("modality", "condition", "if")]),
        ("Daily except rain.", [("modality", "exception", "except")]),
        ("It always stops.", [("modality", "certainty", "always")]),
        ("All users.", [("aggregation", "all", "All")]),
        ("Most users.", [("aggregation", "most", "Most")]),
        ("The most famous user.", []),
        ("A few users.", [("aggregation", "some", "few")]),
        ("None came.", [("polarity", "negation", "None"), ("aggregation", "none", "None")]),
        ("Ten on average.", [("aggregation", "average", "on average")]),
        ("Ten in total.", [("aggregation", "total", "in total")]),
    ],
)
def test_wording(text: str, stated: list[tuple[str, str, str]]) -> None:
    families = ("polarity", "modality", "aggregation")
    found = [(one.family, one.kind, one.words) for one in extract(text) if one.family in families]
    assert sorted(found) == sorted(stated)


@pytest.mark.parametrize(
    ("claim", "premise"),
    [
        ("It lasts 2 years", "It lasts 24 months"),
        ("It lasts 2 years", "It lasts 730 days"),
        ("It lasts a month", "It lasts 30 days"),
        ("It lasts 30 minutes", "It lasts 0.5 h"),
        ("It draws 1.5 kW", "It draws 1500 W"),
        ("It holds 1 GB", "It holds 1000 MB"),
        ("It is 5 miles long", "It is 8 km long"),
        ("It has thirty seats", "It has 30 seats"),
        ("It costs 5 dollars", "It costs $5"),
        ("It hits 10 percent", "It hits 1 in 10 people"),
        ("It has more than 30 seats", "It has 40 seats"),
        ("It is billed yearly", "It is billed annually"),
        ("It began in May 2020", "It began on 2020-05-17"),
        ("It began in Q2 2020", "It began in May 2020"),
        ("It works with v3.2", "It works with version 3 or later"),
        ("EU logs are kept", "Logs in eu-central-1 are kept"),
        ("In Germany it is free", "In the EU it is free"),
        ("An adult takes one", "Adults take one"),
        ("A child of eleven may not run it", "Children under 12 may not run it"),
        ("It was signed by James Jones", "It was signed by Jones"),
        ("It was set by the WHO", "It was set by the World Health Organization"),
        ("Seven days is the longest", "It must not last more than seven days"),
        ("Logs are kept for 30 days", "All logs must be kept for 30 days in the EU, by Acme, since 2020"),
        ("Retention in EMEA is 30 days", "Retention is 20 days in AMER and 30 days in EMEA."),
    ],
)
def test_what_agrees(claim: str, premise: str) -> None:
    assert _differences(claim, premise) == []


@pytest.mark.parametrize(
    ("claim", "premise", "differences"),
    [
        ("Kept 7 days", "Kept 30 days", [("quantity", "7 days against 30 days")]),
        ("Kept 30 days", "Kept", [("quantity", "not stated: 30 days")]),
        ("It grew 15 %", "It grew 15 percentage points", [("quantity", "15 % against 15 percentage points")]),
        ("At least 30 days", "For 30 days", [("quantity", "At least 30 days against 30 days")]),
        ("Up to 20 users", "The 20 users", [("quantity", "Up to 20 users against 20 users")]),
        ("It has 10 seats", "It has 10 projects", [("quantity", "10 seats against 10 projects")]),
        ("It costs $5", "It costs 5 EUR", [("quantity", "$5 against 5 EUR")]),
        (
            "It moves 40 litres per hour",
            "It moves 40 litres per minute",
            [("quantity", "40 litres per hour against 40 litres per minute")],
        ),
        ("Within five working days", "Within five days", [("quantity", "Within five working days against Within five days")]),
        ("Added in v2.10", "Added in v2.1", [("date", "v2.10 against v2.1")]),
        ("Paid in May 2024", "Paid in May 2023", [("date", "May 2024 against May 2023")]),
        ("A weekly fee", "A daily fee", [("date", "weekly against daily")]),
        ("EU logs", "us-east-1: Logs", [("scope", "EU against us-east-1")]),
        ("It is free in the EU", "It is free in Germany", [("scope", "EU against Germany")]),
        ("It is on the Team plan", "It is on the Pro plan", [("scope", "Team against Pro")]),
        ("The P40 is slow", "P40 manual: The P60 is slow", [("scope", "P40 against P60")]),
        ("Children over 6 use one", "Children over 12 use one", [("scope", "Children over 6 against Children over 12")]),
        ("It was built in Prague", "It was built in Warsaw", [("entity", "Prague against Warsaw")]),
        ("Signed by the director", "Signed by the engineer", [("entity", "director against engineer")]),
        ("The invoice was not stored.", "The invoice was stored.", [("polarity", "not stated: not")]),
        ("The invoice was stored.", "The invoice was not stored.", [("polarity", "left out: not")]),
        ("Sales rose in spring", "Sales fell in spring", [("polarity", "rose against fell")]),
        ("Users must export", "Users may export", [("modality", "must against may")]),
        ("It irritates eyes", "It may irritate eyes", [("modality", "left out: may")]),
        ("Calls are recorded", "Calls are recorded only if the caller agrees", [("modality", "left out: if")]),
        ("Transfers always take a day", "Transfers usually take a day", [("modality", "always against usually")]),
        ("All users agree", "Some users agree", [("aggregation", "All against Some")]),
        ("Repairs take ten days", "A repair takes ten days on average", [("aggregation", "left out: on average")]),
        (
            "Retention in AMER is 30 days",
            "Retention is 20 days in AMER and 30 days in EMEA.",
            [("scope", "AMER against EMEA"), ("quantity", "30 days against 20 days")],
        ),
        (
            "Retention in AMER is 30 days",
            "Retention in AMER and EMEA is 20 days and 30 days respectively.",
            [("scope", "AMER against EMEA"), ("quantity", "30 days against 20 days")],
        ),
    ],
)
def test_what_differs(claim: str, premise: str, differences: list[tuple[str, str]]) -> None:
    assert _differences(claim, premise) == differences


def test_compare_names_what_agrees() -> None:
    agrees = compare("EU logs must be kept for 2 weeks", "Logs in eu-west-1 must be kept for 14 days").agrees
    assert [one.words for one in agrees] == ["EU", "2 weeks", "must"]


@given(st.text() | st.lists(WORDS).map(" ".join) | st.lists(WORDS).map("".join))
def test_any_text_is_read_and_offsets_give_the_words(text: str) -> None:
    found = extract(text)
    assert [text[one.start : one.end] for one in found] == [one.words for one in found]
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(one.start < one.end for one in found)
    assert extract(text) == found


@given(st.lists(WORDS).map(" ".join), st.lists(WORDS).map(" ".join))
def test_any_two_texts_compare_and_a_text_agrees_with_itself(claim: str, premise: str) -> None:
    compare(claim, premise)
    assert _differences(claim, claim) == []


@settings(max_examples=30)
@given(st.text())
def test_any_text_agrees_with_itself(text: str) -> None:
    assert _differences(text, text) == []


@pytest.mark.parametrize("unit", ["30 days in AMER, 20 kg; ", "a year and a half ", "v1.", "Aa of ", "one hundred and ", "(("])
def test_time_is_linear_in_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        start = time.perf_counter()
        compare(text, text + ".")
        return time.perf_counter() - start

    seconds(1_000)
    # Twenty times the text: quadratic would be 400 times.
    assert seconds(200_000) < 100 * max(seconds(10_000), 0.01)


def test_pint_loads_with_the_first_unit_only() -> None:
    code = (
        "import sys; from transforms.attributes import extract; extract('5 users'); before = 'pint' in sys.modules; "
        "extract('5 kg'); print(before, 'pint' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False True\n"
