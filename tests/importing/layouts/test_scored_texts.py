"""Published sets of scored texts: small records written by hand, and the real files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.importing import importer
from core.importing.layouts.summeval import parse_letter, parse_stars, parse_words
from core.records import Dataset
from core.store import Store
from tests.evidence import DATA
from tests.published import Study, check_skipped, real


@real
def test_real_webnlg_has_193_empty_texts_and_means_of_its_ratings(published: Study) -> None:
    """README, facts 1 and 3: 193 empty texts; the mean of the ratings one by one is the averaged
    file's.
    """
    importer.load(published.store, [DATA / "webnlg2017"], Dataset("d"))
    empty = [system for _, system, text in published.texts() if text == ""]
    assert (empty.count("vietnam"), empty.count("tilburg-pipe"), len(empty)) == (168, 25, 193)
    scores = published.store.scores.load_all("d")
    keys = ["item", "system", "attribute"]
    one_by_one = (
        scores[scores["rater"].str.startswith("crowd")].groupby(keys)["value"].agg(["mean", "size"])
    )
    averaged = scores[scores["rater"] == "human"].set_index(keys)["value"]
    assert (one_by_one["mean"] - averaged).abs().max() < 1e-12
    per_text = one_by_one.xs("fluency", level="attribute")["size"].value_counts()
    assert per_text.to_dict() == {3: 1644, 2: 312, 1: 193, 4: 49, 5: 26, 6: 6}


@real
def test_real_texts_are_on_one_side_only(store: Store) -> None:
    """The README's evidence for its reading: once the slots are undone no text is on both sides of
    one input.
    """
    name = "vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm_pref_data.csv"
    importer.load(store, [DATA / "separability" / name], Dataset("d"))
    sides = store.texts.generations("d").groupby(["item", "text"])["system"].nunique()
    assert len(sides) > 400
    assert sides.max() == 1


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


# Answers copied from the reference data, and what a reader takes from them.
def test_marks_parse_words(subtests: pytest.Subtests) -> None:
    for read, answer, mark in [
        (parse_letter, "D", 4), (parse_letter, "E: 5", 5), (parse_letter, "Excellent", None), (parse_letter, "F", None),
        (parse_stars, "4 stars", 4), (parse_stars, "1 star", 1), (parse_stars, "Two stars. It has 3 facts.", 2), (parse_stars, "Good.", None),
        (parse_words, "It lacks coherence, scoring a one out of five.", 1),
        (parse_words, "resulting in a score of 3.", 3),
        (parse_words, "but lacks some context. Score: 4/5.", 4),
        (parse_words, "resulting in a score of 1.5 out of 5.", 1.5),
        (parse_words, "discussing highlights for a 0-0 draw. Final score: 5.", 5),
        (parse_words, "'finnish researchers compared the weight of more than 12,000 healthy.' I "
                   "would give it a score of 3.5.", 3.5),
        (parse_words, "states that Ross Barkley has scored 15 penalties from 16 attempts. Final "
                   "score: 2.", 2),
        (parse_words, "it is irrelevant (1).", 1),
        (parse_words, "readable on the sentence level. 5", 5),
        (parse_words, "so I would give it a 4.5 for fluency.", 4.5),
        (parse_words, "it incorrectly states that Real Madrid beat Chile 1-0 in El Clasico.", None),
        (parse_words, "Score: 7", None),
    ]:  # fmt: skip
        with subtests.test(read=read):
            assert read(answer) == mark


def test_a_layout_has_words_and_attributes_the_field_s_questions(published: Study) -> None:
    systems = {"M0": {"decoded": "one", "scores": {"coherence": 1.5}}}
    published.bring("summeval.jsonl", [{"id": "1", "text": "Article.", "systems": systems}])
    nouns = published.store.datasets.summary()[["context_noun", "candidate_noun"]]
    assert nouns.to_numpy().tolist() == [["article", "summary"]]
    question = published.store.datasets.attributes("d")[0].question
    assert re.match(r"Which summary .*coherent.*\?$", question)
