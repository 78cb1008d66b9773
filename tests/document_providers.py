"""The table of providers in docs/servers.md, taken from `PROVIDERS`. `python -m
tests.document_providers --write` puts it between the page's markers; without `--write` it says
whether it is up to date.
"""

from __future__ import annotations

import sys

from core.models.served import PROVIDERS, Provider
from core.models.served.chat_request import SHAPE_OPTIONS
from tests.document import fill, update, write_table
from tests.paths import ROOT

PAGE = ROOT / "docs" / "servers.md"
SAID = "*Tokens* are the likeliest ones a reply gives; *shape* is what keeps an answer's shape.\n\n"
HEAD = ("`--provider`", "address", "key in", "tokens", "shape")


def documented(page: str) -> str:
    """The page with the table as the providers are now."""
    return fill(
        page, "providers", SAID + write_table([HEAD, *map(_list_cells, PROVIDERS.values())])
    )


def _list_cells(provider: Provider) -> tuple[str, ...]:
    kept = dict.fromkeys(SHAPE_OPTIONS[name].kept_by for name in provider.shapes)
    return (
        f"`{provider.name}`",
        f"`{provider.base_url}`" if provider.base_url else "yours",
        f"`{provider.key_variable}`" if provider.key_variable else "",
        str(provider.top_logprobs or "none"),
        ", ".join(kept).replace("json_schema", "JSON") or "nothing",
    )


if __name__ == "__main__":
    sys.exit(update({PAGE: documented(PAGE.read_text(encoding="utf-8"))}))
