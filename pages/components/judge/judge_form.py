"""Who answers: the judge of a run, how it answers, and the words it reads."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.judging import COMPARING_MODES, MARKS, edited, fill, fill_scoring, scorer, templates
from core.records import Candidate, Prompt, Question
from core.runs import Prices
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, refusals, small
from pages.components.shared.texts import show_texts

WHO = {
    "baseline:embedding": "Baseline: nearer the context",
    "baseline:longer": "Baseline: the longer text",
    "baseline:random": "Baseline: a coin",
    "baseline:bertscore": "Metric: BERTScore",
    "baseline:rouge1": "Metric: ROUGE-1",
    "baseline:bleu": "Metric: BLEU",
    "hf": "Language model on this machine",
    "openai": "Language model behind a server",
}
SAYS = {
    "baseline:embedding": "Prefers the text whose meaning is nearer to the context's: cosine of "
    "two sentence embeddings.",
    "baseline:longer": "Prefers the text with more characters. A good judge should do better.",
    "baseline:random": "Tosses a coin. Any judge should do better.",
    "baseline:bertscore": "Marks a text by how near its words are in meaning to the reference's "
    "(Zhang et al. 2020).",
    "baseline:rouge1": "Marks a text by the words it has in common with the reference (Lin 2004).",
    "baseline:bleu": "Marks a text by the phrases it has in common with the reference (Papineni "
    "et al. 2002).",
    "hf": "From the Hugging Face hub, or a folder. It runs here: no text leaves this machine.",
    "openai": "OpenAI, vLLM, Ollama, llama.cpp and the like. The texts are sent there.",
}
MODELS = {
    "hf": (
        "google/flan-t5-base, or a folder on this machine",
        "Name a model: as the Hugging Face hub calls it, or its folder.",
    ),
    "openai": ("gpt-4o-mini", "Name a model as its server calls it."),
}
OWN = "as it can best"
MODES_HELP = """**classifier**, **generate** and **sample** compare two texts (Liusie et al. 2024):
by the probabilities of the
label words, by what the model writes, or by the share of several sampled answers. **score**,
**g-eval** (Liu et al. 2023)
and **gptscore** (Fu et al. 2023) mark each text on its own."""


@dataclass(frozen=True)
class Answering:
    """A judge as `make_judge` takes it: `options` can change its answers, `execution` cannot."""

    judge: str
    prompt: Prompt | None = None
    options: dict[str, Any] = field(default_factory=dict)
    execution: dict[str, Any] = field(default_factory=dict)
    prices: Prices = field(default_factory=Prices)

    @property
    def mode(self) -> str:
        return str(self.options.get("mode", ""))

    @property
    def marks(self) -> bool:
        """Whether it marks texts one by one instead of comparing two."""
        return self.mode in scorer.SCORING_MODES or self.judge.removeprefix("baseline:") in MARKS

    @property
    def free(self) -> bool:
        """Whether it runs on this machine."""
        return not self.judge.startswith("openai:")


def answering(study: Study) -> Answering | None:
    """The form of who answers; None while the model has no name."""
    st.subheader("Who answers", anchor=False)
    family = st.selectbox("Judge", list(WHO), format_func=WHO.__getitem__)
    small(SAYS[family])
    if family not in MODELS:
        return Answering(family)
    example, missing = MODELS[family]
    name = st.text_input("Model", placeholder=example).strip()
    execution, prices = server("judge") if family == "openai" else ({}, Prices())
    options = _mode(family) | {
        name: execution.pop(name) for name in ("base_url",) if name in execution
    }
    there = templates(study.store, options.get("mode"))
    prompt = there[st.selectbox("Prompt", [name for name in there if "@" not in name])]
    if not name:
        notice(missing)
        return None
    return Answering(f"{family}:{name}", prompt, options, execution, prices)


def _mode(family: str) -> dict[str, Any]:
    ways = {
        **COMPARING_MODES,
        **{name: says for name, says in scorer.SCORING_MODES.items() if name in scorer.BY_MODEL},
    }
    if family == "openai":
        del ways["gptscore"]  # a chat server tells nothing about the words of a text it is given
    mode = st.selectbox("How it answers", [OWN, *ways], help=MODES_HELP)
    if mode in ways:
        small(f"{ways[mode][:1].upper()}{ways[mode][1:]}.")
    found: dict[str, Any] = {} if mode == OWN else {"mode": mode}
    if mode == "sample":
        votes, temperature = st.columns(2)
        found["votes"] = int(votes.number_input("Sampled answers", 1, value=5))
        found["temperature"] = float(temperature.number_input("Temperature", 0.0, 2.0, 1.0, 0.1))
    if mode not in scorer.BY_MODEL and st.checkbox(
        "It may answer that neither is better", help="A third answer is offered: a tie."
    ):
        found["tie"] = True
    return found


def server(key: str) -> tuple[dict[str, Any], Prices]:
    """Where the model is served, and how fast it may be asked."""
    url = st.text_input(
        "Server", placeholder="http://localhost:11434/v1; blank means OpenAI", key=f"{key}-url"
    ).strip()
    if not url and not os.environ.get("OPENAI_API_KEY"):
        small(
            "No key was found: set OPENAI_API_KEY before Tandem is started. It is never stored "
            "or shown."
        )
    with st.expander("Limits and prices"):
        left, middle, right = st.columns(3)
        given = {
            "base_url": url,
            "concurrency": int(
                left.number_input("Requests at a time", 1, value=8, key=f"{key}-concurrency")
            ),
            "rpm": int(
                middle.number_input("Requests a minute", 0, help="0 = no limit", key=f"{key}-rpm")
            ),
            "tpm": int(
                right.number_input("Tokens a minute", 0, help="0 = no limit", key=f"{key}-tpm")
            ),
        }
        left, right = st.columns(2)
        prices = Prices(
            float(
                left.number_input(
                    "Price of a million tokens read",
                    0.0,
                    help="In whatever currency.",
                    key=f"{key}-in",
                )
            ),
            float(right.number_input("Price of a million tokens written", 0.0, key=f"{key}-out")),
        )
    return {name: value for name, value in given.items() if value}, prices


def worded(study: Study, chosen: Answering, question: Question | Candidate | None) -> Answering:
    """The prompt to be read and edited, and filled with a real question, exactly as the model reads
    it.
    """
    if chosen.prompt is None:
        if question is not None:
            small("It reads no prompt. The first it is asked about:")
            _texts(question)
        return chosen
    prompt = chosen.prompt
    shown, words = st.tabs(["The prompt, filled with real texts", "Its wording"])
    with words:
        text = st.text_area(
            "Wording",
            prompt.template,
            height=260,
            key=f"wording-{prompt.name}@{prompt.version}",
            label_visibility="collapsed",
        )
        with refusals():
            prompt = edited(study.store, prompt.name, text, chosen.mode or None)
        if prompt != chosen.prompt:
            small(
                f"Your wording is {prompt.name}@{prompt.version}: with it, the model counts as "
                "another judge."
            )
    with shown, st.container(height=460, border=False):
        if isinstance(question, Candidate):
            st.text(fill_scoring(prompt, question, chosen.mode))
        elif question is not None:
            st.text(fill(prompt, question))
    return replace(chosen, prompt=prompt)


def _texts(question: Question | Candidate) -> None:
    """What a judge without a prompt is given."""
    if isinstance(question, Question):
        texts = question.text_a, question.text_b
        show_texts(question.context, question.context_noun, texts, narrow=True)
    else:
        reference = next(iter(question.references), None)
        show_texts(
            "",
            "",
            (question.text, reference),
            titles=("The text", "The first reference"),
            narrow=True,
        )
