"""Judges that write: greedy and sampled answers, ties, failures, and that a tie may be called."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from core.judging.judges.local_judges import Sampler, Writer
from core.judging.prompts import TIE_LABEL, fill
from core.judging.registry import make, remake
from core.models.local.tokens import WrittenText
from core.models.respondent import Options
from core.records import Outcome, TandemError
from tests.judging.judges.test_local_classifier import QUESTIONS, plain
from tests.models import tiny

GOOD_FIRST = tiny.pairs(seed=99, count=30)


def test_it_writes_the_better_one(t5: Path) -> None:
    judge = make(f"hf:{t5}", Options(mode="generate"))
    answers = judge.answers(GOOD_FIRST + [tiny.swapped(question) for question in GOOD_FIRST])
    outcomes = [answer.outcome for answer in answers]
    assert sum(outcome is Outcome.A for outcome in outcomes[:30]) >= 28
    assert sum(outcome is Outcome.B for outcome in outcomes[30:]) >= 28
    assert all(answer.prob_a is None for answer in answers)
    assert all(answer.completion_tokens <= 32 < answer.tokens for answer in answers)
    assert "Summary A" in json.loads(answers[0].raw)["texts"][0]
    assert judge.spec.name.endswith("|comparative@1|generate")
    assert remake(judge.spec).spec == judge.spec


def test_what_else_it_is_told_is_kept_where_a_worker_makes_it_again(t5: Path) -> None:
    told = Options(mode="generate", max_tokens=9, lenient=True, system_prompt="Be fair.")
    spec = make(f"hf:{t5}", told).spec
    assert (spec.max_tokens, spec.lenient, spec.system_prompt) == (9, True, "Be fair.")
    assert remake(spec).spec == spec


def test_words_without_end_are_no_answer(llama: Path) -> None:
    """The tiny Llama has not learnt to stop: it answers, and goes on with both labels."""
    for most in (None, 7):
        options = Options(mode="generate", labels=("A", "B"), max_tokens=most)
        judge = make(f"hf:{llama}", options)
        answers = judge.answers(GOOD_FIRST[:5])
        assert {answer.failure for answer in answers} == {"cut-off"}
        assert {answer.completion_tokens for answer in answers} == {most or 32}
        assert judge.spec.name.endswith(f"|labels:A/B{f'|max-tokens:{most}' if most else ''}")


def test_votes_are_the_same_whatever_the_batch(model: Path) -> None:
    options = {"mode": "sample", "votes": 4, "temperature": 1.8, "seed": 3}
    judge = make(f"hf:{model}", Options(**options))
    together = judge.answers(QUESTIONS[:8])
    assert together == [
        answer for question in QUESTIONS[:8] for answer in judge.answers([question])
    ]
    assert together == make(f"hf:{model}", Options(**options, batch_tokens=1)).answers(
        QUESTIONS[:8]
    )
    assert together != make(f"hf:{model}", Options(**options | {"seed": 4})).answers(QUESTIONS[:8])
    assert judge.spec.name.endswith("|comparative@1|sample|votes:4|temperature:1.8|seed:3")
    assert (judge.spec.votes, judge.spec.temperature) == (4, 1.8)
    assert remake(judge.spec).answers(QUESTIONS[:8]) == together


def answered(monkeypatch, kind, texts, tie=False, **options):
    judge = kind("/no/such/model", Options(tie=tie, **options))

    class Told:
        limit = 4096

        def tokens(self, text, labels=(), system=""):
            from core.models.local.tokens import Tokens

            return Tokens(tuple(range(50)))

        def length(self, tokens):
            return 50

        def write(self, prompts, seeds, **options):
            assert [len(own) for own in seeds] == [len(texts)]
            return [[WrittenText(text, 5) for text in texts]]

    judge.__dict__["_model"] = Told()
    [answer] = judge.answers(QUESTIONS[:1])
    return answer


def test_shares_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    for texts, outcome, share, votes in [
        (["Summary A", "Summary A", "Summary B", "hm"], Outcome.A, 2 / 3, 3),
        (["Summary A", "Summary B", "", ""], Outcome.TIE, 1 / 2, 2),
        (["B", "B", "B", "(b)"], Outcome.B, 0.0, 4),
        (["Summary A", "Tie", "Tie", "Summary A"], Outcome.A, 3 / 4, 4),
        (["Tie", "Tie", "Tie", "Summary A"], Outcome.TIE, 5 / 8, 4),
        (["Tie", "Summary A", "Summary B", "Summary B"], Outcome.B, 3 / 8, 4),
    ]:
        answer = answered(monkeypatch, Sampler, texts, tie=True, votes=4, temperature=1.0, seed=0)
        assert (answer.outcome, answer.votes) == (outcome, votes)
        assert answer.prob_a == pytest.approx(share)
        assert json.loads(answer.raw)["texts"] == texts
        assert (answer.tokens, answer.completion_tokens) == (70, 20)


def test_no_vote_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for texts, failure in [
        (["hm", ""], "unparsed"),
        (["", ""], "empty"),
        (["Tie", "Summary A or Summary B"], "unparsed"),
    ]:
        answer = answered(monkeypatch, Sampler, texts, votes=2, temperature=1.0, seed=0)
        assert (answer.failure, answer.outcome, answer.votes) == (failure, None, 0)
        assert json.loads(answer.raw)["texts"] == texts


def test_what_says_nothing_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, failure in [("", "empty"), ("What a pair.", "unparsed")]:
        answer = answered(monkeypatch, Writer, [text])
        assert (answer.failure, json.loads(answer.raw)["texts"]) == (failure, [text])


def test_a_context_too_long_is_shortened_and_it_is_said(llama: Path) -> None:
    question = replace(QUESTIONS[0], context="river " * 2000)
    [answer] = make(f"hf:{llama}", Options(mode="generate")).answers([question])
    assert json.loads(answer.raw)["context_cut"] > 0
    assert 400 < answer.tokens <= 512


def test_a_tie_where_its_label_is_the_likeliest(model: Path) -> None:
    """p(A) leaves the tie's label out; log-probabilities are those of a plain computation."""
    judge = make(f"hf:{model}", Options(tie=True))
    assert judge.spec.labels[2:] == (TIE_LABEL,)
    assert judge.spec.name.endswith("|classifier|tie")
    assert remake(judge.spec).spec == judge.spec
    labels = (*tiny.LABELS, TIE_LABEL)
    for question, answer in zip(QUESTIONS[:6], judge.answers(QUESTIONS[:6]), strict=True):
        prompt = fill(tiny.PROMPTS["comparative"], question, labels)
        assert f"{labels[0]}, {labels[1]} or {labels[2]}" in prompt
        a, b, tie = (plain(model, prompt, label) for label in labels)
        raw = json.loads(answer.raw)
        assert (raw["logp_a"], raw["logp_b"], raw["logp_tie"]) == pytest.approx(
            (a, b, tie), abs=1e-3
        )
        assert answer.prob_a == pytest.approx(1 / (1 + math.exp(b - a)), abs=1e-4)  # type: ignore[attr-defined]
        assert answer.outcome is (  # type: ignore[attr-defined]
            Outcome.TIE if tie > max(a, b) else Outcome.A if a > b else Outcome.B
        )


def test_a_likely_tie_is_one(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = make(f"hf:{llama}", Options(tie=True))
    monkeypatch.setattr(judge._model, "log_probabilities", lambda batch, most: [(-3.0, -2.0, -1.0)])
    [answer] = judge.answers(QUESTIONS[:1])
    assert (answer.outcome, answer.prob_a) == (Outcome.TIE, pytest.approx(1 / (1 + math.e)))
    monkeypatch.setattr(
        judge._model, "log_probabilities", lambda batch, most: [(-math.inf, -math.inf, -1.0)]
    )
    assert judge.answers(QUESTIONS[:1])[0].outcome is Outcome.TIE


def test_what_makes_no_sense_is_refused() -> None:
    for options, message in [
        (
            {"mode": "generate", "temperature": 0.7},
            r"^temperature 0\.7 .*hf:NAME-OR-PATH \(mode sample\).* hf:x \(mode generate\)",
        ),
        ({"temperature": 0.7}, r"^temperature 0\.7 .*hf:NAME-OR-PATH \(mode sample\).* hf:x "),
    ]:
        with pytest.raises(TandemError, match=message):
            make("hf:x", Options(**options))
