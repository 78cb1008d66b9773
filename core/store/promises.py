"""Promises of a campaign, made before a look at its votes: how many votes, and when to stop."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from core.records import TandemError, option_ref
from core.store.connection import StorePart, make_timestamp

OVERSHOOT = 0.05
"""The share of the promised votes by which they may be passed: others had pairs on screen."""

_COLUMNS = "votes, stopping, attributes, epsilon, judges, reason, votes_before, created_at"


@dataclass(frozen=True)
class Promise:
    """Promise of a campaign: how many votes, and when to stop.

    Promised are so many `votes` about these attributes, together. `stopping` is `number` (stop at
    that number) or `settled` (stop when the order is settled). `epsilon` is that of replacing
    annotators (None = none), beside the answers of these `judges`. `reason` says why it changes an
    earlier one. `votes_before` is how many votes of people its data set had at `created_at` (UTC),
    when it was made. A person who saw those of another campaign, or imported ones, has looked.
    """

    votes: int
    stopping: str
    attributes: tuple[str, ...] = ()
    epsilon: float | None = None
    judges: tuple[str, ...] = ()
    reason: str = ""
    votes_before: int = 0
    created_at: str = ""

    @property
    def was_made_beforehand(self) -> bool:
        """Return whether nobody could have looked at a vote."""
        return self.votes_before == 0

    def is_kept_at(self, given: int) -> bool:
        """Return whether so many votes are the number that was fixed beforehand.

        One look is then all there is, and intervals of one look hold.
        """
        most = self.votes * (1 + OVERSHOOT)
        return (
            self.was_made_beforehand and self.stopping == "number" and self.votes <= given <= most
        )


class Promises(StorePart):
    """Promises of campaigns: when they stop.

    A promise is never overwritten: a change is another row, with its time and reason.
    """

    def add(self, campaign: int, promise: Promise) -> Promise:
        """Promise something of a campaign: as it is stored, with its time. Raises TandemError for a
        change without a reason.
        """
        with self._db.transaction(durable=True):
            before = self.list_all(campaign)
            if before and not promise.reason.strip():
                raise TandemError(
                    f"{before[-1].votes:,} votes were promised on {before[-1].created_at[:10]}: "
                    f"say why that changes, with {option_ref('reason')}"
                )
            self._db.insert(
                f"""INSERT INTO promises (campaign, {_COLUMNS}) VALUES (?1, ?, ?, ?, ?, ?, ?,
                (SELECT count(*) FROM judgements j
                JOIN judges w ON w.id = j.judge AND w.kind = 'human'
                JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
                JOIN campaigns m ON m.id = ?1 AND m.dataset = a.dataset), ?)""",
                (
                    campaign,
                    promise.votes,
                    promise.stopping,
                    json.dumps(promise.attributes),
                    promise.epsilon,
                    json.dumps(promise.judges),
                    promise.reason.strip(),
                    make_timestamp(),
                ),
            )
            return self.list_all(campaign)[-1]

    def list_all(self, campaign: int) -> list[Promise]:
        """List the promises of a campaign, the first first; the last holds."""
        return [
            Promise(
                votes, stopping, tuple(json.loads(attributes)), epsilon,
                tuple(json.loads(judges)), *others,
            )
            for votes, stopping, attributes, epsilon, judges, *others in self._db.rows(
                f"SELECT {_COLUMNS} FROM promises WHERE campaign = ? ORDER BY id", (campaign,)
            )
        ]  # fmt: skip

    def count_votes(self, campaign: int, attributes: Collection[str]) -> int:
        """Count the answers people gave in a campaign about these attributes.

        A skip and a second answer to a pair do not count.
        """
        return int(
            self._db.value(
                """SELECT count(*) FROM live_judgements j
                JOIN comparisons c ON c.id = j.comparison JOIN attributes a ON a.id = c.attribute
                WHERE j.campaign = ? AND j.outcome IS NOT NULL AND j.trial = 0
                AND a.name IN (SELECT value FROM json_each(?))""",
                (campaign, json.dumps(list(attributes))),
            )
        )

    def list_silent(self, campaign: int, promise: Promise) -> list[str]:
        """List the promised judges that have not answered about each promised attribute yet, in the
        data set of a campaign.
        """
        rows = self._db.rows(
            """SELECT w.name FROM outcome_counts t JOIN judges w ON w.id = t.judge
            JOIN attributes a ON a.id = t.attribute
            JOIN campaigns m ON m.id = ? AND m.dataset = a.dataset
            WHERE t.outcome != 'failed' AND t.count > 0
            AND a.name IN (SELECT value FROM json_each(?))
            GROUP BY w.id HAVING count(DISTINCT a.id) = ?""",
            (campaign, json.dumps(promise.attributes), len(promise.attributes)),
        )
        answering = {name for (name,) in rows}
        return [name for name in promise.judges if name not in answering]
