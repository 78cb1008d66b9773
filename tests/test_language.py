"""Names and docstrings are written as the field writes them: what `tests.language` finds."""

from __future__ import annotations

from pathlib import Path

from tests.language import find_flaws, list_program_files


def write(folder: Path, text: str) -> list[tuple[str, str]]:
    path = folder / "module.py"
    path.write_text(text, encoding="utf-8")
    return [(flaw.kind, flaw.name) for flaw in find_flaws([path])]


def test_the_program_has_no_flaw() -> None:
    assert list(find_flaws(list_program_files())) == []


FLAWS = [
    ("def _told(): ...", [("participle", "_told")]),
    ("def _by_item(): ...", [("begins with a preposition or pronoun", "_by_item")]),
    ("def count(): ...", [("no docstring", "count")]),
    ("def _planned(): ...", [("participle", "_planned")]),
    ("def _feed(): ...\ndef _read(): ...\ndef _count_planned(): ...", []),
    ("def _anew(): ...", [("pronoun, adverb or preposition", "_anew")]),
    ("def _of(): ...", [("pronoun, adverb or preposition", "_of")]),
    ('def f():\n    """What to be told."""', [("headless docstring", "f")]),
    ('def f():\n    """Whatever this is, a sentence."""', []),
    ("class _Measured: ...\nclass _MeasuredPairs: ...", [("participle", "_Measured")]),
    ("class _A: ...\nclass _A: ...", [("doubled class", "_A"), ("doubled class", "_A")]),
]


def test_flaws_are_found(tmp_path: Path) -> None:
    for code, flaws in FLAWS:
        assert write(tmp_path, code) == flaws
