"""Compute each system's points in first and in second position, and in both."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...rendering import declare_rows, list_names
from ...statistics import intervals
from ...statistics import position_bias as positional
from .columns import BESIDE, PLACES, WON_IN_BOTH

PlaceRows = Annotated[pd.DataFrame, declare_rows(PLACES)]
PlacesBeside = Annotated[pd.DataFrame, declare_rows(BESIDE)]
WonInBoth = Annotated[pd.DataFrame, declare_rows(WON_IN_BOTH)]

KEYS = ["judge", "attribute", "system"]


def places(frame: pd.DataFrame) -> PlaceRows:
    """Compute the mean points and mean probability each judge gives each system when shown first,
    and when shown second. `frame` holds judgements with a known order, their `points` and `prob_a`,
    which may be NaN.
    """
    sides = []
    for place, side in (("first", "a"), ("second", "b")):
        given = {
            name: frame[name] if side == "a" else 1 - frame[name] for name in ("points", "prob_a")
        }
        names = frame[["judge", "attribute", "family"]].assign(
            system=frame[f"system_{side}"], place=place
        )
        sides.append(names.assign(**given))
    every = pd.concat(sides, ignore_index=True).dropna(subset="points")
    groups = every.groupby([*KEYS, "place"], sort=False)
    column, found = groups.ngroup().to_numpy(), groups.size().rename("comparisons").reset_index()
    figures: dict[str, Any] = {}
    for name, value, count in (
        ("points", "points", "comparisons"),
        ("prob", "prob_a", "probabilities"),
    ):
        values = every[value].to_numpy(float)
        known = ~np.isnan(values)
        item = every["family"].to_numpy()
        of = intervals.shares_by(values[known], item[known], column[known], n=len(found))
        figures |= {**intervals.spread(name, of), count: of.n}
    return (
        found.assign(**figures)
        .sort_values([*KEYS, "place"], kind="stable")[list_names(PLACES)]
        .reset_index(drop=True)
    )


def compare_places(rows: pd.DataFrame) -> PlacesBeside:
    """Rows of `places` of one judge and attribute as BESIDE: a row for each system, best first."""
    wide = rows.pivot(index="system", columns="place")
    wide.columns = wide.columns.map("_".join)
    wide = wide.reindex(columns=list_names(BESIDE))
    points = wide[["points_first", "points_second"]]
    wide = wide.assign(
        system=wide.index,
        gain=100 * (points["points_first"] - points["points_second"]),
        comparisons=rows.groupby("system")["comparisons"].sum(),
    )
    return wide.loc[points.mean(axis=1).sort_values(ascending=False).index]


def measure_consistent_wins(of: dict[str, str], frame: pd.DataFrame) -> WonInBoth:
    """Pairs answered in both orders by system, and those of them it won both times."""
    pair, reverse = pair_codes(frame), frame["reverse"].to_numpy(bool)
    _, (forward, backward) = positional.order_means(pair, reverse, frame["points"].to_numpy(float))
    head = frame[~reverse].assign(pair=pair[~reverse]).drop_duplicates("pair")
    head = head[~np.isnan(forward + backward)[head["pair"]]]
    first, second = forward[head["pair"]], backward[head["pair"]]
    wins = {"system_a": (first > 0.5) & (second < 0.5), "system_b": (first < 0.5) & (second > 0.5)}
    sides = [head[["family"]].assign(system=head[side], wins=won) for side, won in wins.items()]
    both = pd.concat(sides)
    names = np.unique(both["system"].to_numpy(str))
    won = both["wins"].to_numpy(float)
    found = intervals.shares_by(
        won, both["family"].to_numpy(), np.searchsorted(names, both["system"]), n=len(names)
    )
    rows = pd.DataFrame({"system": names, "pairs": found.n, **intervals.spread("share", found, "")})
    return rows.assign(**of, wins=both.groupby("system")["wins"].sum().to_numpy())[
        list_names(WON_IN_BOTH)
    ]


def pair_codes(frame: pd.DataFrame) -> Any:
    """The unordered pair of texts as a code."""
    first, second = frame["generation_1"].to_numpy(), frame["generation_2"].to_numpy()
    return pd.factorize(first * (int(second.max(initial=0)) + 1) + second)[0]
