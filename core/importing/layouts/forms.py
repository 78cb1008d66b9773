"""Reader of forms: a column for each question about a pair, a row for each person, as Google Forms
exports answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...records import TandemError, option_ref
from ..cells import Cells, as_text
from ..entry import VOTE, Entry
from ..layout import Layout, Reader, Source
from ..table_cells import Fields
from ..table_fields import match_columns
from ..vote_words import VoteWords
from ..winners import SIDES, meaning_of

OF_PAIRS = frozenset(("system_a", "text_a", "systems", "winner", "item", "context", "text"))
"""Fields of tables with a pair or a text a row."""


class Form(Reader):
    """A form: each question is an item, its first option the first of two systems of all items. A
    row without the name of a person is a person.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.fields = source, Fields(source)
        self.questions = find_questions(source)
        if len(set(source.systems)) != 2:
            raise TandemError(
                f"{source.path.name} has answers to {len(self.questions):,} questions, and does "
                "not say which systems they compare. Name the one of all first options and the "
                f"other with {option_ref('systems')} FIRST SECOND"
            )
        self.words = VoteWords(source, self.fields)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        judge = self.fields.read_text(cells, "judge") or f"{self.source.stem} row {number}"
        for question in self.questions:
            if answer := (as_text(cells.get(question)) or "").strip():
                yield {
                    "sort": VOTE, "item": " ".join(question.split()), "judge": judge,
                    "system_a": self.source.systems[0], "system_b": self.source.systems[1],
                    "winner": answer,
                }  # fmt: skip


def find_questions(source: Source) -> list[str]:
    """Return the columns that ask which of two is better: most of their answers are words for a
    side or a tie, or the names of both systems.
    """
    fields = match_columns(source)
    free = [column for column in source.columns if column not in fields.values()]
    asked = [column for column in free if "?" in column or len(column.split()) > 3]
    if OF_PAIRS & set(fields) or source.mapping.keys() & OF_PAIRS or not asked:
        return []
    known, unknown, decided = Counter[str](), Counter[str](), False
    for cells in source.cells():
        for column in asked:
            if answer := str(cells.get(column) or "").strip():
                meaning = meaning_of(answer)
                is_known = meaning is not None or answer in source.systems
                (known if is_known else unknown)[column] += 1
                decided |= answer in source.systems or bool(meaning and meaning.outcome in SIDES)
    return [column for column in asked if known[column] > unknown[column]] if decided else []


def _match_judge(source: Source) -> dict[str, str]:
    return {name: column for name, column in match_columns(source).items() if name == "judge"}


LAYOUT = Layout(
    "forms", "answers to a form, a person a row",
    {Form: lambda source: bool(find_questions(source))}, matched=_match_judge, by_hand=("judge",),
    settings=("codes", "systems", "kind"),
)  # fmt: skip
