"""Scoring: a text on its own becomes one mark.

`make_scorer("baseline:rouge1")` or `make_scorer("hf:google/flan-t5-small", mode="g-eval")` gives a scorer;
`scorer.answers(candidates)` gives as many marks in the same order. `make` gives whoever a SPEC and a mode mean: a scorer,
or a judge of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.judging.judge import EXECUTION, NO_TEXT, Judge, Options, make_judge
from core.judging.judge import MODES as COMPARING
from core.models.respondent import Respondent
from core.records import Candidate, JudgeSpec, Mark, TandemError

MODES = {
    "score": "the mark from 1 to 10 that the model writes",
    "g-eval": "the expected mark, over the probabilities the model gives the marks from 1 to 10",
    "gptscore": "how likely the text is as the answer to a prompt that asks for it: mean log-likelihood of its tokens",
    "metric": "how alike the text is to the item's reference",
}
"""How a text becomes a mark. Who has one of these modes marks texts; any other judge compares them."""

BY_MODEL = ("score", "g-eval", "gptscore")


class Scorer(Respondent[Candidate, Mark]):
    """Who marks a text on its own. `spec` holds whatever can change a mark."""

    spec: JudgeSpec


def make(spec: str, **options: Any) -> Judge | Scorer:
    """Whoever a SPEC of the command line names: a scorer, if it `marks`, otherwise a judge."""
    if marks(spec, options.get("mode")):
        return make_scorer(spec, **options)
    if (mode := options.get("mode")) and mode not in COMPARING:
        raise TandemError(f"unknown mode {mode!r}; there is: {', '.join((*COMPARING, *BY_MODEL))}")
    return make_judge(spec, **options)


def marks(spec: str, mode: str | None = None) -> bool:
    """Whether a SPEC means one who marks texts: with a mode of MODES, or as a metric."""
    family, _, name = spec.partition(":")
    return mode in MODES or (family == "baseline" and name.partition("|")[0] in _metrics())


def make_scorer(spec: str, **options: Any) -> Scorer:
    """The scorer a SPEC names: `baseline:METRIC`, `hf:NAME-OR-PATH`, `openai:MODEL`; `options` are those of a judge.

    Raises TandemError naming what exists.
    """
    family, _, name = spec.partition(":")
    if family not in SCORERS or not name:
        raise TandemError(f"unknown judge {spec!r}; texts are marked by one of: {', '.join(_examples())}")
    chosen = Options(**options)
    for option, given in (
        ("--tie", chosen.tie),
        ("--votes", chosen.votes != Options.votes),
        ("--temperature", chosen.temperature),
    ):
        if given:
            raise TandemError(f"{option} is about comparisons, and {spec} marks texts: leave it out")
    return SCORERS[family](name, chosen)


def remake_scorer(spec: JudgeSpec, execution: Mapping[str, Any] | None = None) -> Scorer:
    """The scorer a stored specification describes; see `judging.remake_judge`."""
    how = {name: value for name, value in (execution or {}).items() if name in EXECUTION}
    kept = {name: getattr(spec, name) for name in ("prompt", "mode", "truncation", "base_url")}
    scorer = make_scorer(spec.spec, **kept, **how)
    if scorer.spec.name != spec.name:
        raise TandemError(f"{spec.spec!r} is no longer judge {spec.name!r} but {scorer.spec.name!r}; start a new run")
    return scorer


def unanswerable(candidate: Candidate) -> Mark | None:
    """The failure of a candidate nobody can mark: its text is not available. An empty text ('') is a text."""
    return Mark(failure=NO_TEXT) if candidate.text is None else None


def _baseline(name: str, options: Options) -> Scorer:
    from core.judging.judges import reference_metrics

    if options.mode in BY_MODEL:
        raise TandemError(f"--mode {options.mode} asks a model, and baseline:{name} is none: leave --mode out")
    return reference_metrics.make(name)


def _hf(name: str, options: Options) -> Scorer:
    from core.judging.judges.local_scorers import SCORERS as BY_MODE

    return BY_MODE[_mode(options)](name, options)


def _mode(options: Options) -> str:
    if options.mode not in BY_MODEL:
        raise TandemError(f"unknown --mode {options.mode!r} for marks; a model has: {', '.join(BY_MODEL)}")
    return options.mode


def _openai(name: str, options: Options) -> Scorer:
    from core.judging.judges.served_scorers import ServedScorer

    _mode(options)
    return ServedScorer(name, options)


SCORERS: dict[str, Callable[[str, Options], Scorer]] = {"baseline": _baseline, "hf": _hf, "openai": _openai}
"""The families of scorers, by what stands before the colon of a SPEC."""


def _metrics() -> tuple[str, ...]:
    from core.judging.judges.reference_metrics import MARKS

    return tuple(MARKS)


def _examples() -> list[str]:
    return [f"baseline:{name}" for name in _metrics()] + ["hf:NAME-OR-PATH", "openai:MODEL"]
