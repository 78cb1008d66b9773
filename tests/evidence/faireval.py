"""FairEval."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Absent, Commands, Fact, fact


def faireval(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/faireval --dataset faireval"
    held = run(line)
    yield fact(
        "questions, answers, verdicts",
        "80 / 160 / 80",
        [held[n] for n in ("items", "generations", "judgements")],
        line,
    )
    line = "describe --dataset faireval"
    (row,) = run(line)["outcomes"]
    yield fact(
        "verdicts for ChatGPT, Vicuna-13B, a tie",
        "41 / 25 / 14",
        [row["a"], row["b"], row["tie"]],
        line,
    )
