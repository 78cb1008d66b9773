"""WebNLG 2017."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from tests.evidence.facts import Absent, Commands, Fact, fact, means
from tests.evidence.summeval import of_texts


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
    line = "export --what generations --dataset webnlg2017 --to FILE.jsonl"
    empty = {(row["item"], row["system"]) for row in run.exported(line) if row["text"] == ""}
    of = Counter(system for _, system in empty)
    yield fact(
        "1. texts that are really empty: all, of vietnam, of tilburg-pipe",
        "193 / 168 / 25",
        [len(empty), of["vietnam"], of["tilburg-pipe"]],
        line,
    )
    line = "export --what scores --dataset webnlg2017 --judges RATER --to FILE.jsonl"
    human, crowd = (
        of_texts(run.exported(line.replace("RATER", rater))) for rater in ("human", "crowd")
    )
    averaged = {text: values[0] for text, values in human.items()}
    marks = [value for (item, system, _), value in averaged.items() if (item, system) in empty]
    yield fact(
        "1. marks of the empty texts (193 x 3), the least, the greatest",
        "579 / 1.0 / 1.0",
        [len(marks), min(marks), max(marks)],
        line,
    )
    apart = [abs(fmean(values) - averaged[text]) for text, values in crowd.items()]
    yield fact(
        "3. largest difference of the mean rating to the averaged file, over marks (2,230 x 3)",
        "0.0000000000 / 6,690",
        [max(apart), len(apart)],
        line,
        "the file's rows, averaged over raters",
    )
    times = Counter(len(values) for (_, _, name), values in crowd.items() if name == "fluency")
    yield fact(
        "3. texts with 3, 2, 1, 4, 5, 6 ratings",
        "1,644 / 312 / 193 / 49 / 26 / 6",
        [times[n] for n in (3, 2, 1, 4, 5, 6)],
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
        yield fact(
            f"2. mean fluency, grammar, semantics: {system}",
            published,
            [of[name] for name in names],
            line,
        )
    (ratings,) = (
        row["n"]
        for row in scores
        if (row["rater"], row["system"], row["attribute"]) == ("crowd", None, "fluency")
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
        line = (
            f"correlate --dataset webnlg2017 --scores {metric} --against human --level pool "
            f"--attribute {name}"
        )
        line += f" --systems {only}"
        values = [run(line)[key] for key in ("spearman", "n")]
        yield fact(f"4. {name} with {metric}, Spearman, and texts", published, values, line)
