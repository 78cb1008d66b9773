"""Squeezing: a reply without what would take long to read and says nothing, each place of it known
in the whole reply.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .form import Statement

LONGEST = 20_000
"""Characters of a reply that are read: half from its beginning, half from its end."""

_EDGE = 32  # characters that are left of each end of a run
_RUN = re.compile(rf"[\W_]{{{2 * _EDGE + 1},}}")
_SKIPPED = "\n…\n"  # stands for the middle of a long reply: no line goes on behind it


@dataclass(frozen=True)
class SqueezedReply:
    """A reply in which something is left out: behind each of the places `ends` of its `text`, up to
    which `shifts` characters are missing. `whole` is what it was squeezed from, if that itself is
    a squeezed reply.
    """

    text: str
    ends: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()
    whole: SqueezedReply | None = None

    def restore(self, stated: Statement) -> Statement:
        """Return a statement of `text`, at its place in the whole reply."""
        start, core = self._find_place(stated.start), self._find_place(stated.core)
        # Its end lies behind its last character, even if something is left out there.
        end = self._find_place(stated.end - 1) + 1 if stated.end > stated.start else start
        return replace(stated, start=start, core=core, end=end)

    def _find_place(self, place: int) -> int:
        before = bisect_right(self.ends, place)
        place += self.shifts[before - 1] if before else 0
        return self.whole._find_place(place) if self.whole else place


def squeeze_reply(text: str) -> SqueezedReply:
    """Return the reply without the middle of long runs of spaces, brackets and other signs.

    A pattern would start a search for a word at each of these signs. A reply still longer than
    LONGEST loses its own middle.
    """
    runs = [(run.start() + _EDGE, run.end() - _EDGE) for run in _RUN.finditer(text)]
    squeezed = _leave_out(text, runs)
    if len(squeezed.text) <= LONGEST:
        return squeezed
    half = LONGEST // 2
    middle = [(half, len(squeezed.text) - half)]
    return replace(_leave_out(squeezed.text, middle, _SKIPPED), whole=squeezed)


def _leave_out(text: str, spans: Sequence[tuple[int, int]], instead: str = "") -> SqueezedReply:
    parts: list[str] = []
    ends, shifts, place, length = [], [], 0, 0
    for start, end in spans:
        parts += [text[place:start], instead]
        length += start - place + len(instead)
        ends.append(length)
        shifts.append(end - length)
        place = end
    return SqueezedReply("".join([*parts, text[place:]]), tuple(ends), tuple(shifts))
