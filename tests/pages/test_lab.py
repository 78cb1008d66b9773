"""The section Lab of the page Judge: judges on development items, and the test items once opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.lab import LabSettings, lab, list_openings, split_items
from core.judging import add_server
from core.runs import worker
from core.store import Store
from tests.findings.lab.studies import JUDGES, answers, load
from tests.findings.people.voting import say
from tests.pages.drawn import choose, draw, find, press, words, write
from tests.pages.sentences import read_figures
from tests.pages.shown_tables import table
from tests.server import Server
from tests.study import DATASET, fill

OPEN = "Open the test items"


def test_from_development_to_test_items_and_back(store: Store) -> None:
    load(store, answers())
    rows = lab(store, Selection(DATASET), LabSettings()).rows
    app = draw("lab", dataset=DATASET)
    first = f"{rows['accuracy'].iloc[0]:.0%}"
    assert read_figures(words(app), "development items", "right in")[0] == first
    assert table(app, "Each judge")["judge"].tolist() == rows["judge"].tolist()
    press(app, "Save these items as a set")
    [saved] = store.item_sets.names(DATASET)
    sides = split_items(store, DATASET, store.item_sets.items(DATASET, saved))["side"]
    assert set(sides) == {"development"}
    shut = draw("lab", dataset=DATASET, open_test="true")
    assert not list(shut.dataframe)
    assert "test items" in words(press(shut, OPEN))
    assert [len(row["judges"]) for row in list_openings(store, DATASET)] == [4]
    again = draw("lab", dataset=DATASET, open_test="true").button
    assert OPEN not in [button.label for button in again]
    assert read_figures(words(draw("lab", dataset=DATASET)), "test items", "opened")[-1] == "1"


def test_without_votes_and_without_answers(store: Store) -> None:
    load(store, [one for one in answers(40) if one.judge in JUDGES], dataset="unvoted")
    fill(store, dataset="bare")
    app = draw("lab", dataset="unvoted")
    assert "fairest" in words(app)
    assert "accuracy" not in table(app, "Each judge")
    assert not draw("lab", dataset="bare").dataframe


def test_a_search_behind_a_server_goes_on_where_it_stopped_and_is_opened_at_last(
    tmp_path: Path, drawn_here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People prefer the longer text. The model takes that, or the first where it reads a context. It
    limits its rate, gives some pairs no verdict, and wants a key while the first round is asked.
    """
    path, keys = tmp_path / "s.sqlite3", iter(["another"])
    monkeypatch.setenv("TANDEM_STORE", str(path))

    def reply(prompt: str) -> str:
        first, second = prompt.find("alpha-"), prompt.find("beta-")
        if "alpha-1" in prompt:
            return "That is hard to say."
        return "Summary B" if "context of item" not in prompt and first < second else "Summary A"

    def ask(path: Path) -> None:
        server.key = next(keys, "")
        worker.run_worker(path, once=True)

    monkeypatch.setattr(worker, "ensure", ask)
    with Server(reply=reply, logprobs=False, faults=lambda prompt: ["429"]) as server:
        with Store(path) as store:
            fill(store, items=40, systems=("alpha", "beta"))
            add_server(store, "test", "lab", server.url)
            with store.transaction():
                for item in range(40):
                    say(store, "Ada", f"i{item}", ("alpha", "beta"), "b")
        app = write(draw("lab", dataset=DATASET), "toggle", "Search for a better prompt", True)
        app = write(choose(app, "Judge", "openai"), "text_input", "Model", "fake")
        beside = ["no-context", "comparative-short", "liusie-2024-2"]
        find(app.multiselect, "Prompts beside it").set_value(beside)
        assert not server.seen
        app = press(app, "Search")
        assert "HTTP 401" in words(app)
        server.key = ""
        app = press(app, "Search")
        rows = table(app, "Each prompt")
        assert rows["prompt"].iloc[0] == "no-context@1"
        assert not [name for name in map(str, rows) if name.startswith("on test items")]
        with Store(path) as store:
            assert not list_openings(store, DATASET)
        rows = table(press(app, "Open the test items"), "Each prompt").set_index("prompt")
    [column] = [name for name in map(str, rows) if name.startswith("on test items")]
    assert rows.loc["no-context@1", column].startswith("100%")
    assert rows.loc["comparative@1", column].startswith("50%")
    with Store(path) as store:
        assert len(list_openings(store, DATASET)) == 1
        assert set(store.judgement_frames.load_all(DATASET)["failure"]) == {"", "unparsed"}
