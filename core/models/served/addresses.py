"""Addresses of servers: which can be asked, and how they are shown to people."""

from __future__ import annotations

from urllib.parse import urlsplit

from ...records import TandemError, option_ref
from ..permit import KEY as KEY

OFFICIAL = "https://api.openai.com/v1"


def address(url: str) -> str:
    """Return a server as people call it: host, port, and the path where it is not the usual one."""
    parts = urlsplit(url)
    return parts.netloc + parts.path.rstrip("/").removesuffix("/v1")


def checked_url(base_url: str, called: str = "") -> str:
    """Return the address without a slash at its end, '' for the official one.

    Raises TandemError for one that cannot be; `called` is what the sentence calls it (default: the
    setting).
    """
    called = called or option_ref("base_url")
    url = base_url.strip().rstrip("/")
    if not base_url.strip() or url == OFFICIAL:
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.username or parts.password or parts.query or parts.fragment:
        # The value is left out: it would be in the terminal, and in all logs of the terminal.
        raise TandemError(f"{called} has more than an address in it: the key belongs into {KEY}")
    is_plain = url.isprintable() and " " not in url  # else it leads elsewhere than it looks
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0 or not is_plain:
        raise TandemError(
            f"{called} {base_url!r} is not an address of a server; one is http://localhost:8000/v1"
        )
    return url


def redirect_host(location: str) -> str:
    """Return the host that an answer redirects to, without the rest of the address."""
    try:
        parts = urlsplit(location)
        if not parts.hostname:
            return "another address there"
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return "another address"
