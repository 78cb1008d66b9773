"""The import form without a browser: what a file is taken for, what its winners mean, and a reading
that is saved and used again.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.importing import Codes, parse_reading, render_reading
from core.importing.layouts import LAYOUTS
from core.importing.reading import Reading
from core.store import Store
from tests.pages.shown_links import list_destinations
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET

HEADER = "item,model_a,model_b,winner,judge\n"
WORDS = ("links", "rechts", "links", "gleich", "weder noch", "keine Angabe")
MEANT = ("first", "second", "first", "tie", "both_bad", "no_answer")
OUTCOMES = ["a", "b", "a", "tie", "both_bad", None]


@pytest.fixture(autouse=True)
def tiny(study: Store) -> None:
    """There is a small study already: the sample would be loaded into an empty store, and drawn."""


def votes(winners: tuple[str, ...], judge: str = "ann") -> bytes:
    rows = [f"i{n},x,y,{winner},{judge}" for n, winner in enumerate(winners)]
    return (HEADER + "\n".join(rows) + "\n").encode()


def upload(app: AppTest, name: str, content: bytes) -> None:
    app.file_uploader[0].upload(name, content, "text/csv").run()
    assert not app.exception


def box(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label == label)


def explain(app: AppTest, meanings: dict[str, str]) -> None:
    """Say what each value means, in the order in which they are asked about."""
    for value, meaning in meanings.items():
        asked = [each for each in app.selectbox if each.key and each.key.endswith(f"]-{value}")]
        asked[0].set_value(meaning).run()
        assert not app.exception


def name_it(app: AppTest, name: str) -> None:
    """The data set that is to be."""
    next(box for box in app.text_input if box.label == "Name of the data set").set_value(name).run()


def name_layout(app: AppTest) -> str:
    """As what a file is read, in the words of the page."""
    [title] = re.findall(r"Read as: ([^.]+)\.", html.unescape(words(app)))
    return title


def take_in(app: AppTest) -> None:
    next(button for button in app.button if button.label == "Import").click().run()
    assert not app.exception


def has_import(app: AppTest) -> bool:
    return "Import" in [button.label for button in app.button]


def outcomes(store: Store, dataset: str) -> list[str | None]:
    frame = store.judgement_frames.load_all(dataset).sort_values("item")
    return [outcome if isinstance(outcome, str) else None for outcome in frame["outcome"]]


def test_unknown_words_are_explained_one_by_one(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    upload(app, "wahl.csv", votes(WORDS))
    assert re.search(r"unknown words.*\blinks\b", words(app))
    assert not has_import(app)
    explain(app, dict(zip(WORDS, MEANT, strict=True)))
    assert "left out" in words(app)
    take_in(app)
    assert outcomes(store, "wahl") == OUTCOMES


def test_a_known_word_is_corrected(visit: Visit, store: Store) -> None:
    """`a` was the second system, as its owner knows."""
    app = visit("pages/data.py")
    upload(app, "v.csv", votes(("a", "b", "tie")))
    explain(app, {"a": "second", "b": "first"})
    take_in(app)
    assert outcomes(store, "v") == ["b", "a", "tie"]


def test_the_next_file_is_not_read_by_what_was_said_of_the_last(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    upload(app, "one.csv", votes(("a", "b", "tie")))
    explain(app, {"a": "second", "b": "first"})
    take_in(app)
    upload(app, "two.csv", votes(("a", "b", "tie"), judge="ben"))
    take_in(app)
    assert outcomes(store, "two") == ["a", "b", "tie"]
    assert outcomes(store, "one") == ["b", "a", "tie"]
    assert app.query_params["dataset"] == "two"


def test_a_saved_reading_answers_what_would_be_asked(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    upload(app, "n.csv", votes(("1", "0", "1")))
    assert not has_import(app)
    saved = render_reading(Reading(codes=Codes(("1",), ("0",)), mapping={"item": "item"}))
    app.file_uploader[1].upload("n.toml", saved.encode(), "application/toml").run()
    assert not app.exception
    take_in(app)
    assert outcomes(store, "n") == ["a", "b", "a"]


def test_a_broken_reading_is_said_and_not_used(visit: Visit) -> None:
    app = visit("pages/data.py")
    upload(app, "v.csv", votes(("a", "b", "tie")))
    app.file_uploader[1].upload("r.toml", b"[winner]\nfrist = ['1']\n", "application/toml").run()
    assert not app.exception
    assert "winner.frist" in words(app)


def test_what_is_left_out_is_said_before_anything_is_written(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    content = votes(("a", "b", "tie")) + b"i9,x,x,a,ann\n"
    upload(app, "v.csv", content)
    assert "1 of 4 rows" in words(app)
    assert "row 4: compares" in words(app)
    assert store.datasets.names() == [DATASET]


def test_a_new_data_set_is_taken_away_again(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    upload(app, "v.csv", votes(("a", "b", "tie")))
    take_in(app)
    assert set(store.datasets.names()) == {DATASET, "v"}
    box_ = next(each for each in app.text_input if each.label == "Type its name to delete it")
    box_.set_value("v")
    next(each for each in app.button if each.label == "Back up and delete").click().run()
    assert not app.exception
    assert store.datasets.names() == [DATASET]
    assert "Added to v" not in words(app)


def test_columns_can_be_named_that_were_not_found(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    content = votes(("a", "b", "tie")).replace(b"winner", b"says").replace(b"judge", b"wer")
    upload(app, "v.csv", content)
    assert "no winner" in words(app)
    box(app, "Winner").set_value("says").run()
    box(app, "Who judged").set_value("wer").run()
    take_in(app)
    frame = store.judgement_frames.load_all("v")
    assert set(frame["judge"]) == {"ann"}
    assert outcomes(store, "v") == ["a", "b", "tie"]


def test_texts_with_columns_corrected(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    rows = [f"i{i},context {i},{s},old {s}{i},new {s}{i},r" for i in range(4) for s in "abc"]
    upload(app, "texts.csv", "\n".join(["item,context,system,text,new,ref", *rows]).encode())
    assert name_layout(app) == LAYOUTS["generations"].title
    box(app, "Text").set_value("new").run()
    box(app, "Reference").set_value("(not there)").run()
    name_it(app, "corrected")
    take_in(app)
    assert "corrected: 4 items, 3 systems, 12 generations" in words(app)
    assert "annotate" in list_destinations(app)
    assert box(app, "Data set").value == "corrected"
    texts = store.datasets.generations("corrected")["text"]
    assert set(texts) == {f"new {s}{i}" for i in range(4) for s in "abc"}
    items = store.datasets.items("corrected")
    assert items["context"].tolist() == [f"context {i}" for i in range(4)]
    assert [json.loads(references) for references in items["references"]] == [[]] * 4


def test_columns_named_for_one_file_are_not_those_of_the_next(visit: Visit, store: Store) -> None:
    """Of the same name, and the first one again."""
    app = visit("pages/data.py")
    winners = ("left", "right", "tie", "x")
    rows = [f"q{i},x,y,judy,{winner},eve" for i, winner in enumerate(winners)]
    votes_ = "\n".join(["q,left,right,who,winner,judge_was", *rows]).encode()
    upload(app, "votes.csv", votes_)
    assert name_layout(app) == LAYOUTS["votes"].title
    box(app, "Item").set_value("q").run()
    box(app, "Who judged").set_value("judge_was").run()
    rows = [f"q{i},x,y,b,joe" for i in range(4)]
    upload(app, "votes.csv", "\n".join(["item,model_a,model_b,winner,judge", *rows]).encode())
    assert [each.value for each in app.selectbox if each.label == "System A"] == ["model_a"]
    assert [each.value for each in app.selectbox if each.label == "Who judged"] == ["judge"]
    name_it(app, "other votes")
    take_in(app)
    assert "other votes: 4 items, 2 systems" in words(app)
    assert "leaderboard" in list_destinations(app)
    assert "annotate" not in list_destinations(app), "without texts"
    app = visit("pages/data.py")
    upload(app, "votes.csv", votes_)
    box(app, "Item").set_value("q").run()
    box(app, "Who judged").set_value("judge_was").run()
    name_it(app, "votes")
    take_in(app)
    assert "4 judgements" in words(app)
    assert outcomes(store, "votes") == ["a", "b", "tie", "a"]
    assert set(store.judgement_frames.load_all("votes")["judge"]) == {"eve"}
    assert outcomes(store, "other votes") == ["b"] * 4


def test_why_nothing_was_imported_stays_until_something_else_is_asked(visit: Visit) -> None:
    """A page is drawn anew by itself, as when a run ends meanwhile."""
    app = visit("pages/data.py")
    upload(app, "repeated.csv", ("item,system,text\n" + "i,x,a\n" * 50).encode())
    for _ in range(2):
        assert "49 of 50 rows" in words(app)
        assert "repeated.csv" in words(app)
        assert 'role="alert"' in words(app)
        assert not has_import(app)
        app.run()
    upload(app, "mended.csv", b"item,system,text\n1,x,a\n1,y,b\n")
    assert "all 2 rows" in words(app)
    assert 'role="alert"' not in words(app)


def test_a_reading_of_the_page_is_one_of_the_command_line(visit: Visit) -> None:
    """What the page saves is read back as the same reading."""
    reading = Reading(codes=Codes(("a b",), ("c",), both_bad=("neither",)))
    assert parse_reading(render_reading(reading).encode(), "r.toml") == reading
