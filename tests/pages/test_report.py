"""The report that the Overview page offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.access import Claim, DeniedError
from core.campaigns import enrol
from core.pairing import open_default
from core.records import Answer, Outcome, Role
from core.store import Store
from pages.components.shared import whole_report
from pages.components.shared.downloads import NAMES, Taker
from tests.paths import ROOT
from tests.study import DATASET, ask, fill


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.sqlite3"
    monkeypatch.setenv("TANDEM_STORE", str(path))
    with Store(path) as store:
        fill(store)
        open_default(store, DATASET)
    return path


def voted(path: Path) -> None:
    with Store(path) as store:
        enrol(store, "Zebulon")
        shown = ask(store, "Zebulon")
        assert shown is not None
        campaigns.answer(store, "Zebulon", shown, Answer(Outcome.A))


def offered(app: AppTest) -> list[str]:
    """The files of the report; a picture has its own."""
    labels = [button.proto.label for button in app.main.get("download_button")]
    return [label for label in labels if label in ("HTML", "ZIP")]


def _text(app: AppTest) -> str:
    return " ".join(one.proto.body for one in app.get("html"))


def test_a_report_is_made_when_it_is_wanted(path: Path) -> None:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
    assert whole_report.BUTTON not in [button.label for button in app.button]  # nothing to tell
    voted(path)
    app.run()
    assert offered(app) == []
    app.button(key="report").click().run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert [box.label for box in app.checkbox] == [NAMES]
    app.checkbox[0].check().run()
    assert offered(app) == ["HTML", "ZIP"]


def test_what_accuracy_is_held_against_is_chosen(path: Path) -> None:
    """Scores, of which there are none here: the report says that it is without."""
    voted(path)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
    app.button(key="report").click().run()
    assert "Without accuracy" not in _text(app)
    app.selectbox(key="report against").set_value("scores").run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert "Without accuracy" in _text(app)


def test_a_report_is_taken_by_who_may_and_written_down(path: Path) -> None:
    me = Taker(path, Claim(is_remote=False), names=True)
    assert me.take_file("tiny_report.html", DATASET, b"a page") == b"a page"
    with Store(path) as store:
        [row] = store.audit.load_all().to_dict("records")
        assert (row["action"], row["subject"]) == ("export", DATASET)
        assert "with names" in row["details"]
        store.people.add("Grace", Role.OWNER)
    stranger = Taker(path, Claim(is_remote=True), names=False)
    with pytest.raises(DeniedError):
        stranger.take_file("tiny_report.html", DATASET, b"a page")
