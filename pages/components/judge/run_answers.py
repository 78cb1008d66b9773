"""Single answers of a run: the exact prompt, the raw answer, the probabilities; and failures by
kind, with the reason, what to do about them, and a button that asks just these questions again.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from core.failures import count_kinds, reason_of, remedy_of
from core.judging import StoredReply, fill, fill_scoring, fill_system, parse_replies
from core.labels import OUTCOMES, pluralize
from core.records import Candidate, JudgeSpec, Question, Status, TandemError
from core.runs import SPLIT, Latency, describe_identical_samples, execution, score, worker
from core.store import RunRow, Store
from pages.components.judge.asking_form import LABELS
from pages.components.shared.frame import Study
from pages.components.shared.notice import capitalise_reason, notice, show_caption
from pages.components.shared.readable import marked_html
from pages.components.shared.settings import render_labels
from pages.components.shared.stores import store_action
from pages.components.shared.tables import choose_line, turn_pages
from pages.components.shared.texts import MARKED, show_texts


def explain_failure(failure: str, detail: str = "") -> str:
    """Explain a failure in sentences: its kind, the reason, the detail and the remedy."""
    reason, remedy = reason_of(failure), render_labels(remedy_of(failure), LABELS)
    first = f"{failure}: {reason}." if reason else f"{failure}."
    said = f"{detail[:1].upper()}{detail[1:].rstrip('.')}." if detail else ""
    advice = f"{remedy[:1].upper()}{remedy[1:]}." if remedy else ""
    return " ".join(filter(None, [first, said, advice]))


def _show_failures(store: Store, run: int, failures: Mapping[str, int]) -> None:
    kinds = count_kinds(failures)
    status = Status(store.runs.get(run).status)
    for kind, count in kinds.items():
        reason, remedy = capitalise_reason(reason_of(kind)), render_labels(remedy_of(kind), LABELS)
        advice = f"{reason}. {remedy[:1].upper()}{remedy[1:]}." if reason else ""
        words, button = st.columns([8, 2], vertical_alignment="center")
        words.html(
            f'<p class="tandem-failure"><b class="tandem-failed">{count:,} {escape(kind)}:</b> '
            f"{escape(advice)}</p>"
        )
        if status is not Status.RUNNING:
            button.button(
                f"Ask {pluralize(count, 'question')} again" if count > 1 else "Ask it again",
                key=f"retry-{run}-{kind}",
                on_click=_retry,
                args=(run, kind),
                width="stretch",
            )


@store_action()
def _retry(store: Store, run: int, kind: str) -> None:
    execution.retry(store, run, kind)
    worker.ensure(store.path)


KEPT_BY = {
    "json_schema": "The server kept the form by a JSON schema.",
    "choice": "The server let it choose among the labels alone.",
    "grammar": "The server kept the form by a grammar.",
}
LEGEND = "The part that was read is marked."


def show_replies(raw: str) -> None:
    """Show each different reply with the part that was read, and how the server kept its form."""
    said = parse_replies(raw)
    number = len(said.replies)
    blocks = [
        _block(reply, f"{count} of {number} replies" if number > 1 else "The reply")
        for reply, count in Counter(said.replies).items()
    ]
    if blocks:
        st.html(f'<div class="tandem-replies">{"".join(blocks)}</div>')
    words = [
        LEGEND if any(reply.read for reply in said.replies) else "",
        KEPT_BY.get(said.kept_by, said.kept_by and f"The server kept the form by {said.kept_by}."),
    ]
    if any(words):
        show_caption(" ".join(filter(None, words)))


def _block(reply: StoredReply, title: str) -> str:
    return (
        f'<section aria-label="{escape(title)}"><h4>{escape(title)}</h4>'
        f"{marked_html(*reply.parts)}</section>"
    )


PAGE = 25
TIMED = (
    "For a server, that is the request that brought the answer. For a model on this machine, "
    "it is its share of the batch."
)


@dataclass(frozen=True)
class _Reader:
    """Functions and labels to read the answers of a task: kinds, rows, columns and one in full."""

    kinds: dict[str, str]
    rows: Callable[[Store, RunRow, str, int], pd.DataFrame]
    columns: dict[str, str]
    show: Callable[[Store, RunRow, pd.Series], None]


def opened_run(study: Study) -> None:
    """Show the answers of the opened run, a page at a time, and the chosen one in full."""
    number = st.session_state.get("opened")
    try:
        run = study.store.runs.get(number) if number is not None else None
    except TandemError:
        run = None
    if run is None or run.dataset != study.dataset:
        return
    reader = READERS[run.task]
    title, close = st.columns([8, 1], vertical_alignment="bottom")
    title.header(f"Run {number}, answer by answer", anchor=False)
    if close.button("Close", width="stretch"):
        del st.session_state["opened"]
        st.rerun()
    if shortened := study.store.run_counts.count_shortened(run.id):
        show_caption(
            f"For {shortened:,} of these the context was too long for the model, and was shortened."
        )
    if took := Latency.from_run(study.store, run.id):
        show_caption(f"{str(took).capitalize()}, over {took.answers:,} answers. {TIMED}")
    if split := study.store.run_counts.split(run.id):
        show_caption(f"{SPLIT.format(split)}.")
    if failures := execution.failures(study.store, run.id):
        _show_failures(study.store, run.id, failures)
    for note in (
        execution.describe_partial_reads(study.store, run.id),
        describe_identical_samples(study.store, run.id),
    ):
        if note:
            show_caption(f"{note[0].upper()}{note[1:]}.")
    kind = (
        st.segmented_control(
            "Which",
            list(reader.kinds),
            format_func=reader.kinds.__getitem__,
            default="",
            label_visibility="collapsed",
            key=f"kind-{number}",
        )
        or ""
    )
    fetch = partial(reader.rows, study.store, run, kind)
    frame, page = turn_pages(fetch, PAGE, f"page-{run.id}-{kind}")
    if frame.empty:
        notice("None of these.")
        return
    looks = {
        "P(A is better)": st.column_config.NumberColumn(format="%.3f"),
        "seconds": st.column_config.NumberColumn(format="%.3g", help=TIMED),
    }
    key = f"answers-{number}-{kind}-{page}"
    chosen = choose_line(_tabulate(frame, reader.columns), key, column_config=looks)
    if chosen is None:
        show_caption("Choose a row to read the texts, the prompt and the raw answer.")
    else:
        reader.show(study.store, run, frame.iloc[chosen])


def _tabulate(frame: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    if "outcome" in frame:
        answer = frame["outcome"].map(OUTCOMES).fillna(frame["failure"])
        frame = frame.assign(answer=answer)
    return frame[list(columns)].rename(columns=columns)


def _comparison(store: Store, run: RunRow, row: pd.Series) -> None:
    question = store.runs.question(
        int(row["attribute_id"]), int(row["generation_a"]), int(row["generation_b"])
    )
    with _show_in_full(row, _read_prompt(store.judges.spec(run.judge), question)):
        texts, noun = (question.text_a, question.text_b), question.context_noun
        text_format = store.datasets.text_format(run.dataset, question.attribute.name)
        show_texts(question.context, noun, texts, text_format=text_format)


def _mark(store: Store, run: RunRow, row: pd.Series) -> None:
    attributes = {attribute.name: attribute for attribute in store.datasets.attributes(run.dataset)}
    candidate = Candidate(
        int(row["generation"]),
        row["context"],
        row["text"],
        attributes[row["attribute"]],
        tuple(json.loads(row["refs"])),
        row["context_noun"],
        row["candidate_noun"],
    )
    with _show_in_full(row, _read_prompt(store.judges.spec(run.judge), candidate)):
        texts = (candidate.text, *candidate.references[:1])
        text_format = candidate.attribute.text_format
        noun = candidate.context_noun
        show_texts(candidate.context, noun, texts, text_format=text_format, titles=MARKED)


def _read_prompt(spec: JudgeSpec, question: Question | Candidate) -> str:
    if spec.prompt is None:
        return ""
    if isinstance(question, Candidate):
        prompt = fill_scoring(spec.prompt, question, spec.mode, spec.scale)
    else:
        prompt = fill(spec.prompt, question, spec.labels)
    return "\n\n".join(filter(None, [fill_system(spec, question), prompt]))


def _show_in_full(row: pd.Series, prompt: str) -> st.delta_generator.DeltaGenerator:
    if row["failure"]:
        detail = parse_replies(row["raw"]).detail
        notice(f"Unanswered: {explain_failure(row['failure'], detail)}", kind="problem")
    texts, replies, words, raw = st.tabs(["The texts", "The reply", "The prompt", "Raw answer"])
    with replies:
        if parse_replies(row["raw"]).replies:
            show_replies(row["raw"])
        else:
            show_caption("This judge wrote no reply.")
    with words:
        if prompt:
            st.text(prompt)
        else:
            show_caption("This judge reads no prompt.")
    with raw:
        st.code(_pretty(row["raw"]) or "(nothing)", language=None, wrap_lines=True)
        show_caption(f"{int(row['tokens']):,} tokens · {row['created_at']}")
    return texts


def _pretty(raw: str) -> str:
    try:
        pretty = json.dumps(json.loads(raw), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return str(raw)
    return pretty.encode(errors="replace").decode()  # JSON may hold half a sign


READERS = {
    "compare": _Reader(
        {
            "": "all answers",
            "a": "A is better",
            "b": "B is better",
            "tie": "ties",
            "unanswered": "unanswered",
        },
        lambda store, run, kind, offset: store.run_counts.answers(
            run.id, kind=kind, limit=PAGE, offset=offset
        ),
        {
            "item": "item", "attribute": "attribute", "system_a": "A", "system_b": "B",
            "answer": "answer", "prob_a": "P(A is better)", "votes": "votes",
            "seconds": "seconds", "raw": "as it came",
        },
        _comparison,
    ),
    "score": _Reader(
        {"": "all scores", "unanswered": "unanswered"},
        lambda store, run, kind, offset: store.scores.load_marks(
            score.wanted_marks(store, run), failed=kind == "unanswered", limit=PAGE, offset=offset
        ),
        {
            "item": "item", "attribute": "attribute", "system": "system", "sample": "sample",
            "value": "score", "failure": "unanswered", "raw": "as it came",
        },
        _mark,
    ),
}  # fmt: skip


LONGEST = 600  # characters of a reply that are shown without opening the raw answer
LIKELIEST = 3  # label words or marks whose probabilities are said


def reason(raw: str, noun: str = "context") -> str:
    """Describe the reason of one answer in sentences; '' if its raw text has none."""
    parts = _read(raw, lambda said: (_describe_reply(said), *_describe_figures(said, noun)))
    return _quote_reply(raw) if parts is None else parts


def figures(raw: str, noun: str = "context") -> str:
    """Describe the figures or rule that an answer was read from, without its replies."""
    return _read(raw, lambda said: _describe_figures(said, noun)) or ""


def _read(raw: str, describe: Callable[[Mapping[str, Any]], Iterable[str]]) -> str | None:
    """Join what is said of a raw answer; None for one that Tandem's judges did not write."""
    try:
        said = json.loads(raw)
        return " ".join(filter(None, describe(said))) if isinstance(said, Mapping) else None
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return None


def _describe_figures(said: Mapping[str, Any], noun: str) -> tuple[str, str]:
    return _probabilities(said), _rule(said, noun)


def _describe_reply(said: Mapping[str, Any]) -> str:
    texts = said.get("texts")
    if isinstance(texts, list) and texts:
        return f"It replied {', '.join(_quote_text(str(text)) for text in texts)}."
    detail = str(said.get("detail") or "")
    told = f"The reason: {_quote_text(detail)}." if detail else ""
    return " ".join(filter(None, (_quote_reply(str(said.get("text") or "")), told)))


def _quote_reply(text: str) -> str:
    return f"It replied {_quote_text(text)}." if text.strip() else ""


def _quote_text(text: str) -> str:
    text = text.strip().encode(errors="replace").decode()  # JSON may hold half a sign
    return f"“{text[:LONGEST]}{' …' if len(text) > LONGEST else ''}”"


def _probabilities(said: Mapping[str, Any]) -> str:
    chances = said.get("p")
    if not isinstance(chances, Mapping) or not chances:
        return ""
    likeliest = sorted(chances.items(), key=lambda chance: -float(chance[1]))[:LIKELIEST]
    return f"Probabilities: {', '.join(f'{word} {float(p):.3g}' for word, p in likeliest)}."


def _rule(said: Mapping[str, Any], noun: str) -> str:
    """Describe the figures by which a judge without a reply decided; '' if it recorded none."""
    if "cos_a" in said:
        a, b = float(said["cos_a"]), float(said["cos_b"])
        nearer = "Both are equally near" if a == b else f"{'A' if a > b else 'B'} is nearer"
        return f"{nearer} to the {noun}: cosine {a:.3f} of A, {b:.3f} of B."
    if "logp_a" in said:
        named = {"logp_a": "A", "logp_b": "B", "logp_tie": "a tie"}
        given = [
            f"{math.exp(float(said[key])):.2g} to {name}"
            for key, name in named.items()
            if isinstance(said.get(key), int | float) and said[key] <= 0
        ]
        return f"It gives the probability {', '.join(given)}." if given else ""
    if "logp" in said:
        mean = float(said["logp"]) / max(int(said.get("tokens") or 1), 1)
        return f"The mean log-probability of its {said.get('tokens')} tokens is {mean:.3f}."
    if "metric" in said:
        return f"Held against reference {int(said.get('reference', 0)) + 1}, by {said['metric']}."
    return ""
