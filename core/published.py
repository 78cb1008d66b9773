"""Readers of data sets as they were published. Each says what its columns really mean."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from core.cells import Cells, as_references, digest, required
from core.layouts import Record, Source, marks
from core.records import Answer, Generation, Item, JudgeSpec, Kind, Outcome, System, TandemError, Vote


class SummEval:
    """SummEval as one object per article: id, text, references, systems {id: {decoded, scores}}, the scores being the
    mean of the three experts (the layout of BARTScore's data)."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        key, systems = required(cells, "id", str), required(cells, "systems", dict)
        yield Item(key, required(cells, "text", str), as_references(cells.get("references") or cells.get("reference")))
        for system, output in systems.items():
            yield System(system)
            yield Generation(key, system, 0, required(output, "decoded", str))
            for attribute, value in required(output, "scores", dict).items():
                yield from marks(self.source, key, system, 0, attribute, "expert", value, Kind.HUMAN)


class SummEvalAnnotations:
    """SummEval's own record of one output: id, decoded, references, model_id, text, and the marks of three experts and
    five crowd workers, each its own rater (expert-1.., crowd-1..)."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        key, system = required(cells, "id", str), required(cells, "model_id", str)
        yield Item(key, str(cells.get("text") or ""), as_references(cells.get("references")))
        yield System(system)
        yield Generation(key, system, 0, required(cells, "decoded", str))
        for name, column in (("expert", "expert_annotations"), ("crowd", "turker_annotations")):
            given = required(cells, column, list)
            for person, one in enumerate(given, start=1):
                if not isinstance(one, dict):
                    raise ValueError(f"{column} holds {str(one)[:40]!r}, not an object of scores")
                for attribute, value in one.items():
                    yield from marks(self.source, key, system, 0, attribute, f"{name}-{person}", value, Kind.HUMAN)


class UniEval:
    """UniEval's layout: source, context, system_id, system_output, reference, scores {attribute: value} of people, and
    predict_scores of UniEval itself. A system's outputs for one source and context are its samples."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: Counter[tuple[str, str]] = Counter()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        system = cells.get("system_id")
        if not isinstance(system, str) or not system:
            raise ValueError("it has no system_id, so it is not known whose output this is: add that field to the file")
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

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        pairs = [self._pair(cells, j) for j in range(1, 6)]
        texts = json.dumps([[texts[system] for system in self.systems] for texts, _, _ in pairs])
        key = f"{self.subset}-{digest(texts)}"  # the inputs themselves are not in the file
        judge = str(required(cells, "WorkerId", str))
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
