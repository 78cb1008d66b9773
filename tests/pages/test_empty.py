"""Every page on stores that hold next to nothing, or nothing that can be used: a sentence that
helps, never an exception.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.importing import importer
from core.pairing import open_default
from core.records import Dataset
from core.store import Store
from tests import inviting, study
from tests.pages.shown_links import list_destinations
from tests.paths import ROOT

PAGES = ("app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")))
GONE = "no such"
Row = dict[str, object]


def vote(item: str, a: str = "x", b: str = "y", **more: object) -> Row:
    return {
        "item": item,
        "system_a": a,
        "system_b": b,
        "text_a": f"{a} {item}",
        "text_b": f"{b} {item}",
        **more,
    }


STORES: dict[str, Sequence[Row]] = {
    "votes without texts": [{"system_a": "x", "system_b": "y", "winner": "a"}] * 3,
    "one judgement": [vote("i", winner="a")],
    "only ties": [vote(f"i{i}", winner="tie") for i in range(4)],
    "both bad": [vote(f"i{i}", winner="both_bad") for i in range(4)],
    "all failed": [
        vote(f"i{i}", winner="", failure="time-out", judge="gpt", judge_kind="llm")
        for i in range(4)
    ],
    "islands": [vote("i", "x", "y", winner="a"), vote("i", "u", "v", winner="a")],
    "one system": [{"item": f"i{i}", "system": "x", "text": f"text {i}"} for i in range(3)],
    "scores only": [
        {"item": f"i{i}", "system": s, "text": f"{s} {i}", "score:coherence": i}
        for i in range(3)
        for s in "xy"
    ],
    "empty texts": [{"item": "i", "context": "", "system": s, "text": ""} for s in "xy"],
}

Visit = Callable[..., AppTest]


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    """Open a page of the store in tmp_path, as a browser with these parameters in the address does."""

    def visit(page: str, **parameters: str) -> AppTest:
        monkeypatch.setenv("TANDEM_STORE", str(tmp_path / "store.sqlite3"))
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        app.query_params.update(parameters)
        if page != "app.py":
            app.switch_page(page)
        return app.run()

    return visit


def words(app: AppTest) -> str:
    """All that a page says, its styles aside."""
    html = [element.proto.body for element in app.get("html")]
    return "\n".join(text for text in html if not text.startswith("<style"))


def load(store: Store, name: str, rows: Sequence[Row], folder: Path) -> None:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    importer.load(store, [path], Dataset(name))


@pytest.mark.parametrize("name", STORES)
def test_next_to_nothing(visit: Visit, store: Store, tmp_path: Path, name: str) -> None:
    load(store, name, STORES[name], tmp_path)
    for page in PAGES:
        app = visit(page, dataset=name, annotator="Ada")
        assert not app.exception, (page, app.exception)
        assert "tandem-" in words(app), page


def test_what_an_annotator_reads_when_there_are_no_pairs(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    load(store, "one system", STORES["one system"], tmp_path)
    app = visit("pages/annotate.py", annotator="Ada")
    assert app.title[0].value.startswith("Nothing")
    assert "two systems" in words(visit("pages/annotate.py", annotator="Ada"))
    assert "two systems" in words(visit("pages/judge.py"))


def test_texts_that_are_not_available_are_not_asked_about(
    visit: Visit, store: Store, tmp_path: Path
) -> None:
    load(store, "votes", STORES["votes without texts"], tmp_path)
    app = visit("pages/annotate.py", annotator="Ada")
    assert app.title[0].value.startswith("Nothing")
    assert "named from 30" in words(visit("pages/leaderboard.py"))


def test_a_leaderboard_says_what_it_cannot_know(visit: Visit, store: Store, tmp_path: Path) -> None:
    study.fill(store)
    board = visit("pages/leaderboard.py", dataset="tiny")
    assert "No judgements" in words(board)
    assert list_destinations(board) == ["annotate", "judge"]
    for name in ("islands", "all failed", "one judgement"):
        load(store, name, STORES[name], tmp_path)
    assert "Nobody leads" in words(visit("pages/leaderboard.py", dataset="islands"))
    failed = words(visit("pages/leaderboard.py", dataset="all failed"))
    assert re.search("no judgement.* answered", failed)
    assert "leads" not in failed
    assert "leads with" not in words(visit("pages/leaderboard.py", dataset="one judgement"))
    assert "1 judgement" in words(visit("pages/leaderboard.py", dataset="one judgement"))


def test_nobody_else_chooses_a_data_set_for_one_that_is_gone(visit: Visit, store: Store) -> None:
    study.fill(store)
    for page in PAGES:
        app = visit(page, dataset=GONE, annotator="Ada")
        assert not app.exception
        assert f"data set {GONE} here" in words(app), page
        assert [box.value for box in app.selectbox] == [None, None], page
        assert app.query_params["dataset"] == GONE
    [other] = [box for box in app.selectbox if box.label == "Go on with"]
    app = other.select("tiny").run()
    assert GONE not in words(app)
    assert app.query_params["dataset"] == "tiny"


@pytest.mark.parametrize(
    "name", ["human", "llm", "baseline:longer", "x" * 81, "\u3164\u202e", "gpt"]
)
def test_a_name_that_is_refused(visit: Visit, store: Store, tmp_path: Path, name: str) -> None:
    load(store, "votes", STORES["all failed"], tmp_path)  # by the language model "gpt"
    app = visit("pages/annotate.py", annotator=name)
    assert not app.exception
    assert 'role="alert"' in words(app)
    app.text_input[0].set_value("Ada")
    app.button[0].click().run()
    assert not app.exception
    assert "tandem-question" in words(app)
    assert store.judges.load_all().query("kind == 'human'")["judge"].tolist() == ["Ada"]


def test_an_annotator_by_link_sees_annotate_alone(visit: Visit, store: Store) -> None:
    study.fill(store)
    open_default(store, "tiny")
    for page in PAGES:
        app = visit(page, invitation=inviting.code(store.path, "Ada"), dataset="tiny")
        assert not app.exception
        assert [link.proto.label for link in app.sidebar.get("page_link")] == ["Annotate"]
        if page in ("pages/annotate.py", "app.py"):  # where a sign-in ends, and they are led on
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


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "not a database": (
        lambda path: path.write_bytes(b"something else " * 500),
        "The store ",
    ),
    "another program's": (
        lambda path: (
            sqlite3.connect(path).execute("CREATE TABLE cats (name TEXT)").connection.close()
        ),
        "of some other program",
    ),
    "newer": (lambda path: _newer(path), "newer Tandem"),
    "a folder": (lambda path: path.mkdir(), "is a folder"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_store_that_cannot_be_opened(visit: Visit, tmp_path: Path, name: str) -> None:
    make, said = BROKEN[name]
    make(tmp_path / "store.sqlite3")
    for page in PAGES:
        app = visit(page, annotator="Ada")
        assert not app.exception
        assert said in words(app)
        assert 'role="alert"' in words(app)


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_store(visit: Visit, store: Store, tmp_path: Path, damage: str) -> None:
    study.fill(store, items=40)
    store.close()
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = db.execute("PRAGMA page_size").fetchone()[0]
    whole = path.read_bytes()
    # The head of the file, which opening reads, is left as it was.
    path.write_bytes(
        whole[: len(whole) // 2]
        if damage == "cut"
        else whole[: 2 * page] + b"?" * (len(whole) - 2 * page)
    )
    for name in PAGES:
        app = visit(name, annotator="Ada")
        assert not app.exception, name
        assert 'role="alert"' in words(app), name
