"""Parts of the bias page."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.trust import bias
from core.charts import trust
from core.store import Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, small
from pages.components.shared.report import (
    WIDE,
    WIDEST,
    WILSON,
    beyond,
    downloads,
    foot,
    labelled,
    percent,
)
from pages.components.shared.style import theme

INTERVALS = (
    f"Intervals: of p(first) Wilson's, every judgement for itself; of other shares {WILSON}; "
    "of odds cluster-robust over items."
)
P_FIRST = """p(first): of the decisive answers, the share for the text shown first. Without an
effect of the place it is one
half, when each text is first as often as second."""
SWAP = """**Swap**: a pair asked in both orders counts once, as the mean of both. **Threshold**: a
judge's probabilities are moved
so that both places win equally often (Liusie et al. 2024, eq. 8-10)."""
SIDES = """**Points**: the share of its comparisons a system wins, a tie counting half.
**Probability**: the mean probability
the judge gives it. Each with its 95% interval. A system as good as the others gets half; what it
gets more when it is
shown first is the place's doing, if it meets the same texts there."""
SIDES_OF = {
    "points": ("points", "points_low", "points_high"),
    "prob": ("probability", "prob_low", "prob_high"),
}
CALLED = {
    "judge": "judge", "attribute": "attribute", "comparisons": "judgements",
    "unanswered": "unanswered",
    "p_first": "p(first)", "low": "95% from", "high": "to", "tie_rate": "ties",
    "pairs_both_orders": "pairs in both orders",
    "consistent_both_orders": "same verdict", "mean_prob_first": "mean probability",
}  # fmt: skip
HELP = {
    "p_first": P_FIRST,
    "tie_rate": "The share of answers that prefer neither text",
    "pairs_both_orders": "Pairs of texts that were asked once in each order, and answered",
    "consistent_both_orders": "On how many of these the verdict was the same in both orders",
    "mean_prob_first": "What the judge gives the text shown first, on average",
}
SHARES = ("p_first", "low", "high", "tie_rate", "mean_prob_first")


def counted(study: Study, selection: Selection) -> Result:
    """Bias of every judge, counted anew only when a judgement has been added or withdrawn."""
    return _counted(
        study.store.path, study.store.judgement_frames.stamp(selection.dataset), selection
    )


@st.cache_data(max_entries=32, show_spinner="Counting which place was preferred …")
def _counted(path: Path, stamp: str, selection: Selection) -> Result:
    with Store(path) as store:
        return bias.bias(store, selection)


def sentence(result: Result) -> str:
    """Who prefers a place, and how much."""
    rows = labelled(result.rows).dropna(subset="p_first")
    if rows.empty:
        if result.judgements == 0 and result.unanswered:
            return (
                f"Nothing has been answered yet: all {sum(result.unanswered.values()):,} "
                "answers failed."
            )
        if result.rows.empty:
            return (
                "Nobody recorded which text was shown first, so the effect of its place "
                "cannot be told."
            )
        return "Every answer so far is a tie, or none: no place has been preferred yet."
    sure = rows[(rows["low"] > 0.5) | (rows["high"] < 0.5)]
    if sure.empty:
        which = "this judge prefers" if len(rows) == 1 else f"any of {len(rows)} judges prefers"
        row = rows.iloc[0]
        only = f": {_said(row)}" if len(rows) == 1 else ""
        return f"There is no sign that {which} a place{only}."
    row = sure.loc[(sure["p_first"] - 0.5).abs().idxmax()]
    many = (
        ""
        if len(rows) == 1
        else f"{len(sure)} of {_counted_rows(rows)} prefer a place; the strongest: "
        if len(sure) > 1
        else ""
    )
    swapped = row["pairs_both_orders"]
    undo = (
        f" Asked in both orders, it kept to its verdict on {row['consistent_both_orders']:,} of "
        f"{swapped:,} pairs."
        if swapped
        else " No pair was asked in both orders, so the texts that stood there may also have "
        "been better."
    )
    return f"{many}{_said(row)}.{undo}"


def _counted_rows(rows: pd.DataFrame) -> str:
    judges = rows["judge"].nunique()
    return f"{judges} judges" if judges == len(rows) else f"{len(rows)} judges and attributes"


def _said(row: pd.Series) -> str:
    decisive = round(row["comparisons"] * (1 - row["tie_rate"]))
    first = round(row["p_first"] * decisive)
    chose = f"{row['label']} chose the first text in {first:,} of {decisive:,} decisive answers"
    return f"{chose}, {percent(row['p_first'], row['low'], row['high'])}"


def place_chart(rows: pd.DataFrame, look: str) -> alt.LayerChart:
    return trust.dots(
        rows, "decisive answers for the text shown first",
        value="p_first", low="low", high="high", n="comparisons", reference=0.5, theme=look,
    )  # fmt: skip


def places(result: Result) -> None:
    """The share of answers for the first, and the same answer in both orders."""
    rows = labelled(result.rows).sort_values("p_first", ascending=False)
    if rows["p_first"].notna().any():
        st.subheader("The place", anchor=False, help=P_FIRST)
        st.altair_chart(place_chart(rows, theme()), width="stretch", theme=None)
        beyond(rows)
    both = rows[rows["pairs_both_orders"] > 0]
    if len(both):
        st.subheader("The same verdict in both orders", anchor=False)
        both = both.assign(consistent=both["consistent_both_orders"] / both["pairs_both_orders"])
        chart = trust.dots(
            both, "pairs with the same verdict in both orders",
            value="consistent", low="consistent_low", high="consistent_high",
            n="pairs_both_orders", theme=theme(),
        )  # fmt: skip
        st.altair_chart(chart, width="stretch", theme=None)
        in_vain = int(both["both_unanswered"].sum())
        if in_vain:
            small(
                f"{in_vain:,} further pairs were asked in both orders in vain; they are not "
                "among these."
            )


def after(result: Result) -> None:
    """What is left of it after swap and threshold."""
    rows = labelled(result.rows)
    rows = rows[rows["p_first_swap"].notna() | rows["p_first_threshold"].notna()]
    if rows.empty:
        return
    st.subheader("Taken out", anchor=False, help=SWAP)
    small(
        "Both make the two places win equally often; what they do to a judge's accuracy is on "
        "the page Correlation."
    )
    before = ["label", "comparisons", "p_first", "low", "high"]
    now = [
        "p_first_threshold",
        "threshold_low",
        "threshold_high",
        "tau",
        "alpha",
        "pairs_both_orders",
        "p_first_swap",
    ]
    shown = rows[[*before, *now]].dropna(axis=1, how="all")
    number = st.column_config.NumberColumn
    share = {
        "p_first": "p(first) before",
        "low": "95% from",
        "high": "to",
        "p_first_swap": "after swap",
        "p_first_threshold": "after threshold",
        "threshold_low": "95% from",
        "threshold_high": "to",
        "tau": "threshold",
        "alpha": "weight of the first",
    }
    helps = {
        "p_first_swap": "Of the pairs in both orders. Always 1/2: each text was as often first "
        "as second.",
        "tau": "The median probability of the first.",
        "alpha": "(1 - threshold) / threshold",
    }
    st.dataframe(
        shown,
        hide_index=True,
        column_config={
            "label": st.column_config.TextColumn("judge", width=WIDEST),
            "comparisons": number("judgements", format="localized"),
            "pairs_both_orders": number("pairs in both orders", format="localized"),
            **{
                name: number(title, format="%.2f", help=helps.get(name))
                for name, title in share.items()
            },
        },
    )


def probabilities(result: Result) -> None:
    """How sure a judge is, for judges that give probabilities."""
    rows = result.tables["distribution"]
    if rows.empty:
        return
    st.subheader("How sure a judge is", anchor=False)
    parts = labelled(rows)
    names = list(dict.fromkeys(parts["label"]))
    name = (
        names[0]
        if len(names) == 1
        else st.selectbox("Judge", names, key="distribution", width=2 * WIDE)
    )
    st.altair_chart(
        trust.histogram(parts[parts["label"] == name], theme=theme()), width="stretch", theme=None
    )


def sides(result: Result) -> None:
    """What a judge gives each system when it is shown first, and when second."""
    rows = labelled(result.tables["places"])
    if rows.empty:
        return
    st.subheader("Each system in either place", anchor=False, help=SIDES)
    p_first = labelled(result.rows).set_index("label")["p_first"]
    names = sorted(set(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5))
    name = (
        names[0] if len(names) == 1 else st.selectbox("Judge", names, key="sides", width=2 * WIDE)
    )
    of_judge = rows[rows["label"] == name].set_index(["system", "place"])
    shown = pd.DataFrame(index=of_judge.index.unique("system"))
    for value, (title, low, high) in SIDES_OF.items():
        if of_judge[value].isna().all():
            continue
        cells = [
            "-"
            if pd.isna(mean)
            else f"{mean:.0%} ({100 * least:.0f} to {100 * most:.0f})"
            if least < most
            else f"{mean:.0%}"
            for mean, least, most in of_judge[[value, low, high]].itertuples(index=False)
        ]
        given = (
            of_judge.assign(cell=cells)["cell"]
            .unstack("place")
            .reindex(columns=["first", "second"])
            .fillna("-")
        )
        shown = shown.assign(**{f"{title} when {place}": given[place] for place in given})
    means = of_judge["points"].unstack("place").reindex(columns=["first", "second"])
    shown.insert(2, "gain", 100 * (means["first"] - means["second"]))
    shown["answers"] = of_judge.groupby("system")["comparisons"].sum()
    number = st.column_config.NumberColumn
    st.dataframe(
        shown.loc[means.mean(axis=1).sort_values(ascending=False).index].reset_index(),
        hide_index=True,
        column_config={
            **dict.fromkeys(shown.columns, st.column_config.TextColumn(alignment="right")),
            "gain": number(
                "gain by being first",
                format="%+.0f",
                help="Points when first less points when second, in percent",
            ),
            "answers": number(format="localized"),
        },
    )


def lengths(result: Result) -> None:
    """Whether the longer text wins."""
    rows = labelled(result.tables["lengths"])
    if rows.empty:
        return
    st.subheader(
        "The length",
        anchor=False,
        help="Logistic fit of the answer on log2 of the ratio of lengths in characters, with "
        "the place taken into account.",
    )
    kinds = result.rows.drop_duplicates("judge").set_index("judge")["kind"]
    rows = rows.assign(kind=rows["judge"].map(kinds))
    always = rows[rows["odds"].isna() | ~rows["odds"].between(1e-6, 1e6)]
    fitted = rows.drop(always.index)
    sure = fitted[(fitted["low"] > 1) | (fitted["high"] < 1)]
    if len(sure):
        row = sure.loc[(sure["odds"].map(lambda odds: max(odds, 1 / odds))).idxmax()]
        way = "up" if row["odds"] > 1 else "down"
        times = row["odds"] if row["odds"] > 1 else 1 / row["odds"]
        most = ", the most of all" if len(fitted) > 1 else ""
        lead(
            f"Being twice as long puts the odds of a text {way} {times:.1f} times with "
            f"{row['label']}{most}."
        )
    elif len(fitted):
        lead("No judge's answers go with the length of the texts, as far as these judgements tell.")
    if not len(fitted) and not always["longer"].isin((0.0, 1.0)).any():
        small(
            "What length does cannot be told here: the answers go with it without exception, or "
            "the texts are as long."
        )
    for row in always[always["longer"].isin((0.0, 1.0))].itertuples():
        small(
            f"{row.label} always took the {'longer' if row.longer == 1 else 'shorter'} of two "
            f"texts ({row.comparisons:,})."
        )
    if len(fitted):
        fitted = fitted.sort_values("odds", ascending=False)
        chart = trust.dots(
            fitted, "odds of a text twice as long (1 = no effect)",
            value="odds", low="low", high="high", n="comparisons", domain=None, form=".2~r",
            reference=1.0, log=True,
            theme=theme(),
        )  # fmt: skip
        st.altair_chart(chart, width="stretch", theme=None)


def ties(result: Result) -> None:
    """How often a judge prefers neither."""
    rows = labelled(result.rows).dropna(subset="tie_rate")
    if rows.empty or not rows["tie_rate"].any():
        return
    st.subheader("Ties", anchor=False)
    rows = rows.sort_values("tie_rate", ascending=False)
    chart = trust.dots(
        rows,
        "answers that prefer neither",
        value="tie_rate",
        low="tie_low",
        high="tie_high",
        n="comparisons",
        theme=theme(),
    )
    st.altair_chart(chart, width="stretch", theme=None)


def own(result: Result) -> None:
    """Whether a judge that is one of the systems prefers itself."""
    for row in result.tables["own"].itertuples():
        st.subheader("Its own texts", anchor=False)
        apart = (
            ""
            if pd.isna(row.low)
            else f" (95% interval of the difference {100 * row.low:+.0f} to {100 * row.high:+.0f})"
        )
        others = (
            f", the other judges {row.others:.0%} on the same {row.pairs:,} pairs{apart}"
            if row.pairs
            else "; nobody else has judged these pairs"
        )
        lead(f"{row.judge} gives its own texts ({row.system}) {row.own:.0%} of the points{others}.")


def evidence(result: Result) -> None:
    """The table, notes, signature and files."""
    rows = result.rows
    if len(rows):
        st.subheader("As a table", anchor=False)
        number = st.column_config.NumberColumn
        told = [name for name in CALLED if name != "attribute" or rows["attribute"].nunique() > 1]
        shown = rows[told].dropna(axis=1, how="all")
        st.dataframe(
            shown,
            hide_index=True,
            column_config={
                name: number(
                    title, help=HELP.get(name), format="%.2f" if name in SHARES else "localized"
                )
                if pd.api.types.is_numeric_dtype(rows[name])
                else st.column_config.TextColumn(title, width=WIDEST if name == "judge" else None)
                for name, title in CALLED.items()
            },
        )
    foot(result, INTERVALS)
    chart = place_chart(labelled(rows), "light") if rows["p_first"].notna().any() else None
    downloads(
        "bias",
        {"place": rows, "systems": result.tables["places"], "length": result.tables["lengths"]},
        chart,
    )
