"""Functions for notebooks, by `from core import ...`.

They are those that pages and command line call, with the fields of their requests as keywords.
Nothing is computed here. A request may be given whole: `leaderboard(store, Selection("news"))`. If
a store holds only one data set, it need not be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..catalogue import FINDINGS
from ..exporting import FORMATS, record
from ..exporting import export as exports
from ..findings.budget import BudgetSettings
from ..findings.combine import CombineSettings
from ..findings.judgements import Finding, Selection
from ..findings.judgements import describe as _describe
from ..findings.lab import LabSettings
from ..findings.leaderboard import RankSettings
from ..findings.leaderboard import rank_votes as _rank_votes
from ..findings.plan import PlanSettings
from ..findings.separability import Settings, request_similarities
from ..importing import SETTINGS, USUAL, Codes, Reading, importer, load_reading, with_settings
from ..judging import Judge, Scorer, ServerList, find_probe, make, prompt_versions
from ..models import Options
from ..output_files import output_rules
from ..pairing import Request
from ..records import Dataset, Kind, TandemError, plain_name, render_options
from ..runs import execution, load_respondent, measure, preview, probe, score
from ..sample_study import load as load_sample
from ..settings import make_request
from ..store import Store

if TYPE_CHECKING:
    import altair as alt

    from ..reporting import Report

from .keywords import build_request, check_words, with_keywords


def _measure_separability(store: Store, selection: Selection, settings: Settings) -> Finding:
    """Measure how far each item tells two systems apart. What is not measured yet is measured
    first, and kept.

    The columns are declared in `core.findings.separability.columns`. Facts: metric, mean, over.
    """
    settings = settings.fill_metric(store, selection.dataset)
    measured = request_similarities(selection, settings)
    if measure.outlook(store, measured).n_missing:
        measurer = measure.measurer(measured, {})
        measurer.load()
        execution.execute(store, measure.enqueue(store, measured), by=measurer)
    return FINDINGS["separability"].find(store, selection, settings)


ASKED: dict[str, Callable[..., Any]] = {
    "describe": with_keywords(_describe.describe),
    **{name: with_keywords(declared.find, name) for name, declared in FINDINGS.items()},
    "separability": with_keywords(_measure_separability, "separability"),
}
"""Every finding, as a function of its name; core/__init__.pyi has their types."""
globals().update(ASKED)


def judge(
    store: Store, spec: str, *, limit: int | None = None, prompt: str = "", **words: Any
) -> execution.ExecutionResult:
    """Ask a judge to compare pairs, or to score texts, here and now.

    Calling it again asks only what is not answered yet.

    `spec` is baseline:NAME, hf:NAME-OR-PATH, local:smollm2 or openai:MODEL; `prompt` is the name of
    a prompt. `words` are the fields of Request (strategy, budget, attributes, ...) and the judge's
    own options (mode, votes, base_url, ...). The result says how far the run is: planned, done,
    failed, seconds.

    With `probes`, names such as "authority" or sentences to add, it is asked `number` comparisons
    that it has answered again, with a text changed; `probes(store)` then says what that does.
    """
    probes = words.get("probes")
    kind: type = Request if probes is None else probe.ProbeRequest
    check_words("judge" if probes is None else "judge with probes", words, (kind, Options), {})
    own = {"prompt": prompt_versions.template(store, prompt, words.get("mode"))} if prompt else {}
    options = build_request(Options, store, {**words, **own})
    options = replace(options, permit=ServerList(store.path).permit_by_hand)
    answering = make(spec, options)
    of_options = {field.name for field in fields(Options)} - {"seed"}
    asked = {name: value for name, value in words.items() if name not in of_options}
    # Each is loaded before anything is written: one that cannot work is a wrong request.
    if probes is not None:
        asked["probes"] = tuple(map(find_probe, [probes] if isinstance(probes, str) else probes))
        changes = build_request(probe.ProbeRequest, store, asked)
        load_respondent(store, answering)
        run = probe.enqueue(store, answering, changes, options.execution)
    else:
        if isinstance(answering, Scorer):
            kind = score.ScoringRequest
            check_words(f"judge with {spec}", asked, (kind,), {})
        request = preview.check_request(store, build_request(kind, store, asked))
        load_respondent(store, answering)
        run = preview.enqueue(store, answering.spec, request, options.execution)
    return execution.execute(store, run, by=answering, limit=limit)


def import_files(
    store: Store,
    paths: str | Path | Sequence[str | Path],
    dataset: str,
    *,
    reading: Reading | str | Path | None = None,
    layout: str = "auto",
    mapping: Mapping[str, str] | None = None,
    codes: Codes | None = None,
    dates: str | None = None,
    systems: Sequence[str] = (),
    system_name: str = "",
    kind: str | None = None,
    **described: str,
) -> importer.ImportReport:
    """Import files or folders into a data set.

    The report says what they hold, what is new and what was skipped.

    `reading` says how the files are read: a Reading, or the file of a saved one. The other
    arguments take precedence over it. `mapping` says which column is what, `codes` what the values
    of the winner column mean, `dates` what comes first in dates in numbers ("day-first"). `systems`
    are the names of systems that the file does not name; `system_name` is the one system of a file
    without such a column. `kind` is the source of votes or scores if the file does not say.
    `described` are further fields of Dataset, such as `candidate_noun`.
    """
    every = [paths] if isinstance(paths, str | Path) else paths
    said = {"format": "" if layout == "auto" else layout, "map": mapping, "dates": dates,
            "systems": tuple(systems), "system_name": system_name, "kind": kind}  # fmt: skip
    into = Dataset(dataset, **described)
    with _named_in_python():
        reading = _combine_reading(reading, codes, said)
        return importer.load(store, [Path(path) for path in every], into, reading=reading)


def rank_votes(
    paths: str | Path | Sequence[str | Path],
    *,
    by_attribute: bool = False,
    reading: Reading | str | Path | None = None,
    mapping: Mapping[str, str] | None = None,
    codes: Codes | None = None,
    dates: str | None = None,
    kind: str | None = None,
    **words: Any,
) -> Finding:
    """Rank systems by votes in files, folders or patterns, as `import_files` reads them.

    Nothing is stored. See `leaderboard` for the rows.

    `reading`, `mapping`, `codes`, `dates` and `kind` are as `import_files` takes them; `words` are
    fields of Selection and RankSettings.
    """
    check_words("rank_votes", words, (Selection, RankSettings), {})
    every = [paths] if isinstance(paths, str | Path) else paths
    said = {"map": mapping, "dates": dates, "kind": kind}
    with _named_in_python():
        selection = make_request(Selection, {"dataset": "", **words})
        settings = make_request(RankSettings, words)
        reading = _combine_reading(reading, codes, said)
        result = _rank_votes(every, selection, settings, by_attribute=by_attribute, reading=reading)
    return result.name_settings(plain_name)


def _combine_reading(
    given: Reading | str | Path | None, codes: Codes | None, said: Mapping[str, Any]
) -> Reading:
    """Return the given reading, loaded if it is a file, with the settings in `said`.

    Raises TandemError for a value that a setting does not have.
    """
    reading = load_reading(Path(given)) if isinstance(given, str | Path) else given or USUAL
    values = {name: value for name, value in said.items() if value}
    for name in ("dates", "kind"):
        words = tuple(SETTINGS[name].words)
        if values.get(name, words[0]) not in words:
            raise TandemError(f"{name} is {values[name]!r}, which is none of {', '.join(words)}")
    reading = with_settings(reading, values)
    return reading if codes is None else replace(reading, codes=codes)


_IN_PYTHON = {
    "map": "mapping",
    "first_wins": "Codes.first",
    "second_wins": "Codes.second",
    "tie": "Codes.tie",
    "winner_means": "Codes.means",
    "both_bad": "Codes.both_bad",
    "no_answer": "Codes.no_answer",
}
"""What settings of files are called here, where it is otherwise than in plain words."""


@contextmanager
def _named_in_python() -> Iterator[None]:
    """Name the arguments of Python in a refusal of files, in place of options."""
    try:
        yield
    except TandemError as error:
        sentence = render_options(
            error.sentence, lambda name: _IN_PYTHON.get(name) or plain_name(name)
        )
        error.args = (sentence, *error.args[1:])
        raise


def export(
    store: Store, what: str, to: str | Path | None = None, *, names: bool = False, **words: Any
) -> pd.DataFrame:
    """Return judgements, generations, scores, leaderboard or checks as a frame.

    With `to`, also write them to a file: .csv, .jsonl or .parquet. `what` may also name the format
    of another tool (`trl`, `label-studio` ...), one record a row; if it has several files, the
    column `file` names them.

    Annotators are called person-1, person-2 .., unless `names` are wanted; the audit log records
    that. `words` are the fields of Selection.
    """
    if what not in (*exports.EXPORTS, *FORMATS):
        known = ", ".join((*exports.EXPORTS, *FORMATS))
        raise TandemError(f"unknown export {what!r}; there are {known}")
    check_words("export", words, (Selection,), {})
    selection = build_request(Selection, store, words)
    how: dict[str, Any] = {"who": "notebook", "names": names}
    with output_rules(store.path):
        if what in FORMATS:
            converted = exports.convert_to_format(store, what, selection, **how)
            documents = list(converted.documents)
            if to:
                exports.save_in_format(replace(converted, documents=iter(documents)), Path(to))
            return pd.DataFrame([{"file": of, **row} if of else row for of, row in documents])
        frame = exports.join_portions(exports.export(store, what, selection, **how))
        if to:
            exports.save(iter([frame]), Path(to))
    return frame


def report(
    store: Store,
    *,
    html: str | Path | None = None,
    out: str | Path | None = None,
    against: str = "",
    names: bool = False,
    chosen: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    **words: Any,
) -> Report:
    """Compile all results of a data set.

    With `html`, also write them to that file as one page; with `out`, to that folder as files for a
    paper. `against` is the rater whose scores judges are compared with. `words` are the fields of
    Selection and RankSettings. `chosen` are settings of other findings, by name: `{"accuracy":
    {"against": "scores"}}`.

    Annotators are called person-1, person-2 .., unless `names` are wanted; the audit log records
    that.
    """
    from .. import reporting  # altair takes a while to import

    check_words("report", words, (Selection, RankSettings), {})
    file, folder = (Path(place) if place else None for place in (html, out))
    selection = build_request(Selection, store, words)
    settings = build_request(RankSettings, store, words)
    compiled = reporting.compile_report(
        store, reporting.ReportScope(selection, settings, against, names, chosen)
    )
    if file or folder:
        record(store, "notebook", "report", compiled.dataset, names=names)
    with output_rules(store.path):
        if file:
            reporting.save_whole(file, reporting.page(compiled).encode())
        if folder:
            reporting.save(compiled, folder)
    return compiled


def chart(result: Finding, *, theme: str = "light") -> alt.LayerChart | alt.FacetChart:
    """Return the chart that a page draws of a result: `chart(leaderboard(store))`.

    Raises TandemError for a result that has no chart.
    """
    from ..reporting import draw_finding  # altair takes a while to import

    return draw_finding(result, theme=theme)


__all__ = [
    "BudgetSettings",
    "Codes",
    "CombineSettings",
    "Dataset",
    "Finding",
    "Kind",
    "LabSettings",
    "PlanSettings",
    "RankSettings",
    "Reading",
    "Request",
    "Selection",
    "Settings",
    "Store",
    "TandemError",
    "chart",
    "export",
    "import_files",
    "judge",
    "load_sample",
    "rank_votes",
    "report",
]
__all__ += ASKED
