"""Options of whoever answers: which there are, and who takes them, as the members declare it."""

from __future__ import annotations

import argparse
import os
from dataclasses import fields
from typing import Any

from core.cli.options import file_path, flag, told, whole
from core.cli.settings import describe_option
from core.judging import LISTED_ONLY, ServerList, registry
from core.judging.forms import COMPARISON_FORMS, MARK_FORMS
from core.models import Answers, Options
from core.models.served import PROVIDERS, options_for
from core.records import Prompt, spoken
from core.store import Store

ARGUMENTS: dict[str, dict[str, Any]] = {
    "mode": {},
    "prompt": {"metavar": "NAME", "help": "by name, or NAME@VERSION (default: the mode's own)"},
    "prompt_file": {"type": file_path, "metavar": "F", "help": "a prompt of one's own"},
    "form": {
        "choices": (*COMPARISON_FORMS, *MARK_FORMS),
        "help": "how the verdict is stated (default: as the prompt declares or asks for)",
    },
    "lenient": {},
    "max_tokens": {},
    "system_prompt": {},
    "stop": {"action": "append", "nargs": None},
    "extra_body": {},
    "tie": {},
    "votes": {},
    "temperature": {},
    "labels": {
        "nargs": 2,
        "metavar": ("A", "B"),
        "help": 'the words that stand for the two texts (default: "Summary A" and so on)',
    },
    "scale": {
        "nargs": 2,
        "type": whole(0),
        "metavar": ("LOW", "HIGH"),
        "help": "the worst and the best mark (default 1 10)",
    },
    "truncation": {},
    "provider": {
        "choices": tuple(PROVIDERS),
        "help": "whose server it is: its address, the variable of its key, and its habits",
    },
    "base_url": {
        "metavar": "URL",
        "action": "append",
        "help": "any OpenAI-compatible server (default: OpenAI's); again for each further server "
        "of the same model",
    },
    "concurrency": {},
    "rpm": {},
    "tpm": {},
    "stream": {},
    "api_version": {},
    "timeout": {},
    "price_in": {},
    "price_out": {},
}
"""The options in their order; how each is read where `Options` does not declare it."""


class RespondentOptions:
    """The options that only some take of those who give such `answers`, in groups by who does; `of`
    is the option that names one. None has a default, so that what was given can be told.
    """

    def __init__(self, sub: argparse.ArgumentParser, of: str, answers: tuple[Answers, ...]) -> None:
        self._of, self._answers = of, answers
        self._actions: list[argparse.Action] = []
        there = registry.members(answers)
        own = {"mode": {"help": f"{_modes(answers)} (default: the judge's own)"}}
        groups: dict[str, argparse._ActionsContainer] = {}
        for name, read in ARGUMENTS.items():
            option = _field(name)
            takes = {option in member.options for member in there}
            if takes != {True, False}:
                continue
            title = spoken(registry.takers_of(option, answers[0]), flag)
            if title not in groups:
                groups[title] = sub.add_argument_group(f"of {title}")
            if name == "prompt":
                groups["prompt"] = groups[title].add_mutually_exclusive_group()
            group = groups["prompt"] if name in ("prompt", "prompt_file") else groups[title]
            described = describe_option(Options, name) | read | own.get(name, {})
            self._actions.append(group.add_argument(flag(name), **described))
        sub.set_defaults(parts=[*(sub.get_default("parts") or []), self])

    def check(self, asked: argparse.Namespace) -> list[str]:
        """What to be told of options that play no part. Raises TandemError for one that changes
        answers elsewhere, and for an unknown SPEC or mode.
        """
        spec = getattr(asked, self._of)
        member = registry.find(spec, getattr(asked, "mode", None) or "", self._answers)
        given = told(asked, [action.dest for action in self._actions])
        notes = registry.idle(member, spec, {_field(name): given[name] for name in given})
        return [spoken(note, flag) for note in notes]


def parsed(store: Store, asked: argparse.Namespace, prompt: Prompt | None = None) -> Options:
    """The options that were given; what was not is left to whoever answers. Whoever has the shell
    may name any server.
    """
    listed = ServerList(store.path)
    permit = listed.permit if os.environ.get(LISTED_ONLY) else listed.permit_by_hand
    given = told(
        asked, [field.name for field in fields(Options) if field.name not in ("prompt", "permit")]
    )
    urls = given.pop("base_url", ())
    given |= {"more_urls": urls[1:]} if urls[1:] else {}
    if urls or "provider" in given:
        given |= options_for(given.get("provider", ""), *urls[:1])
    return Options(**given, prompt=prompt, permit=permit)


def _modes(answers: tuple[Answers, ...]) -> str:
    """The modes to choose from: "classifier, generate, sample; score, g-eval, gptscore"."""
    kinds = [
        dict.fromkeys(one.mode for one in registry.members([kind]) if "mode" in one.options)
        for kind in answers
    ]
    return "; ".join(", ".join(filter(None, modes)) for modes in kinds)


def _field(argument: str) -> str:
    """The field of `Options` that an argument is about."""
    return "prompt" if argument == "form" else argument.removesuffix("_file")
