"""FastChat's judgements as its llm_judge writes them: pairs judged in both orders
(`*_pair.jsonl`), and single answers (`*_single.jsonl`).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_number, as_stated_time, as_text, named, required
from core.importing.layout import (
    UNPARSED,
    Layout,
    Record,
    Source,
    answered,
    asked,
    has,
    texts,
)
from core.importing.times import Times, column_values
from core.records import Item, JudgeSpec, Kind, Outcome, Score, Vote

WINNERS = {"model_1": 0, "model_2": 1}


class Pairs:
    """question_id, model_1, model_2, judge [model, prompt], and of game 1, which shows model_1
    first, and game 2, which shows model_2 first, the winner by its name ("model_1", "model_2",
    "tie", "error") and the reply. Turn 2 is judged with another prompt, so by another judge.

    Where the winner comes of two single marks (m1_score, m2_score), nobody saw the two together:
    that is one verdict without an order.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.times = Times(source, column_values(source, "tstamp"))

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, judge = named(cells, "question_id"), _judge(cells)
        systems = named(cells, "model_1"), named(cells, "model_2")
        if systems[0] == systems[1]:
            raise ValueError(f"compares {systems[0]!r} with itself")
        yield Item(item)
        yield from texts(item, dict.fromkeys(systems))
        yield self.source.attribute("overall")
        yield judge
        of_marks = cells.get("m1_score") is not None
        for game, shown in (("g1", systems), ("g2", systems[::-1]))[: 1 if of_marks else 2]:
            said = as_text(cells.get(f"{game}_winner")) or ""
            yield Vote(
                item,
                *shown,
                judge=judge.name,
                answer=answered(
                    _outcome(said, shown == systems), as_text(cells.get(f"{game}_judgment")) or said
                ),
                kind=Kind.LLM,
                order_known=not of_marks,
                created_at=self.times.parse(cells.get("tstamp")),
                stated_time=as_stated_time(cells.get("tstamp")),
            )


class Singles:
    """question_id, model, judge [model, prompt], score (-1: could not be parsed) and the reply,
    judgment. Turn 2 is marked with another prompt, so by another judge.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system, judge = named(cells, "question_id"), named(cells, "model"), _judge(cells)
        mark = as_number(cells.get("score"), "score")
        failure = UNPARSED if mark < 0 else ""
        yield Item(item)
        yield from texts(item, {system: None})
        yield self.source.attribute("overall")
        yield judge
        yield Score(
            item,
            system,
            "overall",
            judge.name,
            None if failure else mark,
            kind=Kind.LLM,
            failure=failure,
            raw=as_text(cells.get("judgment")) or "",
        )


def _judge(cells: Cells) -> JudgeSpec:
    """The model and the prompt it was asked with; of the second turn, that it is."""
    given = required(cells, "judge", list)
    if len(given) != 2:
        raise ValueError(f"its judge {str(given)[:60]!r} is not a model and a prompt")
    model, prompt = map(str, given)
    turn = "" if cells.get("turn") in (None, 1) else f"/turn-{cells['turn']}"
    return asked(f"{model}/{prompt}{turn}", model, prompt)


def _outcome(said: str, first_is_1: bool) -> Outcome | None:
    if said in WINNERS:
        return Outcome.A if (WINNERS[said] == 0) == first_is_1 else Outcome.B
    return Outcome.TIE if said == "tie" else None


LAYOUT = Layout(
    "fastchat",
    "FastChat's LLM judgements",
    {
        Pairs: has("question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"),
        Singles: has("question_id", "model", "judge", "score", "judgment"),
    },
    ("question", "answer"),
    once=True,
)
