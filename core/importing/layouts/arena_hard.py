"""Arena-Hard's judgements: every model against one baseline, in both orders.

A row has two games: the first shows the baseline as A, the second the model. A game has a score
(A>>B .. B>>A, or none) and the judgment it was read from, since 2.0 within an object. The rows of
2.0 name their baseline; those before do not, so it has to be said: `systems` with the one name.
"""

from __future__ import annotations

from typing import Any

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_text, require_cell
from ..layout import Layout, Source, has_columns
from ..templates import Constant, Template, read_by, vote_twice
from ..values import find_value

VERDICTS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), Outcome.A),
    **dict.fromkeys(("A=B", "B=A"), Outcome.TIE),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), Outcome.B),
}
STRENGTHS = {verdict: len(verdict) - 2.0 for verdict in VERDICTS if "=" not in verdict}
"""1 of ">" and 2 of ">>"."""


def _games(source: Source) -> list[Template]:
    if "baseline" not in source.columns and len(source.systems) != 1:
        raise TandemError(
            f"{source.path.name} does not name the baseline of its comparisons: name it with "
            f"{option_ref('systems')}, such as gpt-4-0314 for Arena-Hard 0.1"
        )
    pair = {
        "item": ("question_id", "uid"), "subset": "category", "judge": "judge", "words": VERDICTS,
        "judge_model": "judge" if source.kind is Kind.LLM else Constant(""),
        "system_a": ("baseline", *map(Constant, source.systems[:1])), "system_b": "model",
    }  # fmt: skip
    return vote_twice(pair, _game(0), _game(1))


def _game(place: int) -> dict[str, Any]:
    path = f"games[{place}]"

    def is_there(cells: Cells) -> bool:
        games = require_cell(cells, "games", list)
        if len(games) > 2:
            raise ValueError(f"it has {len(games)} games, not one in each order")
        return place < len(games)

    def read_reply(cells: Cells) -> object:
        reply = find_value(cells, f"{path}.judgment")
        return reply.get("answer") if isinstance(reply, dict) else reply

    def read_strength(cells: Cells) -> float | None:
        return STRENGTHS.get((as_text(find_value(cells, f"{path}.score")) or "").strip())

    return {
        "when": is_there, "outcome": f"{path}.score", "raw": (read_reply, f"{path}.score"),
        "strength": read_strength,
    }  # fmt: skip


LAYOUT = Layout(
    "arena-hard", "Arena-Hard's judgements",
    {read_by(_games): has_columns("model", "judge", "games")},
    ("question", "answer"), settings=("systems", "kind"), kind=Kind.LLM, is_answered_once=True,
)  # fmt: skip
