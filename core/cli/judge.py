"""The commands that ask a judge: judge, also by batches of requests, and try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..findings.share import SimulationSettings, simulate_annotators
from ..judging import COMPARING_MODES, PROBES, Batchable, Judge, Scorer, find_probe, registry
from ..labels import describe_duration
from ..models import Options
from ..pairing import Request
from ..prices import Prices
from ..records import TandemError
from ..runs import (
    SPLIT,
    WORKS,
    Latency,
    batch,
    choose_canaries,
    describe_identical_samples,
    load_respondent,
    preview,
)
from ..runs import execution as runs
from ..runs import probe as probe_runs
from ..settings import Part, declare, redeclare
from ..store import Store
from ..whole_files import check_is_plain
from .command import Command
from .output import CommandAnswer, warn
from .respondent_options import PAIRS, AskingRequest, RespondentRequest, include_respondent
from .runs import answer_line, count_wanted, execute_live, failure_lines
from .settings import declare_retry, failure_kind, include_all


@dataclass(frozen=True, kw_only=True)
class JudgeRequest(AskingRequest):
    """Options of `judge`: the judge and the questions, asked live or as a batch, or its probes."""

    respondent: RespondentRequest = include_respondent("judge", registry.JUDGING, spreads=True)
    limit: int | None = declare(None, "stop after N answers", metavar="N", least=1)
    retry_failed: str = declare_retry("what was not answered")
    again: int | None = declare(
        None, "ask again about N items it has answered, to test whether it has changed (`drift`)",
        metavar="N", least=1, part=PAIRS,
    )  # fmt: skip
    batch: str = declare(
        "", "submit the requests as a batch, collect its results, or cancel it",
        choices=dict.fromkeys(("submit", "collect", "cancel"), ""),
    )  # fmt: skip
    requests: Path | None = declare(
        None, "write the requests to FILE (.jsonl), not to the server's files", metavar="FILE",
        output="new file",
        part=Part("--batch submit", lambda given: given["batch"] == "submit"),
    )  # fmt: skip
    results: tuple[Path, ...] = declare(
        (), "files of results; without it the server is asked", metavar="FILE",
        part=Part("--batch collect", lambda given: given["batch"] == "collect"),
    )  # fmt: skip
    probe: tuple[str, ...] = declare(
        (), lambda: f"ask again with a text changed: {', '.join(PROBES)}, or a sentence to add",
        metavar="NAME",
    )  # fmt: skip
    probe_number: int = redeclare(
        probe_runs.ProbeRequest, "number", option="number",
        part=Part("--probe NAME", lambda given: bool(given["probe"])),
    )  # fmt: skip
    simulated: SimulationSettings = include_all(
        part=PAIRS, parts={"examples": Part("--annotators N", lambda given: given["annotators"])}
    )

    def plan(self, store: Store, answering: Judge | Scorer) -> preview.JudgingRequest:
        """Return the request to a judge: canaries, or what `AskingRequest` plans."""
        if self.again is None:
            return super().plan(store, answering)
        about, name = self.selection, answering.spec.name
        return choose_canaries(store, about.dataset, name, self.again, seed=about.seed)


def judge(store: Store, asked: JudgeRequest) -> CommandAnswer:
    """Judge pairs or texts by a model as a run, live or in a batch, or probe the judge."""
    given = asked.respondent.make_options(store)
    if asked.batch:
        if asked.probe:
            raise TandemError("probes are asked live: leave out --batch, or --probe")
        return answer_batch(store, asked, given)
    answering = asked.make_judge(given)
    if asked.simulated.annotators:
        return _ask_annotators(store, asked, given, answering)
    return _ask(store, asked, given, answering)


def _ask_annotators(
    store: Store, asked: JudgeRequest, given: Options, answering: Judge | Scorer
) -> CommandAnswer:
    prompts = simulate_annotators(store, asked.selection, answering.spec, asked.simulated)
    if len(prompts) < asked.simulated.annotators:
        warn(f"only {len(prompts)} are different: people gave few votes")
    answers = [_ask(store, asked, replace(given, prompt=prompt)) for prompt in prompts]
    warn("`share --signal annotators` says where they agree")
    return CommandAnswer(
        {"runs": [one.document for one in answers]}, "\n".join(one.text for one in answers)
    )


def _ask(
    store: Store, asked: JudgeRequest, given: Options, answering: Judge | Scorer | None = None
) -> CommandAnswer:
    answering, prices = answering or asked.make_judge(given), Prices.from_execution(given.execution)
    run = _enqueue(store, asked, answering, given.execution)
    if asked.retry_failed:
        count = runs.retry(store, run, failure_kind(asked.retry_failed))
        warn(f"{count} unanswered {_unit(store, run)} are asked again")
    result = answer_live(store, run, answering, prices, asked.limit)
    if asked.probe:
        warn("`probes` says what the changes do to this judge")
    return _render_run(store, result, answering.spec.name, prices, asked.limit)


def answer_live(
    store: Store, run: int, answering: Judge | Scorer, prices: Prices, limit: int | None
) -> runs.ExecutionResult:
    """Execute a run here and now, or follow whoever does, and show how far it is."""

    def describe(now: runs.ExecutionResult) -> Iterator[str]:
        if now.failed or prices.has_any:
            yield f"{now.failed:,} unanswered"
        if prices.has_any:
            yield f"{prices.cost(now.tokens, now.completion_tokens):.4f} spent"

    name = answering.spec.name
    result = execute_live(store, run, answering, name, limit, kept="answered", notes=describe)
    warn(runs.describe_partial_reads(store, run), describe_identical_samples(store, run))
    return result


def _render_run(
    store: Store, result: runs.ExecutionResult, judge: str, prices: Prices, limit: int | None
) -> CommandAnswer:
    unit, failures = _unit(store, result.run), runs.failures(store, result.run)
    shortened = store.run_counts.count_shortened(result.run)
    took = Latency.from_run(store, result.run)
    document = {
        "run": result.run,
        "judge": judge,
        "unit": unit,
        "planned": result.planned,
        "done": result.done,
        "failed": failures,
        "shortened": shortened,
        "split": store.run_counts.split(result.run),
        "alike": bool(describe_identical_samples(store, result.run)),
        "part_read": store.run_counts.read_in_part(result.run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "latency": {name: round(value, 6) for name, value in vars(took).items()} if took else None,
        "comparisons_per_second": round(result.per_second, 3),
        "tokens": result.tokens,
        "completion_tokens": result.completion_tokens,
        "cost": round(prices.cost(result.tokens, result.completion_tokens), 6),
        "situation": result.situation,
    }
    failed = sum(failures.values())
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in failures.items())
    text = (
        f"{judge}: {result.answered:,} {unit} asked in {describe_duration(result.seconds)} "
        f"({result.per_second:,.1f} a second), {result.already_there:,} were there already; "
        f"{result.done:,} of {count_wanted(result, limit):,} done, {failed:,} "
        f"unanswered{f' ({reasons})' if failed else ''}"
    )
    if count_wanted(result, limit) < result.planned:
        text += f"; {result.planned:,} are planned, and the same command goes on"
    if shortened:
        text += f"; the context was shortened for {shortened:,}, being too long for the model"
    if document["split"]:
        text += f"; {SPLIT.format(document['split'])}"
    if result.situation:
        text += f"; {result.situation}"
    text = f"{text}; {took}" if took else text
    return CommandAnswer(document, "\n".join([text, *failure_lines(failures)]))


def _unit(store: Store, run: int) -> str:
    return WORKS[store.runs.get(run).task].unit


def _enqueue(
    store: Store, asked: JudgeRequest, answering: Judge | Scorer, execution: Mapping[str, Any]
) -> int:
    if asked.probe:
        asked.refuse_item_set("probes")
        probes = tuple(map(find_probe, dict.fromkeys(asked.probe)))
        texts = vars(asked.find_texts())
        probing = probe_runs.ProbeRequest(**texts, probes=probes, number=asked.probe_number)
        load_respondent(store, answering)
        warn(answering.note)
        return probe_runs.enqueue(store, answering, probing, execution)
    return enqueue_live(store, asked.plan(store, answering), answering, execution)


def enqueue_live(
    store: Store,
    request: preview.JudgingRequest,
    answering: Judge | Scorer,
    execution: Mapping[str, Any],
) -> int:
    """Enqueue a planned run and return its id. The judge loads before anything is written."""
    _, notes = preview.outlook(store, request)
    load_respondent(store, answering)
    warn(*notes, answering.note)
    return preview.enqueue(store, answering.spec, request, execution)


def try_(
    store: Store,
    asked: AskingRequest,
    limit: int = declare(5, "how many answers", metavar="N", least=1),
) -> CommandAnswer:
    """Try a judge on a few pairs or texts, and estimate the time and cost of the whole run."""
    given = asked.respondent.make_options(store)
    answering = asked.make_judge(given)
    request, prices = asked.plan(store, answering), Prices.from_execution(given.execution)
    tried = preview.trial(store, answering, request, prices, limit)
    warn(tried.note)
    cost = f", cost about {tried.expected_cost:.4f}" if tried.prices.has_any else ""
    text = (
        f"{tried.planned:,} {tried.unit} by {tried.judge}: about "
        f"{describe_duration(tried.expected_seconds)}{cost}"
    )
    document = tried.document()
    return CommandAnswer(document, "\n".join([*map(answer_line, document["answers"]), text]))


def answer_batch(store: Store, asked: JudgeRequest, given: Options) -> CommandAnswer:
    """Submit a batch, collect its results or give it up, and report on it.

    `given` are the judge's options.
    """
    first = asked.make_judge(given)
    request = asked.plan(store, first)
    if asked.batch == "submit":
        return _submit(store, asked, *batch.check_batchable(first, request), given)
    judge, run = _find_submitted(store, asked, request, given)
    if asked.batch == "cancel":
        given_up = batch.give_up(store, run, judge)
        warn(*given_up.not_stopped)
        count = given_up.comparisons
        text = f"{judge.spec.name}: {count:,} comparisons no longer wait, and may be asked again"
        document = {"run": run, "judge": judge.spec.name, "given_up": count}
        return CommandAnswer(document | {"not_stopped": list(given_up.not_stopped)}, text)
    return _collect(store, asked.results, judge, run, Prices.from_execution(given.execution))


def _find_submitted(
    store: Store, asked: JudgeRequest, request: object, given: Options
) -> tuple[Batchable, int]:
    """Find the judge that was submitted as a batch, and its run. The mode is that of the
    submission. No server is asked for it, as the server may be gone. Raises TandemError if no run
    matches, or more than one.
    """
    there: dict[str, tuple[Batchable, int]] = {}
    ended: dict[str, tuple[Batchable, int]] = {}
    for mode in [given.mode] if given.mode else COMPARING_MODES:
        judge, pairs = batch.check_batchable(asked.make_judge(given, mode), request)
        known = store.judges.find_id(judge.spec.name)
        run = store.runs.find(pairs.dataset, "compare", pairs.settings(), judge=known)
        if run is not None and store.batches.has_any(run):
            (there if store.batches.open(run) else ended)[mode] = judge, run
    if asked.results:  # what has come may be read again
        there = there or ended
    if not there:
        raise TandemError(
            f"nothing of {asked.judge} waits for a batch as it was asked: --batch submit, or "
            "give the options of the submit"
        )
    if len(there) > 1:
        modes = " and ".join(there)
        raise TandemError(f"{asked.judge} waits in the modes {modes}: choose one (--mode)")
    [found] = there.values()
    return found


def _submit(
    store: Store, asked: JudgeRequest, judge: Batchable, request: Request, given: Options
) -> CommandAnswer:
    to = asked.requests
    contacted = not (to and given.mode)
    if contacted:
        load_respondent(store, judge)
        warn(judge.note)
    again, kind = bool(asked.retry_failed), failure_kind(asked.retry_failed)
    run = batch.begin(store, judge, request, given.execution, retry=again, kind=kind)
    done = batch.submit(store, run, judge, to=to, asked=contacted, limit=asked.limit)
    text = "nothing new to submit"
    if done.names:
        text = (
            f"{done.comparisons:,} comparisons in {done.requests:,} requests "
            f"{'written to' if to else 'submitted as'} {', '.join(done.names)}"
        )
    text = f"{judge.spec.name}: {text}; {done.waiting:,} wait for their answers (--batch collect)"
    return CommandAnswer({"judge": judge.spec.name, **vars(done)}, text)


def _collect(
    store: Store, results: Sequence[Path], judge: Batchable, run: int, prices: Prices
) -> CommandAnswer:
    done = (
        batch.collect(store, run, judge, _lines(results))
        if results
        else batch.collect_at_server(store, run, judge)
    )
    if done.unknown:
        warn(
            f"batches not fetched, and left open: {done.unknown:,}; collect with the key and "
            "project of the submit, or cancel (--batch cancel)"
        )
    if done.too_long:
        warn(
            f"{done.too_long:,} prompts were too long for the model: --retry-failed without "
            "--batch asks them with a shorter context"
        )
    cost = round(prices.cost(done.tokens, done.completion_tokens), 6)
    spent = f", {cost:.4f} spent" if prices.has_any else ""
    text = "; ".join([*done.states, f"{judge.spec.name}: {done}{spent}"])
    return CommandAnswer({"judge": judge.spec.name, **vars(done), "cost": cost}, text)


def _lines(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        check_is_plain(file)
        try:
            with file.open(encoding="utf-8", errors="replace") as lines:
                yield from lines
        except OSError as error:
            raise TandemError(f"--results {file} cannot be read ({error.strerror})") from error


CHOSEN = ("subset", "attribute", "systems", "seed", "item_set")

COMMANDS = {"judge": Command(judge, reads=CHOSEN), "try": Command(try_, reads=CHOSEN)}
