"""Judgements for tools that train and evaluate models: TRL, AlpacaEval, Arena-Hard, LangSmith."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ..records import Kind, Outcome
from .layout import (
    BOTH_BAD,
    NO_ORDER,
    NO_TEXTS,
    TIE,
    UNANSWERED,
    Document,
    Format,
    Row,
    make_file_name,
    select_reply_fields,
)

# ---- Preference pairs as TRL and Hugging Face's `datasets` read them (huggingface/trl, its page
# "Dataset formats"): as texts, or as lists of messages.

KEPT = ("item", "subset", "attribute", "judge", "judge_kind", "comment", "created_at")


def list_preferences(
    rows: Iterable[Row], write: Callable[[str, str], Any] = lambda role, text: text
) -> Iterator[Document]:
    """Yield prompt, chosen, rejected, and beside them whose texts they are and who judged."""
    for row in rows:
        won, lost = ("a", "b") if row["winner"] == Outcome.A else ("b", "a")
        first = "chosen" if won == "a" else "rejected"
        yield (
            "",
            {
                "prompt": write("user", row["context"]),
                "chosen": write("assistant", row[f"text_{won}"]),
                "rejected": write("assistant", row[f"text_{lost}"]),
                "chosen_model": row[f"system_{won}"],
                "rejected_model": row[f"system_{lost}"],
                "shown_first": first if row["order_known"] else None,
                "score_chosen": row.get(f"mark_{won}"),
                "score_rejected": row.get(f"mark_{lost}"),
                **{name: row[name] for name in KEPT},
            },
        )


def list_messages(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield the same with each text as a list of one message."""
    return list_preferences(rows, lambda role, text: [{"role": role, "content": text}])


# ---- Annotations as AlpacaEval has them (tatsu-lab/alpaca_eval, results/MODEL/ANNOTATOR/
# annotations.json): 1 is the first output, 2 the second, and what lies between is how likely.


def list_alpaca_annotations(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield a row a vote; the first output is the one that was shown first."""
    preferences = {None: None, Outcome.A: 1.0, Outcome.B: 2.0, Outcome.TIE: 1.5}
    for row in rows:
        preference = preferences[row["winner"]]
        if preference is not None and row["prob_a"] is not None:
            preference = 2.0 - float(row["prob_a"])
        yield (
            "",
            {
                "instruction": row["context"],
                "output_1": row["text_a"],
                "generator_1": row["system_a"],
                "dataset": row["subset"],
                "output_2": row["text_b"],
                "generator_2": row["system_b"],
                "annotator": row["judge"],
                "preference": preference,
            },
        )


# ---- Games as Arena-Hard keeps them (lmarena/arena-hard-auto, gen_judgment.py, with the
# `baseline` of 2.0): a file a judge and model, a row an item, the first game with the baseline
# first.

STRONG = 2.0
"""The strength from which a verdict is much better, ">>"."""
Sides = tuple[str, str]


def list_games(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield the games of each two systems on an item by a judge.

    The baseline is the system that met more systems, else the first by name. Where only one order
    was asked, it is the one shown first.
    """
    played = defaultdict[tuple[str, str, frozenset[str]], dict[Sides, list[Row]]](
        lambda: defaultdict(list)
    )
    met = defaultdict[str, set[str]](set)
    for row in rows:
        sides = row["system_a"], row["system_b"]
        played[row["judge"], row["item"], frozenset(sides)][sides].append(row)
        met[sides[0]].add(sides[1])
        met[sides[1]].add(sides[0])
    for (judge, _, systems), orders in played.items():
        baseline, model = sorted(systems, key=lambda system: (-len(met[system]), system))
        for game in _pair_games(orders, (baseline, model)):
            name = f"{make_file_name(judge)}/{make_file_name(game['model'])}"
            yield f"model_judgment/{name}.jsonl", game


def _pair_games(orders: Mapping[Sides, Sequence[Row]], sides: Sides) -> Iterator[dict[str, Any]]:
    """Rows of two games, one in each order, as long as there are both; then of one."""
    first, second = orders.get(sides, []), orders.get(sides[::-1], [])
    both = min(len(first), len(second))
    for one, other in zip(first, second, strict=False):
        yield _build_game_row(sides, [one, other])
    for left in first[both:]:
        yield _build_game_row(sides, [left])
    for left in second[both:]:
        yield _build_game_row(sides[::-1], [left])


def _build_game_row(sides: Sides, rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "uid": rows[0]["item"], "category": rows[0]["subset"], "judge": rows[0]["judge"],
        "model": sides[1], "baseline": sides[0], "games": [_build_game(row) for row in rows],
    }  # fmt: skip


def _build_game(row: Row) -> dict[str, Any]:
    strong = ">>" if (row["strength"] or 0) >= STRONG else ">"
    verdicts = {Outcome.A: f"A{strong}B", Outcome.B: f"B{strong}A", Outcome.TIE: "A=B"}
    verdict = verdicts.get(row["winner"])
    answer = row["raw"] or (f"[[{verdict}]]" if verdict else "")
    return {"score": verdict, "judgment": {"answer": answer}}


# ---- Runs and pairwise feedback for LangSmith (langchain-ai/langsmith-sdk,
# python/langsmith/schemas.py and evaluation/_runner.py): each text a run of its system's
# experiment, each vote two entries of feedback with one group.


def list_langsmith_entries(rows: Iterable[Row]) -> Iterator[Document]:
    """Yield each run once, and two entries of feedback for each vote."""
    outcomes = {Outcome.A: (1.0, 0.0), Outcome.B: (0.0, 1.0), Outcome.TIE: (0.5, 0.5)}
    known = set[str]()
    for number, row in enumerate(rows, start=1):
        runs = [_build_run(row, side) for side in "ab"]
        for run in runs:
            if run["id"] not in known:
                known.add(run["id"])
                yield "runs.jsonl", run
        scores = outcomes.get(row["winner"], (None, None))
        for place, (run, score) in enumerate(zip(runs, scores, strict=True)):
            yield "feedback.jsonl", _build_feedback((number, place), row, run, score)


def _make_id(*parts: object) -> str:
    return str(uuid5(NAMESPACE_URL, f"tandem:{':'.join(map(str, parts))}"))


def _build_run(row: Row, side: str) -> dict[str, Any]:
    system, sample = row[f"system_{side}"], row[f"sample_{side}"]
    name = _make_id("run", row["dataset"], row["item"], system, sample)
    return {
        "id": name, "trace_id": name, "name": system,
        "run_type": "chain", "session_id": _make_id("session", row["dataset"], system),
        "session_name": system, "parent_run_id": None,
        "reference_example_id": _make_id("example", row["dataset"], row["item"]),
        "inputs": {"input": row["context"]}, "outputs": {"output": row[f"text_{side}"]},
        "start_time": row["created_at"], "extra": {"metadata": {"item": row["item"]}},
    }  # fmt: skip


def _build_feedback(
    number: tuple[int, int], row: Row, run: dict[str, Any], score: float | None
) -> dict[str, Any]:
    source: dict[str, Any] = {"type": "app", "user_name": row["judge"], "metadata": {}}
    if row["judge_kind"] != Kind.HUMAN:
        source = {"type": "model", "metadata": {"model": row["judge"]}}
    key = "preference" if row["attribute"] == "overall" else row["attribute"]
    return {
        "id": _make_id("feedback", row["dataset"], *number), "key": key, "run_id": run["id"],
        "trace_id": run["id"],
        "session_id": run["session_id"], "score": score, "value": None,
        "comment": row["comment"] or None, "feedback_source": source,
        "feedback_group_id": _make_id("group", row["dataset"], number[0]),
        "comparative_experiment_id": _make_id("experiment", row["dataset"]),
        "created_at": row["created_at"], "modified_at": row["created_at"],
        "extra": select_reply_fields(row) or None,
    }  # fmt: skip


DECISIVE = frozenset((UNANSWERED, TIE, BOTH_BAD, NO_TEXTS))
TRL = Format("trl", "TRL", (".jsonl", ".parquet", ".csv"), list_preferences, DECISIVE)
TRL_CHAT = Format("trl-chat", "TRL, as messages", (".jsonl", ".parquet"), list_messages, DECISIVE)
ALPACA_EVAL = Format(
    "alpaca-eval", "AlpacaEval", (".json",), list_alpaca_annotations,
    frozenset((BOTH_BAD, NO_TEXTS)), one_attribute=True,
)  # fmt: skip
ARENA_HARD = Format(
    "arena-hard", "Arena-Hard", (".zip",), list_games,
    frozenset((BOTH_BAD, NO_ORDER)), one_attribute=True,
)  # fmt: skip
LANGSMITH = Format(
    "langsmith", "LangSmith", (".zip",), list_langsmith_entries, frozenset((NO_TEXTS, BOTH_BAD))
)
