"""The verdict on whether votes settle who leads, and the whole order of the systems.

Every page, command and report quotes this one: by the method and of the population that a
leaderboard has by default, with confidence that holds at every look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...labels import NUMBERS, VOTES, capitalise, join_few_names, round_up_to_two_digits
from ...records import Kind
from ...rendering import list_names
from ...statistics import settling
from ...store import Store
from ..judgements import minimum
from ..judgements.answers import find_judges, list_comparers
from ..judgements.finding import Finding, unless_refused
from ..judgements.judges import choose_usual_judges
from ..judgements.selection import Selection, write_signature
from .columns import SETTLED, declare_neighbours
from .fitted_board import FittedBoard, fit_board
from .headline import UNCONNECTED, describe_missing
from .rating_input import SYSTEMS, RatingInput, prepare_comparisons
from .settings import OTHER_OPPONENTS, RankSettings

RESAMPLES = 200
RESOLVE = "always"
LEVEL = 0.95
SOON = 5
"""Times the votes so far beyond which more are called too many to say how many: two systems with
as many points each are expected to take 8 times as many, however many those are.
"""
FAR = 100
"""Times the votes so far that are called far more."""
JUDGES = "judges' answers"
NOBODY = "Nobody has answered yet."
NEIGHBOURS = list_names(declare_neighbours(OTHER_OPPONENTS))


class _Order(NamedTuple):
    """The order of the systems, best first, and the growth of the answers that settles its leader,
    and all of it; None where that is settled.
    """

    systems: settling.SystemOrder
    for_leader: settling.RequiredGrowth | None
    growth: settling.RequiredGrowth | None

    @property
    def has_leader(self) -> bool:
        """Return whether the leader is settled."""
        return not len(self.systems.rivals)

    @property
    def is_settled(self) -> bool:
        """Return whether the whole order is settled."""
        return bool(self.systems.is_significant.all())


def state_verdict(store: Store, selection: Selection, campaign: int | None = None) -> Finding:
    """Test whether answers settle who leads, and the whole order: on all attributes together (None)
    and, with the level shared among them, on each. They are those of the selection's judges; if it
    names none, of the data set's usual ones (`choose_usual_judges`). A `campaign` (its row)
    restricts them to its votes.

    Rows: `declare_neighbours`, two in the order each. Table `attributes`: SETTLED; missing votes
    are those expected if they come as these did, infinite where that is more than anybody gives
    (see `settling.estimate_growth`). Facts: `sentence`, which every door quotes, `leader`,
    `leader_settled` and `settled` (the whole order).
    """
    return _test(store, _choose_answers(store, selection), campaign)


def _test(
    store: Store, about: Selection, campaign: int | None = None, most: int | None = None
) -> Finding:
    usual = RankSettings(bootstrap=RESAMPLES, resolve=RESOLVE)
    whole = unless_refused(partial(prepare_comparisons, store, about, usual))
    parts = {} if whole is None else dict(islice(_split_attributes(whole, campaign), most))
    planned = store.annotator_stats.count_missing(about.dataset, campaign)
    attributes = len(store.datasets.attributes(about.dataset))
    boards = 1 + attributes if attributes > 1 else 1
    fitted = {}
    for name, part in parts.items():
        settings = usual.with_method(part.choose_method().method)
        fitted[name] = fit_board(part, about, settings, boards if name else 1)
    orders = {name: _find_order(board, boards if name else 1) for name, board in fitted.items()}
    rows = []
    for name, found in orders.items():
        if found:
            order, names = found.systems, fitted[name].systems[found.systems.systems]
            of = (name, names[:-1], names[1:], order.gap, order.is_significant)
            rows.append(pd.DataFrame(dict(zip(NEIGHBOURS, of, strict=True))))
    figures = [_make_figures(name, fitted[name], orders[name], planned) for name in fitted]
    main: dict[str, Any] = {"votes": 0, "leader": None, "leader_settled": False, "settled": False}
    sentence, drawn, method = NOBODY, None, OTHER_OPPONENTS
    if figures:
        first, main = next(iter(fitted)), figures[0]
        sentence = _describe(main, fitted[first], orders[first])
        drawn, method = fitted[first].drawn, fitted[first].settings.method
    return Finding(
        pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=NEIGHBOURS),
        write_signature(
            "settled", **about.signature_values(Kind.HUMAN), campaign=campaign,
            method=method, boot=RESAMPLES, resolve=RESOLVE, level=LEVEL,
            over=drawn and drawn.scope, seed=about.seed,
        ),
        main["votes"],
        {} if whole is None else whole.unanswered,
        [*(drawn.notes() if drawn else []), *(whole.notes if whole else [])],
        {name: main[name] for name in ("leader", "leader_settled", "settled")}
        | {"sentence": sentence},
        {"attributes": pd.DataFrame(figures, columns=list_names(SETTLED))},
        "pairs",
        declare_neighbours(method),
        {"attributes": SETTLED},
    )  # fmt: skip


def quote_verdict(store: Store, selection: Selection) -> dict[str, Any]:
    """Return the data set's `verdict` as facts of a board, and whether it is about the board's own
    answers (`verdict_is_own`).
    """
    about = _choose_answers(store, replace(selection, judges=()))
    judges = [unless_refused(partial(find_judges, store, of)) for of in (about, selection)]
    of_verdict, of_board = (None if rows is None else set(rows["judge"]) for rows in judges)
    whole = not (selection.runs or selection.trials or selection.strategies)
    whole &= selection.scores == about.scores
    return {
        "verdict": _test(store, about, most=1).facts["sentence"],
        "verdict_is_own": whole and of_verdict == of_board,
    }


def _choose_answers(store: Store, selection: Selection) -> Selection:
    """Choose the answers that a verdict is about: all of these judges, or of the usual ones. Where
    nobody has compared texts, their scores are.
    """
    comparers = list_comparers(store, selection.dataset)
    direct = comparers[~comparers["by_name"]]
    judges = selection.judges or choose_usual_judges(comparers if direct.empty else direct)
    return replace(selection, judges=judges, runs=(), trials=(), strategies=(), scores=direct.empty)


def _split_attributes(
    whole: RatingInput, campaign: int | None
) -> Iterator[tuple[str | None, RatingInput]]:
    frame = whole.frame
    if campaign is not None:
        frame = frame[frame["campaign"] == campaign]
    names = list(dict.fromkeys(frame["attribute"]))
    several: list[str | None] = [None] if len(names) > 1 else []
    for name in [*several, *names]:
        part = frame if name is None else frame[frame["attribute"] == name]
        yield name, replace(whole, frame=part, answers=part, judged=part, used=len(part))


def _find_order(fitted: FittedBoard, boards: int) -> _Order | None:
    """Find the order of the systems. None without intervals on one scale, or where no leader is
    named yet.
    """
    uncertainty, seed = fitted.board.uncertainty, fitted.selection.seed
    if uncertainty is None or _describe_missing(fitted):
        return None

    def find_growth(*, leader_only: bool) -> settling.RequiredGrowth:
        return settling.estimate_growth(
            uncertainty,
            np.random.default_rng(seed),
            level=1 - (1 - LEVEL) / boards,
            leader_only=leader_only,
            share=fitted.settings.rating_method.share,
        )

    systems = settling.estimate_order(uncertainty, fitted.board.beats)
    for_leader = find_growth(leader_only=True) if len(systems.rivals) else None
    is_settled = systems.is_significant.all()
    return _Order(systems, for_leader, None if is_settled else find_growth(leader_only=False))


def _make_figures(
    attribute: str | None, fitted: FittedBoard, found: _Order | None, planned: Mapping[str, int]
) -> dict[str, Any]:
    figures: dict[str, Any] = dict.fromkeys(list_names(SETTLED), math.nan)
    figures |= {
        "attribute": attribute, "leader": None, "leader_settled": False, "settled": False,
        "systems": len(fitted.systems), "votes": fitted.comparisons.used,
        "planned": sum(planned.values()) if attribute is None else planned.get(attribute, 0),
    }  # fmt: skip
    if found is None:
        return figures
    votes, growth = fitted.comparisons.used, found.growth

    def count_missing(times: float) -> float:
        return round_up_to_two_digits(max((times - 1) * votes, 1.0))

    figures |= {
        "leader": str(fitted.systems[found.systems.systems[0]]),
        "leader_settled": found.has_leader,
        "settled": found.is_settled,
        "planned_settle": 1.0
        if growth is None
        else growth.probability_within(1 + figures["planned"] / votes),
    }
    for name, needed in (("leader_missing", found.for_leader), ("missing", growth)):
        ends = (1.0, 1.0, 1.0) if needed is None else (needed.low, needed.median, needed.high)
        for end, times in zip(("_low", "", "_high"), ends, strict=True):
            figures[f"{name}{end}"] = 0.0 if needed is None else count_missing(times)
    return figures


def _describe(figures: Mapping[str, Any], fitted: FittedBoard, found: _Order | None) -> str:
    frame, votes = fitted.frame, fitted.comparisons.used
    kinds = set(frame["kind"])
    vote = VOTES.get(next(iter(kinds)), "answer") if len(kinds) == 1 else "answer"
    by = "" if kinds == {Kind.HUMAN} else f" by {f'{vote}s' if vote in VOTES.values() else JUDGES}"
    more = "more votes" if vote in VOTES.values() else "more answers"
    if fitted.selection.scores:
        by, vote, more = " by scores", "comparison", "more comparisons"
    if missing := _describe_missing(fitted, vote):
        return f"Not settled{by}: {missing}"
    if found is None:
        return f"Not settled{by}: there are no intervals."
    order, names = found.systems, fitted.systems[found.systems.systems]
    leader, systems = names[0], len(names)
    if figures["settled"] and systems == 2:
        return f"Settled{by}: {leader} is better than {names[1]}."
    if figures["settled"]:
        every = NUMBERS[systems] if systems < len(NUMBERS) else f"{systems:,}"
        return f"Settled{by}: {leader} leads, and all {every} systems are told apart."
    if figures["leader_settled"]:
        open_ = np.flatnonzero(~order.is_significant)
        closest = open_[np.argmin(order.score[open_])]
        ends = [figures[f"missing{end}"] for end in ("_low", "", "_high")]
        return (
            f"Settled{by}: {leader} leads. {names[closest]} and {names[closest + 1]} are not told "
            f"apart yet: {_count_missing(ends, votes, more)}."
        )
    rivals = join_few_names(fitted.systems[order.rivals].tolist())
    ends = [
        figures[name] for name in ("leader_missing_low", "leader_missing", "leader_missing_high")
    ]
    whole = figures["missing"]
    rest = f" For all ranks it is about {whole:,.0f}." if ends[1] < whole <= SOON * votes else ""
    return (
        f"Not settled{by}: {leader} is ahead, and {rivals} may be as good. "
        f"{capitalise(_count_missing(ends, votes, more))}.{rest}"
    )


def _count_missing(ends: Sequence[float], votes: int, more: str) -> str:
    low, missing, high = ends
    if missing > SOON * votes:
        return f"even {round_up_to_two_digits(SOON * votes):,.0f} {more} are expected to be too few"
    upper = "far more" if high > FAR * votes else f"{high:,.0f}"
    return f"about {missing:,.0f} {more} are missing ({low:,.0f} to {upper} in four of five cases)"


def _describe_missing(fitted: FittedBoard, vote: str = "answer") -> str:
    if not fitted.board.connected:
        return UNCONNECTED
    comparisons, frame = fitted.comparisons, fitted.frame
    best = fitted.systems[int(np.argmax(np.nan_to_num(fitted.board.rating)))]
    items = minimum.count_items(comparisons.count_items(), comparisons.count_effective_items())
    leader = (str(best), int((frame[list(SYSTEMS)] == best).any(axis=1).sum()))
    return describe_missing(len(fitted.systems), comparisons.used, vote, items, leader)
