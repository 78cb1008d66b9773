"""Marks in a file of their own."""

from __future__ import annotations

from pathlib import Path

from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.published import check_skipped

HEAD = "item,system,attribute,rater,kind,trial,value,failure\n"
ROWS = (
    'i1,x,coherence,anna,human,0,"4,5",\n'
    "i1,x,coherence,gpt,llm,1,2,\n"
    "i1,y,coherence,gpt,llm,0,,no-number\n"
    "i1,y,coherence,anna,human,0,good,\n"
)


def loaded(store: Store, folder: Path, text: str) -> importer.ImportReport:
    file = folder / "marks.csv"
    file.write_text(text)
    return importer.load(store, [file], Dataset("d"))


def test_each_mark_with_its_rater_or_why_there_is_none(store: Store, tmp_path: Path) -> None:
    loaded(store, tmp_path, HEAD + ROWS)
    rows = store.connection.rows(
        """SELECT y.name, w.name, w.kind, s.trial, s.value, s.failure FROM scores s
        JOIN judges w ON w.id = s.judge JOIN generations g ON g.id = s.generation
        JOIN systems y ON y.id = g.system ORDER BY s.id"""
    )
    assert rows == [
        ("x", "anna", "human", 0, 4.5, ""),
        ("x", "gpt", "llm", 1, 2.0, ""),
        ("y", "gpt", "llm", 0, None, "no-number"),
        ("y", "anna", "human", 0, None, "not-a-number"),
    ]


def test_texts_may_come_before_or_after(store: Store, tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("item,context,system,text\ni1,C,x,One.\ni1,C,y,Two.\n")
    loaded(store, tmp_path, HEAD + ROWS)
    importer.load(store, [texts], Dataset("d"))
    loaded(store, tmp_path, HEAD + ROWS)
    generations = store.texts.generations("d")
    assert sorted(generations["text"]) == ["One.", "Two."]
    assert store.datasets.items("d")["context"].tolist() == ["C"]
    assert store.connection.value("SELECT count(*) FROM live_scores") == 4


def test_a_row_that_cannot_be_a_mark_is_skipped_with_its_reason(
    store: Store, tmp_path: Path
) -> None:
    bad = "i1,,coherence,anna,human,0,1,\ni1,x,coherence,anna,robot,0,1,\ni1,x,coherence,anna,human,-1,1,\n"
    result = loaded(store, tmp_path, HEAD + ROWS + bad)
    named = {5: r"\(the system\).*empty", 6: "'robot'.*human.*llm", 7: r"trial is -1\b.*\b0$"}
    check_skipped(result, named)
