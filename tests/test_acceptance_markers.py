"""Markers and the answers around them as cases: each test names its row in the acceptance list and tries members of its kind."""

from __future__ import annotations

import re

import pytest
from builders import answer, evidence
from test_acceptance import ratios
from test_nightly import direct_ratios, fake_checker, run, statuses  # noqa: F401 (a fixture)
from test_propositions import edges

from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation
from transforms.citations import GRAMMARS, find_markers
from transforms.propositions import split_answer
from transforms.sentences import mask_code

THREE = [("1", "e1"), ("2", "e2"), ("3", "e3")]
PASSAGES = [evidence(evidence_id) for _, evidence_id in THREE]


def told(claims):
    """Claims and what hangs from them: "Dogs stay out <e1> / Cats too"."""
    return " / ".join(" ".join([claim.text, *(f"<{one}>" for one in claim.cited)]) for claim in claims)


def cited(text):
    """The claims of an answer that declares the markers 1, 2 and 3."""
    return told(edges(text, THREE)[1].claims)


def of_three(text, answer_id="a1"):
    return answer(answer_id, text=text, citations=[DeclaredCitation(evidence_id, marker=marker) for marker, evidence_id in THREE])


def members(names, *values):
    """Try a test with the members of its row's kind: one value or tuple of values each, named by `names`."""
    return pytest.mark.parametrize(names.split() if " " in names else names, values)


def failing(reason, *values):
    return pytest.param(*values, marks=pytest.mark.xfail(strict=True, reason=reason))


@members(
    "text expected",
    ("Backups are kept for 35 days. [1] Exports for 7. [2]", "Backups are kept for 35 days <e1> / Exports for 7 <e2>"),
    ("Sales rose in May.[1] Costs fell in June.[2]", "Sales rose in May <e1> / Costs fell in June <e2>"),
    ("The pump runs at 50 Hz. ¹ It opens at 3 bar. ²", "The pump runs at 50 Hz <e1> / It opens at 3 bar <e2>"),
    ("Dues are paid in May! 【1】 Refunds take a week… 【2】", "Dues are paid in May <e1> / Refunds take a week <e2>"),
    ("Guests park for free. ([1](https://x.example/p)) Dogs stay out. [2]", "Guests park for free <e1> / Dogs stay out <e2>"),
    ("- The tent sleeps four. [^1] It weighs 6 kg. [^2]", "The tent sleeps four <e1> / It weighs 6 kg <e2>"),
    ('He said "The lid is shut." [1] The lamp is off. [2]', 'He said "The lid is shut." <e1> / The lamp is off <e2>'),
)
def test_1_markers_behind_the_full_stop_belong_to_the_sentence_in_front(text, expected):
    assert cited(text) == expected


@members(
    "text expected",
    ("Load fell 12% [1, 3].", "Load fell 12% <e1> <e3>"),
    ("The pump [1; 3] is quiet.", "The pump is quiet <e1> <e3>"),
    ("Exports cost $5 【1，3】!", "Exports cost $5 <e1> <e3>"),
    ("The tent sleeps four.¹˒³", "The tent sleeps four <e1> <e3>"),
    ("Dues are paid [Source 1, Source 3] in May.", "Dues are paid in May <e1> <e3>"),
    ("In May, sales rose [^1, ^3].", "In May, sales rose <e1> <e3>"),
    ("Dogs stay out [1][3], even at night.", "Dogs stay out, even at night <e1> <e3>"),
)
def test_3_several_labels_hang_from_one_claim(text, expected):
    assert cited(text) == expected


@members(
    "text claim prefix",
    ("Load fell 12% [2-4].", "Load fell 12%", ""),
    ("The pump is quiet [2–4], even at night.", "The pump is quiet, even at night", ""),
    ("Exports [2‑4] cost $5.", "Exports cost $5", ""),
    ("The tent sleeps four.²⁻⁴", "The tent sleeps four", ""),
    ("Dogs stay out 【2~3, 4】。", "Dogs stay out", ""),
    ("- Guests park for free [D2-D4]", "Guests park for free", "D"),
)
def test_4_a_range_is_every_label_in_it_and_an_undeclared_one_dangles(text, claim, prefix):
    found, _ = edges(text, [(f"{prefix}2", "b"), (f"{prefix}4", "d")])
    assert found == [(claim, "b", None), (claim, f"{prefix}3", "dangling"), (claim, "d", None)]


@members(
    "text expected",
    ("`list[0]` returns the head [1].", ("list[0] returns the head", "e1", None)),
    ("The call ``a[2]`` returns the third item [1].", ("The call a[2] returns the third item", "e1", None)),
    ("It is free [1].\n\n```python\nx[2] = y[3]\n```", ("It is free", "e1", None)),
    ("~~~\na[2]\n~~~\nThe last item is `a[-1]` [1].", ("The last item is a[-1]", "e1", None)),
    ("> ```\n> x[2]\n> ```\n> The head is cheap [1].", ("The head is cheap", "e1", None)),
    ("| Call | Gives |\n|---|---|\n| `a[2]` | head [1] |", ("Call a[2]: Gives head", "e1", None)),
    ("It is free [0].", ("It is free", "0", "dangling")),
    ("It is free [1].\n\n    x[2] = 1\n", ("It is free", "e1", None)),
    ("<pre>\nx[2] = 1\n</pre>\n\nIt is free [1].", ("It is free", "e1", None)),
)
def test_6_code_is_never_a_marker(text, expected):
    assert edges(text, THREE)[0] == [expected]


@members(
    "text grammar labels unparsed",
    ("Load fell 【4–5】, and costs rose.", "numeric", ["4", "5"], ["【4–5】"]),
    ("Backups are kept for 35 days.¹", "superscript", ["1"], []),
    ("Load fell,²˒⁵ so costs rose.", "superscript", ["2", "5"], []),
    ("Backups are kept for 35 days[^3].", "footnote", ["3"], ["[^3]"]),
    ("Tents[^n-a] are sold.\n\n[^n-a]: The shop.", "footnote", ["n-a"], ["[^n-a]"]),
    ("Backups are kept for 35 days ([doc](https://x.example/a_(b)))", "link", ["https://x.example/a_(b)"], ["[doc]"]),
    ("See [the report](https://x.example/r): load fell.", "link", ["https://x.example/r"], []),
    ("Load [policy.md#4] fell!", "named", ["policy.md#4"], ["[policy.md#4]"]),
    ("Smith and Lee (2020a) found that load fell.", "author_year", ["Smith and Lee 2020a"], []),
    ("Load fell [Smith et al., 2020].", "author_year", ["Smith et al. 2020"], ["[Smith et al., 2020]"]),
)
def test_7_each_grammar_is_recognised_alone_and_can_be_left_out(text, grammar, labels, unparsed):
    for grammars in (GRAMMARS, (grammar,)):
        assert [(marker.label, marker.grammar) for marker in find_markers(text, grammars)[0]] == [(one, grammar) for one in labels]
    others = tuple(other for other in GRAMMARS if other != grammar)
    markers, loose = find_markers(text, others)
    assert (markers, [text[start:end] for start, end in loose]) == ([], unparsed)
    assert not any(split_answer(answer(text=text, citations=None), grammars=others).labels)


@members(
    "text labels unparsed",
    ("Kept 35 days [policy].", [], ["[policy]"]),
    ("Kept 35 days [1, see below] and free [2].", ["2"], ["[1, see below]"]),
    ("Load fell [1-99], costs rose [4-2].", [], ["[1-99]", "[4-2]"]),
    ("- Load fell [^a b]\n- Costs rose 【table】", [], ["[^a b]", "【table】"]),
    ("| Plan | Seats |\n|---|---|\n| Pro | ten [p. 12] |", [], ["[p. 12]"]),
    ("He said so [sic] and left [...] `x[y]`.", [], []),
)
def test_7_what_looks_like_a_marker_but_fits_no_grammar_is_counted(text, labels, unparsed):
    markers, loose = find_markers(mask_code(text))
    assert ([marker.label for marker in markers], [text[start:end] for start, end in loose]) == (labels, unparsed)
    assert edges(text, THREE)[1].unparsed == len(unparsed)


DANGLING = [
    ("Kept 35 days [9].", (0, 1), (0, 1), (1, 1)),
    ("Exports cost $5.⁹", (0, 1), (0, 1), (1, 1)),
    ("- Tents [^9] are sold", (0, 1), (0, 1), (1, 1)),
    ("Dogs stay out ([rules](https://x.example/r)).", (0, 1), (0, 1), (1, 1)),
    ("Sales rose in May (Smith, 2020).", (0, 1), (0, 1), (1, 1)),
    ("The pump is quiet [D7-D9].", (0, 3), (0, 1), (3, 3)),
    ("Logs are kept for 30 days [1, 9].", (1, 2), (1, 1), (1, 2)),
    ("Logs are kept for 30 days [1]. Exports are free [9].", (1, 2), (1, 2), (1, 2)),
]


@pytest.mark.parametrize(("text", "precision", "recall", "dangling"), DANGLING)
def test_9_a_dangling_marker_fails_precision_and_recall(text, precision, recall, dangling):
    found = direct_ratios([of_three(text)], PASSAGES)
    assert (found["all", "all", "citation_precision"], found["all", "all", "citation_recall"]) == (precision, recall)
    assert (found["all", "all", "edge_precision"], found["all", "all", "dangling_rate"]) == (precision, dangling)


def test_9_through_the_whole_job(tmp_path, fake_checker):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, [of_three(text, f"a{i}") for i, (text, *_) in enumerate(DANGLING)], PASSAGES)
    assert (code, statuses(folder)) == (0, {"dangling": 10, "judged": 2})
    found = ratios(folder)
    assert found["citation_precision"] == found["edge_precision"] == (0.166667, 12)
    assert (found["citation_recall"], found["dangling_rate"]) == ((0.222222, 9), (0.833333, 12))


@members(
    "text declared expected duplicates",
    ("X is fast [1][1].", THREE, [("X is fast", "e1", None)], 1),
    ("The pump is quiet [1, 1-1].", THREE, [("The pump is quiet", "e1", None)], 1),
    ("Dogs¹ stay out.¹", THREE, [("Dogs stay out", "e1", None)], 1),
    ("Tents are sold [1][2].", [("1", "e1"), ("2", "e1")], [("Tents are sold", "e1", None)], 1),
    ("Exports are free [9] [9].", THREE, [("Exports are free", "9", "dangling")], 1),
    ("Sales rose. [1]\n\n[1]", THREE, [("Sales rose", "e1", None)], 1),
    ("Sales rose and costs fell [1][1].", THREE, [("Sales rose", "e1", None), ("Costs fell", "e1", None)], 2),
)
def test_10_a_marker_twice_is_one_edge(text, declared, expected, duplicates):
    found, resolved = edges(text, declared)
    assert (found, resolved.duplicates) == (expected, duplicates)


@members(
    "text expected",
    ("A is fast. B is cheap [1].", "A is fast / B is cheap <e1>"),
    ("The pump costs approx. $5! The fan is loud.¹", "The pump costs approx. $5 / The fan is loud <e1>"),
    ("- The pump is quiet\n- The fan is loud [1]", "The pump is quiet / The fan is loud <e1>"),
    ("The pump is quiet.\n\n> The fan is loud [^1].", "The pump is quiet / The fan is loud <e1>"),
    ("The pump is quiet [1]. The fan is loud.", "The pump is quiet <e1> / The fan is loud"),
    ("Dogs stay out. Cats too. Fish may enter. [1]", "Dogs stay out / Cats too / Fish may enter <e1>"),
    ("| Part | Noise |\n|---|---|\n| Pump | low |\n| Fan | high [1] |", "Part Pump: Noise low / Part Fan: Noise high <e1>"),
)
def test_12_a_marker_is_not_spread_over_other_sentences(text, expected):
    assert cited(text) == expected


@members(
    "text expected",
    ("Line one [1].\nLine two.", ["Line one [1].", "Line two."]),
    ("Sales rose 🚀.¹\r\n\r\nCosts fell [2].\r\n\r\nTents sell", ["Sales rose 🚀.", "Costs fell [2].", "Tents sell"]),
    ("## Noise\n\nFans are loud [1]!\n\n---\n\nPumps are quiet.", ["Fans are loud [1]!", "Pumps are quiet."]),
    ("Fans are loud [1].\n```\nfan[0] = 2\n```\nPumps are quiet.", ["Fans are loud [1].", "Pumps are quiet."]),
    ("> 😀 Fans 泵 are loud [1].  \n> Pumps are quiet.", ["😀 Fans 泵 are loud [1].", "Pumps are quiet."]),
    ("Fans are loud [1].\n\n1. Pumps are\n   quiet.", ["Fans are loud [1].", "Pumps are\n   quiet."]),
    ("Line one [1].<br>Line two.", ["Line one [1].", "Line two."]),
)
def test_13_every_paragraph_is_scored_and_offsets_point_into_the_answer(text, expected):
    claims = edges(text, THREE)[1].claims
    assert [text[claim.start : claim.end] for claim in claims] == expected
    assert all(claim.requires_evidence for claim in claims)
    assert (claims[0].cited, claims[-1].cited) == (["e1"], [])


@members(
    "text heading expected",
    ("## Plans\n- 10 seats on Basic [1]\n- 50 on Pro [2]", "Plans", "10 seats on Basic <e1> / 50 on Pro <e2>"),
    ("# Plans #\n\n1. Basic seats ten.¹\n2. Pro seats 50.²", "Plans", "Basic seats ten <e1> / Pro seats 50 <e2>"),
    ("Tents\n=====\n\n+ **Alp:** four beds [1]\n\n+ Two\n  beds [2]", "Tents", "Alp: four beds <e1> / Two beds <e2>"),
    ("# Shop\n## Hours\n• Open on Monday [^1]\n• Closed in May", "Shop > Hours", "Open on Monday <e1> / Closed in May"),
    ("### Ports\n* [x] HDMI ([1](https://x.example))\n* [ ] USB 【2】", "Ports", "HDMI <e1> / USB <e2>"),
    ("> ## Noise\n> - Fans: high [1]\n> - Pumps: low [2]", "Noise", "Fans: high <e1> / Pumps: low <e2>"),
    failing("a bold line is a claim, no heading", "**Ports**\n\n- HDMI [1]\n- USB [2]", "Ports", "HDMI <e1> / USB <e2>"),
)
def test_21_an_item_is_a_claim_and_the_heading_its_context(text, heading, expected):
    claims = edges(text, THREE)[1].claims
    assert told(claims) == expected
    assert [claim.heading for claim in claims] == [heading, heading]


@members(
    "text expected",
    ("| Plan | Seats |\n|---|---|\n| Basic | 10 [1] |", "Plan Basic: Seats 10 <e1>"),
    ("Plan | Seats | Price\n:-- | --: | :-:\nPro | 50【2】 | $9", "Plan Pro: Seats 50 <e2> / Plan Pro: Price $9"),
    ("> | | Fan | Pump |\n> |---|---|---|\n> | Hum | no | low [^1] |", "Hum: Fan no <e1> / Hum: Pump low <e1>"),
    ("| Plan | Seats |\n|---|---|\n| **Basic** [3] | ten |\n| Pro | – |", "Plan Basic: Seats ten <e3>"),
    ("| Seats |\n|---|\n| ten on Basic¹ |\n\nAll are sold.", "Seats ten on Basic <e1> / All are sold"),
    ("| Day | Open | Source |\n|---|---|---|\n| Monday | 9 to 5 | [1] |", "Day Monday: Open 9 to 5 <e1>"),
    ("| Plan | Seats [1] |\n|---|---|\n| Pro | 50 |", "Plan Pro: Seats 50 <e1>"),
    failing("an escaped pipe keeps its \\", "| A | B |\n|---|---|\n| on | x \\| y [1] |", "A on: B x | y <e1>"),
)
def test_22_header_and_row_make_the_proposition_and_the_separator_nothing(text, expected):
    assert cited(text) == expected


@members(
    "text expected",
    ("The vendor's page doesn't list it [1].", "The vendor's page doesn't list it <e1>"),
    ("The vendor’s [1] and the buyer’s [2] lists don’t match.", "The vendor’s and the buyer’s lists don’t match <e1> <e2>"),
    ("The users' list [1] isn't long, but Anna's is [2].", "The users' list isn't long <e1> / Anna's is <e2>"),
    ("It's the '90s model's manual that isn't sold.¹", "It's the '90s model's manual that isn't sold <e1>"),
    ("Rock 'n' roll isn't on it. [1] It can't be sold. [2]", "Rock 'n' roll isn't on it <e1> / It can't be sold <e2>"),
    ("- The 5' rod isn't sold [1]\n- It's 6\" long [2]", "The 5' rod isn't sold <e1> / It's 6\" long <e2>"),
)
def test_39_apostrophes_quote_nothing(text, expected):
    resolved = edges(text, THREE)[1]
    assert told(resolved.claims) == expected
    assert {(edge.status, edge.quote) for edge in resolved.edges} == {(None, None)}


HALVES = [
    ("Basic has 10 seats and Pro has 50 [1][2].", "Basic has 10 seats.", "Pro has 50 seats."),
    ("Logs are kept for a week; tapes are kept for a year [1, 2].", "Logs are kept for a week.", "Tapes are kept for a year."),
    ("The pump weighs 6 kg, and the fan weighs 2 kg.¹˒²", "Note: The pump weighs 6 kg.", "The fan weighs 2 kg, or 4 lb."),
    ("The tent sleeps four and weighs 6 kg [^1][^2].", "The tent sleeps four people.", "The tent weighs 6 kg."),
    ("- Sales rose in May but costs fell in June 【1–2】", "Sales rose in May.", "Costs fell in June."),
]


def of_half(i):
    text, *passages = HALVES[i]
    citations = [DeclaredCitation(f"p{i}.1", marker="1"), DeclaredCitation(f"p{i}.2", marker="2")]
    return answer(f"a{i}", text=text, citations=citations), [evidence(f"p{i}.{k}", one) for k, one in enumerate(passages, start=1)]


@pytest.mark.parametrize("i", range(len(HALVES)))
def test_49_two_citations_that_prove_one_half_each_are_both_good(i):
    one, rows = of_half(i)
    found = direct_ratios([one], rows)
    assert (found["all", "all", "citation_precision"], found["all", "all", "citation_recall"]) == ((2, 2), (2, 2))
    assert found["all", "all", "edge_precision"] == (2, 4)


def test_49_through_the_whole_job(tmp_path, fake_checker):  # noqa: F811
    answers, rows = zip(*map(of_half, range(len(HALVES))), strict=True)
    code, folder = run(tmp_path, fake_checker, list(answers), [row for pair in rows for row in pair])
    found = ratios(folder)
    assert (code, found["edge_precision"], found["citation_precision"]) == (0, (0.5, 20), (1.0, 10))
    good = [f"{row['claim_id']} by {row['evidence_id'][-1]}" for row in read_run_table(folder, "verdicts") if row["supported"]]
    assert sorted(good) == ["c0.1 by 1"] * 5 + ["c0.2 by 2"] * 5
    assert [row["outcome"] for row in read_run_table(folder, "claims")] == ["supported"] * 10


FOREIGN = [
    ("备份保留三十五天。[1]导出保留七天。[2]", "备份保留三十五天 <e1> / 导出保留七天 <e2>"),
    ("要保留三十五天吗？日志免费[2]！导出保留七天【3】。", "要保留三十五天吗 / 日志免费 <e2> / 导出保留七天 <e3>"),
    ("ログは35日間保存されます。[1]無料です！[2]", "ログは35日間保存されます <e1> / 無料です <e2>"),
    ("Die Backups werden nie gelöscht. [1] Sie kosten 5 €! [2]", "Die Backups werden nie gelöscht <e1> / Sie kosten 5 € <e2>"),
    ("Les exports de M. Roux sont gratuits [1]. Ils durent ! [2]", "Les exports de M. Roux sont gratuits <e1> / Ils durent <e2>"),
    ("- Копии хранятся 35 дней.¹ Хранятся ли журналы? [2]", "Копии хранятся 35 дней <e1> / Хранятся ли журналы <e2>"),
]
QUOTED = "« Les journaux sont conservés. » [1] Les exports sont gratuits. [2]"


@members(
    "text expected",
    *FOREIGN,
    ("免费。[1]", "免费 <e1>"),
    ("Es ist kostenlos [1].", "Es ist kostenlos <e1>"),
    failing("cut at z. B.", "Die Backups werden z. B. nie gelöscht [1].", "Die Backups werden z. B. nie gelöscht <e1>"),
    ("Les exports sont-ils gratuits ? [1]", "Les exports sont-ils gratuits <e1>"),
    failing("no cut behind »", QUOTED, "« Les journaux sont conservés. » <e1> / Les exports sont gratuits <e2>"),
)
def test_18_other_languages_are_cut_and_set_apart(text, expected):
    found, resolved = edges(text, THREE)
    assert told(resolved.claims) == expected
    assert {claim.reason for claim in resolved.claims} == {status for _, _, status in found} == {"unsupported_language"}
    assert direct_ratios([of_three(text)], PASSAGES) == {}


def test_18_through_the_whole_job(tmp_path, fake_checker):  # noqa: F811
    code, folder = run(tmp_path, fake_checker, [of_three(text, f"a{i}") for i, (text, _) in enumerate(FOREIGN)], PASSAGES)
    assert (code, statuses(folder)) == (0, {"unsupported_language": 12})
    assert set(ratios(folder).values()) == {(None, 0)}
    assert read_manifest(folder)["counts"]["claims.split"] == 13


@members(
    "text expected",
    ("It is free [1].", "It is free <e1>"),
    ("It rains.¹", "It rains <e1>"),
    ("Free. [1]", "Free <e1>"),
    ("- Red 【1】", "Red <e1>"),
    ("Why? 42 [^1].", "42 <e1>"),
    ("## Price\n\n$5 ([1](https://x.example))", "$5 <e1>"),
    ("Yes, it is [1]!", "Yes, it is <e1>"),
    ("> Founded: 1998 [1]", "Founded: 1998 <e1>"),
)
def test_24_short_claims_are_kept(text, expected):
    assert told(claim for claim in edges(text, THREE)[1].claims if claim.requires_evidence) == expected


@members(
    "claim",
    "Returns are accepted only if opened within 14 days and the seal is intact",
    "Fees are due, unless the lock is broken and the key is lost",
    "When the tank is full and the lid is shut, the valve closes",
    "We pay refunds, provided that you call before noon and the room is unused",
    "Provided that the fee is paid and the form is signed, cards are sent",
    "Only if the seal is intact or the box is unopened are returns accepted",
    "The pump, if the lamp is red and the fan is off, stops and cools down",
    failing("cut behind `provided that`", "Guests may cancel provided that they call and the room is unused"),
    ("The fee is waived provided the guest calls and the room is unused"),
    ("The card is free as long as the fee is paid and the form is signed"),
    failing("`as long as` in front is torn", "As long as the door is shut and the key is out, the oven heats"),
    ("We refund on condition that the box is shut and the bill is paid"),
)
def test_26_the_condition_stays_attached_and_is_never_cut(claim):
    assert cited(f"{claim} [1].") == f"{claim} <e1>"
    assert cited(f"It rains.\n- {claim}.²") == f"It rains / {claim} <e2>"


@members(
    "text condition",
    ("If the lamp is red and it hums, then pumps stop [1] and the valve opens [2].", "the lamp is red and it hums"),
    ("Unless the lid is shut and the key is in, fees are paid¹ and cards are sent.²", "the lid is shut and the key is in"),
    ("If the lid is shut and the key is in, fees are paid [1], but cards are kept.", "the lid is shut and the key is in"),
    ("If the lid is shut and the key is in, then fans run and the door is locked [2].", "the lid is shut and the key is in"),
    failing(
        "the second clause alone keeps it",
        "Fees fall, and cards are sent, if A is shut and B is in [1].",
        "A is shut and B is in",
    ),
)
def test_26_the_condition_stays_with_both_clauses_that_it_governs(text, condition):
    assert [condition in claim.text for claim in edges(text, THREE)[1].claims] == [True, True]


def words(text, spans):
    """The words that stand at some spans, without punctuation and emphasis."""
    return " ".join(" ".join(re.sub(r"[*_`>.,;。]", " ", text[span.start : span.end]) for span in spans).split())


def stand(text):
    """Each claim's own words in the answer, and those that it inherits: "Fans hum / cost $9 + Fans"."""
    claims = split_answer(of_three(text)).claims
    own = [words(text, [span for span in claim.spans if span not in claim.inherited]) for claim in claims]
    inherited = [words(text, claim.inherited) for claim in claims]
    for claim, *both in zip(claims, own, inherited, strict=True):
        assert sorted(re.findall(r"[^\W_]+", claim.text.lower())) == sorted(re.findall(r"[^\W_]+", " ".join(both).lower()))
    return " / ".join(" + ".join(filter(None, both)) for both in zip(own, inherited, strict=True))


@members(
    "text expected",
    ("The pump is loud [1] and costs $90 [2].", "The pump is loud / costs $90 + The pump"),
    ("In May, sales rose and costs fell [1].", "In May sales rose / costs fell + In May"),
    ("Acme, which Anna founded in 1998, sells pumps [1].", "Anna founded in 1998 + Acme / Acme sells pumps"),
    ("| Plan | Seats |\n|---|---|\n| **Pro** | 50 [1] |", "50 + Plan Seats Pro"),
    ("The **pump** is _quiet_ [1] and `fan[0]` is loud.", "The pump is quiet / fan[0] is loud"),
    ("> The tent weighs\n> 6 kg [1] and\n> sleeps four.", "The tent weighs 6 kg / sleeps four + The tent"),
    ("天。[1] The 泵 pump 🛠️ is loud and costs $90 🎉.", "天 / The 泵 pump 🛠️ is loud / costs $90 🎉 + The 泵 pump 🛠️"),
    ("Acme [1] sells [tents](https://x.example) and rents boats.", "Acme sells tents / rents boats + Acme"),
)
def test_38_offsets_give_the_words_and_inherited_ones_stand_apart(text, expected):
    assert stand(text) == expected


@members(
    "text expected",
    ("Sales rose in May [1] and costs fell in June.²", ["Sales rose in May", "costs fell in June"]),
    ("- The pump 🛠️ is loud [1] and costs $90", ["The pump 🛠️ is loud", "costs $90"]),
    ("In the EU, logs are kept; tapes are not", ["In the EU, logs are kept", "tapes are not"]),
    ("| Plan | Seats |\n|---|---|\n| Pro | 50 [1] |", ["50"]),
    ("The pump is loud [1] and costs $90.", ["The pump is loud", "costs $90"]),
    ("The tent sleeps four and costs $90.", ["The tent sleeps four", "costs $90"]),
)
def test_38_start_and_end_are_the_range_of_a_claims_own_words(text, expected):
    assert [text[claim.start : claim.end] for claim in split_answer(of_three(text)).claims] == expected
