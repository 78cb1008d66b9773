"""Readers of LangSmith's pairwise experiments: the runs that were compared, and the feedback on
them, each as JSON lines of what `list_runs` and `list_feedback` give.

Layout: langchain-ai/langsmith-sdk, python/langsmith/schemas.py (Run, Feedback) and
python/langsmith/evaluation/_runner.py (evaluate_comparative).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from core.importing.cells import Cells, Row, as_number, as_text, named
from core.importing.conversations import transcript
from core.importing.files import rows
from core.importing.layout import Layout, Record, Source, system_of
from core.importing.layouts.nested_votes import Flat, NestedVotes
from core.importing.neighbours import cells_of, neighbours
from core.records import Generation, Item, Kind

USUAL = frozenset(("preference", "pairwise", "ranked_preference", "pairwise_preference"))
"""Keys of feedback that ask for nothing in particular."""
UNSAID = ("raw", "failure")
GROUP = "feedback_group_id"
JUDGES = frozenset(("model", "auto_eval"))  # sources of feedback that are no people


class Runs:
    """Root runs of experiments: the item is the example (`reference_example_id`), the system the
    experiment (`session_name`, or `session_id`); the texts are the inputs and outputs.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        if cells.get("parent_run_id"):
            raise ValueError("it is a part of another run")
        run = _run(cells)
        yield Item(run["item"], run["context"])
        yield system_of(run["system"])
        yield Generation(run["item"], run["system"], 0, run["text"])


class Feedback(NestedVotes):
    """Two entries with the same `feedback_group_id` are a vote: the run with the higher `score`
    won, equal scores are a tie, none are no answer. The judge is who gave the feedback, the
    attribute its `key`. The runs are looked up in the files near it.

    Which output was shown first is not said (`randomize_order`).
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.groups = defaultdict[tuple[str, str], dict[str, Cells]](dict)
        for row in rows(source.path):
            if isinstance(row, Row) and row.cells.get(GROUP):
                run = str(row.cells.get("run_id"))
                self.groups[_group(row.cells)].setdefault(run, row.cells)
        self.runs = self._runs()

    def answers(self, number: int, cells: Cells) -> Iterator[Flat]:
        if not cells.get(GROUP):
            raise ValueError(f"it has no {GROUP}, so it compares nothing")
        group = self.groups[_group(cells)]
        if len(group) != 2:
            raise ValueError(f"its group has {len(group)} runs, so it does not compare two")
        if str(cells.get("run_id")) != next(iter(group)):
            return  # the vote was read with the first of the two
        yield {**self._sides(group), **_answer(group, self.given.kind)}

    def _sides(self, group: Mapping[str, Cells]) -> dict[str, Any]:
        found: dict[str, Any] = {"order_known": 0}
        for side, (run_id, cells) in zip("ab", group.items(), strict=True):
            run = self.runs.get(run_id) or {"system": as_text(cells.get("session_id")) or run_id}
            found |= {f"system_{side}": run["system"], f"text_{side}": run.get("text")}
            found |= {name: run[name] for name in ("item", "context") if run.get(name)}
        return found

    def _runs(self) -> dict[str, dict[str, Any]]:
        wanted = {run for group in self.groups.values() for run in group}
        for path, columns in neighbours(self.given.path):
            if {"id", "inputs", "outputs"} <= set(columns):
                runs = {str(cells["id"]): _run(cells) for cells in cells_of(path) if _is_run(cells)}
                if wanted & set(runs):
                    return runs
        self.given.tally.notes[
            "no file with the runs lies near it: items and texts are not known, and systems are "
            "called by their session"
        ] = None
        return {}


def _group(cells: Cells) -> tuple[str, str]:
    return str(cells.get(GROUP)), str(cells.get("key"))


def _is_run(cells: Cells) -> bool:
    return bool(cells.get("id")) and not cells.get("parent_run_id")


def _run(cells: Cells) -> dict[str, Any]:
    """What a run is of: item, system, context and text."""
    example = _item(cells) or as_text(cells.get("reference_example_id")) or named(cells, "id")
    system = as_text(cells.get("session_name")) or as_text(cells.get("session_id"))
    return {
        "item": example,
        "system": system or named(cells, "name"),
        "context": _text(cells.get("inputs")) or "",
        "text": _text(cells.get("outputs")),
    }


def _item(cells: Cells) -> str | None:
    """The item's name as Tandem's own export has it."""
    extra = cells.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    return as_text(metadata.get("item")) if isinstance(metadata, dict) else None


def _text(values: object) -> str | None:
    """Inputs or outputs as one text: the value where there is one, several with their names."""
    if not isinstance(values, dict):
        return None if values is None else transcript(values)
    parts = {name: _said(value) for name, value in values.items() if value is not None}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return "\n\n".join(f"{name}: {text}" for name, text in parts.items()) if parts else None


def _said(value: object) -> str:
    try:
        return transcript(value)
    except ValueError:
        return str(value)


def _answer(group: Mapping[str, Cells], kind: Kind) -> dict[str, Any]:
    """What the two entries of a group say."""
    first, second = group.values()
    scores = [
        None if cells.get("score") is None else as_number(cells["score"], "score")
        for cells in (first, second)
    ]
    winner = ""
    if None not in scores:
        better, worse = scores[0] or 0.0, scores[1] or 0.0
        winner = "tie" if better == worse else "a" if better > worse else "b"
    key = as_text(first.get("key")) or ""
    given = first.get("feedback_source")
    source: Mapping[str, Any] = given if isinstance(given, dict) else {}
    comments = dict.fromkeys(str(cells["comment"]) for cells in (first, second)
                             if cells.get("comment"))  # fmt: skip
    return {
        "winner": winner,
        "attribute": "" if key.casefold() in USUAL else key,
        "comment": "\n".join(comments),
        "created_at": first.get("created_at"),
        **_judge(source, kind),
        **_unsaid(first),
    }


def _unsaid(cells: Cells) -> dict[str, str]:
    """What was said word for word, and why there is no answer, as Tandem's own export has it."""
    extra = cells.get("extra")
    given = {name: extra.get(name) for name in UNSAID} if isinstance(extra, dict) else {}
    return {name: text for name, text in given.items() if isinstance(text, str)}


def _judge(source: Mapping[str, Any], kind: Kind) -> dict[str, str]:
    """Who gave the feedback: a person in the app, a model, or through the API either."""
    metadata = source.get("metadata")
    model = metadata.get("model") if isinstance(metadata, dict) else None
    if source.get("type") in JUDGES or model:
        return {"judge": str(model or source.get("type")), "judge_kind": Kind.LLM.value}
    who = source.get("user_name") or source.get("user_id")
    kind = Kind.HUMAN if source.get("type") == "app" else kind
    return {"judge": str(who or ""), "judge_kind": kind.value}


LAYOUT = Layout(
    "langsmith",
    "LangSmith's pairwise feedback, or the runs it is about",
    {
        Feedback: lambda source: {"run_id", "key", "score", GROUP} <= set(source.columns),
        Runs: lambda source: {
            "id", "run_type", "inputs", "outputs", "session_id"
        } <= set(source.columns),
    },
    ("input", "output"),
    settings=("kind",),
)  # fmt: skip
