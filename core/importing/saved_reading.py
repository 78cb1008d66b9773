"""A reading as a file of TOML, which a study can cite and repeat."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

from ..output_files import write_output
from ..records import TandemError, option_ref
from ..whole_files import check_is_plain
from .cells import UNSTORABLE, quote_value
from .reading import SETTINGS, USUAL, Reading, ReadingSetting, Value, list_settings, with_settings

LARGEST = 2**20  # bytes of a saved reading: 10,000 columns take less
KEYS = {each.key: each for each in SETTINGS.values()}
SECTIONS = {key.partition(".")[0] for key in KEYS if "." in key}
ALWAYS = frozenset(("format", "repeats"))  # said even where they are as usual


def render_reading(reading: Reading) -> str:
    """Return the reading as TOML; equal readings give equal texts, and it can be read back."""
    values, sections = list_settings(reading), {"": list[str]()}  # first what needs no section
    for each in SETTINGS.values():
        value = values[each.name]
        if value == each.usual and each.name not in ALWAYS:
            continue
        if isinstance(value, Mapping):
            plain = re.compile(r"[A-Za-z0-9_-]+")
            sections[each.key] = [
                f"{name if plain.fullmatch(name) else _text(name)} = {_text(value[name])}"
                for name in sorted(value)
            ]
        else:
            several = isinstance(value, tuple) and f"[{', '.join(map(_text, value))}]"
            home = sections.setdefault(each.key.rpartition(".")[0], [])
            home.append(f"{each.last_key} = {several or _text(str(value))}")
    every = [[f"\n[{name}]"] * bool(name) + lines for name, lines in sections.items()]
    return "\n".join(chain.from_iterable(every)) + "\n"


def write_reading(reading: Reading, path: Path) -> None:
    """Save a reading, whole or not at all. Raises TandemError where that is not possible."""
    text = render_reading(reading)
    with write_output(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def load_reading(path: Path) -> Reading:
    """Return the reading that a file holds. Raises TandemError for a file that holds none."""
    check_is_plain(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise TandemError(
            f"{option_ref('reading')} {path}: {error.strerror}; name a saved reading"
        ) from error
    return parse_reading(content, path.name)


def parse_reading(content: bytes, name: str) -> Reading:
    """Return the reading that the content of a file of this name holds.

    Raises TandemError, with the key and the way out, for what is no reading.
    """
    if len(content) > LARGEST:
        raise TandemError(f"{name!r} is larger than 1 MB, as no reading is: name another file")
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise TandemError(f"{name!r} is not UTF-8 text: name a saved reading, in TOML") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TandemError(_not_toml(name, content, str(error))) from None
    values = dict[str, Value]()
    for key, value in _flatten(name, document).items():
        if key not in KEYS:
            raise _unknown(name, key)
        values[KEYS[key].name] = _check_value(f"{name!r}: {key}", KEYS[key], value)
    try:
        return with_settings(USUAL, values)
    except TandemError as error:
        raise TandemError(f"{name!r}: {error.sentence}") from None


def _text(text: str) -> str:
    if UNSTORABLE.search(text):  # half a surrogate pair
        raise TandemError(f"{quote_value(text)} holds a sign that no file can hold: leave it out")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # as TOML escapes


def _not_toml(name: str, content: bytes, why: str) -> str:
    lines = content.decode(errors="replace").splitlines() or [""]
    found = re.search(r"at line (\d+)", why)
    number = min(int(found[1]), len(lines)) if found else len(lines)
    place = f"in line {number} ({quote_value(lines[number - 1].strip())})"
    if re.search("overwrite|declare", why):
        return f"{name!r} says a key for the second time {place}: keep one of the two"
    what = why.partition(" (at ")[0]
    return f'{name!r} is not TOML {place}: {what}; put texts in quotes, as in item = "id"'


def _unknown(name: str, key: str) -> TandemError:
    last_keys = [each.last_key for each in SETTINGS.values()]
    near = get_close_matches(key, KEYS, 1) or get_close_matches(
        key.rpartition(".")[2], last_keys, 1
    )
    way = f"write {near[0]}" if near else f"leave it out; a reading has {', '.join(KEYS)}"
    return TandemError(f"{name!r} has an unknown key {quote_value(key)}: {way}")


def _flatten(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    flat = dict[str, Any]()
    for key, value in document.items():
        if key in SECTIONS:
            parts = _check_section(f"{name!r}: {key}", key, value)
            flat |= {f"{key}.{part}": inner for part, inner in parts.items()}
        else:
            flat[key] = value
    return flat


def _check_section(where: str, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TandemError(f"{where} is a section: write [{key}] and its keys below")
    return value


def _check_value(where: str, each: ReadingSetting, value: Any) -> Value:
    if isinstance(each.usual, Mapping):
        named = _check_section(where, each.key, value).items()
        return {key: _check_word(f"{where}.{key}", each, one) for key, one in named}
    if not isinstance(each.usual, tuple):
        return _check_word(where, each, value)
    if not isinstance(value, list):
        raise TandemError(
            f'{where} is {quote_value(str(value))}: write a list, as {each.last_key} = ["1"]'
        )
    words = tuple(_check_word(where, each, one) for one in value)
    if twice := next((word for word in words if words.count(word) > 1), None):
        raise TandemError(f"{where} has {quote_value(twice)} twice: keep one of the two")
    return words


def _check_word(where: str, each: ReadingSetting, value: object) -> str:
    if not isinstance(value, str):
        way = f'write it in quotes, "{value}"' if isinstance(value, int | float) else "write a text"
        raise TandemError(f"{where} is {str(value)[:40]}, not a text: {way}")
    if each.words and value not in (words := tuple(each.words)):
        raise TandemError(f"{where} is {quote_value(value)}: write one of {', '.join(words)}")
    return value
