"""Log lines without words of the data: an exception is told by type and place, its message at DEBUG alone."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator
from types import TracebackType

from pipelines.manifest import GateTripped
from pipelines.options import UsageError
from transforms.checkers import BrokenChecker

LEVEL_VARIABLE = "NEARMISS_LOG"
WITHHELD = f"(what it says may quote an answer: set {LEVEL_VARIABLE}=DEBUG to see it)"
# Their messages name files, options and counts, never words of an answer or a passage.
PLAIN = (OSError, MemoryError, ImportError, UsageError, GateTripped, BrokenChecker)
# Shorter parts of a message stand in any other.
_LEAST_QUOTE = 4
_STEP = " [while running "
_FORMAT, _TIME = "%(asctime)s %(message)s", "%H:%M:%S"
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class QuietFormatter(logging.Formatter):
    """Formats a record without the messages of the exceptions that it carries, in its own message too."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; what other handlers see of it stays as it is."""
        quiet = logging.makeLogRecord(record.__dict__)
        quiet.exc_text = None
        message = quiet.getMessage()
        for text in _quoted(record):
            message = message.replace(text, WITHHELD)
        quiet.msg, quiet.args = message, ()
        return super().format(quiet)

    def formatException(self, ei: _ExcInfo) -> str:
        """Tell an exception and what caused it by type and place."""
        return "\n".join(part for one in _chain(ei[1]) for part in _told(one))


def _quoted(record: logging.LogRecord) -> list[str]:
    """What a record's message may repeat of exceptions, the longest first: one that was raised anew holds the text of the first."""
    given = record.args if isinstance(record.args, tuple) else ()
    named = [one for one in (record.msg, *given) if isinstance(one, BaseException)]
    errors = [one for start in (record.exc_info[1] if record.exc_info else None, *named) for one in _chain(start)]
    told = [one for one in errors if not isinstance(one, PLAIN)]
    texts = [*map(str, told), *(part for one in told for part in map(str, one.args) if len(part) >= _LEAST_QUOTE)]
    # Which step it was, Beam adds behind the text.
    return sorted({text.partition(_STEP)[0] for text in texts} - {""}, key=len, reverse=True)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and what it came of."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _told(error: BaseException) -> Iterator[str]:
    message = str(error) if isinstance(error, PLAIN) else WITHHELD if str(error) else ""
    yield f"{type(error).__name__}{f': {message}' if message else ''}"
    # The lines of a traceback are our code, but for the notes and messages that follow them.
    yield "".join(traceback.format_tb(error.__traceback__)).rstrip()


def configure_logging() -> None:
    """Log warnings to stderr, of our own packages what is going on; with NEARMISS_LOG=DEBUG everything, exceptions whole."""
    debug = os.environ.get(LEVEL_VARIABLE, "").upper() == "DEBUG"
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format=_FORMAT, datefmt=_TIME, force=True)
    for package in ("pipelines", "transforms"):
        logging.getLogger(package).setLevel(logging.DEBUG if debug else logging.INFO)
    if not debug:
        for handler in logging.getLogger().handlers:
            handler.setFormatter(QuietFormatter(_FORMAT, _TIME))
