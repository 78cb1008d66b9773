"""Votes of the Chatbot Arena."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Absent, Commands, Fact, Found, fact


def arena(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = "import $D/arena_votes/arena_votes.csv.gz --dataset arena"
    held = run(line)
    skipped = {row["row"] for row in held["skipped"]}
    with gzip.open(DATA / "arena_votes" / "arena_votes.csv.gz", "rt", encoding="utf-8") as file:
        winners = [row["winner"] for row in csv.DictReader(file)]
    lost = Counter(winners[number - 1] for number in skipped)
    apart = f"of these {len(skipped)} skipped, which compare a system with itself"
    yield fact(
        "1. votes, systems",
        "135,634 / 53",
        [held["judgements"] + len(skipped), held["systems"]],
        line,
        apart,
    )
    line = "describe --dataset arena"
    (outcomes,) = run(line)["outcomes"]
    sides = {"b": "model_b", "a": "model_a", "tie": "tie", "both_bad": "both_bad"}
    for outcome, winner in sides.items():
        published = {"b": "49,785", "a": "48,563", "tie": "21,532", "both_bad": "15,754"}[outcome]
        ours = [outcomes[outcome] + lost[winner]]
        note = f"{outcomes[outcome]:,} stored, {lost[winner]} in the skipped rows"
        yield fact(f"1. votes for {winner}", published, ours, line, note)
    decisive = sum(outcomes[side] + lost[sides[side]] for side in "ab")
    yield fact(
        "1. share of model_a among the decisive votes",
        "0.493787",
        [(outcomes["a"] + lost["model_a"]) / decisive],
        line,
        f"with the skipped rows; p_first of the stored ones is {outcomes['p_first']:.6f}",
    )
    line = "rank --dataset arena --method win-ratio --ties drop --bootstrap 0"
    rows = run(line)["rows"]
    yield fact(
        "2. most decisive votes won: share, of how many",
        "gemini-2.5-pro / 0.726776 / 6,954",
        [rows[0][key] for key in ("system", "rating", "judgements")],
        line,
    )
    yield fact(
        "2. fewest decisive votes won: share, of how many",
        "gpt-4o-mini-2024-07-18 / 0.276995 / 426",
        [rows[-1][key] for key in ("system", "rating", "judgements")],
        line,
    )
    line = "rank --dataset arena --method bradley-terry --ties drop --bootstrap 0"
    board = {row["system"]: row["rating"] for row in run(line)["rows"]}
    lowest = min(board, key=lambda system: board[system])
    for system, published in {
        "gemini-2.5-pro": "1170.0",
        "gemini-2.5-pro-preview-03-25": "1137.8",
        "grok-4-0709": "1128.2",
        "chatgpt-4o-latest-20250326": "1107.4",
        "o3-2025-04-16": "1106.7",
    }.items():
        yield Fact(
            f"3. Bradley-Terry, decisive votes: {system}", published, f"{board[system]:.1f}", line
        )
    yield Fact(
        "3. Bradley-Terry, decisive votes: the lowest",
        "gpt-4o-mini-2024-07-18 / 834.0",
        f"{lowest} / {board[lowest]:.1f}",
        line,
    )
    line = "rank --dataset arena --method bradley-terry --ties half --bootstrap 0"
    board = {row["system"]: row["rating"] for row in run(line)["rows"]}
    for system, published in {
        "gemini-2.5-pro": "1123.8",
        "gemini-2.5-pro-preview-03-25": "1097.6",
        "grok-4-0709": "1093.0",
        "chatgpt-4o-latest-20250326": "1077.8",
        "o3-2025-04-16": "1079.1",
    }.items():
        yield Fact(
            f"3. Bradley-Terry, ties half: {system}", published, f"{board[system]:.1f}", line
        )
