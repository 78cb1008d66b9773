"""What `from core import ...` gives a notebook: the results of the pages, and examples that run."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import core
from core import notebook
from core.findings import leaderboard as boards
from core.findings.accuracy import AccuracySettings
from core.rendering.charts import picture
from tests import document_python, document_types
from tests.paths import ROOT

NEWS = "sample-news"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[core.Store]:
    with core.Store(tmp_path_factory.mktemp("face") / "study.sqlite3") as study:
        core.load_sample(study)
        yield study


@pytest.mark.parametrize("path", document_python.PAGES, ids=lambda path: path.name)
def test_examples_print_what_the_page_says(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert document_python.run(page) == page, "run `python -m tests.document_python --write`"


def test_importing_loads_nothing_heavy() -> None:
    """Nor does a command wait for what only correlations need."""
    for imported, heavy in (
        ("core, core.records", {"pandas", "numpy", "altair", "torch", "sqlite3"}),
        ("core.__main__, core.cli", {"scipy.stats"}),
    ):
        code = f"import {imported}, sys; print({heavy} & {{*sys.modules}})"
        words = [sys.executable, "-c", code]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        assert done.stdout.strip() == "set()", done.stderr


def test_the_face_names_what_the_notebook_offers() -> None:
    assert core.__all__ == notebook.__all__  # type: ignore[attr-defined]
    assert set(notebook.ASKED) | {"Store", "judge", "report"} < set(core.__all__) <= set(dir(core))  # type: ignore[attr-defined]
    assert all(getattr(core, name) is getattr(notebook, name) for name in core.__all__)  # type: ignore[attr-defined]
    for wrong in ("leaderbord", "offered", "judging_", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"no attribute '{wrong}'"):
            getattr(core, wrong)


def test_editors_read_the_types_of_what_there_is() -> None:
    text = document_types.write_stub()
    assert document_types.STUB.read_text(encoding="utf-8") == text, "python -m tests.document_types"
    tree = ast.parse(text)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    given = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert {*defined, *given} >= set(core.__all__)  # type: ignore[attr-defined]
    words = {word.arg: word for word in defined["accuracy"].args.kwonlyargs}
    kinds = {name: ast.unparse(word.annotation) for name, word in words.items() if word.annotation}
    assert (kinds["against"], kinds["judges"]) == ("str", "str | Iterable[str]")
    assert {field.name for field in fields(AccuracySettings)} < set(words)


def test_own_words_are_not_those_of_a_request(store: core.Store) -> None:
    """`scores` of a correlation is a rater; that of a Selection lets scorers compare."""
    core.judge(store, "baseline:rouge1", dataset=NEWS, attributes="coherence")
    of = {"dataset": NEWS, "against": "baseline:rouge1", "level": "pool", "bootstrap": 0}
    assert "compared" not in core.correlate(store, scores="baseline:rouge1", **of).signature


def test_every_function_says_what_it_takes() -> None:
    functions = [getattr(core, name) for name in core.__all__ if name.islower()]  # type: ignore[attr-defined]
    for function in functions:
        assert function.__doc__, function
        assert next(iter(inspect.signature(function).parameters)) in ("store", "result", "paths")
    words = inspect.signature(core.leaderboard).parameters
    assert (words["bootstrap"].default, words["bootstrap"].annotation) == (100, int)
    assert inspect.signature(core.consistency).parameters["bins"].default == 4
    given = inspect.getdoc(core.leaderboard).partition("Args:\n")[2]
    described = set(re.findall(r"^ {4}(\w+): \w", given, re.MULTILINE))
    elsewhere = {"store", "requests", "dataset", "items", "pairs"}  # not on the command line
    assert set(words) - described == elsewhere


def test_a_request_by_its_fields_is_the_request_given_whole(store: core.Store) -> None:
    selection = core.Selection(NEWS, judges=("baseline",), seed=3)
    settings = core.RankSettings("elo", bootstrap=20)
    whole = boards.leaderboard(store, selection, settings)
    by_elo = {"method": "elo", "bootstrap": 20}
    words = core.leaderboard(store, dataset=NEWS, judges="baseline", seed=3, **by_elo)
    mixed = core.leaderboard(store, selection, **by_elo)
    for result in (words, mixed):
        assert isinstance(result, core.Finding)
        assert result.signature == whole.signature
        pd.testing.assert_frame_equal(result.rows, whole.rows)


def test_a_notebook_shows_a_result_as_a_table(store: core.Store) -> None:
    board = core.leaderboard(store, dataset=NEWS, judges="baseline", bootstrap=0)
    shown = replace(board, rows=board.rows.replace("wren", "<b>wren</b>"))._repr_html_()
    assert "&lt;b&gt;wren" in shown
    assert f"<code>{board.signature}</code>" in shown


def test_what_nobody_takes_or_would_be_passed_over_is_refused(store: core.Store) -> None:
    with pytest.raises(TypeError, match=r"leaderboard .*'metod'.* dataset, .*method"):
        core.leaderboard(store, dataset=NEWS, metod="elo")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"consistency .*'bin'.*bins"):
        core.consistency(store, dataset=NEWS, bin=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes no 'budget'"):
        core.judge(store, "baseline:rouge1", dataset=NEWS, budget=3)
    selection = core.Selection(NEWS, judges=("baseline",))
    whole = r"leaderboard .*Selection, RankSettings"
    for given in ("no-such-data-set", core.Finding):
        with pytest.raises(TypeError, match=whole):
            core.leaderboard(store, given, dataset=NEWS)
    with pytest.raises(TypeError, match=whole):
        core.leaderboard(store, selection, core.Selection("sample-dialogues"))
    with pytest.raises(TypeError, match=r"'attribute'.* method, "):
        core.leaderboard(store, selection, attribute="coherence")


def test_one_data_set_need_not_be_named(store: core.Store, tmp_path: Path) -> None:
    with pytest.raises(core.TandemError, match="sample-news, sample-dialogues"):
        core.leaderboard(store, judges="baseline")
    table = tmp_path / "texts.csv"
    table.write_text("item,context,system,text\ni,c,short,Hi.\ni,c,long,Hello there.\n")
    with core.Store(tmp_path / "one.sqlite3") as one:
        with pytest.raises(core.TandemError, match=r"\bstore\b.*\bempty\b"):
            core.describe(one)
        with pytest.raises(core.TandemError, match=r"no row of texts\.csv can be used"):
            core.import_files(one, table, "greetings", layout="summeval")
        report = core.import_files(one, table, "greetings", candidate_noun="greeting")
        assert report.counts["generations"] == 2
        assert core.judge(one, "baseline:longer").done == 2
        assert core.judge(one, "baseline:longer").already_there == 2
        assert core.leaderboard(one, judges=["baseline"]).rows["system"].tolist()[0] == "long"
        core.export(one, "judgements", tmp_path / "votes.csv", judges="baseline")
        assert len(pd.read_csv(tmp_path / "votes.csv")) == 2
        pairs = core.export(one, "trl", tmp_path / "pairs.jsonl", judges="baseline")
        assert len(pairs) == len((tmp_path / "pairs.jsonl").read_text().splitlines()) == 2
        assert "chosen" in pairs
        with pytest.raises(core.TandemError, match="unknown export 'votes'"):
            core.export(one, "votes")


def test_a_judge_of_marks_marks(store: core.Store) -> None:
    run = core.judge(store, "baseline:rouge1", dataset=NEWS, attributes="coherence")
    assert run.done == run.planned > 0
    board = core.leaderboard(store, dataset=NEWS, judges="baseline:rouge1", bootstrap=0)
    assert len(board.rows) == 4
    pool = {"against": "baseline:rouge1", "level": "pool", "bootstrap": 0}
    result = core.correlate(store, dataset=NEWS, scores="baseline:rouge1", **pool)
    assert result.rows["spearman"].iloc[0] == pytest.approx(1)
    against = {"dataset": NEWS, "judges": "baseline"}
    held = core.correlation(store, **pool, **against)
    right = core.accuracy(store, against="scores", rater="baseline:rouge1", **against)
    for result in (held, right):
        assert core.chart(result).to_dict()["layer"]


def test_results_become_the_charts_of_the_pages(store: core.Store) -> None:
    of = {"dataset": NEWS}
    apart = core.separability(store, metric="rouge1", systems=["wren", "heron"], over="pair", **of)
    assert apart.rows["system_a"].unique().tolist() == ["wren"]
    binned = core.agreement(store, by_separability="rouge1", **of)
    assert "separability" in set(binned.tables["by"]["by"])
    assert "|separability:rouge1" in core.bias(store, by_separability="rouge1", **of).signature
    with pytest.raises(core.TandemError, match=r"\bno bleu\b.*similarities"):
        core.bias(store, by_separability="bleu", **of)
    board = core.leaderboard(store, judges="baseline", **of)
    for result in (board, core.agreement(store, **of), core.bias(store, **of), apart):
        for theme in ("light", "dark"):
            drawn = core.chart(result, theme=theme).to_dict()
            assert drawn.get("spec", drawn)["layer"]  # of columns of attributes, each has them
    rows = pd.DataFrame({"judge": [], "who": []})
    with pytest.raises(core.TandemError, match=r"chart.* judge, who"):
        core.chart(replace(apart, rows=rows, columns=(), picture=""))


def test_consistency_has_the_chart_of_its_page(tmp_path: Path) -> None:
    """A bar and a whisker for each bin of separability; without, for each of four figures."""
    with core.Store(tmp_path / "s.sqlite3") as store:
        core.load_sample(store)
        core.judge(store, "baseline:rouge1", dataset=NEWS, samples=3)
        of = {"dataset": NEWS, "judges": "baseline:rouge1"}
        core.separability(store, metric="rouge1", dataset=NEWS)
        held = core.consistency(store, metric="rouge1", bins=3, **of)
        assert "bins:3 by quantile" in held.signature
        whole = core.consistency(store, **of)
        assert "bins" not in whole.signature
        for result, bars in ((held, len(held.facts["bins"])), (whole, 4)):
            drawn = picture(core.chart(result), "svg")
            assert drawn.count(b'aria-roledescription="bar"') == bars > 1
            assert drawn.count(b'aria-roledescription="rule mark"') == bars


def test_a_file_that_can_be_read_in_two_ways_names_a_way_out_that_exists(tmp_path: Path) -> None:
    table = tmp_path / "v.csv"
    table.write_text(
        "item,system_a,system_b,winner,timestamp\n" + "i,B,C,B,03/04/2024\nj,C,B,B,04/03/2024\n" * 2
    )
    reading: dict[str, Any] = {}
    missing = {"dates": "day-first", "codes": core.Codes(means="system")}
    for said, name in (("dates day-first", "dates"), ("Codes.means system", "codes")):
        with core.Store(":memory:") as store:
            with pytest.raises(core.TandemError, match=said):
                core.import_files(store, table, "d", **reading)
            with pytest.raises(core.TandemError, match=said):
                core.rank_votes(table, method="elo", **reading)
        reading[name] = missing[name]
    with core.Store(":memory:") as store:
        assert core.import_files(store, table, "d", **reading).added["judgements"] == 4
        stored = core.leaderboard(store, method="elo", bootstrap=0).rows
    counted = core.rank_votes(table, method="elo", bootstrap=0, **reading).rows
    for rows in (stored, counted):
        assert dict(zip(rows["system"], rows["wins"], strict=True)) == {"B": 4, "C": 0}
    with pytest.raises(core.TandemError, match=r"'dmy'.* day-first, month-first, year-first"):
        core.rank_votes(table, dates="dmy")


def test_votes_in_files_are_ranked_and_drawn_without_a_store(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("left,right,winner\n" + "x,y,L\n" * 30 + "x,y,R\n" * 10)
    how = {"codes": core.Codes(("L",), ("R",)), "method": "win-ratio", "bootstrap": 20}
    result = core.rank_votes(tmp_path / "*.csv", **how)
    shares = dict(zip(result.rows["system"], result.rows["rating"], strict=True))
    assert shares == {"x": 0.75, "y": 0.25}
    assert core.chart(result).to_dict()
    with pytest.raises(TypeError, match=r"rank_votes .*'metod'.*method"):
        core.rank_votes(tmp_path / "v.csv", metod="elo")
