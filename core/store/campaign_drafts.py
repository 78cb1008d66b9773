"""Drafts of new campaigns: the last one of each owner about each data set."""

from __future__ import annotations

from .connection import StorePart, make_timestamp

_OF = "dataset = ? AND owner = ?"


class CampaignDrafts(StorePart):
    """Drafts of campaigns.

    A draft is JSON, which `core.campaigns` reads. `owner` is the name of a person, '' for somebody
    who comes in without a link or a sign-in.
    """

    def save(self, dataset: str, owner: str, draft: str) -> None:
        """Save a draft in place of the one before; nothing where the data set is gone."""
        row = {"dataset": dataset, "owner": owner, "draft": draft, "saved_at": make_timestamp()}
        with self._db.transaction(durable=True):
            if self._db.value("SELECT 1 FROM datasets WHERE name = ?", (dataset,)):
                self._db.replace_row("campaign_drafts", row)

    def get(self, dataset: str, owner: str) -> tuple[str, str] | None:
        """Return the draft and when it was saved (UTC); None without one."""
        for row in self._db.load_rows("campaign_drafts", _OF, dataset, owner):
            return row["draft"], row["saved_at"]
        return None

    def discard(self, dataset: str, owner: str) -> None:
        """Delete the draft, if there is one."""
        with self._db.transaction():
            self._db.delete_rows("campaign_drafts", _OF, dataset, owner)
