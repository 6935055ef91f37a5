"""The documentation of the columns is the declaration's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.columns import TABLES, columns_markdown
from schemas.types import arrow_schema, column_docs, fields


def test_docs_are_up_to_date():
    path = Path(__file__).parents[1] / "docs" / "tables.md"
    assert path.read_text(encoding="utf-8") == columns_markdown(), "run: python -m pipelines columns > docs/tables.md"


@pytest.mark.parametrize("row_type", TABLES.values(), ids=lambda row_type: row_type.__name__)
def test_every_column_is_declared_once_with_type_and_words(row_type):
    assert arrow_schema(row_type).names == list(row_type._fields) == list(column_docs(row_type))
    assert all(field.column.doc for field in fields(row_type))
