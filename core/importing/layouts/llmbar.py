"""Readers of LLMBar: pairs of outputs with a gold label, and what six LLMs with up to fifteen
prompts each said of them.

The two outputs of a pair have no other names than output_1 and output_2, so these are the systems.
An item is SUBSET/INDEX, INDEX being its place in the subset's dataset.json, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named, required
from core.importing.codes import decimal
from core.importing.layout import Layout, Record, Source, answered, asked, has, label, texts
from core.records import Answer, Item, Kind, Outcome, TandemError, Vote, setting

SYSTEMS = ("output_1", "output_2")
FOLDERS = ("LLMBar", "Adversarial", "Processed", "CaseStudy")  # of its subsets


class Pairs:
    """A subset's dataset.json: input, output_1, output_2 and label, 1 or 2. The subset is the
    folder's name, or the file's where it has another name than dataset.json.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.folder = source, source.path.absolute().parent
        self.subset = self._subset()

    def _subset(self) -> str:
        if self.source.stem != "dataset":
            return self.source.stem
        if self.folder.parent.name not in FOLDERS:
            raise TandemError(
                f"{self.source.path.name} does not say which subset of LLMBar it is: "
                "leave it in its folder (LLMBar/Natural/dataset.json), or name it after the "
                "subset (Natural.json)"
            )
        return self.folder.name

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item = f"{self.subset}/{number - 1}"
        yield Item(item, required(cells, "input", str), subset=self.subset)
        yield from texts(item, {system: required(cells, system, str) for system in SYSTEMS})
        yield self.source.attribute("overall")
        yield from label(item, SYSTEMS, _side(cells.get("label")))


class Judgements:
    """All judgements in one table: subset, evaluator, prompt, index, label, and who won in either
    order.

    With swap_true output_2 was shown first. Both winners are outputs, not places on the screen; an
    empty one was not parsed. The judge is EVALUATOR/PROMPT: the model EVALUATOR, asked with the
    prompt LLMBar/PROMPT.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.labelled: set[str] = set()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        path, evaluator, prompt = (named(cells, name) for name in ("subset", "evaluator", "prompt"))
        subset = path.rpartition("/")[2]
        item = f"{subset}/{named(cells, 'index')}"
        gold = _side(cells.get("label"))
        yield Item(item, subset=subset)
        yield from texts(item, dict.fromkeys(SYSTEMS))
        yield self.source.attribute("overall")
        if item not in self.labelled:
            self.labelled.add(item)
            yield from label(item, SYSTEMS, gold)
        winners = (cells.get(f"winner_swap_{swap}") for swap in ("false", "true"))
        yield from _both(item, (evaluator, prompt), *winners)


class Results(Pairs):
    """One judge's result.json on one subset: the pairs once more, with the answers to both orders
    under `results`.

    Who judged is in the path, SUBSET/evaluators/EVALUATOR/PROMPT/result.json, or in the name,
    result_SUBSET_EVALUATOR_PROMPT.json.
    """

    def _subset(self) -> str:
        named = re.search(r"result_((?:Base_)?[^_]+)_([^_]+)_(.+)$", self.source.stem)
        parts = self.folder.parts
        if named:
            subset, evaluator, prompt = named.groups()
        elif len(parts) > 3 and parts[-3] == "evaluators":
            subset, _, evaluator, prompt = parts[-4:]
        else:
            raise TandemError(
                f"{self.source.path.name} does not say who judged what: leave it in its folder "
                "(SUBSET/evaluators/EVALUATOR/PROMPT/result.json), or name it "
                "result_SUBSET_EVALUATOR_PROMPT.json"
            )
        self.asked = evaluator, prompt
        return subset

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        results = required(cells, "results", list)
        given = [
            required(results[0] if results else {}, f"swap = {swap}", dict)
            for swap in (False, True)
        ]
        yield from super().records(number, cells)
        yield from _both(
            f"{self.subset}/{number - 1}", self.asked, *(one.get("winner") for one in given)
        )


def _side(value: object) -> Outcome:
    """Which output a label names."""
    try:
        return {"1": Outcome.A, "2": Outcome.B}[as_text(value) or ""]
    except KeyError:
        if decimal(str(value)) is not None:  # 0 or -1 make 1 something else than it is here
            raise TandemError(
                f"label is {str(value)[:40]}, but 1 or 2 in LLMBar: say {setting('format')} votes, "
                "and it asks what the labels mean"
            ) from None
        raise ValueError(f"the label {str(value)[:40]!r} is neither 1 nor 2") from None


def _both(item: str, by: tuple[str, str], plain: object, swapped: object) -> Iterator[Record]:
    """The answers of an evaluator asked with a prompt to the two orders; the winners are
    outputs."""
    evaluator, prompt = by
    judge = f"{evaluator}/{prompt}"
    yield asked(judge, evaluator, f"LLMBar/{prompt}")
    for systems, winner in ((SYSTEMS, plain), (SYSTEMS[::-1], swapped)):
        won = f"output_{as_text(winner)}"
        answer = (
            _ANSWERS[systems.index(won)]
            if won in systems
            else answered(None, as_text(winner) or "")
        )
        yield Vote(item, *systems, judge=judge, answer=answer, kind=Kind.LLM)


_ANSWERS = (Answer(outcome=Outcome.A), Answer(outcome=Outcome.B))


LAYOUT = Layout(
    "llmbar",
    "LLMBar",
    {
        Results: has("input", *SYSTEMS, "label", "results"),
        Pairs: has("input", *SYSTEMS, "label"),
        Judgements: has(
            "subset", "evaluator", "prompt", "index", "winner_swap_false", "winner_swap_true"
        ),
    },
    ("instruction", "output"),
    once=True,
)
