"""HANNA."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Absent, Commands, Fact, fact, means


def hanna(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/hanna --dataset hanna"
    held = run(line)
    yield fact(
        "1. systems, prompts, criteria, marks (6,336 rows of 3)",
        "11 / 96 / 6 / 19,008",
        [held[name] for name in ("systems", "items", "attributes", "scores")],
        line,
    )
    line = "describe --dataset hanna"
    scores = run(line)["scores"]
    for system, published in {
        "Human": "4.170 / 4.427",
        "GPT-2": "2.809 / 3.288",
        "Fusion": "2.094 / 2.865",
        "HINT": "2.292 / 2.382",
    }.items():
        of = means(scores, "human", system)
        yield fact(
            f"2. mean relevance and coherence: {system}",
            published,
            [of["relevance"], of["coherence"]],
            line,
        )
    systems = sorted({row["system"] for row in scores if row["system"]})
    of = {system: means(scores, "human", system) for system in systems}
    criteria = sorted(of["Human"])
    worst = [min(systems, key=lambda system: of[system][name]) for name in criteria]
    first = sum(max(systems, key=lambda system: of[system][name]) == "Human" for name in criteria)
    yield fact(
        "2. criteria on which Human is first, HINT and Fusion last",
        "6 / 5 / 1",
        [first, worst.count("HINT"), worst.count("Fusion")],
        line,
    )
