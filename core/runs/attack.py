"""Attacking: the work of a run that measures how often an added sentence turns a judge's verdicts.

Each comparison is asked as it is, unless its judge has answered it; then with the sentence added to
either text, and with a harmless one of as many words. Candidates stay as they are in the store, and
what is answered to attacked ones is no judgement (docs/decisions/attacks.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby, islice, zip_longest
from typing import Any

from ..judging import ATTACKS, Attack, Judge, Scorer, attacks
from ..pairing import Pair, TextRequest, begin, pairs_of
from ..pairing import Request as Pairs
from ..records import (
    Answer,
    AttackedComparison,
    Attribute,
    JudgeSpec,
    Outcome,
    Question,
    TandemError,
    option_ref,
)
from ..seeds import draw
from ..settings import declare
from ..store import ChosenGenerations, RunRow, Store
from .compare import PlannedComparisons

ITEMS = 500  # looked through at once for new pairs
SIDES = (Outcome.A, Outcome.B)


@dataclass(frozen=True)
class AttackRequest(TextRequest):
    """Request to attack a judge: the attacks, and the `number` of comparisons of each attribute
    (none = all attributes).

    About half of 100 comparisons are against a given side. The interval of the share of verdicts
    that turn is then at most 10 points either way.
    """

    attacks: tuple[Attack, ...] = ()
    number: int = declare(
        100, "comparisons of each attribute", label="Comparisons of each attribute", metavar="N",
        least=1,
    )  # fmt: skip

    @property
    def pairs(self) -> Pairs:
        """The comparisons there are to choose from."""
        return Pairs(
            self.dataset, attributes=self.attributes, subset=self.subset, systems=self.systems,
            samples=self.samples,
        )  # fmt: skip

    def expect(self, store: Store, judge: JudgeSpec) -> int:
        """Return the most comparisons that a judge will be asked."""
        sentences = {one for _, *pair in pair_controls(store, self, judge) for one in pair}
        attributes = self.attributes or store.datasets.attributes(self.dataset)
        return self.number * len(attributes) * (1 + len(SIDES) * len(sentences))


def check_request(
    store: Store, request: AttackRequest, judge: Judge | Scorer
) -> tuple[AttackRequest, Judge]:
    """Return the request with its attributes filled in, and the attacked judge.

    Raises TandemError for what the data set does not have, and for a judge that compares no texts.
    """
    if isinstance(judge, Scorer):
        raise TandemError(
            f"{judge.spec.name} scores texts one by one: an attack needs a judge that compares two"
        )
    if not request.attacks:
        raise TandemError(f"name {option_ref('attack')}: {', '.join(ATTACKS)}")
    return request.fill_attributes(store), judge


def pair_controls(store: Store, request: AttackRequest, judge: JudgeSpec) -> list[list[str]]:
    """Pair each attack of a request with a control of as many words as the judge reads of it.

    Each row is its name, its sentence and that of the control.
    """
    context, candidate = store.datasets.nouns(request.dataset)
    example = Question(0, "", "", "", Attribute(""), context_noun=context, candidate_noun=candidate)
    found = {}
    for attack in request.attacks:
        words = len(attacks.fill_sentence(attack.sentence, example, labels=judge.labels).split())
        found[attack.sentence] = [attack.name, attack.sentence, attacks.control(words)]
    return list(found.values())


def enqueue(
    store: Store, judge: Judge, request: AttackRequest, execution: Mapping[str, Any] | None = None
) -> int:
    """Queue a run with its comparisons planned; a repeated request gives the same run.

    They are drawn from what the judge has answered, items in turn, so that the answers it is
    measured by are those that other figures use. Where there are fewer, new ones are drawn: their
    answers without a sentence are judgements like any other. Raises TandemError as `check_request`
    does, and where there is nothing to compare.
    """
    request, _ = check_request(store, request, judge)
    settings = {**vars(request), "attacks": pair_controls(store, request, judge.spec)}
    with store.transaction():
        run = begin(store, request.dataset, "attack", settings, execution, judge.spec)
        if not store.run_counts.counts(run)["planned"]:
            _plan(store, run, request, store.judges.id_of(judge.spec.name))
    planned, done = Attacking.counts(store, store.runs.get(run))
    if done < planned:
        store.runs.requeue(run)
    return run


def _plan(store: Store, run: int, request: AttackRequest, judge: int) -> None:
    place = count()
    for attribute in request.attributes:
        answered = _draw_answered(store, request, attribute, judge)
        wanted = request.number - len(answered)
        new = _draw_new(store, request, wanted, set(answered)) if wanted > 0 else []
        # A probability of 0 leaves those that were answered the one they were asked with.
        chosen = [*((pair, 0.0) for pair in answered), *new]
        rows = [(*pair, next(place), share) for pair, share in chosen]
        attribute_id = store.datasets.attribute_id(request.dataset, attribute)
        store.runs.add_planned(run, attribute_id, rows)
    if not store.run_counts.counts(run)["planned"]:
        raise TandemError(
            f"data set {request.dataset!r} has no pair of two systems' texts to attack"
            f"{' among these' if request.systems or request.subset else ''}: import texts of at "
            "least two systems"
        )


def _draw_answered(store: Store, request: AttackRequest, attribute: str, judge: int) -> list[Pair]:
    """Draw at most the wanted number of comparisons that the judge has answered.

    Items and their comparisons are in seeded order.
    """
    chosen = ChosenGenerations(
        request.dataset, request.systems, request.subset or None, request.samples
    )
    seeded = request.seed, store.datasets.origin(request.dataset)
    verdicts = sorted(
        store.attacks.verdicts(chosen, attribute, judge, request.trial),
        key=lambda one: (draw(*seeded, one.item), one.item, draw(*seeded, one.item, one.called)),
    )
    items = groupby(verdicts, key=lambda one: one.item)
    return _take_in_turn(
        [[(one.generation_a, one.generation_b) for one in of] for _, of in items], request.number
    )


def _draw_new(
    store: Store, request: AttackRequest, number: int, known: set[Pair]
) -> list[tuple[Pair, float]]:
    """Draw `number` comparisons that are not known, each in one order.

    Items come in seeded order. Each comparison is returned with the share of all that was drawn.
    """
    seeded = request.seed, store.datasets.origin(request.dataset)
    keys = store.datasets.keys(request.dataset, request.subset or None)
    keys = sorted(keys, key=lambda item: draw(*seeded, item))
    both = known | {(second, first) for first, second in known}
    items: list[list[Pair]] = []
    looked, seen = 0, 0
    for start in range(0, len(keys), ITEMS):
        some = keys[start : start + ITEMS]
        for item, pairs in pairs_of(store, request.pairs, some):
            left = [pair for pair in _shuffle(pairs, *seeded, item) if pair not in both]
            items += [left] if left else []
            seen += 2 * len(pairs)
        looked += len(some)
        if len(items) >= number:
            break
    chosen = _take_in_turn(items, number)
    every = seen * len(keys) / max(looked, 1)
    return [(pair, len(chosen) / every) for pair in chosen]


def _take_in_turn(items: Sequence[Sequence[Pair]], number: int) -> list[Pair]:
    """Take `number` pairs: the first of each item, then the second of each that has one, and
    so on.
    """
    turns = (pair for turn in zip_longest(*items) for pair in turn if pair)
    return list(islice(turns, number))


def _shuffle(pairs: Sequence[Pair], *what: object) -> list[Pair]:
    """Shuffle the pairs of an item by the seed, and which text of each is first."""
    places = sorted(range(len(pairs)), key=lambda place: draw(*what, place))
    turned = [draw(*what, place, "first") % 2 for place in places]
    return [
        (second, first) if turn else (first, second)
        for turn, (first, second) in zip(turned, (pairs[place] for place in places), strict=True)
    ]


class Attacking(PlannedComparisons):
    """Work of an attack on a judge.

    Comparisons are first asked as they are, where their judge has not answered them. Each answered
    one is then asked with either text attacked by each sentence.
    """

    @staticmethod
    def counts(store: Store, run: RunRow) -> tuple[int, int]:
        """Count the comparisons and their attacks: (planned, asked).

        Both texts of each answered comparison are attacked with each sentence.
        """
        planned, asked = PlannedComparisons.counts(store, run)
        answered = planned - sum(PlannedComparisons.failures(store, run).values())
        sentences = list_sentences(run)
        attacked = len(SIDES) * len(sentences) * answered
        return planned + attacked, asked + store.attacks.count_asked(run.id, sentences)

    @staticmethod
    def failures(store: Store, run: RunRow) -> dict[str, int]:
        """Map each reason for no answer to its number, most frequent first, attacks included."""
        every = Counter(PlannedComparisons.failures(store, run))
        every.update(store.attacks.failures(run.id, list_sentences(run)))
        return dict(every.most_common())

    @staticmethod
    def withdraw_failures(store: Store, run: RunRow, kind: str = "") -> int:
        """Take back all failures, or those of one `kind`; return how many."""
        attacked = store.attacks.withdraw_failures(run.id, list_sentences(run), kind)
        return attacked + PlannedComparisons.withdraw_failures(store, run, kind)

    def next_tasks(self, n: int) -> list[Question]:
        """Return up to `n` comparisons that are not asked; when none is left, attacks."""
        return super().next_tasks(n) or [
            attacks.attack_question(question, side, sentence, self._spec.labels)
            for question, side, sentence in self._store.attacks.list_pending(
                self._run.id, list_sentences(self._run), n
            )
        ]

    def key(self, question: Question) -> Hashable:
        """Return what identifies a comparison, or an attack on it."""
        if isinstance(question, AttackedComparison):
            return question.comparison, question.attacked, question.sentence
        return super().key(question)

    def keep(self, answered: Sequence[tuple[Question, Answer]]) -> None:
        """Store answers; those to attacks in a table of their own."""
        with self._store.transaction():
            super().keep([one for one in answered if not isinstance(one[0], AttackedComparison)])
            self._store.attacks.add_answers(
                self._run.id,
                self._judge_id,
                self._run.trial,
                [(one, answer) for one, answer in answered if isinstance(one, AttackedComparison)],
                execution=self._execution,
            )


def list_sentences(run: RunRow) -> list[str]:
    """List the distinct sentences that a stored run adds, controls among them."""
    return list(dict.fromkeys(one for _, *pair in run.settings["attacks"] for one in pair))
