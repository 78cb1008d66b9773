"""Estimate of a run's size, time and cost, a trial with five answers, and the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from core.findings.judgements import Selection
from core.findings.share import SimulationSettings, simulate_annotators
from core.judging import parse_replies
from core.labels import OUTCOMES, describe_duration
from core.models import Member
from core.pairing import planning
from core.records import Outcome, TandemError
from core.runs import RunEstimate, estimate_run, load_respondent, preview, short_time, worker
from core.runs import execution as runs
from pages.components.judge.active_runs import STARTED
from pages.components.judge.asking_form import LABELS
from pages.components.judge.judge_form import ChosenJudge, prompt_text, system_text
from pages.components.judge.run_answers import explain_failure, figures, show_replies
from pages.components.judge.trial import try_judge
from pages.components.shared.counting import LoneTask, count_alone
from pages.components.shared.drawing_turns import wait_aside
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import capitalise_reason, fragment, notice, show_caption
from pages.components.shared.settings import SettingsForm, list_labels, render_labels
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
    failed = ' class="tandem-failed"' if answer["failure"] else ""
    st.html(
        f'<p class="tandem-trial"><b{failed}>{escape(answer_in_words(answer))}</b> '
        f"{escape(explain_answer(answer, member, noun))}</p>{_chance_bar(answer.get('prob_a'))}"
    )
    show_replies(answer["raw"])
    if effort := _describe_effort(answer):
        show_caption(effort)
    looks: dict[str, Any] = {"narrow": True, "folded": True}
    if "text_a" in answer:
        texts = answer["text_a"], answer["text_b"]
    else:
        texts = answer["text"], *([] if answer["reference"] is None else [answer["reference"]])
        looks["titles"] = MARKED
    show_texts(answer["context"], noun, texts, **looks)
    if answer["prompt"]:
        with st.popover("What it read"):
            st.text("\n\n".join(filter(None, [answer["system"], answer["prompt"]])))
    show_caption(
        f"Answers of {trial['judge']} to the first questions, for a look. They are not kept."
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


SOME = 20
"""Questions whose prompts are measured for an estimate."""


def start(study: Study, request: preview.JudgingRequest, chosen: ChosenJudge) -> None:
    """Show the size and expected time of a run, and the buttons that try and start it."""
    planned, notes = preview.outlook(study.store, request)
    chosen, name = _resolve_judge(chosen)
    head = st.container(horizontal=True, vertical_alignment="center")
    simulated = _choose_annotators(chosen)
    planned *= max(simulated.annotators, 1)
    estimate = None
    if planned and not chosen.is_local:
        estimate = estimate_run(planned, _prompts(study, request, chosen), chosen.options)
    options = replace(chosen.options, permit=None)  # so that equal ones are the same trial
    wanted = LoneTask(try_judge, study.store.path.absolute(), (request, chosen.judge, options))
    tried, document = st.session_state.get("tried", (None, None))
    found = document if tried == wanted else None
    with head:
        st.html(
            f'<p class="tandem-lead">{_describe_expected(planned, chosen, estimate, found)}</p>'
        )
        buttons = st.container(horizontal=True, width="content")
    with buttons:
        trying = st.button(
            "Try five",
            disabled=not chosen.is_named,
            help="Asks five questions without saving the answers.",
        )
        starting = st.button("Start", type="primary", disabled=not chosen.is_named)
    if lines := list(_effort(estimate, chosen, found)):
        show_caption(" ".join(lines))
    if name and not simulated.annotators:
        show_caption(f"Its answers are kept as {name}.")
    if not chosen.is_named:
        notice(chosen.lacking)
    for note in [*notes, *([found["note"]] if found and found["note"] else [])]:
        show_caption(f"{note[:1].upper()}{note[1:]}")
    if trying:
        with wait_aside("Asking five questions; a model is loaded first …"):
            st.session_state["tried"] = wanted, count_alone(wanted)
        st.rerun()
    if starting:
        for one in _simulate(study, request, chosen, simulated):
            _enqueue(study, request, one)
        st.session_state.pop("tried", None)  # the run takes its place
        found = None
    if found:
        show_trial(found, chosen.member, study.context_noun)


def _choose_annotators(chosen: ChosenJudge) -> SimulationSettings:
    """Ask how many annotators the judge simulates; none where it compares by no prompt."""
    if chosen.options.prompt is None or chosen.marks:
        return SimulationSettings()
    form = SettingsForm(SimulationSettings())
    with st.expander(list_labels(SimulationSettings)["annotators"]):
        for column, name in zip(st.columns(2), ("annotators", "examples"), strict=True):
            form.ask(column, name)
    return form.read()


def _simulate(
    study: Study,
    request: preview.JudgingRequest,
    chosen: ChosenJudge,
    simulated: SimulationSettings,
) -> Iterator[ChosenJudge]:
    """Yield the judge with the prompt of each annotator that it simulates, else as it is."""
    if not simulated.annotators:
        yield chosen
        return
    attribute = request.attributes[0] if len(request.attributes) == 1 else None
    about = Selection(
        study.dataset, subset=request.subset or None, attribute=attribute, seed=request.seed
    )
    spec = chosen.make().spec
    for prompt in simulate_annotators(study.store, about, spec, simulated):
        yield replace(chosen, options=replace(chosen.options, prompt=prompt))


def _enqueue(study: Study, request: preview.JudgingRequest, chosen: ChosenJudge) -> None:
    by = chosen.make(seed=request.seed)
    execution = chosen.options.execution
    if isinstance(request, planning.Request) and not chosen.is_local:
        with wait_aside("Asking the server how it answers …"):
            # it says whether probabilities come back, which makes it one judge or another
            load_respondent(study.store, by)
    run = preview.enqueue(study.store, by.spec, request, execution)
    standing = runs.load_progress(study.store, run)
    if standing.done == standing.planned:
        notice(
            f"{by.spec.name} has answered all of these already: see the leaderboard.", kind="good"
        )
        next_step_links(leaderboard="See the leaderboard")
    else:
        st.session_state[STARTED] = run
        worker.ensure(study.store.path)


def _resolve_judge(chosen: ChosenJudge) -> tuple[ChosenJudge, str]:
    """Return the judge and its name, which holds every option that differs from the defaults. If it
    cannot be made, `lacking` gives the reason.
    """
    if not chosen.is_named:
        return chosen, ""
    open_mode = "mode" in chosen.member.options and not chosen.options.mode
    mode = "generate" if open_mode and not chosen.is_local else chosen.options.mode
    try:
        name = chosen.make(mode=mode).spec.name
    except TandemError as error:
        lacking = capitalise_reason(render_labels(error.sentence, LABELS))
        return replace(chosen, judge="", lacking=lacking), ""
    return chosen, name if mode == chosen.options.mode else name.replace("|generate", "", 1)


def _describe_expected(
    planned: int, chosen: ChosenJudge, estimate: RunEstimate | None, found: dict[str, Any] | None
) -> str:
    parts = [f"<b>{planned:,} {'scores' if chosen.marks else 'comparisons'}</b>"]
    if found:
        where = " on this machine" if chosen.is_local else ""
        parts.append(f"about {describe_duration(found['expected_seconds'])}{where}")
    if chosen.is_local:
        parts.append("no cost")
    elif not chosen.prices.has_any:
        parts.append("cost unknown: give the server's prices")
    elif found:
        parts.append(f"cost about {found['expected_cost']:,.2f}")
    elif estimate:
        least, most = (f"{cost:,.2f}" for cost in estimate.costs(chosen.prices))
        parts.append(f"cost {least} to {most}" if least != most else f"cost about {most}")
    return " · ".join(parts)


def _effort(
    estimate: RunEstimate | None, chosen: ChosenJudge, found: dict[str, Any] | None
) -> Iterator[str]:
    if estimate is None:
        return
    options = chosen.options
    if found and found["expected_tokens"]:
        written = found["expected_written"]
        read = found["expected_tokens"] - written
        yield f"About {_round(read)} tokens to read and {_round(written)} to write, as tried."
    else:
        yield (
            f"About {_round(estimate.read)} tokens to read, and at most "
            f"{_round(estimate.written)} to write."
        )
        if sampled := estimate.if_sampled:
            yield (
                f"Without probabilities it gives {options.votes} votes each: at most "
                f"{_round(sampled.written)} to write."
            )
    if seconds := estimate.least_seconds(options.rpm, options.tpm):
        yield f"The limits allow no less than {describe_duration(seconds)}."


def _prompts(study: Study, request: preview.JudgingRequest, chosen: ChosenJudge) -> list[str]:
    prompt = chosen.options.prompt
    if prompt is None:
        return []
    return [
        system_text(prompt, chosen, question) + prompt_text(prompt, chosen, question)
        for question in preview.list_first_questions(study.store, request, SOME)
    ]


def _round(count: int) -> str:
    """Write a number of tokens in two digits: "1,200", "34,000", "1.2 million"."""
    if count < 100:
        return str(count)
    rounded = round(count, 2 - len(str(count)))
    return f"{rounded / 1e6:g} million" if rounded >= 1e6 else f"{rounded:,}"
