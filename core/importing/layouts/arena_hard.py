"""Arena-Hard's judgements: every model against one baseline, in both orders.

A row has question_id (uid in 2.0), model, judge and two games: the first shows the baseline as A,
the second the model. A game has a score (A>>B .. B>>A, or none) and the judgment it was read from,
since 2.0 within an object, as its answer. The rows of 2.0 name their baseline; those before do not,
so it has to be said: `systems` with the one name.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_text, required
from core.importing.entry import VOTE
from core.importing.layout import Layout, Source, has
from core.importing.paths import find_value
from core.importing.templates import Constant, Spec, Specs, Template, read_by, swap_sides, template
from core.records import Kind, Outcome, TandemError, setting

VERDICTS = {
    "A>>B": Outcome.A,
    "A>B": Outcome.A,
    "A=B": Outcome.TIE,
    "B>A": Outcome.B,
    "B>>A": Outcome.B,
    "A<B": Outcome.B,
    "A<<B": Outcome.B,
    "B<A": Outcome.A,
    "B<<A": Outcome.A,
    "B=A": Outcome.TIE,
}
STRONG = 2.0
"""The strength of ">>", of which ">" has half."""


def _games(source: Source) -> Iterator[Template]:
    if "baseline" not in source.columns and len(source.systems) != 1:
        raise TandemError(
            f"{source.path.name} does not say which baseline its models were compared with: "
            f"name it with {setting('systems')}, such as gpt-4-0314 for Arena-Hard 0.1"
        )
    baseline = ("baseline", *map(Constant, source.systems[:1]))
    pair: Specs = {"system_a": baseline, "system_b": "model"}
    judge: Specs = {
        "judge": "judge",
        **({"judge_model": "judge"} if source.kind is Kind.LLM else {}),
    }
    for game, shown in enumerate((pair, swap_sides(pair))):
        path = f"games[{game}]"
        yield template(
            VOTE, VERDICTS, _is_there(game), item=("question_id", "uid"), subset="category",
            **shown, **judge, outcome=f"{path}.score", strength=_strength(f"{path}.score"),
            raw=(_reply(f"{path}.judgment"), f"{path}.score"),
        )  # fmt: skip


def _is_there(game: int) -> Spec:
    def is_there(cells: Cells) -> bool:
        games = required(cells, "games", list)
        if len(games) > 2:
            raise ValueError(f"it has {len(games)} games, not one in each order")
        return game < len(games)

    return is_there


def _reply(path: str) -> Spec:
    def reply(cells: Cells) -> object:
        given = find_value(cells, path)
        return given.get("answer") if isinstance(given, dict) else given

    return reply


def _strength(path: str) -> Spec:
    def strength(cells: Cells) -> float | None:
        said = (as_text(find_value(cells, path)) or "").strip()
        if VERDICTS.get(said, Outcome.TIE) is Outcome.TIE:
            return None
        return STRONG if ">>" in said or "<<" in said else STRONG / 2

    return strength


LAYOUT = Layout(
    "arena-hard",
    "Arena-Hard's judgements",
    {read_by(_games): has("model", "judge", "games")},
    ("question", "answer"),
    settings=("systems", "kind"),
    kind=Kind.LLM,
    once=True,
)
