"""Items are found on the page Data, read, saved as a set, and looked at on the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.findings.items import ItemSearch, save_items
from core.findings.judgements import Selection
from core.store import Store
from tests.findings.people.voting import say
from tests.hostile import NAMES
from tests.pages.sentences import read_figures
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET, fill

AB = ("alpha", "beta")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """On twelve items of two data sets two people answer, and are split on i3 and i7."""
    store = Store(tmp_path / "store.sqlite3")
    fill(store, items=12)
    with store.transaction():
        for item in range(12):
            say(store, "Ada", f"i{item}", AB, "a")
            say(store, "Bo", f"i{item}", AB, "b" if item in (3, 7) else "a")
    fill(store, items=12, dataset="other")
    return store


def press(app: AppTest, label: str) -> AppTest:
    [button] = [button for button in app.button if button.label == label]
    app = button.click().run()
    assert not app.exception
    return app


def links(app: AppTest) -> dict[str, str]:
    """Label -> what its address says."""
    return {link.proto.label: link.proto.query_string for link in app.main.get("page_link")}


def toggle(app: AppTest, label: str) -> AppTest:
    [switch] = [one for one in app.toggle if one.label == label]
    app = switch.set_value(True).run()
    assert not app.exception
    return app


def test_find_save_ask_and_see_the_leaderboard(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py", dataset=DATASET)
    app = toggle(app, "People are split")
    assert read_figures(words(app), "items", "pairs", "are split") == ["2", "12", "2"]
    assert json.loads(app.query_params["find"]) == {"split": True}
    app.text_input(key="item set name").set_value("split ones").run()
    app = press(app, "Save as a set")
    assert store.item_sets.items(DATASET, "split ones") == ["i3", "i7"]
    assert store.item_sets.get(DATASET, "split ones").by_answers
    assert store.item_sets.names("other") == []
    ways = links(app)
    for label in ("Ask people about these", "See the leaderboard on these"):
        assert "set=split" in ways[label], ways
    app = visit("pages/leaderboard.py", dataset=DATASET, set="split ones")
    assert not app.exception
    [chosen] = [box for box in app.selectbox if box.label == "Item set"]
    assert chosen.value == "split ones"
    assert "biases" in words(app)
    signatures = [code.value for code in app.code if "|set:" in code.value]
    assert signatures
    assert all("|set:split ones|" in one for one in signatures)
    app = visit("pages/campaigns.py", dataset=DATASET, set="split ones")
    app = press(app, "Open campaign")
    opened = store.campaigns.find(DATASET, "pilot")
    assert opened
    assert {item for _, _, item, *_ in store.campaigns.pairs(opened.id)} == {"i3", "i7"}
    app = chosen.set_value("").run()
    assert "set" not in app.query_params
    assert "biases" not in words(app)


def test_an_address_brings_a_search_back(visit: Visit, store: Store) -> None:
    asked = json.dumps({"split": True, "text": "item 3"})
    app = visit("pages/data.py", dataset=DATASET, find=asked)
    assert "1 of 12 items" in words(app)
    assert app.text_input(key="find text").value == "item 3"


@pytest.mark.parametrize(
    "asked",
    ["", "[", "[1]", '{"split": 3}', '{"text": 7}', '{"contradicts": true}', '{"low": "x"}',
     '{"judge": "<b>nobody"}', '{"attribute": ["a"]}', "[" * 5000, '{"high": 1e999}'],
)  # fmt: skip
def test_an_address_that_makes_no_sense_asks_for_nothing(
    visit: Visit, store: Store, asked: str
) -> None:
    app = visit("pages/data.py", dataset=DATASET, find=asked)
    assert not app.exception
    assert "should have" in words(app)


def test_a_set_that_is_gone_is_said_and_all_items_are_shown(visit: Visit, store: Store) -> None:
    app = visit("pages/agreement.py", dataset=DATASET, set="<b>gone</b>")
    assert not app.exception
    assert "item set &lt;b&gt;gone" in words(app)
    assert "<b>gone" not in words(app)


@pytest.mark.parametrize("page", ["leaderboard", "agreement", "bias", "together", "budget"])
def test_every_page_of_findings_takes_a_set(visit: Visit, store: Store, page: str) -> None:
    save_items(store, "some", ["i3"], (Selection(DATASET), ItemSearch(text="i3")), by="Eve")
    app = visit(f"pages/{page}.py", dataset=DATASET, set="some")
    assert not app.exception
    [chosen] = [box for box in app.selectbox if box.label == "Item set"]
    assert chosen.value == "some"
    app = visit(f"pages/{page}.py", dataset="other", set="some")
    assert not app.exception
    assert not [box for box in app.selectbox if box.label == "Item set"]


def test_a_set_is_deleted_unless_a_campaign_asks_about_it(visit: Visit, store: Store) -> None:
    save_items(store, "some", ["i3"], (Selection(DATASET), ItemSearch(text="i3")), by="Eve")
    app = visit("pages/data.py", dataset=DATASET)
    app.selectbox(key=f"saved sets {DATASET}").set_value("some").run()
    assert "1 item: “i3”" in words(app)
    press(app, "Delete this set")
    assert store.item_sets.names(DATASET) == []


def test_hostile_names_are_text(visit: Visit, store: Store) -> None:
    for name in NAMES.values():
        shown = " ".join(name.split())[:60]
        if shown.isprintable():
            request = Selection(DATASET), ItemSearch(text=name)
            save_items(store, shown, ["i3"], request, by=name)
            app = visit("pages/data.py", dataset=DATASET)
            app.selectbox(key=f"saved sets {DATASET}").set_value(shown).run()
            assert not app.exception
            assert "<script" not in words(app)
            labels = [element.label for kind in ("button", "selectbox", "text_input", "toggle")
                      for element in app.get(kind)]  # fmt: skip
            assert shown not in labels
            app = visit("pages/leaderboard.py", dataset=DATASET, set=shown)
            assert not app.exception
