"""Templates: built-in and edited prompts."""

import pytest

from core.judging.prompt_versions import edited, template, templates
from core.judging.prompts import PROMPTS
from core.records import Prompt, TandemError

WORDS = "{question} {label_a}: {a} {label_b}: {b}"


def test_an_edit_is_the_next_version(store):
    first = edited(store, "mine", WORDS)
    assert first == Prompt("mine", 1, WORDS)
    store.judges.add_prompt(first)
    assert edited(store, "mine", WORDS) == first
    assert edited(store, "mine", WORDS + "!").version == 2


def test_an_edit_of_a_built_in_prompt_comes_after_it(store):
    built_in = PROMPTS["comparative"]
    assert edited(store, "comparative", built_in.template) == built_in
    second = edited(store, "comparative", WORDS)
    assert second.version == built_in.version + 1
    assert template(store, "comparative") == built_in
    store.judges.add_prompt(second)
    assert template(store, "comparative") == second
    assert template(store, f"comparative@{built_in.version}") == built_in
    assert set(templates(store)) >= {*PROMPTS, "comparative@1", "comparative@2"}


def test_what_is_no_prompt_is_refused(store):
    with pytest.raises(TandemError, match=r"lacks \{b\}"):
        edited(store, "mine", "{a} {question}")
    with pytest.raises(TandemError, match="unknown prompt 'mine'; there are comparative, "):
        template(store, "mine")
