"""A disk that is full or read-only, a store that is locked, damaged or gone: each page says so in a
sentence, nothing is lost, and work goes on once it is mended.
"""

from __future__ import annotations

import logging
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.pairing import open_default
from core.store import Store, faults
from pages.components import shared
from pages.components.annotate import bar
from pages.components.shared import frame, stores
from tests import inviting, study
from tests.app_server import serving
from tests.disk import Disk
from tests.pages.annotating import Annotator, stored
from tests.pages.sentences import find_sentence
from tests.paths import ROOT

PAGES = ("app.py", *(f"pages/{path.name}" for path in sorted((ROOT / "pages").glob("*.py"))))

Visit = Callable[..., AppTest]


@pytest.fixture
def path(disk: Disk) -> Path:
    path = disk.folder / "store.sqlite3"
    begin(path)
    return path


def begin(path: Path) -> None:
    with Store(path) as store:
        study.fill(store)
        open_default(store, study.DATASET)


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Visit:
    """A page of a store, as Ada sees it; nobody answers too quickly."""
    monkeypatch.setattr(bar, "TOO_QUICK", -1.0)

    def visit(store: Path, page: str = "pages/annotate.py", invitation: str = "") -> AppTest:
        monkeypatch.setenv("TANDEM_STORE", str(store))
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        app.query_params["annotator"] = "Ada"
        if invitation:
            app.query_params["invitation"] = invitation
        if page != "app.py":
            app.switch_page(page)
        return app.run()

    return visit


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def on_screen(app: AppTest) -> str:
    """The question, its texts and all."""
    return "".join(
        html.proto.body
        for html in app.get("html")
        if "tandem-pair" in html.proto.body or "tandem-heading" in html.proto.body
    )


def problems(app: AppTest) -> str:
    return "\n".join(
        html.proto.body for html in app.get("html") if 'role="alert"' in html.proto.body
    )


def answers(path: Path) -> list[str]:
    return [vote.answer for vote in stored(path, "Ada")]


@pytest.mark.parametrize("state", ["full", "read_only"])
def test_a_vote_that_cannot_be_saved_is_said_and_pressed_again(
    visit: Visit, disk: Disk, path: Path, state: str
) -> None:
    app = visit(path)
    press(app, "A is better")
    before = on_screen(app)
    assert before
    disk.fill() if state == "full" else disk.read_only()
    press(app, "Tie")
    assert "Not saved: " in problems(app)
    assert ("is full" if state == "full" else "is read-only") in problems(app)
    assert on_screen(app) == before
    press(app, "Undo")
    assert "Not saved: " in problems(app)
    disk.free() if state == "full" else disk.writable()
    press(app, "Tie")
    assert not problems(app)
    assert on_screen(app) != before
    assert answers(path) == ["a", "tie"]


def test_a_vote_while_others_keep_the_store_locked(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    monkeypatch.setattr(stores, "PATIENCE", 0.05)
    app = visit(path)
    app.text_input[0].set_value("a comment").run()
    before = on_screen(app)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
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
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    app = visit(path)
    before = on_screen(app)
    monkeypatch.setattr(stores, "PATIENCE", 0.05)
    waits = list[float]()

    def opened(*arguments: Any, patience: float, **words: Any) -> Store:
        waits.append(patience)
        return Store(*arguments, patience=patience, **words)

    monkeypatch.setattr(stores, "Store", opened)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        press(app, "Both bad")
        assert find_sentence(problems(app), "Not saved", f"{path} locked")
        assert problems(app).count(" locked") == 1, "it is said once"
        assert waits[:2] == [0.05, stores.BRIEF], "for the vote, then for the page"
        assert set(waits[2:]) <= {0.05}
    waits.clear()
    press(app, "Both bad")
    assert set(waits) == {0.05}, "what was waited for in vain is forgotten"
    assert on_screen(app) != before


def test_who_is_invited_is_told_whom_to_tell(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    link = inviting.code(path, "Ada")
    monkeypatch.setattr(stores, "PATIENCE", 0.05)
    app = visit(path, invitation=link)
    before = on_screen(app)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        press(app, "Tie")
        assert find_sentence(problems(app), f"{path} locked", "wait", "end it")
        assert find_sentence(problems(app), "tell", "invited you")
        assert find_sentence(problems(app), "press again")
        assert on_screen(app) == before
    moved = path.rename(tmp_path / "moved.sqlite3")
    for seen in (app.run(), visit(path, invitation=link)):
        assert find_sentence(problems(seen), f"{path} was", "moved", "back")
        assert find_sentence(problems(seen), "tell", "invited you")
    moved.rename(path)
    app.run()
    press(app, "Tie")
    assert not problems(app)
    assert answers(path) == ["tie"]


def test_a_vote_is_saved_and_the_next_question_cannot_be_had(
    visit: Visit, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = visit(path)
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
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # nothing can be saved now, and nothing is to be
            press(app, "Tie")  # what it answers is on the screen, and answered
        assert find_sentence(problems(app), "answer", "is saved")
        assert find_sentence(problems(app), "no next", f"{path} busy")
        assert "Not saved" not in problems(app)
    press(app, "A is better")
    assert find_sentence(on_screen(app), "Too quick")
    assert find_sentence(on_screen(app), "previous answer", "is saved", "Undo")
    assert answers(path) == ["both_bad"]
    assert not problems(app)
    assert on_screen(app) != before
    press(app, "Undo")
    assert [vote.withdrawn for vote in stored(path, "Ada")] == [True]


@pytest.mark.parametrize("state", ["full", "read_only"])
def test_every_page_can_be_read_and_says_the_reason(
    visit: Visit, disk: Disk, path: Path, state: str
) -> None:
    visit(path)
    disk.fill() if state == "full" else disk.read_only()
    for page in PAGES:
        app = visit(path, page)
        assert not app.exception, page
        said = "is full" if state == "full" else "is read-only"
        assert f"{said}" in problems(app), page
        assert find_sentence(problems(app), "Until then", "nothing"), page
        assert app.sidebar.selectbox[0].value == study.DATASET
    disk.free() if state == "full" else disk.writable()
    for page in PAGES:
        assert not problems(visit(path, page)), page


def test_a_new_annotator_on_a_full_disk(visit: Visit, disk: Disk, path: Path) -> None:
    disk.fill()
    app = visit(path)
    assert find_sentence(problems(app), f"{path} is full", "free some")
    assert not app.exception
    disk.free()
    app.run()
    assert on_screen(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_damaged_store(visit: Visit, tmp_path: Path, page: str) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    with Store(path) as store:
        size = store.connection.value("PRAGMA page_size")
        roots = [root for (root,) in store.connection.rows(
            "SELECT rootpage FROM sqlite_master WHERE name IN ('datasets', 'sqlite_autoindex_datasets_1')"
        )]  # fmt: skip
    with path.open("r+b") as file:
        for root in roots:
            file.seek((root - 1) * size)
            file.write(b"\x7f" * size)
    app = visit(path, page)
    assert not app.exception
    assert "is damaged" in problems(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_store_emptied_under_the_server_is_missed_and_not_begun_anew(
    visit: Visit, tmp_path: Path, page: str
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    app, kept = visit(path, page), path.read_bytes()
    path.write_bytes(b"")
    for seen in (app.run(), visit(path, page)):
        assert not seen.exception
        assert find_sentence(problems(seen), f"{path} was emptied", "back")
    assert path.read_bytes() == b""
    path.write_bytes(kept)
    assert not problems(app.run())


@pytest.mark.parametrize("what", ["garbage", "folder", "another program's"])
def test_what_is_no_store_where_one_was_is_told_until_it_is_put_back(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    path, looks = tmp_path / "store.sqlite3", list[int]()
    begin(path)
    monkeypatch.setattr(shared.faults, "_look_again", lambda: looks.append(1))
    app = visit(path)
    path.rename(tmp_path / "moved.sqlite3")
    if what == "garbage":
        path.write_bytes(b"\x00garbage" * 1000)
    elif what == "folder":
        path.mkdir()
    else:
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE notes (note)")
    for seen in (app.run(), visit(path)):
        assert not seen.exception
        assert find_sentence(problems(seen), f"{path} is", "no longer", "back")
        assert "TANDEM_STORE" not in problems(seen), "who annotates has no such setting"
    assert len(looks) == 2, "it looks by itself whether it is back"
    path.rmdir() if what == "folder" else path.unlink()
    (tmp_path / "moved.sqlite3").rename(path)
    assert not problems(app.run())


@pytest.mark.parametrize("page", PAGES)
def test_a_store_deleted_under_the_server_is_missed(
    visit: Visit, tmp_path: Path, page: str
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    app = visit(path, page)
    moved = path.rename(tmp_path / "moved.sqlite3")
    for seen in (app.run(), visit(path, page)):
        assert not seen.exception
        assert find_sentence(problems(seen), f"{path} was", "moved", "back")
    assert not path.exists()
    moved.rename(path)
    assert not problems(app.run())


def test_a_vote_on_a_store_that_was_deleted_or_replaced(visit: Visit, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    app = visit(path)
    path.rename(tmp_path / "moved.sqlite3")
    press(app, "A is better")
    assert "Not saved: " in problems(app)
    assert problems(app).count(" moved") == 1, "it is said once"
    assert not path.exists()
    begin(path)  # another study, with the same texts under the same numbers
    press(visit(path), "Skip")
    app.run()
    assert find_sentence(problems(app), f"{path} was replaced")
    shutil.copy(path, tmp_path / "backup.sqlite3")
    app.run()
    assert not problems(app)
    press(app, "A is better")
    (tmp_path / "backup.sqlite3").rename(path)  # the same study: its screens stay good
    press(app, "Tie")
    assert not problems(app)
    assert answers(path) == ["skipped", "tie"]


def test_a_press_on_a_screen_of_the_store_before_is_not_counted(
    visit: Visit, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)
    app = visit(path)
    path.unlink()
    begin(path)
    press(visit(path), "Skip")  # Ada is known in both
    press(app, "A is better")
    assert find_sentence(problems(app), f"{path} was replaced")
    assert answers(path) == ["skipped"]


def test_what_nobody_foresaw_is_a_sentence_and_stands_in_the_log(
    visit: Visit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "store.sqlite3"
    begin(path)

    def breaks(*arguments: object) -> None:
        raise ZeroDivisionError("secret")

    app = visit(path)
    for part in (bar.campaigns, "answer"), (frame, "_menu"):
        with monkeypatch.context() as broken:
            broken.delenv("TANDEM_TRACEBACK")
            broken.setattr(*part, breaks)
            with caplog.at_level(logging.ERROR):
                press(app, "A is better")
        assert "(ZeroDivisionError)" in problems(app)
        assert "secret" not in problems(app)
        assert "secret" in caplog.text
        caplog.clear()
        app = visit(path)
    assert on_screen(app)
    assert answers(path) == ["a"]


@pytest.mark.race
@pytest.mark.browser
def test_in_a_browser_voting_goes_on_without_a_reload(page: Page, disk: Disk, path: Path) -> None:
    with serving(path) as app:
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
    assert [vote.answer for vote in stored(path, "Ada")] == ["a", "b"]
