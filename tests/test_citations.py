"""Markers of every grammar, what only looks like one, and claims without theirs."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.citations import GRAMMARS, Marker, find_markers, strip_markers
from transforms.sentences import mask_code

PIECES = (
    "[1]",
    "[1, 3]",
    "[2-4]",
    "¹",
    "[^3]",
    "[D1]",
    "[doc](https://x.example/a_(b))",
    "[the policy](x)",
    "(",
    ")",
    "[",
    "]",
    "**",
    "_",
    "`",
    "\n",
    " ",
    ".",
    "m",
    "5",
    "word",
    "。",
    "!",
    "【1】",
    "†",
    "|",
    "- ",
    "\x00",
    "[x",
    "](",
    "Smith (2020) found ",
    "Lee et al. (2020a)",
    "(Smith & Lee, 2019; ",
    "May, n.d.)",
    "[Smith 2020]",
    "2020",
    ", ",
    " and ",
)
any_text = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


def _seen(answer: str, **options: frozenset[str]) -> tuple[list[tuple[str, str]], list[str]]:
    markers, unparsed = find_markers(mask_code(answer), **options)
    return [(marker.label, answer[marker.start : marker.end]) for marker in markers], [answer[start:end] for start, end in unparsed]


def test_one_bracket_holds_several_labels() -> None:
    assert find_markers("Load fell 12% [1, 3].") == ([Marker("1", 14, 20, "numeric"), Marker("3", 14, 20, "numeric")], [])


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ("Load fell 12% [1].", ["1"]),
        ("Load fell 12% [1;3].", ["1", "3"]),
        ("Load fell 12% [2-4].", ["2", "3", "4"]),
        ("Load fell 12% [2–4, 7].", ["2", "3", "4", "7"]),
        ("X is fast [1][1].", ["1", "1"]),
        ("备份保留三十五天【1】。导出保留七天[2]。", ["1", "2"]),
        ("It is free 【1†source】.", ["1"]),
        ("It is free [Source 1, Source 2].", ["1", "2"]),
        ("It is free [citation:3].", ["3"]),
        ("`list[0]` returns the head [1].", ["1"]),
        ("```\nx[2]\n```\nIt is free [0].", ["0"]),
        ("It spares any other organ[1].", ["1"]),
        ("Backups are kept for 35 days.¹", ["1"]),
        ("Backups are kept¹² for 35 days.", ["12"]),
        ("Backups are kept.¹,² Exports too.¹˒³", ["1", "2", "1", "3"]),
        ("Backups are kept for 35 days[^3].", ["3"]),
        ("Backups are kept[^note].\n\n[^note]: The policy.", ["note"]),
        ("Backups are kept [D1,D3].", ["D1", "D3"]),
        ("Backups are kept [D1-D3].", ["D1", "D2", "D3"]),
        ("Backups are kept [doc-3; 2].", ["doc-3", "2"]),
        ("Backups are kept [policy/retention.md#tok:400].", ["policy/retention.md#tok:400"]),
        ("Backups are kept ([doc](https://x.example/a_(b))).", ["https://x.example/a_(b)"]),
        ("Backups are kept [[1]](https://x.example).", ["https://x.example"]),
        ('Backups are kept [doc](https://x.example "The policy").', ["https://x.example"]),
    ],
)
def test_labels(answer: str, labels: list[str]) -> None:
    markers, unparsed = find_markers(mask_code(answer))
    assert ([marker.label for marker in markers], unparsed) == (labels, [])


@pytest.mark.parametrize(
    "answer",
    [
        "- [x] Done",
        "- [ ] Open",
        "He said so [sic].",
        "Kept [...] here.",
        "Kept [see above].",
        "12 m², 5 cm³, 10⁵, kg/m³ and R²",
        "m s⁻¹ and Ca²⁺",
        "![logo](https://x.example/1.png)",
        "[^3]: The policy.",
        "[1]: https://x.example",
        "[T]he end",
        "`a[1]`",
        "~~~\n[1]\n~~~",
        "<!-- [1] -->",
        "The vendor's page doesn't list it.",
        "¹ The policy.",
    ],
)
def test_no_markers(answer: str) -> None:
    assert _seen(answer) == ([], [])


@pytest.mark.parametrize(
    ("answer", "unparsed"),
    [
        ("Kept [policy].", ["[policy]"]),
        ("Kept [1-99].", ["[1-99]"]),
        ("Kept [4-2].", ["[4-2]"]),
        ("Kept [Policy 2020 draft].", ["[Policy 2020 draft]"]),
        ("Kept [5%] and [1].", ["[5%]"]),
        ("Kept [D1, see below].", ["[D1, see below]"]),
    ],
)
def test_unparsed(answer: str, unparsed: list[str]) -> None:
    assert _seen(answer)[1] == unparsed


def test_declared_labels_need_no_grammar() -> None:
    declared = frozenset({"policy", "The Guide", "1"})
    assert _seen("A [policy]. B [The Guide]. C [1](https://x.example) [terms].", declared=declared) == (
        [("policy", "[policy]"), ("The Guide", "[The Guide]"), ("1", "[1](https://x.example)")],
        ["[terms]"],
    )


def test_only_the_grammars_asked_for() -> None:
    text = "A [1]. B.² C [^3]. D [doc](x). E [D5]. F (Smith, 2020)."
    found = {grammar: [marker.label for marker in find_markers(text, (grammar,))[0]] for grammar in GRAMMARS}
    assert found == {
        "numeric": ["1"],
        "superscript": ["2"],
        "footnote": ["3"],
        "link": ["x"],
        "named": ["D5"],
        "author_year": ["Smith 2020"],
    }
    assert find_markers("F [Smith 2020].", GRAMMARS[:5]) == ([], [(2, 14)])


@pytest.mark.parametrize(
    ("answer", "marker"),
    [
        ("Kept [doc](https://x.example).", "[doc](https://x.example)"),
        ("Kept ([The policy](https://x.example)).", "([The policy](https://x.example))"),
        ("Kept (see [The policy](a); [Terms](b)).", "(see [The policy](a); [Terms](b))"),
        ("Kept as [the policy](https://x.example) says.", "](https://x.example)"),
    ],
)
def test_what_a_link_covers(answer: str, marker: str) -> None:
    assert {seen for _, seen in _seen(answer)[0]} == {marker}


@pytest.mark.parametrize(
    ("answer", "labels", "bracket"),
    [
        ("Smith (2020) found a rise.", ["Smith 2020"], "(2020)"),
        ("Smith (2020) has recently argued so.", ["Smith 2020"], "(2020)"),
        ("Smith (2019, 2020) reports a rise.", ["Smith 2019", "Smith 2020"], "(2019, 2020)"),
        ("Smith (2019a, b) reports a rise.", ["Smith 2019a", "Smith 2019b"], "(2019a, b)"),
        ("Smith (2020, p. 12) notes a rise.", ["Smith 2020"], "(2020, p. 12)"),
        ("Smith and Jones (2020) observed a rise.", ["Smith and Jones 2020"], "(2020)"),
        ("Smith & Jones (2020) observed a rise.", ["Smith and Jones 2020"], "(2020)"),
        ("Smith, Jones, and Lee (2020) observed a rise.", ["Smith et al. 2020"], "(2020)"),
        ("In Berlin, Smith and Lee (2020) observed a rise.", ["Smith and Lee 2020"], "(2020)"),
        ("March and Simon (1958) argue so.", ["March and Simon 1958"], "(1958)"),
        ("Smith et al. (2020a) are sure.", ["Smith et al. 2020a"], "(2020a)"),
        ("Smith *et al.* (2020) are sure.", ["Smith et al. 2020"], "(2020)"),
        ("Smith and colleagues (2020) are sure.", ["Smith et al. 2020"], "(2020)"),
        ("Smith's (2020) seminal study shows a rise.", ["Smith 2020"], "(2020)"),
        ("Smith (2020)'s study shows a rise.", ["Smith 2020"], "(2020)"),
        ("Müller-Lüdenscheidt (2020) found it.", ["Müller-Lüdenscheidt 2020"], "(2020)"),
        ("As de Vries (2018) showed, it rose.", ["de Vries 2018"], "(2018)"),
        ("O'Neil (2016) argues so.", ["O'Neil 2016"], "(2016)"),
        ("van der Berg (2015) describes it.", ["van der Berg 2015"], "(2015)"),
        ("According to Smith (2020), it rose.", ["Smith 2020"], "(2020)"),
        ("The model of Smith (2020) fits.", ["Smith 2020"], "(2020)"),
        ("It was proposed by J. Smith (2020).", ["Smith 2020"], "(2020)"),
        ("It rose, as shown in Smith (2020).", ["Smith 2020"], "(2020)"),
        ("It rose; see Smith (2020).", ["Smith 2020"], "(2020)"),
        ("It rose (Smith, 2020).", ["Smith 2020"], "(Smith, 2020)"),
        ("It rose (Smith 2020).", ["Smith 2020"], "(Smith 2020)"),
        ("It rose (Smith, n.d.).", ["Smith n.d."], "(Smith, n.d.)"),
        ("It rose (Smith, in press).", ["Smith in press"], "(Smith, in press)"),
        ("It rose (see Smith, 2020, p. 4).", ["Smith 2020"], "(see Smith, 2020, p. 4)"),
        ("It rose (Smith, 2020, Table 3).", ["Smith 2020"], "(Smith, 2020, Table 3)"),
        (
            "It rose (Smith & Jones, 2019; Lee et al., 2020a).",
            ["Smith and Jones 2019", "Lee et al. 2020a"],
            "(Smith & Jones, 2019; Lee et al., 2020a)",
        ),
        ("It rose (Smith, 2019, 2020, Lee, 2021).", ["Smith 2019", "Smith 2020", "Lee 2021"], "(Smith, 2019, 2020, Lee, 2021)"),
        ("It rose (Smith, Jones, & Lee, 2020).", ["Smith et al. 2020"], "(Smith, Jones, & Lee, 2020)"),
        ("It rose (WHO, 2020).", ["WHO 2020"], "(WHO, 2020)"),
        ("It rose (Berlin, 2020).", ["Berlin 2020"], "(Berlin, 2020)"),
        ("It rose [Smith 2020].", ["Smith 2020"], "[Smith 2020]"),
        ("It rose [Smith et al., 2020].", ["Smith et al. 2020"], "[Smith et al., 2020]"),
        ("It rose [Smith et al. (2020)].", ["Smith et al. 2020"], "[Smith et al. (2020)]"),
        ("It rose（Smith, 2020）。", ["Smith 2020"], "（Smith, 2020）"),
    ],
)
def test_author_year(answer: str, labels: list[str], bracket: str) -> None:
    markers, unparsed = find_markers(answer)
    assert ([(marker.label, answer[marker.start : marker.end], marker.grammar) for marker in markers], unparsed) == (
        [(label, bracket, "author_year") for label in labels],
        [],
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The app (2019) was new.",
        "In May (2020) it rose.",
        "May (2020) showed a rise.",
        "Breaking Away (1979) is a film.",
        "The Olympics (2020) showed it.",
        "Japan's Olympics (2020) showed it.",
        "Windows (2019) is old.",
        "Python 3 (2008) introduced it.",
        "Version (2020) introduced it.",
        "Figure (2019) shows it.",
        "EU (2020) law",
        "It (2017) shows a clown.",
        "Apple's (2020) lineup",
        "*Jaws* (1975) introduced it.",
        "Alice in Wonderland (2010)",
        "It was held in Tokyo (2020).",
        "a film directed by Spielberg (1993)",
        "the population of Berlin (2020)",
        "Rome, Paris, and London (2012)",
        "Smith and Jones (2020).",
        "(since 2020)",
        "(2020)",
        "(May 2020)",
        "(Q3 2020)",
        "(January 5, 2020)",
        "(March, 2020)",
        "(May & June, 2020)",
        "(Summer 2020)",
        "(Copyright 2020)",
        "(© 2020)",
        "(ca. 1850)",
        "(WHO 2020)",
        "(UK, 2020)",
        "(Office 365, 2020)",
        "(Microsoft Office 2019)",
        "(Smith, 1400)",
        "(Smith, 2200)",
        "(Smith n.d.)",
        "(Smith in press)",
        "(Smith, 2020; n = 40)",
        "[Smith 2020]: https://x.example",
        "![Smith 2020](https://x.example/1.png)",
        "`(Smith, 2020)`",
    ],
)
def test_no_author_year(answer: str) -> None:
    assert find_markers(mask_code(answer))[0] == []


def test_works_named_in_one_breath() -> None:
    assert _seen("Smith (2020) and Lee (2021) found it. Rome (2020) and Paris (2021) did not.")[0] == [
        ("Smith 2020", "(2020)"),
        ("Lee 2021", "(2021)"),
    ]


def test_author_year_beside_other_grammars() -> None:
    text = "A [1] (Lee, 2021). B ([Lee, 2021](https://x.example)). C [Lee et al. (2021)](x). D [the study](Lee,2021) (May, 2020)."
    assert _seen(text)[0] == [
        ("1", "[1]"),
        ("Lee 2021", "(Lee, 2021)"),
        ("https://x.example", "([Lee, 2021](https://x.example))"),
        ("x", "](x)"),
        ("Lee,2021", "](Lee,2021)"),
    ]


@pytest.mark.parametrize(
    ("answer", "declared", "bracket"),
    [
        ("Smith (2020) is sure.", "Smith, 2020", "(2020)"),
        ("It rose (Smith, 2020).", "(Smith 2020)", "(Smith, 2020)"),
        ("It rose [Smith 2020].", "smith2020", "[Smith 2020]"),
        ("It rose (Smith et al. 2020).", "Smith et al., 2020", "(Smith et al. 2020)"),
        ("Smith & Jones (2020) are sure.", "smithandjones2020", "(2020)"),
        ("It rose (see OpenAI Blog, 2023).", "OpenAI Blog 2023", "(see OpenAI Blog, 2023)"),
        ("Windows (2019) is old.", "Windows 2019", "(2019)"),
        ("It rose (May 2020).", "May 2020", "(May 2020)"),
        ("The app (2019) is old.", "2019", "(2019)"),
    ],
)
def test_author_year_in_the_declared_spelling(answer: str, declared: str, bracket: str) -> None:
    assert _seen(answer, declared=frozenset({declared, "Lee 2021"})) == ([(declared, bracket)], [])


def test_an_exact_declaration_goes_before_a_variant() -> None:
    declared = frozenset({"Smith 2020", "Smith, 2020", "(Smith 2020)"})
    assert _seen("A (Smith, 2020). B (Smith & May, 2020). C [Smith 2020].", declared=declared)[0] == [
        ("Smith, 2020", "(Smith, 2020)"),
        ("Smith and May 2020", "(Smith & May, 2020)"),
        ("Smith 2020", "[Smith 2020]"),
    ]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("**Load** fell 12% [1].", "Load fell 12%"),
        ("Load fell 12% [1, 3].", "Load fell 12%"),
        ("Load [1], as planned [2], fell 12%.¹", "Load, as planned, fell 12%"),
        ("Load fell 12% [1] in May.", "Load fell 12% in May"),
        ("**Load fell 12% [1]**.", "Load fell 12%"),
        ("Load fell 12% ([1], [2]).", "Load fell 12%"),
        ("Load fell 12%. Source: [1]", "Load fell 12%"),
        ("Load fell 12%. See [1].", "Load fell 12%"),
        ("According to [1] and [2], load fell 12%.", "load fell 12%"),
        ("Load fell 12% ([doc](https://x.example/a_(b))).", "Load fell 12%"),
        ("Load fell as [the policy](https://x.example) says.", "Load fell as the policy says"),
        ("- *Load* fell  \n  __12%__ [1]!", "Load fell 12%"),
        ("> Load fell\n> 12% [1].", "Load fell 12%"),
        ("2. Load fell 12%…", "Load fell 12%"),
        ("2[1]. Load fell 12%.", "Load fell 12%"),
        ("The snake_case of 5 * 3 and 5*3 stays [1].", "The snake_case of 5 * 3 and 5*3 stays"),
        ("`__init__` calls f() [1].", "__init__ calls f()"),
        ("The vendor's page doesn't list it [1].", "The vendor's page doesn't list it"),
        ("备份保留三十五天。[1]", "备份保留三十五天"),
        ("[1]", ""),
        ("Smith (2020) found that sales rose.", "Smith found that sales rose"),
        ("Smith's (2020) study shows a rise.", "Smith's study shows a rise"),
        ("Smith (2020)'s study shows a rise.", "Smith's study shows a rise"),
        ("**Smith (2020)** found that sales rose.", "Smith found that sales rose"),
        ("According to Smith (2020), sales rose.", "According to Smith, sales rose"),
        ("According to (Smith, 2020), sales rose.", "sales rose"),
        ("Sales rose (Smith, 2020), and costs fell (Lee, 2021).", "Sales rose, and costs fell"),
        ("Sales rose (Smith, 2020) (Lee, 2021) [1].", "Sales rose"),
        ("Sales rose (see Smith, 2020, p. 4; Lee et al., 2021) in May.", "Sales rose in May"),
        ("Sales rose (Smith (2020)).", "Sales rose"),
        ("(Smith, 2020) Sales rose.", "Sales rose"),
    ],
)
def test_strip_markers(sentence: str, claim: str) -> None:
    assert strip_markers(sentence, find_markers(mask_code(sentence))[0]) == claim


def test_strip_markers_of_a_sentence_within_the_answer() -> None:
    answer = "A is fast. B is cheap [1]."
    assert strip_markers(answer[11:], find_markers(answer)[0], offset=11) == "B is cheap"


@given(any_text, st.integers(0, 5))
def test_any_text(text: str, offset: int) -> None:
    markers, unparsed = find_markers(mask_code(text))
    assert all(0 <= start < end <= len(text) for start, end in [*unparsed, *((marker.start, marker.end) for marker in markers)])
    assert [marker.start for marker in markers] == sorted(marker.start for marker in markers)
    spans = sorted({(marker.start, marker.end) for marker in markers} | set(unparsed))
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "\x00" not in strip_markers(text[offset:], markers, offset)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[1]",
        "[a](",
        "¹",
        "**a ",
        "* ",
        "_a",
        "(",
        "[1, ",
        " ",
        "`",
        "a",
        "Smith and ",
        "A. B. ",
        "Smith, ",
        "Van Van-Van, ",
        "by Smith (2020) ",
        "(Smith, 2020; ",
        "(2020",
    ],
)
def test_time_is_linear(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    started = time.process_time()
    strip_markers(text, find_markers(mask_code(text))[0])
    assert time.process_time() - started < 20
