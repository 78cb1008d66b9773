"""Which test files reach a module, the nearest first."""

from __future__ import annotations

import re
from pathlib import Path

from tests.layers import count_steps

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
