"""The commands that let a model write: the texts of a system, or the steps of a prompt."""

from __future__ import annotations

from dataclasses import MISSING, replace
from typing import Any

from ..findings.judgements import Selection
from ..judging import make_writer, registry, write_steps
from ..labels import describe_duration
from ..models import Decoding, canonical_body
from ..prices import Prices
from ..runs import GenerationRequest, describe_identical_samples, load_respondent
from ..runs import execution as runs
from ..runs import generate as sampling
from ..settings import declare, redeclare
from ..store import Store
from .command import Command
from .output import CommandAnswer, warn
from .respondent_options import RespondentRequest, include_respondent
from .runs import execute_live, failure_lines
from .settings import declare_retry, failure_kind, include


def _list_models() -> str:
    return " or ".join(registry.specs_of(registry.members(["texts"])))


MODEL: Any = declare(MISSING, _list_models, metavar="SPEC")


def generate(
    store: Store,
    selection: Selection = include(),
    system: str = declare(
        MISSING, "name of the new system, a model with its decoding settings", metavar="NAME"
    ),
    model: str = MODEL,
    samples: int = redeclare(GenerationRequest, "samples"),
    instruction: str = redeclare(Decoding, "instruction"),
    temperature: float = redeclare(Decoding, "temperature"),
    max_tokens: int = redeclare(Decoding, "max_tokens"),
    respondent: RespondentRequest = include_respondent("model", ("texts",), spreads=True),
    retry_failed: str = declare_retry("for texts that failed"),
    limit: int | None = declare(None, "stop after N texts", metavar="N", least=1),
) -> CommandAnswer:
    """Generate texts of a system by a model as a run; report counts, tokens and cost."""
    given = respondent.make_options(store)
    told = given.seed, given.base_url, given.system_prompt, given.stop
    body = canonical_body(given.extra_body)
    decoding = Decoding(model, instruction, temperature, max_tokens, *told, body)
    subset = selection.subset or ""
    wanted = GenerationRequest(selection.dataset, system, decoding, samples, subset)
    execution = given.execution
    prices = Prices.from_execution(execution)
    writer = make_writer(model, replace(decoding.options(execution), permit=given.permit))
    sampling.check(store, wanted)
    writer.announce = warn
    # Before anything is written: a model that is not there is a wrong request.
    load_respondent(store, writer)
    warn(writer.note)
    run = sampling.enqueue(store, wanted, execution)
    if retry_failed:
        count = runs.retry(store, run, failure_kind(retry_failed))
        warn(f"{count} missing texts are asked for again")
    result = execute_live(store, run, writer, f"{system}: texts", limit, kept="written")
    warn(runs.describe_partial_reads(store, run), describe_identical_samples(store, run))
    failed = runs.failures(store, run)
    document: dict[str, Any] = {
        "run": run,
        "system": system,
        "planned": result.planned,
        "generations": result.done - sum(failed.values()),
        "failed": failed,
        "alike": bool(describe_identical_samples(store, run)),
        "part_read": store.run_counts.read_in_part(run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "tokens": result.tokens,
        "completion_tokens": result.completion_tokens,
        "cost": round(prices.cost(result.tokens, result.completion_tokens), 6),
        "situation": result.situation,
    }
    text = (
        f"{system}: {result.answered:,} texts asked for in "
        f"{describe_duration(result.seconds)}, {result.already_there:,} were there already; "
        f"{document['generations']:,} of {result.planned:,} written"
    )
    if failed:
        kinds = ", ".join(f"{count:,} {reason}" for reason, count in failed.items())
        text += f"; did not come: {kinds}"
    text = f"{text}; {result.situation}" if result.situation else text
    return CommandAnswer(document, "\n".join([text, *failure_lines(failed)]))


def steps(
    store: Store,
    selection: Selection = include(),
    model: str = MODEL,
    respondent: RespondentRequest = include_respondent("model", ("texts",)),
) -> CommandAnswer:
    """Write evaluation steps for an attribute by a model, and store them as a G-Eval prompt."""
    options = respondent.make_options(store)
    prompt = write_steps(store, selection.dataset, selection.attribute, model, options)
    name = f"{prompt.name}@{prompt.version}"
    text = f"{prompt.template}\n\nstored as the prompt {name}: judge --mode g-eval --prompt {name}"
    return CommandAnswer({"prompt": name, "template": prompt.template}, text)


COMMANDS = {
    "generate": Command(generate, reads=("subset", "seed")),
    "steps": Command(steps, reads=("attribute",)),
}
