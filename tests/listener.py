"""A listener on another address of this machine: it hears all headers, and answers as a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.2"
"""Loopback, and not the address that the app itself listens on."""


@dataclass
class Heard:
    """`connections` were made, and these `requests` came: path and headers of each."""

    port: int
    connections: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"

    @property
    def authorizations(self) -> set[str]:
        return {headers.get("authorization", "") for _, headers in self.requests}

    def has(self, secret: str) -> bool:
        return any(secret in text for _, headers in self.requests for text in headers.values())


@contextmanager
def listening() -> Iterator[Heard]:
    """A model that prefers Summary A, at a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard.requests.append((self.path, headers))
            told = json.dumps(_completion()).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    class Listener(ThreadingHTTPServer):
        daemon_threads = True

        def process_request(self, request: Any, client_address: Any) -> None:
            heard.connections += 1
            super().process_request(request, client_address)

    with Listener((HOST, 0), Handler) as server:
        heard = Heard(server.server_address[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield heard
        finally:
            server.shutdown()


def _completion() -> dict[str, Any]:
    message = {"role": "assistant", "content": "Summary A"}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 900, "completion_tokens": 2, "total_tokens": 902}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "fake",
            "choices": [choice], "usage": usage}  # fmt: skip
