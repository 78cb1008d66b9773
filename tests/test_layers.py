"""A folder is an import permission (DESIGN.md): who may import what, read off every file by ast."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.paths import ROOT

FILES = [
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "app.py", *ROOT.glob("pages/**/*.py"), *ROOT.glob("core/**/*.py")]
]

HEAVY = {"torch", "transformers", "sentence_transformers", "bert_score", "openai", "ray"}
ONLY_IN = {  # package -> the paths that may import it
    "streamlit": ("app.py", "pages/"),
    "sqlite3": ("core/store/",),
    "sqlite_utils": ("core/store/",),
    **dict.fromkeys(HEAVY, ("core/models/",)),
}


def imports(tree: ast.AST, at_import: bool = True) -> Iterator[tuple[str, bool]]:
    """Every module a tree imports, and whether that happens when the file itself is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, at_import) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports hide what is imported"
            assert node.module
            yield node.module, at_import
            yield from ((f"{node.module}.{alias.name}", at_import) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "__import__",
            "importlib.import_module",
            "import_module",
        ):
            found = node.args[0] if node.args else None
            yield (str(found.value) if isinstance(found, ast.Constant) else "?", at_import)
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        )
        yield from imports(node, at_import and not later)


def offences(path: str, source: str) -> list[str]:
    """What a file of that path may not import, but does."""
    found = []
    for module, at_import in imports(ast.parse(source)):
        package = module.partition(".")[0]
        if not path.startswith(ONLY_IN.get(package, "")):
            found.append(f"{path} may not import {module}")
        if package in HEAVY and at_import:
            found.append(f"{path} imports {module} before it is needed")
        if path.startswith("core/") and package in ("app", "pages"):
            found.append(f"{path} may not know the pages: {module}")
        if path.startswith("core/statistics/") and (
            package == "pandas" or (module.startswith("core.") and not module.startswith("core.statistics"))
        ):
            found.append(f"{path} takes arrays only, and may not import {module}")
        if module == "?":
            found.append(f"{path} imports something that cannot be read off")
    return found


@pytest.mark.parametrize("path", FILES)
def test_permissions(path: str) -> None:
    assert offences(path, (ROOT / path).read_text(encoding="utf-8")) == []


def test_every_folder_was_looked_at() -> None:
    folders = {path.rpartition("/")[0] for path in FILES}
    assert {"", "pages", "pages/components", "core", "core/store", "core/models", "core/statistics"} <= folders


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/reports.py", "import streamlit as st"),
        ("core/reports.py", "def f():\n    from sqlite3 import connect"),
        ("pages/data.py", "import sqlite_utils"),
        ("core/judging.py", "def f():\n    import torch"),
        ("core/judging.py", "def f():\n    __import__('torch')"),
        ("core/models/language.py", "import torch.nn"),
        ("core/models/language.py", "try:\n    from transformers import AutoModel\nexcept ImportError: pass"),
        ("core/statistics/bias.py", "import pandas as pd"),
        ("core/statistics/bias.py", "from core.records import Outcome"),
        ("core/statistics/bias.py", "from core import records"),
        ("core/reports.py", "from pages.components import frame"),
        ("core/reports.py", "import importlib\nimportlib.import_module(name)"),
    ],
)
def test_an_offence_is_seen(path: str, source: str) -> None:
    assert len(offences(path, source)) >= 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app.py", "import streamlit"),
        ("pages/components/frame.py", "import streamlit"),
        ("core/store/schema.py", "import sqlite3, sqlite_utils"),
        ("core/models/language.py", "def f():\n    import torch"),
        ("core/models/language.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("core/statistics/bias.py", "import numpy\nfrom core.statistics.ratings import elo"),
    ],
)
def test_what_is_allowed_passes(path: str, source: str) -> None:
    assert offences(path, source) == []
