"""A report as one page of HTML, which asks for nothing else: no script, no file, no address."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from .. import __version__
from ..findings.accuracy import REFERENCES
from ..findings.lab import COLUMNS
from ..labels import isolate_directions, shorten_judges
from ..records import TandemError
from . import prose
from .citations import find_works
from .compilation import Report

FOLDER = Path(__file__).parent
PAGES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=select_autoescape(), undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip

LONGEST = 24  # letters of a word that is never broken


def page(report: Report) -> str:
    """The whole page. Everything that has a name of its own is escaped, charts apart, whose words
    their writer has escaped.
    """
    PAGES.filters |= {
        "isolated": isolate_directions,
        "shorten_judges": shorten_judges,
        "parted": split_interval,
        "breakable": breakable,
        "trusted": Markup,
    }
    methods = report.methods
    return PAGES.get_template("page.html").render(
        report=report,
        version=__version__,
        style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        paragraphs=[Markup(prose.html(one, methods.keys)) for one in methods.paragraphs],
        works=[work.line() for work in find_works(methods.keys).values()],
    )


def write_card(card: Mapping[str, Any], ending: str) -> str:
    """Write the card of a judge as `.html`, `.md` or `.json`; the first two hold the last, unseen.
    Raises TandemError for another ending.
    """
    if ending not in (".html", ".md", ".json"):
        raise TandemError(f"a card ends with .html, .md or .json, not with {ending!r}")
    plain = json.dumps(card, ensure_ascii=False, indent=1)
    hidden = plain.replace("--", "-\\u002d").replace("<", "\\u003c")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", plain)), default=0))
    figures = [column for column in COLUMNS if column.unit.is_figure]
    words = {"card": card, "judge": card["judge"], "figures": figures, "fence": fence}
    words["reference"] = REFERENCES.get(card["against"], "")
    page = PAGES.get_template(f"card{ending}") if ending != ".json" else None
    return page.render(words, hidden=hidden) if page else plain


def breakable(text: str) -> Markup:
    """Text that may be broken behind the joints of a name, and within what is longer than a column
    is wide.
    """
    joints = re.sub(rf"(?<=[|:/_·])|(?<=[^\s]{{{LONGEST}}})", "\0", isolate_directions(text))
    return Markup("<wbr>").join(joints.split("\0"))


def split_interval(text: str, side: str) -> tuple[str, str]:
    """A figure and its interval; words as they are."""
    figure, bracket, rest = text.partition(" (")
    return (figure, f"({rest}") if bracket and side == "right" else (text, "")
