"""WebNLG 2017."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from tests.evidence.facts import Commands, Fact, means
from tests.evidence.summeval import of_texts

NAMES = ("fluency", "grammar", "semantics")
MEANS = {
    "webnlg": "2.585 / 2.615 / 2.771", "upf-forge": "2.343 / 2.469 / 2.678",
    "tilburg-smt": "1.815 / 1.962 / 2.415", "adapt": "2.258 / 2.313 / 2.296",
    "melbourne": "2.270 / 2.394 / 2.296", "tilburg-pipe": "2.068 / 2.189 / 2.203",
    "pkuwriter": "2.336 / 2.385 / 2.075", "tilburg-nmt": "2.013 / 2.160 / 1.989",
    "baseline": "2.249 / 2.361 / 1.858", "vietnam": "1.376 / 1.386 / 1.417",
}  # fmt: skip
CORRELATIONS = {
    "semantics with bleu": "0.5872 / 2,007", "semantics with meteor": "0.7307 / 2,007",
    "semantics with ter": "-0.5892 / 2,007", "fluency with meteor": "0.5543 / 2,007",
    "grammar with meteor": "0.5468 / 2,007",
}  # fmt: skip


def webnlg(run: Commands) -> Iterator[Fact]:
    run("import $D/webnlg2017 --dataset webnlg2017")
    what = "1. inputs, systems with the reference, texts (193 of them empty)"
    yield run.fact(what, "223 / 10 / 2,230", "items systems generations")
    texts = run.exported("export --what generations --dataset webnlg2017 --to FILE.jsonl")
    empty = {(row["item"], row["system"]) for row in texts if row["text"] == ""}
    of = Counter(system for _, system in empty)
    what = "1. texts that are really empty: all, of vietnam, of tilburg-pipe"
    yield run.fact(what, "193 / 168 / 25", [len(empty), of["vietnam"], of["tilburg-pipe"]])
    line = "export --what scores --dataset webnlg2017 --judges RATER --to FILE.jsonl"
    human, crowd = (
        of_texts(run.exported(line.replace("RATER", rater))) for rater in ("human", "crowd")
    )
    averaged = {text: values[0] for text, values in human.items()}
    marks = [value for (item, system, _), value in averaged.items() if (item, system) in empty]
    what = "1. marks of the empty texts (193 x 3), the least, the greatest"
    yield run.fact(what, "579 / 1.0 / 1.0", [len(marks), min(marks), max(marks)], line=line)
    apart = [abs(fmean(values) - averaged[text]) for text, values in crowd.items()]
    yield run.fact(
        "3. largest difference of the mean rating to the averaged file, over marks (2,230 x 3)",
        "0.0000000000 / 6,690",
        [max(apart), len(apart)],
        "the file's rows, averaged over raters",
        line,
    )
    times = Counter(len(values) for (_, _, name), values in crowd.items() if name == "fluency")
    yield run.fact(
        "3. texts with 3, 2, 1, 4, 5, 6 ratings",
        "1,644 / 312 / 193 / 49 / 26 / 6",
        [times[n] for n in (3, 2, 1, 4, 5, 6)],
        line=line,
    )
    scores = run("describe --dataset webnlg2017")["scores"]
    yield from run.each(
        "2. mean fluency, grammar, semantics: {}",
        MEANS,
        lambda system: [means(scores, "human", system)[name] for name in NAMES],
    )
    of_crowd = {
        row["attribute"]: row["n"]
        for row in scores
        if (row["rater"], row["system"]) == ("crowd", None)
    }
    yield run.fact("3. ratings one by one", "6,111", [of_crowd["fluency"]])
    only = " ".join(sorted(MEANS.keys() - {"webnlg"}))

    def correlated(pair: str) -> list[float]:
        name, metric = pair.split(" with ")
        line = f"correlate --dataset webnlg2017 --scores {metric} --against human --level pool"
        found = run(f"{line} --attribute {name} --systems {only}")
        return [found["spearman"], found["n"]]

    yield from run.each("4. {}, Spearman, and texts", CORRELATIONS, correlated)
