"""Settings of accuracy."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from core.findings.judgements.debiasing import declare_debias
from core.records import Kind, option_ref
from core.settings import Part, check_choices, declare

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
        MISSING,
        "what decides which text is better",
        label="Reference",
        more="The share of answers that choose the better text, a tie counting half. The "
        "better text has the higher score, the gold label or most people's votes. An "
        "annotator is compared with the other annotators.",
        choices=REFERENCES,
    )
    debias: str = declare_debias()
    rater: str = declare(
        Kind.HUMAN.value,
        "whose scores (default: all people)",
        metavar="RATER",
        part=Part(
            f"{option_ref('against')} scores",
            lambda values: values["against"] == "scores",
            "against",
        ),
    )

    def __post_init__(self) -> None:
        check_choices(self)
