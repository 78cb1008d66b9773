"""The works that a methods paragraph cites, as BibTeX and in words. They are in references.bib."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("references.bib")
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
        for kind, key, body in _ENTRY.findall(FILE.read_text(encoding="utf-8"))
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
