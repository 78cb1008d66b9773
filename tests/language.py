"""Names and docstrings as the field writes them: `python -m tests.language [FOLDER ...]` lists those that
are not, with file and line.

A function is a verb with its object, so that a participle, a pronoun, an adverb or a preposition
alone is no name, of a module neither. A class is a noun that no other class has. A docstring begins
with what it computes, not with a clause that has no head ("What to be told of ...").
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

PARTICIPLES = re.compile(
    r"""(?x)
    begun | bought | brought | built | caught | chosen | done | drawn | driven | fallen |
    felt | found | fought | given | gone | grown | heard | held | hidden | kept | laid | led
    | left | lent | lost | made | meant | met | paid | said | seen | sent | shown | sold |
    spent | spoken | stood | struck | sworn | taken | taught | thought | thrown | told |
    understood | woken | won | worn | written
    """
)
"""Irregular ones. Those that are a verb in the present, too (read, put, set, run, cut), are not here."""

PRONOUNS = re.compile(
    r"""(?x)
    all | another | any | anyone | both | each | either | everybody | everyone | everything
    | it | neither | nobody | none | nothing | one | ones | other | others | some | somebody
    | something | such | that | these | they | this | those | what | whatever | which | who
    | whoever | whose
    """
)

ADVERBS = re.compile(
    r"""(?x)
    again | alike | alone | always | anew | apart | besides | elsewhere | enough | exactly | few
    | fewer | hardly | here | instead | more | most | now | off | often | once | only | out | partly
    | plainly | same | several | since | so | surely | there | thereby | thus | together | twice
    | unlike
    """
)

PREPOSITIONS = re.compile(
    r"""(?x)
    about | above | across | after | against | ahead | among | at | because | before | behind
    | below | beside | between | beyond | by | during | how | in | of | on | over | under | until
    | when | where | why | within | without
    """
)
"""With conjunctions and question words. `of` builds nothing: a class method does by `from_x`."""


BARE = (PRONOUNS, ADVERBS, PREPOSITIONS)

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

HEADLESS = re.compile(
    r"(What|Who|Whom|Whose|Which|How|Whether|That|Those|Every|Where|When|Why|Of|So|As|To)\b"
)


class Flaw(NamedTuple):
    """A name or docstring that a stranger would stumble over."""

    kind: str
    path: Path
    line: int
    name: str


def is_participle(name: str) -> bool:
    """Whether a name is one participle: "told", "planned"; not "need", "feed" or "embed"."""
    word = name.strip("_").lower()
    if "_" in word:
        return False
    regular = word.endswith("ed") and not word.endswith(("eed", "bed")) and len(word) > 4
    return regular or bool(PARTICIPLES.fullmatch(word))


def begins_bare(name: str) -> bool:
    """Whether the first of several words is a preposition or a pronoun: "_by_item", "both_orders"."""
    first, _, rest = name.strip("_").partition("_")
    return bool(rest) and any(words.fullmatch(first) for words in (PRONOUNS, PREPOSITIONS))


def find_flaws(files: Iterable[Path]) -> Iterator[Flaw]:
    """The flaws of some files, in their order; doubled class names come last."""
    classes: dict[str, list[tuple[Path, int]]] = defaultdict(list)
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(
                node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            ):
                continue
            name = path.stem if isinstance(node, ast.Module) else node.name
            line = getattr(node, "lineno", 1)
            if isinstance(node, ast.ClassDef):
                classes[name].append((path, line))
            # A page is called by its address.
            is_page = isinstance(node, ast.Module) and path.parent == ROOT / "pages"
            if not is_page:
                if is_participle(name):
                    yield Flaw("participle", path, line, name)
                elif isinstance(node, FUNCTION) and node in tree.body and begins_bare(name):
                    yield Flaw("begins with a preposition or pronoun", path, line, name)
                elif any(words.fullmatch(name.strip("_").lower()) for words in BARE):
                    yield Flaw("pronoun, adverb or preposition", path, line, name)
            is_public = not isinstance(node, ast.Module) and not name.startswith("_")
            if is_public and node in tree.body and not ast.get_docstring(node):
                yield Flaw("no docstring", path, line, name)
            if HEADLESS.match(ast.get_docstring(node) or ""):
                yield Flaw("headless docstring", path, line, name)
    for name, places in classes.items():
        if len(places) > 1:
            yield from (Flaw("doubled class", path, line, name) for path, line in places)


def list_program_files(folders: Iterable[str] = ("core", "pages", "app.py")) -> list[Path]:
    """The Python files of some folders of the repository; a file is its own list."""
    places = [ROOT / folder for folder in folders]
    return [
        file
        for place in places
        for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))
    ]


def main(folders: list[str]) -> int:
    """Print all flaws and how many there are of each kind; 1 where there is one."""
    flaws = list(find_flaws(list_program_files(folders) if folders else list_program_files()))
    for flaw in flaws:
        print(f"{flaw.path.relative_to(ROOT)}:{flaw.line}: {flaw.kind}: {flaw.name}")
    for kind, number in Counter(flaw.kind for flaw in flaws).items():
        print(f"{number:6} {kind}")
    return 1 if flaws else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
