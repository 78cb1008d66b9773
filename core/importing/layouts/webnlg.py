"""Readers of data sets as they were published. Each says what its columns really mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator

from core.importing.cells import Cells, as_text, named, required
from core.importing.layout import Layout, Record, Source, has, marks, name_item, texts
from core.records import Item, Kind, Score

METRICS = ("bleu", "meteor", "ter")


class WebNLG:
    """The human evaluation of the WebNLG 2017 challenge, a text a row: mr (the triples), team,
    text, type (seen, unseen), the metrics bleu, meteor and ter, and the means of the raters'
    fluency, grammar and semantics.

    193 texts are really empty, which the file writes as "null" for one system. A metric's number
    stands as its mark for each of the three questions, since it answers none of them in particular
    and is held against all of them.
    """

    columns = ("fluency", "grammar", "semantics")

    def __init__(self, source: Source) -> None:
        self.source = source

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, team = yield from self._text(cells)
        for attribute, column in zip(WebNLG.columns, self.columns, strict=True):
            yield from marks(self.source, Score(item, team, attribute, "human"), cells.get(column))
            for metric in METRICS:
                score = Score(item, team, attribute, metric, kind=Kind.BASELINE)
                yield from marks(self.source, score, cells.get(metric))

    def _text(self, cells: Cells) -> Generator[Record, None, tuple[str, str]]:
        triples, team = (named(cells, name) for name in ("mr", "team"))
        context = triples.replace("<br>", "\n")
        item = name_item(self.source, context, triples)
        yield Item(item, context, subset=as_text(cells.get("type")) or "")
        text = required(cells, "text", str)
        yield from texts(item, {team: "" if text == "null" else text})
        return item, team


class WebNLGRaters(WebNLG):
    """The same evaluation with every rating by itself: the worker wN of a row is rater crowd-N, and
    one who rated a text again has another trial.
    """

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
            score = Score(item, team, attribute, rater, trial=trial)
            yield from marks(self.source, score, cells.get(column))


LAYOUT = Layout(
    "webnlg2017",
    "WebNLG 2017, human evaluation",
    {
        WebNLG: has("mr", "team", "text", "fluency", "grammar", "semantics"),
        WebNLGRaters: has("mr", "team", "text", "X_worker_id", "fluency", "grammaticality"),
    },
    ("data", "text"),
)
