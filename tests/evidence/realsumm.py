"""REALSumm."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Absent, Commands, Fact, fact


def realsumm(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/realsumm --dataset realsumm"
    held = run(line)
    yield fact("articles, systems", "100 / 24", [held[name] for name in ("items", "systems")], line)
    line = "describe --dataset realsumm"
    found = [(row["mean"], row["system"]) for row in run(line)["scores"] if row["system"]]
    best, worst = sorted(found, reverse=True), min(found)
    for place, published in enumerate(
        ("semsim_out.txt / 0.5618", "refresh_out.txt / 0.5433", "bart_out.txt / 0.5368")
    ):
        yield fact(
            f"mean litepyramid_recall, place {place + 1}", published, [*best[place][::-1]], line
        )
    yield fact(
        "mean litepyramid_recall, lowest", "bottom_up_out.txt / 0.3173", [*worst[::-1]], line
    )
