"""Read a finished run directory, on this machine or in a bucket."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.drift import DRIFT
from pipelines.manifest import FAILED, MANIFEST, SUCCESS
from pipelines.options import UsageError

Folder = str | Path


def is_finished(folder: Folder) -> bool:
    """Whether a run got as far as its manifest."""
    files, path = fsspec.core.url_to_fs(str(folder))
    return bool(files.exists(f"{path}/{MANIFEST}"))


def read_manifest(folder: Folder) -> dict[str, Any]:
    """The manifest of a run; raises UsageError where the folder is not one."""
    if not is_finished(folder):
        raise UsageError(f"not a finished run: {folder} has no {MANIFEST}; give a folder named run=...")
    files, path = fsspec.core.url_to_fs(str(folder))
    return json.loads(files.read_text(f"{path}/{MANIFEST}", encoding="utf-8"))


def read_failures(folder: Folder) -> list[dict[str, str]]:
    """Why a run must not be believed, as `kind` and `message`; none for one that passed its gate."""
    files, path = fsspec.core.url_to_fs(str(folder))
    if files.exists(f"{path}/{FAILED}"):
        return json.loads(files.read_text(f"{path}/{FAILED}", encoding="utf-8"))
    return [] if files.exists(f"{path}/{SUCCESS}") else [{"kind": "broken", "message": "it broke off before its gate"}]


def read_drift(folder: Folder) -> dict[str, Any] | None:
    """How a run's input differs from an earlier one's; None for a run that was not compared."""
    files, path = fsspec.core.url_to_fs(str(folder))
    if not files.exists(f"{path}/{DRIFT}"):
        return None
    return json.loads(files.read_text(f"{path}/{DRIFT}", encoding="utf-8"))


def read_run_table(folder: Folder, name: str) -> list[dict[str, Any]]:
    """The rows of a run's table, in order, from the files that its manifest names."""
    names = sorted(file["name"] for file in read_manifest(folder)["files"] if file["table"] == name)
    files, path = fsspec.core.url_to_fs(str(folder))
    return pa.concat_tables(pq.read_table(f"{path}/{file}", filesystem=files) for file in names).to_pylist()
