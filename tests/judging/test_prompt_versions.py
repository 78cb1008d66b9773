"""Templates: built-in and edited prompts."""

from __future__ import annotations

import pytest

from core.judging.prompt_versions import choose_form, edit_prompt, template, templates
from core.judging.prompts import PROMPTS
from core.records import Prompt, TandemError
from core.store import Store

WORDS = "{question} {label_a}: {a} {label_b}: {b}"


def test_an_edit_is_the_next_version(store: Store) -> None:
    first = edit_prompt(store, "mine", WORDS)
    assert first == Prompt("mine", 1, WORDS, "label-first")
    store.judges.add_prompt(first)
    assert edit_prompt(store, "mine", WORDS) == first
    assert edit_prompt(store, "mine", WORDS + "!").version == 2
    assert edit_prompt(store, "mine", WORDS, form="brackets") == Prompt(
        "mine", 2, WORDS, "brackets"
    )


def test_a_wording_without_a_form_has_the_one_it_asks_for(store: Store) -> None:
    for words, mode, form in [
        (f"{WORDS} End with [[A]] or [[B]].", None, "brackets"),
        (f'{WORDS} Reply as {{"verdict": "..."}}.', None, "json"),
        (f"{WORDS} [[A>>B]], [[A>B]], [[B>A]] or [[B>>A]]", None, "strength"),
        (f"{WORDS} The last line is Verdict: X", None, "verdict-last"),
        ("{text} How good? [[7]]", "score", "mark-brackets"),
        ("{text} How good?", "score", "mark-first"),
    ]:
        assert edit_prompt(store, "mine", words, mode).form == form


def test_a_prompt_that_asks_in_any_form(store: Store) -> None:
    assert choose_form(store, "json").name == "verdict"
    brackets = choose_form(store, "brackets", None, PROMPTS["reasoned"])
    assert (brackets.name, brackets.version, brackets.form) == ("reasoned", 2, "brackets")
    store.judges.add_prompt(brackets)
    assert choose_form(store, "brackets", None, PROMPTS["reasoned"]) == brackets
    assert choose_form(store, "label-first", None, PROMPTS["comparative"]) == PROMPTS["comparative"]
    with pytest.raises(TandemError, match=r"'comparative' .*\blabel-first; .*: verdict, reasoned"):
        choose_form(store, "json", None, PROMPTS["comparative"])
    with pytest.raises(TandemError, match=r"'mark-json' .*: label-first, brackets, "):
        edit_prompt(store, "mine", WORDS, form="mark-json")


def test_an_edit_of_a_built_in_prompt_comes_after_it(store: Store) -> None:
    built_in = PROMPTS["comparative"]
    assert edit_prompt(store, "comparative", built_in.template) == built_in
    second = edit_prompt(store, "comparative", WORDS)
    assert second.version == built_in.version + 1
    assert template(store, "comparative") == built_in
    store.judges.add_prompt(second)
    assert template(store, "comparative") == second
    assert template(store, f"comparative@{built_in.version}") == built_in
    assert set(templates(store)) >= {*PROMPTS, "comparative@1", "comparative@2"}


def test_what_is_no_prompt_is_refused(store: Store) -> None:
    with pytest.raises(TandemError, match=r"lacks \{b\}"):
        edit_prompt(store, "mine", "{a} {question}")
    with pytest.raises(TandemError, match=r"'mine'.*\bcomparative, comparative-short, "):
        template(store, "mine")
