"""Readers of data sets as they were published. Each says what its columns really mean."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Generator, Iterator

from core.importing.cells import Cells, as_references, as_text, digest, named, required
from core.importing.layout import Record, Source, marks, texts
from core.records import Answer, Generation, Item, JudgeSpec, Kind, Outcome, System, TandemError, Vote


class UniEval:
    """UniEval's layout: source, context, system_id, system_output, reference, scores {attribute: value} of people, and
    predict_scores of UniEval itself. A system's outputs for one source and context are its samples.

    Some of the data sets carried in this layout (Newsroom) leave out the system; `--map system=FIELD` names another field
    that says it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: Counter[tuple[str, str]] = Counter()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        field = self.source.mapping.get("system", "system_id")
        system = cells.get(field)
        if not isinstance(system, str) or not system:
            raise ValueError(
                f"it has no {field}, so it is not known whose output this is: "
                "add that field to every row, or name the one that says it with --map system=FIELD"
            )
        parts = [str(cells.get(name) or "").strip() for name in ("source", "context")]
        context = "\n\n".join(part for part in parts if part)
        key = f"context-{digest(context)}"
        sample = self.seen[key, system]
        self.seen[key, system] += 1
        yield Item(key, context, as_references([cells.get("reference")]))
        yield System(system)
        yield Generation(key, system, sample, required(cells, "system_output", str))
        for column, rater, kind in (("scores", "human", Kind.HUMAN), ("predict_scores", "unieval", Kind.LLM)):
            for attribute, value in (required(cells, column, dict) if column in cells else {}).items():
                yield from marks(self.source, key, system, sample, attribute, rater, value, kind)


SIDES = {"-1": Outcome.A, "1": Outcome.B, "0": Outcome.TIE}


class RatingSets:
    """The human study of Ghosh et al. 2024: a row is one rater's five pairs on one input.

    The column names say `model1` and `model2` but mean the first and second slot on the screen. `Input.idJ` = 1 puts model
    #1 of the file name into the first slot, 2 model #2; `Answer.prefJ` is about slots: -1 first, 1 second, 0 neither.

    The raters of each file are numbered from 1, so worker 1 of two files is two people: the judge is SUBSET/WORKER@MODEL1_MODEL2.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        stem = re.sub(r"_pref_data$", "", source.path.name.partition(".csv")[0])
        models = stem.split("_", 2)
        if len(models) < 3:
            raise TandemError(
                f"{source.path.name} should be named MODEL1_MODEL2_DATASET_pref_data.csv: "
                "the file does not say anywhere else whose texts these are"
            )
        self.systems, self.subset = models[:2], models[2]
        self.of = "_".join(self.systems)

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        pairs = [self._pair(cells, j) for j in range(1, 6)]
        texts = json.dumps([[texts[system] for system in self.systems] for texts, _, _ in pairs])
        key = f"{self.subset}-{digest(texts)}"  # the inputs themselves are not in the file
        judge = f"{self.subset}/{required(cells, 'WorkerId', str)}@{self.of}"
        yield Item(key, subset=self.subset)
        for system in self.systems:
            yield System(system)
        yield self.source.attribute("overall")
        yield JudgeSpec(judge, Kind.HUMAN)
        for sample, (shown, first, outcome) in enumerate(pairs):
            for system in self.systems:
                yield Generation(key, system, sample, shown[system])
            second = self.systems[1] if first == self.systems[0] else self.systems[0]
            yield Vote(
                item=key,
                system_a=first,
                system_b=second,
                sample_a=sample,
                sample_b=sample,
                judge=judge,
                answer=Answer(outcome=outcome),
            )

    def _pair(self, cells: Cells, j: int) -> tuple[dict[str, str], str, Outcome]:
        """Text by system, the system in the first slot, and the answer, of pair j."""
        slots = [required(cells, f"Input.model{slot}_summary{j}", str) for slot in (1, 2)]
        order, preference = (required(cells, f"{name}{j}", str).strip() for name in ("Input.id", "Answer.pref"))
        if order not in ("1", "2"):
            raise ValueError(f"Input.id{j} is {order!r}, neither 1 nor 2")
        if preference not in SIDES:
            raise ValueError(f"Answer.pref{j} is {preference!r}, none of -1, 0, 1")
        first, second = self.systems if order == "1" else reversed(self.systems)
        return {first: slots[0], second: slots[1]}, first, SIDES[preference]


METRICS = ("bleu", "meteor", "ter")


class WebNLG:
    """The human evaluation of the WebNLG 2017 challenge, a text a row: mr (the triples), team, text, type (seen, unseen),
    the metrics bleu, meteor and ter, and the means of the raters' fluency, grammar and semantics.

    193 texts are really empty, which the file writes as "null" for one system. A metric's number stands as its mark for
    each of the three questions, since it answers none of them in particular and is held against all of them.
    """

    columns = ("fluency", "grammar", "semantics")

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, team = yield from self._text(cells)
        for attribute, column in zip(WebNLG.columns, self.columns, strict=True):
            yield from marks(self.source, item, team, 0, attribute, "human", cells.get(column), Kind.HUMAN)
            for metric in METRICS:
                yield from marks(self.source, item, team, 0, attribute, metric, cells.get(metric), Kind.BASELINE)

    def _text(self, cells: Cells) -> Generator[Record, None, tuple[str, str]]:
        triples, team = (named(cells, name) for name in ("mr", "team"))
        item = f"context-{digest(triples)}"
        yield Item(item, triples.replace("<br>", "\n"), subset=as_text(cells.get("type")) or "")
        text = required(cells, "text", str)
        yield from texts(item, {team: "" if text == "null" else text})
        return item, team


class WebNLGRaters(WebNLG):
    """The same evaluation with every rating by itself: the worker wN of a row is rater crowd-N, and one who rated a text
    again has another trial."""

    columns = ("fluency", "grammaticality", "semantic_adequacy")

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.seen: Counter[tuple[str, str, str]] = Counter()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, team = yield from self._text(cells)
        rater = f"crowd-{named(cells, 'X_worker_id').removeprefix('w')}"
        trial = self.seen[item, team, rater]
        self.seen[item, team, rater] += 1
        for attribute, column in zip(WebNLG.columns, self.columns, strict=True):
            yield from marks(self.source, item, team, 0, attribute, rater, cells.get(column), Kind.HUMAN, trial)


class Hanna:
    """HANNA's human marks, a row per system, prompt_index and criterion with human_1..3; the stories are not in it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.raters = [name for name in source.columns if re.fullmatch(r"human_\d+", name)]

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, system, criterion = (named(cells, name) for name in ("prompt_index", "system", "criterion"))
        yield Item(item)
        yield from texts(item, {system: None})
        for rater in self.raters:
            name = rater.replace("_", "-")
            yield from marks(self.source, item, system, 0, criterion.lower(), name, cells.get(rater), Kind.HUMAN)
