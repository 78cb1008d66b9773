"""Options of those who are asked, judges and generators, and of what they are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..findings.judgements import Selection, list_chosen_items
from ..findings.lab import read_card
from ..findings.separability import applications
from ..judging import (
    Judge,
    Scorer,
    ServerList,
    make,
    prompt_versions,
    registry,
    remake,
)
from ..judging.forms import COMPARISON_FORMS, MARK_FORMS
from ..models import EXECUTION, SPREADING, Answers, Options
from ..models.served import PROVIDERS, options_for
from ..pairing import DRAWS, BySeparability, Choice, PairSettings, Request, TextRequest
from ..records import Prompt, TandemError, option_ref, render_options
from ..runs import preview, score
from ..seeds import draw
from ..settings import Part, declare, redeclare
from ..store import Store
from ..whole_files import check_is_plain
from .output import warn
from .settings import Inclusion, Option, flag, include, include_all


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
        """Make the options of the judge or generator. A user of the shell may name any server.

        Raises TandemError for a prompt that is missing or cannot be read.
        """
        if len(self.base_urls) > 1:  # to ask the last alone would be another judge than was meant
            raise TandemError(
                "--base-url is there twice: a model has one address, perhaps of a router "
                "(docs/scaling.md)"
            )
        is_named = self.base_urls or self.provider
        url = options_for(self.provider, *self.base_urls) if is_named else {}
        return replace(
            self.options,
            base_url=url.get("base_url", ""),
            prompt=self._find_prompt(store),
            permit=ServerList(store.path).permit_by_hand,
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
ALWAYS_TWO = {"labels": tuple[str, str], "scale": tuple[int, int]}
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
                kind = ALWAYS_TWO.get(name, options[name].kind)
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


def list_judges() -> str:
    """List the SPECs of judges."""
    return ", ".join(registry.specs_of(registry.members()))


def _has_chosen_pairs(given: Mapping[str, Any]) -> bool:
    """Return whether pairs are chosen for a judge. Raises TandemError if probes draw their own."""
    if given.get("probe"):
        raise TandemError(
            f"{option_ref('probe')} draws among the answers there are, as many as "
            f"{option_ref('number')} says: leave out {option_ref('pairs')} and its like"
        )
    if given.get("card"):
        return True
    return registry.find(given["judge"], given.get("mode") or "").answers == "comparisons"


PAIRS = Part("judges that compare two texts", _has_chosen_pairs, "judge")
# If a judge marks texts, all pairs follow from its marks.
TOLD = replace(PAIRS, is_harmless=True)
DRAWN = Part(f"--items-by {'|'.join(DRAWS)}", lambda given: given["items_by"])
BINNED = Part("--items-by stratified", lambda given: given["items_by"] == "stratified", "items_by")


@dataclass(frozen=True)
class ItemSettings:
    """The items that are drawn by their separability, in the words of the command line."""

    items_by: str = redeclare(
        BySeparability, "how", default="", help="choose items by separability", part=PAIRS
    )
    number: int | None = redeclare(BySeparability, "number", option="items", part=DRAWN)
    by_separability: str = redeclare(Choice, "separability", option="separability", part=DRAWN)
    low: float = redeclare(BySeparability, "low", part=DRAWN)
    high: float = redeclare(BySeparability, "high", part=DRAWN)
    bins: int = redeclare(BySeparability, "bins", part=BINNED)

    def draw(self, store: Store, selection: Selection) -> tuple[tuple[str, float], ...]:
        """The items with their probability of inclusion, those of an item set with 1; none where
        all are meant. Raises TandemError where no separability is stored.
        """
        if not self.items_by:
            # in random order, so that a run that is stopped has asked about a sample
            members = list_chosen_items(store, selection) or ()
            return tuple((key, 1.0) for key in sorted(members, key=partial(draw, selection.seed)))
        if not self.by_separability:
            raise TandemError(
                "--items-by needs --separability METRIC, such as bertscore-length, measured by "
                "`separability`"
            )
        draws = BySeparability(self.items_by, self.number, self.low, self.high, self.bins)
        chosen = replace(selection, attribute=None)
        items, unknown = applications.drawn_items(store, chosen, draws, self.by_separability)
        if unknown:
            warn(f"{unknown} items have no separability and are left out")
        return items


@dataclass(frozen=True, kw_only=True)
class AskingRequest:
    """The options that `judge` and `try` share: the judge, the texts, and the pairs."""

    selection: Selection = include()
    judge: str = declare("", list_judges, metavar="SPEC")
    card: Path | None = declare(
        None, "in place of --judge the judge of this card (`lab --card`), asked as it was",
        metavar="FILE", instead_of="judge",
    )  # fmt: skip
    samples: int = redeclare(TextRequest, "samples")
    trial: int = redeclare(TextRequest, "trial")
    respondent: RespondentRequest = include_respondent("judge", registry.JUDGING)
    pairs: PairSettings = include_all(part=PAIRS, parts={"strategy": TOLD, "budget": TOLD})
    items: ItemSettings

    def find_texts(self) -> TextRequest:
        """The texts that are asked about."""
        chosen = self.selection
        return TextRequest(
            chosen.dataset,
            attributes=(chosen.attribute,) if chosen.attribute else (),
            subset=chosen.subset or "",
            systems=chosen.systems,
            samples=self.samples,
            seed=chosen.seed,
            trial=self.trial,
        )

    def refuse_item_set(self, what: str) -> None:
        """Raise TandemError if an item set is named for `what`, which chooses its own items."""
        if self.selection.item_set:
            raise TandemError(
                f"{option_ref('item_set')} is for judges that compare, and not for {what}: "
                f"leave it out, or name a {option_ref('subset')}"
            )

    def plan(self, store: Store, answering: Judge | Scorer) -> preview.JudgingRequest:
        """Return the request to a judge: the texts to mark, or the pairs to compare."""
        texts = vars(self.find_texts())
        if isinstance(answering, Scorer):
            self.refuse_item_set("one that scores texts")
            return preview.check_request(store, score.ScoringRequest(**texts))
        drawn = self.items.draw(store, self.selection)
        request = Request(**texts, **vars(self.pairs), drawn=drawn)
        return preview.check_request(store, request)

    def make_judge(self, given: Options, mode: str = "") -> Judge | Scorer:
        """Make the judge, in this `mode` unless the options name another."""
        if not (self.judge or self.card):
            raise TandemError(f"--judge is needed: {list_judges()}; or --card")
        if self.card:
            assert given.permit
            answering = remake(read_card(self.card)[1], given.execution, given.permit)
        else:
            answering = make(self.judge, replace(given, mode=given.mode or mode))
        answering.announce = warn
        return answering
