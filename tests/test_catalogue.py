"""No sentence is long or in dialect: what `tests.catalogue` flags in the program."""

from __future__ import annotations

from pathlib import Path

from tests.catalogue import collect_sentences, count_flags, find_flags, is_sentence
from tests.language import list_program_files

TWENTY = "one word after the other " * 4


def read(folder: Path, code: str) -> list[tuple[int, str, str]]:
    path = folder / "module.py"
    path.write_text(code, encoding="utf-8")
    return [(each.line, each.kind, each.text) for each in collect_sentences([path])]


def test_no_sentence_is_flagged() -> None:
    counts = count_flags(collect_sentences(list_program_files()))
    assert {name: n for name, n in counts.items() if n} == {}


SENTENCES = [
    ('raise TandemError(f"there is no {name} in it")', [(1, "refusal", "there is no {…} in it")]),
    (
        'error = FaultError("the disk is full " f"on {place}")',
        [(1, "refusal", "the disk is full on {…}")],
    ),
    ('k = declare(4, "the largest step of Elo")', [(1, "help", "the largest step of Elo")]),
    ('st.button("Go", help="It draws another pair.")', [(1, "help", "It draws another pair.")]),
    ('st.caption("Nobody has voted yet.")', [(1, "message", "Nobody has voted yet.")]),
    (
        "note = f\"we have found {f'no votes by people {n}' if n else x}\"",
        [(1, "message", "no votes by people {…}")],
    ),
    ('note = "Nobody has " + "voted on it"', [(1, "message", "Nobody has voted on it")]),
    ('"""What the module is about."""\ndef f():\n    """What the function does."""', []),
    ('store.read("SELECT id FROM votes WHERE judge = ?")', []),
    ('label = "Win ratio"', []),
]


def test_sentences_are_found(tmp_path: Path) -> None:
    for code, sentences in SENTENCES:
        assert read(tmp_path, code) == sentences


FLAGGED = [
    ("Position bias cannot be told from quality.", ["told"]),
    ("These systems can be told apart.", []),
    ("The address stands in the file.", ["stands"]),
    ("A dot stands for a judge.", []),
    ("Ask whoever invited you to send it anew.", ["anew", "whoever"]),
    ("{…} is no folder: name one", ["is no"]),
    ("There is no folder {…}: create it", []),
    ("Of these, the ones in both orders", ["begins with Of"]),
    ("It is there. Of these it is one.", ["begins with Of"]),
    (TWENTY, []),
    (TWENTY + "more", ["21 words"]),
    (f"It ends here. {TWENTY.capitalize()}", []),
    (TWENTY + "`rank --method elo --k 4`", ["21 words"]),
]


def test_texts_are_flagged() -> None:
    for text, flags in FLAGGED:
        assert find_flags(text) == flags


def test_code_is_no_sentence() -> None:
    for text in [
        "one two three",
        "#page {color: red; margin: 0 auto}",
        r"\bthe (?:one|two) or more\b",
    ]:
        assert not is_sentence(text)
