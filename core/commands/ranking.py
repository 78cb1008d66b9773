"""Commands about what judgements come to: rank, correlate."""

from __future__ import annotations

import argparse
from typing import get_args

from core import correlating, rankings
from core.commands import options
from core.commands.answers import Answer, shown
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
    result = correlating.correlate(
        store,
        options.selection(store, asked),
        against=asked.against,
        level=asked.level,
        scores=asked.scores,
        settings=_settings(asked) if asked.method else None,
    )
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
    )


def _rank_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--by", choices=("system", "candidate"), default="system")
    _rank(sub, required=True)
    _rank_method(sub, required=True)


def _correlate_options(sub: argparse.ArgumentParser) -> None:
    predicted = sub.add_mutually_exclusive_group(required=True)
    _rank_method(predicted, required=False)
    predicted.add_argument("--scores", metavar="RATER", default="")
    sub.add_argument("--against", metavar="RATER", required=True)
    sub.add_argument("--level", choices=("item", "system", "pool"), required=True)
    _rank(sub, required=False)


def _rank_method(sub: argparse._ActionsContainer, *, required: bool) -> None:
    sub.add_argument("--method", choices=tuple(RATINGS), **({"required": True} if required else {}))  # type: ignore[arg-type]


def _rank(sub: argparse.ArgumentParser, *, required: bool) -> None:
    sub.add_argument("--ties", choices=("half", "drop", "model"), default="half")
    sub.add_argument("--bootstrap", type=whole(0), default=100 if required else 0, metavar="B")
    sub.add_argument("--resample", choices=("item", "judgement"), default="item")
    sub.add_argument("--k", type=float, default=4.0, metavar="K")
    sub.add_argument("--position-term", action="store_true", help="also fit what being shown first is worth")
    sub.add_argument("--experts", choices=get_args(Experts), default="logit", help="of product-of-experts")
    add_debias(sub)


COMMANDS = {
    "rank": Command(rank, "a leaderboard", _rank_options),
    "correlate": Command(correlate, "ranks or scores against other scores", _correlate_options),
}
