"""The form of the page Judge: providers, the form of the verdict, what is folded, and the name."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.cli import parse
from core.judging import ServerList, add_server
from core.judging.registry import make
from core.models import Options
from core.models.served import PROVIDERS
from core.pairing import Request, planning
from core.records import Answer, Outcome, Scale
from core.runs import execution
from core.runs.score import ScoringRequest
from core.store import Store
from pages.components.judge.asking_form import LABELS
from pages.components.judge.judge_form import ChosenJudge, choices
from pages.components.judge.start import WHATEVER, _command
from tests.pages.beginning import can_start, said
from tests.pages.drawn import choose, draw, find, labels, press, run, write
from tests.pages.sentences import find_sentence
from tests.server import Server
from tests.study import DATASET

SYSTEM = "You compare one {candidate_noun} with another."
LOCAL = "http://127.0.0.1:9/v1"
HOSTED = {name: row for name, row in PROVIDERS.items() if row.hosts and row.base_url}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in filter(None, (row.key_variable for row in PROVIDERS.values())):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def served(study: Store) -> AppTest:
    """The page with a model behind a server chosen."""
    return choose(draw("judge"), "Judge", "openai")


@pytest.fixture
def asking(study: Store) -> AppTest:
    """The page with a listed server and a model."""
    add_server(study, "test", "lab", LOCAL)
    return write(choose(draw("judge"), "Judge", "openai"), "text_input", "Model", "gpt")


def test_an_owner_lists_a_provider_in_one_press_and_pairs_its_key_by_a_command(
    study: Store, served: AppTest
) -> None:
    app, before = served, set[str]()
    for name, row in HOSTED.items():
        if name == "openai":
            continue
        app = choose(app, "Provider", name)
        assert row.base_url in said(app)
        assert re.search(rf"{row.key_variable}\b.*\bnot set\b", said(app)), name
        app = press(app, f"List {row.label}")
        [listed] = [one for one in ServerList(study.path).servers() if one.address not in before]
        assert (listed.address, listed.key_variable) == (row.base_url, "")
        before.add(listed.address)
        assert f"{row.base_url} --key-variable {row.key_variable}" in said(app)
        app = write(app, "text_input", "Model", "some/model")
        assert can_start(app), name


def test_openai_is_listed_with_its_key_and_azure_is_asked_for_its_version(
    study: Store, served: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = write(served, "text_input", "Model", "gpt")
    assert not can_start(app)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-31")
    app = press(choose(app, "Provider", "openai"), "List OpenAI")
    [listed] = ServerList(study.path).servers()
    assert listed.key_variable == "OPENAI_API_KEY"
    assert "in OPENAI_API_KEY." in said(app)
    assert "sk-test-31" not in said(app)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert find_sentence(said(run(app)), "No API key", "set OPENAI_API_KEY")
    assert find_sentence(said(app), "cost unknown", "server")
    app = choose(app, "Provider", "azure")
    assert "AZURE_OPENAI_API_KEY" in said(app)
    assert "openai.azure.com" in said(app)
    assert "API version" in labels(app.text_input)
    assert "API version" not in labels(choose(app, "Provider", "ollama").text_input)


def test_a_server_of_ones_own_has_the_habits_of_its_provider(study: Store, asking: AppTest) -> None:
    app = choose(asking, "Provider", "vllm")
    assert find(app.selectbox, "Server").value == LOCAL
    app = press(choose(app, "How it answers", "generate"), "Start")
    assert "not answer" in said(app)  # nobody listens there
    assert study.runs.list_all(kind="run").empty
    with Server() as server:
        add_server(study, "test", "other lab", server.url)
        app = write(choose(app.run(), "Server", server.url), "text_input", "Model", "fake")
        app = press(app, "Start")
        assert study.runs.get(1).execution == {"provider": "vllm"}
    app = choose(app, "Provider", "openrouter")
    assert not can_start(app)  # the lab is none of its servers
    assert "List OpenRouter" in labels(app.button)


def test_a_prompt_is_filled_in_the_form_that_was_chosen(asking: AppTest) -> None:
    """One with words of its own shows its form; one without a label is not for labels. An edited
    one keeps the labels of its language.
    """
    form = find(asking.selectbox, "Form of the verdict")
    assert (form.value, form.disabled) == ("label-first", True)
    assert ": verdict, reasoned" in said(asking)
    app = choose(asking, "Prompt", "comparative-de")
    wording = find(app.text_area, "Wording").value.replace("Antworte mit", "Sage nur")
    app = write(app, "text_area", "Wording", wording)
    assert re.search(r"Sage nur\b.*\bText A\b.*\bText B\b", said(app))
    app = write(app, "text_area", "Wording", "{a} {b} {question} {answer_form}")
    assert not find(app.selectbox, "Form of the verdict").disabled
    assert "[[A>>B]]" in said(choose(app, "Form of the verdict", "strength"))
    app = choose(choose(app, "Prompt", "verdict"), "Form of the verdict", "brackets")
    assert "[[A]] or [[B]]." in said(app)
    assert "verdict@2" in said(app)
    app = choose(app, "Form of the verdict", "json")
    assert "verdict@1" in said(app)
    app = choose(app, "How it answers", "classifier")
    app = choose(choose(app, "Prompt", "verdict"), "Form of the verdict", "two-scores")
    assert re.search("two-scores.*no label.*probability", said(app))
    assert not can_start(app)


FIRST, SECOND = (
    ("text_input", "Label of the first text"),
    ("text_input", "Label of the second text"),
)
CANNOT_BE = [
    ("text_area", "Extra JSON", "[1]", "is not a JSON object"),
    ("text_area", "Extra JSON", "{", "is no JSON"),
    ("text_area", "Extra JSON", '{"stream": true}', "“Receive replies bit by bit” says it"),
    ("text_area", "System prompt", "Be {kind}.", "unknown placeholder {kind}"),
    (*FIRST, "Eins", "two different labels"),
]
DEPARTS = [
    ("number_input", "Most tokens of a reply", 77, "max-tokens:77"),
    ("number_input", "Temperature", 0.5, "temperature:0.5"),
    ("text_area", "System prompt", "Be fair.", "system:Be fair."),
    ("text_area", "Extra JSON", '{"reasoning_effort": "low"}', 'extra:{"reasoning_effort": "low"}'),
    ("checkbox", "Guess the verdict of replies that state none", True, "lenient"),
]


def test_what_departs_is_in_the_name_and_what_cannot_be_at_its_field(asking: AppTest) -> None:
    """What is received bit by bit is no other judge."""
    app, as_it_is = asking, f"gpt|comparative@1|({WHATEVER})|at:"
    for kind, label, value, words in CANNOT_BE:
        app = write(app, kind, label, value)
        assert words in said(app)
        assert not can_start(app)
        app = write(app, kind, label, "")
        assert can_start(app)
    assert as_it_is in said(app)
    app = write(app, "checkbox", "Receive replies bit by bit", True)
    assert as_it_is in said(app)
    for kind, label, value, words in DEPARTS:
        assert words not in said(app).replace("&quot;", '"')
        app = write(app, kind, label, value)
        assert words in said(app).replace("&quot;", '"')
        assert can_start(app), label
    app = write(write(app, *FIRST, "Eins"), *SECOND, "Zwei")
    app = write(app, "text_area", "System prompt", SYSTEM)
    assert re.search(r"\bEins or\b.*\bZwei\b", said(app))
    assert SYSTEM.format(candidate_noun="summary") in said(app)
    assert "labels:Eins/Zwei" in said(app)


def test_what_a_run_takes_is_said_before_it_starts(asking: AppTest) -> None:
    """18 comparisons: 3 items, 3 pairs, both orders; a label has 32 tokens at most: 576. Each of 5
    sampled votes has 1024: 92,160.
    """
    assert "<b>18 comparisons</b>" in said(asking)
    assert "at most 580 to write" in said(asking)
    assert re.search(r"\b5 votes\b.*\b92,000\b", said(asking))
    app = write(asking, "number_input", "Most tokens of a reply", 1000)
    assert "at most 18,000 to write" in said(app)
    assert re.search(r"\b5 votes\b.*\b90,000\b", said(app))
    app = write(app, "number_input", "Price per million output tokens", 100.0)
    assert "cost 0.00 to 9.00" in said(app)
    app = write(app, "number_input", "Requests a minute", 3)
    assert "than 6 min" in said(app)


FAILURES = {
    0: ("cut-off", {"text": "Well", "detail": "it ends while thinking"}),
    1: ("cut-off", {"text": "Hm"}),
    2: ("unparsed", {"text": "<b>Neither</b>", "detail": "it states no verdict"}),
    3: ("error: HTTP 400: no", {}),
    4: ("error: HTTP 418: tea", {}),
}
"""Of 18 comparisons: 2 cut off, 1 unparsed with its reply, 2 errors; the rest is answered."""


def fail_some(store: Store) -> int:
    judge = make("baseline:longer")
    number = planning.enqueue(store, judge.spec, planning.check_request(store, Request(DATASET)))
    execution.execute(store, number, limit=0)
    read = Answer(Outcome.A, raw=json.dumps({"text": "Text A", "read": [[5, 6]]}))
    answers = [
        Answer(failure=FAILURES[place][0], raw=json.dumps(FAILURES[place][1]))
        if place in FAILURES
        else read
        for place in range(18)
    ]
    asked = (question.comparison for question in store.runs.list_pending(number, 18))
    who = store.judges.id_of(judge.spec.name)
    store.judgements.add_answers(number, who, 0, zip(asked, answers, strict=True))
    execution.execute(store, number)
    return number


def test_failures_are_shown_by_kind_with_what_to_do_and_asked_again_by_kind(study: Store) -> None:
    number = fail_some(study)
    app = draw("judge")
    assert "2 cut-off, 2 error, 1 unparsed" in said(app)
    app.session_state["opened"] = number
    app = app.run()
    assert "2 cut-off" in said(app)
    assert LABELS["max_tokens"] in said(app)
    app = app.button(key=f"retry-{number}-cut-off").click().run()
    assert not app.exception
    rest = {"error: HTTP 400: no": 1, "error: HTTP 418: tea": 1, "unparsed": 1}
    assert execution.failures(study, number) == rest


def test_a_trial_is_asked_for_with_the_chosen_scale(study: Store) -> None:
    [member] = [one for one in choices()["openai"] if one.mode == "score"]
    options = Options(mode="score", scale=Scale(1, 5), stop=("\n", "."), lenient=True)
    chosen = ChosenJudge("openai:gpt", member, options)
    words = _command(SimpleNamespace(store=study), ScoringRequest(DATASET), chosen)
    args = parse(words[words.index("core") + 1 :])
    assert (args.command, args.scale, args.stop, args.lenient) == ("try", [1, 5], ["\n", "."], True)
