"""Commands about runs: judge, runs, worker."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from core.cli import attack, batch, options, respondent_options
from core.cli.cluster_options import add_cluster, spreading
from core.cli.command import Command
from core.cli.follow_run import executed
from core.cli.options import Part, number, told, whole
from core.cli.output import Answer, table, warn
from core.cli.progress import Progress, noted
from core.cli.respondent_options import RespondentOptions
from core.cli.trial_lines import answer_line, explain_failure, failure_lines
from core.failures import count_kinds
from core.findings.judgements import finding, selection
from core.findings.separability import applied
from core.judging import Judge, Scorer, make, prompt_versions, registry
from core.models import cluster
from core.pairing import DRAWS, STRATEGIES, BySeparability, Request, planning
from core.prices import Prices
from core.records import Prompt, TandemError
from core.runs import SPLIT, WORKS, Latency, alike, plans, preview, score, span
from core.runs import execution as runs
from core.runs import worker as workers
from core.store import Store
from core.whole_files import check_is_plain


def judge(store: Store, asked: argparse.Namespace) -> Answer:
    answering, prices = _respondent(store, asked), _prices(store, asked)
    if asked.batch:
        if attack.is_attacked(asked):
            raise TandemError("attacks are asked live: leave out --batch, or --attack")
        marks = isinstance(answering, Scorer)
        request = _marking(store, asked) if marks else _request(store, asked)
        return batch.answer(store, asked, lambda mode: _respondent(store, asked, mode), request)
    run = _planned(store, asked, answering)
    if asked.retry_failed:
        count = runs.retry(store, run, options.failure_kind(asked))
        warn(f"{count} unanswered {_unit(store, run)} are asked again")
    progress = Progress()

    def show(result: runs.Result) -> None:
        spent = prices.cost(result.tokens, result.completion_tokens)
        words = (
            f"{result.failed:,} unanswered" if result.failed or prices.any else "",
            f"{spent:.4f} spent" if prices.any else "",
            result.situation,
        )
        progress(answering.spec.name, result.done, _wanted(result, asked.limit), noted(*words))

    result = executed(store, run, answering, show, asked.limit, kept="answered")
    warn(runs.part_read(store, run), alike(store, run))
    answer = _answered(store, result, answering.spec.name, prices, asked.limit)
    return attack.with_figures(store, run, answer) if attack.is_attacked(asked) else answer


def _wanted(result: runs.Result, limit: int | None) -> int:
    """How many answers there are once the command is through: those planned, or up to its limit."""
    return min(result.planned, result.already_there + (limit or result.planned))


def _answered(
    store: Store, result: runs.Result, judge: str, prices: Prices, limit: int | None
) -> Answer:
    """What came of a run."""
    unit, failures = _unit(store, result.run), runs.failures(store, result.run)
    shortened, took = store.runs.shortened(result.run), Latency.of(store, result.run)
    document = {
        "run": result.run,
        "judge": judge,
        "unit": unit,
        "planned": result.planned,
        "done": result.done,
        "failed": failures,
        "shortened": shortened,
        "split": store.runs.split(result.run),
        "alike": bool(alike(store, result.run)),
        "part_read": store.runs.read_in_part(result.run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "latency": {name: round(value, 6) for name, value in vars(took).items()} if took else None,
        "comparisons_per_second": round(result.per_second, 3),
        "tokens": result.tokens,
        "completion_tokens": result.completion_tokens,
        "cost": round(prices.cost(result.tokens, result.completion_tokens), 6),
        "situation": result.situation,
    }
    failed, reasons = (
        sum(failures.values()),
        ", ".join(f"{count:,} {reason}" for reason, count in failures.items()),
    )
    text = (
        f"{judge}: {result.answered:,} {unit} asked in {span(result.seconds)} "
        f"({result.per_second:,.1f} a second), {result.already_there:,} were there already; "
        f"{result.done:,} of {_wanted(result, limit):,} done, {failed:,} of them "
        f"unanswered{f' ({reasons})' if failed else ''}"
    )
    if _wanted(result, limit) < result.planned:
        text += f"; {result.planned:,} are planned, and the same command goes on"
    if shortened:
        text += f"; the context was shortened for {shortened:,}, being too long for the model"
    if document["split"]:
        text += f"; {SPLIT.format(document['split'])}"
    if result.situation:
        text += f"; {result.situation}"
    text = f"{text}; {took}" if took else text
    return Answer(document, "\n".join([text, *failure_lines(failures)]))


def _unit(store: Store, run: int) -> str:
    return WORKS[store.runs.get(run).task].unit


def _planned(store: Store, asked: argparse.Namespace, answering: Judge | Scorer) -> int:
    """The run that was asked for. Whoever answers loads before anything is written: one that cannot
    work is a wrong request.
    """
    execution = respondent_options.parsed(store, asked).execution
    if attack.is_attacked(asked):
        attacking = attack.parse_attack(asked, _texts(store, asked))
        return attack.enqueue(store, attacking, answering, execution)
    if isinstance(answering, Scorer):
        request = _marking(store, asked)
        score.outlook(store, request)
        answering.load()
        warn(answering.note)
        return score.enqueue_scoring(store, answering.spec, request, execution)
    pairs = _request(store, asked)
    notes = planning.outlook(store, pairs).notes
    answering.load()
    warn(*notes, answering.note)
    return planning.enqueue(store, answering.spec, pairs, execution)


def try_(store: Store, asked: argparse.Namespace) -> Answer:
    answering = _respondent(store, asked)
    request = _marking(store, asked) if isinstance(answering, Scorer) else _request(store, asked)
    tried = preview.trial(store, answering, request, _prices(store, asked), asked.limit)
    warn(tried.note)
    cost = f", cost about {tried.expected_cost:.4f}" if tried.prices.any else ""
    text = (
        f"{tried.planned:,} {tried.unit} by {tried.judge}: about "
        f"{span(tried.expected_seconds)}{cost}"
    )
    return Answer(
        tried.document(), "\n".join([*map(answer_line, tried.document()["answers"]), text])
    )


def _respondent(store: Store, asked: argparse.Namespace, mode: str = "") -> Judge | Scorer:
    """Who answers as was asked, in a `mode` where that was left open."""
    options = respondent_options.parsed(store, asked, _prompt(store, asked))
    answering = make(asked.judge, replace(options, mode=options.mode or mode))
    answering.announce = warn
    return answering


def _prices(store: Store, asked: argparse.Namespace) -> Prices:
    return Prices.stored(respondent_options.parsed(store, asked).execution)


def _texts(store: Store, asked: argparse.Namespace) -> dict[str, Any]:
    """Which texts are asked about, and how often."""
    return {
        "dataset": options.dataset(store, asked),
        "attributes": (asked.attribute,) if asked.attribute else (),
        **told(asked, ["subset", "systems", "samples", "seed", "trial"]),
    }


def _marking(store: Store, asked: argparse.Namespace) -> score.Request:
    return score.checked(store, score.Request(**_texts(store, asked)))


def _request(store: Store, asked: argparse.Namespace) -> Request:
    return planning.checked(
        store,
        Request(
            **_texts(store, asked),
            strategy=asked.pairs or "full",
            drawn=_drawn(store, asked),
            **told(asked, ["budget", "beam_size", "prob_gap", "calibrate"]),
        ),
    )


def _drawn(store: Store, asked: argparse.Namespace) -> tuple[tuple[str, float], ...]:
    """The items that --items-by takes; none without it, which means all."""
    if not asked.items_by:
        return ()
    if asked.by_separability is None:
        raise TandemError(
            "--items-by needs --separability METRIC, such as bertscore-length, measured by "
            "`separability`"
        )
    how = BySeparability(asked.items_by, **told(asked, ["number", "low", "high", "bins"]))
    narrowed = told(asked, ["subset", "systems", "seed"])
    chosen = selection.Selection(options.dataset(store, asked), **narrowed)
    items, unknown = applied.drawn_items(store, chosen, how, asked.by_separability)
    if unknown:
        warn(f"{unknown} items have no separability and are left out")
    return items


def _judge_options(sub: argparse.ArgumentParser) -> None:
    _asking_options(sub)
    add_cluster(sub)
    sub.add_argument("--limit", type=whole(1), metavar="N", help="stop after N answers")
    options.add_retry_failed(sub, "what was not answered")
    batch.add_options(sub)
    attack.attack_options(sub)


def _try_options(sub: argparse.ArgumentParser) -> None:
    _asking_options(sub)
    sub.add_argument(
        "--limit", type=whole(1), default=5, metavar="N", help="how many answers (default 5)"
    )


def _asking_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--judge",
        required=True,
        metavar="SPEC",
        help=", ".join(registry.specs_of(registry.members())),
    )
    sub.add_argument(
        "--samples",
        type=whole(1),
        default=1,
        metavar="N",
        help="texts of each system per item (default 1)",
    )
    sub.add_argument(
        "--trial",
        type=whole(0),
        default=0,
        metavar="N",
        help="another number repeats the whole run",
    )
    RespondentOptions(sub, "judge", registry.JUDGING)
    _pair_options(sub)


def _pair_options(sub: argparse.ArgumentParser) -> None:
    pairs = Part(sub, "judges that compare two texts", _compares, "judge")
    # Of one who marks texts all pairs follow from the marks.
    pairs.add(
        "--pairs",
        choices=tuple(STRATEGIES),
        harmless=True,
        help="which comparisons to ask for (default full)",
    )
    budget = "ordered comparisons per item and attribute; not with full"
    pairs.add("--budget", type=whole(1), metavar="R", harmless=True, help=budget)
    pairs.add(
        "--beam-size", type=whole(1), metavar="N", help="beam size of pairs-beam (default 10)"
    )
    pairs.add(
        "--prob-gap",
        type=number(0),
        metavar="G",
        help="follow both branches where |P - 1/2| < G (default 0.1)",
    )
    pairs.add("--calibrate", action="store_true", help="pairs-*: average both orders")
    pairs.add("--items-by", choices=tuple(DRAWS), help="choose items by separability")
    drawn = Part(sub, f"--items-by {'|'.join(DRAWS)}", lambda asked: asked.items_by)
    drawn.add("--items", type=whole(1), dest="number", metavar="N", help="how many items")
    drawn.add(
        "--separability",
        dest="by_separability",
        metavar="METRIC",
        help="the metric of separability, measured before",
    )
    drawn.add(
        "--from",
        type=float,
        dest="low",
        metavar="D",
        help="minimum separability of an item",
    )
    drawn.add("--to", type=float, dest="high", metavar="D", help="maximum separability")
    binned = Part(
        sub, "--items-by stratified", lambda asked: asked.items_by == "stratified", "items_by"
    )
    binned.add("--bins", type=whole(1), metavar="N", help="how many bins (default 5)")


def _compares(asked: argparse.Namespace) -> bool:
    return registry.find(asked.judge, asked.mode or "").answers == "comparisons"


def _prompt(store: Store, asked: argparse.Namespace) -> Prompt | None:
    if asked.prompt_file:
        check_is_plain(asked.prompt_file)
        try:
            text = asked.prompt_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TandemError(
                f"--prompt-file {asked.prompt_file} cannot be read ({error})"
            ) from error
        name, form = asked.prompt_file.stem, asked.form or ""
        return prompt_versions.edited(store, name, text, asked.mode, form=form)
    named = prompt_versions.template(store, asked.prompt, asked.mode) if asked.prompt else None
    if asked.form:
        return prompt_versions.choose_form(store, asked.form, asked.mode, named)
    return named


def runs_(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.cancel is not None:
        runs.cancel(store, asked.cancel)
    if asked.resume is not None:
        runs.resume(store, asked.resume)
    frame = plans(store)
    waiting = frame["status"].mask(frame["batched"] > 0, "batch")
    shown = frame.assign(status=waiting)[
        [
            "run",
            "kind",
            "dataset",
            "attribute",
            "judge",
            "strategy",
            "status",
            "planned",
            "done",
            "failed",
        ]
    ]
    if frame.empty:
        return Answer(finding.records(frame), "No runs yet.")
    return Answer(finding.records(frame), "\n".join([table(shown), *_failed_runs(frame)]))


def _failed_runs(frame: pd.DataFrame) -> Iterable[str]:
    """Which runs have failures of which kinds, and once of each kind what to do about it."""
    by_run = {
        run: count_kinds(failures)
        for run, failures in zip(frame["run"], frame["failures"], strict=True)
    }
    for run, kinds in by_run.items():
        if kinds:
            yield f"run {run}: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    for kind in dict.fromkeys(kind for kinds in by_run.values() for kind in kinds):
        yield f"{kind}: {explain_failure(kind)}"


def _runs_options(sub: argparse.ArgumentParser) -> None:
    one = sub.add_mutually_exclusive_group()
    one.add_argument("--cancel", type=whole(1), metavar="ID", help="stop a run")
    one.add_argument("--resume", type=whole(1), metavar="ID", help="let it go on")


def worker(store: Store, asked: argparse.Namespace) -> Answer:
    how = spreading(asked)
    if how:
        cluster.check_place(how["on"])
    if store.connection.fault and not asked.stay:
        raise store.connection.fault  # runs could not be executed, and nobody would be told
    if not store.connection.fault:
        store.close()  # the worker opens its own, and anew once what stood in the way is mended
    if asked.stay:
        workers.stay(store.path, how)
    workers.work(store.path, once=asked.once, how=how)
    return Answer({})


def _worker_options(sub: argparse.ArgumentParser) -> None:
    until = sub.add_mutually_exclusive_group()
    until.add_argument("--once", action="store_true", help="stop when the queue is empty")
    until.add_argument(
        "--stay",
        action="store_true",
        help="never stop, as a service; begins the store where there is none",
    )
    add_cluster(sub)


CHOSEN = ("subset", "attribute", "systems", "seed")

COMMANDS = {
    "judge": Command(
        judge, "run a judge on pairs; repeat the command to continue", _judge_options, CHOSEN
    ),
    "try": Command(
        try_, "try a judge on a few pairs without saving the answers", _try_options, CHOSEN
    ),
    "runs": Command(runs_, "list runs and campaigns", _runs_options, reads=None),
    "worker": Command(
        worker, "execute queued runs", _worker_options, reads=None, begins=lambda args: args.stay
    ),
}
