"""Pairs of texts in the order of their systems' names, each judge's verdict on them over all orders
and trials, what is right (docs/statistics.md, "Verdict", "Right, and the same"), and pairs to read.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema
from ...records import Kind, Outcome
from ...statistics import (
    CONTRADICTS,
    FIRST,
    NEITHER,
    SECOND,
    SHARED,
    Floats,
    plurality,
    tabulate_verdicts,
)
from ...store import Store

OrientedRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            bool: "turned",
            str: "system_1 system_2",
            int: "candidate_1 candidate_2",
            float: "points_1",
        },
        is_open=True,
    ),
]


def orient(frame: pd.DataFrame) -> OrientedRows:
    """Judgements with their `points` for A, and: `turned` (B's system is the first by name),
    system_1 < system_2, their texts candidate_1 and candidate_2, and points_1, those for the first.
    """
    turned = (frame["system_a"] > frame["system_b"]).to_numpy(bool)
    points = frame["points"].to_numpy(float)
    sides = {"system_1": "system", "system_2": "system"}
    texts = {"candidate_1": "generation", "candidate_2": "generation"}
    ordered = {
        name: np.where(
            turned == name.endswith("1"),
            frame[f"{what}_b"].to_numpy(),
            frame[f"{what}_a"].to_numpy(),
        )
        for name, what in (sides | texts).items()
    }
    return frame.assign(**ordered, points_1=np.where(turned, 1 - points, points), turned=turned)


def is_order_confounded(answered: pd.DataFrame) -> bool:
    """Return whether position and systems are confounded: no two systems were shown in both
    orders.
    """
    shown = set(zip(answered["system_a"], answered["system_b"], strict=True))
    return not any((second, first) in shown for first, second in shown)


def measure_lengths(store: Store, dataset: str, frame: pd.DataFrame) -> tuple[Floats, Floats]:
    """Measure the lengths (m,) of the first and the second text of each comparison, NaN if unknown:
    in words, or in characters if a file gives these for a text that is missing.
    """
    lengths = store.annotator_stats
    (words_a, words_b), (characters_a, characters_b) = (
        [frame[f"generation_{side}"].map(unit).to_numpy(float) for side in "ab"]
        for unit in (lengths.words(dataset), lengths.characters(dataset))
    )
    has_both = ~np.isnan(words_a + words_b)
    return np.where(has_both, words_a, characters_a), np.where(has_both, words_b, characters_b)


VerdictRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            str: "judge kind attribute item family system_1 system_2",
            int: "unit candidate_1 candidate_2 verdict judgements both_bad",
            float: "points",
        }
    ),
]

WORDS = {FIRST: "first", NEITHER: "tie", SECOND: "second", CONTRADICTS: "contradicts"}


def count_verdicts(frame: pd.DataFrame) -> VerdictRows:
    """Count verdicts, one row per judge, attribute and unordered pair of texts, from answered
    judgements with their `points` for A and the `family` of their item.

    judge, kind, unit (codes 0, 1 .. of an attribute of a pair), attribute, item, family, system_1 <
    system_2, candidate_1, candidate_2 (their texts), points (mean for system_1 over orders and
    trials), verdict (FIRST above 1/2, SECOND below; at 1/2 CONTRADICTS if it preferred each text in
    some answer, else NEITHER), judgements, both_bad (how many of these were).
    """
    frame = orient(frame)
    first, second = frame["candidate_1"].to_numpy(), frame["candidate_2"].to_numpy()
    attribute = pd.factorize(frame["attribute"])[0]
    size = int(max(first.max(initial=0), second.max(initial=0))) + 1
    unit = pd.factorize((attribute * size + first) * size + second)[0]
    judge = pd.factorize(frame["judge"])[0]
    row, found = pd.factorize(judge * (int(unit.max(initial=0)) + 1) + unit)
    place = np.zeros(len(found), dtype=np.int64)
    place[row[::-1]] = np.arange(len(row))[::-1]  # where each comes first: the last to be written
    count = np.bincount(row)
    points = frame["points_1"].to_numpy(float)
    mean, decided = np.bincount(row, points) / count, np.bincount(row, points != 0.5) > 0
    evenly = np.where(decided, CONTRADICTS, NEITHER)
    head = frame.iloc[place]
    return pd.DataFrame(
        {
            "judge": head["judge"].array,
            "kind": head["kind"].array,
            "unit": unit[place],
            "attribute": head["attribute"].array,
            "item": head["item"].array,
            "family": head["family"].array,
            "system_1": head["system_1"].array,
            "system_2": head["system_2"].array,
            "candidate_1": first[place],
            "candidate_2": second[place],
            "points": mean,
            "verdict": np.select([mean > 0.5, mean < 0.5], [FIRST, SECOND], evenly),
            "judgements": count,
            "both_bad": np.bincount(row, frame["outcome"] == Outcome.BOTH_BAD.value).astype(
                np.int64
            ),
        }
    )


def count_by_unit(verdicts: pd.DataFrame, units: int | None = None) -> NDArray[np.int64]:
    """Count each verdict on each unit (units, verdicts), of `units`, or of all there are here."""
    unit = verdicts["unit"].to_numpy()
    number = int(unit.max(initial=-1)) + 1 if units is None else units
    return tabulate_verdicts(unit, verdicts["verdict"].to_numpy(), number)


def find_majority(frame: pd.DataFrame, kind: Kind = Kind.HUMAN) -> NDArray[np.int64]:
    """For each of these verdicts what most judges of a kind say of the same unit, its own left out;
    -1 where no other did, or nobody but who contradicts themselves.
    """
    unit, verdict = frame["unit"].to_numpy(), frame["verdict"].to_numpy()
    of_kind = (frame["kind"] == kind.value).to_numpy(bool)
    counts = count_by_unit(frame[of_kind], int(unit.max(initial=-1)) + 1)[unit]
    counts[of_kind, verdict[of_kind]] -= 1
    return np.where(counts[:, :SHARED].sum(axis=1) > 0, plurality(counts), -1)


TEXTS = ["candidate_1", "candidate_2"]
PAIR = ["attribute", *TEXTS]


def score_rightness(points_1: Floats, better: Floats) -> Floats:
    """1 for what prefers the better text, 0 for the other, 1/2 for neither; NaN where there is
    nothing to be right about.

    `points_1` (m,) are a judge's for the first text of the pair; `better` is 1 where that is the
    better one, -1 where the other is, 0 or NaN where none is, or nobody says.
    """
    value = np.where(better > 0, points_1, 1 - points_1)
    return np.where(np.nan_to_num(better) != 0, value, np.nan)


def find_better_text(rows: pd.DataFrame, truth: pd.DataFrame) -> NDArray[Any]:
    """For each of these judgements, which `orient` gives, the `better` text as most of those in
    `truth` (judgements of one kind) say, a judge's own answers left out.
    """
    known = count_verdicts(truth.dropna(subset="points"))
    known = known[known["verdict"] != CONTRADICTS]
    if known.empty:
        return np.full(len(rows), np.nan)
    most = plurality(count_by_unit(known))
    of_unit = known.drop_duplicates("unit").set_index(PAIR)["unit"]
    pairs = pd.MultiIndex.from_frame(rows[PAIR])
    of_all = of_unit.map(pd.Series(most)).reindex(pairs).to_numpy(float)
    others = known.assign(says=find_majority(known, Kind(known["kind"].iloc[0]))).set_index(
        ["judge", *PAIR]
    )["says"]
    of_others = others.reindex(pd.MultiIndex.from_frame(rows[["judge", *PAIR]])).to_numpy(float)
    says = np.where(np.isnan(of_others), of_all, of_others)
    return np.select([says == FIRST, says == SECOND, says == NEITHER], [1.0, -1.0, 0.0], np.nan)


AnswersOnPair = Annotated[
    pd.DataFrame,
    Schema({str: "judge kind better comment raw", int: "shown_first", float: "prob_1"}),
]


def load_answers(
    store: Store, dataset: str, attribute: str, candidate_1: int, candidate_2: int
) -> AnswersOnPair:
    """Load all answers on a pair of texts: judge, kind, shown_first (1 or 2), better (1, 2, tie,
    both_bad, or the reason why the judge failed), prob_1 (that text 1 is better), comment, raw.
    """
    frame = store.judgement_frames.on_pair(dataset, attribute, candidate_1, candidate_2)
    first = frame["first"].to_numpy(int)
    better = frame["outcome"].where(frame["outcome"].notna(), frame["failure"]).astype(object)
    better = better.mask(frame["outcome"] == "a", first.astype(str)).mask(
        frame["outcome"] == "b", (3 - first).astype(str)
    )
    prob_a = frame["prob_a"].astype(float)
    return pd.DataFrame(
        {
            "judge": frame["judge"],
            "kind": frame["kind"],
            "shown_first": first,
            "better": better,
            "prob_1": prob_a.where(first == 1, 1 - prob_a),
            "comment": frame["comment"],
            "raw": frame["raw"],
        }
    )


MOST_READ = 12
SIDES = ("item", "system_1", "system_2")
PairRows = Annotated[
    pd.DataFrame,
    Schema({
        str: "attribute item system_1 system_2", int: "candidate_1 candidate_2", float: "prob_1",
        bool: "is_turned",
    }),
]  # fmt: skip


def average_pairs(answered: pd.DataFrame) -> PairRows:
    """Average answers about each pair of texts, in the order in which these came: `prob_1` is the
    mean probability (else points) of the first, `is_turned` whether a judge contradicts itself.
    """
    rows = orient(answered)
    prob = np.where(rows["turned"], 1 - rows["prob_a"], rows["prob_a"])
    rows["prob_1"] = pd.Series(prob, rows.index).fillna(rows["points_1"])
    mean = rows.groupby([*PAIR, *SIDES], sort=False)["prob_1"].mean().reset_index()
    verdicts = count_verdicts(answered)
    turned = pd.MultiIndex.from_frame(verdicts.loc[verdicts["verdict"] == CONTRADICTS, PAIR])
    return mean.assign(is_turned=pd.MultiIndex.from_frame(mean[PAIR]).isin(turned))


def add_texts(store: Store, dataset: str, pairs: pd.DataFrame) -> pd.DataFrame:
    """Add `context` (the name of the item where it has none), and `text_1` and `text_2` of its
    candidates, to pairs of texts.
    """
    items = list(pairs["item"].unique())
    texts = store.texts.generations(dataset, items=items).set_index("generation")["text"]
    contexts = store.datasets.items(dataset, items).set_index("item")["context"]
    context = pairs["item"].map(contexts)
    sides = {f"text_{n}": pairs[f"candidate_{n}"].map(texts) for n in (1, 2)}
    return pairs.assign(context=context.where(context.str.strip() != "", pairs["item"]), **sides)
