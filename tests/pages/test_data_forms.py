"""Import and export on the Data page, without a browser: what is chosen before a file is taken in, or
handed out.
"""

from __future__ import annotations

import io

import pandas as pd
from streamlit.testing.v1 import AppTest

from core.access import Claim
from core.analysis.judgements import Selection
from core.judging.registry import make
from core.pairing.planning import Request, enqueue
from core.runs.execution import execute
from core.store import Store
from pages.components.data.datasets import csv, formatted
from pages.components.shared.downloads import Taker
from tests.importing.test_raters import TABLE
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.study import DATASET, fill


def kinds(app: AppTest) -> dict[str, str]:
    """Of each rater on the page, what is chosen."""
    boxes = [box for box in app.selectbox if box.label == "Kind of rater"]
    names = [text.value for text in app.text if f":{text.value}:" in TABLE]
    return dict(zip(names, (box.value for box in boxes), strict=True))


def imported(app: AppTest, store: Store, name: str) -> dict[str, str]:
    """Of each rater who is then there, the kind."""
    next(button for button in app.button if button.label == "Import").click().run()
    assert not app.exception
    scores = store.scores.all(name)
    return dict(zip(scores["rater"], scores["kind"], strict=True))


def test_metrics_beside_people_have_their_kinds_chosen(visit: Visit, store: Store) -> None:
    app = visit("pages/data.py")
    app.file_uploader[0].upload("t.csv", TABLE.encode(), "text/csv").run()
    assert not app.exception
    assert kinds(app) == {"ada": "human", "rouge1": "baseline", "judgelm": "human"}
    boxes = [box for box in app.selectbox if box.label == "Kind of rater"]
    boxes[2].set_value("llm").run()
    assert imported(app, store, "t") == {"ada": "human", "rouge1": "baseline", "judgelm": "llm"}


def test_a_file_of_one_rater_has_no_kinds_to_choose(visit: Visit) -> None:
    app = visit("pages/data.py")
    table = "item,system,text,score:ada:fluency\ni1,s1,One.,4\ni1,s2,Two.,5\n"
    app.file_uploader[0].upload("t.csv", table.encode(), "text/csv").run()
    assert "Read as: generations" in words(app)
    assert not [box for box in app.selectbox if box.label == "Kind of rater"]


def test_which_answers_are_exported_is_chosen_under_more(visit: Visit, store: Store) -> None:
    """By hand: 18 ordered pairs, at two trials; nobody has voted, so no leaderboard by default."""
    fill(store)
    judge = make("baseline:longer")
    for trial in (0, 1):
        execute(store, enqueue(store, judge.spec, Request(DATASET, trial=trial)), by=judge)
    app = visit("pages/data.py", dataset=DATASET)
    assert disabled(app, "Leaderboard")
    assert [box.label for box in app.multiselect] == ["Runs", "Trials"]
    app.multiselect[0].set_value([2]).run()
    assert not app.exception
    assert not disabled(app, "Leaderboard")
    chosen = Selection(DATASET, runs=(2,))
    me = Taker(store.path, Claim(elsewhere=False), names=False)
    rows = pd.read_csv(io.StringIO(csv(me, "judgements", chosen, raw=True)))
    assert (len(rows), set(rows["run"]), set(rows["trial"])) == (18, {2}, {1})
    assert not disabled(app, "Download")  # for another tool
    [tools] = [box for box in app.selectbox if box.label == "Judgements for another tool"]
    assert [*tools.options][:3] == ["TRL", "TRL, as messages", "Label Studio"]
    rows = pd.read_json(io.BytesIO(formatted(me, "trl", chosen)), lines=True)
    assert (len(rows), set(rows["judge"])) == (18, {"baseline:longer"})


def disabled(app: AppTest, label: str) -> bool:
    """Whether a download cannot be had."""
    return next(one for one in app.download_button if one.label == label).disabled
