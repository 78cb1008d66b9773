"""FastChat's conversation logs, `*-conv.json`: each line is something that a visitor did.

Votes have two `states`, the left one first, each with its model and the messages from `offset` on.
Layout: lm-sys/FastChat, fastchat/serve/monitor/clean_battle_data.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...records import Outcome
from ..cells import Cells, read_name
from ..conversations import join_turns
from ..entry import VOTE, Entry
from ..layout import Layout, Source, has_columns
from ..templates import FunctionReader
from ..values import Object, find_list, find_objects

OUTCOMES = {
    "leftvote": Outcome.A, "rightvote": Outcome.B, "tievote": Outcome.TIE,
    "bothbad_vote": Outcome.BOTH_BAD,
}  # fmt: skip


def _join_messages(state: Object, place: int) -> str:
    messages = find_list(state, "messages")[int(state.get("offset") or 0) :]
    return join_turns([str(text) for _, text in messages[place::2] if text is not None])


def _read_votes(source: Source) -> FunctionReader:
    def read(number: int, cells: Cells) -> Iterator[Entry]:
        done = str(cells.get("type"))
        if done not in OUTCOMES:
            source.tally.notes[f"lines of the type {done[:40]!r} are left out: no votes"] = None
            return
        first, second = find_objects(cells, "states")
        yield {
            "sort": VOTE, "context": _join_messages(first, 0), "outcome": OUTCOMES[done],
            "system_a": read_name(first, "model_name"), "text_a": _join_messages(first, 1),
            "system_b": read_name(second, "model_name"), "text_b": _join_messages(second, 1),
            "created_at": cells.get("tstamp"),
        }  # fmt: skip

    return FunctionReader(read)


LAYOUT = Layout(
    "fastchat-logs", "FastChat's conversation logs",
    {_read_votes: has_columns("tstamp", "type", "states")}, ("prompt", "response"),
    settings=("kind",),
)  # fmt: skip
