"""Reader of JudgeBench's decisions: two responses of one model to a question, one of them
objectively right.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.importing.cells import Cells, as_text, named
from core.importing.layout import Layout, Record, Source, answered, asked, has, label, texts
from core.records import Item, Kind, Outcome, Vote

SYSTEMS = ("response_A", "response_B")  # both by the same model, so they have no other names
REWARD = "reward_model"  # the judge_name of models that mark a response without reading a prompt
DECISIONS = {"A>B": Outcome.A, "B>A": Outcome.B, "A=B": Outcome.TIE}


class Decisions:
    """response_model, judge_name, judge_model, pair_id, source, label, and the decision in either
    order.

    `label` and decision_original_order speak of the original order. decision_swapped_order is as
    displayed after the swap: its A is response B. The judge is JUDGE_NAME/JUDGE_MODEL, the subset
    the source of the question. JUDGE_NAME says which prompt the model was asked with, except for
    reward models, which read none.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.labelled: set[str] = set()

    def records(self, number: int, cells: Cells) -> Iterator[Record]:
        item, how, model = (named(cells, name) for name in ("pair_id", "judge_name", "judge_model"))
        gold = DECISIONS.get(as_text(cells.get("label")) or "")
        if gold is None:
            raise ValueError(f"the label {cells.get('label')!r} is none of {', '.join(DECISIONS)}")
        judge = f"{how}/{model}"
        yield Item(item, subset=as_text(cells.get("source")) or "")
        yield from texts(item, dict.fromkeys(SYSTEMS))
        yield self.source.attribute("overall")
        if item not in self.labelled:
            self.labelled.add(item)
            yield from label(item, SYSTEMS, gold)
        yield asked(judge, model, f"JudgeBench/{how}" if how != REWARD else "")
        for systems, order in ((SYSTEMS, "original"), (SYSTEMS[::-1], "swapped")):
            said = as_text(cells.get(f"decision_{order}_order")) or ""
            yield Vote(
                item,
                *systems,
                judge=judge,
                answer=answered(DECISIONS.get(said), said),
                kind=Kind.LLM,
            )


LAYOUT = Layout(
    "judgebench",
    "JudgeBench's decisions",
    {Decisions: has("pair_id", "judge_model", "decision_original_order", "decision_swapped_order")},
    ("question", "response"),
    once=True,
)
