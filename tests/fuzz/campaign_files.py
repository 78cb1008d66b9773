"""Campaigns: tables of pairs whose answer is known, and orders in which people are asked."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

from core.__main__ import main
from core.store import Store
from tests.cli.asked import measure
from tests.fuzz.mutation import NASTY, mutate
from tests.fuzz.promises import BrokenPromiseError, obeyed

KNOWN = (
    b"item,better,worse,attribute,role,tie,feedback\n"
    b"i0,x,y,coherence,gold,,because\ni1,y,z,,training,1,\ni2,z,x,coherence,,no,clear\n",
    b"item,better,worse\ni3,x,y\ni4,x,z\n",
)
OFTEN = {
    "--pairs-by": ("stratified", "proportional", "inverse", "informative", "range", "top"),
    "--separability": ("rouge1", "length", "bertscore"),
    "--by": ("all", "random", "separability", "uncertain", "active", "informative"),
    "--number": ("1", "5", "1000"), "--bins": ("2", "5"), "--seed": ("1",), "--gap": ("0.1",),
    "--attributes": ("coherence",), "--attribute": ("coherence",), "--against": ("x",),
    "--judge": ("baseline:longer",), "--judges": ("baseline:longer", "llm", "human"),
    "--systems": ("x", "y", "z"), "--from": ("0", "0.2", "1"), "--to": ("0", "0.5", "1"),
    "--budget": ("1", "3", "500"), "--overlap": ("1", "2"), "--quota": ("0", "4"),
    "--repeat-share": ("0", "0.5", "2"), "--order": ("random", "item"), "--gold": ("1",),
    "--attention": ("1",), "--samples": ("1", "2"), "--draw": ("proportional", "stratified"),
    "--rule": ("apart",), "--level": ("0.9", "1"), "--reasons": ("clear",),
    "--on-failure": ("note", "stop"), "--rename": ("other",), "--consent": ("yes",),
    "--instructions": ("**read**", "@/no/such"),
}  # fmt: skip
"""Values that options of campaigns take, beside such as nobody means."""
VERBS = ("order", "order", "order", "create", "create", "edit", "settled", "show", "list", "close")
KEPT = ("campaigns", "campaign_attributes", "campaign_pairs", "runs", "checks")


class Campaigns:
    """A store with a campaign, texts of two samples, separabilities and a judge's answers."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder, self.store = folder, folder / "campaign.sqlite3"
        self.begun = Path(shutil.copy(store, folder / "campaign-begun.sqlite3"))
        measure(self.begun)
        main(["--store", str(self.begun), "campaign", "create", "people", "--by", "random"])
        with Store(self.begun) as opened:
            opened.connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def known(self, draw: Random) -> None:
        """A mutated table is taken whole, or nothing of it is."""
        path = self.folder / "known.csv"
        path.write_bytes(mutate(draw.choice(KNOWN), draw, KNOWN))
        self._obeyed(["edit", "people", "--known", str(path)])

    def order(self, draw: Random) -> None:
        """Orders, and whatever else is said of a campaign."""
        words = [draw.choice(VERBS), draw.choice(("people", "people", "people", "other", ""))]
        for option in draw.sample(list(OFTEN), draw.randrange(5)):
            words.append(option)
            nasty = draw.choice([each for each in NASTY if isinstance(each, str)])
            words.append(draw.choice(OFTEN[option]) if draw.random() < 0.85 else nasty)
        self._obeyed([word for word in words if "\0" not in word])

    def _obeyed(self, words: list[str]) -> None:
        shutil.copyfile(self.begun, self.store)
        for log in ("wal", "shm"):
            Path(f"{self.store}-{log}").unlink(missing_ok=True)
        status = obeyed(["--store", str(self.store), "campaign", *words])
        if status and self._counts(self.store) != self._counts(self.begun):
            raise BrokenPromiseError(f"{words} was refused and left something behind")

    def _counts(self, path: Path) -> list[int]:
        with Store(path) as store:
            return [store.connection.value(f"SELECT count(*) FROM {name}") for name in KEPT]
