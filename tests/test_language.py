"""Names and docstrings are written as the field writes them: what `tests.language` finds in the
program. `./run check` runs this.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language import find_flaws, list_program_files


def write(folder: Path, text: str) -> list[tuple[str, str]]:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return [(flaw.kind, flaw.name) for flaw in find_flaws([path])]


def test_the_program_has_no_flaw() -> None:
    assert list(find_flaws(list_program_files())) == []


@pytest.mark.parametrize(
    ("code", "flaws"),
    [
        ("def told(): ...", [("participle", "told")]),
        ("def _planned(): ...", [("participle", "_planned")]),
        ("def feed(): ...\ndef read(): ...\ndef count_planned(): ...", []),
        ("def anew(): ...", [("pronoun, adverb or preposition", "anew")]),
        ("def _of(): ...\ndef of_runs(): ...", [("pronoun, adverb or preposition", "_of")]),
        ('def f():\n    """What to be told."""', [("headless docstring", "f")]),
        ('def f():\n    """Whatever this is, a sentence."""', []),
        ("class Measured: ...\nclass MeasuredPairs: ...", [("participle", "Measured")]),
        ("class A: ...\nclass A: ...", [("doubled class", "A"), ("doubled class", "A")]),
    ],
)
def test_flaws_are_found(tmp_path: Path, code: str, flaws: list[tuple[str, str]]) -> None:
    assert write(tmp_path, code) == flaws
