"""The tables of the bias page: each system by position, what is left after correction, and all
figures.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, label_rows
from core.labels import WILSON
from pages.components.bias.figures import P_FIRST, of_judges
from pages.components.shared.cells import shares
from pages.components.shared.downloads import downloads
from pages.components.shared.filters import WIDE
from pages.components.shared.notice import small
from pages.components.shared.report import foot
from pages.components.shared.tables import COUNT, RIGHT, Column, show_table

IN_FULL = f"95% intervals: {WILSON}; for odds cluster-robust over items."
CORRECTIONS = """**Swap**: a pair asked in both orders counts once, as the mean of both.
**Threshold**: a judge's probabilities are shifted until both positions win equally often
(Liusie et al. 2024, eq. 8-10)."""
POSITIONS = """Points: the share of its comparisons a system wins, a tie counting half.
Probability: the mean probability the judge gives it. Each has a 95% interval. An average
system gets half. If it meets the same texts in both positions, the gain is position bias."""
GAIN = "Points when first minus points when second, in percentage points"
SHARES: dict[str, tuple[str, str, str, str]] = {
    "points": ("points", "points", "points_low", "points_high"),
    "probability": ("probability", "prob", "prob_low", "prob_high"),
}
FIGURES = {
    "chose the first": ("p_first", "low", "high", P_FIRST),
    "same in both orders": (
        "consistent", "consistent_low", "consistent_high",
        "Of the pairs answered in both orders, those with the same verdict",
    ),
    "ties": ("tie_rate", "tie_low", "tie_high", "The share of answers that prefer neither text"),
    "mean probability": (
        "mean_prob_first", "prob_low", "prob_high",
        "The mean probability the judge gives the text shown first",
    ),
    "chose the longer": (
        "longer", "longer_low", "longer_high", "Of decisive answers about texts of two lengths",
    ),
}  # fmt: skip
AFTER = {
    "before": ("p_first", "low", "high", P_FIRST),
    "after threshold": (
        "p_first_threshold", "threshold_low", "threshold_high",
        "By probabilities above the threshold. One half but for ties",
    ),
    "threshold": ("tau", "tau_low", "tau_high", "The median probability of the first text"),
    "after swap": (
        "p_first_swap", "", "",
        "For pairs in both orders. Always one half: each text is first once.",
    ),
}  # fmt: skip


def _figures(rows: pd.DataFrame, figures: dict[str, Any]) -> pd.DataFrame:
    """Those of the figures of which any row has a value, as text under their titles."""
    return pd.DataFrame(
        {
            title: shares(rows, *of[:3])
            for title, of in figures.items()
            if of[0] in rows and rows[of[0]].notna().any()
        }
    )


def _columns(shown: pd.DataFrame, figures: dict[str, Any]) -> dict[str, Column]:
    helps = {title: of[3] for title, of in figures.items()}
    forms = {"judge": "", "attribute": "", "answers": COUNT, "unanswered": COUNT}
    return {
        str(name): Column(str(name), forms.get(str(name), RIGHT), helps.get(str(name), ""))
        for name in shown
    }


def show_corrections(result: Finding, judges: list[str]) -> None:
    """Position bias after swap and threshold."""
    rows = of_judges(result.rows, judges)
    rows = rows[rows["p_first_swap"].notna() | rows["p_first_threshold"].notna()]
    if rows.empty:
        return
    with st.expander("After correction"):
        small(
            "Both corrections make the two positions win equally often. The Correlation page shows "
            "what they do to accuracy."
        )
        st.markdown(CORRECTIONS)
        shown = _named(rows).join(_figures(rows, AFTER))
        show_table(shown, _columns(shown, AFTER), "After correction")


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Whose figures these are: the judge, and the attribute where there are several."""
    names = ["judge", "attribute"] if rows["attribute"].nunique() > 1 else ["judge"]
    return rows[names]


def show_systems(result: Finding, judges: list[str]) -> None:
    """What a judge gives each system when it is shown first and when second."""
    rows = of_judges(result.tables["places"], judges)
    if len(rows):
        with st.expander("Each system by position"):
            small(POSITIONS)
            _show_systems(result, rows)


def _show_systems(result: Finding, rows: pd.DataFrame) -> None:
    p_first = label_rows(result.rows).set_index("label")["p_first"]
    names = sorted(set(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5))
    name = (
        names[0] if len(names) == 1 else st.selectbox("Judge", names, key="sides", width=2 * WIDE)
    )
    of_judge = rows[rows["label"] == name].set_index(["system", "place"])
    shown = pd.DataFrame(index=of_judge.index.unique("system"))
    for title, value, low, high in SHARES.values():
        if of_judge[value].isna().all():
            continue
        given = _by_place(shares(of_judge, value, low, high)).fillna("–")
        shown = shown.assign(**{f"{title} when {place}": given[place] for place in given})
    means = _by_place(of_judge["points"])
    gain = 100 * (means["first"] - means["second"]).round(2) + 0.0  # never -0
    shown.insert(2, "gain", gain.map(lambda value: "–" if pd.isna(value) else f"{value:+.0f}"))
    shown["answers"] = of_judge.groupby("system")["comparisons"].sum()
    _show_by_place(shown.loc[means.mean(axis=1).sort_values(ascending=False).index].reset_index())


def _by_place(column: pd.Series) -> pd.DataFrame:
    return column.unstack("place").reindex(columns=["first", "second"])


def _show_by_place(shown: pd.DataFrame) -> None:
    forms = {"system": "", "answers": COUNT}
    columns = {str(name): Column(str(name), forms.get(str(name), RIGHT)) for name in shown}
    columns["gain"] = Column("gain from being first", RIGHT, GAIN)
    show_table(shown, columns, "Each system by position")


def show_evidence(result: Finding, judges: list[str]) -> None:
    """The table, notes, signature and files."""
    rows = of_judges(result.rows, judges)
    if len(rows):
        with st.expander("As a table"):
            rows = rows.assign(
                consistent=rows["consistent_both_orders"] / rows["pairs_both_orders"]
            ).merge(_lengths(result), on=["judge", "attribute"], how="left")
            counts = {"comparisons": "answers", "unanswered": "unanswered"}
            shown = _named(rows).join(rows[list(counts)].rename(columns=counts))
            shown = shown.join(_figures(rows, FIGURES))
            if rows["odds"].ne("").any():
                shown["odds if twice as long"] = rows["odds"]
            show_table(shown, _columns(shown, FIGURES), "Bias of each judge")
    foot(result, IN_FULL)
    tables = {"position": result.rows, "systems": result.tables["places"]}
    tables |= {"length": result.tables["lengths"], "differences": result.tables["differences"]}
    downloads("bias-tables", tables)


def _lengths(result: Finding) -> pd.DataFrame:
    """What length does, with the odds as text: some have no bound."""
    rows = result.tables["lengths"]
    odds = [
        f"always the {row.always}" if row.always
        else f"no bound ({row.unbounded})" if row.unbounded
        else "–" if pd.isna(row.odds)
        else f"{row.odds:.2g}" if pd.isna(row.low)
        else f"{row.odds:.2g} ({row.low:.2g} to {row.high:.2g})"
        for row in rows.itertuples()
    ]  # fmt: skip
    kept = ["judge", "attribute", "longer", "longer_low", "longer_high"]
    return rows[kept].assign(odds=pd.Series(odds, index=rows.index, dtype=object))
