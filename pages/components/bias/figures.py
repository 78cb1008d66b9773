"""The figures of the bias page: position, length, ties, and a judge's own texts."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.analysis.trust import bias
from core.charts import Drawing, Estimate, Scale, labelled, trust
from core.labels import INTERVALS, WILSON
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, several, small
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import (
    WIDEST,
    beyond,
    foot,
    percent,
    show_compared,
    whose,
)

P_FIRST = """p(first): the share of decisive answers that chose the text shown first. Without
position bias it is one half, if each text is first as often as second."""
CORRECTIONS = """**Swap**: a pair asked in both orders counts once, as the mean of both.
**Threshold**: a judge's probabilities are shifted until both positions win equally often
(Liusie et al. 2024, eq. 8-10)."""
IN_FULL = f"95% intervals: {WILSON}; for odds cluster-robust over items."
CONFIDENCE = "How the judge's probabilities are distributed: near 0 and 1 it is confident."
POSITIONS = """**Points**: the share of its comparisons a system wins, a tie counting half.
**Probability**: the mean probability the judge gives it. Each has a 95% interval. An average
system gets half. If it meets the same texts in both positions, the gain is position bias."""
POSITION_FIGURES = {
    "points": ("points", "points_low", "points_high"),
    "prob": ("probability", "prob_low", "prob_high"),
}
COLUMNS = {
    "judge": "judge", "attribute": "attribute", "comparisons": "judgements",
    "unanswered": "unanswered",
    "p_first": "p(first)", "low": "95% low", "high": "95% high", "tie_rate": "ties",
    "pairs_both_orders": "pairs in both orders",
    "consistent_both_orders": "consistent", "mean_prob_first": "mean probability",
}  # fmt: skip
HELP = {
    "p_first": P_FIRST,
    "tie_rate": "The share of answers that prefer neither text",
    "pairs_both_orders": "Pairs answered once in each order",
    "consistent_both_orders": "How many of these got the same verdict in both orders",
    "mean_prob_first": "The mean probability the judge gives the text shown first",
}
SHARES = ("p_first", "low", "high", "tie_rate", "mean_prob_first")


def compute(study: Study, selection: Selection) -> Result:
    """Bias of every judge, computed anew only when a judgement has been added or withdrawn."""
    return _bias(study.store, selection, study.judgements_stamp)


@cached_report("Measuring bias …")
def _bias(store: Store, selection: Selection) -> Result:
    return bias.bias(store, selection)


def sentence(result: Result) -> str:
    """Whose answers depend on position, and how much."""
    rows = labelled(result.rows).dropna(subset="p_first")
    if rows.empty:
        if result.judgements == 0 and result.unanswered:
            failed = sum(result.unanswered.values())
            return f"No answers yet: all {failed:,} attempts failed."
        if result.rows.empty:
            return "Position bias is unknown: nobody recorded which text was shown first."
        return "Position bias is unknown: there are no decisive answers yet, only ties."
    sure = rows[(rows["low"] > 0.5) | (rows["high"] < 0.5)]
    if sure.empty:
        if len(rows) > 1:
            judges = several(rows["judge"].nunique(), "judge")
            return f"There is no evidence of position bias in {judges}."
        return f"There is no evidence of position bias: {_position(rows.iloc[0])}."
    row = sure.loc[(sure["p_first"] - 0.5).abs().idxmax()]
    many = (
        f"{len(sure)} of {_number(rows)} show position bias. The strongest: "
        if len(sure) > 1
        else ""
    )
    swapped = row["pairs_both_orders"]
    both = (
        f" Asked in both orders, it gave the same verdict on {row['consistent_both_orders']:,} of "
        f"{swapped:,} pairs."
        if swapped
        else " No pair was asked in both orders, so the texts shown first may simply be better."
    )
    return f"{many}{_position(row)}.{both}"


def _number(rows: pd.DataFrame) -> str:
    judges = rows["judge"].nunique()
    return (
        f"{judges} judges"
        if judges == len(rows)
        else f"{len(rows)} combinations of judge and attribute"
    )


def _position(row: pd.Series) -> str:
    """How often a judge chose the text shown first, in words."""
    decisive = round(row["comparisons"] * (1 - row["tie_rate"]))
    first = round(row["p_first"] * decisive)
    chose = f"{whose(row)} chose the first text in {first:,} of {decisive:,} decisive answers"
    return f"{chose}, {percent(row['p_first'], row['low'], row['high'])}"


def show_position(result: Result) -> None:
    """The share of answers for the first text, and consistency between orders."""
    rows = labelled(result.rows).sort_values("p_first", ascending=False)
    if rows["p_first"].notna().any():
        st.header("Position", anchor=False, help=P_FIRST)
        drawn = partial(
            trust.dots, rows, "decisive answers for the text shown first",
            Estimate("p_first", "low", "high", "comparisons"), Scale(reference=0.5),
        )  # fmt: skip
        above = caption(result, "How often each judge chose the first text", INTERVALS["share"])
        show_picture("bias-position", Drawing(drawn, above), rows)
        beyond(rows)
        _compare(result, "p_first", "chooses the first text")
    both = rows[rows["pairs_both_orders"] > 0]
    if len(both):
        st.header("Consistency between orders", anchor=False)
        both = both.assign(consistent=both["consistent_both_orders"] / both["pairs_both_orders"])
        drawn = partial(
            trust.dots, both, "pairs with the same verdict in both orders",
            Estimate.of("consistent", "pairs_both_orders"),
        )  # fmt: skip
        pairs = several(int(both["pairs_both_orders"].sum()), "pair") + " asked in both orders"
        title = "How often each judge says the same in both orders"
        above = caption(result, title, INTERVALS["share"], pairs)
        show_picture("bias-consistency", Drawing(drawn, above), both)
        unanswered = int(both["both_unanswered"].sum())
        if unanswered:
            small(f"Without {unanswered:,} pairs asked in both orders but not answered in both.")


def _compare(result: Result, of: str, does: str) -> None:
    """The most biased judge beside the one closest to it, on what both decided."""
    differences = result.tables["differences"]
    show_compared(differences[differences["of"] == of], does)


def show_corrections(result: Result) -> None:
    """Position bias after swap and threshold."""
    rows = labelled(result.rows)
    rows = rows[rows["p_first_swap"].notna() | rows["p_first_threshold"].notna()]
    if rows.empty:
        return
    st.header("After correction", anchor=False, help=CORRECTIONS)
    small(
        "Both corrections make the two positions win equally often. The Correlation page shows "
        "what they do to accuracy."
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
    titles = {
        "p_first": "p(first) before",
        "low": "95% low",
        "high": "95% high",
        "p_first_swap": "after swap",
        "p_first_threshold": "after threshold",
        "threshold_low": "95% low",
        "threshold_high": "95% high",
        "tau": "threshold",
        "alpha": "weight of first",
    }
    helps = {
        "p_first_swap": "For pairs in both orders. Always 1/2: each text is first once.",
        "tau": "The median probability of the first text",
        "alpha": "(1 - threshold) / threshold",
    }
    # As text: an empty number would be shown as "None".
    cells = {name: shown[name].map(_two_digits) for name in titles if name in shown}
    st.dataframe(
        shown.assign(**cells),
        hide_index=True,
        column_config={
            "label": st.column_config.TextColumn("judge", width=WIDEST),
            "comparisons": number("judgements", format="localized"),
            "pairs_both_orders": number("pairs in both orders", format="localized"),
            **{
                name: st.column_config.TextColumn(title, help=helps.get(name), alignment="right")
                for name, title in titles.items()
            },
        },
    )


def _two_digits(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def show_probabilities(result: Result) -> None:
    """How sure a judge is, for judges that give probabilities."""
    rows = result.tables["distribution"]
    if rows.empty:
        return
    st.header("Confidence", anchor=False, help=CONFIDENCE)
    parts = labelled(rows)
    names = list(dict.fromkeys(parts["label"]))
    name = (
        names[0]
        if len(names) == 1
        else st.selectbox("Judge", names, key="distribution", width=2 * WIDE)
    )
    bins = parts[parts["label"] == name]
    number = several(int(bins["judgements"].sum()), "judgement")
    above = caption(result, f"How sure {name} is", "", number)
    show_picture("bias-confidence", Drawing(partial(trust.histogram, bins), above), bins)


def show_systems(result: Result) -> None:
    """What a judge gives each system when it is shown first and when second."""
    rows = labelled(result.tables["places"])
    if rows.empty:
        return
    st.header("Each system by position", anchor=False, help=POSITIONS)
    p_first = labelled(result.rows).set_index("label")["p_first"]
    names = sorted(set(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5))
    name = (
        names[0] if len(names) == 1 else st.selectbox("Judge", names, key="sides", width=2 * WIDE)
    )
    of_judge = rows[rows["label"] == name].set_index(["system", "place"])
    shown = pd.DataFrame(index=of_judge.index.unique("system"))
    for value, (title, low, high) in POSITION_FIGURES.items():
        if of_judge[value].isna().all():
            continue
        cells = [
            "–"
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
            .fillna("–")
        )
        shown = shown.assign(**{f"{title} when {place}": given[place] for place in given})
    means = of_judge["points"].unstack("place").reindex(columns=["first", "second"])
    gain = 100 * (means["first"] - means["second"]).round(2) + 0.0  # never -0
    shown.insert(2, "gain", gain.map(lambda value: "–" if pd.isna(value) else f"{value:+.0f}"))
    shown["answers"] = of_judge.groupby("system")["comparisons"].sum()
    number = st.column_config.NumberColumn
    st.dataframe(
        shown.loc[means.mean(axis=1).sort_values(ascending=False).index].reset_index(),
        hide_index=True,
        column_config={
            **dict.fromkeys(shown.columns, st.column_config.TextColumn(alignment="right")),
            "gain": st.column_config.TextColumn(
                "gain from being first",
                alignment="right",
                help="Points when first minus points when second, in percentage points",
            ),
            "answers": number(format="localized"),
        },
    )


def show_length(result: Result) -> None:
    """Whether the longer text wins."""
    rows = labelled(result.tables["lengths"])
    if rows.empty:
        return
    st.header(
        "Length",
        anchor=False,
        help="Logistic regression of the answer on log2 of the length ratio in characters, "
        "controlling for position.",
    )
    kinds = result.rows.drop_duplicates("judge").set_index("judge")["kind"]
    rows = rows.assign(kind=rows["judge"].map(kinds))
    always = rows[rows["odds"].isna() | ~rows["odds"].between(1e-6, 1e6)]
    fitted = rows.drop(always.index)
    sure = fitted[(fitted["low"] > 1) | (fitted["high"] < 1)]
    if len(sure):
        row = sure.loc[(sure["odds"].map(lambda odds: max(odds, 1 / odds))).idxmax()]
        times = f"{row['odds']:,.1f}" if row["odds"] > 1 else f"{row['odds']:.2g}"
        most = ", the strongest effect" if len(fitted) > 1 else ""
        lead(f"For {whose(row)}, a text twice as long has {times} times the odds of winning{most}.")
    elif len(fitted):
        lead("There is no evidence that the length of a text affects any judge's answers.")
    if not len(fitted) and not always["longer"].isin((0.0, 1.0)).any():
        small(
            "The effect of length cannot be estimated: the texts are equally long, or length "
            "predicts every answer."
        )
    for _, row in always[always["longer"].isin((0.0, 1.0))].iterrows():
        small(
            f"{whose(row)} always chose the {'longer' if row['longer'] == 1 else 'shorter'} text "
            f"({several(row['comparisons'], 'answer')})."
        )
    if len(fitted):
        fitted = fitted.sort_values("odds", ascending=False)
        drawn = partial(
            trust.dots, fitted, "odds ratio of a text twice as long (1 = no effect)",
            Estimate("odds", "low", "high", "comparisons"),
            Scale(None, ".2~r", reference=1.0, log=True),
        )  # fmt: skip
        number = several(int(fitted["comparisons"].sum()), "judgement")
        above = caption(result, "How much longer texts win", INTERVALS["odds"], number)
        show_picture("bias-length", Drawing(drawn, above), fitted)
    _compare(result, "longer", "chooses the longer text")


def show_ties(result: Result) -> None:
    """How often a judge prefers neither."""
    rows = labelled(result.rows).dropna(subset="tie_rate")
    if rows.empty or not rows["tie_rate"].any():
        return
    st.header("Ties", anchor=False)
    rows = rows.sort_values("tie_rate", ascending=False)
    drawn = partial(
        trust.dots,
        rows,
        "answers that prefer neither text",
        Estimate("tie_rate", "tie_low", "tie_high", "comparisons"),
    )
    above = caption(result, "How often each judge prefers neither text", INTERVALS["share"])
    show_picture("bias-ties", Drawing(drawn, above), rows)


def show_self_preference(result: Result) -> None:
    """Whether a judge that is one of the systems prefers itself."""
    for row in result.tables["own"].itertuples():
        st.header("Self-preference", anchor=False)
        interval = (
            ""
            if pd.isna(row.low)
            else f" (95% interval of the difference {100 * row.low:+.0f} to {100 * row.high:+.0f})"
        )
        others = (
            f" On the same {several(row.pairs, 'pair')}, the other judges give them "
            f"{row.others:.0%}{interval}."
            if row.pairs
            else " Nobody else has judged these pairs."
        )
        lead(f"{row.judge} gives its own texts ({row.system}) {row.own:.0%} of the points.{others}")


def show_evidence(result: Result) -> None:
    """The table, notes, signature and files."""
    rows = result.rows
    if len(rows):
        st.header("As a table", anchor=False)
        number = st.column_config.NumberColumn
        told = [name for name in COLUMNS if name != "attribute" or rows["attribute"].nunique() > 1]
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
                for name, title in COLUMNS.items()
            },
        )
    foot(result, IN_FULL)
    downloads(
        "bias-tables",
        {
            "position": rows,
            "systems": result.tables["places"],
            "length": result.tables["lengths"],
            "differences": result.tables["differences"],
        },
    )
