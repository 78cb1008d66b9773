"""Options and output of `judge` for attacks on a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..findings import attacks as figures
from ..findings.judgements import Selection, list_records
from ..judging import ATTACKS, Judge, Scorer, attacks
from ..pairing import TextRequest
from ..rendering import lay_out, write_text
from ..runs import attack as attacking
from ..runs import load_respondent
from ..settings import Part, declare, redeclare
from ..store import Store
from .output import CommandAnswer, warn


def _is_attacked(given: Mapping[str, Any]) -> bool:
    return bool(given["attack"] or given["attack_text"])


@dataclass(frozen=True)
class AttackSettings:
    """Sentences to attack a judge with, and the number of comparisons. If there is no sentence,
    there is no attack.
    """

    attack: tuple[str, ...] = declare(
        (),
        "add a sentence to either text",
        choices=lambda: dict.fromkeys(ATTACKS, ""),
    )
    attack_text: tuple[str, ...] = declare(
        (), "add this sentence; {label} is what the attacked text is called", metavar="TEXT",
        one_by_one=True,
    )  # fmt: skip
    attack_number: int = redeclare(
        attacking.AttackRequest, "number", option="number", part=Part("--attack NAME", _is_attacked)
    )

    @property
    def are_given(self) -> bool:
        """Return whether the judge is to be attacked."""
        return bool(self.attack or self.attack_text)

    def request(self, texts: TextRequest) -> attacking.AttackRequest:
        """The attacks on comparisons of these texts."""
        named = tuple(ATTACKS[name] for name in dict.fromkeys(self.attack))
        given = tuple(attacks.make_own_attack(text) for text in dict.fromkeys(self.attack_text))
        return attacking.AttackRequest(
            **vars(texts), attacks=(*named, *given), number=self.attack_number
        )


def enqueue(
    store: Store,
    request: attacking.AttackRequest,
    answering: Judge | Scorer,
    execution: Mapping[str, Any],
) -> int:
    """The run that attacks this judge."""
    request, judge = attacking.check_request(store, request, answering)
    load_respondent(store, judge)
    warn(judge.note)
    return attacking.enqueue(store, judge, request, execution)


def with_figures(store: Store, run: int, answer: CommandAnswer) -> CommandAnswer:
    """Add to the answer of a run how many verdicts its attacks turned."""
    of = store.runs.get(run)
    found = figures.attacks(store, Selection(of.dataset, judges=(of.judge,)))
    sentences = {sentence for _, sentence, _ in of.settings["attacks"]}
    found = replace(found, rows=found.rows[found.rows["sentence"].isin(sentences)])
    document = {**answer.document, "attacks": list_records(found.rows)}
    shown = [write_text(lay_out(found.rows, found.columns))] if len(found.rows) else []
    return replace(answer, document=document, text="\n\n".join([answer.text, *shown]))
