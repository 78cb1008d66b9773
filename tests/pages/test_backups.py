"""Backups on the Data page: made, looked at, gone back to."""

from __future__ import annotations

import zipfile
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.records import Role
from core.store import Store, backups
from tests import inviting
from tests.pages.sentences import find_sentence
from tests.pages.shown_tables import table
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import fill


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def parts(app: AppTest) -> str:
    """What the folded parts of a page are called."""
    return "\n".join(part.label for part in app.expander)


def choose(app: AppTest, path: Path) -> None:
    [box] = [box for box in app.selectbox if box.label == "Go back to the backup of"]
    box.set_value(backups.list_copies(backups.find_backup_folder(path), path)[0].file).run()


def test_a_backup_is_made_and_gone_back_to(visit: Visit, store: Store) -> None:
    fill(store)
    app = visit("pages/data.py")
    assert "no backup" in words(app)
    press(app, "Back up now")
    [made] = backups.list_copies(backups.find_backup_folder(store.path), store.path)
    assert f"{made.file.name} has all 0 judgements." in words(app)
    fill(store, items=5)
    choose(app, store.path)
    press(app, "What would change?")
    assert find_sentence(words(app), "No answer", "would")
    # 3 items of 3 systems in the backup, 5 now
    [change] = table(app, "What would change").to_dict("records")
    assert change["texts"] == "15 → 9"
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value("other")
    press(app, "Back up and restore")
    assert 'role="alert"' in words(app)
    assert store.datasets.summary()["items"].tolist() == [5]
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value(store.path.name)
    press(app, "Back up and restore")
    assert store.datasets.summary()["items"].tolist() == [3]
    assert 'role="alert"' not in words(app)
    assert f"{made.file.name} holds" in words(app)
    app.run()
    assert "replaced" not in words(app)


def test_an_archive_is_written_beside_the_backups(visit: Visit, store: Store) -> None:
    fill(store)
    app = visit("pages/data.py")
    press(app, "Write an archive")
    [file] = backups.find_backup_folder(store.path).iterdir()
    assert f"{file} has all 0 judgements." in words(app)
    with zipfile.ZipFile(file) as archive:
        assert len(archive.read("tables/generations.jsonl").splitlines()) == 9
    assert "no backup" in words(app)  # it is none of the dated copies, which thin out


def test_whoever_has_a_page_open_is_asked_to_reload_it(visit: Visit, store: Store) -> None:
    fill(store)
    other, app = visit("pages/leaderboard.py"), visit("pages/data.py")
    press(app, "Back up now")
    choose(app, store.path)
    press(app, "What would change?")
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value(store.path.name)
    press(app, "Back up and restore")
    assert "replaced" in words(other.run())
    assert "replaced" not in words(other.run())


def test_only_owners_see_them(visit: Visit, store: Store) -> None:
    fill(store)
    code = inviting.code(store.path, "Rob", Role.RESEARCHER)
    researcher, owner = visit("pages/data.py", invitation=code), visit("pages/data.py")
    assert "guidelines" in parts(researcher)
    assert "Backups" not in parts(researcher)
    assert "Backups" in parts(owner)
