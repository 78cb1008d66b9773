"""The table of providers in docs/servers.md, taken from `PROVIDERS`. `python -m
tests.document_providers --write` puts it between the page's markers; without `--write` it says
whether it is up to date.
"""

from __future__ import annotations

import re
import sys

from core.models.served import PROVIDERS, Provider
from core.models.served.chat_request import SHAPE_OPTIONS
from tests.paths import ROOT

PAGE = ROOT / "docs" / "servers.md"
MARKED = re.compile(r"(<!-- providers -->\n).*?(<!-- end -->)", re.DOTALL)


def documented(page: str) -> str:
    """The page with the table as the providers are now."""
    rows = "\n".join(map(_row, PROVIDERS.values()))
    head = (
        "*Tokens* are the likeliest ones a reply gives; *shape* is what keeps an answer's shape.\n\n"
        "| `--provider` | address | key in | tokens | shape |\n"
        "| --- | --- | --- | --- | --- |\n"
    )
    return MARKED.sub(lambda found: f"{found[1]}{head}{rows}\n{found[2]}", page)


def _row(provider: Provider) -> str:
    kept = dict.fromkeys(SHAPE_OPTIONS[name].kept_by for name in provider.shapes)
    cells = (
        f"`{provider.name}`",
        f"`{provider.base_url}`" if provider.base_url else "yours",
        f"`{provider.key_variable}`" if provider.key_variable else "",
        str(provider.top_logprobs or "none"),
        ", ".join(kept).replace("json_schema", "JSON") or "nothing",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(documented(page), encoding="utf-8")
    elif documented(page) != page:
        sys.exit("docs/servers.md is not up to date: python -m tests.document_providers --write")
