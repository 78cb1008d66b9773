"""Files as people have them: each is read right, or refused with the reason and the way out. None
is read wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.importing import Reading, importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore
from tests.importing.wild import FILES, A, V, Wild

SIGNS = {"a": ">", "b": "<", "tie": "=", "both_bad": "!"}


def write(folder: Path, file: Wild) -> Path:
    path = folder / file.name
    path.write_bytes(file.content if isinstance(file.content, bytes) else file.content.encode())
    return path


def told(store: Store, dataset: str = "d") -> str:
    """The votes a store holds, each in a word: v for the first system, a for the second."""
    frame = store.judgement_frames.load_exported(dataset)
    words = []
    for first, winner in zip(frame["system_a"], frame["winner"], strict=True):
        sign = SIGNS.get(winner, "?")
        turned = first not in (V, "ours")
        words.append(f"v{sign.translate(str.maketrans('<>', '><')) if turned else sign}a")
    return " ".join(words)


def test_a_file_is_read_right_or_refused(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for file in FILES:
        with subtests.test(file.name):
            check_reading(open_store(), write(tmp_path, file), file)


def check_reading(store: Store, path: Path, file: Wild) -> None:
    """What a person reads before anything is written names the same winners."""
    if file.refused:
        with pytest.raises(TandemError) as refused:
            importer.load(store, [path], Dataset("d"))
        assert file.refused in str(refused.value)
        assert store.datasets.names() == []
        if not file.way:
            assert not file.kept, "a way out is named"
            return
    way = Reading(**file.way)
    said = importer.examples(store, path, Dataset("d"), way)
    assert store.datasets.names() == []
    found = importer.survey(store, [path], Dataset("d"), way)
    assert found.report.examples == said
    assert 1 <= len(said) <= 3
    importer.write(store, found)
    assert told(store) == file.votes
    assert {A, V} >= set(store.datasets.systems("d")) or "ours" in store.datasets.systems("d")
    _are_stored(said, store)


def _are_stored(said: list[str], store: Store) -> None:
    """Who is preferred in these rows in words is preferred by a vote of the store."""
    frame = store.judgement_frames.load_exported("d")
    preferred = {
        f"{judge} preferred *{one}* to *{other}*"
        for judge, first, second, winner in zip(
            frame["judge"], frame["system_a"], frame["system_b"], frame["winner"], strict=True
        )
        if winner in ("a", "b")
        for one, other in [(first, second) if winner == "a" else (second, first)]
    }
    for sentence in said:
        if " preferred " in sentence:
            parts = sentence.partition(": ")[2].partition(" (item")[0].split("; ")
            for told in (part for part in parts if " preferred " in part):
                assert told.partition(" for turn ")[0] in preferred


def test_columns_of_winners_and_losers_do_not_say_who_was_shown_first(
    store: Store, tmp_path: Path
) -> None:
    file = next(file for file in FILES if file.name == "winner-loser.csv")
    importer.load(store, [write(tmp_path, file)], Dataset("d"), Reading(**file.way))
    assert store.judgement_frames.load_all("d")["order_known"].tolist() == [0, 0]
