"""The answers of a trial, to be read one by one: the texts, the answer, and what the judge said."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from core.judging import parse_replies
from core.labels import OUTCOMES
from core.models import Member
from core.records import Outcome
from core.runs import short_time
from pages.components.judge.run_answers import explain_failure, figures, show_replies
from pages.components.shared.notice import fragment, show_caption
from pages.components.shared.texts import MARKED, show_texts

SENTENCES = {
    Outcome.A: "A is better",
    Outcome.B: "B is better",
    Outcome.TIE: "Neither is better",
    Outcome.BOTH_BAD: "Both are bad",
}


@fragment
def show_trial(trial: Mapping[str, Any], member: Member, noun: str) -> None:
    """Show the answers of a trial, one at a time; `noun` is the data set's word for a context."""
    answers = trial["answers"]
    if not answers:
        return
    labels = [f"{place} · {_render_value(answer)}" for place, answer in enumerate(answers, start=1)]
    place = st.segmented_control(
        "Answer",
        range(len(answers)),
        format_func=labels.__getitem__,
        default=0,
        label_visibility="collapsed",
        key=f"trial-{trial['judge']}",
    )
    answer = answers[place or 0]
    _answer(answer, member, noun)
    show_replies(answer["raw"])
    if effort := _describe_effort(answer):
        show_caption(effort)
    _texts(answer, noun)
    if answer["prompt"]:
        with st.popover("What it read"):
            st.text("\n\n".join(filter(None, [answer["system"], answer["prompt"]])))
    show_caption(
        f"Answers of {trial['judge']} to the first questions, for a look. They are not kept."
    )


def _answer(answer: Mapping[str, Any], member: Member, noun: str) -> None:
    failed = ' class="tandem-failed"' if answer["failure"] else ""
    st.html(
        f'<p class="tandem-trial"><b{failed}>{escape(answer_in_words(answer))}</b> '
        f"{escape(explain_answer(answer, member, noun))}</p>{_chance_bar(answer.get('prob_a'))}"
    )


def _chance_bar(prob_a: float | None) -> str:
    """Return a small bar of the probability that A is better, '' without one."""
    if prob_a is None:
        return ""
    share = f"{100 * prob_a:.0f}%"
    return (
        f'<div class="tandem-chance" role="img" aria-label="A is better: {share}"><b>A {share}</b>'
        f'<span><i style="width:{100 * prob_a:.1f}%"></i></span><b>B {100 - 100 * prob_a:.0f}%</b>'
        "</div>"
    )


def _describe_effort(answer: Mapping[str, Any]) -> str:
    words = []
    if answer["tokens"]:
        words.append(
            f"{answer['tokens']:,} tokens, {answer['completion_tokens']:,} of them written"
        )
    if answer["seconds"] is not None:
        words.append(short_time(answer["seconds"]))
    return " · ".join(words)


def _render_value(answer: Mapping[str, Any]) -> str:
    if answer["failure"]:
        return "none"
    return f"{answer['value']:.3g}" if "value" in answer else OUTCOMES[answer["outcome"]]


def answer_in_words(answer: Mapping[str, Any]) -> str:
    """Write an answer as a sentence, such as "coherence: A is better (P = 0.83)"."""
    attribute = answer["attribute"]
    if answer["failure"]:
        return f"{attribute}: no answer."
    if "value" in answer:
        return f"{attribute}: the mark is {answer['value']:.3g}."
    sure = "" if answer["prob_a"] is None else f" (P that A is better: {answer['prob_a']:.3g})"
    return f"{attribute}: {SENTENCES[answer['outcome']]}{sure}."


def explain_answer(answer: Mapping[str, Any], member: Member, noun: str) -> str:
    """Explain an answer apart from its replies: figures, the judge's rule or, for a failure, the
    reason and the remedy.
    """
    said = figures(answer["raw"], noun)
    if failure := answer["failure"]:
        detail = parse_replies(answer["raw"]).detail
        return explain_failure(failure, detail)
    is_written = bool(parse_replies(answer["raw"]).replies)
    if said or is_written:
        return said
    return f"Its rule: {member.help[:1].lower()}{member.help[1:].rstrip('.')}."


def _texts(answer: Mapping[str, Any], noun: str) -> None:
    context = answer["context"]
    if "text_a" in answer:
        texts = answer["text_a"], answer["text_b"]
        show_texts(context, noun, texts, narrow=True, folded=True)
        return
    reference = () if answer["reference"] is None else (answer["reference"],)
    show_texts(context, noun, (answer["text"], *reference), titles=MARKED, narrow=True, folded=True)
