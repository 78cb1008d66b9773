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
from core.models.local.tokens import Tokens, WrittenText
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
    def votes(**more):
        return make(f"hf:{model}", Options(**options | more)).answers(QUESTIONS[:8])

    options = {"mode": "sample", "votes": 4, "temperature": 1.8, "seed": 3}
    judge, together = make(f"hf:{model}", Options(**options)), votes()
    assert together == [answer for one in QUESTIONS[:8] for answer in judge.answers([one])]
    assert together == votes(batch_tokens=1) == remake(judge.spec).answers(QUESTIONS[:8])
    assert together != votes(seed=4)
    assert judge.spec.name.endswith("|comparative@1|sample|votes:4|temperature:1.8|seed:3")
    assert (judge.spec.votes, judge.spec.temperature) == (4, 1.8)


def answered(kind, texts, tie=False, **options):
    """What a judge makes of these texts."""
    judge = kind("/no/such/model", Options(tie=tie, **options))

    class Told:
        limit = 4096

        def tokens(self, text, labels=(), system=""):
            return Tokens(tuple(range(50)))

        def length(self, tokens):
            return 50

        def write(self, prompts, seeds, **options):
            assert [len(own) for own in seeds] == [len(texts)]
            return [[WrittenText(text, 5) for text in texts]]

    judge.__dict__["_model"] = Told()
    [answer] = judge.answers(QUESTIONS[:1])
    return answer


def test_shares_by_hand() -> None:
    for texts, outcome, share, votes in [
        (["Summary A", "Summary A", "Summary B", "hm"], Outcome.A, 2 / 3, 3),
        (["Summary A", "Summary B", "", ""], Outcome.TIE, 1 / 2, 2),
        (["B", "B", "B", "(b)"], Outcome.B, 0.0, 4),
        (["Summary A", "Tie", "Tie", "Summary A"], Outcome.A, 3 / 4, 4),
        (["Tie", "Tie", "Tie", "Summary A"], Outcome.TIE, 5 / 8, 4),
        (["Tie", "Summary A", "Summary B", "Summary B"], Outcome.B, 3 / 8, 4),
    ]:
        answer = answered(Sampler, texts, tie=True, votes=4, temperature=1.0, seed=0)
        assert (answer.outcome, answer.votes) == (outcome, votes)
        assert answer.prob_a == pytest.approx(share)
        assert json.loads(answer.raw)["texts"] == texts
        assert (answer.tokens, answer.completion_tokens) == (70, 20)


def test_no_vote_is_a_failure() -> None:
    for texts, failure in [
        (["hm", ""], "unparsed"),
        (["", ""], "empty"),
        (["Tie", "Summary A or Summary B"], "unparsed"),
    ]:
        answer = answered(Sampler, texts, votes=2, temperature=1.0, seed=0)
        assert (answer.failure, answer.outcome, answer.votes) == (failure, None, 0)
        assert json.loads(answer.raw)["texts"] == texts
    for text, failure in [("", "empty"), ("What a pair.", "unparsed")]:
        answer = answered(Writer, [text])
        assert (answer.failure, json.loads(answer.raw)["texts"]) == (failure, [text])


def test_a_context_too_long_is_shortened_and_it_is_said(llama: Path) -> None:
    question = replace(QUESTIONS[0], context="river " * 2000)
    [answer] = make(f"hf:{llama}", Options(mode="generate")).answers([question])
    assert json.loads(answer.raw)["context_cut"] > 0
    assert 400 < answer.tokens <= 512


def test_a_tie_where_its_label_is_the_likeliest(model: Path) -> None:
    """p(A) leaves the tie's label out; log-probabilities are those of a plain computation."""
    judge, labels = make(f"hf:{model}", Options(tie=True)), (*tiny.LABELS, TIE_LABEL)
    assert judge.spec.labels[2:] == (TIE_LABEL,)
    assert judge.spec.name.endswith("|classifier|tie")
    assert remake(judge.spec).spec == judge.spec
    for question, answer in zip(QUESTIONS[:6], judge.answers(QUESTIONS[:6]), strict=True):
        prompt = fill(tiny.PROMPTS["comparative"], question, labels)
        assert f"{labels[0]}, {labels[1]} or {labels[2]}" in prompt
        a, b, tie = expected = [plain(model, prompt, label) for label in labels]
        raw = json.loads(answer.raw)
        assert [raw[f"logp_{one}"] for one in ("a", "b", "tie")] == pytest.approx(
            expected, abs=1e-3
        )
        assert answer.prob_a == pytest.approx(1 / (1 + math.exp(b - a)), abs=1e-4)  # type: ignore[attr-defined]
        likeliest = Outcome.TIE if tie > max(a, b) else Outcome.A if a > b else Outcome.B
        assert answer.outcome is likeliest  # type: ignore[attr-defined]


def test_a_likely_tie_is_one(llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = make(f"hf:{llama}", Options(tie=True))
    for likely, p in ((-3.0, -2.0), 1 / (1 + math.e)), ((-math.inf, -math.inf), None):
        scores = [(*likely, -1.0)]
        monkeypatch.setattr(judge._model, "log_probabilities", lambda batch, most, now=scores: now)
        [answer] = judge.answers(QUESTIONS[:1])
        assert answer.outcome is Outcome.TIE
        assert answer.prob_a == (p if p is None else pytest.approx(p))


def test_what_makes_no_sense_is_refused() -> None:
    only = r"^temperature 0\.7 .*hf:NAME-OR-PATH \(mode sample\).* hf:x"
    for options, who in [({"mode": "generate"}, r"\(mode generate\)"), ({}, "")]:
        with pytest.raises(TandemError, match=f"{only} {who}"):
            make("hf:x", Options(temperature=0.7, **options))
