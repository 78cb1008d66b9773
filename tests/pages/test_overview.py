"""The overview: next steps that fit what a data set holds, and the report that it offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import campaigns
from core.access import Claim, DeniedError
from core.campaigns import enrol
from core.contents import Holding, describe_holding
from core.pairing import open_default
from core.records import Answer, Outcome, Role
from core.store import Store
from pages.components.overview.summary import next_steps
from pages.components.shared import whole_report
from pages.components.shared.downloads import NAMES, Taker
from pages.components.shared.runs_table import name_run
from tests.golden_text import approve
from tests.pages.drawn import draw, labels, words
from tests.study import DATASET, ask

TEXTS = {"systems": 4, "texts": 200, "campaigns": 1}


def pages(**held: object) -> list[str]:
    return [step.page for step in next_steps(Holding(**held))]


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
    assert [
        name_run(run)
        for run in (
            {"judge": "hf:m", "task": "compare"}, {"judge": "hf:m", "task": "attack"}, measured,
            written,
        )
    ] == ["hf:m", "hf:m, probed", "similarity: rouge1", "s"]  # fmt: skip


@pytest.fixture
def path(study: Store) -> Path:
    open_default(study, DATASET)
    return study.path


def offered(app: AppTest) -> list[str]:
    """The files of the report; a picture has its own."""
    labels = [button.proto.label for button in app.main.get("download_button")]
    return [label for label in labels if label in ("HTML", "ZIP")]


def test_a_report_is_made_when_it_is_wanted_against_what_is_chosen(path: Path) -> None:
    """Scores, of which there are none here: the report says that it is without accuracy."""
    app = draw()
    assert whole_report.BUTTON not in labels(app.button)  # nothing to tell
    with Store(path) as store:
        enrol(store, "Zebulon")
        shown = ask(store, "Zebulon")
        assert shown is not None
        campaigns.answer(store, "Zebulon", shown, Answer(Outcome.A))
    app.run()
    assert offered(app) == []
    app.button(key="report").click().run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert labels(app.checkbox) == [NAMES]
    app.checkbox[0].check().run()
    assert offered(app) == ["HTML", "ZIP"]
    assert "Without accuracy" not in words(app)
    app.selectbox(key="report against").set_value("scores").run()
    assert not app.exception
    assert offered(app) == ["HTML", "ZIP"]
    assert "Without accuracy" in words(app)


def test_a_report_is_taken_by_who_may_and_written_down(path: Path) -> None:
    me = Taker(path, Claim(is_remote=False), names=True)
    assert me.take_file("tiny_report.html", DATASET, b"a page") == b"a page"
    with Store(path) as store:
        [row] = store.audit.load_all().to_dict("records")
        assert (row["action"], row["subject"]) == ("export", DATASET)
        assert "with names" in row["details"]
        store.people.add("Grace", Role.OWNER)
    stranger = Taker(path, Claim(is_remote=True), names=False)
    with pytest.raises(DeniedError):
        stranger.take_file("tiny_report.html", DATASET, b"a page")
