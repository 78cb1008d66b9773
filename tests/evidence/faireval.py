"""FairEval."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Commands, Fact


def faireval(run: Commands) -> Iterator[Fact]:
    run("import $D/faireval --dataset faireval")
    yield run.fact("questions, answers, verdicts", "80 / 160 / 80", "items generations judgements")
    (row,) = run("describe --dataset faireval")["outcomes"]
    verdicts = [row[outcome] for outcome in ("a", "b", "tie")]
    yield run.fact("verdicts for ChatGPT, Vicuna-13B, a tie", "41 / 25 / 14", verdicts)
