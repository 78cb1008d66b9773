"""Judgements in MT-Bench's manner."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Iterator

from tests.evidence.facts import DATA, Commands, Fact, Found, by_judge, write_label_free

INCONSISTENT = {  # in English and in Korean
    "Qwen2.5-7B-Instruct": ("951 / 1,200", "539 / 1,196"),
    "Qwen2.5-14B-Instruct": ("541 / 1,200", "279 / 1,200"),
    "Qwen2.5-32B-Instruct": ("371 / 1,198", "245 / 1,199"),
    "EXAONE-3.5-32B-Instruct-AWQ": ("506 / 1,200", "366 / 1,200"),
    "gpt-4o-mini": ("399 / 1,193", "259 / 1,200"),
    "Gemma-4-12B-it": ("234 / 1,180", "176 / 1,197"),
}
FIRST = {
    "Qwen2.5-7B-Instruct": "0.7033 / 0.7475", "Qwen2.5-14B-Instruct": "0.6150 / 0.6525",
    "Qwen2.5-32B-Instruct": "0.5726 / 0.5851", "EXAONE-3.5-32B-Instruct-AWQ": "0.6308 / 0.7075",
    "gpt-4o-mini": "0.6530 / 0.5490", "Gemma-4-12B-it": "0.5449 / 0.5297",
}  # fmt: skip
WINS = {
    "EXAONE-3.5-7.8B-Instruct": "1263", "Phi-3.5-mini-Instruct": "807", "gemma-2-9b-it": "718",
    "Llama-3.1-8B-Instruct": "661", "Mistral-7B-Instruct-v0.3": "333", "EEVE-Korean-Instruct-10.8B": "218",
}  # fmt: skip
BIAS = "bias --dataset mtbench --subset en --judges llm"


def mtbench(run: Commands) -> Iterator[Fact | Found]:
    run("import $D/mtbench_pairwise --dataset mtbench")
    what = "1. judgements (14,400 rows in both orders), grades (2,880 x 3)"
    yield run.fact(what, "28,800 / 8,640", "judgements scores")
    what = "1. questions in two languages (2 x 80), models (15 pairs)"
    yield run.fact(what, "160 / 6", "items systems")
    for place, language in enumerate(("en", "ko")):
        rows = by_judge(run(BIAS.replace(" en ", f" {language} ")))
        yield run.fact(f"1. judges, {language}", "6", [len(rows)])
        for judge, published in INCONSISTENT.items():
            of, same = (rows[judge][f"{name}_both_orders"] for name in ("pairs", "consistent"))
            what = f"2. inconsistent and valid pairs, {language}: {judge}"
            yield run.fact(what, published[place], [of - same, of])
    line = f"{BIAS} --systems MODEL_A MODEL_B"
    first, valid = count_first(run, line)
    for judge, rates in FIRST.items():
        values = [first[judge, order] / valid[judge] for order in ("ab", "ba")]
        note = "first_forward and first_reverse, over the pairs valid in both orders"
        what = f"3. rate of A in the AB and the BA order, en: {judge}"
        yield run.fact(what, rates, values, note, line)
    wins = Counter[str]()
    for row in run(BIAS)["consistent"]:
        wins[row["system"]] += row["wins"]
    yield from run.each(
        "4. consistent wins over all judges, en: {}", WINS, lambda system: [str(wins[system])]
    )
    told = write_label_free(run("lab --dataset mtbench --subset en"))
    yield run.found("best by single grades of models, and without labels: en", told)


def count_first(run: Commands, line: str) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """How often each judge is for model_a in either order, and how many pairs it answered in both.

    Which of two models is model_a is told by the file, and is not the same for every judge.
    """
    with gzip.open(DATA / "mtbench_pairwise" / "judgements.csv.gz", "rt", encoding="utf-8") as file:
        shown = {
            (row["judge_id"], row["model_a"], row["model_b"])
            for row in csv.DictReader(file)
            if row["language"] == "en"
        }
    first, valid = Counter[tuple[str, str]](), Counter[str]()
    for one, other in sorted({(min(a, b), max(a, b)) for _, a, b in shown}):
        for judge, row in by_judge(run(line.replace("MODEL_A MODEL_B", f"{one} {other}"))).items():
            ab, ba = row["first_forward"], row["first_reverse"]
            turned = (judge, one, other) not in shown
            first[judge, "ab"] += ba if turned else ab
            first[judge, "ba"] += ab if turned else ba
            valid[judge] += row["pairs_both_orders"]
    return first, valid
