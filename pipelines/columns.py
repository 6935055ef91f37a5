"""The columns of every table as Markdown, from their declarations."""

from __future__ import annotations

from schemas.aggregates import Aggregate
from schemas.answers import Answer
from schemas.claims import Claim
from schemas.evidence import Evidence
from schemas.flagged import Flagged
from schemas.rejects import Reject
from schemas.review import Review
from schemas.types import Field, fields
from schemas.verdicts import Verdict

TABLES: dict[str, type] = {
    "answers (in)": Answer,
    "evidence (in)": Evidence,
    "claims (out)": Claim,
    "verdicts (out)": Verdict,
    "aggregates (out)": Aggregate,
    "flagged (out)": Flagged,
    "review (out)": Review,
    "rejects (out)": Reject,
}


def columns_markdown() -> str:
    """One Markdown section a table: column, Arrow type, whether it may be null or absent, what it holds."""
    parts = ["# Tables\n\nMade by `python -m pipelines columns`; all times are UTC, all ranges of characters exclude their end.\n"]
    for name, row_type in TABLES.items():
        doc = (row_type.__doc__ or "").strip()
        parts.append(f"\n## {name}\n\n{doc}\n\n| column | type | null | what it holds |\n|---|---|---|---|\n")
        parts.extend(_line(field, "") for field in fields(row_type))
    return "".join(parts)


def _line(field: Field, prefix: str) -> str:
    kind = "list of rows, below" if field.item_type else str(field.arrow_type).replace("element: ", "").replace("item: ", "")
    null = "yes, may be absent" if field.nullable and field.optional else "yes" if field.nullable else "no"
    values = f"; one of {', '.join(field.column.values)}" if field.column.values else ""
    line = f"| {prefix}{field.name} | {kind} | {null} | {field.column.doc}{values} |\n"
    nested = fields(field.item_type) if field.item_type else ()
    return line + "".join(_line(child, f"{prefix}{field.name}.") for child in nested)
