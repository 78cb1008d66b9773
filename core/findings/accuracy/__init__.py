"""Accuracy of judges against gold labels, the human majority, or score differences."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...frames import Schema, get_schema
from ...labels import describe_left_out, percent, pluralize
from ...records import Kind
from ...rendering import COUNT, SHARE, Column, Place, declare_rows, list_names
from ...settings import sign_settings
from ...statistics import UNANSWERED, ReplacementTerms, alternative_annotator, intervals
from ...store import Store
from ..judgements import debiasing, minimum
from ..judgements.debiasing import JUDGED, warn_of_unusable
from ..judgements.finding import Finding
from ..judgements.judges import (
    ASKED_ALIKE,
    ATTRIBUTE,
    JUDGE,
    JUDGE_DIFFERENCES,
    MADE_OF,
    add_judge_info,
    compare_to_best,
    declare_estimate,
    describe_difference,
    find_closest,
    find_greatest,
    find_most_extreme,
    group_prompts,
    label_rows,
    name_judge,
)
from ..judgements.population import average_by, code_families
from ..judgements.provenance import pooling_notes
from ..judgements.selection import Selection, selection_notes, write_signature
from ..judgements.verdicts import PAIR, count_verdicts
from ..people import flag_annotators
from .answers import REFERENCES, AccuracySettings, ScoredAnswers, list_references, score_answers

FEWEST_PEOPLE = 3
"""Annotators: of two it only says whom the judge agrees with (Calderon et al. 2025, FAQ)."""
REPLACEMENT = (
    Column(
        "winning_rate", "winning rate", SHARE,
        "The share of annotators that it wins against (omega). From one half on it may take an "
        "annotator's place", place=Place.SCREEN,
    ),
    declare_estimate(
        "advantage", "as good as an annotator", SHARE,
        "How often it does as well as an annotator, or better, in the eyes of the others (rho)",
        place=Place.SCREEN,
    ),
)  # fmt: skip
ACCURACY = declare_estimate(
    "accuracy", "accuracy", SHARE,
    "The share of answers that choose the better text, a tie counting half", ends="",
)  # fmt: skip
ANSWERS = (
    Column("comparisons", "answers", COUNT, "Single answers about pairs with a better text"),
    Column(
        "unanswered", "unanswered", COUNT,
        "Counts all pairs: an unanswered one is neither right nor wrong", place=Place.SCREEN,
    ),
    ACCURACY,
)  # fmt: skip
COLUMNS = (
    *MADE_OF,
    ATTRIBUTE,
    *ANSWERS,
    Column("right", "right", COUNT, "Answers that choose the better text", place=Place.FILES),
    Column("tied", "ties", COUNT, "Answers that choose neither", place=Place.SCREEN),
    Column(
        "right_forward", "right forward", COUNT, "Right, shown the system first by name first",
        place=Place.SCREEN,
    ),
    Column("tied_forward", "ties forward", COUNT, place=Place.FILES),
    Column("forward", "of forward", COUNT, "The number of answers", place=Place.SCREEN),
    Column(
        "right_reverse", "right reverse", COUNT, "Right, shown the other one first",
        place=Place.SCREEN,
    ),
    Column("tied_reverse", "ties reverse", COUNT, place=Place.FILES),
    Column("reverse", "of reverse", COUNT, "The number of answers", place=Place.SCREEN),
    Column("pairs_both_orders", "pairs in both orders", COUNT),
    Column("right_both_orders", "right both times", COUNT, place=Place.FILES),
    declare_estimate(
        "accuracy_both_orders", "right in both", SHARE,
        "Share of these pairs on which it is right both times", ends="both",
    ),
    *REPLACEMENT,
)  # fmt: skip
AVERAGES = (
    *ASKED_ALIKE,
    ATTRIBUTE,
    Column("prompts", "prompts", COUNT, "With how many prompts it was asked"),
    *ANSWERS,
)
"""Columns of means over the prompts of a model."""
SYSTEMS = (
    JUDGE,
    ATTRIBUTE,
    Column("system_1", "system"),
    Column("system_2", "and"),
    Column("comparisons", "answers", COUNT),
    declare_estimate("points", "points", SHARE, "What the judge gives the first system"),
    declare_estimate(
        "truth", "truth", SHARE, "What gold labels, people or scores give it on the same texts",
    ),
    Column("same", "same side", help="Whether both are above, at, or below one half"),
)  # fmt: skip
"""Columns of each pair of systems."""


CLAIM = "who is right most often is named"


def describe_accuracy(result: Finding) -> str:
    """Name the judge that is right most often, among those with enough answers.

    Annotators whose votes should be read before they count are not named.
    """
    rows = label_rows(result.rows)
    doubtful = rows["judge"].isin(result.facts["flagged"])
    rows = rows[~doubtful] if (~doubtful).any() else rows
    enough = rows[rows["comparisons"] >= minimum.ANSWERS]
    usable = enough[~enough["judge"].isin(result.facts["unusable"])]
    enough = enough if usable.empty else usable
    if enough.empty:
        row = find_greatest(rows, rows["comparisons"])
        needed = minimum.describe_shortfall(CLAIM, minimum.count_answers(int(row["comparisons"])))
        return f"{_describe_right(result, row)}. {needed}"
    row = find_most_extreme(enough, enough["accuracy"], len(enough))
    best = f", the best of {len(enough)}" if len(enough) > 1 else ""
    few = len(rows) - len(enough)
    pairs = pluralize(row["pairs_both_orders"], "pair")
    closest = find_closest(result.tables["differences"], row["judge"], row["attribute"])
    both = f"In both orders of a pair, it is right on {row['accuracy_both_orders']:.0%} of {pairs}."
    said = [
        f"{_describe_right(result, row)}{best}.",
        "Chance is 50%.",
        both if row["pairs_both_orders"] else "",
        *result.facts["cautions"],
        "" if closest is None else describe_difference(closest, "is right"),
        f"There are too few answers of {pluralize(few, 'more judge')} to compare." * bool(few),
    ]
    return " ".join(filter(None, said))


def _describe_right(result: Finding, row: pd.Series) -> str:
    right = percent(row["accuracy"], row["low"], row["high"])
    return (
        f"{name_judge(row)} is right in {right} of {pluralize(row['comparisons'], 'answer')}, "
        f"according to {REFERENCES[result.facts['against']]}"
    )


AccuracyRows = Annotated[pd.DataFrame, declare_rows(COLUMNS, is_part=True)]
AccuracyAverages = Annotated[pd.DataFrame, declare_rows(AVERAGES)]


def accuracy(store: Store, selection: Selection, settings: AccuracySettings) -> Finding:
    """Compute the accuracy of each judge: one row per judge and attribute. The default is all
    judges.

    Right (see `rightness`) is what the gold labels (`gold`), most people (`human`; of an annotator,
    the others), most simulated voters (`simulated`) or the higher score by `rater` (`scores`)
    prefer; pairs without a preference are left out. Beside three people or more,
    winning_rate and advantage hold each judge against an annotator. The columns are declared in
    `core.findings.accuracy`.

    Table `averages`: of the models asked in one way with several prompts, the mean of their
    accuracies. Table `differences`: how far the judge that is right most often is ahead of each
    other one on the same pairs of texts (see `compare_to_best`). Table `systems`:
    what a judge gives each of two systems, and what the truth gives it on the same comparisons.
    Fact `flagged`: the annotators among the judges whose votes should be read before they count.
    """
    settings = settings.fill_reference(store, selection)
    against, rater = settings.against, settings.rater
    scored = score_answers(store, selection, settings)
    frame, failed = scored.frame, scored.failed
    caution = warn_of_unusable(frame, "a single answer follows the order of the texts")
    known = scored.rows["right"].notna()
    rows = scored.rows[known]
    table = add_judge_info(store, measure_accuracy(rows, failed))
    if scored.truth is not None and against != Kind.GOLD:
        tested = measure_advantages(frame, scored.truth, settings.epsilon)
        table = table.merge(tested, how="left", on=debiasing.JUDGED) if len(tested) else table
    left_out = int((~known).sum())
    flagged = flag_annotators(store, selection.dataset) if Kind.HUMAN in set(table["kind"]) else {}
    flagged = {name: why for name, why in flagged.items() if name in set(table["judge"])}
    notes = [
        *flagged.values(),
        *caution.cautions,
        *pooling_notes(frame),
        *selection_notes(store, selection),
        *scored.notes,
        *(
            [f"{describe_left_out(left_out, 'judgement', 'of pairs without a right answer')}."]
            if left_out
            else []
        ),
    ]
    return Finding(
        table[[name for name in list_names(COLUMNS) if name in table]],
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
            "differences": compare_to_best(rows, "right", flagged=flagged),
            "systems": _systems(scored.rows),
        },
        columns=COLUMNS,
        table_columns={
            "averages": AVERAGES,
            "differences": JUDGE_DIFFERENCES,
            "systems": SYSTEMS,
        },
        picture="accuracy",
    )


def _systems(rows: pd.DataFrame) -> pd.DataFrame:
    known = rows.dropna(subset="truth")
    keys = [*debiasing.JUDGED, "system_1", "system_2"]
    found = average_by(known, keys, points=known["points_1"], truth=known["truth"])
    points, truth = (np.sign((found[name] - 0.5).round(9)) for name in ("points", "truth"))
    found = found.assign(comparisons=found["truth_n"], same=points == truth)
    return found[list_names(SYSTEMS)]


def _averages(store: Store, table: pd.DataFrame, rows: pd.DataFrame) -> AccuracyAverages:
    found = []
    for names, of_model in group_prompts(store, table, ["attribute"]):
        of = rows[rows["judge"].isin(of_model["judge"]) & (rows["attribute"] == names["attribute"])]
        item, judge = code_families(of), pd.factorize(of["judge"])[0]
        accuracy = intervals.mean_of_shares(of["right"].to_numpy(float), item, judge)
        counted = {name: int(of_model[name].sum()) for name in ("comparisons", "unanswered")}
        averaged = intervals.spread("accuracy", accuracy, "")
        found.append({**names, "prompts": len(of_model), **counted, **averaged})
    return get_schema(AccuracyAverages).make(found)


def measure_accuracy(rows: pd.DataFrame, failed: pd.DataFrame) -> AccuracyRows:
    """Measure the accuracy of each judge and attribute, from `rows` with what is `right` and the
    judgements that `failed`.
    """
    unanswered = failed.groupby(debiasing.JUDGED).size()
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


def _check_both_orders(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs with answers in both orders: family, and whether it was right in both (1 or 0)."""
    ordered, pair = debiasing.keep_known_order(rows), ["family", *PAIR[1:]]
    each = ordered.groupby([*pair, "turned"], sort=False)["right"].mean().reset_index()
    pairs = each.assign(right=each["right"] > 0.5).groupby(pair, sort=False)["right"]
    both = pairs.agg(["size", "all"]).reset_index()
    both = both[both["size"] == 2]
    return pd.DataFrame({"family": both["family"], "right": both["all"].astype(float)})


TESTED = (JUDGE, ATTRIBUTE, *REPLACEMENT)
TestedJudges = Annotated[pd.DataFrame, declare_rows(TESTED)]


def measure_advantages(frame: pd.DataFrame, people: pd.DataFrame, epsilon: float) -> TestedJudges:
    """Test each judge of `frame` against those of `people` (answered judgements of both): the
    winning rate, and the average advantage probability with its interval (see
    `core.statistics.alternative_annotator`). No row for people, nor where fewer than FEWEST_PEOPLE
    annotators have enough items.
    """
    others = frame[~frame["judge"].isin(people["judge"])]
    if others.empty or people["judge"].nunique() < FEWEST_PEOPLE:
        return get_schema(TestedJudges).make([])
    verdicts = count_verdicts(pd.concat([people, others]).dropna(subset="points"))
    said, found = verdicts[verdicts["judge"].isin(people["judge"])], []
    for (judge, attribute), of in verdicts.drop(said.index).groupby(JUDGED, sort=False):
        panel = said[said["attribute"] == attribute]
        both = pd.concat([panel, of])
        unit = pd.factorize(both["unit"])[0]
        answers = np.full(int(unit.max()) + 1, UNANSWERED, dtype=np.int64)
        answers[unit[len(panel) :]] = of["verdict"]
        item = np.zeros(len(answers), dtype=np.int64)
        item[unit] = code_families(both)
        tested = alternative_annotator(
            pd.factorize(panel["judge"])[0].astype(np.int64), unit[: len(panel)],
            panel["verdict"].to_numpy(), answers, item, ReplacementTerms(epsilon),
        )  # fmt: skip
        if tested.is_tested.sum() >= FEWEST_PEOPLE:
            about = {"judge": judge, "attribute": attribute, "winning_rate": tested.rate}
            found.append(about | intervals.spread("advantage", tested.probability))
    return get_schema(TestedJudges).make(found)
