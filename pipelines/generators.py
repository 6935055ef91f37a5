"""Get a generator's answers to pinned contexts, from a recording or from a Python function."""

from __future__ import annotations

import importlib
import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from numbers import Real
from pathlib import Path
from typing import Any

from cases.grading import Question
from cases.replies import Generated, Generator, Prompt
from cases.suite import short
from pipelines.judge import read_jsonl
from pipelines.options import UsageError

LOG_EVERY = 10.0
KEY = "OPENAI_API_KEY"
log = logging.getLogger(__name__)


def generate(generator: Generator, prompts: Sequence[Prompt], concurrency: int) -> list[Generated]:
    """Ask every prompt, `concurrency` at once; one answer a prompt, in the order of the prompts.

    A generator that raises, or whose answer is empty, gives a row with an `error`. Raises UsageError for a concurrency below 1.
    """
    if concurrency < 1:
        raise UsageError(f"at least one question has to be asked at once: concurrency={concurrency}; give 1 or more")
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="generate")
    try:
        asked = [pool.submit(_ask, generator, prompt) for prompt in prompts]
        waiting = wait(asked, LOG_EVERY).not_done
        while waiting:
            log.info("answers: %d of %d", len(asked) - len(waiting), len(asked))
            waiting = wait(waiting, LOG_EVERY).not_done
        return [future.result() for future in asked]
    finally:
        # After Ctrl-C the answers under way are awaited, those to come are not asked for.
        pool.shutdown(cancel_futures=True)


def _ask(generator: Generator, prompt: Prompt) -> Generated:
    try:
        found = generator(prompt)
    except Exception as error:
        return _failed(error)
    if found.error is None and not found.answer.strip():
        # It declines nothing: that takes words.
        return found._replace(answer="", error="the answer is empty")
    # Lone surrogates, which JSON can spell, fit into no file.
    return found._replace(answer=found.answer.encode("utf-8", "replace").decode("utf-8"))


def _failed(error: BaseException) -> Generated:
    return Generated("", error=one_line(f"{type(error).__name__}: {error}"))


def one_line(text: str) -> str:
    """Make a message fit for a table: one line, not long, without the API key."""
    key = os.environ.get(KEY)
    hidden = text.replace(key, "***") if key else text
    line = "".join(character for character in " ".join(hidden.split()) if character.isprintable())
    return line if len(line) <= 300 else f"{line[:297]}..."


# --- fields that others wrote -----------------------------------------------------------------------------------------------------


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_strings(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_string, value))


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def _is_duration(value: Any) -> bool:
    return _is_number(value) and value >= 0


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_Wanted = tuple[Callable[[Any], bool], str]
_RETURNED: dict[str, _Wanted] = {
    "answer": (_is_string, "a string"),
    "citations": (_is_strings, "a list of chunk ids"),
    "score": (_is_number, "a finite number"),
}
_RECORDED: dict[str, _Wanted] = {
    **_RETURNED,
    "error": (_is_string, "a string"),
    "seconds": (_is_duration, "a number of at least 0"),
    "prompt_tokens": (is_count, "a whole number of at least 0"),
    "completion_tokens": (is_count, "a whole number of at least 0"),
}


def _generated(fields: Mapping[str, Any], wanted: Mapping[str, _Wanted]) -> Generated:
    """Check the fields that are wanted, null being none, and build the answer; raises ValueError that names field and value."""
    given = {name: fields[name] for name in wanted if fields.get(name) is not None}
    for name, value in given.items():
        fits, words = wanted[name]
        if not fits(value):
            raise ValueError(f"field {name!r} must be {words}, found {short(value)}")
    error = given.pop("error", None) or None
    if error and given.get("answer"):
        raise ValueError(f"field 'answer' must be empty beside an error, found {short(given['answer'])}; keep one of the two")
    if not error and "answer" not in given:
        raise ValueError("field 'answer' must be a string, found None")
    score = float(given["score"]) if "score" in given else None
    given |= {"answer": given.get("answer", ""), "citations": tuple(given.get("citations", ())), "score": score}
    return Generated(**given, error=one_line(error) if error else None)


# --- a recording ------------------------------------------------------------------------------------------------------------------


def recorded(path: Path, cases: Iterable[Question]) -> Generator:
    """Replay answers from JSON Lines, one object a case; a case without a row gets an `error`.

    A row holds `case_id` and `answer`, and may hold `citations` (chunk ids of the case's context), `score`, `error` (then there is
    no answer), `seconds`, `prompt_tokens` and `completion_tokens`. Raises UsageError that names file, line, field and value.
    """
    shown = {case.id: {chunk.chunk_id for chunk in case.context} for case in cases}
    answers: dict[str, Generated] = {}
    for where, row in _numbered(path):
        case_id = row["case_id"]
        if case_id not in shown:
            raise UsageError(f"{where}: field 'case_id' names no case of the suite: {case_id!r}; take out the row")
        if case_id in answers:
            raise UsageError(f"{where}: field 'case_id' stands on an earlier line too: {case_id!r}; keep one row a case")
        answers[case_id] = _recorded_answer(where, row, shown[case_id])

    def replay(prompt: Prompt) -> Generated:
        return answers.get(prompt.case_id, Generated("", error="no answer is recorded for this case"))

    return replay


def _numbered(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read rows, each with its place in the file."""
    rows = read_jsonl(path, ("case_id",))
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    numbers = (number for number, line in enumerate(lines, start=1) if line.strip())
    unread = {name for row in rows for name in row} - {"case_id", *_RECORDED}
    if unread:
        log.info("%s: fields that are not read: %s", path, ", ".join(sorted(unread)))
    yield from ((f"{path}, line {number}", row) for number, row in zip(numbers, rows, strict=True))


def _recorded_answer(where: str, row: Mapping[str, Any], shown: set[str]) -> Generated:
    try:
        answer = _generated(row, _RECORDED)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    for chunk_id in answer.citations:
        if chunk_id not in shown:
            raise UsageError(
                f"{where}: field 'citations' names no chunk of the context: {chunk_id!r}; use {', '.join(sorted(shown)) or 'none'}"
            )
    return answer


# --- a Python function ------------------------------------------------------------------------------------------------------------


def from_module(name: str) -> Generator:
    """Call `function(question, passages)` of "module:function", from several threads where concurrency is above 1.

    `passages` is a fresh list of {"chunk_id", "text"}. The function returns the answer or a dict of `answer` and, as it likes,
    `citations` and `score`; an exception or anything else gives an `error`. Raises UsageError where there is no such function.
    """
    function = _load(name)

    def call(prompt: Prompt) -> Generated:
        passages = [{"chunk_id": chunk.chunk_id, "text": chunk.text} for chunk in prompt.chunks]
        started = time.monotonic()
        try:
            found = _returned(function(prompt.question, passages))
        except (Exception, SystemExit) as error:
            found = _failed(error)
        return found._replace(seconds=time.monotonic() - started)

    return call


def _load(name: str) -> Callable[..., Any]:
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise UsageError(f"not a function: {name!r}; write module:function")
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"cannot import {module_name!r} of {name!r}: {type(error).__name__}: {error}; run where it can be imported"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        found = (
            f"{function_name!r} is {type(function).__name__}" if hasattr(module, function_name) else f"no {function_name!r} in it"
        )
        raise UsageError(f"cannot call {name!r}: {found}; name a function of {module_name!r}")
    return function


def _returned(value: Any) -> Generated:
    if isinstance(value, str):
        return Generated(value)
    if not isinstance(value, dict):
        raise TypeError(f"the function returned {type(value).__name__}: {short(value)}; return a str or a dict with 'answer'")
    if unknown := [key for key in value if key not in _RETURNED]:
        raise ValueError(f"the function returned unknown fields: {short(unknown)}; use {', '.join(_RETURNED)}")
    return _generated(value, _RETURNED)
