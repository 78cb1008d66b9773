"""Security headers of every answer of the server, and the answer to an address without a page.

Pages load scripts, styles, fonts and data only from this server. They run only scripts of the
framework and ours, and cannot be embedded elsewhere. This is a second line of defence: texts are
escaped before.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.components.annotate.answers import CODE
from pages.components.shared.address import SECTION
from pages.components.shared.frame import PAGE_NAMES, SECTIONS, get_base_path
from pages.components.shared.texts import FORMULAS
from pages.components.shared.visitor import Gate

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>No such page · Tandem</title>
<style>
:root {{ color-scheme: light dark; font-family: 'Source Sans Pro', 'Segoe UI', sans-serif; }}
main {{ max-width: 40rem; margin: 4rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}
</style>
<main>
<h1>There is no such page</h1>
<p>This study has no page “{path}”. <a href="{way}">Open {name}</a></p>
</main>
</html>
"""


class MissingPages:
    """Server that says of an address without a page that there is none, and leads to one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _find_page(scope["path"]) in ("", *PAGE_NAMES):
            await self._app(scope, receive, send)
            return
        is_replaced = False

        async def send_page(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and _is_for_people(scope, message):
                is_replaced = True
                await _explain(scope)(scope, receive, send)
            elif not is_replaced:
                await send(message)

        await self._app(scope, receive, send_page)


def _is_for_people(scope: Scope, message: Message) -> bool:
    """Return whether an answer is a page, or tells a browser that asks for one that none is here.

    Data, scripts and pictures are no pages.
    """
    if message["status"] == 404:
        return b"text/html" in dict(scope["headers"]).get(b"accept", b"")
    return dict(message["headers"]).get(b"content-type", b"").startswith(b"text/html")


def _find_page(path: str) -> str:
    path, base = path.strip("/"), get_base_path()
    return path.removeprefix(base).strip("/") if f"{path}/".startswith(f"{base}/") else path


def _explain(scope: Scope) -> Response:
    path, base, query = _find_page(scope["path"]), get_base_path(), scope["query_string"].decode()
    page = path.rpartition("/")[2]
    page = page if page in PAGE_NAMES else ""
    # Without a base path, relative: a proxy may serve the app in a folder that it alone knows.
    folder = f"/{base}/" if base else "../" * path.count("/") or "./"
    if path in SECTIONS:
        further = f"&{query}" if query else ""
        return RedirectResponse(f"{folder}{SECTIONS[path]}?{SECTION}={path}{further}")
    return HTMLResponse(
        _PAGE.format(
            path=escape(path),
            way=escape(folder + page + (f"?{query}" if query else "")),
            name=escape(PAGE_NAMES.get(page, "its first page")),
        ),
        status_code=404,
    )


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
