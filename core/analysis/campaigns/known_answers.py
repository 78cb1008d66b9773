"""Pairs whose answer is known, as a table tells them: for training, and to see who reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.records import TandemError
from core.seeds import draw
from core.store import Campaign, Check, Store

ROLES = ("training", "gold")
COLUMNS = "item, better, worse; and attribute, role (training or gold), tie, feedback"

LEAST_WORDS = 8
"""Of a text whose words are put in disorder: fewer may still make sense."""


def from_rows(
    store: Store, campaign: Campaign, rows: Iterable[Mapping[str, object]]
) -> list[Check]:
    """Checks from rows of a table: item, better, worse (systems; with `tie` neither is), and, where
    they are there, attribute (else each of the campaign), role and feedback.

    Raises TandemError naming the row and what is wrong with it, before anything is stored.
    """
    return [
        check
        for number, row in enumerate(rows, start=1)
        for check in _checks(store, campaign, number, {k: _text(v) for k, v in row.items()})
    ]


def _checks(store: Store, campaign: Campaign, number: int, row: Mapping[str, str]) -> list[Check]:
    missing = [name for name in ("item", "better", "worse") if not row.get(name)]
    if missing:
        raise TandemError(
            f"row {number} of the known answers has no {missing[0]}: it takes the columns {COLUMNS}"
        )
    role = row.get("role") or "gold"
    if role not in ROLES:
        raise TandemError(f"row {number} has the role {role!r}: it is training or gold")
    asked = store.campaigns.attributes(campaign.id)
    attributes = [row["attribute"]] if row.get("attribute") else asked
    if attributes[0] not in asked:
        raise TandemError(
            f"row {number} is about {attributes[0]!r}; campaign {campaign.name!r} asks about "
            f"{', '.join(asked)}"
        )
    better, worse = (
        _generation(store, campaign, number, row["item"], row[side]) for side in ("better", "worse")
    )
    tie = row.get("tie", "").lower() in ("1", "true", "yes", "tie")
    return [
        Check(
            role,
            store.datasets.attribute_id(campaign.dataset, attribute),
            better,
            worse,
            "tie" if tie else "1",
            row.get("feedback", ""),
        )
        for attribute in attributes
    ]


def attention(store: Store, campaign: Campaign, number: int, *, seed: int = 0) -> list[Check]:
    """So many attention checks: a text of the campaign beside its own words in disorder. Raises
    TandemError when it has too few texts that are long enough.
    """
    texts = {
        generation: text
        for generation, text in store.campaigns.texts(campaign.id)
        if len(text.split()) >= LEAST_WORDS or len(text) >= 5 * LEAST_WORDS
    }
    if len(texts) < number:
        raise TandemError(
            f"campaign {campaign.name!r} has {len(texts)} texts of {LEAST_WORDS} words or more: "
            f"ask for at most as many attention checks, not {number}"
        )
    taken = sorted(texts, key=lambda generation: draw(seed, "attention", generation))[:number]
    attributes = [
        store.datasets.attribute_id(campaign.dataset, name)
        for name in store.campaigns.attributes(campaign.id)
    ]
    return [
        Check("attention", attributes[place % len(attributes)], generation, None, "1")
        for place, generation in enumerate(taken)
    ]


def _generation(store: Store, campaign: Campaign, number: int, item: str, system: str) -> int:
    generation = store.datasets.generation_id(campaign.dataset, item, system)
    if generation is None:
        raise TandemError(
            f"row {number}: data set {campaign.dataset!r} has no text of {system!r} on item "
            f"{item!r}"
        )
    return generation


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value).strip()
