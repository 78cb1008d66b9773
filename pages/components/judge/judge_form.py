"""Who answers: the judge of a run, how it answers, and the words it reads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.judging import (
    HIGHEST,
    ServerList,
    edited,
    evaluation_steps,
    fill,
    fill_scoring,
    labels_of,
    registry,
    templates,
)
from core.models import Family, Member, Options
from core.prices import Prices
from core.records import USUAL_SCALE, Candidate, Question, Scale
from pages.components.judge.servers import choose_more_servers, choose_server
from pages.components.judge.small_model import offer_small_model
from pages.components.shared.faults import told
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.texts import MARKED, show_texts
from pages.components.shared.workers import workers

OWN = "as it can best"
CURRENCY = "In any currency."
NO_SERVER = "Choose a server: only those that an owner has listed are asked."
MODES_HELP = """**classifier**, **generate** and **sample** compare two texts (Liusie et al. 2024):
by the probabilities of the
label words, by what the model writes, or by the share of several sampled answers. **score**,
**g-eval** (Liu et al. 2023)
and **gptscore** (Fu et al. 2023) mark each text on its own."""


@dataclass(frozen=True)
class Answering:
    """Who answers, by SPEC ('' while a model or its server is not named), and what it is asked for.
    `lacking`: the sentence that says what is to be named.
    """

    judge: str
    member: Member
    options: Options = field(default_factory=Options)
    lacking: str = ""

    @property
    def named(self) -> bool:
        """Whether it can be asked: the prompt can be read and edited before."""
        return bool(self.judge)

    @property
    def prices(self) -> Prices:
        return Prices.stored(self.options.execution)

    @property
    def marks(self) -> bool:
        """Whether it marks texts one by one instead of comparing two."""
        return self.member.answers == "marks"

    @property
    def free(self) -> bool:
        """Whether it runs on this machine."""
        return "base_url" not in self.member.options


def choices() -> dict[str, list[Member]]:
    """What one may choose -> the ways it can answer: a rule's or metric's SPEC has one, a family of
    models has its modes.
    """
    ways: dict[str, list[Member]] = {}
    for member in registry.members():
        ways.setdefault(member.spec if member.name else member.family.name, []).append(member)
    return ways


def answering(study: Study) -> Answering:
    """The form of who answers."""
    st.header("Who answers", anchor=False)
    ways = choices()
    who = st.selectbox("Judge", list(ways), format_func=lambda who: _people(ways[who][0]).label)
    member = ways[who][0]
    small(_people(member).help)
    if member.name:
        return Answering(who, member, Options(**workers(study, "judge")))
    served = "base_url" in member.options
    key = None if served else offer_small_model(study)
    name = st.text_input("Model", placeholder=member.family.example, key=key).strip()
    given = server(study, "judge") if served else workers(study, "judge")
    member, own = _way(ways[who])
    there = templates(study.store, member.mode)
    names = [name for name in there if "@" not in name]
    if (written := st.session_state.pop("steps-written", None)) in names:
        st.session_state["judge-prompt"] = written
    prompt = there[st.selectbox("Prompt", names, key="judge-prompt")]
    lacking = NO_SERVER if served and not given.get("base_url") else ""
    spec = registry.spec_of(member.family, name) if name and not lacking else ""
    permit = ServerList(study.store.path).permit
    options = Options(prompt=prompt, permit=permit, **given, **own)
    return Answering(spec, member, options, lacking if name else member.family.choose)


def _people(member: Member) -> Member | Family:
    """Whose label and help people read: its own or, of a model, its family's."""
    return member if member.name else member.family


def _way(ways: list[Member]) -> tuple[Member, dict[str, Any]]:
    """How a model answers, and the options of that."""
    by_mode = {OWN: ways[0]} | {way.mode: way for way in ways if way.mode}
    mode = st.selectbox("How it answers", list(by_mode), help=MODES_HELP)
    way = by_mode[mode]
    given: dict[str, Any] = {} if mode == OWN else {"mode": mode}
    if mode != OWN:
        small(f"{way.help[:1].upper()}{way.help[1:]}.")
        if "votes" in way.options:
            votes, temperature = st.columns(2)
            given["votes"] = int(votes.number_input("Sampled answers", 1, value=5))
            given["temperature"] = float(
                temperature.number_input("Temperature", 0.0, 2.0, 1.0, 0.1)
            )
    if "scale" in way.options:
        low, high = st.columns(2)
        given["scale"] = Scale(
            int(low.number_input("Lowest mark", 0, HIGHEST, USUAL_SCALE.low)),
            int(high.number_input("Highest mark", 0, HIGHEST, USUAL_SCALE.high)),
        )
    if "tie" in way.options and st.checkbox(
        "It may answer that neither is better", help="A third answer is offered: a tie."
    ):
        given["tie"] = True
    return way, given


def server(study: Study, key: str) -> dict[str, Any]:
    """Where the model is served, how fast it may be asked, and what it costs, as `Options` takes
    it. Without a `base_url` no server is chosen.
    """
    url = choose_server(study, key)
    with st.expander("More servers, limits and prices"):
        more = choose_more_servers(study, key, url)
        above, below = st.columns(3), st.columns(2)
        given: dict[str, Any] = {"base_url": url, "more_urls": more}
        for column, name, label, least, value, about in (
            (above[0], "concurrency", "Requests at a time", 1, 8, "Of each server."),
            (above[1], "rpm", "Requests a minute", 0, 0, "0 = no limit"),
            (above[2], "tpm", "Tokens a minute", 0, 0, "0 = no limit"),
            (below[0], "price_in", "Price per million input tokens", 0.0, 0.0, CURRENCY),
            (below[1], "price_out", "Price per million output tokens", 0.0, 0.0, None),
        ):
            given[name] = column.number_input(
                label, least, value=value, help=about, key=f"{key}-{name}"
            )
    return {name: value for name, value in given.items() if value}


def worded(study: Study, chosen: Answering, question: Question | Candidate | None) -> Answering:
    """The prompt to be read and edited, and filled with a real question, exactly as the model reads
    it.
    """
    prompt = chosen.options.prompt
    if prompt is None:
        if question is not None:
            small("This judge reads no prompt. Its first pair:")
            _texts(question)
        return chosen
    shown, words = st.tabs(["The prompt, filled with real texts", "Its wording"])
    with words:
        text = st.text_area(
            "Wording",
            prompt.template,
            height=260,
            key=f"wording-{prompt.name}@{prompt.version}",
            label_visibility="collapsed",
        )
        with told():
            prompt = edited(study.store, prompt.name, text, chosen.member.mode)
        if isinstance(question, Candidate):
            _write_steps(study, chosen, question)
        if prompt != chosen.options.prompt:
            small(
                f"Your wording is {prompt.name}@{prompt.version}: with it, the model counts as "
                "another judge."
            )
    with shown, st.container(height=460, border=False):
        if isinstance(question, Candidate):
            st.text(fill_scoring(prompt, question, chosen.member.mode, chosen.options.scale))
        elif question is not None:
            st.text(fill(prompt, question, labels_of(prompt)))
    return replace(chosen, options=replace(chosen.options, prompt=prompt))


def _write_steps(study: Study, chosen: Answering, candidate: Candidate) -> None:
    """The model writes a prompt with evaluation steps for the attribute at hand, on request."""
    attribute = candidate.attribute.name
    if not st.button(
        "Let the model write evaluation steps",
        disabled=not chosen.named,
        help=f"As in G-Eval (Liu et al. 2023): for {attribute}, kept as the prompt "
        f"g-eval-{attribute}.",
    ):
        return
    asked = Options(
        base_url=chosen.options.base_url,
        permit=chosen.options.permit,
        **chosen.options.execution,
    )
    with told(), st.spinner("The model writes ..."):
        prompt = evaluation_steps.write(study.store, study.dataset, attribute, chosen.judge, asked)
        st.session_state["steps-written"] = prompt.name
    if "steps-written" in st.session_state:
        st.rerun()


def _texts(question: Question | Candidate) -> None:
    """What a judge without a prompt is given."""
    if isinstance(question, Question):
        texts = question.text_a, question.text_b
        show_texts(question.context, question.context_noun, texts, narrow=True)
    else:
        show_texts(
            question.context,
            question.context_noun,
            (question.text, *question.references[:1]),
            titles=MARKED,
            narrow=True,
        )
