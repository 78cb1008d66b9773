"""Judges' answers beside what is right: settings that say what that is, and each answer scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...records import Kind, TandemError, choose_voting_kind, option_ref
from ...settings import Part, check_choices, declare
from ...store import Store
from ..correlation import choose_reference
from ..judgements import debiasing
from ..judgements.answers import average_rater_marks, list_selected_comparers, select_judgements
from ..judgements.debiasing import declare_debias
from ..judgements.selection import Selection
from ..judgements.verdicts import TEXTS, find_better_text, orient, score_rightness

REFERENCES = {
    "gold": "the gold labels",
    "human": "the majority of people",
    "simulated": "the majority of simulated voters",
    "scores": "the scores",
}


@dataclass(frozen=True)
class AccuracySettings:
    """Settings of accuracy, the reference for right answers: docs/statistics.md,
    "Right, and the same".
    """

    against: str = declare(
        "",
        "what decides which text is better (default: scores, else gold labels, else votes)",
        label="Reference",
        more="The share of answers that choose the better text, a tie counting half. The "
        "better text has the higher score, the gold label or most people's votes. An "
        "annotator is compared with the other annotators.",
        choices=REFERENCES,
    )
    debias: str = declare_debias()
    epsilon: float = declare(
        0.1,
        "what an annotator costs more than the judge, in shares of items: 0.2 expert, 0.15 "
        "skilled, 0.1 crowd worker",
        metavar="E",
        least=0,
        most=1,
        part=Part(
            f"{option_ref('against')} human",
            lambda values: values["against"] in ("", "human", "simulated"),
            "against",
        ),
    )
    rater: str = declare(
        "",
        "whose scores (default: people's, else those of the first who gave some)",
        metavar="RATER",
        part=Part(
            f"{option_ref('against')} scores",
            lambda values: values["against"] in ("", "scores"),
            "against",
        ),
    )

    def __post_init__(self) -> None:
        check_choices(self)

    def fill_reference(self, store: Store, selection: Selection) -> AccuracySettings:
        """Return the settings with the usual reference and rater, where none was named."""
        usual = self.against or next(iter(list_references(store, selection)), Kind.HUMAN.value)
        rater = self.rater or choose_reference(store, selection.dataset) or Kind.HUMAN.value
        return replace(self, against=usual, rater=rater if usual == "scores" else "")


def list_references(store: Store, selection: Selection) -> list[str]:
    """List what the answers of a selection can be held against, the usual reference first."""
    judges = list_selected_comparers(store, selection).drop_duplicates("judge")
    voting = choose_voting_kind(judges["kind"])
    is_there = {
        "scores": choose_reference(store, selection.dataset) != "",
        Kind.GOLD.value: judges["kind"].nunique() > 1 and Kind.GOLD in set(judges["kind"]),
        voting.value: len(judges) > 1 and voting in set(judges["kind"]),
    }
    return [name for name, offered in is_there.items() if offered and len(judges)]


class ScoredAnswers(NamedTuple):
    """Answers as given (`frame`), and corrected and oriented (`rows`) with what is `right` (1,
    0 or 1/2) and the `truth` about the first system by name, NaN where nobody says; the judgements
    that tell the `truth` (None: scores do), those that `failed`, and notes on `rows`.
    """

    frame: pd.DataFrame
    rows: pd.DataFrame
    truth: pd.DataFrame | None
    failed: pd.DataFrame
    notes: Sequence[str]


def score_answers(store: Store, selection: Selection, settings: AccuracySettings) -> ScoredAnswers:
    """Score the answers of a selection against the reference of the (filled) settings, after their
    correction. Raises TandemError where the reference prefers nothing.
    """
    against, rater = settings.against, settings.rater
    frame, truth = _select_judgements_and_gold(store, selection, against, rater)
    failed, frame = frame[frame["points"].isna()], frame.dropna(subset="points")
    taken = debiasing.debias(frame, settings.debias)
    rows = orient(taken.frame).reset_index(drop=True)
    if truth is None:  # the scores of both texts
        marks = average_rater_marks(store, selection, rater)
        value = marks.set_index(["attribute", "generation"])["value"]
        first, second = (
            value.reindex(pd.MultiIndex.from_frame(rows[["attribute", side]])).to_numpy(float)
            for side in TEXTS
        )
        better = np.sign(first - second)
    else:
        better = find_better_text(rows, truth)
    right = score_rightness(rows["points_1"].to_numpy(float), better)
    if np.isnan(right).all():
        raise TandemError(f"nothing to be right about: {_WITHOUT[against].format(rater=rater)}")
    rows = rows.assign(right=right, truth=(better + 1) / 2)
    return ScoredAnswers(frame, rows, truth, failed, taken.notes)


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
    "simulated": "no simulated voter has judged these pairs, or they are split on all of them",
    "scores": "no two of these texts have different scores by {rater!r}",
}
