"""Messages to the people of a campaign: to all of them, or to one."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import pandas as pd

from ..frames import Schema
from ..records import TandemError
from .connection import StorePart, make_timestamp

MessageRows = Annotated[
    pd.DataFrame, Schema({int: "message", str: "campaign judge text sent_by created_at"})
]

LONGEST = 500  # characters: it stands beside what somebody is to read


class Message(NamedTuple):
    """Message to annotators: the text, by whom it is and when it was sent (UTC)."""

    id: int
    text: str
    sent_by: str
    created_at: str


class Messages(StorePart):
    """Messages to annotators, shown beside the pairs until withdrawn; nothing is deleted."""

    def send(self, campaign: int, text: str, *, by: str, judge: str | None = None) -> int:
        """Tell everybody in a campaign something, or one of them. Raises TandemError for a message
        without words or with too many, and for somebody who has not annotated.
        """
        text = text.strip()
        if not text:
            raise TandemError("the message is empty: write what people are to know")
        if len(text) > LONGEST:
            raise TandemError(
                f"the message has {len(text):,} characters, and {LONGEST} fit beside a pair: "
                "shorten it"
            )
        with self._db.transaction(durable=True):
            row = None
            if judge is not None:
                row = self._db.value(
                    "SELECT id FROM judges WHERE name = ? AND kind = 'human'", (judge,)
                )
                if row is None:
                    raise TandemError(f"nobody called {judge!r} annotates here: choose who does")
            values = {"campaign": campaign, "judge": row, "text": text, "sent_by": by}
            return self._db.insert_row("messages", {**values, "created_at": make_timestamp()})

    def withdraw(self, message: int) -> bool:
        """Show a message no longer; false when it is withdrawn already."""
        with self._db.transaction(durable=True):
            withdrawn = self._db.execute(
                "UPDATE messages SET withdrawn_at = ? WHERE id = ? AND withdrawn_at IS NULL",
                (make_timestamp(), message),
            )
        return withdrawn > 0

    def for_annotator(self, campaign: int, judge: int) -> list[Message]:
        """List the messages for this person (their row) in this campaign, newest first."""
        rows = self._db.rows(
            """SELECT id, text, sent_by, created_at FROM messages
            WHERE campaign = ? AND (judge IS NULL OR judge = ?) AND withdrawn_at IS NULL
            ORDER BY id DESC""",
            (campaign, judge),
        )
        return [Message(*row) for row in rows]

    def load_all(self, dataset: str) -> MessageRows:
        """Load the shown messages, newest first; `message` is a row, `judge` NaN if for all."""
        return self._db.frame(
            """SELECT m.id AS message, c.name AS campaign, w.name AS judge, m.text, m.sent_by,
            m.created_at FROM messages m JOIN campaigns c ON c.id = m.campaign
            LEFT JOIN judges w ON w.id = m.judge
            WHERE c.dataset = ? AND m.withdrawn_at IS NULL ORDER BY m.id DESC""",
            (dataset,),
            rows=MessageRows,
        )
