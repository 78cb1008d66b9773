"""Parts of the correlation page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core import accuracy, correlating, trust_charts
from core.rankings import RankSettings
from core.records import TandemError
from core.selections import Result, Selection
from core.store import Store
from pages.components.findings import ALL, WIDE, WIDEST, WILSON, downloads, foot, labelled
from pages.components.frame import Study, ways_on
from pages.components.notice import notice, small
from pages.components.style import theme

LEVELS = {"item": "within each item, averaged", "system": "over systems", "pool": "over all texts"}
LEVELS_HELP = """**Within each item**: does it order the texts of one item as people do, averaged over items. **Over systems**:
does it order the systems. **Over all texts**: also takes in that some items are scored higher than others."""
OF = {"item": "items", "system": "systems", "pool": "texts"}  # what n counts
COEFFICIENTS = {"spearman": "Spearman", "kendall": "Kendall's tau-b", "pearson": "Pearson"}
WAYS = {"none": "as they are", "swap": "mean of both orders", "threshold": "balanced by threshold"}
METHODS = {"win-ratio": "win ratio", "average-probability": "average probability"}
INTERVALS = "Intervals: bootstrap over items."


@dataclass(frozen=True)
class Chosen:
    """Whose scores are the truth, and what is held against them."""

    selection: Selection
    against: str
    level: str
    settings: RankSettings


def choices(study: Study) -> Chosen | None:
    """Against whose scores, at which level; None after saying what is missing."""
    scores = _raters(study.store.path, _stamp(study.store, study.dataset), study.dataset)
    if scores.empty:
        notice(
            "There are no scores to hold judges against. Import texts with a column score:ATTRIBUTE by people, and this page "
            "says how well each judge follows them; how judges agree with each other is on the page Agreement."
        )
        ways_on(data="Import scores", agreement="Agreement")
        return None
    offered = _truths(scores)
    attributes = list(dict.fromkeys(scores["attribute"]))
    row = st.container(horizontal=True)
    against = row.selectbox("Against the scores by", offered, format_func=_who, width=WIDE)
    attribute = row.selectbox("Attribute", [ALL, *attributes] if len(attributes) > 1 else attributes, width=WIDE)
    level = row.selectbox("Compared", list(LEVELS), format_func=LEVELS.__getitem__, help=LEVELS_HELP, width=260)
    method = row.selectbox("Judges rate by", list(METHODS), format_func=METHODS.__getitem__, width=WIDE)
    debias = row.selectbox("Effect of the place", list(WAYS), format_func=WAYS.__getitem__, width=WIDE)
    return Chosen(
        Selection(study.dataset, attribute=None if attribute == ALL else attribute),
        against,
        level,
        RankSettings(method=method, debias=debias),
    )


@st.cache_data(max_entries=8, show_spinner="Looking for scores …")
def _raters(path: Path, stamp: str, dataset: str) -> pd.DataFrame:
    with Store(path) as store:
        frame = store.scores(dataset).dropna(subset="value")
    panel = frame["rater"].str.replace(r"-\d+$", "", regex=True)
    return frame.assign(panel=panel)[["rater", "panel", "kind", "attribute"]].drop_duplicates()


def _stamp(store: Store, dataset: str) -> str:
    return f"{store.stamp(dataset)}-{store.scores_stamp(dataset)}"


def _truths(scores: pd.DataFrame) -> list[str]:
    """Panels and kinds first, people before machines."""
    ranked = scores.sort_values("kind", key=lambda kind: kind != "human", kind="stable")
    panels = [panel for panel in dict.fromkeys(ranked["panel"]) if panel not in set(ranked["rater"])]
    kinds = [kind for kind in dict.fromkeys(ranked["kind"]) if kind not in set(ranked["rater"])]
    offered = list(dict.fromkeys([*kinds, *panels, *ranked["rater"]]))
    people = ranked.loc[ranked["kind"] == "human", ["kind", "panel", "rater"]].to_numpy()
    return sorted(offered, key=lambda name: name not in people)  # a single rater may be called as a kind is


def _who(rater: str) -> str:
    """A kind of raters in words, a rater by name."""
    return trust_charts.KINDS.get(rater, rater)


def counted(study: Study, chosen: Chosen) -> Result:
    """Correlations, computed anew only when a judgement or a score has been added or withdrawn."""
    return _counted(study.store.path, _stamp(study.store, study.dataset), chosen)


@st.cache_data(max_entries=32, show_spinner="Correlating judges with scores …")
def _counted(path: Path, stamp: str, chosen: Chosen) -> Result:
    with Store(path) as store:
        return correlating.table(
            store, chosen.selection, against=chosen.against, level=chosen.level, settings=chosen.settings
        )


def sentence(result: Result) -> str:
    """Who follows the scores best, and how well."""
    rows = labelled(result.rows).dropna(subset="spearman")
    if rows.empty:
        against = _who(result.facts["against"])
        return f"Nothing here can be correlated with the scores by {against}: too few texts have two different values."
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
        f"{row['judge']} follows the scores by {_who(result.facts['against'])}{on}{best}: a Spearman correlation of "
        f"{row['spearman']:.2f}{interval}, {LEVELS[result.facts['level']]}.{beside}"
    )


def _closest(people: pd.DataFrame) -> str:
    """What there is to be reached: the person who follows the scores best."""
    row = people.loc[people["spearman"].idxmax()]
    return f"{row['judge']} follows them with {row['spearman']:.2f}" + (
        " at best" if people["judge"].nunique() > 1 else ""
    )


def overview(result: Result) -> None:
    """All judges and raters in a picture, and in a table with attributes as columns."""
    names = {**COEFFICIENTS, "pair_accuracy": "Pairs ordered alike"}
    name = st.segmented_control("Show", list(names), format_func=names.__getitem__, default="spearman") or "spearman"
    rows = labelled(result.rows)
    share = name == "pair_accuracy"
    chart = _chart(rows, name, names[name], theme())
    if rows[name].notna().any():
        st.altair_chart(chart, width="stretch", theme=None)
    cells = [
        f"{value:.2f}" + ("" if pd.isna(low) else f" ({low:.2f} to {high:.2f})") if not pd.isna(value) else "-"
        for value, low, high in zip(rows[name], rows[f"{name}_low"], rows[f"{name}_high"], strict=True)
    ]
    table = rows.assign(cell=cells, of=rows["of"].map(METHODS).fillna("marks")).pivot_table(
        index=["judge", "prompt", "of"], columns="attribute", values="cell", aggfunc="first", sort=False, dropna=False
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        table.dropna(how="all").reset_index().astype(object).fillna("-"),
        hide_index=True,
        column_config={
            "of": st.column_config.TextColumn("rates by", help="Its comparisons, rated this way, or its own marks"),
            "judge": st.column_config.TextColumn(width=WIDEST),
            **dict.fromkeys(table.columns, right),
        },
    )
    few, most_of = int(rows["n"].min()), int(rows["n"].max())
    counted = f"{few:,}" if few == most_of else f"{few:,} to {most_of:,}"
    small(f"{'Pairs of texts of' if share else 'Correlated over'} {counted} {OF[result.facts['level']]}.")
    undefined = result.rows[result.rows["undefined_items"] > 0]
    if result.facts["level"] == "item" and len(undefined):
        most = undefined.loc[undefined["undefined_items"].idxmax()]
        small(
            f"Items on which one of the two has no variation cannot be correlated and are left out: up to "
            f"{most['undefined_items']:,} of {most['undefined_items'] + most['items']:,} ({most['judge']}, {most['attribute']})."
        )
    if share:
        small("Of pairs of texts whose scores differ; an equal rating is half right.")


def _chart(rows: pd.DataFrame, name: str, title: str, look: str) -> alt.LayerChart:
    share = name == "pair_accuracy"
    rows = rows.sort_values(name, ascending=False)
    return trust_charts.dots(
        rows, title, value=name, low=f"{name}_low", high=f"{name}_high", n="n",
        domain=(0, 1) if share else None, form=".0%" if share else ".2f", reference=0.5 if share else 0.0, theme=look,
    )  # fmt: skip


def means(result: Result) -> None:
    """The means over a model's prompts."""
    rows = result.tables["averages"]
    if rows.empty:
        return
    names = result.rows.drop_duplicates("model").set_index("model")["judge"].str.partition("|")[0]
    rows = rows.assign(model=rows["model"].map(names))  # as in its judges' names: a folder's path says nothing
    st.subheader("Means over a model's prompts", anchor=False)
    small("Means of the correlations, not correlations of means.")
    number = st.column_config.NumberColumn
    figures = {**COEFFICIENTS, "pair_accuracy": "pairs ordered alike"}
    st.dataframe(
        rows.assign(of=rows["of"].map(METHODS).fillna("marks")),
        hide_index=True,
        column_config={
            "of": "rates by",
            "prompts": number("judges", help="Prompts and ways to answer of this model that the mean is of"),
            **{name: number(title, format="%.2f") for name, title in figures.items()},
        },
    )
    downloads("correlation-means", {"means": rows}, None)


def rights(study: Study, chosen: Chosen) -> None:
    """How often single judgements are right about pairs whose scores differ."""
    st.subheader(
        "Single judgements",
        anchor=False,
        help="Answers about pairs whose scores differ: the text with the higher score is right.",
    )
    try:
        result = _right(study.store.path, _stamp(study.store, study.dataset), chosen)
    except TandemError as error:
        small(f"How often a judge's single answers are right cannot be told: {error}.")
        return
    rows = labelled(result.rows).assign(n=result.rows["comparisons"])
    drawn = partial(
        trust_charts.dots,
        rows,
        "right answers (a tie is half)",
        value="accuracy",
        low="low",
        high="high",
        n="n",
        reference=0.5,
    )
    st.altair_chart(drawn(theme=theme()), width="stretch", theme=None)
    both = rows[rows["pairs_both_orders"] > 0]
    if len(both):
        best = both.loc[both["accuracy_both_orders"].idxmax()]
        small(
            f"Right in both orders: {best['label']} on {best['right_both_orders']:,} of {best['pairs_both_orders']:,} pairs "
            f"({best['accuracy_both_orders']:.0%}), the most of all."
        )
    foot(result, f"Intervals: {WILSON}.")
    downloads("accuracy", {"accuracy": result.rows}, drawn())


@st.cache_data(max_entries=32, show_spinner="Counting right answers …")
def _right(path: Path, stamp: str, chosen: Chosen) -> Result:
    with Store(path) as store:
        return accuracy.accuracy(
            store, chosen.selection, against="scores", rater=chosen.against, debias=chosen.settings.debias
        )


def evidence(result: Result) -> None:
    """Notes, signature and files."""
    foot(result, INTERVALS)
    rows = labelled(result.rows)
    chart = _chart(rows, "spearman", "Spearman", "light") if rows["spearman"].notna().any() else None
    downloads("correlation", {"correlation": result.rows}, chart)
