"""Leaderboard: who leads, and whether that is certain."""

from dataclasses import replace
from functools import partial

from core.charts import Drawing, ratings
from core.labels import INTERVALS
from pages.components.leaderboard.choices import choices
from pages.components.leaderboard.head_to_head import show_matches
from pages.components.leaderboard.table import compute, sentence, show_changes, show_table
from pages.components.shared.faults import told
from pages.components.shared.frame import frame, ways_on
from pages.components.shared.notice import lead, small
from pages.components.shared.picture import caption, show_picture

with frame("Leaderboard", title="Leaderboard") as study:
    chosen, result = choices(study), None
    if chosen:
        selection, settings = chosen
        with told():
            result = compute(study, selection, settings)
        if result is None:
            ways_on(annotate="Annotate", judge="Run a judge")
    if chosen and result:
        lead(sentence(result))
        drawn = partial(ratings, result.rows, result.facts["method"])
        above = caption(result, "How good each system is", INTERVALS["rating"])
        show_picture("leaderboard", Drawing(drawn, above), result.rows)
        for note in result.notes:
            small(note)
        if "elo" in result.rows:
            show_changes(result)
        show_table(replace(result, notes=()))  # they stand above
        order = result.rows.dropna(subset="rating")["system"].tolist()
        show_matches(study, selection, settings, order, result.signature)
