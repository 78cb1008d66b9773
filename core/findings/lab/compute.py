"""Compute the lab: every judge on the same pairs in both orders, on one side of the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ...labels import percent, pluralize
from ...records import TandemError
from ...rendering import list_names
from ...settings import sign_settings
from ...store import Store
from ..accuracy import REFERENCES, measure_accuracy, score_answers
from ..bias import bias
from ..budget import estimate_spending
from ..judgements import debiasing
from ..judgements.answers import JUDGING, list_selected_comparers, select_judgements
from ..judgements.debiasing import warn_of_unusable
from ..judgements.finding import Finding, unless_refused
from ..judgements.judges import (
    add_judge_info,
    compare_to_best,
    describe_difference,
    find_closest,
    find_most_extreme,
    label_rows,
    name_judge,
)
from ..judgements.provenance import pooling_notes
from ..judgements.selection import (
    Selection,
    keep_first_trial,
    name_some,
    selection_notes,
    write_signature,
)
from .figures import (
    ABOUT,
    correlate_with_accuracy,
    group_answers,
    list_measures,
    measure_calibration,
    measure_kappa,
    measure_systems,
    measure_unlabelled,
)
from .settings import (
    BY,
    COLUMNS,
    FAIRNESS,
    FEWEST,
    LABELS,
    TABLES,
    TEST,
    LabSettings,
    find_common_pairs,
    is_open,
    list_openings,
    open_test,
)

OTHERS = tuple(kind.value for kind in JUDGING)


def measure_attribute(
    store: Store, selection: Selection, settings: LabSettings
) -> dict[str, pd.DataFrame]:
    """Measure the judges of a selection about one attribute: `rows` and TABLES by name, and the
    `frame` of all that was asked.
    """
    frame = debiasing.keep_known_order(select_judgements(store, selection)[0])
    answered = frame.dropna(subset="points")
    if answered.empty:
        return {"frame": frame}
    every, _ = select_judgements(store, replace(selection, trials=()))
    again = list_measures(every[every["order_known"].eq(1) & every["points"].notna()])
    measures = {**list_measures(answered), "repeats": again["repeats"]}
    rows = measure_unlabelled(measures).join(_measure_bias(store, selection))
    rows["unanswered"] = frame["points"].isna().groupby(frame["judge"]).mean()
    for judge, of in answered.groupby("judge", sort=False):
        spent = estimate_spending(store, selection.dataset, of, people=False)
        rows.loc[judge, ["money", "seconds"]] = 1000 * spent.money, spent.seconds
    scored, parts, systems = [], [], []
    for correction in ("none", *settings.correct):
        reference = settings.reference(correction)
        one = unless_refused(partial(score_answers, store, selection, reference))
        if one is None:
            continue
        table = measure_accuracy(one.rows.dropna(subset="right"), one.failed).set_index("judge")
        ends = {"low": "accuracy_low", "high": "accuracy_high", "comparisons": "answers"}
        figures = table.rename(columns=ends)[["accuracy", *ends.values()]]
        for judge, of in one.rows.groupby("judge", sort=False):
            found, given = measure_systems(of, settings, selection.seed)
            for name, value in {**measure_kappa(of), **found}.items():
                figures.loc[judge, name] = value
            about = {"judge": judge, "correction": correction}
            systems += [{**about, "system": name, "bias": value} for name, value in given.items()]
        if correction == "none":
            calibrated = unless_refused(
                partial(measure_calibration, store, selection, answered, settings)
            )
            rows = rows.join(figures).join(pd.DataFrame.from_dict(calibrated or {}, orient="index"))
        else:
            parts.append(figures.assign(correction=correction))
            one.rows["judge"] += f" · {correction}"
        scored.append(one.rows)
    parts.insert(0, rows.assign(correction="none"))
    tables = {"frame": frame, "systems": pd.DataFrame(systems), "scored": pd.DataFrame()}
    tables["rows"] = pd.concat([part.rename_axis("judge").reset_index() for part in parts])
    if scored:
        tables["differences"] = compare_to_best(pd.concat(scored), "right", is_tested=True)
        tables["scored"] = scored[0].dropna(subset="right")
        right = tables["scored"].rename(columns={"right": "value"})[ABOUT]
        tables["without_labels"] = pd.DataFrame(
            correlate_with_accuracy(
                measures, right, bootstrap=settings.bootstrap, seed=selection.seed
            )
        )
    return {name: table.assign(attribute=selection.attribute) for name, table in tables.items()}


def _measure_bias(store: Store, selection: Selection) -> pd.DataFrame:
    """The figures of `bias` of each judge (the index)."""
    found = bias(store, selection)
    chosen = (
        (found.rows, "p_first", "", "p_first"),
        (found.tables["lengths"], "longer", "longer_", "longer"),
        (found.tables["triples"], "cyclic", "", "cyclic"),
    )
    parts = [
        rows.set_index("judge")[[name, f"{ends}low", f"{ends}high"]].set_axis(
            [called, f"{called}_low", f"{called}_high"], axis=1
        )
        for rows, name, ends, called in chosen
    ]
    return pd.concat(parts, axis=1)


def lab(store: Store, selection: Selection, settings: LabSettings, *, by: str = "") -> Finding:
    """Compare judges on the same pairs, each asked in both orders, on the development items: a row
    for each judge, attribute and correction. Without judges all models and baselines are meant. The
    columns are declared in `core.findings.lab.settings`.

    Half of the items are shut, by a draw over families of items that never
    changes. With `open_test` the figures are those of the test items, which somebody opened: `by`
    opens them now, and each opening is stored and counted.

    Tables: `differences`, how far the most accurate judge is ahead of each other one on the same
    pairs (see `compare_to_best`); `without_labels`, how figures that need no
    votes go with accuracy over the judges; `systems`, what each judge gives a system too much;
    `by`, its accuracy on answers that have something in common (see `group_answers`).
    Facts: against ('' where nothing tells what is right), side, development and test (numbers of
    families of items), openings, tried (judges with answers here), sentences.

    Raises:
        TandemError: no pairs that all judges were asked about, or the test items are shut.
    """
    chosen = keep_first_trial(store, replace(selection, judges=selection.judges or OTHERS))
    common = find_common_pairs(store, chosen)
    settings = settings.fill(store, replace(selection, judges=()))
    if settings.open_test and by:
        open_test(store, selection, by=by)
    if settings.open_test and not is_open(store, selection):
        raise TandemError(
            f"the test items of {selection.dataset!r} are shut for these judges: decide, then open "
            "them with your name"
        )
    meant = common.pairs[common.pairs["side"] == settings.side]
    measured = []
    for name, of in meant.groupby("attribute", sort=False):
        judges = common.judges[settings.side, name]
        about = replace(chosen, attribute=str(name), items=tuple(of["item"]), judges=judges)
        measured.append(measure_attribute(store, about, settings))
    joined = {name: _join(measured, name) for name in ("frame", "rows", "scored", *TABLES)}
    frame, found, scored = (joined.pop(name) for name in ("frame", "rows", "scored"))
    joined["by"] = group_answers(store, chosen, settings, scored)
    if found.empty:
        raise TandemError(
            f"no judge has answered about the {settings.side} items: there are "
            f"{pluralize(common.pairs['item'].nunique(), 'item')} that all were asked about"
        )
    caution = warn_of_unusable(frame, "its answers follow the order, not the texts")
    is_right = "accuracy" in found
    rows = add_judge_info(store, found).reindex(columns=list_names(COLUMNS))
    rows = rows.sort_values(["accuracy", "fairness"], ascending=False, ignore_index=True)
    families = common.pairs.drop_duplicates("family")["side"].value_counts()
    tried = list_selected_comparers(store, replace(selection, judges=OTHERS))
    facts: dict[str, Any] = {
        "against": settings.against if is_right else "",
        "side": settings.side,
        **{side: int(families.get(side, 0)) for side in ("development", "test")},
        "openings": len(list_openings(store, selection.dataset)),
        "tried": tried["judge"].nunique(),
        **caution._asdict(),
    }
    facts["sentences"] = describe_lab(rows, joined, facts)
    left_out = common.list_left_out(settings.side)
    few = f"{pluralize(len(left_out), 'judge')} with less than half of the pairs"
    notes = [
        *([f"Left out: {few} ({name_some(left_out, 3)})."] if left_out else []),
        *pooling_notes(frame),
        *selection_notes(store, selection),
    ]
    signed = write_signature(
        "lab",
        against=facts["against"],
        side=settings.side,
        **chosen.signature_values(),
        **sign_settings(settings, "against", "open_test", "bootstrap"),
        openings=facts["openings"],
        boot=settings.bootstrap,
        seed=selection.seed,
    )
    failed = Counter(frame.loc[frame["points"].isna(), "failure"].tolist())
    return Finding(
        rows, signed, int(frame["points"].notna().sum()), failed, notes, facts, joined,
        columns=COLUMNS, table_columns={**TABLES, "by": BY}, picture="lab",
    )  # fmt: skip


def _join(measured: Sequence[Mapping[str, pd.DataFrame]], name: str) -> pd.DataFrame:
    there = [tables[name] for tables in measured if len(tables.get(name, ()))]
    rows = pd.concat(there, ignore_index=True) if there else pd.DataFrame()
    return rows.reindex(columns=list_names(TABLES[name])) if name in TABLES else rows


def describe_lab(
    rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], facts: Mapping[str, Any]
) -> list[str]:
    """Describe the best judge on a side of the items, its lead, and what the split still lacks."""
    return [
        _describe_best(rows, tables["differences"], facts),
        *_describe_unlabelled(tables["without_labels"]),
        *_describe_split(facts),
        *facts["cautions"],
    ]


def _describe_best(rows: pd.DataFrame, differences: pd.DataFrame, facts: Mapping[str, Any]) -> str:
    usable = rows[~rows["judge"].isin(facts["unusable"]) & (rows["correction"] == "none")]
    shown = label_rows(usable if len(usable) else rows)
    side = facts["side"]
    items = pluralize(facts[side], f"{side} item")
    figure = "accuracy" if facts["against"] else FAIRNESS.name
    best = find_most_extreme(shown, shown[figure], len(shown))
    value = percent(best[figure], best[f"{figure}_low"], best[f"{figure}_high"])
    judges = shown["judge"].nunique()
    among = f", the best of {judges}" if judges > 1 else ""
    if not facts["against"]:
        return (
            f"Nothing tells who is right. {name_judge(best)} is the fairest between positions on "
            f"{items}: {value}{among}."
        )
    said = (
        f"{name_judge(best)} is right in {value} of {pluralize(int(best['answers']), 'answer')} on "
        f"{items}, according to {REFERENCES[facts['against']]}{among}."
    )
    closest = find_closest(differences, best["judge"], best["attribute"])
    return said if closest is None else f"{said} {describe_difference(closest, 'is right')}"


def _describe_unlabelled(rows: pd.DataFrame) -> Iterator[str]:
    known = rows[rows["low"] > 0]
    if known.empty:
        return
    row = known.iloc[int(np.argmax(known["spearman"].to_numpy(float)))]
    label, lost = LABELS[row["figure"]], "is the best"
    if row["lost"] > 0:
        lost = f"is right {100 * row['lost']:.0f} points less often than the best"
    rho = f"Spearman {row['spearman']:.2f}, {row['low']:.2f} to {row['high']:.2f}"
    judges = pluralize(row["judges"], "judge")
    of = f" of {row['attribute']}" * (rows["attribute"].nunique() > 1)
    yield f"Without labels, {label!r} goes best with accuracy{of} ({judges}, {rho})."
    yield f"The judge with most of it {lost}."


def _describe_split(facts: Mapping[str, Any]) -> Iterator[str]:
    opened = facts["openings"]
    state = f"opened {pluralize(opened, 'time')}" if opened else "shut"
    yield (
        f"{pluralize(facts['tried'], 'judge')} tried on "
        f"{pluralize(facts['development'], 'development item')}; "
        f"{pluralize(facts['test'], 'test item')}, {state}."
    )
    if facts["side"] != TEST and facts["tried"] > 1 and facts["against"]:
        yield (
            "The best of several looks better here than it is: only the test items tell how good "
            "it is."
        )
    for side in ("development", TEST):
        if facts[side] < FEWEST:
            missing = pluralize(FEWEST - facts[side], "item")
            yield f"The {side} side is small: {missing} more make it {FEWEST}."
