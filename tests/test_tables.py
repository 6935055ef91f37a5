"""Files that cannot be read cost only themselves; the same rows give the same bytes."""

from __future__ import annotations

from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.test_pipeline import TestPipeline as _TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from builders import evidence

from schemas.evidence import Evidence
from schemas.types import arrow_schema, from_plain, to_table
from transforms.tables import ReadTables, WriteTable, conform, schema_fault

ROWS = [evidence(), evidence("metrics", None, span_start=1, span_end=2)]


def test_rows_survive_parquet(tmp_path):
    pq.write_table(to_table(Evidence, ROWS), tmp_path / "e.parquet")
    assert [from_plain(Evidence, row) for row in pq.read_table(tmp_path / "e.parquet").to_pylist()] == ROWS


@pytest.mark.parametrize(
    ("name", "column_type", "fault"),
    [
        ("text", pa.large_string(), None),
        ("span_start", pa.int64(), None),
        ("valid_from", pa.timestamp("ms", "UTC"), None),
        ("principals", pa.large_list(pa.string()), None),
        ("superseded_by", pa.null(), None),
        ("status", pa.dictionary(pa.int8(), pa.string()), None),
        ("text", pa.int64(), "column 'text' has the wrong type: found int64, expected string; convert it before writing the file"),
        (
            "principals",
            pa.string(),
            "column 'principals' has the wrong type: found string, expected list<element: string>; convert it"
            " before writing the file",
        ),
        (
            "valid_from",
            pa.timestamp("us"),
            "column 'valid_from' has the wrong type: found timestamp[us], expected timestamp[us, tz=UTC];"
            " convert it before writing the file",
        ),
    ],
)
def test_schema_fault_names_column_found_and_expected(name, column_type, fault):
    schema = arrow_schema(Evidence)
    changed = schema.set(schema.get_field_index(name), pa.field(name, column_type))
    found = schema_fault(changed, Evidence)
    assert (found and found.message.replace("item:", "element:")) == fault


def test_a_missing_optional_column_is_null_and_a_missing_required_one_is_named():
    table = to_table(Evidence, ROWS)
    assert conform(table.drop_columns(["uri", "principals"]), Evidence) == table
    fault = schema_fault(table.drop_columns(["status"]).schema, Evidence)
    assert fault.message == "required column 'status' is missing (state of this version now); add it to the file"


def test_bad_files_leave_as_rejects_and_the_rest_is_read(tmp_path):
    good, corrupt, foreign = (str(tmp_path / name) for name in ("good.parquet", "corrupt.parquet", "foreign.parquet"))
    pq.write_table(to_table(Evidence, ROWS), good, row_group_size=1)
    Path(corrupt).write_bytes(b"PAR1 nothing of the kind PAR1")
    pq.write_table(pa.table({"evidence_id": ["x"]}), foreign)
    with _TestPipeline() as pipeline:
        read = pipeline | beam.Create([good, corrupt, foreign]) | ReadTables(Evidence, "evidence")
        rows = read["batches"] | beam.FlatMap(lambda batch: batch.table.column("evidence_id").to_pylist())
        assert_that(rows, equal_to(["logs", "metrics"]), label="Rows")
        rejects = read["rejects"] | beam.Map(lambda reject: (reject.reason, reject.source, reject.n_rows))
        assert_that(rejects, equal_to([("unreadable_file", corrupt, 0), ("missing_column", foreign, 1)]), label="Rejects")
        counts = read["counts"] | beam.CombinePerKey(sum)
        assert_that(
            counts,
            equal_to(
                [("evidence.read", 3), ("evidence.files_read", 1), ("evidence.files_rejected", 2), ("evidence.extra_columns", 0)]
            ),
            label="Counts",
        )


def test_a_damaged_row_group_costs_only_its_rows(tmp_path):
    path = tmp_path / "damaged.parquet"
    rows = [evidence(f"e{i}", f"{i} " * 2000) for i in range(4)]
    pq.write_table(to_table(Evidence, rows), path, row_group_size=2, compression="zstd")
    content = bytearray(path.read_bytes())
    chunk = pq.ParquetFile(path).metadata.row_group(1).column(3)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + 40] = b"\xff" * 40
    path.write_bytes(bytes(content))
    with _TestPipeline() as pipeline:
        read = pipeline | beam.Create([str(path)]) | ReadTables(Evidence, "evidence")
        ids = read["batches"] | beam.FlatMap(lambda batch: batch.table.column("evidence_id").to_pylist())
        assert_that(ids, equal_to(["e0", "e1"]), label="Ids")
        assert_that(
            read["rejects"] | beam.Map(lambda reject: (reject.reason, reject.n_rows)),
            equal_to([("unreadable_file", 2)]),
            label="Rejects",
        )


def test_the_same_rows_give_the_same_bytes_in_any_order(tmp_path):
    written = []
    for name, rows in (("one", ROWS), ("two", ROWS[::-1])):
        (tmp_path / name).mkdir()
        with _TestPipeline() as pipeline:
            (
                pipeline
                | beam.Create(rows)
                | WriteTable(Evidence, str(tmp_path / name), "evidence", lambda row: (row.evidence_id,), shards=2)
            )
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]
    assert sorted(written[0]) == ["evidence-00000-of-00002.parquet", "evidence-00001-of-00002.parquet"]
