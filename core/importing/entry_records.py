"""Entries as records of the engine that goes (until the staging table stands)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.importing.cells import (
    Cells,
    as_kind,
    as_mark,
    as_references,
    as_stated_time,
    as_text,
    as_whole,
    digest,
)
from core.importing.entry import DROPPED, IN_ORDER, SCORE, TEXT, VOTE, Entry
from core.importing.layout import (
    UNPARSED,
    Dropped,
    Record,
    Source,
    marks,
    name_item,
)  # fmt: skip
from core.importing.times import Times
from core.records import (
    Answer,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Prompt,
    Score,
    System,
    Vote,
)  # fmt: skip


class EntryReader:
    def __init__(self, reader: Any, source: Source) -> None:
        self.reader, self.source, self.times = reader, source, Times(source)
        self.counts: Counter[Any] = Counter()
        self.once: set[Any] = set()
        self._votes: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        for entry in self.reader.entries(number, cells):
            yield from self._records(number, entry)

    def _records(self, number: int, entry: Entry) -> Iterator[Record]:
        if entry["sort"] == DROPPED:
            yield Dropped(entry["reason"])
            return
        item = self._item(number, entry)
        yield item
        if entry["sort"] == TEXT:
            yield System(entry["system"], base=entry.get("base") or "")
            yield Generation(
                item.key,
                entry["system"],
                self._sample(item.key, entry, ""),
                _text(entry.get("text")),
            )
        elif entry["sort"] == SCORE:
            yield from self._score(item.key, entry)
        elif entry["sort"] == VOTE:
            yield from self._vote(item.key, entry)

    def _item(self, number: int, entry: Entry) -> Item:
        key, context = as_text(entry.get("item")) or "", as_text(entry.get("context")) or ""
        if not key and context:
            key = (
                self.source.item_of(context)
                or entry.get("fallback_item")
                or name_item(self.source, context, entry.get("named_by"))
            )
        older = entry.get("older_item")
        if older and (self.source.has_item(older) or self._has_texts(older, entry)):
            key = older
        return Item(
            key or f"row-{number}",
            context,
            as_references(entry.get("reference")),
            as_text(entry.get("subset")) or "",
        )

    def _has_texts(self, item: str, entry: Entry) -> bool:
        """Whether an item without a context is known with the texts of a vote."""
        return all(
            self.source.has_text(item, entry.get(f"system{side}", ""), digest(text))
            for side in ("_a", "_b")
            if (text := _text(entry.get(f"text{side}"))) is not None
        ) and bool(entry.get("text_a"))

    def _sample(self, item: str, entry: Mapping[str, Any], side: str) -> int:
        given, text, system = (
            entry.get(f"sample{side}"),
            _text(entry.get(f"text{side}")),
            entry[f"system{side}"],
        )
        if given == IN_ORDER:
            self.counts[item, system] += 1
            return self.counts[item, system] - 1
        if given is not None and given != "":
            return as_whole(given, "sample")
        return 0 if text is None else self.source.sample_of(item, system, digest(text))

    def _judge(self, entry: Entry) -> JudgeSpec:
        kind = as_kind(entry.get("judge_kind"), self.source.kind)
        name = as_text(entry.get("judge")) or ("voters" if kind is Kind.HUMAN else kind.value)
        prompt = entry.get("judge_prompt") or ""
        return JudgeSpec(
            name, kind, entry.get("judge_model") or "", Prompt(prompt, 1, "") if prompt else None
        )

    def _score(self, item: str, entry: Entry) -> Iterator[Record]:
        judge, attribute = self._judge(entry), entry.get("attribute") or "overall"
        sample = self._sample(item, {**entry, "sample": entry.get("sample") or 0}, "")
        trial = entry.get("trial") or 0
        if trial == IN_ORDER:
            key = "trial", item, entry["system"], sample, attribute, judge.name
            self.counts[key] += 1
            trial = self.counts[key] - 1
        score = Score(
            item,
            entry["system"],
            attribute,
            judge.name,
            sample=sample,
            trial=trial,
            kind=judge.kind,
        )
        yield System(entry["system"])
        yield Generation(item, entry["system"], sample, None)
        if entry.get("failure"):
            yield self.source.attribute(attribute)
            yield judge
            yield replace(score, failure=entry["failure"], raw=entry.get("raw") or "")
        else:
            for record in marks(self.source, score, entry.get("value")):
                if isinstance(record, Score) and record.value is not None:
                    record = replace(record, raw=entry.get("raw") or "")
                yield judge if isinstance(record, JudgeSpec) else record

    def _vote(self, item: str, entry: Entry) -> Iterator[Record]:
        judge, attribute = self._judge(entry), entry.get("attribute") or "overall"
        if entry["system_a"] == entry["system_b"]:
            raise ValueError(f"compares {entry['system_a']!r} with itself")
        if "winner" in entry:
            from core.importing.layouts.votes import Votes

            if self._votes is None:
                names = [name for name in entry if name != "sort"]
                self._votes = Votes(
                    replace(
                        self.source, columns=tuple(names), mapping={name: name for name in names}
                    )
                )
            for record in self._votes.records(
                0, {**entry, "item": item, "judge": judge.name, "judge_kind": judge.kind.value}
            ):
                yield judge if isinstance(record, JudgeSpec) else record
            return
        samples = {}
        for side in ("_a", "_b"):
            samples[side] = self._sample(item, entry, side)
            yield System(entry[f"system{side}"])
            yield Generation(
                item, entry[f"system{side}"], samples[side], _text(entry.get(f"text{side}"))
            )
        yield self.source.attribute(attribute)
        yield judge
        raw, outcome = as_text(entry.get("raw")) or "", entry.get("outcome")
        answer = Answer(
            outcome=None if entry.get("failure") else outcome,
            failure=entry.get("failure") or ("" if outcome else UNPARSED),
            prob_a=_number(entry.get("prob_a")), raw=raw,
            strength=_number(entry.get("strength")), confidence=_number(entry.get("confidence")),
            comment=as_text(entry.get("comment")) or "", seconds=_number(entry.get("seconds")),
        )  # fmt: skip
        vote = Vote(
            item, entry["system_a"], entry["system_b"], judge.name, answer, judge.kind, attribute,
            samples["_a"], samples["_b"], entry.get("order_known") is not False,
            created_at=self.times.parse(entry["created_at"]) if entry.get("created_at") else "",
            stated_time=as_stated_time(entry.get("created_at")),
        )  # fmt: skip
        if entry.get("once"):
            key = (vote.item, vote.system_a, vote.system_b, vote.judge, vote.attribute, outcome)
            if key in self.once:
                return
            self.once.add(key)
        yield vote


def _number(value: object) -> float | None:
    return None if value in (None, "") else as_mark(value)


def _text(value: object) -> str | None:
    return as_text(value)
