"""Log lines without words of the data: an exception is told by type and place, its message at DEBUG alone."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator
from types import TracebackType

from pipelines.manifest import GateTripped
from pipelines.options import UsageError

LEVEL_VARIABLE = "NEARMISS_LOG"
WITHHELD = f"(what it says may quote an answer: set {LEVEL_VARIABLE}=DEBUG to see it)"
# Their messages name files, options and counts, never words of an answer or a passage.
PLAIN = (OSError, MemoryError, ImportError, UsageError, GateTripped)
_FORMAT, _TIME = "%(asctime)s %(message)s", "%H:%M:%S"
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class QuietFormatter(logging.Formatter):
    """Formats a record without the messages of the exceptions that it carries, in its own message too."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; what other handlers see of it stays as it is."""
        quiet = logging.makeLogRecord(record.__dict__)
        quiet.exc_text = None
        error = record.exc_info[1] if record.exc_info else None
        message = quiet.getMessage()
        for one in _chain(error):
            if not isinstance(one, PLAIN) and str(one):
                message = message.replace(str(one), WITHHELD)
        quiet.msg, quiet.args = message, ()
        return super().format(quiet)

    def formatException(self, ei: _ExcInfo) -> str:
        """Tell an exception and what caused it by type and place."""
        return "\n".join(part for one in _chain(ei[1]) for part in _told(one))


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
