"""The built-in templates: for comparisons, for marks, and for the likelihood of a text."""

from __future__ import annotations

from ..records import Prompt

_TEXTS = "{Context_noun}:\n{context}\n\n{label_a}:\n{a}\n\n{label_b}:\n{b}\n\n"

PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "comparative",
            1,
            "{Context_noun}:\n{context}\n\n"
            "{label_a}:\n{a}\n\n"
            "{label_b}:\n{b}\n\n"
            "{question} Answer with {label_a} or {label_b}.\nAnswer:",
            "label-first",
        ),
        Prompt(
            "comparative-short",
            1,
            "{context}\n\n"
            "{label_a}: {a}\n\n"
            "{label_b}: {b}\n\n"
            "Which {candidate_noun} is {better}, {label_a} or {label_b}?",
            "label-first",
        ),
        Prompt(
            "no-context",
            1,
            "Compare two candidates.\n\n"
            "{label_a}:\n{a}\n\n"
            "{label_b}:\n{b}\n\n"
            "{question} Answer with {label_a} or {label_b}.\nAnswer:",
            "label-first",
        ),
        # Liusie et al. (2024), prompt template 2; template 1 is `comparative-short`.
        Prompt(
            "liusie-2024-2",
            1,
            "{Context_noun}:\n{context}\n\n"
            "{label_a}: {a}\n\n"
            "{label_b}: {b}\n\n"
            "Which {Candidate_noun} is {better} relative to the {context_noun}, "
            "{label_a} or {label_b}?",
            "label-first",
        ),
        # Template 1 of the same authors for Llama 2, which is to go on from "Answer:".
        Prompt(
            "liusie-2024-llama",
            1,
            "{context}\n\n"
            "{label_a}: {a}\n\n"
            "{label_b}: {b}\n\n"
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
        Prompt("verdict", 1, f"{_TEXTS}{{question}} {{answer_form}}", "json"),
        Prompt(
            "reasoned",
            1,
            f"{_TEXTS}{{question}} First compare the two in a few sentences, whatever their order "
            "and length. {answer_form}",
            "verdict-last",
        ),
        # As FastChat's pair-math-v1 and Zheng et al. (2023): with a reference to compare with.
        Prompt(
            "reference-guided",
            1,
            "{Context_noun}:\n{context}\n\nReference:\n{reference}\n\n"
            "{label_a}:\n{a}\n\n{label_b}:\n{b}\n\n"
            "{question} Compare both with the reference first, and point out mistakes. "
            "{answer_form}",
            "brackets",
        ),
        Prompt(
            "strength",
            1,
            f"{_TEXTS}{{question}} First compare the two in a few sentences. {{answer_form}}",
            "strength",
        ),
        Prompt("two-scores", 1, f"{_TEXTS}{{question}} {{answer_form}}", "two-scores"),
        Prompt(
            "comparative-de",
            1,
            "Kontext:\n{context}\n\n{label_a}:\n{a}\n\n{label_b}:\n{b}\n\n"
            "{question} Antworte mit {label_a} oder {label_b}.\nAntwort:",
            "label-first",
            ("Text A", "Text B", "Unentschieden"),
        ),
        Prompt(
            "comparative-zh",
            1,
            "背景:\n{context}\n\n{label_a}:\n{a}\n\n{label_b}:\n{b}\n\n"
            "{question} 请只回答{label_a}或{label_b}。\n回答:",
            "label-first",
            ("文本A", "文本B", "平局"),
        ),
    )
}
"""The built-in templates by name."""

SCORING_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "scoring",
            1,
            "{Context_noun}:\n{context}\n\n"
            "{Candidate_noun}:\n{text}\n\n"
            "{question} Give it a score from {low} (worst) to {high} (best). Answer with the "
            "number alone.\nScore:",
            "mark-first",
        ),
        Prompt(
            "scoring-short",
            1,
            "{context}\n\n"
            "{Candidate_noun}: {text}\n\n"
            "On a scale from {low} to {high}, how {adjective} is this {candidate_noun}?",
            "mark-first",
        ),
        Prompt(
            "scoring-no-context",
            1,
            "{Candidate_noun}:\n{text}\n\n"
            "{question} Give it a score from {low} (worst) to {high} (best). Answer with the "
            "number alone.\nScore:",
            "mark-first",
        ),
        Prompt(
            "scoring-reasoned",
            1,
            "{Context_noun}:\n{context}\n\n"
            "{Candidate_noun}:\n{text}\n\n"
            "{question} Give it a score from {low} (worst) to {high} (best). First say in a few "
            "sentences what speaks for it and against it. {answer_form}",
            "mark-last",
        ),
        # As FastChat's single-math-v1: with a reference to compare with.
        Prompt(
            "scoring-reference",
            1,
            "{Context_noun}:\n{context}\n\nReference:\n{reference}\n\n"
            "{Candidate_noun}:\n{text}\n\n"
            "{question} Compare it with the reference first, and point out mistakes. Then give it "
            "a score from {low} (worst) to {high} (best). {answer_form}",
            "mark-brackets",
        ),
    )
}
"""The built-in templates for marks a model gives (modes score and g-eval), the first being the
default.
"""

GPTSCORE_PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "gptscore",
            1,
            "{Context_noun}:\n{context}\n\nWrite a {candidate_noun} that is "
            "{adjective}.\n{Candidate_noun}:",
        ),
        Prompt(
            "gptscore-no-context",
            1,
            "Here is a {candidate_noun} that is {adjective}.\n{Candidate_noun}:",
        ),
    )
}
"""The built-in templates that ask for the text (mode gptscore), the first being the default."""
