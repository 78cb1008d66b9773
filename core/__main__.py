"""The command line, `python -m core`: the same things as the pages, for scripts. `docs/cli.md` is
its contract.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .cli import COMMANDS, BrokenError, flag, parse, print_output, warn
from .records import FaultError, TandemError, render_options

if TYPE_CHECKING:
    from .store import Store

GOES_ON = "what was finished is kept, and the same command continues"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    It is 0 if the command is done. It is 2 if the request is wrong; nothing was written then. It is
    1 if the request is right but something failed, such as a full disk.
    """
    try:
        words = sys.argv[1:] if arguments is None else arguments
        _check_words(words)
        args = parse(words)

        from .store import DEFAULT_STORE, Store  # not for --help: it takes a second

        args.store = args.store or Path(os.environ.get("TANDEM_STORE") or DEFAULT_STORE)
        task = COMMANDS[args.command].read(args)
        path = ":memory:" if task.is_without_store else args.store
        opening = {"create": task.begins_store, "untouched": task.command.untouched}
        with (
            task.guard_outputs(),
            Store(path, **opening) as store,
            _report_damage(store),
            _terminable(),
        ):
            answer = task.answer(store)
        warn(*task.notes)
        text = (
            json.dumps(answer.document, ensure_ascii=False, allow_nan=False)
            if args.json
            else answer.text
        )
        if text:
            print_output(text)
        return answer.status
    except FaultError as error:
        return _report_error(f"{render_options(error.sentence, flag)}; {GOES_ON}", 1)
    except TandemError as error:
        return _report_error(render_options(error.sentence, flag), 2)
    except BrokenError as error:
        return _report_error(str(error), 1)
    except KeyboardInterrupt:
        return _report_error(
            "stopped; what was finished is kept, and the same command continues", 1
        )
    except (
        BrokenPipeError
    ):  # whoever read our output has left: nobody to tell, and nothing more to flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("TANDEM_TRACEBACK"):
            raise
        return _report_error(
            f"{type(error).__name__}: {error}; {GOES_ON} (TANDEM_TRACEBACK=1 shows where it broke)",
            1,
        )


def _check_words(words: Sequence[str]) -> None:
    """Check that each word is UTF-8 text or names a file. Raises TandemError otherwise."""
    for word in words:
        if word != word.encode(errors="replace").decode() and not os.path.exists(word):
            raise TandemError(
                f"{word!r} is not text in UTF-8: type it again, or rename the file it is about"
            )


@contextmanager
def _report_damage(store: Store) -> Iterator[None]:
    """Raise FaultError instead of an unexpected error if the store is damaged.

    Rows that contradict each other are such damage.
    """
    try:
        yield
    except (TandemError, BrokenError, BrokenPipeError):
        raise
    except Exception as error:
        if store.connection.check()["ok"]:
            raise
        raise FaultError(f"{store.path} is damaged: restore a backup") from error


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():  # only there signals are met
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _report_error(what: str, status: int) -> int:
    """Print an error as one line on standard error, and return the exit status."""
    warn(" ".join(what.splitlines()))
    return status


if __name__ == "__main__":
    sys.exit(main())
