"""People who read figures while others annotate: each leaves a page open, as a browser does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic

from websockets.exceptions import ConnectionClosed

from tests.app_server import Server
from tests.browserless import Visitor, visit

PAGES = ("", "leaderboard", "agreement", "together")


@dataclass
class Reader:
    """An open page that draws anew what the server asks it to, when it asks: `polls` of parts, and
    the times the whole page was drawn, as often as the server `redrew` it by itself. The first was
    `painted` after so many seconds, and the first chart was there after `figures`, None for never.
    """

    page: str
    tab: Visitor
    polls: int = 0
    redrew: int = 0
    painted: float = 0.0
    figures: float | None = None
    _due: dict[str, tuple[float, float]] = field(default_factory=dict)

    async def read(self) -> None:
        """Read until cancelled."""
        begin, first = monotonic(), True
        await self.tab.start()
        while True:
            wait = min((due for due, _ in self._due.values()), default=monotonic() + 60)
            with suppress(TimeoutError):
                message = await self.tab.hear(max(wait - monotonic(), 0))
                kind = message.WhichOneof("type")
                if kind == "new_session" and not message.metadata.run.fragment_ids:
                    self._due.clear()
                    self.redrew += 1
                elif kind == "auto_rerun":
                    every = message.auto_rerun.interval
                    self._due[message.auto_rerun.fragment_id] = (monotonic() + every, every)
                elif kind == "script_finished" and first:
                    self.painted, first = monotonic() - begin, False
                if self.figures is None and (
                    message.delta.new_element.WhichOneof("type") == "vega_lite_chart"
                ):
                    self.figures = monotonic() - begin
                self.tab.frames.clear()
            for fragment, (due, every) in list(self._due.items()):
                if due <= monotonic():
                    self._due[fragment] = (monotonic() + every, every)
                    self.polls += 1
                    await self.tab.start(fragment)


@asynccontextmanager
async def reading(server: Server, people: int, dataset: str) -> AsyncIterator[Sequence[Reader]]:
    """So many readers of this data set, spread over PAGES, until the block ends."""
    async with AsyncExitStack() as tabs:
        readers = []
        for place in range(people):
            page = PAGES[place % len(PAGES)]
            tab = await tabs.enter_async_context(visit(server.page(page, dataset=dataset)))
            readers.append(Reader(page, tab))
        tasks = [asyncio.create_task(reader.read()) for reader in readers]
        try:
            yield readers
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError, ConnectionClosed):
                    await task
