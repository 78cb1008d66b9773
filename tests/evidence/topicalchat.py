"""USR Topical-Chat, as UniEval carries it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.evidence.facts import Commands, Fact, means

NAMES = (
    "understandability", "naturalness", "coherence", "engagingness", "groundedness", "overall"
)  # fmt: skip
MEANS = {
    "New Human Generated": "4.7778", "Original Ground Truth": "4.2500",
    "Argmax Decoding": "2.7556", "Nucleus Decoding (p = 0.3)": "2.4000",
    "Nucleus Decoding (p = 0.7)": "2.3889", "Nucleus Decoding (p = 0.5)": "2.2944",
}  # fmt: skip
OVER_TEXTS = {
    "naturalness": "0.443666 / 0.513986 / 0.373973",
    "coherence": "0.595143 / 0.612942 / 0.465915",
    "engagingness": "0.55651 / 0.604739 / 0.455941",
    "groundedness": "0.536209 / 0.574954 / 0.451533",
    "understandability": "0.380038 / 0.467807 / 0.360741",
    "overall": "0.632796 / 0.662583 / 0.487272",
}
WITHIN = {
    "coherence": "0.5599 / 60", "engagingness": "0.5748 / 60", "naturalness": "0.5149 / 60",
    "understandability": "0.4894 / 60", "overall": "0.6780 / 60", "groundedness": "0.6138 / 54",
}  # fmt: skip
CORRELATE = "correlate --dataset topicalchat --scores unieval --against human"


def topicalchat(run: Commands) -> Iterator[Fact]:
    run("import $D/topicalchat/topical_chat_unieval_result.json --dataset topicalchat")
    what = "1. rows, contexts, systems, scores of people and of UniEval"
    yield run.fact(what, "360 / 60 / 6 / 4,320", "generations items systems scores")
    scores = run("describe --dataset topicalchat")["scores"]
    overall = means(scores, "human")
    yield run.fact(
        f"1. means: {', '.join(NAMES)}",
        "0.6731 / 2.2778 / 2.2481 / 2.1370 / 0.5454 / 3.1444",
        [overall[name] for name in NAMES],
    )

    def correlated(level: str, name: str, *figures: str) -> list[float]:
        found = run(f"{CORRELATE} --level {level} --attribute {name}")
        return [found[figure] for figure in figures]

    yield from run.each(
        "2. mean overall, {}", MEANS, lambda system: [means(scores, "human", system)["overall"]]
    )
    yield from run.each(
        "3. Pearson, Spearman, Kendall: {}",
        OVER_TEXTS,
        lambda name: correlated("pool", name, "pearson", "spearman", "kendall"),
    )
    yield from run.each(
        "4. mean Spearman within contexts, and contexts: {}",
        WITHIN,
        lambda name: correlated("item", name, "spearman", "items"),
    )
