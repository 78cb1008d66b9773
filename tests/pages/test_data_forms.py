"""Import and export on the Data page, without a browser: what is chosen before a file is taken in, or
handed out.
"""

from __future__ import annotations

import io
import re

import pandas as pd
from streamlit.testing.v1 import AppTest

from core import access
from core.access import Access, Claim
from core.exporting import FORMATS
from core.findings.judgements import Selection
from core.importing.layouts import LAYOUTS
from core.judging.registry import make
from core.pairing.planning import Request, enqueue
from core.records import Role
from core.runs.execution import execute
from core.store import Store
from pages.components.data.datasets import csv, export_in_format
from pages.components.shared.downloads import Taker
from tests import inviting
from tests.importing.test_raters import TABLE
from tests.pages.test_backups import parts
from tests.pages.test_empty import Visit, words
from tests.pages.test_empty import visit as visit  # a fixture
from tests.pages.test_import_form import name_layout
from tests.paths import ROOT
from tests.study import DATASET, fill

RESULTS = ROOT / "tests" / "importing" / "results"
QUESTION = "Which is clearer?"
UNGRADED = ["It is the Rhine\n---\nof course.", "Nile\n---\nand more", "The Danube."]
"""The texts of promptfoo-graded-cells.csv, without their grades."""


def kinds(app: AppTest) -> dict[str, str]:
    """Of each rater on the page, what is chosen."""
    boxes = [box for box in app.selectbox if box.label == "Kind of rater"]
    names = [text.value for text in app.text if f":{text.value}:" in TABLE]
    return dict(zip(names, (box.value for box in boxes), strict=True))


def imported(app: AppTest, store: Store, name: str) -> dict[str, str]:
    """Of each rater who is then there, the kind."""
    next(button for button in app.button if button.label == "Import").click().run()
    assert not app.exception
    scores = store.scores.load_all(name)
    return dict(zip(scores["rater"], scores["kind"], strict=True))


def test_metrics_beside_people_have_their_kinds_chosen(visit: Visit, study: Store) -> None:
    app = visit("pages/data.py")
    app.file_uploader[0].upload("t.csv", TABLE.encode(), "text/csv").run()
    assert not app.exception
    assert kinds(app) == {"ada": "human", "rouge1": "baseline", "judgelm": "human"}
    boxes = [box for box in app.selectbox if box.label == "Kind of rater"]
    boxes[2].set_value("llm").run()
    assert imported(app, study, "t") == {"ada": "human", "rouge1": "baseline", "judgelm": "llm"}


def test_a_file_of_one_rater_has_no_kinds_to_choose(visit: Visit, study: Store) -> None:
    app = visit("pages/data.py")
    table = "item,system,text,score:ada:fluency\ni1,s1,One.,4\ni1,s2,Two.,5\n"
    app.file_uploader[0].upload("t.csv", table.encode(), "text/csv").run()
    assert name_layout(app) == "generations"
    assert not [box for box in app.selectbox if "rater" in box.label]


def test_whose_texts_a_file_of_one_system_has_is_said(visit: Visit, study: Store) -> None:
    """ragas' results do not say it, so the page asks before anything is written."""
    app = visit("pages/data.py")
    table = (RESULTS / "ragas.csv").read_bytes()
    app.file_uploader[0].upload("rag.csv", table, "text/csv").run()
    assert not app.exception
    assert name_layout(app) == LAYOUTS["ragas"].title
    assert "system name" in words(app)
    field = next(box for box in app.text_input if box.label == "System, where all texts are of one")
    field.set_value("ours").run()
    assert imported(app, study, "rag") == {"ragas": "llm", "bleu_score": "baseline"}
    assert study.datasets.systems("rag") == ["ours"]


def test_grades_are_taken_out_of_texts_on_the_page(visit: Visit, study: Store) -> None:
    app = visit("pages/data.py")
    table = (RESULTS / "promptfoo-graded-cells.csv").read_bytes()
    app.file_uploader[0].upload("p.csv", table, "text/csv").run()
    assert name_layout(app) == LAYOUTS["promptfoo"].title
    assert imported(app, study, "p") == {"promptfoo": "baseline"}
    texts = study.datasets.generations("p")["text"].dropna()
    assert sorted(texts) == UNGRADED


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
    me = Taker(store.path, Claim(is_remote=False), names=False)
    rows = pd.read_csv(io.StringIO(csv(me, "judgements", chosen, raw=True)))
    assert (len(rows), set(rows["run"]), set(rows["trial"])) == (18, {2}, {1})
    assert not disabled(app, "Download")  # for another tool
    [tools] = [box for box in app.selectbox if box.label == "For another tool"]
    assert [*tools.options] == [format.title for format in FORMATS.values()]
    rows = pd.read_json(io.BytesIO(export_in_format(me, "trl", chosen)), lines=True)
    assert (len(rows), set(rows["judge"])) == (18, {"baseline:longer"})


def disabled(app: AppTest, label: str) -> bool:
    """Whether a download cannot be had."""
    return next(one for one in app.download_button if one.label == label).disabled


def test_a_data_set_is_deleted_once_its_name_was_typed(visit: Visit, store: Store) -> None:
    fill(store, dataset="gone")
    fill(store)
    app = visit("pages/data.py", dataset="gone")
    assert "3 items, 3 systems, 9 texts." in words(app)
    [box] = [box for box in app.text_input if box.label == "Type its name to delete it"]
    [button] = [button for button in app.button if button.label == "Back up and delete"]
    box.set_value("goner")
    app = button.click().run()
    assert 'role="alert"' in words(app)
    assert store.datasets.names() == ["gone", DATASET]
    [box] = [box for box in app.text_input if box.label == "Type its name to delete it"]
    [button] = [button for button in app.button if button.label == "Back up and delete"]
    box.set_value("gone")
    app = button.click().run()
    assert not app.exception
    assert 'role="alert"' not in words(app)
    assert "gone, with 3 items" in words(app)
    assert store.datasets.names() == [DATASET]
    assert app.query_params["dataset"] == DATASET
    assert len(list(store.path.parent.glob("*-before-deleting-gone-*.sqlite3"))) == 1


def test_a_researcher_deletes_nothing(visit: Visit, store: Store) -> None:
    fill(store)
    owner = inviting.code(store.path, "Ada", Role.OWNER)
    access.people.set_access(store, "test", Access.MEMBERS)
    link = inviting.code(store.path, "Grace", Role.RESEARCHER)
    app = visit("pages/data.py", invitation=link)
    assert "guidelines" in parts(app)
    assert "Delete" not in parts(app)
    assert "Delete" in parts(visit("pages/data.py", invitation=owner))


def test_a_question_is_worded_otherwise(visit: Visit, store: Store) -> None:
    fill(store)
    app = visit("pages/data.py")
    [box] = [box for box in app.text_input if box.label == "Question"]
    [button] = [button for button in app.button if button.label == "Save the question"]
    box.set_value(QUESTION)
    app = button.click().run()
    assert not app.exception
    assert "Saved: question." in words(app)
    assert store.datasets.attributes(DATASET)[0].question == QUESTION
    [old] = [frame.value for frame in app.dataframe if "until" in frame.value]
    assert old["answers"].tolist() == [0]


def test_items_are_leafed_through(visit: Visit, store: Store) -> None:
    fill(store, items=12)
    app = visit("pages/data.py")
    assert "Browse" in parts(app)
    assert app.dataframe[0].value["item"].tolist() == [f"i{item}" for item in range(10)]
    [search] = [box for box in app.text_input if box.label == "Search"]
    app = search.set_value("beta-11").run()
    assert not app.exception
    assert app.dataframe[0].value["item"].tolist() == ["i11"]
    assert re.search(r"\b1 item\b", words(app))
