"""A trial: what a judge would be asked first, says, and would take; nothing is kept."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.judging.forms.form import ROOM
from core.judging.judge import Judge
from core.judging.prompts import PROMPTS
from core.judging.registry import make
from core.models import Options, respondent
from core.models.served.rate_limits import RunLimits
from core.pairing import planning
from core.pairing.planning import Request
from core.prices import Prices
from core.records import Answer, Generation, JudgeSpec, Kind, Outcome
from core.runs import Latency, estimate_run, preview, score
from core.runs.preview import trial
from core.store import Store
from tests.study import DATASET, add_texts, content, fill

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


NO_PRICES = Prices()


def tried_on(store, judge, prices=NO_PRICES):
    return trial(store, judge, planning.check_request(store, Request(DATASET)), prices)


def test_what_all_of_it_costs_is_what_five_cost(study: Store) -> None:
    """18 comparisons; each costs 100 read at 2 and 20 written at 10 a million: 0.0004."""
    tried = tried_on(study, Priced(), Prices(2.0, 10.0))
    assert (tried.planned, len(tried.asked), tried.unit) == (18, 5, "comparisons")
    assert tried.expected_cost == pytest.approx(18 * 0.0004)
    assert study.judgement_frames.load_all(DATASET).empty
    assert {one["outcome"] for one in tried.document()["answers"]} == {"a"}


@pytest.mark.parametrize("pace", [0.001, 1.0])
def test_the_time_left_goes_by_the_length_of_what_is_read(
    study: Store, monkeypatch: pytest.MonkeyPatch, pace
) -> None:
    """A character takes as long everywhere. One item in four has texts a fifteenth as long."""
    texts = [
        Generation(f"i{item}", name, 0, name * (15 if item % 4 else 1))
        for item in range(60)
        for name in ("alpha", "beta", "gamma")
    ]
    add_texts(study, DATASET, texts)
    now, clock = 0.0, SimpleNamespace(monotonic=lambda: now)

    class Reader(Priced):
        def answers(self, questions):
            nonlocal now
            now += pace * sum(len(q.text_a + q.text_b) for q in questions)
            return super().answers(questions)

    for module in (preview, respondent):
        monkeypatch.setattr(module, "time", clock)
    request = planning.check_request(study, Request(DATASET))
    tried = trial(study, Reader(), request, Prices())
    run = planning.enqueue(study, LONGER.spec, request)
    every = study.runs.list_pending(run, 1000)
    total = sum(len(q.text_a + q.text_b) for q in every)
    assert len(every) == tried.planned == 720
    assert pace * total / 1.5 < tried.expected_seconds < pace * total * 1.5


class Served(Priced):
    """Its first answers take nine seconds each."""

    def __init__(self, limits, several, votes):
        self.spec = replace(Priced.spec, mode="sample", votes=votes)
        self.endpoint = SimpleNamespace(allowed=limits, habits=SimpleNamespace(several=several))
        self.left = iter([9.0, 9.0, 9.0, 0.4, 0.4])

    def answers(self, questions):
        return [replace(one, seconds=next(self.left)) for one in super().answers(questions)]


def test_the_time_left_at_a_server_goes_by_answers_in_flight(study: Store) -> None:
    """The first ones open connections, and tell nothing of those that follow."""
    for *server, seconds in [
        (RunLimits(4), True, 1, 18 * 0.4 / 4),
        (RunLimits(4, rpm=60), True, 1, 18),
        (RunLimits(4, tpm=600), True, 1, 18 * 12),  # 120 tokens each
        (RunLimits(4), False, 5, 18 * 5 * 0.4 / 4),
    ]:
        assert tried_on(study, Served(*server)).expected_seconds == pytest.approx(seconds)


def test_the_prompt_is_the_one_a_model_reads(study: Store) -> None:
    judge = Priced()
    judge.spec = make("hf:nowhere").spec
    [one, *_] = tried_on(study, judge).document()["answers"]
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


# ---- What a run will ask of a server, counted by hand


OURS = "http://127.0.0.1:9/v1"


def test_one_reading_of_each_prompt_and_a_label() -> None:
    """Prompts of 400 and 800 characters are 150 tokens on average; a label first has 32."""
    options = Options(base_url=OURS, mode="classifier", prompt=PROMPTS["comparative"])
    estimate = estimate_run(1000, ["x" * 400, "x" * 800], options)
    assert (estimate.requests, estimate.read, estimate.written) == (1000, 150_000, 32_000)
    # 0.15 and 0.60 a million: 150,000 x 0.15 = 0.0225; and 32,000 x 0.60 = 0.0192
    assert estimate.costs(Prices(0.15, 0.60)) == pytest.approx((0.0225, 0.0417))


def test_sampled_votes_are_read_once_where_a_request_may_have_several() -> None:
    for url, most, counts in (
        (OURS, 10, (100, 10_000, 5_000)),
        ("https://api.anthropic.com/v1", None, (500, 50_000, 500 * ROOM)),
    ):
        options = Options(base_url=url, mode="sample", votes=5, max_tokens=most)
        estimate = estimate_run(100, ["x" * 400], options)
        assert (estimate.requests, estimate.read, estimate.written) == counts


def test_an_open_mode_costs_at_most_what_sampled_votes_do() -> None:
    """A label first has 32 tokens where probabilities come back; each of 5 votes has 1,024."""
    options = Options(base_url=OURS, prompt=PROMPTS["comparative"])
    estimate = estimate_run(1000, ["x" * 400], options)
    assert (estimate.read, estimate.written) == (100_000, 32_000)
    assert estimate.if_sampled
    assert (estimate.if_sampled.read, estimate.if_sampled.written) == (100_000, 5_120_000)
    assert estimate.costs(Prices(1.0, 2.0)) == pytest.approx((0.1, 10.34))
    once = Options(base_url=OURS, mode="generate", max_tokens=1)
    estimate = estimate_run(1200, ["x" * 4000], once)  # 1,200,000 tokens
    for limits, seconds in (((60, None), 1200), ((6000, 100_000), 720), ((None, None), 0)):
        assert estimate.least_seconds(*limits) == seconds


# ---- How the times of answers are told


def test_times_are_told_without_powers_of_ten() -> None:
    for times, words in [
        ((0.25, 0.32, 5.5e-05, 9.6e-05), "median latency 0.25 s (95% within 0.32 s)"),
        ((12.4, 121.0, 5.5e-05, 0.5),
         "median latency 12 s (95% within 121 s), after under 0.01 s in line (95% within 0.5 s)"),
    ]:  # fmt: skip
        assert str(Latency(3, *times)) == words
