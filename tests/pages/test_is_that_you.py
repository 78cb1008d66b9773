"""Bob and bob: the page asks once whether they are one person, and keeps to what it hears."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.pairing import open_default
from core.store import Store
from tests import study
from tests.pages.drawn import draw, labels, press, words


@pytest.fixture
def bobs(store: Store) -> Store:
    """A study in which Bob takes part."""
    study.fill(store, items=9)
    open_default(store, study.DATASET)
    study.judge(store, "Bob")
    return store


def come_as(name: str) -> AppTest:
    app = draw("annotate", dataset=study.DATASET)
    app.text_input[0].set_value(name)
    return press(app, "Start")


def names(store: Store) -> list[str]:
    return sorted(store.judges.load_all()["judge"])


def test_who_says_yes_goes_on_under_the_name_there_is_and_who_says_no_is_another(
    bobs: Store,
) -> None:
    app = come_as("bob")
    assert "Bob already" in words(app)
    assert "A is better" not in labels(app.button)
    assert names(bobs) == ["Bob"]
    app = press(app, "Yes, that is me")
    assert "A is better" in labels(app.button)
    assert app.query_params["annotator"] == "Bob"
    assert names(bobs) == ["Bob"]
    app = press(come_as("BOB"), "No, I am somebody else")
    for seen in (app, come_as("BOB")):  # whom the page knows by now
        assert "A is better" in labels(seen.button)
    assert names(bobs) == ["BOB", "Bob"]
