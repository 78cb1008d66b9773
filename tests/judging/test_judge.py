"""Judges and how they are made. The language models are in models/test_classifier.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from core.failures import FAILURES, describe_error
from core.judging.judge import BASELINE, COMPARING_MODES
from core.judging.registry import make, members, remake
from core.models.respondent import Options
from core.records import Attribute, Kind, Outcome, Question, TandemError

ATTRIBUTE = Attribute("coherence", "coherent")


def question(
    a: str | None,
    b: str | None,
    context: str = "The council voted to close the old bridge.",
    **more,
) -> Question:
    return Question(comparison=1, context=context, text_a=a, text_b=b, attribute=ATTRIBUTE, **more)


def swapped(asked: Question) -> Question:
    return replace(asked, text_a=asked.text_b, text_b=asked.text_a)


WORDS = "council voted close bridge old river cake moon singing the a to"


def many(count: int, seed: int = 0) -> list[Question]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS.split(), rng.integers(1, 20))) for _ in range(2 * count)]
    return [question(a, b) for a, b in zip(texts[::2], texts[1::2], strict=True)]


BASELINES = [member.name for member in members(["comparisons"]) if member.family == BASELINE]


def test_every_baseline(subtests: pytest.Subtests) -> None:
    for name in BASELINES:
        with subtests.test(name):
            judge = make(f"baseline:{name}")
            judge.load()
            judge.load()  # as once
            missing = [question(None, "x"), question("x", None)]
            asked = [*many(5), *missing, question("", ""), *many(3, seed=1)]
            answers = judge.answers(asked)
            failures = [answer.failure for answer in answers]
            assert failures == [""] * 5 + ["no-text", "no-text"] + [""] * 4
            assert answers[8:] == judge.answers(asked[8:])
            assert judge.answers([]) == []
            assert judge.spec.name == f"baseline:{name}"
            seeded = make(f"baseline:{name}", Options(seed=7))
            assert seeded.spec.kind is Kind.BASELINE
            assert make(seeded.spec.name).spec == seeded.spec == remake(seeded.spec).spec
            assert make(seeded.spec.name).answers(many(20)) == seeded.answers(many(20))


def test_swapping_the_texts_mirrors_the_answer() -> None:
    for name in ("longer", "embedding"):
        judge, back = make(f"baseline:{name}"), [swapped(asked) for asked in many(60)]
        points = [answer.outcome.points for answer in judge.answers(many(60))]
        assert points == [1 - answer.outcome.points for answer in judge.answers(back)]


def test_longer_is_by_words_then_characters() -> None:
    for a, b, outcome in (
        ("one two three", "extraordinarily-long words", Outcome.A),
        ("a b", "ab cd", Outcome.B),
        ("ab cd", "cd ab", Outcome.TIE),
        ("", "", Outcome.TIE),
        ("", "x", Outcome.B),
    ):
        [answer] = make("baseline:longer").answers([question(a, b)])
        assert (answer.outcome, answer.prob_a) == (outcome, None)


class TestRandom:
    def test_p_is_uniform_and_the_orders_are_independent(self) -> None:
        asked = many(2000)
        judge = make("baseline:random")
        p = np.array([answer.prob_a for answer in judge.answers(asked)])
        q = np.array([answer.prob_a for answer in judge.answers([swapped(one) for one in asked])])
        assert np.quantile(p, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.04)
        assert abs(np.corrcoef(p, q)[0, 1]) < 0.08

    def test_it_depends_on_content_trial_and_seed_not_on_the_store(self) -> None:
        judge = make("baseline:random", Options(seed=3))
        [asked] = many(1)
        renumbered = replace(asked, comparison=99)
        assert judge.answers([asked, renumbered])[0] == judge.answers([renumbered])[0]
        others = [
            replace(asked, attribute=Attribute("fluency")),
            replace(asked, context="Another."),
            replace(asked, text_a=f"{asked.text_a}!"),
            replace(asked, trial=1),
        ]
        assert len({answer.prob_a for answer in judge.answers([asked, *others])}) == 5
        assert make("baseline:random").answers([asked]) != judge.answers([asked])

    def test_a_seed_makes_another_judge(self) -> None:
        names = [make("baseline:random", Options(seed=seed)).spec.name for seed in (0, 1)]
        assert names == ["baseline:random", "baseline:random|seed:1"]
        assert make("baseline:longer", Options(seed=1)).spec.name == "baseline:longer"


class TestEmbedding:
    def test_prefers_what_the_context_is_about(self) -> None:
        asked = question(
            "The bridge will be closed after a vote.", "My aunt bakes a cake with plums."
        )
        there, back = make("baseline:embedding").answers([asked, swapped(asked)])
        assert there.outcome is Outcome.A
        assert there.prob_a > 0.9
        assert back.outcome is Outcome.B
        raw = json.loads(there.raw)
        assert there.prob_a == pytest.approx(
            1 / (1 + np.exp(-(raw["cos_a"] - raw["cos_b"]) / 0.05)), abs=1e-4
        )

    def test_symmetric_to_the_last_bit_whatever_the_company(self) -> None:
        asked = many(60)
        there = make("baseline:embedding").answers(asked)
        another = make("baseline:embedding")
        back = another.answers([swapped(one) for one in reversed(asked[:30])])[::-1]
        back += another.answers([swapped(one) for one in asked[30:]])
        assert all(0 < a.prob_a < 1 for a in there)
        together = make("baseline:embedding").answers([*asked, *map(swapped, asked)])
        assert all(
            a.prob_a == 1 - b.prob_a  # type: ignore[attr-defined]
            for a, b in zip(together[:60], together[60:], strict=True)
        )
        assert [a.prob_a for a in there] == pytest.approx([1 - b.prob_a for b in back], abs=1e-5)

    def test_equal_texts_tie(self) -> None:
        [answer] = make("baseline:embedding").answers([question("Same.", "Same.")])
        assert (answer.outcome, answer.prob_a) == (Outcome.TIE, 0.5)

    def test_the_first_reference_stands_in_for_a_context(self) -> None:
        a, b = "The bridge will be closed.", "A cake with plums."
        judge = make("baseline:embedding")
        by_context, by_reference, by_neither = judge.answers(
            [
                question(a, b, "They close the bridge."),
                question(a, b, " ", references=("They close the bridge.", "Plum cake.")),
                question(a, b, ""),
            ]
        )
        assert by_reference == by_context
        assert by_neither.failure == "no-context"


class TestMakeJudge:
    def test_unknown_judges_name_what_exists(self) -> None:
        for spec in ("gpt:4", "longer", "", "hf:", "baseline", "baseline:"):
            known = rf"unknown judge '{spec}'.*baseline:longer.*hf:NAME-OR-PATH"
            with pytest.raises(TandemError, match=known):
                make(spec)
        known = r"baseline:embedding, .*baseline:longer, .*baseline:random"
        for spec in ("baseline:shorter", "baseline:random|seed:x", "baseline:random|temperature:1"):
            with pytest.raises(TandemError, match=rf"'{re.escape(spec)}'.*: {known}"):
                make(spec)
        with pytest.raises(TandemError, match=r"openai:claude with .*provider.* anthropic"):
            make("anthropic:claude")
        with pytest.raises(TandemError, match=rf"'guess'.*: {', '.join(COMPARING_MODES)}\b"):
            make("hf:x", Options(mode="guess"))
        assert tuple(COMPARING_MODES) == ("classifier", "generate", "sample")

    def test_to_make_a_judge_is_cheap(self) -> None:
        """Nothing heavy is imported, nothing is loaded."""
        code = (
            "import sys; from core.judging.registry import make\n"
            "[make(spec) for spec in ('hf:google/flan-t5-small', 'baseline:embedding', "
            "'baseline:longer')]\n"
            "print(sorted({'torch', 'transformers', 'sentence_transformers', 'streamlit'} & "
            "set(sys.modules)))"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == "[]"


def test_failures_are_documented() -> None:
    known = "no-text no-context no-reference no-label blank too-long error"
    written = "empty unparsed cut-off server-error refused tool-call timed-out"
    assert set(FAILURES) == {*known.split(), *written.split()}
    assert describe_error(ValueError("first\nsecond")) == f"error: {ValueError.__name__}: first"
    assert describe_error(MemoryError()) == "error: MemoryError"
