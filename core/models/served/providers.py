"""Providers: whose server it is, where it listens, which key it is sent, and how it differs from
OpenAI's protocol (`provider_table`). Any other server is the generic one, which is learnt by its
refusals (`option_refusals`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from ...records import TandemError, option_ref
from ..permit import KEY, KeyUse
from .addresses import OFFICIAL
from .provider_table import GENERIC, ROWS, Provider

PROVIDERS: Mapping[str, Provider] = {row.name: row for row in ROWS}
"""By the name that `provider` takes."""


def provider_of(url: str) -> Provider:
    """Return the provider of an address's host ('' = the official one), else the generic one."""
    host = (urlsplit(url or OFFICIAL).hostname or "").casefold()
    # A dot before it: notopenrouter.ai is somebody else.
    return next(
        (
            row
            for row in ROWS
            if any(f".{host}".endswith(f".{own.lstrip('.')}") for own in row.hosts)
        ),
        GENERIC,
    )


def provider_named(name: str, url: str = "") -> Provider:
    """Return the provider of a name; without one that of the address.

    Raises TandemError for a name that nobody has.
    """
    if not name:
        return provider_of(url)
    if name not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise TandemError(f"{option_ref('provider')} {name!r} is unknown; there are {known}")
    return PROVIDERS[name]


def options_for(name: str, base_url: str = "") -> dict[str, str]:
    """Return the options that a provider implies: its address, unless one is given.

    Raises TandemError for a provider without an address of its own if none is given.
    """
    url = base_url or provider_named(name).base_url
    if name and not url:
        raise TandemError(
            f"{option_ref('provider')} {name} has no address of its own: give "
            f"{option_ref('base_url')} with yours, such as https://NAME.openai.azure.com/openai/v1"
        )
    return {"base_url": url} if url else {}


def key_of(provider: Provider, url: str, used: KeyUse) -> KeyUse:
    """Return which key a server is sent. It is that of its provider at the provider's own host,
    if it is set and nobody has paired another with the address. Otherwise it is the permitted
    key.
    """
    own = provider.key_variable
    at_home = bool(own) and provider_of(url).name == provider.name
    if used.is_paired or used.variable != KEY or not at_home or own == KEY:
        return used
    if not os.environ.get(own, "").strip() and os.environ.get(KEY, "").strip():
        return used
    return KeyUse(own, (*used.other_variables, KEY))


_NUMBER = r"(?P<\1>[\\d,]+)"
_OVERFLOWS = sorted(
    (
        re.compile(re.sub(r"<(\w+)>", _NUMBER, pattern), re.IGNORECASE | re.DOTALL)
        for row in (*ROWS, GENERIC)
        for pattern in row.overflows
    ),
    key=lambda pattern: -pattern.groups,  # those with most numbers say most
)
_REFUSALS = re.compile("|".join(p for row in (*ROWS, GENERIC) for p in row.refusals), re.I)


def is_overflow(text: str) -> bool:
    """Return whether a server says that a prompt is too long."""
    return any(pattern.search(text) for pattern in _OVERFLOWS)


def overflow_share(text: str) -> float | None:
    """Return the share of the prompt that is too much, as a server tells it in numbers; None where
    it tells no numbers, or such as cannot be.
    """
    for pattern in _OVERFLOWS:
        match = pattern.search(text)
        if match and pattern.groups:
            told = match.groupdict().items()
            return _share({name: int(number.replace(",", "") or 0) for name, number in told}, text)
    return None


def _share(told: Mapping[str, int], text: str) -> float | None:
    limit, completion = told.get("limit", 0), told.get("completion", 0)
    prompt = told.get("prompt") or told.get("total", 0) - completion
    excess = prompt + completion - limit
    if not limit or prompt <= 0 or excess <= 0 or (excess == 1 and "at least" in text):
        return None
    return min(1.0, 1.0 - (limit - completion) / prompt)


def refuses_text(text: str) -> bool:
    """Return whether a server says that it refuses this one text."""
    return bool(_REFUSALS.search(text))
