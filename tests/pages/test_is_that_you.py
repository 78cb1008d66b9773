"""Bob and bob: the page asks once whether they are one person, and keeps to what it hears."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.pairing import open_default
from core.store import Store
from tests import study
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture


@pytest.fixture
def bobs(store: Store) -> Store:
    """A study in which Bob takes part."""
    study.fill(store, items=9)
    open_default(store, study.DATASET)
    study.judge(store, "Bob")
    return store


def come_as(visit: Visit, name: str) -> AppTest:
    app = visit("pages/annotate.py", dataset=study.DATASET)
    app.text_input[0].set_value(name)
    return press(app, "Start")


def press(app: AppTest, label: str) -> AppTest:
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def is_asked(app: AppTest) -> bool:
    """Which of two texts is better."""
    return "A is better" in [button.label for button in app.button]


def names(store: Store) -> list[str]:
    return sorted(store.judges.load_all()["judge"])


def test_who_says_yes_goes_on_under_the_name_there_is(visit: Visit, bobs: Store) -> None:
    app = come_as(visit, "bob")
    assert "Bob already" in words(app)
    assert not is_asked(app)
    assert names(bobs) == ["Bob"]
    app = press(app, "Yes, that is me")
    assert is_asked(app)
    assert app.query_params["annotator"] == "Bob"
    assert names(bobs) == ["Bob"]


def test_who_says_no_is_somebody_else(visit: Visit, bobs: Store) -> None:
    app = press(come_as(visit, "BOB"), "No, I am somebody else")
    assert is_asked(app)
    assert names(bobs) == ["BOB", "Bob"]
    assert is_asked(come_as(visit, "BOB")), "whom the page knows by now"
