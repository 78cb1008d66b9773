"""A full disk, a locked, damaged or missing store: pages say so, and nothing is lost."""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.pairing import open_default
from core.store import Store, faults
from pages.components.annotate import bar
from pages.components.shared import frame, notice, stores
from tests import inviting, study
from tests.app_server import serving
from tests.disk import Disk
from tests.pages.annotating import Annotator, stored
from tests.pages.drawn import PAGES, draw, press, run
from tests.pages.sentences import find_sentence

ANSWERED = "A is better"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers too quickly."""
    monkeypatch.setattr(bar, "TOO_QUICK", -1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return begin(tmp_path / "store.sqlite3")


@pytest.fixture
def full(disk: Disk, drawn_here: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store on a disk that can be filled."""
    path = begin(disk.folder / "store.sqlite3")
    monkeypatch.setenv("TANDEM_STORE", str(path))
    return path


@pytest.fixture
def impatient(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store for which no page waits long."""
    monkeypatch.setattr(stores, "PATIENCE", 0.05)
    return path


def begin(path: Path) -> Path:
    with Store(path) as store:
        study.fill(store)
        open_default(store, study.DATASET)
    return path


def visit(page: str = "annotate", **parameters: str) -> AppTest:
    """A page as Ada sees it."""
    return draw(page, annotator="Ada", **parameters)


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    """While others keep a store locked."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def on_screen(app: AppTest) -> str:
    """The question, its texts and all."""
    return "".join(
        html.proto.body
        for html in app.get("html")
        if "tandem-pair" in html.proto.body or "tandem-heading" in html.proto.body
    )


def problems(app: AppTest) -> str:
    bodies = [html.proto.body for html in app.get("html")]
    return "\n".join(body for body in bodies if 'role="alert"' in body)


def answers(path: Path) -> list[str]:
    return [vote.answer for vote in stored(path, "Ada")]


# Failed once of six on a busy machine, for a reason not yet seen: named where a second try passes.
@pytest.mark.flaky(reruns=1)
def test_a_disk_that_is_full_or_read_only_is_said_everywhere_and_a_vote_is_pressed_again(
    disk: Disk, full: Path
) -> None:
    app, votes = visit(), list[str]()
    for spoil, mend, said in (
        (disk.fill, disk.free, "is full"),
        (disk.read_only, disk.writable, "is read-only"),
    ):
        press(app, ANSWERED)
        before = on_screen(app)
        assert before
        spoil()
        press(app, "Tie")
        assert "Not saved: " in problems(app)
        assert said in problems(app)
        assert on_screen(app) == before
        press(app, "Undo")
        assert "Not saved: " in problems(app)
        for page in PAGES:
            seen = visit(page)
            assert said in problems(seen), page
            assert find_sentence(problems(seen), "Until then", "nothing"), page
            assert seen.sidebar.selectbox[0].value == study.DATASET
        mend()
        press(app, "Tie")
        assert not problems(app)
        assert on_screen(app) != before
        votes += ["a", "tie"]
        assert answers(full) == votes
        for page in PAGES:
            assert not problems(visit(page)), page


def test_a_vote_while_others_keep_the_store_locked(impatient: Path) -> None:
    app, path = visit(), impatient
    app.text_input[0].set_value("a comment").run()
    before = on_screen(app)
    with locked(path) as other:
        press(app, "Both bad")
        assert find_sentence(problems(app), "Not saved", f"{path} locked")
        assert on_screen(app) == before
        # the time that was reserved for it has passed: the question stays all the same
        other.execute("UPDATE leases SET leased_at = '2020'")
        other.execute("COMMIT")
        other.execute("BEGIN IMMEDIATE")
        app.run()
        assert find_sentence(problems(app), f"{path} locked")
        assert "Not saved" not in problems(app)
        assert on_screen(app) == before
    press(app, "Both bad")
    assert not problems(app)
    with Store(path) as store:
        saved = store.connection.rows("SELECT outcome, comment FROM judgements")
    assert saved == [("both_bad", "a comment")]


def test_who_waited_in_vain_for_a_vote_is_told_without_waiting_for_the_page_too(
    impatient: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit()
    before = on_screen(app)
    waits = list[float]()

    def opened(*arguments: Any, patience: float, **words: Any) -> Store:
        waits.append(patience)
        return Store(*arguments, patience=patience, **words)

    monkeypatch.setattr(stores, "Store", opened)
    with locked(impatient):
        press(app, "Both bad")
        assert find_sentence(problems(app), "Not saved", f"{impatient} locked")
        assert problems(app).count(" locked") == 1, "it is said once"
        assert waits[:2] == [0.05, stores.BRIEF], "for the vote, then for the page"
        assert set(waits[2:]) <= {0.05}
    waits.clear()
    press(app, "Both bad")
    assert set(waits) == {0.05}, "what was waited for in vain is forgotten"
    assert on_screen(app) != before


def test_who_is_invited_is_told_whom_to_tell(impatient: Path) -> None:
    path, link = impatient, inviting.code(impatient, "Ada")
    app = visit(invitation=link)
    before = on_screen(app)
    with locked(path):
        press(app, "Tie")
        assert find_sentence(problems(app), f"{path} locked", "wait", "end it")
        assert find_sentence(problems(app), "tell", "invited you")
        assert find_sentence(problems(app), "press again")
        assert on_screen(app) == before
    moved = path.rename(path.parent / "moved.sqlite3")
    for seen in (app.run(), visit(invitation=link)):
        assert find_sentence(problems(seen), f"{path} was", "moved", "back")
        assert find_sentence(problems(seen), "tell", "invited you")
    moved.rename(path)
    run(app)
    press(app, "Tie")
    assert not problems(app)
    assert answers(path) == ["tie"]


def test_a_vote_is_saved_and_the_next_question_cannot_be_had(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit()
    before = on_screen(app)

    def busy(*arguments: object) -> None:
        raise faults.make_timeout_error(path, 10)

    with monkeypatch.context() as patch:
        patch.setattr(campaigns, "present", busy)
        press(app, "Both bad")
        assert find_sentence(problems(app), "answer", "is saved")
        assert find_sentence(problems(app), "no next", f"{path} busy", " 10 seconds", "try again")
        assert problems(app).count("press again.") == 1
        assert answers(path) == ["both_bad"]
        with locked(path):  # nothing can be saved now, and nothing is to be
            press(app, "Tie")  # what it answers is on the screen, and answered
        assert find_sentence(problems(app), "answer", "is saved")
        assert find_sentence(problems(app), "no next", f"{path} busy")
        assert "Not saved" not in problems(app)
    press(app, ANSWERED)
    assert find_sentence(on_screen(app), "Too quick")
    assert find_sentence(on_screen(app), "previous answer", "is saved", "Undo")
    assert answers(path) == ["both_bad"]
    assert not problems(app)
    assert on_screen(app) != before
    press(app, "Undo")
    assert [vote.withdrawn for vote in stored(path, "Ada")] == [True]


def test_a_new_annotator_on_a_full_disk(disk: Disk, full: Path) -> None:
    disk.fill()
    app = visit()
    assert find_sentence(problems(app), f"{full} is full", "free some")
    disk.free()
    assert on_screen(run(app))


def test_a_damaged_store(path: Path) -> None:
    with Store(path) as store:
        size = store.connection.value("PRAGMA page_size")
        tables = "('datasets', 'sqlite_autoindex_datasets_1')"
        roots = store.connection.rows(f"SELECT rootpage FROM sqlite_master WHERE name IN {tables}")
    with path.open("r+b") as file:
        for (root,) in roots:
            file.seek((root - 1) * size)
            file.write(b"\x7f" * size)
    for page in PAGES:
        assert "is damaged" in problems(visit(page)), page


def test_a_store_emptied_or_deleted_under_the_server_is_missed_and_not_begun_anew(
    path: Path,
) -> None:
    for page in PAGES:
        app, kept = visit(page), path.read_bytes()
        path.write_bytes(b"")
        for seen in (run(app), visit(page)):
            assert find_sentence(problems(seen), f"{path} was emptied", "back"), page
        assert path.read_bytes() == b""
        path.write_bytes(kept)
        assert not problems(run(app))
        moved = path.rename(path.with_name("moved.sqlite3"))
        for seen in (run(app), visit(page)):
            assert find_sentence(problems(seen), f"{path} was", "moved", "back"), page
        assert not path.exists()
        moved.rename(path)
        assert not problems(run(app))


def _write_garbage(path: Path) -> None:
    path.write_bytes(b"\x00garbage" * 1000)


def _make_another_programs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (note)")


def test_what_is_no_store_where_one_was_is_told_until_it_is_put_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[int]()
    monkeypatch.setattr(notice, "_look_again", lambda: looks.append(1))
    for make in (_write_garbage, Path.mkdir, _make_another_programs):
        app = visit()
        moved = path.rename(path.with_name("moved.sqlite3"))
        make(path)
        looks.clear()
        for seen in (run(app), visit()):
            assert find_sentence(problems(seen), f"{path} is", "no longer", "back")
            assert "TANDEM_STORE" not in problems(seen), "who annotates has no such setting"
        assert len(looks) == 2, "it looks by itself whether it is back"
        path.rmdir() if path.is_dir() else path.unlink()
        moved.rename(path)
        assert not problems(run(app))


def test_a_vote_on_a_store_that_was_deleted_or_replaced(path: Path) -> None:
    app, early = visit(), visit()
    path.rename(path.parent / "moved.sqlite3")
    press(app, ANSWERED)
    assert "Not saved: " in problems(app)
    assert problems(app).count(" moved") == 1, "it is said once"
    assert not path.exists()
    begin(path)  # another study, with the same texts under the same numbers
    press(visit(), "Skip")  # Ada is known in both
    for seen in (run(app), press(early, ANSWERED)):  # a screen of the store before
        assert find_sentence(problems(seen), f"{path} was replaced")
    assert answers(path) == ["skipped"]
    shutil.copy(path, path.parent / "backup.sqlite3")
    app.run()
    assert not problems(app)
    press(app, ANSWERED)
    (path.parent / "backup.sqlite3").rename(path)  # the same study: its screens stay good
    press(app, "Tie")
    assert not problems(app)
    assert answers(path) == ["skipped", "tie"]


def test_what_nobody_foresaw_is_a_sentence_and_stands_in_the_log(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:

    def breaks(*arguments: object) -> None:
        raise ZeroDivisionError("secret")

    app = visit()
    for part in (bar.campaigns, "answer"), (frame, "_menu"):
        with monkeypatch.context() as broken:
            broken.delenv("TANDEM_TRACEBACK")
            broken.setattr(*part, breaks)
            with caplog.at_level(logging.ERROR):
                press(app, ANSWERED)
        assert "(ZeroDivisionError)" in problems(app)
        assert "secret" not in problems(app)
        assert "secret" in caplog.text
        caplog.clear()
        app = visit()
    assert on_screen(app)
    assert answers(path) == ["a"]


@pytest.mark.race
@pytest.mark.browser
def test_in_a_browser_voting_goes_on_without_a_reload(page: Page, disk: Disk, full: Path) -> None:
    with serving(full) as app:
        page.goto(app.page("annotate", annotator="Ada"))
        ada = Annotator(page)
        ada.vote("1")
        seen = ada.look()
        disk.fill()
        page.keyboard.press("3")
        expect(page.get_by_text("Not saved: ")).to_contain_text(re.compile("full.*free"))
        assert ada.see() == seen
        disk.free()
        ada.vote("3")
        expect(page.get_by_role("alert")).to_have_count(0)
        disk.fill()
        page.goto(app.page("annotate", annotator="Ben"))  # nothing can be reserved for him
        expect(page.get_by_role("alert").first).to_contain_text("is full")
        disk.free()  # the page looks by itself
        expect(page.locator(".tandem-pair")).to_be_visible()
    assert [vote.answer for vote in stored(full, "Ada")] == ["a", "b"]
