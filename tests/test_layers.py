"""A folder is a stage of the pipeline: whom it may import, and only from faces."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests import layers
from tests.paths import ROOT


def rooms(names: str, within: str = "core.") -> set[str]:
    return {within + name for name in names.split()}


FLOORS = (
    {"core"} | rooms(
        "records failures frames installation moments prices processes seeds settings statistics "
        "output_files whole_files scratch"
    ),
    rooms("labels store models rendering"),
    rooms("access pairing similarity"),
    rooms("importing judging"),
    rooms("findings runs"),
    rooms("sample_study exporting campaigns catalogue contents"),
    rooms("reporting"),
    rooms("cli notebook") | {"pages"},
    {"core.__main__", "app"},
)  # fmt: skip
"""A room imports from lower floors alone."""

VOCABULARY = FLOORS[0] - {"core"} | {"core.labels"}
BELOW_DOORS = set().union(*FLOORS[:7])
OWN = {
    "core": "", "core.records": "", "core.frames": "", "core.moments": "", "core.prices": "",
    "core.processes": "", "core.seeds": "", "core.statistics": "",
    "core.failures": "records", "core.installation": "records", "core.settings": "records",
    "core.labels": "records", "core.output_files": "records whole_files",
    "core.whole_files": "processes records", "core.scratch": "processes records",
    "core.__main__": "cli records store",
}  # fmt: skip
WITH_VOCABULARY = {
    "core.rendering": "", "core.store": "", "core.models": "", "core.access": "store",
    "core.pairing": "store", "core.similarity": "store models", "core.importing": "store pairing",
    "core.judging": "store models similarity",
    "core.findings": "store pairing similarity judging importing rendering",
    "core.runs": "store models pairing similarity judging",
    "core.sample_study": "store pairing similarity judging runs",
    "core.exporting": "store findings rendering",
    "core.campaigns": "store access pairing findings", "core.catalogue": "store findings",
    "core.contents": "store importing findings",
    "core.reporting": "campaigns catalogue store pairing similarity findings exporting rendering",
}  # fmt: skip
ALLOWED: dict[str, set[str]] = {
    **{room: rooms(names) for room, names in OWN.items()},
    **{room: VOCABULARY | rooms(names) for room, names in WITH_VOCABULARY.items()},
    **dict.fromkeys(("core.cli", "core.notebook", "pages"), BELOW_DOORS),
    "app": {"pages"},
}
"""room -> the rooms it may import from."""

WITHIN_FINDINGS: dict[str, set[str]] = {
    "judgements": set(),
    **{
        part: rooms(f"judgements {names}", "")
        for part, names in {
            "separability": "", "probes": "", "people": "", "budget": "", "drift": "",
            "leaderboard": "separability", "agreement": "separability",
            "bias": "separability", "items": "separability", "correlation": "leaderboard",
            "combine": "leaderboard", "compare": "combine", "accuracy": "people correlation",
            "plan": "leaderboard budget combine",
            "lab": "accuracy agreement bias budget correlation separability",
            "share": "separability budget combine",
            "chart": "accuracy bias combine correlation lab plan probes share",
        }.items()
    },
}  # fmt: skip

FILES = [path.relative_to(ROOT).as_posix() for path in layers.modules().values()]

HEAVY = {"torch", "transformers", "sentence_transformers", "bert_score", "openai", "ray"}
SLOW = ("scipy.stats", "scipy.optimize")  # half a second of processor time for every command
ONLY_IN = {  # package -> the paths that may import it
    "streamlit": ("app.py", "pages/"),
    "sqlite3": ("core/store/",),
    "duckdb": ("core/importing/database.py",),
    **dict.fromkeys(HEAVY, ("core/models/",)),
}


CALLED = ("__import__", "importlib.import_module", "import_module")


def imports(tree: ast.AST, at_import: bool = True) -> Iterator[tuple[str, bool]]:
    """Every module a tree imports, and whether that happens when the file itself is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, at_import) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module
            yield node.module, at_import
            yield from ((f"{node.module}.{alias.name}", at_import) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in CALLED:
            found = node.args[0] if node.args else None
            if isinstance(found, ast.JoinedStr) and ast.unparse(found.values[0]) == "'.'":
                continue  # a module of its own folder
            yield (str(found.value) if isinstance(found, ast.Constant) else "?", at_import)
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        )
        yield from imports(node, at_import and not later)


def offences(path: str, source: str) -> list[str]:
    """What a file of that path may not import, but does."""
    found = []
    for module, at_import in imports(layers.read_tree(source, path.rpartition("/")[0])):
        package = module.partition(".")[0]
        if not path.startswith(ONLY_IN.get(package, "")):
            found.append(f"{path} may not import {module}")
        if at_import and (package in HEAVY or module.startswith(SLOW)):
            found.append(f"{path} imports {module} before it is needed")
        if path.startswith("core/") and package in ("app", "pages"):
            found.append(f"{path} may not know the pages: {module}")
        if path.startswith("core/statistics/") and (
            package == "pandas"
            or (module.startswith("core.") and not module.startswith("core.statistics"))
        ):
            found.append(f"{path} takes arrays only, and may not import {module}")
        if module == "?":
            found.append(f"{path} imports something that cannot be read off")
    return found


def list_by_name(path: str, source: str) -> list[str]:
    """The modules of core that a file of core calls `core`: installed, they are tandem's."""
    return [
        f"{path}: {node.module}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "core"
        if not node.level
    ]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_engine_imports_itself_by_relative_names() -> None:
    own = [path for path in FILES if path.startswith("core/")]
    assert [one for path in own for one in list_by_name(path, read(path))] == []
    assert list_by_name("core/runs/compare.py", "def f():\n    from core.store import Store")


def test_permissions() -> None:
    assert [offence for path in FILES for offence in offences(path, read(path))] == []


def trespasses(arrows: layers.Arrows, allowed: layers.Arrows) -> list[str]:
    """What a room imports from where it may not."""
    return [
        f"{room} may not import from {target}"
        for room, targets in arrows.items()
        for target in sorted(targets - allowed.get(room, set()))
    ]


def test_rooms_import_from_where_they_may() -> None:
    assert trespasses(layers.between_rooms(), ALLOWED) == []
    assert trespasses(layers.between_parts(), WITHIN_FINDINGS) == []


def test_every_room_is_in_the_table() -> None:
    rooms = {layers.room(module) for module in layers.modules()} - {"core.findings"}
    assert rooms <= set(ALLOWED)
    assert set(ALLOWED) == {room for floor in FLOORS for room in floor}
    assert "core.store.store" in layers.modules()


def test_the_table_has_no_arrow_upward() -> None:
    height = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    upward = [
        (room, target)
        for room, targets in ALLOWED.items()
        for target in targets
        if height[target] >= height[room] and not (room in VOCABULARY and target in VOCABULARY)
    ]
    assert [pair for pair in upward if pair[1] not in VOCABULARY] == []
    assert layers.circle(ALLOWED) == []
    assert layers.circle(WITHIN_FINDINGS) == []


def test_there_is_no_circle_and_at_most_eleven_floors() -> None:
    assert layers.circle(layers.between_rooms()) == []
    assert layers.circle(layers.between_modules()) == []
    assert max(layers.floors(layers.between_rooms()).values()) <= 11


def test_a_circle_and_a_trespass_are_seen() -> None:
    arrows = layers.between_rooms()
    assert "core.runs" not in arrows["core.judging"]
    worse = {**arrows, "core.judging": arrows["core.judging"] | {"core.runs"}}
    [trespass] = trespasses(worse, ALLOWED)
    assert re.findall(r"core\.\w+", trespass) == ["core.judging", "core.runs"]
    assert {"core.judging", "core.runs"} <= set(layers.circle(worse))
    with pytest.raises(ValueError, match="a circle: core"):
        layers.floors(worse)


def past_the_face(module: str, source: str) -> list[str]:
    """What a module takes from behind a face; only a chart may, of its finding."""
    own, behind = layers.room(module), []
    folder = KNOWN[module].parent.relative_to(ROOT).as_posix()
    for node in ast.walk(layers.read_tree(source, folder)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("core."):
            is_face = node.module in FACES
            if layers.room(node.module) != own and not is_face:
                behind.append(f"{module} reaches behind a face: {node.module}")
            if (
                is_face
                and not module.endswith(".chart")
                and module.startswith(f"{node.module}.")
                and any(f"{node.module}.{a.name}" not in KNOWN for a in node.names)
            ):
                behind.append(f"{module} imports its own package's face: {node.module}")
    return behind


KNOWN = layers.modules()
FACES = {
    name
    for name, path in KNOWN.items()
    if path.name == "__init__.py"
    or name.count(".") < 2
    or name.endswith(".chart")  # whoever draws a finding: altair takes a while to import
}


def test_rooms_are_entered_by_their_faces() -> None:
    files = KNOWN.items()
    assert [
        one for name, path in files for one in past_the_face(name, path.read_text("utf-8"))
    ] == []


def test_a_way_past_a_face_is_seen() -> None:
    ways = [
        ("pages.judges", "from core.findings.bias.compute import bias"),
        ("core.runs.compare", "def f():\n    from core.judging.registry import make"),
        ("core.runs.compare", "from ..judging.registry import make"),
        ("core.judging.registry", "from core.judging import make"),
    ]
    assert [way for way in ways if len(past_the_face(*way)) != 1] == []


MODELS = "core/models/language.py"


def test_an_offence_is_seen_and_what_is_allowed_passes() -> None:
    forbidden = [
        ("core/reports.py", "import streamlit as st"),
        ("core/reports.py", "def f():\n    from sqlite3 import connect"),
        ("pages/data.py", "import sqlite3"),
        ("core/judging.py", "def f():\n    import torch"),
        ("core/judging.py", "def f():\n    __import__('torch')"),
        (MODELS, "import torch.nn"),
        (MODELS, "try:\n    from transformers import AutoModel\nexcept ImportError: pass"),
        *(("core/statistics/bias.py", line) for line in (
            "import pandas as pd", "from core.records import Outcome", "from core import records",
            "from ..records import Outcome", "from .. import records",
        )),
        ("core/reports.py", "from pages.components import frame"),
        ("core/reports.py", "import importlib\nimportlib.import_module(name)"),
    ]  # fmt: skip
    allowed = [
        ("app.py", "import streamlit"),
        ("pages/components/frame.py", "import streamlit"),
        ("core/store/schema.py", "import sqlite3"),
        (MODELS, "def f():\n    import torch"),
        (MODELS, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("core/statistics/bias.py", "import numpy\nfrom core.statistics.ratings import elo"),
        ("core/statistics/bias.py", "from .ratings import elo"),
    ]
    assert [case for case in forbidden if not offences(*case)] == []
    assert [case for case in allowed if offences(*case)] == []
