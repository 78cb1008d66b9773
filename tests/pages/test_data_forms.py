"""What the Data page hands out, keeps, brings back, deletes and words otherwise."""

from __future__ import annotations

import io

import pandas as pd
from streamlit.testing.v1 import AppTest

from core import access
from core.access import Access, Claim
from core.exporting import FORMATS
from core.findings.judgements import Selection
from core.judging.registry import make
from core.pairing.planning import Request, enqueue
from core.records import Answer, Outcome, Role
from core.runs.execution import execute
from core.store import Store, backups, dataset_decisions
from pages.components.data.datasets import csv, export_in_format
from pages.components.people import progress
from pages.components.shared.counting import CountingTask
from pages.components.shared.downloads import Taker
from pages.components.shared.frame import Study
from tests import inviting
from tests.pages import reports
from tests.pages.drawn import draw, find, labels, press, run, words, write
from tests.study import DATASET, fill, judge
from tests.votes import Vote, add_votes

QUESTION = "Which is clearer?"


def confirm(app: AppTest, button: str, name: str) -> None:
    """Type the name that a button wants to be told."""
    [box] = [box for box in app.text_input if box.label.startswith("Type ")]
    box.set_value(name)
    press(app, button)


def test_a_backup_is_made_and_whoever_has_a_page_open_reloads_it_once_restored(
    study: Store,
) -> None:
    other, app = draw("leaderboard"), draw("data")
    press(app, "Back up now")
    [made] = backups.find_backup_folder(study.path).iterdir()
    assert f"{made} has all 0 judgements." in words(app)
    fill(study, items=5)
    backups.restore(study.path, made, "Olga")
    assert study.datasets.summary()["items"].tolist() == [3]
    assert "replaced" in words(other.run())
    assert "replaced" not in words(other.run())


def test_researchers_go_back_to_nothing_and_delete_nothing(study: Store) -> None:
    owner = inviting.code(study.path, "Ada", Role.OWNER)
    access.people.set_access(study, "test", Access.MEMBERS)
    link = inviting.code(study.path, "Grace", Role.RESEARCHER)
    for code, there in ((link, [True, False, False]), (owner, [True] * 3)):
        parts = "\n".join(labels(draw("data", invitation=code).expander))
        assert [part in parts for part in ("guidelines", "Back up", "Delete")] == there


def test_which_answers_are_exported_is_chosen_under_more(study: Store) -> None:
    """By hand: 18 ordered pairs, at two trials; nobody has voted, so no leaderboard by default."""
    longer = make("baseline:longer")
    for trial in (0, 1):
        execute(study, enqueue(study, longer.spec, Request(DATASET, trial=trial)), by=longer)
    app = draw("data", dataset=DATASET)
    assert find(app.download_button, "Leaderboard").disabled
    assert labels(app.multiselect) == ["Runs", "Trials"]
    app.multiselect[0].set_value([2])
    run(app)
    assert not find(app.download_button, "Leaderboard").disabled
    chosen = Selection(DATASET, runs=(2,))
    me = Taker(study.path, Claim(is_remote=False), names=False)
    rows = pd.read_csv(io.StringIO(csv(me, "judgements", chosen, raw=True)))
    assert (len(rows), set(rows["run"]), set(rows["trial"])) == (18, {2}, {1})
    assert not find(app.download_button, "Download").disabled  # for another tool
    tools = find(app.selectbox, "For another tool")
    assert [*tools.options] == [format.title for format in FORMATS.values()]
    rows = pd.read_json(io.BytesIO(export_in_format(me, "trl", chosen)), lines=True)
    assert (len(rows), set(rows["judge"])) == (18, {"baseline:longer"})


def test_a_data_set_is_deleted_once_its_name_was_typed(store: Store) -> None:
    fill(store, dataset="gone")
    fill(store)
    app = draw("data", dataset="gone")
    assert "3 items, 3 systems, 9 texts." in words(app)
    confirm(app, "Back up and delete", "goner")
    assert 'role="alert"' in words(app)
    assert store.datasets.names() == ["gone", DATASET]
    confirm(app, "Back up and delete", "gone")
    assert 'role="alert"' not in words(app)
    assert "gone, with 3 items" in words(app)
    assert store.datasets.names() == [DATASET]
    assert app.query_params["dataset"] == DATASET
    assert len(list(store.path.parent.glob("*-before-deleting-gone-*.sqlite3"))) == 1


def test_a_question_is_worded_otherwise_and_items_are_leafed_through(store: Store) -> None:
    fill(store, items=12)
    app = draw("data")
    find(app.text_input, "Question").set_value(QUESTION)
    press(app, "Save the question")
    assert "Saved: question." in words(app)
    assert store.datasets.attributes(DATASET)[0].question == QUESTION
    [old] = [frame.value for frame in app.dataframe if "until" in frame.value]
    assert old["answers"].tolist() == [0]
    assert [label for label in labels(app.expander) if "Browse" in label]
    assert app.dataframe[0].value["item"].tolist() == [f"i{item}" for item in range(10)]
    app = write(app, "text_input", "Words", "beta-11")
    assert app.dataframe[0].value["item"].tolist() == ["i11"]
    assert "1 of 12 items" in words(app)


def vote(store: Store, outcome: Outcome) -> None:
    """Ada says the same of alpha and beta on each item, in every study as often."""
    fill(store)
    judge(store)
    votes = [
        Vote(f"i{i}", "alpha", "beta", "Ada", Answer(outcome), attribute="coherence")
        for i in range(3)
    ]
    add_votes(store, DATASET, votes)


def stamps(store: Store) -> dict[str, str]:
    """What every cached figure is kept under, by what it is of."""
    study = Study(store, DATASET, visit=None)  # type: ignore[arg-type]
    return {
        "judgements": study.judgements_stamp,
        "scores": study.scores_stamp,
        "draws": study.draws_stamp,
        "texts": study.texts_stamp,
        "people": progress.stamp(study),
    }


def test_every_stamp_of_a_data_set_that_was_replaced_differs_though_all_counts_are_equal(
    store: Store,
) -> None:
    """With the other winner."""
    vote(store, Outcome.A)
    before = stamps(store)
    assert stamps(store) == before
    dataset_decisions.delete(store, "test", DATASET, store.path.with_name("before.sqlite3"))
    vote(store, Outcome.B)
    after = stamps(store)
    assert [name for name, stamp in after.items() if stamp == before[name]] == []
    identity = store.datasets.identity(DATASET)
    assert all(stamp.startswith(identity) for stamp in after.values())


def test_what_was_counted_of_another_data_set_is_no_older_answer(store: Store) -> None:
    one, later, other = (
        CountingTask(reports.names, store.path, "x", stamp, of)
        for stamp, of in (("d1-1", "d1"), ("d1-2", "d1"), ("d2-1", "d2"))
    )
    assert one.key == later.key
    assert other.key != one.key
