"""HANNA."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Commands, Fact, means

PUBLISHED = {
    "Human": "4.170 / 4.427", "GPT-2": "2.809 / 3.288", "Fusion": "2.094 / 2.865",
    "HINT": "2.292 / 2.382",
}  # fmt: skip


def hanna(run: Commands) -> Iterator[Fact]:
    run("import $D/hanna --dataset hanna")
    what = "1. systems, prompts, criteria, marks (6,336 rows of 3)"
    yield run.fact(what, "11 / 96 / 6 / 19,008", "systems items attributes scores")
    scores = run("describe --dataset hanna")["scores"]
    systems = sorted({row["system"] for row in scores if row["system"]})
    of = {system: means(scores, "human", system) for system in systems}
    yield from run.each(
        "2. mean relevance and coherence: {}",
        PUBLISHED,
        lambda system: [of[system]["relevance"], of[system]["coherence"]],
    )
    criteria = sorted(of["Human"])
    worst = [min(systems, key=lambda system: of[system][name]) for name in criteria]
    first = sum(max(systems, key=lambda system: of[system][name]) == "Human" for name in criteria)
    values = [first, worst.count("HINT"), worst.count("Fusion")]
    what = "2. criteria on which Human is first, HINT and Fusion last"
    yield run.fact(what, "6 / 5 / 1", values)
