"""The built-in templates: for comparisons, for marks, and for the likelihood of a text."""

from __future__ import annotations

from ..records import Prompt

_CONTEXT = "{Context_noun}:\n{context}\n\n"
_TEXTS = "{label_a}:\n{a}\n\n{label_b}:\n{b}\n\n"
_CHOICE = "{question} Answer with {label_a} or {label_b}.\nAnswer:"
_INLINE_TEXTS = "{label_a}: {a}\n\n{label_b}: {b}\n\n"
_TEXT = "{Candidate_noun}:\n{text}\n\n"
_SCALE = "a score from {low} (worst) to {high} (best)."
_NUMBER = f"{{question}} Give it {_SCALE} Answer with the number alone.\nScore:"


def _index(*prompts: Prompt) -> dict[str, Prompt]:
    return {prompt.name: prompt for prompt in prompts}


PROMPTS = _index(
    Prompt("comparative", 1, f"{_CONTEXT}{_TEXTS}{_CHOICE}", "label-first"),
    Prompt(
        "comparative-short",
        1,
        f"{{context}}\n\n{_INLINE_TEXTS}"
        "Which {candidate_noun} is {better}, {label_a} or {label_b}?",
        "label-first",
    ),
    Prompt("no-context", 1, f"Compare two candidates.\n\n{_TEXTS}{_CHOICE}", "label-first"),
    # Liusie et al. (2024), prompt template 2; template 1 is `comparative-short`.
    Prompt(
        "liusie-2024-2",
        1,
        f"{_CONTEXT}{_INLINE_TEXTS}"
        "Which {Candidate_noun} is {better} relative to the {context_noun}, "
        "{label_a} or {label_b}?",
        "label-first",
    ),
    # Template 1 of the same authors for Llama 2, which is to go on from "Answer:".
    Prompt(
        "liusie-2024-llama",
        1,
        f"{{context}}\n\n{_INLINE_TEXTS}"
        "Which {Candidate_noun} is {better}, {label_a} or {label_b}?\n\nAnswer:",
        "label-first",
    ),
    # Liu et al. (2024), PairS: the pairwise comparison, with the attribute's guideline as its
    # instruction. Its labels are the letters alone.
    Prompt(
        "pairs-2024",
        1,
        "{Context_noun}: {context}\n\n"
        "{guideline}\n\n"
        "{Candidate_noun} candidate {label_a}: {a}\n\n"
        "{Candidate_noun} candidate {label_b}: {b}\n\n"
        "Question: Which {candidate_noun} candidate is {better}? "
        "If the {candidate_noun} {label_a} is {better}, please return '{label_a}'. "
        "If the {candidate_noun} {label_b} is {better}, please return '{label_b}'. "
        "Please only return the choice.\nAnswer:",
        "label-first",
        ("A", "B"),
    ),
    # The verdict is asked for in the words of the form that is declared.
    Prompt("verdict", 1, f"{_CONTEXT}{_TEXTS}{{question}} {{answer_form}}", "json"),
    Prompt(
        "reasoned",
        1,
        f"{_CONTEXT}{_TEXTS}{{question}} First compare the two in a few sentences, whatever their "
        "order and length. {answer_form}",
        "verdict-last",
    ),
    # As FastChat's pair-math-v1 and Zheng et al. (2023): with a reference to compare with.
    Prompt(
        "reference-guided",
        1,
        f"{_CONTEXT}Reference:\n{{reference}}\n\n{_TEXTS}"
        "{question} Compare both with the reference first, and point out mistakes. {answer_form}",
        "brackets",
    ),
    Prompt(
        "strength",
        1,
        f"{_CONTEXT}{_TEXTS}{{question}} First compare the two in a few sentences. {{answer_form}}",
        "strength",
    ),
    Prompt("two-scores", 1, f"{_CONTEXT}{_TEXTS}{{question}} {{answer_form}}", "two-scores"),
    Prompt(
        "comparative-de",
        1,
        f"Kontext:\n{{context}}\n\n{_TEXTS}"
        "{question} Antworte mit {label_a} oder {label_b}.\nAntwort:",
        "label-first",
        ("Text A", "Text B", "Unentschieden"),
    ),
    Prompt(
        "comparative-zh",
        1,
        f"背景:\n{{context}}\n\n{_TEXTS}{{question}} 请只回答{{label_a}}或{{label_b}}。\n回答:",
        "label-first",
        ("文本A", "文本B", "平局"),
    ),
)
"""The built-in templates by name."""

SCORING_PROMPTS = _index(
    Prompt("scoring", 1, f"{_CONTEXT}{_TEXT}{_NUMBER}", "mark-first"),
    Prompt(
        "scoring-short",
        1,
        "{context}\n\n"
        "{Candidate_noun}: {text}\n\n"
        "On a scale from {low} to {high}, how {adjective} is this {candidate_noun}?",
        "mark-first",
    ),
    Prompt("scoring-no-context", 1, f"{_TEXT}{_NUMBER}", "mark-first"),
    Prompt(
        "scoring-reasoned",
        1,
        f"{_CONTEXT}{_TEXT}{{question}} Give it {_SCALE} First say in a few sentences what speaks "
        "for it and against it. {answer_form}",
        "mark-last",
    ),
    # As FastChat's single-math-v1: with a reference to compare with.
    Prompt(
        "scoring-reference",
        1,
        f"{_CONTEXT}Reference:\n{{reference}}\n\n{_TEXT}"
        "{question} Compare it with the reference first, and point out mistakes. "
        f"Then give it {_SCALE} {{answer_form}}",
        "mark-brackets",
    ),
)
"""The built-in templates for marks a model gives (modes score and g-eval), the first being the
default.
"""

GPTSCORE_PROMPTS = _index(
    Prompt(
        "gptscore",
        1,
        f"{_CONTEXT}Write a {{candidate_noun}} that is {{adjective}}.\n{{Candidate_noun}}:",
    ),
    Prompt(
        "gptscore-no-context",
        1,
        "Here is a {candidate_noun} that is {adjective}.\n{Candidate_noun}:",
    ),
)
"""The built-in templates that ask for the text (mode gptscore), the first being the default."""
