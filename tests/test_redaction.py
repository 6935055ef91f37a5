"""Redaction: what is found, stable pseudonyms, bounds that follow, records that were cut, and nothing left in what people read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import answer, evidence, utc
from hypothesis import given
from hypothesis import strategies as st
from test_nightly import fake_checker, run  # noqa: F401 (a fixture)

from pipelines.data_docs import read_validation, write_data_docs
from pipelines.options import UsageError
from pipelines.redaction import read_redaction
from pipelines.report import write_report
from pipelines.runs import read_manifest, read_run_table
from schemas.answers import DeclaredCitation, StructuredClaim
from schemas.flagged import Flagged
from schemas.rejects import Reject
from schemas.review import Review
from schemas.types import to_plain
from transforms.changes import describe_change
from transforms.cut_json import read_cut_json
from transforms.families import compare
from transforms.redaction import Redaction, find, moved, redact_reject, redact_row, redact_tally, redact_text
from transforms.slicing import slices_of
from transforms.tables import MAX_RECORD_JSON, record_json
from transforms.tallies import Tally

KEY = b"a key of thirty-two random bytes"
ALL = Redaction(KEY, patterns=("email", "phone", "ip", "iban"), regexes={"ticket": r"TCK-\d+"}, phone_region="DE")


def found(text, redaction=ALL):
    return [(one.kind, text[one.start : one.end], one.value) for one in find(text, redaction)]


# --- what is found ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Ann.O'Neil+x@Mail.example.org.", [("email", "Ann.O'Neil+x@Mail.example.org", "ann.o'neil+x@mail.example.org")]),
        ("mailto:ann%40example.org", [("email", "ann%40example.org", "ann@example.org")]),
        ("jürgen@büro.example", [("email", "jürgen@büro.example", "jürgen@büro.example")]),
        ("@ann, ann@localhost and 5 @ 3.50", []),
        ("Call +49 30 901820 or 030/901820.", [("phone", "+49 30 901820", "+4930901820"), ("phone", "030/901820", "+4930901820")]),
        ("Logs since 2026-11-30 in 30 days, 10,000 rows, build 20261130", []),
        (
            "from 192.168.10.25:8080, 2001:DB8:0::1",
            [("ip", "192.168.10.25", "192.168.10.25"), ("ip", "2001:DB8:0::1", "2001:db8::1")],
        ),
        ("by 'ann@example.org'", [("email", "ann@example.org", "ann@example.org")]),
        ("::ffff:10.0.0.1 and fe80::1", [("ip", "::ffff:10.0.0.1", "10.0.0.1"), ("ip", "fe80::1", "fe80::1")]),
        ("at 12:30:45, 300.1.1.1, std::vector, version 1.2.3", []),
        ("ip:10.0.0.1,db:10.0.0.2", [("ip", "10.0.0.1", "10.0.0.1"), ("ip", "10.0.0.2", "10.0.0.2")]),
        ("addr:fe80::1: 'to':[::1]:80", [("ip", "fe80::1", "fe80::1"), ("ip", "::1", "::1")]),
        ("db:2001:db8:0:0:0:0:0:1 and a:b", [("ip", "2001:db8:0:0:0:0:0:1", "2001:db8::1")]),
        ("IBAN DE89 3704 0044 0532 0130 00 is right", [("iban", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000")]),
        ("IBAN DE88 3704 0044 0532 0130 00 is wrong", []),
        ("iban:de89-3704-0044-0532-0130-00.", [("iban", "de89-3704-0044-0532-0130-00", "DE89370400440532013000")]),
        ("from be68 5390 0754 7034 with love", [("iban", "be68 5390 0754 7034", "BE68539007547034")]),
        ("as ab12 says that BE68539007547034 paid", [("iban", "BE68539007547034", "BE68539007547034")]),
        ("TCK-12, xTCK-", [("ticket", "TCK-12", "TCK-12")]),
    ],
)
def test_patterns(text, expected):
    assert found(text) == expected


def test_numbers_without_a_country_need_a_region():
    assert found("030 901820, +49 30 901820", Redaction(KEY, patterns=("phone",))) == [("phone", "+49 30 901820", "+4930901820")]


def test_what_overlaps_becomes_one():
    redaction = Redaction(KEY, patterns=("email",), regexes={"user": r"user-\w+@ex"})
    assert found("by user-ann@example.org!", redaction) == [("email", "user-ann@example.org", "user-ann@example.org")]
    crossing = Redaction(KEY, regexes={"one": "abcd", "two": "cdef"})
    assert found("abcdef", crossing) == [("one", "abcdef", "abcdef")]


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "a'" * 50_000, "a@" * 50_000, "a." * 50_000, "1" * 100_000, ":" * 100_000, "1:" * 50_000, "DE00" * 25_000],
)
def test_no_pattern_is_slow_on_long_nonsense(text):
    assert len(find(text, Redaction(KEY, patterns=("email", "ip", "iban")))) < 2


# --- pseudonyms -------------------------------------------------------------------------------------------------------------------


def test_a_value_has_one_pseudonym_however_it_is_spelled_and_another_under_another_key():
    one = redact_text("Ann@Example.org, ann@example.org, +49 30 901820, 030 901820", ALL)
    assert one == "<email:6a529633d7e0>, <email:6a529633d7e0>, <phone:af4c752b3e66>, <phone:af4c752b3e66>"
    other = Redaction(b"another key of 32 random bytes..", patterns=("email",))
    assert other.pseudonym("email", "ann@example.org") != ALL.pseudonym("email", "ann@example.org")
    assert other.key_id != ALL.key_id
    assert ALL.pseudonym("email", "x") != ALL.pseudonym("ticket", "x")


def test_the_key_is_never_shown():
    assert "thirty" not in repr(ALL)
    assert Redaction(b"k" * 100, patterns=("email",)).pseudonym("email", "x").startswith("<email:")


# --- rows -------------------------------------------------------------------------------------------------------------------------


def flagged(**fields):
    plain = dict.fromkeys(Flagged._fields)
    texts = {"family": "other", "status": "judged", "rank": 1, "answer_id": "a1", "claim_id": "c0", "evidence_id": "logs"}
    return Flagged(**{**plain, **texts, "question": "How long?", "claim": "Logs are kept", **fields})


def test_bounds_follow_the_passage():
    passage = "Mail ann@example.org first. Bob: +49 30 901820 or bob@example.org. Done."
    cited, premise = "+49 30 901820 or bob@", "Bob: +49 30 901820 or bob@example.org."
    start, first = passage.index(cited), passage.index(premise)
    row = flagged(
        passage=passage, span_start=start, span_end=start + len(cited), premise_start=first, premise_end=first + len(premise)
    )
    new = redact_row(row, ALL)
    assert new.passage[new.premise_start : new.premise_end] == redact_text(premise, ALL)
    assert new.passage[new.span_start : new.span_end] == redact_text("+49 30 901820 or bob@example.org", ALL)
    assert new._replace(passage=None, **dict.fromkeys(BOUNDS)) == row._replace(passage=None, **dict.fromkeys(BOUNDS))


BOUNDS = ("span_start", "span_end", "premise_start", "premise_end")


def test_a_passage_that_is_a_field_goes_with_all_that_quotes_it():
    row = flagged(
        passage="Logs stay.", span_start=0, span_end=4, mismatch="quantity: 7 against 30", change="7 became 30", context="T"
    )
    new = redact_row(row, Redaction(KEY, fields=("passage", "answer_id")))
    assert (new.span_start, new.span_end) == (0, len(new.passage))
    assert [new.passage[:9], new.answer_id[:11]] == ["<passage:", "<answer_id:"]
    assert (new.mismatch, new.change) == ("<mismatch:withheld>", "<change:withheld>")
    assert (new.context, new.claim, new.family, new.rank) == ("T", "Logs are kept", "other", 1)


CALL = "Call 030 901820 within 7 days."
PAY = "Pay DE89 3704 0044 0532 0130 00 or GB82 WEST 1234 5698 7654 32."
MAIL = "Ask bob@example.org."


@pytest.mark.parametrize(
    "texts",
    [
        {"claim": CALL, "passage": "Call within 9 days."},
        {"claim": "Pay 7 EUR", "passage": "Pay to DE89 3704 0044 0532 0130 00 EUR."},
        {"claim": "Pay 7 EUR", "passage": "Pay soon.", "context": "To DE89 3704 0044 0532 0130 00 EUR"},
        {"claim": PAY, "passage": "Pay in EUR."},
    ],
)
def test_a_mismatch_that_may_quote_what_a_pattern_finds_is_withheld(texts):
    premise = f"{texts.get('context', '')}: {texts['passage']}"
    row = flagged(**texts, mismatch="; ".join(one.words for one in compare(texts["claim"], premise)))
    assert row.mismatch
    assert redact_row(row, ALL).mismatch == "<mismatch:withheld>"
    assert redact_row(row, Redaction(KEY, patterns=("email",))) == row
    for name in texts:
        assert redact_row(row, Redaction(KEY, fields=(name,))).mismatch == "<mismatch:withheld>"


@pytest.mark.parametrize(
    ("then", "now"), [(CALL, "Call 040 123456 within 7 days."), (MAIL, "Ask ann.miller@example.org."), (PAY, "")]
)
def test_a_change_is_withheld_under_any_pattern_for_no_row_holds_the_text_of_today(then, now):
    change = describe_change(then, now)
    row = Review("a", utc(2026, 3), "q", "c0", "claim", "e", "1", "current", None, None, True, change, ["quantity"], True, None)
    for made in (row, flagged(passage=then, change=change)):
        new = redact_row(made, ALL)
        assert new.change == "<change:withheld>"
        assert redact_row(made, Redaction(KEY, fields=("passage",))).change == "<change:withheld>"
        assert redact_row(made, Redaction(KEY, fields=("question",))).change == change
    assert redact_row(row, ALL) == row._replace(change="<change:withheld>")
    assert redact_row(row._replace(change=None), ALL).change is None


def test_our_own_words_are_nobodys():
    every = Redaction(KEY, regexes={"word": r"\w+"})
    row = flagged(label="contradiction", cause="unlocatable", now_status="current", source_type="primary", status="judged", uri="x")
    new = redact_row(row, every)
    ours = ("family", "status", "label", "cause", "now_status", "source_type")
    assert [getattr(new, name) for name in ours] == [getattr(row, name) for name in ours]
    assert new.uri == every.pseudonym("word", "x")
    aggregates = Tally(1, 1, ("slice='all', metric='citation_precision_joint'",))
    assert redact_tally(aggregates, Redaction(KEY, regexes={"token": r"\w{20,}"})) == aggregates


def test_the_marker_of_a_citation_that_nothing_defines_is_the_answers_own():
    redaction = Redaction(KEY, fields=("answer",))
    row = flagged(status="dangling", evidence_id="Miller 2020")
    assert redact_row(row, redaction).evidence_id == redaction.pseudonym("answer", "Miller 2020")
    assert redact_row(row._replace(status="judged"), redaction).evidence_id == "Miller 2020"
    both = Redaction(KEY, fields=("answer", "evidence_id"))
    assert redact_row(row, both).evidence_id == both.pseudonym("evidence_id", "Miller 2020")
    named = reject(
        {"answer_id": "a1", "evidence_id": "Miller 2020"}, "cites 'Miller 2020'", "a1/c0/Miller 2020", "unknown_evidence"
    )
    marker = redaction.pseudonym("answer", "Miller 2020")
    new = redact_reject(named, redaction)
    assert (new.message, new.record_id) == (f"cites '{marker}'", f"a1/c0/{marker}")
    assert json.loads(new.record) == {"answer_id": "a1", "evidence_id": marker}


# --- slices -----------------------------------------------------------------------------------------------------------------------


def test_slices_are_redacted_by_value_before_they_are_summed():
    redaction = Redaction(KEY, patterns=("email",), regexes={"user": r"user=\w+", "token": "^[a-z-]{9,}$"})
    email, user, token = (
        redaction.pseudonym(*one) for one in (("email", "ann@example.org"), ("user", "user=bob"), ("token", "customer-care"))
    )
    declared = (("team", "build"), ("user",), ("department",), ("locale",))
    for spelled in ("Ann@Example.org", "ann@example.org"):
        one = answer(build="7", attributes={"team": spelled, "user": "bob", "department": "customer-care"})
        assert slices_of(one, declared, redaction) == [
            f"team={email},build=7",
            f"user={user}",
            f"department={token}",
            "locale=(none)",
        ]


@given(st.lists(st.sampled_from(["ann@example.org", "TCK-1", "word", " ", "é"]), max_size=12), st.data())
def test_a_span_of_whole_words_stays_the_same_words(words, data):
    text = " ".join(words)
    starts = [len(" ".join([*words[:i], ""])) for i in range(len(words))]
    picked = data.draw(st.integers(0, len(words) - 1)) if words else None
    if picked is None:
        return
    start, end = starts[picked], starts[picked] + len(words[picked])
    new = redact_row(flagged(passage=text, span_start=start, span_end=end), ALL)
    assert new.passage == " ".join(redact_text(word, ALL) for word in words)
    assert new.passage[new.span_start : new.span_end] == redact_text(words[picked], ALL)


def test_an_offset_at_the_edge_of_a_pseudonym_stays_at_its_edge():
    edits = [(5, 9, 5, 20)]
    from transforms.redaction import Edit

    assert [moved(9, [Edit(*one) for one in edits], is_end=end) for end in (True, False)] == [20, 20]


# --- rejects ----------------------------------------------------------------------------------------------------------------------


def reject(record, message="bad", record_id="a-100", reason="contract"):
    return Reject("answers", reason, message, "log.parquet&row=0", record_id, record if record is None else record_json(record))


def test_a_record_is_redacted_by_field_and_its_values_go_from_the_message():
    record = to_plain(
        answer(
            "a-100",
            "See [1].",
            question="Who is Ann?",
            principals=["hr"],
            attributes={"user": "u-77", "product": "logs"},
            claims=[StructuredClaim("c0", "Mail ann@example.org", True, ["ev-9"])],
            retrieved=["ev-9", "ev-8"],
        )
    )
    fields = ("answer_id", "question", "attributes.user", "evidence_id", "claim")
    redaction = Redaction(KEY, fields=fields, patterns=("email",))
    message = "log.parquet&row=0 (answer_id='a-100'): question 'Who is Ann?' of u-77 names ['ev-9']; ask bob@example.org"
    new = redact_reject(reject(record, message), redaction)
    name = redaction.pseudonym
    assert new.message == (
        f"log.parquet&row=0 (answer_id='{name('answer_id', 'a-100')}'): question '{name('question', 'Who is Ann?')}' of "
        f"{name('attributes.user', 'u-77')} names ['{name('evidence_id', 'ev-9')}']; ask {name('email', 'bob@example.org')}"
    )
    assert new.record_id == name("answer_id", "a-100")
    plain = json.loads(new.record)
    assert plain["attributes"] == {"user": name("attributes.user", "u-77"), "product": "logs"}
    assert plain["retrieved"] == [name("evidence_id", "ev-9"), name("evidence_id", "ev-8")]
    assert plain["claims"][0]["text"] == name("claim", "Mail ann@example.org")
    assert (plain["answer"], plain["principals"], plain["answered_at"]) == ("See [1].", ["hr"], str(utc(2026, 3)))


def test_attributes_as_arrow_gives_them_are_the_same():
    one, other = (
        redact_reject(reject({"answer_id": "a-100", "attributes": given}), Redaction(KEY, fields=("attributes.user",)))
        for given in ({"user": "u-77", "b": "c"}, [("user", "u-77"), ("b", "c")])
    )
    assert one == other
    assert "u-77" not in one.record


@pytest.mark.parametrize("length", range(1_780, 2_030, 7))
def test_a_record_that_was_cut_leaks_nothing_at_the_cut(length):
    record = {"answer": "word " * (length // 5) + "ann.miller@example.org", "answer_id": "a-100", "question": "Who is Ann Miller?"}
    cut = record_json(record)
    assert len(cut) == MAX_RECORD_JSON or length < 1_960
    message = f"answer {record['answer']!r} is odd"
    new = redact_reject(reject(record, message), Redaction(KEY, fields=("question",), patterns=("email",)))
    assert "ann.m" not in new.record + new.message
    assert "Miller" not in new.record
    json.loads(new.record)
    whole = redact_reject(reject(record, message), Redaction(KEY, fields=("answer", "question")))
    assert "word" not in whole.record + whole.message


@given(
    st.recursive(st.none() | st.integers() | st.text(), lambda part: st.lists(part) | st.dictionaries(st.text(), part)), st.data()
)
def test_any_json_cut_anywhere_is_read(value, data):
    text = json.dumps({"a": value, "b": [value]}, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text)))]
    found = read_cut_json(cut)
    assert isinstance(found, dict)
    assert cut != text or found == {"a": value, "b": [value]}


def test_a_message_that_quotes_what_the_cut_took_is_redacted_too():
    record = {"answer": "word " * 500, "question": "Who is Ann Miller?", "answer_id": "a-100"}
    message = "row=0 (answer_id='a-100'): question must match x: 'Who is Ann Miller?'; it's \"no\" use"
    redaction = Redaction(KEY, fields=("question",))
    quoted = [redaction.pseudonym("quoted", one) for one in ("a-100", "Who is Ann Miller?", "no")]
    assert redact_reject(reject(record, message), redaction).message == (
        "row=0 (answer_id='{}'): question must match x: '{}'; it's \"{}\" use".format(*quoted)
    )


def test_an_error_that_may_quote_a_redacted_text_is_withheld():
    quoting = reject(None, "the checker failed on this pair: ValueError: Ann lives in Riga", reason="judging_failed")
    assert redact_reject(quoting, Redaction(KEY, fields=("claim",))).message == (
        "what the error said is withheld: it may quote redacted text"
    )
    assert redact_reject(quoting, ALL).message == quoting.message


def test_short_ids_are_replaced_in_quotes_only():
    new = redact_reject(reject({"answer_id": "1"}, "row=1 (answer_id='1') is 1 of 1", "1"), Redaction(KEY, fields=("answer_id",)))
    one = Redaction(KEY, fields=("answer_id",)).pseudonym("answer_id", "1")
    assert (new.message, new.record_id) == (f"row=1 (answer_id='{one}') is 1 of 1", one)


def test_examples_of_validation_results_are_redacted():
    redaction = Redaction(KEY, fields=("answer_id",), patterns=("email",))
    one = redaction.pseudonym("answer_id", "a-1")
    tally = Tally(3, 2, ("answer_id='a-1'", "answer_id='a-1', claim_id='ann@example.org': span_end=9"))
    assert set(redact_tally(tally, redaction).examples) == {
        f"answer_id='{one}'",
        f"answer_id='{one}', claim_id='{redaction.pseudonym('email', 'ann@example.org')}': span_end=9",
    }
    long = Tally(3, 1, (f"evidence_id='{'x' * 70}/ann.miller', version='1'",))
    assert redact_tally(long, redaction).examples == ("evidence_id='<evidence_id:cut>', version='1'",)


# --- configuration ----------------------------------------------------------------------------------------------------------------


def write(tmp_path, text):
    (tmp_path / "redact.yaml").write_text(text, encoding="utf-8")
    return str(tmp_path / "redact.yaml")


def test_every_fault_of_a_file_is_told_at_once(tmp_path, monkeypatch):
    monkeypatch.delenv("NEARMISS_REDACT_KEY", raising=False)
    text = (
        "fields: [question, qestion, attributes.user]\n"
        "patterns: [email, fax, {ticket: 'T'}, {ticket: '('}, {Email: x}, {none: 'a*'}]\n"
        "phone_region: XX\nkeys: 3"
    )
    with pytest.raises(UsageError) as error:
        read_redaction(write(tmp_path, text), (("user",), ("product",)))
    for fault in (
        "unknown entry 'keys'; choose from fields, patterns, phone_region, key_file",
        "unknown field 'qestion'; choose from answer_id",
        "unknown pattern 'fax'; choose from email, phone, ip, iban, or give NAME: REGEX",
        "two patterns are named 'ticket'; give each its own name, or join them: T|(",
        "pattern 'ticket' is no regular expression: '('",
        "a pattern of your own needs a name of its own, in small letters: 'Email'",
        "pattern 'none' matches the empty text: 'a*'",
        "unknown phone_region 'XX'",
        "attributes.user is redacted, and a slice by user would tell it",
        "no key: set NEARMISS_REDACT_KEY or name a key_file",
        "hashes a list of addresses until one fits",
    ):
        assert fault in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fields: [", "as YAML"),
        ("[a]", "holds no mapping"),
        ("patterns: email", "patterns must be a list of names: 'email'"),
        ("fields: []", "nothing is named; give fields or patterns"),
        ("fields: [question]\nkey_file: none.key", "cannot read the key file"),
        ("fields: [question]\nkey_file: short.key", "the key has 5 bytes; give 16 or more"),
        ("fields: [question]\nkey_file: empty.key", "the key has 0 bytes; give 16 or more"),
        ("fields: [question]\nphone_region: NO", "unknown phone_region False; give a country in two letters"),
        ("fields: [question]\nphone_region: [DE]", r"unknown phone_region \['DE'\]"),
        ("patterns: [{ticket: 'TCK-1', ticket: 'INC-1'}]", "'ticket' stands there twice; write it once"),
        ("fields: [question]\nfields: [answer_id]", "'fields' stands there twice; write it once"),
        ("patterns: [{ticket: 'TCK-1'}, {ticket: 'INC-1'}]", "two patterns are named 'ticket'; .* join them: TCK-1.INC-1"),
        ("!!python/object/apply:os.system ['true']", "as YAML"),
    ],
)
def test_faults_of_a_redaction_file(tmp_path, monkeypatch, text, message):
    monkeypatch.delenv("NEARMISS_REDACT_KEY", raising=False)
    (tmp_path / "short.key").write_text("short\n")
    (tmp_path / "empty.key").touch()
    with pytest.raises(UsageError, match=message):
        read_redaction(write(tmp_path, text))


def test_a_key_comes_from_the_environment_or_from_a_file_beside_it(tmp_path, monkeypatch):
    path = write(tmp_path, "patterns: [email]\nkey_file: redact.key")
    (tmp_path / "redact.key").write_bytes(KEY + b"\n")
    monkeypatch.delenv("NEARMISS_REDACT_KEY", raising=False)
    assert read_redaction(path) == Redaction(KEY, patterns=("email",))
    monkeypatch.setenv("NEARMISS_REDACT_KEY", "another key of 32 random bytes..")
    assert read_redaction(path).key == b"another key of 32 random bytes.."


# --- in a run ---------------------------------------------------------------------------------------------------------------------


def test_nothing_that_people_read_holds_what_was_redacted(tmp_path, fake_checker, monkeypatch):  # noqa: F811
    monkeypatch.setenv("NEARMISS_REDACT_KEY", KEY.decode())
    settings = write(tmp_path, "fields: [question, answer_id]\npatterns: [email, {ticket: 'TCK-[0-9]+'}]")
    question = "What does Xanthippe want?"
    answers = [
        answer("id-alpha", "Logs of ann@example.org are kept for 7 days [1].", question=question),
        answer("id-beta", "Logs are kept for 9 days [9].", question=question),
        answer("id-gamma", question=question, citations=[DeclaredCitation("", "1")]),
        answer("id-delta", "Old text [1].", question=question, citations=[DeclaredCitation("old", marker="1")]),
        answer("id-epsilon", "TCK-1 is kept [1].", attributes={"team": "ann@example.org"}),
        answer("id-zeta", question=question, attributes={"team": "x"}),
        answer("id-zeta", "Another [1].", question=question),
    ]
    rows = [
        evidence(
            text="For TCK-7: logs are kept for 30 days, ask ann@example.org.",
            span_start=11,
            span_end=36,
            uri="mailto:ann@example.org",
        ),
        evidence("old", "Old text.", valid_to=utc(2026, 3, 2)),
        evidence("old", "New text, by TCK-9.", "2", valid_from=utc(2026, 3, 2)),
    ]
    code, folder = run(tmp_path, fake_checker, answers, rows, redact=settings, slices=(("team",),), as_of=utc(2026, 4))
    assert code == 0
    tables = {name: read_run_table(folder, name) for name in ("flagged", "review", "rejects", "aggregates")}
    page = Path(write_report(folder)).read_text(encoding="utf-8")
    read = [json.dumps(table, default=str) for table in tables.values()] + [page]
    read += [(folder / name).read_text() for name in ("manifest.json", "validation.json")]
    for secret in ("Xanthippe", "ann@example.org", "TCK-", "id-alpha", "id-gamma", "id-delta", "id-zeta"):
        assert [text for text in read if secret in text] == []
    pseudonym = read_redaction(settings).pseudonym
    (pair,) = [row for row in tables["flagged"] if row["answer_id"] == pseudonym("answer_id", "id-alpha")]
    assert pair["passage"][pair["span_start"] : pair["span_end"]] == "logs are kept for 30 days"
    assert (pair["question"], pair["uri"]) == (pseudonym("question", question), f"mailto:{pseudonym('email', 'ann@example.org')}")
    assert {row["question"] for row in tables["review"]} == {pseudonym("question", question)}
    assert {row["record_id"] for row in tables["rejects"]} >= {pseudonym("answer_id", name) for name in ("id-gamma", "id-zeta")}
    assert read_manifest(folder)["redacted"] == {
        "fields": ["question", "answer_id"],
        "patterns": ["email", "ticket"],
        "key_id": read_redaction(settings).key_id,
    }
    # Claims and verdicts keep their words, so that a run can be looked into by those who may.
    assert "ann@example.org" in json.dumps(read_run_table(folder, "claims"), default=str)


def test_patterns_that_match_our_own_words_and_slices_that_merge_break_no_run(tmp_path, fake_checker, monkeypatch):  # noqa: F811
    monkeypatch.setenv("NEARMISS_REDACT_KEY", KEY.decode())
    settings = write(
        tmp_path, "fields: [answer, version]\npatterns: [email, phone, {token: '[A-Za-z0-9_-]{20,}'}]\nphone_region: DE"
    )
    answers = [
        answer("a1", "The support line 030 901820 answers within 9 days [1].", attributes={"team": "Ann@Example.org"}),
        answer("a2", "Logs are kept for 30 days [1].", attributes={"team": "ann@example.org"}),
        answer("a3", "Logs stay (Miller 2020).", citations=None, attributes={"team": "x"}),
        answer("a4", "Logs are kept [Miller-9].", citations=None, attributes={"team": "a-team-with-a-long-name"}),
    ]
    rows = [
        evidence(text="Call 030 901820 within 7 days.", version="ann-2026", valid_to=utc(2026, 3, 2)),
        evidence(text="Call 030 901820 within 7 days.", version="ann-2026", valid_to=utc(2026, 3, 2)),
        evidence(text="Call 030 123456 within 7 days.", version="bob-2026", valid_from=utc(2026, 3, 2)),
    ]
    code, folder = run(tmp_path, fake_checker, answers, rows, redact=settings, slices=(("team",),), as_of=utc(2026, 4))
    assert code == 0
    write_data_docs(folder)
    tables = {name: read_run_table(folder, name) for name in ("flagged", "review", "rejects", "aggregates")}
    read = [*(json.dumps(table, default=str) for table in tables.values()), Path(write_report(folder)).read_text(encoding="utf-8")]
    read += [path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.suffix in (".json", ".html")]
    for secret in ("901820", "123456", "Miller", "ann-2026", "bob-2026", "nn@"):
        assert [text for text in read if secret in text] == []
    pseudonym = read_redaction(settings).pseudonym
    counts = {
        row["slice"]: row["n"]
        for row in tables["aggregates"]
        if (row["family"], row["metric"], row["average"]) == ("all", "completeness", "micro")
    }
    team, token = pseudonym("email", "ann@example.org"), pseudonym("token", "a-team-with-a-long-name")
    assert counts == {"all": 4, f"team={team}": 2, f"team={token}": 1, "team=x": 1}
    assert [row["evidence_id"][:8] for row in tables["flagged"] if row["status"] == "dangling"] == ["<answer:"] * 2
    assert {row["reason"] for row in tables["rejects"]} == {"unknown_evidence", "duplicate_evidence"}
    assert {row["change"] for row in tables["review"]} == {"<change:withheld>"}
    (result,) = [one for suite in read_validation(folder) for one in suite["results"] if one["examples"]]
    assert result["examples"] == [f"evidence_id='logs', version='{pseudonym('version', 'ann-2026')}'"]
