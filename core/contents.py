"""Contents of a data set, or of files: counts, who would lead, and what can be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from .findings.judgements import Selection
from .findings.leaderboard import RankSettings, choose_first_board, headline, leaderboard
from .importing import USUAL, Progress, Reading, UnusedColumnError, importer
from .labels import LISTED, NUMBERS, VOTES, join_names, pluralize
from .records import Dataset, Kind
from .settings import get_default
from .store import Store


@dataclass(frozen=True)
class Holding:
    """Counts of a data set.

    `texts` are those stored here. `by_people`, `by_models` and `by_simulated` count answers;
    `people`, `judges` and `simulated` count those who gave them. `wanted` counts votes that open
    campaigns still need. `sampled`: two systems have several texts of an item. `owned`: the viewer
    may decide about people. `source`: where the data set is from.
    """

    items: int = 0
    systems: int = 0
    texts: int = 0
    by_people: int = 0
    by_models: int = 0
    by_simulated: int = 0
    people: int = 0
    judges: int = 0
    simulated: int = 0
    scores: int = 0
    campaigns: int = 0
    wanted: int = 0
    sampled: bool = False
    owned: bool = False
    source: str = ""

    @property
    def answers(self) -> int:
        """Return the number of answers by people, models and simulated voters."""
        return self.by_people + self.by_models + self.by_simulated

    @property
    def is_comparable(self) -> bool:
        """True if there is something to compare: texts by two systems."""
        return self.texts > 1 and self.systems > 1


def read_holding(store: Store, dataset: str) -> Holding:
    """Read the counts of a data set, without its campaigns."""
    summary = store.datasets.summary()
    about = next(row for row in summary.to_dict("records") if row["dataset"] == dataset)
    answered = store.judgement_frames.count_answers(dataset)
    given = answered["asked"] - answered["failed"]
    people, simulated = (answered["kind"] == kind for kind in (Kind.HUMAN, Kind.SIMULATED))
    models = ~people & ~simulated
    return Holding(
        items=int(about["items"]),
        systems=int(about["systems"]),
        texts=int(about["generations"]),
        by_people=int(given[people].sum()),
        by_models=int(given[models].sum()),
        by_simulated=int(given[simulated].sum()),
        people=int(people.sum()),
        judges=int(models.sum()),
        simulated=int(simulated.sum()),
        scores=int(about["scores"]),
        sampled=store.similarities.sampled_systems(dataset) > 1,
        source=" · ".join(filter(None, (about["source"], about["licence"]))),
    )


class Ability(NamedTuple):
    """A command, what it needs of a data set, and whether that is there."""

    command: str
    needs: str
    is_possible: Callable[[Holding], bool]


ABILITIES = (
    Ability("rank", "votes", lambda held: held.answers > 0),
    Ability(
        "agreement", "two judges or people",
        lambda held: held.people + held.judges + held.simulated > 1,
    ),
    Ability("bias", "verdicts of a model", lambda held: held.by_models > 0),
    Ability(
        "combine", "votes by people and by models",
        lambda held: held.by_people > 0 and held.by_models > 0,
    ),
    Ability("correlate", "scores", lambda held: held.scores > 0),
    Ability("judge", "texts by two systems", lambda held: held.is_comparable),
    Ability(
        "separability", "several texts of an item by each of two systems",
        lambda held: held.sampled,
    ),
)  # fmt: skip
"""What can be done with a data set."""


def describe_holding(held: Holding) -> str:
    """Describe the counts of a data set: 24 items, 4 systems, 96 texts. 240 votes by 4 people."""
    there = [pluralize(held.items, "item"), pluralize(held.systems, "system")]
    there += [pluralize(held.texts, "text")] * bool(held.texts)
    given = [
        f"{pluralize(held.by_people, 'vote')} by {_people(held.people)}" * bool(held.by_people),
        f"{pluralize(held.by_models, 'answer')} by {pluralize(held.judges, 'judge')}"
        * bool(held.by_models),
        f"{pluralize(held.by_simulated, VOTES[Kind.SIMULATED])} of "
        f"{pluralize(held.simulated, 'annotator')}" * bool(held.by_simulated),
        pluralize(held.scores, "score") * bool(held.scores),
    ]
    answers = list(filter(None, given)) or ["No judgement yet"]
    said = f"{join_names(there)}. {join_names(answers)}."
    if held.answers and not held.texts:
        said += " The texts they are about are not here."
    return f"{said} {describe_wanted(held)}" if held.wanted else said


def describe_study(store: Store, dataset: str, held: Holding) -> str:
    """Say what is compared, and in what; '' without two systems and a question."""
    attributes = store.datasets.attributes(dataset)
    if held.systems < 2 or not attributes:
        return ""
    context, candidate = store.datasets.nouns(dataset)
    of = "item" if context == get_default(Dataset, "context_noun") else context
    systems = NUMBERS[held.systems] if held.systems < len(NUMBERS) else f"{held.systems:,}"
    compared = f"{systems.capitalize()} systems on {pluralize(held.items, of)}: "
    if len(attributes) == 1 and (question := attributes[0].question):
        return f"{compared}{question[:1].lower()}{question[1:]}"
    listed = attributes[:LISTED]
    are_adjectives = all(attribute.adjective for attribute in listed)
    asked = [each.adjective if are_adjectives else each.name for each in listed]
    better = f"{', '.join(asked[:-1])} or {asked[-1]}" if len(asked) > 1 else asked[0]
    further = len(attributes) - len(asked)
    more = f", and {further} more questions" if further else ""
    is_what = "more" if are_adjectives else "better by"
    return f"{compared}which {candidate} is {is_what} {better}{more}?"


def describe_wanted(held: Holding) -> str:
    """Describe how many votes the open campaigns still want."""
    return f"{pluralize(held.wanted, 'vote')} {'is' if held.wanted == 1 else 'are'} still wanted."


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


@dataclass(frozen=True)
class FileContents:
    """Contents of files: the report of their import, their counts, and who would lead ('' without
    answers). `questions` are those about columns that an import asks first; the contents are
    without these columns.
    """

    report: importer.ImportReport
    held: Holding
    lead: str
    questions: tuple[UnusedColumnError, ...] = ()


def look_at_files(
    paths: Sequence[Path], reading: Reading = USUAL, *, progress: Progress | None = None
) -> FileContents:
    """Read files as an import would, into a store in memory that nobody else sees.

    Raises TandemError where an import would refuse them for more than a column that is not used.
    """
    questions = list[UnusedColumnError]()
    while True:
        try:
            return replace(_read_files(paths, reading, progress), questions=tuple(questions))
        except UnusedColumnError as question:
            questions.append(question)
            reading = replace(reading, unused=(*reading.unused, question.column))


def _read_files(paths: Sequence[Path], reading: Reading, progress: Progress | None) -> FileContents:
    name = "files"
    with closing(Store(Path(":memory:"))) as store:
        given = {"progress": progress} if progress else {}
        report = importer.load(store, paths, Dataset(name), reading, **given)
        first, lead = choose_first_board(store, Selection(name)), ""
        if first.judges:
            lead = headline.headline(leaderboard(store, first, RankSettings()))
        return FileContents(report, read_holding(store, name), lead)
