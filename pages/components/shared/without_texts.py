"""Votes that came without the texts they are about: what they cannot be used for, and what for."""

from __future__ import annotations

from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice


def lacks_texts(study: Study, needs: str) -> bool:
    """Whether none of the data set's texts is there; if so, says whom that stops, such as "A judge
    reads texts", and what works.
    """
    if not study.store.datasets.lacks_texts(study.dataset):
        return False
    notice(f"{needs}, and {study.dataset} holds votes without theirs. Import the texts first.")
    ways_on(data="Import texts", leaderboard="See the leaderboard")
    return True
