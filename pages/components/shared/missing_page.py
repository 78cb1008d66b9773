"""The answer to an address that no page has: one that was a page leads to its section.

The framework serves its empty frame there, which finds none of its scripts in a folder that is not
there, and stays blank.
"""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.components.shared.address import SECTION
from pages.components.shared.frame import SECTIONS
from pages.components.shared.links import PAGE_NAMES, get_base_path

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
    """Lead on to the section of that name, else say that there is no page."""
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
