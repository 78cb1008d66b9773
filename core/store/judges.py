"""Judges, human and not, and the prompts they were made with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

import pandas as pd

from ..frames import Schema
from ..records import JudgeSpec, Kind, Prompt, Scale, TandemError
from .connection import StorePart

JudgeRows = Annotated[pd.DataFrame, Schema({str: "judge kind spec mode prompt"})]

MANY = 20
"""Number of questions with all samples alike from which a judge is called unanimous."""


class Judges(StorePart):
    """Judges and their prompts.

    Any setting that can change an answer makes another judge. A prompt is immutable, and an edit is
    its next version.
    """

    def add_prompt(self, prompt: Prompt) -> int:
        """Add an immutable prompt and return its row. Raises TandemError when that version exists
        with another wording, form or labels.
        """
        with self._db.transaction():
            columns = {**vars(prompt), "labels": json.dumps(prompt.labels)}
            self._db.insert_rows("prompts", [columns])
            of = "name = ? AND version = ?"
            [(row, there)] = self._load_prompts(of, prompt.name, prompt.version).items()
        # One that was stored before prompts declared a form has that which its words ask for.
        declared = there if there.form else replace(prompt, template=there.template)
        if prompt != declared:
            raise TandemError(
                f"prompt {prompt.name}@{prompt.version} is stored with another wording: save "
                "the edit as a new version"
            )
        return row

    def _load_prompts(self, where: str = "1", *values: object) -> dict[int, Prompt]:
        """Load the prompts that fulfil a condition, by row."""
        return {
            row.pop("id"): Prompt(**{**row, "labels": tuple(json.loads(row["labels"]))})
            for row in self._db.load_rows("prompts", where, *values, order_by="id")
        }

    def add(self, judges: Iterable[JudgeSpec]) -> int:
        """Add judges by name. Raises TandemError when a name is known as another kind of judge."""
        specs = list(judges)
        with self._db.transaction():
            prompts = [self.add_prompt(one.prompt) if one.prompt else None for one in specs]
            added = self._db.insert_rows("judges", map(_list_columns, specs, prompts))
            for judge, prompt in zip(specs, prompts, strict=True):
                # one that came before with a file which did not say which model and prompt it was
                if judge.spec:
                    self._db.execute(
                        "UPDATE judges SET spec = ?, prompt = ?, served = ? WHERE name = ? AND "
                        "kind = ? AND spec = '' AND prompt IS NULL",
                        (judge.spec, prompt, judge.served, judge.name, judge.kind.value),
                    )
                kind = self._db.value("SELECT kind FROM judges WHERE name = ?", (judge.name,))
                if kind != judge.kind.value:
                    raise TandemError(
                        f"{judge.name!r} is already known as a {kind} judge, not "
                        f"{judge.kind.value}: use another name"
                    )
        return added

    def prompts(self) -> list[Prompt]:
        """List all prompts that judges were made with."""
        return list(self._load_prompts().values())

    def kind(self, name: str) -> Kind | None:
        """Return the kind of a judge; None for an unknown name."""
        found = self._db.value("SELECT kind FROM judges WHERE name = ?", (name,))
        return Kind(found) if found else None

    def find_id(self, name: str) -> int | None:
        """Return the row of a judge; None for an unknown one."""
        found: int | None = self._db.value("SELECT id FROM judges WHERE name = ?", (name,))
        return found

    def id_of(self, name: str) -> int:
        """Return the row of a judge. Raises TandemError naming an unknown one."""
        found = self.find_id(name)
        if found is None:
            raise TandemError(f"unknown judge {name!r}")
        return found

    def spec(self, name: str) -> JudgeSpec:
        """Return a judge's settings that can change its answers. Raises TandemError if unknown."""
        for row in self._db.load_rows("judges", "name = ?", name):
            del row["id"]
            prompt = self._load_prompts("id = ?", row["prompt"])
            read = {
                "kind": Kind(row["kind"]),
                "prompt": next(iter(prompt.values()), None),
                "scale": Scale(row.pop("low"), row.pop("high")),
                **{name: tuple(json.loads(row[name])) for name in ("labels", "stop")},
                **{name: bool(row[name]) for name in ("lenient", "served")},
            }
            return JudgeSpec(**{**row, **read})
        raise TandemError(f"unknown judge {name!r}")

    def unanimous(self, least: int = MANY) -> list[str]:
        """List judges whose sampled votes agree in every comparison, of at least so many."""
        return self._db.column(
            """SELECT name FROM judges j WHERE mode = 'sample' AND votes > 1
                AND NOT EXISTS (SELECT 1 FROM live_judgements
                    WHERE judge = j.id AND prob_a > 0 AND prob_a < 1)
                AND (SELECT count(*) FROM (SELECT 1 FROM live_judgements
                    WHERE judge = j.id AND prob_a IS NOT NULL LIMIT ?1)) = ?1 ORDER BY name""",
            (least,),
        )

    def load_all(self) -> JudgeRows:
        """Load all judges by name, `prompt` as name@version."""
        return self._db.frame(
            """SELECT j.name AS judge, j.kind, j.spec, j.mode, p.name || '@' || p.version AS prompt
            FROM judges j LEFT JOIN prompts p ON p.id = j.prompt ORDER BY j.kind, j.name""",
            rows=JudgeRows,
        )


def _list_columns(judge: JudgeSpec, prompt: int | None) -> dict[str, object]:
    """Return a judge as the columns of its row."""
    lists = {"labels": json.dumps(judge.labels), "stop": json.dumps(judge.stop)}
    columns = {**vars(judge), "prompt": prompt, **judge.scale._asdict(), **lists}
    return {name: value for name, value in columns.items() if name != "scale"}
