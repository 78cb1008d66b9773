"""What the program says to people: `python -m tests.catalogue [FOLDER ...]` lists every sentence of
`core/` and `pages/` with file and line; `--flagged` only those that somebody should read again.

A sentence is a literal of four words or more that is no docstring, no SQL, no style and no prompt of
a model. An f-string is read with {…} for what it fills in. It is flagged if one of its sentences
is longer than 20 words, or if it has a sign of the dialect that LANGUAGE.md describes.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.language import list_program_files
from tests.paths import ROOT

LONGEST = 20
FILLED = "{…}"

UNSAID = (
    "core/importing/column_names.py",
    "core/importing/table_fields.py",
    "core/judging/written_prompts.py",
    "core/judging/forms",
    "core/judging/own_prompts.py",
    "core/judging/prompts.py",
    "core/models/local/precision_choice.py",
    "core/similarity/named_entities.py",
    "core/store/tables",
)
"""Files whose texts nobody reads on a screen: what models read, lists of words and of names, and SQL."""

CODE = re.compile(
    r"""(?x)
    \s* (SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|FROM|WHERE|AND|OR|JOIN|LEFT
    |GROUP|ORDER|VALUES|EXISTS|UNION|CASE|ATTACH|BEGIN|ON|RAISE|NOT|IN|BETWEEN|LIMIT|COALESCE)\b
    | .* (\bread_csv\(|\b(SELECT|FROM|WHERE|JOIN|ORDER\ BY|GROUP\ BY|IS\ NULL|VALUES|COUNT\()\b|[{;]\s*[\w-]+:\s
    |\(\?|\\[bsdw]|</?\w+[^>]*=|</?[a-z]+>)
    """,
    re.DOTALL,
)
"""SQL, styles, patterns and tags."""

WORDS = re.compile(r"[^\W\d_]{2,}")
END = re.compile(r"(?<!et al)[.!?][)”\"*]*\s+(?=[A-Z“\"(*`{])|\n+")

SIGNS: dict[str, re.Pattern[str]] = {
    "told": re.compile(r"\btold\b(?! apart)"),
    "stands": re.compile(r"\bstands?\b(?! for\b)"),
    "anew": re.compile(r"\banew\b"),
    "of which": re.compile(r"\bof (which|whom)\b"),
    "whoever": re.compile(r"\b(who|what)ever\b", re.IGNORECASE),
    "that is none": re.compile(r", that is none\b"),
    "is no": re.compile(r"(?<![Tt]here )\b(is|are) no (?!longer\b|more\b|other\b|one\b)"),
    "begins with Of": re.compile(r"Of (?!course\b)"),
}
"""Signs of the dialect (../shared/LANGUAGE.md). The last is looked for at the beginning only."""

ARGUMENTS = {"help": "help", "caption": "help"} | dict.fromkeys(
    ("label", "title", "placeholder", "header"), "label"
)
"""The kind of text that an argument of a call is, by its name."""

KINDS = ("refusal", "help", "label", "page", "message")


class Sentence(NamedTuple):
    """A text that the program says, with the signs it is flagged by."""

    path: Path
    line: int
    kind: str
    text: str

    @property
    def flags(self) -> list[str]:
        return find_flags(self.text)


def find_flags(text: str) -> list[str]:
    """What one should look at in a text: the signs of the dialect, and its longest sentence."""
    sentences = split_sentences(text)
    flags = [
        name
        for name, sign in SIGNS.items()
        for match in (sign.match if name.startswith("begins") else sign.search,)
        if any(map(match, sentences))
    ]
    longest = max(map(count_words, sentences), default=0)
    return [*flags, f"{longest} words"] if longest > LONGEST else flags


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, as its full stops and line breaks part them."""
    return [part for part in map(str.strip, END.split(text)) if part]


def count_words(sentence: str) -> int:
    """The words of a sentence; a command or option in backticks is one, and so is what is filled in."""
    return len(re.sub(r"`[^`]*`", "CODE", sentence).split())


def collect_sentences(files: Iterable[Path]) -> Iterator[Sentence]:
    """The sentences of some files, in their order."""
    unsaid = tuple(str(ROOT / name) for name in UNSAID)
    for path in files:
        if not str(path).startswith(unsaid):
            usual = "page" if "pages" in path.parts else "message"
            tree = ast.parse(path.read_text(encoding="utf-8"))
            yield from sorted(_read_node(path, tree, usual), key=lambda each: each.line)


def _read_node(path: Path, node: ast.AST, kind: str) -> Iterator[Sentence]:
    """The sentences below a node of the tree of a file; `kind` is that of what is around it."""
    text = read_text(node)
    if text is not None:
        if is_sentence(text):
            yield Sentence(path, getattr(node, "lineno", 1), kind, text)
        # What is filled in may hold a text of its own.
        for part in _list_filled(node):
            yield from _read_node(path, part, kind)
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _read_node(path, child, _find_kind(node, child, kind))


def _find_kind(node: ast.AST, child: ast.AST, kind: str) -> str:
    """The kind of the texts in a child of a node of the tree."""
    called = _name_of(node.func) if isinstance(node, ast.Call) else ""
    if isinstance(node, ast.Raise) or called.endswith("Error"):
        return "refusal"
    if isinstance(child, ast.keyword) and child.arg in ARGUMENTS:
        return ARGUMENTS[child.arg]
    if called in {"declare", "redeclare"} and not isinstance(child, ast.keyword):
        return "help"
    return kind


def read_text(node: ast.AST | None) -> str | None:
    """The text of a literal or of several that are added up; None where a node is something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else FILLED for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = read_text(node.left), read_text(node.right)
        if left is not None and right is not None:
            return left + right
    return None


def _list_filled(node: ast.AST) -> Iterator[ast.AST]:
    """What fills the places of a text, as `read_text` reads it."""
    if isinstance(node, ast.BinOp):
        yield from (*_list_filled(node.left), *_list_filled(node.right))
    elif isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))


def is_sentence(text: str) -> bool:
    """Whether a literal has four words or more and is no code."""
    return len(WORDS.findall(text)) >= 4 and " " in text.strip() and not CODE.match(text)


def _name_of(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def count_flags(sentences: Iterable[Sentence]) -> dict[str, int]:
    """How many texts have each flag; a text may have several."""
    counts = Counter(
        "long" if flag.endswith(" words") else flag for each in sentences for flag in each.flags
    )
    return {name: counts[name] for name in (*SIGNS, "long") if counts[name]}


def main(words: list[str]) -> None:
    """Print the sentences of the folders that are named, or of the program, and how many there are."""
    folders = [word for word in words if not word.startswith("--")]
    files = list_program_files(folders) if folders else list_program_files()
    sentences = list(collect_sentences(files))
    for each in sentences:
        if each.flags or "--flagged" not in words:
            flags = f" [{', '.join(each.flags)}]" if each.flags else ""
            place = f"{each.path.relative_to(ROOT)}:{each.line}"
            print(f"{place}: {each.kind}:{flags} {' '.join(each.text.split())}")
    kinds = Counter(each.kind for each in sentences)
    flagged = sum(bool(each.flags) for each in sentences)
    print(
        f"{len(sentences)} texts ({', '.join(f'{kinds[kind]} {kind}' for kind in KINDS)}), "
        f"{flagged} flagged ({', '.join(f'{n} {name}' for name, n in count_flags(sentences).items())})"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
