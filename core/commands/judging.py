"""Commands about runs: judge, runs, worker."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import marking, planning, reports, runs, scoring, selections, separable, templates, trial
from core import worker as workers
from core.adaptive import STRATEGIES
from core.commands import options, server
from core.commands.answers import Answer, BrokenError, table
from core.commands.command import Command
from core.commands.following import executed
from core.commands.options import number, whole
from core.commands.progress import Progress
from core.drawing import DRAWS, BySeparability
from core.judging import Judge
from core.planning import Request
from core.records import Prompt, TandemError
from core.reports import span
from core.scoring import Scorer
from core.store import Store
from core.works import WORKS


def judge(store: Store, asked: argparse.Namespace) -> Answer:
    execution, prices = server.execution(asked), server.prices(asked)
    answering = scoring.make(asked.judge, **_options(store, asked), **execution)
    run = _planned(store, asked, answering, {**execution, **vars(prices)})
    unit = WORKS[store.run(run).task].unit
    if asked.retry_failed:
        print(f"tandem: {runs.retry(store, run)} unanswered {unit} are asked again", file=sys.stderr)
    progress = Progress()

    def show(result: runs.Result) -> None:
        failed = sum(runs.failures(store, run).values())
        cost = f", {prices.cost(result.tokens, result.completion_tokens):.4f} spent" if prices.any else ""
        noted = f" ({failed} unanswered{cost})" if failed or cost else ""
        progress(f"{answering.spec.name}{noted}", result.done, result.planned)

    try:
        result = executed(store, run, answering, show, asked.limit)
    except Exception as error:
        raise BrokenError(f"{error}; what was answered is kept, and the same command continues") from error
    document = {
        "run": run,
        "judge": answering.spec.name,
        "unit": unit,
        "planned": result.planned,
        "done": result.done,
        "failed": runs.failures(store, run),
        "shortened": store.run_shortened(run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "comparisons_per_second": round(result.per_second, 3),
        "tokens": result.tokens,
        "completion_tokens": result.completion_tokens,
        "cost": round(prices.cost(result.tokens, result.completion_tokens), 6),
    }
    failures = runs.failures(store, run)
    failed, reasons = sum(failures.values()), ", ".join(f"{count:,} {reason}" for reason, count in failures.items())
    text = (
        f"{answering.spec.name}: {result.answered:,} {unit} asked in {span(result.seconds)} "
        f"({result.per_second:,.1f} a second), {result.already_there:,} were there already; "
        f"{result.done:,} of {result.planned:,} done, {failed:,} of them unanswered{f' ({reasons})' if failed else ''}"
    )
    if document["shortened"]:
        text += f"; the context was shortened for {document['shortened']:,}, being too long for the model"
    return Answer(document, text)


def _planned(store: Store, asked: argparse.Namespace, answering: Judge | Scorer, execution: Mapping[str, Any]) -> int:
    """The run that was asked for. Whoever answers loads before anything is written: one that cannot work is a wrong request."""
    if isinstance(answering, Scorer):
        request = _marking(store, asked)
        marking.outlook(store, request)
        answering.load()
        return marking.enqueue_scoring(store, answering.spec, request, execution)
    pairs = _request(store, asked)
    notes = planning.outlook(store, pairs).notes
    answering.load()
    for note in [*notes, *([answering.note] if answering.note else [])]:
        print(f"tandem: {note}", file=sys.stderr)
    return planning.enqueue(store, answering.spec, pairs, execution)


def try_(store: Store, asked: argparse.Namespace) -> Answer:
    answering = scoring.make(asked.judge, **_options(store, asked), **server.execution(asked))
    request = _marking(store, asked) if isinstance(answering, Scorer) else _request(store, asked)
    tried = trial.trial(store, answering, request, server.prices(asked), asked.limit or 5)
    cost = f", cost about {tried.expected_cost:.4f}" if tried.prices.any else ""
    text = f"{tried.planned:,} {tried.unit} by {tried.judge}: about {span(tried.expected_seconds)}{cost}"
    return Answer(tried.document(), "\n".join([*map(_said, tried.document()["answers"]), text]))


def _said(one: Mapping[str, Any]) -> str:
    """One answer of a trial in a line."""
    given = one["failure"] or (f"{one['value']:.4g}" if "value" in one else str(one["outcome"]))
    sure = "" if one.get("prob_a") is None else f" (p {one['prob_a']:.3f})"
    return f"{one['attribute']}: {given}{sure}"


def _texts(store: Store, asked: argparse.Namespace) -> dict[str, Any]:
    """Which texts are asked about, and how often."""
    return {
        "dataset": options.dataset(store, asked),
        "attributes": (asked.attribute,) if asked.attribute else (),
        "subset": asked.subset or "",
        "systems": tuple(asked.systems),
        "samples": asked.samples,
        "seed": asked.seed,
        "trial": asked.trial,
    }


def _marking(store: Store, asked: argparse.Namespace) -> marking.Request:
    of_pairs = ("pairs", "budget", "beam_size", "prob_gap", "calibrate", "items_by", "by_separability", "by_items")
    for name in (*of_pairs, "by_from", "by_to", "by_bins"):
        if getattr(asked, name):
            option = name.removeprefix("by_").replace("_", "-")
            raise TandemError(f"--{option} chooses pairs, and {asked.judge} marks each text once: leave it out")
    return marking.checked(store, marking.Request(**_texts(store, asked)))


def _request(store: Store, asked: argparse.Namespace) -> Request:
    return planning.checked(
        store,
        Request(
            **_texts(store, asked),
            strategy=asked.pairs or "full",
            budget=asked.budget,
            beam_size=asked.beam_size,
            prob_gap=asked.prob_gap,
            calibrate=asked.calibrate,
            drawn=_drawn(store, asked),
        ),
    )


def _drawn(store: Store, asked: argparse.Namespace) -> tuple[tuple[str, float], ...]:
    """The items that --items-by takes; none without it, which means all."""
    given = [
        name for name in ("items", "separability", "from", "to", "bins") if getattr(asked, f"by_{name}") is not None
    ]
    if not asked.items_by:
        if given:
            raise TandemError(
                f"--{given[0]} belongs to --items-by {'|'.join(DRAWS)}, which chooses items by separability"
            )
        return ()
    if asked.by_separability is None:
        raise TandemError(
            "--items-by needs --separability METRIC, such as bertscore-length, measured by `separability`"
        )
    default = BySeparability(number=1)
    how = BySeparability(
        asked.items_by,
        asked.by_items,
        default.low if asked.by_from is None else asked.by_from,
        default.high if asked.by_to is None else asked.by_to,
        default.bins if asked.by_bins is None else asked.by_bins,
    )
    items, unknown = separable.drawn_items(
        store,
        options.dataset(store, asked),
        how,
        metric=asked.by_separability,
        systems=asked.systems,
        subset=asked.subset,
        seed=asked.seed,
    )
    if unknown:
        print(f"tandem: {unknown} items have no separability and are left out", file=sys.stderr)
    return items


def _options(store: Store, asked: argparse.Namespace) -> dict[str, Any]:
    """What can change an answer, as `make_judge` takes it; what was not given is left to the judge."""
    _must_matter(asked)
    given = {
        "prompt": _prompt(store, asked),
        "mode": asked.mode,
        "votes": asked.votes,
        "temperature": asked.temperature,
        "base_url": asked.base_url,
        "truncation": asked.truncation,
    }
    return {"seed": asked.seed, "tie": asked.tie, **{name: value for name, value in given.items() if value is not None}}


def _must_matter(asked: argparse.Namespace) -> None:
    """Refuses an option that would be passed over: whoever gives it expects other answers."""
    family = asked.judge.partition(":")[0]
    of_models = ("mode", "prompt", "prompt_file", "votes", "temperature", "tie", "truncation", "base_url")
    given = [f"--{name.replace('_', '-')}" for name in of_models if getattr(asked, name) not in (None, False)]
    if family == "baseline" and given:
        value = f" {asked.mode}" if given[0] == "--mode" else ""
        raise TandemError(f"{given[0]}{value} asks a model, and {asked.judge} is none: leave {given[0]} out")
    if family == "hf" and asked.base_url is not None:
        raise TandemError(f"--base-url is of openai: judges, and {asked.judge} runs on this machine: leave it out")
    unsampled = ("classifier", "generate", *([None] if family == "hf" else []))
    if asked.votes is not None and family in ("hf", "openai") and asked.mode in unsampled:
        raise TandemError(f"--votes {asked.votes} belongs to --mode sample: take that mode, or leave --votes out")


def _judge_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--judge", required=True, metavar="SPEC", help="baseline:NAME, hf:NAME-OR-PATH, openai:MODEL")
    sub.add_argument("--pairs", choices=STRATEGIES, help="which comparisons to ask for (default full)")
    sub.add_argument("--budget", type=whole(1), metavar="R", help="ordered comparisons per item and attribute")
    sub.add_argument("--samples", type=whole(1), default=1, metavar="N")
    sub.add_argument("--beam-size", type=whole(1), metavar="N", help="branches pairs-beam follows (default 10)")
    sub.add_argument("--prob-gap", type=number(0), metavar="G", help="both branches where |P - 1/2| < G (default 0.1)")
    sub.add_argument("--calibrate", action="store_true", help="pairs-*: the mean of both orders")
    sub.add_argument("--items-by", choices=tuple(DRAWS), help="only some items, by how separable their texts are")
    sub.add_argument("--items", type=whole(1), dest="by_items", metavar="N", help="how many items")
    sub.add_argument(
        "--separability", dest="by_separability", metavar="METRIC", help="by which metric, measured before"
    )
    sub.add_argument("--from", type=float, dest="by_from", metavar="D", help="only items of at least this separability")
    sub.add_argument("--to", type=float, dest="by_to", metavar="D", help="and at most this")
    sub.add_argument("--bins", type=whole(1), dest="by_bins", metavar="N", help="of --items-by stratified (default 5)")
    prompt = sub.add_mutually_exclusive_group()
    prompt.add_argument("--prompt", metavar="NAME")
    prompt.add_argument("--prompt-file", type=Path, metavar="F")
    sub.add_argument("--mode", help="classifier, generate, sample; score, g-eval, gptscore (default: the judge's own)")
    sub.add_argument(
        "--votes", type=whole(1), metavar="K", help="of --mode sample: how many sampled answers (default 5)"
    )
    sub.add_argument("--temperature", type=number(0), metavar="T", help="of --mode sample")
    sub.add_argument("--tie", action="store_true", help="offer a third answer: neither is better")
    sub.add_argument(
        "--truncation", type=whole(16), metavar="N", help="most tokens of a prompt; the context is shortened"
    )
    server.add(sub)
    sub.add_argument("--trial", type=whole(0), default=0, metavar="N")
    sub.add_argument("--retry-failed", action="store_true", help="withdraw what was not answered and ask just that")
    sub.add_argument("--limit", type=whole(1), metavar="N", help="stop after N answers")


def _prompt(store: Store, asked: argparse.Namespace) -> Prompt | None:
    if asked.prompt_file:
        try:
            text = asked.prompt_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TandemError(f"--prompt-file {asked.prompt_file} cannot be read ({error})") from error
        return templates.edited(store, asked.prompt_file.stem, text, asked.mode)
    return templates.template(store, asked.prompt, asked.mode) if asked.prompt else None


def runs_(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.cancel is not None:
        runs.cancel(store, asked.cancel)
    if asked.resume is not None:
        runs.resume(store, asked.resume)
    frame = reports.plans(store)
    shown = frame[["run", "kind", "dataset", "attribute", "judge", "strategy", "status", "planned", "done", "failed"]]
    return Answer(selections.records(frame), table(shown) if len(frame) else "No runs yet.")


def _runs_options(sub: argparse.ArgumentParser) -> None:
    one = sub.add_mutually_exclusive_group()
    one.add_argument("--cancel", type=whole(1), metavar="ID")
    one.add_argument("--resume", type=whole(1), metavar="ID")


def worker(store: Store, asked: argparse.Namespace) -> Answer:
    workers.work(store.path, once=asked.once)
    return Answer({})


def _worker_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--once", action="store_true", help="end when nothing is queued")


COMMANDS = {
    "judge": Command(judge, "run a judge over pairs; the same again continues", _judge_options),
    "try": Command(try_, "a judge's first answers, kept nowhere: what a run would take", _judge_options),
    "runs": Command(runs_, "runs and campaigns with their state", _runs_options, selects=False),
    "worker": Command(worker, "execute queued runs", _worker_options, selects=False),
}
