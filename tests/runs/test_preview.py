"""A trial: what a judge would be asked first, says, and would take; nothing is kept."""

from __future__ import annotations

import pytest

from core.judging.judge import Judge
from core.judging.registry import make
from core.pairing import planning
from core.pairing.planning import Request
from core.prices import Prices
from core.records import Answer, JudgeSpec, Kind, Outcome
from core.runs import score
from core.runs.preview import trial
from core.store import Store
from tests.study import DATASET, content, fill

LONGER = make("baseline:longer")


class Priced(Judge):
    """Says A to everything, for 100 tokens read and 20 written."""

    spec = JudgeSpec("priced", Kind.LLM, "openai:priced")

    def answers(self, questions):
        return [Answer(Outcome.A, tokens=120, completion_tokens=20) for _ in questions]


def test_another_trial_is_tried_as_its_run_will_answer(study: Store) -> None:
    """The coin is thrown anew in every trial."""
    coin = make("baseline:random")
    said = []
    for number in (0, 1):
        request = planning.check_request(study, Request(DATASET, trial=number))
        tried = [answer.prob_a for *_, answer in trial(study, coin, request, Prices(), 3).asked]
        run = planning.enqueue(study, coin.spec, request)
        assert tried == [answer.prob_a for answer in coin.answers(study.runs.list_pending(run, 3))]
        said.append(tried)
    assert said[0] != said[1]


@pytest.mark.parametrize("strategy", ["full", "random", "ring", "active", "pairs-greedy"])
def test_asks_what_the_run_asks_first_and_writes_nothing(study: Store, strategy) -> None:
    fill(study, items=4, systems=[f"s{i}" for i in range(5)], attributes=("coherence", "fluency"))
    budget = None if strategy in ("full", "pairs-greedy") else 4
    request = planning.check_request(study, Request(DATASET, strategy, budget, seed=3))
    before = content(study)
    questions = planning.preview_questions(study, request, 3)
    assert content(study) == before
    run = planning.enqueue(study, LONGER.spec, request)
    pending = study.runs.list_pending(run, 3)
    assert [(q.text_a, q.text_b, q.attribute) for q in questions] == [
        (q.text_a, q.text_b, q.attribute) for q in pending
    ]


def test_what_all_of_it_takes_is_what_five_took(study: Store) -> None:
    """18 comparisons; each costs 100 read at 2 and 20 written at 10 a million: 0.0004."""
    tried = trial(
        study, Priced(), planning.check_request(study, Request(DATASET)), Prices(2.0, 10.0)
    )
    assert (tried.planned, len(tried.asked), tried.unit) == (18, 5, "comparisons")
    assert tried.expected_cost == pytest.approx(18 * 0.0004)
    assert tried.expected_seconds == pytest.approx(tried.seconds * 18 / 5)
    assert study.judgement_frames.load_all(DATASET).empty
    assert {one["outcome"] for one in tried.document()["answers"]} == {"a"}


def test_the_prompt_is_the_one_a_model_reads(study: Store) -> None:
    class Reader(Priced):
        spec = make("hf:nowhere").spec

    [one, *_] = trial(
        study, Reader(), planning.check_request(study, Request(DATASET)), Prices()
    ).document()["answers"]
    assert one["text_a"] in one["prompt"]
    assert one["text_b"] in one["prompt"]
    asked = one["prompt"].rpartition("\n\n")[2]
    assert -1 < asked.find("Summary A") < asked.find("Summary B")


def test_marks_are_tried_too(study: Store) -> None:
    study.connection.execute("""UPDATE items SET "references" = '["alpha-0-0"]'""")
    request = score.ScoringRequest(DATASET).fill_attributes(study)
    tried = trial(study, make("baseline:rouge1"), request, Prices(), n=2)
    assert (tried.unit, tried.planned, len(tried.asked)) == ("scores", 9, 2)
    assert {"text", "value", "attribute"} <= set(tried.document()["answers"][0])
    assert study.scores.load_all(DATASET).empty
