"""Everyone who answers: judges, scorers and text writers, found by SPEC and mode.

The only file that names implementations; each is imported when the members are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..models import (
    EXECUTION,
    SPREADING,
    Answers,
    Family,
    Member,
    Options,
    Permit,
    Respondent,
    WorkerPool,
    execution_options,
    permit_no_server,
)
from ..models.served import PROVIDERS
from ..records import (
    Answer,
    Candidate,
    Draft,
    JudgeSpec,
    Mark,
    Prompt,
    Question,
    Slot,
    TandemError,
    option_ref,
)
from .judge import Judge, Scorer

DEFAULTS = Options()
HERE: dict[str, Any] = {name: getattr(DEFAULTS, name) for name in SPREADING}
"""Nothing is spread: this process answers alone."""
JUDGING: tuple[Answers, ...] = ("comparisons", "marks")


def list_members() -> tuple[Member, ...]:
    """List all members in the order people read them; a new one is a line here."""
    from ..models.local import LOCAL_WRITER
    from ..models.served import SERVED_WRITER
    from .judges import (
        baselines,
        local_judges,
        local_scorers,
        reference_metrics,
        served_judge,
        served_scorers,
    )

    return (
        *baselines.MEMBERS,
        *reference_metrics.MEMBERS,
        *local_judges.MEMBERS,
        *local_scorers.MEMBERS,
        *served_judge.MEMBERS,
        *served_scorers.MEMBERS,
        LOCAL_WRITER,
        SERVED_WRITER,
    )


def members(answers: Iterable[Answers] = JUDGING) -> list[Member]:
    """List the members that give such answers."""
    return [member for member in list_members() if member.answers in answers]


def find(spec: str, mode: str = "", answers: Iterable[Answers] = JUDGING) -> Member:
    """Return the member that a SPEC and a mode mean. Raises TandemError naming what there is."""
    there = members(answers)
    family, name = _split(spec)
    able = [one for one in there if one.family.name == family and _is_called(one, name)]
    if not able:
        noun = "model" if set(answers) == {"texts"} else "judge"
        if family in PROVIDERS:
            provider = f"{option_ref('provider')} {family}"
            raise TandemError(f"unknown {noun} {spec!r}; it is openai:{name} with {provider}")
        specs = ", ".join(specs_of(there))
        raise TandemError(f"unknown {noun} {spec!r}; a {noun} is one of: {specs}")
    if not mode or "mode" not in able[0].options:
        return able[0]
    for member in able:
        if member.mode == mode:
            return member
    modes = ", ".join(member.mode for member in able if member.mode)
    others = {one.spec for one in there if one.mode == mode and "mode" in one.options}
    if others:
        raise TandemError(
            f"{option_ref('mode')} {mode} belongs to {' or '.join(others)}; {spec} has: {modes}"
        )
    raise TandemError(f"unknown {option_ref('mode')} {mode!r}; there is: {modes}")


def specs_of(there: Iterable[Member]) -> list[str]:
    """List all SPECs that these members answer to, as people read them.

    The models that Tandem fetches come after their family's SPEC.
    """
    specs: list[str] = []
    for member in there:
        specs += [member.spec, *member.family.fetched]
    return list(dict.fromkeys(specs))


def spec_of(family: Family, name: str) -> str:
    """Return the SPEC of a model of a family. One that Tandem fetches has a SPEC of its own."""
    return name if name in family.fetched else f"{family.name}:{name}"


def list_idle_options(member: Member, spec: str, given: Mapping[str, Any]) -> list[str]:
    """List notes on options that were given to a member and change none of its answers.

    Raises TandemError for any other option it does not take. The seed is also that of the pairs, so
    it always passes.
    """
    notes = []
    for name, value in given.items():
        if name in ("seed", *SPREADING, *member.options):
            continue
        takers = takers_of(name, member.answers)
        shown = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        words = "" if value is True else f" {shown[:60]}"
        of_modes = [one for one in _peers(member.answers) if one.spec == member.spec]
        is_other = any(name in one.options for one in of_modes)
        mode = f" ({option_ref('mode')} {member.mode})" if is_other else ""
        sentence = f"{option_ref(name)}{words} belongs to {takers}, not to {spec}{mode}"
        if name not in EXECUTION:
            raise TandemError(f"{sentence}: leave it out")
        notes.append(f"{sentence}, and plays no part here")
    return notes


def make(spec: str, options: Options = DEFAULTS) -> Judge | Scorer:
    """Return the judge or scorer that a SPEC and a mode mean: `baseline:NAME`, `hf:NAME-OR-PATH`,
    `openai:MODEL`.

    What can change an answer is in its name where it departs from the default. The name of a
    baseline is itself a SPEC ("baseline:random|seed:1"). Raises TandemError naming what exists, and
    for an option that plays no part.
    """
    made: Judge | Scorer = _make_member(find(spec, options.mode), spec, options)
    if not options.on:
        return made
    # What a worker makes must not depend on what is on its machine.
    here = {name: value for name, value in options.execution.items() if name not in SPREADING}
    again: Any = partial(remake, made.spec, here)
    if isinstance(made, Scorer):
        return SpreadScorer(made, again, options)
    return SpreadJudge(made, again, options)


def make_prompted(spec: str, options: Options, prompt: Prompt | None) -> Judge:
    """Return a judge that compares texts by a prompt, before its server is asked anything. Raises
    TandemError for another one.
    """
    made = make(spec, replace(options, prompt=prompt))
    if isinstance(made, Judge) and "prompt" in find(spec, options.mode).options:
        return made
    raise TandemError("a search needs a model that compares texts by a prompt: name one")


def make_writer(spec: str, options: Options) -> Respondent[Slot, Draft]:
    """Return the text writer that a SPEC means; raises TandemError as `make` does."""
    made: Respondent[Slot, Draft] = _make_member(find(spec, answers=["texts"]), spec, options)
    if not options.on:
        return made
    again = partial(make_writer, spec, replace(options, **HERE))
    return WorkerPool(again, options, lambda why: Draft(failure=why))


class SpreadJudge(WorkerPool[Question, Answer], Judge):
    """A judge that each worker of a cluster makes by `make`. Its name is the judge's own: who
    computes the answers changes none of them.
    """

    def __init__(self, judge: Judge, make: Callable[[], Judge], options: Options) -> None:
        super().__init__(make, options, lambda why: Answer(failure=why))
        self.spec, self.note = judge.spec, judge.note


class SpreadScorer(WorkerPool[Candidate, Mark], Scorer):
    """A scorer that each worker makes by `make`, as with `SpreadJudge`."""

    def __init__(self, scorer: Scorer, make: Callable[[], Scorer], options: Options) -> None:
        super().__init__(make, options, lambda why: Mark(failure=why))
        self.spec = scorer.spec


def remake(
    spec: JudgeSpec,
    execution: Mapping[str, Any] | None = None,
    permit: Permit = permit_no_server,
) -> Judge | Scorer:
    """Return the judge or scorer a stored specification describes, so that a run can go on in
    another process; of `execution` it takes what it can use. A store may come from anybody, so it
    asks no server but those that `permit` permits.

    Raises TandemError when it has become another, as when the files of its model were exchanged.
    """
    member = find(spec.spec, spec.mode)
    stored = {"tie": len(spec.labels) > 2, **execution_options(execution or {}), **vars(spec)}
    stored["labels"] = spec.labels[:2]
    takes = {*member.options, *SPREADING}
    taken = {name: value for name, value in stored.items() if name in takes}
    made = make(spec.spec, Options(**taken, permit=permit))
    if made.spec.name != spec.name:
        raise TandemError(
            f"{spec.spec!r} is no longer judge {spec.name!r} but {made.spec.name!r}; start a "
            "new run"
        )
    return made


def _make_member(member: Member, spec: str, options: Options) -> Any:
    if options.on and member.is_served:
        raise TandemError(
            f"{spec} is answered by its server, which many requests reach at once: leave out "
            f"{option_ref('on')} {options.on}, and set {option_ref('concurrency')} higher"
        )
    list_idle_options(member, spec, options.changed_options)
    return member.make(_split(spec)[1], options)


def _split(spec: str) -> tuple[str, str]:
    """Return the family and the name in a SPEC; Tandem's own model is of the hf family."""
    from ..models.local import HF

    if spec in HF.fetched:
        return HF.name, spec
    family, _, name = spec.partition(":")
    return family, name


def _is_called(member: Member, name: str) -> bool:
    pattern = f"{re.escape(member.name)}({member.suffix})?" if member.name else ".+"
    return re.fullmatch(pattern, name, re.DOTALL) is not None


def takers_of(option: str, answers: Answers = "comparisons") -> str:
    """Name the members that take an option, in a sentence.

    Those of a family come together, with their modes unless all are among them.
    """
    modes: dict[str, dict[bool, list[str]]] = {}
    for member in _peers(answers):
        of_spec = modes.setdefault(member.spec, {True: [], False: []})
        of_spec[option in member.options].append(member.mode)
    words = []
    for spec, found in modes.items():
        own = sorted(found[True], key=lambda mode: not mode)
        named = ", ".join(mode or "left out" for mode in own)
        only = f" ({option_ref('mode')} {named})" if found[False] else ""
        words += [f"{spec}{only}"] if found[True] else []
    return " or ".join(words)


def _peers(answers: Answers) -> list[Member]:
    """List the members that a SPEC may mean where these answers are wanted."""
    return members(JUDGING if answers in JUDGING else [answers])
