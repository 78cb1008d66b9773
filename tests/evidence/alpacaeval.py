"""AlpacaEval 2."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Absent, Commands, Fact

BASELINE = "gpt4_1106_preview"
LEADERS = DATA / "alpaca_eval" / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
RATES = {"alpaca-7b": "2.591451", "gpt-3.5-turbo-0301": "9.622453", "NullModel": "76.919792"}


def alpaca(run: Commands) -> Iterator[Fact | Absent]:
    held = run("import $D/alpaca_eval --dataset alpaca_eval")
    skipped = len(held["skipped"])
    yield run.fact(
        "2. rows, models, instructions",
        "46,680 / 58 / 805",
        [held["judgements"] + skipped, held["systems"], held["items"]],
        f"{skipped} of them skipped: the baseline compared with itself",
    )
    line = "rank --dataset alpaca_eval --judges llm --method average-probability --bootstrap 0"
    rows = {row["system"]: row for row in run(line)["rows"] if row["system"] != BASELINE}
    with LEADERS.open(encoding="utf-8") as file:
        leaders = {row[""]: row for row in csv.DictReader(file) if row[""] in rows}
    published = {model: float(row["win_rate"]) for model, row in leaders.items()}
    yield run.fact(
        "1. models with a published win rate; largest difference, in %",
        "56 / 0.00000000",
        [
            len(published),
            max(abs(100 * rows[model]["rating"] - rate) for model, rate in published.items()),
        ],
        "for the 57th see below",
    )
    yield from run.each("1. win rate in %: {}", RATES, lambda model: [100 * rows[model]["rating"]])
    wins = "rank --dataset alpaca_eval --judges llm --method win-ratio --bootstrap 0"
    won = {row["system"]: row["wins"] for row in run(wins)["rows"]}
    same = sum(won[model] == int(row["n_wins"]) for model, row in leaders.items())
    yield run.fact("1. models with the published n_wins", "56", [same])
    count = Counter(row["judgements"] for row in rows.values())
    yield run.fact(
        "2. models with 805, 804, 803, 802 rows",
        "52 / 3 / 2 / 1",
        [count[805] + 1, count[804], count[803], count[802]],
        "with the baseline against itself",
        line,
    )
    found = run("bias --dataset alpaca_eval --judges llm")
    (row,) = found["rows"]
    what = "3. rows whose order is told by one formula (21,007 + 20,718 less 2 x 14 that fit both)"
    yield run.fact(what, "41,697", [row["comparisons"]])
    yield run.fact("4. mean probability of the first shown", "0.4562", [row["mean_prob_first"]])
    first, second = (
        next(
            row["prob"]
            for row in found["places"]
            if (row["system"], row["place"]) == (BASELINE, at)
        )
        for at in ("first", "second")
    )
    yield run.fact(
        "4. mean probability of generator_2 when it is shown first, when second",
        "0.0373 / 0.1190",
        [1 - second, 1 - first],
        "1 - that of generator_1, the baseline, in the other place",
    )
    yield Absent(
        f"1. the 57th win rate, 50 for the baseline {BASELINE}",
        "its rows compare the baseline's texts with themselves, so they say nothing about two "
        "systems; `import` skips them with "
        "that reason, and a rating of 50 would be none that anybody has judged",
    )
