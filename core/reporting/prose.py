"""Paragraphs that name things and cite works, how they are written in each form, and the works:
those in references.bib, as BibTeX and in words.

In a paragraph, a name stands between two marks of its own, and so do the keys of works.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..labels import isolate_directions, join_names, pluralize
from ..rendering import Interval

FOLDER = Path(__file__).parent
PAGES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=select_autoescape(), undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
PAGES.filters |= {"pluralize": pluralize, "join_names": join_names}

_NAME, _CITE, _END, _LINE = "\ue000", "\ue001", "\ue002", "\ue003"
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


def write_paragraphs(template: str, **facts: Any) -> list[str]:
    """Write the paragraphs of a template from facts, each in one line but for ends of lines that a
    fact has. A blank line of the template ends a paragraph; an empty one is left out.
    """

    def keep_lines(value: Any) -> Any:
        return value.replace("\n", _LINE) if isinstance(value, str) else value

    pages = PAGES.overlay(finalize=keep_lines)
    written = pages.get_template(template).render(facts).split("\n\n")
    paragraphs = (" ".join(paragraph.split("\n")).strip() for paragraph in written)
    return [paragraph.replace(_LINE, "\n") for paragraph in paragraphs if paragraph]


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


_ENTRY = re.compile(r"@(\w+)\{(\w+),\n(.*?)\n\}\n", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
_ACCENTS = {r"{\'c}": "ć", r"{\'a}": "á", "{": "", "}": "", "--": "–"}
_LINKS = {"doi": "doi", "eprint": "arXiv"}


@dataclass(frozen=True)
class PublishedWork:
    """A published work: its entry as in the BibTeX file, and its fields in plain words."""

    entry: str
    fields: Mapping[str, str]

    @property
    def short_citation(self) -> str:
        """Short form: Bradley & Terry, 1952; with three authors or more, Liusie et al., 2024."""
        first, *others = [name.partition(",")[0] for name in self.fields["author"].split(" and ")]
        who = f"{first} et al." if len(others) > 1 else " & ".join([first, *others])
        return f"{who}, {self.fields['year']}"

    def line(self) -> str:
        """Write the work as an entry of a list of references."""
        of = self.fields
        authors = of["author"].replace(" and ", "; ")
        where = next((of[name] for name in ("journal", "booktitle", "publisher") if name in of), "")
        number = f"({of['number']})" if "number" in of else ""
        link = next((f"{at}:{of[name]}" for name, at in _LINKS.items() if name in of), "")
        parts = filter(None, (where, f"{of.get('volume', '')}{number}", of.get("pages", ""), link))
        return f"{authors} ({of['year']}). {of['title']}. {', '.join(parts)}."


@cache
def works() -> dict[str, PublishedWork]:
    """Return all works by their keys."""
    return {
        key: PublishedWork(f"@{kind}{{{key},\n{body}\n}}\n", dict(_parse_fields(body)))
        for kind, key, body in _ENTRY.findall(
            (FOLDER / "references.bib").read_text(encoding="utf-8")
        )
    }


def _parse_fields(body: str) -> Iterable[tuple[str, str]]:
    """The fields of an entry without the marks of BibTeX."""
    for name, value in _FIELD.findall(body):
        for mark, letter in _ACCENTS.items():
            value = value.replace(mark, letter)
        yield name, value


def find_works(keys: Iterable[str]) -> dict[str, PublishedWork]:
    """These works, in the order of the file."""
    wanted = set(keys)
    return {key: work for key, work in works().items() if key in wanted}


def name_works(keys: Iterable[str]) -> dict[str, str]:
    """Name works in sentences, key -> citation; works of the same authors and year get letters."""
    shorts = {key: work.short_citation for key, work in find_works(keys).items()}
    seen, alike = Counter[str](), Counter(shorts.values())
    words = {}
    for key, short in shorts.items():
        words[key] = f"{short}{'abcdef'[seen[short]]}" if alike[short] > 1 else short
        seen[short] += 1
    return words


def bibliography(keys: Iterable[str]) -> str:
    """The BibTeX file of these works."""
    return "\n".join(work.entry for work in find_works(keys).values())
