"""Reader of tables of votes, one comparison a row, by one judge or by several, about one question
or several.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ...records import Outcome, TandemError, option_ref
from ..answer_columns import find_words
from ..cells import Cells, as_text
from ..codes import SIDE
from ..column_names import VERSUS
from ..conversations import conversation
from ..entry import VOTE, Entry
from ..joint_columns import YES_NO, find_flag_side, split_columns
from ..layout import Layout, Source, TableReader
from ..raters import kind_of, raters_of
from ..staged_values import OF_KIND
from ..table_cells import Fields
from ..table_fields import likely_winners, list_names, match_columns
from ..templates import swap_sides
from ..vote_words import VoteWords
from ..winners import SIDES, WINNERS, meaning_of, word

MOST_NAMED = 6  # columns in a suggestion
LONGEST_NAME = 200  # characters; a winner that is longer is a text
COPIED = (
    "item", "context", "reference", "subset", "family", "attribute", "judge", "judge_kind",
    "comment", "raw", "failure", "created_at", "shown_first", "text_a", "text_b", "text_format",
    "length_a", "length_b",
)  # fmt: skip
"""Fields of an entry that are cells as they stand there."""
READ = {
    **dict.fromkeys(("strength", "confidence", "seconds", "prob_a"), Fields.read_number),
    **dict.fromkeys(("sample_a", "sample_b"), Fields.read_whole),
    **dict.fromkeys(("swapped", "order_known"), Fields.read_flag),
}
"""Those that are read first, so that a reason to skip the row names their column."""
OF_WINNER = (*OF_KIND, "systems", "winner_tie")
"""Fields that together say who won."""
TURNS = {"context": "conversation_a", "text_a": "conversation_a", "text_b": "conversation_b"}
"""Fields of texts -> those of whole conversations, which they are found in where they are not."""
TURN = {"question_id", "conversation_a", "turn"}  # MT-Bench's
_JOINT = re.compile(rf"{VERSUS}|[|,;/]", re.IGNORECASE)


class Votes(TableReader):
    """A table of votes: who was compared, who won, and optionally item, judge, attribute, texts,
    probability.

    Column A is the side shown first unless `shown_first` or `swapped` says otherwise. With
    `winner:JUDGE` columns a row holds a vote of each of these judges, with `attribute:NAME` columns
    the answer to each of these questions. MT-Bench's votes on a `turn` of a conversation answer
    different questions, so each turn is an attribute. With columns of winners and of losers the
    columns say who won, and not who was shown first.
    """

    words: VoteWords

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.has_systems = {"system_a", "system_b"} <= set(self.fields.columns)
        self.words = VoteWords(source, self.fields)
        self.asked = {
            name: "judge" if name.startswith("winner:") else "attribute"
            for name in self.fields.columns
            if name.startswith(("winner:", "attribute:"))
        }
        judges = raters_of(self.asked)
        self.kinds = {judge: kind_of(judge, source, judges) for judge in judges}
        for judge, kind in self.kinds.items():
            if kind is not source.kind and judge not in source.kinds:
                source.tally.notes[
                    f"{judge} is taken for {kind.value}; {option_ref('kinds')} {judge}=human says "
                    "otherwise"
                ] = None
        self._check_winner()
        self._check_systems()
        named, columns = self.fields.columns.get("winner", ""), self.fields.columns
        self.winning_side = next(
            (outcome for side, outcome in zip("ab", SIDES, strict=True)
             if named in map(columns.get, (f"system_{side}", f"text_{side}"))), None
        )  # fmt: skip
        self.readers = self._list_readers()
        self.deciding = self._list_deciding()
        source.tally.columns = self.words.sides
        source.tally.has_known_winners = self.winning_side is not None

    def _list_deciding(self) -> dict[str, set[str]]:
        fields, columns = self.fields.columns, set(self.source.columns)
        if self.asked or "winner_swapped" in fields:
            return {}  # such a row may hold several answers
        deciding = {
            name: set(split_columns(self.source, column))
            for name in (*self.readers, *OF_WINNER)
            if (column := fields.get(name) or fields.get(TURNS.get(name, "")))
        }
        deciding["attribute"] = deciding.get("attribute", set()) | ({"turn"} & columns)
        deciding["winner"] = {*self.words.places}.union(
            *(several for name, several in deciding.items() if name in OF_WINNER)
        )
        return deciding if columns >= set[str]().union(*deciding.values()) else {}

    def _list_readers(self) -> dict[str, Callable[[Cells], object]]:
        fields, columns = self.fields, set(self.source.columns)
        readers: dict[str, Callable[[Cells], object]] = {
            name: read for name, read in fields.readers.items() if name in COPIED
        }
        readers |= {name: partial(READ[name], fields, name=name) for name in READ if name in fields}
        for name, given in TURNS.items():
            if name not in fields and given in fields:
                place = 0 if name == "context" else 1
                readers[name] = partial(_read_conversation, fields.readers[given], place)
        # MT-Bench's people say after which turn they voted. The Arena's turn is how long it was.
        if columns >= TURN and not {"tstamp", "anony"} & columns:
            readers["attribute"] = partial(_read_turn, readers.get("attribute"))
        return readers

    def read_fields(self, cells: Cells, fields: Iterable[str]) -> Entry:
        if self.readers.keys() >= set(fields):
            return {name: self.readers[name](cells) for name in fields}
        return super().read_fields(cells, fields)

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        systems = self._systems(cells)
        entry: Entry = {name: read(cells) for name, read in self.readers.items()}
        entry |= {"sort": VOTE, "system_a": systems[0], "system_b": systems[1]}
        if self.words.places:
            entry["place_hint"] = self.words.find_hint(cells, systems)
        for answer in self._answers(cells):
            yield self._place({**entry, **answer})

    def decisions(self, cells: Cells) -> Iterator[Entry]:
        """Yield who won in a skipped row, as far as the row says it. Raises ValueError."""
        systems = self._systems(cells)
        for answer in self._answers(cells):
            vote = {"sort": VOTE, "system_a": systems[0], "system_b": systems[1], **answer}
            yield self._place(vote)

    def _place(self, vote: Entry) -> Entry:
        """Return a vote with its sides as they were shown."""
        if vote.get("field") != "winner_swapped":
            return vote
        if self.source.codes.means == SIDE:
            return swap_sides(vote)
        return {**vote, "swapped": True}

    def _answers(self, cells: Cells) -> list[Entry]:
        """List the answers in a row's winner columns. If there are several, an empty one was not
        asked. A winner beside columns of other questions answers the usual one.
        """
        if not self.asked and "winner_swapped" not in self.fields:
            return [self._answer(cells)]
        said = {name: self.fields.read_text(cells, name) for name in self.asked}
        answers = list[Entry]()
        for name, text in said.items():
            who = name.partition(":")[2]
            answer = {"winner": text, "field": name, self.asked[name]: who}
            if self.asked[name] == "judge":
                answer["judge_kind"] = self.kinds[who].value
            if text.strip():
                answers.append(answer)
        if "winner" in self.fields and self.fields.read_text(cells, "winner").strip():
            answers.append(self._answer(cells))
        text = self.fields.read_text(cells, "winner_swapped")
        if text.strip() or not (self.asked or "winner" in self.fields):
            answers.append({"winner": text, "field": "winner_swapped"})
        return answers

    def _answer(self, cells: Cells) -> Entry:
        is_tie = self.fields.read_flag(cells, "winner_tie")
        if self.winning_side is None:
            return self._read_winner(cells, is_tie=bool(is_tie))
        return {"outcome": Outcome.TIE if is_tie else self.winning_side, "order_known": False}

    def _read_winner(self, cells: Cells, *, is_tie: bool) -> Entry:
        said = self.fields.read_text(cells, "winner")
        if not is_tie:
            return {"winner": said}
        meaning, column = meaning_of(said), self.fields.columns.get("winner", "")
        is_no = find_flag_side(column, self.fields.columns) and YES_NO.get(said.casefold())
        if said.strip() and not is_no and (meaning is None or meaning.outcome in SIDES):
            raise ValueError(
                f"{self.fields.describe_column('winner_tie')} says a tie, and "
                f"{self.fields.describe_column('winner')} says {said[:40]!r}"
            )
        return {"outcome": Outcome.TIE}

    def _check_winner(self) -> None:
        name, likely = self.source.path.name, likely_winners(self.source)
        if self.asked or {"winner", "winner_swapped"} & set(self.fields.columns):
            return
        if len(likely) > 1:
            raise TandemError(
                f"the winner of {name} may be in column {' or '.join(map(repr, likely))}. "
                f"Choose with {option_ref('map')} winner={likely[0]}, or take each as its own "
                f"question with {option_ref('map')} attribute:NAME=COLUMN"
            )
        answers = find_words(self.source, self.fields.columns)
        if len(answers) > 1:
            people, questions = (
                shlex.join(f"{field}:{column}={column}" for column in answers[:MOST_NAMED])
                for field in ("winner", "attribute")
            )
            raise TandemError(
                f"{name} has no winner column, and {list_names(map(repr, answers))} hold answers. "
                f"If each is a person's or a judge's, say {option_ref('map')} {people}; if each "
                f"answers a question, {option_ref('map')} {questions}"
            )
        raise TandemError(
            f"{name} has no winner column among {list_names(self.source.columns)}. Name it with "
            f"{option_ref('map')} winner=COLUMN, or one for each judge with {option_ref('map')} "
            f"winner:JUDGE=COLUMN, or for each question with {option_ref('map')} "
            f"attribute:NAME=COLUMN. If these are columns of texts, say {option_ref('format')} "
            "generations"
        )

    def _check_systems(self) -> None:
        name, columns = self.source.path.name, self.fields.columns
        if not self.has_systems and "systems" not in columns:
            if len(self.source.systems) != 2:
                raise TandemError(
                    f"{name} has no columns that name the two systems among "
                    f"{list_names(self.source.columns)}. Name them with {option_ref('map')} "
                    f"system_a=COLUMN {option_ref('map')} system_b=COLUMN, or two systems of "
                    f"all rows with {option_ref('systems')} FIRST SECOND"
                )
            if self.source.systems[0] == self.source.systems[1]:
                raise TandemError(f"{self.source.systems[0]!r} is named twice: name two systems")
        for first, second in self.words.pairs:
            if (WINNERS.get(word(first)), WINNERS.get(word(second))) == (Outcome.B, Outcome.A):
                raise TandemError(
                    f"column {second!r} of {name} names the first side, yet {first!r} is said to: "
                    "name the two the other way round"
                )

    def _systems(self, cells: Cells) -> tuple[str, str]:
        fields = self.fields
        if self.has_systems:
            systems = fields.read_name(cells, "system_a"), fields.read_name(cells, "system_b")
            if self.winning_side is not None and any(
                len(name) > LONGEST_NAME or "\n" in name for name in systems
            ):
                first, second = (fields.columns[f"system_{side}"] for side in "ab")
                raise TandemError(
                    f"columns {first!r} and {second!r} of {self.source.path.name} hold texts, not "
                    f"names of systems. Say {option_ref('map')} text_a={first} text_b={second} "
                    f"winner={first} and name the systems with {option_ref('systems')} FIRST SECOND"
                )
            return systems
        if "systems" not in fields:
            return self.source.systems[0], self.source.systems[1]
        both = fields.read_name(cells, "systems")
        names = _JOINT.split(both)
        names = [name.strip() for name in (names if len(names) == 2 else both.split("_"))]
        if len(names) != 2 or not all(names):
            raise ValueError(
                f"it is not certain which two systems {both[:60]!r} names: write A vs B"
            )
        return names[0], names[1]


def _read_conversation(read: Callable[[Cells], object], place: int, cells: Cells) -> str:
    return conversation(read(cells))[place]


def _read_turn(read: Callable[[Cells], object] | None, cells: Cells) -> object:
    turn = as_text(cells.get("turn"))
    return (read and read(cells)) or (f"turn {turn}" if turn else "")


def _is_votes(source: Source) -> bool:
    fields = set(match_columns(source))
    named = {"system_a", "system_b"} <= fields or "systems" in fields
    sides = {"text_a", "text_b"} <= fields or len(source.systems) == 2
    by_hand = any(re.match("(winner|attribute)(:|$)", name) for name in source.mapping)
    is_judged = any(re.match("winner(_swapped|:|$)", name) for name in fields)
    return named or by_hand or (sides and (is_judged or bool(likely_winners(source))))


OTHERS = ("system", "text", "sample", "rank", "wins_a", "wins_b", "wins_tie")
"""Fields of tables of another layout."""
LAYOUT = Layout(
    "votes", "votes, one comparison a row", {Votes: _is_votes},
    matched=lambda source: {
        name: each for name, each in match_columns(source).items() if name not in OTHERS
    },
    by_hand=(
        "item", "context", "system_a", "system_b", "text_a", "text_b", "winner", "judge",
        "attribute", "prob_a",
    ),
    settings=("codes", "systems", "kind"),
)  # fmt: skip
