"""The form of the page Judge: providers, the form of the verdict, what is folded, and the name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.judging import ServerList, add_server
from core.judging.registry import make
from core.models.served import PROVIDERS
from core.pairing import Request, planning
from core.records import Answer, Outcome
from core.runs import execution
from core.store import Store
from pages.components.judge.asking_form import LABELS
from pages.components.judge.start import WHATEVER
from tests.paths import ROOT
from tests.server import Server
from tests.study import DATASET, fill

SYSTEM = "You compare one {candidate_noun} with another."
LOCAL = "http://127.0.0.1:9/v1"
HOSTED = [name for name, row in PROVIDERS.items() if row.hosts and row.base_url]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    for provider in PROVIDERS.values():
        if provider.key_variable:
            monkeypatch.delenv(provider.key_variable, raising=False)
    return path


@pytest.fixture
def served(path: Path) -> AppTest:
    """The page with a model behind a server chosen."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    return choose(app.switch_page("pages/judge.py").run(), "Judge", "openai")


@pytest.fixture
def asking(path: Path) -> AppTest:
    """The page with a listed server and a model."""
    with Store(path) as store:
        add_server(store, "test", "lab", LOCAL)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    app = choose(app.switch_page("pages/judge.py").run(), "Judge", "openai")
    return write(app, "text_input", "Model", "gpt")


def choose(app: AppTest, label: str, value: str) -> AppTest:
    [box] = [box for box in app.selectbox if box.label == label]
    return box.set_value(value).run()


def write(app: AppTest, kind: str, label: str, value: object) -> AppTest:
    [field] = [field for field in getattr(app, kind) if field.label == label]
    return field.set_value(value).run()


def press(app: AppTest, label: str) -> AppTest:
    [button] = [button for button in app.button if button.label == label]
    return button.click().run()


def said(app: AppTest) -> str:
    bodies = [element.proto.body for element in app.get("html")]
    return " ".join(
        [*bodies, *(text.value for text in app.text), *(code.value for code in app.code)]
    )


def can_start(app: AppTest) -> bool:
    return not {button.label: button.disabled for button in app.button}["Start"]


@pytest.mark.parametrize("name", [name for name in HOSTED if name != "openai"])
def test_an_owner_lists_a_provider_in_one_press_and_pairs_its_key_by_a_command(
    path: Path, served: AppTest, name: str
) -> None:
    row = PROVIDERS[name]
    app = choose(served, "Provider", name)
    assert row.base_url in said(app)
    assert re.search(rf"{row.key_variable}\b.*\bnot set\b", said(app))
    assert ServerList(path).servers() == ()
    app = press(app, f"List {row.label}")
    assert not app.exception
    [listed] = ServerList(path).servers()
    assert (listed.address, listed.key_variable) == (row.base_url, "")
    assert f"{row.base_url} --key-variable {row.key_variable}" in said(app)
    app = write(app, "text_input", "Model", "some/model")
    assert can_start(app)


def test_openai_is_listed_with_its_key_and_no_key_is_shown(
    path: Path, served: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-31")
    app = press(choose(served, "Provider", "openai"), "List OpenAI")
    [listed] = ServerList(path).servers()
    assert listed.key_variable == "OPENAI_API_KEY"
    assert "in OPENAI_API_KEY." in said(app)
    assert "sk-test-31" not in said(app)


def test_a_server_of_ones_own_has_the_habits_of_the_provider_that_was_chosen(
    path: Path, asking: AppTest
) -> None:
    app = choose(asking, "Provider", "vllm")
    [box] = [box for box in app.selectbox if box.label == "Server"]
    assert box.value == LOCAL
    app = press(choose(app, "How it answers", "generate"), "Start")
    assert "not answer" in said(app)  # nobody listens there
    with Store(path) as store, Server() as server:
        assert store.runs.list_all(kind="run").empty
        add_server(store, "test", "other lab", server.url)
        app = write(choose(app.run(), "Server", server.url), "text_input", "Model", "fake")
        app = press(app, "Start")
        assert not app.exception
        assert store.runs.get(1).execution == {"provider": "vllm"}
    app = choose(app, "Provider", "openrouter")
    assert not can_start(app)  # the lab is none of its servers
    assert [button for button in app.button if button.label == "List OpenRouter"]


def test_azure_is_asked_for_its_address_and_version(served: AppTest) -> None:
    app = choose(served, "Provider", "azure")
    assert "AZURE_OPENAI_API_KEY" in said(app)
    assert "openai.azure.com" in said(app)
    assert [field for field in app.text_input if field.label == "API version"]
    app = choose(app, "Provider", "ollama")
    assert not [field for field in app.text_input if field.label == "API version"]


def test_a_prompt_that_asks_in_any_form_is_filled_in_the_one_that_was_chosen(
    asking: AppTest,
) -> None:
    app = choose(asking, "Prompt", "verdict")
    app = choose(app, "Form of the verdict", "brackets")
    assert "[[A]] or [[B]]." in said(app)
    assert "verdict@2" in said(app)
    app = choose(app, "Form of the verdict", "json")
    assert "verdict@1" in said(app)


def test_the_form_of_a_prompt_with_words_of_its_own_is_shown_and_not_changed(
    asking: AppTest,
) -> None:
    [box] = [box for box in asking.selectbox if box.label == "Form of the verdict"]
    assert (box.value, box.disabled) == ("label-first", True)
    assert ": verdict, reasoned" in said(asking)
    [wording] = [field for field in asking.text_area if field.label == "Wording"]
    app = wording.set_value("{a} {b} {question} {answer_form}").run()
    [box] = [box for box in app.selectbox if box.label == "Form of the verdict"]
    assert not box.disabled
    app = choose(app, "Form of the verdict", "strength")
    assert "[[A>>B]]" in said(app)
    assert not app.exception


def test_an_edited_prompt_keeps_the_labels_of_its_language(asking: AppTest) -> None:
    app = choose(asking, "Prompt", "comparative-de")
    [wording] = [field for field in app.text_area if field.label == "Wording"]
    app = wording.set_value(wording.value.replace("Antworte mit", "Sage nur")).run()
    assert re.search(r"Sage nur\b.*\bText A\b.*\bText B\b", said(app))


def test_a_form_without_a_label_is_not_for_the_probabilities_of_labels(asking: AppTest) -> None:
    app = choose(asking, "How it answers", "classifier")
    app = choose(choose(app, "Prompt", "verdict"), "Form of the verdict", "two-scores")
    assert re.search("two-scores.*no label.*probability", said(app))
    assert not can_start(app)


FIELDS = (
    ("number_input", "Most tokens of a reply", 77, "max-tokens:77"),
    ("number_input", "Temperature", 0.5, "temperature:0.5"),
    ("text_area", "System prompt", "Be fair.", "system:Be fair."),
    ("text_area", "Extra JSON", '{"reasoning_effort": "low"}', 'extra:{"reasoning_effort": "low"}'),
    ("checkbox", "Guess the verdict of replies that state none", True, "lenient"),
)


@pytest.mark.parametrize(("kind", "label", "value", "words"), FIELDS)
def test_what_departs_is_in_the_name_and_in_what_is_tried(
    path: Path, asking: AppTest, kind: str, label: str, value: object, words: str
) -> None:
    assert f"gpt|comparative@1|({WHATEVER})|at:" in said(asking)
    app = write(asking, kind, label, value)
    shown = said(app).replace("&quot;", '"')
    assert words in shown
    assert can_start(app)


def test_what_is_received_bit_by_bit_is_no_other_judge(asking: AppTest) -> None:
    app = write(asking, "checkbox", "Receive replies bit by bit", True)
    assert f"gpt|comparative@1|({WHATEVER})|at:" in said(app)
    assert can_start(app)


@pytest.mark.parametrize(
    ("kind", "label", "value", "words"),
    [
        ("text_area", "Extra JSON", "[1]", "is not a JSON object"),
        ("text_area", "Extra JSON", "{", "is no JSON"),
        ("text_area", "Extra JSON", '{"stream": true}', "“Receive replies bit by bit” says it"),
        ("text_area", "System prompt", "Be {kind}.", "unknown placeholder {kind}"),
        ("text_input", "Label of the first text", "Eins", "two different labels"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_cannot_be_started(
    asking: AppTest, kind: str, label: str, value: str, words: str
) -> None:
    app = write(asking, kind, label, value)
    assert words in said(app)
    assert not can_start(app)
    assert not app.exception
    assert can_start(write(app, kind, label, ""))


def test_labels_and_system_prompt_are_read_in_the_preview(asking: AppTest) -> None:
    app = write(asking, "text_input", "Label of the first text", "Eins")
    app = write(app, "text_input", "Label of the second text", "Zwei")
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


@pytest.fixture
def failed_run(path: Path) -> int:
    """A run of 18 comparisons: 2 cut off, 1 unparsed with its reply, 2 errors, the rest answered."""
    failures = {
        0: ("cut-off", {"text": "Well", "detail": "it ends while thinking"}),
        1: ("cut-off", {"text": "Hm"}),
        2: ("unparsed", {"text": "<b>Neither</b>", "detail": "it states no verdict"}),
        3: ("error: HTTP 400: no", {}),
        4: ("error: HTTP 418: tea", {}),
    }
    with Store(path) as store:
        judge = make("baseline:longer")
        run = planning.enqueue(store, judge.spec, planning.check_request(store, Request(DATASET)))
        execution.execute(store, run, limit=0)
        answers = [
            Answer(failure=failures[place][0], raw=json.dumps(failures[place][1]))
            if place in failures
            else Answer(Outcome.A, raw=json.dumps({"text": "Text A", "read": [[5, 6]]}))
            for place in range(18)
        ]
        pending = store.runs.list_pending(run, 18)
        store.judgements.add_answers(
            run,
            store.judges.id_of(judge.spec.name),
            0,
            zip((question.comparison for question in pending), answers, strict=True),
        )
        execution.execute(store, run)
    return run


def test_failures_are_shown_by_kind_with_what_to_do_and_asked_again_by_kind(
    path: Path, failed_run: int, served: AppTest
) -> None:
    app = served
    assert "2 cut-off, 2 error, 1 unparsed" in said(app)
    app.session_state["opened"] = failed_run
    app = app.run()
    assert "2 cut-off" in said(app)
    assert LABELS["max_tokens"] in said(app)
    app = app.button(key=f"retry-{failed_run}-cut-off").click().run()
    assert not app.exception
    with Store(path) as store:
        assert execution.failures(store, failed_run) == {
            "error: HTTP 400: no": 1,
            "error: HTTP 418: tea": 1,
            "unparsed": 1,
        }
