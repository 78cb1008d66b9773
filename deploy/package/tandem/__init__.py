"""Tandem, installed: `import tandem` has the names of `core`, the face for notebooks, and `tandem`
is its command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import core

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
