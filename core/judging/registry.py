"""Judges and scorers by SPEC. The only file that names implementations; each is imported when it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.judging import prompts
from core.judging.judge import COMPARING_MODES, EXECUTION, Judge, Options
from core.judging.scorer import BY_MODEL, SCORING_MODES, Scorer
from core.records import JudgeSpec, TandemError


def make_judge(spec: str, **options: Any) -> Judge:
    """The judge a SPEC of the command line names: `baseline:NAME`, `hf:NAME-OR-PATH`,
    `openai:MODEL`; `options` are `Options`.

    What can change an answer is in the judge's name where it departs from the default. The name of
    a baseline is itself a SPEC ("baseline:random|seed:1"). Raises TandemError naming what exists.
    """
    family, _, name = spec.partition(":")
    if family not in JUDGES or not name:
        raise TandemError(
            f"unknown judge {spec!r}; a judge is one of: {', '.join(_judge_examples())}"
        )
    chosen = Options(**options)
    if chosen.mode and chosen.mode not in COMPARING_MODES:
        raise TandemError(f"unknown mode {chosen.mode!r}; there is: {', '.join(COMPARING_MODES)}")
    return JUDGES[family](name, chosen)


def remake_judge(spec: JudgeSpec, execution: Mapping[str, Any] | None = None) -> Judge:
    """The judge a stored specification describes, so that a run can go on in another process; of
    `execution` it takes what is in EXECUTION.

    Raises TandemError when it has become another judge, as when the files of its model were
    exchanged.
    """
    how = {name: value for name, value in (execution or {}).items() if name in EXECUTION}
    judge = make_judge(spec.spec, **stored_options(spec), **how)
    if judge.spec.name != spec.name:
        raise TandemError(
            f"{spec.spec!r} is no longer judge {spec.name!r} but {judge.spec.name!r}; start a "
            "new run"
        )
    return judge


def stored_options(spec: JudgeSpec) -> dict[str, Any]:
    """The options a stored specification was made with."""
    if not spec.mode:  # a baseline is all in its name
        return {}
    return {
        "prompt": spec.prompt,
        "mode": spec.mode,
        "labels": spec.labels[:2] or prompts.DEFAULT_LABELS,
        "tie": len(spec.labels) > 2,
        "truncation": spec.truncation,
        "votes": spec.votes,
        "temperature": spec.temperature,
        "seed": spec.seed,
        "base_url": spec.base_url,
    }


def _judge_baseline(name: str, options: Options) -> Judge:
    from core.judging.judges import baselines

    return baselines.make(name, options.seed)


def _judge_hf(name: str, options: Options) -> Judge:
    from core.judging.judges.local_classifier import PromptClassifier
    from core.judging.judges.local_reply import Sampler, Writer

    common: dict[str, Any] = {
        "prompt": options.prompt or prompts.PROMPTS["comparative"],
        "labels": options.labels,
        "tie": options.tie,
        "truncation": options.truncation,
        "batch_tokens": options.batch_tokens,
    }
    if options.mode == "sample":
        temperature = 1.0 if options.temperature is None else options.temperature
        return Sampler(
            name, votes=options.votes, temperature=temperature, seed=options.seed, **common
        )
    if options.temperature:
        raise TandemError(
            f"a temperature of {options.temperature:g} belongs to the mode sample; leave it out"
        )
    return (
        Writer(name, **common) if options.mode == "generate" else PromptClassifier(name, **common)
    )


def _judge_openai(name: str, options: Options) -> Judge:
    from core.judging.judges.served import ServedJudge

    return ServedJudge(name, options)


JUDGES: dict[str, Callable[[str, Options], Judge]] = {
    "baseline": _judge_baseline,
    "hf": _judge_hf,
    "openai": _judge_openai,
}
"""The families of judges, by what stands before the colon of a SPEC."""


def _judge_examples() -> list[str]:
    from core.judging.judges.baselines import BASELINES

    return [f"baseline:{name}" for name in BASELINES] + ["hf:NAME-OR-PATH", "openai:MODEL"]


def make_respondent(spec: str, **options: Any) -> Judge | Scorer:
    """Whoever a SPEC of the command line names: a scorer, if it `marks`, otherwise a judge."""
    if marks(spec, options.get("mode")):
        return make_scorer(spec, **options)
    if (mode := options.get("mode")) and mode not in COMPARING_MODES:
        raise TandemError(
            f"unknown mode {mode!r}; there is: {', '.join((*COMPARING_MODES, *BY_MODEL))}"
        )
    return make_judge(spec, **options)


def marks(spec: str, mode: str | None = None) -> bool:
    """Whether a SPEC means one who marks texts: with a mode of SCORING_MODES, or as a metric."""
    family, _, name = spec.partition(":")
    return mode in SCORING_MODES or (family == "baseline" and name.partition("|")[0] in _metrics())


def make_scorer(spec: str, **options: Any) -> Scorer:
    """The scorer a SPEC names: `baseline:METRIC`, `hf:NAME-OR-PATH`, `openai:MODEL`; `options` are
    those of a judge.

    Raises TandemError naming what exists.
    """
    family, _, name = spec.partition(":")
    if family not in SCORERS or not name:
        raise TandemError(
            f"unknown judge {spec!r}; texts are marked by one of: {', '.join(_scorer_examples())}"
        )
    chosen = Options(**options)
    for option, given in (
        ("--tie", chosen.tie),
        ("--votes", chosen.votes != Options.votes),
        ("--temperature", chosen.temperature),
    ):
        if given:
            raise TandemError(
                f"{option} is about comparisons, and {spec} marks texts: leave it out"
            )
    return SCORERS[family](name, chosen)


def remake_scorer(spec: JudgeSpec, execution: Mapping[str, Any] | None = None) -> Scorer:
    """The scorer a stored specification describes; see `judging.remake_judge`."""
    how = {name: value for name, value in (execution or {}).items() if name in EXECUTION}
    kept = {name: getattr(spec, name) for name in ("prompt", "mode", "truncation", "base_url")}
    scorer = make_scorer(spec.spec, **kept, **how)
    if scorer.spec.name != spec.name:
        raise TandemError(
            f"{spec.spec!r} is no longer judge {spec.name!r} but {scorer.spec.name!r}; start a "
            "new run"
        )
    return scorer


def _scorer_baseline(name: str, options: Options) -> Scorer:
    from core.judging.judges import reference_metrics

    if options.mode in BY_MODEL:
        raise TandemError(
            f"--mode {options.mode} asks a model, and baseline:{name} is none: leave --mode out"
        )
    return reference_metrics.make(name)


def _scorer_hf(name: str, options: Options) -> Scorer:
    from core.judging.judges.local_scorers import SCORERS as BY_MODE

    return BY_MODE[_mode(options)](name, options)


def _mode(options: Options) -> str:
    if options.mode not in BY_MODEL:
        raise TandemError(
            f"unknown --mode {options.mode!r} for marks; a model has: {', '.join(BY_MODEL)}"
        )
    return options.mode


def _scorer_openai(name: str, options: Options) -> Scorer:
    from core.judging.judges.served_scorers import ServedScorer

    _mode(options)
    return ServedScorer(name, options)


SCORERS: dict[str, Callable[[str, Options], Scorer]] = {
    "baseline": _scorer_baseline,
    "hf": _scorer_hf,
    "openai": _scorer_openai,
}
"""The families of scorers, by what stands before the colon of a SPEC."""


def _metrics() -> tuple[str, ...]:
    from core.judging.judges.reference_metrics import MARKS

    return tuple(MARKS)


def _scorer_examples() -> list[str]:
    return [f"baseline:{name}" for name in _metrics()] + ["hf:NAME-OR-PATH", "openai:MODEL"]
