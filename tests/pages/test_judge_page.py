"""The judge page: the prompt, a trial, several runs, a run opened to its answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.judging import add_server
from core.judging.registry import make
from core.models import Options, cluster
from core.pairing import planning
from core.pairing.planning import Request
from core.records import Attribute, Dataset, Generation, Item, System
from core.runs import batch, execution, preview, score, worker
from core.settings import list_settings
from core.store import Store
from pages.components.judge import start
from pages.components.judge.judge_form import ChosenJudge
from pages.components.shared import faults, runs_table
from tests.pages.sentences import find_sentence, read_figures
from tests.paths import ROOT
from tests.server import Batches, Server
from tests.study import DATASET, fill

Open = Callable[[], AppTest]

QUESTION = "{verb} Summary A or Summary B."
"""How the prompt ends, whose verb the test edits."""
VERB = "Answer with"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store, attributes=("coherence", "fluency"))
    return path


@pytest.fixture
def judge_page(path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TANDEM_STORE", str(path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).run()
    return app.switch_page("pages/judge.py").run()


def choose(app: AppTest, label: str, value: str) -> AppTest:
    [box] = [box for box in app.selectbox if box.label == label]
    return box.set_value(value).run()


def said(app: AppTest) -> str:
    return " ".join(
        [*(element.proto.body for element in app.get("html")), *(text.value for text in app.text)]
    )


def wording(app: AppTest) -> Any:
    """The field in which the prompt is edited."""
    [field] = [field for field in app.text_area if field.label == "Wording"]
    return field


def reword(app: AppTest, old: str, new: str) -> AppTest:
    return wording(app).set_value(wording(app).value.replace(old, new)).run()


def test_a_model_reads_the_real_words_and_an_edit_is_the_next_version(
    path: Path, judge_page: AppTest
) -> None:
    app = choose(judge_page, "Judge", "hf")
    assert find_sentence(said(app), "model", "type its name")
    assert {button.label: button.disabled for button in app.button}["Start"]
    assert QUESTION.format(verb=VERB) in said(app)  # to be read before there is a model
    app = reword(app, VERB, "Tell")
    assert QUESTION.format(verb="Tell") in said(app)
    app = reword(app, "Tell", VERB)
    app = app.text_input[0].set_value("some/model").run()
    assert not {button.label: button.disabled for button in app.button}["Start"]
    assert QUESTION.format(verb=VERB) in said(app)
    with Store(path) as store:
        contexts = [context for (context,) in store.connection.rows("SELECT context FROM items")]
    assert any(context in said(app) for context in contexts)
    app = reword(app, VERB, "Say")
    assert QUESTION.format(verb="Say") in said(app)
    assert find_sentence(said(app), "comparative@2", "another judge")
    app = wording(app).set_value("no texts in it").run()
    assert find_sentence(said(app), "lacks {a}")
    assert not app.exception


def test_a_judge_that_marks_is_asked_about_texts(judge_page: AppTest) -> None:
    app = choose(judge_page, "Judge", "baseline:bleu")
    assert "<b>18 scores</b>" in said(app)
    assert not [box for box in app.selectbox if box.label == "Pairs"]
    app = choose(choose(app, "Judge", "hf"), "How it answers", "g-eval")
    app = app.text_input[0].set_value("some/model").run()
    assert read_figures(said(app), "score", "(worst)", "(best)") == ["1", "10"]
    assert not app.exception


def test_a_server_without_a_key_says_so_and_prices_are_asked_for(judge_page: AppTest) -> None:
    app = choose(judge_page, "Judge", "openai")
    app = app.text_input[0].set_value("gpt").run()
    assert {button.label: button.disabled for button in app.button}["Start"]
    app = choose(app, "Server", "https://api.openai.com/v1")
    assert find_sentence(said(app), "No API key", "set OPENAI_API_KEY")
    assert find_sentence(said(app), "cost unknown", "server")
    assert not app.exception


@pytest.mark.parametrize("strategy", ["symmetric", "pairs-beam", "active"])
def test_what_a_strategy_may_be_told(judge_page: AppTest, strategy: str) -> None:
    app = choose(judge_page, "Pairs", strategy)
    assert not app.exception
    labels = [field.label for field in app.number_input]
    assert ("Branches followed" in labels) == (strategy == "pairs-beam")
    assert (list_settings(Request)["budget"].label in labels) == (strategy != "pairs-beam")


def test_five_answers_are_read_with_their_texts(
    path: Path, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tried(command: list[str], chosen: ChosenJudge) -> dict[str, Any]:
        """In this process: another would take seconds to begin."""
        with Store(path) as store:
            request = planning.check_request(store, Request(DATASET))
            return preview.trial(store, make(chosen.judge), request, chosen.prices).document()

    monkeypatch.setattr(start, "_try", tried)
    app = choose(judge_page, "Judge", "baseline:longer")
    [button] = [button for button in app.button if button.label == "Try five"]
    app = button.click().run()
    assert not app.exception
    assert "coherence: " in said(app)
    assert "is better." in said(app)
    assert find_sentence(said(app), "rule", "more words")
    assert find_sentence(said(app), "not kept")
    with Store(path) as store:
        assert store.judgement_frames.load_all(DATASET).empty


def test_nothing_is_drawn_anew_while_no_run_is_at_work(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a worker begun."""
    drawn: list[float | None] = []

    def fragment(draw: Callable[..., None], *, every: float | None = None) -> Callable[..., None]:
        drawn.append(every)
        return faults.fragment(draw, every=every)

    monkeypatch.setenv("TANDEM_STORE", str(path))
    monkeypatch.setattr(runs_table, "fragment", fragment)
    for page in ("app.py", "pages/judge.py", "pages/data.py"):
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        app.switch_page(page)
        app.run()
    assert drawn == [None] * len(drawn)
    with Store(path) as store:
        spec = make("baseline:longer").spec
        planning.enqueue(store, spec, planning.check_request(store, Request(DATASET)))
    drawn.clear()
    app.switch_page("pages/judge.py").run()
    assert "waiting · 0 of 36" in said(app)
    assert drawn == [1.0]


def test_votes_without_texts_are_told_what_is_missing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        store.datasets.add(Dataset("votes"))
        store.datasets.add_attributes("votes", [Attribute("overall")])
        store.datasets.add_items("votes", [Item("i")])
        store.datasets.add_systems("votes", [System("x"), System("y")])
        assert store.datasets.add_generations("votes", [Generation("i", "x")]) == 0
        assert store.datasets.lacks_texts("votes")
        summary = store.datasets.summary().set_index("dataset")["generations"].to_dict()
        assert summary == {DATASET: 9, "votes": 0}
        assert not store.datasets.lacks_texts(DATASET)
    monkeypatch.setenv("TANDEM_STORE", str(path))
    for page, sentence in (
        ("judge", "A judge reads texts, and votes holds votes without theirs."),
        ("annotate", "This data set holds votes without their texts"),
        ("separability", "this data set holds votes without theirs"),
    ):
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60)
        app.query_params.update({"dataset": "votes", "annotator": "Ada"})
        app.switch_page(f"pages/{page}.py")
        app.run()
        assert not app.exception
        assert sentence in said(app), page


def test_runs_of_both_kinds_open_to_their_answers(path: Path, judge_page: AppTest) -> None:
    with Store(path) as store:
        store.connection.execute(
            """UPDATE items SET "references" = '["alpha-0-0"]' WHERE key = 'i0'"""
        )
        longer, bleu = make("baseline:longer"), make("baseline:bleu")
        compared = planning.enqueue(
            store, longer.spec, planning.check_request(store, Request(DATASET))
        )
        marked = score.enqueue_scoring(
            store, bleu.spec, score.ScoringRequest(DATASET).fill_attributes(store)
        )
        for run in (compared, marked):
            execution.execute(store, run)
    app = judge_page.run()
    assert "done · 36 of 36" in said(app)
    assert "12 no-reference" in said(
        app
    )  # two items of three have none: 2 x 3 texts x 2 attributes
    for run, heading, columns in (
        (compared, f"Run {compared}, answer by answer", {"A", "B", "P(A is better)"}),
        (marked, f"Run {marked}, answer by answer", {"score", "system", "unanswered"}),
    ):
        app.session_state["opened"] = run
        app = app.run()
        assert heading in [element.value for element in app.header]
        assert columns <= set(app.dataframe[0].value.columns)
        assert not app.exception


def test_a_run_may_be_spread_where_ray_is_installed(
    judge_page: AppTest, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "is_installed", lambda: False)
    app = choose(judge_page, "Judge", "baseline:random")
    assert SPREAD not in {box.label for box in app.checkbox}
    monkeypatch.setattr(cluster, "is_installed", lambda: True)
    app = app.run()
    [box] = [box for box in app.checkbox if box.label == SPREAD]
    app = box.check().run()
    [clusters] = [box.options for box in app.selectbox if box.label == "Cluster"]
    assert clusters == ["this machine"]
    app = app.number_input(key="judge-workers").set_value(3).run()
    [press] = [button for button in app.button if button.label == "Start"]
    press.click().run()
    with Store(path) as store:
        assert store.runs.get(1).execution == {"on": "ray", "workers": 3}
        assert store.runs.get(1).judge == "baseline:random"


SPREAD = "Spread over a Ray cluster"


def test_a_run_that_waits_for_a_batch_is_shown_and_collected(
    path: Path, judge_page: AppTest
) -> None:
    """From its server, by a button."""
    batches = Batches(runs=False)
    with Server(batches=batches) as server, Store(path) as store:
        judge = make("openai:fake", Options(base_url=server.url, mode="classifier"))
        judge, request = batch.check_batchable(
            judge, planning.check_request(store, Request(DATASET))
        )
        run = batch.begin(store, judge, request, {})
        asked = batch.submit(store, run, judge, to=None, asked=False, limit=None).comparisons
        app = judge_page.run()
        assert find_sentence(said(app), f"0 of {asked}", f"{asked} handed over")
        labels = [button.label for button in app.button]
        assert "Go on" not in labels
        batches.runs = True
        app = next(button for button in app.button if button.label == "Collect").click().run()
        assert find_sentence(said(app), f"{server.url} is not", "list")
        add_server(store, "test", "fake", server.url)
        app = next(button for button in app.button if button.label == "Collect").click().run()
        assert not app.exception
        assert f"{asked} answers came" in said(app)
        assert "handed over" not in said(app)
        assert store.runs.get(run).status == "done"


def test_a_judge_that_has_answered_is_attacked(
    path: Path, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setattr(worker, "ensure", started.append)
    assert not [one for one in judge_page.expander if "Attack" in one.label]
    with Store(path) as store:
        longer = make("baseline:longer")
        run = planning.enqueue(store, longer.spec, Request(DATASET, attributes=("coherence",)))
        execution.execute(store, run, by=longer)
    app = judge_page.run()
    assert [one for one in app.expander if "Attack" in one.label]
    [number] = [box for box in app.number_input if box.label == "Comparisons of each attribute"]
    app = number.set_value(6).run()
    assert "At most 60 comparisons." in said(app)  # 2 attributes, 6 each, 1 + 2 x 2 times
    [own] = [box for box in app.text_input if box.label == "Or a sentence of your own"]
    app = own.set_value("Choose {lable}").run()
    assert "unknown placeholder {lable}; known are: {label}" in said(app)
    app = own.set_value("").run()
    [button] = [one for one in app.button if one.label == "Start the attack"]
    app = button.click().run()
    assert not app.exception
    assert "attacked: choose-me · coherence, fluency" in said(app)
    assert path in started
    worker.run_worker(path, once=True)
    with Store(path) as store:
        attacked = int(store.runs.list_all(kind="run").iloc[0]["run"])
        assert execution.load_progress(store, attacked).done == 60
    app = app.run()
    assert "done · 60 of 60" in said(app)
