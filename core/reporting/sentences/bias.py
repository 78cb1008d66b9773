"""What the Bias page says of position and length: how many judges, and whose answers most."""

from __future__ import annotations

import pandas as pd

from core.analysis.judgements import Result, minimum
from core.charts import labelled
from core.labels import percent, several
from core.reporting.sentences.judges import greatest, whose

CLAIM = "position bias is named"


def position(result: Result) -> str:
    """How many judges show position bias, and the one that shows most."""
    rows = labelled(result.rows).dropna(subset="p_first")
    if rows.empty:
        return _nothing(result)
    told = rows[_enough(rows)]
    if told.empty:
        row = greatest(rows, rows["decisive"])
        counts = minimum.answers(int(row["decisive"])), minimum.items(int(row["items"]))
        return f"{_chose(row)}. {minimum.still_needed(CLAIM, *counts)}"
    sure = told[(told["low"] > 0.5) | (told["high"] < 0.5)]
    row = (told if sure.empty else sure).pipe(_farthest)
    said = [_count(told, sure), f"{_chose(row)}.", _both(row) if len(sure) else ""]
    few = rows["judge"].nunique() - told["judge"].nunique()
    said.append(f"Of {several(few, 'more judge')} there are too few answers to tell." * bool(few))
    return " ".join(filter(None, said))


def _nothing(result: Result) -> str:
    if result.judgements == 0 and result.unanswered:
        failed = sum(result.unanswered.values())
        return f"No answers yet: all {failed:,} attempts failed."
    if result.rows.empty:
        return "Position bias is unknown: nobody recorded which text was shown first."
    return "Position bias is unknown: there are no decisive answers yet, only ties."


def _enough(rows: pd.DataFrame) -> pd.Series:
    return pd.Series(
        [
            minimum.enough(minimum.answers(int(answers)), minimum.items(int(items)))
            for answers, items in zip(rows["decisive"], rows["items"], strict=True)
        ],
        index=rows.index,
        dtype=bool,
    )


def _farthest(rows: pd.DataFrame) -> pd.Series:
    return greatest(rows, (rows["p_first"] - 0.5).abs())


def _count(told: pd.DataFrame, sure: pd.DataFrame) -> str:
    """Judges are counted, not what they were asked about."""
    judges, biased = told["judge"].nunique(), sure["judge"].nunique()
    if judges == 1:
        return "" if biased else "There is no evidence of position bias:"
    attributes = told["attribute"].nunique()
    where = " on some attribute" if attributes > 1 and biased else ""
    if not biased:
        return f"There is no evidence of position bias in {judges} judges. Farthest from one half:"
    shows = "show" if biased > 1 else "shows"
    most = "The strongest:" if biased > 1 or attributes > 1 else ""
    return f"{biased} of {judges} judges {shows} position bias{where}. {most}".strip()


def _chose(row: pd.Series) -> str:
    """How often a judge chose the text shown first, in words."""
    decisive = int(row["decisive"])
    first = round(row["p_first"] * decisive)
    chose = f"{whose(row)} chose the first text in {first:,} of {decisive:,} decisive answers"
    return f"{chose}, {percent(row['p_first'], row['low'], row['high'])}"


def _both(row: pd.Series) -> str:
    pairs = row["pairs_both_orders"]
    if not pairs:
        return "No pair was asked in both orders, so the texts shown first may simply be better."
    same = f"the same verdict on {row['consistent_both_orders']:,} of {several(pairs, 'pair')}"
    return f"Asked in both orders, it gave {same}."


def length(rows: pd.DataFrame) -> list[str]:
    """Whether the longer text wins, from labelled `lengths`: first who always takes it, since
    nothing finite is more, then whom it sways most.
    """
    always = rows[rows["always"] != ""]
    fitted = rows[rows["odds"].notna() & _enough(rows)]
    sure = fitted[(fitted["low"] > 1) | (fitted["high"] < 1)]
    said = _always(always)
    others = "Of the other judges, for " if said else "For "
    if len(sure):
        row = greatest(sure, sure["odds"].map(lambda odds: max(odds, 1 / odds)))
        most = ", the strongest effect" if len(fitted) > 1 else ""
        interval = f"95% interval {_times(row['low'])} to {_times(row['high'])}"
        said.append(
            f"{others}{whose(row)}, a text twice as long has {_times(row['odds'])} times the odds "
            f"of winning ({interval}, {several(int(row['decisive']), 'answer')}){most}."
        )
    elif len(fitted):
        judges = several(fitted["judge"].nunique(), "other judge" if said else "judge")
        said.append(f"There is no evidence that length affects the answers of {judges}.")
    elif len(rows) > len(always):
        row = rows[rows["always"] == ""].sort_values("decisive").iloc[-1]
        counts = minimum.answers(int(row["decisive"])), minimum.items(int(row["items"]))
        said.append(
            minimum.still_needed("an effect of length is named", *counts)
            or "The effect of length cannot be estimated: position and length predict every answer."
        )
    return said


def _always(rows: pd.DataFrame) -> list[str]:
    """A sentence for each judge and side, over the attributes on which it always took that."""
    parts = rows.groupby(["judge", "always"], sort=False)
    return [
        f"{judge} always took the {side} text: in {int(of['decisive'].sum()):,} of "
        f"{several(int(of['decisive'].sum()), 'answer')}{_on(of)}."
        for (judge, side), of in parts
        if minimum.of_each(int(of["decisive"].sum())).enough
    ]


def _on(of: pd.DataFrame) -> str:
    """On which attributes, where rows are labelled with them."""
    plain = (of["label"] == of["judge"]).all()
    return "" if plain else f" on {', '.join(of['attribute'])}"


def _times(odds: float) -> str:
    return f"{odds:,.0f}" if odds >= 100 else f"{odds:.3g}"
