"""Options of whoever answers: which there are, and who takes them, as the members declare it."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.cli.options import flag, told, whole
from core.cli.settings import add_settings
from core.judging import LISTED_ONLY, ServerList, prompt_versions, registry
from core.judging.forms import COMPARISON_FORMS, MARK_FORMS
from core.models import Answers, Options
from core.models.served import PROVIDERS, options_for
from core.records import Prompt, TandemError, spoken
from core.settings import declare, list_settings
from core.store import Store
from core.whole_files import check_is_plain


@dataclass(frozen=True)
class RespondentRequest:
    """How whoever answers is asked: the `options` it may be told, and the prompt, its form and the
    servers, which the store knows more about.
    """

    options: Options
    prompt_name: str = declare(
        "", "by name, or NAME@VERSION (default: the mode's own)", metavar="NAME", option="prompt"
    )
    prompt_file: Path | None = declare(None, "a prompt of one's own", metavar="F")
    form: str = declare(
        "", "how the verdict is stated (default: as the prompt declares or asks for)",
        choices=dict.fromkeys((*COMPARISON_FORMS, *MARK_FORMS), ""),
    )  # fmt: skip
    base_urls: tuple[str, ...] = declare(
        (), "any OpenAI-compatible server (default: OpenAI's); again for each further server of "
        "the same model", metavar="URL", option="base_url", one_by_one=True,
    )  # fmt: skip

    def make_options(self, store: Store) -> Options:
        """All that whoever answers is told. Whoever has the shell may name any server. Raises
        TandemError for a prompt that is not there or cannot be read.
        """
        listed = ServerList(store.path)
        is_named = self.base_urls or self.options.provider
        url = options_for(self.options.provider, *self.base_urls[:1]) if is_named else {}
        return replace(
            self.options,
            base_url=url.get("base_url", ""),
            more_urls=self.base_urls[1:],
            prompt=self._find_prompt(store),
            permit=listed.permit if os.environ.get(LISTED_ONLY) else listed.permit_by_hand,
        )

    def _find_prompt(self, store: Store) -> Prompt | None:
        mode, named = self.options.mode or None, None
        if self.prompt_file:
            text = _read_prompt(self.prompt_file)
            return prompt_versions.edited(store, self.prompt_file.stem, text, mode, form=self.form)
        if self.prompt_name:
            named = prompt_versions.template(store, self.prompt_name, mode)
        return prompt_versions.choose_form(store, self.form, mode, named) if self.form else named


def _read_prompt(file: Path) -> str:
    check_is_plain(file)
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TandemError(f"--prompt-file {file} cannot be read ({error})") from error


READING: dict[str, dict[str, Any]] = {
    name: {}
    for name in (
        "mode", "prompt_name", "prompt_file", "form", "lenient", "max_tokens", "system_prompt",
        "stop", "extra_body", "tie", "votes", "temperature", "labels", "scale", "truncation",
        "provider", "base_urls", "concurrency", "rpm", "tpm", "stream", "api_version", "timeout",
        "price_in", "price_out",
    )
} | {
    "provider": {"choices": tuple(PROVIDERS)},
    "labels": {"nargs": 2, "action": "store", "metavar": ("A", "B")},
    "scale": {"nargs": 2, "action": "store", "metavar": ("LOW", "HIGH"), "type": whole(0)},
}  # fmt: skip
"""The options in their order, and how those are read that are of a few names, or two."""


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
        for name, read in READING.items():
            option = _field(name)
            takes = {option in member.options for member in there}
            if takes != {True, False}:
                continue
            title = spoken(registry.takers_of(option, answers[0]), flag)
            if title not in groups:
                groups[title] = sub.add_argument_group(f"of {title}")
            if name == "prompt_name":
                groups["prompt"] = groups[title].add_mutually_exclusive_group()
            group = groups["prompt" if name in ("prompt_name", "prompt_file") else title]
            request = RespondentRequest if name in list_settings(RespondentRequest) else Options
            more = read | own.get(name, {})
            self._actions += add_settings(group.add_argument, request, name, **more)
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


def _modes(answers: tuple[Answers, ...]) -> str:
    """The modes to choose from: "classifier, generate, sample; score, g-eval, gptscore"."""
    kinds = [
        dict.fromkeys(one.mode for one in registry.members([kind]) if "mode" in one.options)
        for kind in answers
    ]
    return "; ".join(", ".join(filter(None, modes)) for modes in kinds)


def _field(name: str) -> str:
    """The field of `Options` that an option is about."""
    fields = {"prompt_name": "prompt", "prompt_file": "prompt", "form": "prompt"}
    return fields.get(name, name).replace("base_urls", "base_url")
