"""Sentences of Markdown answers with offsets, in any text and in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.sentences import Sentence, mask_code, sentence_bounds, split_sentences

PIECES = (
    "Load fell",
    " ",
    "  ",
    "\n",
    "\n\n",
    ".",
    "!",
    "…",
    "。",
    "[1]",
    " [2]",
    "¹",
    "# ",
    "- ",
    "1. ",
    "> ",
    "| ",
    "|---|",
    "---",
    "===",
    "```",
    "`",
    "(",
    ")",
    '"',
    "e.g. ",
    "No. 5",
    "v2.1",
    "备份",
    "*",
    "[doc](x)",
    "<!--",
    "-->",
    ":",
    "\r\n",
    "[^1]: ",
    "[1]: https://x",
)
any_text = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


def _texts(answer: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(answer)]


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        (
            "Backups are kept for 35 days. [1] Exports are kept for 7 days. [2]",
            ["Backups are kept for 35 days. [1]", "Exports are kept for 7 days. [2]"],
        ),
        ("`list[0]` returns the head [1]. `x` is its name.", ["`list[0]` returns the head [1].", "`x` is its name."]),
        (
            "Kept 35 days.¹ Free[^3]. Fast ([doc](https://x.example/a_(b))). Done.",
            ["Kept 35 days.¹", "Free[^3].", "Fast ([doc](https://x.example/a_(b))).", "Done."],
        ),
        ("A is fast. B is cheap [1].", ["A is fast.", "B is cheap [1]."]),
        ("Line one [1].\nLine two.", ["Line one [1].", "Line two."]),
        ("备份保留三十五天。[1]导出保留七天。[2]", ["备份保留三十五天。[1]", "导出保留七天。[2]"]),
        ("真的吗？是！对。", ["真的吗？", "是！", "对。"]),
        ("「行く。」と言った。", ["「行く。」と言った。"]),
        ("It is free [1].", ["It is free [1]."]),
        ("The vendor's page doesn't list it [1].", ["The vendor's page doesn't list it [1]."]),
    ],
)
def test_acceptance(answer: str, sentences: list[str]) -> None:
    assert _texts(answer) == sentences


@pytest.mark.parametrize(
    "trailing",
    [
        "[1]",
        " [1]",
        "[1][2]",
        " [1][2]",
        " [1], [2]",
        "¹",
        " ¹",
        "[^3]",
        ".[4]",
        "【1】",
        " ([1])",
        " (Source: [1])",
        " Source: [1]",
        " ([doc](https://x.example))",
        " [doc](x)",
        "\n[1]",
    ],
)
def test_trailing_markers_stay_with_their_sentence(trailing: str) -> None:
    assert _texts(f"Kept 35 days.{trailing}\nExports too.") == [f"Kept 35 days.{trailing}", "Exports too."]
    assert _texts(f"Kept 35 days.{trailing}") == [f"Kept 35 days.{trailing}"]


def test_a_marker_may_be_a_word_of_the_next_sentence() -> None:
    assert _texts("Backups are kept. [1] says so.") == ["Backups are kept.", "[1] says so."]


def test_declared_markers_trail_whatever_they_look_like() -> None:
    found = split_sentences("Kept 35 days. [Our Guide] Exports too.", frozenset({"Our Guide"}))
    assert [sentence.text for sentence in found] == ["Kept 35 days. [Our Guide]", "Exports too."]


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs 5.50 in v2.1 and 2.10.3.",
        "Use e.g. Eco, i.e. Mode 1, at approx. 5.5 A (see Fig. 3), No. 5 vs. Max.",
        "The U.S. version, unlike the U.K. one, came in Jan. 2020 from Dr. Smith of Acme Co. Ltd. and Mr. Lee.",
        "J. R. Smith et al. (2020) met J. Smith at 5 p.m. Monday on St. James.",
        "See https://x.example/a.b?c=1, x.example and file.txt.",
        "It waits ... and goes… on.",
        '"Stop." he said, and "Why?" she asked.',
        "It works (see X. It is long. Very) well.",
        "Two rules: 1. Keep it short.",
        "1[4]. Keep it short.",
        "The dept. of Inc. Chairman B. Jones.",
        "A soft\nwrap goes on in\n1998 with Google.",
    ],
)
def test_one_sentence(sentence: str) -> None:
    assert _texts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Pay by card, invoice, etc.", "Exports are free."],
        ["It was made in the U.S.", "The price fell."],
        ["It is made by Acme Inc.", "The price fell."],
        ["Is it free?", "Yes!", "No.", "It costs 5."],
        ["It was founded in 1998.", "10 people work there."],
        ["He takes vitamin C.", "Exports are free."],
        ["(Whole sentence.)", "Next one."],
        ['He said "stop."', "Then it stopped."],
        ["They left.", "iPhone sales rose.", "eu-central-1 keeps logs."],
        ["It waits...", "Then it goes."],
        ["Backups run at 5 p.m.", "Exports run later."],
        ["**It is free.**", "*It is fast.*", "_It is new._"],
    ],
)
def test_several_sentences(sentences: list[str]) -> None:
    assert _texts(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        ("Kept 35 days [1]\nExports too [2]", ["Kept 35 days [1]", "Exports too [2]"]),
        ("Based on the documents:\nKept 35 days.", ["Based on the documents:", "Kept 35 days."]),
        ("Kept 35 days  \nExports too", ["Kept 35 days", "Exports too"]),
        ("Kept 35 days\nand more", ["Kept 35 days\nand more"]),
        ("Kept 35 days.\r\nExports too.", ["Kept 35 days.", "Exports too."]),
    ],
)
def test_line_breaks(answer: str, sentences: list[str]) -> None:
    assert _texts(answer) == sentences


def test_blocks_of_markdown() -> None:
    answer = (
        "# Plans\n\nWe have:\n\n- 10 seats on Basic [1]\n- 50 on Pro [2]\n  and more. Really.\n\n## Limits [3]\n\n"
        "| Mode | Limit |\n|---|---|\n| Eco | 50 °C [1] |\n| | 80 °C |\n\n> He said\n> no.\n\nRules\n-----\n"
        "1) One\n2) Two\n***\nDone.\n---\n```\ncode. Code.\n```\n"
    )
    found = [(s.text, s.kind, s.heading, s.columns) for s in split_sentences(answer)]
    assert found == [
        ("We have:", "paragraph", "Plans", ()),
        ("10 seats on Basic [1]", "list_item", "Plans", ()),
        ("50 on Pro [2]\n  and more.", "list_item", "Plans", ()),
        ("Really.", "list_item", "Plans", ()),
        ("Eco | 50 °C [1]", "table_row", "Plans > Limits [3]", ("Mode", "Limit")),
        ("| 80 °C", "table_row", "Plans > Limits [3]", ("Mode", "Limit")),
        ("He said\n> no.", "quote", "Plans > Limits [3]", ()),
        ("One", "list_item", "Plans > Rules", ()),
        ("Two", "list_item", "Plans > Rules", ()),
        ("Done.", "paragraph", "Plans > Rules", ()),
    ]


def test_a_list_below_a_heading() -> None:
    assert split_sentences("## Plans\n- 10 seats on Basic [1]\n- 50 on Pro [2]") == [
        Sentence(11, 32, "10 seats on Basic [1]", "list_item", "Plans"),
        Sentence(35, 48, "50 on Pro [2]", "list_item", "Plans"),
    ]


@pytest.mark.parametrize(
    "answer", ["", " \n\t", "```\nIt is free. [1]\n```", "~~~\nunclosed", "# Plans", "---", "|---|", "- ", "[^1]: The policy."]
)
def test_nothing_to_say(answer: str) -> None:
    assert split_sentences(answer) == []


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a `b[0]` c", "a xxxxxx c"),
        ("a ``b`c`` d", "a xxxxxxx d"),
        ("a ` b", "a ` b"),
        ("a\n```py\nb [1]\n```\nc", "a\n     \n     \n   \nc"),
        ("a\n~~~\nb", "a\n   \n "),
        ("a <!-- [1] --> b", "a              b"),
        ("a <!-- b", "a <!-- b"),
        ("a `b\n\nc` d", "a `b\n\nc` d"),
        ("- a `b\n- c` d", "- a `b\n- c` d"),
    ],
)
def test_mask_code(text: str, masked: str) -> None:
    assert mask_code(text) == masked


def test_sentence_bounds_of_a_passage() -> None:
    passage = "# Logs\nLogs are kept, e.g. here. [1] Metrics\ntoo.\n\n- Item one\n- Item two"
    assert [passage[start:end] for start, end in sentence_bounds(passage)] == [
        "# Logs",
        "Logs are kept, e.g. here. [1]",
        "Metrics\ntoo.",
        "- Item one",
        "- Item two",
    ]


@given(any_text)
def test_offsets_reproduce_the_text_in_order(answer: str) -> None:
    position = 0
    for sentence in split_sentences(answer):
        assert position <= sentence.start < sentence.end <= len(answer)
        assert sentence.text == answer[sentence.start : sentence.end]
        assert sentence.text == sentence.text.strip()
        position = sentence.end


@given(any_text)
def test_bounds_lose_no_character(text: str) -> None:
    covered = [text[start:end] for start, end in sentence_bounds(text)]
    assert "".join("".join(covered).split()) == "".join(text.split())


@given(
    st.lists(
        st.sampled_from(
            [
                "Load",
                "fell",
                "12%.",
                "No.",
                "5",
                "(a",
                "b)",
                "e.g.",
                "[1]",
                "\n",
                "\n\n",
                "\n- ",
                "\n> ",
                "\n3. ",
                "备份。",
                "why?",
                '"x."',
                "J.",
            ]
        )
    )
)
def test_words_are_never_lost(words: list[str]) -> None:
    found = " ".join(_texts(" ".join(words)))
    kept = ("Load", "fell", "12%.", "(a", "b)", "e.g.", "[1]", "备份。", "why?", '"x."')
    assert {word: found.count(word) for word in kept} == {word: words.count(word) for word in kept}


@given(any_text)
def test_masks_keep_length_and_line_breaks(text: str) -> None:
    masked = mask_code(text)
    assert len(masked) == len(text)
    assert [i for i, letter in enumerate(masked) if letter == "\n"] == [i for i, letter in enumerate(text) if letter == "\n"]


@pytest.mark.parametrize(
    "unit",
    [
        "a ",
        ".",
        ". ",
        "(",
        "(a. ",
        "`",
        "\n",
        "a\n",
        "- ",
        "> ",
        "|",
        "**a_",
        "。",
        "a.[1] ",
        "x [1]\n",
        "<!--",
        "A. ",
        "e.g. ",
        "==\n",
        " ",
        "[a](",
    ],
)
def test_time_is_linear(unit: str) -> None:
    started = time.process_time()
    split_sentences(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 20
