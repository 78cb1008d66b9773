"""What a survey found goes into a store, in short transactions: people can annotate meanwhile, and
an import that was killed is finished by repeating it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from core.importing.attributes import OVERALL, make_attribute
from core.importing.choice import Progress
from core.importing.database import Database
from core.importing.staged_checks import USED
from core.importing.staged_items import ORDER
from core.importing.survey import Survey
from core.records import (
    Answer,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    Prompt,
    Score,
    SourceRow,
    System,
    Vote,
)
from core.store import Store

CHUNK = 2000  # rows of a transaction
Row = Mapping[str, Any]


def write_survey(store: Store, survey: Survey, progress: Progress) -> dict[str, int]:
    """Write what a survey found; how much of it was new."""
    writer = _Writer(store, survey, progress)
    store.datasets.add(survey.dataset, survey.digests)
    writer.drop_known_rows()
    for write in (
        writer.write_items,
        writer.write_names,
        writer.write_texts,
        writer.write_scores,
        writer.write_votes,
    ):
        write()
    are = survey.items_are
    if are and not store.datasets.items_are(survey.dataset.name):
        store.datasets.set_items_are(survey.dataset.name, are)
    if not store.datasets.attributes(survey.dataset.name):
        attribute = make_attribute(OVERALL, survey.dataset)
        writer.added["attributes"] += store.datasets.add_attributes(
            survey.dataset.name, [attribute]
        )
    if survey.reading.lower_is_better:
        store.datasets.set_lower_is_better(survey.dataset.name, survey.reading.lower_is_better)
    return writer.added


class _Writer:
    def __init__(self, store: Store, survey: Survey, progress: Progress) -> None:
        self.store, self.survey, self.progress = store, survey, progress
        self.database: Database = survey.stage.database
        self.dataset = survey.dataset.name
        self.added = Counter[str]()
        self.done = 0
        names = ("items", "generations", "scores", "judgements")
        self.of = sum(survey.report.held[name] for name in names)

    def drop_known_rows(self) -> None:
        """Take out rows whose votes are known from other rows. A vote that came without an item has
        the row it first stood in as its item, and the file may have got rows above it since.
        """
        rows = self._rows(
            "votes WHERE own", ("file", "row", "item", "source", "mark", "occurrence")
        )
        for portion in rows:
            own = {
                SourceRow(row["source"], row["mark"], row["occurrence"], itemless=True): row
                for row in portion
            }
            known = self.store.imported_votes.items_of(own)
            moved = [own[mark] for mark, item in known.items() if own[mark]["item"] != item]
            if moved:
                columns = {name: pa.array([row[name] for row in moved]) for name in ("file", "row")}
                self.database.add_table("moved", columns)
                for table in ("votes", "sides", "named"):
                    self.database.rows(
                        f"DELETE FROM {table} t USING moved m WHERE m.file = t.file "
                        "AND m.row = t.row"
                    )

    def write_items(self) -> None:
        """Items in their order, each with the first context, references and subset it came with."""
        first = "arg_min((e.file, e.row, e.part), {order}) FILTER (e.{column} {there})"
        places = ", ".join(
            f"{first.format(order=ORDER, column=column, there=there)} AS {column}_at"
            for column, there in (
                ("context_id", "IS NOT NULL"), ("reference", "IS NOT NULL"), ("subset", "<> ''")
            )
        )  # fmt: skip
        self.database.rows(
            f"""CREATE OR REPLACE TABLE items AS SELECT n.item, min({ORDER}) AS nth, {places}
            FROM named n JOIN entries e USING (file, row, part) WHERE {USED} GROUP BY n.item"""
        )
        joined = "items i " + " ".join(
            f"LEFT JOIN entries {name} ON ({name}.file, {name}.row, {name}.part) = i.{column}_at"
            for name, column in (("c", "context_id"), ("r", "reference"), ("s", "subset"))
        )
        columns = ("i.item", "c.context", "r.reference", "s.subset")
        for portion in self._rows(f"{joined} ORDER BY i.nth", columns):
            items = [
                Item(
                    row["item"],
                    row["context"] or "",
                    tuple(json.loads(row["reference"])) if row["reference"] else (),
                    row["subset"] or "",
                )
                for row in portion
            ]
            self._add("items", self.store.datasets.add_items, items)

    def write_names(self) -> None:
        """Systems, attributes and judges."""
        systems = self.database.rows(
            """SELECT s.system, max(coalesce(b.base, '')) FROM sides s
            LEFT JOIN entries b USING (file, row, part)
            GROUP BY s.system ORDER BY min((s.file, s.row, s.part, s.side))"""
        )
        attributes = self.database.rows(
            """SELECT attribute FROM (SELECT attribute, file, row, part FROM votes UNION ALL
                SELECT attribute, file, row, part FROM scores)
            GROUP BY attribute ORDER BY min((file, row, part))"""
        )
        judges = self.database.rows(
            f"""SELECT j.name, any_value(j.judge_kind), max(coalesce(e.judge_model, '')),
                max(coalesce(e.judge_prompt, '')) FROM entries e
            JOIN judges j USING (judge, judge_kind)
            WHERE e.judge IS NOT NULL AND e.pending IS NOT TRUE AND {USED}
            GROUP BY j.name ORDER BY min({ORDER})"""
        )
        with self.store.transaction():
            self.added["systems"] += self.store.datasets.add_systems(
                self.dataset, [System(name, base=base) for name, base in systems]
            )
            self.added["attributes"] += self.store.datasets.add_attributes(
                self.dataset, [make_attribute(name, self.survey.dataset) for (name,) in attributes]
            )
            lower = self.survey.reading.lower_is_better
            self.store.datasets.set_lower_is_better(self.dataset, lower)
            self.added["judges"] += self.store.judges.add(
                JudgeSpec(name, Kind(kind), model, Prompt(prompt, 1, "") if prompt else None)
                for name, kind, model, prompt in judges
            )

    def write_texts(self) -> None:
        """Each text once; and that there is one which nobody has, where a score is about it."""
        self.database.rows(
            f"""CREATE OR REPLACE TABLE texts AS
            SELECT item, system, sample, arg_min(struct_pack(file := file, row := row, part := part,
                side := side), ({ORDER}, side)) FILTER (text_id IS NOT NULL) AS place,
                min({ORDER}) AS nth
            FROM sides e WHERE {USED} AND (text_id IS NOT NULL OR sample > 0 OR sort <> 'vote')
            GROUP BY item, system, sample"""
        )
        query = """texts t LEFT JOIN entries e ON e.file = t.place.file AND e.row = t.place.row
            AND e.part = t.place.part ORDER BY t.nth"""
        text = "CASE WHEN t.place.side = 0 THEN e.text ELSE e.text_b END AS text"
        for portion in self._rows(query, ("t.item", "t.system", "t.sample", text)):
            texts = [
                Generation(row["item"], row["system"], row["sample"], row["text"])
                for row in portion
            ]
            self._add("generations", self.store.datasets.add_generations, texts)

    def write_scores(self) -> None:
        columns = (
            "item", "system", "attribute", "judge", "value", "judge_kind", "sample", "trial",
            "failure", "raw",
        )  # fmt: skip
        for portion in self._rows("scores ORDER BY file, row, part", columns):
            scores = [
                Score(
                    row["item"], row["system"], row["attribute"], row["judge"], row["value"],
                    sample=row["sample"], trial=row["trial"], kind=Kind(row["judge_kind"]),
                    failure=row["failure"], raw=row["raw"],
                )
                for row in portion
            ]  # fmt: skip
            self._add("scores", self.store.scores.add, scores)

    def write_votes(self) -> None:
        """Votes, and pairs that nobody has judged yet: just those are to be asked."""
        imported = self.store.imported_votes
        query = "votes WHERE {} ORDER BY file, row, part, copy"
        for portion in self._rows(query.format("NOT pending"), _VOTE):
            votes = [_vote_of(row) for row in portion]
            with self.store.transaction():
                comparisons, judgements = imported.add(self.dataset, votes)
            self.added["comparisons"] += comparisons
            self.added["judgements"] += judgements
            self._step(len(portion))
        for portion in self._rows(query.format("pending"), _VOTE):
            self._add("comparisons", imported.add_pairs, [_vote_of(row) for row in portion])

    def _add(self, what: str, add: Callable[[str, list[Any]], int], records: list[Any]) -> None:
        with self.store.transaction():
            self.added[what] += add(self.dataset, records)
        self._step(len(records))

    def _step(self, rows: int) -> None:
        self.done += rows
        self.progress("importing", self.done, max(self.of, self.done))

    def _rows(self, query: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """Rows of a query, a transaction's worth at a time, by the names of their columns."""
        names = [column.rpartition(" ")[2].rpartition(".")[2] for column in columns]
        for rows in self.database.portions(f"SELECT {', '.join(columns)} FROM {query}", CHUNK):
            yield [dict(zip(names, row, strict=True)) for row in rows]


_VOTE = (
    "item", "system_a", "system_b", "judge", "judge_kind", "attribute", "sample_a", "sample_b",
    "order_known", "outcome", "prob_a", "failure", "raw", "strength", "confidence", "seconds",
    "comment", "created_at", "stated_time", "source", "mark", "occurrence", "itemless",
)  # fmt: skip


def _vote_of(row: Row) -> Vote:
    answer = Answer(
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        prob_a=row["prob_a"], failure=row["failure"], raw=row["raw"], strength=row["strength"],
        confidence=row["confidence"], seconds=row["seconds"], comment=row["comment"],
    )  # fmt: skip
    return Vote(
        row["item"], row["system_a"], row["system_b"], row["judge"], answer,
        Kind(row["judge_kind"]), row["attribute"], row["sample_a"], row["sample_b"],
        row["order_known"],
        SourceRow(row["source"], row["mark"], row["occurrence"], row["itemless"]),
        row["created_at"], row["stated_time"],
    )  # fmt: skip
