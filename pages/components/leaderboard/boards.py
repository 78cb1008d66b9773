"""One leaderboard, or people's and judges' side by side: headline, chart, figures behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, headline, leaderboard
from core.findings.leaderboard.chart import ratings
from core.similarity import make_metric
from core.statistics import RATINGS
from core.store import ChosenGenerations
from pages.components.leaderboard.choices import Board
from pages.components.shared.cached_report import cached_report
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_faults, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import describe_setting
from pages.components.shared.tables import first_names, show_rows

_leaderboard = cached_report("Rating the systems …")(leaderboard)


def compute(
    study: Study, selection: Selection, settings: RankSettings, otherwise: Any = None
) -> Any:
    """Compute the leaderboard, again only when its data has changed."""
    stamp = study.draws_stamp if settings.reweight else study.judgements_stamp
    if settings.separability:
        metric = make_metric(settings.separability, encoder=settings.encoder)
        stamp += str(
            study.store.similarities.extent(
                metric.signatures[metric.name], ChosenGenerations(selection.dataset)
            )
        )
    return _leaderboard(study.store, (selection, settings), stamp, otherwise)


@dataclass(frozen=True)
class RatedBoard:
    """A board that was computed."""

    board: Board
    result: Finding

    @property
    def settings(self) -> RankSettings:
        """Return the board's settings, with the method used if none was asked for."""
        return replace(self.board.settings, method=self.result.facts["method"])

    @property
    def order(self) -> list[str]:
        """Return the systems with a rating, best first."""
        return list(self.result.rows.dropna(subset="rating")["system"])


def rate_boards(study: Study, boards: Sequence[Board]) -> list[RatedBoard]:
    """Rate the boards that can be rated. For the others, show the reason in their place."""
    computed = []
    for board in boards:
        with show_faults():
            result = compute(study, board.selection, board.settings)
            computed.append(RatedBoard(board, _with_regularised(study, board, result)))
    return computed


def show_ways_on(boards: Sequence[Board]) -> None:
    """Say what helps if no board can be rated: another baseline, else more answers."""
    if any("length" in board.settings.rating_method.needs for board in boards):
        notice(
            "Choose a baseline above that the others were compared with, or another rating method."
        )
    else:
        next_step_links(annotate="Annotate", judge="Run a judge")


def _with_regularised(study: Study, board: Board, result: Finding) -> Finding:
    if not (result.facts["unbounded"] and st.session_state.get(_make_regularised_key(board))):
        return result
    settings = replace(board.settings, method=result.facts["method"], regularise=True)
    beside = compute(study, board.selection, settings)
    return replace(beside, facts={**beside.facts, "because": result.facts["because"]})


def _make_regularised_key(board: Board) -> str:
    return f"regularised {board.whose}"


def show_boards(boards: Sequence[RatedBoard]) -> list[str]:
    """Show the headline and chart of each board; return the systems shown, best first."""
    sentences = [headline.headline(one.result) for one in boards]
    if len(boards) > 1:
        beside = headline.compare_headlines(*(one.result for one in boards))
        if beside:
            show_headline(beside)
    show_verdict([one.result for one in boards])
    for one, sentence in zip(boards, sentences, strict=True):
        show_headline(f"{one.board.whose}: {sentence}" if one.board.whose else sentence)
    main = max(boards, key=lambda one: one.result.judgements)
    shown = first_names(main.order, "system", "board")
    for column, one in zip(st.columns(len(boards)), boards, strict=True):
        with column:
            rows = one.result.rows[one.result.rows["system"].isin(shown)]
            draw_ratings(f"leaderboard{_render_suffix(one)}", one.result, rows, one.board.whose)
    return shown


def show_figures(boards: Sequence[RatedBoard], shown: Sequence[str]) -> None:
    """Show the table of each board, and what a reader must know."""
    for one in boards:
        _figures(one, shown)


def show_verdict(boards: Sequence[Finding]) -> None:
    """Show the data set's verdict where no board's headline quotes it."""
    if not any(board.facts["verdict_is_own"] for board in boards):
        show_headline(boards[0].facts["verdict"])


def draw_ratings(name: str, result: Finding, rows: pd.DataFrame, whose: str = "") -> None:
    """Show these rows of a leaderboard as a picture; `name` names its files."""
    title = f"{f'{whose}: ' if whose else ''}How good each system is".capitalize()
    drawn = partial(ratings, rows, result.facts["method"])
    show_picture(name, drawn, caption(result, title, result.interval), rows)


def _render_suffix(one: RatedBoard) -> str:
    return f"-{one.board.whose.lower()}" if one.board.whose else ""


def _figures(one: RatedBoard, shown: Sequence[str]) -> None:
    result, sentence = one.result, headline.headline(one.result)
    if one.board.whose:
        st.subheader(one.board.whose, anchor=False)
    label = f"Ratings of {one.board.whose.lower()}" if one.board.whose else "Ratings"
    show_rows(result.rows[result.rows["system"].isin(shown)], result.columns, label)
    if result.facts["unbounded"]:
        st.toggle(
            **describe_setting(RankSettings, "regularise"), key=_make_regularised_key(one.board)
        )
    because = result.facts["because"]
    if because:
        show_caption(f"Rated by {RATINGS[result.facts['method']].label}: {because}.")
    foot(
        replace(result, notes=[note for note in result.notes if note not in sentence]),
        result.interval,
        name=f"leaderboard{_render_suffix(one)}-all",
        tables={"ratings": result.rows},
    )
