"""Every page on stores that hold next to nothing: a sentence that helps, never an exception."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from core.importing import importer
from core.pairing import open_default
from core.records import Dataset, Role
from core.store import Store, backups, dataset_decisions
from tests import inviting, study
from tests.pages.drawn import PAGES, draw, find, labels, press, words
from tests.pages.shown_links import list_destinations

GONE = "no such"
SAMPLES = ["sample-news", "sample-dialogues"]
Row = dict[str, object]


def vote(item: str, a: str = "x", b: str = "y", **more: object) -> Row:
    texts = {"text_a": f"{a} {item}", "text_b": f"{b} {item}"}
    return {"item": item, "system_a": a, "system_b": b, **texts, **more}


FAILED = {"winner": "", "failure": "time-out", "judge": "gpt", "judge_kind": "llm"}
STORES: dict[str, Sequence[Row]] = {
    "votes without texts": [{"system_a": "x", "system_b": "y", "winner": "a"}] * 3,
    "one judgement": [vote("i", winner="a")],
    "only ties": [vote(f"i{i}", winner="tie") for i in range(4)],
    "both bad": [vote(f"i{i}", winner="both_bad") for i in range(4)],
    "all failed": [vote(f"i{i}", **FAILED) for i in range(4)],
    "islands": [vote("i", "x", "y", winner="a"), vote("i", "u", "v", winner="a")],
    "one system": [{"item": f"i{i}", "system": "x", "text": f"text {i}"} for i in range(3)],
    "scores only": [
        {"item": f"i{i}", "system": s, "text": f"{s} {i}", "score:coherence": i}
        for i in range(3)
        for s in "xy"
    ],
    "empty texts": [{"item": "i", "context": "", "system": s, "text": ""} for s in "xy"],
}


def load(store: Store, name: str, rows: Sequence[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        importer.load(store, [path], Dataset(name))


@pytest.mark.parametrize("name", STORES)
def test_next_to_nothing(store: Store, name: str) -> None:
    load(store, name, STORES[name])
    for page in PAGES:
        assert "tandem-" in words(draw(page, dataset=name, annotator="Ada")), page


def test_pages_say_what_they_cannot_ask_or_know(store: Store) -> None:
    study.fill(store)
    for name in STORES:
        load(store, name, STORES[name])
    for name in ("one system", "votes without texts"):
        app = draw("annotate", dataset=name, annotator="Ada")
        assert app.title[0].value.startswith("Nothing")
        assert ("two systems" in words(app)) == (name == "one system")
    assert "two systems" in words(draw("judge", dataset="one system"))
    board = draw("leaderboard", dataset="tiny")
    assert "No judgements" in words(board)
    assert list_destinations(board) == ["annotate", "judge"]
    scored = draw("leaderboard", dataset="scores only")
    assert list_destinations(scored) == ["together", "judges", "annotate", "judge"]
    told = {name: words(draw("leaderboard", dataset=name)) for name in STORES}
    assert "named from 30" in told["votes without texts"]
    assert "Nobody leads" in told["islands"]
    assert re.search("no judgement.* answered", told["all failed"])
    assert "leads" not in told["all failed"]
    assert "leads with" not in told["one judgement"]
    assert "1 judgement" in told["one judgement"]


def test_nobody_else_chooses_a_data_set_for_one_that_is_gone(study: Store) -> None:
    for page in PAGES:
        app = draw(page, dataset=GONE, annotator="Ada")
        assert f"data set {GONE} here" in words(app), page
        assert [box.value for box in app.selectbox] == [None, None], page
        assert app.query_params["dataset"] == GONE
    app = find(app.selectbox, "Go on with").select("tiny").run()
    assert GONE not in words(app)
    assert app.query_params["dataset"] == "tiny"


def test_names_that_are_refused(store: Store) -> None:
    load(store, "votes", STORES["all failed"])  # by the language model "gpt"
    for name in ("human", "llm", "baseline:longer", "x" * 81, "\u3164\u202e", "gpt"):
        app = draw("annotate", annotator=name)
        assert 'role="alert"' in words(app), name
        app.text_input[0].set_value("Ada")
        app.button[0].click().run()
        assert not app.exception
        assert "tandem-question" in words(app)
    assert store.judges.load_all().query("kind == 'human'")["judge"].tolist() == ["Ada"]


def test_an_annotator_by_link_sees_annotate_alone(study: Store) -> None:
    open_default(study, "tiny")
    for page in PAGES:
        app = draw(page, invitation=inviting.code(study.path, "Ada"), dataset="tiny")
        assert [link.proto.label for link in app.sidebar.get("page_link")] == ["Annotate"]
        if page in ("annotate", ""):  # where a sign-in ends, and they are led on
            assert "tandem-question" in words(app)
        else:
            assert list_destinations(app) == ["annotate"]
            assert not app.main.button
            assert not app.main.get("arrow_data_frame")
            assert not app.title


def _newer(path: Path) -> None:
    with Store(path) as store:
        study.fill(store)
        store.connection.execute("PRAGMA user_version = 99")


def _of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE cats (name TEXT)")


BROKEN: dict[str, Callable[[Path], object]] = {
    "The store ": lambda path: path.write_bytes(b"something else " * 500),
    "of some other program": _of_another_program,
    "newer Tandem": _newer,
    "is a folder": Path.mkdir,
}
"""What is said -> of what."""


@pytest.mark.parametrize("said", BROKEN)
def test_a_store_that_cannot_be_opened(tmp_path: Path, said: str) -> None:
    BROKEN[said](tmp_path / "store.sqlite3")
    for page in PAGES:
        app = draw(page, annotator="Ada")
        assert said in words(app)
        assert 'role="alert"' in words(app)


def test_a_store_that_was_cut(store: Store) -> None:
    study.fill(store, items=40)
    path = store.path
    store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    for page in PAGES:
        assert 'role="alert"' in words(draw(page, annotator="Ada")), page


def test_an_emptied_store_stays_empty_and_says_what_can_be_done(study: Store) -> None:
    dataset_decisions.delete(study, "Olga", "tiny")
    for page in PAGES:
        assert "no data" in words(draw(page, dataset="tiny")), page
    app = draw("data")
    assert app.get("file_uploader")
    parts = " ".join(labels(app.expander))
    assert ("Back up" in parts, "Delete" in parts) == (True, False)
    app = draw("annotate", invitation=inviting.code(study.path, "Ada", Role.ANNOTATOR))
    assert "nothing to" in words(app)
    assert not [label for label in labels(app.button) if "sample" in label]
    assert study.datasets.names() == []
    app = press(draw("leaderboard", dataset="tiny"), "Load the sample study")
    assert study.datasets.names() == SAMPLES
    assert "no data" not in words(app)


def test_a_new_store_begins_with_the_sample_and_an_empty_backup_stays_empty(store: Store) -> None:
    backup = store.path.with_name("backup.sqlite3")
    store.connection.backup(backup)
    assert not store.datasets.has_had_any()
    draw()
    assert store.datasets.names() == SAMPLES
    store.close()
    backups.restore(store.path, backup, "Olga")
    with Store(store.path) as restored:
        assert restored.datasets.names() == []
        assert restored.datasets.has_had_any()
