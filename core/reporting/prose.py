"""Sentences that name things and cite works, and how they are written in each form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from ..labels import isolate_directions
from .citations import name_works


@dataclass(frozen=True)
class Name:
    """A name that is written as it is: of a judge, a system, a signature."""

    text: str


@dataclass(frozen=True)
class Cite:
    """Works, by their keys."""

    keys: tuple[str, ...]


Piece = str | Name | Cite
Paragraph = Sequence[Piece]

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "–": "--", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    # the end of a row takes a bracket or a star behind it for its own
    "[": "{[}", "]": "{]}", "*": "{*}", "`": r"\textasciigrave{}",
    "−": "$-$", "×": r"$\times$", "≥": r"$\geq$", "≤": r"$\leq$", "≈": r"$\approx$",
    "≠": r"$\neq$", "→": r"$\to$", "\0": "{}",
}  # fmt: skip
_LIGATURES = re.compile(r"(?<=([-',]))(?=\1)")
"""Where two signs in a row would become another: -- a dash, '' and ,, quotes."""
_MARKDOWN = "\\`*_{}[]<>#|$~"


_JOINTS = re.compile(r"(?<=[/:_-])(?=\w{3})")
_BREAK = r"\\allowbreak{}"
"""Where a line may end within a long name."""


def cite(*keys: str) -> Cite:
    """Cite works by their BibTeX keys."""
    return Cite(keys)


def keys(paragraphs: Iterable[Paragraph]) -> list[str]:
    """List the keys of the works that are cited, each once."""
    every = [
        key
        for paragraph in paragraphs
        for piece in paragraph
        if isinstance(piece, Cite)
        for key in piece.keys
    ]
    return list(dict.fromkeys(every))


def latex_text(text: str) -> str:
    """Escape a text for LaTeX."""
    parted = _LIGATURES.sub("\0", _join_lines(text))
    return "".join(_LATEX.get(sign, sign) for sign in parted)


def markdown_text(text: str) -> str:
    """Text that means itself in Markdown."""
    return "".join(f"\\{sign}" if sign in _MARKDOWN else sign for sign in _join_lines(text))


def _join_lines(text: str) -> str:
    """Signs that cannot be printed, and ends of lines, would end a cell or a row."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def latex(paragraph: Paragraph) -> str:
    """Cites with natbib's citep."""
    return _render_pieces(
        paragraph,
        latex_text,
        lambda name: rf"\texttt{{{_JOINTS.sub(_BREAK, latex_text(name))}}}",
        lambda works: rf"\citep{{{','.join(works)}}}",
    )


def markdown(paragraph: Paragraph) -> str:
    """Cites as pandoc has it."""
    return _render_pieces(
        paragraph,
        markdown_text,
        lambda name: f"`{_join_lines(name).replace('`', chr(39))}`",
        lambda works: f"[{'; '.join(f'@{key}' for key in works)}]",
    )


def html(paragraph: Paragraph, cited: Iterable[str]) -> str:
    """Cites in words, letters telling apart what is `cited` beside it."""
    words = name_works(cited)
    return _render_pieces(
        paragraph,
        lambda text: escape(isolate_directions(text)),
        lambda name: f"<code>{escape(isolate_directions(name))}</code>",
        lambda works: f"({escape('; '.join(words[key] for key in works))})",
    )


def _render_pieces(
    paragraph: Paragraph,
    plain: Callable[[str], str],
    named: Callable[[str], str],
    citing: Callable[[tuple[str, ...]], str],
) -> str:
    """Pieces with one space between them; a piece that begins with a full stop or a comma, a
    semicolon or a bracket follows at once.
    """
    text = ""
    for piece in paragraph:
        if isinstance(piece, Name):
            written, joint = named(piece.text), " "
        elif isinstance(piece, Cite):
            written, joint = citing(piece.keys), " "
        else:
            written, joint = plain(piece), "" if piece[:1] in ".,;:)" else " "
        text = f"{text}{joint}{written}" if text and not text.endswith("(") else f"{text}{written}"
    return text
