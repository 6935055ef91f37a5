"""One attribute changed: what each operator makes of a sentence, what it leaves alone, and what holds for every text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases.mutations import SCOPES, Scope, mutate, names_of, pick, scoped
from cases.mutations.record import (
    CHANGED,
    CONTRADICTION,
    ENTAILMENT,
    OPPOSED,
    SAME,
    STRONGER,
    UNSUPPORTED,
    WEAKER,
    Relations,
    any_of,
    words_pattern,
)
from schemas.claims import FAMILIES

PLANNED, FIRMER = Relations(None, UNSUPPORTED), Relations(UNSUPPORTED, None)
NAMES = {"founded 1": ["Acme", "Initech"], "by 2": ["Ada Byron", "Hans Meyer"], "^2": ["Hans Meyer", "John Smith"]}
AROUND = ("condition", "doubt")


def of_family(sentence, family):
    """Give what one family makes of a sentence; conditions and doubts, which every sentence takes, have their own test."""
    return [
        (one.operator, one.text, Relations(one.relation, one.reverse))
        for one in mutate(sentence, NAMES)
        if one.family == family and one.operator not in AROUND
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Logs are kept for 30 days.",
            [
                ("number", "Logs are kept for 31 days.", CHANGED),
                ("numeral", "Logs are kept for thirty days.", SAME),
                ("true_bound", "Logs are kept for less than 38 days.", WEAKER),
                ("false_bound", "Logs are kept for more than 38 days.", CHANGED),
                ("unit", "Logs are kept for 30 hours.", CHANGED),
            ],
        ),
        (
            "Logs are kept for 24 months.",
            [
                ("number", "Logs are kept for 25 months.", CHANGED),
                ("same_amount", "Logs are kept for 2 years.", SAME),
                ("true_bound", "Logs are kept for less than 31 months.", WEAKER),
                ("false_bound", "Logs are kept for more than 31 months.", CHANGED),
                ("unit", "Logs are kept for 24 years.", CHANGED),
            ],
        ),
        (
            "It weighs thirty kilograms.",
            [
                ("number", "It weighs sixty kilograms.", CHANGED),
                ("numeral", "It weighs 30 kilograms.", SAME),
                ("unit", "It weighs thirty pounds.", CHANGED),
            ],
        ),
        (
            "At least 24 hours are needed.",
            [
                ("unit", "At least 24 days are needed.", CHANGED),
                ("bound", "At most 24 hours are needed.", CHANGED),
            ],
        ),
        (
            "It rose by 5%.",
            [
                ("number", "It rose by 6%.", CHANGED),
                ("true_bound", "It rose by more than 4%.", WEAKER),
                ("false_bound", "It rose by less than 4%.", CHANGED),
                ("unit", "It rose by 5 percentage points.", CHANGED),
            ],
        ),
        ("It costs $30.", [("number", "It costs $31.", CHANGED)]),
        ("It costs $1,500.50 net.", [("number", "It costs $2,250.75 net.", CHANGED)]),
        ("The tour took 3-4 hours.", [("unit", "The tour took 3-4 days.", CHANGED)]),
        ("About 2000 people came.", [("number", "About 2001 people came.", CHANGED)]),
    ],
)
def test_quantities(sentence, expected):
    assert of_family(sentence, "quantity") == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The law of 1998 passed.",
        "Version v2.1 came.",
        "Version 12 came, then release 13.",
        "He came 3rd.",
        "It opened on 12 March 2019.",
        "It opened on March 12, 2019.",
        "See section 12 and figure 3.",
        "It rang at 12:30.",
        "It took from 3-4 to 5/6.",
        "Only one of them came.",
        "Twenty-one came, then a two-step.",
        "Room A12 and 12b.",
        "The sixties, weightless, tender.",
        f"The number {'9' * 400} is long.",
    ],
)
def test_what_is_no_amount_is_left_alone(sentence):
    assert of_family(sentence, "quantity") == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "It opened on 12 March 2019.",
            [
                ("year", "It opened on 12 March 2029.", CHANGED),
                ("month", "It opened on 12 June 2019.", CHANGED),
                ("day", "It opened on 21 March 2019.", CHANGED),
                ("same_date", "It opened on March 12, 2019.", SAME),
                ("wider_date", "It opened in March 2019.", WEAKER),
                ("wider_date", "It opened in 2019.", WEAKER),
            ],
        ),
        (
            "In 1998 the 3rd car won 5.5 km at 12:30.",
            [
                ("year", "In 2000 the 3rd car won 5.5 km at 12:30.", CHANGED),
                ("true_period", "Before 2001 the 3rd car won 5.5 km at 12:30.", WEAKER),
                ("false_period", "After 2001 the 3rd car won 5.5 km at 12:30.", CHANGED),
            ],
        ),
        (
            "It was fine before May 2020.",
            [
                ("year", "It was fine before May 2015.", CHANGED),
                ("month", "It was fine before October 2020.", CHANGED),
                ("order", "It was fine after May 2020.", CHANGED),
            ],
        ),
        ("Version v2.1 costs $30.", [("version", "Version v3.1 costs $30.", CHANGED)]),
        ("It rose by 5% in the 1980s.", [("decade", "It rose by 5% in the 1960s.", CHANGED)]),
        ("The 19th century was cold.", [("century", "The 20th century was cold.", CHANGED)]),
        (
            "Sales grew in winter on Monday.",
            [
                ("day_name", "Sales grew in winter on Thursday.", CHANGED),
                ("day_name", "Sales grew in autumn on Monday.", CHANGED),
            ],
        ),
        ("It has 2000 people, cost $1999 and ran 2010-2015.", []),
        ("They may march before lunch; the Spring court springs.", []),
        ("The 3rd of the 5th century.", []),
    ],
)
def test_dates(sentence, expected):
    assert of_family(sentence, "date") == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The fee applies in Germany.", [("place", "The fee applies in Norway.", CHANGED)]),
        ("Adults pay ten dollars.", [("place", "Teenagers pay ten dollars.", CHANGED)]),
        ("The man sleeps.", [("group", "The woman sleeps.", CHANGED)]),
        (
            "Logs are kept in us-east-1.",
            [
                ("scope", "Logs are kept in eu-west-2.", CHANGED),
                ("scope_asked", "Logs are kept in the UK.", CHANGED),
                ("same_scope", "Logs are kept in the US.", SAME),
            ],
        ),
        ("Logs are kept in us-east-12 and in china.", []),
        ("Manly Childrens Students-only.", []),
    ],
)
def test_scopes(sentence, expected):
    assert of_family(sentence, "scope") == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "John Smith founded Acme.",
            [
                ("name", "Hans Meyer founded Acme.", CHANGED),
                ("name", "John Smith founded Initech.", CHANGED),
                ("roles", "Acme founded John Smith.", CHANGED),
            ],
        ),
        ("It was made by Hans Meyer.", [("name", "It was made by Ada Byron.", CHANGED)]),
        ("She has a dog.", [("kind", "She has a cat.", CHANGED)]),
        ("Mother slept.", [("kind", "Sister slept.", CHANGED)]),
        ("The film Sacred Mother Tongue opened.", [("kind", "The album Sacred Mother Tongue opened.", CHANGED)]),
        ("It was made by Hans Meyer-jones in American May.", []),
        ("The dogged carpet.", []),
    ],
)
def test_entities(sentence, expected):
    assert of_family(sentence, "entity") == expected


def test_names_of_a_slot_with_too_few_names_are_left_out():
    towns = ["Riga", "Oslo", "Bonn", "Lima", "Kiel", "Graz"]
    sentences = [
        *(f"He went to {town}." for town in towns),
        "He came from Riga.",
        "New Riga was built.",
        "He came to American York.",
    ]
    assert names_of(sentences) == {"to 1": sorted(towns)}
    assert names_of(sentences[1:]) == {}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("You must pay.", [("deny", "You must not pay.", OPPOSED), ("deny", "You must never pay.", OPPOSED)]),
        ("It has been paid.", [("deny", "It has not been paid.", OPPOSED), ("deny", "It has never been paid.", OPPOSED)]),
        ("The board didn't vote.", [("affirm", "The board did vote.", OPPOSED)]),
        (
            "The rule is not open.",
            [
                ("affirm", "The rule is open.", OPPOSED),
                ("opposite", "The rule is not closed.", OPPOSED),
                ("contraction", "The rule isn't open.", SAME),
            ],
        ),
        (
            "He has never been there.",
            [("affirm", "He has been there.", OPPOSED), ("opposite", "He has always been there.", OPPOSED)],
        ),
        ("She runs with friends.", [("opposite", "She runs without friends.", OPPOSED)]),
        ("No one will ever leave.", [("opposite", "Everyone will ever leave.", OPPOSED)]),
        ("He left with no money.", []),
        ("She has a dog.", []),
        ("Is it on?", []),
        ("The man that was here slept.", []),
        ("It is only here.", []),
        ("The withering opener.", []),
    ],
)
def test_polarity(sentence, expected):
    assert of_family(sentence, "polarity") == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "She is a teacher.",
            [("soften", "She might be a teacher.", WEAKER), ("soften", "She is planned to be a teacher.", PLANNED)],
        ),
        (
            "Logs are kept for 30 days.",
            [
                ("soften", "Logs may be kept for 30 days.", WEAKER),
                ("soften", "Logs are likely to be kept for 30 days.", PLANNED),
            ],
        ),
        ("You must pay now.", [("soften", "You should pay now.", PLANNED)]),
        ("You may pay later.", [("harden", "You must pay later.", STRONGER)]),
        ("Every user can log in.", [("harden", "Every user must log in.", FIRMER)]),
        ("It may be late.", [("harden", "It must be late.", FIRMER)]),
        ("It may not rain.", []),
        ("Is it on?", []),
        ("It is not able.", []),
        ("He says that it is late.", []),
    ],
)
def test_modality(sentence, expected):
    assert of_family(sentence, "modality") == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "He left with no money.",
            ["Only if it is requested, he left with no money.", "There are plans that he left with no money."],
        ),
        (
            "Adults pay ten dollars.",
            ["Adults pay ten dollars if the manager agrees.", "It is possible that Adults pay ten dollars."],
        ),
        ("Some of it.", []),
        ("is it that late", []),
        ("Is it that late?", []),
    ],
)
def test_conditions_and_doubts_establish_nothing(sentence, expected):
    around = [one for one in mutate(sentence) if one.operator in AROUND]
    assert [one.text for one in around] == expected
    assert {(one.family, one.start, one.before, one.relation, one.reverse) for one in around} <= {
        ("modality", 0, "", None, UNSUPPORTED)
    }


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Some students passed.",
            [("share", "All students passed.", STRONGER), ("share", "Most students passed.", STRONGER)],
        ),
        ("All of the cats slept.", [("share", "Most of the cats slept.", WEAKER)]),
        ("Every user slept.", [("share", "Not every user slept.", CHANGED)]),
        ("He often sings.", [("share", "He always sings.", STRONGER)]),
        ("He always sings.", [("share", "He usually sings.", WEAKER)]),
        ("It is one of the best.", [("share", "It is the only one of the best.", FIRMER)]),
        ("The majority slept.", [("share", "The minority slept.", CHANGED)]),
        ("The others slept.", []),
    ],
)
def test_aggregations(sentence, expected):
    assert of_family(sentence, "aggregation") == expected


@pytest.mark.parametrize(
    ("sentence", "scope", "expected"),
    [
        ("Logs are kept.", SCOPES[0], "Logs are kept in us-east-1."),
        ("Logs are kept !", Scope("plan", "on the Free plan", "for Free subscribers"), "Logs are kept on the Free plan !"),
        ("Logs are kept", SCOPES[1], "Logs are kept in eu-central-1."),
    ],
)
def test_scoped(sentence, scope, expected):
    assert scoped(sentence, scope) == expected


def test_scopes_of_a_group_are_told_apart_in_both_wordings():
    assert len({scope.written for scope in SCOPES}) == len({scope.asked for scope in SCOPES}) == len(SCOPES)


PHRASES = """
    Logs|are not|is|may be|30 days|thirty|at least|24 hours|in 1998|on 12 March 2019|March 3, 2020|v2.1|since 2010
    the 19th century|Monday|in us-east-1|men|Some|All of the|Every|with|without no|never|John Smith founded Acme|by Ada Byron
    dog|$5|5%|, that|?|.|1,200.5
    in Germany|mınımum 5|ſince 2010|lİkely|ſtrong|٣٠|0|0.0|12345678901234567890|İn 1998|don't|cannot|in the 1980s|\u2028|{}|\ud800
"""
texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from([one.strip() for one in PHRASES.replace("\n", "|").split("|")]), max_size=9).map(" ".join),
)


@settings(max_examples=80, deadline=None)
@given(texts)
@example(f"v{'9' * 5_000} costs {'9' * 400}.{'9' * 400} days and {'9' * 9_000}.")
@example(f"It is 0.{'0' * 90}1 km, at most {'9' * 99} m, and {',999' * 200}.")
def test_every_text_has_the_same_mutations_twice_each_in_one_place(text):
    mutations = mutate(text, NAMES)
    assert mutations == mutate(text, NAMES)
    for one in mutations:
        assert one.family in FAMILIES
        assert one.text != text
        assert {one.relation, one.reverse} <= {ENTAILMENT, UNSUPPORTED, CONTRADICTION, None}
        # A contradiction holds both ways, and what is entailed both ways is the same statement.
        assert (one.relation == CONTRADICTION) == (one.reverse == CONTRADICTION)
        if one.operator not in AROUND:
            end = one.start + len(one.before)
            assert text[one.start : end] == one.before
            assert text[: one.start] + one.after + text[end:] == one.text


def test_the_longest_of_several_words_is_found_as_a_whole_word_in_any_case():
    pattern = words_pattern(("six", "sixty", "no one"))
    assert pattern.findall("Sixty six, no One: sixteen six-pack no-one ſix sıx") == ["Sixty", "six", "no One"]
    assert any_of(["is", "a.b", "isn't"]) == r"isn't|a\.b|is"


@given(st.lists(st.integers(), min_size=1), st.text(), st.integers())
def test_pick_is_one_of_the_options_and_the_same_for_the_same_keys(options, key, other):
    assert pick(options, key, other) in options
    assert pick(options, key, other) == pick(list(options), key, other)


def test_picks_spread_over_the_options():
    counts = [sum(pick(range(4), i, "key") == option for i in range(400)) for option in range(4)]
    assert min(counts) > 60
