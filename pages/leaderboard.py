"""Leaderboard: who leads, and whether that is certain."""

from pages.components.leaderboard.boards import rate_boards, show_boards, show_ways_on
from pages.components.leaderboard.choices import choices
from pages.components.leaderboard.closer import show_closer
from pages.components.shared.frame import frame
from pages.components.shared.whole_report import offer_report

with frame("Leaderboard", title="Leaderboard") as study:
    boards = choices(study)
    computed = rate_boards(study, boards)
    if boards and not computed:
        show_ways_on(boards)
    if computed:
        shown = show_boards(computed)
        show_closer(study, computed, shown)
        offer_report(study)
