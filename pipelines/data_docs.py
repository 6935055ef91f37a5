"""Data Docs of a finished run: each suite's merged result as a page that opens anywhere, without a request to the network.

The results and what they say are rendered by Great Expectations; the page around them is ours, since the library's own loads styles
and scripts from six hosts and is empty without them.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import fsspec
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from pipelines.manifest import VALIDATION
from pipelines.options import UsageError
from pipelines.runs import Folder
from schemas.expectations import SEVERITIES

DATA_DOCS = "data_docs"
INDEX = "index.html"
Suite = dict[str, Any]
_SECTIONS = "{% for section in sections %}{% set section_loop = loop %}{% include 'section.j2' %}{% endfor %}"
_TABLES, _WORDS = ("table", "thead", "tbody", "tr", "th", "td"), ("strong", "em", "i", "br", "p", "pre", "ul", "ol", "li")
_TAGS = frozenset(("div", "span", "h5", "h6", *_TABLES, *_WORDS))
_ATTRIBUTES = frozenset(("class", "id", "hidden", "colspan"))


def write_data_docs(folder: Folder) -> str:
    """Write data_docs/index.html and a page a suite into a run directory, from its validation.json; returns the index's path."""
    files, path = fsspec.core.url_to_fs(str(folder))
    files.makedirs(f"{path}/{DATA_DOCS}", exist_ok=True)
    for name, page in render_data_docs(read_validation(folder)).items():
        with files.open(f"{path}/{DATA_DOCS}/{name}", "wb") as stream:
            stream.write(page.encode("utf-8", "replace"))
    return f"{folder}/{DATA_DOCS}/{INDEX}"


def read_validation(folder: Folder) -> list[Suite]:
    """The validation results of a run; raises UsageError where it has none."""
    files, path = fsspec.core.url_to_fs(str(folder))
    if not files.exists(f"{path}/{VALIDATION}"):
        raise UsageError(f"no validation results: {folder} has no {VALIDATION}; give the folder of a finished run")
    return json.loads(files.read_text(f"{path}/{VALIDATION}", encoding="utf-8"))


def render_data_docs(suites: list[Suite]) -> dict[str, str]:
    """Render every suite and the index, by file name."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
    from great_expectations.render.view import DefaultJinjaPageView

    pages = Environment(loader=PackageLoader("pipelines"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    index, page = pages.get_template("data_docs_index.html"), pages.get_template("data_docs_page.html")
    renderer, template = ValidationResultsPageRenderer(), DefaultJinjaPageView().env.from_string(_SECTIONS)
    written = {INDEX: index.render(suites=suites, severities=SEVERITIES)}
    for suite in suites:
        document = renderer.render(suite_result(suite)).to_json_dict()
        # Its overview and run info are of a single batch, and link to pages that are not here.
        sections = [one for one in document["sections"] if one["section_name"] not in ("Overview", "Run Info")]
        written[f"{suite['suite']}.html"] = page.render(suite=suite, body=Markup(clean(template.render(sections=sections))))
    return written


class _Cleaner(HTMLParser):
    """Keeps the few tags and attributes that a table of results is made of; every other tag becomes text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.parts.append(html.escape(self.get_starttag_text() or "", quote=False))
            return
        kept = "".join(f' {name}="{html.escape(value or "")}"' for name, value in attrs if name in _ATTRIBUTES)
        self.parts.append(f"<{tag}{kept}>")

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(f"</{tag}>" if tag in _TAGS else f"&lt;/{tag}&gt;")

    def handle_data(self, data: str) -> None:
        self.parts.append(html.escape(data, quote=False))

    def handle_entityref(self, name: str) -> None:
        self.parts.append(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.parts.append(f"&#{name};")


def clean(fragment: str) -> str:
    """Keep of the library's HTML what shows results: it lets arguments of some expectations through as they are.

    >>> clean('<td class="a" onclick="x()">1 &lt; 2 <script>alert(1)</script></td>')
    '<td class="a">1 &lt; 2 &lt;script&gt;alert(1)&lt;/script&gt;</td>'
    """
    cleaner = _Cleaner()
    cleaner.feed(fragment)
    cleaner.close()
    return "".join(cleaner.parts)


def suite_result(suite: Mapping[str, Any]) -> Any:
    """A suite's merged result as the library's own object."""
    from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
    from great_expectations.core.run_identifier import RunIdentifier

    results = [_result(one) for one in suite["results"]]
    met = sum(one["success"] for one in suite["results"])
    return ExpectationSuiteValidationResult(
        success=suite["success"],
        results=results,
        suite_name=suite["suite"],
        statistics={
            "evaluated_expectations": len(results),
            "successful_expectations": met,
            "unsuccessful_expectations": len(results) - met,
            "success_percent": 100 * met / len(results) if results else None,
        },
        meta={"run_id": RunIdentifier(run_name=suite["suite"])},
    )


def _result(one: Mapping[str, Any]) -> Any:
    from great_expectations.core.expectation_validation_result import ExpectationValidationResult
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    share = 100 * one["unexpected"] / one["evaluated"] if one["evaluated"] else 0.0
    return ExpectationValidationResult(
        success=one["success"],
        expectation_config=ExpectationConfiguration(type=snake(one["expectation"]), kwargs=_settings(one)),
        result={
            "element_count": one["evaluated"],
            "missing_count": 0,
            "missing_percent": 0.0,
            "unexpected_count": one["unexpected"],
            "unexpected_percent": share,
            "unexpected_percent_total": share,
            "unexpected_percent_nonmissing": share,
            # The library puts these into the page as they are.
            "partial_unexpected_list": [html.escape(example) for example in one["examples"]],
        },
        exception_info={"raised_exception": False, "exception_message": None, "exception_traceback": None},
    )


def _settings(one: Mapping[str, Any]) -> dict[str, Any]:
    mostly = {"mostly": one["mostly"]} if one["mostly"] < 1 else {}
    return {**one["arguments"], **mostly}


def snake(name: str) -> str:
    """The library's name of an expectation from its class.

    >>> snake("ExpectColumnPairValuesAToBeGreaterThanB")
    'expect_column_pair_values_a_to_be_greater_than_b'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
