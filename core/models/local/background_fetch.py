"""Fetching the small model in a process of its own, for a page that may be closed meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from ...installation import PROGRAM
from ...processes import is_alive
from ...whole_files import atomic_write
from . import small_model

FAILED = "tandem: "
"""What the last line of a command that fails begins with."""

STARTING_SECONDS = 60.0
"""Time from its start in which a process counts as at work by its number alone. Numbers come
again.
"""


@dataclass(frozen=True)
class FetchState:
    """State of a fetch: `line` is its current step, `failure` why the latest one brought
    nothing.
    """

    is_running: bool = False
    line: str = ""
    failure: str = ""


def start_fetch() -> None:
    """Start a process that fetches the small model, unless one does. It outlives this process.

    Raises TandemError where the folder of models cannot be written.
    """
    if small_model.is_fetched() or read_fetch_state().is_running:
        return
    log = _log_file()
    with small_model.write_errors():
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "core", "model"],
                cwd=PROGRAM,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        with atomic_write(_process_file()) as part:
            part.write_text(str(process.pid))
    # Waited for, so that its number is free once it has ended.
    Thread(target=process.wait, daemon=True).start()


def read_fetch_state() -> FetchState:
    """Read the state of the latest fetch, also of one that another process started."""
    if small_model.is_fetched():
        return FetchState()
    lines: list[str] = []
    with suppress(OSError):
        lines = _log_file().read_text(errors="replace").split("\n")
    line = next((line for line in reversed(lines) if line.strip()), "")
    if _is_starting() or small_model.is_being_fetched():
        return FetchState(is_running=True, line=line)
    if not line:
        return FetchState()
    ended = "it ended before the model was whole: fetch it again"
    return FetchState(failure=line.removeprefix(FAILED) if line.startswith(FAILED) else ended)


def _is_starting() -> bool:
    """Return whether the process was started just now: a little later it holds the lock of the
    fetch.
    """
    with suppress(OSError, ValueError):
        is_new = time.time() - _log_file().stat().st_mtime < STARTING_SECONDS
        return is_new and is_alive(int(_process_file().read_text()))
    return False


def _log_file() -> Path:
    return small_model.cache_folder() / ".fetching.log"


def _process_file() -> Path:
    return small_model.cache_folder() / ".fetching.pid"
