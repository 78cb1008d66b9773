"""USR Topical-Chat, as UniEval carries it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Absent, Commands, Fact, Found, fact, means


def topicalchat(run: Commands) -> Iterator[Fact | Found | Absent]:
    names = (
        "understandability",
        "naturalness",
        "coherence",
        "engagingness",
        "groundedness",
        "overall",
    )
    line = "import $D/topicalchat/topical_chat_unieval_result.json --dataset topicalchat"
    held = run(line)
    yield fact(
        "1. rows, contexts, systems, scores of people and of UniEval",
        "360 / 60 / 6 / 4,320",
        [held[name] for name in ("generations", "items", "systems", "scores")],
        line,
    )
    line = "describe --dataset topicalchat"
    scores = run(line)["scores"]
    overall = means(scores, "human")
    yield fact(
        f"1. means: {', '.join(names)}",
        "0.6731 / 2.2778 / 2.2481 / 2.1370 / 0.5454 / 3.1444",
        [overall[name] for name in names],
        line,
    )
    for system, published in {
        "New Human Generated": "4.7778",
        "Original Ground Truth": "4.2500",
        "Argmax Decoding": "2.7556",
        "Nucleus Decoding (p = 0.3)": "2.4000",
        "Nucleus Decoding (p = 0.7)": "2.3889",
        "Nucleus Decoding (p = 0.5)": "2.2944",
    }.items():
        yield fact(
            f"2. mean overall, {system}",
            published,
            [means(scores, "human", system)["overall"]],
            line,
        )
    for name, published in {
        "naturalness": "0.443666 / 0.513986 / 0.373973",
        "coherence": "0.595143 / 0.612942 / 0.465915",
        "engagingness": "0.55651 / 0.604739 / 0.455941",
        "groundedness": "0.536209 / 0.574954 / 0.451533",
        "understandability": "0.380038 / 0.467807 / 0.360741",
        "overall": "0.632796 / 0.662583 / 0.487272",
    }.items():
        line = (
            "correlate --dataset topicalchat --scores unieval --against human --level pool "
            f"--attribute {name}"
        )
        values = [run(line)[coefficient] for coefficient in ("pearson", "spearman", "kendall")]
        yield fact(f"3. Pearson, Spearman, Kendall: {name}", published, values, line)
    for name, published in {
        "coherence": "0.5599 / 60",
        "engagingness": "0.5748 / 60",
        "naturalness": "0.5149 / 60",
        "understandability": "0.4894 / 60",
        "overall": "0.6780 / 60",
        "groundedness": "0.6138 / 54",
    }.items():
        line = (
            "correlate --dataset topicalchat --scores unieval --against human --level item "
            f"--attribute {name}"
        )
        yield fact(
            f"4. mean Spearman within contexts, and contexts: {name}",
            published,
            [run(line)[key] for key in ("spearman", "items")],
            line,
        )
