"""Near misses that lie in invented evidence: which are found, which are none, and that what is written loads as a suite."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cases.alignment import Mention, Statement
from cases.mining import near_miss
from cases.suite import load_suite
from pipelines.mining import OVERVIEW, mine
from pipelines.options import UsageError
from schemas.evidence import Evidence
from schemas.types import to_table

PAIRS = {
    "scope": (
        "Parcels to customers in Germany are delivered by the night courier.",
        "Parcels to customers in Japan are delivered by the night courier.",
        [("region", "Germany", "Japan")],
    ),
    "date": (
        "Heating in the Tarn building was repaired on 3 March 2021.",
        "Heating in the Tarn building was repaired on 9 May 2022.",
        [("date", "3 March 2021", "9 May 2022")],
    ),
    "quantity": (
        "Damaged parcels can be returned to the depot within 30 days.",
        "Damaged parcels can be returned to the depot within seven days.",
        [("value", "within 30 days", "within seven days")],
    ),
    "entity": (
        "Broken bicycles are collected by Fleur Ostrander on the last workday.",
        "Broken bicycles are collected by Imre Halasz on the last workday.",
        [("name", "Fleur Ostrander", "Imre Halasz")],
    ),
    "polarity": (
        "Night shifts at the harbour crane are paid with a supplement.",
        "Night shifts at the harbour crane are not paid with a supplement.",
        [("negation", "are", "are not")],
    ),
    "modality": (
        "Visitors to the boiler room must wear a helmet with lamp.",
        "Visitors to the boiler room may wear a helmet with lamp.",
        [("modal", "must", "may")],
    ),
    "aggregation": (
        "Most wards at the Quillan hospital repaired their bed lifts last winter.",
        "All wards at the Quillan hospital repaired their bed lifts last winter.",
        [("quantifier", "Most", "All")],
    ),
}
GOVERNED = (
    "Audit logs in us-east-1 are kept in cold storage for 30 days.",
    "Audit logs in eu-central-1 are kept in cold storage for 7 days.",
)


def rows_of(*texts: str, **fields: object) -> list[Evidence]:
    """Give each text as a passage of its own document."""
    return [Evidence(f"e{i}", "1", f"d{i}", text, "current")._replace(**fields) for i, text in enumerate(texts)]


def write(folder: Path, rows: list[Evidence], name: str = "evidence.parquet") -> str:
    path = folder / name
    pq.write_table(to_table(Evidence, rows), path)
    return str(path)


def found(folder: Path, rows: list[Evidence], **options: int) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Give the family and the differences of every proposal."""
    mined = mine(write(folder, rows), folder / "out", **options)
    return [(one.family, [(two.attribute, *two.words) for two in one.differs]) for one in mined.proposals]


@pytest.mark.parametrize("family", PAIRS)
def test_one_attribute_apart(tmp_path, family):
    one, other, differs = PAIRS[family]
    assert found(tmp_path, rows_of(one, other)) == [(family, differs)]


def test_a_scope_and_the_value_that_it_governs(tmp_path):
    differs = [("region", "us-east-1", "eu-central-1"), ("value", "30 days", "7 days")]
    assert found(tmp_path, rows_of(*GOVERNED)) == [("scope", differs)]
    (case, _) = load_suite(tmp_path / "out")
    assert (case.origin, case.claim) == ("mined", GOVERNED[0])


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (
            "The pump of the Orrin mill runs on 12 volts.",
            "The pump of the Orrin mill runs on 12 watts.",
            ("quantity", "unit", "12 volts", "12 watts"),
        ),
        (
            "Exports of the Orrin scheduler need version 4.2 of the driver.",
            "Exports of the Orrin scheduler need version 4.12 of the driver.",
            ("date", "version", "version 4.2", "version 4.12"),
        ),
        (
            "The ferry ticket covers luggage and bicycles.",
            "The ferry ticket covers luggage and bicycles unless the deck is full.",
            ("modality", "condition", "bicycles", "bicycles unless the deck is full"),
        ),
        (
            "Fees for the Merrow parcel service rose after the strike.",
            "Fees for the Merrow parcel service fell after the strike.",
            ("polarity", "direction", "rose", "fell"),
        ),
        (
            "Wash the wool blankets of guests at 30 degrees.",
            "Wash the wool blankets of guests at 60 degrees.",
            ("quantity", "value", "30 degrees", "60 degrees"),
        ),
        (
            "Dogs are allowed on the deck of the ferry.",
            "Dogs are forbidden on the deck of the ferry.",
            ("polarity", "direction", "allowed", "forbidden"),
        ),
        (
            "Setting --cautious keeps every backup of the archive folder.",
            "Setting --thrifty keeps every backup of the archive folder.",
            ("entity", "name", "--cautious", "--thrifty"),
        ),
        (
            "A contract with the gardener applies to greenhouses.",
            "The contract with the gardener does not apply to greenhouses.",
            ("polarity", "negation", "applies", "does not apply"),
        ),
    ],
)
def test_other_attributes_and_small_words(tmp_path, one, other, differs):
    family, attribute, *words = differs
    assert found(tmp_path, rows_of(one, other)) == [(family, [(attribute, *words)])]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tax records of the co-op are kept for 2 years.", "Tax records of the co-op are kept for 24 months."),
        ("Tax records of the co-op are kept for 30 days.", "Tax records of the co-op are kept for thirty days."),
        ("Traces of mail agents in the EU stay searchable.", "Traces of mail agents in eu-central-1 stay searchable."),
        ("Ovens may be left running overnight by bakers.", "Ovens can be left running overnight by bakers."),
        ("Every oven is cleaned overnight by trained bakers.", "All ovens are cleaned overnight by trained bakers."),
        ("Repairs of ovens are described in section 4 below.", "Repairs of ovens are described in section 5 below."),
        ("Repairs of ovens are free during warm seasons [12].", "Repairs of ovens are free during warm seasons [14]."),
        ("1. Repairs of ovens are free during warm seasons.", "2. Repairs of ovens are free during warm seasons."),
        (
            "Ovens are documented by bakers at https://a.example/1 for training.",
            "Ovens are documented by bakers at https://a.example/2 for training.",
        ),
        ("The “blue” oven belongs to bakers of Lisbon.", 'The "blue" oven belongs to bakers of Lisbon.'),
        ("Copyright of recipes by bakers since 2019.", "Copyright of recipes by bakers since 2021."),
        ("The value of the option is 10.", "The value of the option is 20."),
        ("Ovens of bakers in Lisbon for 3 weeks of training.", "Ovens of bakers in Lisbon for 5 weeks of training."),
        ("Added ovens of bakers to the list for Lisbon.", "Added ovens of bakers to the list for Porto."),
        ("Ovens are returned to bakers after the repair.", "Ovens will be returned to bakers after the repair."),
        ("Every baker of Lisbon owns an oven and tins.", "A baker of Lisbon owns an oven and tins."),
        ("Ovens bought by bakers are repaired in Lisbon.", "Ovens added and bought by bakers are repaired in Lisbon."),
        ("List all ovens of bakers in the Lisbon account.", "List all ovens of bakers in the Porto account."),
        ("Bakers of Lisbon clean ovens with -e at night.", "Bakers of Lisbon never clean ovens with -E at night."),
        ("It is stored by bakers in sealed tins for 3 weeks.", "It is stored by bakers in sealed tins for 5 weeks."),
        ("Flour is stored by bakers in sealed tins for 3 weeks.", "Flour was stored by bakers in sealed tins for 3 weeks."),
        ("Flour from Lisbon is sold to bakers on 3 May.", "Flour from Porto is sold to the bakers by Imre Halasz on 9 June."),
    ],
)
def test_no_near_miss(tmp_path, one, other):
    assert found(tmp_path, rows_of(one, other)) == []


def test_versions_of_one_span_that_name_their_date_are_near_misses(tmp_path):
    one, other, differs = PAIRS["date"]
    rows = [Evidence("e", "1", "d", one, "superseded"), Evidence("e", "2", "d", other, "current")]
    assert found(tmp_path, rows) == [("date", [(name, theirs, ours) for name, ours, theirs in differs])]


@pytest.mark.parametrize("old", ["e", "e-part"])
def test_what_replaces_the_other_is_counted_and_not_proposed(tmp_path, old):
    one, other, _ = PAIRS["quantity"]
    rows = [Evidence(old, "1", "d", one, "superseded"), Evidence("e", "2", "d", other, "current")]
    mined = mine(write(tmp_path, rows), tmp_path / "out")
    assert (mined.proposals, mined.counts["pairs: versions of one text"]) == ([], 1)


def test_headings_that_differ_in_a_scope_govern_the_value(tmp_path):
    rows = [
        Evidence("free", "1", "d", "Deleted boards are kept in the archive for 7 days.", "current", context="Plans > Free plan"),
        Evidence("team", "1", "d", "Deleted boards are kept in the archive for 90 days.", "current", context="Plans > Team plan"),
    ]
    assert found(tmp_path, rows) == [("scope", [("tier", "Free", "Team"), ("value", "7 days", "90 days")])]
    assert load_suite(tmp_path / "out")[0].context[0].text.startswith("Plans > ")


def test_a_hot_wording_is_cut_off_and_said_so(tmp_path):
    rows = rows_of(*(f"Wet grain is stored in silos of the Orrin mill for {n} hours." for n in range(1000, 1040)))
    mined = mine(write(tmp_path, rows), tmp_path / "out")
    assert {name: n for name, n in mined.counts.items() if name.startswith(("pairs", "wordings"))} == {
        "pairs: more of one wording": 396,
        "pairs: no statement": 0,
        "pairs: not compared, of hot wordings": 380,
        "pairs: proposed": 4,
        "wordings: hot": 1,
        "wordings: of two sentences or more": 1,
    }


def test_what_many_documents_hold_is_boilerplate(tmp_path):
    shared, other, _ = PAIRS["quantity"]
    assert found(tmp_path, rows_of(*[shared] * 5, other)) == []


def everything() -> list[Evidence]:
    texts = [text for one, other, _ in PAIRS.values() for text in (one, other)] + list(GOVERNED)
    rows = rows_of(*texts)
    beside = "The canteen opens at noon and sells soup, bread and pickled herring."
    return [*rows, *(Evidence(f"{row.evidence_id}b", "1", row.doc_id, beside, "current") for row in rows)]


def test_the_written_cases_load_and_the_overview_lists_them(tmp_path):
    mined = mine(write(tmp_path, everything()), tmp_path / "out", mutated=1)
    cases = load_suite(tmp_path / "out")
    assert [(case.expect.family, case.variant, case.expect.behaviour) for case in cases if case.id.startswith("found-")] == [
        ("scope", "both-present", "answer"),
        ("scope", "true-absent", "decline"),
        *(
            (family, variant, behaviour)
            for family in ("scope", "date", "quantity", "entity", "polarity", "modality")
            for variant, behaviour in (("both-present", "answer"), ("true-absent", "decline"))
        ),
        ("aggregation", "both-present", "decline"),
        ("aggregation", "true-absent", "decline"),
        ("aggregation", "control", "answer"),
    ]
    with (tmp_path / "out" / "proposals.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert tuple(header) == OVERVIEW
    assert [row[0] for row in rows if row[4] == "yes"] == [one.case_id for one in mined.proposals]
    assert {case.pair for case in cases} == {one.case_id for one in mined.proposals}


def test_chunks_beside_come_from_the_same_documents(tmp_path):
    mine(write(tmp_path, everything()), tmp_path / "out")
    (case,) = (case for case in load_suite(tmp_path / "out") if case.expect.family == "date" and case.variant == "both-present")
    assert sorted(chunk.chunk_id for chunk in case.context) == ["e2@1#0", "e2b@1#0", "e3@1#0"]


def test_made_pairs_change_one_attribute_of_sentences_without_a_near_miss(tmp_path):
    rows = rows_of("Visitors to the boiler room must wear a helmet.", "The archive of the Tarn mill closes at noon.")
    mined = mine(write(tmp_path, rows), tmp_path / "out", mutated=1)
    assert [(one.family, one.found, one.origin, one.supports.chunk_id) for one in mined.proposals] == [
        (one.family, False, "mutated", one.supports.chunk_id) for one in mined.proposals
    ]
    assert mined.proposals
    assert len({one.supports.chunk_id for one in mined.proposals}) == len(mined.proposals)
    assert load_suite(tmp_path / "out")


def test_same_evidence_same_bytes_in_any_order(tmp_path):
    rows = everything()
    mine(write(tmp_path, rows), tmp_path / "one", mutated=2)
    mine(write(tmp_path, rows[::-1]), tmp_path / "other", mutated=2)
    contents = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "other")]
    assert contents[0] == contents[1]


def test_at_most_limit_pairs_a_family_are_written(tmp_path):
    rows = rows_of(*(f"Wet grain is stored in silos of the Orrin mill for {n} hours." for n in (11, 12, 14)))
    mined = mine(write(tmp_path, rows), tmp_path / "out", limit=1)
    assert (len(mined.proposals), mined.written, len(load_suite(tmp_path / "out"))) == (3, 1, 2)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"not parquet", "evidence.parquet: cannot be read as Parquet: "),
        (pa.table({"evidence_id": ["e"]}), "evidence.parquet: required column 'version' is missing"),
        (to_table(Evidence, []), "evidence.parquet: no row has a text; mining needs evidence with passages"),
        (to_table(Evidence, rows_of(" ")), "evidence.parquet: no row has a text; mining needs evidence with passages"),
        (None, "no evidence file matches "),
    ],
)
def test_evidence_that_cannot_be_mined_is_named(tmp_path, content, fault):
    path = tmp_path / "evidence.parquet"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        pq.write_table(content, path)
    with pytest.raises(UsageError) as raised:
        mine(str(path), tmp_path / "out")
    assert fault in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_cases_is_left_alone(tmp_path):
    (tmp_path / "scope.yaml").write_text("[]")
    with pytest.raises(UsageError, match=r"holds cases already: scope\.yaml; move them, or name another folder"):
        mine(write(tmp_path, rows_of(*GOVERNED)), tmp_path)


def test_two_sentences_in_a_row_of_names_are_no_pair():
    one = Statement("Kiosks sell tea.", (Mention("entity", "name", 12, 15, "tea"),))
    assert near_miss(one, one, lambda ours, theirs: False) is None
