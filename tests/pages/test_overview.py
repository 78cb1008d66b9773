"""The overview: next steps that fit what a data set holds."""

from __future__ import annotations

import pytest

from pages.components.overview.summary import Holding, describe_holding, next_steps
from pages.components.shared.runs_table import name_run
from tests.golden_text import approve

TEXTS = {"systems": 4, "texts": 200, "campaigns": 1}


def pages(**held: object) -> list[str]:
    return [step.page for step in next_steps(Holding(**held))]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({}, ["data", "data"]),
        ({"systems": 53, "by_people": 135_624, "people": 1}, ["data", "data"]),
        ({"systems": 1, "texts": 9}, ["data", "data"]),
        ({**TEXTS, "wanted": 180}, ["annotate", "judge", "data"]),
        (
            {**TEXTS, "wanted": 180, "by_models": 540, "sampled": True, "owned": True},
            ["annotate", "judge", "people", "bias", "data"],
        ),
        (
            {**TEXTS, "by_people": 180, "people": 3},
            ["judge", "campaigns", "agreement", "data"],
        ),
    ],
)
def test_steps_fit_the_data(held: dict[str, object], expected: list[str]) -> None:
    assert pages(**held) == expected


def test_votes_without_texts_are_neither_judged_nor_annotated() -> None:
    for answers in ({"by_people": 9, "people": 3}, {"by_models": 9}, {"scores": 9}):
        assert not {"judge", "annotate", "campaigns"} & {*pages(systems=4, **answers)}


def test_nobody_is_sent_to_annotate_where_every_pair_has_its_votes() -> None:
    assert "annotate" not in pages(**TEXTS, by_people=180, people=1)
    [step] = [
        step for step in next_steps(Holding(**TEXTS, by_people=1)) if step.page == "campaigns"
    ]
    assert "Every pair" in step.why


def test_one_of_a_thing_is_not_several() -> None:
    one = Holding(items=1, systems=1, texts=1)
    held = Holding(items=2, systems=2, by_people=1, people=1, by_models=9, judges=2, wanted=3)
    approve("overview", "\n".join([describe_holding(one), describe_holding(held)]))


@pytest.mark.parametrize(
    ("run", "called"),
    [
        ({"judge": "hf:m", "task": "compare"}, "hf:m"),
        ({"judge": "hf:m", "task": "attack"}, "hf:m, attacked"),
        (
            {"judge": None, "task": "measure", "settings": '{"metric": "rouge1"}'},
            "similarity: rouge1",
        ),
        ({"judge": None, "task": "generate", "settings": '{"system": "s"}'}, "s"),
    ],
)
def test_a_run_is_called_by_who_answers_or_what_it_does(
    run: dict[str, object], called: str
) -> None:
    assert name_run(run) == called
