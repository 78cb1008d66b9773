"""A person in front of the app without a browser: Streamlit's page and server over a WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from time import monotonic
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.AutoRerun_pb2 import AutoRerun
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

PATIENCE = 60.0  # seconds until an answer of the server is given up


@dataclass
class Visitor:
    """One browser tab: all `frames` received, and the `buttons` to press now, by label."""

    socket: ClientConnection
    page: str
    query: str
    frames: list[ForwardMsg] = field(default_factory=list)
    buttons: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # by the label of their buttons
    _page_hash: str = ""
    _session: str = ""
    _again: AutoRerun | None = None  # the part of the page that is to be drawn anew by and by

    async def open(self) -> None:
        """Load the page and wait until all of it is there."""
        await self.start()
        await self._finish()

    async def press(self, label: str) -> float | None:
        """Press a button: the seconds until it stood for something else; None if it never did."""
        before, begin = self.buttons[label], monotonic()
        await self.socket.send(self._message(before, "").SerializeToString())
        replaced = None
        async for _ in self._until_finished():
            if replaced is None and self.buttons.get(label) != before:
                replaced = monotonic() - begin
        return replaced

    async def attempt(
        self,
        *,
        script: str = "",
        fragment: str = "",
        query: str | None = None,
        pressed: str = "",
        texts: Mapping[str, str] = MappingProxyType({}),
        lists: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Send what no page of this tab would (a hash, a fragment, others' widgets) and wait."""
        self.frames.clear()
        message = self._message(pressed, fragment)
        state = message.rerun_script
        state.query_string = self.query if query is None else query
        state.page_script_hash = script or self.script
        for name, text in texts.items():
            state.widget_states.widgets.add(id=name, string_value=text)
        for name, chosen in lists.items():
            state.widget_states.widgets.add(id=name).string_array_value.data.extend(chosen)
        await self.socket.send(message.SerializeToString())
        await self._finish()

    async def fetch(self, deferred: str) -> str:
        """The address of a file that is made when it is asked for; '' when it is refused."""
        message = BackMsg()
        message.backend_operation_request.request_id = deferred
        message.backend_operation_request.session_id = self._session
        message.backend_operation_request.deferred_file.file_id = deferred
        await self.socket.send(message.SerializeToString())
        while True:
            answer = await self._hear()
            if answer.WhichOneof("type") == "backend_operation_response":
                return answer.backend_operation_response.deferred_file.url

    @property
    def script(self) -> str:
        """The hash by which the server knows the page of this tab."""
        return self._page_hash

    @property
    def session(self) -> str:
        """What the server calls this tab, in its first message."""
        return self._session

    def received(self) -> str:
        """All that has come, as text."""
        return "\n".join(unescape(str(frame)) for frame in self.frames)

    def widgets(self, *kinds: str) -> dict[str, str]:
        """Label -> id of the widgets of these kinds, such as "selectbox", that have come."""
        return {widget.label: widget.id for widget in self._elements(*kinds)}

    async def settle(self, word: str) -> None:
        """Draw anew what the page wants drawn anew, until no bar of progress says this word."""
        while self._again is not None and any(word in text for text in self._bars()):
            await asyncio.sleep(self._again.interval)
            self.frames.clear()
            await self.start(self._again.fragment_id)
            await self._finish()

    def _bars(self) -> list[str]:
        return [bar.text for bar in self._elements("progress")]

    def _elements(self, *kinds: str) -> list[Any]:
        """What has come of these kinds of elements."""
        deltas = [frame.delta for frame in self.frames if frame.WhichOneof("type") == "delta"]
        elements = [(delta.new_element, delta.new_element.WhichOneof("type")) for delta in deltas]
        return [getattr(element, kind) for element, kind in elements if kind in kinds]

    async def _finish(self) -> None:
        async for _ in self._until_finished():
            pass

    async def _until_finished(self) -> AsyncIterator[None]:
        """Every message until the server has drawn everything."""
        while True:
            message = await self._hear()
            yield
            if (
                message.WhichOneof("type") == "script_finished"
                and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                return

    def _message(self, pressed: str, fragment: str) -> BackMsg:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self.query
        state.fragment_id, state.is_auto_rerun = fragment, bool(fragment)
        state.page_script_hash = self._page_hash
        state.page_name = "" if self._page_hash else self.page
        if pressed:
            state.widget_states.widgets.add(id=pressed, trigger_value=True)
        return message

    async def start(self, fragment: str = "") -> None:
        """Ask for the page, or a part of it, to be drawn, and wait for nothing."""
        await self.socket.send(self._message("", fragment).SerializeToString())

    async def hear(self, seconds: float) -> ForwardMsg:
        """The next message of the server. Raises TimeoutError when none comes in so many seconds."""
        return await self._hear(seconds)

    async def _hear(self, seconds: float = PATIENCE) -> ForwardMsg:
        async with asyncio.timeout(seconds):
            data = await self.socket.recv()
        message = ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())
        self.frames.append(message)
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "new_session":
            self._session = message.new_session.initialize.session_id
        elif kind == "auto_rerun":
            self._again = message.auto_rerun
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            element = message.delta.new_element
            if element.WhichOneof("type") == "button":
                self.buttons[element.button.label] = element.button.id
            elif element.WhichOneof("type") == "download_button":
                self.files[element.download_button.label] = element.download_button.deferred_file_id
        return message


@asynccontextmanager
async def visit(url: str, *, called: str = "", **headers: str) -> AsyncIterator[Visitor]:
    """A tab at an address of a running app; `called` is another name and port of the app."""
    address = urlsplit(url)
    async with connect(
        f"ws://{called or address.netloc}/_stcore/stream",
        host=address.hostname,
        port=address.port,
        origin=Origin(f"http://{called}") if called else None,
        additional_headers={name.replace("_", "-"): value for name, value in headers.items()},
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        open_timeout=PATIENCE,
        ping_timeout=None,
    ) as socket:
        yield Visitor(socket, address.path.strip("/"), address.query)
