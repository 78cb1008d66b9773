"""Reads repeated characters with every pattern and every reader of strangers' texts, and prints as
JSON what takes too long: what takes the square of a text's length stops everybody, as a pattern
holds the interpreter.

The bound is processor time, which a busy machine does not change: a linear pattern takes 0.1 s for
100,000 characters, a quadratic one at least 5 s.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from html import escape
from itertools import product
from pathlib import Path
from types import FrameType

from core.exporting.pseudonyms import hide_in_words
from core.findings.leaderboard.needs import STYLES
from core.importing import split_turns, text_columns
from core.importing.codes import decimal
from core.importing.column_names import ANSWER, PROMPT, RATER, TEXT
from core.importing.layouts import summeval
from core.importing.text_formats import find_format
from core.importing.values import parse_json
from core.importing.winners import meaning_of
from core.judging.forms import Labels, comparisons, marks, reading
from core.judging.forms.form import UnparsedReplyError
from core.judging.judges import readings
from core.labels import isolate_directions, shorten_judges
from core.models import split_thoughts
from core.models.served import chat_request, server_errors, wordings
from core.models.served.chat_request import ChatBody, ServerHabits
from core.models.served.key_mask import mask_key
from core.models.served.providers import GENERIC
from core.models.served.server_errors import parse_error
from core.moments import parse_moment
from core.records import Scale, TandemError, TextFormat
from core.rendering.markdown import TooHardError, render_markdown
from core.rendering.markdown.formulas import render_formula
from core.similarity.named_entities import make_extractor
from pages.components.shared.readable import make_readable, mark_differences

ROOT = Path(__file__).resolve().parents[2]
LENGTH = 100_000
UNITS = (
    *"\n \t`[(*_$\\<\"'1-|{}])>#~:.,!=/@&%Aa\u0301中\0",
    *("\n ", "a ", "<a", "![", "](", "[[", "a\n", "1.", "- \n", "|-", "\n|", "**a", "$$", "\\("),
    *(
        '{"a":',
        '":',
        "a-",
        "a:",
        "a, ",
        "the ",
        "<title>",
        "A: 1\n",
        "\n1. ",
        "```\n",
        "sk-",
        "A=B",
    ),
)
MEANT = (
    *("\n", " ", "[", '{"a":', "<a", "1", "A", "*_", "a, ", "![", "$x$ ", "<think>"),
    *("[[A]] ", "Verdict: A\n", '{"verdict": "A"} ', "[[A>B]] ", "A: 6 ", "\n\nUser: "),
    *("A is better. ", "Overall, Summary B is better. ", "I take it back: Summary B. "),
    "Summary A because it is worse. ",
)
"""Units for the readers, which take longer than a pattern: what their forms are made of."""
METHODS = {"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
BOUNDED = {("winners.py", "_STEP")}
"""Patterns of words that are short: the function that reads them, here in READERS, sees to it."""
OURS = {
    **dict.fromkeys(("backups.py", "whole_files.py"), "names of files that Tandem wrote"),
    "registry.py": "names of judges, from a command or a form",
    "import_preview.py": "Tandem's own sentences",
    "table_fields.py": "names of columns that begin with a field's",
    "column_names.py": "made when it is imported: `ANSWER.search` and others are the readers",
    "text_columns.py": "made when it is imported: `_classify_name` is one of the readers",
    "source.py": "names of files, which a system keeps short",
    "moments.py": "made when it is imported: `parse_moment` is one of the readers",
    "wordings.py": "made when it is imported: `is_overflow` is one of the readers",
    "thoughts.py": "made when it is imported: `split_thoughts` is one of the readers",
}
"""Files with patterns that are made while they run, and what these read."""
WORDS = (ANSWER, PROMPT, RATER, TEXT)
LABELS = ("Summary A", "Summary B", "a tie")
Case = tuple[str, str]


class TooLongError(Exception):
    """Reading took more processor time than a linear reader needs."""


def _end(number: int, frame: FrameType | None) -> None:
    raise TooLongError


def takes_long(read: Callable[[], object], seconds: float) -> bool:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        read()
    except TooLongError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return False


def repeat(unit: str) -> str:
    return unit * (LENGTH // len(unit))


def parse_files() -> dict[Path, ast.Module]:
    paths = [path for room in ("core", "pages") for path in sorted((ROOT / room).rglob("*.py"))]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def find_calls(tree: ast.Module) -> list[ast.Call]:
    return [
        call
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "re"
        and call.func.attr in METHODS | {"compile"}
    ]


def find_uses(trees: dict[Path, ast.Module]) -> dict[str, set[str]]:
    """Find by which methods each name is used, if it is that of a pattern."""
    uses: dict[str, set[str]] = defaultdict(set)
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = getattr(node.value, "id", getattr(node.value, "attr", ""))
                uses[name].add(node.attr)
    return uses


def collect_patterns(
    trees: dict[Path, ast.Module],
) -> tuple[list[tuple[str, str, re.Pattern[str], set[str]]], list[tuple[Path, int, int]]]:
    """Collect (file, name, pattern, methods), and places of patterns made of arguments."""
    patterns, made, uses = [], [], find_uses(trees)
    for path, tree in trees.items():
        calls = find_calls(tree)
        if not calls:
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        names = vars(importlib.import_module(name))
        assigned = {
            id(node.value): node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for call in calls:
            method = call.func.attr  # type: ignore[attr-defined]
            place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
            flags = [*call.args[place:], *(k.value for k in call.keywords if k.arg == "flags")]
            try:
                pattern, *flag = (
                    eval(compile(ast.Expression(node), name, "eval"), dict(names))
                    for node in [call.args[0], *flags]
                )
            except NameError:
                made.append((path, call.lineno, call.end_lineno or call.lineno))
                continue
            called = assigned.get(id(call), "")
            methods = {method} if method != "compile" else uses.get(called) or {"search"}
            patterns.append((path.name, called, re.compile(pattern, *flag), methods))
    return patterns, made


def use_pattern(pattern: re.Pattern[str], method: str, text: str) -> None:
    read = text.encode() if isinstance(pattern.pattern, bytes) else text
    if method in ("sub", "subn"):
        pattern.sub(lambda match: match[0], read)
    elif method == "finditer":
        assert all(pattern.finditer(read))
    else:
        getattr(pattern, method)(read)


def try_patterns(patterns: list[tuple[str, str, re.Pattern[str], set[str]]]) -> Iterator[Case]:
    texts = [f"{repeat(unit)}\x01x" for unit in UNITS]
    for file, name, pattern, methods in patterns:
        for method in sorted(methods) if (file, name) not in BOUNDED else ():
            for text in texts:
                if takes_long(partial(use_pattern, pattern, method, text), 2.0):
                    yield f"{file} {name or pattern.pattern!r} {method}", text[:12]
                    break


def read_error(text: str) -> None:
    for body in (text, {"error": {"message": text, "code": text, "param": text}}):
        error = parse_error(400, body)
        for row in server_errors.ERROR_ROWS:
            row.is_about(error)
        for refusal in chat_request.OPTION_REFUSALS:
            body_sent = ChatBody(dict.fromkeys(refusal.options, 1))
            refusal.adapt_to(ServerHabits(GENERIC), body_sent, {}, error)
        chat_request._names("max_tokens", error)
        chat_request._names("stop", error)


FORMS = comparisons.COMPARISON_FORMS
READERS: dict[str, Callable[[str], object]] = {
    **{
        read.__name__: read
        for read in (
            *(split_turns, parse_json, render_markdown, split_thoughts, reading.propose_form),
            *(read_error, wordings.is_overflow, wordings.overflow_share, parse_moment, decimal),
            *(meaning_of, shorten_judges, isolate_directions),
            *(summeval.parse_words, summeval.parse_stars),
        )
    },
    "find_format": lambda text: find_format([text], [text]),
    "render_formula": lambda text: render_formula(text, is_display=True),
    "code": lambda text: render_markdown(f"```python\n{text[:90_000]}\n```"),
    "make_readable": lambda text: make_readable(text, [text], TextFormat.CONVERSATION, "Context"),
    "mark_differences": lambda text: mark_differences(escape(text), escape(f"x{text}")),
    "mask_key": lambda text: mask_key(text, "sk-0123456789abcdef"),
    "column_names": lambda text: [words.search(text) for words in WORDS],
    "_classify_name": lambda text: text_columns._classify_name(text, ["x"], ""),
    "TandemError": lambda text: str(TandemError(text)),
    "entities": lambda text: make_extractor().entities([text]),
    "hide_in_words": lambda text: hide_in_words(text, {"Ada": "person-1", "Bo": "person-2"}),
    "_find_begun_label": lambda text: readings._find_begun_label(text, LABELS),
    "reasons": lambda text: reading.read_verdict(f"Summary A\n{text}", LABELS, "label-first"),
    **{f"count {name}": count for name, count in STYLES.items()},
    **{
        f"read_verdict {form}": partial(
            reading.read_verdict, labels=LABELS, form=form, lenient=True
        )
        for form in FORMS
    },
    **{
        f"find in the form {name}": lambda text, form=form: form.find(text[:20_000], Labels(LABELS))
        for name, form in FORMS.items()
    },
    **{
        f"read_mark {form}": partial(reading.read_mark, scale=Scale(1, 5), form=form)
        for form in marks.MARK_FORMS
    },
}
"""All readers of strangers' texts."""
REFUSALS = (ValueError, UnparsedReplyError, TooHardError, TandemError)


def read_quietly(read: Callable[[str], object], text: str) -> None:
    with suppress(*REFUSALS):
        read(text)


def try_readers() -> Iterator[Case]:
    for unit, (name, read) in product(MEANT, READERS.items()):
        try:
            if takes_long(partial(read_quietly, read, repeat(unit)), 10.0):
                yield name, unit
        except Exception as error:  # such as RecursionError
            yield f"{name}: {type(error).__name__}", unit


def main() -> None:
    signal.signal(signal.SIGVTALRM, _end)
    patterns, made = collect_patterns(parse_files())
    slow = list(try_patterns(patterns))
    reached: set[tuple[str, int]] = set()
    compile_pattern = re._compile  # type: ignore[attr-defined]

    def note_call(pattern: object, flags: object) -> object:
        frame = sys._getframe(2)
        reached.add((frame.f_code.co_filename, frame.f_lineno))
        return compile_pattern(pattern, flags)

    re._compile = note_call  # type: ignore[attr-defined]
    slow += try_readers()
    unread = [
        f"{path.name}:{start}"
        for path, start, end in made
        if path.name not in OURS
        and not any((str(path), line) in reached for line in range(start, end + 1))
    ]
    print(json.dumps({"patterns": len(patterns), "slow": slow, "unread": unread}))


if __name__ == "__main__":
    main()
