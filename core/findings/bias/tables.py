"""The tables of bias: systems by position, a judge that is a system, and transitivity."""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import get_schema
from ...records import Kind
from ...rendering import declare_rows, list_names
from ...statistics import intervals
from ...statistics import position_bias as positional
from ...statistics import transitivity as statistics
from ..judgements.population import average_by
from ..separability.applications import cut_bins
from .columns import BESIDE, OWN, PLACES, TRIPLES, TRIPLES_BY, WON_IN_BOTH

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
    keys = [*KEYS, "place"]
    found = average_by(every, keys, points=every["points"], prob=every["prob_a"])
    found = found.rename(columns={"points_n": "comparisons", "prob_n": "probabilities"})
    rows = found.sort_values(keys, kind="stable", ignore_index=True)
    return rows[list_names(PLACES)]


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
    rows = average_by(both, ["system"], share=both["wins"]).sort_values("system")
    names = {"share_n": "pairs", "share_low": "low", "share_high": "high"}
    won = both.groupby("system")["wins"].sum().to_numpy()
    return rows.rename(columns=names).assign(**of, wins=won)[list_names(WON_IN_BOTH)]


def pair_codes(frame: pd.DataFrame) -> Any:
    """The unordered pair of texts as a code."""
    first, second = frame["generation_1"].to_numpy(), frame["generation_2"].to_numpy()
    return pd.factorize(first * (int(second.max(initial=0)) + 1) + second)[0]


OwnRows = Annotated[pd.DataFrame, declare_rows(OWN)]


def self_preference(frame: pd.DataFrame, judges: pd.DataFrame) -> OwnRows:
    """Compare the points a judge that is one of the systems gives its own texts with those from
    other judges, on the same pairs. Baselines are left out.
    """
    systems = {*frame["system_a"].unique(), *frame["system_b"].unique()}
    answered = frame.dropna(subset="points")
    rows: list[dict[str, Any]] = []
    for judge in frame["judge"].unique():
        if judges.loc[judge, "kind"] != Kind.LLM:
            continue
        for system in sorted(systems):
            if not same_model(judge, str(judges.loc[judge, "spec"]), system):
                continue
            about = answered[(answered["system_a"] == system) | (answered["system_b"] == system)]
            about = about.assign(
                points=about["points"].where(about["system_a"] == system, 1 - about["points"])
            )
            unit = ["attribute", "generation_1", "generation_2", "family"]
            itself = about[about["judge"] == judge].groupby(unit)["points"].mean()
            peers = about[(about["judge"] != judge) & (about["kind"] != Kind.BASELINE)]
            sides = {"own": itself, "others": peers.groupby(unit)["points"].mean()}
            both = pd.concat(sides, axis=1, join="inner").reset_index()
            apart = (both["own"] - both["others"]).to_numpy(float)
            families = both["family"].to_numpy()
            difference = intervals.difference(apart, families)
            pairs, has_interval = difference[3], not np.isnan(difference[1])
            p = intervals.measure_change(apart, families).p if has_interval else np.nan
            mine = both if pairs else itself.rename("own").reset_index()
            own = intervals.share(mine["own"].to_numpy(float), mine["family"].to_numpy())
            others = intervals.share(both["others"].to_numpy(float), both["family"].to_numpy())
            rows.append(
                {
                    "judge": judge,
                    "system": system,
                    "pairs": pairs,
                    **intervals.spread("own", own),
                    **intervals.spread("others", others),
                    **intervals.spread("difference", difference, ""),
                    "p": p,
                }
            )
    return get_schema(OwnRows).make(rows)


def same_model(judge: str, spec: str, system: str) -> bool:
    """Return whether a judge is the model that a system is named after. Compares its own name, and
    its SPEC without "hf:" or the owner.
    """

    def normalize(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.casefold())

    def list_names(text: str) -> set[str]:
        model = text.partition(":")[2] or text
        return {normalize(text), normalize(model), normalize(model.rpartition("/")[2])}

    return normalize(system) != "" and normalize(system) in list_names(judge) | list_names(spec)


COUNTS = (
    "triples", "decided", "cyclic", "drawn", "drawn_cyclic", "by_position", "probable", "weak",
    "strong",
)  # fmt: skip

PAIR = ("item", "generation_1", "generation_2")


def transitivity(
    frame: pd.DataFrame, separability: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count the triples of texts on which each judge contradicts itself (docs/statistics/bias.md,
    "Transitivity"): TRIPLES of judges and attributes that have some, and TRIPLES_BY `separability`
    (item, system_1, system_2, separability), in bins of items from low to high, where it is given.

    `frame` holds judgements with a known order, their codes `item` and names `item_name`, NaN
    `points` where unanswered. triples: of texts of an item with an answer about each of the three
    pairs; decided: with a verdict on each, over both orders; cyclic: the share of these that are,
    low to high. one_order: the share to be expected if each pair had been asked in one of its
    orders only, and how much of it is by_position; of triples asked in both orders throughout.
    weak, strong: the share of triples of (probable) probabilities that violate weak and strong
    stochastic transitivity.
    """
    bins = _bins(frame, separability)
    rows, by = [], []
    for (judge, attribute), of in frame.dropna(subset="points").groupby(
        ["judge", "attribute"], sort=False
    ):
        counts = _counts(of)
        if not counts["triples"].any():
            continue
        about = {"judge": judge, "attribute": attribute}
        rows.append({**about, "kind": of["kind"].iloc[0], **_figures(counts)})
        for name, part in () if bins is None else counts.groupby(bins, observed=True):
            if part["triples"].any():
                by.append({**about, "separability": str(name), **_figures(part)})
    return pd.DataFrame(rows, columns=list_names(TRIPLES)), pd.DataFrame(
        by, columns=list_names(TRIPLES_BY)
    )


def _counts(frame: pd.DataFrame) -> pd.DataFrame:
    """COUNTS of each item of one judge's answers, by its code, and its `family`."""
    pair, reverse = pair_codes(frame), frame["reverse"].to_numpy(bool)
    head = frame.assign(pair=pair).drop_duplicates("pair")  # in the order of the codes
    pairs = statistics.TextPairs(*(head[name].to_numpy() for name in PAIR))
    for_first, prob = (
        np.where(reverse, 1 - values, values)
        for values in (frame["points"].to_numpy(float), frame["prob_a"].to_numpy(float))
    )
    mean = np.bincount(pair, for_first) / np.bincount(pair)
    wins, losses = ((sign * (mean - 0.5) > 0).astype(float) for sign in (1, -1))
    verdicts = statistics.triples(pairs, wins, losses)
    forward, backward = positional.order_means(pair, reverse, for_first)[1] - 0.5
    twice = ~np.isnan(forward + backward)
    drawn, by_position = statistics.estimate_one_order(
        _filter_pairs(pairs, twice), forward[twice], backward[twice]
    )
    p = pd.DataFrame(positional.order_means(pair, reverse, prob)[1]).mean().to_numpy()
    known = ~np.isnan(p)
    stochastic = statistics.stochastic(_filter_pairs(pairs, known), p[known])
    every = (*verdicts, drawn.decided, drawn.cyclic, by_position, *stochastic)
    columns = {
        name: np.pad(values, (0, pairs.items - len(values)))
        for name, values in zip(COUNTS, every, strict=True)
    }
    family = frame.drop_duplicates("item").set_index("item")["family"]
    return pd.DataFrame(columns).join(family)


def _filter_pairs(pairs: statistics.TextPairs, kept: NDArray[np.bool_]) -> statistics.TextPairs:
    return statistics.TextPairs(*(column[kept] for column in pairs))


def _bins(frame: pd.DataFrame, separability: pd.DataFrame | None) -> pd.Series | None:
    if separability is None:
        return None
    names = frame.drop_duplicates("item").set_index("item")["item_name"].sort_index()
    of_item = separability.groupby("item")["separability"].mean().reindex(names)
    bins = cut_bins(of_item.reset_index(drop=True), pd.Series(range(len(names))))
    return bins.set_axis(names.index)


def _figures(counts: pd.DataFrame) -> dict[str, Any]:
    by_family = counts.groupby("family")[list(COUNTS)].sum()
    of = {name: by_family[name].to_numpy(float) for name in COUNTS}
    drawn = of["drawn"].sum()
    return {
        "items": int((of["triples"] > 0).sum()),
        "triples": int(of["triples"].sum()),
        "decided": int(of["decided"].sum()),
        **intervals.spread("cyclic", statistics.share(of["cyclic"], of["decided"]), ""),
        **intervals.spread("one_order", statistics.share(of["drawn_cyclic"], of["drawn"])),
        "by_position": of["by_position"].sum() / drawn if drawn else np.nan,
        "probable": int(of["probable"].sum()),
        **intervals.spread("weak", statistics.share(of["weak"], of["probable"])),
        **intervals.spread("strong", statistics.share(of["strong"], of["probable"])),
    }
