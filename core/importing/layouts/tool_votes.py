"""Votes as annotation tools and forms write them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from ...records import Kind, Outcome, TandemError, option_ref
from ..cells import Cells, as_text, read_name, require_cell
from ..conversations import join_turns
from ..entry import VOTE, Entry
from ..layout import Layout, Reader, Source, has_columns, keep_fields
from ..pairs_in_tools import OF_PAIR, PairReader, is_side, name_attribute, prefer_higher
from ..table_cells import Fields
from ..table_fields import match_columns
from ..templates import read_from, template
from ..values import Object, find_list, find_object, find_objects, find_text
from ..vote_words import VoteWords
from ..winner_columns import name_sides
from ..winners import NO_ANSWER, SIDES, meaning_of

# Reader of Label Studio's JSON: tasks with Pairwise annotations, or tasks to annotate. Layout:
# HumanSignal/label-studio, its page "Label Studio Task Format" and the template
# pairwise-classification (config.xml); imported annotations as in
# label_studio/tasks/serializers.py.

OWN = ("annotator", "raw", "failure")
"""Controls of Tandem's own export: the annotator, who may have no account there, what was said word
for word, and why there is no answer.
"""
TO_ANNOTATE = frozenset(("id", "data", "meta", "predictions"))
"""The keys of tasks as they are imported into Label Studio."""


class Tasks(PairReader):
    """`data` (whose fields are the two texts and what else is known of them) and `annotations`,
    each with who made it (`completed_by`), when, how long it took (`lead_time`) and its results:
    `pairwise` with the side that was selected, the first text being on the left. If
    missing, a choice may say it (`left`, `tie` ...). Texts that were written are comments.

    Predictions are votes of a model, `model_version`. What was skipped or is empty has no answer.
    """

    def is_answered(self, cells: Cells) -> bool:
        return bool(cells.get("annotations") or cells.get("predictions"))

    def find_pair(self, cells: Cells) -> Entry:
        pair = super().find_pair(require_cell(cells, "data", dict))
        if not (pair.get("item") or pair.get("context")) and cells.get("id") is not None:
            pair["item"] = f"task-{cells['id']}"
        return pair

    def read_votes(self, cells: Cells) -> Iterator[Entry]:
        pair = self.find_pair(cells)
        for said in find_objects(cells, "annotations"):
            yield from _read_answer(said, pair, _name_annotator(said), self.kind)
        for said in find_objects(cells, "predictions"):
            model = as_text(said.get("model_version")) or "prediction"
            yield from _read_answer(said, pair, model, Kind.LLM)


def _read_answer(answer: Object, pair: Entry, judge: str, kind: Kind) -> Iterator[Entry]:
    written, sides = defaultdict[str, list[str]](list), dict[str, str]()
    for result in find_objects(answer, "result"):
        name, value = str(result.get("from_name") or ""), find_object(result, "value")
        if result.get("type") == "textarea" and value:
            text = value.get("text")
            written[name] += map(str, text if isinstance(text, list) else [text])
        elif side := _read_side(result.get("type"), value):
            sides[name] = side
    annotator, raw, failure = (next(iter(written.pop(name, ())), "") for name in OWN)
    vote = {
        "sort": VOTE, **pair, "judge": annotator or judge, "judge_kind": kind, "raw": raw,
        "comment": "\n".join(chain(*written.values())), "created_at": answer.get("created_at"),
        "seconds": answer.get("lead_time"),
    }  # fmt: skip
    if answer.get("was_cancelled") or failure:
        yield {**vote, "failure": failure or "skipped"}
        return
    for name, side in sides.items() or [("", "")]:
        yield {**vote, "winner": side, "attribute": vote.get("attribute") or name_attribute(name)}


def _read_side(sort: object, value: Object) -> str:
    if sort == "pairwise":
        return str(value.get("selected") or "")
    choices = find_list(value, "choices")
    return str(choices[0]) if len(choices) == 1 and is_side(str(choices[0])) else ""


def _name_annotator(annotation: Object) -> str:
    by = annotation.get("completed_by")
    by = by.get("email") or by.get("username") or by.get("id") if isinstance(by, dict) else by
    return f"annotator-{by}" if isinstance(by, int) else as_text(by) or ""


def _is_tasks(source: Source) -> bool:
    columns = set(source.columns)
    if "data" not in columns or "annotations" in columns:
        return {"data", "annotations"} <= columns and "fields" not in columns
    is_open = columns <= TO_ANNOTATE and "." not in "".join(source.mapping.values())
    return is_open and all(isinstance(cells.get("data"), dict) for cells in source.cells(20))


LABEL_STUDIO = Layout(
    "label-studio", "Label Studio's tasks with Pairwise annotations", {Tasks: _is_tasks},
    fields=OF_PAIR, settings=("systems", "kind"),
)  # fmt: skip


# Prodigy's answers about two texts: a choice between two options, and its recipe `compare`. A task
# that was rejected or ignored is not answered; in `compare`, "reject" prefers the text under that
# key. There `mapping` says under which key the texts of A and of B are.

TEXTS = ("text", "html", "label")
ABOUT = template(
    VOTE, context=("input.text", "input", "prompt", "question", "text"), created_at="_timestamp",
    judge=lambda cells: find_text(cells, "_annotator_id", "_session_id") or "annotators",
)  # fmt: skip


def _vote(cells: Cells, names: Sequence[str], texts: Sequence[str], won: Sequence[bool]) -> Entry:
    outcome = prefer_higher(*won) if any(won) else None
    return {
        **(ABOUT.fill(0, cells) or {}), "system_a": names[0], "text_a": texts[0],
        "system_b": names[1], "text_b": texts[1], "outcome": outcome,
        "failure": "" if outcome else NO_ANSWER,
    }  # fmt: skip


def _options(source: Source, number: int, cells: Cells) -> Iterator[Entry]:
    options = find_objects(cells, "options")
    if len(options) != 2:
        raise ValueError(f"it has {len(options):,} options, not two")
    ids = [as_text(option.get("id")) or "" for option in options]
    names = [find_text(option, "model", "system", "id") for option in options]
    if len(source.systems) == 2:  # in the order of the ids, as options may be shuffled
        names = [source.systems[sorted(ids).index(each)] for each in ids]
    accepted = find_list(cells, "accept") if cells.get("answer") == "accept" else []
    won = [each in [*map(as_text, accepted)] for each in ids]
    yield _vote(cells, names, [find_text(option, *TEXTS) for option in options], won)


def _comparisons(source: Source, number: int, cells: Cells) -> Iterator[Entry]:
    usual = (("A", "accept"), ("B", "reject"))
    keys = [find_text(cells, f"mapping.{side}") or key for side, key in usual]
    given = [text if isinstance(text := cells.get(key), dict) else {"text": text} for key in keys]
    texts = [find_text(text, *TEXTS) for text in given]
    won = [cells.get("answer") == key for key in keys]
    yield {**_vote(cells, name_sides(source, ("A", "B")), texts, won), "order_known": False}


PRODIGY = Layout(
    "prodigy", "Prodigy's answers", {
        read_from(_options): has_columns("options", "accept", "answer"),
        read_from(_comparisons): has_columns("accept", "reject", "answer"),
    }, ("input", "text"), settings=("systems", "kind"),
)  # fmt: skip


# FastChat's conversation logs, `*-conv.json`: each line is something that a visitor did. Votes
# have two `states`, the left one first, each with its model and the messages from `offset` on.
# Layout: lm-sys/FastChat, fastchat/serve/monitor/clean_battle_data.py.

OUTCOMES = {
    "leftvote": Outcome.A, "rightvote": Outcome.B, "tievote": Outcome.TIE,
    "bothbad_vote": Outcome.BOTH_BAD,
}  # fmt: skip


def _join_messages(state: Object, place: int) -> str:
    messages = find_list(state, "messages")[int(state.get("offset") or 0) :]
    return join_turns([str(text) for _, text in messages[place::2] if text is not None])


def _logged_votes(source: Source, number: int, cells: Cells) -> Iterator[Entry]:
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


FASTCHAT_LOGS = Layout(
    "fastchat-logs", "FastChat's conversation logs",
    {read_from(_logged_votes): has_columns("tstamp", "type", "states")}, ("prompt", "response"),
    settings=("kind",),
)  # fmt: skip


# Reader of forms: a column for each question about a pair, a row for each person, as Google Forms
# exports answers.

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
    balance, decided = Counter[str](), False
    for cells in source.cells():
        for column in asked:
            if answer := str(cells.get(column) or "").strip():
                meaning, is_system = meaning_of(answer), answer in source.systems
                balance[column] += 1 if meaning or is_system else -1
                decided |= is_system or bool(meaning and meaning.outcome in SIDES)
    return [column for column in asked if balance[column] > 0] if decided else []


FORMS = Layout(
    "forms", "answers to a form, a person a row",
    {Form: lambda source: bool(find_questions(source))}, matched=keep_fields("judge"),
    by_hand=("judge",), settings=("codes", "systems", "kind"),
)  # fmt: skip
