"""The table of replies as judges write them (data/replies.json), and how a test reads it.

A row has a reply, the form its prompt asked for, `labels` or the `scale` of marks, and how the
reply ended (`finish`). `verdict` is what it states: an index of `labels`, a mark, or null, and then
`why`: unparsed, cut-off or empty; `why` is null too where two of these fit. `open` rows are not
settled by their form: unparsed is right, and so is `lean`. `means` is what a careful reader takes
an unparsed reply to mean, and the only thing that a lenient reading may make of it.
"""

import json
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.judging.forms import UnparsedReplyError, read_mark, read_verdict
from core.judging.judges.readings import ParsedReply, read_reply
from core.records import Scale


@dataclass(frozen=True)
class Row:
    """A reply, and what it states."""

    form: str
    kind: str
    reply: str
    finish: str
    verdict: float | None
    why: str | None
    labels: tuple[str, ...] = ()
    scale: tuple[int, int] | None = None
    open: bool = False
    lean: float | None = None
    means: float | None = None
    note: str = ""

    @property
    def is_cut(self) -> bool:
        return self.finish == "length"

    @property
    def allowed(self) -> set[float | None]:
        """What a strict reading may make of it."""
        return {self.verdict, self.lean} if self.open else {self.verdict}


def load_replies() -> list[Row]:
    """The rows of the table, in its order."""
    path = Path(__file__).parent / "data" / "replies.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    return [
        Row(
            **row
            | {name: tuple(row[name]) for name in ("labels", "scale") if row.get(name) is not None}
        )
        for row in rows
    ]


def parse_row(row: Row) -> ParsedReply:
    """What a judge makes of a row's reply."""
    if row.scale:
        read = partial(read_mark, scale=Scale(*row.scale), form=row.form)
    else:
        read = partial(read_verdict, labels=row.labels, form=row.form)
    return read_reply(read, row.reply, is_cut=row.is_cut)


def read_row(
    row: Row, reply: str | None = None, *, is_cut: bool | None = None, lenient: bool = False
) -> float | None:
    """The verdict or mark read in a row's reply, or in another in its place; None if none."""
    text = row.reply if reply is None else reply
    is_cut = row.is_cut if is_cut is None else is_cut
    try:
        if row.scale:
            return read_mark(text, Scale(*row.scale), row.form, is_cut=is_cut).verdict
        return read_verdict(text, row.labels, row.form, is_cut=is_cut, lenient=lenient).verdict
    except UnparsedReplyError:
        return None


def describe_rows(wrong: list[tuple[Row, object]], *, shown: int = 40) -> str:
    """Counts of rows by form and kind, and the first of them, each with what was read."""
    counts = Counter((row.form, row.kind) for row, _ in wrong)
    lines = [f"{count:5} {form}, {kind}" for (form, kind), count in sorted(counts.items())]
    lines += [
        f"{row.form} {row.labels or row.scale} {row.kind}, {row.finish}: read {read}, "
        f"states {row.verdict}{f' or {row.lean}' if row.open else ''}: {row.reply[:300]!r}"
        for row, read in wrong[:shown]
    ]
    return "\n".join([f"{len(wrong)} rows", *lines])
