"""The overview: next steps that fit what a data set holds, and the report that it offers."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.access import Claim, DeniedError
from core.campaigns import enrol
from core.contents import Holding, describe_holding, describe_study
from core.findings.budget import BudgetSettings, budget
from core.findings.combine import CombineSettings, combine
from core.findings.judgements import Selection
from core.findings.plan import WAYS, PlanSettings, plan
from core.judging.registry import make
from core.pairing import open_default, planning
from core.pairing.planning import Request
from core.records import Answer, Attribute, Dataset, Outcome, Role
from core.runs import execution
from core.store import Store
from pages.components.judge.active_runs import name_run
from pages.components.overview.summary import next_steps
from pages.components.shared import report
from pages.components.shared.downloads import NAMES, Taker
from tests.findings.combine.studies import ITEMS, SYSTEMS, begin, said, voted
from tests.golden_text import approve
from tests.pages.drawn import draw, find, labels, run, words, write
from tests.pages.sentences import find_sentence
from tests.pages.shown_links import list_destinations
from tests.pages.shown_tables import table
from tests.study import DATASET, ask, fill

TEXTS = {"systems": 4, "texts": 200, "campaigns": 1}


def pages(**held: object) -> list[str]:
    return [step.page for step in next_steps(Holding(**held))]


def test_what_is_compared_is_asked_in_english(store: Store) -> None:
    """A lone question is the people's own; several are adjectives, else the names of all."""
    tone, wit, overall = Attribute("tone"), Attribute("wit", "witty"), "Which is better overall?"
    for number, (attributes, asked) in enumerate((
        ([Attribute("overall", "", overall)], "which is better overall?"),
        ([tone, wit], "which text is better by tone or wit?"),
        ([wit, Attribute("care", "careful")], "which text is more witty or careful?"),
    )):  # fmt: skip
        store.datasets.add(Dataset(f"d{number}"))
        store.datasets.add_attributes(f"d{number}", attributes)
        said = describe_study(store, f"d{number}", Holding(items=5, systems=2))
        assert said == f"Two systems on 5 items: {asked}"


def test_steps_fit_the_data() -> None:
    """Votes without texts are not judged; nobody annotates where all votes are there."""
    held: dict[str, object]
    for held, expected in (
        ({}, ["data", "data"]),
        ({"systems": 53, "by_people": 135_624, "people": 1}, ["data", "data"]),
        ({"systems": 1, "texts": 9}, ["data", "data"]),
        ({**TEXTS, "wanted": 180}, ["annotate", "judge", "data"]),
        (
            {**TEXTS, "wanted": 180, "by_models": 540, "sampled": True, "owned": True},
            ["annotate", "judge", "people", "bias", "data"],
        ),
        ({**TEXTS, "by_people": 180, "people": 3}, ["judge", "campaigns", "agreement", "data"]),
    ):
        assert pages(**held) == expected
    for answers in ({"by_people": 9, "people": 3}, {"by_models": 9}, {"scores": 9}):
        assert not {"judge", "annotate", "campaigns"} & {*pages(systems=4, **answers)}
    assert "annotate" not in pages(**TEXTS, by_people=180, people=1)
    steps = {step.page: step.why for step in next_steps(Holding(**TEXTS, by_people=1))}
    assert "Every pair" in steps["campaigns"]


def test_one_of_a_thing_is_not_several() -> None:
    one = Holding(items=1, systems=1, texts=1)
    held = Holding(items=2, systems=2, by_people=1, people=1, by_models=9, judges=2, wanted=3)
    approve("overview", "\n".join([describe_holding(one), describe_holding(held)]))


def test_a_run_is_called_by_who_answers_or_what_it_does() -> None:
    measured = {"judge": None, "task": "measure", "settings": '{"metric": "rouge1"}'}
    written = {"judge": None, "task": "generate", "settings": '{"system": "s"}'}
    compared, probed = ({"judge": "hf:m", "task": task} for task in ("compare", "attack"))
    names = [name_run(run) for run in (compared, probed, measured, written)]
    assert names == ["hf:m", "hf:m, probed", "similarity: rouge1", "s"]


def offered(app: AppTest) -> list[str]:
    """The files of the report; a picture has its own."""
    buttons = [button.proto.label for button in app.main.get("download_button")]
    return [label for label in buttons if label in ("HTML", "ZIP")]


def test_a_report_is_made_when_it_is_wanted(study: Store) -> None:
    open_default(study, DATASET)
    app = draw()
    assert report.BUTTON not in labels(app.button)  # nothing to tell
    enrol(study, "Zebulon")
    shown = ask(study, "Zebulon")
    assert shown is not None
    campaigns.answer(study, "Zebulon", shown, Answer(Outcome.A))
    assert offered(run(app)) == []
    app.button(key="report").click()
    run(app)
    assert offered(app) == ["HTML", "ZIP"]
    assert labels(app.checkbox) == [NAMES]
    app.checkbox[0].check().run()
    assert offered(app) == ["HTML", "ZIP"]


def test_a_report_is_taken_by_who_may_and_written_down(study: Store) -> None:
    report = ("tiny_report.html", DATASET, b"a page")
    assert Taker(study.path, Claim(is_remote=False), names=True).take_file(*report) == b"a page"
    [row] = study.audit.load_all().to_dict("records")
    assert (row["action"], row["subject"]) == ("export", DATASET)
    assert "with names" in row["details"]
    study.people.add("Grace", Role.OWNER)
    with pytest.raises(DeniedError):
        Taker(study.path, Claim(is_remote=True), names=False).take_file(*report)


# ---- The Together page: who is better by votes and judges, whom to ask; and how far judges are
# trusted


TITLE = "Systems by votes, by judges, and by both"


@pytest.fixture
def empty(store: Store) -> Store:
    fill(store, items=ITEMS, systems=SYSTEMS)
    return store


@pytest.fixture
def begun(store: Store) -> Store:
    begin(store)
    return store


def test_it_says_what_the_command_says(begun: Store) -> None:
    result = combine(begun, Selection(DATASET), CombineSettings())
    app = draw("together")
    for sentence in result.facts["sentences"]:
        assert sentence in words(app)
    shown = table(app, TITLE)
    assert shown["system"].tolist() == result.rows["system"].tolist()
    assert shown["voted pairs"].tolist() == [f"{votes:,}" for votes in result.rows["votes"]]
    assert result.signature in [code.value for code in app.code]


def test_without_votes_nothing_is_called_right_or_planned(empty: Store) -> None:
    said(empty)
    app = draw("together")
    assert "on 10 items" in words(app)
    assert list_destinations(app) == ["annotate", "campaigns", "leaderboard"]
    assert "Once 10 items" in words(draw("plan"))
    assert not draw("accuracy").get("arrow_data_frame")


def test_without_judges_and_without_either_it_says_what_to_do(empty: Store) -> None:
    app = draw("together")
    assert "No judgements" in words(app)
    assert list_destinations(app) == ["judge", "annotate"]
    voted(empty)
    app = draw("together")
    assert "No judge" in words(app)
    assert list_destinations(app) == ["judge", "leaderboard"]


def test_too_few_votes_are_counted(store: Store) -> None:
    begin(store, items=4)
    assert "takes 10" in words(draw("together"))


def test_judges_are_held_against_votes_and_against_themselves(begun: Store) -> None:
    said(begun, "another", noise=3)
    app = draw("together")
    assert re.search(r"\b45 human votes\b.*\b2 judges\b", words(app))
    [judges] = app.multiselect
    judges.set_value(["model"])
    assert re.search(r"\b45 human votes\b.*\b1 judge,", words(run(app)))


def test_a_plan_says_how_many_votes_and_leads_to_a_campaign(begun: Store) -> None:
    app = draw("plan")
    result = plan(begun, Selection(DATASET, judges=("llm",)), PlanSettings())
    assert result.facts["sentences"][0] in words(app)
    collected = table(app, "What tells the ranks apart")["what is collected"].tolist()
    assert collected == [WAYS[way] for way in result.tables["needed"]["way"]]
    next(button for button in app.button if button.key == "ask next").click()
    assert find(run(app).selectbox, "Pairs").value == "informative"


# ---- The Budget page: from a study without answers to what fewer would have told


def test_a_budget_says_what_the_command_line_says_and_what_was_needed(store: Store) -> None:
    fill(store, items=10, systems=("a", "b", "c", "d"))
    assert re.search(r"\bNo judgements\b.*\bjudge\b", words(draw("budget")))
    judge = make("baseline:longer")
    execution.execute(store, planning.enqueue(store, judge.spec, Request(DATASET)), by=judge)
    chosen = Selection(DATASET, attribute="coherence", judges=("baseline:longer",))
    app = draw("budget")
    for sentence in budget(store, chosen, BudgetSettings()).facts["sentences"]:
        assert sentence in words(app)
    assert set(table(app, "Comparisons needed")["pairs"]) == {
        "random", "no-repeat", "symmetric", "ring", "pairs-greedy",
    }  # fmt: skip
    write(app, "number_input", "Goal", 0.5)
    assert find_sentence(words(app), "Enough", "agrees 0.5 (Spearman)")
