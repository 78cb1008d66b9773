"""What `judge` takes and says where a judge is attacked."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.cli.options import Part, told
from core.cli.output import Answer, warn, write_rows
from core.cli.settings import add_settings
from core.findings import attacks as figures
from core.findings.judgements import Selection, records
from core.judging import ATTACKS, Judge, Scorer, attacks
from core.records import TandemError, setting
from core.runs import attack
from core.store import Store

OF_PAIRS = ("pairs", "budget", "beam_size", "prob_gap", "calibrate", "items_by")
"""What says which comparisons a run without attacks asks for."""


def is_attacked(asked: argparse.Namespace) -> bool:
    """Whether a judge is to be attacked."""
    return bool(asked.attack or asked.attack_text)


def attack_options(sub: argparse.ArgumentParser) -> None:
    attacked = sub.add_argument_group("to measure how often an added sentence turns verdicts")
    attacked.add_argument(
        "--attack", nargs="+", action="extend", choices=tuple(ATTACKS), metavar="NAME",
        help=f"add a sentence to either text: {', '.join(ATTACKS)}",
    )  # fmt: skip
    attacked.add_argument(
        "--attack-text", action="append", metavar="TEXT",
        help="add this sentence; {label} is what the attacked text is called",
    )  # fmt: skip
    part = Part(sub, "--attack NAME", is_attacked)
    add_settings(part.add, attack.Request, "number", dest="attack_number")


def parse_attack(asked: argparse.Namespace, texts: Mapping[str, Any]) -> attack.Request:
    """What to attack with, and how often; `texts` says which texts it is about."""
    if chosen := told(asked, OF_PAIRS):
        raise TandemError(
            f"{setting(next(iter(chosen)))} chooses comparisons, and {setting('attack')} draws "
            f"its own: leave it out, and say with {setting('number')} how many"
        )
    named = tuple(ATTACKS[name] for name in dict.fromkeys(asked.attack or ()))
    given = tuple(attacks.own(text) for text in dict.fromkeys(asked.attack_text or ()))
    number = {} if asked.attack_number is None else {"number": asked.attack_number}
    return attack.Request(**texts, attacks=(*named, *given), **number)


def enqueue(
    store: Store, request: attack.Request, answering: Judge | Scorer, execution: Mapping[str, Any]
) -> int:
    """The run that attacks this judge."""
    request, judge = attack.checked(store, request, answering)
    judge.load()
    warn(judge.note)
    return attack.enqueue(store, judge, request, execution)


def with_figures(store: Store, run: int, answer: Answer) -> Answer:
    """What came of a run, with what its attacks have turned."""
    of = store.runs.get(run)
    found = figures.attacks(store, Selection(of.dataset, judges=(of.judge,)))
    sentences = {sentence for _, sentence, _ in of.settings["attacks"]}
    found = replace(found, rows=found.rows[found.rows["sentence"].isin(sentences)])
    document = {**answer.document, "attacks": records(found.rows)}
    shown = [write_rows(found)] if len(found.rows) else []
    return replace(answer, document=document, text="\n\n".join([answer.text, *shown]))
