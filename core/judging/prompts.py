"""Prompts: an attribute, a context and two labelled texts become the words an LLM reads.

A template is plain text with placeholders in braces (`PLACEHOLDERS`). Anything else in braces, such
as JSON, is left as it is. It is filled in one pass, so a text that itself contains "{b}" stays
verbatim.

A paragraph (text between blank lines) that mentions a missing `{context}` or `{guideline}` is
dropped, unless it also holds a candidate or the question: so every template reads sensibly for
items without context, and no second version of it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from ..labels import _render_comparative, wording
from ..records import (
    USUAL_SCALE,
    Attribute,
    Candidate,
    JudgeSpec,
    Prompt,
    Question,
    Scale,
    TandemError,
    option_ref,
)
from .forms import (
    COMPARISON_FORMS,
    MARK_FORMS,
    Labels,
    VerdictForm,
    propose_form,
)
from .own_prompts import GPTSCORE_PROMPTS as GPTSCORE_PROMPTS
from .own_prompts import PROMPTS as PROMPTS
from .own_prompts import SCORING_PROMPTS as SCORING_PROMPTS

PLACEHOLDERS = {
    "context": "what the candidates were written for",
    "a": "the text shown first",
    "b": "the text shown second",
    "label_a": "what the first text is called, and the answer that chooses it",
    "label_b": "what the second text is called, and the answer that chooses it",
    "label_tie": "the answer that neither is better, where a tie is offered",
    "question": "the attribute's question",
    "adjective": "the attribute's adjective, or 'good'",
    "better": "'more' and the attribute's adjective, or 'better'",
    "guideline": "the attribute's guideline for annotators",
    "reference": "the item's reference, of several the first",
    "references": "all of the item's references, numbered",
    "item": "the item's name",
    "subset": "the item's task, language or split",
    "answer_form": "how the verdict is to be stated, in the words of the prompt's form",
    "context_noun": "the data set's word for a context",
    "Context_noun": "the same, capitalised",
    "candidate_noun": "the data set's word for a candidate",
    "Candidate_noun": "the same, capitalised",
}
"""Placeholder of a template -> its meaning."""

DEFAULT_LABELS = ("{Candidate_noun} A", "{Candidate_noun} B")
"""Label words that name the noun, so that one judge suits every data set: "Summary A", "Response A"
...
"""

HIGHEST = 100
"""The highest mark a scale may have."""

TIE_LABEL = "Tie"
"""The third label, for judges that may answer that neither is better."""

_OFFER = re.compile(r"\{label_a\}(?P<either>\s?(?:or|oder|ou|o|или|或|または|か)\s?)\{label_b\}")
"""Where a template offers both labels, and where a third is put beside them."""
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n")
_OPTIONAL = {"context", "guideline"}
_NEEDED = {"a", "b", "text", "question", "adjective", "better"}

_OF_PAIRS = {"a", "b", "label_a", "label_b", "label_tie", "better"}
SCORING_PLACEHOLDERS = {
    **{name: says for name, says in PLACEHOLDERS.items() if name not in _OF_PAIRS},
    "text": "the text to be scored; in a prompt of the mode gptscore it follows the prompt instead",
    "question": "the attribute's question about a single text",
    "low": "the lowest score",
    "high": "the highest score",
}
"""Every placeholder a template for marks may use."""


def check(template: str, *, tie: bool | None = None) -> None:
    """Check a template for unknown placeholders and missing candidates.

    `tie` says whether a tie is offered, None if that is unknown. Raises TandemError for either
    fault, and where the template does not offer a tie as `tie` says.
    """
    names = _check(template, PLACEHOLDERS, ("a", "b"))
    if tie and not _offers_tie(template) and not _OFFER.search(template):
        raise TandemError(
            "the prompt does not offer a tie; write {label_tie}, or '{label_a} or {label_b}', "
            "where it is to be offered"
        )
    if tie is False and "label_tie" in names:
        raise TandemError(
            "the prompt offers {label_tie} and no tie was asked for; ask for one, or leave it out"
        )


def check_system_prompt(template: str, *, compares: bool) -> None:
    """Check the placeholders of a system prompt. Raises TandemError for an unknown one."""
    if template:
        _check(template, PLACEHOLDERS if compares else SCORING_PLACEHOLDERS, ())


def check_scoring(template: str, mode: str) -> None:
    """Check a template of a mode that scores single texts, as `check` does one of pairs.

    In `gptscore` the text follows the prompt. Raises TandemError otherwise.
    """
    names = _check(template, SCORING_PLACEHOLDERS, () if mode == "gptscore" else ("text",))
    if mode == "gptscore" and "text" in names:
        raise TandemError(
            "in the mode gptscore the text follows the prompt as its answer: leave {text} out "
            "of the prompt"
        )


def checked_scale(scale: Sequence[int]) -> Scale:
    """Return a scale, from low to high, after checking its ends. Raises TandemError otherwise."""
    low, high = scale
    if not 0 <= low < high <= HIGHEST:
        raise TandemError(
            f"{option_ref('scale')} {low} {high}: a scale goes from a lower to a higher mark, "
            "within "
            f"0 to {HIGHEST}"
        )
    return Scale(low, high)


def _check(template: str, placeholders: Mapping[str, str], texts: Sequence[str]) -> list[str]:
    names = find_placeholders(template)
    known = ", ".join(f"{{{name}}}" for name in placeholders)
    if unknown := [name for name in names if name not in placeholders]:
        raise TandemError(
            f"the prompt has an unknown placeholder {{{unknown[0]}}}; known are: {known}"
        )
    if missing := [name for name in texts if name not in names]:
        raise TandemError(
            f"the prompt lacks {{{missing[0]}}}, so that text would never be read; known are: "
            f"{known}"
        )
    return names


def fill(prompt: Prompt, question: Question, labels: tuple[str, ...] = DEFAULT_LABELS) -> str:
    """Return the words an LLM reads for one comparison.

    `labels` may contain the nouns' placeholders.

    A third label offers a tie: "{label_a} or {label_b}" becomes "Summary A, Summary B or Tie", in a
    template that does not say itself where {label_tie} belongs. A text that is not available is
    filled as an empty one: a judge answers "no-text" before it comes to this. Raises TandemError as
    `check` does.
    """
    tie = len(labels) > 2
    check(prompt.template, tie=tie)
    values = _values_of_comparison(prompt, question, labels)
    template = prompt.template
    if tie and not _offers_tie(template):
        template = _OFFER.sub(r"{label_a}, {label_b}\g<either>{label_tie}", template)
    return _fill_template(template, values)


def _instruction(form: VerdictForm, labels: tuple[str, ...]) -> str:
    cores = Labels(labels).cores
    a, b = cores[:2]
    signs = [f"{a}>>{b}", f"{a}>{b}", *[f"{a}={b}"] * (len(labels) > 2), f"{b}>{a}", f"{b}>>{a}"]
    values = {
        "offer": _join_options(labels),
        "brackets": _join_options([f"[[{core}]]" for core in cores]),
        "strengths": _join_options([f"[[{sign}]]" for sign in signs]),
        "label_a": labels[0],
        "label_b": labels[1],
    }
    return replace_placeholders(form.instruction, values)


def _join_options(words: Sequence[str]) -> str:
    """ "Summary A, Summary B or Tie"."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _offers_tie(template: str) -> bool:
    """Return whether a template offers a tie in its own words or in those of its form."""
    return bool({"label_tie", "answer_form"} & set(find_placeholders(template)))


def fill_scoring(
    prompt: Prompt, candidate: Candidate, mode: str, scale: Scale = USUAL_SCALE
) -> str:
    """Return the words an LLM reads to mark one text.

    Raises TandemError as `check_scoring` does.
    """
    check_scoring(prompt.template, mode)
    return _fill_template(prompt.template, _values_of_candidate(prompt, candidate, scale))


def fill_system(judge: JudgeSpec, question: Question | Candidate) -> str:
    """Fill the system prompt of a judge, '' where it has none.

    It has the same placeholders as the prompt.
    """
    if not judge.system_prompt or judge.prompt is None:
        return judge.system_prompt
    if isinstance(question, Candidate):
        values = _values_of_candidate(judge.prompt, question, judge.scale)
    else:
        values = _values_of_comparison(judge.prompt, question, judge.labels)
    return _fill_template(judge.system_prompt, values)


def _values_of_comparison(
    prompt: Prompt, question: Question, labels: tuple[str, ...]
) -> dict[str, str]:
    words, attribute = fill_labels(labels, question), question.attribute
    named = zip(("label_a", "label_b", "label_tie"), words, strict=False)
    return {
        **_values_of_item(question),
        **dict(named),
        "a": question.text_a or "",
        "b": question.text_b or "",
        "question": wording(attribute, question.candidate_noun),
        "adjective": attribute.adjective or "good",
        "better": _render_comparative(attribute),
        "guideline": attribute.guideline,
        "answer_form": _instruction(form_of(prompt), words),
    }


def _values_of_candidate(prompt: Prompt, candidate: Candidate, scale: Scale) -> dict[str, str]:
    return _values_of_item(candidate) | {
        "text": candidate.text or "",
        "question": wording_of_one(candidate.attribute, candidate.candidate_noun),
        "adjective": candidate.attribute.adjective or "good",
        "guideline": candidate.attribute.guideline,
        "low": str(scale.low),
        "high": str(scale.high),
        "answer_form": replace_placeholders(
            form_of(prompt, marks=True).instruction, {"low": str(scale.low)}
        ),
    }


def wording_of_one(attribute: Attribute, candidate_noun: str = "text") -> str:
    """Return the question about a single text: from the attribute's adjective, else after the
    question people are asked about two.
    """
    if attribute.question and not attribute.adjective:
        return f'Asked "{attribute.question}", how good is this {candidate_noun}?'
    return f"How {attribute.adjective or 'good'} is this {candidate_noun}?"


def _fill_template(template: str, values: dict[str, str]) -> str:
    """Fill a template, without paragraphs about a context or guideline that is not there."""
    kept = []
    for paragraph in PARAGRAPH_BREAK.split(template):
        names = set(find_placeholders(paragraph))
        if names & _NEEDED or all(values[name].strip() for name in names & _OPTIONAL):
            kept.append(replace_placeholders(paragraph, values))
    return "\n\n".join(kept)


def labels_of(
    prompt: Prompt, chosen: tuple[str, ...] = (), *, tie: bool = False
) -> tuple[str, ...]:
    """Return the label words of a prompt, unless others are chosen; with that for a tie, where one
    is offered. Raises TandemError for words that a reply could not tell apart.
    """
    labels = chosen or prompt.labels[:2] or DEFAULT_LABELS
    return _check_labels((*labels, (prompt.labels[2:] or (TIE_LABEL,))[0]) if tie else labels)


def form_of(prompt: Prompt, *, marks: bool = False) -> VerdictForm:
    """Return the form that a prompt, for comparisons or for marks, declares, or else its own words
    ask for.

    Raises TandemError for an unknown one.
    """
    there = MARK_FORMS if marks else COMPARISON_FORMS
    name = prompt.form or propose_form(prompt.template, marks=marks).name
    if name not in there:
        raise TandemError(
            f"{option_ref('form')} {name!r} is none of this mode; there are: {', '.join(there)}"
        )
    return there[name]


def fill_labels(labels: tuple[str, ...], question: Question) -> tuple[str, ...]:
    """Return the label words for this comparison.

    Raises TandemError when two are the same or one is blank.
    """
    return _check_labels(tuple(replace_placeholders(label, nouns(question)) for label in labels))


@cache
def _check_labels(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return label words of which each, as a reply, is read as itself. Raises TandemError else."""
    if not (all(word.strip() for word in words) and Labels(words).are_distinct):
        raise TandemError(
            f"the label words are {' and '.join(map(repr, words))}; give "
            f"{('two', 'three')[len(words) > 2]} different words"
        )
    return words


def _values_of_item(question: Question | Candidate) -> dict[str, str]:
    numbered = enumerate(question.references, start=1)
    return nouns(question) | {
        "context": question.context,
        "reference": next(iter(question.references), ""),
        "references": "\n".join(f"{number}. {text}" for number, text in numbered),
        "item": question.item,
        "subset": question.subset,
    }


def needs_reference(judge: JudgeSpec) -> bool:
    """Return whether a judge reads a reference.

    A judge that lacks its reference is asked a different question.
    """
    told = judge.system_prompt + (judge.prompt.template if judge.prompt else "")
    return bool({"reference", "references"} & set(find_placeholders(told)))


def nouns(question: Question | Candidate) -> dict[str, str]:
    """Return the data set's words, as placeholders stand for them."""
    return {
        "context_noun": question.context_noun,
        "Context_noun": _capitalise(question.context_noun),
        "candidate_noun": question.candidate_noun,
        "Candidate_noun": _capitalise(question.candidate_noun),
    }


def replace_placeholders(template: str, values: dict[str, str]) -> str:
    """Replace placeholders in one pass: what a value contains is never looked at again."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def find_placeholders(template: str) -> list[str]:
    """Return the placeholders of a template, known or not."""
    return _PLACEHOLDER.findall(template)


def _capitalise(noun: str) -> str:
    """Unlike str.capitalize, leaves the rest of the noun alone ("SMS text")."""
    return noun[:1].upper() + noun[1:]
