"""Rows from natural pairs: which come out, with which label, and which are held back because they might be true."""

from __future__ import annotations

from collections import Counter

import pytest

from cases.near_misses import NearMiss, _changed_claims, _changed_premises, near_misses, near_misses_of, siblings

MUSEUM = ("The museum in Riga opened on 12 March 2019.", "The museum opened on 12 March 2019.")
LOGS = ("Under the new rules audit logs are kept for 30 days in every office.", "Audit logs are kept for 30 days.")
LAMP = ("The lamp must be switched off at night.", "The lamp must be switched off.")
SHOPS = ("All of the shops are closed.", "All of the shops are closed.")
PAIRS = (MUSEUM, LOGS, LAMP, SHOPS)


def rows_of(pair, *families):
    """Give every row of a pair before the cap, and the operator that made it."""
    rows = (*_changed_claims(*pair, {}), *_changed_premises(*pair, {}))
    return [(row.operator, row.premise, row.hypothesis, row.label) for row in rows if row.family in families]


def test_a_date_changed_on_either_side_is_not_established_and_changed_on_both_it_is():
    premise, claim = MUSEUM
    assert rows_of(MUSEUM, "date") == [
        ("year", premise, "The museum opened on 12 March 2029.", "unsupported"),
        ("year_both", "The museum in Riga opened on 12 March 2029.", "The museum opened on 12 March 2029.", "entailment"),
        ("year_premise", "The museum in Riga opened on 12 March 2029.", claim, "unsupported"),
        ("month", premise, "The museum opened on 12 November 2019.", "unsupported"),
        ("month_both", "The museum in Riga opened on 12 November 2019.", "The museum opened on 12 November 2019.", "entailment"),
        ("month_premise", "The museum in Riga opened on 12 November 2019.", claim, "unsupported"),
        ("day", premise, "The museum opened on 23 March 2019.", "unsupported"),
        ("day_both", "The museum in Riga opened on 23 March 2019.", "The museum opened on 23 March 2019.", "entailment"),
        ("day_premise", "The museum in Riga opened on 23 March 2019.", claim, "unsupported"),
        ("same_date", premise, "The museum opened on March 12, 2019.", "entailment"),
        ("wider_date", premise, "The museum opened in March 2019.", "entailment"),
        ("wider_date", premise, "The museum opened in 2019.", "entailment"),
        ("year_reverse", "The museum opened on 12 March 2029.", claim, "unsupported"),
        ("month_reverse", "The museum opened on 12 November 2019.", claim, "unsupported"),
        ("day_reverse", "The museum opened on 23 March 2019.", claim, "unsupported"),
        ("same_date_reverse", "The museum opened on March 12, 2019.", claim, "entailment"),
        ("wider_date_reverse", "The museum opened in March 2019.", claim, "unsupported"),
        ("wider_date_reverse", "The museum opened in 2019.", claim, "unsupported"),
    ]


def test_what_denies_opens_or_conditions_a_claim_is_judged_by_what_both_sides_say():
    premise, claim = LAMP
    assert rows_of(LAMP, "polarity", "modality") == [
        ("deny", premise, "The lamp must not be switched off.", "contradiction"),
        ("deny", premise, "The lamp must never be switched off.", "contradiction"),
        ("deny_reverse", "The lamp must not be switched off.", claim, "contradiction"),
        ("deny_reverse", "The lamp must never be switched off.", claim, "contradiction"),
        ("soften_reverse", "The lamp can be switched off.", claim, "unsupported"),
        ("condition_reverse", "If the test succeeds, the lamp must be switched off.", claim, "unsupported"),
        (
            "condition_both",
            "If the test succeeds, the lamp must be switched off.",
            "The lamp must be switched off if the test succeeds.",
            "entailment",
        ),
        ("doubt_reverse", "It is possible that the lamp must be switched off.", claim, "unsupported"),
        ("deny_source", "The lamp must not be switched off at night.", claim, "contradiction"),
        ("deny_source", "The lamp must never be switched off at night.", claim, "contradiction"),
        ("soften_source", "The lamp should be switched off at night.", claim, "unsupported"),
        ("condition_source", "If the test succeeds, the lamp must be switched off at night.", claim, "unsupported"),
        ("doubt_source", "Some people believe that the lamp must be switched off at night.", claim, "unsupported"),
    ]


def test_a_long_premise_or_one_that_says_two_things_is_not_turned_round():
    for premise in ("The lamp and the fan must be off at night.", " ".join(["At night,"] * 9) + " the lamp must be off."):
        assert [row for row in rows_of((premise, "The lamp must be off."), "polarity", "modality") if "source" in row[0]] == []


@pytest.mark.parametrize(
    ("premise", "operators"),
    [
        ("Under the new rules audit logs are kept for 30 days.", ["number", "number_both", "number_premise"]),
        # The changed claim says 300 days: so does this premise, of something else or of the same.
        ("Audit logs are kept for 30 days, backups for 300 days.", []),
        # A number inside of another is another: nothing to change alike.
        ("Audit logs are kept for 30.5 days.", ["number"]),
        ("Audit logs are kept for a month.", ["number"]),
    ],
)
def test_a_premise_that_states_the_changed_value_gives_no_row(premise, operators):
    found = [row[0] for row in rows_of((premise, LOGS[1]), "quantity")]
    assert [one for one in found if one in ("number", "number_both", "number_premise")] == operators


def test_the_premise_is_changed_wherever_it_has_the_words_in_their_case():
    pair = ("Thirty boats came; of the thirty, none left.", "It is said that thirty boats came.")
    changed = [row for row in rows_of(pair, "quantity") if row[0] == "number_both"]
    assert changed == [
        (
            "number_both",
            "Forty boats came; of the forty, none left.",
            "It is said that forty boats came.",
            "entailment",
        )
    ]


def test_the_rows_of_a_pair_are_at_most_two_a_family_and_label_and_drawn_from_all():
    for pair in PAIRS:
        rows = near_misses(*pair, {})
        assert max(Counter((row.family, row.label == "entailment") for row in rows).values()) == 2
        everything = [*_changed_claims(*pair, {}), *_changed_premises(*pair, {})]
        assert [row for row in rows if row not in everything] == []
        assert {row.family for row in rows} == {row.family for row in everything}


def test_the_sides_of_siblings_are_told_apart_by_scope_however_it_is_worded():
    sentence = "Audit logs are kept for 30 days."
    hours, days = (f"Audit logs are kept for 30 {unit}" for unit in ("hours", "days"))
    both = f"{hours} for customers in the United Kingdom. {days} for customers in Canada."
    assert siblings(sentence, {}) == [
        NearMiss(both, f"{days} for Canadian customers.", "entailment", "quantity", "sibling"),
        NearMiss(both, f"{hours} for Canadian customers.", "unsupported", "quantity", "sibling"),
        NearMiss(f"{days} for customers in Canada.", f"{days} for Canadian customers.", "entailment", "scope", "asked"),
        NearMiss(f"{days} for customers in Canada.", f"{days} for UK customers.", "unsupported", "scope", "asked"),
        NearMiss(
            f"{hours} for customers in the United Kingdom.",
            f"{hours} for Canadian customers.",
            "unsupported",
            "scope",
            "asked",
        ),
    ]


@pytest.mark.parametrize(
    "sentence", ["Logs are kept in this place.", "Kept for 30 days.", "Are logs kept for 30 days?", "a 30 day " * 8 + "term."]
)
def test_what_has_no_value_or_is_no_plain_statement_has_no_sibling(sentence):
    assert siblings(sentence, {}) == []


def test_each_pair_of_texts_comes_out_once_with_one_label_and_the_same_every_time():
    rows = list(near_misses_of([*PAIRS, *PAIRS], {}))
    assert rows == list(near_misses_of(PAIRS, {}))
    assert len({(row.premise, row.hypothesis) for row in rows}) == len(rows) > 40
    assert {row.label for row in rows} == {"entailment", "contradiction", "unsupported"}
