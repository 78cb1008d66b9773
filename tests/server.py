"""A server on this machine that speaks the OpenAI protocol, and can go wrong in every way a real
one does.

What it answers depends on the prompt alone, so that a run that was killed and repeated hears the
same. What goes wrong before it answers is told per prompt: the first request with it meets the
first fault, and so on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from core.models.served.chat_request import OPEN_QUESTION

WRONG_KEY = "Incorrect API key provided"
FAULTS = ("429", "500", "timeout", "reset", "malformed", "cut")
"""What may go wrong once; asked again, the answer comes."""


STREAMS_ONLY = (
    "This model only support stream mode, please enable the stream parameter to access the model. "
)
"""DashScope's words (FoundationAgents/OpenManus#216)."""


BROKEN: dict[str, tuple[Any, ...]] = {
    "deep": (b"[" * 100_000,),
    "malformed": (b'{"choices": [{"message": {"content": "Summary A"',),
    "page": (b"<!doctype html><title>Something else</title>", [(b"content-type", b"text/html")]),
    "said": ({"error": {"message": "Provider returned error", "code": 502}},),
}
"""What is answered with status 200, and is no answer: body and more headers."""


def probability(prompt: str) -> float:
    """P(A) of the fake model for a prompt: between 0 and 1, never 1/2."""
    return (2 * (int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % 500) + 1) / 1000 + 0.0003


@dataclass
class Batches:
    """The files and batches of a server, as OpenAI's Batch API has them. `faults(custom_id)` is ''
    for an answer, "expired", "missing" for no line at all, or an HTTP status. A batch answers what
    it holds once `runs` is true; `cancelled` are those that were stopped.
    """

    faults: Callable[[str], str] = lambda custom_id: ""
    runs: bool = True
    files: dict[str, bytes] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    created: list[dict[str, Any]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def response(self, path: str, body: bytes, server: Server) -> Any:
        """What is answered to a request, None to one that is about something else."""
        if path == "/v1/files":
            name = f"file-{len(self.files)}"
            self.files[name] = body[body.index(b'{"custom_id"') : body.rindex(b"}\n") + 2]
            return {"id": name, "object": "file", "bytes": len(body), "purpose": "batch"}
        if path == "/v1/batches":
            self.created.append(json.loads(body))
            name = f"batch_{len(self.created)}"
            self.inputs[name] = self.created[-1]["input_file_id"]
            return self._batch(name, "validating")
        if path.startswith("/v1/files/") and path.endswith("/content"):
            return self.files[path.split("/")[3]]
        if path.endswith("/cancel"):
            self.cancelled.append(path.split("/")[3])
            return self._batch(path.split("/")[3], "cancelling")
        if path.startswith("/v1/batches/"):
            return self._done(path.split("/")[3], server)
        return None

    def _batch(self, name: str, status: str, **more: Any) -> dict[str, Any]:
        return {"id": name, "object": "batch", "status": status, "endpoint": "", "created_at": 0,
                "input_file_id": self.inputs[name], "completion_window": "24h", **more}  # fmt: skip

    def _done(self, name: str, server: Server) -> dict[str, Any]:
        requests = [json.loads(line) for line in self.files[self.inputs[name]].splitlines()]
        if not self.runs:
            counts = {"total": len(requests), "completed": 1, "failed": 0}
            return self._batch(name, "in_progress", request_counts=counts)
        lines = results(requests, server, self.faults)
        good = [line for line in lines if line["error"] is None]
        bad = [line for line in lines if line["error"] is not None]
        for what, told in (("out", good), ("err", bad)):
            self.files[f"{what}-{name}"] = "".join(f"{json.dumps(one)}\n" for one in told).encode()
        counts = {"total": len(requests), "completed": len(good), "failed": len(bad)}
        return self._batch(name, "completed", request_counts=counts,
                           output_file_id=f"out-{name}", error_file_id=f"err-{name}")  # fmt: skip


def results(
    requests: Sequence[dict[str, Any]],
    server: Server,
    faults: Callable[[str], str] = lambda custom_id: "",
) -> list[dict[str, Any]]:
    """The lines that come back for lines of a batch file."""
    lines = []
    for request in requests:
        fault, name = faults(request["custom_id"]), request["custom_id"]
        told: dict[str, Any] = {
            "id": "batch_req_1",
            "custom_id": name,
            "response": None,
            "error": None,
        }
        if fault == "missing":
            continue
        if fault == "expired":
            message = "This request could not be executed before the completion window expired."
            told["error"] = {"code": "batch_expired", "message": message}
        elif fault:
            body = _error(f"it is {fault}", fault)
            told["response"] = {"status_code": int(fault), "request_id": "r", "body": body}
        else:
            prompt = request["body"]["messages"][-1]["content"]
            server._times[prompt] += 1
            body = server._answer(request["body"], prompt)
            told["response"] = {"status_code": 200, "request_id": "r", "body": body}
        lines.append(told)
    return lines


def serve(app: Any, port: int = 0, **how: Any) -> tuple[uvicorn.Server, threading.Thread]:
    """Let a thread of this process answer requests, at a free port unless one is given."""
    # Uvicorn's own set-up of logging closes the handlers that are there, and absl's closes with it
    # the stream that it was made with: what pytest captures into.
    quiet = {"log_config": None, "log_level": "critical", "lifespan": "off"}
    server = uvicorn.Server(uvicorn.Config(app, port=port, **quiet, **how))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        threading.Event().wait(0.005)
    return server, thread


def stop(server: uvicorn.Server, thread: threading.Thread) -> None:
    server.should_exit = server.force_exit = True
    thread.join(timeout=5)


@dataclass
class Server:
    """`with Server(...) as server:` it listens at `server.url`; `seen` are the requests that
    arrived, as they were sent.

    `ends(prompt)`: the `finish_reason` where it is another than a reply's own.
    `faults(prompt)` says what goes wrong in turn; `reply(prompt)` what is written, by default a
    label as the fake model prefers; `chances(prompt)` the likeliest tokens at its last word.
    `logprobs`: probabilities come back, but `without` for some prompts, and of `most_top` tokens at
    most; `context`: the most words it reads, and `silently` those after which it cuts a prompt
    without a word; `several`: it writes several texts to one request; `key`: the only one it
    accepts; `refuses` options it answers with HTTP 400; `redirects`: where it sends everybody instead; one that `thinks` refuses a temperature of
    0. `explains(prompt)`: the body of an HTTP 400. `draws_by`: the option without which it writes the likeliest words again and again, '' where
    nothing helps; `open_reply` what it writes to an open question instead of drawing. `slots`: it says as llama.cpp does that a prompt has too many words. After so
    many requests as it `lives` it is dead, until another is started at its `port`. `batches`: it takes files of requests. `responds(request, turn)`: HTTP
    status and body of what it answers instead. `tokens`: how it writes the tokens of a reply.
    `streams`: it answers nothing but streams ("only"), or each first one breaks off midway ("breaks").
    """

    faults: Callable[[str], Sequence[str]] = lambda prompt: ()
    reply: Callable[[str], str] | None = None
    ends: Callable[[str], str] = lambda prompt: ""
    logprobs: bool = True
    chances: Callable[[str], dict[str, float]] | None = None
    without: Callable[[str], bool] = lambda prompt: False
    most_top: int = 20
    context: int = 10**6
    silently: int = 10**6
    explains: Callable[[str], Any] = lambda prompt: None
    slots: bool = False
    draws_by: str = "temperature"
    open_reply: str | None = None
    lives: int = 10**9
    port: int = 0
    batches: Batches | None = None
    responds: Callable[[dict[str, Any], int], tuple[int, Any] | None] = lambda request, turn: None
    tokens: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda tokens: tokens
    streams: str = ""
    several: bool = True
    key: str = ""
    redirects: str = ""
    refuses: Sequence[str] = ()
    thinks: bool = False
    model: str = "fake"
    retry_after: str = "0"
    delay: float = 0.0
    labels: tuple[str, str] = ("Summary A", "Summary B")
    seen: list[dict[str, Any]] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    _times: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> Server:
        self._server, self._thread = serve(self._app, self.port, interface="asgi3")
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        stop(self._server, self._thread)

    def forget(self) -> None:
        """As if nothing had been asked yet."""
        self.seen.clear()
        self._times.clear()

    async def _app(
        self, scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]
    ) -> None:
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if self.batches and self.key and headers.get("authorization") != f"Bearer {self.key}":
            return await _send(send, 401, _error(WRONG_KEY, "invalid_api_key"))
        sent = self.batches and self.batches.response(scope["path"], body, self)
        if sent is not None:
            return await _send(send, 200, sent)
        if self.redirects:
            place = f"{self.redirects}{scope['path']}?key=secret".encode()
            return await _send(send, 307, {}, [(b"location", place)])
        if scope["path"] != "/v1/chat/completions":
            return await _send(send, 404, {"detail": "Not Found"})
        request = json.loads(body)
        if len(self.seen) >= self.lives:
            return self._die(send)
        self.seen.append(request)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await asyncio.sleep(self.delay)
            if response := await self._response(request, headers, receive, send):
                status, body = response[:2]
                if request.get("stream") and status == 200 and isinstance(body, dict):
                    prompt = request["messages"][-1]["content"]
                    breaks = self.streams == "breaks" and self._times[prompt] == 1
                    await _send_stream(send, body, breaks=breaks)
                else:
                    await _send(send, *response)
        finally:
            self.open -= 1

    def _die(self, send: Any) -> None:
        """As a process that is killed: nothing is answered any more, and nobody listens."""
        for listening in self._server.servers:
            listening.close()
        self._server.should_exit = self._server.force_exit = True
        _abort(send, reset=True)

    async def _response(
        self, request: dict[str, Any], headers: dict[str, str], receive: Any, send: Any
    ) -> tuple[Any, ...] | None:
        """HTTP status, body and more headers, or None when the connection came to a bad end."""
        prompt = request["messages"][-1]["content"]
        if self.key and headers.get("authorization") != f"Bearer {self.key}":
            wrong = headers.get("authorization", "").removeprefix("Bearer ")
            return 401, _error(f"{WRONG_KEY}: {wrong}", "invalid_api_key")
        if request["model"] != self.model:
            return 404, _error(f"The model `{request['model']}` does not exist", "model_not_found")
        for option in self.refuses:
            if option in request:
                other = ". Use 'max_completion_tokens' instead" if option == "max_tokens" else ""
                return 400, _error(f"Unsupported parameter: '{option}'{other}", "unsupported")
        if self.thinks and request.get("temperature", 1) == 0:
            said = "Unsupported value: 'temperature' does not support 0.0 with this model"
            return 400, _error(said, "unsupported_value")
        if self.streams == "only" and not request.get("stream"):
            return 400, _error(STREAMS_ONLY, "invalid_parameter_error")
        if response := self.responds(request, self._times[prompt]):
            self._times[prompt] += 1
            return response
        if explanation := self.explains(prompt):
            return 400, explanation
        turn = self._times[prompt]
        self._times[prompt] += 1
        faults = self.faults(prompt)
        fault = faults[turn] if turn < len(faults) else ""
        if fault == "timeout":
            with suppress(TimeoutError):
                await asyncio.wait_for(receive(), 60)  # until the client has had enough
            return None
        if fault == "reset":
            _abort(send, reset=True)
            return None
        if fault in BROKEN:
            return 200, *BROKEN[fault]
        if fault == "cut":
            body = json.dumps(self._answer(request, prompt)).encode()
            await send(_start(200, len(body)))
            await send(_part(body[: len(body) // 2]))
            await asyncio.sleep(0.01)
            _abort(send)
            return None
        if request.get("top_logprobs", 0) > self.most_top:
            return 400, _error(f"top_logprobs must be at most {self.most_top}", "invalid")
        words = len(prompt.split())
        if self.slots and words > self.context:
            said = "the request exceeds the available context size, try increasing it"
            error = {"code": 400, "message": said, "type": "exceed_context_size_error"}
            return 400, {"error": {**error, "n_prompt_tokens": words, "n_ctx": self.context}}
        if fault == "too-long" or words > self.context:
            said = f"This model's maximum context length is {self.context} tokens. However, "
            said += f"your messages have {words} tokens."
            return 400, _error(said, "context_length_exceeded")
        if fault == "echo":
            return 400, _error(f"cannot read {headers.get('authorization')}", "bad_request")
        if fault.isdigit():
            waits = fault == "429" and self.retry_after
            extra = [(b"retry-after", self.retry_after.encode())] if waits else []
            return int(fault), _error(f"it is {fault}", fault), extra
        return 200, self._answer(request, prompt)

    def _answer(self, request: dict[str, Any], prompt: str) -> dict[str, Any]:
        several = request.get("n", 1) if self.several else 1
        read = min(len(prompt.split()), self.silently)
        turn = self._times[prompt]
        choices = [
            {"index": index, **self._choice(request, prompt, index + turn)}
            for index in range(several)
        ]
        written = 2 * several
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
        return {"id": "x", "object": "chat.completion", "created": 0, "model": self.model,
                "choices": choices, "usage": usage}  # fmt: skip

    def _choice(self, request: dict[str, Any], prompt: str, turn: int) -> dict[str, Any]:
        choice = self._written(request, prompt, turn)
        ended = self.ends(prompt)
        return choice | {"finish_reason": ended} if ended else choice

    def _written(self, request: dict[str, Any], prompt: str, turn: int) -> dict[str, Any]:
        p = probability(prompt)
        if self.draws_by == "seed":  # it has one of its own
            turn = request.get("seed", 42)
        elif not (self.draws_by and request.get(self.draws_by, self.thinks)):
            turn = 0
        if prompt == OPEN_QUESTION[0]["content"]:
            said = f"apple pear {turn}" if self.open_reply is None else self.open_reply
        elif prompt.startswith("Write the number 10 in digits"):
            said = "10"  # one token of its vocabulary
        else:
            said = self.reply(prompt) if self.reply else self.labels[p < 0.5]
        if said == "refusal":
            return _end("stop", None, refusal="I will not.")
        if said == "filtered":
            return _end("content_filter", "")
        if said == "alternating":
            said = self.labels[turn % 2]
        if said == "votes":  # of every ten the share that P(A) is, in turn
            said = self.labels[turn % 10 >= round(10 * p)]
        choice = _end("stop", said)
        if self.logprobs and request.get("logprobs") and not self.without(prompt):
            ends = dict(zip(self.labels, (0.9 * p, 0.9 * (1 - p)), strict=True))
            likely = {label.split(" ")[-1]: chance for label, chance in ends.items()} | {"The": 0.1}
            likely = self.chances(prompt) if self.chances else likely
            choice["logprobs"] = {"content": self.tokens(_positions(said, likely))}
        return choice


def _end(reason: str, said: str | None, **more: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": said, **more}
    return {"finish_reason": reason, "message": message}


def _positions(said: str, likely: dict[str, float]) -> list[dict[str, Any]]:
    """The tokens of a text, a space going with the word behind it, each certain but for those that
    could end a label.
    """
    found = []
    for word in _split(said):
        top = {word: 1.0}
        if word.strip() in map(str.strip, likely):
            space = word[: len(word) - len(word.strip())]
            top = {space + other.strip(): chance for other, chance in likely.items()}
        likeliest = sorted(top.items(), key=lambda each: -each[1])
        shown = [
            {"token": token, "logprob": math.log(chance), "bytes": None}
            for token, chance in likeliest
        ]
        found.append({**shown[0], "token": word, "top_logprobs": shown})
    return found


def _split(said: str) -> list[str]:
    first, *others = said.split(" ")
    return [first, *(f" {word}" for word in others)]


def _error(message: str, code: str) -> dict[str, Any]:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return {"error": error}


def _start(status: int, length: int, extra: Sequence[tuple[bytes, bytes]] = ()) -> dict[str, Any]:
    usual = {b"content-type": b"application/json", b"content-length": str(length).encode()}
    headers = usual | dict(extra)
    return {"type": "http.response.start", "status": status, "headers": list(headers.items())}


def _part(body: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": True}


async def _send(
    send: Any, status: int, what: Any, extra: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    body = what if isinstance(what, bytes) else json.dumps(what).encode()
    await send(_start(status, len(body), extra))
    await send({"type": "http.response.body", "body": body})


def chunks(body: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer as it is streamed: a word at a time, each with its token, then how it ends."""
    parts = []
    for choice in body["choices"]:
        index, content = choice["index"], choice["message"].get("content") or ""
        tokens = (choice.get("logprobs") or {}).get("content") or []
        for place, word in enumerate(_split(content)):
            part: dict[str, Any] = {"index": index, "delta": {"content": word}}
            if place < len(tokens):
                part["logprobs"] = {"content": [tokens[place]]}
            parts.append(part)
        parts.append({"index": index, "delta": {}, "finish_reason": choice["finish_reason"]})
    head = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
    last = {**head, "choices": [], "usage": body["usage"]}
    return [*({**head, "choices": [part]} for part in parts), last]


async def _send_stream(send: Any, body: dict[str, Any], *, breaks: bool) -> None:
    """Server-sent events, as OpenAI's protocol has them; with `breaks` only the first."""
    head = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    events = [json.dumps(chunk) for chunk in (chunks(body) if "choices" in body else [body])]
    for event in events[:1] if breaks else [*events, "[DONE]"]:
        await send(_part(f"data: {event}\n\n".encode()))
    if breaks:
        await asyncio.sleep(0.01)
        _abort(send)
    else:
        await send({"type": "http.response.body", "body": b""})


def _abort(send: Any, *, reset: bool = False) -> None:
    """Close the connection in the middle; with `reset` the client sees it broken by the other side."""
    transport = send.__self__.transport
    if reset:
        linger = struct.pack("ii", 1, 0)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()
