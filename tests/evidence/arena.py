"""Votes of the Chatbot Arena."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Commands, Fact

VOTES = DATA / "arena_votes" / "arena_votes.csv.gz"
SIDES = {
    "b": ("model_b", "49,785"), "a": ("model_a", "48,563"), "tie": ("tie", "21,532"),
    "both_bad": ("both_bad", "15,754"),
}  # fmt: skip
STRENGTHS = {
    "drop": {
        "gemini-2.5-pro": "1170.0", "gemini-2.5-pro-preview-03-25": "1137.8",
        "grok-4-0709": "1128.2", "chatgpt-4o-latest-20250326": "1107.4", "o3-2025-04-16": "1106.7",
    },
    "half": {
        "gemini-2.5-pro": "1123.8", "gemini-2.5-pro-preview-03-25": "1097.6",
        "grok-4-0709": "1093.0", "chatgpt-4o-latest-20250326": "1077.8", "o3-2025-04-16": "1079.1",
    },
}  # fmt: skip


def arena(run: Commands) -> Iterator[Fact]:
    held = run("import $D/arena_votes/arena_votes.csv.gz --dataset arena")
    skipped = {row["row"] for row in held["skipped"]}
    with gzip.open(VOTES, "rt", encoding="utf-8") as file:
        winners = [row["winner"] for row in csv.DictReader(file)]
    lost = Counter(winners[number - 1] for number in skipped)
    values = [held["judgements"] + len(skipped), held["systems"]]
    note = f"of these {len(skipped)} skipped, which compare a system with itself"
    yield run.fact("1. votes, systems", "135,634 / 53", values, note)
    (outcomes,) = run("describe --dataset arena")["outcomes"]
    every = {outcome: outcomes[outcome] + lost[winner] for outcome, (winner, _) in SIDES.items()}
    for outcome, (winner, published) in SIDES.items():
        note = f"{outcomes[outcome]:,} stored, {lost[winner]} in the skipped rows"
        yield run.fact(f"1. votes for {winner}", published, [every[outcome]], note)
    yield run.fact(
        "1. share of model_a among the decisive votes",
        "0.493787",
        [every["a"] / (every["a"] + every["b"])],
        f"with the skipped rows; p_first of the stored ones is {outcomes['p_first']:.6f}",
    )
    rows = run("rank --dataset arena --method win-ratio --ties drop --bootstrap 0")["rows"]
    for which, published, row in (
        ("most", "gemini-2.5-pro / 0.726776 / 6,954", rows[0]),
        ("fewest", "gpt-4o-mini-2024-07-18 / 0.276995 / 426", rows[-1]),
    ):
        values = [row[key] for key in ("system", "rating", "judgements")]
        yield run.fact(f"2. {which} decisive votes won: share, of how many", published, values)
    for ties, called in (("drop", "decisive votes"), ("half", "ties half")):
        line = f"rank --dataset arena --method bradley-terry --ties {ties} --bootstrap 0"
        board = {row["system"]: row["rating"] for row in run(line)["rows"]}
        for system, published in STRENGTHS[ties].items():
            values = [f"{board[system]:.1f}"]
            yield run.fact(f"3. Bradley-Terry, {called}: {system}", published, values)
        if ties == "drop":
            lowest = min(board, key=board.__getitem__)
            what, published = (
                f"3. Bradley-Terry, {called}: the lowest",
                "gpt-4o-mini-2024-07-18 / 834.0",
            )
            yield run.fact(what, published, [lowest, board[lowest]])
