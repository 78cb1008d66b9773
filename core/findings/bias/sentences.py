"""Sentences about bias: position, length, cyclic triples, and self-preference."""

from __future__ import annotations

import pandas as pd

from ...labels import percent, pluralize
from ...statistics import intervals
from ..judgements import minimum
from ..judgements.finding import Finding
from ..judgements.judges import find_greatest, find_most_extreme, label_rows, name_judge

CLAIM = "position bias is named"
CHANCE = "Among so many, one may be as far from one half by chance."
TRIPLES_CLAIM = "contradictions among three texts are counted"
ONE_ORDER = "Each two systems were always shown in the same order."
UNTOLD = f"Whether that is position bias is unknown. {ONE_ORDER} Ask some pairs in the other order."


def describe_bias(result: Finding) -> list[str]:
    """Describe the effect of position and length, and the judges that contradict themselves."""
    lengths = result.tables["lengths"]
    said = describe_length(label_rows(lengths)) if len(lengths) else []
    sentences = [describe_position(result), *said, describe_triples(result.tables["triples"])]
    return [one for one in sentences if one]


def describe_position(result: Finding) -> str:
    """Count the judges with position bias, and name the one with the strongest."""
    rows = label_rows(result.rows).dropna(subset="p_first")
    if rows.empty:
        return _explain_no_answers(result)
    enough = rows[_has_enough(rows)]
    if enough.empty:
        row = find_greatest(rows, rows["decisive"])
        return f"{_render_first_choices(row)}. {minimum.describe_shortfall(CLAIM, *_counts(row))}"
    told = enough[~enough["confounded"].astype(bool)]
    if told.empty:
        row = _find_strongest_preference(enough, len(enough))
        return f"{_render_first_choices(row)}. {UNTOLD}"
    sure = told[intervals.holm(told["p"].to_numpy(float)) <= intervals.ALPHA]
    row = _find_strongest_preference(told if sure.empty else sure, len(told))
    by_chance = sure.empty and bool(row["p"] <= intervals.ALPHA)
    said = [_count(told, sure), f"{_render_first_choices(row)}."]
    if len(sure):
        pairs, same = row["pairs_both_orders"], row["consistent_both_orders"]
        said.append(
            f"Asked in both orders, it gave the same verdict on {same:,} of "
            f"{pluralize(pairs, 'pair')}."
            if pairs
            else "No pair was asked in both orders, so the texts shown first may simply be better."
        )
    said += [*result.facts.get("cautions", ()), CHANCE * by_chance]
    few = rows["judge"].nunique() - enough["judge"].nunique()
    said.append(f"{pluralize(few, 'more judge')} gave too few answers to tell." * bool(few))
    mixed = enough["judge"].nunique() - told["judge"].nunique()
    said.append(f"For {pluralize(mixed, 'more judge')}, it is unknown. {ONE_ORDER}" * bool(mixed))
    return " ".join(filter(None, said))


def _explain_no_answers(result: Finding) -> str:
    if result.judgements == 0 and result.unanswered:
        asked = pluralize(sum(result.unanswered.values()), "comparison")
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items())
        return f"No answers yet. Not one of {asked} was answered ({reasons})."
    if result.rows.empty:
        return "Position bias is unknown: nobody recorded which text was shown first."
    return "Position bias is unknown: there are no decisive answers yet, only ties."


def _counts(row: pd.Series, of: str = "decisive", noun: str = "answer") -> list[minimum.Count]:
    return [minimum.count_answers(int(row[of]), noun), minimum.count_items(int(row["items"]))]


def _has_enough(rows: pd.DataFrame, *of: str) -> pd.Series:
    enough = [minimum.is_enough(*_counts(row, *of)) for _, row in rows.iterrows()]
    return pd.Series(enough, rows.index, dtype=bool)


def _find_strongest_preference(rows: pd.DataFrame, looked_at: int) -> pd.Series:
    return find_most_extreme(rows, (rows["p_first"] - 0.5).abs(), looked_at)


def _count(told: pd.DataFrame, sure: pd.DataFrame) -> str:
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


def _render_first_choices(row: pd.Series) -> str:
    decisive = int(row["decisive"])
    first = round(row["p_first"] * decisive)
    chose = f"{name_judge(row)} chose the first text in {first:,} of {decisive:,} decisive answers"
    return f"{chose}, {percent(row['p_first'], row['low'], row['high'])}"


def describe_length(rows: pd.DataFrame) -> list[str]:
    """Describe length bias from labelled `lengths`. Judges without finite odds come first, then
    those with the largest odds, then those with too few answers.
    """
    enough = _has_enough(rows)
    unbounded = rows["unbounded"] != ""
    fitted = rows[rows["odds"].notna() & enough]
    said = [
        *_describe_constant_choices(rows[rows["always"] != ""]),
        *_describe_unbounded(rows[unbounded & (rows["always"] == "") & enough]),
    ]
    said += _describe_fitted_length(fitted, others=bool(said))
    unclear = rows.loc[rows["odds"].isna() & ~unbounded & enough, "judge"].nunique()
    if unclear:
        judges = pluralize(unclear, "judge" if unclear == len(set(rows["judge"])) else "more judge")
        said.append(
            f"For {judges}, the effect of length cannot be separated from that of position."
        )
    if not said and len(bounded := rows[~unbounded]):
        counts = _counts(bounded.sort_values("decisive").iloc[-1])
        said.append(minimum.describe_shortfall("an effect of length is named", *counts))
    return said


def _describe_fitted_length(rows: pd.DataFrame, *, others: bool) -> list[str]:
    sure = rows[intervals.holm(rows["p"].to_numpy(float)) <= intervals.ALPHA]
    if len(sure):
        effects = sure["odds"].map(lambda odds: max(odds, 1 / odds))
        row = find_most_extreme(sure, effects, len(rows))
        ends = "" if pd.isna(row["low"]) else f"{_times(row['low'])} to {_times(row['high'])}"
        interval = f"95% interval {ends}, " if ends else ""
        start = "Among the other judges, length" if others else "Length"
        most = " the most" if len(rows) > 1 else ""
        return [
            f"{start} sways {name_judge(row)}{most}: a text twice as long has "
            f"{_times(row['odds'])} times the odds of winning "
            f"({interval}{pluralize(int(row['decisive']), 'answer')})."
        ]
    if rows.empty:
        return []
    judges = pluralize(rows["judge"].nunique(), "other judge" if others else "judge")
    return [f"There is no evidence that length affects the answers of {judges}."]


def _describe_constant_choices(rows: pd.DataFrame) -> list[str]:
    parts = rows.groupby(["judge", "always"], sort=False)
    return [
        f"{judge} always chose the {side} text: in {int(of['decisive'].sum()):,} of "
        f"{pluralize(int(of['decisive'].sum()), 'answer')}{_name_attributes(of)}."
        for (judge, side), of in parts
        if minimum.count_answers_of_each(int(of["decisive"].sum())).is_enough
    ]


def _describe_unbounded(rows: pd.DataFrame) -> list[str]:
    said = []
    for (judge, side), of in rows.groupby(["judge", "unbounded"], sort=False):
        shares = of[["longer", "longer_low", "longer_high"]]
        share, low, high = (shares if side == "longer" else 1 - shares).to_numpy(float).T
        decisive = int(of["decisive"].sum())
        took = round((share * of["decisive"]).sum())
        # of several together there is none
        ends = sorted([low[0], high[0]]) if len(of) == 1 else []
        said.append(
            f"{judge} took the {side} text in {took:,} of {pluralize(decisive, 'answer')}"
            f"{_name_attributes(of)}, {percent(took / decisive, *ends)}. Its odds have no bound: "
            "length and position explain nearly every answer."
        )
    return said


def _name_attributes(of: pd.DataFrame) -> str:
    plain = (of["label"] == of["judge"]).all()
    return "" if plain else f" on {', '.join(of['attribute'])}"


def _times(odds: float) -> str:
    return f"{odds:,.0f}" if odds >= 100 else f"{odds:.3g}"


def describe_self_preference(own: pd.DataFrame) -> list[str]:
    """Describe self-preference: the points each judge gives its own texts, and those from other
    judges. Those with enough pairs are tested together.
    """
    enough = [minimum.is_enough(minimum.count_answers(int(pairs))) for pairs in own["pairs"]]
    p = own["p"].where(pd.Series(enough, own.index)).to_numpy(float)
    sure = intervals.holm(p) <= intervals.ALPHA
    return [_describe_own_texts(row, by) for (_, row), by in zip(own.iterrows(), sure, strict=True)]


def _describe_own_texts(row: pd.Series, is_sure: bool) -> str:
    given = percent(row["own"], row["own_low"], row["own_high"])
    points = f"{row['judge']} gives its own texts ({row['system']}) {given} of the points"
    pairs = int(row["pairs"])
    if not pairs:
        return f"{points}. Nobody else has judged these pairs."
    others = (
        f"On the same {pluralize(pairs, 'pair')}, the other judges give them {row['others']:.0%}"
    )
    few = minimum.describe_shortfall(
        "self-preference is named", minimum.count_answers(pairs, "pair")
    )
    if few:
        return f"{points}. {others}. {few}"
    if pd.isna(row["low"]):
        return f"{points}. {others}."
    low, high = (f"{round(100 * row[end]) + 0:+d}" for end in ("low", "high"))
    prefers = (
        "It prefers its own texts"
        if is_sure and row["difference"] > 0
        else "It prefers the texts of others"
        if is_sure
        else "Tested together with the other judges, that may be chance"
        if row["low"] > 0 or row["high"] < 0
        else "There is no evidence that it prefers its own"
    )
    return f"{points}. {others} (95% interval of the difference {low} to {high}). {prefers}."


def describe_triples(rows: pd.DataFrame) -> str:
    """Name the judge with the most cyclic triples; '' if there is no triple."""
    rows = label_rows(rows)
    rows = rows[rows["decided"] > 0]
    if rows.empty:
        return ""
    told = rows[_has_enough(rows, "decided", "triple")]
    if told.empty:
        counts = _counts(find_greatest(rows, rows["decided"]), "decided", "triple")
        return minimum.describe_shortfall(TRIPLES_CLAIM, *counts)
    row = find_most_extreme(told, told["cyclic"], len(told))
    judges = told["judge"].nunique()
    if not row["cyclic"]:
        who = name_judge(row) if len(told) == 1 else pluralize(judges, "judge")
        triples = pluralize(int(told["decided"].sum()), "triple")
        return f"No verdicts of {who} contradict each other among three texts ({triples})."
    most = " most often" if len(told) > 1 else ""
    share = percent(row["cyclic"], row["low"], row["high"])
    triples = pluralize(int(row["decided"]), "triple")
    said = f"Verdicts of {name_judge(row)} contradict each other{most} among three texts"
    said += f": {share} of {triples} are cyclic."
    if pd.isna(row["one_order"]):
        return said
    return (
        f"{said} Asked in one order only, {percent(row['one_order'])} would be cyclic: "
        f"{percent(row['by_position'])} through position alone."
    )
