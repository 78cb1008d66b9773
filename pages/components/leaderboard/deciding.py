"""The votes without which another system leads, with their texts."""

from __future__ import annotations

import pandas as pd

from core.findings.leaderboard import headline
from pages.components.leaderboard.boards import Rated
from pages.components.leaderboard.records import MOST, show_comparison
from pages.components.shared.frame import Study
from pages.components.shared.notice import lead, small
from pages.components.shared.row_choice import choose_row


def show_deciding(study: Study, rated: Rated) -> None:
    """How few there are, a list of them, and the texts and answers of the one that is chosen."""
    result = rated.result
    votes = result.tables["deciding"].head(MOST)
    lead(headline.describe_deciding(result))
    small(
        "At most so many decide: the ratings were fitted anew without these. Choose a row to read "
        "it."
    )
    declared = result.table_columns["deciding"]
    place = choose_row(votes, declared, f"deciding {rated.board.whose}", is_low=True)
    row = votes.rename(columns={"generation_a": "generation", "generation_b": "other"}).iloc[place]
    row = pd.concat([row, pd.Series({"opponent": row["system_b"], "judges": (row["judge"],)})])
    show_comparison(study, str(row["system_a"]), row)
