"""What can be said of judges without labels, beside how often they are right by people's votes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd

from core.findings import accuracy
from core.findings.bias import bias
from core.findings.judgements import Finding, Selection, signature, unless_refused
from core.findings.leaderboard import RankSettings, leaderboard
from core.records import Kind
from core.statistics import intervals
from core.store import Store

MEASURES = {
    "consistent": "pairs with the same verdict in both orders",
    "transitive": "triples of texts without a contradiction",
    "discrimination": "discrimination on a jury",
}
"""Figures of a judge that need no votes: the more, the better."""
COLUMNS = (
    "judge", "kind", "attribute", "measure", "value", "low", "high", "n",
    "accuracy", "accuracy_low", "accuracy_high", "answers",
)  # fmt: skip
OTHERS = (Kind.LLM.value, Kind.BASELINE.value)
KEYS = ["judge", "attribute"]


def judges(store: Store, selection: Selection) -> Finding:
    """COLUMNS of each judge, all models and baselines unless some are named, on each attribute: a
    `measure` of MEASURES with low and high, of `n` pairs, triples or answers; and its accuracy by
    what most people say (`answers` of it), NaN where nobody has voted on what it answered.

    `transitive` is 1 - the share of cyclic triples, to be expected if each pair is asked in one
    order where both were, else of the verdicts there are. A discrimination is known of several
    judges that agree on anything.
    """
    chosen = replace(selection, judges=selection.judges or OTHERS)
    biased = bias(store, chosen)
    measured = pd.concat(
        [_consistent(biased.rows), _transitive(biased.tables["triples"]), _jury(store, chosen)],
        ignore_index=True,
    )
    rows = measured.dropna(subset="value").merge(_right(store, chosen), how="left", on=KEYS)
    kinds = biased.rows.drop_duplicates("judge").set_index("judge")["kind"]
    rows = rows.assign(kind=rows["judge"].map(kinds)).dropna(subset="kind")
    return Finding(
        rows[list(COLUMNS)].reset_index(drop=True),
        signature("judges", **chosen.signed()),
        biased.judgements,
        biased.unanswered,
        biased.notes,
    )


def _measure(rows: pd.DataFrame, measure: str, values: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([rows[KEYS].assign(measure=measure), values], axis=1)


def _consistent(rows: pd.DataFrame) -> pd.DataFrame:
    pairs = rows["pairs_both_orders"]
    share = rows["consistent_both_orders"] / pairs.where(pairs > 0)
    ends = {"low": rows["consistent_low"], "high": rows["consistent_high"]}
    return _measure(rows, "consistent", pd.DataFrame({"value": share, **ends, "n": pairs}))


def _transitive(rows: pd.DataFrame) -> pd.DataFrame:
    once = rows["one_order"].notna()
    cyclic, low, high = (
        rows[f"one_order{end}"].where(once, rows[name])
        for end, name in (("", "cyclic"), ("_low", "low"), ("_high", "high"))
    )
    number = rows["triples"].where(once, rows["decided"])
    values = {"value": 1 - cyclic, "low": 1 - high, "high": 1 - low, "n": number}
    return _measure(rows, "transitive", pd.DataFrame(values))


def _jury(store: Store, selection: Selection) -> pd.DataFrame:
    """Discriminations attribute by attribute; nothing of those on which there is no jury."""
    found = []
    names = [attribute.name for attribute in store.datasets.attributes(selection.dataset)]
    for name in [selection.attribute] if selection.attribute else names:
        of = replace(selection, attribute=name)
        result = unless_refused(partial(leaderboard, store, of, RankSettings(method="jury")))
        if result is not None:
            rows = result.tables["judges"].assign(attribute=name)
            renamed = rows.rename(columns={"discrimination": "value", "answers": "n"})
            found.append(_measure(rows, "discrimination", renamed[["value", "low", "high", "n"]]))
    return pd.concat(found) if found else pd.DataFrame(columns=[*KEYS, "measure", "value"])


def _right(store: Store, selection: Selection) -> pd.DataFrame:
    """The accuracy of each judge by people's votes; no rows where there are none."""
    found = unless_refused(partial(accuracy.accuracy, store, selection, against=Kind.HUMAN.value))
    columns = [*KEYS, "accuracy", "accuracy_low", "accuracy_high", "answers"]
    if found is None:
        return pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[2:], float))
    values = (found.rows[name] for name in ("accuracy", "low", "high"))
    spread = intervals.spread("accuracy", tuple(values))
    return found.rows[KEYS].assign(**spread, answers=found.rows["comparisons"])
