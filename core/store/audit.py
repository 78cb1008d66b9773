"""The audit log: deeds, by whom, to what and when. Rows are added, never changed."""

from __future__ import annotations

from typing import Annotated

import pandas as pd

from ..frames import Schema
from .connection import StorePart, make_timestamp

AuditRows = Annotated[pd.DataFrame, Schema({str: "at who action subject details"})]


class Audit(StorePart):
    """Log of deeds: roles, people, invitations, exclusions, exports, deletions and access."""

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
