"""What each command does: its arguments -> the answer, as a document for scripts and as text for people."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core import bias as biases
from core import correlating, datasets, exports, rankings, reports, runs, sample, selections
from core.judging import Judge, make_judge
from core.prompts import PROMPTS, check
from core.rankings import RankSettings
from core.records import Dataset, Kind, Prompt, Status, TandemError
from core.reports import span
from core.runs import Request
from core.selections import Selection
from core.store import Store

FOLLOWING_SECONDS = 1.0  # how often one looks how far another process has come


class BrokenError(Exception):
    """Something broke while running; what was finished is kept."""


@dataclass(frozen=True)
class Answer:
    """What a command says."""

    document: Any
    text: str = ""
    status: int = 0


class Progress:
    """One line on standard error: rewritten on a terminal, else a new one every few seconds. What is quick says nothing."""

    def __init__(self) -> None:
        self.next = time.monotonic() + (0.2 if sys.stderr.isatty() else 5.0)
        self.shown = False
        self.origin = (0.0, sys.maxsize)  # when this stage was first heard of, and how far it was then

    def __call__(self, what: str, done: int, of: int) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if done < self.origin[1]:
            self.origin = (now, done)
        if now < self.next and not (self.shown and done == of):
            return
        self.shown = True
        self.next = now + (0.2 if terminal else 5.0)
        # The pace since then: what came before, loading a model say, is over.
        spent, came = now - self.origin[0], done - self.origin[1]
        left = f", about {span(spent / came * (of - done))} left" if came and done < of else ""
        line = f"{what} {done:,}" + (f" of {of:,} ({done / of:.0%}){left}" if of else "")
        print(
            f"\r\x1b[K{line}" if terminal else line,
            end="" if terminal and done != of else "\n",
            file=sys.stderr,
            flush=True,
        )


def import_(store: Store, asked: argparse.Namespace) -> Answer:
    pairs = [text.partition("=") for text in asked.map]
    wrong = [field for field, sign, column in pairs if not (field and sign and column)]
    if wrong:
        raise TandemError(f"--map {wrong[0]} should be FIELD=COLUMN, such as --map item=doc_id")
    dataset = Dataset(
        asked.dataset, asked.source, asked.licence, asked.context_noun, asked.candidate_noun, asked.instructions
    )
    progress = Progress()
    found = datasets.survey(
        store,
        asked.paths,
        dataset,
        layout=asked.format,
        mapping={field: column for field, _, column in pairs},
        kind=Kind(asked.kind),
        progress=progress,
    )
    # Only now does a store that was not there come into being: a refused import leaves nothing behind.
    with nullcontext(store) if store.path == asked.store else Store(asked.store) as target:
        report = datasets.write(target, found, progress=progress)
    read = "\n".join(f"{file}: read as {datasets.LAYOUTS[layout].title}" for file, layout in report.layouts.items())
    counts = pd.DataFrame({"in the files": report.held, "added": report.added})
    where = [
        f"  {one.get('file', '')} row {one['row']}: {one['reason']}".replace("   row", "  row")
        for one in report.skipped
    ]
    skipped = f"{len(where)} of {report.rows:,} rows skipped" + (":" if where else "")
    more = [f"  and {len(where) - 20} more; --json lists all"] if len(where) > 20 else []
    return Answer(report.document(), "\n".join([read, table(counts, index=True), skipped, *where[:20], *more]))


def datasets_(store: Store, asked: argparse.Namespace) -> Answer:
    frame = store.datasets()[["dataset", *datasets.COUNTS]]
    return Answer(selections.records(frame), table(frame) if len(frame) else "The store is empty: import something.")


def describe(store: Store, asked: argparse.Namespace) -> Answer:
    found = reports.describe(store, _selection(store, asked))
    parts = [f"{name}\n{table(frame)}" for name, frame in found.frames.items() if len(frame)]
    return Answer(found.document(), "\n\n".join(parts) or "Nothing yet.")


def judge(store: Store, asked: argparse.Namespace) -> Answer:
    dataset = _dataset(store, asked)
    prompt = _prompt(store, asked)
    answering = make_judge(asked.judge, seed=asked.seed, prompt=prompt, mode=asked.mode)
    request = runs.checked(
        store,
        Request(
            dataset=dataset,
            strategy=asked.pairs,
            budget=asked.budget,
            attributes=(asked.attribute,) if asked.attribute else (),
            subset=asked.subset or "",
            systems=tuple(asked.systems),
            samples=asked.samples,
            seed=asked.seed,
            trial=asked.trial,
            beam_size=asked.beam_size,
            prob_gap=asked.prob_gap,
            calibrate=asked.calibrate,
        ),
    )
    for note in runs.outlook(store, request).notes:
        print(f"tandem: {note}", file=sys.stderr)
    answering.load()  # before anything is written: a judge that cannot work is a wrong request
    run = runs.enqueue(store, answering.spec, request)
    if asked.retry_failed:
        print(f"tandem: {runs.retry(store, run)} unanswered comparisons are asked again", file=sys.stderr)
    progress = Progress()

    def show(result: runs.Result) -> None:
        failed = sum(store.run_failures(run).values())
        progress(f"{answering.spec.name}{f' ({failed} unanswered)' if failed else ''}", result.done, result.planned)

    try:
        result = _executed(store, run, answering, asked.limit, show)
    except Exception as error:
        raise BrokenError(f"{error}; what was answered is kept, and the same command continues") from error
    document = {
        "run": run,
        "judge": answering.spec.name,
        "planned": result.planned,
        "done": result.done,
        "failed": store.run_failures(run),
        "already_there": result.already_there,
        "seconds": round(result.seconds, 3),
        "comparisons_per_second": round(result.per_second, 3),
        "tokens": result.tokens,
        "cost": 0.0,
    }
    failed = sum(store.run_failures(run).values())
    text = (
        f"{answering.spec.name}: {result.answered:,} comparisons asked in {span(result.seconds)} "
        f"({result.per_second:,.1f} a second), {result.already_there:,} were there already; "
        f"{result.done:,} of {result.planned:,} done, {failed:,} of them unanswered"
    )
    return Answer(document, text)


def _executed(
    store: Store, run: int, judge: Judge, limit: int | None, show: Callable[[runs.Result], None]
) -> runs.Result:
    """Execute a run or, while another process does, follow it until it ends; should that one die, take its place."""
    only_from = tuple(Status)
    while True:
        try:
            return runs.execute(store, run, judge=judge, limit=limit, only_from=only_from, progress=show)
        except runs.BusyError:
            show(runs.standing(store, run))
        only_from = (Status.QUEUED, Status.RUNNING, Status.DONE)  # a stop or a failure of the other one is ours, too
        time.sleep(FOLLOWING_SECONDS)
        now = runs.standing(store, run)
        if now.status is Status.FAILED:
            raise TandemError(
                f"run {run} broke in another process: {store.plans(kind='run').set_index('run').error[run]}"
            )
        if now.status not in (Status.QUEUED, Status.RUNNING):
            return now


def _prompt(store: Store, asked: argparse.Namespace) -> Prompt | None:
    if asked.prompt_file:
        try:
            template = asked.prompt_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TandemError(f"--prompt-file {asked.prompt_file} cannot be read ({error})") from error
        check(template)
        return store.versioned(asked.prompt_file.stem, template)
    if asked.prompt and asked.prompt not in PROMPTS:
        raise TandemError(f"unknown prompt {asked.prompt!r}; there are {', '.join(PROMPTS)}, or give a --prompt-file")
    return PROMPTS[asked.prompt] if asked.prompt else None


def runs_(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.cancel is not None:
        runs.cancel(store, asked.cancel)
    if asked.resume is not None:
        runs.resume(store, asked.resume)
    frame = reports.plans(store)
    shown = frame[["run", "kind", "dataset", "attribute", "judge", "strategy", "status", "planned", "done", "failed"]]
    return Answer(selections.records(frame), table(shown) if len(frame) else "No runs yet.")


def worker(store: Store, asked: argparse.Namespace) -> Answer:
    runs.work(store.path, once=asked.once)
    return Answer({})


def rank(store: Store, asked: argparse.Namespace) -> Answer:
    how = rankings.leaderboard if asked.by == "system" else rankings.candidates
    result = how(store, _selection(store, asked), _settings(asked))
    return Answer(result.document(), _shown(result))


def bias(store: Store, asked: argparse.Namespace) -> Answer:
    result = biases.bias(store, _selection(store, asked), asked.debias)
    return Answer(result.document(), _shown(result))


def correlate(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.scores and (asked.position_term or asked.debias != "none"):
        raise TandemError("--debias and --position-term are about judgements, and --scores uses none: take --method")
    result = correlating.correlate(
        store,
        _selection(store, asked),
        against=asked.against,
        level=asked.level,
        scores=asked.scores,
        settings=_settings(asked) if asked.method else None,
    )
    return Answer(result.document(), _shown(result))


def export(store: Store, asked: argparse.Namespace) -> Answer:
    frame = exports.EXPORTS[asked.what](store, _selection(store, asked))
    exports.save(frame, asked.to)
    return Answer({"rows": len(frame), "file": str(asked.to)}, f"{len(frame):,} rows in {asked.to}")


def backup(store: Store, asked: argparse.Namespace) -> Answer:
    made = store.backup(asked.to)
    return Answer(made, f"{made['file']}: {made['bytes']:,} bytes, {made['judgements']:,} judgements")


def check_(store: Store, asked: argparse.Namespace) -> Answer:
    found = store.check()
    counts = ", ".join(f"{count:,} {name}" for name, count in found["counts"].items())
    text = f"{store.path} is {'whole' if found['ok'] else 'damaged: restore a backup'} (schema {found['schema']}): {counts}"
    return Answer(found, text, status=0 if found["ok"] else 1)


def sample_(store: Store, asked: argparse.Namespace) -> Answer:
    added = sample.load(store)
    runs.work(store.path, once=True)
    return Answer({"datasets": added}, f"The sample study is there: {', '.join(added)}")


COMMANDS: dict[str, Callable[[Store, argparse.Namespace], Answer]] = {
    "import": import_,
    "datasets": datasets_,
    "describe": describe,
    "judge": judge,
    "runs": runs_,
    "worker": worker,
    "rank": rank,
    "bias": bias,
    "correlate": correlate,
    "export": export,
    "backup": backup,
    "check": check_,
    "sample": sample_,
}


def _dataset(store: Store, asked: argparse.Namespace) -> str:
    there = store.dataset_names()
    if asked.dataset in there or (asked.dataset is None and len(there) == 1):
        return str(asked.dataset or there[0])
    if not there:
        raise TandemError("the store is empty: import something first")
    wrong = f"unknown data set {asked.dataset!r}" if asked.dataset else "--dataset is needed, there being several"
    raise TandemError(f"{wrong}; there are: {', '.join(there)}")


def _selection(store: Store, asked: argparse.Namespace) -> Selection:
    return Selection(
        _dataset(store, asked), asked.subset, asked.attribute, tuple(asked.judges), tuple(asked.systems), asked.seed
    )


def _settings(asked: argparse.Namespace) -> RankSettings:
    return RankSettings(
        method=asked.method,
        ties=asked.ties,
        bootstrap=asked.bootstrap,
        resample=asked.resample,
        k=asked.k,
        position_term=asked.position_term,
        debias=asked.debias,
        experts=asked.experts,
    )


def _shown(result: selections.Result) -> str:
    unanswered = ", ".join(f"{n} {reason}" for reason, n in result.unanswered.items()) or "none"
    foot = f"{result.signature}   {result.judgements:,} used, unanswered: {unanswered}"
    return "\n".join([table(result.rows), *result.notes, foot])


def table(frame: pd.DataFrame, *, index: bool = False) -> str:
    """A frame as aligned text, numbers short enough to read."""
    return str(frame.to_string(index=index, na_rep="-", float_format=lambda value: f"{value:.5g}", max_colwidth=60))
