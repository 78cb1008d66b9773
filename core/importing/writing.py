"""Writing of what a survey found into a store, in short transactions. People can annotate
meanwhile, and repeating a killed import finishes it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from typing import Any

from ..records import (
    Attribute,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Prompt,
    Score,
    System,
    TandemError,
    Vote,
)
from ..store import Store
from .attributes import OVERALL, make_attribute
from .choice import Progress
from .database import Database
from .stage import OF_ROW
from .staged_checks import USED
from .survey import Survey

CHUNK = 2000  # rows of a transaction, for which whoever votes meanwhile waits
VOTE = ", ".join(Vote._fields)
OF_ITEM = {"context": "context_id", **{name: name for name in ("reference", "subset", "family")}}
"""What an item has besides its name, and the column that an entry fills which says it."""


def write_survey(store: Store, survey: Survey, progress: Progress) -> dict[str, int]:
    """Write what a survey found; how much of it was new."""
    store.datasets.add(survey.dataset, survey.digests)
    had_texts = store.texts.has_any_text(survey.dataset.name)
    writer = _Writer(store, survey, progress)
    writer.drop_known_rows()
    writer.write_items()
    writer.write_names()
    writer.write_texts()
    writer.write_scores()
    writer.write_votes()
    are = survey.items_are
    if are and not store.datasets.items_are(survey.dataset.name):
        store.datasets.set_items_are(survey.dataset.name, are)
    if not store.datasets.attributes(survey.dataset.name):
        attribute = writer.make_attribute(OVERALL)
        writer.added["attributes"] += store.datasets.add_attributes(
            survey.dataset.name, [attribute]
        )
    if survey.report.text_format and not had_texts:  # votes may have come before the texts
        every = [attribute.name for attribute in store.datasets.attributes(survey.dataset.name)]
        found = survey.found_format.text_format
        store.datasets.set_text_format(survey.dataset.name, found, every)
    if survey.reading.lower_is_better:
        store.datasets.set_lower_is_better(survey.dataset.name, survey.reading.lower_is_better)
    return writer.added


class _Writer:
    def __init__(self, store: Store, survey: Survey, progress: Progress) -> None:
        self.store, self.survey, self.progress = store, survey, progress
        self.database: Database = survey.stage.database
        self.dataset = survey.dataset.name
        self.identity = store.datasets.identity(self.dataset)
        self.added = Counter[str]()
        self.done = 0
        names = ("items", "generations", "scores", "judgements")
        self.of = sum(survey.report.counts[name] for name in names)

    def drop_known_rows(self) -> None:
        """Take out rows whose votes are known from other rows. A vote that came without an item has
        the row it first stood in as its item, and the file may have got rows above it since.
        """
        imported = self.store.imported_votes
        for file, source in self._list_sources():
            rows = f"""SELECT mark, occurrence, nth >> {OF_ROW}, item FROM votes
                WHERE own AND file = {file}"""
            for portion in self.database.portions(rows, CHUNK):
                known = imported.items_of(source, [(mark, nth) for mark, nth, *_ in portion])
                moved = ", ".join(
                    str(row) for mark, nth, row, item in portion
                    if known.get((mark, nth), item) != item
                )  # fmt: skip
                for table in ("votes", "sides", "named") if moved else ():
                    self.database.rows(f"DELETE FROM {table} WHERE nth >> {OF_ROW} IN ({moved})")

    def write_items(self) -> None:
        """Write items in their order, each with the first context, references, subset and family
        that it came with.
        """
        first = ", ".join(
            f"min(nth) FILTER (e.{filled} IS NOT NULL) AS {column}_at"
            for column, filled in OF_ITEM.items()
        )
        self.database.rows(
            f"""CREATE OR REPLACE TABLE items AS SELECT n.item, min(nth) AS nth, {first}
            FROM named n JOIN entries e USING (nth) WHERE {USED} GROUP BY n.item"""
        )
        texts = ", ".join(f"coalesce(of_{column}.{column}, '')" for column in OF_ITEM)
        joins = " ".join(
            f"LEFT JOIN entries of_{column} ON of_{column}.nth = i.{column}_at"
            for column in OF_ITEM
        )
        query = f"SELECT i.item, {texts} FROM items i {joins} ORDER BY i.nth"
        for portion in self.database.portions(query, CHUNK):
            items = [
                Item(key, context, tuple(json.loads(references or "[]")), subset, family)
                for key, context, references, subset, family in portion
            ]
            self._add("items", self.store.datasets.add_items, items)

    def write_names(self) -> None:
        """Write systems, attributes and judges."""
        systems = self.database.rows(
            """SELECT s.system, max(coalesce(b.base, '')) FROM sides s
            LEFT JOIN entries b USING (nth)
            GROUP BY s.system ORDER BY min((s.nth, s.side))"""
        )
        attributes = self.database.rows(
            """SELECT attribute FROM (SELECT attribute, nth FROM votes UNION ALL
                SELECT attribute, nth FROM scores)
            GROUP BY attribute ORDER BY min(nth)"""
        )
        judges = self.database.rows(
            f"""SELECT j.name, any_value(j.judge_kind), max(coalesce(e.judge_model, '')),
                max(coalesce(e.judge_prompt, '')) FROM entries e
            JOIN judges j USING (judge, judge_kind)
            WHERE e.judge IS NOT NULL AND e.pending IS NOT TRUE AND {USED}
            GROUP BY j.name ORDER BY min(nth)"""
        )
        with self._transaction():
            self.added["systems"] += self.store.datasets.add_systems(
                self.dataset, [System(name, base=base) for name, base in systems]
            )
            self.added["attributes"] += self.store.datasets.add_attributes(
                self.dataset, [self.make_attribute(name) for (name,) in attributes]
            )
            self.added["judges"] += self.store.judges.add(
                JudgeSpec(name, Kind(kind), model, Prompt(prompt, 1, "") if prompt else None)
                for name, kind, model, prompt in judges
            )

    def make_attribute(self, name: str) -> Attribute:
        """Return a new attribute, whose texts are seen as those of the data set, or else as they
        look.
        """
        found = self.survey.found_format.text_format
        if self.store.texts.has_any_text(self.dataset):
            found = self.store.datasets.text_format(self.dataset)
        return replace(make_attribute(name, self.survey.dataset), text_format=found)

    def write_texts(self) -> None:
        """Write each text once, or its length; also texts that are scored but missing."""
        self.database.rows(
            f"""CREATE OR REPLACE TABLE texts AS
            SELECT item, system, sample, min(struct_pack(nth := nth, side := side))
                FILTER (text_id IS NOT NULL) AS place,
                arg_min(length, (nth, side)) AS length, min((nth, side)) AS nth
            FROM sides e WHERE {USED} AND (text_id IS NOT NULL OR length IS NOT NULL
                OR sample > 0 OR sort <> 'vote')
            GROUP BY item, system, sample"""
        )
        query = """SELECT t.item, t.system, t.sample,
                CASE WHEN t.place.side = 0 THEN e.text ELSE e.text_b END,
                CASE WHEN t.place IS NULL THEN t.length END
            FROM texts t LEFT JOIN entries e ON e.nth = t.place.nth ORDER BY t.nth"""
        for portion in self.database.portions(query, CHUNK):
            texts = [Generation(*row) for row in portion]
            self._add("generations", self.store.datasets.add_generations, texts)

    def write_scores(self) -> None:
        columns = ", ".join(field.name for field in fields(Score)).replace("kind", "judge_kind")
        query = f"SELECT {columns} FROM scores ORDER BY nth"
        for portion in self.database.portions(query, CHUNK):
            scores = [Score(*row) for row in portion]
            self._add("scores", self.store.scores.add, scores)

    def write_votes(self) -> None:
        """Write votes, and pairs that nobody has judged yet: just those are to be asked."""
        imported = self.store.imported_votes
        for file, source in self._list_sources():
            query = f"SELECT {VOTE} FROM votes WHERE file = {file} AND {{}} ORDER BY nth, copy"
            size = partial(self.store.connection.size_write, CHUNK)
            for votes in self.database.portions(query.format("NOT pending"), size):
                with self._transaction():
                    comparisons, judgements = imported.add(self.dataset, votes, source)
                self.added["comparisons"] += comparisons
                self.added["judgements"] += judgements
                self._step(len(votes))
            for votes in self.database.portions(query.format("pending"), CHUNK):
                with self._transaction():
                    self.added["comparisons"] += imported.add_pairs(self.dataset, votes)

    def _list_sources(self) -> list[tuple[int, str]]:
        return self.database.rows("SELECT DISTINCT file, source FROM votes ORDER BY file")

    def _add(self, what: str, add: Callable[[str, list[Any]], int], records: list[Any]) -> None:
        with self._transaction():
            self.added[what] += add(self.dataset, records)
        self._step(len(records))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self.store.transaction():
            if self.store.datasets.identity(self.dataset) != self.identity:
                raise TandemError(
                    f"the data set {self.dataset!r} was deleted or got another name while files "
                    "were imported into it: import them again"
                )
            yield

    def _step(self, rows: int) -> None:
        self.done += rows
        self.progress("importing", self.done, max(self.of, self.done))
