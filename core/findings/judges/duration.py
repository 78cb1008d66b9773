"""About how long judges take to compare, so that a page knows whether to let people wait."""

from __future__ import annotations

from core.findings.judgements import Selection
from core.findings.judges.compute import OTHERS
from core.store import Store

FITS = 200  # resamples of the strengths, and of the discriminations
OVERHEAD = 0.7  # seconds that any store takes


def seconds(store: Store, selection: Selection) -> float:
    """Estimate the seconds that computing `judges` or a `jury` takes for a selection: all models
    and baselines unless judges are named.
    """
    tally = store.judgement_frames.outcome_counts(selection.dataset)
    named = selection.judges or OTHERS
    rows = tally[tally["judge"].isin(named) | tally["kind"].isin(named)]
    if selection.attribute:
        rows = rows[rows["attribute"] == selection.attribute]
    systems = len(store.datasets.systems(selection.dataset))
    parts = rows.groupby("attribute").agg(judges=("judge", "nunique"), answers=("count", "sum"))
    fits = sum(
        fitting_seconds(systems, judges, answers)
        for judges, answers in parts.itertuples(index=False)
    )
    return OVERHEAD + fits


def fitting_seconds(systems: int, judges: int, answers: int) -> float:
    """Estimate the seconds that a jury's resamples take on one core of 2026: each solves for as
    many numbers as there are systems and judges. One judge alone is no jury.
    """
    if judges < 2:
        return answers * 2e-5
    return answers * 2e-5 + FITS * (1e-3 + 1.2e-8 * (systems + judges) ** 3)
