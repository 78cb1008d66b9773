"""Settings of accuracy."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...records import Kind, choose_voting_kind, option_ref
from ...settings import Part, check_choices, declare
from ...store import Store
from ..correlation import choose_reference
from ..judgements import Selection, list_selected_comparers
from ..judgements.debiasing import declare_debias

REFERENCES = {
    "gold": "the gold labels",
    "human": "the majority of people",
    "simulated": "the majority of simulated annotators",
    "scores": "the scores",
}


@dataclass(frozen=True)
class AccuracySettings:
    """Settings of accuracy, the reference for right answers: docs/statistics.md,
    "Right, and the same".
    """

    against: str = declare(
        "",
        "what decides which text is better (default: scores, else gold labels, else votes)",
        label="Reference",
        more="The share of answers that choose the better text, a tie counting half. The "
        "better text has the higher score, the gold label or most people's votes. An "
        "annotator is compared with the other annotators.",
        choices=REFERENCES,
    )
    debias: str = declare_debias()
    rater: str = declare(
        "",
        "whose scores (default: people's, else those of the first who gave some)",
        metavar="RATER",
        part=Part(
            f"{option_ref('against')} scores",
            lambda values: values["against"] in ("", "scores"),
            "against",
        ),
    )

    def __post_init__(self) -> None:
        check_choices(self)

    def fill_reference(self, store: Store, selection: Selection) -> AccuracySettings:
        """Return the settings with the usual reference and rater, where none was named."""
        usual = self.against or next(iter(list_references(store, selection)), Kind.HUMAN.value)
        rater = self.rater or choose_reference(store, selection.dataset) or Kind.HUMAN.value
        return replace(self, against=usual, rater=rater if usual == "scores" else "")


def list_references(store: Store, selection: Selection) -> list[str]:
    """List what the answers of a selection can be held against, the usual reference first."""
    judges = list_selected_comparers(store, selection).drop_duplicates("judge")
    voting = choose_voting_kind(judges["kind"])
    is_there = {
        "scores": choose_reference(store, selection.dataset) != "",
        Kind.GOLD.value: judges["kind"].nunique() > 1 and Kind.GOLD in set(judges["kind"]),
        voting.value: len(judges) > 1 and voting in set(judges["kind"]),
    }
    return [name for name, offered in is_there.items() if offered and len(judges)]
