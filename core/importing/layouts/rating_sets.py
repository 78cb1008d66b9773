"""The separability study's rating sets: five pairs of samples of an item, rated by one person."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from core.importing.cells import Cells, digest, required, short_digest
from core.importing.file_names import Named, begun, is_certain, understood
from core.importing.layout import Layout, Record, Source, has, system_of
from core.records import (
    Answer,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    TandemError,
    Vote,
    setting,
)

Pair = tuple[dict[str, str], str, Outcome]
SIDES = {"-1": Outcome.A, "1": Outcome.B, "0": Outcome.TIE}


class RatingSets:
    """The human study of Ghosh et al. 2024: a row is one rater's five pairs on one input.

    The column names say `model1` and `model2` but mean the first and second slot on the screen.
    `Input.idJ` = 1 puts model #1 of the file name into the first slot, 2 model #2; `Answer.prefJ`
    is about slots: -1 first, 1 second, 0 neither.

    The raters of each file are numbered from 1, so worker 1 of two files is two people: the judge
    is SUBSET/WORKER@MODEL1_MODEL2.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        named = self._named()
        self.systems, self.subset = [named.first, named.second], named.task
        self.of = "_".join(self.systems)

    def _named(self) -> Named:
        """Whose texts these are, by the file's name."""
        source = self.source
        stem = _stem(source.path.name)
        if source.systems:
            if named := begun(stem, source.systems):
                return named
            raise TandemError(
                f"{source.path.name} is not named {'_'.join(source.systems)}_DATASET, so "
                f"{setting('systems')} does not fit it"
            )
        others = [_stem(path.name) for path in source.path.parent.glob("*_pref_data*")]
        named = understood(stem, others, source.study)
        if not named:
            raise TandemError(
                f"{source.path.name} should be named MODEL1_MODEL2_DATASET_pref_data.csv: "
                "the file does not say anywhere else whose texts these are"
            )
        if not is_certain(stem):
            source.tally.notes[
                f"by its name, it compares {named.first} with {named.second} on {named.task}; if "
                f"not, say {setting('systems')} FIRST SECOND"
            ] = None
        return named

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        pairs = [self._pair(cells, j) for j in range(1, 6)]
        texts = json.dumps([[texts[system] for system in self.systems] for texts, _, _ in pairs])
        key = self._name(texts, pairs)  # the inputs themselves are not in the file
        judge = f"{self.subset}/{required(cells, 'WorkerId', str)}@{self.of}"
        yield Item(key, subset=self.subset)
        for system in self.systems:
            yield system_of(system)
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

    def _name(self, texts: str, pairs: Sequence[Pair]) -> str:
        """An item by the digest of its texts; by 48 bits where a store from before has them so."""
        older = f"{self.subset}-{short_digest(texts)}"
        is_known = all(
            self.source.has_text(older, system, digest(text))
            for shown, _, _ in pairs
            for system, text in shown.items()
        )
        return older if is_known else f"{self.subset}-{digest(texts)}"

    def _pair(self, cells: Cells, j: int) -> Pair:
        """Text by system, the system in the first slot, and the answer, of pair j."""
        slots = [required(cells, f"Input.model{slot}_summary{j}", str) for slot in (1, 2)]
        order, preference = (
            required(cells, f"{name}{j}", str).strip() for name in ("Input.id", "Answer.pref")
        )
        if order not in ("1", "2"):
            raise ValueError(f"Input.id{j} is {order!r}, neither 1 nor 2")
        if preference not in SIDES:
            raise ValueError(f"Answer.pref{j} is {preference!r}, none of -1, 0, 1")
        first, second = self.systems if order == "1" else reversed(self.systems)
        return {first: slots[0], second: slots[1]}, first, SIDES[preference]


def _stem(name: str) -> str:
    return re.sub(r"_pref_data.*$", "", name.partition(".csv")[0])


LAYOUT = Layout(
    "rating-sets",
    "rating sets of the separability study",
    {RatingSets: has("WorkerId", "Input.id1", "Answer.pref1")},
    ("source", "summary"),
    settings=("systems",),
)
