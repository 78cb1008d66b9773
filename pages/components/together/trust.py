"""How far each judge can be trusted: right by people's votes, and at one with itself."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.charts import Estimate, Scale, labelled, trust
from core.findings import accuracy
from core.findings.judgements import Finding, unless_refused
from core.findings.judges import MEASURES, duration, judges
from core.findings.judges.chart import judges as draw_judges
from core.findings.replacement import ReplaceSettings, replacement
from core.labels import INTERVALS
from core.rendering.charts import Drawing
from core.reporting import sentences
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.cells import shares
from pages.components.shared.faults import told
from pages.components.shared.first_rows import first_names
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.tables import RIGHT, Column, show_table
from pages.components.together.choices import Chosen
from pages.components.together.closer import show_closer

HELP = """**Right**: as most people say, or the gold labels. **Same in both orders**: the judge
keeps its verdict when texts change places. **Three texts agree**: A over B, B over C, so A over C.
**Discrimination**: how closely a judge follows what all judges together say; 1 is the average.
Only the first says whether a judge is right: one that always takes the longer text never
contradicts itself."""
KEYS = ["judge", "attribute"]
COLUMNS = {
    "label": Column("judge"),
    "right": Column("right", RIGHT, "Of single answers, a tie being half"),
    "consistent": Column("same in both orders", RIGHT, MEASURES["consistent"].capitalize()),
    "transitive": Column("three texts agree", RIGHT, MEASURES["transitive"].capitalize()),
    "discrimination": Column("discrimination", RIGHT, "1 is the average answer, 0 is a coin"),
    "verdict": Column("an annotator's place", "", "The alternative annotator test"),
}
HELD = {name: COLUMNS[name].title for name in MEASURES}
AXES = {
    "right": "right answers", "consistent": "same verdict", "transitive": "no contradiction",
    "discrimination": "discrimination",
}  # fmt: skip


class Trust(NamedTuple):
    """What is known of judges: figures without labels, and where there are votes how often they are
    right, and whether they may replace an annotator.
    """

    measured: Finding
    right: Finding | None
    replacing: Finding | None


def show_trust(study: Study, chosen: Chosen) -> None:
    """The answer in a sentence, a picture and a table, and what there is to look at closer."""
    if not chosen.judged:
        return
    st.header("How far can each judge be trusted?", anchor=False, help=HELP)
    with told():
        found = _trust(study.store, chosen, study.scores_stamp)
        rows = _table(found)
        if rows.empty:
            small("Nothing can be told of these judges yet: let them answer more pairs.")
            return
        lead(_sentence(found, chosen.voted))
        names = first_names(rows["label"].tolist(), "judge", "trust")
        rows = rows[rows["label"].isin(names)]
        _show_picture(found, rows)
        show_table(_written(rows), COLUMNS, "How far each judge can be trusted")
        show_closer(study, chosen, found.replacing)


def _seconds(store: Store, chosen: Chosen) -> float:
    return duration.seconds(store, chosen.selection)


@cached_report("Comparing judges …", _seconds)
def _trust(store: Store, chosen: Chosen) -> Trust:
    selection = chosen.selection
    return Trust(
        judges(store, selection),
        unless_refused(partial(accuracy.accuracy, store, selection, against=chosen.against)),
        unless_refused(partial(replacement, store, selection, ReplaceSettings(chosen.people))),
    )


def _sentence(found: Trust, voted: bool) -> str:
    if found.right is not None:
        return accuracy.describe_accuracy(found.right)
    return sentences.without_labels(labelled(found.measured.rows), voted=voted)


def _table(found: Trust) -> pd.DataFrame:
    """A row for each judge and attribute: what is right and what fits together."""
    long = found.measured.rows[[*KEYS, "kind", "measure", "value", "low", "high", "n"]]
    parts = [long[[*KEYS, "kind"]]]
    if found.right is not None:
        parts.append(found.right.rows[[*KEYS, "kind"]])
    every = pd.concat(parts).drop_duplicates(KEYS)
    if every.empty:
        return every
    for name in MEASURES:
        of = long[long["measure"] == name].drop(columns=["kind", "measure"])
        named = {"value": name, "low": f"{name}_low", "high": f"{name}_high", "n": f"{name}_n"}
        every = every.merge(of.rename(columns=named), how="left", on=KEYS)
    rows = labelled(every.merge(_right(found), how="left", on=KEYS))
    if found.replacing is not None:
        rows = rows.merge(found.replacing.rows[[*KEYS, "verdict"]], how="left", on=KEYS)
    best = ["right", *MEASURES]
    return rows.sort_values(best, ascending=False, na_position="last", kind="stable")


def _right(found: Trust) -> pd.DataFrame:
    names = {"accuracy": "right", "low": "right_low", "high": "right_high", "comparisons": "n"}
    if found.right is None:
        return pd.DataFrame(columns=[*KEYS, *names.values()]).astype({"right": float})
    return found.right.rows[[*KEYS, *names]].rename(columns=names)


def _written(rows: pd.DataFrame) -> pd.DataFrame:
    """Figures with their intervals; a column in which there is nothing is left out."""
    shown = rows[["label"]].copy()
    for name in ("right", "consistent", "transitive"):
        if rows[name].notna().any():
            shown[name] = shares(rows, name, f"{name}_low", f"{name}_high")
    if rows["discrimination"].notna().any():
        shown["discrimination"] = [
            "–"
            if pd.isna(value)
            else f"{value:.2f}"
            if pd.isna(low)
            else f"{value:.2f} ({low:.2f} to {high:.2f})"
            for value, low, high in rows[
                ["discrimination", "discrimination_low", "discrimination_high"]
            ].to_numpy(float)
        ]
    if "verdict" in rows and rows["right"].notna().any():
        shown["verdict"] = rows["verdict"]
    return shown


def _show_picture(found: Trust, rows: pd.DataFrame) -> None:
    """Judges as points where people voted and several can be held beside each other; else dots."""
    held = [name for name in MEASURES if (rows[name].notna() & rows["right"].notna()).sum() > 1]
    if held:
        _show_scatter(found, rows, held)
        return
    name = next(name for name in ("right", *MEASURES) if rows[name].notna().any())
    title = "right answers (a tie is half)" if name == "right" else MEASURES[name]
    scale = Scale(None, ".2f", 1.0) if name == "discrimination" else Scale(reference=0.5)
    estimate = Estimate.of(name, "n" if name == "right" else f"{name}_n")
    drawn = partial(trust.dots, rows, AXES[name], estimate, scale)
    result = found.right if name == "right" and found.right else found.measured
    above = caption(result, f"{title[:1].upper()}{title[1:]}", INTERVALS["share"])
    show_picture("together-trust", Drawing(drawn, above), rows)


def _show_scatter(found: Trust, rows: pd.DataFrame, held: list[str]) -> None:
    chosen = held[0]
    if len(held) > 1:
        chosen = str(
            st.segmented_control(
                "Held against", held, format_func=HELD.__getitem__, default=held[0], required=True
            )
        )
    points = rows.dropna(subset=[chosen, "right"]).rename(
        columns={
            chosen: "value", f"{chosen}_low": "low", f"{chosen}_high": "high",
            "right": "accuracy", "right_low": "accuracy_low", "right_high": "accuracy_high",
        }
    )  # fmt: skip
    form = ".2f" if chosen == "discrimination" else ".0%"
    drawn = partial(draw_judges, points, MEASURES[chosen], form=form)
    title = "Judges without labels, and by votes"
    above = caption(found.measured, title, INTERVALS["share"], several(len(points), "judge"))
    show_picture("together-trust", Drawing(drawn, above), points)
