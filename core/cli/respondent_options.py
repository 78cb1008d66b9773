"""Options of judges and generators: which exist and, as members declare, who takes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..judging import LISTED_ONLY, ServerList, prompt_versions, registry
from ..judging.forms import COMPARISON_FORMS, MARK_FORMS
from ..models import EXECUTION, SPREADING, Answers, Options
from ..models.served import PROVIDERS, options_for
from ..records import Prompt, TandemError, render_options
from ..settings import Part, declare, redeclare
from ..store import Store
from ..whole_files import check_is_plain
from .options import flag
from .settings import Inclusion, Option


@dataclass(frozen=True, kw_only=True)
class RespondentRequest:
    """Options of a respondent: model `options`, the prompt, its form, and the servers.

    The store knows more about the last three.
    """

    options: Options
    prompt_name: str = declare(
        "", "by name, or NAME@VERSION (default: the mode's own)", metavar="NAME", option="prompt"
    )
    prompt_file: Path | None = declare(
        None, "file with your own prompt", metavar="F", instead_of="prompt_name"
    )
    form: str = declare(
        "", "how the verdict is stated (default: as the prompt declares or asks for)",
        choices=dict.fromkeys((*COMPARISON_FORMS, *MARK_FORMS), ""),
    )  # fmt: skip
    provider: str = redeclare(
        Options,
        "provider",
        list_choices=lambda: {name: one.label for name, one in PROVIDERS.items()},
    )
    base_urls: tuple[str, ...] = declare(
        (), "address of any OpenAI-compatible server (default: OpenAI's)", metavar="URL",
        option="base_url", one_by_one=True,
    )  # fmt: skip

    def make_options(self, store: Store) -> Options:
        """Make the options of the judge or generator. A user of the shell may name any server,
        unless the environment restricts it to those listed. Raises TandemError for a prompt that is
        missing or cannot be read.
        """
        if len(self.base_urls) > 1:  # to ask the last alone would be another judge than was meant
            raise TandemError(
                "--base-url is there twice: a model has one address, perhaps of a router "
                "(docs/scaling.md)"
            )
        listed = ServerList(store.path)
        is_named = self.base_urls or self.provider
        url = options_for(self.provider, *self.base_urls) if is_named else {}
        return replace(
            self.options,
            base_url=url.get("base_url", ""),
            prompt=self._find_prompt(store),
            permit=listed.permit if os.environ.get(LISTED_ONLY) else listed.permit_by_hand,
        )

    def _find_prompt(self, store: Store) -> Prompt | None:
        mode, named = self.options.mode or None, None
        if self.prompt_file:
            text = read_prompt(self.prompt_file)
            return prompt_versions.edit_prompt(
                store, self.prompt_file.stem, text, mode, form=self.form
            )
        if self.prompt_name:
            named = prompt_versions.template(store, self.prompt_name, mode)
        return prompt_versions.choose_form(store, self.form, mode, named) if self.form else named


def read_prompt(file: Path) -> str:
    """Read a prompt from a file. Raises TandemError if that fails."""
    check_is_plain(file)
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TandemError(f"--prompt-file {file} cannot be read ({error})") from error


FIELDS = {
    "prompt_name": "prompt",
    "prompt_file": "prompt",
    "form": "prompt",
    "base_urls": "base_url",
}
"""The fields of `Options` that an option is about, where it has another name."""
PAIRS = {"labels": tuple[str, str], "scale": tuple[int, int]}
"""The options that are always two."""


@dataclass(frozen=True, kw_only=True)
class RespondentInclusion(Inclusion):
    """Options that only some take who give such `answers`; the setting `of` names one of them."""

    of: str
    answers: tuple[Answers, ...]
    spreads: bool

    def narrow_options(self, options: Mapping[str, Option]) -> dict[str, Option]:
        """Return the options that only some take, and SPREADING if it `spreads`."""
        there = registry.members(self.answers)
        found = {}
        for name in [name for name in options if name not in SPREADING]:
            about = FIELDS.get(name, name)
            if {about in member.options for member in there} == {True, False}:
                title = render_options(registry.takers_of(about, self.answers[0]), flag)
                part = Part(title, partial(self._has_effect, name), self.of, about in EXECUTION)
                kind = PAIRS.get(name, options[name].kind)
                found[name] = replace(options[name], part=part, kind=kind)
        if "mode" in found:
            setting = replace(found["mode"].setting, write_help=self._describe_mode)
            found["mode"] = replace(found["mode"], setting=setting)
        spreading = {name: options[name] for name in SPREADING if self.spreads}
        return found | spreading

    def _describe_mode(self) -> str:
        """The modes to choose from: "classifier, generate, sample; score, g-eval, gptscore"."""
        kinds = [
            dict.fromkeys(one.mode for one in registry.members([kind]) if "mode" in one.options)
            for kind in self.answers
        ]
        modes = "; ".join(", ".join(filter(None, modes)) for modes in kinds)
        return f"{modes} (default: the judge's own)"

    def _has_effect(self, name: str, given: Mapping[str, Any]) -> bool:
        """Return whether the named respondent takes an option.

        Raises TandemError for an option that changes answers elsewhere, and for an unknown SPEC or
        mode.
        """
        if given.get("card") and FIELDS.get(name, name) not in EXECUTION:
            raise TandemError(f"a card says how its judge is asked: leave out {flag(name)}")
        spec = given[self.of]
        if given.get("card"):
            return True
        member = registry.find(spec, given.get("mode") or "", self.answers)
        return not registry.list_idle_options(member, spec, {FIELDS.get(name, name): given[name]})


def include_respondent(of: str, answers: tuple[Answers, ...], *, spreads: bool = False) -> Any:
    """A field of type RespondentRequest, with the options of those who give such `answers`."""
    inclusion = RespondentInclusion(of=of, answers=answers, spreads=spreads)
    return field(metadata={"included": inclusion})
