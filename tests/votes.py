"""Votes as tests write them, and the way they come into a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from core import records
from core.moments import parse_moment
from core.records import Answer, Kind
from core.store import Store


class SourceRow(NamedTuple):
    """Where a vote comes from, and what tells it from all others that come from there."""

    source: str = ""
    mark: int | None = None
    occurrence: int | None = None


NO_SOURCE = SourceRow()


@dataclass(frozen=True)
class Vote:
    """An answer to a comparison; A is the text shown first. `kind` is its judge's, for readers."""

    item: str
    system_a: str
    system_b: str
    judge: str
    answer: Answer
    kind: Kind = Kind.HUMAN
    attribute: str = "overall"
    sample_a: int = 0
    sample_b: int = 0
    order_known: bool = True
    source_row: SourceRow = NO_SOURCE
    created_at: str = ""

    @property
    def row(self) -> records.Vote:
        answer, (_, mark, occurrence) = self.answer, self.source_row
        return records.Vote(
            self.item, self.system_a, self.system_b, self.judge, self.attribute, self.sample_a,
            self.sample_b, answer.outcome, answer.failure, self.order_known, answer.prob_a,
            answer.raw, answer.strength, answer.confidence, answer.seconds, answer.comment,
            parse_moment(self.created_at), mark, occurrence,
        )  # fmt: skip


def add_votes(store: Store, dataset: str, votes: Iterable[Vote]) -> tuple[int, int]:
    """How many comparisons and judgements of these votes are new."""
    added = [
        store.imported_votes.add(dataset, [vote.row for vote in of_source], source)
        for source, of_source in groupby(votes, key=lambda vote: vote.source_row.source)
    ]
    return sum(new for new, _ in added), sum(new for _, new in added)
