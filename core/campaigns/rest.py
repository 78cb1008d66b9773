"""The pairs that judges are not trusted with: a campaign asks people about them."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..findings.judgements import Selection
from ..findings.share import ShareSettings, share_work
from ..pairing import Choice
from ..records import TandemError, option_ref
from ..store import Store


class RestPairs(NamedTuple):
    """Pairs of texts that are left for people, those of these that have votes, and those that
    judges are trusted with.
    """

    left: frozenset[tuple[int, int]]
    settled: tuple[tuple[int, int], ...]
    trusted: tuple[tuple[int, int], ...]


def read_request(choice: Choice) -> tuple[Selection, ShareSettings]:
    """Return the request to `share` that a choice of what judges are not trusted with makes."""
    selection = Selection(
        choice.dataset,
        subset=choice.subset or None,
        attribute=choice.attributes[0],
        judges=choice.judges,
        item_set=choice.item_set or None,
        seed=choice.seed,
    )
    return selection, ShareSettings(choice.accept_error, choice.certainty, choice.signal)


def find_rest(store: Store, choice: Choice, among: Collection[tuple[int, int]]) -> RestPairs:
    """Find the pairs, `among` those a campaign can ask about, that judges are not trusted with.

    Raises TandemError for several attributes or samples, where no threshold is found, and where
    nothing is left.
    """
    if len(choice.attributes) != 1:
        raise TandemError(
            f"a threshold is about one question: name one of {', '.join(choice.attributes)} with "
            f"{option_ref('attributes')}"
        )
    if choice.samples > 1:
        raise TandemError(f"{option_ref('samples')} is {choice.samples}: a threshold takes 1")
    shared = share_work(store, *read_request(choice))
    by, _ = shared.sureness.answer(shared.threshold)
    if not (by >= 0).any():
        raise TandemError(
            f"{' or '.join(shared.sureness.names)} may answer nothing alone yet: `share` says how "
            "many votes at random it takes"
        )
    pairs = shared.every.pairs
    texts = [
        tuple(sorted(pair)) for pair in pairs[["candidate_1", "candidate_2"]].to_numpy().tolist()
    ]
    voted = pairs["voted"].notna().to_numpy()
    known = np.array([pair in among for pair in texts])

    def take(places: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
        return tuple(pair for pair, one in zip(texts, places & known, strict=True) if one)

    left = take((by < 0) & ~voted)
    if not left:
        raise TandemError(
            "nothing is left to ask: judges or people answered every pair that can be asked"
        )
    return RestPairs(frozenset(left), take((by < 0) & voted), take(by >= 0))
