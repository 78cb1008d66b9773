"""Commands about what judgements come to: rank, correlate."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from core.cli import options
from core.cli.command import Command
from core.cli.options import (
    PROVENANCE,
    SELECTING,
    Part,
    add_provenance,
    flag,
    told,
)
from core.cli.output import Answer, shown, write_table
from core.cli.progress import Progress
from core.cli.reading import OF_VOTES, add_reading, parse_reading_options, save_reading
from core.cli.settings import add_settings, parse_settings
from core.findings import correlation
from core.findings.correlation import Reference
from core.findings.judgements import Finding, Selection
from core.findings.jury import jury
from core.findings.leaderboard import (
    CONTROLLING,
    OTHER_OPPONENTS,
    SAME_OPPONENTS,
    RankSettings,
    by_attribute,
    candidates,
    headline,
    leaderboard,
    over_time,
    rank_votes,
)
from core.importing import expand, propose_reading
from core.records import TandemError, spoken
from core.settings import list_settings
from core.statistics import RATINGS
from core.store import Store

MOST_VOTES = 10  # that decide who leads, listed for people; --json has them all


def rank(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.votes:
        return _answer_files(asked)
    selection, settings = options.selection(store, asked), parse_settings(asked, RankSettings)
    if asked.over_time:
        return _answer_over_time(over_time(store, selection, settings))
    result = RANKED[asked.by](store, selection, settings)
    return Answer(result.document(), _told(result))


def _answer_files(asked: argparse.Namespace) -> Answer:
    """Of votes in files, without a store."""
    for name, is_given in {
        "dataset": asked.dataset is not None,
        "by candidate": asked.by == "candidate",
        "over-time": asked.over_time,
    }.items():
        if is_given:
            raise TandemError(f"--{name} belongs to votes in a store, not to --votes: leave it out")
    reading = parse_reading_options(asked, OF_VOTES)
    if asked.save_reading:
        save_reading(
            asked, {str(path): propose_reading(path, reading) for path in expand(asked.votes)}
        )
    result = rank_votes(
        asked.votes,
        Selection("", **told(asked, (*SELECTING, *PROVENANCE))),
        parse_settings(asked, RankSettings),
        reading=reading,
        by_attribute=asked.by == "attribute",
        progress=Progress(),
    )
    result = replace(result, notes=[spoken(note, flag) for note in result.notes])
    return Answer(result.document(), _told(result))


def _answer_over_time(result: Finding) -> Answer:
    """A line for each point, a column for each system."""
    wide = result.rows.pivot_table("rating", "votes", "system", sort=False).reset_index()
    return Answer(result.document(), shown(replace(result, rows=wide, columns=())))


def systems(store: Store, selection: Selection, settings: RankSettings) -> Finding:
    """A leaderboard; of a jury also how often it is right where people voted."""
    return (jury if "judge" in settings.how.takes else leaderboard)(store, selection, settings)


RANKED = {"system": systems, "candidate": candidates, "attribute": by_attribute}


def _told(result: Finding) -> str:
    """As a table, after why the data chose the method; of sep-Elo then a sentence per system, which
    a column would cut short.
    """
    because, rows = result.facts["because"], result.rows
    head = [f"{RATINGS[result.facts['method']].label}, because {because}"] if because else []
    sentences = list(result.facts.get("sentences", ()))
    if "why" in rows:
        sentences += [f"{row.system}: {row.why}" for row in rows.itertuples()]
    sentences += filter(None, [headline.describe_deciding(result)])
    tables = [
        f"\n{name}\n{write_table(result, name)}"
        for name, frame in result.tables.items()
        if len(frame) and (name != "deciding" or len(frame) <= MOST_VOTES)
    ]
    alarms = result.facts.get("alarms", ())
    notes = [note for note in result.notes if note not in alarms]
    parts = [*alarms, *head, shown(replace(result, notes=notes)), *sentences, *tables]
    return "\n".join(parts)


TABLES = {"averages": "means over prompts", "differences": "differences on the same items"}


def correlate(store: Store, asked: argparse.Namespace) -> Answer:
    selection = options.selection(store, asked)
    reference = parse_settings(asked, Reference)
    if asked.table:
        result = correlation.correlate_all(
            store,
            selection,
            reference,
            settings=parse_settings(asked, RankSettings, method=asked.table),
        )
        parts = [
            f"{title}\n{write_table(result, name)}"
            for name, title in TABLES.items()
            if len(result.tables[name])
        ]
        return Answer(result.document(), "\n\n".join([shown(result), *parts]))
    how = parse_settings(asked, RankSettings) if asked.method else None
    result = correlation.correlate(store, selection, reference, scores=asked.scores, settings=how)
    return Answer(result.document(), shown(result))


def _rank_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--votes",
        nargs="+",
        type=options.file_words,
        metavar="PATH",
        help="instead of a store, rank the votes in these files, folders or patterns of Parquet "
        "and CSV, which are counted where they lie",
    )
    files = Part(sub, "--votes", lambda asked: asked.votes)
    add_reading(files.add, OF_VOTES)
    sub.add_argument(
        "--by",
        choices=tuple(RANKED),
        default="system",
        help="what is ranked: attribute is systems, on each attribute and on all together",
    )
    add_settings(sub.add_argument, RankSettings, "method", "ties", "debias")
    moving = Part(
        sub,
        "--by system and --method elo",
        lambda asked: asked.by == "system" and asked.method in (None, "elo"),
    )
    moving.add("--over-time", action="store_true", help="Elo after each vote, or each of 100 steps")
    drawn = Part(sub, "--by system or attribute", lambda asked: asked.by != "candidate", "by")
    add_settings(drawn.add, RankSettings, "bootstrap")
    resampled = Part(
        sub, "intervals", lambda asked: asked.by != "candidate" and asked.bootstrap != 0
    )
    add_settings(resampled.add, RankSettings, "over", "resolve")
    finite = Part(
        sub,
        "--by system or attribute and --method bradley-terry",
        lambda asked: asked.by != "candidate" and asked.method == OTHER_OPPONENTS,
    )
    add_settings(finite.add, RankSettings, "regularise")
    _method_options(sub)
    add_provenance(sub)


def _correlate_options(sub: argparse.ArgumentParser) -> None:
    predicted = sub.add_mutually_exclusive_group(required=True)
    predicted.add_argument(
        "--method", choices=tuple(RATINGS), help="rating method, from comparisons"
    )
    predicted.add_argument(
        "--scores", metavar="RATER", default="", help="a rater whose scores are correlated"
    )
    predicted.add_argument(
        "--table", choices=correlation.TABLED, help="every judge and rater, one row each"
    )
    add_settings(sub.add_argument, Reference, "against", "level", required=True)
    add_settings(sub.add_argument, Reference, "bootstrap")
    within = Part(sub, "--level item", lambda asked: asked.level == "item", "level")
    add_settings(within.add, Reference, "constant")
    judged = Part(sub, "judgements (--method or --table)", lambda asked: not asked.scores, "scores")
    add_settings(judged.add, RankSettings, "ties", "debias")
    _method_options(sub)
    add_provenance(sub)


def _method_options(sub: argparse.ArgumentParser) -> None:
    """Of each method what it takes; methods that take the same share a part of the help."""
    modelled = Part(sub, "--ties model", lambda asked: asked.ties == "model", "ties")
    add_settings(modelled.add, RankSettings, "tie_model")
    taken: dict[tuple[str, ...], list[str]] = {}
    for name, declared in list_settings(RankSettings).items():
        if declared.methods and name != "regularise":  # which is about boards alone
            taken.setdefault(declared.methods, []).append(name)
    for methods, names in taken.items():
        part = _part(sub, methods)
        for name in names:
            harmless = list_settings(RankSettings)[name].is_harmless
            add_settings(part.add, RankSettings, name, harmless=harmless)


def _part(sub: argparse.ArgumentParser, having: Sequence[str]) -> Part:
    """Options of these methods."""
    to = " or ".join(filter(None, [", ".join(having[:-1]), having[-1]]))

    def plays(asked: argparse.Namespace) -> bool:
        methods = _methods(asked)
        return bool(methods) and set(methods) <= set(having)

    return Part(sub, f"--method {to}", plays, "method")


def _methods(asked: argparse.Namespace) -> Sequence[str]:
    """Which methods it may be; `rank` needs none."""
    if asked.method:
        return [asked.method]
    if asked.control:
        return [CONTROLLING]
    if getattr(asked, "over_time", False):
        return ["elo"]
    return [SAME_OPPONENTS, OTHER_OPPONENTS] if "by" in asked else []


def _read_by_correlate(asked: argparse.Namespace) -> Sequence[str]:
    return [name for name in SELECTING if name != "judges" or not asked.scores]


COMMANDS = {
    "rank": Command(
        rank,
        "make a leaderboard of the systems",
        _rank_options,
        without=lambda asked: bool(asked.votes),
    ),
    "correlate": Command(
        correlate,
        "correlate ratings or scores with other scores",
        _correlate_options,
        _read_by_correlate,
    ),
}
