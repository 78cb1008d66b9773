"""Compute the accuracy of judges against gold labels, the human majority, or score differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema, get_schema
from ...labels import describe_left_out
from ...records import Kind, TandemError, option_ref
from ...rendering import declare_rows, list_names
from ...settings import sign_settings
from ...statistics import intervals
from ...store import Store
from ..judgements import (
    Finding,
    Selection,
    add_judge_info,
    average_rater_marks,
    code_families,
    debiasing,
    group_prompts,
    judge_differences,
    orient,
    pooling_notes,
    select_judgements,
    selection_notes,
    warn_of_unusable,
    write_signature,
)
from ..judgements.rightness import PAIR, find_better_text, score_rightness
from ..people import flag_annotators
from .columns import AVERAGES, COLUMNS, SYSTEMS
from .settings import AccuracySettings

AccuracyRows = Annotated[pd.DataFrame, declare_rows(COLUMNS, is_part=True)]
AccuracyAverages = Annotated[pd.DataFrame, declare_rows(AVERAGES)]
AccuracySystems = Annotated[pd.DataFrame, declare_rows(SYSTEMS)]
BothOrders = Annotated[pd.DataFrame, Schema({str: "family", float: "right"})]


def accuracy(store: Store, selection: Selection, settings: AccuracySettings) -> Finding:
    """Compute the accuracy of each judge: one row per judge and attribute. The default is all
    judges.

    Right (see `rightness`) is what the gold labels (`gold`), most people (`human`; of an annotator,
    the others), most simulated annotators (`simulated`) or the higher score by `rater` (`scores`)
    prefer; pairs without a preference are left out. The columns are declared in
    `core.findings.accuracy.columns`.

    Table `averages`: of the models asked in one way with several prompts, the mean of their
    accuracies. Table `differences`: how far the judge that is right most often is ahead of each
    other one on the same pairs of texts (see `judge_differences.compare_to_best`). Table `systems`:
    what a judge gives each of two systems, and what the truth gives it on the same comparisons.
    Fact `flagged`: the annotators among the judges whose votes should be read before they count.
    """
    settings = settings.fill_reference(store, selection)
    against, debias, rater = settings.against, settings.debias, settings.rater
    frame, truth = _select_judgements_and_gold(store, selection, against, rater)
    failed = frame[frame["points"].isna()]
    frame = frame.dropna(subset="points")
    caution = warn_of_unusable(frame, "a single answer follows the order of the texts")
    taken = debiasing.debias(frame, debias)
    rows = orient(taken.frame).reset_index(drop=True)
    better = (
        _compare_scores(store, selection, rows, rater)
        if truth is None
        else find_better_text(rows, truth)
    )
    rights = score_rightness(rows["points_1"].to_numpy(float), better)
    known = ~np.isnan(rights)
    if not known.any():
        raise TandemError(f"nothing to be right about: {_WITHOUT[against].format(rater=rater)}")
    systems = _systems(rows.assign(truth=(better + 1) / 2))
    rows = rows[known].assign(right=rights[known])
    table = add_judge_info(store, _accuracies(rows, failed.groupby(debiasing.JUDGED).size()))
    left_out = int((~known).sum())
    flagged = flag_annotators(store, selection.dataset) if Kind.HUMAN in set(table["kind"]) else {}
    flagged = {name: why for name, why in flagged.items() if name in set(table["judge"])}
    notes = [
        *flagged.values(),
        *caution.cautions,
        *pooling_notes(frame),
        *selection_notes(store, selection),
        *taken.notes,
        *(
            [f"{describe_left_out(left_out, 'judgement', 'of pairs without a right answer')}."]
            if left_out
            else []
        ),
    ]
    return Finding(
        table.reindex(columns=list_names(COLUMNS)),
        write_signature(
            "accuracy",
            against=against,
            rater=rater,
            **selection.signature_values(),
            **sign_settings(settings, "against", "rater"),
        ),
        int(rows["judgements"].sum()),
        Counter(failed["failure"].tolist()),
        notes,
        {"against": against, "flagged": list(flagged), **caution._asdict()},
        {
            "averages": _averages(store, table, rows),
            "differences": judge_differences.compare_to_best(rows, "right", flagged=flagged),
            "systems": systems,
        },
        columns=COLUMNS,
        table_columns={
            "averages": AVERAGES,
            "differences": judge_differences.COLUMNS,
            "systems": SYSTEMS,
        },
        picture="accuracy",
    )


def _select_judgements_and_gold(
    store: Store, selection: Selection, against: str, rater: str
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The judgements that may be right or wrong, and those that say what is right; None where the
    scores do.
    """
    judges = selection.judges or tuple(
        kind.value for kind in Kind if (kind, against) != (Kind.GOLD, "gold")
    )
    truth = (against,) if against in tuple(Kind) else ()
    every, _ = select_judgements(store, replace(selection, judges=(*judges, *truth)))
    frame = every[every["judge"].isin(judges) | every["kind"].isin(judges)]
    if truth:
        return frame, every[every["kind"] == against]
    # Comparisons derived from the scores themselves are right, and say nothing.
    derived = (frame["judgement"] < 0) & (frame["judge"].eq(rater) | frame["kind"].eq(rater))
    return frame[~derived], None


_WITHOUT = {
    "gold": f"no gold label is stored for these pairs; import them with {option_ref('kind')} gold",
    "human": "no one else has judged these pairs, or people are split on all of them",
    "simulated": "no simulated annotator has judged these pairs, or they are split on all of them",
    "scores": "no two of these texts have different scores by {rater!r}",
}


def _compare_scores(
    store: Store, selection: Selection, rows: pd.DataFrame, rater: str
) -> NDArray[Any]:
    """For each row 1 where the first of the two texts has the higher score, -1 where the second
    has, 0 where both have the same, NaN where one has none.
    """
    marks = average_rater_marks(store, selection, rater).set_index(["attribute", "generation"])[
        "value"
    ]
    first, second = (
        marks.reindex(pd.MultiIndex.from_frame(rows[["attribute", side]])).to_numpy(float)
        for side in PAIR[1:]
    )
    return np.asarray(np.sign(first - second))


def _systems(rows: pd.DataFrame) -> AccuracySystems:
    known = rows.dropna(subset="truth")
    groups = known.groupby([*debiasing.JUDGED, "system_1", "system_2"], sort=False)
    found = groups.size().rename("comparisons").reset_index()
    column, item = groups.ngroup().to_numpy().astype(np.int64), code_families(known)
    for name, values in (("points", known["points_1"]), ("truth", known["truth"])):
        share = intervals.shares_by(values.to_numpy(float), item, column, n=len(found))
        found = found.assign(**intervals.spread(name, share))
    sides = (np.sign((found[name] - 0.5).round(9)) for name in ("points", "truth"))
    return found.assign(same=next(sides) == next(sides))[list_names(SYSTEMS)]


def _averages(store: Store, table: pd.DataFrame, rows: pd.DataFrame) -> AccuracyAverages:
    """The means over each model's prompts."""
    found = []
    for names, of_model in group_prompts(store, table, ["attribute"]):
        of = rows[rows["judge"].isin(of_model["judge"]) & (rows["attribute"] == names["attribute"])]
        item, judge = code_families(of), pd.factorize(of["judge"])[0]
        mean, low, high = intervals.mean_of_shares(of["right"].to_numpy(float), item, judge)
        counted = {name: int(of_model[name].sum()) for name in ("comparisons", "unanswered")}
        found.append(
            {
                **names,
                "prompts": len(of_model),
                **counted,
                "accuracy": mean,
                "low": low,
                "high": high,
            }
        )
    return get_schema(AccuracyAverages).make(found)


def _accuracies(rows: pd.DataFrame, unanswered: pd.Series) -> AccuracyRows:
    found: list[dict[str, Any]] = []
    for (judge, attribute), of_judge in rows.groupby(debiasing.JUDGED, sort=False):
        right = of_judge["right"].to_numpy()
        reverse = of_judge["turned"].to_numpy(bool)
        known = (of_judge["order_known"] == 1).to_numpy(bool)
        forward, reverse = known & ~reverse, known & reverse
        item = code_families(of_judge)
        shares = intervals.share(right, item)
        both = _check_both_orders(of_judge)
        shares_both = intervals.share(both["right"].to_numpy(float), code_families(both))
        found.append(
            {
                "judge": judge,
                "attribute": attribute,
                "comparisons": shares[3],
                "unanswered": int(unanswered.get((judge, attribute), 0)),
                **intervals.spread("accuracy", shares, ""),
                "right": int((right > 0.5).sum()),
                "tied": int((right == 0.5).sum()),
                **_count_right("forward", right[forward]),
                **_count_right("reverse", right[reverse]),
                "pairs_both_orders": shares_both[3],
                "right_both_orders": int(both["right"].sum()),
                **intervals.spread("accuracy_both_orders", shares_both, "both"),
            }
        )
    return pd.DataFrame(found)


def _count_right(name: str, right: NDArray[np.float64]) -> dict[str, int]:
    return {
        f"right_{name}": int((right > 0.5).sum()),
        f"tied_{name}": int((right == 0.5).sum()),
        name: len(right),
    }


def _check_both_orders(rows: pd.DataFrame) -> BothOrders:
    """Pairs with answers in both orders: family, and whether it was right in both (1 or 0)."""
    ordered, pair = debiasing.keep_known_order(rows), ["family", *PAIR[1:]]
    each = ordered.groupby([*pair, "turned"], sort=False)["right"].mean().reset_index()
    pairs = each.assign(right=each["right"] > 0.5).groupby(pair, sort=False)["right"]
    both = pairs.agg(["size", "all"]).reset_index()
    both = both[both["size"] == 2]
    return pd.DataFrame({"family": both["family"], "right": both["all"].astype(float)})
