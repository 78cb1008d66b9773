"""Drafts of new campaigns: the last one of each owner about each data set."""

from __future__ import annotations

from .connection import StorePart, make_timestamp


class CampaignDrafts(StorePart):
    """Drafts of campaigns.

    A draft is JSON, which `core.campaigns` reads. `owner` is the name of a person, '' for somebody
    who comes in without a link or a sign-in.
    """

    def save(self, dataset: str, owner: str, draft: str) -> None:
        """Save a draft in place of the one before; nothing where the data set is gone."""
        with self._db.transaction(durable=True):
            self._db.execute(
                """INSERT INTO campaign_drafts (dataset, owner, draft, saved_at)
                SELECT name, ?2, ?3, ?4 FROM datasets WHERE name = ?1
                ON CONFLICT (dataset, owner)
                DO UPDATE SET draft = excluded.draft, saved_at = excluded.saved_at""",
                (dataset, owner, draft, make_timestamp()),
            )

    def get(self, dataset: str, owner: str) -> tuple[str, str] | None:
        """Return the draft and when it was saved (UTC); None without one."""
        rows = self._db.rows(
            "SELECT draft, saved_at FROM campaign_drafts WHERE dataset = ? AND owner = ?",
            (dataset, owner),
        )
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def discard(self, dataset: str, owner: str) -> None:
        """Delete the draft, if there is one."""
        with self._db.transaction():
            self._db.execute(
                "DELETE FROM campaign_drafts WHERE dataset = ? AND owner = ?", (dataset, owner)
            )
