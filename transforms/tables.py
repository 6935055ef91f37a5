"""Read tables by Parquet row group so that one bad file costs only itself, and write them sorted into fixed shards."""

from __future__ import annotations

import hashlib
import io
import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from schemas.rejects import Reject
from schemas.types import Field, arrow_schema, fields, to_table

MAX_RECORD_JSON = 2_000
# What reading a damaged file raises: a flipped bit in its footer may be taken for a name that is no text.
DAMAGE = (OSError, pa.ArrowException, ValueError, KeyError, OverflowError)


class RowGroup(NamedTuple):
    """One row group of a Parquet file."""

    path: str
    position: int
    n_rows: int


class FileSchema(NamedTuple):
    """What the footer of a readable file says: its schema and its number of rows."""

    schema: pa.Schema
    n_rows: int


class Batch(NamedTuple):
    """A row group in memory, conformed to the declared schema, and the same as dicts."""

    source: str
    table: pa.Table
    records: list[dict[str, Any]]


class WrittenFile(NamedTuple):
    """One file of a finished table."""

    table: str
    name: str
    rows: int
    sha256: str


def register_rows(*row_types: type) -> None:
    """Let Beam pickle these rows: its RowCoder knows neither datetimes nor maps."""
    for row_type in row_types:
        beam.coders.registry.register_coder(row_type, beam.coders.FastPrimitivesCoder)


register_rows(RowGroup, FileSchema, Batch, WrittenFile, Reject)


class SchemaFault(NamedTuple):
    """What is wrong with a file's schema."""

    reason: str
    message: str


def schema_fault(found: pa.Schema, row_type: type) -> SchemaFault | None:
    """Say what keeps a file from being read as `row_type`: a required column that it lacks or a column of another type.

    >>> from schemas.rejects import Reject
    >>> schema_fault(pa.schema([("step", pa.int64())]), Reject).message
    "column 'step' has the wrong type: found int64, expected string; convert it before writing the file"
    """
    return next((fault for field in fields(row_type) if (fault := column_fault(found, field))), None)


def column_fault(found: pa.Schema, field: Field) -> SchemaFault | None:
    """Say what is wrong with one column of a file's schema."""
    if (times := found.names.count(field.name)) > 1:
        return SchemaFault("wrong_type", f"column {field.name!r} stands there {times} times; write it once")
    if field.name not in found.names:
        message = f"required column {field.name!r} is missing ({field.column.doc}); add it to the file"
        return None if field.optional else SchemaFault("missing_column", message)
    actual = found.field(field.name).type
    if compatible(actual, field.arrow_type):
        return None
    wrong = f"column {field.name!r} has the wrong type: found {actual}, expected {field.arrow_type}"
    return SchemaFault("wrong_type", f"{wrong}; convert it before writing the file")


def compatible(found: pa.DataType, expected: pa.DataType) -> bool:
    """Whether values of `found` can stand for `expected` without a guess: wider text and integers, other time units, missing
    struct members; never another kind, never a timestamp without a zone."""
    if found == expected or pa.types.is_null(found):
        return True
    if pa.types.is_dictionary(found):
        return compatible(found.value_type, expected)
    if pa.types.is_string(expected):
        return pa.types.is_large_string(found) or pa.types.is_string_view(found)
    if pa.types.is_timestamp(expected):
        return pa.types.is_timestamp(found) and found.tz is not None
    if pa.types.is_struct(expected):
        return pa.types.is_struct(found) and all(
            compatible(found.field(child.name).type, child.type) for child in expected if found.get_field_index(child.name) >= 0
        )
    if pa.types.is_map(expected):
        return pa.types.is_map(found) and compatible(found.item_type, expected.item_type)
    if pa.types.is_list(expected):
        return (pa.types.is_list(found) or pa.types.is_large_list(found)) and compatible(found.value_type, expected.value_type)
    return pa.types.is_integer(expected) and pa.types.is_integer(found)


def conform(table: pa.Table, row_type: type) -> pa.Table:
    """Bring a readable table to the declared schema: declared columns only, in order, missing optional ones null."""
    columns = []
    for field in arrow_schema(row_type):
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
            continue
        column = table.column(field.name)
        if column.type != field.type:
            # The slow way round, for files whose types differ harmlessly: it also fills struct members that the file lacks.
            column = pa.array(column.to_pylist(), type=field.type)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=arrow_schema(row_type))


def mend_text(table: pa.Table) -> tuple[pa.Table, bool]:
    """Replace what is no UTF-8 (lone surrogates, cut characters) by U+FFFD, and say whether there was any.

    Raises an Arrow error for any other damage. Comes in as the file has it: any type that `compatible` lets pass.

    >>> broken = pa.array([b"a \\xed\\xa0\\x80 b"]).view(pa.string())
    >>> mend_text(pa.table({"x": broken}))[0].to_pydict()
    {'x': ['a \ufffd\ufffd\ufffd b']}
    """
    columns = [_mended(column.combine_chunks()) for column in table.columns]
    if not any(changed for _, changed in columns):
        return table, False
    return pa.table({name: column for name, (column, _) in zip(table.column_names, columns, strict=True)}), True


def _mended(column: pa.Array) -> tuple[pa.Array, bool]:
    try:
        column.validate(full=True)
        return column, False
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
    plain = column.cast(_as_bytes(column.type)).to_pylist()
    return pa.array(_decoded(plain), type=column.type), True


def _as_bytes(kind: pa.DataType) -> pa.DataType:
    """The same type with bytes in the place of text, at every depth."""
    if pa.types.is_dictionary(kind):
        return _as_bytes(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.large_binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_as_bytes(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_bytes(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_as_bytes(kind.key_type), _as_bytes(kind.item_type))
    return kind


def _decoded(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_decoded(item) for item in value)
    return value


def record_json(record: Any) -> str:
    """A record as JSON for the rejects table, cut to 2,000 characters."""
    return json.dumps(record, default=str, ensure_ascii=False, sort_keys=True)[:MAX_RECORD_JSON]


@dataclass
class ReadTables(beam.PTransform):
    """Read Parquet files into Batches, one a row group.

    Comes in: paths. Goes out: a dict of `batches`, `schemas` (a FileSchema a readable file, a rejected one's too), `rejects` (whole
    files or row groups, with the reason) and `counts` (("answers.read", n) and the like; rows of a damaged row group count as read,
    so that rejecting them reconciles).
    """

    row_type: type
    step: str

    def expand(self, paths: beam.PCollection[str]) -> dict[str, beam.PCollection]:
        groups = paths | "ListRowGroups" >> beam.ParDo(_ListRowGroups(self.row_type, self.step)).with_outputs(
            "rejects", "counts", "schemas", main="groups"
        )
        batches = (
            groups.groups
            | "SpreadRowGroups" >> beam.Reshuffle()
            | "LoadRowGroups"
            >> beam.ParDo(_LoadRowGroup(self.row_type, self.step)).with_outputs("rejects", "counts", main="batches")
        )
        counts = (groups.counts, batches.counts) | "AllCounts" >> beam.Flatten()
        rejects = (groups.rejects, batches.rejects) | "AllRejects" >> beam.Flatten()
        return {"batches": batches.batches, "schemas": groups.schemas, "rejects": rejects, "counts": counts}


@dataclass
class _ListRowGroups(beam.DoFn):
    row_type: type
    step: str

    def process(self, path: str) -> Iterator[Any]:
        try:
            with open_file(path) as stream:
                parquet = pq.ParquetFile(stream)
                fault = schema_fault(parquet.schema_arrow, self.row_type)
                groups = [RowGroup(path, i, parquet.metadata.row_group(i).num_rows) for i in range(parquet.num_row_groups)]
            yield beam.pvalue.TaggedOutput("schemas", FileSchema(parquet.schema_arrow, parquet.metadata.num_rows))
        except DAMAGE as error:
            fault, groups = (
                SchemaFault("unreadable_file", f"cannot be read as Parquet: {_first_line(error)}; write the file again"),
                [],
            )
        known = {field.name for field in fields(self.row_type)}
        rows = sum(group.n_rows for group in groups)
        yield beam.pvalue.TaggedOutput("counts", (f"{self.step}.read", rows))
        if fault is not None:
            yield beam.pvalue.TaggedOutput("counts", (f"{self.step}.files_rejected", 1))
            yield beam.pvalue.TaggedOutput(
                "rejects", Reject(self.step, fault.reason, f"{path}: {fault.message}", path, None, None, rows)
            )
            return
        extra = len(set(parquet.schema_arrow.names) - known)
        yield beam.pvalue.TaggedOutput("counts", (f"{self.step}.files_read", 1))
        yield beam.pvalue.TaggedOutput("counts", (f"{self.step}.extra_columns", extra))
        yield from groups


@dataclass
class _LoadRowGroup(beam.DoFn):
    row_type: type
    step: str

    def process(self, group: RowGroup) -> Iterator[Any]:
        source = f"{group.path}#row_group={group.position}"
        try:
            with open_file(group.path) as stream:
                parquet = pq.ParquetFile(stream, page_checksum_verification=True)
                found = parquet.read_row_group(group.position, columns=_declared(parquet.schema_arrow, self.row_type))
            text, mended = mend_text(found)
            table = conform(text, self.row_type)
            # Damage that Parquet does not notice (times out of range) shows here at the latest.
            records = table.to_pylist()
        except DAMAGE as error:
            message = f"{source}: {group.n_rows} rows cannot be read: {_first_line(error)}; write the file again"
            yield beam.pvalue.TaggedOutput(
                "rejects", Reject(self.step, "unreadable_file", message, source, None, None, group.n_rows)
            )
            return
        if mended:
            yield beam.pvalue.TaggedOutput("counts", (f"{self.step}.row_groups_with_mended_text", 1))
        if table.num_rows:
            yield Batch(source, table, records)


def _declared(found: pa.Schema, row_type: type) -> list[str]:
    """The columns of a file that are read: what nobody declared costs nothing and cannot be damaged."""
    return [field.name for field in fields(row_type) if field.name in found.names]


def open_file(path: str) -> Any:
    """Open a file for reading as it is: a name that ends in .gz unpacks nothing."""
    return FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@dataclass
class WriteTable(beam.PTransform):
    """Write rows as Parquet, sorted by `key`, into a fixed number of shards named NAME-00000-of-00001.parquet.

    The same rows give the same bytes. An empty table is still written. Goes out: a WrittenFile a shard.
    """

    row_type: type
    folder: str
    name: str
    key: Callable[[Any], tuple[Any, ...]]
    shards: int = 1

    def expand(self, rows: beam.PCollection) -> beam.PCollection[WrittenFile]:
        shards = self.shards
        empty = rows.pipeline | "EveryShard" >> beam.Create([(shard, None) for shard in range(shards)])
        keyed = rows | "AssignShard" >> beam.Map(lambda row, key=self.key: (stable_hash(str(key(row)[0])) % shards, row))
        return (
            (keyed, empty)
            | "WithEmptyShards" >> beam.Flatten()
            | "GroupShard" >> beam.GroupByKey()
            | "WriteShard" >> beam.Map(self._write).with_output_types(WrittenFile)
        )

    def _write(self, shard: tuple[int, Iterable[Any]]) -> WrittenFile:
        rows = sorted((row for row in shard[1] if row is not None), key=lambda row: _sortable(self.key(row)))
        sink = io.BytesIO()
        pq.write_table(to_table(self.row_type, rows), sink, compression="zstd")
        name = f"{self.name}-{shard[0]:05d}-of-{self.shards:05d}.parquet"
        write_bytes(FileSystems.join(self.folder, name), sink.getvalue())
        return WrittenFile(self.name, name, len(rows), hashlib.sha256(sink.getvalue()).hexdigest())


def _sortable(key: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    """Nulls first, so that keys with optional parts compare."""
    return tuple((part is not None, part if part is not None else "") for part in key)


def stable_hash(text: str) -> int:
    """A 64-bit hash that is the same in every process.

    >>> stable_hash("a") == stable_hash("a")
    True
    """
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def lot_of(*names: str) -> str:
    """A hash of names that orders what they name the same way on every run and runner: the smallest are a sample.

    >>> lot_of("a", "b") == lot_of("a", "b") != lot_of("b", "a")
    True
    """
    return hashlib.blake2b("\x1f".join(names).encode("utf-8", "replace"), digest_size=16).hexdigest()


def write_bytes(path: str, content: bytes) -> None:
    """Write a file whole: under a name of its own first, so that a reader, a retry or a second writer never meets half of it."""
    partial = f"{path}.part-{uuid.uuid4().hex[:8]}"
    with FileSystems.create(
        partial, mime_type="application/octet-stream", compression_type=CompressionTypes.UNCOMPRESSED
    ) as stream:
        stream.write(content)
    FileSystems.rename([partial], [path])
