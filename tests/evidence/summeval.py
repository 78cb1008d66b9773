"""SummEval."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from tests.evidence.facts import Commands, Fact, Found, means

SUMMEVAL = ("coherence", "consistency", "fluency", "relevance")
CHATGPT = "--dataset summeval --judges gpt-3.5-turbo-0301/h2h"
EXTREMES = {
    "coherence": "M22 / 4.180 / M11 / 2.280", "consistency": "M2 / 4.990 / M11 / 3.270",
    "fluency": "M0 / 4.937 / M11 / 3.650", "relevance": "M23 / 4.260 / M11 / 3.147",
}  # fmt: skip
PANELS = {
    "expert": "3.3531 / 4.5533 / 4.6081 / 3.7178",
    "crowd": "3.8013 / 3.8155 / 3.7092 / 3.9303",
}
VERDICTS = {
    "coherence": "1,116 / 1,025 / 59", "consistency": "847 / 1,258 / 95",
    "fluency": "1,031 / 1,102 / 67", "relevance": "1,220 / 894 / 86",
}  # fmt: skip
MCQ = {
    "coherence": "0.4239", "fluency": "0.3428", "relevance": "0.3843", "consistency": "0.3386"
}  # fmt: skip


def summeval(run: Commands) -> Iterator[Fact | Found]:
    run("import $D/summeval/summeval_100x16.jsonl.gz --dataset summeval")
    what = "1. articles, systems, summaries, scores (1,600 sets of 4)"
    yield run.fact(what, "100 / 16 / 1,600 / 6,400", "items systems generations scores")
    yield from described(run)
    yield from annotated(run)
    yield from head_to_head(run)
    held = run("import $D/summeval/llm_pointwise_raw.jsonl.gz --dataset summeval")
    yield run.fact(
        "7. LLM marks (192 files x 100), repeats beside them, of these different ones",
        "19,200 / 300 / 52",
        [held["scores"], *repeated(held)],
        "the first answer is kept, the others are reported",
    )
    line = (
        "correlate --dataset summeval --scores gpt-3.5-turbo-0301/mcq --against expert --level pool"
    )
    yield from run.each(
        "7. gpt-3.5 mcq against the experts, Spearman: {}",
        MCQ,
        lambda name: [run(f"{line} --attribute {name}")["spearman"]],
    )
    rows = run(f"accuracy {CHATGPT} --against scores --rater expert")["systems"]
    same = Counter(row["attribute"] for row in rows if row["same"])
    what = "6. pairs of systems right, of 11, by attribute"
    yield run.fact(what, "8 / 7 / 7 / 4", [same[name] for name in SUMMEVAL])
    rows = run(f"lab {CHATGPT} --against scores --rater expert")["rows"]
    of = {row["attribute"]: row for row in rows}
    figures = ("accuracy", "kendall", "decisiveness", "fairness")
    told = [" / ".join(f"{of[name][one]:.2f}" for name in SUMMEVAL) for one in figures]
    what = (
        "ChatGPT on development items, by attribute: right; tau of systems; decisiveness; fairness"
    )
    yield run.found(what, "; ".join(told))


def described(run: Commands) -> Iterator[Fact]:
    found = run("describe --dataset summeval")
    overall = means(found["scores"], "expert")
    yield run.fact(
        f"1. grand means: {', '.join(SUMMEVAL)}",
        "3.4125 / 4.6604 / 4.6729 / 3.7771",
        [overall[name] for name in SUMMEVAL],
    )

    def extremes(name: str) -> list[Any]:
        of = [row for row in found["scores"] if row["attribute"] == name and row["system"]]
        best, worst = (choose(of, key=lambda row: row["mean"]) for choose in (max, min))
        return [best["system"], best["mean"], worst["system"], worst["mean"]]

    yield from run.each("2. best and worst system, {}", EXTREMES, extremes)
    ties = {row["attribute"]: row for row in found["ties"]}
    yield run.fact(
        "3. pairs within articles, and tied ones by attribute",
        "12,000 / 1,328 / 8,079 / 6,571 / 1,857",
        [ties["coherence"]["pairs"], *(ties[name]["tied"] for name in SUMMEVAL)],
    )
    constant = [ties[name]["constant_items"] for name in SUMMEVAL]
    yield run.fact("3. articles with all scores equal, by attribute", "0 / 4 / 2 / 0", constant)


def annotated(run: Commands) -> Iterator[Fact]:
    run("import $D/summeval/model_output_annotations --dataset summeval-annotators")
    what = "4. records, raters (3 experts, 5 crowd), marks (1,200 x 8 x 4)"
    yield run.fact(what, "1,200 / 8 / 38,400", "generations judges scores")
    panels = run("describe --dataset summeval-annotators")["scores"]
    yield from run.each(
        "4. means of the {} marks",
        PANELS,
        lambda rater: [means(panels, rater)[name] for name in SUMMEVAL],
    )
    line = "export --what scores --dataset DATASET --judges expert --to FILE.jsonl"
    single, panel = (
        of_texts(run.exported(line.replace("DATASET", name)))
        for name in ("summeval", "summeval-annotators")
    )
    apart = [abs(fmean(values) - single[text][0]) for text, values in panel.items()]
    yield run.fact(
        "4. largest difference of expert means to summeval_100x16, over marks (1,200 x 4)",
        "0.0000000000 / 4,800",
        [max(apart), len(apart)],
        "the file's rows, averaged over the experts",
        line,
    )


def head_to_head(run: Commands) -> Iterator[Fact]:
    run("import $D/summeval/chatgpt_h2h --dataset summeval")
    yield run.fact("5. head-to-head answers of ChatGPT", "8,800", "judgements")
    outcomes = {row["attribute"]: row for row in run(f"describe {CHATGPT}")["outcomes"]}
    yield from run.each(
        "5. A, B and tie: {}",
        VERDICTS,
        lambda name: [outcomes[name][outcome] for outcome in ("a", "b", "tie")],
    )
    pairs = {row["attribute"]: row for row in run(f"bias {CHATGPT}")["rows"]}
    same = [pairs[name]["consistent_both_orders"] for name in SUMMEVAL]
    yield run.fact(
        "5. pairs asked in both orders, and with the same verdict, by attribute",
        "1,100 / 708 / 708 / 701 / 736",
        [pairs["coherence"]["pairs_both_orders"], *same],
    )


def of_texts(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], list[float]]:
    """All marks of each text and attribute, from the rows of exported scores."""
    found = defaultdict[tuple[str, str, str], list[float]](list)
    for row in rows:
        found[row["item"], row["system"], row["attribute"]].append(row["value"])
    return found


def repeated(held: dict[str, Any]) -> list[int]:
    """How many answers an import left out because they came before, and how many differ."""
    found = [re.findall(r"(\d+) of (?:its|them)", row["reason"]) for row in held["skipped"]]
    return [sum(int(one[place]) for one in found) for place in (0, 1)]
