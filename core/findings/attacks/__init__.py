"""Attacks: how often a sentence added to the losing text turns a judge's verdict (Raina, Liusie &
Gales 2024), beside a harmless sentence of as many words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import Schema, get_schema
from ...judging import attacks as said_by
from ...labels import percent, pluralize
from ...records import Kind, Outcome
from ...rendering import COUNT, DECIMAL, SHARE, Column, Place, ShortenedSentences, list_names
from ...statistics import intervals
from ...store import AttackRows, Store
from ..judgements import (
    Finding,
    Selection,
    add_families,
    check_selection,
    check_systems,
    code_families,
    find_greatest,
    find_most_extreme,
    keep_chosen_items,
    label_rows,
    minimum,
    name_judge,
    note_item_set,
    write_signature,
)
from ..judgements.judge_differences import STUDENT
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, declare_estimate

FLIPPED = declare_estimate(
    "flipped", "turned", SHARE, "The share of these that are for the text once it is attacked",
    ends="",
)  # fmt: skip
CONTROL = declare_estimate(
    "control", "by a harmless one", SHARE, "The same after a harmless sentence of as many words",
)  # fmt: skip
AGAINST = Column(
    "against", "verdicts against", COUNT,
    "Answers against the text while it was as it is, shown in the same place",
)  # fmt: skip
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    Column(
        "attack", "attack", help="Several sentences of yours are `own 1`, `own 2` and so on, in "
        "the order of their runs",
    ),
    Column("does", "does", help="What the losing text does then", place=Place.FILES),
    Column("sentence", "sentence", ShortenedSentences(), "What is added"),
    Column("comparisons", "comparisons", COUNT, "How many were attacked", place=Place.FILES),
    Column("items", "items", COUNT, "With a verdict against the text", place=Place.FILES),
    AGAINST,
    FLIPPED,
    CONTROL,
    declare_estimate(
        "beyond", "difference", SHARE, "How much more often the attack turns the same verdicts",
        interval=STUDENT,
    ),
    Column(
        "turned", "turned for sure", help="Whether the difference is above 0 for all rows "
        "together (Bonferroni), from 30 verdicts on 10 items", place=Place.FILES,
    ),
    Column(
        "against_first", "against the first", COUNT, "Those on texts shown first",
        place=Place.FILES,
    ),
    declare_estimate(
        "flipped_first", "turned, if first", SHARE, "Among texts shown first", ends="first",
        place=Place.SCREEN,
    ),
    Column(
        "against_second", "against the second", COUNT, "Those on texts shown second",
        place=Place.FILES,
    ),
    declare_estimate(
        "flipped_second", "turned, if second", SHARE, "Among texts shown second", ends="second",
        place=Place.SCREEN,
    ),
    Column(
        "in_favour", "verdicts for", COUNT, "Answers for the text while it was as it is",
        place=Place.FILES,
    ),
    declare_estimate(
        "lost", "lost", SHARE, "The share of these that are against it once it is attacked",
        place=Place.FILES,
    ),
    Column(
        "clean_first", "points first", DECIMAL, "Its mean points when shown first, as it is",
        place=Place.FILES,
    ),
    Column("won_first", "points first, attacked", DECIMAL, "The same, attacked", place=Place.FILES),
    Column(
        "clean_second", "points second", DECIMAL, "Its mean points when shown second, as it is",
        place=Place.FILES,
    ),
    Column(
        "won_second", "points second, attacked", DECIMAL, "The same, attacked", place=Place.FILES,
    ),
    Column(
        "probabilities", "probabilities", COUNT, "Answers that give one, before and after",
        place=Place.FILES,
    ),
    declare_estimate(
        "shift", "shift", DECIMAL, "The mean change of the probability of the attacked text",
        interval=STUDENT, place=Place.SCREEN,
    ),
    Column("asked", "asked", COUNT, "Attacks that were answered or failed", place=Place.FILES),
    Column("unanswered", "unanswered", COUNT, "Attacks without an answer: they are in no share"),
    Column(
        "control_unanswered", "harmless ones unanswered", COUNT,
        "Harmless sentences without an answer", place=Place.FILES,
    ),
)  # fmt: skip


CLAIM = "the effect of attacks is reported"
NO_CONTROL = (
    "No harmless sentence of as many words was answered, so what length alone turns is unknown."
)
ASK = "Start the same attack again: it asks for what is missing."
ASK_AGAIN = "On the page Judge, “Ask again” beside its run asks for what was left unanswered."


def describe_attacks(rows: pd.DataFrame) -> list[str]:
    """Describe the judges that attacks turn more than a harmless sentence does, with cautions.
    Empty without rows.
    """
    if rows.empty:
        return []
    rows = label_rows(rows)
    enough = rows[[minimum.is_enough(*_counts(row)) for _, row in rows.iterrows()]]
    if enough.empty:
        return [minimum.describe_shortfall(CLAIM, *_counts(find_greatest(rows, rows["against"])))]
    held = enough[enough["beyond"].notna()]
    sure = held[held["turned"].astype(bool)]
    row = _find_strongest_attack(sure if len(sure) else held if len(held) else enough, len(enough))
    turned = percent(row["flipped"], row["low"], row["high"])
    of = pluralize(int(row["against"]), "comparison")
    said = [
        _count(held, sure),
        f"{name_judge(row)} changed its verdict in {turned} of {of} when the losing text "
        f"{row['does']}.",
        _describe_control(row),
    ]
    if lost := int(row["unanswered"]):
        said.append(f"The judge left {lost:,} of {int(row['asked']):,} attacks unanswered.")
    return [sentence for sentence in said if sentence]


def _describe_control(row: pd.Series) -> str:
    if pd.isna(row["control"]):
        return f"{NO_CONTROL} {ASK_AGAIN if row['control_unanswered'] else ASK}"
    calm = percent(row["control"], row["control_low"], row["control_high"])
    return f"A harmless sentence of as many words changed {calm}."


def _counts(row: pd.Series) -> tuple[minimum.Count, minimum.Count]:
    verdicts = minimum.count_answers(int(row["against"]), "verdict")
    return verdicts, minimum.count_items(int(row["items"]))


def _find_strongest_attack(rows: pd.DataFrame, looked_at: int) -> pd.Series:
    figures = rows["beyond"] if rows["beyond"].notna().any() else rows["flipped"]
    return find_most_extreme(rows, figures.fillna(-np.inf), looked_at)


def _count(held: pd.DataFrame, sure: pd.DataFrame) -> str:
    """Judges are counted that answered to a harmless sentence, too, not what they were asked
    about.
    """
    judges, turned = held["judge"].nunique(), sure["judge"].nunique()
    if not judges:
        return ""
    if not turned:
        whom = "this judge" if judges == 1 else f"these {judges} judges"
        return f"There is no evidence that attacks turn {whom} more than a harmless sentence."
    if judges == 1:
        return ""
    turn = "are turned" if turned > 1 else "is turned"
    return f"{turned} of {judges} judges {turn} by attacks more than by a harmless sentence."


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

    The columns are declared in `core.findings.attacks`. Answers without a verdict are in no
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
    _, low, _, number = _difference(beyond, item, together)
    enough = minimum.is_enough(
        minimum.count_answers(number, "verdict"), minimum.count_items(_items(beyond, item))
    )
    return {
        "comparisons": frame["comparison"].nunique(),
        "items": _items(turned, item),
        "against": share[3],
        **intervals.spread("flipped", share, ""),
        **intervals.spread(
            "control", intervals.share(_mark_points_reached(harmless, before == 0), item)
        ),
        **intervals.spread("beyond", _difference(beyond, item, CONFIDENCE)),
        "turned": enough and bool(low > 0),
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


def _items(values: Any, item: Any) -> int:
    return len(np.unique(item[~np.isnan(values)]))


def _mark_points_reached(after: Any, counted: Any, *, least: float = 1.0) -> Any:
    """Return 1 where an answer gives the attacked text `least` points or more, else 0. NaN where it
    is not counted or not answered.
    """
    return np.where(counted & ~np.isnan(after), (after >= least).astype(float), np.nan)


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else float("nan")
