"""A report as one page of HTML, which asks for nothing else: no script, no file, no address."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..labels import isolate_directions, shorten_judges
from . import prose
from .citations import find_works
from .compilation import Report

FOLDER = Path(__file__).parent

LONGEST = 24  # letters of a word that is never broken


def page(report: Report) -> str:
    """The whole page. Everything that has a name of its own is escaped, charts apart, whose words
    their writer has escaped.
    """
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "isolated": isolate_directions,
        "shorten_judges": shorten_judges,
        "parted": split_interval,
        "breakable": breakable,
        "trusted": Markup,
    }
    methods = report.methods
    return environment.get_template("page.html").render(
        report=report,
        version=__version__,
        style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        paragraphs=[Markup(prose.html(one, methods.keys)) for one in methods.paragraphs],
        works=[work.line() for work in find_works(methods.keys).values()],
    )


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
