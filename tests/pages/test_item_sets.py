"""Items are found on the page Data, read, saved as a set, and looked at on the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.items import ItemSearch, save_items
from core.findings.judgements import Selection
from core.pairing import Request, planning
from core.records import Item
from core.runs import execution
from core.store import Store
from pages.components.shared.address import read_choice
from tests.asking import LONGER
from tests.findings.people.voting import say
from tests.hostile import NAMES
from tests.pages.drawn import choose, draw, find, labels, press, run, words
from tests.pages.sentences import read_figures
from tests.study import DATASET, fill

AB = ("alpha", "beta")
SENSELESS: tuple[dict[str, str], ...] = (
    {"split": ""}, {"split": "["}, {"split": "3"}, {"contradicts": "true"}, {"low": "x"},
    {"judge": "<b>nobody"}, {"split": "[" * 5000}, {"high": "1e999"}, {"low": "0.5"},
)  # fmt: skip


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


def save(store: Store, name: str, text: str = "i3", by: str = "Eve") -> None:
    save_items(store, name, ["i3"], (Selection(DATASET), ItemSearch(text=text)), by=by)


def test_find_save_ask_and_see_the_leaderboard(store: Store) -> None:
    app = draw("data", dataset=DATASET)
    find(app.toggle, "People are split").set_value(True)
    run(app)
    assert read_figures(words(app), "items", "pairs", "are split") == ["2", "12", "2"]
    assert app.query_params["split"] == "true"
    app.text_input(key="item set name").set_value("split ones").run()
    app = press(app, "Save as a set")
    assert store.item_sets.items(DATASET, "split ones") == ["i3", "i7"]
    assert store.item_sets.get(DATASET, "split ones").by_answers
    assert store.item_sets.names("other") == []
    ways = {link.proto.label: link.proto.query_string for link in app.main.get("page_link")}
    for label in ("Ask people about these", "See the leaderboard on these"):
        assert "set=split" in ways[label], ways
    app = draw("leaderboard", dataset=DATASET, set="split ones")
    assert find(app.selectbox, "Item set").value == "split ones"
    assert "biases" in words(app)
    signatures = [code.value for code in app.code if "|set:" in code.value]
    assert signatures
    assert all("|set:split ones|" in one for one in signatures)
    campaigns = press(draw("campaigns", dataset=DATASET, set="split ones"), "Open campaign")
    opened = store.campaigns.find(DATASET, "pilot")
    assert opened
    assert {item for _, _, item, *_ in store.campaigns.pairs(opened.id)} == {"i3", "i7"}
    assert campaigns.query_params["dataset"] == DATASET
    app = choose(app, "Item set", "")
    assert "set" not in app.query_params
    assert "biases" not in words(app)


def test_an_address_brings_a_search_back_or_makes_no_sense(store: Store) -> None:
    app = draw("data", dataset=DATASET, split="true", text="item 3")
    assert "1 of 12 items" in words(app)
    assert app.text_input(key="chosen text").value == "item 3"
    for senseless in SENSELESS:
        assert "12 items." in words(draw("data", dataset=DATASET, **senseless)), senseless


def test_every_page_of_findings_takes_a_set_and_says_one_that_is_gone(store: Store) -> None:
    execution.execute(store, planning.enqueue(store, LONGER.spec, Request(DATASET)), by=LONGER)
    save(store, "some")
    for page in ("leaderboard", "agreement", "bias", "together", "budget"):
        app = draw(page, dataset=DATASET, set="some")
        assert find(app.selectbox, "Item set").value == "some"
        assert "Item set" not in labels(draw(page, dataset="other", set="some").selectbox)
    gone = words(draw("agreement", dataset=DATASET, set="<b>gone</b>"))
    assert "item set &lt;b&gt;gone" in gone
    assert "<b>gone" not in gone


def test_choices_of_an_address_are_taken_where_they_make_sense() -> None:
    offered = ("a", "b")
    for written, default, options, value in (
        ("b", "", offered, "b"),
        ("<b>", "", offered, ""),
        ("[2, 2, 1]", (), [1, 2], (2, 1)),
        ("[[1]]", (), [1, 2], ()),
        ("3", (), [1, 2], ()),
        ("1", 0.5, None, 1.0),
        ("1" * 400, 0.5, None, 0.5),
        ("[" * 5000, 7, None, 7),
        ("true", 7, None, 7),
        ("true", False, None, True),
    ):
        assert read_choice(written, default, options) == value, written


def test_a_set_is_deleted(store: Store) -> None:
    save(store, "some")
    app = draw("data", dataset=DATASET)
    app.selectbox(key=f"saved sets {DATASET}").set_value("some").run()
    assert "1 item: “i3”" in words(app)
    press(app, "Delete this set")
    assert store.item_sets.names(DATASET) == []


def test_hostile_names_are_text(store: Store) -> None:
    for name in NAMES.values():
        shown = " ".join(name.split())[:60]
        if shown.isprintable():
            save(store, shown, name, by=name)
            app = draw("data", dataset=DATASET)
            app.selectbox(key=f"saved sets {DATASET}").set_value(shown)
            assert "<script" not in words(run(app))
            for kind in ("button", "selectbox", "text_input", "toggle"):
                assert shown not in labels(app.get(kind))
            draw("leaderboard", dataset=DATASET, set=shown)


def test_families_are_counted_and_chosen_where_items_repeat(store: Store) -> None:
    assert "families" not in words(draw(dataset=DATASET))
    assert "Families" not in labels(draw("bias", dataset=DATASET).selectbox)
    store.datasets.add_items(DATASET, [Item(f"i{n}", family=f"f{n // 3}") for n in range(12)])
    assert "12 items in 4 families" in words(draw(dataset=DATASET))
    choose(draw("bias", dataset=DATASET), "Families", "none")
