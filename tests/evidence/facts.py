"""What a fact is, and the commands it comes from."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.__main__ import main
from tests.paths import DATASETS as DATA


@dataclass(frozen=True)
class Fact:
    """One figure or several, as published and as a command gives it, and how they match."""

    what: str
    published: str
    ours: str
    command: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.published == self.ours

    def __str__(self) -> str:
        mark = ("agrees" if self.agrees else "**differs**") + (self.note and f": {self.note}")
        return f"| {self.what} | {self.published} | {self.ours} | {mark} | `{self.command}` |"


@dataclass(frozen=True)
class Found:
    """A figure of ours that nobody has published."""

    what: str
    ours: str
    how: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.ours} | {self.how} |"


@dataclass(frozen=True)
class Absent:
    """A published figure that no command can give."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"- {self.what}: {self.why}."


class Commands:
    """Runs command lines on one store and gives their documents."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.answers: dict[str, Any] = {}
        self.line = ""

    def __call__(self, line: str) -> Any:
        self.line = line
        if line not in self.answers:
            words = [word.replace("$D", str(DATA)) for word in shlex.split(line)]
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = main(["--store", str(self.store), *words, "--json"])
            if status:
                raise RuntimeError(f"{line}: {err.getvalue()}")
            self.answers[line] = json.loads(out.getvalue())
        return self.answers[line]

    def exported(self, line: str) -> list[dict[str, Any]]:
        """The rows of the file that an `export ... --to FILE.jsonl` writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file.jsonl"
            self(line.replace("FILE.jsonl", str(path)))
            self.line = line
            return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]

    def fact(
        self, what: str, published: str, values: str | Sequence[Any], note: str = "", line: str = ""
    ) -> Fact:
        """Of the command that ran last, or another `line`; `values`, or fields of its answer."""
        if isinstance(values, str):
            values = [self.answers[self.line][field] for field in values.split()]
        return Fact(what, published, like(published, values), line or self.line, note)

    def each(
        self, what: str, published: Mapping[str, str], values: Callable[[str], Sequence[Any]],
        note: str = "",
    ) -> Iterator[Fact]:  # fmt: skip
        """The same of each of these; `values` may run another command for each."""
        for name, figures in published.items():
            found = values(name)
            yield self.fact(what.format(name), figures, found, note)

    def found(self, what: str, ours: str) -> Found:
        return Found(what, ours, f"`{self.line}`")


def like(published: str, values: Sequence[Any]) -> str:
    """Values written with the digits of the published ones."""
    parts = published.split(" / ")
    assert len(parts) == len(values), (published, values)
    return " / ".join(_like(part, value) for part, value in zip(parts, values, strict=True))


def _like(part: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    decimals = len(part.partition(".")[2])
    return f"{value:,.{decimals}f}"


def write_label_free(document: dict[str, Any]) -> str:
    """The best judge of a lab and its accuracy; then how each figure without labels goes with
    accuracy (Spearman), and by how many points its favourite is behind the best.
    """
    best = document["rows"][0]
    low, value, high = (f"{best[f'accuracy{end}']:.0%}" for end in ("_low", "", "_high"))
    told = [
        f"{one['figure']} {one['spearman']:.2f} ({one['low']:.2f} to {one['high']:.2f}), "
        f"{one['best']}, {100 * one['lost']:.0f} points"
        for one in document["without_labels"]
        if one["low"] is not None
    ]
    return "; ".join([f"{best['judge']} {value} ({low} to {high})", *told])


def by_judge(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["judge"]: row for row in document["rows"]}


def means(scores: list[dict[str, Any]], rater: str, system: str | None = None) -> dict[str, float]:
    return {
        row["attribute"]: row["mean"]
        for row in scores
        if (row["rater"], row["system"]) == (rater, system)
    }
