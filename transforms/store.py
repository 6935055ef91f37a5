"""Keep between nights what is costly: content-addressed rows in Parquet parts that no run overwrites."""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import io
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from apache_beam.io.filesystems import FileSystems

from schemas.expectations import is_scalar
from schemas.stores import StoredSplit, StoredVerdict
from schemas.types import arrow_schema, fields, from_plain, to_table
from transforms.tables import DAMAGE, open_file, register_rows, write_bytes

# A hit is written again, with its day, when its last use on record is older than this.
REFRESH_DAYS = 7
_VERSION = b"nearmiss-version"
log = logging.getLogger(__name__)

# The tables of a store.
ROW_TYPES: dict[str, type] = {"splits": StoredSplit, "verdicts": StoredVerdict}
register_rows(StoredVerdict, StoredSplit)


@dataclass(frozen=True)
class Store:
    """One table of a store, for one version of what makes its rows: rows of other versions lie elsewhere and are never read.

    `day` is the day of the run, `name` a word for its log and counts.
    """

    folder: str
    name: str
    version: str
    day: dt.date

    @property
    def place(self) -> str:
        """The folder of this version's parts."""
        digest = hashlib.blake2b(self.version.encode(), digest_size=8).hexdigest()
        return FileSystems.join(self.folder, self.name, f"version={digest}")

    @property
    def row_type(self) -> type:
        """What its rows are."""
        return ROW_TYPES[self.name]


@dataclass
class ReadStore(beam.PTransform):
    """Read the rows of a store. Goes out: a dict of `rows` ((key, row), one a key) and `counts`.

    A damaged part is set aside (renamed to NAME.corrupt) and what it held is made again; one that a compaction took away
    meanwhile, or that cannot be reached now, holds nothing tonight.
    """

    store: Store

    def expand(self, start: Any) -> dict[str, beam.PCollection]:
        read = (
            start
            | "StorePlace" >> beam.Create([self.store])
            | "ListParts" >> beam.FlatMap(list_parts)
            | "SpreadParts" >> beam.Reshuffle()
            | "ReadPart" >> beam.ParDo(_read_part, self.store).with_outputs("counts", main="rows")
        )
        return {"rows": read.rows | "KeepLatest" >> beam.CombinePerKey(_latest), "counts": read.counts}


def list_parts(store: Store) -> list[str]:
    """The parts of a store, in the order of their names."""
    found = FileSystems.match([FileSystems.join(store.place, "part-*.parquet")])[0].metadata_list
    return sorted(one.path for one in found)


@functools.cache
def _order(row_type: type) -> tuple[str, ...]:
    """The columns that decide between rows of one key: the latest, and among equals the same one whatever their order."""
    others = (one.name for one in fields(row_type) if is_scalar(one.arrow_type) and one.name not in ("key", "used_on"))
    return ("used_on", *others)


def _latest(rows: Iterable[Any]) -> Any:
    return max(rows, key=_rank)


def _rank(row: Any) -> list[Any]:
    row_type: type = type(row)
    return [getattr(row, name) for name in _order(row_type)]


def _read_part(path: str, store: Store) -> Iterator[Any]:
    try:
        rows: list[Any] = [from_plain(store.row_type, record) for record in read_part(path, store).to_pylist()]
    except FileNotFoundError:
        return
    except OSError as error:
        # The place gives out, not the part: another night may read it.
        log.warning("%s of the store cannot be read now, what it holds is made again: %s", path, error)
        yield beam.pvalue.TaggedOutput("counts", (f"store.{store.name}.parts_not_read", 1))
        return
    except (ValueError, OverflowError) as error:
        log.warning("%s of the store is damaged and is set aside: %s", path, error)
        _set_aside(path)
        yield beam.pvalue.TaggedOutput("counts", (f"store.{store.name}.parts_set_aside", 1))
        return
    yield beam.pvalue.TaggedOutput("counts", (f"store.{store.name}.parts_read", 1))
    yield from ((row.key, row) for row in rows)


def read_part(path: str, store: Store) -> pa.Table:
    """The rows of one part as a table; raises ValueError where it is damaged or of another version, OSError where it cannot be
    reached."""
    with open_file(path) as stream:
        content = stream.read()
    try:
        parquet = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True)
        table = parquet.read()
        table.validate(full=True)
    except DAMAGE as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    schema = table.schema
    if (schema.metadata or {}).get(_VERSION) != store.version.encode() or not schema.equals(arrow_schema(store.row_type)):
        raise ValueError(f"not of this version ({store.version}) or not of this form")
    return table


def _set_aside(path: str) -> None:
    try:
        FileSystems.rename([path], [f"{path}.corrupt"])
    except Exception as error:  # the rows are made again either way
        log.warning("%s cannot be set aside: %s", path, error)


@dataclass
class LookUp(beam.PTransform):
    """Tell what a store knows from what is new; without a store all is new.

    Comes in: a dict of `asked` ((key, item), a key as often as it is asked) and where there is a store `known` ((key, row)). Goes
    out: a dict of `new` ((key, item)), `found` ((key, item, row)) and `again`: rows to write again with the day of this run, so
    that they do not expire while they are used. A row that does not fit an item is passed over.
    """

    store: Store | None
    fits: Callable[[Any, Any], bool] = lambda item, row: True

    def expand(self, tables: dict[str, beam.PCollection]) -> dict[str, beam.PCollection]:
        if self.store is None:
            nothing = tables["asked"].pipeline | "NothingKnown" >> beam.Create([], reshuffle=False)
            return {"new": tables["asked"], "found": nothing, "again": nothing}
        told = (
            tables
            | "MeetOnKey" >> beam.CoGroupByKey()
            | "TellKnown" >> beam.ParDo(_tell_known, self.store, self.fits).with_outputs("found", "again", main="new")
        )
        return {"new": told.new, "found": told.found, "again": told.again}


def _tell_known(group: tuple[str, dict[str, Iterable[Any]]], store: Store, fits: Callable[[Any, Any], bool]) -> Iterator[Any]:
    key, sides = group
    row = next(iter(sides["known"]), None)
    served = False
    for item in sides["asked"]:
        if row is None or not fits(item, row):
            yield key, item
        else:
            served = True
            yield beam.pvalue.TaggedOutput("found", (key, item, row))
    if row is not None and served and needs_refresh(row.used_on, store):
        yield beam.pvalue.TaggedOutput("again", row._replace(used_on=store.day))


@dataclass
class WriteStore(beam.PTransform):
    """Write rows as one new part. Goes out: counts. A store that cannot be written costs the next night, not this one."""

    store: Store

    def expand(self, rows: beam.PCollection) -> beam.PCollection[tuple[str, int]]:
        return (
            rows
            | "OnePart" >> beam.Map(lambda row: (None, row))
            | "GroupPart" >> beam.GroupByKey()
            | "WritePart" >> beam.Map(_write_part, self.store)
        )


def _write_part(group: tuple[None, Iterable[Any]], store: Store) -> tuple[str, int]:
    unique = {row.key: row for row in group[1]}
    try:
        write_part(to_table(store.row_type, [unique[key] for key in sorted(unique)]), store)
    except Exception as error:
        log.warning("the store cannot be written, the next run will judge again: %s: %s", type(error).__name__, error)
        return f"store.{store.name}.rows_not_written", len(unique)
    return f"store.{store.name}.rows_written", len(unique)


def write_part(table: pa.Table, store: Store) -> str:
    """Write a part under a name of its content, whole or not at all; returns its path."""
    sink = io.BytesIO()
    marked = table.replace_schema_metadata({_VERSION: store.version.encode()})
    pq.write_table(marked, sink, compression="zstd", write_page_checksum=True)
    if not FileSystems.exists(store.place):
        _make_folder(store.place)
    digest = hashlib.blake2b(sink.getvalue(), digest_size=8).hexdigest()
    path = FileSystems.join(store.place, f"part-{store.day:%Y%m%d}-{digest}.parquet")
    # Its name is its content's: what is there already is the same.
    if not FileSystems.exists(path):
        write_bytes(path, sink.getvalue())
    return path


def _make_folder(place: str) -> None:
    try:
        FileSystems.mkdirs(place)
    except OSError:
        # Another run made it between the look and the making.
        if not FileSystems.exists(place):
            raise


def needs_refresh(used_on: dt.date, store: Store) -> bool:
    """Whether a hit is to be written again with the day of this run, so that it does not expire while it is used.

    >>> store = Store("s", "verdicts", "1", dt.date(2026, 3, 10))
    >>> needs_refresh(dt.date(2026, 3, 3), store), needs_refresh(dt.date(2026, 3, 2), store)
    (False, True)
    """
    return (store.day - used_on).days > REFRESH_DAYS


def compact(store: Store, days: int) -> dict[str, int]:
    """Put the parts of a store into one, without doubles and without rows unused for more than `days`; returns counts.

    Use is noted once in REFRESH_DAYS, so that rows stay as much longer. What is read stays until the new part is there, and rows
    that other runs add meanwhile are in parts of their own. What broken runs and damaged parts left goes after `days` too.
    """
    parts = list_parts(store)
    tables = {}
    for path in parts:
        try:
            tables[path] = read_part(path, store)
        except OSError:
            # Taken away meanwhile, or out of reach now: it stays as it is.
            continue
        except ValueError:
            _set_aside(path)
    oldest = store.day - dt.timedelta(days=days + REFRESH_DAYS)
    kept, expired = _compacted(pa.concat_tables(tables.values()), oldest, _order(store.row_type)) if tables else (None, 0)
    new = write_part(kept, store) if kept is not None and kept.num_rows else None
    FileSystems.delete([path for path in tables if path != new and FileSystems.exists(path)])
    _delete_remains(store, days)
    return {"parts": len(parts), "rows": kept.num_rows if kept is not None else 0, "expired": expired}


def _delete_remains(store: Store, days: int) -> None:
    """Delete parts that were set aside and halves of parts, older than `days` by the clock of their file system."""
    found = FileSystems.match([FileSystems.join(store.place, "part-*.parquet.*")])[0].metadata_list
    oldest = time.time() - dt.timedelta(days=days).total_seconds()
    FileSystems.delete([one.path for one in found if one.last_updated_in_seconds < oldest])


def stored_versions(folder: str, name: str) -> list[str]:
    """The versions that a table of a store holds, as its readable parts name them."""
    found = set[str]()
    for one in FileSystems.match([FileSystems.join(folder, name, "*", "part-*.parquet")])[0].metadata_list:
        try:
            with open_file(one.path) as stream:
                found.add((pq.read_schema(io.BytesIO(stream.read())).metadata or {})[_VERSION].decode())
        except DAMAGE:
            continue
    return sorted(found)


def _compacted(table: pa.Table, oldest: dt.date, order: tuple[str, ...]) -> tuple[pa.Table, int]:
    by = [("key", "ascending"), *((name, "descending") for name in order)]
    ordered = table.take(pc.sort_indices(table, by))
    keys = ordered.column("key").to_pylist()
    latest = ordered.filter(pa.array([i == 0 or keys[i - 1] != key for i, key in enumerate(keys)], pa.bool_()))
    kept = latest.filter(pc.greater_equal(latest.column("used_on"), pa.scalar(oldest)))
    return kept, latest.num_rows - kept.num_rows
