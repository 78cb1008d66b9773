"""Measure how often a sentence that is added to the losing text turns a judge's verdict (Raina,
Liusie & Gales 2024), beside a harmless sentence of as many words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...judging import attacks as said_by
from ...records import Kind, Outcome
from ...rendering import list_names
from ...statistics import intervals
from ...store import AttackRows, Store
from ..judgements import (
    Finding,
    Selection,
    add_families,
    check_selection,
    check_systems,
    code_families,
    keep_chosen_items,
    minimum,
    note_item_set,
    write_signature,
)
from .columns import COLUMNS

AttackedAnswers = Annotated[
    pd.DataFrame,
    get_schema(AttackRows).extend(
        {float: "after before prob_after prob_before", str: "family", bool: "chosen"}
    ),
]
ChosenAnswers = Annotated[pd.DataFrame, get_schema(AttackRows).extend({bool: "chosen"})]
ControlledAnswers = Annotated[
    pd.DataFrame, Schema({str: "control", float: "after_control", bool: "controlled"}, is_open=True)
]

SAME = ["comparison", "trial", "attacked"]
"""What a sentence and its control are both added to."""
CONFIDENCE = 0.95
POINTS = {outcome.value: outcome.points for outcome in Outcome}


def attacks(store: Store, selection: Selection) -> Finding:
    """Compute how often attacks turn verdicts: a row per judge, attribute and sentence. The default
    is all judges that were attacked.

    The columns are declared in `core.findings.attacks.columns`. Answers without a verdict are in no
    share, and intervals are over items. If runs are chosen, controls that the same judge answered
    in other runs count, too.
    """
    check_selection(store, selection)
    check_systems(selection, "a comparison needs two")
    frame = _choose_answers(store, selection)
    parts = list(_parts(store, selection, frame))
    together = 1 - (1 - CONFIDENCE) / max(len(parts), 1)
    rows = [{**of, **_figures(answers, together)} for of, answers in parts]
    return Finding(
        pd.DataFrame(rows, columns=list_names(COLUMNS)),
        write_signature("attacks", **selection.signature_values()),
        int(frame["outcome"].notna().sum()),
        dict(Counter(frame.loc[frame["outcome"].isna(), "failure"].tolist())),
        note_item_set(store, selection),
        rows_are="attacks",
        columns=COLUMNS,
        picture="attacks",
    )


def _choose_answers(store: Store, selection: Selection) -> AttackedAnswers:
    """Select the attacked answers, with points and probabilities before and after the attack
    (`before`, `after`, prob_before, prob_after).
    """
    frame = store.attacks.load_all(selection.dataset)
    wanted = selection.judges or tuple(Kind)
    keep = frame["judge"].isin(wanted) | frame["kind"].isin(wanted)
    for column, value in (("attribute", selection.attribute), ("subset", selection.subset)):
        keep &= (frame[column] == value) if value else True
    if selection.trials:
        keep &= frame["trial"].isin(selection.trials)
    if selection.systems:
        keep &= frame[["system_a", "system_b"]].isin(selection.systems).all(axis=1)
    frame = _keep_chosen_runs(store, selection, keep_chosen_items(store, selection, frame[keep]))
    second = (frame["attacked"] == Outcome.B).to_numpy()
    told = {
        "after": frame["outcome"].map(POINTS).to_numpy(float),
        "before": frame["clean_outcome"].map(POINTS).to_numpy(float),
        "prob_after": frame["prob_a"].to_numpy(float),
        "prob_before": frame["clean_prob_a"].to_numpy(float),
    }
    turned = {name: np.where(second, 1 - values, values) for name, values in told.items()}
    return add_families(store, selection, frame.assign(**turned))


def _keep_chosen_runs(store: Store, selection: Selection, frame: pd.DataFrame) -> ChosenAnswers:
    """The answers of the chosen runs (`chosen`), and those of other runs to what is their control:
    a run asks nothing again that its judge has answered.
    """
    runs = selection.provenance.chosen_runs(store, selection.dataset)
    if runs is None:
        return frame.assign(chosen=True)
    chosen = frame["run"].isin(runs["run"]).to_numpy()
    controls = {
        (run["judge"], control)
        for run in store.attacks.runs(selection.dataset)
        if run["run"] in set(runs["run"])
        for _, _, control in run["attacks"]
    }
    about = pd.MultiIndex.from_frame(frame[["judge", *SAME]])
    control = pd.MultiIndex.from_frame(frame[["judge", "sentence"]]).isin(controls)
    return frame.assign(chosen=chosen)[chosen | (control & about.isin(about[chosen]))]


def _parts(
    store: Store, selection: Selection, frame: pd.DataFrame
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Iterate over judge, attribute and attack, with the answers and those to the control."""
    runs = store.attacks.runs(selection.dataset)
    names = _names(runs)
    keys = ["judge", "kind", "attribute"]
    for of, whole in frame.groupby(keys, sort=False):
        said: dict[str, str] = {}
        controls: dict[str, dict[int, str]] = {}
        for run in runs:
            for name, sentence, control in run["attacks"] if run["judge"] == of[0] else ():
                said[sentence] = name
                controls.setdefault(sentence, {})[run["run"]] = control
        by_sentence = dict(iter(whole[whole["chosen"]].groupby("sentence", sort=False)))
        for sentence, name in said.items():
            if sentence in by_sentence:
                called = names.get(sentence, name)
                does = said_by.describe_attack(name) + (f" ({called})" if called != name else "")
                about = {"attack": called, "does": does, "sentence": sentence}
                answers = _join_controls(by_sentence[sentence], whole, controls[sentence])
                yield {**dict(zip(keys, of, strict=True)), **about}, answers


def _names(runs: list[dict[str, Any]]) -> dict[str, str]:
    """Number the user's own sentences where a data set has several: sentence -> name."""
    own = dict.fromkeys(
        sentence for run in runs for name, sentence, _ in run["attacks"] if name == said_by.OWN
    )
    several = len(own) > 1
    return {sentence: f"{said_by.OWN} {place}" for place, sentence in enumerate(own, 1) if several}


def _join_controls(
    answers: pd.DataFrame, whole: pd.DataFrame, controls: dict[int, str]
) -> ControlledAnswers:
    """A judge's answers to a sentence with what it said to the control of the run that asked them:
    `after_control`, and whether that was asked (`controlled`). How many words a control has hangs
    on the judge's labels and the data set's nouns, so that another run may have another.
    """
    latest = controls[max(controls)]
    asked = answers.assign(control=[controls.get(run, latest) for run in answers["run"]])
    harmless = whole[[*SAME, "sentence", "after"]].rename(columns={"sentence": "control"})
    beside = asked.merge(
        harmless, on=[*SAME, "control"], how="left", suffixes=("", "_control"), indicator=True
    )
    return beside.assign(controlled=beside.pop("_merge") == "both")


def _figures(frame: pd.DataFrame, together: float) -> dict[str, Any]:
    """The figures of one judge, attribute and sentence; `together` is the confidence with which
    each row must be sure for all rows to be.
    """
    item = code_families(frame)
    after, before = frame["after"].to_numpy(float), frame["before"].to_numpy(float)
    harmless = frame["after_control"].to_numpy(float)
    first = (frame["attacked"] == Outcome.A).to_numpy()
    turned = _mark_points_reached(after, before == 0)
    beyond = turned - _mark_points_reached(harmless, before == 0)
    share = intervals.share(turned, item)
    by_place = {
        name: intervals.share(np.where(of, turned, np.nan), item)
        for name, of in (("first", first), ("second", ~first))
    }
    lost = intervals.share(1 - _mark_points_reached(after, before == 1, least=0.5), item)
    shift = (frame["prob_after"] - frame["prob_before"]).to_numpy(float)
    moved = intervals.difference(shift, item)
    both = ~np.isnan(after)
    return {
        "comparisons": frame["comparison"].nunique(),
        "items": _items(turned, item),
        "against": share[3],
        **intervals.spread("flipped", share, ""),
        **intervals.spread(
            "control", intervals.share(_mark_points_reached(harmless, before == 0), item)
        ),
        **intervals.spread("beyond", _difference(beyond, item, CONFIDENCE)),
        "turned": _is_beyond_control(beyond, item, together),
        **{f"against_{name}": of[3] for name, of in by_place.items()},
        **{
            key: value
            for name, of in by_place.items()
            for key, value in intervals.spread(f"flipped_{name}", of, name).items()
        },
        "in_favour": lost[3],
        **intervals.spread("lost", lost),
        "clean_first": _mean(before[both & first]),
        "won_first": _mean(after[both & first]),
        "clean_second": _mean(before[both & ~first]),
        "won_second": _mean(after[both & ~first]),
        "probabilities": moved[3],
        **intervals.spread("shift", moved),
        "asked": len(frame),
        "unanswered": int((~both).sum()),
        "control_unanswered": int((frame["controlled"] & np.isnan(harmless)).sum()),
    }


def _difference(beyond: Any, item: Any, confidence: float) -> tuple[float, float, float, int]:
    """The mean difference with its interval. Where each verdict was turned by the sentence and none
    by its control (or the reverse), there is no variance to be seen: such verdicts are then a share
    of 1 with Wilson's interval, each item one answer, and at worst all others are the reverse.
    """
    value, low, high, number = intervals.difference(beyond, item, confidence=confidence)
    if abs(value) == 1:
        items = np.array(_items(beyond, item), dtype=float)
        least, _ = intervals.wilson(np.array(1.0), items, confidence=confidence)
        low, high = sorted((value, value * (2 * float(least) - 1)))
    return value, low, high, number


def _is_beyond_control(beyond: Any, item: Any, confidence: float) -> bool:
    """Return whether a sentence turns more verdicts than its control. False if there are too few
    verdicts or items to name a judge.
    """
    _, low, _, number = _difference(beyond, item, confidence)
    verdicts, items = (
        minimum.count_answers(number, "verdict"),
        minimum.count_items(_items(beyond, item)),
    )
    return minimum.is_enough(verdicts, items) and bool(low > 0)


def _items(values: Any, item: Any) -> int:
    """Count the items that have a value."""
    return len(np.unique(item[~np.isnan(values)]))


def _mark_points_reached(after: Any, counted: Any, *, least: float = 1.0) -> Any:
    """Return 1 where an answer gives the attacked text `least` points or more, else 0. NaN where it
    is not counted or not answered.
    """
    return np.where(counted & ~np.isnan(after), (after >= least).astype(float), np.nan)


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else float("nan")
