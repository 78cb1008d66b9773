"""The command that opens the pages in the browser."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ..installation import PROGRAM
from ..store import Store
from .command import Command
from .output import CommandAnswer


@dataclass(frozen=True)
class AppRequest:
    """Options of `app`: the store to show, and arguments passed on to Streamlit."""

    store: Path
    words: tuple[str, ...] = ()


def serve_pages(store: Store, request: AppRequest) -> CommandAnswer:
    """Become the server of the pages, as `streamlit run app.py`; does not return."""
    streamlit = ("-m", "streamlit", "run", str(PROGRAM / "app.py"))
    environment = {**os.environ, "TANDEM_STORE": str(request.store.absolute())}
    # From another folder, `-m` would look for modules there first: for somebody's own `core`.
    command = [sys.executable, *(["-P"] if os.getcwd() != str(PROGRAM) else []), *streamlit]
    os.execve(sys.executable, [*command, *request.words], environment)


COMMANDS = {
    "app": Command(
        serve_pages,
        request=AppRequest,
        reads=None,
        needs_no_store=lambda asked: True,  # each page opens it
        passes_on=True,
    )
}
