"""Small tables of a store: its settings, its secrets, drafts of campaigns, and the audit log."""

from __future__ import annotations

import hmac
from typing import Annotated

import pandas as pd

from ..frames import Schema
from .connection import StorePart, make_timestamp

AuditRows = Annotated[pd.DataFrame, Schema({str: "at who action subject details"})]

SIDES = "sides"
"""The secret of draws that annotators must not foresee."""

_OF_OWNER = "dataset = ? AND owner = ?"


class StoreSettings(StorePart):
    """Settings of the whole store, made by its owner, such as who may come in: texts by name."""

    def get(self, name: str, default: str = "") -> str:
        """Return the value of a setting; `default` where it was never set."""
        found = self._db.value("SELECT value FROM settings WHERE name = ?", (name,))
        return default if found is None else str(found)

    def put(self, name: str, value: str) -> None:
        """Set the value of a setting."""
        with self._db.transaction():
            self._db.replace_row("settings", {"name": name, "value": value})


class StoreSecrets(StorePart):
    """Secrets of a store: no annotator can compute what is drawn with them.

    They are made with the store, come along in its backups, and go into no export or report.
    """

    def draw(self, *parts: object) -> int:
        """Draw a number from 0 to 2^63 - 1, the same for these parts in this store alone."""
        return int.from_bytes(self._digest(*parts)[:8], "big") >> 1

    def hash(self, *parts: object) -> str:
        """Hash these parts with the store's secret as salt: 64 hex digits, others in each store."""
        return self._digest(*parts).hex()

    def _digest(self, *parts: object) -> bytes:
        secret = self._db.value("SELECT value FROM secrets WHERE name = ?", (SIDES,))
        return hmac.digest(secret, "\x1f".join(map(str, parts)).encode(), "sha256")


class CampaignDrafts(StorePart):
    """Drafts of new campaigns: the last one of each owner about each data set.

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
        for row in self._db.load_rows("campaign_drafts", _OF_OWNER, dataset, owner):
            return row["draft"], row["saved_at"]
        return None

    def discard(self, dataset: str, owner: str) -> None:
        """Delete the draft, if there is one."""
        with self._db.transaction():
            self._db.delete_rows("campaign_drafts", _OF_OWNER, dataset, owner)


class Audit(StorePart):
    """Log of deeds, such as roles, exports and deletions: rows are added, never changed."""

    def add(self, who: str, action: str, subject: str, **details: object) -> None:
        """Write down that somebody did something about a subject. Inside the `transaction` of the
        deed itself, so that neither is there without the other.
        """
        with self._db.transaction():
            deed = {"who": who, "action": action, "subject": subject, "details": details}
            self._db.insert_row("audit", {"at": make_timestamp(), **deed})

    def load_all(self) -> AuditRows:
        """Load all entries, newest first: `at` is UTC, `details` are JSON."""
        return self._db.frame(
            "SELECT at, who, action, subject, details FROM audit ORDER BY id DESC", rows=AuditRows
        )
