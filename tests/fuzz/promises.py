"""What is promised of every input, and how a promise is found broken."""

from __future__ import annotations

import io
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from core.__main__ import main
from core.records import TandemError

LINES, LONG = 3, 1500  # of a message: what a person reads


class BrokenPromiseError(Exception):
    """What was promised of every input does not hold of this one."""


def check_message(message: str) -> None:
    """Raises BrokenPromiseError for a message that nobody should have to read."""
    if message.count("\n") >= LINES or len(message) > LONG:
        raise BrokenPromiseError(f"a message of {len(message)} characters: {message[:300]!r}")
    if any(unicodedata.category(each) == "Cc" for each in message if each not in "\t\r\n"):
        raise BrokenPromiseError(f"control characters in the message {message[:300]!r}")
    if "Traceback" in message or not message.strip():
        raise BrokenPromiseError(f"no message for people: {message[:300]!r}")


@contextmanager
def one_message() -> Iterator[None]:
    """What is refused inside is refused in a message for people."""
    try:
        yield
    except TandemError as error:
        check_message(str(error))


def obeyed(words: Sequence[str]) -> int:
    """The status of a command. Raises BrokenPromiseError where it ends otherwise."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main(words)
    except SystemExit as left:  # --help
        status = int(left.code or 0)
    except Exception as error:
        raise BrokenPromiseError(f"{shlex.join(words)}: {error!r}") from error
    if status not in (0, 1, 2):
        raise BrokenPromiseError(f"{shlex.join(words)}: status {status}")
    if status:
        for line in err.getvalue().splitlines():
            check_message(line)
    return status
