"""What strangers write stays text, code never comes out of files, and files and log lines keep what they hold to themselves."""

from __future__ import annotations

import ast
import csv
import html
import io
import logging
import os
import re
import stat
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from builders import answer, checker_folder, evidence
from planted import FORMULA, IMAGE, LINKS, RUN, SCRIPT, WORDS, planted_run
from test_judging import FakeHandler

from pipelines import nightly
from pipelines.__main__ import main
from pipelines.labels import export_labels
from pipelines.logs import QuietFormatter
from pipelines.mining import mine
from pipelines.report import safe_uri
from pipelines.runs import read_run_table
from schemas.answers import Answer
from schemas.evidence import Evidence
from schemas.types import to_table

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("schemas", "transforms", "cases", "pipelines", "models")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return planted_run(tmp_path_factory.mktemp("planted"))


# --- code -------------------------------------------------------------------------------------------------------------------------

# Modules that run, or may run, what a file holds; commands; files that others can write.
FORBIDDEN_IMPORTS = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib", "subprocess", "code"}
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "torch.load",
    "torch.hub.load",
    "yaml.load",
    "yaml.full_load",
    "yaml.unsafe_load",
    "yaml.load_all",
    "os.system",
    "os.popen",
    "os.chmod",
    "os.umask",
    "tempfile.mktemp",
    "pd.read_pickle",
    "pandas.read_pickle",
}
# The only values that these arguments may have.
ARGUMENTS = {"trust_remote_code": False, "allow_pickle": False, "weights_only": True, "shell": False, "autoescape": True}
# Beam moves rows between the workers of one job by FastPrimitivesCoder, which pickles what it does not know: no file holds any.
ALLOWED = {
    # A model card is Markdown of our own numbers.
    ("pipelines/evaluate.py", "autoescape=False"),
    ("pipelines/report.py", "autoescape=select_autoescape(default=True)"),
    # Great Expectations' own rendering, past a cleaner that keeps a few tags and no attribute that runs.
    ("pipelines/data_docs.py", "Markup(clean(template.render(sections=sections)))"),
}


def findings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in FORBIDDEN_IMPORTS)
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in FORBIDDEN_IMPORTS:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in FORBIDDEN_CALLS or name.split(".")[-1] in ("Markup", "read_pickle"):
                yield ast.unparse(node)
            yield from (f"{one.arg}={ast.unparse(one.value)}" for one in node.keywords if not _permitted(one))


def _permitted(keyword: ast.keyword) -> bool:
    if keyword.arg not in ARGUMENTS:
        return True
    return isinstance(keyword.value, ast.Constant) and keyword.value.value == ARGUMENTS[keyword.arg]


def test_no_pickle_no_remote_code_no_unsafe_yaml():
    found = {
        (str(path.relative_to(ROOT)), one)
        for package in PRODUCT
        for path in sorted((ROOT / package).rglob("*.py"))
        for one in findings(path.read_text(encoding="utf-8"))
    }
    assert found == ALLOWED


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from cloudpickle import loads",
        "eval('1')",
        "torch.load(path)",
        "yaml.load(text, Loader=yaml.Loader)",
        "AutoModel.from_pretrained(name, trust_remote_code=remote)",
        "np.load(path, allow_pickle=True)",
        "Environment(autoescape=False)",
    ],
)
def test_the_walk_finds(source):
    assert list(findings(source))


def test_templates_never_switch_escaping_off():
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "pipelines" / "templates").glob("*.html")}
    assert {name for name, page in pages.items() if re.search(r"\|\s*safe\b|autoescape\s+false|<script", page)} == set()


def test_weights_are_safetensors_and_no_pickle_is_packaged():
    suffixes = {path.suffix for package in PRODUCT for path in (ROOT / package).rglob("*") if path.is_file()}
    assert suffixes & {".pt", ".pth", ".bin", ".pkl", ".pickle", ".joblib", ".npy", ".npz", ".ckpt", ".so"} == set()


# --- pages ------------------------------------------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """Every tag of a page with its attributes, as a browser would see them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def pages(folder):
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in [folder / "report.html", *sorted((folder / "data_docs").glob("*.html"))]
    }


def test_every_planted_string_is_text(run):
    assert run.code == 0
    for name, page in pages(run.folder).items():
        elements = Elements(page)
        assert {tag for tag, _ in elements.found} & {
            "script",
            "img",
            "svg",
            "iframe",
            "object",
            "embed",
            "form",
            "base",
        } == set(), name
        assert {key for _, attributes in elements.found for key in attributes if key.startswith("on")} == set(), name
    report = (run.folder / "report.html").read_text(encoding="utf-8")
    text = "".join(Elements(report).text)
    for planted in (SCRIPT, IMAGE, RUN, Path(run.answers).name.replace(".parquet", "-2.parquet"), WORDS[0], WORDS[2]):
        assert planted in text, planted
    assert html.escape(SCRIPT) in report


def test_only_http_becomes_a_link(run):
    for name, page in pages(run.folder).items():
        links = {
            value or ""
            for _, attributes in Elements(page).found
            for key, value in attributes.items()
            if key in ("href", "src", "action")
        }
        assert {link for link in links if not re.match(r"https?://|data:,\Z|(data_docs/)?[\w.-]+\.html\Z|#", link)} == set(), name
    anchors = {attributes.get("href") for tag, attributes in Elements(pages(run.folder)["report.html"]).found if tag == "a"}
    assert anchors == {LINKS[-1], "data_docs/index.html"}


@pytest.mark.parametrize("link", LINKS[:-1])
def test_no_other_scheme_is_a_link(link):
    assert safe_uri(link) is None


def test_the_planted_rows_reached_the_tables(run):
    tables = {name: read_run_table(run.folder, name) for name in ("flagged", "review", "rejects", "aggregates")}
    assert {one["reason"] for one in tables["rejects"]} >= {
        "unreadable_file",
        "invalid_claims",
        "conflicting_answer",
        "judging_failed",
    }
    assert len(tables["flagged"]) > len(LINKS)
    assert len(tables["review"]) == len(LINKS)
    assert f"team={SCRIPT}" in {one["slice"] for one in tables["aggregates"]}


# --- spreadsheets -----------------------------------------------------------------------------------------------------------------


def formulas(path):
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    assert len(rows) > 1
    return [cell for row in rows for cell in row if re.match(r"[=+\-@\t\r\n＝＋－＠]", cell)]


def test_labels_hold_no_formula(run, tmp_path):
    export_labels(run.folder, run.answers, run.evidence, tmp_path / "labels.csv", size=20)
    assert formulas(tmp_path / "labels.csv") == []
    assert f"'{FORMULA}" in (tmp_path / "labels.csv").read_text(encoding="utf-8-sig")


def test_proposals_hold_no_formula(tmp_path):
    texts = ("Audit logs in us-east-1 are kept for 30 days.", "Audit logs in eu-central-1 are kept for 7 days.")
    rows = [evidence(f"{FORMULA}-{i}", text) for i, text in enumerate(texts)]
    pq.write_table(to_table(Evidence, rows), tmp_path / "evidence.parquet")
    mine(str(tmp_path / "evidence.parquet"), tmp_path / "mined")
    assert formulas(tmp_path / "mined" / "proposals.csv") == []
    assert f"'{FORMULA}-0@1#0" in (tmp_path / "mined" / "proposals.csv").read_text(encoding="utf-8")


# --- files and log lines ----------------------------------------------------------------------------------------------------------


def test_files_have_the_mode_that_the_umask_gives(run):
    written = [*run.folder.rglob("*"), run.folder, *(run.folder.parents[1] / "temporary").rglob("*")]
    assert len(written) > 10
    assert [path for path in written if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_no_temporary_file_is_left(run):
    assert [path for path in (run.folder.parents[1] / "temporary").rglob("*") if path.is_file()] == []


def test_no_log_line_holds_words_of_answers_questions_or_evidence(run):
    assert len(run.logged) > 3
    assert [line for line in run.logged if any(word in line.lower() for word in (*WORDS, "alert(1)<"))] == []


class Broken(FakeHandler):
    """A checker that gives out as a whole, with the texts in its message."""

    def run_inference(self, batch, model, inference_args=None):
        raise self.error(f"cannot judge {batch}")


@pytest.mark.parametrize("error", [ValueError, KeyError])
def test_a_run_that_breaks_off_logs_where_and_not_what(tmp_path, monkeypatch, capsys, error):
    monkeypatch.setattr(nightly, "EntailmentHandler", lambda config, locate: Broken())
    monkeypatch.setattr(Broken, "error", error, raising=False)
    pq.write_table(to_table(Answer, [answer(text=f"Logs of {WORDS[0]} are kept [1].")]), tmp_path / "answers.parquet")
    pq.write_table(to_table(Evidence, [evidence(text=f"A {WORDS[1]}.")]), tmp_path / "evidence.parquet")
    arguments = [
        "nightly",
        "--output",
        str(tmp_path / "runs"),
        "--run-id",
        "one",
        "--checker",
        checker_folder(tmp_path / "checker"),
    ]
    paths = ["--answers", str(tmp_path / "answers.parquet"), "--evidence", str(tmp_path / "evidence.parquet")]
    root = logging.root
    handlers, level = root.handlers[:], root.level
    try:
        code = main([*arguments, *paths])
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    told = capsys.readouterr()
    assert code not in (0, 2)
    assert error.__name__ in told.err
    assert "JudgePairs" in told.err
    assert "NEARMISS_LOG=DEBUG" in told.err
    assert [word for word in WORDS if word in (told.err + told.out).lower()] == []


def test_messages_of_exceptions_are_withheld_and_those_that_name_files_are_not():
    formatter = QuietFormatter("%(message)s")

    def line(error):
        try:
            try:
                raise error
            except Exception as cause:
                raise RuntimeError(f"wrapped: {cause}") from cause
        except RuntimeError as outer:
            record = logging.LogRecord("x", logging.ERROR, "", 0, "failed: %s", (outer,), (type(outer), outer, outer.__traceback__))
            return formatter.format(record)

    assert "xanthippe" not in line(KeyError("xanthippe asked"))
    assert "xanthippe" not in line(KeyError("xanthippe 'asked'\n"))
    told = line(ValueError("xanthippe asked"))
    assert told.startswith("failed: (what it says may quote an answer: set NEARMISS_LOG=DEBUG to see it)\nRuntimeError: (what")
    assert "xanthippe asked" not in told
    assert "ValueError: (what" in told
    assert "OSError: [Errno 28] No space left on device: 'x.parquet'" in line(OSError(28, os.strerror(28), "x.parquet"))
    plain = logging.LogRecord("x", logging.INFO, "", 0, "judged %d windows", (7,), None)
    assert formatter.format(plain) == "judged 7 windows"
