"""Attacking: the work of a run that measures how often an added sentence turns a judge's verdicts.

Each comparison is asked as it is, unless its judge has answered it; then with the sentence added to
either text, and with a harmless one of as many words. Candidates stay as they are in the store, and
what is answered to attacked ones is no judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from core.judging import ATTACKS, Attack, Judge, Scorer, ServerList, attacks, remake
from core.pairing import Pair, asked_about, at_least, begin, pairs_of
from core.pairing import Request as Pairs
from core.records import (
    Answer,
    Attacked,
    Attribute,
    JudgeSpec,
    Outcome,
    Question,
    TandemError,
    setting,
)
from core.runs.answering import Answering
from core.seeds import draw
from core.store import Chosen, RunRow, Store

NUMBER = 100
"""Comparisons of each attribute, unless told otherwise: about half are against a given side, and so
the share of verdicts that turn has an interval of at most 10 points either way.
"""
ITEMS = 500  # looked through at once for new pairs
SIDES = (Outcome.A, Outcome.B)


@dataclass(frozen=True)
class Request:
    """Which attacks on how many (`number`) comparisons of each of these attributes (none = all)."""

    dataset: str
    attacks: tuple[Attack, ...] = ()
    number: int = NUMBER
    attributes: tuple[str, ...] = ()
    subset: str = ""
    systems: tuple[str, ...] = ()
    samples: int = 1
    seed: int = 0
    trial: int = 0

    @property
    def pairs(self) -> Pairs:
        """The comparisons there are to choose from."""
        return Pairs(
            self.dataset, attributes=self.attributes, subset=self.subset, systems=self.systems,
            samples=self.samples,
        )  # fmt: skip

    def settings(self, said: Sequence[Said]) -> dict[str, Any]:
        """What a run is known by."""
        return {**vars(self), "attacks": [list(one) for one in said]}


Said = tuple[str, str, str]
"""An attack in a run: its name, its sentence, and that of its control."""


def checked(store: Store, request: Request, judge: Judge | Scorer) -> tuple[Request, Judge]:
    """The request with its attributes filled in, and who is attacked. Raises TandemError for what
    the data set does not have, and for a judge that compares no texts.
    """
    if isinstance(judge, Scorer):
        raise TandemError(
            f"{judge.spec.name} marks texts one by one: an attack needs a judge that compares two"
        )
    if not request.attacks:
        raise TandemError(f"name {setting('attack')}: {', '.join(ATTACKS)}")
    at_least(request, number=1, samples=1, trial=0, seed=0)
    attributes = asked_about(
        store, request.dataset, request.attributes, request.systems, request.subset
    )
    return replace(request, attributes=attributes), judge


def said_by(store: Store, request: Request, judge: JudgeSpec) -> list[Said]:
    """The sentences of a request with their controls: as many words as the judge reads of each."""
    context, candidate = store.datasets.nouns(request.dataset)
    example = Question(0, "", "", "", Attribute(""), context_noun=context, candidate_noun=candidate)
    found: dict[str, Said] = {}
    for attack in request.attacks:
        words = len(attacks.filled(attack.sentence, example, labels=judge.labels).split())
        found[attack.sentence] = attack.name, attack.sentence, attacks.control(words)
    return list(found.values())


def enqueue(
    store: Store, judge: Judge, request: Request, execution: Mapping[str, Any] | None = None
) -> int:
    """A queued run with its comparisons planned; the same request again gives the same run.

    They are drawn from what the judge has answered, items in turn, so that the answers it is
    measured by are those that other figures stand on. Where there are fewer, new ones are drawn:
    their answers without a sentence are judgements like any other. Raises TandemError as `checked`
    does, and where there is nothing to compare.
    """
    request, _ = checked(store, request, judge)
    settings = request.settings(said_by(store, request, judge.spec))
    with store.transaction():
        run = begin(store, request.dataset, "attack", settings, execution, judge.spec)
        if not store.runs.counts(run)["planned"]:
            _plan(store, run, request, store.judges.id_of(judge.spec.name))
    planned, done = Attacking.counts(store, store.runs.get(run))
    if done < planned:
        store.runs.requeue(run)
    return run


def _plan(store: Store, run: int, request: Request, judge: int) -> None:
    place = count()
    for attribute in request.attributes:
        answered = _answered(store, request, attribute, judge)
        wanted = request.number - len(answered)
        new = _new(store, request, wanted, set(answered)) if wanted > 0 else []
        # A probability of 0 leaves those that were answered the one they were asked with.
        rows = [(*pair, next(place), share) for pair, share in [
            *((pair, 0.0) for pair in answered), *new
        ]]  # fmt: skip
        attribute_id = store.datasets.attribute_id(request.dataset, attribute)
        store.runs.add_planned(run, attribute_id, rows)
    if not store.runs.counts(run)["planned"]:
        raise TandemError(
            f"data set {request.dataset!r} has no pair of two systems' texts to attack"
            f"{' among these' if request.systems or request.subset else ''}: import texts of at "
            "least two systems"
        )


def _answered(store: Store, request: Request, attribute: str, judge: int) -> list[Pair]:
    """At most so many comparisons as are wanted that the judge has answered: of every item one, of
    every item another ..., items and their comparisons in seeded order.
    """
    chosen = Chosen(request.dataset, request.systems, request.subset or None, request.samples)
    origin = store.datasets.origin(request.dataset)
    verdicts = store.attacks.verdicts(chosen, attribute, judge, request.trial)
    verdicts.sort(key=lambda one: draw(request.seed, origin, one.item, one.called))
    turn = Counter[str]()
    ordered = []
    for verdict in verdicts:
        turn[verdict.item] += 1
        at = turn[verdict.item], draw(request.seed, origin, verdict.item)
        ordered.append((at, (verdict.generation_a, verdict.generation_b)))
    return [pair for _, pair in sorted(ordered)[: request.number]]


def _new(store: Store, request: Request, number: int, known: set[Pair]) -> list[tuple[Pair, float]]:
    """So many comparisons that are not known, each in one order, with the share of all that they
    are: of every item as many, or nearly so, items in seeded order.
    """
    origin = store.datasets.origin(request.dataset)
    keys = store.datasets.keys(request.dataset, request.subset or None)
    keys = sorted(keys, key=lambda item: draw(request.seed, origin, item))
    both = known | {(second, first) for first, second in known}
    turns: list[list[Pair]] = []
    looked, seen = 0, 0
    for start in range(0, len(keys), ITEMS):
        some = keys[start : start + ITEMS]
        for item, pairs in pairs_of(store, request.pairs, some):
            left = [
                pair for pair in _shuffled(pairs, request.seed, origin, item) if pair not in both
            ]
            for turn, pair in enumerate(left[:number]):
                if turn == len(turns):
                    turns.append([])
                turns[turn].append(pair)
            seen += 2 * len(pairs)
        looked += len(some)
        if turns and len(turns[0]) >= number:
            break
    chosen = [pair for turn in turns for pair in turn][:number]
    every = seen * len(keys) / max(looked, 1)
    return [(pair, len(chosen) / every) for pair in chosen]


def _shuffled(pairs: Sequence[Pair], *what: object) -> list[Pair]:
    """The pairs of an item in seeded order, each with either text first."""
    places = sorted(range(len(pairs)), key=lambda place: draw(*what, place))
    turned = [draw(*what, place, "first") % 2 for place in places]
    return [
        (second, first) if turn else (first, second)
        for turn, (first, second) in zip(turned, (pairs[place] for place in places), strict=True)
    ]


class Attacking(Answering[Question, Answer]):
    """Comparisons as they are, where their judge has not answered them; then each of those that it
    did, with either text attacked by each sentence.
    """

    unit = "comparisons"

    def __init__(self, store: Store, run: RunRow, by: Judge | None = None) -> None:
        self._spec = store.judges.spec(run.judge)
        permit = ServerList(store.path).permit
        super().__init__(store, run, by or remake(self._spec, run.execution, permit))
        self._judge_id = store.judges.id_of(run.judge)
        self._sentences = sentences(run)

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]:
        plain = store.runs.counts(run.id)
        unanswered = sum(store.runs.failures(run.id).values())
        _, asked = store.attacks.counts(run.id, sentences(run))
        each = len(SIDES) * len(sentences(run))
        attacked = each * (plain["planned"] - unanswered)
        return plain["planned"] + attacked, plain["asked"] + asked

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]:
        every = Counter(store.runs.failures(run.id))
        every.update(store.attacks.failures(run.id, sentences(run)))
        return dict(every.most_common())

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow, kind: str = "") -> int:
        attacked = store.attacks.withdraw_failures(run.id, sentences(run), kind)
        return attacked + store.runs.withdraw_failures(run.id, kind)

    def left(self, n: int) -> list[Question]:
        plain = self._store.runs.pending(self._run.id, n)
        if plain:
            return plain
        return [
            attacks.attacked(question, side, sentence, self._spec.labels)
            for question, side, sentence in self._store.attacks.pending(
                self._run.id, self._sentences, n
            )
        ]

    def key(self, question: Question) -> Hashable:
        if isinstance(question, Attacked):
            return question.comparison, question.attacked, question.sentence
        return question.comparison

    def keep(self, answered: Sequence[tuple[Question, Answer]]) -> None:
        plain = [
            (question.comparison, answer)
            for question, answer in answered
            if not isinstance(question, Attacked)
        ]
        attacked = [
            (question, answer) for question, answer in answered if isinstance(question, Attacked)
        ]
        run, judge, trial = self._run.id, self._judge_id, self._run.trial
        with self._store.transaction():
            self._store.judgements.add_answers(run, judge, trial, plain, execution=self._execution)
            self._store.attacks.add_answers(run, judge, trial, attacked, execution=self._execution)


def sentences(run: RunRow) -> list[str]:
    """Every sentence that a stored run adds, controls among them, once."""
    said = [one for _, *pair in run.settings["attacks"] for one in pair]
    return list(dict.fromkeys(said))
