"""Every page in front of a large store: when it is first painted, and when its figures are there.

`--judgements 1e6` is how large, `--pages together budget` which pages; the store is built once and
kept beside the others of its kind in the folder for temporary files. The clients speak Streamlit's
own protocol to a real server. A page is opened on a server that has just started, again, and once
more right after a person's vote.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import gettempdir
from time import monotonic

from core import campaigns
from core.records import Answer, Outcome
from core.store import Store
from tests.app_server import Server, serving
from tests.bench.large_study import DATASET, study
from tests.bench.measure import number, read_options, table
from tests.browserless import visit
from tests.study import ask

PAGES = (
    "", "annotate", "judge", "separability", "agreement", "bias", "correlation", "leaderboard",
    "data",
)  # fmt: skip
OTHERS = ("together", "budget", "campaigns", "people")  # by name: no part of the default round

VOTER = "a voter"


def built(judgements: int) -> Path:
    """The store of this size, made now where there is none."""
    path = Path(gettempdir()) / f"tandem-bench-{judgements}.sqlite3"
    if not path.exists():
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with Store(part) as store:
            study(store, judgements)
        part.rename(path)
    return path


async def view(server: Server, page: str) -> tuple[float, float]:
    """Seconds until a page is first painted, and until nothing on it is being counted any more."""
    async with visit(server.page(page, dataset=DATASET, annotator=VOTER)) as tab:
        begin = monotonic()
        await tab.open()
        painted = monotonic() - begin
        await tab.settle("Counting")
        return painted, monotonic() - begin


def vote(path: Path) -> None:
    """One more answer of a person."""
    with Store(path) as store:
        campaigns.enrol(store, VOTER)
        shown = ask(store, VOTER, DATASET)
        assert shown is not None
        campaigns.answer(store, VOTER, shown, Answer(Outcome.A))


async def views(server: Server, pages: list[str]) -> list[list[str]]:
    rows = []
    for page in pages:
        first = await view(server, page)
        again = await view(server, page)
        vote(server.store)
        after = await view(server, page)
        rows.append([page or "overview", *map(number, (*first, *again, *after))])
    return rows


COLUMNS = ["page", "s, first paint", "figures", "again", "figures", "after a vote", "figures"]


def main() -> None:
    pages = {"nargs": "+", "choices": [*PAGES, *OTHERS], "default": list(PAGES)}
    judgements_of = {"type": float, "default": 1e6}
    options = read_options("2e3 judgements", judgements=judgements_of, pages=pages)
    judgements = 2_000 if options.small else int(options.judgements)
    path = built(judgements)
    with serving(path) as server:
        rows = asyncio.run(views(server, options.pages))
    table(f"A page's view, {judgements:,} judgements", COLUMNS, rows)


if __name__ == "__main__":
    main()
