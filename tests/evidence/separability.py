"""The human study of the separability paper."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator

from core.similarity import METRICS
from tests.evidence.facts import Commands, Fact, Found
from tests.similarity.test_named_entities import quality
from tests.unigrams import UNIGRAM

FILES = " ".join(
    f"$D/separability/vicuna-7b_gpt-3.5-turbo-instruct_{subset}_pref_data.csv"
    for subset in ("cnn_dm", "samsum")
)
RATED = {
    "cnn_dm": ("340 / 124 / 286", "-0.0720", "0.3867 / 0.448", "17"),
    "samsum": ("263 / 94 / 393", "0.1733", "0.4387 / 0.436", "14"),
}
SETS = {
    "cnn_dm": "0.5133 / 0.2267 / 0.3840 / -0.0720 / 150",
    "samsum": "0.5333 / 0.3200 / 0.4067 / 0.1733 / 150",
}
CONSISTENCY = "consistency --dataset separability"
BINNED = f"{CONSISTENCY} --by-separability METRIC --bins 4 --binning quantile"


def separability(run: Commands) -> Iterator[Fact | Found]:
    run(f"import {FILES} --dataset separability")
    what = "inputs, texts (100 x 2 x 5), votes (2 x 150 rows x 5)"
    yield run.fact(what, "100 / 1,000 / 1,500", "items generations judgements")
    yield run.fact("6. raters of both files together (17 + 14)", "31", "judges")
    sides = defaultdict[tuple[str, str], set[str]](set)
    for row in run.exported("export --what generations --dataset separability --to FILE.jsonl"):
        sides[row["item"], row["text"]].add(row["system"])
    both = sum(len(systems) > 1 for systems in sides.values())
    yield run.fact("texts on both sides of one input, once the slots are undone", "0", [both])
    for subset in RATED:
        yield from rated(run, subset)
    names = "share_inconsistent share_perfect mean_consistency mean_strength sets"
    for subset, figures in SETS.items():
        run(f"{CONSISTENCY} --subset {subset}")
        what = "2, 3. rating sets with consistency 0, with 1, mean consistency, mean strength, sets"
        yield run.fact(f"{what}: {subset}", figures, names)
    with unigrams():
        yield from by_unigrams(run)
    yield from by_metrics(run)
    found = run(f"{CONSISTENCY} --by-separability ensemble --beside length")
    yield run.found(
        "the same by `ensemble` and by `length` within the two subsets; what a perfect prediction "
        "would reach, as far as the three raters of an input agree",
        f"{found['spearman_within']:.3f} / "
        f"{found['spearman_within'] - found['difference_within']:.3f}; {found['ceiling']:.3f}",
    )
    yield Found(
        "the rules for named entities on 50 sentences of these files labelled by hand: "
        "precision, recall, F1",
        " / ".join(f"{share:.3f}" for share in quality()),
        "`tests/similarity/test_named_entities.py`; whoever wrote the rules had read the sentences",
    )


def rated(run: Commands, subset: str) -> Iterator[Fact]:
    votes, strength, shares, raters = RATED[subset]
    ranked = run(f"rank --dataset separability --subset {subset} --method win-ratio --bootstrap 0")
    rows = {row["system"]: row for row in ranked["rows"]}
    first, second = rows["vicuna-7b"], rows["gpt-3.5-turbo-instruct"]
    values = [first["wins"], first["ties"], second["wins"]]
    yield run.fact(f"1. votes for Vicuna, no preference, GPT-3.5: {subset}", votes, values)
    note = "2 x win ratio - 1: all rating sets have 5 pairs"
    values = [2 * second["rating"] - 1]
    yield run.fact(f"3. mean preference strength: {subset}", strength, values, note)
    outcomes = run(f"describe --dataset separability --subset {subset}")["outcomes"]
    count = {name: sum(row[name] for row in outcomes) for name in ("a", "b", "tie", "both_bad")}
    values = [count[side] / sum(count.values()) for side in "ab"]
    what = f"4. share of votes for the first and the second slot: {subset}"
    yield run.fact(what, shares, values, "summed over the raters")
    yield run.fact(f"6. raters: {subset}", raters, [len(outcomes)])


def by_unigrams(run: Commands) -> Iterator[Fact]:
    note = "the metric lives in the tests (tests/unigrams.py), the command is the same"
    plain = "separability --dataset separability --subset SUBSET --metric unigram --normalise none"
    lines = [plain.replace("SUBSET", subset) for subset in SETS]
    values = [run(line)["mean"] for line in lines]
    what = "5. mean separability by unigram F1: cnn_dm, samsum"
    yield run.fact(what, "0.2624 / 0.3196", values, note, lines[0])
    found = run(BINNED.replace("METRIC", "unigram"))
    what = "5. Spearman correlation of separability with mean consistency, inputs"
    yield run.fact(what, "0.3783 / 100", "spearman items", note)
    quartiles = [one["mean_consistency"] for one in found["bins"]]
    what = "5. mean consistency per separability quartile"
    yield run.fact(what, "0.2667 / 0.3520 / 0.3520 / 0.6107", quartiles, note)


def by_metrics(run: Commands) -> Iterator[Found]:
    # First what measures most of the others beside itself: each text goes through the encoder once.
    measure = "separability --dataset separability --metric METRIC --bootstrap 0"
    run(measure.replace("METRIC", "ensemble"))
    for metric in METRICS:
        how = f"{metric} --encoder rules" if metric == "entity" else metric
        run(measure.replace("METRIC", how))
        found = run(BINNED.replace("METRIC", how))
        quartiles = " / ".join(f"{one['mean_consistency']:.3f}" for one in found["bins"])
        yield run.found(
            f"Spearman correlation of separability by `{metric}` with mean consistency over the "
            "100 inputs; mean consistency per separability quartile",
            f"{found['spearman']:.3f}; {quartiles}",
        )


@contextlib.contextmanager
def unigrams() -> Iterator[None]:
    """While the metric of the tests is among the metrics."""
    METRICS["unigram"] = UNIGRAM
    try:
        yield
    finally:
        del METRICS["unigram"]
