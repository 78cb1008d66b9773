"""A study's promise on the pages: made before the first vote, kept, changed, and of one data set."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.findings.judgements import Selection
from core.findings.people import PromiseSettings, promise
from core.pairing import open_default
from core.reporting import ReportScope, compile_report
from core.store import Promise, Store
from tests.findings.judgements.test_collecting import vote
from tests.pages.sentences import read_figures
from tests.paths import ROOT
from tests.study import DATASET, fill

OTHER = "other"
REASON = "two were close"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two data sets of 48 pairs each, about two attributes."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        for dataset in (DATASET, OTHER):
            fill(store, items=8, attributes=("coherence", "fluency"), dataset=dataset)
            open_default(store, dataset)
        campaigns.enrol(store, "Ada")
    monkeypatch.setenv("TANDEM_STORE", str(path))
    return path


def show(page: str, dataset: str = DATASET) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    app.query_params["dataset"] = dataset
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return unescape(" ".join(html.proto.body for html in app.get("html")))


def find(elements: object, label: str) -> object:
    [found] = [element for element in elements if element.label == label]
    return found


def give(path: Path, votes: int) -> None:
    with Store(path) as store:
        vote(store, votes)


def read_promises(path: Path, dataset: str = DATASET) -> list[Promise]:
    with Store(path) as store:
        return store.promises.list_all(store.campaigns.default(dataset).id)


def give_about_fluency(path: Path, number: int) -> int:
    """Ada answers what she is asked until so many of her votes are about fluency. Returns how many
    there are about anything.
    """
    votes = """SELECT count(*) FROM judgements j JOIN comparisons c ON c.id = j.comparison
        JOIN attributes a ON a.id = c.attribute WHERE a.name LIKE ?"""
    with Store(path) as store:
        while store.connection.value(votes, ("fluency",)) < number:
            vote(store, 1)
        return int(store.connection.value(votes, ("%",)))


def test_a_promise_is_made_kept_and_changed(path: Path) -> None:
    form = show("campaigns")
    find(form.number_input, "Votes").set_value(12)
    find(form.number_input, "Epsilon").set_value(0.1)
    find(form.multiselect, "About").set_value(["fluency"])
    find(form.button, "Promise").click().run()
    [made] = read_promises(path)
    assert (made.votes, made.attributes, made.epsilon) == (12, ("fluency",), 0.1)
    assert made.was_made_beforehand
    assert read_figures(said(form), "votes", "were promised")[0] == "12"

    assert give_about_fluency(path, 8) > 8
    assert "There are 8." in said(show("leaderboard"))
    answers = give_about_fluency(path, 12)
    assert "There are 12: kept." in said(show("leaderboard"))

    form = show("campaigns")
    assert find(form.number_input, "Epsilon").value == 0.1
    assert find(form.multiselect, "About").value == ["fluency"]
    find(form.number_input, "Votes").set_value(16)
    find(form.text_input, "Why it changes").set_value(REASON).run()
    find(form.button, "Promise").click().run()
    assert [one.votes for one in read_promises(path)] == [12, 16]
    board = said(show("leaderboard"))
    assert re.search(rf"after {answers} answers\b.*\b16 votes: {REASON}", board)
    assert "not kept" in board
    with Store(path) as store:
        report = compile_report(store, ReportScope(Selection(DATASET)))
    [section] = [one for one in report.sections if one.title == "What was promised"]
    assert section.lead in board


def test_a_change_begins_with_what_was_promised(path: Path) -> None:
    """With how voting stops, and with a judge that was not asked yet."""
    form = show("campaigns")
    find(form.selectbox, "Voting stops").set_value("settled")
    find(form.button, "Promise").click().run()
    with Store(path) as store:
        campaign = store.campaigns.default(DATASET)
        last = PromiseSettings(9, "settled", beside=("hf:x",), reason="a judge more")
        promise(store, campaign, last)
    form = show("campaigns")
    find(form.text_input, "Why it changes").set_value("fewer people").run()
    find(form.number_input, "Votes").set_value(8)
    find(form.button, "Promise").click().run()
    made = read_promises(path)
    assert [one.stopping for one in made] == ["settled"] * 3
    assert [one.votes for one in made] == [48, 9, 8]
    assert made[2].judges == ("hf:x",)


def test_it_is_of_one_data_set(path: Path) -> None:
    form = show("campaigns", OTHER)
    find(form.number_input, "Votes").set_value(30)
    find(form.button, "Promise").click().run()
    assert [one.votes for one in read_promises(path, OTHER)] == [30]
    assert read_promises(path) == []
    give(path, 30)
    for page in ("campaigns", "leaderboard"):
        assert "promised" not in said(show(page))
