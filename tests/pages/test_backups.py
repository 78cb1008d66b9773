"""Backups on the Data page: made, looked at, gone back to."""

from __future__ import annotations

import zipfile
from pathlib import Path

from streamlit.testing.v1 import AppTest

from core.records import Role
from core.store import Store, backups
from tests import inviting
from tests.pages.shown_tables import table
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import fill


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


def choose(app: AppTest, path: Path) -> None:
    [box] = [box for box in app.selectbox if box.label == "Go back to the backup of"]
    box.set_value(backups.list_copies(backups.find_backup_folder(path), path)[0].file).run()


def test_a_backup_is_made_and_gone_back_to(visit: Visit, store: Store) -> None:
    fill(store)
    app = visit("pages/data.py")
    assert "There is no backup yet. Make one" in words(app)
    press(app, "Back up now")
    [made] = backups.list_copies(backups.find_backup_folder(store.path), store.path)
    assert f"{made.file.name} has all 0 judgements." in words(app)
    fill(store, items=5)
    choose(app, store.path)
    press(app, "What would change?")
    assert "No answer would go." in words(app)
    # 3 items of 3 systems in the backup, 5 now
    [change] = table(app, "What would change").to_dict("records")
    assert change["texts"] == "15 → 9"
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value("other")
    press(app, "Back up and restore")
    assert "That is not its name: nothing was restored." in words(app)
    assert store.datasets.summary()["items"].tolist() == [5]
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value(store.path.name)
    press(app, "Back up and restore")
    assert store.datasets.summary()["items"].tolist() == [3]
    assert f"The store is again what {made.file.name} holds." in words(app)
    app.run()
    assert "was replaced by another store" not in words(app)


def test_an_archive_is_written_beside_the_backups(visit: Visit, store: Store) -> None:
    fill(store)
    app = visit("pages/data.py")
    press(app, "Write an archive")
    [file] = backups.find_backup_folder(store.path).iterdir()
    assert f"{file} has all 0 judgements." in words(app)
    with zipfile.ZipFile(file) as archive:
        assert len(archive.read("tables/generations.jsonl").splitlines()) == 9
    assert "There is no backup yet" in words(app)  # it is none of the dated copies, which thin out


def test_whoever_has_a_page_open_is_asked_to_reload_it(visit: Visit, store: Store) -> None:
    fill(store)
    other, app = visit("pages/leaderboard.py"), visit("pages/data.py")
    press(app, "Back up now")
    choose(app, store.path)
    press(app, "What would change?")
    [name] = [box for box in app.text_input if box.label.startswith("Type the name of the store")]
    name.set_value(store.path.name)
    press(app, "Back up and restore")
    assert "was replaced by another store" in words(other.run())
    assert "was replaced by another store" not in words(other.run())


def test_only_owners_see_them(visit: Visit, store: Store) -> None:
    fill(store)
    code = inviting.code(store.path, "Rob", Role.RESEARCHER)
    expanders = {box.label for box in visit("pages/data.py", invitation=code).expander}
    assert "Name, guidelines and questions" in expanders
    assert "Backups of the whole store" not in expanders
    assert "Backups of the whole store" in {box.label for box in visit("pages/data.py").expander}
