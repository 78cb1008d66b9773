"""Saved readings: the same reading comes back, in the same words, and what is no reading is refused
with its key.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from core.importing import SETTINGS, USUAL, Codes, ItemsAre, Reading, Repeats
from core.importing.reading import list_settings, with_settings
from core.importing.saved_reading import load_reading, parse_reading, render_reading, write_reading
from core.moments import DateOrder
from core.records import Kind, TandemError

WHOLE = Reading(
    layout="votes",
    mapping={"winner": "vote", "item": "question.id", "context": "", "score:a b:x=y": 'q"\\\x7f\n'},
    codes=Codes(("1", "-3..-1"), ("2",), ("0",), "side", ("neither",), ("?", "“…”")),
    systems=("gpt 4", "claude"), system_name="ours", kind=Kind.LLM,
    kinds={"bleu": Kind.BASELINE, "名": Kind.HUMAN}, dates=DateOrder.DAY_FIRST, zone="Europe/Berlin",
    items=ItemsAre.CONTEXTS, repeats=Repeats.FIRST, lower_is_better=("rank", "errors"),
    unused=("memo", "a b"), sheet="Sheet 2", encoding="shift_jis",
)  # fmt: skip


def test_every_setting_is_saved_and_comes_back(tmp_path: Path) -> None:
    usual, said = list_settings(USUAL), list_settings(WHOLE)
    assert [name for name in SETTINGS if said[name] == usual[name]] == []
    write_reading(WHOLE, tmp_path / "r.toml")
    assert load_reading(tmp_path / "r.toml") == WHOLE


def test_a_saved_reading_says_what_toml_says() -> None:
    document = tomllib.loads(render_reading(WHOLE))
    assert document["winner"]["first"] == ["1", "-3..-1"]
    assert document["fields"] == dict(WHOLE.mapping)
    assert document["raters"] == {"bleu": "baseline", "名": "human"}
    assert document["scores"] == {"lower_is_better": ["rank", "errors"]}
    assert document["items"] == {"are": "contexts"}


def test_the_text_does_not_depend_on_the_order_in_which_things_were_said() -> None:
    text = render_reading(WHOLE)
    turned = Reading(**{**vars(WHOLE), "mapping": dict(reversed(WHOLE.mapping.items()))})
    assert render_reading(turned) == text
    assert render_reading(parse_reading(text.encode(), "r.toml")) == text


def test_random_readings_come_back() -> None:
    drawn = random.Random(0)
    signs = "ab \"'\\=#[]{}.\n\t\x00\x1f\x7f\x85  é名😀,"
    for _ in range(300):
        texts = ["".join(drawn.choices(signs, k=drawn.randint(1, 6))) for _ in range(6)]
        texts = [text.replace("\x00", "") or "x" for text in dict.fromkeys(texts)]
        reading = Reading(
            mapping=dict(zip(texts, reversed(texts), strict=True)),
            systems=tuple(dict.fromkeys(texts)),
            sheet=texts[0],
        )
        assert parse_reading(render_reading(reading).encode(), "r") == reading


def test_nothing_said_is_the_usual_reading() -> None:
    assert parse_reading(b"", "r.toml") == USUAL
    assert parse_reading(render_reading(USUAL).encode(), "r.toml") == USUAL


def test_a_table_keeps_what_is_not_named_anew() -> None:
    base = Reading(mapping={"item": "q", "judge": "who"}, systems=("x", "y"))
    changed = with_settings(base, {"map": {"item": "id"}, "systems": ("z",), "tie": ("0",)})
    assert changed.mapping == {"item": "id", "judge": "who"}
    assert (changed.systems, changed.codes) == (("z",), Codes(tie=("0",)))


REFUSED = {
    "unknown": ("colour = 'red'", "colour"),
    "unknown in a section": ("[winner]\nfrist = ['1']", "winner.frist"),
    "outside its section": ("lower_is_better = ['rank']", "scores.lower_is_better"),
    "a number for a text": ("sheet = 2", '"2"'),
    "a text for a list": ("[winner]\nfirst = '1'", "winner.first"),
    "a number in a list": ("[winner]\nfirst = [1]", '"1"'),
    "the same value twice": ("systems = ['x', 'x']", "'x'"),
    "a value with two meanings": ("[winner]\nfirst = ['1']\ntie = ['1.0']", "1.0"),
    "a key twice": ("[fields]\nitem = 'a'\nitem = 'b'\n[items]", "item = "),
    "a section twice": ("[fields]\n[items]\n[fields]", "[fields]"),
    "not a word of its own": ("kind = 'robot'", "human, simulated, llm, baseline, gold"),
    "not a kind of rater": ("[raters]\nbleu = 'metric'", "raters.bleu"),
    "a text for a section": ("fields = 'item'", "[fields]"),
    "a list for a column": ("[fields]\nitem = ['id']", "fields.item"),
    "not TOML": ("item: id", "item: id"),
    "a date": ("[times]\ndates = 2024-01-01", "times.dates"),
}


def test_what_is_no_reading_is_refused_with_its_key() -> None:
    for case in REFUSED:
        content, named = REFUSED[case]
        with pytest.raises(TandemError) as refused:
            parse_reading(content.encode(), "r.toml")
        assert named in str(refused.value)
        assert "r.toml" in str(refused.value)


def test_other_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    for content in [b"\xff\xfe\0", b"\x89PNG\r\n", b"#" * 2**21, b"[" * 10_000]:
        path = tmp_path / "r.toml"
        path.write_bytes(content)
        with pytest.raises(TandemError):
            load_reading(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(TandemError):
            load_reading(path)
