"""Readers of MT-Bench and of judgements in its manner: questions, answers, pairs judged in both
orders, and single grades.

A question has several turns and is judged as one conversation, so item and generation hold all of
them. An item is its question_id; in another language than English LANGUAGE/QUESTION_ID, as those
are other questions. The subset is the language, where a file says it.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_number, as_text, named, required
from core.importing.conversations import joined
from core.importing.layout import (
    UNPARSED,
    Layout,
    Record,
    Source,
    answered,
    asked,
    has,
    system_of,
    texts,
)
from core.records import Generation, Item, Kind, Outcome, Score, Vote

SIDES = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE}
ENGLISH = "en"


class Questions:
    """question_id, category, turns, and for some a reference, per turn like them."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        language = as_text(cells.get("language")) or ""
        reference = _turns(cells, "reference") if cells.get("reference") else ""
        yield Item(
            _item(cells), _turns(cells, "turns"), (reference,) if reference else (), language
        )


class Answers:
    """question_id, model_id, and in choices the turns of each sampled answer."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system = _item(cells), named(cells, "model_id")
        yield Item(item)
        yield system_of(system)
        for sample, choice in enumerate(required(cells, "choices", list)):
            yield Generation(item, system, sample, _turns(choice, "turns"))


class Judgements:
    """judge_id (the judge), question_id, model_a, model_b, winner_ab, winner_ba: A, B, tie or
    error, which could not be parsed.

    A is what was shown first, in winner_ba therefore model_b. The column `winner` follows from the
    two.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, judge = _item(cells), named(cells, "judge_id")
        systems = named(cells, "model_a"), named(cells, "model_b")
        if systems[0] == systems[1]:
            raise ValueError(f"compares {systems[0]!r} with itself")
        yield Item(item, subset=as_text(cells.get("language")) or "")
        yield from texts(item, dict.fromkeys(systems))
        yield self.source.attribute("overall")
        yield asked(judge, judge)
        for order, shown in (("ab", systems), ("ba", systems[::-1])):
            said = as_text(cells.get(f"winner_{order}")) or ""
            answer = answered(SIDES.get(said), as_text(cells.get(f"judgment_{order}")) or said)
            yield Vote(item, *shown, judge=judge, answer=answer, kind=Kind.LLM)


class Grades:
    """judge_id, question_id, model_id, and grades from 1 to 10: score_turn1, score_turn2, and their
    mean avg_score. -1, or no mean, is an answer that could not be parsed. The raters are
    JUDGE/single, and JUDGE/single-turn-1 and -2.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system, judge = _item(cells), named(cells, "model_id"), named(cells, "judge_id")
        yield Item(item, subset=as_text(cells.get("language")) or "")
        yield from texts(item, {system: None})
        yield self.source.attribute("overall")
        for rater, column in (
            ("", "avg_score"),
            ("-turn-1", "score_turn1"),
            ("-turn-2", "score_turn2"),
        ):
            if column not in self.source.columns:
                continue
            given = cells.get(column)
            mark = None if given in (None, "") else as_number(given, column)
            mark, failure = (mark, "") if mark is not None and mark >= 0 else (None, UNPARSED)
            name = f"{judge}/single{rater}"
            yield asked(name, judge)
            raw = (as_text(given) or "") if failure else ""
            yield Score(
                item, system, "overall", name, mark, kind=Kind.LLM, failure=failure, raw=raw
            )


def _item(cells: Cells) -> str:
    question, language = named(cells, "question_id"), as_text(cells.get("language"))
    return question if language in (None, "", ENGLISH) else f"{language}/{question}"


def _turns(of: object, name: str) -> str:
    """All turns of a conversation as one text."""
    return joined([as_text(turn) or "" for turn in required(of, name, list)])


LAYOUT = Layout(
    "mtbench",
    "MT-Bench and judgements in its manner",
    {
        Questions: has("question_id", "category", "turns"),
        Answers: has("question_id", "model_id", "choices"),
        Judgements: has("question_id", "judge_id", "model_a", "model_b", "winner_ab", "winner_ba"),
        Grades: has("question_id", "judge_id", "model_id", "score_turn1"),
    },
    ("question", "answer"),
    once=True,
)
