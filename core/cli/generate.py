"""The commands that let a model write: the texts of a system, or the steps of a prompt."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from core.cli import options, respondent_options
from core.cli.cluster_options import add_cluster
from core.cli.command import Command
from core.cli.follow_run import executed
from core.cli.options import number, whole
from core.cli.output import Answer, warn
from core.cli.progress import Progress, noted
from core.cli.respondent_options import RespondentOptions
from core.cli.trial_lines import failure_lines
from core.judging import evaluation_steps, make_writer, registry
from core.models import Decoding, canonical_body
from core.prices import Prices
from core.runs import Sampled, alike, span
from core.runs import execution as runs
from core.runs import generate as sampling
from core.store import Store


def generate(store: Store, asked: argparse.Namespace) -> Answer:
    given = respondent_options.parsed(store, asked)
    decoding = Decoding(
        asked.model,
        asked.instruction,
        asked.temperature,
        asked.max_tokens,
        asked.seed or 0,
        given.base_url,
        given.system_prompt,
        given.stop,
        canonical_body(given.extra_body),
    )
    wanted = Sampled(
        options.dataset(store, asked), asked.system, decoding, asked.samples, asked.subset or ""
    )
    execution = given.execution
    prices = Prices.stored(execution)
    how = replace(decoding.options(execution), permit=given.permit)
    writer = make_writer(decoding.model, how)
    sampling.check(store, wanted)
    writer.announce = warn
    writer.load()  # before anything is written: a model that is not there is a wrong request
    warn(writer.note)
    run = sampling.enqueue(store, wanted, execution)
    if asked.retry_failed:
        count = runs.retry(store, run, options.failure_kind(asked))
        warn(f"{count} texts that did not come are asked for again")
    progress = Progress()
    result = executed(
        store,
        run,
        writer,
        lambda now: progress(
            f"{wanted.system}: texts", now.done, now.planned, noted(now.situation)
        ),
        asked.limit,
        kept="written",
    )
    warn(runs.part_read(store, run), alike(store, run))
    failed = runs.failures(store, run)
    document: dict[str, Any] = {
        "run": run,
        "system": wanted.system,
        "planned": result.planned,
        "generations": result.done - sum(failed.values()),
        "failed": failed,
        "alike": bool(alike(store, run)),
        "part_read": store.runs.read_in_part(run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "tokens": result.tokens,
        "completion_tokens": result.completion_tokens,
        "cost": round(prices.cost(result.tokens, result.completion_tokens), 6),
        "situation": result.situation,
    }
    text = (
        f"{wanted.system}: {result.answered:,} texts asked for in {span(result.seconds)}, "
        f"{result.already_there:,} were there "
        f"already; {document['generations']:,} of {result.planned:,} written"
    )
    if failed:
        text += (
            "; did not come: "
            f"{', '.join(f'{count:,} {reason}' for reason, count in failed.items())}"
        )
    text = f"{text}; {result.situation}" if result.situation else text
    return Answer(document, "\n".join([text, *failure_lines(failed)]))


def steps(store: Store, asked: argparse.Namespace) -> Answer:
    prompt = evaluation_steps.write(
        store,
        options.dataset(store, asked),
        asked.attribute,
        asked.model,
        respondent_options.parsed(store, asked),
    )
    name = f"{prompt.name}@{prompt.version}"
    text = f"{prompt.template}\n\nstored as the prompt {name}: judge --mode g-eval --prompt {name}"
    return Answer({"prompt": name, "template": prompt.template}, text)


def _steps_options(sub: argparse.ArgumentParser) -> None:
    specs = " or ".join(registry.specs_of(registry.members(["texts"])))
    sub.add_argument("--model", required=True, metavar="SPEC", help=specs)
    RespondentOptions(sub, "model", ("texts",))


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--system",
        required=True,
        metavar="NAME",
        help="name of the new system: one model, one decoding",
    )
    specs = " or ".join(registry.specs_of(registry.members(["texts"])))
    sub.add_argument("--model", required=True, metavar="SPEC", help=specs)
    sub.add_argument(
        "--samples", type=whole(1), default=5, metavar="K", help="texts per item (default 5)"
    )
    sub.add_argument(
        "--temperature",
        type=number(0),
        default=0.5,
        metavar="T",
        help="0 = greedy decoding (default 0.5)",
    )
    sub.add_argument(
        "--instruction",
        required=True,
        metavar="TEXT",
        help="what to write; {context} in it, or the context follows",
    )
    sub.add_argument(
        "--max-tokens",
        type=whole(1),
        default=256,
        metavar="N",
        help="maximum tokens of a text (default 256)",
    )
    RespondentOptions(sub, "model", ("texts",))
    options.add_retry_failed(sub, "for texts that failed")
    sub.add_argument("--limit", type=whole(1), metavar="N", help="stop after N texts")
    add_cluster(sub)


COMMANDS = {
    "generate": Command(
        generate,
        "generate K texts per item; repeat the command to continue",
        _options,
        ("subset", "seed"),
    ),
    "steps": Command(
        steps,
        "let a model write the steps by which it then marks texts (G-Eval)",
        _steps_options,
        ("attribute",),
    ),
}
