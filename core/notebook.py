"""What `from core import ...` gives a notebook: the functions that pages and command line call,
with the fields of their requests as keywords.

Nothing is computed here. A request may be given whole: `leaderboard(store, Selection("news"))`.
Where a store holds one data set, it need not be named.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.exporting import FORMATS, record
from core.exporting import export as exports
from core.findings import accuracy as _accuracy
from core.findings import agreement as _agreement
from core.findings import attacks as _attacks
from core.findings import bias as _bias
from core.findings import correlation as _correlation
from core.findings.budget import BudgetSettings
from core.findings.budget import budget as _budget
from core.findings.calibration import CalibrateSettings
from core.findings.calibration import calibration as _calibration
from core.findings.combine import CombineSettings
from core.findings.combine import combine as _combine
from core.findings.correlation import Reference
from core.findings.judgements import Finding, Selection
from core.findings.judgements import describe as _describe
from core.findings.jury import jury as _jury
from core.findings.leaderboard import RankSettings
from core.findings.leaderboard import candidates as _candidates
from core.findings.leaderboard import lead_over_time as _lead_over_time
from core.findings.leaderboard import leaderboard as _leaderboard
from core.findings.leaderboard import rank_votes as _rank_votes
from core.findings.people import promises as _promises
from core.findings.plan import PlanSettings
from core.findings.plan import plan as _plan
from core.findings.replacement import ReplaceSettings
from core.findings.replacement import replacement as _replacement
from core.findings.separability import Binning, Settings, request_similarities
from core.findings.separability import consistency as _consistency
from core.findings.separability import separability as _separabilities
from core.importing import SETTINGS, USUAL, Codes, Reading, importer, load_reading, with_settings
from core.judging import Judge, Scorer, ServerList, attack_of, make, prompt_versions
from core.models import Options
from core.pairing import Request, planning
from core.records import Dataset, Kind, TandemError, plainly, spoken
from core.runs import attack, execution, measure, score
from core.sample_study import load as load_sample
from core.store import Store

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from core.reporting import Report

R = TypeVar("R")


def offered(answer: Callable[..., R], **requests: type) -> Callable[..., R]:
    """`answer(store, selection=..., ...)`, taking each of its requests whole or by its fields.

    A field that several requests have goes to all of them. Raises TypeError for a word that nobody
    takes.
    """
    own = {
        name: parameter
        for name, parameter in inspect.signature(answer).parameters.items()
        if name not in ("store", *requests)
    }

    def ask(store: Store, *given: object, **words: Any) -> R:
        _check_words(answer.__name__, words, requests.values(), own)
        made = {
            name: next((one for one in given if isinstance(one, kind)), None)
            or _request(kind, store, words)
            for name, kind in requests.items()
        }
        return answer(store, **made, **{name: words[name] for name in own if name in words})

    ask.__name__ = ask.__qualname__ = answer.__name__
    ask.__doc__ = answer.__doc__
    setattr(ask, "__signature__", _signature(requests.values(), own))  # noqa: B010
    return ask


def _request(kind: type, store: Store, words: Mapping[str, Any]) -> Any:
    """A request of a kind, of those words that are its fields."""
    if any(field.name == "dataset" for field in fields(kind)):
        words = {**words, "dataset": words.get("dataset") or _only(store)}
    return _worded(kind, words)


def _worded(kind: type, words: Mapping[str, Any]) -> Any:
    chosen = {field.name: words[field.name] for field in fields(kind) if field.name in words}
    several = [field.name for field in fields(kind) if field.default == ()]
    for name in set(several) & set(chosen):
        value = chosen[name]
        chosen[name] = (value,) if isinstance(value, str) else tuple(value)
    return kind(**chosen)


def _only(store: Store) -> str:
    """The one data set of a store. Raises TandemError where there are several, or none."""
    names = store.datasets.names()
    if len(names) == 1:
        return names[0]
    there = f"there are {', '.join(names)}" if names else "the store is empty: import something"
    raise TandemError(f"name the dataset; {there}")


def _check_words(
    name: str, words: Mapping[str, Any], kinds: Any, own: Mapping[str, inspect.Parameter]
) -> None:
    known = dict.fromkeys(field.name for kind in kinds for field in fields(kind)) | dict(own)
    for word in words:
        if word not in known:
            raise TypeError(f"{name} takes no {word!r}; it takes {', '.join(known)}")


def _signature(kinds: Any, own: Mapping[str, inspect.Parameter]) -> inspect.Signature:
    """For help() and completion: every field by name, with its default."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    named = {
        field.name: inspect.Parameter(
            field.name, keyword, default=None if field.default is MISSING else field.default
        )
        for kind in kinds
        for field in fields(kind)
    }
    named |= {name: parameter.replace(kind=keyword) for name, parameter in own.items()}
    store = inspect.Parameter("store", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([store, *named.values()])


describe = offered(_describe.describe, selection=Selection)
leaderboard = offered(_leaderboard, selection=Selection, settings=RankSettings)
lead_over_time = offered(_lead_over_time, selection=Selection, settings=RankSettings)
promises = offered(_promises, selection=Selection)
candidates = offered(_candidates, selection=Selection, settings=RankSettings)
agreement = offered(
    _agreement.agreement, selection=Selection, settings=_agreement.AgreementSettings
)
attacks = offered(_attacks.attacks, selection=Selection)
accuracy = offered(_accuracy.accuracy, selection=Selection, settings=_accuracy.AccuracySettings)
bias = offered(_bias.bias, selection=Selection, settings=_bias.BiasSettings)
replacement = offered(_replacement, selection=Selection, settings=ReplaceSettings)
budget = offered(_budget, selection=Selection, settings=BudgetSettings)
calibration = offered(_calibration, selection=Selection, settings=CalibrateSettings)
jury = offered(_jury, selection=Selection, settings=RankSettings)
combine = offered(_combine, selection=Selection, settings=CombineSettings)
plan = offered(_plan, selection=Selection, settings=PlanSettings)
_following = {"selection": Selection, "reference": Reference}
correlate = offered(_correlation.correlate, **_following, settings=RankSettings)
correlation = offered(_correlation.correlate_all, **_following, settings=RankSettings)


def _separability(store: Store, selection: Selection, settings: Settings) -> Finding:
    """How far each item tells two systems apart. What is not measured yet is measured first, and
    kept.

    The columns are declared in `core.findings.separability.columns`. Facts: metric, mean, over.
    """
    measured = request_similarities(selection, settings)
    if measure.outlook(store, measured).missing:
        measurer = measure.measurer(measured, {})
        measurer.load()
        execution.execute(store, measure.enqueue(store, measured), by=measurer)
    return _separabilities(store, selection, settings)


separability = offered(_separability, selection=Selection, settings=Settings)
separability.__name__ = "separability"


def consistency(
    store: Store, *, bins: int = Binning.bins, binning: str = Binning.binning, **words: Any
) -> Finding:
    """Whether a judge's preferences hold over the generations of an item.

    `words` are the fields of Selection. With those of separability's Settings, such as `metric`,
    also by how separable the items are: in `bins` of equal `width` or of equal numbers
    (`quantile`).
    """
    _check_words("consistency", words, (Selection, Settings), {})
    by_separability = any(field.name in words for field in fields(Settings))
    drawn = Binning(_request(Settings, store, words), bins, binning) if by_separability else None
    return _consistency.consistency(store, _request(Selection, store, words), drawn)


def judge(
    store: Store, spec: str, *, limit: int | None = None, prompt: str = "", **words: Any
) -> execution.ExecutionResult:
    """Ask a judge about pairs, or let it mark texts, here and now. The same call again asks only
    what is not there yet.

    `spec` is baseline:NAME, hf:NAME-OR-PATH, local:smollm2 or openai:MODEL; `prompt` the name of
    one. `words` are the fields of Request (strategy, budget, attributes, ...) and what the judge
    itself takes (mode, votes, base_url, ...). The result says how far the run is: planned, done,
    failed, seconds.

    With `attacks`, names such as "choose-me" or whole sentences, it is asked `number` comparisons
    with each of these added to either text; `attacks(store)` then says how many verdicts turned.
    """
    if "attacks" in words:
        return _attack(store, spec, prompt, limit, words)
    _check_words("judge", words, (Request, Options), {})
    answering, options, asked = _answering(store, spec, prompt, words)
    if isinstance(answering, Scorer):
        _check_words(f"judge with {spec}", asked, (score.ScoringRequest,), {})
        marking = _request(score.ScoringRequest, store, asked).fill_attributes(store)
        answering.load()
        run = score.enqueue_scoring(store, answering.spec, marking, options.execution)
    else:
        pairs = planning.checked(store, _request(Request, store, asked))
        answering.load()  # before anything is written: one that cannot work is a wrong request
        run = planning.enqueue(store, answering.spec, pairs, options.execution)
    return execution.execute(store, run, by=answering, limit=limit)


def _answering(
    store: Store, spec: str, prompt: str, words: Mapping[str, Any]
) -> tuple[Judge | Scorer, Options, dict[str, Any]]:
    """Who is asked, with which options, and the words that are not about that."""
    own = {"prompt": prompt_versions.template(store, prompt, words.get("mode"))} if prompt else {}
    options = _request(Options, store, {**words, **own})
    options = replace(options, permit=ServerList(store.path).permit_by_hand)
    of_options = {field.name for field in fields(Options)} - {"seed"}
    asked = {name: value for name, value in words.items() if name not in of_options}
    return make(spec, options), options, asked


def _attack(
    store: Store, spec: str, prompt: str, limit: int | None, words: Mapping[str, Any]
) -> execution.ExecutionResult:
    _check_words("judge with attacks", words, (attack.AttackRequest, Options), {})
    answering, options, asked = _answering(store, spec, prompt, words)
    given = asked["attacks"]
    given = (given,) if isinstance(given, str) else given
    asked["attacks"] = tuple(map(attack_of, given))
    request, attacked = attack.checked(
        store, _request(attack.AttackRequest, store, asked), answering
    )
    attacked.load()
    run = attack.enqueue(store, attacked, request, options.execution)
    return execution.execute(store, run, by=attacked, limit=limit)


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
    """Files or folders into a data set. The report says what they hold, what is new and what was
    skipped.

    `reading` says how the files are read: a Reading, or the file of one that was saved. What is
    said beside it goes before it: `mapping` says which column is what, `codes` what the values of
    the winner's mean, `dates` what comes first in dates in numbers ("day-first"). `systems` are
    named where the file does not name them; `system_name` is the one system of a file without a
    column for it. `kind` is who gave votes or scores where it does not say. `described` are further
    fields of Dataset, such as `candidate_noun`.
    """
    every = [paths] if isinstance(paths, str | Path) else paths
    said = {"format": "" if layout == "auto" else layout, "map": mapping, "dates": dates,
            "systems": tuple(systems), "system_name": system_name, "kind": kind}  # fmt: skip
    with _named_in_python():
        return importer.load(
            store,
            [Path(path) for path in every],
            Dataset(dataset, **described),
            reading=_combine_reading(reading, codes, said),
        )


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
    """A leaderboard of votes in files, folders or patterns of Parquet and CSV, counted where they
    lie: no store is needed, and nothing is stored. See `leaderboard` for its rows.

    `reading`, `mapping`, `codes`, `dates` and `kind` are as `import_files` takes them; `words` are
    fields of Selection and RankSettings.
    """
    _check_words("rank_votes", words, (Selection, RankSettings), {})
    every = [paths] if isinstance(paths, str | Path) else paths
    chosen = {"dataset": "", **words}
    with _named_in_python():
        result = _rank_votes(
            every,
            _worded(Selection, chosen),
            _worded(RankSettings, words),
            by_attribute=by_attribute,
            reading=_combine_reading(
                reading, codes, {"map": mapping, "dates": dates, "kind": kind}
            ),
        )
    return replace(result, notes=[spoken(note, plainly) for note in result.notes])


def _combine_reading(
    given: Reading | str | Path | None, codes: Codes | None, said: Mapping[str, Any]
) -> Reading:
    """The reading that was given, whole or as a file, with what was said beside it. Raises
    TandemError for a word that a setting does not have.
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
    """A refusal of files names the arguments that are the way out here."""
    try:
        yield
    except TandemError as error:
        sentence = spoken(error.sentence, lambda name: _IN_PYTHON.get(name) or plainly(name))
        error.args = (sentence, *error.args[1:])
        raise


def export(
    store: Store, what: str, to: str | Path | None = None, *, names: bool = False, **words: Any
) -> pd.DataFrame:
    """judgements, generations, scores or leaderboard as a frame. With `to` also as a file: .csv,
    .jsonl or .parquet. Or judgements in another tool's layout (`trl`, `label-studio` ...), a record
    a row; where that has several files, `file` says which. People who annotate here are person-1,
    person-2 .., unless their `names` are wanted; the audit log says so. `words` are the fields of
    Selection.
    """
    if what not in (*exports.EXPORTS, *FORMATS):
        known = ", ".join((*exports.EXPORTS, *FORMATS))
        raise TandemError(f"unknown export {what!r}; there are {known}")
    _check_words("export", words, (Selection,), {})
    selection = _request(Selection, store, words)
    if what in FORMATS:
        told = exports.in_format(store, what, selection, who="notebook", names=names)
        return _in_format(told, to)
    frame = exports.whole(exports.export(store, what, selection, who="notebook", names=names))
    if to:
        exports.save(iter([frame]), Path(to))
    return frame


def _in_format(told: exports.InFormat, to: str | Path | None) -> pd.DataFrame:
    documents = list(told.documents)
    if to:
        exports.save_in_format(replace(told, documents=iter(documents)), Path(to))
    rows = [{"file": name, **row} if name else row for name, row in documents]
    return pd.DataFrame(rows)


def report(
    store: Store,
    *,
    html: str | Path | None = None,
    out: str | Path | None = None,
    against: str = "",
    names: bool = False,
    **words: Any,
) -> Report:
    """All results of a data set. With `html` also as one page in that file, with `out` as files for
    a paper in that folder. `against` is the rater whose scores judges are held against. People who
    annotate here are person-1, person-2 .., unless their `names` are wanted; the audit log says so.
    `words` are the fields of Selection and RankSettings.
    """
    from core import reporting  # altair takes a while to import

    _check_words("report", words, (Selection, RankSettings), {})
    file, folder = (Path(place) if place else None for place in (html, out))
    reporting.check_places(file, folder)
    selection = _request(Selection, store, words)
    settings = _request(RankSettings, store, words)
    compiled = reporting.compiled(store, reporting.ReportScope(selection, settings, against, names))
    if file or folder:
        record(store, "notebook", "report", compiled.dataset, names=names)
    if file:
        reporting.save_whole(file, reporting.page(compiled).encode())
    if folder:
        reporting.save(compiled, folder)
    return compiled


def chart(result: Finding, *, theme: str = "light") -> alt.LayerChart | alt.FacetChart:
    """The picture a page draws of a result: `chart(leaderboard(store))`.

    Raises TandemError for a result of which there is none.
    """
    from core.reporting import draw_finding  # altair takes a while to import

    return draw_finding(result, theme=theme)


__all__ = [
    "BudgetSettings",
    "CalibrateSettings",
    "Codes",
    "CombineSettings",
    "Dataset",
    "Finding",
    "Kind",
    "PlanSettings",
    "RankSettings",
    "Reading",
    "ReplaceSettings",
    "Request",
    "Selection",
    "Settings",
    "Store",
    "TandemError",
    "accuracy",
    "agreement",
    "attacks",
    "bias",
    "budget",
    "calibration",
    "candidates",
    "chart",
    "combine",
    "consistency",
    "correlate",
    "correlation",
    "describe",
    "export",
    "import_files",
    "judge",
    "jury",
    "lead_over_time",
    "leaderboard",
    "load_sample",
    "plan",
    "promises",
    "rank_votes",
    "replacement",
    "report",
    "separability",
]
