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


_PROMPT = "p.name, p.version, p.template, p.form, p.labels"


def _prompt(name: str, version: int, template: str, form: str, labels: str) -> Prompt:
    return Prompt(name, version, template, form, tuple(json.loads(labels)))


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
            self._db.execute(
                "INSERT OR IGNORE INTO prompts (name, version, template, form, labels) "
                "VALUES (?, ?, ?, ?, ?)",
                (
                    prompt.name,
                    prompt.version,
                    prompt.template,
                    prompt.form,
                    json.dumps(prompt.labels),
                ),
            )
            row, *stored = self._db.rows(
                f"SELECT id, {_PROMPT} FROM prompts p WHERE name = ? AND version = ?",
                (prompt.name, prompt.version),
            )[0]
        there = _prompt(*stored)
        # One that was stored before prompts declared a form has that which its words ask for.
        declared = there if there.form else replace(prompt, template=there.template)
        if prompt != declared:
            raise TandemError(
                f"prompt {prompt.name}@{prompt.version} is stored with another wording: save "
                "the edit as a new version"
            )
        return int(row)

    def add(self, judges: Iterable[JudgeSpec]) -> int:
        """Add judges by name. Raises TandemError when a name is known as another kind of judge."""
        added = 0
        with self._db.transaction():
            for judge in judges:
                prompt = self.add_prompt(judge.prompt) if judge.prompt else None
                added += self._db.execute(
                    """INSERT OR IGNORE INTO judges
                    (name, kind, spec, prompt, mode, labels, votes, temperature, seed,
                    truncation, base_url, low, high, max_tokens, system_prompt, stop, extra_body,
                    lenient, provider, served)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                    (
                        judge.name,
                        judge.kind.value,
                        judge.spec,
                        prompt,
                        judge.mode,
                        json.dumps(judge.labels),
                        judge.votes,
                        judge.temperature,
                        judge.seed,
                        judge.truncation,
                        judge.base_url,
                        *judge.scale,
                        judge.max_tokens,
                        judge.system_prompt,
                        json.dumps(judge.stop),
                        judge.extra_body,
                        judge.lenient,
                        judge.provider,
                        judge.served,
                    ),
                )
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
        return [
            _prompt(*row) for row in self._db.rows(f"SELECT {_PROMPT} FROM prompts p ORDER BY id")
        ]

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
        """Return all settings of a judge that can change its answers. Raises TandemError for an
        unknown one.
        """
        found = self._db.rows(
            f"""SELECT j.kind, j.spec, j.mode, j.labels, j.votes, j.temperature, j.seed,
                j.truncation, j.base_url, j.low, j.high, j.max_tokens, j.system_prompt, j.stop,
                j.extra_body, j.lenient, j.provider, j.served, {_PROMPT}
            FROM judges j LEFT JOIN prompts p ON p.id = j.prompt WHERE j.name = ?""",
            (name,),
        )
        if not found:
            raise TandemError(f"unknown judge {name!r}")
        kind, spec, mode, labels, votes, temperature, seed, truncation, base_url, *more = found[0]
        low, high, max_tokens, system_prompt, stop, extra_body, *rest = more
        lenient, provider, served, *prompt = rest
        return JudgeSpec(
            name=name,
            kind=Kind(kind),
            spec=spec,
            prompt=_prompt(*prompt) if prompt[0] else None,
            mode=mode,
            labels=tuple(json.loads(labels)),
            votes=votes,
            temperature=temperature,
            seed=seed,
            truncation=truncation,
            base_url=base_url,
            scale=Scale(low, high),
            max_tokens=max_tokens,
            system_prompt=system_prompt,
            stop=tuple(json.loads(stop)),
            extra_body=extra_body,
            lenient=bool(lenient),
            provider=provider,
            served=bool(served),
        )

    def unanimous(self, least: int = MANY) -> list[str]:
        """List judges whose sampled votes agree in every comparison, of at least so many."""
        return [
            str(name)
            for (name,) in self._db.rows(
                """SELECT name FROM judges j WHERE mode = 'sample' AND votes > 1
                AND NOT EXISTS (SELECT 1 FROM live_judgements WHERE judge = j.id AND prob_a > 0 AND
                    prob_a < 1)
                AND (SELECT count(*) FROM (SELECT 1 FROM live_judgements WHERE judge = j.id AND
                    prob_a IS NOT NULL LIMIT ?1)) = ?1 ORDER BY name""",
                (least,),
            )
        ]

    def load_all(self) -> JudgeRows:
        """Load all judges by name, `prompt` as name@version."""
        return self._db.frame(
            """SELECT j.name AS judge, j.kind, j.spec, j.mode, p.name || '@' || p.version AS prompt
            FROM judges j LEFT JOIN prompts p ON p.id = j.prompt ORDER BY j.kind, j.name""",
            rows=JudgeRows,
        )
