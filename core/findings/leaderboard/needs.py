"""Needs of rating methods, added to comparisons: how two texts differ in length and style, how long
they are beside those of a baseline, and rankings by PairS runs, as the pairs they order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ...labels import describe_left_out
from ...pairing import planning, sorting
from ...records import Status, TandemError, option_ref
from ...statistics import FEWEST_SYSTEMS, Floats
from ...store import Store
from ..judgements.answers import average_rater_marks, find_judges, select_judgements
from ..judgements.selection import (
    Selection,
    add_families,
    check_selection,
    load_generations,
    name_some,
)
from ..judgements.verdicts import measure_lengths
from .settings import Need, PreparedComparisons, RankSettings

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


def add_controls(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    """Add to comparisons how much more of each control the first text has, in standard deviations;
    detail `spread` is what one is of each. Raises TandemError if there are no texts, no marks, or
    no differences to control for.

    Counts differ by (a - b) / (a + b), 0 if both are 0; marks by a - b. Each is divided by its root
    mean square, so that the sides may be swapped.
    """
    names = settings.control
    texts = pd.Series(dtype=object)
    if set(names) & set(STYLES):
        texts = store.texts.generations(selection.dataset).set_index("generation")["text"].dropna()
    for name in names:
        if name == "length":
            apart = _subtract_shares(*measure_lengths(store, selection.dataset, frame))
        elif name in STYLES:
            counts = texts.map(STYLES[name]).astype(float)
            apart = _subtract_shares(*_map_to_sides(frame, counts))
        else:
            a, b = _map_to_sides(frame, _load_marks(store, selection, name))
            apart = a - b
        frame = frame.assign(**{name_column(name): apart})
    known = frame[[name_column(name) for name in names]].notna().all(axis=1)
    if not known.any():
        raise TandemError(
            f"{option_ref('control')} {' '.join(names)} is not known of both texts of any "
            "comparison: leave it out"
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
    notes = () if known.all() else (left_out,)
    return PreparedComparisons(frame, notes, details={"spread": spread})


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


CONTROL = Need(
    "control",
    lambda frame, settings: {"control": frame[_list_columns(frame)].to_numpy(float)},
    add_controls,
    requires="texts",
    remove=lambda frame: frame.drop(columns=_list_columns(frame)),
)
"""How much more of each control the first text has than the second."""


def _load_marks(store: Store, selection: Selection, name: str) -> pd.Series:
    rater, _, attribute = name.rpartition(":")
    marked = Selection(
        selection.dataset, subset=selection.subset, attribute=attribute, item_set=selection.item_set
    )
    if attribute not in {each.name for each in store.datasets.attributes(selection.dataset)}:
        raise TandemError(
            f"{option_ref('control')} {name}: there is no attribute {attribute!r} here"
        )
    return average_rater_marks(store, marked, rater).set_index("generation")["value"]


FEW_SHORTER = 0.05
"""A system whose texts are shorter (or longer) in a smaller part of its comparisons has a rate at
equal length that hardly any comparison shows."""


def add_lengths(
    store: Store, selection: Selection, frame: pd.DataFrame, settings: RankSettings
) -> PreparedComparisons:
    """Keep the comparisons with the baseline, with `length`, how many characters the other text has
    more, and `baseline_first`, 1 where the baseline was shown first, else 0. Raises TandemError
    where nobody says which system is the baseline, where it was never compared, and where no texts
    are there, or all are equally long.
    """
    baseline = settings.baseline or _find_baseline(frame)
    has_it = _has_system(frame, baseline)
    if not has_it.any():
        raise TandemError(
            f"{option_ref('baseline')} {baseline}: no judgement compares it; there are "
            f"{', '.join(_list_systems(frame))}"
        )
    first = frame["system_a"].eq(baseline)
    a, b = _map_to_sides(frame, store.annotator_stats.characters(selection.dataset))
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
    notes += _describe_rates(rows, baseline)
    return PreparedComparisons(rows, tuple(notes), {"baseline": baseline}, fixed=baseline)


def _find_baseline(frame: pd.DataFrame) -> str:
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


LENGTH = Need(
    "length",
    lambda frame, settings: {
        "item": pd.factorize(frame["item"])[0],
        "baseline_first": frame["baseline_first"].to_numpy(float),
        "length": frame["length"].to_numpy(float) if "length" in frame else None,
    },
    add_lengths,
    requires="texts",
    remove=lambda frame: frame.drop(columns="length"),
)
"""How much longer each text is than the baseline's on the same item."""


SHARE = Need(
    "share", lambda frame, settings: {"share": frame["share"].to_numpy(float)}, requires="sorts"
)
"""How much each pair of a ranking counts."""
ASKED = ["judge", "trial", "attribute", "generation_a", "generation_b"]


@dataclass(frozen=True)
class SortedPairs:
    """Pairs of candidates of every ranking, `pairs`: judge, attribute, item, family, system_a and
    generation_a (ranked above), system_b and generation_b, points (1), share (1 / (N - 1) of a
    ranking of N).

    `answers` are the judgements the sorts went by, `unanswered` those they had to do without, by
    reason. `signed` is what a signature says of the runs.
    """

    pairs: pd.DataFrame
    answers: pd.DataFrame
    unanswered: Mapping[str, int]
    notes: tuple[str, ...] = ()
    signed: Mapping[str, object] = field(default_factory=dict)


def load_sorted_pairs(store: Store, selection: Selection) -> SortedPairs:
    """Load the rankings by the chosen judges' finished PairS runs, the newest of each judge, trial,
    attribute and item.

    Raises TandemError if there are no such rankings.
    """
    check_selection(store, selection)
    runs = _find_runs(store, selection)
    known = load_generations(store, selection)
    of = dict(zip(known["generation"].tolist(), known["system"], strict=True))
    orders, asked, used_runs = _find_newest(store, selection, runs)
    # A sort of all systems also went by what the judge said of those that are not shown.
    judgements, _ = select_judgements(store, replace(selection, systems=()))
    used = judgements.merge(pd.DataFrame(asked, columns=ASKED), on=ASKED)
    answers = used.dropna(subset="points")
    told = set(
        zip(*(answers[name] for name in ("judge", "trial", "attribute", "item")), strict=True)
    )
    rows: list[dict[str, Any]] = []
    silent = 0
    for (judge, trial, attribute, item), samples in orders.items():
        ranked = [[generation for generation in order if generation in of] for order in samples]
        ranked = [order for order in ranked if len(order) > 1]
        if ranked and (judge, trial, attribute, item) not in told:
            silent += 1  # nothing was answered: the order is the shuffle the sort began with
            continue
        rows += [
            {
                "judge": judge, "attribute": attribute, "item": item, "points": 1.0,
                "share": 1 / (len(order) - 1),
                "system_a": of[above], "system_b": of[below], "generation_a": above,
                "generation_b": below,
            }
            for order in ranked
            for above, below in combinations(order, 2)
        ]  # fmt: skip
    if not rows:
        raise TandemError(
            "the PairS runs of this selection have ranked nothing: their judge answered no "
            "comparison"
        )
    unanswered = Counter(used.loc[used["points"].isna(), "failure"].tolist())
    notes = (
        (f"{describe_left_out(silent, 'ranking')}: the judge answered none of the comparisons.",)
        if silent
        else ()
    )
    pairs = add_families(store, selection, pd.DataFrame(rows))
    return SortedPairs(pairs, answers, unanswered, notes, _sign_sorts(store, used_runs))


def _sign_sorts(store: Store, runs: Sequence[int]) -> dict[str, object]:
    sorts = [planning.Request.from_settings(store.runs.get(run).settings) for run in runs]
    told = {
        "run": runs,
        "beam": [sort.beam_size for sort in sorts if sort.beam_size],
        "calibrate": ["yes" for sort in sorts if sort.calibrate],
    }
    return {name: "+".join(dict.fromkeys(map(str, values))) for name, values in told.items()}


def _find_runs(store: Store, selection: Selection) -> list[int]:
    judges = find_judges(store, selection)["judge"].unique()
    plans = store.runs.list_all(dataset=selection.dataset, kind="run")
    plans = plans[plans["strategy"].isin(sorting()) & plans["judge"].isin(judges)]
    meant = selection.provenance.chosen_runs(store, selection.dataset)
    if meant is not None:
        plans = plans[plans["run"].isin(meant["run"])]
    if selection.trials:
        asking = store.runs.load_asking(selection.dataset)
        of_trials = asking.loc[asking["trial"].isin(selection.trials), "run"]
        plans = plans[plans["run"].isin(of_trials)]
    done = plans[plans["status"] == Status.DONE]
    if len(plans) and done.empty:
        raise TandemError(
            f"run {plans['run'].iloc[0]} has not finished sorting: `runs` shows how far it is"
        )
    if done.empty:
        raise TandemError(
            f"no PairS run by {name_some(judges)} here, so there are no rankings: "
            f"`judge {option_ref('pairs')} pairs-greedy` makes some"
        )
    return [int(run) for run in done["run"]]


_Key = tuple[str, int, str, str]


def _find_newest(
    store: Store, selection: Selection, runs: list[int]
) -> tuple[dict[_Key, list[tuple[int, ...]]], list[tuple[Any, ...]], list[int]]:
    """(judge, trial, attribute, item) -> the order of each sample; the comparisons those sorts
    asked; and the runs these are of.
    """
    orders: dict[_Key, list[tuple[int, ...]]] = {}
    asked: list[tuple[Any, ...]] = []
    used: list[int] = []
    for run in runs:
        plan = store.runs.get(run)
        new = {
            (plan.judge, plan.trial, attribute, item): order
            for (attribute, item), order in planning.ranking(store, run).items()
            if selection.attribute in (None, attribute)
        }
        new = {key: order for key, order in new.items() if key not in orders}
        orders |= new
        asked += list(_list_asked(store, run, selection.dataset, new))
        used += [run] if new else []
    return orders, asked, used


def _list_asked(
    store: Store, run: int, dataset: str, keys: Mapping[_Key, object]
) -> Iterator[tuple[Any, ...]]:
    for attribute in dict.fromkeys(attribute for _, _, attribute, _ in keys):
        for item, pairs in store.runs.planned_comparisons(
            run, store.datasets.attribute_id(dataset, attribute)
        ).items():
            judge, trial = next(iter(keys))[:2]
            if (judge, trial, attribute, item) in keys:
                yield from ((judge, trial, attribute, first, second) for first, second in pairs)
