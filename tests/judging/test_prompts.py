"""Prompts: what an LLM reads."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from core.judging.forms import COMPARISON_FORMS, MARK_FORMS
from core.judging.prompt_versions import choose_form, edit_prompt, template, templates
from core.judging.prompts import (
    DEFAULT_LABELS,
    GPTSCORE_PROMPTS,
    PLACEHOLDERS,
    PROMPTS,
    SCORING_PLACEHOLDERS,
    SCORING_PROMPTS,
    TIE_LABEL,
    check,
    check_scoring,
    fill,
    fill_labels,
    fill_scoring,
    find_placeholders,
    labels_of,
    wording_of_one,
)
from core.labels import wording
from core.records import Attribute, Candidate, Prompt, Question, TandemError
from core.store import Store
from tests import document_prompts

QUESTION = Question(
    comparison=1,
    context="The council met.",
    text_a="First text.",
    text_b="Second text.",
    attribute=Attribute("coherence", adjective="coherent"),
    context_noun="article",
    candidate_noun="summary",
)


def test_prompts_in_full() -> None:
    """Those of papers as the authors' repositories have them (adianliusie/comparative-assessment,
    prompts c1 and c2; cambridgeltl/PairS, pairwise comparison with input), with the nouns of the
    data set.
    """
    guided = replace(QUESTION.attribute, guideline="Consider the logical flow.")
    short = "The council met.\n\nSummary A: First text.\n\nSummary B: Second text.\n\n"
    for name, words in {
        "comparative": "Article:\nThe council met.\n\nSummary A:\nFirst text.\n\n"
        "Summary B:\nSecond text.\n\n"
        "Which summary is more coherent? Answer with Summary A or Summary B.\nAnswer:",
        "comparative-short": f"{short}Which summary is more coherent, Summary A or Summary B?",
        "liusie-2024-2": f"Article:\n{short}"
        "Which Summary is more coherent relative to the article, Summary A or Summary B?",
        "liusie-2024-llama": f"{short}Which Summary is more coherent, Summary A or Summary B?\n\n"
        "Answer:",
        "pairs-2024": "Article: The council met.\n\nConsider the logical flow.\n\n"
        "Summary candidate A: First text.\n\nSummary candidate B: Second text.\n\n"
        "Question: Which summary candidate is more coherent? If the summary A is more coherent, "
        "please return 'A'. If the summary B is more coherent, please return 'B'. "
        "Please only return the choice.\nAnswer:",
    }.items():
        asked = replace(QUESTION, attribute=guided) if name == "pairs-2024" else QUESTION
        assert fill(PROMPTS[name], asked, labels_of(PROMPTS[name])) == words
    assert fill(PROMPTS["comparative"], QUESTION) == fill(
        PROMPTS["comparative"], QUESTION, ("Summary A", "Summary B")
    )


def test_every_built_in_prompt() -> None:
    for prompt in PROMPTS.values():
        check(prompt.template)
        assert prompt.version == 1
        text = fill(prompt, QUESTION)
        assert text.index("First text.") < text.index("Second text.") < text.index("coherent")
        places = [text.index(part) for part in ("Summary A", "First", "Summary B", "Second")]
        assert places == sorted(places)
        assert (QUESTION.context in text) == (prompt.name != "no-context")
        assert not set(find_placeholders(text)) & set(PLACEHOLDERS)


def test_without_context_nothing_speaks_of_one_and_a_paragraph_with_a_candidate_stays() -> None:
    for context, name in product(("", " \n"), ("comparative", "comparative-short")):
        text = fill(PROMPTS[name], replace(QUESTION, context=context))
        assert text.startswith("Summary A:")
        assert "rticle" not in text
    prompt = Prompt("mine", 1, "On {context}: {a} or {b}?\n\nMind: {guideline}")
    without = f"On : {QUESTION.text_a} or {QUESTION.text_b}?"
    assert fill(prompt, replace(QUESTION, context="")) == without
    guided = replace(QUESTION, attribute=Attribute("x", guideline="Read slowly."))
    assert fill(prompt, guided).endswith("\n\nMind: Read slowly.")


def test_candidates_stay_verbatim() -> None:
    hostile = "{b} {context} {} {{a}} \\1 \\g<0> {label_a}\n\n\n{unknown}"
    text = fill(PROMPTS["comparative"], replace(QUESTION, text_a=hostile, context="{a}\n \n{b}"))
    assert f"Summary A:\n{hostile}\n\nSummary B:\nSecond text." in text
    assert "Article:\n{a}\n \n{b}\n\n" in text
    assert text.count("First text.") == 0
    assert text.count("Second text.") == 1


def test_swapping_the_texts_swaps_nothing_else() -> None:
    swapped = replace(QUESTION, text_a="Second text.", text_b="First text.")
    marked = fill(PROMPTS["comparative"], QUESTION).replace("First", "*").replace("Second", "First")
    assert fill(PROMPTS["comparative"], swapped) == marked.replace("*", "Second")


def test_labels_name_the_noun() -> None:
    for noun, labels in (
        ("summary", ("Summary A", "Summary B")),
        ("SMS text", ("SMS text A", "SMS text B")),
    ):
        assert fill_labels(DEFAULT_LABELS, replace(QUESTION, candidate_noun=noun)) == labels
    assert "\n\nRight:\nSecond text." in fill(PROMPTS["comparative"], QUESTION, ("Left", "Right"))
    # They are the prompt's own unless others are chosen.
    assert labels_of(PROMPTS["pairs-2024"]) == ("A", "B")
    assert labels_of(PROMPTS["pairs-2024"], ("1", "2")) == ("1", "2")
    assert labels_of(PROMPTS["comparative"]) == DEFAULT_LABELS


def test_labels_that_cannot_be_told_apart() -> None:
    for labels in (("A", "A"), ("", "B"), ("A", " ")):
        with pytest.raises(TandemError, match=rf"'{labels[0]}' and '{labels[1]}'.*\btwo\b"):
            fill(PROMPTS["comparative"], QUESTION, labels)
    with pytest.raises(TandemError, match=r"'A' and 'B' and 'A'.*\bthree\b"):
        fill_labels(("A", "B", "A"), QUESTION)


def test_the_question_in_words() -> None:
    for attribute, words in (
        (Attribute("fluency", "fluent", "Which reads better?"), "Which reads better?"),
        (Attribute("fluency", "fluent"), "Which summary is more fluent?"),
        (Attribute("overall"), "Which summary is better?"),
    ):
        assert wording(attribute, "summary") == words
        assert words in fill(PROMPTS["comparative"], replace(QUESTION, attribute=attribute))
    short = fill(PROMPTS["comparative-short"], replace(QUESTION, attribute=Attribute("overall")))
    assert short.endswith("Which summary is better, Summary A or Summary B?")


def test_every_placeholder_is_filled_and_other_braces_are_text() -> None:
    template = "\n".join(f"{{{name}}}" for name in PLACEHOLDERS)
    asked = replace(QUESTION, attribute=Attribute("x", "dull", "Q?", "G."))
    text = fill(Prompt("all", 1, template), asked, (*DEFAULT_LABELS, TIE_LABEL))
    assert "{" not in text
    words = {"article", "Article", "summary", "Summary", "dull", "more dull", "Q?", "G."}
    assert words <= set(text.split("\n"))
    prompt = Prompt("json", 1, '{a} {b} Answer as {"choice": "A"} or {} or {0}.')
    assert fill(prompt, QUESTION).endswith('Answer as {"choice": "A"} or {} or {0}.')


def test_a_template_that_cannot_be_used() -> None:
    for wrong, message in [
        ("{a} {b} {adjectiv}", r"unknown placeholder \{adjectiv\}; known are: .*\{adjective\}"),
        ("{context} {a}", r"lacks \{b\}.*known are: .*\{b\}"),
        ("{b} { a }", r"lacks \{a\}"),
        ("", r"lacks \{a\}"),
    ]:
        with pytest.raises(TandemError, match=message):
            check(wrong)
        with pytest.raises(TandemError, match=message):
            fill(Prompt("mine", 1, wrong), QUESTION)


def test_a_tie_is_offered_beside_the_labels() -> None:
    for prompt in PROMPTS.values():
        if prompt.name == "pairs-2024":  # it names its two answers one by one
            with pytest.raises(TandemError, match=r"^the prompt .*tie.*\{label_tie\}"):
                fill(prompt, QUESTION, ("A", "B", TIE_LABEL))
            continue
        plain = fill(prompt, QUESTION, labels_of(prompt))
        *_, tie = labels_of(prompt, tie=True)
        own = {"strength": "[[A=B]]", "two-scores": "score"}.get(prompt.name, tie)
        assert own in fill(prompt, QUESTION, labels_of(prompt, tie=True))
        assert prompt.name == "two-scores" or own not in plain


def test_a_tie_where_the_template_says_so() -> None:
    words = "{a}\n{b}\n{label_a}, {label_tie} or {label_b}? {label_a} or {label_b}!"
    prompt = Prompt("mine", 1, words)
    assert fill(prompt, QUESTION, ("A", "B", "=")).endswith("A, = or B? A or B!")
    with pytest.raises(TandemError, match=r"\{label_tie\}.*no tie\b"):
        fill(prompt, QUESTION)
    with pytest.raises(TandemError, match=r"^the prompt .*tie.*write \{label_tie\}"):
        check("{a} {b} Which?", tie=True)
    check(words)


CANDIDATE = Candidate(1, "A river rose.", "It {text} rose.",
                      Attribute("c", "coherent", "Which is?"), (), "article", "summary")  # fmt: skip
SCORING = (
    "Article:\nA river rose.\n\nSummary:\nIt {text} rose.\n\n"
    "How coherent is this summary? Give it a score from 1 (worst) to 10 (best). Answer "
    "with the number alone.\nScore:"
)


def test_every_built_in_prompt_about_one_text_reads_well() -> None:
    scoring = SCORING_PROMPTS["scoring"]
    assert fill_scoring(scoring, CANDIDATE, "score") == SCORING
    bare = fill_scoring(scoring, replace(CANDIDATE, context=""), "score")
    assert bare.startswith("Summary:\nIt {text} rose.")
    for mode in ("score", "g-eval", "gptscore"):
        built_in = GPTSCORE_PROMPTS if mode == "gptscore" else SCORING_PROMPTS
        for prompt in built_in.values():
            check_scoring(prompt.template, mode)
            words = fill_scoring(prompt, CANDIDATE, mode)
            assert (CANDIDATE.text in words) == (mode != "gptscore")
            assert "coherent" in words
    words = fill_scoring(GPTSCORE_PROMPTS["gptscore"], CANDIDATE, "gptscore")
    assert words.endswith("Write a summary that is coherent.\nSummary:")
    for attribute, question in (
        (Attribute("c", "coherent", "Which is?"), "How coherent is this reply?"),
        (
            Attribute("c", "", "Which is better?"),
            'Asked "Which is better?", how good is this reply?',
        ),
        (Attribute("c"), "How good is this reply?"),
    ):
        assert wording_of_one(attribute, "reply") == question


# ---- docs/prompts.md lists the placeholders, forms and prompts that there are, and no others


PAGE = document_prompts.PAGE.read_text(encoding="utf-8")


def test_every_table_is_there_and_as_in_the_code() -> None:
    assert document_prompts.documented(PAGE) == PAGE, "python -m tests.document_prompts --write"
    assert re.findall(r"<!-- table: (\w+)", PAGE) == list(document_prompts.TABLES)
    for name in (*COMPARISON_FORMS, *MARK_FORMS, *PROMPTS):
        assert f"| `{name}` |" in PAGE
    for name in ("reference", "references", "item", "subset", "answer_form", *SCORING_PLACEHOLDERS):
        assert f"| `{{{name}}}` |" in PAGE
    less = "".join(line for line in PAGE.splitlines(True) if not line.startswith("| `strength` |"))
    assert less != document_prompts.documented(less) == PAGE, "a form that is missing is seen"


# ---- Templates: built-in and edited prompts


WORDS = "{question} {label_a}: {a} {label_b}: {b}"


def test_an_edit_is_the_next_version(store: Store) -> None:
    first = edit_prompt(store, "mine", WORDS)
    assert first == Prompt("mine", 1, WORDS, "label-first")
    store.judges.add_prompt(first)
    assert edit_prompt(store, "mine", WORDS) == first
    assert edit_prompt(store, "mine", WORDS + "!").version == 2
    asked = Prompt("mine", 2, WORDS, "brackets")
    assert edit_prompt(store, "mine", WORDS, form="brackets") == asked
    with pytest.raises(TandemError, match=r"lacks \{b\}"):
        edit_prompt(store, "mine", "{a} {question}")
    with pytest.raises(TandemError, match=r"'yours'.*\bcomparative, comparative-short, "):
        template(store, "yours")


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
