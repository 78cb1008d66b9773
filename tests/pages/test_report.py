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
from tests.pages.drawn import draw, labels, words
from tests.study import DATASET, ask


@pytest.fixture
def path(study: Store) -> Path:
    open_default(study, DATASET)
    return study.path


def offered(app: AppTest) -> list[str]:
    """The files of the report; a picture has its own."""
    labels = [button.proto.label for button in app.main.get("download_button")]
    return [label for label in labels if label in ("HTML", "ZIP")]


def test_a_report_is_made_when_it_is_wanted_against_what_is_chosen(path: Path) -> None:
    """Scores, of which there are none here: the report says that it is without accuracy."""
    app = draw()
    assert whole_report.BUTTON not in labels(app.button)  # nothing to tell
    with Store(path) as store:
        enrol(store, "Zebulon")
        shown = ask(store, "Zebulon")
        assert shown is not None
        campaigns.answer(store, "Zebulon", shown, Answer(Outcome.A))
    app.run()
    assert offered(app) == []
    app.button(key="report").click().run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert labels(app.checkbox) == [NAMES]
    app.checkbox[0].check().run()
    assert offered(app) == ["HTML", "ZIP"]
    assert "Without accuracy" not in words(app)
    app.selectbox(key="report against").set_value("scores").run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert "Without accuracy" in words(app)


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
