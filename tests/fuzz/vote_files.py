"""Files of votes that are only counted: each is counted in full, or refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

from core.importing import count
from tests.fuzz.mutation import mutate
from tests.fuzz.promises import BrokenPromiseError, check_message, obeyed, one_message

ENDS = (".parquet", ".csv", ".tsv")
RANKS = (
    ["--method", "win-ratio"], ["--method", "bradley-terry"], ["--method", "elo"],
    ["--by", "attribute"], ["--attribute", "overall"], ["--map", "item="],
    ["--a-wins", "1"], ["--kind", "llm"], [],
)  # fmt: skip
"""What is asked of a file, beside its votes."""


class VoteFiles:
    """Files in layouts whose rows are votes."""

    def __init__(self, folder: Path, seeds: list[tuple[str, bytes]]) -> None:
        self.folder = folder
        self.seeds = [(name, data) for name, data in seeds if Path(name).suffix in ENDS]
        self.others = [data for _, data in seeds]

    def _written(self, draw: Random) -> Path:
        name, data = draw.choice(self.seeds)
        path = self.folder / f"counted-{name}"
        path.write_bytes(mutate(data, draw, self.others))
        return path

    def count(self, draw: Random) -> None:
        """No vote is counted twice, none is lost without a reason, and each is told on paper."""
        path = self._written(draw)
        with one_message():
            votes = count([path])
            told = [*votes.notes, *votes.skipped]
            for message in told:
                check_message(message)
            rows, skipped = votes.rows, sum(votes.skipped.values())
            if votes.votes["times"].min() < 1 or votes.of_items["times"].min() < 1:
                raise BrokenPromiseError("a vote that is there less than once")
            if skipped > rows:
                raise BrokenPromiseError(f"{skipped} of {rows} rows were skipped")
            if votes.votes["times"].sum() != votes.of_items["times"].sum():
                raise BrokenPromiseError("votes by kind and votes by item are not as many")

    def rank(self, draw: Random) -> None:
        """A leaderboard of them, or a sentence."""
        words = ["rank", "--votes", str(self._written(draw)), "--bootstrap", "0", "--json"]
        obeyed([*words, *draw.choice(RANKS)])
