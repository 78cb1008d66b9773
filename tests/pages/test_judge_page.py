"""The judge page: the prompt, a trial, several runs, a run opened to its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.judging import ServerList, add_server
from core.judging.registry import make
from core.models import Options, respondent
from core.models.served import OFFICIAL, PROVIDERS
from core.pairing import Request, planning
from core.records import Answer, Generation, JudgeSpec, Kind, Outcome
from core.runs import batch, execution, score, worker
from core.settings import list_settings
from core.store import Store
from pages.components.judge import active_runs, start
from pages.components.judge.asking_form import LABELS
from pages.components.judge.run_answers import LONGEST, reason
from pages.components.judge.start import answer_in_words, explain_answer
from pages.components.shared import notice
from pages.components.shared.counting import LoneTask
from tests.pages.beginning import can_start
from tests.pages.beginning import said as said  # and of test_every_way.py
from tests.pages.drawn import choose, draw, find, labels, press, run, write
from tests.pages.sentences import find_sentence, read_figures
from tests.server import Batches, Server
from tests.study import DATASET, add_texts, fill
from tests.votes import Vote, add_votes

QUESTION = "{verb} Summary A or Summary B."
"""How the prompt ends, whose verb the test edits."""
VERB = "Answer with"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in filter(None, (row.key_variable for row in PROVIDERS.values())):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def judge_page(store: Store) -> AppTest:
    fill(store, attributes=("coherence", "fluency"))
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
    # In this process: another would take seconds to begin.
    monkeypatch.setattr(start, "count_alone", LoneTask.compute)
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


def test_a_run_that_waits_for_a_batch_says_so(store: Store, judge_page: AppTest) -> None:
    with Server(batches=Batches(runs=False)) as server:
        judge = make("openai:fake", Options(base_url=server.url, mode="classifier"))
        request = planning.check_request(store, Request(DATASET))
        judge, request = batch.check_batchable(judge, request)
        number = batch.begin(store, judge, request, {})
        asked = batch.submit(store, number, judge, to=None, asked=False, limit=None).comparisons
        app = run(judge_page)
        assert find_sentence(said(app), f"0 of {asked}", f"{asked} handed over")
        assert not {"Go on", "Stop"} & set(labels(app.button))


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


# ---- The form: providers, the form of the verdict, what is folded, and the name


SYSTEM = "You compare one {candidate_noun} with another."
LOCAL = "http://127.0.0.1:9/v1"
HOSTED = {name: row for name, row in PROVIDERS.items() if row.hosts and row.base_url}


@pytest.fixture
def served(study: Store) -> AppTest:
    """The page with a model behind a server chosen."""
    return choose(draw("judge"), "Judge", "openai")


@pytest.fixture
def asking(study: Store) -> AppTest:
    """The page with a listed server and a model."""
    add_server(study, "test", "lab", LOCAL)
    return write(choose(draw("judge"), "Judge", "openai"), "text_input", "Model", "gpt")


def test_an_owner_lists_a_provider_by_a_choice_and_pairs_its_key_by_a_command(
    study: Store, served: AppTest
) -> None:
    app, before = served, set[str]()
    for name, row in HOSTED.items():
        if name == "openai":
            continue
        app = choose(app, "Provider", name)
        assert row.base_url in said(app)
        assert re.search(rf"{row.key_variable}\b.*\bnot set\b", said(app)), name
        app = choose(app, "Server", row.base_url)
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
    app = choose(choose(app, "Provider", "openai"), "Server", OFFICIAL)
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
    assert find(app.selectbox, "Server").options == ["OpenRouter"]


def test_a_prompt_is_filled_in_the_form_that_was_chosen(asking: AppTest) -> None:
    """One with words of its own shows its form; one without a label is not for labels. An edited
    one keeps the labels of its language.
    """
    form = find(asking.selectbox, "Form of the verdict")
    assert (form.value, form.disabled) == ("label-first", True)
    assert ": verdict, reasoned" in said(asking)
    app = reword(choose(asking, "Prompt", "comparative-de"), "Antworte mit", "Sage nur")
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
    app, as_it_is = asking, "kept as gpt."
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
    number = plan(store)
    execution.execute(store, number, limit=0)
    read = Answer(Outcome.A, raw=json.dumps({"text": "Text A", "read": [[5, 6]]}))
    answers = [
        Answer(failure=FAILURES[place][0], raw=json.dumps(FAILURES[place][1]))
        if place in FAILURES
        else read
        for place in range(18)
    ]
    asked = (question.comparison for question in store.runs.list_pending(number, 18))
    who = store.judges.id_of("baseline:longer")
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
