"""Readers of LangSmith's pairwise experiments: the runs that were compared, and the feedback on
them, each as JSON lines of what `list_runs` and `list_feedback` give.

Layout: langchain-ai/langsmith-sdk, python/langsmith/schemas.py (Run, Feedback) and
python/langsmith/evaluation/_runner.py (evaluate_comparative).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from ...records import Kind
from ..cells import Cells, as_number, read_name
from ..entry import TEXT, VOTE, Entry
from ..graded_texts import as_output, label_values
from ..layout import Layout, Reader, Source, has_columns
from ..pairs_in_tools import name_attribute, prefer_higher
from ..templates import read_by, template
from ..values import find_text
from ..winner_columns import tables_near
from ..winners import NO_ANSWER

GROUP = "feedback_group_id"
JUDGES = ("model", "auto_eval")  # sources of feedback that are no people


def _name_example(cells: Cells) -> str:
    if cells.get("parent_run_id"):
        raise ValueError("it is a part of another run")
    # Tandem's own export has the item's name in its metadata.
    return find_text(cells, "extra.metadata.item", "reference_example_id", "id")


def _read_values(values: object) -> str | None:
    if not isinstance(values, Mapping):
        return as_output(values)
    given = {name: value for name, value in values.items() if value is not None}
    return label_values(given) if given else None


RUN = template(
    TEXT, item=_name_example, system=("session_name", "session_id", "name"), sample=0,
    context=lambda cells: _read_values(cells.get("inputs")),
    text=lambda cells: _read_values(cells.get("outputs")),
)  # fmt: skip
"""A root run: the item is the example, the system the experiment."""


class LangSmithFeedback(Reader):
    """Two entries with the same `feedback_group_id` are a vote: the run with the higher `score`
    won, equal scores are a tie, none are no answer. The judge is who gave the feedback, the
    attribute its `key`. The runs are looked up in the files near it.

    Which output was shown first is not said (`randomize_order`).
    """

    def __init__(self, source: Source) -> None:
        self.kind = source.kind
        self.groups = defaultdict[tuple[str, str], dict[str, Cells]](dict)
        for cells in source.cells():
            if cells.get(GROUP):
                self.groups[_find_group(cells)].setdefault(str(cells.get("run_id")), cells)
        self.runs = _load_runs(source, {run for group in self.groups.values() for run in group})
        source.tally.columns = ("the first text", "the second text")
        if not self.runs:
            source.tally.notes[
                "no file with the runs lies near it: items and texts are unknown, and systems "
                "are named after their session"
            ] = None

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        if not cells.get(GROUP):
            raise ValueError(f"it has no {GROUP}, so it compares nothing")
        group = self.groups[_find_group(cells)]
        if len(group) != 2:
            raise ValueError(f"its group has {len(group)} runs, so it does not compare two")
        if str(cells.get("run_id")) != next(iter(group)):
            return  # the vote was read with the first of the two
        vote = _read_answer([*group.values()], self.kind)
        for side, (run_id, given) in zip("ab", group.items(), strict=True):
            run = self.runs.get(run_id) or {"system": find_text(given, "session_id") or run_id}
            vote |= {f"system_{side}": run["system"], f"text_{side}": run.get("text")}
            vote |= {name: run[name] for name in ("item", "context") if run.get(name)}
        yield vote


def _load_runs(source: Source, wanted: set[str]) -> Mapping[str, Entry]:
    for table in tables_near(source.path, "id", "inputs", "outputs"):
        runs: dict[str, Entry] = {}
        for cells in table:
            with suppress(ValueError):  # why the run itself is skipped
                runs[read_name(cells, "id")] = RUN.fill(0, cells) or {}
        if wanted & set(runs):
            return runs
    return {}


def _find_group(cells: Cells) -> tuple[str, str]:
    return str(cells.get(GROUP)), str(cells.get("key"))


def _read_answer(group: Sequence[Cells], kind: Kind) -> Entry:
    scores = [
        as_number(cells["score"], "score") for cells in group if cells.get("score") is not None
    ]
    comments = (str(cells["comment"]) for cells in group if cells.get("comment"))
    has_won = len(scores) == 2
    return {
        "sort": VOTE,
        "order_known": False,
        "outcome": prefer_higher(*scores) if has_won else None,
        # What was said word for word, and why there is no answer, stand in Tandem's own export.
        "failure": find_text(group[0], "extra.failure") or ("" if has_won else NO_ANSWER),
        "raw": find_text(group[0], "extra.raw"),
        "attribute": name_attribute(find_text(group[0], "key")),
        "comment": "\n".join(dict.fromkeys(comments)),
        "created_at": group[0].get("created_at"),
        **_find_judge(group[0], kind),
    }


def _find_judge(cells: Cells, kind: Kind) -> Entry:
    source = find_text(cells, "feedback_source.type")
    model = find_text(cells, "feedback_source.metadata.model")
    if source in JUDGES or model:
        return {"judge": model or source, "judge_kind": Kind.LLM}
    who = find_text(cells, "feedback_source.user_name", "feedback_source.user_id")
    return {"judge": who, "judge_kind": Kind.HUMAN if source == "app" else kind}


LAYOUT = Layout(
    "langsmith", "LangSmith's pairwise feedback, or the runs it is about",
    {
        LangSmithFeedback: has_columns("run_id", "key", "score", GROUP),
        read_by(RUN): has_columns("id", "run_type", "inputs", "outputs", "session_id"),
    },
    ("input", "output"), settings=("kind",), looks_around=True,
)  # fmt: skip
