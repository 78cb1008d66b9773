"""Settings of the replacement test."""

from __future__ import annotations

from dataclasses import dataclass

from ...records import TandemError, option_ref
from ...settings import check_choices, declare
from ...statistics import ALIGNMENT

TIES = {"category": "an answer of its own", "half": "agrees by half with either text"}


@dataclass(frozen=True)
class ReplaceSettings:
    """The annotators `people`, by names or kinds, also raters who give marks (none are those of
    `fill_sides`); and the terms of the
    alternative annotator test.
    """

    people: tuple[str, ...] = declare(
        (),
        "the annotators, or raters who give scores (default: people, else gold, else simulated)",
        metavar="human|simulated|gold|NAME",
    )
    epsilon: float = declare(
        0.1,
        "what an annotator costs more than the judge, in shares of items: 0.2 expert, 0.15 "
        "skilled, 0.1 crowd worker",
        metavar="E",
        least=0,
    )
    ties: str = declare(
        "category",
        "a tie is its own answer, or agrees by half with either text; contradictions between "
        "orders likewise",
        choices={name: TIES[name] for name in ALIGNMENT},
    )

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise TandemError(
                f"{option_ref('epsilon')} {self.epsilon:g} is not from 0 to 1: 0.2 suits experts, "
                "0.15 skilled annotators, 0.1 crowd workers"
            )
        check_choices(self)
