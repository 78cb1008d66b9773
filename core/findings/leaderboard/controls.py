"""Control variables of ratings: differences of length, style and scores between the two texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...records import TandemError, option_ref
from ...rendering import declare_rows
from ...statistics import Codes, Drawing, Floats, control_effects
from ...store import Store
from ..judgements import Selection, average_rater_marks, measure_lengths
from .columns import TABLES
from .need import Need, PreparedComparisons
from .settings import RankSettings

ControlRows = Annotated[pd.DataFrame, declare_rows(TABLES["controls"])]

PREFIX = "control:"  # of the columns of comparisons
_CODE = re.compile(r"```.*?```", re.DOTALL)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s", re.MULTILINE)
_LIST = re.compile(r"^[^\S\n]*(?:[-*+]|\d{1,3}[.)])\s", re.MULTILINE)
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")
_SENTENCE = re.compile(r"[^\s.!?。！？…][^.!?。！？…]*")


def _count_matches(pattern: re.Pattern[str]) -> Callable[[str], int]:
    return lambda text: len(pattern.findall(_CODE.sub("", text)))


STYLES: dict[str, Callable[[str], int]] = {
    "sentences": _count_matches(_SENTENCE),
    "headings": _count_matches(_HEADING),
    "lists": _count_matches(_LIST),
    "bold": _count_matches(_BOLD),
}
"""Counts in a text without its blocks of code, as Markdown is written (Li et al. 2024)."""


class ControlInput(NamedTuple):
    """Comparisons with a column for each control, in standard deviations; `spread` is what one is
    of each.
    """

    frame: pd.DataFrame
    spread: dict[str, float]
    notes: tuple[str, ...]


def add_controls(
    store: Store, selection: Selection, frame: pd.DataFrame, names: Sequence[str]
) -> ControlInput:
    """Add to comparisons how much more of each control the first text has. Raises TandemError if
    there are no texts, no marks, or no differences to control for.

    Counts differ by (a - b) / (a + b), 0 if both are 0; marks by a - b. Each is divided by its root
    mean square, so that the sides may be swapped.
    """
    counts = _count_styles(store, selection, names)
    for name in names:
        if name == "length":
            apart = _subtract_shares(*measure_lengths(store, selection.dataset, frame))
        elif name in counts:
            apart = _subtract_shares(*_map_to_sides(frame, counts[name]))
        else:
            a, b = _map_to_sides(frame, _load_marks(store, selection, name))
            apart = a - b
        frame = frame.assign(**{name_column(name): apart})
    known = frame[[name_column(name) for name in names]].notna().all(axis=1)
    if not known.any():
        raise TandemError(
            f"{option_ref('control')} {' '.join(names)} is not known of both texts of any "
            "comparison: "
            "leave it out"
        )
    left_out = (
        f"{describe_left_out(int((~known).sum()), 'judgement')}: what is controlled for is not "
        "known of both texts."
    )
    frame, spread = frame[known], {}
    for name in names:
        values = frame[name_column(name)]
        spread[name] = float(np.sqrt((values**2).mean()))
        if spread[name] == 0:
            raise TandemError(
                f"{option_ref('control')} {name}: no two texts that were compared differ in it, so "
                "there is nothing to control for"
            )
        frame = frame.assign(**{name_column(name): values / spread[name]})
    return ControlInput(frame, spread, () if known.all() else (left_out,))


def _map_to_sides(frame: pd.DataFrame, values: pd.Series) -> list[Floats]:
    return [frame[f"generation_{side}"].map(values).to_numpy(float) for side in "ab"]


def _subtract_shares(a: Floats, b: Floats) -> Floats:
    neither = np.where(np.isnan(a + b), np.nan, 0.0)
    return np.asarray(np.divide(a - b, a + b, out=neither, where=a + b > 0))


def name_column(name: str) -> str:
    """The column of a control in a frame of comparisons."""
    return f"{PREFIX}{name}"


def _list_columns(frame: pd.DataFrame) -> list[str]:
    return [name for name in map(str, frame.columns) if name.startswith(PREFIX)]


def _prepare(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    found = add_controls(store, selection, frame, settings.control)
    return PreparedComparisons(found.frame, found.notes, details={"spread": found.spread})


CONTROL = Need(
    "control",
    lambda frame, settings: {"control": frame[_list_columns(frame)].to_numpy(float)},
    _prepare,
    requires="texts",
    remove=lambda frame: frame.drop(columns=_list_columns(frame)),
)
"""How much more of each control the first text has than the second."""


def _count_styles(store: Store, selection: Selection, names: Sequence[str]) -> dict[str, pd.Series]:
    counts = {name: STYLES[name] for name in names if name in STYLES}
    if not counts:
        return {}
    texts = store.datasets.generations(selection.dataset).set_index("generation")["text"].dropna()
    return {name: texts.map(count).astype(float) for name, count in counts.items()}


def _load_marks(store: Store, selection: Selection, name: str) -> pd.Series:
    """The marks of each generation by `RATER:ATTRIBUTE`."""
    rater, _, attribute = name.rpartition(":")
    marked = Selection(
        selection.dataset, subset=selection.subset, attribute=attribute, item_set=selection.item_set
    )
    if attribute not in {each.name for each in store.datasets.attributes(selection.dataset)}:
        raise TandemError(
            f"{option_ref('control')} {name}: there is no attribute {attribute!r} here"
        )
    return average_rater_marks(store, marked, rater).set_index("generation")["value"]


def estimate_effects(
    frame: pd.DataFrame,
    columns: tuple[Codes, Codes, Floats],
    settings: RankSettings,
    spread: Mapping[str, float],
    drawing: Drawing,
    n: int,
) -> ControlRows:
    """Estimate the effect of each control on answers, as the table `controls`."""
    names = list(spread)
    control = frame[[name_column(name) for name in names]].to_numpy(float)
    found = control_effects(
        *columns, n=n, control=control, sources=list(drawing.sources(len(frame))),
        weights=drawing.weights, position=settings.position_term,
    )  # fmt: skip
    low, high = found.student(found.centre)
    if not drawing.resamples:
        low, high = np.full((2, len(names)), np.nan)
    return pd.DataFrame(
        {
            "control": names,
            "effect": found.centre,
            "low": low,
            "high": high,
            "spread": [spread[name] for name in names],
            "differ": (control != 0).sum(axis=0),
        }
    )


def describe_effects(found: pd.DataFrame) -> list[str]:
    """Describe the effect of each control, a sentence each."""
    sentences = []
    for name, effect, low, high in found[["control", "effect", "low", "high"]].itertuples(
        index=False, name=None
    ):
        interval = f" (95% interval {low:+.0f} to {high:+.0f})" if low < high else ""
        sentences.append(
            f"One standard deviation more {name} is worth {effect:+.0f} points{interval}."
        )
    return sentences
