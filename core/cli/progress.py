"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
import time

from ..labels import escape_unprintable
from ..runs import Pace


class ProgressLine:
    """One line on standard error: rewritten on a terminal, else new every few seconds."""

    def __init__(self) -> None:
        self.next = time.monotonic() + (0.2 if sys.stderr.isatty() else 5.0)
        self.shown = False
        self.pace = Pace()

    def __call__(self, what: str, done: int, of: int, beside: str = "") -> None:
        """Show the progress of `what`; the text `beside` it does not reset the pace."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        left = self.pace.estimate(what, done, of, now)
        if now < self.next and not (self.shown and done == of):
            return
        self.shown = True
        self.next = now + (0.2 if terminal else 5.0)
        left = f", {left}" if left else ""
        far = f"{done:,}" + (f" of {of:,} ({done / of:.0%}){left}" if of else "")
        line = f"{escape_unprintable(what + beside)} {far}"
        print(
            f"\r\x1b[K{line}" if terminal else line,
            end="" if terminal and done != of else "\n",
            file=sys.stderr,
            flush=True,
        )


def bracket_notes(*words: str) -> str:
    """Join the notes beside a progress line in brackets; '' if all are empty."""
    told = ", ".join(filter(None, words))
    return f" ({told})" if told else ""
