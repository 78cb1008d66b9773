"""Paragraphs that name things and cite works, and how they are written in each form.

In a paragraph, a name stands between two marks of its own, and so do the keys of works.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

from ..labels import isolate_directions, join_names
from ..rendering import Interval
from .citations import name_works

_NAME, _CITE, _END = "\ue000", "\ue001", "\ue002"
_MARKED = re.compile(f"{_NAME}([^{_END}]*){_END}|{_CITE}([a-z0-9,]+){_END}")

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


def name(text: str) -> str:
    """Mark a name that is written as it is: of a judge, a data set, a strategy."""
    return f"{_NAME}{text.replace(_END, '')}{_END}"


def join_marked(names: Sequence[str]) -> str:
    """Mark and join names: `a`, `b` and `c`."""
    return join_names([name(one) for one in names])


def cite(*keys: str) -> str:
    """Cite works by their BibTeX keys."""
    return f"{_CITE}{','.join(keys)}{_END}"


def name_interval(interval: Interval) -> str:
    """Name the method of some intervals and cite the works it is from."""
    return f"{interval.method} {cite(*interval.cites)}" if interval.cites else interval.method


def keys(paragraphs: Iterable[str]) -> list[str]:
    """List the keys of the works that are cited, each once."""
    cited = (works for text in paragraphs for _, works in _MARKED.findall(text) if works)
    return list(dict.fromkeys(key for works in cited for key in works.split(",")))


def latex_text(text: str) -> str:
    """Escape a text for LaTeX."""
    parted = _LIGATURES.sub("\0", _join_lines(text))
    return "".join(_LATEX.get(sign, sign) for sign in parted)


def markdown_text(text: str) -> str:
    """Text that means itself in Markdown."""
    return "".join(f"\\{sign}" if sign in _MARKDOWN else sign for sign in _join_lines(text))


def _join_lines(text: str) -> str:
    """Signs that cannot be printed, and ends of lines, would end a cell or a row."""
    return re.sub(" +", " ", "".join(sign if sign.isprintable() else " " for sign in text))


def latex(paragraph: str) -> str:
    """Cites with natbib's citep."""
    return _render(
        paragraph,
        latex_text,
        lambda name: rf"\texttt{{{_JOINTS.sub(_BREAK, latex_text(name))}}}",
        lambda works: rf"\citep{{{','.join(works)}}}",
    )


def markdown(paragraph: str) -> str:
    """Cites as pandoc has it."""
    return _render(
        paragraph,
        markdown_text,
        lambda name: f"`{_join_lines(name).replace('`', chr(39))}`",
        lambda works: f"[{'; '.join(f'@{key}' for key in works)}]",
    )


def html(paragraph: str, cited: Iterable[str]) -> str:
    """Cites in words, letters telling apart what is `cited` beside it."""
    words = name_works(cited)
    return _render(
        paragraph,
        lambda text: escape(isolate_directions(text)),
        lambda name: f"<code>{escape(isolate_directions(name))}</code>",
        lambda works: f"({escape('; '.join(words.get(key, key) for key in works))})",
    )


def _render(
    paragraph: str,
    plain: Callable[[str], str],
    named: Callable[[str], str],
    citing: Callable[[list[str]], str],
) -> str:
    parts = _MARKED.split(paragraph)
    written = plain(parts[0])
    for marked, works, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        written += citing(works.split(",")) if marked is None else named(marked)
        written += plain(text)
    return written
