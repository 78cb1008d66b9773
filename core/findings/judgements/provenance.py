"""Provenance of answers: select them by run, and note where runs are pooled or more come in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...labels import pluralize
from ...pairing import REST
from ...records import Kind, TandemError, option_ref
from ...store import AskingRuns, Campaign, ScoreRows, Store

COLLECTING = "Votes are still coming in: ranks hold only at a number of votes fixed in advance."
"""If somebody looks at two equal systems every 10 votes up to 1,000, one is once called better in
34% of studies (simulated, November 2026). A single look promises 5%.
"""


def is_collecting(store: Store, dataset: str, judges: pd.DataFrame) -> bool:
    """Return whether an open campaign or an unfinished run still adds to the answers of these
    judges (`judge`, `kind`, `attribute`).
    """
    people = bool((judges["kind"] == Kind.HUMAN).any()) and any(
        store.annotator_stats.is_collecting(dataset, campaign.id)
        for campaign in store.campaigns.list_all(dataset)
    )
    asked = store.runs.judges_at_work(dataset)
    return people or bool(judges["judge"].isin(asked).any())


def is_rest(campaign: Campaign) -> bool:
    """Return whether a campaign asks about what judges were not trusted with."""
    return bool(campaign.choice.get("way") == REST)


def find_rest_campaigns(store: Store, dataset: str) -> list[Campaign]:
    """Find the campaigns about what judges were not trusted with, newest first."""
    every = sorted(store.campaigns.list_all(dataset), key=lambda one: -one.id)
    return [one for one in every if is_rest(one)]


def mark_rest(store: Store, dataset: str, frame: pd.DataFrame) -> pd.Series:
    """Mark the judgements that are votes on what judges were not trusted with."""
    return frame["campaign"].isin([one.id for one in find_rest_campaigns(store, dataset)])


def note_weighed(rest: pd.Series) -> list[str]:
    """Note how votes are weighed of which some are on the `rest`, as `mark_rest` has it."""
    if not rest.any():
        return []
    votes = f"{pluralize(int(rest.sum()), 'vote')} here"
    if rest.all():
        return [
            f"All {votes} are on pairs that judges were not trusted with, and speak for these "
            "alone."
        ]
    return [
        f"{votes[:1].upper()}{votes[1:]} are on pairs that judges were not trusted with. Each part "
        "of the pairs counts by its own votes."
    ]


MOST_LISTED = 5  # runs, or trials, that a note names
ASKED_BY_RUNS = (Kind.LLM.value, Kind.BASELINE.value)
"""The kinds whose answers a run asks for. What people and gold labels say belongs to none."""


@dataclass(frozen=True)
class Provenance:
    """Filter of answers: by run and strategy for models and baselines, by trial for everybody.
    Empty = all.
    """

    runs: tuple[int, ...] = ()
    trials: tuple[int, ...] = ()
    strategies: tuple[str, ...] = ()

    @property
    def by_run(self) -> bool:
        """Return whether runs or strategies are chosen."""
        return bool(self.runs or self.strategies)

    def signature_values(self) -> dict[str, object]:
        """Return the signature values of the filter."""
        return {name: "+".join(map(str, chosen)) for name, chosen in vars(self).items()}

    def chosen_runs(self, store: Store, dataset: str) -> AskingRuns | None:
        """Select the chosen runs: run, judge, trial, strategy; None = no restriction.

        Raises TandemError for a run or a strategy that the data set does not have.
        """
        if not self.by_run:
            return None
        runs = store.runs.load_asking(dataset)
        for name, chosen in (("run", self.runs), ("strategy", self.strategies)):
            there = list(dict.fromkeys(runs[name]))
            unknown = [value for value in chosen if value not in there]
            if unknown:
                raise TandemError(
                    f"{option_ref(name)} {unknown[0]}: data set {dataset!r} has no such run"
                    f"; there are {', '.join(map(str, there)) or 'none'}"
                )
        meant = runs[runs["run"].isin(self.runs or runs["run"])]
        meant = meant[meant["strategy"].isin(self.strategies or meant["strategy"])]
        if meant.empty:
            raise TandemError(
                f"none of the runs {', '.join(map(str, self.runs))} has "
                f"{option_ref('strategy')} {' or '.join(self.strategies)}"
            )
        return meant

    def answers(self, store: Store, dataset: str) -> NDArray[np.int64] | None:
        """Return the judgements (ids) of the chosen runs; None = no restriction. An answer that a
        run reused from an earlier run of the same judge belongs to both.
        """
        runs = self.chosen_runs(store, dataset)
        return None if runs is None else store.run_counts.judgements(runs["run"].tolist())

    def of_judgements(
        self, frame: pd.DataFrame, answers: NDArray[np.int64] | None, kind: str = "kind"
    ) -> pd.DataFrame:
        """The rows that count, of a frame with `judgement` (id), `kind` and `trial`; `answers` are
        those of the chosen runs.
        """
        if answers is not None:
            asked = frame[kind].isin(ASKED_BY_RUNS)
            frame = frame[~asked | frame["judgement"].isin(answers)]
        return self._of_trials(frame)

    def of_scores(self, store: Store, dataset: str, frame: pd.DataFrame) -> ScoreRows:
        """The rows of `Scores.all` that count."""
        runs = self.chosen_runs(store, dataset)
        if runs is not None:
            given = pd.MultiIndex.from_frame(frame[["rater", "trial"]])
            asked = given.isin(pd.MultiIndex.from_frame(runs[["judge", "trial"]]))
            frame = frame[~frame["kind"].isin(ASKED_BY_RUNS) | asked]
        return self._of_trials(frame)

    def _of_trials(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["trial"].isin(self.trials)] if self.trials else frame


def pooling_notes(frame: pd.DataFrame) -> list[str]:
    """A sentence for what is counted together although it was asked apart: several runs, or several
    trials, of one model or baseline; and what of it is simulated. `frame` has judge, kind, trial,
    run and campaign.
    """
    return [*describe_pooled(frame), *describe_simulated(frame)]


def describe_pooled(frame: pd.DataFrame) -> list[str]:
    """A sentence for what is counted together although it was asked apart."""
    asked = frame[frame["kind"].isin(ASKED_BY_RUNS)]
    return [
        *_note_pooled(asked, "run", "runs"),
        *_note_pooled(asked, "trial", "trials"),
        *_note_repeats(frame),
    ]


def describe_simulated(frame: pd.DataFrame) -> list[str]:
    """Warn that some votes are simulated."""
    mine = frame.loc[frame["kind"] == Kind.SIMULATED, "judge"]
    if mine.empty:
        return []
    whose = "a simulated voter" if mine.nunique() == 1 else "simulated voters"
    return [
        f"Simulated: {len(mine):,} of {len(frame):,} answers come from {whose}. A program drew "
        "them; no person read a text."
    ]


def _note_repeats(frame: pd.DataFrame) -> list[str]:
    again = (frame["kind"] == Kind.HUMAN) & (frame["trial"] > 0) & frame["campaign"].notna()
    if not again.any():
        return []
    return [
        f"{again.sum():,} answers of people are second ones to the same pair, and count too: "
        f"leave them out by {option_ref('trials')} 0."
    ]


def _note_pooled(asked: pd.DataFrame, column: str, plural: str) -> list[str]:
    by_judge = asked.dropna(subset=column).groupby("judge", sort=False)[column].unique()
    several = by_judge[by_judge.map(len) > 1]
    if several.empty:
        return []
    judge, numbers = several.index[0], several.iloc[0]
    listed = [str(number) for number in sorted(map(int, numbers))]
    more = f", and of {len(several) - 1} more judges" if len(several) > 1 else ""
    return [
        f"Answers of {len(numbers)} {plural} of {judge} are pooled: "
        f"{', '.join(listed[:MOST_LISTED])}{' ...' * (len(listed) > MOST_LISTED)}{more}."
    ]
