"""What separability is used for: the items a plan draws by it, and judgements with it, as sep-Elo takes them, beside Elo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.analysis.separability.per_item import separabilities
from core.pairing.item_draws import BySeparability, by_separability
from core.pairing.strategies import draw
from core.records import TandemError
from core.statistics import ratings
from core.store import Store


def with_separability(
    store: Store, dataset: str, frame: pd.DataFrame, *, metric: str, encoder: str = "", subset: str | None = None
) -> tuple[pd.DataFrame, int]:
    """The judgements whose systems have a separability on their item, in `separability`; and how many have none.

    Normalised over all pairs of the systems that are ranked (DESIGN.md, "Separability"). Raises TandemError when no
    similarity is stored, or none for these.
    """
    systems = tuple(sorted({*frame["system_a"], *frame["system_b"]}))
    found = of_ranked(store, dataset, metric, encoder, systems, subset)
    known = found.set_index(["item", "system_1", "system_2"])["separability"]
    sides = frame[["system_a", "system_b"]]
    of = pd.MultiIndex.from_arrays([frame["item"], sides.min(axis=1), sides.max(axis=1)])
    frame = frame.assign(separability=known.reindex(of).to_numpy(float))
    kept = frame.dropna(subset="separability")
    if kept.empty:
        raise TandemError(
            f"none of these judgements is about an item with a {metric} separability: it takes two samples of each system "
            "on an item, measured by `python -m core separability`"
        )
    return kept, len(frame) - len(kept)


def of_ranked(
    store: Store, dataset: str, metric: str, encoder: str, systems: Sequence[str] = (), subset: str | None = None
) -> pd.DataFrame:
    """Separabilities normalised over all pairs of the systems that are ranked, all of them where none are named."""
    how: dict[str, Any] = {"metric": metric, "encoder": encoder or None, "over": "systems", "resamples": 0}
    return separabilities(store, dataset, systems=systems, subset=subset or None, **how)


def drawn_items(
    store: Store,
    dataset: str,
    how: BySeparability,
    *,
    metric: str,
    encoder: str = "",
    systems: Sequence[str] = (),
    subset: str | None = None,
    seed: int = 0,
) -> tuple[tuple[tuple[str, float], ...], int]:
    """The items a plan takes and the probability with which each was, in the order to ask; and how many are left out for
    want of a separability. An item's is the mean over its pairs of (these) systems."""
    found = of_ranked(store, dataset, metric, encoder, systems, subset)
    of_item = found.groupby("item", sort=False)["separability"].mean()
    taken = by_separability(of_item.to_numpy(float), how, np.random.default_rng(draw(seed, dataset, "by separability")))
    items = zip(of_item.index[taken.places], taken.probability.tolist(), strict=True)
    return tuple((str(item), probability) for item, probability in items), taken.unknown


def beside_elo(
    columns: tuple[Any, Any, Any],
    separability: Any,
    sep: ratings.Leaderboard,
    plain: ratings.Leaderboard,
    threshold: float,
) -> pd.DataFrame:
    """elo, change (sep-Elo less Elo) with its interval change_low to change_high, and `why`, a sentence, per system.

    Both leaderboards are of the same resamples, so the interval is of their difference.
    """
    n = len(sep.rating)
    change = sep.rating - plain.rating
    low, high = ratings.interval(sep.samples - plain.samples)
    above = separability >= threshold
    (won_far, far), (won_near, near) = (_counted(columns, part, n) for part in (above, ~above))
    figures = zip(change, low, high, won_far, far, won_near, near, strict=True)
    why = [_sentence(*of_system, threshold=threshold) for of_system in figures]
    return pd.DataFrame({"elo": plain.rating, "change": change, "change_low": low, "change_high": high, "why": why})


def mean_step(steps: Any, k: float) -> str:
    """What the size of sep-Elo's steps does to all ratings alike: it spreads them, or draws them together."""
    share = float(np.mean(steps)) / k
    return (
        f"A comparison moves sep-Elo by {share:.0%} of Elo's step on average, which spreads all ratings {_more(share)}."
    )


def _more(share: float) -> str:
    return "more" if share > 1.005 else "less" if share < 0.995 else "as much"


def _counted(columns: tuple[Any, Any, Any], part: Any, n: int) -> tuple[Any, Any]:
    """Share won and number of the comparisons of each system in a part of them."""
    first, second, outcome = (column[part] for column in columns)
    times = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return ratings.win_ratio(first, second, outcome, n=n), times


def _sentence(
    change: float, low: float, high: float, won_far: float, far: int, won_near: float, near: int, *, threshold: float
) -> str:
    """Where a system's change comes from: how it does where the texts can be told apart, and where they cannot."""
    known = low < high
    moved = f"{'Up' if change > 0 else 'Down'} {abs(change):.1f}" if round(change, 1) else "Unchanged"
    moved += f" ({low:+.1f} to {high:+.1f})" if known else ""
    if known and low <= 0 <= high:
        moved += ", which may be chance"
    if not near or not far:
        where = f"{threshold:g} or more" if far else f"below {threshold:g}"
        return f"{moved}: all its {far + near:,} comparisons have a separability {'of ' if far else ''}{where}."
    return (
        f"{moved}: it won {won_far:.0%} of the {far:,} comparisons with a separability of {threshold:g} or more, which count "
        f"more, and {won_near:.0%} of the other {near:,}."
    )
