"""The facts of ../shared/datasets/README.md through the command line: `python -m tests.evidence` writes docs/evidence.md.

Published figures are copied here by hand from that README; ours come from the commands beside them, run on an empty store.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.__main__ import main
from core.similarity import METRICS
from tests.test_entities import quality
from tests.unigrams import Unigrams

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "datasets"
PAGE = ROOT / "docs" / "evidence.md"

SEPARABILITY = "vicuna-7b_gpt-3.5-turbo-instruct"


@dataclass(frozen=True)
class Fact:
    """One figure or a list of them, as published and as a command gives it. `note` says how the two belong together."""

    what: str
    published: str
    ours: str
    command: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.published == self.ours


@dataclass(frozen=True)
class Found:
    """A figure of ours that nobody has published."""

    what: str
    ours: str
    how: str


@dataclass(frozen=True)
class Absent:
    """A fact that no command gives yet."""

    what: str
    why: str


class Commands:
    """Runs command lines on one store and gives their documents."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.answers: dict[str, Any] = {}

    def __call__(self, line: str) -> Any:
        if line not in self.answers:
            words = [word.replace("$D", str(DATA)) for word in shlex.split(line)]
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = main(["--store", str(self.store), *words, "--json"])
            if status:
                raise RuntimeError(f"{line}: {err.getvalue()}")
            self.answers[line] = json.loads(out.getvalue())
        return self.answers[line]


def like(published: str, values: list[Any]) -> str:
    """Values written with the digits of the published ones."""
    parts = published.split(" / ")
    assert len(parts) == len(values), (published, values)
    return " / ".join(_like(part, value) for part, value in zip(parts, values, strict=True))


def _like(part: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    decimals = len(part.partition(".")[2])
    return f"{value:,.{decimals}f}"


def fact(what: str, published: str, values: list[Any], command: str, note: str = "") -> Fact:
    return Fact(what, published, like(published, values), command, note)


def means(scores: list[dict[str, Any]], rater: str, system: str | None = None) -> dict[str, float]:
    return {row["attribute"]: row["mean"] for row in scores if (row["rater"], row["system"]) == (rater, system)}


SUMMEVAL = ("coherence", "consistency", "fluency", "relevance")


def summeval(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = "import $D/summeval/summeval_100x16.jsonl.gz --dataset summeval"
    held = run(line)
    yield fact(
        "1. articles, systems, summaries, scores (1,600 sets of 4)",
        "100 / 16 / 1,600 / 6,400",
        [held[name] for name in ("items", "systems", "generations", "scores")],
        line,
    )
    line = "describe --dataset summeval"
    found = run(line)
    overall = means(found["scores"], "expert")
    yield fact(
        f"1. grand means: {', '.join(SUMMEVAL)}",
        "3.4125 / 4.6604 / 4.6729 / 3.7771",
        [overall[name] for name in SUMMEVAL],
        line,
    )
    extremes = {
        "coherence": "M22 / 4.180 / M11 / 2.280",
        "consistency": "M2 / 4.990 / M11 / 3.270",
        "fluency": "M0 / 4.937 / M11 / 3.650",
        "relevance": "M23 / 4.260 / M11 / 3.147",
    }
    for name, published in extremes.items():
        of = [row for row in found["scores"] if row["attribute"] == name and row["system"]]
        best, worst = (choose(of, key=lambda row: row["mean"]) for choose in (max, min))
        values = [best["system"], best["mean"], worst["system"], worst["mean"]]
        yield fact(f"2. best and worst system, {name}", published, values, line)
    ties = {row["attribute"]: row for row in found["ties"]}
    yield fact(
        "3. pairs within articles, and tied ones by attribute",
        "12,000 / 1,328 / 8,079 / 6,571 / 1,857",
        [ties["coherence"]["pairs"], *(ties[name]["tied"] for name in SUMMEVAL)],
        line,
    )
    yield fact(
        "3. articles with all scores equal, by attribute",
        "0 / 4 / 2 / 0",
        [ties[name]["constant_items"] for name in SUMMEVAL],
        line,
    )
    line = "import $D/summeval/model_output_annotations --dataset summeval-annotators"
    held = run(line)
    yield fact(
        "4. records, raters (3 experts, 5 crowd), marks (1,200 x 8 x 4)",
        "1,200 / 8 / 38,400",
        [held[name] for name in ("generations", "judges", "scores")],
        line,
    )
    line = "describe --dataset summeval-annotators"
    panels = run(line)["scores"]
    for rater, published in (
        ("expert", "3.3531 / 4.5533 / 4.6081 / 3.7178"),
        ("crowd", "3.8013 / 3.8155 / 3.7092 / 3.9303"),
    ):
        values = means(panels, rater)
        yield fact(f"4. means of the {rater} marks", published, [values[name] for name in SUMMEVAL], line)
    systems = sorted({row["system"] for row in panels if row["system"]})
    apart = [
        abs(value - means(found["scores"], "expert", system)[name])
        for system in systems
        for name, value in means(panels, "expert", system).items()
    ]
    yield fact(
        "4. largest difference of expert means to summeval_100x16",
        "0.0000000",
        [max(apart)],
        line,
        f"over the {len(apart)} means per system and attribute: no command prints single scores",
    )
    line = "import $D/summeval/chatgpt_h2h --dataset summeval"
    yield fact("5. head-to-head answers of ChatGPT", "8,800", [run(line)["judgements"]], line)
    line = "describe --dataset summeval --judges gpt-3.5-turbo-0301/h2h"
    outcomes = {row["attribute"]: row for row in run(line)["outcomes"]}
    for name, published in {
        "coherence": "1,116 / 1,025 / 59",
        "consistency": "847 / 1,258 / 95",
        "fluency": "1,031 / 1,102 / 67",
        "relevance": "1,220 / 894 / 86",
    }.items():
        values = [outcomes[name][outcome] for outcome in ("a", "b", "tie")]
        yield fact(f"5. A, B and tie: {name}", published, values, line)
    line = "bias --dataset summeval --judges gpt-3.5-turbo-0301/h2h"
    pairs = {row["attribute"]: row for row in run(line)["rows"]}
    yield fact(
        "5. pairs asked in both orders, and with the same verdict, by attribute",
        "1,100 / 708 / 708 / 701 / 736",
        [pairs["coherence"]["pairs_both_orders"], *(pairs[name]["consistent_both_orders"] for name in SUMMEVAL)],
        line,
    )
    line = "import $D/summeval/llm_pointwise_raw.jsonl.gz --dataset summeval"
    held = run(line)
    yield fact(
        "7. LLM marks (192 files x 100), repeats beside them, of these different ones",
        "19,200 / 300 / 52",
        [held["scores"], *repeated(held)],
        line,
        "the first answer is kept, the others are reported",
    )
    for name, published in {
        "coherence": "0.4239",
        "fluency": "0.3428",
        "relevance": "0.3843",
        "consistency": "0.3386",
    }.items():
        line = "correlate --dataset summeval --scores gpt-3.5-turbo-0301/mcq --against expert --level pool"
        line += f" --attribute {name}"
        yield fact(f"7. gpt-3.5 mcq against the experts, Spearman: {name}", published, [run(line)["spearman"]], line)
    line = "accuracy --dataset summeval --judges gpt-3.5-turbo-0301/h2h --against scores --rater expert"
    same = Counter(row["attribute"] for row in run(line)["systems"] if row["same"])
    yield fact(
        "6. pairs of systems right, of 11, by attribute", "8 / 7 / 7 / 4", [same[name] for name in SUMMEVAL], line
    )


def repeated(held: dict[str, Any]) -> list[int]:
    """How many answers an import of LLM marks left out because they came before, and how many of them differ."""
    found = [re.findall(r"(\d+) of (?:its|them)", row["reason"]) for row in held["skipped"]]
    return [sum(int(one[place]) for one in found) for place in (0, 1)]


def topicalchat(run: Commands) -> Iterator[Fact | Found | Absent]:
    names = ("understandability", "naturalness", "coherence", "engagingness", "groundedness", "overall")
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
        yield fact(f"2. mean overall, {system}", published, [means(scores, "human", system)["overall"]], line)
    for name, published in {
        "naturalness": "0.443666 / 0.513986 / 0.373973",
        "coherence": "0.595143 / 0.612942 / 0.465915",
        "engagingness": "0.55651 / 0.604739 / 0.455941",
        "groundedness": "0.536209 / 0.574954 / 0.451533",
        "understandability": "0.380038 / 0.467807 / 0.360741",
        "overall": "0.632796 / 0.662583 / 0.487272",
    }.items():
        line = f"correlate --dataset topicalchat --scores unieval --against human --level pool --attribute {name}"
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
        line = f"correlate --dataset topicalchat --scores unieval --against human --level item --attribute {name}"
        yield fact(
            f"4. mean Spearman within contexts, and contexts: {name}",
            published,
            [run(line)[key] for key in ("spearman", "items")],
            line,
        )


def separability(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = f"import $D/separability/{SEPARABILITY}_cnn_dm_pref_data.csv $D/separability/{SEPARABILITY}_samsum_pref_data.csv"
    line += " --dataset separability"
    held = run(line)
    yield fact(
        "inputs, texts (100 x 2 x 5), votes (2 x 150 rows x 5)",
        "100 / 1,000 / 1,500",
        [held[name] for name in ("items", "generations", "judgements")],
        line,
    )
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
            f"2, 3. rating sets with consistency 0, with 1, mean consistency, mean strength, sets: {subset}",
            figures,
            [run(line)[name] for name in names],
            line,
        )
    binned = "--bins 4 --binning quantile"
    with unigrams():
        note = "the metric lives in the tests (tests/unigrams.py), the command is the same"
        plain = "--metric unigram --normalise none"
        lines = [f"separability --dataset separability --subset {subset} {plain}" for subset in published]
        means_of = [run(line)["mean"] for line in lines]
        yield fact("5. mean separability by unigram F1: cnn_dm, samsum", "0.2624 / 0.3196", means_of, lines[0], note)
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
            "5. mean consistency per separability quartile", "0.2667 / 0.3520 / 0.3520 / 0.6107", quartiles, line, note
        )
    for metric in METRICS:
        encoder = " --encoder rules" if metric == "entity" else ""
        run(f"separability --dataset separability --metric {metric}{encoder} --bootstrap 0")
        line = f"consistency --dataset separability --by-separability {metric}{encoder} {binned}"
        found = run(line)
        quartiles = " / ".join(f"{one['mean_consistency']:.3f}" for one in found["bins"])
        yield Found(
            f"Spearman correlation of separability by `{metric}` with mean consistency over the 100 inputs; mean "
            "consistency per separability quartile",
            f"{found['spearman']:.3f}; {quartiles}",
            f"`{line}`",
        )
    precision, recall, f1 = quality()
    yield Found(
        "the rules for named entities on 50 sentences of these files labelled by hand: precision, recall, F1",
        f"{precision:.3f} / {recall:.3f} / {f1:.3f}",
        "`tests/test_entities.py`; whoever wrote the rules had read the sentences",
    )


@contextlib.contextmanager
def unigrams() -> Iterator[None]:
    """While the metric of the tests is among the metrics."""
    METRICS["unigram"] = lambda encoder, precision: Unigrams()
    try:
        yield
    finally:
        del METRICS["unigram"]


def arena(run: Commands) -> Iterator[Fact | Found | Absent]:
    line = "import $D/arena_votes/arena_votes.csv.gz --dataset arena"
    held = run(line)
    skipped = {row["row"] for row in held["skipped"]}
    with gzip.open(DATA / "arena_votes" / "arena_votes.csv.gz", "rt", encoding="utf-8") as file:
        winners = [row["winner"] for row in csv.DictReader(file)]
    lost = Counter(winners[number - 1] for number in skipped)
    apart = f"of these {len(skipped)} skipped, which compare a system with itself"
    yield fact("1. votes, systems", "135,634 / 53", [held["judgements"] + len(skipped), held["systems"]], line, apart)
    line = "describe --dataset arena"
    (outcomes,) = run(line)["outcomes"]
    sides = {"b": "model_b", "a": "model_a", "tie": "tie", "both_bad": "both_bad"}
    for outcome, winner in sides.items():
        published = {"b": "49,785", "a": "48,563", "tie": "21,532", "both_bad": "15,754"}[outcome]
        ours = [outcomes[outcome] + lost[winner]]
        note = f"{outcomes[outcome]:,} stored, {lost[winner]} in the skipped rows"
        yield fact(f"1. votes for {winner}", published, ours, line, note)
    decisive = sum(outcomes[side] + lost[sides[side]] for side in "ab")
    yield fact(
        "1. share of model_a among the decisive votes",
        "0.493787",
        [(outcomes["a"] + lost["model_a"]) / decisive],
        line,
        f"with the skipped rows; p_first of the stored ones is {outcomes['p_first']:.6f}",
    )
    line = "rank --dataset arena --method win-ratio --ties drop --bootstrap 0"
    rows = run(line)["rows"]
    yield fact(
        "2. most decisive votes won: share, of how many",
        "gemini-2.5-pro / 0.726776 / 6,954",
        [rows[0][key] for key in ("system", "rating", "judgements")],
        line,
    )
    yield fact(
        "2. fewest decisive votes won: share, of how many",
        "gpt-4o-mini-2024-07-18 / 0.276995 / 426",
        [rows[-1][key] for key in ("system", "rating", "judgements")],
        line,
    )
    line = "rank --dataset arena --method bradley-terry --ties drop --bootstrap 0"
    board = {row["system"]: row["rating"] for row in run(line)["rows"]}
    lowest = min(board, key=lambda system: board[system])
    for system, published in {
        "gemini-2.5-pro": "1170.0",
        "gemini-2.5-pro-preview-03-25": "1137.8",
        "grok-4-0709": "1128.2",
        "chatgpt-4o-latest-20250326": "1107.4",
        "o3-2025-04-16": "1106.7",
    }.items():
        yield Fact(f"3. Bradley-Terry, decisive votes: {system}", published, f"{board[system]:.1f}", line)
    yield Fact(
        "3. Bradley-Terry, decisive votes: the lowest",
        "gpt-4o-mini-2024-07-18 / 834.0",
        f"{lowest} / {board[lowest]:.1f}",
        line,
    )
    line = "rank --dataset arena --method bradley-terry --ties half --bootstrap 0"
    board = {row["system"]: row["rating"] for row in run(line)["rows"]}
    for system, published in {
        "gemini-2.5-pro": "1123.8",
        "gemini-2.5-pro-preview-03-25": "1097.6",
        "grok-4-0709": "1093.0",
        "chatgpt-4o-latest-20250326": "1077.8",
        "o3-2025-04-16": "1079.1",
    }.items():
        yield Fact(f"3. Bradley-Terry, ties half: {system}", published, f"{board[system]:.1f}", line)


def webnlg(run: Commands) -> Iterator[Fact | Absent]:
    names = ("fluency", "grammar", "semantics")
    line = "import $D/webnlg2017 --dataset webnlg2017"
    held = run(line)
    yield fact(
        "1. inputs, systems with the reference, texts (193 of them empty)",
        "223 / 10 / 2,230",
        [held[name] for name in ("items", "systems", "generations")],
        line,
    )
    line = "describe --dataset webnlg2017"
    scores = run(line)["scores"]
    systems = {
        "webnlg": "2.585 / 2.615 / 2.771",
        "upf-forge": "2.343 / 2.469 / 2.678",
        "tilburg-smt": "1.815 / 1.962 / 2.415",
        "adapt": "2.258 / 2.313 / 2.296",
        "melbourne": "2.270 / 2.394 / 2.296",
        "tilburg-pipe": "2.068 / 2.189 / 2.203",
        "pkuwriter": "2.336 / 2.385 / 2.075",
        "tilburg-nmt": "2.013 / 2.160 / 1.989",
        "baseline": "2.249 / 2.361 / 1.858",
        "vietnam": "1.376 / 1.386 / 1.417",
    }
    for system, published in systems.items():
        of = means(scores, "human", system)
        yield fact(f"2. mean fluency, grammar, semantics: {system}", published, [of[name] for name in names], line)
    (ratings,) = (
        row["n"] for row in scores if (row["rater"], row["system"], row["attribute"]) == ("crowd", None, "fluency")
    )
    yield fact("3. ratings one by one", "6,111", [ratings], line)
    only = " ".join(sorted(systems.keys() - {"webnlg"}))
    for name, metric, published in (
        ("semantics", "bleu", "0.5872 / 2,007"),
        ("semantics", "meteor", "0.7307 / 2,007"),
        ("semantics", "ter", "-0.5892 / 2,007"),
        ("fluency", "meteor", "0.5543 / 2,007"),
        ("grammar", "meteor", "0.5468 / 2,007"),
    ):
        line = f"correlate --dataset webnlg2017 --scores {metric} --against human --level pool --attribute {name}"
        line += f" --systems {only}"
        values = [run(line)[key] for key in ("spearman", "n")]
        yield fact(f"4. {name} with {metric}, Spearman, and texts", published, values, line)


def realsumm(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/realsumm --dataset realsumm"
    held = run(line)
    yield fact("articles, systems", "100 / 24", [held[name] for name in ("items", "systems")], line)
    line = "describe --dataset realsumm"
    found = [(row["mean"], row["system"]) for row in run(line)["scores"] if row["system"]]
    best, worst = sorted(found, reverse=True), min(found)
    for place, published in enumerate(("semsim_out.txt / 0.5618", "refresh_out.txt / 0.5433", "bart_out.txt / 0.5368")):
        yield fact(f"mean litepyramid_recall, place {place + 1}", published, [*best[place][::-1]], line)
    yield fact("mean litepyramid_recall, lowest", "bottom_up_out.txt / 0.3173", [*worst[::-1]], line)


def hanna(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/hanna --dataset hanna"
    held = run(line)
    yield fact(
        "1. systems, prompts, criteria, marks (6,336 rows of 3)",
        "11 / 96 / 6 / 19,008",
        [held[name] for name in ("systems", "items", "attributes", "scores")],
        line,
    )
    line = "describe --dataset hanna"
    scores = run(line)["scores"]
    for system, published in {
        "Human": "4.170 / 4.427",
        "GPT-2": "2.809 / 3.288",
        "Fusion": "2.094 / 2.865",
        "HINT": "2.292 / 2.382",
    }.items():
        of = means(scores, "human", system)
        yield fact(f"2. mean relevance and coherence: {system}", published, [of["relevance"], of["coherence"]], line)
    systems = sorted({row["system"] for row in scores if row["system"]})
    of = {system: means(scores, "human", system) for system in systems}
    criteria = sorted(of["Human"])
    worst = [min(systems, key=lambda system: of[system][name]) for name in criteria]
    first = sum(max(systems, key=lambda system: of[system][name]) == "Human" for name in criteria)
    yield fact(
        "2. criteria on which Human is first, HINT and Fusion last",
        "6 / 5 / 1",
        [first, worst.count("HINT"), worst.count("Fusion")],
        line,
    )


def llmbar(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/llmbar --dataset llmbar"
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
    with (DATA / "llmbar" / "statistics.jsonl").open(encoding="utf-8") as file:
        published = [json.loads(row) for row in file]
    equal = 0
    for subset in subsets:
        rows = {row["judge"]: row for row in run(f"bias --dataset llmbar --subset {subset} --judges llm")["rows"]}
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
        yield fact(f"3. share for the first shown, Natural and Neighbor: {judge}", shares, values, line, note)
    right = Counter[str]()
    for subset in subsets:
        rows = {row["judge"]: row for row in run(f"accuracy --dataset llmbar --subset {subset} --against gold")["rows"]}
        for one in published:
            if one["subset"].rpartition("/")[2] != subset:
                continue
            row = rows[f"{one['evaluator']}/{one['prompt']}"]
            ours = {"False": "right_forward", "True": "right_reverse", "both": "right_both_orders"}
            for order, name in ours.items():
                right[order] += row[name] == int(one["statistics"][f"correct_{order}"].split(" / ")[0])
    line = "accuracy --dataset llmbar --subset SUBSET --against gold"
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


def faireval(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/faireval --dataset faireval"
    held = run(line)
    yield fact(
        "questions, answers, verdicts", "80 / 160 / 80", [held[n] for n in ("items", "generations", "judgements")], line
    )
    line = "describe --dataset faireval"
    (row,) = run(line)["outcomes"]
    yield fact("verdicts for ChatGPT, Vicuna-13B, a tie", "41 / 25 / 14", [row["a"], row["b"], row["tie"]], line)


def mtbench(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/mtbench_pairwise --dataset mtbench"
    held = run(line)
    yield fact(
        "1. judgements (14,400 rows in both orders), grades (2,880 x 3)",
        "28,800 / 8,640",
        [held[name] for name in ("judgements", "scores")],
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
        for judge, published in judges.items():
            row = rows[judge]
            values = [row["pairs_both_orders"] - row["consistent_both_orders"], row["pairs_both_orders"]]
            yield fact(f"2. inconsistent and valid pairs, {language}: {judge}", published[place], values, line)
    # Which of two models is model_a is told by the file, and is not the same for every judge.
    with gzip.open(DATA / "mtbench_pairwise" / "judgements.csv.gz", "rt", encoding="utf-8") as file:
        shown = {
            (row["judge_id"], row["model_a"], row["model_b"]) for row in csv.DictReader(file) if row["language"] == "en"
        }
    line = "bias --dataset mtbench --subset en --judges llm --systems MODEL_A MODEL_B"
    first, valid = Counter[tuple[str, str]](), Counter[str]()
    for one, other in sorted({(min(a, b), max(a, b)) for _, a, b in shown}):
        for row in run(line.replace("MODEL_A MODEL_B", f"{one} {other}"))["rows"]:
            ways = ("first_forward", "first_reverse")
            for order, name in zip(
                ("ab", "ba"), ways if (row["judge"], one, other) in shown else ways[::-1], strict=True
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
        yield fact(f"3. rate of A in the AB and the BA order, en: {judge}", rates, values, line, note)
    line = "bias --dataset mtbench --subset en --judges llm"
    wins = Counter[str]()
    for row in run(line)["consistent"]:
        wins[row["system"]] += row["wins"]
    for system, published_wins in {
        "EXAONE-3.5-7.8B-Instruct": "1263", "Phi-3.5-mini-Instruct": "807", "gemma-2-9b-it": "718",
        "Llama-3.1-8B-Instruct": "661", "Mistral-7B-Instruct-v0.3": "333", "EEVE-Korean-Instruct-10.8B": "218",
    }.items():  # fmt: skip
        yield Fact(f"4. consistent wins over all judges, en: {system}", published_wins, str(wins[system]), line)


def alpaca(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/alpaca_eval --dataset alpaca_eval"
    held = run(line)
    apart = f"{len(held['skipped'])} of them skipped: the baseline compared with itself"
    yield fact(
        "2. rows, models, instructions",
        "46,680 / 58 / 805",
        [held["judgements"] + len(held["skipped"]), held["systems"], held["items"]],
        line,
        apart,
    )
    line = "rank --dataset alpaca_eval --judges llm --method average-probability --bootstrap 0"
    rows = {row["system"]: row for row in run(line)["rows"] if row["system"] != "gpt4_1106_preview"}
    path = DATA / "alpaca_eval" / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
    with path.open(encoding="utf-8") as file:
        published = {row[""]: float(row["win_rate"]) for row in csv.DictReader(file) if row[""] in rows}
    apart = max(abs(100 * rows[model]["rating"] - rate) for model, rate in published.items())
    note = "the 57th is the baseline itself, at 50 by definition"
    yield fact(
        "1. models with a published win rate; largest difference, in %",
        "56 / 0.00000000",
        [len(published), apart],
        line,
        note,
    )
    for model, rate in {"alpaca-7b": "2.591451", "gpt-3.5-turbo-0301": "9.622453", "NullModel": "76.919792"}.items():
        yield fact(f"1. win rate in %: {model}", rate, [100 * rows[model]["rating"]], line)
    count = Counter(row["judgements"] for row in rows.values())
    yield fact(
        "2. models with 805, 804, 803, 802 rows",
        "52 / 3 / 2 / 1",
        [count[805] + 1, count[804], count[803], count[802]],
        line,
        "with the baseline against itself",
    )
    line = "bias --dataset alpaca_eval --judges llm"
    (row,) = run(line)["rows"]
    yield fact(
        "3. rows whose order is told by one formula (21,007 + 20,718 less 2 x 14 that fit both)",
        "41,697",
        [row["comparisons"]],
        line,
    )
    yield fact("4. mean probability of the first shown", "0.4562", [row["mean_prob_first"]], line)
    yield Absent(
        "4. mean probability of generator_2 by its place", "no command parts judgements by the order of two systems"
    )


def judgebench(run: Commands) -> Iterator[Fact | Absent]:
    line = "import $D/judgebench --dataset judgebench"
    held = run(line)
    yield fact("decisions (2,370 rows in both orders) and labels (620 pairs)", "5,360", [held["judgements"]], line)
    line = "describe --dataset judgebench --judges arena_hard/claude-3-haiku-20240307"
    (row,) = run(line)["outcomes"]
    yield fact(
        "answers of claude-3-haiku to 270 pairs in both orders",
        "540",
        [sum(row[name] for name in ("a", "b", "tie", "failed"))],
        line,
    )
    line = "accuracy --dataset judgebench --against gold"
    rows = {row["judge"]: row for row in run(line)["rows"]}
    for judge, published in {
        "arena_hard/o1-mini-2024-09-12": "0.7086 / 0.7457",
        "reward_model/Skywork_Skywork-Reward-Gemma-2-27B": "0.6429 / 0.6514",
        "reward_model/internlm_internlm2-20b-reward": "0.6343 / 0.6343",
        "arena_hard/claude-3-haiku-20240307": "0.2963 / 0.3296",
    }.items():
        row, of = rows[judge], 270 if "haiku" in judge else 350
        values = [row[name] / of for name in ("right_forward", "right_reverse")]
        note = f"right of all {of} pairs, ties and unanswered ones being wrong; our accuracy gives a tie half"
        yield fact(f"accuracy in the original and the swapped order: {judge}", published, values, line, note)


def _list(values: Iterable[object]) -> str:
    return " / ".join(str(value) for value in values)


SECTIONS = {
    "summeval": summeval,
    "topicalchat": topicalchat,
    "separability": separability,
    "webnlg2017": webnlg,
    "realsumm": realsumm,
    "hanna": hanna,
    "llmbar": llmbar,
    "faireval": faireval,
    "mtbench_pairwise": mtbench,
    "alpaca_eval": alpaca,
    "judgebench": judgebench,
    "arena_votes": arena,
}


def collect(store: Path) -> dict[str, list[Fact | Found | Absent]]:
    """Every fact, by data set, from commands run on a store that does not exist yet."""
    run = Commands(store)
    return {name: list(section(run)) for name, section in SECTIONS.items()}


def page(found: dict[str, list[Fact | Found | Absent]]) -> str:
    every = [one for facts in found.values() for one in facts if isinstance(one, Fact)]
    lines = [
        "# Evidence: published figures, and ours",
        "",
        "Made by `python -m tests.evidence`; `tests/test_evidence.py` fails when this page is not what it makes.",
        "*Published* is copied from the README of the reference data sets (`../shared/datasets`, here `$D`); *ours* is what",
        "the command beside it prints with `--json`, as `python -m core COMMAND`, written with as many digits.",
        "",
        f"{sum(one.agrees for one in every)} of {len(every)} agree.",
    ]
    for name, facts in found.items():
        lines += ["", f"## {name}", "", "| fact | published | ours | | command |", "| --- | --- | --- | --- | --- |"]
        for one in facts:
            if isinstance(one, Fact):
                mark = "agrees" if one.agrees else "**differs**"
                mark += f": {one.note}" if one.note else ""
                lines.append(f"| {one.what} | {one.published} | {one.ours} | {mark} | `{one.command}` |")
        ours = [one for one in facts if isinstance(one, Found)]
        if ours:
            lines += ["", "Found here:", "", "| figure | ours | how |", "| --- | --- | --- |"]
            lines += [f"| {one.what} | {one.ours} | {one.how} |" for one in ours]
        absent = [one for one in facts if isinstance(one, Absent)]
        if absent:
            lines += ["", "Not yet:", "", *(f"- {one.what}: {one.why}." for one in absent)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(collect(Path(folder) / "store.sqlite3")), encoding="utf-8")
    print(f"{PAGE} is written")
