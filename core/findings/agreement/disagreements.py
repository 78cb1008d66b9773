"""Disagreements of judges: with each other, with most people, evenly, and with themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
import pandas as pd

from ...records import Kind, TandemError, choose_voting_kind
from ...rendering import declare_rows, list_names
from ...statistics import CONTRADICTS, NEITHER, agreement, intervals
from ...store import Store
from ..judgements.answers import select_answered
from ..judgements.population import code_families
from ..judgements.selection import Selection, name_some
from ..judgements.verdicts import WORDS, VerdictRows, count_verdicts
from .columns import JUDGES

PEOPLE = "people"  # as one side: what most people say, the other side's own verdicts left out


def list_disagreements(
    store: Store, selection: Selection, one: str, other: str, *, most: int = 500
) -> tuple[pd.DataFrame, Mapping[str, int]]:
    """Pairs of texts on which `one` and `other` (a judge, or PEOPLE) have different verdicts,
    opposite ones first, and how many verdicts both gave and how many differ.

    unit, attribute, item, system_1, system_2, candidate_1, candidate_2, verdict_1, verdict_2
    (`first` means system_1 is better, `contradicts` that they said both), points_1, points_2.
    """
    frame = count_verdicts(select_answered(store, replace(selection, judges=tuple(Kind)))[0])
    sides = []
    for name, leaving_out in ((one, other), (other, one)):
        if name == PEOPLE:
            voting = frame["kind"] == choose_voting_kind(frame["kind"].unique())
            people = frame[voting & (frame["judge"] != leaving_out)]
            side = _take_plurality(people)
        else:
            side = frame[frame["judge"] == name]
        if side.empty:
            raise TandemError(
                f"no judgements by {name!r} here; there are some by "
                f"{name_some(frame['judge'].unique())}"
            )
        sides.append(side)
    both = sides[0].merge(sides[1][["unit", "verdict", "points"]], on="unit", suffixes=("_1", "_2"))
    one_says, other_says = both["verdict_1"].to_numpy(), both["verdict_2"].to_numpy()
    differ = both[~agreement.is_same_verdict(one_says, other_says)]
    between = differ[["verdict_1", "verdict_2"]].replace(CONTRADICTS, NEITHER)
    apart = (between["verdict_1"] - between["verdict_2"]).abs()
    shown = differ.iloc[np.argsort(-apart.to_numpy(), kind="stable")[:most]]
    columns = ["unit", "attribute", "item", "system_1", "system_2", "candidate_1", "candidate_2"]
    rows = shown[[*columns, "verdict_1", "verdict_2", "points_1", "points_2"]].reset_index(
        drop=True
    )
    words = {name: rows[name].map(WORDS) for name in ("verdict_1", "verdict_2")}
    return rows.assign(**words), {"verdicts": len(both), "differ": len(differ)}


def _take_plurality(frame: pd.DataFrame) -> VerdictRows:
    units = int(frame["unit"].max()) + 1 if len(frame) else 0
    counts = agreement.tabulate_verdicts(
        frame["unit"].to_numpy(), frame["verdict"].to_numpy(), units
    )
    one = frame.drop_duplicates("unit")
    points = frame.groupby("unit")["points"].mean()
    return one.assign(
        verdict=agreement.plurality(counts[one["unit"]]), points=one["unit"].map(points)
    )


JudgeAgreement = Annotated[pd.DataFrame, declare_rows(JUDGES)]

COLUMNS = list_names(JUDGES)


def count_contradictions(frame: pd.DataFrame) -> JudgeAgreement:
    """Count ties and contradictions of each judge, in the order of `frame` (COLUMNS). They are
    pairs of texts, the share of ties, pairs with several answers (both orders, or a second trial),
    and the share of these that contradict each other. Shares have intervals over items.
    """
    column, names = pd.factorize(frame["judge"])
    item, verdict = code_families(frame), frame["verdict"].to_numpy()
    several = (frame["judgements"] > 1).to_numpy()
    tied = (verdict == NEITHER).astype(float)
    split = (verdict == CONTRADICTS).astype(float)
    ties = intervals.shares_by(tied, item, column, n=len(names))
    contradicts = intervals.shares_by(split[several], item[several], column[several], n=len(names))
    rows = pd.DataFrame(
        {
            "judge": np.asarray(names, dtype=object),
            "kind": frame.drop_duplicates("judge")["kind"].to_numpy(object),
            "pairs": ties.n,
            **intervals.spread("ties", ties),
            "repeated": contradicts.n,
            **intervals.spread("contradicts", contradicts),
        }
    )
    return rows[COLUMNS]
