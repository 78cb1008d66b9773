"""Judgements in MT-Bench's manner."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Absent, Commands, Fact, Found, fact, write_label_free


def mtbench(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = "import $D/mtbench_pairwise --dataset mtbench"
    held = run(line)
    yield fact(
        "1. judgements (14,400 rows in both orders), grades (2,880 x 3)",
        "28,800 / 8,640",
        [held[name] for name in ("judgements", "scores")],
        line,
    )
    yield fact(
        "1. questions in two languages (2 x 80), models (15 pairs)",
        "160 / 6",
        [held["items"], held["systems"]],
        line,
    )
    judges = {
        "Qwen2.5-7B-Instruct": ("951 / 1,200", "539 / 1,196"),
        "Qwen2.5-14B-Instruct": ("541 / 1,200", "279 / 1,200"),
        "Qwen2.5-32B-Instruct": ("371 / 1,198", "245 / 1,199"),
        "EXAONE-3.5-32B-Instruct-AWQ": ("506 / 1,200", "366 / 1,200"),
        "gpt-4o-mini": ("399 / 1,193", "259 / 1,200"),
        "Gemma-4-12B-it": ("234 / 1,180", "176 / 1,197"),
    }
    for place, language in enumerate(("en", "ko")):
        line = f"bias --dataset mtbench --subset {language} --judges llm"
        rows = {row["judge"]: row for row in run(line)["rows"]}
        yield fact(f"1. judges, {language}", "6", [len(rows)], line)
        for judge, published in judges.items():
            row = rows[judge]
            values = [
                row["pairs_both_orders"] - row["consistent_both_orders"],
                row["pairs_both_orders"],
            ]
            yield fact(
                f"2. inconsistent and valid pairs, {language}: {judge}",
                published[place],
                values,
                line,
            )
    # Which of two models is model_a is told by the file, and is not the same for every judge.
    with gzip.open(DATA / "mtbench_pairwise" / "judgements.csv.gz", "rt", encoding="utf-8") as file:
        shown = {
            (row["judge_id"], row["model_a"], row["model_b"])
            for row in csv.DictReader(file)
            if row["language"] == "en"
        }
    line = "bias --dataset mtbench --subset en --judges llm --systems MODEL_A MODEL_B"
    first, valid = Counter[tuple[str, str]](), Counter[str]()
    for one, other in sorted({(min(a, b), max(a, b)) for _, a, b in shown}):
        for row in run(line.replace("MODEL_A MODEL_B", f"{one} {other}"))["rows"]:
            ways = ("first_forward", "first_reverse")
            for order, name in zip(
                ("ab", "ba"),
                ways if (row["judge"], one, other) in shown else ways[::-1],
                strict=True,
            ):
                first[row["judge"], order] += row[name]
            valid[row["judge"]] += row["pairs_both_orders"]
    for judge, rates in {
        "Qwen2.5-7B-Instruct": "0.7033 / 0.7475",
        "Qwen2.5-14B-Instruct": "0.6150 / 0.6525",
        "Qwen2.5-32B-Instruct": "0.5726 / 0.5851",
        "EXAONE-3.5-32B-Instruct-AWQ": "0.6308 / 0.7075",
        "gpt-4o-mini": "0.6530 / 0.5490",
        "Gemma-4-12B-it": "0.5449 / 0.5297",
    }.items():
        values = [first[judge, order] / valid[judge] for order in ("ab", "ba")]
        note = "first_forward and first_reverse, over the pairs valid in both orders"
        yield fact(
            f"3. rate of A in the AB and the BA order, en: {judge}", rates, values, line, note
        )
    line = "bias --dataset mtbench --subset en --judges llm"
    wins = Counter[str]()
    for row in run(line)["consistent"]:
        wins[row["system"]] += row["wins"]
    for system, published_wins in {
        "EXAONE-3.5-7.8B-Instruct": "1263", "Phi-3.5-mini-Instruct": "807", "gemma-2-9b-it": "718",
        "Llama-3.1-8B-Instruct": "661", "Mistral-7B-Instruct-v0.3": "333", "EEVE-Korean-Instruct-10.8B": "218",
    }.items():  # fmt: skip
        yield Fact(
            f"4. consistent wins over all judges, en: {system}",
            published_wins,
            str(wins[system]),
            line,
        )
    line = "lab --dataset mtbench --subset en"
    what = "best by single grades of models, and without labels: en"
    yield Found(what, write_label_free(run(line)), f"`{line}`")
