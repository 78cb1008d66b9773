"""The campaign that a command is about, and the order in which people are asked about its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import campaigns
from ..campaigns import ordering
from ..findings.judgements import Selection
from ..findings.separability import label_metrics
from ..pairing import DRAWS, BySeparability, Choice
from ..records import TandemError
from ..settings import Part, declare, redeclare
from ..store import Campaign, Store
from .output import CommandAnswer, warn

INFORMATIVE = "informative"
ORDERED = Part("--pairs-by", lambda values: values["pairs_by"])
DRAWN = Part(
    f"--pairs-by {'|'.join(DRAWS)}", lambda values: values["pairs_by"] in DRAWS, "pairs_by"
)
BINNED = Part(
    "--pairs-by stratified", lambda values: values["pairs_by"] == "stratified", "pairs_by"
)

Ordered = tuple[dict[str, Any], str]
"""What an order says as a document, and behind "people are asked"."""


@dataclass(frozen=True, kw_only=True)
class CampaignRequest:
    """The campaign of a data set that a command is about."""

    dataset: str
    name: str = declare(
        "", "the campaign (default: the one people get now)", metavar="NAME", is_positional=True
    )

    def find(self, store: Store) -> Campaign:
        """The campaign that is named; without a name the one people get now."""
        dataset, name = self.dataset, self.name
        named = store.campaigns.find(dataset, name) if name else campaigns.current(store, dataset)
        if named:
            return named
        there = ", ".join(repr(one.name) for one in store.campaigns.list_all(dataset))
        if not there:
            raise TandemError(
                f"data set {dataset!r} has no campaign: `campaign create NAME` opens one"
            )
        which = repr(name) if name else "that people get now"
        raise TandemError(f"data set {dataset!r} has no campaign {which}; it has {there}")


@dataclass(frozen=True, kw_only=True)
class OrderRequest(CampaignRequest):
    """In which order people are asked about the pairs of a campaign."""

    pairs_by: str = declare(
        "", "order of the pairs (default: random)", choices=(*DRAWS, INFORMATIVE)
    )
    separability: str = redeclare(Choice, "separability", list_choices=label_metrics, part=ORDERED)
    encoder: str = redeclare(Choice, "encoder", part=ORDERED)
    low: float = redeclare(Choice, "low", part=DRAWN)
    high: float = redeclare(Choice, "high", part=DRAWN)
    number: int | None = declare(None, "how many pairs", metavar="N", least=1, part=ORDERED)
    bins: int = redeclare(BySeparability, "bins", part=BINNED)
    judges: tuple[str, ...] = redeclare(Selection, "judges")
    seed: int = redeclare(Selection, "seed")

    def __post_init__(self) -> None:
        if self.pairs_by == INFORMATIVE and self.number is None:
            raise TandemError(
                f"--pairs-by {INFORMATIVE} needs --number N: how many pairs come first"
            )
        if self.pairs_by in DRAWS and not self.separability:
            raise TandemError(
                "--pairs-by needs --separability METRIC, such as bertscore-length, measured by "
                "`separability`"
            )

    @property
    def draws(self) -> BySeparability:
        """Build the draw of pairs by separability that the options ask for."""
        return BySeparability(self.pairs_by, self.number, self.low, self.high, self.bins)


def order(store: Store, request: OrderRequest) -> CommandAnswer:
    """Set the order in which a campaign's pairs are asked."""
    one = request.find(store)
    forgotten = ordering.forgotten(store, one)
    if not request.pairs_by:
        pairs = ordering.order_at_random(store, one)
        document: dict[str, Any] = {"ordering": "random", "pairs": pairs}
        text = f"about {pairs:,} pairs in random order"
    else:
        by_value = request.pairs_by == INFORMATIVE
        set_order = _order_by_value if by_value else _order_by_separability
        document, text = set_order(store, one, request)
    warn(forgotten)
    named = {"dataset": one.dataset, "campaign": one.name}
    return CommandAnswer({**named, **document}, f"{one.dataset}: people are asked {text}")


def _order_by_separability(store: Store, one: Campaign, request: OrderRequest) -> Ordered:
    measured = {"metric": request.separability, "encoder": request.encoder}
    drawn, unknown = ordering.first_by_separability(
        store, one, request.draws, **measured, seed=request.seed
    )
    left_out = f"; {unknown:,} pairs have no separability and could not be drawn" if unknown else ""
    named = f"{request.pairs_by}|{request.separability}"
    document = {"ordering": named, "pairs": drawn, "unknown": unknown}
    return document, f"about {drawn:,} pairs by separability first, then about the others{left_out}"


def _order_by_value(store: Store, one: Campaign, request: OrderRequest) -> Ordered:
    choice = Choice(
        dataset=one.dataset,
        way=INFORMATIVE,
        budget=request.number,
        origin=store.datasets.origin(one.dataset),
        judges=request.judges,
        separability=request.separability,
        encoder=request.encoder,
        seed=request.seed,
    )
    drawn, answered = campaigns.ordering.ask_first(store, one, choice)
    already = f"; {answered:,} more of those drawn have a vote already" if answered else ""
    return (
        {"ordering": INFORMATIVE, "pairs": drawn, "answered": answered},
        f"first about {drawn - answered:,} pairs whose votes are expected to tell most, then "
        f"about the others{already}",
    )
