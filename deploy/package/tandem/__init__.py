"""Tandem, installed: `import tandem` has the names of `core`, the face for notebooks, and `tandem`
is its command line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

_PROGRAM = Path(__file__).parent / "program"
if _PROGRAM.is_dir():  # installed: `tandem.pth` puts it last, behind anybody's package `core`
    sys.path.insert(0, str(_PROGRAM))

import core  # noqa: E402

if _PROGRAM.is_dir() and not Path(core.__file__).is_relative_to(_PROGRAM):
    raise ImportError(f"another package `core` was imported before Tandem's: {core.__file__}")

if TYPE_CHECKING:
    from core import *  # noqa: F403
    from core import __version__ as __version__


def __getattr__(name: str) -> Any:
    """A name of the face, when it is used."""
    try:
        return getattr(core, name)
    except AttributeError:
        raise AttributeError(f"module 'tandem' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return dir(core)


def run_command() -> int:
    """Run the command line, `tandem ...`, as `python -m core ...` does."""
    from core.__main__ import main

    return main()
