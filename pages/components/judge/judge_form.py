"""Form for the judge of a run, its way of answering, and the prompt it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from core.access import Right
from core.judging import (
    HIGHEST,
    Judge,
    Scorer,
    ServerList,
    asks_in_any_form,
    declared_form,
    edit_prompt,
    fill,
    fill_scoring,
    fill_system,
    labels_of,
    make,
    registry,
    templates,
    write_steps,
)
from core.models import Family, Member, Options
from core.models.local import small_model
from core.models.served import provider_of
from core.prices import Prices
from core.records import USUAL_SCALE, Candidate, JudgeSpec, Kind, Prompt, Question, Scale
from core.runs import preview
from core.store import Store
from pages.components.judge.asking_form import (
    LABELS,
    MEND,
    WARMTH,
    AskingContext,
    ask_more,
    choose_prompt,
    wording_key,
)
from pages.components.judge.servers import choose_api_version, choose_provider, choose_server
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.frame import Study
from pages.components.shared.notice import fragment, notice, show_caption, show_faults
from pages.components.shared.settings import SettingsForm, choose_setting
from pages.components.shared.stores import store_action
from pages.components.shared.texts import MARKED, show_texts

OWN = "as it can best"
LIMITS = ("concurrency", "timeout", "rpm", "tpm", "price_in", "price_out")
"""The number fields of a server, in order."""

NOT_READABLE = "Choose a form of the verdict that this way of answering can read."
NO_SERVER = "Choose a server: only those that an owner has listed are asked."
MODES_HELP = """**classifier**, **generate** and **sample** compare two texts (Liusie et al. 2024):
by the probabilities of the
label words, by what the model writes, or by the share of several sampled answers. **score**,
**g-eval** (Liu et al. 2023)
and **gptscore** (Fu et al. 2023) score each text on its own."""


@dataclass(frozen=True)
class ChosenJudge:
    """A judge by its SPEC, and its options.

    The SPEC is '' until a model and its server are named; `lacking` says what is missing.
    """

    judge: str
    member: Member
    options: Options = field(default_factory=Options)
    lacking: str = ""

    def make(self, **changes: Any) -> Judge | Scorer:
        """Make the judge, perhaps with other options; only listed servers are permitted."""
        return make(self.judge, replace(self.options, **changes))

    @property
    def is_named(self) -> bool:
        """True if the judge can be asked. Its prompt can be read and edited before that."""
        return bool(self.judge)

    @property
    def prices(self) -> Prices:
        """Return the prices that this run is counted with."""
        return Prices.from_execution(self.options.execution)

    @property
    def marks(self) -> bool:
        """True if it scores texts one by one instead of comparing two."""
        return self.member.answers == "marks"

    @property
    def is_local(self) -> bool:
        """True if it runs on this machine."""
        return "base_url" not in self.member.options


def choices() -> dict[str, list[Member]]:
    """Return the ways of answering by the name of each choice. A rule or metric has one way, a
    family of models one for each mode.
    """
    ways: dict[str, list[Member]] = {}
    for member in registry.members():
        ways.setdefault(member.spec if member.name else member.family.name, []).append(member)
    return ways


def choose_judge(study: Study) -> ChosenJudge:
    """Show the form of who answers, and return the chosen judge."""
    st.header("Who answers", anchor=False)
    ways = choices()
    who = st.selectbox("Judge", list(ways), format_func=lambda who: _people(ways[who][0]).label)
    member = ways[who][0]
    show_caption(_people(member).help)
    if member.name:
        return ChosenJudge(who, member)
    served = member.is_served
    given, key = {}, None
    if served:
        given = choose_endpoint(study, "judge")
    else:
        key = _offer_small_model(study)
    name = st.text_input("Model", placeholder=member.family.example, key=key).strip()
    given |= limits("judge") if served else {}
    member, own = _choose_mode(ways[who])
    prompt, is_readable = choose_prompt(study, templates(study.store, member.mode), member.mode)
    noun = study.store.datasets.nouns(study.dataset)[1]
    more = ask_more(AskingContext(member, prompt, member.mode, noun))
    lacking = "" if is_readable else NOT_READABLE
    lacking = lacking or (MEND if more is None else "")
    lacking = lacking or (NO_SERVER if served and not given.get("base_url") else "")
    spec = registry.spec_of(member.family, name) if name and not lacking else ""
    permit = ServerList(study.store.path).permit
    options = Options(prompt=prompt, permit=permit, **given, **own, **(more or {}))
    return ChosenJudge(spec, member, options, lacking if name else member.family.choose)


def _people(member: Member) -> Member | Family:
    return member if member.name else member.family


def _choose_mode(ways: list[Member]) -> tuple[Member, dict[str, Any]]:
    by_mode = {OWN: ways[0]} | {way.mode: way for way in ways if way.mode}
    mode = st.selectbox(LABELS["mode"], list(by_mode), help=MODES_HELP)
    way = by_mode[mode]
    given: dict[str, Any] = {} if mode == OWN else {"mode": mode}
    if mode != OWN:
        show_caption(f"{way.help[:1].upper()}{way.help[1:]}.")
        if "votes" in way.options:
            votes, temperature = st.columns(2)
            form = SettingsForm(Options())
            form.ask(votes, "votes")
            form.ask(temperature, "temperature", value=1.0, **WARMTH)
            given |= form.values
    if "scale" in way.options:
        low, high = st.columns(2)
        given["scale"] = Scale(
            int(low.number_input("Lowest score", 0, HIGHEST, USUAL_SCALE.low)),
            int(high.number_input("Highest score", 0, HIGHEST, USUAL_SCALE.high)),
        )
    if "tie" in way.options and choose_setting(st.container(), Options, "tie"):
        given["tie"] = True
    return way, given


def choose_endpoint(study: Study, key: str) -> dict[str, Any]:
    """Ask for the provider, address and API version of the model, as `Options` takes them.

    No server is chosen if `base_url` is missing.
    """
    provider = choose_provider(study, key)
    url = choose_server(study, key, provider)
    version = choose_api_version(provider, key)
    is_known = provider is None or provider_of(url).name == provider.name
    name = {} if is_known or provider is None else {"provider": provider.name}
    return {"base_url": url, **name, **version} if url else {}


def limits(key: str) -> dict[str, Any]:
    """Ask for rate limits and prices."""
    form = SettingsForm(Options(), key)
    with st.expander("Limits and prices"):
        columns = [column for _ in range(3) for column in st.columns(2)]
        for column, name in zip(columns, LIMITS, strict=True):
            if name in ("rpm", "tpm"):
                form.ask_limit(column, name)
            else:
                form.ask(column, name, **({"min_value": 1.0} if name == "timeout" else {}))
    return {name: value for name, value in form.values.items() if value}


def show_prompt(study: Study, chosen: ChosenJudge, request: preview.JudgingRequest) -> ChosenJudge:
    """Show the prompt to read and edit, and filled with the first question of a request."""
    question = next(iter(preview.list_first_questions(study.store, request, 1)), None)
    prompt = chosen.options.prompt
    if prompt is None:
        if question is not None:
            show_caption("This judge reads no prompt. Its first pair:")
            _texts(question)
        return chosen
    shown, words = st.tabs(["The prompt, filled with real texts", "Its wording"])
    with words:
        text = st.text_area(
            "Wording",
            prompt.template,
            height=260,
            key=wording_key(prompt),
            label_visibility="collapsed",
        )
        with show_faults():
            prompt = _save_edited(study, prompt, text, chosen.member.mode)
        if isinstance(question, Candidate):
            _write_steps(study, chosen, question)
        if prompt != chosen.options.prompt:
            show_caption(
                f"Your wording is {prompt.name}@{prompt.version}: with it, the model counts as "
                "another judge."
            )
    with shown, st.container(height=460, border=False):
        if question is not None:
            if system := system_text(prompt, chosen, question).strip():
                show_caption("System prompt")
                st.text(system)
                show_caption("Prompt")
            st.text(prompt_text(prompt, chosen, question))
    return replace(chosen, options=replace(chosen.options, prompt=prompt))


def _save_edited(study: Study, prompt: Prompt, text: str, mode: str) -> Prompt:
    """Save an edited prompt as a new version, in the chosen form if its words allow any."""
    if text == prompt.template:
        return prompt
    changed = replace(prompt, template=text)
    form = declared_form(prompt, mode) if asks_in_any_form(changed) else None
    return edit_prompt(
        study.store, prompt.name, text, mode, form=form.name if form else "", labels=prompt.labels
    )


def prompt_text(prompt: Prompt, chosen: ChosenJudge, question: Question | Candidate) -> str:
    """Fill the prompt with a question, as the model reads it."""
    options = chosen.options
    if isinstance(question, Candidate):
        return fill_scoring(prompt, question, chosen.member.mode, options.scale)
    return fill(prompt, question, labels_of(prompt, options.labels, tie=options.tie))


def system_text(prompt: Prompt, chosen: ChosenJudge, question: Question | Candidate) -> str:
    """Fill the system prompt as the prompt is filled; '' if the judge has no system prompt."""
    options = chosen.options
    labels = () if chosen.marks else labels_of(prompt, options.labels, tie=options.tie)
    judge = JudgeSpec("", Kind.LLM, prompt=prompt, labels=labels, scale=options.scale)
    return fill_system(replace(judge, system_prompt=options.system_prompt), question)


def _write_steps(study: Study, chosen: ChosenJudge, candidate: Candidate) -> None:
    attribute = candidate.attribute.name
    if not st.button(
        "Let the model write evaluation steps",
        disabled=not chosen.is_named,
        help=f"As in G-Eval (Liu et al. 2023): for {attribute}, kept as the prompt "
        f"g-eval-{attribute}.",
    ):
        return
    asked = Options(
        base_url=chosen.options.base_url, permit=chosen.options.permit, **chosen.options.execution
    )
    with show_faults(), wait_aside("The model writes ..."):
        prompt = write_steps(study.store, study.dataset, attribute, chosen.judge, asked)
        st.session_state["steps-written"] = prompt.name
    if "steps-written" in st.session_state:
        st.rerun()


def _texts(question: Question | Candidate) -> None:
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


MODEL = "judge-model"
"""The key of the field that names a model."""

OFFER = f"A small model on this machine, {small_model.SIZE}"
FETCHING = "small model is being fetched"


def _offer_small_model(study: Study) -> str:
    """Offer the small model above the field that names one, or show its state.

    An owner can fetch it with one click. Once fetched, it is entered in the field unless that names
    another model. Returns the key of the field, which must be drawn after this.
    """
    is_fetched, named = small_model.is_fetched(), st.session_state.get(MODEL, "").strip()
    if st.session_state.pop(FETCHING, False) and is_fetched and not named:
        st.session_state[MODEL] = named = small_model.SPEC
    state = small_model.read_fetch_state()
    if named == small_model.SPEC and is_fetched:
        show_caption(small_model.ADVICE)
    elif is_fetched:
        _offer("Use it", _choose)
    elif state.is_running:
        _follow_fetch()
    elif study.may(Right.SERVERS):
        _offer("Fetch it", _fetch)
        if state.failure:
            notice(state.failure, kind="problem")
    return MODEL


def _offer(label: str, press: Callable[[], None]) -> None:
    words, button = st.columns([5, 1.6], vertical_alignment="center")
    with words:
        show_caption(f"{OFFER}. {small_model.ADVICE}")
    button.button(label, key="small-model", on_click=press)


@fragment(every=1.0)
def _follow_fetch() -> None:
    state = small_model.read_fetch_state()
    st.session_state[FETCHING] = True
    if not state.is_running:
        st.rerun()
    show_caption(f"{OFFER}. {state.line or 'Starting ...'}")


def _choose() -> None:
    st.session_state[MODEL] = small_model.SPEC


@store_action(Right.SERVERS)
def _fetch(_store: Store) -> None:
    small_model.start_fetch()
    st.session_state[MODEL] = ""
