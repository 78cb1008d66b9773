"""Security headers of every answer of the server.

Pages load scripts, styles, fonts and data only from this server. They run only scripts of the
framework and ours, and cannot be embedded elsewhere. This is a second line of defence: texts are
escaped before.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.components.annotate.script import CODE
from pages.components.shared.formulas import CODE as FORMULAS
from pages.components.shared.gate import Gate
from pages.components.shared.missing_page import MissingPages

_INDEX = Path(streamlit.__file__).parent / "static" / "index.html"


def _policy() -> str:
    """Return the content security policy.

    The framework's styles (Emotion) add <style> elements, so styles are allowed in a page. Scripts
    are allowed only if their text is known here.
    """
    inline = re.findall(r"<script>(.*?)</script>", _INDEX.read_text(encoding="utf-8"), re.DOTALL)
    hashes = (sha256(script.encode()).digest() for script in (*inline, CODE, FORMULAS))
    scripts = " ".join(f"'sha256-{b64encode(each).decode()}'" for each in hashes)
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' 'wasm-unsafe-eval' {scripts}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{rule} {sources}" for rule, sources in rules.items())


HEADERS = {
    "Content-Security-Policy": _policy(),
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the code of a link is in the address
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class _ProtectedServer:
    """The server, with these headers on each of its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        await self._app(scope, receive, send_protected)


PROTECTED = (Middleware(_ProtectedServer), Middleware(Gate), Middleware(MissingPages))
