"""Readers of LangSmith's pairwise experiments: the runs that were compared, and the feedback on
them, each as JSON lines of what `list_runs` and `list_feedback` give.

Layout: langchain-ai/langsmith-sdk, python/langsmith/schemas.py (Run, Feedback) and
python/langsmith/evaluation/_runner.py (evaluate_comparative).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress

from core.importing.cells import Cells, as_number, as_text, named
from core.importing.conversations import transcript
from core.importing.entry import TEXT, VOTE, Entry
from core.importing.layout import Layout, Reader, Source, has
from core.importing.neighbours import cells_of, neighbours
from core.importing.pairs_in_tools import all_rows, prefer_higher
from core.importing.templates import read_with
from core.importing.values import find_object, find_text
from core.importing.winners import NO_ANSWER
from core.records import Kind

USUAL = frozenset(("preference", "pairwise", "ranked_preference", "pairwise_preference"))
"""Keys of feedback that ask for nothing in particular."""
GROUP = "feedback_group_id"
JUDGES = frozenset(("model", "auto_eval"))  # sources of feedback that are no people


def read_run(number: int, cells: Cells) -> Iterator[Entry]:
    """Read a root run: the item is the example (`reference_example_id`), the system the experiment
    (`session_name`, or `session_id`); the texts are the inputs and outputs.
    """
    if cells.get("parent_run_id"):
        raise ValueError("it is a part of another run")
    yield {"sort": TEXT, **_describe_run(cells), "sample": 0}


class Feedback(Reader):
    """Two entries with the same `feedback_group_id` are a vote: the run with the higher `score`
    won, equal scores are a tie, none are no answer. The judge is who gave the feedback, the
    attribute its `key`. The runs are looked up in the files near it.

    Which output was shown first is not said (`randomize_order`).
    """

    def __init__(self, source: Source) -> None:
        self.kind = source.kind
        self.groups = defaultdict[tuple[str, str], dict[str, Cells]](dict)
        for cells in all_rows(source):
            if cells.get(GROUP):
                self.groups[_find_group(cells)].setdefault(str(cells.get("run_id")), cells)
        self.runs = _load_runs(source, {run for group in self.groups.values() for run in group})
        source.tally.columns = ("the first text", "the second text")
        if not self.runs:
            source.tally.notes[
                "no file with the runs lies near it: items and texts are not known, and systems "
                "are called by their session"
            ] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        if not cells.get(GROUP):
            raise ValueError(f"it has no {GROUP}, so it compares nothing")
        group = self.groups[_find_group(cells)]
        if len(group) != 2:
            raise ValueError(f"its group has {len(group)} runs, so it does not compare two")
        if str(cells.get("run_id")) != next(iter(group)):
            return  # the vote was read with the first of the two
        vote: Entry = {"sort": VOTE, "order_known": False, **_read_answer(group, self.kind)}
        for side, (run_id, given) in zip("ab", group.items(), strict=True):
            run = self.runs.get(run_id) or {"system": find_text(given, "session_id") or run_id}
            vote |= {f"system_{side}": run["system"], f"text_{side}": run.get("text")}
            vote |= {name: run[name] for name in ("item", "context") if run.get(name)}
        yield vote


def _load_runs(source: Source, wanted: set[str]) -> Mapping[str, Entry]:
    """The runs of a file near the feedback, by id; empty where none has those that are wanted."""
    for path, columns in neighbours(source.path):
        if {"id", "inputs", "outputs"} <= set(columns):
            runs: dict[str, Entry] = {}
            for run in cells_of(path):
                if run.get("id") and not run.get("parent_run_id"):
                    with suppress(ValueError):  # why the run itself is skipped
                        runs[str(run["id"])] = _describe_run(run)
            if wanted & set(runs):
                return runs
    return {}


def _find_group(cells: Cells) -> tuple[str, str]:
    return str(cells.get(GROUP)), str(cells.get("key"))


def _describe_run(cells: Cells) -> Entry:
    """What a run is of. Tandem's own export has the item's name in its metadata."""
    item = find_text(cells, "extra.metadata.item", "reference_example_id")
    return {
        "item": item or named(cells, "id"),
        "system": find_text(cells, "session_name", "session_id") or named(cells, "name"),
        "context": _read_values(cells.get("inputs")) or "",
        "text": _read_values(cells.get("outputs")),
    }


def _read_values(values: object) -> str | None:
    """Inputs or outputs as one text: the value where there is one, several with their names."""
    if not isinstance(values, dict):
        return None if values is None else transcript(values)
    parts = {name: _read_value(value) for name, value in values.items() if value is not None}
    if len(parts) == 1:
        return next(iter(parts.values()))
    return "\n\n".join(f"{name}: {text}" for name, text in parts.items()) if parts else None


def _read_value(value: object) -> str:
    try:
        return transcript(value)
    except ValueError:
        return str(value)


def _read_answer(group: Mapping[str, Cells], kind: Kind) -> Entry:
    """What the two entries of a group say; what was said word for word, and why there is no answer,
    is in `extra` of Tandem's own export.
    """
    first = next(iter(group.values()))
    scores = [
        as_number(cells["score"], "score")
        for cells in group.values()
        if cells.get("score") is not None
    ]
    key, extra = as_text(first.get("key")) or "", find_object(first, "extra")
    comments = (str(cells["comment"]) for cells in group.values() if cells.get("comment"))
    raw, failure = (
        text if isinstance(text := extra.get(name), str) else "" for name in ("raw", "failure")
    )
    return {
        "outcome": prefer_higher(*scores) if len(scores) == 2 else None,
        "failure": failure or ("" if len(scores) == 2 else NO_ANSWER),
        "raw": raw,
        "attribute": "" if key.casefold() in USUAL else key,
        "comment": "\n".join(dict.fromkeys(comments)),
        "created_at": first.get("created_at"),
        **_find_judge(first, kind),
    }


def _find_judge(cells: Cells, kind: Kind) -> Entry:
    """Who gave the feedback: a person in the app, a model, or through the API either."""
    source = find_object(cells, "feedback_source")
    model = find_object(source, "metadata").get("model")
    if source.get("type") in JUDGES or model:
        return {"judge": str(model or source.get("type")), "judge_kind": Kind.LLM.value}
    who = source.get("user_name") or source.get("user_id") or ""
    kind = Kind.HUMAN if source.get("type") == "app" else kind
    return {"judge": str(who), "judge_kind": kind.value}


LAYOUT = Layout(
    "langsmith",
    "LangSmith's pairwise feedback, or the runs it is about",
    {
        Feedback: has("run_id", "key", "score", GROUP),
        read_with(read_run): has("id", "run_type", "inputs", "outputs", "session_id"),
    },
    ("input", "output"),
    settings=("kind",),
    looks_around=True,
)
