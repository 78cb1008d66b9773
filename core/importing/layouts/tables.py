"""Readers of tables whose columns are matched by name: generations and votes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from core.importing.cells import (
    Cells,
    as_kind,
    as_number,
    as_references,
    as_text,
    as_time,
    digest,
    is_false,
)
from core.importing.layout import Record, Source, marks
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

ECHO = 200  # characters of a header that a sentence repeats

# What a column may be called, by the field it fills; the field's own name always counts. Case and
# spaces do not.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "item": ("item_id", "id", "doc_id", "example_id", "question_id", "prompt_id", "instance"),
    "context": (
        "source",
        "input",
        "article",
        "document",
        "dialogue",
        "prompt",
        "question",
        "instruction",
        "src",
    ),
    "system": ("system_id", "model", "model_id", "generator", "system_name", "model_name"),
    "text": (
        "output",
        "generation",
        "response",
        "summary",
        "candidate",
        "system_output",
        "decoded",
        "answer",
        "prediction",
        "hypothesis",
        "completion",
    ),
    "sample": ("sample_id", "sample_index"),
    "reference": ("references", "ref", "gold", "target"),
    "subset": ("task", "split", "language", "category"),
    "system_a": (
        "model_a",
        "left",
        "model_x",
        "system_x",
        "model_1",
        "system_1",
        "generator_1",
        "a",
    ),
    "system_b": (
        "model_b",
        "right",
        "model_y",
        "system_y",
        "model_2",
        "system_2",
        "generator_2",
        "b",
    ),
    "text_a": (
        "response_a",
        "output_a",
        "answer_a",
        "output_1",
        "response_1",
        "text_left",
        "summary_a",
    ),
    "text_b": (
        "response_b",
        "output_b",
        "answer_b",
        "output_2",
        "response_2",
        "text_right",
        "summary_b",
    ),
    "sample_a": (),
    "sample_b": (),
    "winner": ("preference", "label", "choice", "verdict", "vote", "preferred", "outcome"),
    "judge": (
        "worker",
        "workerid",
        "worker_id",
        "annotator",
        "rater",
        "user",
        "annotator_id",
        "judge_name",
        "evaluator",
    ),
    "judge_kind": ("kind",),
    "attribute": ("dimension", "criterion", "aspect"),
    "prob_a": ("p_a", "probability", "prob", "p"),
    "shown_first": ("first_shown", "first", "order"),
    "swapped": ("toggle", "swap", "is_swapped"),
    "order_known": (),
    "failure": (),
    "strength": (),
    "confidence": (),
    "comment": ("reason", "rationale", "explanation"),
    "seconds": (),
    "raw": ("raw_answer",),
    "created_at": ("tstamp", "timestamp", "time", "date"),
}

NO_ANSWER = "no-answer"

# What a winner may be called, as `_word` reads it: case, spaces, underscores, dots and dashes make
# no difference.
WINNERS: dict[str, Outcome | str] = {
    **dict.fromkeys(
        ("a", "modela", "systema", "left", "1", "first", "model1", "a>b", "a>>b", "[[a]]"),
        Outcome.A,
    ),
    **dict.fromkeys(
        ("b", "modelb", "systemb", "right", "2", "second", "model2", "b>a", "b>>a", "[[b]]"),
        Outcome.B,
    ),
    **dict.fromkeys(("tie", "draw", "0", "same", "equal", "a=b", "[[c]]"), Outcome.TIE),
    **dict.fromkeys(("bothbad", "tie(bothbad)"), Outcome.BOTH_BAD),
    **dict.fromkeys(
        ("", "n/a", "na", "none", "null", "nan", "error", "invalid", "unknown"), NO_ANSWER
    ),
}


def matched(source: Source) -> dict[str, str]:
    """field -> column of this file: what --map says, else the column with the field's name or a
    synonym of it. A field mapped to '' is not there, whatever the columns are called.

    Raises TandemError when --map names a field or a column that does not exist.
    """
    by_name = {_plain(column): column for column in source.columns}
    for name, column in source.mapping.items():
        if name not in SYNONYMS and not re.match("(score|system):.", name):
            known = ", ".join(
                (*SYNONYMS, "score:ATTRIBUTE", "score:RATER:ATTRIBUTE", "system:NAME")
            )
            raise TandemError(f"--map names an unknown field {name!r}; the fields are {known}")
        if column and column not in source.columns:
            raise TandemError(
                f"--map {name}={column}: {source.path.name} has no such column; it has "
                f"{_list(source.columns)}"
            )
    found = {name: column for name, column in source.mapping.items() if column}
    taken = set(found.values())
    for name, synonyms in SYNONYMS.items():
        columns = [
            by_name[_plain(known)] for known in (name, *synonyms) if _plain(known) in by_name
        ]
        free = [column for column in columns if column not in taken]
        if name not in found and name not in source.mapping and free:
            found[name] = free[0]
            taken.add(free[0])
    for column in source.columns:
        if re.match("score:.", column) and column not in taken:
            found[column] = column
    return found


class Generations:
    """A table of generations: long (item, context, system, text, sample, reference, subset,
    `score:*`), or one row per item with a column per system. `score:ATTRIBUTE` is a mark by people;
    `score:RATER:ATTRIBUTE` names who gave it.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.fields = matched(source)
        self.long = "system" in self.fields and "text" in self.fields
        self.rows: dict[tuple[str, str, int], int] = {}
        self.systems = {} if self.long else self._columns_of_systems()
        if "item" not in self.fields and "context" not in self.fields:
            raise TandemError(
                f"{source.path.name} has neither an item nor a context column, so its rows "
                "cannot be told apart; "
                f"it has {_list(source.columns)}; name one with --map item=COLUMN"
            )

    def _columns_of_systems(self) -> dict[str, str]:
        named = {
            name[len("system:") :]: column
            for name, column in self.fields.items()
            if name.startswith("system:")
        }
        others = {
            self.fields[name]
            for name in ("item", "context", "reference", "subset", "sample")
            if name in self.fields
        }
        found = named or {column: column for column in self.source.columns if column not in others}
        if scores := [name for name in self.fields if name.startswith("score:")]:
            raise TandemError(
                f"{self.source.path.name} has {scores[0]!r} but no system and text columns, so "
                "it is not known what "
                "was scored: write one text a row, or name the columns with --map system=COLUMN "
                "--map text=COLUMN"
            )
        if len(found) < 2 or "text" in self.fields or "system" in self.fields:
            raise TandemError(
                f"{self.source.path.name} needs a system and a text column, or one column per "
                "system; it has "
                f"{_list(self.source.columns)}; name them with --map system=COLUMN --map "
                "text=COLUMN"
            )
        return found

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = _item(cells, self.fields)
        sample = _whole(cells, self.fields, "sample") or 0
        system = _name(cells, self.fields, "system") if self.long else ""
        outputs = {system: self.fields["text"]} if self.long else self.systems
        if (first := self.rows.setdefault((item.key, system, sample), number)) != number:
            more = (
                ""
                if "sample" in self.fields
                else "; if these are several samples, number them in a sample column"
            )
            whose = f", system {system!r}" if self.long else ""
            raise ValueError(
                f"repeats item {item.key!r}{whose}, sample {sample} of row {first}{more}"
            )
        yield item
        for name, column in outputs.items():
            yield System(name)
            yield Generation(item.key, name, sample, as_text(cells.get(column)))
        kind = self.source.kind
        for name, column in self.fields.items():
            if name.startswith("score:"):
                rater, _, attribute = name[len("score:") :].rpartition(":")
                yield from marks(
                    self.source,
                    item.key,
                    system,
                    sample,
                    attribute,
                    rater or kind.value,
                    cells.get(column),
                    kind,
                )


class Votes:
    """A table of votes: who was compared, who won, and optionally item, judge, attribute, texts,
    probability.

    Column A is the side shown first unless `shown_first` or `swapped` says otherwise. Votes without
    an item get the item `row-<n>`. A text seen for the first time for its item and system is that
    system's next sample.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.fields = matched(source)
        for name in ("system_a", "system_b", "winner"):
            if name not in self.fields:
                raise TandemError(
                    f"{source.path.name} has no {name} column among {_list(source.columns)}; "
                    "name it with "
                    f"--map {name}=COLUMN, or say --format generations if these are columns of "
                    "texts"
                )

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        named = any(
            _cell(cells, self.fields, name) not in (None, "") for name in ("item", "context")
        )
        item = _item(cells, self.fields) if named else Item(f"row-{number}")
        systems = [_name(cells, self.fields, "system_a"), _name(cells, self.fields, "system_b")]
        if systems[0] == systems[1]:
            raise ValueError(f"compares {systems[0]!r} with itself")
        answer = self._answer(cells, systems)
        attribute = as_text(_cell(cells, self.fields, "attribute")) or "overall"
        kind = as_kind(_cell(cells, self.fields, "judge_kind"), self.source.kind)
        judge = as_text(_cell(cells, self.fields, "judge")) or (
            "voters" if kind is Kind.HUMAN else kind.value
        )
        texts = [as_text(_cell(cells, self.fields, name)) for name in ("text_a", "text_b")]
        samples = [
            self._sample(item.key, system, text, _whole(cells, self.fields, name))
            for system, text, name in zip(systems, texts, ("sample_a", "sample_b"), strict=True)
        ]
        yield item
        for system, sample, text in zip(systems, samples, texts, strict=True):
            yield System(system)
            yield Generation(item.key, system, sample, text)
        yield self.source.attribute(attribute)
        yield JudgeSpec(judge, kind)
        order = [0, 1]
        if self._swapped(cells, systems):
            order, answer = [1, 0], _mirrored(answer)
        first, second = order
        yield Vote(
            item=item.key,
            system_a=systems[first],
            system_b=systems[second],
            sample_a=samples[first],
            sample_b=samples[second],
            judge=judge,
            kind=kind,
            attribute=attribute,
            answer=answer,
            order_known=not is_false(_cell(cells, self.fields, "order_known")),
            created_at=as_time(_cell(cells, self.fields, "created_at")),
        )

    def _answer(self, cells: Cells, systems: list[str]) -> Answer:
        raw = _cell(cells, self.fields, "winner")
        probability = _number(cells, self.fields, "prob_a")
        if probability is not None and not 0 <= probability <= 1:
            raise ValueError(f"the probability {probability} is not between 0 and 1")
        shared = {
            "strength": _number(cells, self.fields, "strength"),
            "confidence": _number(cells, self.fields, "confidence"),
            "seconds": _number(cells, self.fields, "seconds"),
            "comment": as_text(_cell(cells, self.fields, "comment")) or "",
            "raw": as_text(_cell(cells, self.fields, "raw")) or "",
        }
        failure = as_text(_cell(cells, self.fields, "failure")) or ""
        text = as_text(raw) or ""
        outcome = NO_ANSWER if failure else _side(text, systems)
        if outcome == NO_ANSWER:
            shared["raw"] = shared["raw"] or text
            return Answer(failure=failure or NO_ANSWER, **shared)  # type: ignore[arg-type]
        if not isinstance(outcome, Outcome):
            raise ValueError(
                f"the winner {text[:40]!r} is neither a side, a system of this row, nor a tie"
            )
        return Answer(outcome=outcome, prob_a=probability, **shared)  # type: ignore[arg-type]

    def _swapped(self, cells: Cells, systems: list[str]) -> bool:
        """Whether the text of column B was the one shown first."""
        first = as_text(_cell(cells, self.fields, "shown_first"))
        if first:
            side = _side(first, systems)
            if side not in (Outcome.A, Outcome.B):
                raise ValueError(
                    f"the side shown first, {first[:40]!r}, is neither a, b nor a system of "
                    "this row"
                )
            return side is Outcome.B
        swapped = _cell(cells, self.fields, "swapped")
        return swapped not in (None, "") and not is_false(swapped)

    def _sample(self, item: str, system: str, text: str | None, given: int | None) -> int:
        if given is not None or text is None:
            return given or 0
        known = self.source.texts(item, system)
        same = known.get(digest(text))
        return max(known.values(), default=-1) + 1 if same is None else same


def _side(text: str, systems: list[str]) -> Outcome | str | None:
    """What a cell says of two systems, by a system's name or by any word for a side; NO_ANSWER, or
    None for neither.
    """
    name, word, sides = (
        text.strip(),
        _word(text),
        list(zip(systems, (Outcome.A, Outcome.B), strict=True)),
    )
    meant: set[Outcome | str] = {side for system, side in sides if system == name}
    meant = meant or {side for system, side in sides if _word(system) == word}
    other = WINNERS.get(word)
    if len(meant | {other} - {None}) > 1:
        raise ValueError(
            f"{name[:40]!r} may mean a system of this row or something else: name the systems "
            "otherwise, "
            "or the sides model_a and model_b"
        )
    return next(iter(meant), other)


def _word(text: str) -> str:
    """A winner without what people write differently: "Model-A", "A is better" and "1.0" are
    modela, a and 1.
    """
    word = re.sub(r"[\s_]+|(?<=\d)\.0*$|(?<=\w)-+(?=\w)|\.(?!\d)", "", text.casefold())
    return re.sub(r"(?<=[ab12td])(wins|won|isbetter|better)$", "", word)


def _item(cells: Cells, fields: Mapping[str, str]) -> Item:
    context = as_text(_cell(cells, fields, "context")) or ""
    key = as_text(_cell(cells, fields, "item")) or ""
    if "item" in fields and not key:
        raise ValueError(f"column {fields['item']!r} (the item) is empty")
    if not key and not context:
        raise ValueError(
            f"column {fields['context']!r} (the context, which tells the items apart) is empty"
        )
    listed = as_references(_cell(cells, fields, "reference"))
    return Item(
        key or f"context-{digest(context)}",
        context,
        listed,
        as_text(_cell(cells, fields, "subset")) or "",
    )


def _cell(cells: Cells, fields: Mapping[str, str], name: str) -> object:
    return cells.get(fields[name]) if name in fields else None


def _name(cells: Cells, fields: Mapping[str, str], name: str) -> str:
    found = as_text(_cell(cells, fields, name))
    if not found or not found.strip():
        raise ValueError(f"column {fields[name]!r} (the {name}) is empty")
    return found.strip()


def _number(cells: Cells, fields: Mapping[str, str], name: str) -> float | None:
    value = _cell(cells, fields, name)
    return None if value in (None, "") else as_number(value, f"column {fields[name]!r}")


def _whole(cells: Cells, fields: Mapping[str, str], name: str) -> int | None:
    value = _number(cells, fields, name)
    if value is None:
        return None
    if value != int(value) or value < 0:
        raise ValueError(f"column {fields[name]!r} is {value}, not a whole number from 0")
    return int(value)


def _mirrored(answer: Answer) -> Answer:
    """The same answer told of the pair in the other order."""
    sides = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    return replace(
        answer,
        outcome=sides.get(answer.outcome, answer.outcome) if answer.outcome else None,
        prob_a=None if answer.prob_a is None else 1 - answer.prob_a,
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().casefold())


def _list(names: Iterable[str]) -> str:
    """Names for a sentence: as many as fit into ECHO characters, at least one, cut there."""
    listed = list(names)
    shown = 1
    while shown < min(12, len(listed)) and len(", ".join(listed[: shown + 1])) <= ECHO:
        shown += 1
    text = ", ".join(listed[:shown])
    cut = text if len(text) <= ECHO else text[:ECHO] + "..."
    return cut + (f" and {len(listed) - shown} more" if len(listed) > shown else "")
