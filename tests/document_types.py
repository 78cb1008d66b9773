"""The types of what `from core import ...` gives, for editors and type checkers: those of findings
are read off the functions that `core.notebook` makes of them. `python -m tests.document_types
--write` puts them into core/__init__.pyi; without `--write` it says whether that is up to date.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap

from core import notebook
from tests.document import update
from tests.paths import ROOT

STUB = ROOT / "core" / "__init__.pyi"
QUALIFIED = re.compile(r"\b((?:core|collections)(?:\.\w+)+)\.(\w+)")
NO_BREAK = "\x00"
HEAD = '''"""Written by `python -m tests.document_types --write`: what a notebook takes from `core`."""

# ruff: noqa
# fmt: off
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # all rooms import this one, and mypy takes these last
'''


def write_stub() -> str:
    """The whole file."""
    own = [name for name in notebook.__all__ if name not in notebook.ASKED]
    signatures = {name: inspect.signature(asked) for name, asked in notebook.ASKED.items()}
    found = QUALIFIED.findall(" ".join(map(str, signatures.values())))
    others = sorted({(module, name) for module, name in found if name not in own})
    imports = [
        f"from {module.removeprefix('core')} import {name}"
        for module, name in sorted(others, key=lambda one: one[0].startswith("core"))
    ]
    faces = [f"from .notebook import {name} as {name}" for name in own]
    functions = [_write_function(name, signature) for name, signature in signatures.items()]
    lines = [*(f"    {line}" for line in (*imports, *faces)), "", "__version__: str", *functions]
    return HEAD + "\n".join(lines)


def _write_function(name: str, signature: inspect.Signature) -> str:
    """Its signature, and the first paragraph of what it says of itself."""
    words = [QUALIFIED.sub(r"\2", str(one)) for one in signature.parameters.values()]
    lines = textwrap.wrap(" ".join(f"{word},".replace(" ", NO_BREAK) for word in words), 96)
    parameters = textwrap.indent("\n".join(lines).replace(NO_BREAK, " "), "    ")
    returns = QUALIFIED.sub(r"\2", inspect.formatannotation(signature.return_annotation))
    first = (inspect.getdoc(notebook.ASKED[name]) or "").partition("\n\n")[0]
    said = textwrap.indent(f'"""{first}"""', "    ")
    return f"\ndef {name}(\n{parameters}\n) -> {returns}:\n{said}\n"


if __name__ == "__main__":
    sys.exit(update({STUB: write_stub()}))
