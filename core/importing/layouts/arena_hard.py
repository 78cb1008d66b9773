"""Arena-Hard's judgements: every model against one baseline, in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.importing.cells import Cells, as_text, named, required
from core.importing.layout import Layout, Record, Source, answered, asked, has, texts
from core.records import Item, JudgeSpec, Kind, Outcome, TandemError, Vote, setting

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


class Games:
    """question_id (or uid), model, judge and two games: the first shows the baseline as A, the
    second the model. A game has a score (A>>B .. B>>A, or none) and the judgment it was read from.

    The rows of Arena-Hard 2.0 name their baseline; those before do not, so it has to be said:
    `systems` with the one name.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        if "baseline" not in source.columns and len(source.systems) != 1:
            raise TandemError(
                f"{source.path.name} does not say which baseline its models were compared with: "
                f"name it with {setting('systems')}, such as gpt-4-0314 for Arena-Hard 0.1"
            )

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = named(cells, "question_id" if "question_id" in cells else "uid")
        model, judge = named(cells, "model"), named(cells, "judge")
        named_before = self.source.systems[0] if self.source.systems else ""
        baseline = as_text(cells.get("baseline")) or named_before
        if not baseline:
            raise ValueError("field 'baseline' is empty")
        if model == baseline:
            raise ValueError(f"compares {model!r} with itself")
        games = required(cells, "games", list)
        if len(games) > 2:
            raise ValueError(f"it has {len(games)} games, not one in each order")
        yield Item(item, subset=as_text(cells.get("category")) or "")
        yield from texts(item, {baseline: None, model: None})
        yield self.source.attribute("overall")
        yield _judge(judge, self.source.kind)
        for game, shown in zip(games, ((baseline, model), (model, baseline)), strict=False):
            said = as_text(game.get("score")) if isinstance(game, dict) else None
            outcome = VERDICTS.get((said or "").strip())
            answer = replace(
                answered(outcome, _reply(game) or said or ""), strength=_strength(said, outcome)
            )
            yield Vote(item, *shown, judge=judge, answer=answer, kind=self.source.kind)


def _judge(name: str, kind: Kind) -> JudgeSpec:
    return asked(name, name) if kind is Kind.LLM else JudgeSpec(name, kind)


def _reply(game: object) -> str:
    """What the judge wrote; since 2.0 within an object, as its answer."""
    reply = game.get("judgment") if isinstance(game, dict) else None
    return as_text(reply.get("answer") if isinstance(reply, dict) else reply) or ""


def _strength(said: str | None, outcome: Outcome | None) -> float | None:
    if said is None or outcome in (None, Outcome.TIE):
        return None
    return STRONG if ">>" in said or "<<" in said else STRONG / 2


LAYOUT = Layout(
    "arena-hard",
    "Arena-Hard's judgements",
    {Games: has("model", "judge", "games")},
    ("question", "answer"),
    settings=("systems", "kind"),
    kind=Kind.LLM,
    once=True,
)
