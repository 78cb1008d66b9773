"""Win rates at equal length: which system the others are compared with, and how much longer each
text is than its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...records import TandemError, option_ref
from ...statistics import FEWEST_SYSTEMS
from ...store import Store
from ..judgements import Selection
from .need import Need, PreparedComparisons
from .settings import RankSettings

FEW_SHORTER = 0.05
"""A system whose texts are shorter (or longer) in a smaller part of its comparisons has a rate at
equal length that hardly any comparison shows."""


class LengthInput(NamedTuple):
    """Comparisons with the `baseline`, with `length`, how many characters the other text has more,
    and `baseline_first`, 1 where the baseline was shown first, else 0.
    """

    frame: pd.DataFrame
    baseline: str
    notes: tuple[str, ...]


def add_lengths(store: Store, dataset: str, frame: pd.DataFrame, baseline: str) -> LengthInput:
    """The comparisons that the length-controlled win rate is computed from. Raises TandemError
    where nobody says which system is the baseline, where it was never compared, and where no texts
    are there, or all are equally long.
    """
    baseline = baseline or _find_baseline(frame)
    has_it = _has_system(frame, baseline)
    if not has_it.any():
        raise TandemError(
            f"{option_ref('baseline')} {baseline}: no judgement compares it; there are "
            f"{', '.join(_list_systems(frame))}"
        )
    first = frame["system_a"].eq(baseline)
    a, b = (
        frame[f"generation_{side}"].map(store.annotator_stats.characters(dataset)).to_numpy(float)
        for side in "ab"
    )
    rows = frame.assign(length=np.where(first, b - a, a - b), baseline_first=first.astype(float))
    known = rows["length"].notna()
    notes = [
        f"{describe_left_out(count, 'judgement')}: {reason}."
        for count, reason in (
            (int((~has_it).sum()), f"not a comparison with {baseline}"),
            (int((has_it & ~known).sum()), "a text is not there, and no file says how long it is"),
        )
        if count
    ]
    rows = rows[has_it & known]
    if rows.empty or not rows["length"].any():
        raise TandemError(
            f"{option_ref('method')} length-controlled needs texts of different lengths: import "
            "the texts or their lengths, or use another method"
        )
    return LengthInput(rows, baseline, (*notes, *_describe_rates(rows, baseline)))


def _find_baseline(frame: pd.DataFrame) -> str:
    """The only system that is in every comparison."""
    systems = _list_systems(frame)
    every = [name for name in systems if _has_system(frame, name).all()]
    if len(every) == 1:
        return every[0]
    why = "several systems are" if every else "no system is"
    raise TandemError(
        f"{why} in every comparison: say whose win rate is 50%, such as {option_ref('baseline')} "
        f"{systems[0]}"
    )


def _has_system(frame: pd.DataFrame, system: str) -> pd.Series:
    return frame["system_a"].eq(system) | frame["system_b"].eq(system)


def _list_systems(frame: pd.DataFrame) -> list[str]:
    return sorted({*frame["system_a"], *frame["system_b"]})


def _describe_rates(rows: pd.DataFrame, baseline: str) -> Sequence[str]:
    other = rows["system_b"].where(rows["baseline_first"] == 1, rows["system_a"]).astype(str)
    longer, shorter = ((way * rows["length"] > 0).groupby(other).mean() for way in (1, -1))
    notes = [
        f"Rates are against {baseline}, as if the texts of both were equally long; its own is 50% "
        "by definition."
    ]
    if other.nunique() < FEWEST_SYSTEMS:
        notes.append(
            f"With fewer than {FEWEST_SYSTEMS} systems beside {baseline} nothing tells hard items "
            "from easy ones. Where texts are longer on harder items, that counts as length."
        )
    for words, part in (("longer", shorter), ("shorter", longer)):
        beyond = part.index[part < FEW_SHORTER].tolist()
        if beyond:
            notes.append(
                f"Texts of {', '.join(beyond)} are {words} nearly always, so that the rate at "
                "equal length is beyond what was compared."
            )
    return notes


def _prepare(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    found = add_lengths(store, selection.dataset, frame, settings.baseline)
    return PreparedComparisons(
        found.frame, found.notes, {"baseline": found.baseline}, fixed=found.baseline
    )


def _read(frame: pd.DataFrame, settings: RankSettings) -> Mapping[str, Any]:
    return {
        "item": pd.factorize(frame["item"])[0],
        "baseline_first": frame["baseline_first"].to_numpy(float),
        "length": frame["length"].to_numpy(float) if "length" in frame else None,
    }


LENGTH = Need(
    "length", _read, _prepare, requires="texts", remove=lambda frame: frame.drop(columns="length")
)
"""How much longer each text is than the baseline's on the same item."""
