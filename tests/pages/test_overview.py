"""The overview: next steps that fit what a data set holds."""

from __future__ import annotations

from pages.components.overview.summary import Holding, describe_holding, next_steps
from pages.components.shared.runs_table import name_run
from tests.golden_text import approve

TEXTS = {"systems": 4, "texts": 200, "campaigns": 1}


def pages(**held: object) -> list[str]:
    return [step.page for step in next_steps(Holding(**held))]


def test_steps_fit_the_data() -> None:
    """Votes without texts are neither judged nor annotated; nobody is sent to annotate where every
    pair has its votes.
    """
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
    ] == ["hf:m", "hf:m, attacked", "similarity: rouge1", "s"]  # fmt: skip
