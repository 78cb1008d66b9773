"""What it takes to add one of each kind: a few lines and an entry of a registry."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import core
from core.__main__ import main
from core.cli.settings import list_options
from core.findings.accuracy import AccuracySettings
from core.findings.judgements import Finding
from core.findings.leaderboard import RankSettings, columns, compute, fitted_board
from core.findings.leaderboard.rating_input import NEEDS
from core.findings.leaderboard.settings import Need, PreparedComparisons
from core.importing import LAYOUTS
from core.importing.cells import Cells
from core.importing.entry import VOTE, Entry
from core.importing.files import PLAIN
from core.importing.layout import Layout, Reader, Source
from core.judging import Judge, Scorer, registry
from core.judging.judge import BASELINE
from core.models import Family, Member, Options, Respondent
from core.pairing import STRATEGIES, Strategy, planning
from core.records import (
    Answer,
    Candidate,
    Draft,
    JudgeSpec,
    Kind,
    Mark,
    Outcome,
    Question,
    Score,
    Slot,
)
from core.rendering import COUNT, Column, Interval
from core.rendering.charts import Drawn, Picture, apply_theme
from core.reporting import PICTURES
from core.settings import declare, list_settings
from core.similarity import METRICS, DeclaredMetric, MetricPace
from core.similarity.metric import OfFeatures
from core.statistics import RATINGS, Method, win_ratio
from core.store import Store
from tests.findings.people.voting import say
from tests.pages.labels import RATING_METHOD
from tests.pages.shown_tables import table
from tests.paths import ROOT
from tests.study import DATASET, SYSTEMS, fill, judge

Run = Callable[..., Any]
Visit = Callable[..., AppTest]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that the command line and the page are both asked about."""
    path = tmp_path / "store.sqlite3"
    monkeypatch.setenv("TANDEM_STORE", str(path))
    with Store(path) as store:
        fill(store, items=4, samples=2)
    return path


@pytest.fixture
def run(path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command's document."""

    def run(*words: str) -> Any:
        assert main([*words, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def visit(path: Path) -> Visit:
    def visit(page: str, section: str = "") -> AppTest:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page(f"pages/{page}.py")
        if section:
            app.query_params["section"] = section
        app.run()
        assert not app.exception
        return app

    return visit


class Lengths(OfFeatures):
    name, signature = "lengths", "lengths|1"

    def load(self) -> None: ...

    def features(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def compare(self, one: int, other: int) -> float:
        return min(one, other) / max(one, other)


class TestMetric:
    HELP = "the shorter text's length by the longer's"

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lengths = DeclaredMetric(
            "lengths",
            "equal length",
            self.HELP,
            lambda encoder, precision: Lengths(),
            MetricPace(load=0.1, characters=1e6, pairs=1e6),
        )
        monkeypatch.setitem(METRICS, lengths.name, lengths)

    def test_it_measures_and_is_offered(self, run: Run, visit: Visit) -> None:
        found = run("separability", "--metric", "lengths", "--systems", "alpha", "gamma")
        assert "lengths|1" in found["signature"]
        app = visit("separability")
        metric = next(box for box in app.selectbox if box.label == "Similarity metric")
        assert metric.value == "lengths", "what has been measured"
        assert "equal length" in metric.options
        assert f"**Equal length**: {self.HELP}." in metric.help


class TestPicture:
    """Of a finding, which gives its name."""

    def test_reports_and_notebooks_draw_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def draw(rows: pd.DataFrame, facts: Mapping[str, Any], theme: str) -> Drawn:
            bars = alt.Chart(rows).mark_bar().encode(x=facts["along"])
            return apply_theme(alt.LayerChart(layer=[bars]), "Letters.", theme)

        picture = Picture(draw, "How long names are", "letters")
        monkeypatch.setitem(PICTURES, "letters", picture)
        caption = Interval("95% intervals: none are needed.", "no method")
        column = Column("letters", "letters", COUNT, low="low", high="high", interval=caption)
        rows = pd.DataFrame({"letters": [5], "low": [5], "high": [5]})
        finding = Finding(
            rows, "letters|v", 7, facts={"along": "letters:Q"}, columns=(column,), picture="letters"
        )
        drawn = core.chart(finding).to_dict()
        assert drawn["layer"][0]["encoding"]["x"]["field"] == "letters"
        assert drawn["title"]["text"] == [picture.title]
        words = json.dumps(drawn["title"]["subtitle"])
        assert all(word in words for word in ("7 judgements", "none are needed", "letters|v"))

    def test_every_finding_has_the_one_it_names(self) -> None:
        named = {
            word.value.value
            for path in (ROOT / "core").rglob("*.py")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
            for word in node.keywords
            if word.arg == "picture" and isinstance(word.value, ast.Constant)
        }
        assert named == set(PICTURES)


class TestColumn:
    """Of a leaderboard: where it is computed, and where it is declared."""

    LETTERS = Column("letters", "letters of its name", COUNT, "How long it is called.")

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def count_letters(board: Any) -> fitted_board.BoardPart:
            return fitted_board.BoardPart(
                pd.DataFrame({"letters": [len(name) for name in board.systems]})
            )

        monkeypatch.setattr(compute, "PARTS", (*compute.PARTS, count_letters))
        monkeypatch.setattr(columns, "BESIDE", (*columns.BESIDE, self.LETTERS))

    def test_every_door_has_it(
        self, run: Run, visit: Visit, path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        run("judge", "--judge", "baseline:longer", "--pairs", "full")
        mine = ("--judges", "baseline:longer")
        letters = {row["system"]: row["letters"] for row in run("rank", *mine)["rows"]}
        assert letters == {"alpha": 5, "beta": 4, "gamma": 5}
        assert main(["rank", *mine]) == 0
        label = self.LETTERS.label
        assert label in capsys.readouterr().out
        shown = table(visit("leaderboard"), "Ratings").set_index("system")
        assert shown[label].to_dict() == {"alpha": "5", "beta": "4", "gamma": "5"}
        run("report", "--out", str(tmp_path / "report"))
        tables = tmp_path / "report" / "tables"
        assert label.capitalize() in (tables / "leaderboard-baseline.tex").read_text()
        assert ",letters" in (tables / "leaderboard-baseline.csv").read_text().splitlines()[0]
        with Store(path) as store:
            board = core.leaderboard(store, judges="baseline:longer")
        assert f'title="{self.LETTERS.help}">{label}<' in board._repr_html_()


@pytest.fixture
def declare_setting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Write one more field into a request."""

    def write(request: type, name: str, declared: Any) -> None:
        more = make_dataclass("More", [(name, str, declared)], bases=(request,), frozen=True)
        monkeypatch.setitem(request.__annotations__, name, "str")
        for attribute in ("__init__", "__eq__", "__hash__", "__dataclass_fields__"):
            monkeypatch.setattr(request, attribute, getattr(more, attribute))
        list_options.cache_clear()

    yield write
    list_options.cache_clear()


class TestSetting:
    """Of a finding: a field of its request, where it is declared."""

    @pytest.fixture(autouse=True)
    def added(self, declare_setting: Callable[..., None]) -> None:
        firm = declare(
            "lax", "how strict it is", label="Strictness", choices={"lax": "lax", "firm": "firm"}
        )
        for request in (AccuracySettings, RankSettings):
            declare_setting(request, "strict", firm)

    def test_every_door_of_a_leaderboard_has_it(self, run: Run, visit: Visit, path: Path) -> None:
        run("judge", "--judge", "baseline:longer", "--pairs", "full")
        asked = ("rank", "--judges", "baseline:longer")
        assert "strict" not in run(*asked)["signature"]
        assert "|strict:firm|" in run(*asked, "--strict", "firm")["signature"]
        assert "|strict:firm|" in run(*asked, "--strict", "firm", "--by", "candidate")["signature"]
        words = ("--html", str(path.with_name("r.html")), "--set", "rank.strict=firm")
        boards = [
            one for one in run("report", *words)["signatures"] if one.startswith("win-ratio|")
        ]
        assert boards
        assert all("|strict:firm|" in one for one in boards)
        app = chosen(visit("leaderboard"), "Strictness", "firm")
        assert any("|strict:firm|" in code.value for code in app.code)
        with Store(path) as store:
            found = core.leaderboard(store, judges="baseline:longer", strict="firm", bootstrap=0)  # type: ignore[call-arg]
            against = {"judges": "baseline:longer", "against": "expert", "method": "win-ratio"}
            marks = [
                Score(f"i{item}", system, "coherence", "expert", item + len(system))
                for item in range(4)
                for system in SYSTEMS
            ]
            judge(store, "expert")
            store.scores.add(DATASET, marks)
            correlated = core.correlate(store, **against, strict="firm", level="system")  # type: ignore[call-arg]
        assert "|strict:firm|" in found.signature
        assert "|strict:firm|" in correlated.signature

    def test_every_door_has_it(self, run: Run, visit: Visit, path: Path) -> None:
        run("judge", "--judge", "baseline:longer", "--pairs", "full")
        with Store(path) as store:
            for item in range(4):
                say(store, "Ada", f"i{item}", ("alpha", "beta"), "a")
        asked = ("accuracy", "--against", "human", "--judges", "baseline:longer")
        assert "strict" not in run(*asked)["signature"]
        assert "|strict:firm|" in run(*asked, "--strict", "firm")["signature"]
        words = ("accuracy.against=human", "accuracy.strict=firm")
        told = run("report", "--html", str(path.with_name("r.html")), "--set", *words)
        assert any("|strict:firm|" in one for one in told["signatures"])
        app = chosen(visit("judges", "accuracy"), "Strictness", "firm")
        assert any("|strict:firm|" in code.value for code in app.code)
        with Store(path) as store:
            found = core.accuracy(store, judges="baseline:longer", against="human", strict="firm")  # type: ignore[call-arg]
        assert "|strict:firm|" in found.signature


class TestRatingMethod:
    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def losses(*votes: Any, n: int, weights: Any = None) -> Any:
            return 1 - win_ratio(*votes, n=n, weights=weights)

        worst = Method("losses", "worst first", "the share lost", "share lost", losses, share=True)
        monkeypatch.setitem(RATINGS, worst.name, worst)

    def test_it_ranks_and_is_drawn(
        self, run: Run, visit: Visit, path: Path, tmp_path: Path
    ) -> None:
        run("judge", "--judge", "baseline:longer")
        judges = ("--judges", "baseline:longer", "--bootstrap", "20")
        by_wins, by_losses = (
            [row["system"] for row in run("rank", "--method", method, *judges)["rows"]]
            for method in ("win-ratio", "losses")
        )
        assert by_losses == by_wins[::-1]
        app = visit("leaderboard")
        box = next(box for box in app.selectbox if box.label == RATING_METHOD)
        assert "worst first" in box.options
        app = box.set_value("losses").run()
        assert not app.exception
        shown = table(app, "Ratings")
        assert shown[["system", "rating"]].iloc[0].tolist() == [by_losses[0], "100.0%"]
        run("report", "--out", str(tmp_path / "report"), "--method", "losses")
        assert "losses|judges:baseline" in (tmp_path / "report" / "report.html").read_text()
        with Store(path) as store:
            board = core.leaderboard(store, judges="baseline:longer", method="losses", bootstrap=20)
        assert board.rows["system"].tolist() == by_losses


class TestNeedOfRatingMethod:
    """A method that rates by lengths alone, declared in one place."""

    NOTE = "Texts were compared in {}."

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch, declare_setting: Callable[..., None]) -> None:
        def prepare(
            store: Store, selection: Any, frame: pd.DataFrame, settings: RankSettings
        ) -> PreparedComparisons:
            known = getattr(store.annotator_stats, settings.unit)(selection.dataset)  # type: ignore[attr-defined]
            a, b = (frame[f"generation_{side}"].map(known) for side in "ab")
            said = self.NOTE.format(settings.unit)  # type: ignore[attr-defined]
            return PreparedComparisons(frame.assign(longer=(np.sign(a - b) + 1) / 2), (said,))

        def rate(
            first: Any, second: Any, outcome: Any, *, unit: str, longer: Any, **how: Any
        ) -> Any:
            assert unit in ("characters", "words")
            return win_ratio(first, second, longer, **how)

        longer = Need(
            "longer",
            lambda frame, settings: {"longer": frame["longer"].to_numpy(float)},
            prepare,
            requires="texts",
        )
        longest = Method(
            "longest", "longest first", "the share of longer texts", "share longer", rate,
            share=True, takes=("unit",), needs=("longer",), weighable=True,
        )  # fmt: skip
        unit = declare(
            "characters",
            "what is counted",
            label="Unit",
            choices={"characters": "characters", "words": "words"},
            methods=lambda: tuple(name for name, how in RATINGS.items() if "unit" in how.takes),
        )
        monkeypatch.setitem(NEEDS, longer.name, longer)
        monkeypatch.setitem(RATINGS, longest.name, longest)
        declare_setting(RankSettings, "unit", unit)

    def test_every_door_has_it(
        self, run: Run, visit: Visit, path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """By lengths a coin's pairs are rated as the wins of whoever prefers the longer text."""
        for name in ("baseline:random", "baseline:longer"):
            run("judge", "--judge", name, "--pairs", "full")
        coin = ("--judges", "baseline:random", "--bootstrap", "20")
        longer = ("--judges", "baseline:longer", "--bootstrap", "20", "--method", "win-ratio")
        shares = {row["system"]: row["rating"] for row in run("rank", *longer)["rows"]}
        found = run("rank", *coin, "--method", "longest")
        assert {row["system"]: row["rating"] for row in found["rows"]} == shares
        assert self.NOTE.format("characters") in found["notes"]
        assert all(row["low"] <= row["rating"] <= row["high"] for row in found["rows"])
        in_words = run("rank", *coin, "--method", "longest", "--unit", "words")
        assert "|unit:words|" in in_words["signature"]
        assert self.NOTE.format("words") in in_words["notes"]
        assert main(["rank", *coin, "--method", "win-ratio", "--unit", "words"]) == 2
        refused = capsys.readouterr().err
        assert all(word in refused for word in ("--unit words", "longest", "win-ratio"))
        app = visit("leaderboard")
        assert "Unit" not in [box.label for box in app.selectbox], "of a method not chosen yet"
        app = chosen(chosen(app, "Judges", "baseline:random"), RATING_METHOD, "longest")
        app = chosen(app, "Unit", "words")
        assert any("longest|" in code.value and "|unit:words|" in code.value for code in app.code)
        words = ("--method", "longest", "--set", "rank.unit=words", *coin)
        report = run("report", "--html", str(path.with_name("r.html")), *words)
        assert any("longest|" in one and "|unit:words|" in one for one in report["signatures"])
        with Store(path) as store:
            board = core.leaderboard(  # type: ignore[call-arg]
                store, judges="baseline:random", method="longest", unit="words", bootstrap=20
            )
        assert board.rows.set_index("system")["rating"].to_dict() == shares


class TestPairingStrategy:
    LABEL = "one pair an item"

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def first(pairs: Any, budget: Any, known: Any, rng: np.random.Generator) -> Any:
            return pairs[:1]

        strategy = Strategy(
            "first", self.LABEL, "a quick look", first, most=lambda pairs, _: 1, takes=()
        )
        monkeypatch.setitem(STRATEGIES, strategy.name, strategy)

    def test_it_plans_and_is_offered(self, run: Run, visit: Visit) -> None:
        assert run("judge", "--judge", "baseline:longer", "--pairs", "first")["done"] == 4
        app = visit("judge")
        pairs = next(box for box in app.selectbox if box.label == "Pairs")
        assert self.LABEL in pairs.options
        budget = list_settings(planning.Request)["budget"].label
        assert budget in [box.label for box in pairs.set_value("ring").run().number_input]
        app = pairs.set_value("first").run()
        assert not app.exception
        assert budget not in [box.label for box in app.number_input]


class Duels(Reader):
    """A line such as "q1: x > y"."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def entries(self, number: int, cells: Cells) -> Iterator[Entry]:
        item, _, duel = str(cells["line"]).partition(": ")
        winner, loser = duel.split(" > ")
        yield {
            "sort": VOTE, "item": item, "system_a": winner, "system_b": loser,
            "judge": "gold", "judge_kind": "gold", "outcome": Outcome.A, "order_known": False,
        }  # fmt: skip


class TestLayout:
    DUELS = Layout("duels", "duels, one a line", {Duels: lambda file: file.columns == PLAIN})

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(LAYOUTS, self.DUELS.name, self.DUELS)

    def test_it_is_recognised_and_imported(
        self, run: Run, visit: Visit, tmp_path: Path, path: Path
    ) -> None:
        file = tmp_path / "duels.txt"
        file.write_text("q1: x > y\nq2: y > z\n")
        found = run("import", str(file), "--dataset", "terminal")
        assert found["layouts"] == {"duels.txt": "duels"}
        app = visit("data")
        uploader = app.get("file_uploader")[0]
        uploader.upload("duels.txt", b"q1: x > y\n", "text/plain")
        app = app.run()
        kinds = next(b for b in app.selectbox if b.label == "What is it?")
        assert self.DUELS.title in kinds.options
        app = next(button for button in app.button if button.label == "Import").click().run()
        assert not app.exception
        with Store(path) as store:
            assert set(store.datasets.names()) == {DATASET, "terminal", "duels"}


def registered(monkeypatch: pytest.MonkeyPatch, member: Member) -> None:
    there = registry.list_members()
    monkeypatch.setattr(registry, "list_members", lambda: (*there, member))


def chosen(app: AppTest, label: str, value: str) -> AppTest:
    """The page after one of its boxes was set."""
    app = next(box for box in app.selectbox if box.label == label).set_value(value).run()
    assert not app.exception
    return app


def words(app: AppTest) -> str:
    return " ".join(html.proto.body for html in app.get("html"))


class Shorter(Judge):
    spec = JudgeSpec("baseline:shorter", Kind.BASELINE, "baseline:shorter")

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        return [
            Answer(Outcome.A if len(one.text_a or "") < len(one.text_b or "") else Outcome.B)
            for one in questions
        ]


class TestJudge:
    SHORTER = Member(
        BASELINE,
        "comparisons",
        lambda name, options: Shorter(),
        name="shorter",
        label="Baseline: the shorter text",
        help="Prefers the text with fewer characters.",
    )

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        registered(monkeypatch, self.SHORTER)

    def test_it_answers_and_is_offered(self, run: Run, visit: Visit) -> None:
        assert run("judge", "--judge", "baseline:shorter")["done"] == 24
        app = chosen(visit("judge"), "Judge", "baseline:shorter")
        box = next(box for box in app.selectbox if box.label == "Judge")
        assert self.SHORTER.label in box.options
        assert self.SHORTER.help in words(app)
        app = next(button for button in app.button if button.label == "Start").click().run()
        assert re.search(r'tandem-good">[^<]*baseline:shorter', words(app)), "nothing is left to do"


class Words(Scorer):
    spec = JudgeSpec("baseline:words", Kind.BASELINE, "baseline:words", mode="metric")

    def __init__(self, name: str, options: Options) -> None:
        self._most = options.truncation or 1000

    def answers(self, questions: Sequence[Candidate]) -> list[Mark]:
        return [Mark(min(len((one.text or "").split()), self._most)) for one in questions]


class TestScorer:
    COUNTED = Member(
        BASELINE,
        "marks",
        Words,
        name="words",
        mode="metric",
        label="Metric: words",
        help="Marks a text by its words.",
        options=("truncation",),
    )

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        registered(monkeypatch, self.COUNTED)

    def test_it_marks_and_is_offered(
        self, run: Run, visit: Visit, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = run("judge", "--judge", "baseline:words", "--truncation", "16")
        assert (found["unit"], found["done"]) == ("scores", 12)
        assert main(["judge", "--judge", "baseline:words", "--votes", "3"]) == 2
        refused = capsys.readouterr().err
        assert all(word in refused for word in ("--votes 3", "hf:NAME-OR-PATH", "baseline:words"))
        app = chosen(visit("judge"), "Judge", "baseline:words")
        assert self.COUNTED.help in words(app)
        assert "<b>12 scores</b>" in words(app)
        app = next(button for button in app.button if button.label == "Start").click().run()
        assert re.search(r'tandem-good">[^<]*baseline:words', words(app)), "nothing is left to do"


class Echo(Respondent[Slot, Draft]):
    def __init__(self, name: str, options: Options) -> None:
        self._said = f"{name}: {options.instruction}"

    def answers(self, questions: Sequence[Slot]) -> list[Draft]:
        return [Draft(self._said) for _ in questions]


class TestTextWriter:
    FAMILY = Family("echo", "NAME", choose="Name an echo.")

    @pytest.fixture(autouse=True)
    def added(self, monkeypatch: pytest.MonkeyPatch) -> None:
        options = ("instruction", "temperature", "max_tokens", "seed")
        member = Member(self.FAMILY, "texts", Echo, label="an echo", options=options)
        registered(monkeypatch, member)

    def test_it_writes_and_is_offered(
        self, run: Run, visit: Visit, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = ("generate", "--system", "echo", "--model", "echo:hill", "--instruction", "Hello")
        assert run(*asked, "--samples", "2")["generations"] == 8
        assert main([*asked, "--base-url", "u"]) == 2
        refused = capsys.readouterr().err
        assert all(word in refused for word in ("--base-url u", "openai:MODEL", "echo:hill"))
        app = chosen(visit("data"), "Model from", "echo")
        assert "an echo" in next(box for box in app.selectbox if box.label == "Model from").options
        assert self.FAMILY.choose in words(app)
