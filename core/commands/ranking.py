"""Commands about what judgements come to: rank, correlate."""

from __future__ import annotations

import argparse
from typing import get_args

from core import correlating, rankings
from core.commands import options
from core.commands.answers import Answer, shown, table
from core.commands.command import Command
from core.commands.options import add_debias, whole
from core.rankings import RankSettings
from core.records import TandemError
from core.statistics.experts import Experts
from core.statistics.ratings import RATINGS
from core.store import Store


def rank(store: Store, asked: argparse.Namespace) -> Answer:
    how = rankings.leaderboard if asked.by == "system" else rankings.candidates
    result = how(store, options.selection(store, asked), _settings(asked))
    return Answer(result.document(), shown(result))


def correlate(store: Store, asked: argparse.Namespace) -> Answer:
    if asked.scores and (asked.position_term or asked.debias != "none"):
        raise TandemError("--debias and --position-term are about judgements, and --scores uses none: take --method")
    if asked.reweight and not asked.method:
        raise TandemError("--reweight is about how judgements were drawn, of one rating at a time: take --method")
    selection = options.selection(store, asked)
    of = {"against": asked.against, "level": asked.level, "bootstrap": asked.bootstrap}
    if asked.table:
        tabled = RankSettings(method=asked.table, ties=asked.ties, debias=asked.debias)
        result = correlating.table(store, selection, **of, settings=tabled)
        averages = result.tables["averages"]
        foot = f"\n\nmeans over prompts\n{table(averages)}" if len(averages) else ""
        return Answer(result.document(), shown(result) + foot)
    how = _settings(asked) if asked.method else None
    result = correlating.correlate(store, selection, **of, scores=asked.scores, settings=how)
    return Answer(result.document(), shown(result))


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
        separability=asked.separability,
        encoder=asked.encoder,
        sep_threshold=asked.sep_threshold,
        sep_alpha=asked.sep_alpha,
        sep_beta=asked.sep_beta,
        reweight=asked.reweight,
    )


def _rank_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--by", choices=("system", "candidate"), default="system")
    _rank(sub, required=True)
    _rank_method(sub, required=True)


def _correlate_options(sub: argparse.ArgumentParser) -> None:
    predicted = sub.add_mutually_exclusive_group(required=True)
    _rank_method(predicted, required=False)
    predicted.add_argument("--scores", metavar="RATER", default="")
    predicted.add_argument(
        "--table", choices=correlating.TABLED, default="", help="every judge and rater, one row each"
    )
    sub.add_argument("--against", metavar="RATER", required=True)
    sub.add_argument("--level", choices=correlating.LEVELS, required=True)
    _rank(sub, required=False)


def _rank_method(sub: argparse._ActionsContainer, *, required: bool) -> None:
    sub.add_argument("--method", choices=tuple(RATINGS), **({"required": True} if required else {}))  # type: ignore[arg-type]


def _rank(sub: argparse.ArgumentParser, *, required: bool) -> None:
    sub.add_argument("--ties", choices=("half", "drop", "model"), default="half")
    sub.add_argument("--bootstrap", type=whole(0), default=100 if required else correlating.BOOTSTRAP, metavar="B")
    sub.add_argument("--resample", choices=("item", "judgement"), default="item")
    sub.add_argument("--k", type=float, default=4.0, metavar="K")
    sub.add_argument("--position-term", action="store_true", help="also fit what being shown first is worth")
    sub.add_argument("--experts", choices=get_args(Experts), default="logit", help="of product-of-experts")
    sub.add_argument("--separability", metavar="METRIC", default="", help="of sep-elo: how similar texts are")
    sub.add_argument("--encoder", metavar="NAME", default="", help="of that metric, where it has one")
    sub.add_argument("--sep-threshold", type=float, default=0.4, metavar="T", help="separability of a plain step")
    sub.add_argument("--sep-alpha", type=float, default=2.0, metavar="A", help="the largest step is A times K")
    sub.add_argument("--sep-beta", type=float, default=6.0, metavar="B", help="how steeply steps grow")
    sub.add_argument(
        "--reweight", action="store_true", help="count each comparison 1 / the probability that it was asked"
    )
    add_debias(sub)


COMMANDS = {
    "rank": Command(rank, "a leaderboard", _rank_options),
    "correlate": Command(correlate, "ranks or scores against other scores", _correlate_options),
}
