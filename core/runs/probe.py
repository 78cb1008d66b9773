"""Probing: the work of a run that asks a judge again about comparisons that it has answered, with
one text changed. Candidates stay as they are in the store, and what is answered to changed ones is
no judgement (docs/decisions/probes.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from ..judging import PROBES, Judge, Probe, Scorer, probes
from ..pairing import TextRequest, begin
from ..records import (
    Answer,
    Attribute,
    JudgeSpec,
    Outcome,
    ProbedComparison,
    Question,
    TandemError,
    option_ref,
)
from ..seeds import draw
from ..settings import declare
from ..store import RunRow, Store
from .answering import Ledger
from .compare import PlannedComparisons

SIDES = (Outcome.A, Outcome.B)


@dataclass(frozen=True)
class ProbeRequest(TextRequest):
    """Request to probe a judge, on at most `number` comparisons of each attribute."""

    probes: tuple[Probe, ...] = ()
    number: int = declare(
        100, "comparisons of each attribute", label="Comparisons of each attribute", metavar="N",
        least=1,
    )  # fmt: skip

    def expect(self, store: Store, judge: JudgeSpec) -> int:
        """Return the most comparisons that a judge will be asked."""
        attributes = self.attributes or store.datasets.attributes(self.dataset)
        asked = list_asked(pair_controls(store, self, judge))
        return self.number * len(attributes) * sum(map(_count_sides, asked))


def pair_controls(store: Store, request: ProbeRequest, judge: JudgeSpec) -> list[list[str]]:
    """Pair each probe with a control of as many words as the judge reads of its sentence.

    Each row is its name, what it is asked by, and the control, '' without a sentence.
    """
    context, candidate = store.datasets.nouns(request.dataset)
    example = Question(0, "", "", "", Attribute(""), context_noun=context, candidate_noun=candidate)
    rows = {}
    for probe in request.probes:
        added = probes.fill_sentence(probe.sentence, example, labels=judge.labels)
        asked = probe.sentence or probe.name
        rows[asked] = [probe.name, asked, probes.write_control(len(added.split()))]
    return list(rows.values())


def list_asked(rows: Sequence[Sequence[str]]) -> list[str]:
    """List what the rows of `pair_controls` ask by, controls among them."""
    return list(dict.fromkeys(one for _, *pair in rows for one in pair if one))


def enqueue(
    store: Store,
    judge: Judge | Scorer,
    request: ProbeRequest,
    execution: Mapping[str, Any] | None = None,
) -> int:
    """Queue a run on comparisons that the judge has answered; a repeated request gives the same
    run. Raises TandemError for what the data set does not have, for a judge that compares no texts,
    and for one that has answered nothing.
    """
    if isinstance(judge, Scorer):
        raise TandemError(
            f"{judge.spec.name} scores texts one by one: a probe needs a judge that compares two"
        )
    if not request.probes:
        raise TandemError(f"name {option_ref('probe')}: {', '.join(PROBES)}")
    request = request.fill_attributes(store)
    settings = {**vars(request), "attacks": pair_controls(store, request, judge.spec)}
    del settings["probes"]
    with store.transaction():
        run = begin(store, request.dataset, "attack", settings, execution, judge.spec)
        if not store.run_counts.counts(run)["planned"]:
            _plan(store, run, request, judge.spec.name)
        if any(probe.name == probes.ORDER for probe in request.probes):
            store.probes.copy_swapped(run, probes.ORDER)
    planned, done = Probing.ledger(store, store.runs.get(run)).counts()
    if done < planned:
        store.runs.requeue(run)
    return run


def _plan(store: Store, run: int, request: ProbeRequest, judge: str) -> None:
    """Plan comparisons that the judge has answered, of every item in turn, in seeded order."""
    frame = store.judgement_frames.load_all(
        request.dataset, subset=request.subset or None, systems=request.systems
    )
    texts = store.texts.generations(request.dataset, texts=False)
    known = texts.loc[(texts["available"] == 1) & (texts["sample"] < request.samples), "generation"]
    frame = frame[
        (frame["judge"] == judge) & (frame["trial"] == request.trial) & frame["outcome"].notna()
        & frame["order_known"].astype(bool) & frame["attribute"].isin(request.attributes)
        & frame[["generation_a", "generation_b"]].isin(set(known)).all(axis=1)
    ]  # fmt: skip
    if frame.empty:
        raise TandemError(
            f"{judge} has answered no comparison here that could be changed: let it judge first"
        )
    seed, place = (request.seed, store.datasets.origin(request.dataset)), count()
    about = ["item", "system_a", "system_b", "sample_a", "sample_b"]
    frame = frame.assign(
        drawn=[draw(*seed, *texts) for texts in frame[about].itertuples(index=False)],
        item_drawn=[draw(*seed, item) for item in frame["item"]],
    ).sort_values("drawn")
    frame["turn"] = frame.groupby(["attribute", "item"], observed=True).cumcount()
    for attribute, rows in frame.groupby("attribute", observed=True):
        rows = rows.sort_values(["turn", "item_drawn"])[: request.number]
        pairs = rows[["generation_a", "generation_b"]].itertuples(index=False, name=None)
        # A probability of 0 leaves these answers the one that they were asked with.
        planned = [(*pair, next(place), 0.0) for pair in pairs]
        attribute_id = store.datasets.attribute_id(request.dataset, str(attribute))
        store.runs.add_planned(run, attribute_id, planned)


class Probing(PlannedComparisons):
    """Work of a probe: each planned comparison with either text changed in each way; its order is
    changed once.
    """

    @staticmethod
    def ledger(store: Store, run: RunRow) -> Ledger:
        asked = list_asked(run.settings["attacks"])

        def count() -> tuple[int, int]:
            planned = len(store.probes.load_planned(run.id)) * sum(map(_count_sides, asked))
            return planned, len(store.probes.list_answered(run.id, asked))

        def count_failures() -> dict[str, int]:
            done = store.probes.list_answered(run.id, asked).values()
            return dict(Counter(filter(None, done)).most_common())

        withdraw = partial(store.probes.withdraw_failures, run.id, asked)
        return Ledger(count, count_failures, withdraw)

    def next_tasks(self, n: int) -> list[Question]:
        """Return up to `n` changed comparisons that are not asked."""
        asked = list_asked(self._run.settings["attacks"])
        systems = self._store.probes.load_planned(self._run.id)
        done = self._store.probes.list_answered(self._run.id, asked)
        left = [
            (comparison, side, how)
            for comparison in systems
            for how in asked
            for side in SIDES[-_count_sides(how) :]
            if (comparison, side, how) not in done
        ][:n]
        texts = self._store.runs.questions(self._run.id, list({one[0] for one in left}))
        question = {one.comparison: one for one in texts}
        return [
            probes.probe_question(
                question[comparison], side, how, systems[comparison][SIDES.index(side)],
                self._spec.labels,
            )
            for comparison, side, how in left
        ]  # fmt: skip

    def key(self, question: Question) -> Hashable:
        assert isinstance(question, ProbedComparison)
        return question.comparison, question.probed, question.asked

    def keep(self, answered: Sequence[tuple[Question, Answer]]) -> None:
        rows = [
            (question, _swap(answer) if question.asked == probes.ORDER else answer)
            for question, answer in answered
            if isinstance(question, ProbedComparison)
        ]
        self._store.probes.add_answers(
            self._run.id, self._judge_id, self._run.trial, rows, execution=self._execution
        )


def _count_sides(asked: str) -> int:
    return 1 if asked == probes.ORDER else 2


def _swap(answer: Answer) -> Answer:
    sides = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    prob = None if answer.prob_a is None else 1 - answer.prob_a
    outcome = sides.get(answer.outcome, answer.outcome) if answer.outcome else None
    return replace(answer, outcome=outcome, prob_a=prob)
