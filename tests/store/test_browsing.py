"""Items to leaf through, and what is known of one."""

from __future__ import annotations

import pytest

from core.records import Answer, Generation, Kind, Outcome
from core.store import Sought, Store
from tests.study import DATASET, compare, fill, judge


@pytest.fixture
def voted(study: Store) -> Store:
    """Ada has preferred alpha to beta on i0, and a model gamma to alpha; i1 has a text of beta
    alone that says otter.
    """
    ada, model = judge(study, "Ada"), judge(study, "gpt", Kind.LLM)
    for who, a, b, answer in (
        (ada, "alpha", "beta", Answer(Outcome.A, comment="clearer")),
        (model, "alpha", "gamma", Answer(Outcome.B, prob_a=0.25, raw='{"text": "B"}')),
    ):
        study.connection.execute(
            """INSERT INTO judgements (comparison, judge, outcome, prob_a, comment, raw, created_at)
            VALUES (?, ?, ?, ?, ?, ?, 'now')""",
            (compare(study, "i0", a, b), who, answer.outcome, answer.prob_a, answer.comment, answer.raw),
        )  # fmt: skip
    fill(study, dataset="other")
    study.datasets.add_generations(DATASET, [Generation("i1", "beta", 1, "An OTTER swam.")])
    return study


def test_a_page_of_items_with_their_counts(voted: Store) -> None:
    frame = voted.browsing.items(Sought(DATASET), limit=2)
    assert frame.attrs["all"] == 3
    assert frame[["item", "texts", "votes", "answers"]].to_numpy().tolist() == [
        ["i0", 3, 1, 1], ["i1", 4, 0, 0],
    ]  # fmt: skip
    assert voted.browsing.items(Sought(DATASET), limit=2, offset=2)["item"].tolist() == ["i2"]
    assert voted.browsing.items(Sought("other"), limit=9)["votes"].sum() == 0


SEARCHES = (
    ({"text": "otter"}, ["i1"]),
    ({"text": "I2"}, ["i2"]),
    ({"text": "context of item 0"}, ["i0"]),
    ({"text": "%"}, []),
    ({"text": "otter", "system": "beta"}, ["i1"]),
    ({"system": "nobody"}, []),
)


def test_items_are_searched(voted: Store) -> None:
    for sought, items in SEARCHES:
        frame = voted.browsing.items(Sought(DATASET, **sought), limit=9)
        assert (frame["item"].tolist(), frame.attrs["all"]) == (items, len(items)), sought


def test_all_that_is_known_of_an_item(voted: Store) -> None:
    texts = voted.browsing.texts(Sought(DATASET), "i1")
    assert texts[["system", "sample"]].to_numpy().tolist() == [
        ["alpha", 0], ["beta", 0], ["beta", 1], ["gamma", 0],
    ]  # fmt: skip
    answers = voted.browsing.answers(Sought(DATASET), "i0")
    assert answers[["judge", "system_a", "system_b", "outcome", "comment"]].to_numpy().tolist() == [
        ["Ada", "alpha", "beta", "a", "clearer"], ["gpt", "alpha", "gamma", "b", ""],
    ]  # fmt: skip
    narrowed = voted.browsing.answers(Sought(DATASET, system="gamma"), "i0")
    assert narrowed["judge"].tolist() == ["gpt"]
    assert voted.browsing.answers(Sought(DATASET, attribute="fluency"), "i0").empty
