"""Data sets and what they hold: items, systems, generations, attributes, and the judges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from core.records import Attribute, Dataset, Generation, Item, JudgeSpec, Kind, Prompt, System, TandemError
from core.store.connection import Connection, now


class Texts(Connection):
    """Every `add_*` adds what is not there yet, changes nothing that is, and returns how many rows it added."""

    def add_dataset(self, dataset: Dataset, files: Mapping[str, str] | None = None) -> int:
        """A data set, or more `files` (name -> sha256) of a known one."""
        with self.transaction():
            added = self.execute(
                """INSERT OR IGNORE INTO datasets
                (name, source, licence, context_noun, candidate_noun, instructions, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (
                    dataset.name,
                    dataset.source,
                    dataset.licence,
                    dataset.context_noun,
                    dataset.candidate_noun,
                    dataset.instructions,
                    now(),
                ),
            )
            self.execute(
                "UPDATE datasets SET files = json_patch(files, ?) WHERE name = ?",
                (json.dumps(dict(files or {})), dataset.name),
            )
        return added

    def add_items(self, dataset: str, items: Iterable[Item]) -> int:
        """Items; an item known without a context or references gets the ones that arrive later."""
        with self.transaction():
            before = self._last("items")
            self.executemany(
                """INSERT INTO items (dataset, key, context, "references", subset) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (dataset, key) DO UPDATE SET
                    context = CASE context WHEN '' THEN excluded.context ELSE context END,
                    "references" = CASE "references" WHEN '[]' THEN excluded."references" ELSE "references" END,
                    subset = CASE subset WHEN '' THEN excluded.subset ELSE subset END""",
                (
                    (dataset, item.key, item.context, json.dumps(item.references, ensure_ascii=False), item.subset)
                    for item in items
                ),
            )
            return self._since("items", before)

    def add_systems(self, dataset: str, systems: Iterable[System]) -> int:
        with self.transaction():
            return self.executemany(
                "INSERT OR IGNORE INTO systems (dataset, name, base, decoding) VALUES (?, ?, ?, ?)",
                ((dataset, system.name, system.base, json.dumps(dict(system.decoding))) for system in systems),
            )

    def add_attributes(self, dataset: str, attributes: Iterable[Attribute]) -> int:
        with self.transaction():
            return self.executemany(
                "INSERT OR IGNORE INTO attributes (dataset, name, adjective, question, guideline) VALUES (?, ?, ?, ?, ?)",
                ((dataset, a.name, a.adjective, a.question, a.guideline) for a in attributes),
            )

    def add_generations(self, dataset: str, generations: Iterable[Generation]) -> int:
        """Generations of known items and systems; a text that was not available before is filled in."""
        with self.transaction():
            before = self._last("generations")
            self.executemany(
                """INSERT INTO generations (item, system, sample, text)
                SELECT i.id, s.id, ?, ? FROM items i, systems s
                WHERE i.dataset = ? AND i.key = ? AND s.dataset = ? AND s.name = ?
                ON CONFLICT (item, system, sample) DO UPDATE SET text = excluded.text, failure = ''
                WHERE text IS NULL AND excluded.text IS NOT NULL""",
                ((g.sample, g.text, dataset, g.item, dataset, g.system) for g in generations),
            )
            return self._since("generations", before)

    def _last(self, table: str) -> int:
        return int(self.value(f"SELECT coalesce(max(id), 0) FROM {table}"))

    def _since(self, table: str, last: int) -> int:
        """How many rows were added after that one: an upsert's own count takes in the rows it only filled."""
        return int(self.value(f"SELECT count(*) FROM {table} WHERE id > ?", (last,)))

    def texts(self, dataset: str, item: str, system: str) -> dict[int, str | None]:
        """sample -> text of one system's generations on one item; None where a text is not available."""
        return dict(
            self.rows(
                """SELECT g.sample, g.text FROM generations g
                JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
                WHERE i.dataset = ? AND i.key = ? AND s.dataset = ? AND s.name = ?""",
                (dataset, item, dataset, system),
            )
        )

    def add_prompt(self, prompt: Prompt) -> int:
        """The row of an immutable prompt. Raises TandemError when that version exists with another wording."""
        with self.transaction():
            self.execute(
                "INSERT OR IGNORE INTO prompts (name, version, template) VALUES (?, ?, ?)",
                (prompt.name, prompt.version, prompt.template),
            )
            row, template = self.rows(
                "SELECT id, template FROM prompts WHERE name = ? AND version = ?", (prompt.name, prompt.version)
            )[0]
        if template != prompt.template:
            raise TandemError(
                f"prompt {prompt.name}@{prompt.version} is stored with another wording: save the edit as a new version"
            )
        return int(row)

    def add_judges(self, judges: Iterable[JudgeSpec]) -> int:
        """Judges by name. Raises TandemError when a name is known as another kind of judge."""
        added = 0
        with self.transaction():
            for judge in judges:
                prompt = self.add_prompt(judge.prompt) if judge.prompt else None
                added += self.execute(
                    """INSERT OR IGNORE INTO judges
                    (name, kind, spec, prompt, mode, labels, votes, temperature, truncation, base_url)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                    (
                        judge.name,
                        judge.kind.value,
                        judge.spec,
                        prompt,
                        judge.mode,
                        json.dumps(judge.labels),
                        judge.votes,
                        judge.temperature,
                        judge.truncation,
                        judge.base_url,
                    ),
                )
                if judge.spec:  # one that came before with a file which did not say which model and prompt it was
                    self.execute(
                        "UPDATE judges SET spec = ?, prompt = ? WHERE name = ? AND kind = ? AND spec = '' AND prompt IS NULL",
                        (judge.spec, prompt, judge.name, judge.kind.value),
                    )
                kind = self.value("SELECT kind FROM judges WHERE name = ?", (judge.name,))
                if kind != judge.kind.value:
                    raise TandemError(
                        f"{judge.name!r} is already known as a {kind} judge, not {judge.kind.value}: use another name"
                    )
        return added

    def prompts(self) -> list[Prompt]:
        """Every prompt a judge was made with."""
        return [Prompt(*row) for row in self.rows("SELECT name, version, template FROM prompts ORDER BY id")]

    def judge_kind(self, name: str) -> Kind | None:
        """None when no judge has that name."""
        found = self.value("SELECT kind FROM judges WHERE name = ?", (name,))
        return Kind(found) if found else None

    def judge_id(self, name: str) -> int:
        """The row of a judge. Raises TandemError naming it when it is unknown."""
        found = self.value("SELECT id FROM judges WHERE name = ?", (name,))
        if found is None:
            raise TandemError(f"unknown judge {name!r}")
        return int(found)

    def judge(self, name: str) -> JudgeSpec:
        """Everything about a judge that can change its answers. Raises TandemError naming it when it is unknown."""
        found = self.rows(
            """SELECT j.kind, j.spec, j.mode, j.labels, j.votes, j.temperature, j.truncation, j.base_url,
            p.name, p.version, p.template FROM judges j LEFT JOIN prompts p ON p.id = j.prompt WHERE j.name = ?""",
            (name,),
        )
        if not found:
            raise TandemError(f"unknown judge {name!r}")
        kind, spec, mode, labels, votes, temperature, truncation, base_url, *prompt = found[0]
        return JudgeSpec(
            name=name,
            kind=Kind(kind),
            spec=spec,
            prompt=Prompt(*prompt) if prompt[0] else None,
            mode=mode,
            labels=tuple(json.loads(labels)),
            votes=votes,
            temperature=temperature,
            truncation=truncation,
            base_url=base_url,
        )

    def datasets(self) -> pd.DataFrame:
        """dataset, source, licence, context_noun, candidate_noun, instructions, created_at, files, and how many
        items, systems, generations, attributes, scores, judges, comparisons, judgements each holds."""
        return self.frame(
            """SELECT d.name AS dataset, source, licence, context_noun, candidate_noun, instructions, created_at, files,
            (SELECT count(*) FROM items WHERE dataset = d.name) AS items,
            (SELECT count(*) FROM systems WHERE dataset = d.name) AS systems,
            (SELECT count(*) FROM generations g JOIN systems s ON s.id = g.system WHERE s.dataset = d.name)
                AS generations,
            (SELECT count(*) FROM attributes WHERE dataset = d.name) AS attributes,
            (SELECT count(*) FROM scores r JOIN attributes a ON a.id = r.attribute
                WHERE a.dataset = d.name AND r.withdrawn_at IS NULL) AS scores,
            (SELECT count(DISTINCT judge) FROM (
                SELECT judge FROM tally t JOIN attributes a ON a.id = t.attribute
                    WHERE a.dataset = d.name AND t.count > 0
                UNION SELECT judge FROM scores r JOIN attributes a ON a.id = r.attribute
                    WHERE a.dataset = d.name)) AS judges,
            (SELECT count(*) FROM comparisons c JOIN attributes a ON a.id = c.attribute WHERE a.dataset = d.name)
                AS comparisons,
            (SELECT coalesce(sum(count), 0) FROM tally t JOIN attributes a ON a.id = t.attribute
                WHERE a.dataset = d.name) AS judgements
            FROM datasets d ORDER BY d.created_at, d.name"""
        )

    def dataset_names(self) -> list[str]:
        """In the order they came."""
        return [name for (name,) in self.rows("SELECT name FROM datasets ORDER BY created_at, name")]

    def attributes(self, dataset: str) -> list[Attribute]:
        """In the order they were added."""
        found = self.rows(
            "SELECT name, adjective, question, guideline FROM attributes WHERE dataset = ? ORDER BY id", (dataset,)
        )
        return [Attribute(*row) for row in found]

    def systems(self, dataset: str) -> list[str]:
        """Names, sorted: the orientation of every unordered pair."""
        return [name for (name,) in self.rows("SELECT name FROM systems WHERE dataset = ? ORDER BY name", (dataset,))]

    def decodings(self, dataset: str) -> pd.DataFrame:
        """system, base (the model whose decoding settings are systems; '' = not known), temperature (NaN = not known)."""
        return self.frame(
            """SELECT name AS system, base, CAST(json_extract(decoding, '$.temperature') AS REAL) AS temperature
            FROM systems WHERE dataset = ? ORDER BY name""",
            (dataset,),
        ).astype({"temperature": float})

    def subsets(self, dataset: str) -> list[str]:
        found = self.rows("SELECT DISTINCT subset FROM items WHERE dataset = ? AND subset <> '' ORDER BY 1", (dataset,))
        return [subset for (subset,) in found]

    def items(self, dataset: str) -> pd.DataFrame:
        """item (its key), context, references (JSON list), subset, in the order they were added."""
        return self.frame(
            'SELECT key AS item, context, "references", subset FROM items WHERE dataset = ? ORDER BY id', (dataset,)
        )

    def generations(self, dataset: str, *, texts: bool = True) -> pd.DataFrame:
        """generation (id), item, subset, system, sample, and unless `texts` is false the text (None = not available)."""
        text = ", g.text" if texts else ", g.text IS NOT NULL AS available"
        return self.frame(
            f"""SELECT g.id AS generation, i.key AS item, i.subset, s.name AS system, g.sample{text}
            FROM generations g JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system
            WHERE i.dataset = ? ORDER BY i.id, s.name, g.sample""",
            (dataset,),
        )

    def judges(self) -> pd.DataFrame:
        """judge (name), kind, spec, mode, prompt as name@version."""
        return self.frame(
            """SELECT j.name AS judge, j.kind, j.spec, j.mode, p.name || '@' || p.version AS prompt
            FROM judges j LEFT JOIN prompts p ON p.id = j.prompt ORDER BY j.kind, j.name"""
        )


ABOUT = 'a.name, a.adjective, a.question, a.guideline, i."references", d.context_noun, d.candidate_noun'
"""What a question says besides its texts, of attribute a, item i and data set d."""


def read_about(row: Sequence[Any]) -> dict[str, Any]:
    """The columns of ABOUT as a `Question` and a `Candidate` take them."""
    *attribute, references, context_noun, candidate_noun = row
    return {
        "attribute": Attribute(*attribute),
        "references": tuple(json.loads(references)),
        "context_noun": context_noun,
        "candidate_noun": candidate_noun,
    }
