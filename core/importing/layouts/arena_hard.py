"""Arena-Hard's judgements: every model against one baseline, in both orders.

A row has two games: the first shows the baseline as A, the second the model. A game has a score
(A>>B .. B>>A, or none) and the judgment it was read from, since 2.0 within an object. The rows of
2.0 name their baseline; those before do not, so it has to be said: `systems` with the one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.importing.cells import Cells, as_text, required
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.paths import find_value
from core.importing.templates import (
    Constant,
    Template,
    read_by,
    swap_sides,
    swap_words,
    template,
)  # fmt: skip
from core.records import Kind, Outcome, TandemError, setting

SIGNS = {">>": Outcome.A, ">": Outcome.A, "=": Outcome.TIE, "<": Outcome.B, "<<": Outcome.B}
VERDICTS = {f"A{sign}B": outcome for sign, outcome in SIGNS.items()}
VERDICTS |= {f"B{sign}A": outcome for sign, outcome in swap_words(SIGNS).items()}
STRENGTHS = {verdict: len(verdict) - 2.0 for verdict in VERDICTS if "=" not in verdict}
"""1 of ">" and 2 of ">>"."""


def _games(source: Source) -> Iterator[Template]:
    if "baseline" not in source.columns and len(source.systems) != 1:
        raise TandemError(
            f"{source.path.name} does not say which baseline its models were compared with: "
            f"name it with {setting('systems')}, such as gpt-4-0314 for Arena-Hard 0.1"
        )
    pair = {
        "item": ("question_id", "uid"), "subset": "category", "judge": "judge",
        "judge_model": "judge" if source.kind is Kind.LLM else Constant(""),
        "system_a": ("baseline", *map(Constant, source.systems[:1])), "system_b": "model",
    }  # fmt: skip
    for game, shown in enumerate((pair, swap_sides(pair))):
        score = f"games[{game}].score"
        yield template(
            VOTE, **shown, words=VERDICTS, outcome=score, raw=(_read_reply(game), score),
            strength=_read_strength(score), when=_has(game),
        )  # fmt: skip


def _has(game: int) -> Callable[[Cells], bool]:
    def has_game(cells: Cells) -> bool:
        games = required(cells, "games", list)
        if len(games) > 2:
            raise ValueError(f"it has {len(games)} games, not one in each order")
        return game < len(games)

    return has_game


def _read_reply(game: int) -> Callable[[Cells], object]:
    def read(cells: Cells) -> object:
        reply = find_value(cells, f"games[{game}].judgment")
        return reply.get("answer") if isinstance(reply, dict) else reply

    return read


def _read_strength(score: str) -> Callable[[Cells], float | None]:
    return lambda cells: STRENGTHS.get((as_text(find_value(cells, score)) or "").strip())


LAYOUT = Layout(
    "arena-hard", "Arena-Hard's judgements", {read_by(_games): has("model", "judge", "games")},
    ("question", "answer"), settings=("systems", "kind"), kind=Kind.LLM, once=True,
)  # fmt: skip
