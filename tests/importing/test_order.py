"""Results do not depend on the order of rows, columns and files, nor on how a header is spelled."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.importing.conftest import OpenStore

ANSWERS = {"A": 0, "right": 1, "model_b": 1, "Left": 0, "tie": None, "draw": None}
"""Word for the winner -> the place of its system; None for a tie."""
SPELLINGS = {
    "question_id": ("question_id", "Question ID", "questionId"),
    "model_a": ("model_a", "Model A", "modelA", "MODEL.A"),
    "model_b": ("model_b", "Model B", "modelB", "MODEL.B"),
    "winner": ("winner", "Winner", "WINNER "),
    "annotator": ("annotator", "Annotator", " annotator"),
    "prompt": ("prompt", "Prompt", "PROMPT"),
}
Votes = Counter[tuple[str, str, str]]
"""Item, judge and who won, or both systems in their order where nobody did."""


def draw_table(rng: random.Random) -> tuple[pd.DataFrame, Votes]:
    """Draw a table in which nobody answers a question twice, and what it says."""
    rows, votes = list[dict[str, str]](), Votes()
    names = ["gpt", "koala", "B", "tie-model"]
    for item, judge in product(range(6), ("anna", "ben")):
        pair, said = rng.sample(names, 2), rng.choice([*ANSWERS])
        place = ANSWERS[said]
        rows.append({
            "question_id": f"q{item}", "model_a": pair[0], "model_b": pair[1], "winner": said,
            "annotator": judge, "prompt": f"What is {item}?",
        })  # fmt: skip
        votes[f"q{item}", judge, "=".join(sorted(pair)) if place is None else pair[place]] += 1
    return pd.DataFrame(rows), votes


def vary_tables(table: pd.DataFrame, rng: random.Random) -> dict[str, list[pd.DataFrame]]:
    """Write the same votes in other ways, as one file or several."""
    columns = list(table.columns)
    shuffled = table.iloc[rng.sample(range(len(table)), len(table))]
    named = table.set_axis([rng.choice(SPELLINGS[name]) for name in columns], axis=1)
    halves = [shuffled.iloc[:5], shuffled.iloc[5:]]
    return {
        "as drawn": [table],
        "rows": [shuffled],
        "columns": [table[rng.sample(columns, len(columns))]],
        "headers": [named],
        "files": halves,
        "files the other way round": halves[::-1],
        "a file with another header": [halves[0], named.iloc[shuffled.index[5:]]],
    }


def read_votes(store: Store) -> Votes:
    """Read the stored votes as they were drawn."""
    votes = store.judgement_frames.load_exported("d")
    return Votes(
        (row.item, row.judge,
         "=".join(sorted((row.system_a, row.system_b))) if row.winner == "tie"
         else row.system_a if row.winner == "a" else row.system_b)
        for row in votes.itertuples()
    )  # fmt: skip


def test_the_same_votes_in_another_order_or_spelling_are_the_same(
    open_store: OpenStore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        table, votes = draw_table(rng)
        for way, parts in vary_tables(table, rng).items():
            with subtests.test(f"{seed}: {way}"):
                paths = [tmp_path / f"{seed}-{way}-{place}.csv" for place in range(len(parts))]
                for path, part in zip(paths, parts, strict=True):
                    part.to_csv(path, index=False)
                store = open_store()
                report = importer.load(store, paths, Dataset("d"))
                assert not report.skipped
                assert read_votes(store) == votes
                board = rank_votes(paths, Selection(""), RankSettings("win-ratio", bootstrap=0))
                assert board.rows["wins"].sum() == sum(
                    "=" not in who for _, _, who in votes.elements()
                )


def test_answers_seen_from_either_side_in_two_files_are_said(
    open_store: OpenStore, tmp_path: Path
) -> None:
    """Nothing tells them from a judge who was asked in both orders, so both count; whoever won, and
    whichever file comes first. Voters without a name are several people.
    """
    for (judge, kind, is_said), winners in product(
        (("gpt", "llm", True), ("ann", "human", True), ("", "human", False)), ("aab", "bbb")
    ):
        paths = [tmp_path / f"{name}.csv" for name in ("old", "new")]
        for path, first in zip(paths, ("a", "b"), strict=True):
            rows = [(item, "m1" if first == "a" else "m2", "m2" if first == "a" else "m1",
                     "win" if won == first else "loss", judge, kind)
                    for item, won in enumerate(winners)]  # fmt: skip
            columns = ["item", "model", "opponent", "result", "judge", "kind"]
            pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
        for files in (paths, paths[::-1]):
            report = importer.load(open_store(), files, Dataset("d"))
            said = [each for each in report.warnings if "interchanged: both answers count" in each]
            assert (report.counts["judgements"], len(said)) == (6, is_said)
            assert not is_said or f"{files[1].name}: 3 questions are also" in said[0]
            wanted = Selection("", judges=(kind,))
            board = rank_votes(files, wanted, RankSettings("win-ratio", bootstrap=0))
            assert any("interchanged" in note for note in board.notes) == is_said
