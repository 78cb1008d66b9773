"""What looks wrong in a file of votes is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.importing import Reading, importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.importing.conftest import OpenStore


def load(
    store: Store, folder: Path, winners: list[str], head: str = "item,left,right,winner"
) -> list[str]:
    path = folder / "v.csv"
    rows = [f"q{n},x,y,{winner}" for n, winner in enumerate(winners)]
    path.write_text("\n".join([head, *rows]) + "\n")
    return (
        importer.load(store, [path], Dataset("d")).render_reasons(lambda name: f"--{name}").warnings
    )


def test_a_side_that_never_wins(open_store: OpenStore, tmp_path: Path) -> None:
    for winners, never in [
        (["a"] * 20, "right"),
        (["b"] * 15 + ["tie"] * 5, "left"),
        (["tie"] * 20, "left or right"),
        (["a"] * 19, ""),
        (["a"] * 30 + ["b"], ""),
    ]:
        warnings = load(open_store(), tmp_path, winners)
        assert len(warnings) == bool(never), winners
        named = rf"\b{never} .*\b{len(winners)} votes\b"
        assert all(re.search(named, warning) for warning in warnings)


def test_sides_are_columns_whichever_was_shown_first(store: Store, tmp_path: Path) -> None:
    """A turned pair is stored turned; that the second column never wins is seen all the same."""
    winners = [f"x,{n % 2}" for n in range(20)]
    assert len(load(store, tmp_path, winners, "item,left,right,winner,swapped")) == 1
    assert set(store.judgement_frames.load_all("d")["outcome"]) == {"a", "b"}


def test_unknown_words_are_counted(store: Store, tmp_path: Path) -> None:
    (warning,) = load(store, tmp_path, ["a", "b", "a", "dunno", "dunno", "?"])
    named = r"^v\.csv: 3 answers .*unparsed.*'dunno' 2 .*'\?'.*--first_wins.*--second_wins.*--tie"
    assert re.search(named, warning)


def test_files_that_are_refused(store: Store, tmp_path: Path) -> None:
    """Most rows are lost, or a pair of columns is taken the other way round."""
    path, turned = tmp_path / "v.csv", {"system_a": "model_b", "system_b": "model_a"}
    for text, mapping, refused in [
        ("item,left,right,winner\nq,x,y,a\nr,x,x,a\ns,,y,b\n", {}, r"\b2 of 3 .*v\.csv.*row 2: .*'x'.*itself"),
        ("item,model_a,model_b,winner\nq,x,y,model_a\n", turned, r"'model_a' of v\.csv .*first\b.*'model_b'"),
    ]:  # fmt: skip
        path.write_text(text)
        with pytest.raises(TandemError, match=refused):
            importer.load(store, [path], Dataset("d"), Reading(mapping=mapping))
    assert store.datasets.names() == []


def test_in_a_folder_a_file_that_is_not_certain_is_left_out(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,left,right,winner\nq,x,y,a\nr,x,y,1\n")
    (tmp_path / "b.csv").write_text("item,left,right,winner\nq,x,y,b\nr,x,y,a\n")
    report = importer.load(store, [tmp_path], Dataset("d"))
    assert [file["file"] for file in report.left_out] == ["a.csv"]
    assert report.added["judgements"] == 2
    assert store.judgement_frames.load_exported("d")["winner"].tolist() == ["b", "a"]
