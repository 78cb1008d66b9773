"""Access control for the framework's own addresses, which programs can call without a page."""

from __future__ import annotations

import re

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

_UPLOAD = re.compile(r"/_stcore/upload_file(?:/([^/]*))?")
_METRICS = "/_stcore/metrics"

_uploaders = set[str]()
"""The sessions of those who may upload, in this process: an upload comes where its session is."""


def let_upload(may: bool) -> None:
    """Allow or forbid file uploads in the current session, and forget sessions that have ended."""
    context = get_script_run_ctx()
    if context is None:
        return
    for session in tuple(_uploaders):
        if not (Runtime.exists() and Runtime.instance().is_active_session(session)):
            _uploaders.discard(session)
    if may:
        _uploaders.add(context.session_id)
    else:
        _uploaders.discard(context.session_id)


class Gate:
    """Server that takes files only from people who may upload, and tells nobody its load."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _refusal(scope) if scope["type"] == "http" else None
        await (answer or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> PlainTextResponse | None:
    """Return the answer to a refused request, before any of its body is read."""
    path = scope["path"]
    if _METRICS in path:
        return PlainTextResponse("Not Found", status_code=404)
    upload = _UPLOAD.search(path)
    if upload and scope["method"] in ("PUT", "POST") and upload[1] not in _uploaders:
        return PlainTextResponse("Only researchers and owners may upload.", status_code=403)
    return None
