"""Tandem's engine: the store, the judges and the statistics, without the pages.

It is also the interface for notebooks: `from core import Store, leaderboard`. Where pip installed
it, `tandem` is its name. Names are looked up in `notebook` when they are used, so that importing it
loads nothing. `__init__.pyi` has their types, for editors.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# The store is kept safe by locks of files that Windows does not have.
if sys.platform == "win32":
    raise SystemExit(
        "Tandem runs on Linux and macOS. On Windows, run it in WSL: "
        "https://learn.microsoft.com/windows/wsl/install"
    )

__version__ = "2.0.0"


def __getattr__(name: str) -> Any:
    """Look up a name of the interface, or their list, when it is used."""
    if name != "__all__" and (name.startswith("_") or find_spec(f"{__name__}.{name}")):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    notebook = import_module(".notebook", __name__)
    if name not in ("__all__", *notebook.__all__):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(notebook, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__getattr__("__all__")])
