"""REALSumm."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Commands, Fact


def realsumm(run: Commands) -> Iterator[Fact]:
    run("import $D/realsumm --dataset realsumm")
    yield run.fact("articles, systems", "100 / 24", "items systems")
    scores = run("describe --dataset realsumm")["scores"]
    every = sorted((row["mean"], row["system"]) for row in scores if row["system"])[::-1]
    places = {
        "place 1": "semsim_out.txt / 0.5618", "place 2": "refresh_out.txt / 0.5433",
        "place 3": "bart_out.txt / 0.5368", "lowest": "bottom_up_out.txt / 0.3173",
    }  # fmt: skip
    found = dict(zip(places, [*every[:3], every[-1]], strict=True))
    yield from run.each("mean litepyramid_recall, {}", places, lambda place: found[place][::-1])
