"""The overview: next steps that fit what a data set holds."""

from __future__ import annotations

import pytest

from pages.components.overview.figures import _answered, _several
from pages.components.overview.steps import Holding, next_steps
from pages.components.shared.runs_table import named

TEXTS = {"systems": 4, "texts": 200, "campaigns": 1}


def pages(**held: object) -> list[str]:
    return [step.page for step in next_steps(Holding(**held))]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({}, ["data", "data"]),
        ({"systems": 53, "by_people": 135_624, "people": 1}, ["leaderboard", "data", "data"]),
        ({"systems": 1, "texts": 9}, ["data", "data"]),
        ({**TEXTS, "wanted": 180}, ["annotate", "judge", "data"]),
        (
            {**TEXTS, "wanted": 180, "by_models": 540, "sampled": True, "owned": True},
            ["annotate", "judge", "leaderboard", "people", "data"],
        ),
        (
            {**TEXTS, "by_people": 180, "people": 3},
            ["leaderboard", "judge", "campaigns", "agreement", "data"],
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
    assert "Every pair has its votes" in step.why


def test_one_of_a_thing_is_not_several() -> None:
    assert _several("vote of people", 1) == "vote of people"
    assert _several("vote of people", 2) == "votes of people"
    assert _answered(Holding(by_people=1)) == (
        "There is 1 judgement by people, none by judges yet. The texts they are about are not "
        "here. A leader by people's votes is named from 30 on."
    )
    assert "leader" not in _answered(Holding(systems=6, by_people=30))
    assert "from 35 on" in _answered(Holding(systems=7, by_people=34)), "five for each system"


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
    assert named(run) == called
