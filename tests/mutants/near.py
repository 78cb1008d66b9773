"""Which test files reach a module, the nearest first."""

from __future__ import annotations

import ast
import re
from collections import deque
from functools import cache
from pathlib import Path

FAR = 9
"""Imports after which a module counts as out of reach."""
SNAPSHOTS = "tests/pages/test_wording.py"
"""The words of all pages as approved."""


def order_test_files(root: Path, path: str) -> list[str]:
    """Order the test files that reach a module: those whose path has most of its path's words, those
    that mention it most often, those that import it by the fewest steps. Streamlit runs pages by
    their path, so they are reached by all tests of pages.
    """
    words = {word for word in re.split(r"[_/.]", path) if len(word) > 3} - {"pages", "components"}
    pages, steps = path.startswith("pages"), count_steps(root, path)
    mention = re.compile(rf"\b\w*{re.escape(Path(path).stem)}|/{Path(path).parent.name}\b")
    ranked = []
    for file in sorted((root / "tests").rglob("test_*.py")):
        name = str(file.relative_to(root))
        reached = steps.get(name, FAR)
        if reached < FAR or (pages and name.startswith("tests/pages")):
            same = len(words & set(re.split(r"[_/.]", name)))
            mentions = min(len(mention.findall(file.read_text("utf-8"))), 3)
            approved = 4 * (name == SNAPSHOTS)
            ranked.append((reached - 3 * same - mentions - approved, name))
    return [name for _, name in sorted(ranked)]


def count_steps(root: Path, path: str) -> dict[str, int]:
    """Count the imports that lead from each file to a module: 1 where the file imports it."""
    importers: dict[str, set[str]] = {}
    for file, imported in _list_imports(root).items():
        for each in imported:
            importers.setdefault(each, set()).add(file)
    steps, waiting = {path: 0}, deque([path])
    while waiting:
        at = waiting.popleft()
        for file in importers.get(at, ()):
            if file not in steps:
                steps[file] = steps[at] + 1
                waiting.append(file)
    return steps


@cache
def _list_imports(root: Path) -> dict[str, frozenset[str]]:
    """File -> the project's files that it imports, both by their path below `root`."""
    found = {}
    for file in (p for room in ("core", "pages", "tests") for p in (root / room).rglob("*.py")):
        imported: set[str] = set()
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module)
                imported.update(f"{node.module}.{alias.name}" for alias in node.names)
        files = (_find_file(root, name) for name in imported)
        found[str(file.relative_to(root))] = frozenset(filter(None, files))
    return found


def _find_file(root: Path, module: str) -> str:
    path = Path(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if (root / candidate).is_file():
            return str(candidate)
    return ""
