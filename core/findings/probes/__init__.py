"""Probes: how far changes that say nothing about quality move a judge (Ye et al. 2024; Raina,
Liusie & Gales 2024), beside a harmless sentence of as many words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...judging import OWN, PROBES
from ...labels import percent, pluralize
from ...records import Kind, Outcome
from ...rendering import (
    COUNT,
    P_VALUE,
    POINTS,
    SHARE,
    YES_NO,
    Column,
    Place,
    ShortenedSentences,
    list_names,
)
from ...statistics import intervals
from ...store import ProbeRows, Store
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.judges import (
    ATTRIBUTE,
    JUDGE,
    KIND,
    STUDENT,
    declare_estimate,
    find_greatest,
    find_most_extreme,
    label_rows,
    name_judge,
)
from ..judgements.population import code_families
from ..judgements.selection import (
    Selection,
    add_families,
    check_selection,
    check_systems,
    keep_chosen_items,
    note_item_set,
    write_signature,
)

CHANGE = declare_estimate(
    "change", "change in points", POINTS, "A text has 100 points if it wins, and 50 if neither "
    "does. A sentence counts as it goes beyond a harmless one.", interval=STUDENT,
)  # fmt: skip
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    Column("probe", "probe"),
    Column("does", "does", help="What the text does then", place=Place.FILES),
    Column("sentence", "sentence", ShortenedSentences(), "What is added", place=Place.FILES),
    Column("answers", "answers", COUNT, "About texts with and without the change"),
    Column("items", "items", COUNT, place=Place.FILES),
    CHANGE,
    Column("p", "p", P_VALUE, "Tests for no change, by item, for all rows together (Holm)"),
    Column(
        "found", "moves it", YES_NO, "Whether p is at most .05, from 30 answers on 10 items",
        place=Place.SCREEN,
    ),
    Column(
        "detectable", "found from", POINTS,
        "A change of so many points would have been found with 80% on so many items",
    ),
    Column(
        "against", "verdicts against", COUNT, "Answers against the text as it was, in its place",
        place=Place.SCREEN,
    ),
    declare_estimate("flipped", "turned", SHARE, "The share of these that are now for it", ends=""),
    declare_estimate(
        "control", "by a harmless one", SHARE, "The same after a harmless sentence",
        place=Place.SCREEN,
    ),
    Column("asked", "asked", COUNT, "Changed texts that were asked about", place=Place.FILES),
    Column("unanswered", "unanswered", COUNT, "Those without an answer: they are in no figure"),
)  # fmt: skip
NOT_PROBED = "No judge has been probed yet: `judge --probe NAME` does it, or the page Judge."
OWN_DOES = "ends in a sentence of your own"
SAME = ["comparison", "trial", "probed"]
"""What a sentence and its control are both added to."""
POINTS_OF = {outcome.value: outcome.points for outcome in Outcome}

ProbedAnswers = Annotated[
    pd.DataFrame, get_schema(ProbeRows).extend({float: "after before", str: "family"})
]


def probes(store: Store, selection: Selection) -> Finding:
    """Measure how far each probe moves each judge, by attribute. The default is all judges that
    were probed.

    The columns are declared in `core.findings.probes`. Paired tests over items, with Holm's
    correction for all rows. Missing answers are in no figure. Answers of other runs to the same
    changed comparisons are controls, too.
    """
    check_selection(store, selection)
    check_systems(selection, "a comparison needs two")
    frame = _choose_answers(store, selection)
    parts = list(_list_parts(store, selection, frame))
    rows = [{**about, **_measure(answers, len(parts))} for about, answers in parts]
    table = pd.DataFrame(rows, columns=list_names(COLUMNS))
    table["p"] = intervals.holm(table["p"].to_numpy(float))
    enough = [minimum.is_enough(*_count(row)) for _, row in table.iterrows()]
    table["found"] = (table["p"] <= intervals.ALPHA) & np.array(enough, dtype=bool)
    return Finding(
        table,
        write_signature("probes", **selection.signature_values()),
        int(frame["outcome"].notna().sum()),
        dict(Counter(frame.loc[frame["outcome"].isna(), "failure"].tolist())),
        note_item_set(store, selection),
        {"sentences": describe_probes(table)},
        rows_are="probes",
        columns=COLUMNS,
        picture="probes",
    )


def _choose_answers(store: Store, selection: Selection) -> ProbedAnswers:
    frame = store.probes.load_all(selection.dataset)
    wanted = selection.judges or tuple(Kind)
    keep = frame["judge"].isin(wanted) | frame["kind"].isin(wanted)
    for column, value in (("attribute", selection.attribute), ("subset", selection.subset)):
        keep &= (frame[column] == value) if value else True
    if selection.trials:
        keep &= frame["trial"].isin(selection.trials)
    if selection.systems:
        keep &= frame[["system_a", "system_b"]].isin(selection.systems).all(axis=1)
    frame = keep_chosen_items(store, selection, frame[keep])
    second = (frame["probed"] == Outcome.B).to_numpy()
    points = {
        name: frame[column].map(POINTS_OF).to_numpy(float)
        for name, column in (("after", "outcome"), ("before", "clean_outcome"))
    }
    of_text = {name: np.where(second, 1 - each, each) for name, each in points.items()}
    return add_families(store, selection, frame.assign(**of_text))


def _list_parts(
    store: Store, selection: Selection, frame: pd.DataFrame
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield each judge, attribute and probe, and its answers with their `base`: the points of the
    text with a harmless sentence if one is added, else as it was. `harmless` are those of controls.
    """
    runs = store.probes.runs(selection.dataset)
    chosen = selection.provenance.chosen_runs(store, selection.dataset)
    keys = ["judge", "kind", "attribute"]
    for of, whole in frame.groupby(keys, sort=False):
        named, controls = dict[str, str](), defaultdict[str, set[str]](set)
        for name, asked, control in (
            row for run in runs if run["judge"] == of[0] for row in run["attacks"]
        ):
            named[asked] = name
            controls[asked].add(control)
        among = whole if chosen is None else whole[whole["run"].isin(chosen["run"])]
        for asked, name in named.items():
            answers = among[among["asked"] == asked]
            if answers.empty:
                continue
            of_controls = whole[whole["asked"].isin(controls[asked])]
            harmless = of_controls.groupby(SAME)["after"].mean().rename("harmless")
            answers = answers.join(harmless, on=SAME)
            added = any(controls[asked])
            base = answers["harmless" if added else "before"]
            does = PROBES[name].does if name in PROBES else OWN_DOES
            about = {"probe": name, "does": does, "sentence": asked if added else ""}
            yield {**dict(zip(keys, of, strict=True)), **about}, answers.assign(base=base)


def _measure(frame: pd.DataFrame, tests: int) -> dict[str, Any]:
    item, after = code_families(frame), frame["after"].to_numpy(float)
    change = intervals.measure_change(after - frame["base"].to_numpy(float), item, tests=tests)
    flipped, control = (
        # Verdicts against the text that are for it now (1, else 0); NaN if there are none.
        intervals.share(np.where((frame["before"] == 0) & now.notna(), now == 1, np.nan), item)
        for now in (frame["after"], frame["harmless"])
    )
    return {
        "answers": change.n,
        "items": change.groups,
        **intervals.spread("change", change[:3]),
        "p": change.p,
        "detectable": change.detectable,
        "against": flipped[3],
        **intervals.spread("flipped", flipped, ""),
        **intervals.spread("control", control),
        "asked": len(frame),
        "unanswered": int(np.isnan(after).sum()),
    }


def _count(row: pd.Series) -> tuple[minimum.Count, minimum.Count]:
    answers = minimum.count_answers(int(row["answers"]))
    return answers, minimum.count_items(int(row["items"]))


def describe_probes(rows: pd.DataFrame) -> list[str]:
    """Describe which probes move judges, the strongest, and what would have been found. Empty
    without rows.
    """
    if rows.empty:
        return []
    rows = label_rows(rows)
    enough = rows[[minimum.is_enough(*_count(row)) for _, row in rows.iterrows()]]
    if enough.empty:
        most = find_greatest(rows, rows["answers"])
        return [minimum.describe_shortfall("the effect of probes is reported", *_count(most))]
    moved = enough[enough["found"].astype(bool)]
    judges = enough["judge"].nunique()
    whom = enough["judge"].iloc[0] if judges == 1 else f"one of {judges} judges"
    found = []
    if moved.empty:
        which = "this probe moves" if len(enough) == 1 else "these probes move"
        found.append(f"There is no evidence that {which} {whom}.")
    elif len(enough) > 1:
        verb = "moves" if len(moved) == 1 else "move"
        found.append(f"{len(moved)} of {len(enough)} probes {verb} {whom} beyond chance.")
    if len(moved):
        row = find_most_extreme(moved, moved["change"].abs(), len(enough))
        found.append(_describe_change(row))
        turned = percent(*row[["flipped", "low", "high"]])
        beside = "" if pd.isna(row["control"]) else f", a harmless one {percent(row['control'])}"
        verdicts = pluralize(int(row["against"]), "verdict")
        found.append(f"It turns {turned} of {verdicts} against it{beside}.")
    if len(rest := enough[~enough["found"].astype(bool)]):
        points, least = 100 * rest["detectable"].max(), rest["items"].min()
        items = pluralize(int(least), "item")
        which = "In the others, a" if len(moved) else "A"
        change = f"{which} change of {points:.0f} points"
        found.append(f"{change} would have been found with 80% on {items}.")
    if lost := int(enough["unanswered"].sum()):
        found.append(f"No answer came to {lost:,} of {int(enough['asked'].sum()):,} changed texts.")
    return found


def _describe_change(row: pd.Series) -> str:
    sign = 1 if row["change"] > 0 else -1
    ends = sorted(100 * sign * row[f"change{end}"] for end in ("_low", "_high"))
    certain = "" if np.isnan(ends[0]) else f" (95% interval {ends[0]:.0f} to {ends[1]:.0f})"
    beyond = " beyond a harmless sentence of as many words" if row["sentence"] else ""
    return (
        f"{name_judge(row)}: a text that {row['does']} {'gains' if sign > 0 else 'loses'} "
        f"{100 * abs(row['change']):.0f} points{certain}{beyond}."
    )
