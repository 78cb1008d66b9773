"""LLMBar."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from tests.evidence.facts import DATA, Absent, Commands, Fact, Found, fact, write_label_free


def llmbar(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = "import $D/llmbar/Dataset $D/llmbar/judgements.csv.gz --dataset llmbar"
    held = run(line)
    yield fact(
        "judgements (2 x 40,413) and labels (1,200), LLM judges",
        "82,026 / 65",
        [held["judgements"], held["judges"] - 1],
        line,
    )
    subsets = {
        "Natural": 100, "Neighbor": 134, "GPTInst": 92, "GPTOut": 47, "Manual": 46, "Constraint": 89, "Negation": 59,
        "Normal": 59, "Base_9": 54, "Base_10": 54, "FairEval": 66, "LLMEval^2": 200, "MT-Bench": 200,
    }  # fmt: skip
    ours = []
    for subset in subsets:
        (row,) = run(f"describe --dataset llmbar --subset {subset} --judges gold")["outcomes"]
        ours.append(row["a"] + row["b"])
    line = "describe --dataset llmbar --subset SUBSET --judges gold"
    yield Fact("1. instances: " + ", ".join(subsets), _list(subsets.values()), _list(ours), line)
    yield fact("1. instances of the first five together", "419", [sum(ours[:5])], line)
    with (DATA / "llmbar" / "statistics.jsonl").open(encoding="utf-8") as file:
        published = [json.loads(row) for row in file]
    equal = 0
    for subset in subsets:
        rows = {
            row["judge"]: row
            for row in run(f"bias --dataset llmbar --subset {subset} --judges llm")["rows"]
        }
        for one in published:
            if one["subset"].rpartition("/")[2] == subset:
                row = rows[f"{one['evaluator']}/{one['prompt']}"]
                same = row["consistent_both_orders"] + row["both_unanswered"]
                equal += same == int(one["statistics"]["equal"].split(" / ")[0])
    line = "bias --dataset llmbar --subset SUBSET --judges llm"
    note = "consistent_both_orders + both_unanswered"
    yield fact("2. runs with the published `equal`", "499", [equal], line, note)
    line = "bias --dataset llmbar --subset Natural --judges ChatGPT/Vanilla"
    (row,) = run(line)["rows"]
    yield fact(
        "2. equal, of: ChatGPT Vanilla, Natural",
        "71 / 100",
        [row["consistent_both_orders"], row["pairs_both_orders"]],
        line,
    )
    line = "bias --dataset llmbar --subset Natural --judges GPT-4/Vanilla"
    (row,) = run(line)["rows"]
    yield fact("2. equal: GPT-4 Vanilla, Natural", "95", [row["consistent_both_orders"]], line)
    for judge, shares in {
        "Falcon": "0.7400 / 0.7724",
        "ChatGPT": "0.6050 / 0.6194",
        "PaLM2": "0.5400 / 0.5672",
        "LLaMA2": "0.5150 / 0.5299",
        "GPT-4": "0.5050 / 0.5112",
    }.items():
        line = f"describe --dataset llmbar --subset Natural --judges {judge}/Vanilla"
        values = []
        for subset in ("Natural", "Neighbor"):
            (row,) = run(line.replace("Natural", subset))["outcomes"]
            values.append(row["a"] / sum(row[name] for name in ("a", "b", "tie", "failed")))
        note = "a of all judgements; first_share leaves the unanswered ones out"
        yield fact(
            f"3. share for the first shown, Natural and Neighbor: {judge}",
            shares,
            values,
            line,
            note,
        )
    right = Counter[str]()
    for subset in subsets:
        rows = {
            row["judge"]: row
            for row in run(f"accuracy --dataset llmbar --subset {subset} --against gold")["rows"]
        }
        for one in published:
            if one["subset"].rpartition("/")[2] != subset:
                continue
            row = rows[f"{one['evaluator']}/{one['prompt']}"]
            ours = {"False": "right_forward", "True": "right_reverse", "both": "right_both_orders"}
            for order, name in ours.items():  # type: ignore[attr-defined]
                right[order] += row[name] == int(
                    one["statistics"][f"correct_{order}"].split(" / ")[0]
                )
    line = "accuracy --dataset llmbar --subset SUBSET --against gold"
    same = of = 0
    for subset in subsets:
        expected = over_prompts(
            [one for one in published if one["subset"].rpartition("/")[2] == subset]
        )
        for row in run(line.replace("SUBSET", subset))["averages"]:
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
    note = "right_forward, right_reverse, right_both_orders"
    values = [right[order] for order in ("False", "True", "both")]
    yield fact(
        "2. runs with the published `correct_False`, `correct_True`, `correct_both`",
        "499 / 499 / 499",
        values,
        line,
        note,
    )
    for judge, correct in {"ChatGPT": "80 / 83 / 67", "GPT-4": "95 / 96"}.items():
        line = f"accuracy --dataset llmbar --subset Natural --judges {judge}/Vanilla --against gold"
        (row,) = run(line)["rows"]
        values = [row[name] for name in ("right_forward", "right_reverse", "right_both_orders")]
        what = f"2. correct in either order (and in both): {judge} Vanilla, Natural"
        yield fact(what, correct, values[: len(correct.split(" / "))], line)

    yield from label_free(run)


def label_free(run: Commands) -> Iterator[Found]:
    """Which judge is best by labels and without them, on the five subsets of instances; and of each
    model that was asked with four prompts or more, the fairest prompt (ZEPO).
    """
    lost, gained = list[float](), list[float]()
    for subset in ("Natural", "Neighbor", "GPTInst", "GPTOut", "Manual"):
        line = f"lab --dataset llmbar --subset {subset}"
        document = run(line)
        yield Found(
            f"best by labels, and without them: {subset}", write_label_free(document), f"`{line}`"
        )
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


def _list(values: Iterable[object]) -> str:
    return " / ".join(str(value) for value in values)
