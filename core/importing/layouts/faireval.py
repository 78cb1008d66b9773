"""Readers of FairEval: Vicuna's 80 questions, two answers to each, and one human verdict each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named, required
from core.importing.files import PLAIN
from core.importing.layout import Layout, Record, Source, has, texts
from core.records import (
    Answer,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    System,
    TandemError,
    Vote,
)

VERDICTS = {"CHATGPT": Outcome.A, "VICUNA13B": Outcome.B, "TIE": Outcome.TIE}
_REVIEW = re.compile(r"review_([^_]+)_([^_]+)_([^_]+)")


class Questions:
    """question_id, text, category (the subset)."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        yield Item(
            named(cells, "question_id"),
            required(cells, "text", str),
            subset=as_text(cells.get("category")) or "",
        )


class Answers:
    """question_id, model_id, text. The verdicts know the system by what stands in the name of this
    file, answer_SYSTEM.jsonl; model_id says which model that was.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.system = (
            source.stem.removeprefix("answer_") if source.stem.startswith("answer_") else ""
        )

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, model = named(cells, "question_id"), named(cells, "model_id")
        system = self.system or model
        yield Item(item)
        yield System(system, base=model)
        yield Generation(item, system, 0, required(cells, "text", str))


class Verdicts:
    """One verdict a line, in the order of the questions: CHATGPT, VICUNA13B or TIE. The file's
    name, review_FIRST_SECOND_JUDGE.txt, says who is meant; the order in which people read the two
    is not known.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        named = _REVIEW.fullmatch(source.stem)
        if not named:
            raise TandemError(
                f"{source.path.name} should be named review_FIRST_SECOND_JUDGE.txt: "
                "the file does not say anywhere else who was compared"
            )
        *self.systems, self.judge = named.groups()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, said = str(number), required(cells, "line", str).strip()
        if said not in VERDICTS:
            raise ValueError(f"the verdict {said[:40]!r} is none of {', '.join(VERDICTS)}")
        first, second = self.systems
        yield Item(item)
        yield from texts(item, dict.fromkeys(self.systems))
        yield self.source.attribute("overall")
        yield JudgeSpec(self.judge, Kind.HUMAN)
        yield Vote(
            item,
            first,
            second,
            judge=self.judge,
            answer=Answer(outcome=VERDICTS[said]),
            order_known=False,
        )


def _is_review(source: Source) -> bool:
    return source.columns == PLAIN and source.stem.startswith("review_")


LAYOUT = Layout(
    "faireval",
    "FairEval",
    {
        Answers: has("question_id", "answer_id", "model_id", "text"),
        Questions: has("question_id", "text", "category"),
        Verdicts: _is_review,
    },
    ("question", "answer"),
    once=True,
)
