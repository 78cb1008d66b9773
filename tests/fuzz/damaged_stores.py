"""A damaged store, given to every command: it answers or refuses; reading changes nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random

from core.cli import COMMANDS
from core.store import Store
from tests.fuzz.promises import BrokenPromiseError, obeyed

PAGE = 4096  # bytes of a page of SQLite
SCHEMA = slice(60, 64)  # where the file says which schema it has
JUDGE = ["--judge", "baseline:longer"]
METRIC = ["--metric", "length"]
READING: dict[str, list[str]] = {
    **{name: [] for name in ("datasets", "describe", "runs", "agreement", "bias", "combine")},
    **{name: [] for name in ("adjudicate", "annotators", "check")},
    "rank": ["--bootstrap", "0"],
    "correlate": ["--method", "win-ratio", "--against", "human", "--level", "pool"],
    "budget": ["--replays", "2"], "plan": ["--studies", "2"],
    "accuracy": ["--against", "human"], "campaign": ["show"], "people": ["list"],
    "consistency": METRIC, "try": JUDGE,
}  # fmt: skip
"""Commands that only read, and what is asked of them."""
WRITING: dict[str, list[str]] = {
    "import": ["{folder}/g.csv", "--dataset", "more"],
    "dataset": ["rename", "d", "e"],
    "judge": [*JUDGE, "--trial", "2", "--budget", "2"],
    "worker": ["--once"],
    "separability": [*METRIC, "--bootstrap", "0"],
    "exclude": ["Ada", "--reason", "clicks"],
    "export": ["--what", "judgements", "--to", "{out}.csv"],  # the log says who did
    "backup": ["{out}.sqlite3"],
    "restore": ["{begun}"],
    "report": ["--html", "{out}.html", "--bootstrap", "0"],
}
"""Commands that this cannot ask anything, or, as `sample`, that take long."""


class DamagedStores:
    """Copies of a small store with a few of their bytes changed."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder = folder / "damaged"
        self.folder.mkdir()
        self.path = self.folder / "damaged.sqlite3"
        shutil.copy(folder / "g.csv", self.folder)
        self.begun = Path(shutil.copy(store, self.folder / "begun.sqlite3"))
        with Store(self.begun) as opened:
            opened.connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        self.data = self.begun.read_bytes()
        # What draws pictures takes seconds to load, once: no input is to blame for that.
        words = ["report", *WRITING["report"][:1], str(self.folder / "out.html")]
        assert obeyed(["--store", str(self.begun), *words, "--bootstrap", "0"]) == 0

    def ask(self, command: str, draw: Random) -> None:
        """One command, of a store with one damage."""
        self._clear()
        self.path.write_bytes(damaged(self.data, draw))
        before = self.path.read_bytes()
        places = {"out": self.folder / "out", "folder": self.folder, "begun": self.begun}
        asked = (READING | WRITING)[command]
        words = ["--store", str(self.path), command, *(word.format(**places) for word in asked)]
        obeyed(words)
        older = before[SCHEMA] != self.data[SCHEMA]  # so it is brought up to date
        if command in READING and not older and self.path.read_bytes() != before:
            raise BrokenPromiseError(f"{json.dumps(asked)} of {command} changed the store")

    def restore(self, draw: Random) -> None:
        """A damaged backup is restored whole, or the store stays as it was."""
        self._clear()
        backup, store = self.folder / "damaged-backup.sqlite3", self.path
        backup.write_bytes(damaged(self.data, draw))
        store.write_bytes(self.data)
        if obeyed(["--store", str(store), "restore", str(backup)]) == 0:
            if obeyed(["--store", str(store), "check"]):
                raise BrokenPromiseError("a backup was restored, and the store is not whole")
        elif store.read_bytes() != self.data:
            raise BrokenPromiseError("a backup that was refused changed the store")

    def _clear(self) -> None:
        for file in self.folder.iterdir():
            if file.name.startswith(("damaged", "out")):
                shutil.rmtree(file) if file.is_dir() else os.unlink(file)


def damaged(data: bytes, draw: Random) -> bytes:
    """A file of which a few bits, bytes or pages are others, or that ends too soon."""
    content = bytearray(data)
    for _ in range(draw.choice((1, 1, 3, 20))):
        if len(content) <= PAGE:
            break
        place = draw.randrange(draw.choice((len(content), 100)))
        page = place // PAGE * PAGE
        match draw.randrange(8):
            case 0:
                content[page : page + PAGE] = bytes(PAGE)
            case 1:
                content[page : page + PAGE] = draw.randbytes(PAGE)
            case 2:
                other = draw.randrange(len(content) // PAGE) * PAGE
                content[page : page + PAGE] = content[other : other + PAGE]
            case 3:
                del content[draw.choice((page or PAGE, place or 1)) :]
            case 4:
                content[place : place + 8] = draw.randbytes(8)
            case _:
                content[place] ^= 1 << draw.randrange(8)
    return bytes(content)


def commands() -> list[str]:
    """Those that a damaged store is given to."""
    return [name for name in COMMANDS if name in READING or name in WRITING]
