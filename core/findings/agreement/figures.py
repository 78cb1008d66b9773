"""Settings of agreement, Krippendorff's alpha and how much data a conclusive interval needs, and
disagreements of judges: with each other, with most people, evenly, and with themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from ...labels import OVER
from ...records import Kind, TandemError, choose_voting_kind
from ...rendering import declare_rows, list_names
from ...settings import check_choices, declare
from ...statistics import CONTRADICTS, NEITHER, agreement
from ...statistics import agreement as agreeing
from ...store import Store
from ..judgements import minimum
from ..judgements.answers import select_answered
from ..judgements.population import JUDGES_TO_TELL, average_by, code_families
from ..judgements.selection import Selection, name_some
from ..judgements.verdicts import WORDS, VerdictRows, count_by_unit, count_verdicts
from ..separability.applications import BinnedSettings
from .columns import ALPHAS, JUDGES


@dataclass(frozen=True)
class AgreementSettings(BinnedSettings):
    """Settings of agreement: docs/statistics.md, "Verdict"; docs/statistics/intervals.md,
    "Intervals".
    """

    over: str = declare(
        "",
        "what intervals generalise to; default both for groups of five judges or more",
        label="Intervals for",
        more="What the intervals speak of. **Chosen by the data**: new judges and new items "
        "for five judges or more, also for alpha.",
        choices={over: speaks for over, speaks in OVER.items() if over != "judgements"},
    )

    def __post_init__(self) -> None:
        check_choices(self)


CHANCE, TENTATIVE = 0.0, 2 / 3
"""Verdicts as by chance, and the least alpha on which tentative conclusions may rest (Krippendorff
2018, ch. 12). An interval around the one that is wider than from it to the other says nothing."""
MOST = 100_000  # items or judges that are thought of


def alphas(
    frame: pd.DataFrame, units: pd.DataFrame, *, chosen: bool, settings: AgreementSettings
) -> tuple[pd.DataFrame, str | None]:
    """Compute Krippendorff's alpha over all attributes (None) and for each, in rows of ALPHAS, and
    name the kinds of judges. These are all kinds if judges were `chosen`, else the first kind with
    two judges on a pair.

    `units`: attribute and item of each unit. `needs` is 'items' or 'judges' if the interval
    contains CHANCE and is wider than from CHANCE to TENTATIVE, or is missing; `enough` is about how
    many would suffice. `needs` is '' if the interval is conclusive.
    """
    of = ["+".join(frame["kind"].unique())] if chosen else [kind.value for kind in Kind]
    for name in of:
        given = frame if chosen else frame[frame["kind"] == name]
        if (count_by_unit(given).sum(axis=1) >= 2).any():
            break
    else:
        return pd.DataFrame(columns=list_names(ALPHAS)), None
    attributes = units["attribute"].to_numpy(object)
    names = [None, *dict.fromkeys(attributes)]
    every = np.ones(len(units), dtype=bool)
    rows = [
        {"attribute": attribute}
        | _alpha(given, units, every if attribute is None else attributes == attribute, settings)
        for attribute in names
    ]
    return pd.DataFrame(rows)[list_names(ALPHAS)], name


def _alpha(
    frame: pd.DataFrame, units: pd.DataFrame, within: NDArray[np.bool_], settings: AgreementSettings
) -> dict[str, Any]:
    kept = frame[within[frame["unit"].to_numpy()]]
    found = agreeing.alpha(
        pd.factorize(kept["judge"])[0],
        (np.cumsum(within) - 1)[kept["unit"].to_numpy()],
        kept["verdict"].to_numpy(),
        code_families(units)[within],
        over_judges=settings.over != "items",
        over_items=settings.over != "judges",
        min_judges=JUDGES_TO_TELL,
    )
    needs, enough = _plan_larger_number(found)
    drawn = (settings.over or "both") if found.drawn else "items"
    return {**found._asdict(), "over": drawn, "needs": needs, "enough": enough}


def _plan_larger_number(found: agreeing.Alpha) -> tuple[str, int]:
    """Choose what has to grow, judges or items, and to about how many. It is the one with the
    larger part of the variance. That part shrinks with their number, and Student's t with it.
    """
    if np.isnan(found.alpha):
        return "", 0
    if np.isnan(found.low):  # without some item there is no alpha
        return "items", max(minimum.ITEMS, found.items + 1)
    if not found.low <= CHANCE <= found.high or found.high - found.low <= TENTATIVE - CHANCE:
        return "", 0
    judges = found.drawn and found.by_judges > found.by_items
    number, part = (found.judges, found.by_judges) if judges else (found.items, found.by_items)
    more = np.arange(number + 1, MOST + 1)
    half = stdtrit(more - 1.0, 0.975) * np.sqrt(part * number / more)
    narrow = half < (TENTATIVE - CHANCE) / 2
    return ("judges" if judges else "items"), int(more[narrow.argmax()])


MOST_LISTED = 500  # pairs on which two disagree
PEOPLE = "people"  # as one side: what most people say, the other side's own verdicts left out


def list_disagreements(
    store: Store, selection: Selection, one: str, other: str
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
    shown = differ.iloc[np.argsort(-apart.to_numpy(), kind="stable")[:MOST_LISTED]]
    columns = ["unit", "attribute", "item", "system_1", "system_2", "candidate_1", "candidate_2"]
    rows = shown[[*columns, "verdict_1", "verdict_2", "points_1", "points_2"]].reset_index(
        drop=True
    )
    words = {name: rows[name].map(WORDS) for name in ("verdict_1", "verdict_2")}
    return rows.assign(**words), {"verdicts": len(both), "differ": len(differ)}


def _take_plurality(frame: pd.DataFrame) -> VerdictRows:
    one = frame.drop_duplicates("unit")
    most = agreement.plurality(count_by_unit(frame)[one["unit"]])
    points = frame.groupby("unit")["points"].mean()
    return one.assign(verdict=most, points=one["unit"].map(points))


JudgeAgreement = Annotated[pd.DataFrame, declare_rows(JUDGES)]


def count_contradictions(frame: pd.DataFrame) -> JudgeAgreement:
    """Count ties and contradictions of each judge, in the order of `frame` (JUDGES). They are
    pairs of texts, the share of ties, pairs with several answers (both orders, or a second trial),
    and the share of these that contradict each other. Shares have intervals over items.
    """
    verdict, several = frame["verdict"], frame["judgements"] > 1
    split = (verdict == CONTRADICTS).where(several)
    found = average_by(frame, ["judge", "kind"], ties=verdict == NEITHER, contradicts=split)
    rows = found.rename(columns={"ties_n": "pairs", "contradicts_n": "repeated"})
    return rows[list_names(JUDGES)]
