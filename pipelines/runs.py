"""Read a finished run directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.manifest import MANIFEST
from pipelines.options import UsageError


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run; raises UsageError where the folder is not one."""
    path = folder / MANIFEST
    if not path.exists():
        raise UsageError(f"not a finished run: {folder} has no {MANIFEST}; give a folder named run=...")
    return json.loads(path.read_text(encoding="utf-8"))


def read_run_table(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a run's table, in order, from the files that its manifest names."""
    files = sorted(file["name"] for file in read_manifest(folder)["files"] if file["table"] == name)
    return pa.concat_tables(pq.read_table(folder / file) for file in files).to_pylist()
