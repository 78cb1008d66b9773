"""AlpacaEval 2."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Absent, Commands, Fact, fact


def alpaca(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/alpaca_eval --dataset alpaca_eval"
    held = run(line)
    apart = f"{len(held['skipped'])} of them skipped: the baseline compared with itself"
    yield fact(
        "2. rows, models, instructions",
        "46,680 / 58 / 805",
        [held["judgements"] + len(held["skipped"]), held["systems"], held["items"]],
        line,
        apart,
    )
    line = "rank --dataset alpaca_eval --judges llm --method average-probability --bootstrap 0"
    rows = {row["system"]: row for row in run(line)["rows"] if row["system"] != "gpt4_1106_preview"}
    path = DATA / "alpaca_eval" / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
    with path.open(encoding="utf-8") as file:
        leaders = {row[""]: row for row in csv.DictReader(file) if row[""] in rows}
    published = {model: float(row["win_rate"]) for model, row in leaders.items()}
    apart = max(abs(100 * rows[model]["rating"] - rate) for model, rate in published.items())
    note = "for the 57th see below"
    yield fact(
        "1. models with a published win rate; largest difference, in %",
        "56 / 0.00000000",
        [len(published), apart],
        line,
        note,
    )
    for model, rate in {
        "alpaca-7b": "2.591451",
        "gpt-3.5-turbo-0301": "9.622453",
        "NullModel": "76.919792",
    }.items():
        yield fact(f"1. win rate in %: {model}", rate, [100 * rows[model]["rating"]], line)
    wins = "rank --dataset alpaca_eval --judges llm --method win-ratio --bootstrap 0"
    won = {row["system"]: row["wins"] for row in run(wins)["rows"]}
    same = sum(won[model] == int(row["n_wins"]) for model, row in leaders.items())
    yield fact("1. models with the published n_wins", "56", [same], wins)
    count = Counter(row["judgements"] for row in rows.values())
    yield fact(
        "2. models with 805, 804, 803, 802 rows",
        "52 / 3 / 2 / 1",
        [count[805] + 1, count[804], count[803], count[802]],
        line,
        "with the baseline against itself",
    )
    line = "bias --dataset alpaca_eval --judges llm"
    (row,) = run(line)["rows"]
    yield fact(
        "3. rows whose order is told by one formula (21,007 + 20,718 less 2 x 14 that fit both)",
        "41,697",
        [row["comparisons"]],
        line,
    )
    yield fact("4. mean probability of the first shown", "0.4562", [row["mean_prob_first"]], line)
    places = {
        row["place"]: row["prob"]
        for row in run(line)["places"]
        if row["system"] == "gpt4_1106_preview"
    }
    yield fact(
        "4. mean probability of generator_2 when it is shown first, when second",
        "0.0373 / 0.1190",
        [1 - places["second"], 1 - places["first"]],
        line,
        "1 - that of generator_1, the baseline, in the other place",
    )
    yield Absent(
        "1. the 57th win rate, 50 for the baseline gpt4_1106_preview",
        "its rows compare the baseline's texts with themselves, so they say nothing about two "
        "systems; `import` skips them with "
        "that reason, and a rating of 50 would be none that anybody has judged",
    )
