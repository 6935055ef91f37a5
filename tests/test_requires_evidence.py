"""Which claims need evidence, and why the others do not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.claims import NOT_REQUIRED_REASONS
from transforms.citations import find_markers, strip_markers
from transforms.requires_evidence import abstention_kind, evidence_reason
from transforms.sentences import mask_code


def _reason(sentence: str) -> str | None:
    return evidence_reason(strip_markers(sentence, find_markers(mask_code(sentence))[0]), sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It is free [1].",
        "The documents must not be shared.",
        "The policy does not say 30 days; it says 7.",
        "The documents do not say 30 days.",
        "The documents do not say when, but the manual says 1998.",
        "The sources conflict: one says 7 days, the other 30.",
        "The policy does not cover water damage.",
        "The contract does not include support.",
        "Data are not included in the contract.",
        "Backups are included in the documentation.",
        "These documents include a passport and a visa.",
        "The vendor's page doesn't list it [1].",
        "There is no evidence that X causes Y.",
        "No data is shared with third parties.",
        "Pages differ in size.",
        "The data is current.",
        "The question is settled by section 5.",
        "Note that logs are kept for 7 days.",
        "Please note that logs are kept for 7 days.",
        "First, the pump starts.",
        "Then the valve closes.",
        "Check valves close at 3 bar.",
        "Click rates rose 5%.",
        "Use of X is prohibited.",
        "Support is available.",
        "Set temperature is 5 °C.",
        "If the LED blinks red, the pump stops and the valve closes.",
        "You can pay by card, by invoice or with PayPal.",
        "It depends on the plan: Pro has 5.",
        "Here are the limits: 5 GB and 10 GB.",
        "Retention is 30 days in these regions:",
        "Only Pro includes the following [1]:",
        "Yes, backups are kept for 35 days.",
        "No, guests cannot delete logs.",
        "The dose of α-tocopherol is 5 µg.",
    ],
)
def test_required(sentence: str) -> None:
    assert _reason(sentence) is None


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("question", "Would you like more detail on the Eco mode?"),
        ("question", "**Is that so?** [1]"),
        ("imperative", "Mix 5 mg of A and 10 ml of B, then stir for 3 min."),
        ("imperative", "Please restart the pump."),
        ("imperative", "Then, open the valve."),
        ("imperative", "First, click Save."),
        ("imperative", "Do not open the valve."),
        ("imperative", "If the LED is red, restart the pump."),
        ("imperative", "Contact support if it is red."),
        ("imperative", "Run `make`."),
        ("meta", "I hope this helps!"),
        ("meta", "Let me know if you need more."),
        ("meta", "Here is a summary of the plans:"),
        ("meta", "Sure!"),
        ("meta", "Hello there!"),
        ("meta", "Based on the documents:"),
        ("meta", "The Pro plan includes:"),
        ("meta", "**Plans**"),
        ("meta", "If you have any questions, feel free to ask."),
        ("meta", "Sources: https://x.example"),
        ("hedge", "It depends."),
        ("hedge", "It varies."),
        ("hedge", "There may be exceptions."),
        ("hedge", "Results may vary."),
        ("opinion", "I think Pro is the better plan."),
        ("opinion", "In my opinion, Pro is better."),
        ("opinion", "I would recommend Pro."),
        ("unsupported_language", "备份保留三十五天。[1]"),
        ("unsupported_language", "Резервные копии хранятся 35 дней."),
    ],
)
def test_not_required(reason: str, sentence: str) -> None:
    assert _reason(sentence) == reason


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("no_evidence", "The documents do not say."),
        ("no_evidence", "The documents do not say. [1]"),
        ("no_evidence", "The documents don’t say [1]."),
        ("no_evidence", "The provided documents do not say when the pump was built."),
        ("no_evidence", "I could not find any information about this."),
        ("no_evidence", "No information is available on refunds."),
        ("no_evidence", "No relevant documents were found."),
        ("no_evidence", "There is no mention of refunds in the policy."),
        ("no_evidence", "I don't know."),
        ("no_evidence", "The retention period is not specified in the context."),
        ("no_evidence", "The exact date is not specified."),
        ("no_evidence", "The context does not mention refunds."),
        ("no_evidence", "The policy does not say."),
        ("no_evidence", "Unfortunately, the provided context doesn't contain information about refunds."),
        ("no_evidence", "Based on the provided documents, I cannot determine the limit."),
        ("no_evidence", "While the documents mention backups, they do not specify how long."),
        ("no_evidence", "None of the documents mention it."),
        ("no_evidence", "I couldn't find that, but you can contact support."),
        ("insufficient", "There is not enough information to answer."),
        ("insufficient", "The provided documents do not contain enough information to answer the question."),
        ("conflicting", "The sources contradict each other."),
        ("conflicting", "There is conflicting information about the limit."),
        ("stale", "The available information is outdated."),
        ("no_access", "I do not have access to that document."),
        ("no_access", "You do not have permission to view this document."),
        ("underspecified", "Your question is ambiguous."),
        ("underspecified", "I need more details to answer."),
    ],
)
def test_abstentions_with_their_kind(kind: str, sentence: str) -> None:
    claim = strip_markers(sentence, find_markers(sentence)[0])
    assert (evidence_reason(claim, sentence), abstention_kind(claim)) == ("abstention", kind)


@given(st.text(), st.text())
def test_any_text_has_a_known_reason(claim: str, sentence: str) -> None:
    assert evidence_reason(claim, sentence) in (None, *NOT_REQUIRED_REASONS)
    assert abstention_kind(claim) in ("no_evidence", "insufficient", "conflicting", "stale", "no_access", "underspecified")


@pytest.mark.parametrize("unit", ["the documents ", "please ", "a ", "[1] ", " ", "it is ", "so, "])
def test_long_text_ends_in_time(unit: str) -> None:
    started = time.process_time()
    for text in (unit * (600 // len(unit)), unit * (200_000 // len(unit))):
        evidence_reason(text, text)
        abstention_kind(text)
    assert time.process_time() - started < 10
