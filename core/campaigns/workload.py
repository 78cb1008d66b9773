"""The workload of a campaign: how many people, how long for each, and whether that is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..findings.people import flag_annotators
from ..labels import describe_duration, pluralize
from ..statistics import vote_planning
from ..store import Store
from .asking import REPEAT_AFTER
from .design import Design
from .opening import CampaignOutlook

USUAL_SECONDS = 20.0
"""What an answer takes where nobody has given one yet."""


@dataclass(frozen=True)
class Workload:
    """Workload of a campaign: people, questions and time.

    Each of `people` answers `questions` (checks and second answers among them), at so many
    `seconds` an answer; together the campaign wants `votes`. `spare` is how many more they may
    give, negative where some are missing. `fewest` people are enough. `detects` is the least share
    of pairs on which one of two systems must be preferred for a difference to be found, None where
    nothing can be.
    """

    pairs: int
    votes: int
    people: int
    fewest: int
    questions: int
    seconds: float
    spare: int
    detects: float | None

    @property
    def minutes_each(self) -> float:
        """Minutes that each person needs for their questions."""
        return self.questions * self.seconds / 60

    def document(self) -> dict[str, Any]:
        """Return the workload as a JSON object."""
        return {**asdict(self), "minutes_each": self.minutes_each}


def estimate_workload(
    outlook: CampaignOutlook, design: Design, *, seconds: float = USUAL_SECONDS
) -> Workload:
    """Share the pairs out among the people of a design, each at most as often as its overlap.

    Where the design names no number of people, they are the fewest that are enough.
    """
    pairs, checks = outlook.pairs, outlook.checks
    votes = pairs * design.overlap
    each = _count_at_most(pairs, design, checks)
    fewest = max(design.overlap, math.ceil(votes / each)) if each else 0
    people = design.people or fewest
    share = min(math.ceil(votes / people), each) if people else 0
    questions = round(share * (1 + design.repeat_share)) + min(checks, share // design.check_every)
    if design.quota is not None:
        questions = min(questions, design.quota)
    detects = None
    if outlook.systems > 1 and pairs:
        of_attribute = pairs / outlook.attributes
        detects = vote_planning.find_detectable_share(of_attribute, outlook.systems)
    return Workload(
        pairs, votes, people, fewest, questions, seconds,
        spare=people * each - votes if design.quota or people < fewest else 0,
        detects=detects,
    )  # fmt: skip


def get_pace(store: Store, dataset: str) -> float:
    """Return the seconds that people took for an answer so far, or a guess.

    Annotators whose votes should be read before they count, and excluded ones, are left out.
    """
    flagged = flag_annotators(store, dataset)
    pace = store.progress.pace(dataset, [*flagged, *store.exclusions.kinds(dataset)])
    return USUAL_SECONDS if pace is None else pace


def _count_at_most(pairs: int, design: Design, checks: int) -> int:
    """Count the pairs one person answers at most.

    Among the questions they may get, one after every `check_every` is a check, and some are pairs
    that they answered at least ten others ago.
    """
    if design.quota is None:
        return pairs
    answers = design.quota - min(checks, design.quota // (design.check_every + 1))
    later, share = max(0, answers - REPEAT_AFTER[0]), design.repeat_share
    return min(pairs, answers - round(later * share / (1 + share)))


def count_people_needed(size: Mapping[str, int], design: Design, checks: int = 0) -> int:
    """Count the further people needed for the votes that a campaign of this size lacks, if each
    does as much as the design expects of one.
    """
    missing = max(size["wanted"] - size["given"], 0)
    share = math.ceil(size["wanted"] / (design.people or design.overlap))
    each = min(share, _count_at_most(size["pairs"], design, checks))
    return math.ceil(missing / each) if missing and each else 0


def describe_workload(workload: Workload, design: Design) -> list[str]:
    """Describe in sentences what a campaign takes, whether it is enough, and what it will show."""
    if not workload.pairs:
        return ["There is no pair to ask about."]
    people = "1 person" if workload.people == 1 else f"{workload.people:,} people"
    about = f"{people}, about {describe_duration(60 * workload.minutes_each)} each"
    return [
        f"{about}{_say_spare(workload, design)}.",
        f"{pluralize(workload.pairs, 'pair')}, {pluralize(workload.votes, 'vote')}: "
        f"{describe_duration(workload.people * workload.minutes_each * 60)} in all, "
        f"at {workload.seconds:.0f} s a vote.",
        *_say_detects(workload),
    ]


def _say_spare(workload: Workload, design: Design) -> str:
    if workload.people < design.overlap:
        return f": too few for {design.overlap} answers to each pair"
    if workload.spare < 0:
        return f", {-workload.spare:,} votes short: {workload.fewest:,} people are enough"
    return f", {workload.spare:,} votes to spare" if design.quota else ""


def _say_detects(workload: Workload) -> list[str]:
    share = workload.detects
    if share is None:
        return []
    if share > 0.995:
        return ["That is too few pairs to tell two systems apart."]
    return [
        f"Tells two systems apart where one is preferred on {share:.0%} of the pairs or more "
        "(4 chances in 5)."
    ]
