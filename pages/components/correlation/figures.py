"""Parts of the correlation page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.ranking import RankSettings
from core.analysis.trust import correlation
from core.charts import trust
from core.labels import DEBIASING, KINDS
from core.records import Kind
from core.statistics import RATINGS
from core.store import Store
from pages.components.correlation.accuracy import alone, truths
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice, several, small
from pages.components.shared.report import (
    ALL,
    WIDE,
    WIDEST,
    beyond,
    downloads,
    foot,
    labelled,
    subset,
)
from pages.components.shared.style import theme

LEVELS = {"item": "within each item, averaged", "system": "over systems", "pool": "over all texts"}
LEVELS_HELP = """**Within each item**: does it order the texts of one item as people do, averaged
over items. **Over systems**:
does it order the systems. **Over all texts**: also takes in that some items are scored higher than
others."""
OF = {"item": "item", "system": "system", "pool": "text"}  # what n counts
COEFFICIENTS = {"spearman": "Spearman", "kendall": "Kendall's tau-b", "pearson": "Pearson"}
METHODS = ("win-ratio", "average-probability")
INTERVALS = "Intervals: bootstrap over items."


@dataclass(frozen=True)
class Chosen:
    """Whose scores are the truth, and what is held against them."""

    selection: Selection
    against: str
    level: str
    settings: RankSettings


def choices(study: Study) -> Chosen | None:
    """Against whose scores, at which level; None, without scores, after showing what can be told
    without them.
    """
    scores = _raters(study.store.path, _stamp(study.store, study.dataset), study.dataset)
    if scores.empty and truths(study):
        alone(study)
        return None
    if scores.empty:
        notice(
            "There are no scores to hold judges against. Import texts with a column "
            "score:ATTRIBUTE by people, and this page "
            "says how well each judge follows them; how judges agree with each other is on the "
            "page Agreement."
        )
        ways_on(data="Import scores", agreement="Agreement")
        return None
    offered = _truths(scores)
    attributes = list(dict.fromkeys(scores["attribute"]))
    row = st.container(horizontal=True)
    against = row.selectbox("Against the scores by", offered, format_func=_who, width=WIDE)
    attribute = row.selectbox(
        "Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, width=WIDE
    )
    only = subset(study, row)
    level = row.selectbox(
        "Compared", list(LEVELS), format_func=LEVELS.__getitem__, help=LEVELS_HELP, width=260
    )
    method = row.selectbox(
        "Judges rate by", METHODS, format_func=lambda name: RATINGS[name].label, width=WIDE
    )
    debias = row.selectbox(
        "Effect of the place", list(DEBIASING), format_func=DEBIASING.__getitem__, width=WIDE
    )
    return Chosen(
        Selection(study.dataset, subset=only, attribute=None if attribute == ALL else attribute),
        against,
        level,
        RankSettings(method=method, debias=debias),
    )


@st.cache_data(max_entries=8, show_spinner="Looking for scores …")
def _raters(path: Path, stamp: str, dataset: str) -> pd.DataFrame:
    with Store(path) as store:
        frame = store.scores.all(dataset).dropna(subset="value")
    panel = frame["rater"].str.replace(r"-\d+$", "", regex=True)
    return frame.assign(panel=panel)[["rater", "panel", "kind", "attribute"]].drop_duplicates()


def _stamp(store: Store, dataset: str) -> str:
    return f"{store.judgement_frames.stamp(dataset)}-{store.scores.stamp(dataset)}"


def _truths(scores: pd.DataFrame) -> list[str]:
    """Kinds, panels, then raters, people before machines. People of several panels, as experts and
    a crowd, are not thrown together unasked: there the panels come first.
    """
    ranked = scores.sort_values("kind", key=lambda kind: kind != "human", kind="stable")
    panels = [
        panel for panel in dict.fromkeys(ranked["panel"]) if panel not in set(ranked["rater"])
    ]
    kinds = [kind for kind in dict.fromkeys(ranked["kind"]) if kind not in set(ranked["rater"])]
    mixed = len(set(panels) & set(ranked.loc[ranked["kind"] == "human", "panel"])) > 1
    pools = [*panels, *kinds] if mixed else [*kinds, *panels]
    offered = list(dict.fromkeys([*pools, *ranked["rater"]]))
    people = ranked.loc[ranked["kind"] == "human", ["kind", "panel", "rater"]].to_numpy()
    return sorted(
        offered, key=lambda name: name not in people
    )  # a single rater may be called as a kind is


def _who(rater: str) -> str:
    """A kind of raters in words, a rater by name."""
    return KINDS.get(rater, rater)


def counted(study: Study, chosen: Chosen) -> Result:
    """Correlations, computed anew only when a judgement or a score has been added or withdrawn."""
    return _counted(study.store.path, _stamp(study.store, study.dataset), chosen)


@st.cache_data(max_entries=32, show_spinner="Correlating judges with scores …")
def _counted(path: Path, stamp: str, chosen: Chosen) -> Result:
    with Store(path) as store:
        return correlation.table(
            store,
            chosen.selection,
            against=chosen.against,
            level=chosen.level,
            settings=chosen.settings,
        )


def sentence(result: Result) -> str:
    """Who follows the scores best, and how well."""
    rows = labelled(result.rows).dropna(subset="spearman")
    if rows.empty:
        against = _who(result.facts["against"])
        return (
            f"Nothing here can be correlated with the scores by {against}: too few texts "
            "have two different values."
        )
    rows = (
        rows[rows["judge"] != Kind.HUMAN.value]
        if (rows["judge"] != Kind.HUMAN.value).any()
        else rows
    )  # a mean of people
    people = rows[rows["kind"] == "human"]
    told = rows.drop(people.index) if len(people) < len(rows) else rows
    row = told.loc[told["spearman"].idxmax()]
    interval = (
        ""
        if pd.isna(row["spearman_low"])
        else f" (95% interval {row['spearman_low']:.2f} to {row['spearman_high']:.2f})"
    )
    judges, attributes = told["judge"].nunique(), rows["attribute"].nunique()
    of = "models and baselines" if len(told) < len(rows) else "judges and raters"
    best = f", the closest of {judges} {of}" if judges > 1 else ""
    on = f" best on {row['attribute']}" if attributes > 1 else ""
    beside = f" Of people, {_closest(people)}." if len(told) < len(rows) and len(people) else ""
    return (
        f"{row['judge']} follows the scores by {_who(result.facts['against'])}{on}{best}: a "
        "Spearman correlation of "
        f"{row['spearman']:.2f}{interval}, {LEVELS[result.facts['level']]}.{beside}"
    )


def _closest(people: pd.DataFrame) -> str:
    """What there is to be reached: the person who follows the scores best."""
    row = people.loc[people["spearman"].idxmax()]
    return f"{row['judge']} follows them with {row['spearman']:.2f}" + (
        " at best" if people["judge"].nunique() > 1 else ""
    )


def overview(result: Result) -> str:
    """All judges and raters in a picture, and in a table with attributes as columns; which figure
    of them is shown.
    """
    names = {**COEFFICIENTS, "pair_accuracy": "Pairs ordered alike"}
    name = (
        st.segmented_control("Show", list(names), format_func=names.__getitem__, default="spearman")
        or "spearman"
    )
    rows = labelled(result.rows)
    share = name == "pair_accuracy"
    chart = _chart(rows, name, names[name], theme())
    if rows[name].notna().any():
        st.altair_chart(chart, width="stretch", theme=None)
    _table(rows, name, ["judge", "prompt", "of"])
    beyond(rows)
    few, most_of = int(rows["n"].min()), int(rows["n"].max())
    counted = several(most_of, OF[result.facts["level"]])
    over = counted if few == most_of else f"{few:,} to {counted}"
    small(f"{'Pairs of texts of' if share else 'Correlated over'} {over}.")
    if result.facts["level"] == "item":
        _undefined(result.rows)
    if share:
        small("Of pairs of texts whose scores differ; an equal rating is half right.")
    return name


def _undefined(rows: pd.DataFrame) -> None:
    """How many items could not be correlated, and why, of the row that has most of them."""
    why = {
        "have fewer than two texts with both a rating and a score": rows["few_items"],
        "are given one and the same value throughout": rows["undefined_items"] - rows["few_items"],
    }
    for reason, count in why.items():
        if count.max() > 0:
            most = rows.loc[count.idxmax()]
            several = rows["attribute"].nunique() > 1
            of = f"{most['judge']}, {most['attribute']}" if several else most["judge"]
            upto = "up to " if len(rows) > 1 else ""
            small(
                f"Left out, as they {reason}: {upto}{count.max():,} of "
                f"{most['undefined_items'] + most['items']:,} items ({of})."
            )


def _chart(rows: pd.DataFrame, name: str, title: str, look: str) -> alt.LayerChart:
    share = name == "pair_accuracy"
    rows = rows.sort_values(name, ascending=False)
    ends = rows[[name, f"{name}_low", f"{name}_high"]].stack().dropna()
    wide = (
        (math.floor(10 * min(ends.min(), 0)) / 10, math.ceil(10 * max(ends.max(), 0)) / 10)
        if len(ends)
        else (0, 1)
    )
    return trust.dots(
        rows, title, value=name, low=f"{name}_low", high=f"{name}_high", n="n",
        domain=(0, 1) if share else wide, form=".0%" if share else ".2f",
        reference=0.5 if share else 0.0, theme=look,
    )  # fmt: skip


def _table(rows: pd.DataFrame, name: str, about: list[str]) -> None:
    """One figure with its interval, attributes as columns; of what the rows are about, columns that
    tell something.
    """
    cells = [
        f"{value:.2f}" + ("" if pd.isna(low) else f" ({low:.2f} to {high:.2f})")
        if not pd.isna(value)
        else "-"
        for value, low, high in zip(
            rows[name], rows[f"{name}_low"], rows[f"{name}_high"], strict=True
        )
    ]
    labels = {name: RATINGS[name].label for name in METHODS}
    rows = rows.assign(cell=cells, of=rows["of"].map(labels).fillna("marks"))
    told = [column for column in about if column == about[0] or rows[column].fillna("").any()]
    table = rows.pivot_table(
        index=told, columns="attribute", values="cell", aggfunc="first", sort=False, dropna=False
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        table.dropna(how="all").reset_index().astype(object).fillna("-"),
        hide_index=True,
        column_config={
            "of": st.column_config.TextColumn(
                "rates by", help="Its comparisons, rated this way, or its own marks"
            ),
            about[0]: st.column_config.TextColumn(width=WIDEST),
            "prompts": st.column_config.NumberColumn(help="How many prompts the mean is of"),
            **dict.fromkeys(table.columns, right),
        },
    )


def means(result: Result, name: str) -> None:
    """The means over a model's prompts, of the figure that is shown."""
    rows = result.tables["averages"]
    if rows.empty:
        return
    st.subheader("Means over a model's prompts", anchor=False)
    short = result.rows.drop_duplicates("model").set_index("model")["judge"].map(_short)
    rows = rows.assign(model=[short[model] if ":" in model else model for model in rows["model"]])
    _table(rows, name, ["model", "mode", "settings", "of", "prompts"])
    small(
        "Of the same model, asked in the same way. Means of the correlations, not correlations "
        "of means."
    )
    downloads("correlation-means", {"means": rows}, None)


def _short(judge: str) -> str:
    """The model as its judge's name says it: a folder's path says nothing."""
    return judge.partition("|")[0]


def evidence(result: Result) -> None:
    """Notes, signature and files."""
    foot(result, INTERVALS)
    rows = labelled(result.rows)
    chart = (
        _chart(rows, "spearman", "Spearman", "light") if rows["spearman"].notna().any() else None
    )
    downloads("correlation", {"correlation": result.rows}, chart)
