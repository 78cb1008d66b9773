"""LLMBar."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from tests.evidence.facts import DATA, Commands, Fact, Found, by_judge, write_label_free

SUBSETS = {
    "Natural": 100, "Neighbor": 134, "GPTInst": 92, "GPTOut": 47, "Manual": 46, "Constraint": 89, "Negation": 59,
    "Normal": 59, "Base_9": 54, "Base_10": 54, "FairEval": 66, "LLMEval^2": 200, "MT-Bench": 200,
}  # fmt: skip
SHARES = {
    "Falcon": "0.7400 / 0.7724", "ChatGPT": "0.6050 / 0.6194", "PaLM2": "0.5400 / 0.5672",
    "LLaMA2": "0.5150 / 0.5299", "GPT-4": "0.5050 / 0.5112",
}  # fmt: skip
ORDERS = {"False": "right_forward", "True": "right_reverse", "both": "right_both_orders"}

Row = dict[str, Any]


def llmbar(run: Commands) -> Iterator[Fact | Found]:
    held = run("import $D/llmbar/Dataset $D/llmbar/judgements.csv.gz --dataset llmbar")
    what = "judgements (2 x 40,413) and labels (1,200), LLM judges"
    yield run.fact(what, "82,026 / 65", [held["judgements"], held["judges"] - 1])
    line, ours = "describe --dataset llmbar --subset SUBSET --judges gold", []
    for subset in SUBSETS:
        (row,) = run(line.replace("SUBSET", subset))["outcomes"]
        ours.append(row["a"] + row["b"])
    published = " / ".join(map(str, SUBSETS.values()))
    yield run.fact("1. instances: " + ", ".join(SUBSETS), published, ours, line=line)
    yield run.fact("1. instances of the first five together", "419", [sum(ours[:5])], line=line)
    with (DATA / "llmbar" / "statistics.jsonl").open(encoding="utf-8") as file:
        runs = defaultdict[str, list[Row]](list)
        for row in map(json.loads, file):
            runs[row["subset"].rpartition("/")[2]].append(row)
    yield from asked_twice(run, runs)
    yield from correct(run, runs)
    yield from label_free(run)


def asked_twice(run: Commands, runs: dict[str, list[Row]]) -> Iterator[Fact]:
    line, equal = "bias --dataset llmbar --subset SUBSET --judges llm", 0
    for subset in SUBSETS:
        rows = by_judge(run(line.replace("SUBSET", subset)))
        for one in runs[subset]:
            row = rows[f"{one['evaluator']}/{one['prompt']}"]
            same = row["consistent_both_orders"] + row["both_unanswered"]
            equal += same == first_number(one["statistics"]["equal"])
    note = "consistent_both_orders + both_unanswered"
    yield run.fact("2. runs with the published `equal`", "499", [equal], note, line)
    for judge, of, published in (("ChatGPT", ", of", "71 / 100"), ("GPT-4", "", "95")):
        (row,) = run(f"bias --dataset llmbar --subset Natural --judges {judge}/Vanilla")["rows"]
        values = [row["consistent_both_orders"], row["pairs_both_orders"]]
        what = f"2. equal{of}: {judge} Vanilla, Natural"
        yield run.fact(what, published, values[: 2 if of else 1])
    for judge, shares in SHARES.items():
        line, values = f"describe --dataset llmbar --subset Natural --judges {judge}/Vanilla", []
        for subset in ("Natural", "Neighbor"):
            (row,) = run(line.replace("Natural", subset))["outcomes"]
            values.append(row["a"] / sum(row[name] for name in ("a", "b", "tie", "failed")))
        what = f"3. share for the first shown, Natural and Neighbor: {judge}"
        note = "a of all judgements; first_share leaves the unanswered ones out"
        yield run.fact(what, shares, values, note, line)


def correct(run: Commands, runs: dict[str, list[Row]]) -> Iterator[Fact]:
    line = "accuracy --dataset llmbar --subset SUBSET --against gold"
    right, same, of = Counter[str](), 0, 0
    for subset in SUBSETS:
        document = run(line.replace("SUBSET", subset))
        rows = by_judge(document)
        for one in runs[subset]:
            row = rows[f"{one['evaluator']}/{one['prompt']}"]
            for order, name in ORDERS.items():
                right[order] += row[name] == first_number(one["statistics"][f"correct_{order}"])
        expected = over_prompts(runs[subset])
        for row in document["averages"]:
            of += row["unanswered"] == 0
            same += row["unanswered"] == 0 and abs(row["accuracy"] - expected[row["model"]]) < 1e-9
    yield Fact(
        "2. models by subset whose mean of the published accuracies over prompts is ours",
        f"{of} of {of}",
        f"{same} of {of}",
        line,
        "averages; models that left nothing unanswered there: published accuracies count that "
        "as wrong, ours leave it out",
    )
    yield run.fact(
        "2. runs with the published `correct_False`, `correct_True`, `correct_both`",
        "499 / 499 / 499",
        [right[order] for order in ORDERS],
        ", ".join(ORDERS.values()),
        line,
    )
    for judge, published in {"ChatGPT": "80 / 83 / 67", "GPT-4": "95 / 96"}.items():
        line = f"accuracy --dataset llmbar --subset Natural --judges {judge}/Vanilla --against gold"
        (row,) = run(line)["rows"]
        values = [row[name] for name in ORDERS.values()][: len(published.split(" / "))]
        what = f"2. correct in either order (and in both): {judge} Vanilla, Natural"
        yield run.fact(what, published, values)


def label_free(run: Commands) -> Iterator[Found]:
    """Which judge is best by labels and without them, on the five subsets of instances; and of each
    model that was asked with four prompts or more, the fairest prompt (ZEPO).
    """
    lost, gained = list[float](), list[float]()
    for subset in list(SUBSETS)[:5]:
        document = run(f"lab --dataset llmbar --subset {subset}")
        what = f"best by labels, and without them: {subset}"
        yield run.found(what, write_label_free(document))
        by_model = defaultdict[str, list[dict[str, Any]]](list)
        for row in document["rows"]:
            by_model[row["judge"].partition("/")[0]].append(row)
        for rows in by_model.values():
            right = [row["accuracy"] for row in rows]
            fairest = max(rows, key=lambda row: row["fairness"])["accuracy"]
            lost.append(max(right) - fairest)
            gained.append(fairest - fmean(right))
    best, better, of = lost.count(0), sum(gain > 0 for gain in gained), len(lost)
    yield Found(
        "of each model and subset: its fairest prompt is its best, is better than its mean prompt, and is behind "
        "its best by",
        f"{best} of {of}, {better} of {of}, {100 * fmean(lost):.1f} points",
        "`lab --dataset llmbar --subset SUBSET`; development items",
    )


def over_prompts(published: list[dict[str, Any]]) -> dict[str, float]:
    """The mean over each model's prompts of the share of right answers in both orders together."""
    shares = defaultdict[str, list[float]](list)
    for one in published:
        both = [one["statistics"][f"correct_{order}"].split(" / ") for order in ("False", "True")]
        right, of = (sum(int(part[place].split(" ")[0]) for part in both) for place in (0, 1))
        shares[one["evaluator"]].append(right / of)
    return {model: fmean(values) for model, values in shares.items()}


def first_number(share: str) -> int:
    """Of a published "80 / 100"."""
    return int(share.split(" / ")[0])
