"""Hold the import direction `schemas <- {transforms, cases} <- pipelines`, the lazy heavy imports and the top level."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What each package may import of the repository besides itself.
MAY_IMPORT = {
    "schemas": frozenset[str](),
    "transforms": frozenset({"schemas"}),
    "cases": frozenset({"schemas"}),
    "pipelines": frozenset({"schemas", "transforms", "cases", "models"}),
    "models": frozenset[str](),
}
# Seconds each to import: inside a function, `setup()` or `load_model()`, or under TYPE_CHECKING.
HEAVY = frozenset({"torch", "transformers", "great_expectations", "spacy", "openai"})
NEVER_IN_CASES = frozenset({"apache_beam", "torch"})
TOP_LEVEL = frozenset(
    {
        "pipelines",
        "transforms",
        "schemas",
        "cases",
        "tests",
        "models",
        "docs",
        "setup.py",
        "README.md",
        "Makefile",
        "CHANGELOG.md",
        "LICENSE",
        "pyproject.toml",
        "MANIFEST.in",
        "constraints.txt",
    }
)
DOT_FOLDERS = frozenset({".ci", ".github"})


class Import(NamedTuple):
    """One imported top-level name; `eager` when importing the module runs it."""

    name: str
    line: int
    eager: bool


def imports(tree: ast.AST, package: str) -> Iterator[Import]:
    """List a module's imports by top-level name; a relative import names the module's own package.

    >>> source = "import torch.nn\\ndef load():\\n    from spacy import load\\nfrom . import types"
    >>> [tuple(found) for found in imports(ast.parse(source), "schemas")]
    [('torch', 1, True), ('spacy', 3, False), ('schemas', 4, True)]
    """
    return _walk(tree, package, eager=True)


def _walk(node: ast.AST, package: str, eager: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name.split(".")[0], node.lineno, eager) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield Import(package if node.level else str(node.module).split(".")[0], node.lineno, eager)
    elif isinstance(node, ast.If) and _type_checking(node.test):
        for child in node.body:
            yield from _walk(child, package, eager=False)
        for child in node.orelse:
            yield from _walk(child, package, eager)
    else:
        inside = eager and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, package, inside)


def _type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _found(package: str) -> Iterator[tuple[str, Import]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        for found in imports(ast.parse(path.read_text(encoding="utf-8")), package):
            yield f"{path.relative_to(ROOT)}:{found.line} imports {found.name}", found


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_packages_import_only_what_lies_below_them(package: str) -> None:
    forbidden = (MAY_IMPORT.keys() | {"tests"}) - MAY_IMPORT[package] - {package}
    assert [where for where, found in _found(package) if found.name in forbidden] == []


def test_cases_know_neither_beam_nor_torch() -> None:
    assert [where for where, found in _found("cases") if found.name in NEVER_IN_CASES] == []


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_heavy_libraries_load_only_when_used(package: str) -> None:
    assert [where for where, found in _found(package) if found.eager and found.name in HEAVY] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", [("typing", True), ("torch", False)]),
        ("try:\n    import spacy\nexcept ImportError:\n    spacy = None", [("spacy", True)]),
        (
            "class Judge:\n    import torch\n    def setup(self):\n        import transformers",
            [("torch", True), ("transformers", False)],
        ),
        ("from .types import Row\nfrom schemas.types import Row", [("cases", True), ("schemas", True)]),
    ],
)
def test_imports_tells_eager_from_lazy(source: str, expected: list[tuple[str, bool]]) -> None:
    assert [(found.name, found.eager) for found in imports(ast.parse(source), "cases")] == expected


def test_top_level_holds_only_the_known_names() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: there is no list of tracked files to read")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = [path.split("/") for path in listed.split("\0") if path]
    assert {parts[0] for parts in tracked if not _allowed(parts)} == set()


def _allowed(parts: list[str]) -> bool:
    if len(parts) == 1 and parts[0].startswith("."):
        return True
    return parts[0] in TOP_LEVEL | DOT_FOLDERS
