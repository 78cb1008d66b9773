"""Campaigns: their pairs, their design and their status."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from ..records import TandemError
from .connection import StorePart, make_timestamp
from .datasets import Datasets

NEXT_NUMBER = """(SELECT 1 + max(seq) FROM sqlite_sequence
    WHERE name IN ('campaign_attributes', 'runs'))"""
"""The number of the next attribute of a campaign, or run: none has that of another."""

MOST_VOTES = "(CASE WHEN p.strategy = 'active' THEN p.budget * p.overlap END)"
"""How many votes an attribute p of a campaign takes, of whichever pairs; NULL where every
pair gets its own.
"""

GIVEN_VOTES = """(SELECT coalesce(sum(c.pairs * min(c.votes, p.overlap)), 0) FROM vote_counts c
    WHERE c.campaign_attribute = p.id)"""
"""The votes that an attribute p of a campaign has, none counted beyond what its pair wants."""

WANTED_VOTES = f"""(SELECT min(sum(c.pairs) * p.overlap,
        coalesce({MOST_VOTES}, sum(c.pairs) * p.overlap))
    FROM vote_counts c WHERE c.campaign_attribute = p.id)"""
"""The votes that an attribute p of a campaign asks for in all; NULL where it has no pairs."""


@dataclass(frozen=True)
class Campaign:
    """A campaign as it is stored.

    `status` is open, paused or closed. `design` is how it asks people, in values of JSON. `choice`
    is how its pairs were chosen, by the names of `CHOICE`. The campaign that import opens has no
    choice: it asks about all pairs.
    """

    id: int
    dataset: str
    name: str
    status: str
    design: Mapping[str, Any]
    choice: Mapping[str, Any]
    created_at: str

    @property
    def open(self) -> bool:
        """Return whether it asks people anything."""
        return self.status == "open"

    @property
    def is_closed(self) -> bool:
        """Return whether nobody can change an answer any more."""
        return self.status == "closed"


class PlannedPair(NamedTuple):
    """A pair of generations that people are to be asked about.

    It has its place in the order and the probability that it was drawn. `stratum` is the
    `stratum_of` its two systems, 0 where that plays no part. Pairs of one `bundle` go to the same
    person, 0 = no bundle.
    """

    generation_1: int
    generation_2: int
    priority: int
    probability: float = 1.0
    stratum: int = 0
    bundle: int = 0


def stratum_of(system: int, other: int) -> int:
    """Return one number for two systems (rows), in either order."""
    return min(system, other) << 31 | max(system, other)


ALL_PAIRS = "all pairs"
"""The name of the campaign that import opens, until somebody gives it another."""

LONGEST_NAME = 60

_LISTS = ("attributes", "systems", "pairs", "judges", "settled", "trusted")
CHOICE = (
    *("way", *_LISTS, "against", "subset", "samples", "budget", "seed", "separability", "encoder"),
    *("draw", "low", "high", "judge", "gap", "origin", "item_set"),
    *("accept_error", "certainty", "signal"),
)
"""The columns that say how the pairs of a campaign were chosen."""

_COLUMNS = f"id, dataset, name, status, design, created_at, {', '.join(CHOICE)}"


class Campaigns(StorePart):
    """Campaigns, which ask people about pairs of texts by attributes."""

    def add(
        self,
        dataset: str,
        name: str,
        *,
        design: Mapping[str, Any] = MappingProxyType({}),
        choice: Mapping[str, Any] = MappingProxyType({}),
    ) -> Campaign:
        """Add a campaign; a `choice` has each of `CHOICE`. Raises TandemError for a taken name."""
        with self._db.transaction():
            values = {
                "dataset": dataset,
                "name": self._check_name(dataset, name),
                "design": json.dumps(dict(design)),
                "created_at": make_timestamp(),
                **({key: choice[key] for key in CHOICE} if choice else {}),
                **{key: json.dumps(choice[key]) for key in _LISTS if choice},
            }
            return self.get(self._db.insert_row("campaigns", values))

    def _check_name(self, dataset: str, name: str, of: int | None = None) -> str:
        """Return a name that a campaign, or the one `of` this row, may have."""
        name = check_shown_name(name, "a campaign")
        namesake = self.find(dataset, name)
        if namesake and namesake.id != of:
            raise TandemError(
                f"data set {dataset!r} has a campaign {name!r} already: use another name"
            )
        return name

    def _select(self, where: str, *values: object) -> list[Campaign]:
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM campaigns WHERE {where} ORDER BY id", values)
        return [_campaign(row) for row in rows]

    def get(self, campaign: int) -> Campaign:
        """Return the campaign of that row. Raises TandemError for an unknown one."""
        for found in self._select("id = ?", campaign):
            return found
        raise TandemError(f"there is no campaign number {campaign}")

    def find(self, dataset: str, name: str) -> Campaign | None:
        """Return the campaign of that name in a data set; None for an unknown one."""
        return next(iter(self._select("dataset = ? AND name = ?", dataset, name)), None)

    def default(self, dataset: str) -> Campaign:
        """Return the campaign of all pairs, which import opens; add it if it is missing."""
        with self._db.transaction():
            known = next((one for one in self.list_all(dataset) if not one.choice), None)
            return known or self.add(dataset, ALL_PAIRS)

    def list_all(self, dataset: str) -> list[Campaign]:
        """List the campaigns of a data set, oldest first."""
        return self._select("dataset = ?", dataset)

    def edit(self, campaign: int, *, name: str, design: Mapping[str, Any], overlap: int) -> None:
        """Change name, design and number of votes a pair; answers stay as they are.

        Raises TandemError for an empty name, and for that of another campaign of the data set.
        """
        with self._db.transaction():
            name = self._check_name(self.get(campaign).dataset, name, campaign)
            self._db.update_row("campaigns", campaign, name=name, design=json.dumps(dict(design)))
            self._db.execute(
                "UPDATE campaign_attributes SET overlap = ? WHERE campaign = ?", (overlap, campaign)
            )

    def set_budget(self, campaign: int, budget: int | None) -> None:
        """Set how many pairs it asks about for each attribute; None = all.

        The number stored with an attribute counts the pairs of several samples each by itself.
        """
        with self._db.transaction():
            self._db.update_row("campaigns", campaign, budget=budget)
            self._db.execute(
                """UPDATE campaign_attributes SET budget = (
                    SELECT budget * samples FROM campaigns WHERE id = ?1) WHERE campaign = ?1""",
                (campaign,),
            )

    def texts(self, campaign: int) -> list[tuple[int, str]]:
        """List the first text of each pair, with its generation."""
        return self._db.rows(
            """SELECT id, text FROM generations WHERE text IS NOT NULL AND id IN (
            SELECT q.generation_1 FROM campaign_attributes p
            JOIN campaign_pairs q ON q.campaign_attribute = p.id
            WHERE p.campaign = ?) ORDER BY id""",
            (campaign,),
        )

    def set_status(self, campaign: int, status: str) -> None:
        """Set the status of a campaign: open, paused or closed."""
        with self._db.transaction():
            closed_at = make_timestamp() if status == "closed" else None
            self._db.update_row("campaigns", campaign, status=status, closed_at=closed_at)

    def add_attribute(
        self,
        campaign: Campaign,
        attribute: str,
        *,
        strategy: str = "full",
        overlap: int = 1,
        seed: int = 0,
        ordering: str = "random",
    ) -> int:
        """Let a campaign ask about an attribute: its row; the one that is there is kept."""
        attribute_id = Datasets(self._db).attribute_id(campaign.dataset, attribute)
        with self._db.transaction():
            known = self._db.value(
                "SELECT id FROM campaign_attributes WHERE campaign = ? AND attribute = ?",
                (campaign.id, attribute_id),
            )
            if known is not None:
                return int(known)
            return self._db.insert(
                f"""INSERT INTO campaign_attributes (id, campaign, attribute, strategy, budget,
                    overlap, ordering, seed, created_at)
                SELECT {NEXT_NUMBER}, id, ?, ?, budget * samples, ?, ?, ?, ?
                FROM campaigns WHERE id = ?""",
                (attribute_id, strategy, overlap, ordering, seed, make_timestamp(), campaign.id),
            )

    def add_pairs(self, campaign_attribute: int, pairs: Iterable[PlannedPair]) -> int:
        """Add pairs to a campaign's attribute; return how many are new. Known ones are kept."""
        with self._db.transaction():
            return self._db.add_rows(
                "campaign_pairs",
                f"campaign_attribute, {', '.join(PlannedPair._fields)}",
                ((campaign_attribute, *sorted(pair[:2]), *pair[2:]) for pair in pairs),
            )

    def drop_pair(self, campaign: int, attribute: int, pair: tuple[int, int]) -> None:
        """Ask about a pair no more, if nobody was shown it yet."""
        with self._db.transaction():
            self._db.execute(
                """DELETE FROM campaign_pairs AS q WHERE generation_1 = ?3 AND generation_2 = ?4
                AND campaign_attribute IN (SELECT id FROM campaign_attributes
                    WHERE campaign = ?1 AND attribute = ?2)
                AND NOT EXISTS (SELECT 1 FROM leases WHERE pair = q.id)
                AND NOT EXISTS (SELECT 1 FROM repeats WHERE pair = q.id)
                AND NOT EXISTS (SELECT 1 FROM pair_screens WHERE pair = q.id)
                AND NOT EXISTS (SELECT 1 FROM comparisons c JOIN judgements j ON j.comparison = c.id
                    WHERE c.attribute = ?2 AND c.generation_1 = ?3 AND c.generation_2 = ?4
                    AND j.campaign = ?1)""",
                (campaign, attribute, *sorted(pair)),
            )

    def size(self, campaign: int) -> dict[str, int]:
        """Count `attributes`, `pairs`, `wanted` and `given` votes of a campaign.

        A pair counts once for each attribute. No vote counts beyond what its pair wants. An active
        campaign wants as many votes as its budget of pairs.
        """
        counts = self._db.record(
            f"""SELECT count(*) AS attributes, total((SELECT sum(pairs) FROM vote_counts
                WHERE campaign_attribute = p.id)) AS pairs,
            total({WANTED_VOTES}) AS wanted, total({GIVEN_VOTES}) AS given
            FROM campaign_attributes p WHERE p.campaign = ?""",
            (campaign,),
        )
        return {name: int(count) for name, count in counts.items()}

    def outcomes(self, campaign: int) -> list[tuple[int, int, str, int]]:
        """Count people's answers about its attributes: (first system, second, outcome, count)."""
        return self._db.rows(
            """SELECT t.system_a, t.system_b, t.outcome, sum(t.count)
            FROM campaign_attributes p JOIN judges w ON w.kind = 'human'
            JOIN outcome_counts t ON t.judge = w.id AND t.attribute = p.attribute
            WHERE p.campaign = ? AND t.outcome <> 'failed' GROUP BY 1, 2, 3""",
            (campaign,),
        )

    def attributes(self, campaign: int) -> list[str]:
        """List the attributes that a campaign asks about, in the order it does."""
        return self._db.column(
            """SELECT a.name FROM campaign_attributes p JOIN attributes a ON a.id = p.attribute
                WHERE p.campaign = ? ORDER BY p.id""",
            (campaign,),
        )

    def pairs(self, campaign: int) -> list[tuple[int, int, str, str, str]]:
        """List its pairs over all attributes: (generation, generation, item, system, system)."""
        return self._db.rows(
            """SELECT DISTINCT q.generation_1, q.generation_2, i.key, s1.name, s2.name
            FROM campaign_attributes p JOIN campaign_pairs q ON q.campaign_attribute = p.id
            JOIN generations g1 ON g1.id = q.generation_1
            JOIN generations g2 ON g2.id = q.generation_2 JOIN items i ON i.id = g1.item
            JOIN systems s1 ON s1.id = g1.system JOIN systems s2 ON s2.id = g2.system
            WHERE p.campaign = ? ORDER BY 1, 2""",
            (campaign,),
        )

    def list_answered(self, campaign: int) -> set[tuple[int, int]]:
        """List the pairs of a campaign that have a vote about any attribute."""
        rows = self._db.rows(
            """SELECT DISTINCT q.generation_1, q.generation_2 FROM campaign_attributes p
            JOIN campaign_pairs q ON q.campaign_attribute = p.id
            WHERE p.campaign = ? AND q.votes > 0""",
            (campaign,),
        )
        return set(rows)

    def ordering(self, campaign: int) -> str:
        """Return how the pairs of a campaign are ordered: "random", or by what."""
        ordering = self._db.value(
            "SELECT ordering FROM campaign_attributes WHERE campaign = ?", (campaign,)
        )
        return str(ordering or "random")

    def drawn_votes(self, campaign: int) -> int:
        """Count the live votes people gave in a campaign whose pairs are not in random order."""
        return self._db.count(
            """SELECT count(*) FROM campaign_attributes p
                JOIN comparisons c ON c.attribute = p.attribute
                JOIN live_judgements j ON j.comparison = c.id AND j.campaign = p.campaign
                WHERE p.campaign = ? AND p.ordering <> 'random'""",
            (campaign,),
        )

    def reorder(
        self, campaign: int, ordering: str, places: Mapping[tuple[int, int], tuple[int, float]]
    ) -> int:
        """Ask people about pairs in this order: pair -> its place and the probability that it is
        drawn to come first; how many pairs there are. What is drawn has the places 0, 1 ..; a place
        of 63 bits always comes after those.
        """
        with self._db.transaction():
            self._db.execute(
                "UPDATE campaign_attributes SET ordering = ? WHERE campaign = ?",
                (ordering, campaign),
            )
            self._db.executemany(
                """UPDATE campaign_pairs SET priority = ?, probability = ?
                WHERE generation_1 = ? AND generation_2 = ? AND campaign_attribute IN (
                    SELECT id FROM campaign_attributes WHERE campaign = ?)""",
                ((*place, *pair, campaign) for pair, place in places.items()),
            )
        return len(places)

    def consent(self, campaign: int, judge: int, text: str) -> None:
        """Note that this person has agreed to this text."""
        with self._db.transaction(durable=True):
            given = (campaign, judge, text, make_timestamp())
            self._db.add_rows("consents", "campaign, judge, text, created_at", [given])

    def has_consented(self, campaign: int, judge: int, text: str) -> bool:
        """Return whether this judge agreed to this wording of a campaign's consent."""
        return self._db.holds(
            "SELECT 1 FROM consents WHERE campaign = ? AND judge = ? AND text = ?",
            (campaign, judge, text),
        )

    def consented_at(self, campaign: int, judge: int) -> str:
        """Return when this person last agreed to a text of the campaign; '' when they never did."""
        moment = self._db.value(
            "SELECT max(created_at) FROM consents WHERE campaign = ? AND judge = ?",
            (campaign, judge),
        )
        return str(moment or "")

    def seal(self, *facts: object) -> str:
        """Seal these facts for a browser in 16 hex digits.

        They are always the same in this store, and reveal nothing without its secret.
        """
        secret = self._db.value("SELECT value FROM secrets WHERE name = 'screen'")
        return hmac.new(secret, repr(facts).encode(), "sha256").hexdigest()[:16]


def check_shown_name(name: str, what: str) -> str:
    """Return the name of `what` without needless spaces. Raises TandemError if unfit."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise TandemError(f"{what} needs a name of 1 to {LONGEST_NAME} letters, digits or signs")
    return name


def _campaign(row: tuple[Any, ...]) -> Campaign:
    number, dataset, name, status, design, created_at = row[:6]
    choice = dict(zip(CHOICE, row[6:], strict=True))
    choice |= {key: json.loads(choice[key]) for key in _LISTS}
    chosen = choice if choice["way"] else {}
    return Campaign(number, dataset, name, status, json.loads(design), chosen, created_at)
