"""Canaries: items that a judge has answered, and is asked about again to see whether it changed."""

from __future__ import annotations

from dataclasses import replace

from ..pairing import Request, planning
from ..records import TandemError, option_ref
from ..seeds import draw
from ..store import Store


def choose_canaries(store: Store, dataset: str, judge: str, number: int, *, seed: int) -> Request:
    """Choose items that a judge was asked about once, and return the request that asks the same
    about them again, as the next trial.

    An item is a canary once: its first answer can be held against one later answer only, or a test
    at every look would count it twice. Fewer than `number` are chosen where fewer are left.

    Raises TandemError where the judge has compared nothing, or every item was a canary.
    """
    runs = store.runs.load_asking(dataset)
    of_judge = [store.runs.get(int(run)) for run in runs.loc[runs["judge"] == judge, "run"]]
    first = next((run for run in of_judge if run.task == "compare" and not run.trial), None)
    if first is None:
        raise TandemError(
            f"{judge} has compared nothing here yet: leave out {option_ref('again')} the first time"
        )
    answered = store.judgement_frames.load_all(dataset)
    answered = answered[(answered["judge"] == judge) & answered["outcome"].notna()]
    later = answered["trial"] > 0
    left = set(answered.loc[~later, "item"]) - set(answered.loc[later, "item"])
    if not left:
        raise TandemError(
            f"{judge} was asked again about every item: a change can be tested on new items only"
        )
    request = Request.from_settings(first.settings)
    if request.pairing_strategy.adaptive:  # what it asks depends on the answers
        request = replace(request, strategy="full", budget=None, beam_size=None, prob_gap=None)
    trial = int(answered["trial"].max()) + 1
    chosen = sorted(left, key=lambda item: (draw(seed, request.drawn_as, trial, item), item))
    drawn = tuple((item, min(number, len(left)) / len(left)) for item in chosen[:number])
    return planning.check_request(
        store, replace(request, dataset=dataset, trial=trial, drawn=drawn)
    )
