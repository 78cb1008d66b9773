"""Names and docstrings are written as the field writes them: what `tests.language` finds in the
program. `./run check` runs this.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.language import find_flaws, list_program_files

FOLDERS = ("core", "pages", "app.py")
WAITING: dict[str, int] = {}
"""Flaws that are known, by kind. A number may only go down, and a new kind or a new flaw fails."""

DONE = ("core/findings", "core/statistics", "pages", "app.py")
"""Rooms without a flaw, which stay so."""


def write(folder: Path, text: str) -> list[tuple[str, str]]:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return [(flaw.kind, flaw.name) for flaw in find_flaws([path])]


def test_the_program_has_the_flaws_that_wait_and_no_other() -> None:
    """Whoever mends one writes the smaller number down."""
    assert dict(Counter(flaw.kind for flaw in find_flaws(list_program_files(FOLDERS)))) == WAITING


@pytest.mark.parametrize("room", DONE)
def test_a_room_that_is_done_stays_so(room: str) -> None:
    assert list(find_flaws(list_program_files([room]))) == []


@pytest.mark.parametrize(
    ("code", "flaws"),
    [
        ("def told(): ...", [("participle", "told")]),
        ("def _planned(): ...", [("participle", "_planned")]),
        ("def feed(): ...\ndef read(): ...\ndef count_planned(): ...", []),
        ("def anew(): ...", [("pronoun or adverb", "anew")]),
        ('def f():\n    """What to be told."""', [("headless docstring", "f")]),
        ('def f():\n    """Whatever this is, a sentence."""', []),
        ("class A: ...\nclass A: ...", [("doubled class", "A"), ("doubled class", "A")]),
    ],
)
def test_flaws_are_found(tmp_path: Path, code: str, flaws: list[tuple[str, str]]) -> None:
    assert write(tmp_path, code) == flaws
