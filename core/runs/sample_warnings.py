"""Warnings about a run's samples: all of them are alike, or votes are split evenly."""

from __future__ import annotations

from ..store import Store


def describe_identical_samples(store: Store, run: int) -> str:
    """Return a warning if the samples of each of a run's many questions are all alike; '' =
    none.
    """
    row = store.runs.get(run)
    if row.task == "generate":
        system = row.settings["system"]
        items = store.generated_texts.count_identical(row.dataset).get(system, 0)
        return f"the texts of {system} are the same within each of {items:,} items; {WAY_OUT}" * (
            items > 0
        )
    if row.judge in store.judges.unanimous():
        return (
            "all sampled votes agree in every comparison, and count without probabilities; "
            f"{WAY_OUT}"
        )
    return ""


WAY_OUT = "perhaps the model does not sample"

SPLIT = "{:,} votes were split evenly, which is a tie by our rule"
