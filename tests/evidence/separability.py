"""The human study of the separability paper."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator

from core.similarity import METRICS
from tests.evidence.facts import Absent, Commands, Fact, Found, fact
from tests.similarity.test_named_entities import quality
from tests.unigrams import UNIGRAM

SEPARABILITY = "vicuna-7b_gpt-3.5-turbo-instruct"


def separability(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = (
        f"import $D/separability/{SEPARABILITY}_cnn_dm_pref_data.csv "
        f"$D/separability/{SEPARABILITY}_samsum_pref_data.csv"
    )
    line += " --dataset separability"
    held = run(line)
    yield fact(
        "inputs, texts (100 x 2 x 5), votes (2 x 150 rows x 5)",
        "100 / 1,000 / 1,500",
        [held[name] for name in ("items", "generations", "judgements")],
        line,
    )
    yield fact("6. raters of both files together (17 + 14)", "31", [held["judges"]], line)
    line = "export --what generations --dataset separability --to FILE.jsonl"
    sides = defaultdict[tuple[str, str], set[str]](set)
    for row in run.exported(line):
        sides[row["item"], row["text"]].add(row["system"])
    both = sum(len(systems) > 1 for systems in sides.values())
    yield fact("texts on both sides of one input, once the slots are undone", "0", [both], line)
    facts = {
        "cnn_dm": ("340 / 124 / 286", "-0.0720", "0.3867 / 0.448", "17"),
        "samsum": ("263 / 94 / 393", "0.1733", "0.4387 / 0.436", "14"),
    }
    for subset, (votes, strength, shares, raters) in facts.items():
        line = f"rank --dataset separability --subset {subset} --method win-ratio --bootstrap 0"
        rows = {row["system"]: row for row in run(line)["rows"]}
        first, second = rows["vicuna-7b"], rows["gpt-3.5-turbo-instruct"]
        yield fact(
            f"1. votes for Vicuna, no preference, GPT-3.5: {subset}",
            votes,
            [first["wins"], first["ties"], second["wins"]],
            line,
        )
        yield fact(
            f"3. mean preference strength: {subset}",
            strength,
            [2 * second["rating"] - 1],
            line,
            "2 x win ratio - 1: all rating sets have 5 pairs",
        )
        line = f"describe --dataset separability --subset {subset}"
        outcomes = run(line)["outcomes"]
        count = {name: sum(row[name] for row in outcomes) for name in ("a", "b", "tie", "both_bad")}
        total = sum(count.values())
        yield fact(
            f"4. share of votes for the first and the second slot: {subset}",
            shares,
            [count["a"] / total, count["b"] / total],
            line,
            "summed over the raters",
        )
        yield fact(f"6. raters: {subset}", raters, [len(outcomes)], line)
    published = {
        "cnn_dm": "0.5133 / 0.2267 / 0.3840 / -0.0720 / 150",
        "samsum": "0.5333 / 0.3200 / 0.4067 / 0.1733 / 150",
    }
    for subset, figures in published.items():
        line = f"consistency --dataset separability --subset {subset}"
        names = ("share_inconsistent", "share_perfect", "mean_consistency", "mean_strength", "sets")
        yield fact(
            "2, 3. rating sets with consistency 0, with 1, mean consistency, mean strength, "
            f"sets: {subset}",
            figures,
            [run(line)[name] for name in names],
            line,
        )
    binned = "--bins 4 --binning quantile"
    with unigrams():
        note = "the metric lives in the tests (tests/unigrams.py), the command is the same"
        plain = "--metric unigram --normalise none"
        lines = [
            f"separability --dataset separability --subset {subset} {plain}" for subset in published
        ]
        means_of = [run(line)["mean"] for line in lines]
        yield fact(
            "5. mean separability by unigram F1: cnn_dm, samsum",
            "0.2624 / 0.3196",
            means_of,
            lines[0],
            note,
        )
        line = f"consistency --dataset separability --by-separability unigram {binned}"
        found = run(line)
        yield fact(
            "5. Spearman correlation of separability with mean consistency, inputs",
            "0.3783 / 100",
            [found["spearman"], found["items"]],
            line,
            note,
        )
        quartiles = [one["mean_consistency"] for one in found["bins"]]
        yield fact(
            "5. mean consistency per separability quartile",
            "0.2667 / 0.3520 / 0.3520 / 0.6107",
            quartiles,
            line,
            note,
        )
    # First what measures most of the others beside itself: each text goes through the encoder once.
    run("separability --dataset separability --metric ensemble --bootstrap 0")
    for metric in METRICS:
        encoder = " --encoder rules" if metric == "entity" else ""
        run(f"separability --dataset separability --metric {metric}{encoder} --bootstrap 0")
        line = f"consistency --dataset separability --by-separability {metric}{encoder} {binned}"
        found = run(line)
        quartiles = " / ".join(f"{one['mean_consistency']:.3f}" for one in found["bins"])
        yield Found(
            f"Spearman correlation of separability by `{metric}` with mean consistency over the "
            "100 inputs; mean "
            "consistency per separability quartile",
            f"{found['spearman']:.3f}; {quartiles}",
            f"`{line}`",
        )
    line = "consistency --dataset separability --by-separability ensemble --beside length"
    found = run(line)
    yield Found(
        "the same by `ensemble` and by `length` within the two subsets; what a perfect prediction "
        "would reach, as far as the three raters of an input agree",
        f"{found['spearman_within']:.3f} / "
        f"{found['spearman_within'] - found['difference_within']:.3f}; {found['ceiling']:.3f}",
        f"`{line}`",
    )
    precision, recall, f1 = quality()
    yield Found(
        "the rules for named entities on 50 sentences of these files labelled by hand: "
        "precision, recall, F1",
        f"{precision:.3f} / {recall:.3f} / {f1:.3f}",
        "`tests/similarity/test_named_entities.py`; whoever wrote the rules had read the sentences",
    )


@contextlib.contextmanager
def unigrams() -> Iterator[None]:
    """While the metric of the tests is among the metrics."""
    METRICS["unigram"] = UNIGRAM
    try:
        yield
    finally:
        del METRICS["unigram"]
