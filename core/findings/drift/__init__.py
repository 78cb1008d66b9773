"""Has a judge changed? Its answers to canaries (items that it is asked about again) against its
first answers, by a test that holds at every look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import join_names
from ...records import Kind, TandemError
from ...rendering import COUNT, DECIMAL, P_VALUE, Column, Place, declare_rows, list_names
from ...store import Store
from ..judgements.answers import choose_truth, select_judgements
from ..judgements.finding import Finding, unless_refused
from ..judgements.judges import JUDGE
from ..judgements.selection import Selection, selection_notes, write_signature
from ..judgements.verdicts import find_better_text, orient, score_rightness

ALARM = 0.05
"""At most this share of judges that never change is ever called changed, at however many looks."""
BETS = (0.1, 0.3, 0.6, 0.9)
"""Shares of the stake that are bet on a change either way; their mean is one bet."""
WATCHED = {
    "first": "how often it prefers the text shown first",
    "systems": "which systems it prefers",
    "right": "how often it is right",
}
"""What may change, by what is said of it."""
COLUMNS = (
    JUDGE,
    Column("watched", "watched", help="What may have changed: " + "; ".join(WATCHED)),
    Column("canaries", "canaries", COUNT, "Items that were asked about again"),
    Column("looks", "looks", COUNT, "Trials after the first"),
    Column("change", "change", DECIMAL, "Mean change of the points on a canary, -1 to 1"),
    Column(
        "p", "p", P_VALUE,
        "Holds at every look: of judges that never change, at most this share ever come so far",
    ),
    Column("since", "since trial", COUNT, "The first look at which p was below 5%"),
    Column("changed", "changed", help="Whether p was below 5% at any look", place=Place.FILES),
)  # fmt: skip


def drift(store: Store, selection: Selection) -> Finding:
    """Test whether each model still answers as it did: a row per judge and what is watched.

    A canary is an item with answers to the same comparisons in the first trial and in a later one;
    only the first of these later ones counts. Were the judge unchanged, both answers could be
    swapped, so the difference has mean 0 and a bet on it is fair; `p` is 1 / the most that a stake
    has grown to (Ville 1939; Waudby-Smith and Ramdas 2024), halved wealth by halved wealth over
    what is watched. The columns are declared in `core.findings.drift`.

    Facts: changed (names), sentences. Raises TandemError where no model was asked again.
    """
    asked = replace(selection, judges=selection.judges or (Kind.LLM.value,))
    frame, unanswered = select_judgements(store, asked)
    frame = frame[frame["points"].notna() & (frame["order_known"] == 1)]
    rows = [row for judge, mine in frame.groupby("judge", sort=False)
            for row in _watch(store, selection, str(judge), mine)]  # fmt: skip
    if not rows:
        raise TandemError(
            "no judge was asked again about items that it has answered: `judge --again 20` does"
        )
    table = pd.DataFrame(rows, columns=list_names(COLUMNS))
    changed = list(dict.fromkeys(table.loc[table["changed"], "judge"]))
    return Finding(
        table,
        write_signature("drift", **asked.signature_values()),
        len(frame),
        unanswered,
        selection_notes(store, asked),
        {"changed": changed, "sentences": describe_drift(table)},
        columns=COLUMNS,
    )


def _watch(
    store: Store, selection: Selection, judge: str, mine: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    points = _add_watched(store, selection, mine)
    watched = [name for name in WATCHED if points[name].notna().any()]
    canaries = _pair_trials(points, watched)
    if canaries.empty:
        return
    looks = np.unique(canaries["trial"])
    for name in watched:
        changes = canaries[name].to_numpy(float)
        # A share of the stake is bet on each.
        grown = grow_wealth(changes, canaries["trial"].tolist()) / len(watched)
        over = looks[grown >= 1 / ALARM]
        yield {
            "judge": judge,
            "watched": name,
            "canaries": int(canaries[name].notna().sum()),
            "looks": len(looks),
            "change": canaries[name].mean(),
            "p": min(1.0, 1 / grown.max()),
            "since": float(over[0]) if len(over) else np.nan,
            "changed": bool(len(over)),
        }


def _add_watched(store: Store, selection: Selection, mine: pd.DataFrame) -> pd.DataFrame:
    """Add points of the first text, of the first system by name, and rightness; NaN if unknown."""
    rows = orient(mine)
    said = rows["prob_a"].fillna(rows["points"]).to_numpy(float)
    system = np.where(rows["turned"], 1 - said, said)
    voting = replace(selection, judges=(choose_truth(store, selection.dataset).value,))
    truth = unless_refused(partial(select_judgements, store, voting))
    unknown = np.full(len(rows), np.nan)
    better = unknown if truth is None else find_better_text(rows, truth[0])
    return rows.assign(first=said, systems=system, right=score_rightness(system, better))


def _pair_trials(points: pd.DataFrame, watched: Sequence[str]) -> pd.DataFrame:
    """A row per canary, by trial: the mean change of each thing over its comparisons."""
    first = points[points["trial"] == points["trial"].min()]
    later = points[points["trial"] > points["trial"].min()]
    later = later[later["trial"] == later.groupby("item")["trial"].transform("min")]
    both = later.merge(first, on="comparison", suffixes=("", "_before"))
    changes = {name: both[name] - both[f"{name}_before"] for name in watched}
    found = both[["trial", "family"]].assign(**changes)
    mean: pd.DataFrame = found.groupby(["trial", "family"])[list(watched)].mean().reset_index()
    return mean


def grow_wealth(changes: NDArray[np.float64], looks: Sequence[Any]) -> NDArray[np.float64]:
    """Return the wealth after each look of a stake of 1 that is bet on a mean change, of either
    sign.

    `changes` (m,) lie in [-1, 1], NaN where unknown, and `looks` (m,) order them. If changes have
    mean 0 given those of earlier looks, the wealth ever exceeds 1 / a with probability a at most
    (Ville 1939).
    """
    bets = np.array([*BETS, *(-bet for bet in BETS)])
    gains = np.log1p(bets * np.nan_to_num(changes)[:, None])
    each = [gains[np.asarray(looks) == look].sum(axis=0) for look in np.unique(looks)]
    wealth: NDArray[np.float64] = np.exp(np.cumsum(each, axis=0)).mean(axis=1)
    return wealth


def describe_drift(rows: pd.DataFrame) -> list[str]:
    """Describe the judges that have changed, or that no change is shown of."""
    said = []
    for judge, of in rows.groupby("judge", sort=False):
        changed = of[of["changed"]]
        number = f"{int(of['canaries'].max()):,} canaries"
        if changed.empty:
            said.append(f"No change of {judge} is shown by {number}.")
            continue
        what = join_names([WATCHED[name] for name in changed["watched"]])
        since = int(changed["since"].min())
        said.append(f"{judge} has changed: {what}, since trial {since} ({number}).")
    return said
