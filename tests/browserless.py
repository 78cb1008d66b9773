"""A person in front of the app without a browser: what Streamlit's page and server say to each
other over their WebSocket, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PATIENCE = 60.0  # seconds until an answer of the server is given up


@dataclass
class Visitor:
    """One browser tab. `frames` is all it has received; `buttons` what can be pressed now, by
    label.
    """

    socket: ClientConnection
    page: str
    query: str
    frames: list[ForwardMsg] = field(default_factory=list)
    buttons: dict[str, str] = field(default_factory=dict)
    _page_hash: str = ""

    async def open(self) -> None:
        """Load the page and wait until all of it is there."""
        await self._run()
        await self.settle()

    async def press(self, label: str) -> None:
        """Press a button; what it does is not waited for."""
        await self._run(pressed=self.buttons[label])

    async def until_replaced(self, label: str) -> None:
        """Wait until this button stands for something else: until the next question is drawn."""
        before = self.buttons[label]
        finished = False
        while self.buttons.get(label) == before and not finished:
            finished = (await self._hear()).WhichOneof("type") == "script_finished"

    async def settle(self) -> None:
        """Wait until the server has drawn everything."""
        while (await self._hear()).WhichOneof("type") != "script_finished":
            pass

    async def _run(self, pressed: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self.query
        state.page_script_hash = self._page_hash
        state.page_name = "" if self._page_hash else self.page
        if pressed:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = pressed, True
        await self.socket.send(message.SerializeToString())

    async def _hear(self) -> ForwardMsg:
        async with asyncio.timeout(PATIENCE):
            data = await self.socket.recv()
        message = ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())
        self.frames.append(message)
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            element = message.delta.new_element
            if element.WhichOneof("type") == "button":
                self.buttons[element.button.label] = element.button.id
        return message


@asynccontextmanager
async def visit(url: str) -> AsyncIterator[Visitor]:
    """A tab at an address of a running app, until the block ends."""
    address = urlsplit(url)
    async with connect(
        f"ws://{address.netloc}/_stcore/stream",
        origin=None,
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        open_timeout=PATIENCE,
        ping_timeout=None,
    ) as socket:
        yield Visitor(socket, address.path.strip("/"), address.query)
