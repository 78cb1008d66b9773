"""The judge page: the prompt, a trial, several runs, a run opened to its answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.judging import add_server
from core.judging.registry import make
from core.models import Options, cluster, respondent
from core.pairing import planning
from core.pairing.planning import Request
from core.records import Answer, Generation, JudgeSpec, Kind, Outcome
from core.runs import batch, execution, preview, score, worker
from core.settings import list_settings
from core.store import Store
from pages.components.judge import active_runs, start
from pages.components.judge.judge_form import ChosenJudge
from pages.components.judge.run_answers import LONGEST, reason
from pages.components.judge.start import answer_in_words, explain_answer
from pages.components.shared import notice
from tests.pages.beginning import can_start
from tests.pages.beginning import said as said  # of other tests, too
from tests.pages.drawn import choose, draw, find, labels, press, run, write
from tests.pages.sentences import find_sentence, read_figures
from tests.server import Batches, Server
from tests.study import DATASET, add_texts, fill
from tests.votes import Vote, add_votes

QUESTION = "{verb} Summary A or Summary B."
"""How the prompt ends, whose verb the test edits."""
VERB = "Answer with"


@pytest.fixture
def judge_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    fill(store, attributes=("coherence", "fluency"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return draw("judge")


def plan(store: Store) -> int:
    """A run of `longer` that is not begun."""
    request = planning.check_request(store, Request(DATASET))
    return planning.enqueue(store, make("baseline:longer").spec, request)


def reword(app: AppTest, old: str, new: str) -> AppTest:
    wording = find(app.text_area, "Wording").value.replace(old, new)
    return write(app, "text_area", "Wording", wording)


def test_a_model_reads_the_real_words_and_an_edit_is_the_next_version(
    store: Store, judge_page: AppTest
) -> None:
    app = choose(judge_page, "Judge", "hf")
    assert find_sentence(said(app), "model", "type its name")
    assert not can_start(app)
    assert QUESTION.format(verb=VERB) in said(app)  # to be read before there is a model
    app = reword(app, VERB, "Tell")
    assert QUESTION.format(verb="Tell") in said(app)
    app = write(reword(app, "Tell", VERB), "text_input", "Model", "some/model")
    assert can_start(app)
    assert QUESTION.format(verb=VERB) in said(app)
    contexts = store.connection.rows("SELECT context FROM items")
    assert any(context in said(app) for (context,) in contexts)
    app = reword(app, VERB, "Say")
    assert QUESTION.format(verb="Say") in said(app)
    assert find_sentence(said(app), "comparative@2", "another judge")
    app = write(app, "text_area", "Wording", "no texts in it")
    assert find_sentence(said(app), "lacks {a}")


def test_what_a_strategy_may_be_told_and_a_judge_that_marks(judge_page: AppTest) -> None:
    budget = list_settings(Request)["budget"].label
    for strategy in ("symmetric", "pairs-beam", "active"):
        fields = labels(choose(judge_page, "Pairs", strategy).number_input)
        assert ("Branches followed" in fields) == (strategy == "pairs-beam")
        assert (budget in fields) == (strategy != "pairs-beam")
    app = choose(judge_page, "Judge", "baseline:bleu")
    assert "<b>18 scores</b>" in said(app)
    assert "Pairs" not in labels(app.selectbox)
    app = choose(choose(app, "Judge", "hf"), "How it answers", "g-eval")
    app = write(app, "text_input", "Model", "some/model")
    assert read_figures(said(app), "score", "(worst)", "(best)") == ["1", "10"]


def test_five_answers_are_read_with_their_texts(
    store: Store, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tried(command: list[str], chosen: ChosenJudge) -> dict[str, Any]:
        """In this process: another would take seconds to begin."""
        with Store(store.path) as here:  # on the thread of the page
            request = planning.check_request(here, Request(DATASET))
            return preview.trial(here, make(chosen.judge), request, chosen.prices).document()

    monkeypatch.setattr(start, "_try", tried)
    app = press(choose(judge_page, "Judge", "baseline:longer"), "Try five")
    assert "coherence: " in said(app)
    assert "is better." in said(app)
    assert find_sentence(said(app), "rule", "more words")
    assert find_sentence(said(app), "not kept")
    assert store.judgement_frames.load_all(DATASET).empty


def test_nothing_is_drawn_anew_while_no_run_is_at_work(
    store: Store, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a worker begun."""
    drawn: list[float | None] = []

    def fragment(part: Callable[..., None], *, every: float | None = None) -> Callable[..., None]:
        drawn.append(every)
        return notice.fragment(part, every=every)

    monkeypatch.setattr(active_runs, "fragment", fragment)
    for page in ("", "judge", "data"):
        draw(page)
    assert drawn == [None] * len(drawn)
    plan(store)
    drawn.clear()
    assert "waiting · 0 of 36" in said(draw("judge"))
    assert drawn == [1.0]


def test_votes_without_texts_are_told_what_is_missing(study: Store) -> None:
    add_texts(study, "votes", [Generation("i", "x"), Generation("i", "y")])
    assert study.texts.lacks_texts("votes")
    summary = study.datasets.summary().set_index("dataset")["generations"].to_dict()
    assert summary == {DATASET: 9, "votes": 0}
    assert not study.texts.lacks_texts(DATASET)
    for page, sentence in (
        ("judge", "A judge reads texts, and votes holds votes without theirs."),
        ("annotate", "This data set holds votes without their texts"),
        ("separability", "this data set holds votes without theirs"),
    ):
        assert sentence in said(draw(page, dataset="votes", annotator="Ada")), page


def test_two_texts_of_each_system_are_as_few_as_can_be_measured(store: Store) -> None:
    fill(store, samples=2)
    app = draw("separability", dataset=DATASET, annotator="Ada")
    [samples] = [box for box in app.main.number_input if box.key and "samples" in box.key]
    assert (samples.min, samples.max, samples.value) == (2, 2, 2)


def test_runs_of_both_kinds_open_to_their_answers(store: Store, judge_page: AppTest) -> None:
    given = """UPDATE items SET "references" = '["alpha-0-0"]' WHERE key = 'i0'"""
    store.connection.execute(given)
    marks = score.ScoringRequest(DATASET).fill_attributes(store)
    compared = plan(store)
    marked = score.enqueue_scoring(store, make("baseline:bleu").spec, marks)
    for number in (compared, marked):
        execution.execute(store, number)
    app = run(judge_page)
    assert "done · 36 of 36" in said(app)
    # two items of three have none: 2 x 3 texts x 2 attributes
    assert "12 no-reference" in said(app)
    for number, columns in (
        (compared, {"A", "B", "P(A is better)"}),
        (marked, {"score", "system", "unanswered"}),
    ):
        app.session_state["opened"] = number
        run(app)
        assert f"Run {number}, answer by answer" in [element.value for element in app.header]
        assert columns <= set(app.dataframe[0].value.columns)


SPREAD = "Spread over a Ray cluster"


def test_a_run_may_be_spread_where_ray_is_installed(
    store: Store, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "is_installed", lambda package: False)
    app = choose(judge_page, "Judge", "baseline:random")
    assert SPREAD not in labels(app.checkbox)
    monkeypatch.setattr(cluster, "is_installed", lambda package: True)
    app = write(run(app), "checkbox", SPREAD, True)
    assert find(app.selectbox, "Cluster").options == ["this machine"]
    app = app.number_input(key="judge-workers").set_value(3).run()
    press(app, "Start")
    assert store.runs.get(1).execution == {"on": "ray", "workers": 3}
    assert store.runs.get(1).judge == "baseline:random"


def test_a_run_that_waits_for_a_batch_is_collected(store: Store, judge_page: AppTest) -> None:
    batches = Batches(runs=False)
    with Server(batches=batches) as server:
        judge = make("openai:fake", Options(base_url=server.url, mode="classifier"))
        request = planning.check_request(store, Request(DATASET))
        judge, request = batch.check_batchable(judge, request)
        number = batch.begin(store, judge, request, {})
        asked = batch.submit(store, number, judge, to=None, asked=False, limit=None).comparisons
        app = run(judge_page)
        assert find_sentence(said(app), f"0 of {asked}", f"{asked} handed over")
        assert "Go on" not in labels(app.button)
        batches.runs = True
        app = press(app, "Collect")
        assert find_sentence(said(app), f"{server.url} is not", "list")
        add_server(store, "test", "fake", server.url)
        app = press(app, "Collect")
        assert f"{asked} answers came" in said(app)
        assert "handed over" not in said(app)
        assert store.runs.get(number).status == "done"


def is_probed(app: AppTest) -> bool:
    return any("Probe" in one.label for one in app.expander)


def test_a_judge_that_has_answered_is_probed(
    store: Store, judge_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setattr(worker, "ensure", started.append)
    assert not is_probed(judge_page)
    longer, request = make("baseline:longer"), Request(DATASET, attributes=("coherence",))
    execution.execute(store, planning.enqueue(store, longer.spec, request), by=longer)
    app = run(judge_page)
    assert is_probed(app)
    app = write(app, "number_input", "Comparisons of each attribute", 6)
    app = write(app, "multiselect", "Changes", ["praise"])
    assert "At most 48 comparisons." in said(app)  # 2 attributes, 6 each, 2 x 2 times
    app = press(app, "Start the probe")
    assert "probed: praise · coherence, fluency" in said(app)
    assert store.path in started
    worker.run_worker(store.path, once=True)
    probed = int(store.runs.list_all(kind="run").iloc[0]["run"])
    assert execution.load_progress(store, probed).done == 24  # of fluency it has no answers
    assert "done · 24 of 24" in said(run(app))


REASONS: list[tuple[dict[str, object], str]] = [
    ({"text": "Summary B, as it is shorter."}, "It replied “Summary B, as it is shorter.”."),
    ({"texts": ["A", "B"]}, "It replied “A”, “B”."),
    (
        {"text": "A", "p": {"Summary A": 0.75, "Summary B": 0.25}},
        "It replied “A”. Probabilities: Summary A 0.75, Summary B 0.25.",
    ),
    ({"cos_a": 0.5, "cos_b": 0.75}, "B is nearer to the article: cosine 0.500 of A, 0.750 of B."),
    ({"cos_a": 0.5, "cos_b": 0.5}, "Both are equally near to the article: cosine 0.500 of A, 0.500 of B."),
    # e^-0.693147 = 1/2, e^-1.386294 = 1/4
    ({"logp_a": -0.693147, "logp_b": -1.386294}, "It gives the probability 0.5 to A, 0.25 to B."),
    ({"logp_a": -0.693147, "logp_b": "-inf"}, "It gives the probability 0.5 to A."),
    ({"logp": -6.0, "tokens": 4}, "The mean log-probability of its 4 tokens is -1.500."),
    ({"metric": "bleu", "reference": 1}, "Held against reference 2, by bleu."),
    ({"detail": "context too long"}, "The reason: “context too long”."),
    ({"text": "", "context_cut": 3}, ""),
]  # fmt: skip


def test_each_way_of_judging() -> None:
    for raw, words in REASONS:
        assert reason(json.dumps(raw), "article") == words
    for nothing in ("", "   ", "{}", "[]", "null"):
        assert reason(nothing) in ("", f"It replied “{nothing}”.")
    assert reason("A is better") == "It replied “A is better”."
    assert reason("x" * (LONGEST + 1)) == f"It replied “{'x' * LONGEST} …”."


LONGER = respondent.Member(
    respondent.Family("rule"), "comparisons", lambda name, options: None,
    help="Prefers the text with more words.",
)  # fmt: skip
RULE = "Its rule: prefers the text with more words."
ANSWERS: list[tuple[dict[str, object], str, str]] = [
    ({"outcome": "a", "prob_a": 0.825}, "coherence: A is better (P that A is better: 0.825).", RULE),
    ({"outcome": "tie"}, "coherence: Neither is better.", RULE),
    ({"value": 7.25}, "coherence: the mark is 7.25.", RULE),
    ({"failure": "unparsed", "raw": '{"text": "Hm."}'}, "coherence: no answer.",
     "unparsed: what the model wrote states none of the answers, or more than one. "
     "Read its replies, then take another “Form of the verdict” or prompt, or a model that follows it."),
    ({"failure": "cut-off", "raw": '{"text": "Hm", "detail": "it ends while thinking"}'},
     "coherence: no answer.",
     "cut-off: the model was cut off at its most tokens, before its answer was there. It ends while thinking. "
     "Raise “Most tokens of a reply”; thoughts of a served model can be switched off by “Extra JSON”."),
    ({"failure": "error: OSError: gone"}, "coherence: no answer.",
     "error: OSError: gone: something broke; the rest of the reason says what. Mend that, then ask again (“Ask again”)."),
]  # fmt: skip


def test_an_answer_and_why() -> None:
    for answer, words, because in ANSWERS:
        unsaid = {
            "attribute": "coherence",
            "outcome": None,
            "failure": "",
            "raw": "",
            "prob_a": None,
        }
        assert answer_in_words(unsaid | answer) == words
        assert explain_answer(unsaid | answer, LONGER, "article") == because


def test_a_judge_is_asked_as_several_people(store: Store, judge_page: AppTest) -> None:
    """A run for each annotator that it simulates, by prompts with votes as examples."""
    app = write(choose(judge_page, "Judge", "hf"), "text_input", "Model", "some/model")
    app = write(app, "number_input", "Simulated annotators", 2)
    app = choose(app, "Attribute", "coherence")
    [before] = read_figures(said(app), "comparisons")
    app = press(app, "Start")
    assert find_sentence(said(app), "has given", "votes")
    assert not len(store.runs.list_all())
    store.judges.add([JudgeSpec("Ada", Kind.HUMAN)])
    of_a = [(f"i{item}", "alpha", "beta", "Ada", Answer(Outcome.A)) for item in range(3)]
    add_votes(store, DATASET, [Vote(*given, attribute="coherence") for given in of_a])
    press(app, "Start")
    runs = store.runs.list_all()
    assert sorted(name.split("|")[1] for name in runs["judge"]) == [
        "comparative-annotator-coherence@1", "comparative-annotator-coherence@2",
    ]  # fmt: skip
    assert float(runs["planned"].sum()) == float(before.replace(",", ""))
