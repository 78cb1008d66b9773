"""What a run will take: counted, and tried with five answers; and the button that starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from core.judging import LISTED_ONLY, make
from core.models import SPREADING
from core.pairing import planning
from core.records import TandemError
from core.runs import execution as runs
from core.runs import score, span, worker
from core.scratch import scratch, scratch_told
from pages.components.judge.active_runs import STARTED
from pages.components.judge.judge_form import Answering
from pages.components.judge.trial import show_trial
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import notice, small

FLAGS = {"calibrate", "tie"}


def start(study: Study, request: planning.Request | score.Request, chosen: Answering) -> None:
    """How much it is and how long it takes, and the buttons that try and start it."""
    planned, notes = _outlook(study, request)
    command = _command(study, request, chosen)
    tried = st.session_state.get("tried", {})
    found = tried.get("document") if tried.get("command") == _key(command, chosen) else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<p class="tandem-lead">{_expected(planned, chosen, found)}</p>')
        trying = st.button(
            "Try five",
            disabled=not chosen.named,
            help="Asks five questions without saving the answers.",
        )
        starting = st.button("Start", type="primary", disabled=not chosen.named)
    if not chosen.named:
        notice(chosen.lacking)
    for note in [*notes, *([found["note"]] if found and found["note"] else [])]:
        small(note)
    if trying:
        with st.spinner("Asking five questions; a model is loaded first …"):
            document = _try(command, chosen)
        st.session_state["tried"] = {"command": _key(command, chosen), "document": document}
        st.rerun()
    if starting:
        _enqueue(study, request, chosen)
    if found:
        show_trial(found, chosen.member, study.context_noun)


def _outlook(study: Study, request: planning.Request | score.Request) -> tuple[int, list[str]]:
    if isinstance(request, score.Request):
        return score.outlook(study.store, request), []
    outlook = planning.outlook(study.store, request)
    return outlook.comparisons, outlook.notes


def _enqueue(study: Study, request: planning.Request | score.Request, chosen: Answering) -> None:
    by = make(chosen.judge, replace(chosen.options, seed=request.seed))
    execution = chosen.options.execution
    if isinstance(request, score.Request):
        run = score.enqueue_scoring(study.store, by.spec, request, execution)
    else:
        if not chosen.free:
            with st.spinner("Asking the server how it answers …"):
                # it says whether probabilities come back, which makes it one judge or another
                by.load()
        run = planning.enqueue(study.store, by.spec, request, execution)
    standing = runs.standing(study.store, run)
    if standing.done == standing.planned:
        notice(
            f"{by.spec.name} has answered all of these already: see the leaderboard.", kind="good"
        )
        ways_on(leaderboard="See the leaderboard")
    else:
        st.session_state[STARTED] = run
        worker.ensure(study.store.path)


def _expected(planned: int, chosen: Answering, found: dict[str, Any] | None) -> str:
    """In a sentence: how many, how long, at what cost."""
    parts = [f"<b>{planned:,} {'marks' if chosen.marks else 'comparisons'}</b>"]
    if found:
        parts.append(
            f"about {span(found['expected_seconds'])}{' on this machine' if chosen.free else ''}"
        )
    if chosen.free:
        parts.append("no cost")
    elif not chosen.prices.any:
        parts.append("cost unknown: give the server's prices")
    elif found:
        parts.append(f"cost about {found['expected_cost']:,.2f}")
    else:
        parts.append("try five to see time and cost")
    return " · ".join(parts)


def _command(
    study: Study, request: planning.Request | score.Request, chosen: Answering
) -> list[str]:
    """The command line that tries it: the page and a script do the same."""
    asked = request.settings() if isinstance(request, planning.Request) else vars(request)
    given: dict[str, Any] = {
        **{
            name: value
            for name, value in asked.items()
            if name not in ("attributes", "strategy", "origin")
        },
        **chosen.options.given,
        "judge": chosen.judge,
    }
    # Its wording goes along in a file, and five questions need no cluster.
    for name in ("prompt", *SPREADING):
        given.pop(name, None)
    urls = [str(given.pop("base_url", "")), *given.pop("more_urls", ())]
    if isinstance(request, planning.Request):
        given["pairs"] = request.strategy
    if len(request.attributes) == 1:
        given["attribute"] = request.attributes[0]
    command = [
        sys.executable,
        "-m",
        "core",
        "--store",
        str(study.store.path.absolute()),
        "try",
        "--json",
    ]
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if name in FLAGS:
            command += [flag] if value else []
        elif isinstance(value, tuple | list):
            command += [flag, *value] if value else []
        elif value not in (None, ""):
            command += [f"{flag}={value}"]
    return command + [f"--base-url={url}" for url in urls if url]


def _key(command: list[str], chosen: Answering) -> str:
    prompt = chosen.options.prompt
    return json.dumps([command, prompt.template if prompt else ""])


def _try(command: list[str], chosen: Answering) -> dict[str, Any]:
    """In a process of its own: a model does not stay in the server's memory. Raises TandemError
    with what it said.
    """
    with scratch() as folder:
        if prompt := chosen.options.prompt:
            file = Path(folder) / f"{prompt.name}.txt"
            with scratch_told():
                file.write_text(prompt.template, encoding="utf-8")
            command = [*command, f"--prompt-file={file}"]
        done = subprocess.run(
            command,
            cwd=Path(__file__).parents[3],
            env={**os.environ, LISTED_ONLY: "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        raise TandemError(said.removeprefix("tandem: "))
    document: dict[str, Any] = json.loads(done.stdout)
    return document
