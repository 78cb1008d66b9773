"""What a report says is what the command line says, and it asks for nothing else."""

from __future__ import annotations

import io
import json
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pandas as pd
import pytest
from lxml import html
from playwright.sync_api import Browser

import core
from core import campaigns, sample_study
from core.__main__ import main
from core.campaigns import enrol
from core.findings.judgements import Selection
from core.pairing import open_default
from core.records import Answer, Attribute, Dataset, Generation, Outcome, TandemError
from core.reporting import FORMATS, Report, ReportScope, archive, compile_report, page, save
from core.reporting.prose import bibliography, latex_text, works
from core.statistics import RATINGS
from core.store import Store
from tests.cli.asked import Call, document
from tests.findings.tables import load
from tests.pages.conftest import browser_type_launch_args as browser_type_launch_args  # a fixture
from tests.sentence_facts import list_figures
from tests.study import DATASET, add_texts, ask, fill

FIGURE = re.compile(r"(-?[\d,.]+)(%?)(?: ?\((-?[\d,.]+) to (-?[\d,.]+)\))?")


def tables(text: str) -> dict[str, pd.DataFrame]:
    """Every table of a page by its name, as texts."""
    found = {}
    for table in html.fromstring(text).iter("table"):
        rows = [[cell.text_content().strip() for cell in row] for row in table.iter("tr")]
        found[table.get("id").removeprefix("table-")] = pd.DataFrame(rows[1:], columns=rows[0])
    return found


def told(cell: str) -> Iterator[tuple[float, float]]:
    """The figures of a cell, each with half a unit of its last digit."""
    match = FIGURE.fullmatch(cell)
    assert match, cell
    share = 100 if match[2] else 1
    for number in (match[1], match[3], match[4]):
        if number is not None:
            digits = len(number.partition(".")[2])
            yield float(number.replace(",", "")) / share, 0.5 * 10**-digits / share


def assert_told(cell: str, *figures: float | None) -> None:
    """That a cell says these figures, rounded as it rounds; a dash says that there is none."""
    known = [figure for figure in figures if figure is not None]
    if cell == "–":
        assert figures[0] is None
        return
    said = list(told(cell))
    assert len(said) == len(known), (cell, figures)
    for (value, half), figure in zip(said, known, strict=True):
        assert abs(value - figure) <= half * 1.0001, (cell, figures)


def interval(name: str) -> tuple[str, ...]:
    return name, f"{name}_low", f"{name}_high"


COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "leaderboard": {
        "Rating (95%)": ("rating", "low", "high"), "Rank (95%)": interval("rank"),
        "Judgements": ("judgements",), "Wins": ("wins",), "Ties": ("ties",), "Losses": ("losses",),
    },
    "agreement-pairs": {
        "Verdicts": ("verdicts",), "Same verdict (95%)": interval("agreement"),
        "Cohen's kappa (95%)": ("kappa", "low", "high"),
    },
    "bias-position": {
        "Answers": ("comparisons",), "Chose the first (95%)": ("p_first", "low", "high"),
        "Ties (95%)": ("tie_rate", "tie_low", "tie_high"),
        "Pairs in both orders": ("pairs_both_orders",),
    },
    "bias-length": {
        "Answers": ("comparisons",), "Chose the longer (95%)": interval("longer"),
        "Odds if twice as long (95%)": ("odds", "low", "high"),
    },
    "correlation": {
        "Spearman (95%)": interval("spearman"), "Kendall's tau-b (95%)": interval("kendall"),
        "Pearson (95%)": interval("pearson"), "Pairs in order (95%)": interval("pair_accuracy"),
        "Items": ("n",),
    },
}  # fmt: skip
"""table -> column -> the keys of the command's document it tells."""


def compare(
    columns: dict[str, tuple[str, ...]], shown: pd.DataFrame, rows: list[dict[str, Any]], *keys: str
) -> None:
    """Every figure of a table's columns against the rows of a document, found by the names in a row."""
    of = {tuple(str(row[key]) for key in keys): row for row in rows}
    assert len(of) == len(rows) == len(shown)
    for cells in shown.to_dict("records"):
        row = of[tuple(str(cells[key]) for key in list(shown)[: len(keys)])]
        for column, figures in columns.items():
            assert_told(cells[column], *(row[figure] for figure in figures))


def test_every_figure_is_that_of_the_command_line(
    studied: Path, whole: Report, call_on: Call
) -> None:
    assert set(whole.left_out) == {"together", "plan"}, "people scored six items, of ten it takes"
    shown, bias = tables(page(whole)), document(call_on, studied, "bias")
    words = ("--table", "win-ratio", "--against", "human", "--level", "item")
    for name, rows, *keys in (
        *((f"leaderboard-{kind}", document(call_on, studied, "rank", "--judges", kind)["rows"], "system")
          for kind in ("human", "baseline")),
        ("agreement-pairs", document(call_on, studied, "agreement")["pairs"], "judge_1", "judge_2"),
        ("bias-position", bias["rows"], "judge"), ("bias-length", bias["lengths"], "judge"),
        ("correlation", document(call_on, studied, "correlate", *words)["rows"], "judge"),
    ):  # fmt: skip
        compare(COLUMNS["leaderboard" if keys == ["system"] else name], shown[name], rows, *keys)
    for finding, words in (
        ("agreement", ()),
        ("bias", ()),
        ("separability", ("--metric", "rouge1")),
    ):
        said = document(call_on, studied, finding, *words)
        assert whole.document()[finding] == said
    pairs = shown["separability"]
    means = pd.DataFrame(said["items"]).groupby(["system_a", "system_b"])["separability"]
    for row in pairs.to_dict("records"):
        assert_told(row["Mean separability"], means.mean()[row["System"], row["And"]])


def test_settings_of_its_findings_are_those_of_their_commands(
    studied: Path, call_on: Call, tmp_path: Path
) -> None:
    """A report with `--set COMMAND.OPTION=VALUE` has what the command says with that option."""
    asked = {
        "accuracy-scores": ("accuracy", "against=scores", "debias=swap"),
        "agreement": ("agreement", "over=items", "by-separability=rouge1"),
        "correlation": ("correlate", "level=pool", "bootstrap=40"),
        "separability": ("separability", "metric=rouge1", "over=pair"),
    }
    words = [f"{command}.{option}" for command, *options in asked.values() for option in options]
    document(call_on, studied, "report", "--out", str(tmp_path), "--set", *words)
    told = json.loads((tmp_path / "report.json").read_text())
    assert not {"accuracy-gold", "accuracy-human"} & set(told)
    further = {"correlate": ("--table", "win-ratio", "--against", "human")}
    for name, (command, *options) in asked.items():
        given = [f"--{option}" for option in options]
        alone = document(call_on, studied, command, *further.get(command, ()), *given)
        assert told[name] == alone
    methods = (tmp_path / "methods.md").read_text()
    assert re.search(r"\bscores and debias swap\b", methods)


def test_what_a_command_refuses_a_report_refuses(
    studied: Path, call_on: Call, tmp_path: Path
) -> None:
    page_of = tmp_path / "report.html"
    for word, named in (
        ("budget.reference=human", "budget"), ("accuracy.against=silver", "silver"),
        ("accuracy.strict=1", "strict"), ("accuracy.against", "against"), ("accuracy", "accuracy"),
        ("correlate.level=text", "text"), ("accuracy.epsilon=-1", "-1"),
        ("accuracy.epsilon=5", "5"),
    ):  # fmt: skip
        words = ("report", "--html", str(page_of), "--set", word, "accuracy.debias=swap")
        status, out, err = call_on(studied, *words)
        assert (status, out, page_of.exists()) == (2, "", False), word
        assert named in err
        assert err.count("\n") == 1


def test_a_notebook_names_settings_of_a_report_that_there_are(studied: Path) -> None:
    with Store(studied) as store:
        for chosen, named in (
            ({"budget": {"top": 1}}, "'budget'"),
            ({"accuracy": {"strict": 1}}, "strict"),
            ({"accuracy": {"against": "nonsense"}}, "nonsense"),
        ):
            with pytest.raises(TandemError, match=named):
                core.report(store, chosen=chosen)
        made = core.report(store, chosen={"accuracy": {"against": "scores"}})
    assert "accuracy-scores" in made.document()


def test_the_methods_count_as_one_counts_by_hand(whole: Report) -> None:
    """Two people answered three of four pairs on six items; the longer one both orders of two pairs
    on six items, the coin six comparisons on six items.
    """
    text = " ".join(html.fromstring(page(whole)).text_content().split())
    assert re.search(r"\b2 people [^.]*\b36 votes; 12 of 48 \(25%\) [^.]*\bunanswered\.", text)
    assert re.search(r"\bbaseline:longer [^.]*\b24 comparisons; none\b", text)
    assert re.search(r"\bbaseline:random [^.]*\b36 comparisons; none\b", text)
    assert re.search(r"\(strategy symmetric, 4 comparisons\b[^)]*\bseed 0\)", text)
    assert "3 systems on 6 items of d" in text


def test_a_page_asks_for_nothing(whole: Report) -> None:
    text = page(whole)
    tree = html.fromstring(text)
    assert not list(tree.iter("script", "iframe", "object", "embed", "img", "base", "form"))
    links = [value for _, name, value, _ in tree.iterlinks() if not value.startswith("#")]
    assert links == ["data:,"]
    assert all(used.startswith("#") for used in re.findall(r"url\(([^)]*)\)", text))
    ids = [one.get("id") for one in tree.iter() if one.get("id")]
    assert len(ids) == len(set(ids))


def test_a_folder_and_an_archive_hold_the_same(whole: Report, tmp_path: Path) -> None:
    written = save(whole, tmp_path / "out")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in written}
    suffixes = {".html", ".csv", ".svg", ".tex", ".md", ".bib", ".json"}
    assert {Path(name).suffix for name in names} == suffixes
    with zipfile.ZipFile(io.BytesIO(archive(whole))) as held:
        assert {name.removeprefix("report/") for name in held.namelist()} == names
        page_of = held.read("report/report.html")
    assert page_of == (tmp_path / "out" / "report.html").read_bytes()
    board = pd.read_csv(tmp_path / "out" / "tables" / "leaderboard-human.csv")
    rows = whole.document()["leaderboard-human"]["rows"]
    assert board["rating"].tolist() == pytest.approx([row["rating"] for row in rows])
    from core.cli import findings as report

    assert tuple(FORMATS) == report.FORMATS


def test_a_second_report_takes_the_place_of_the_first(whole: Report, tmp_path: Path) -> None:
    save(whole, tmp_path, ("csv", "bibtex"))
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "contents.txt").open("a").write("../../outside.csv\nmine.txt\n")
    save(whole, tmp_path, ("bibtex",))
    assert not list((tmp_path / "tables").iterdir())
    assert (tmp_path / "references.bib").exists()
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Three people on 30 items: Ada and Bo prefer x to y to z, Cy says the opposite each time."""
    rows = ["item,left,right,winner,judge,timestamp"]
    for item in range(30):
        for place, (left, right) in enumerate([("x", "y"), ("y", "z"), ("z", "x")]):
            better = "b" if (left, right) == ("z", "x") else "a"
            slips = (item + place) % 5 == 0
            for day, judge in enumerate(("Ada", "Bo", "Cy"), start=1):
                is_turned = (judge == "Cy") != slips
                winner = "ab"["ba".index(better)] if is_turned else better
                rows.append(f"i{item},{left},{right},{winner},{judge},2026-03-0{day}T09:00:00")
    with Store(tmp_path_factory.mktemp("trusted") / "store.sqlite3") as store:
        return compile_report(load(store, rows), ReportScope(Selection("d"), names=True))


def test_a_report_opens_with_who_voted_when_and_what_changes_without_whom(trusted: Report) -> None:
    """Cy's votes misfit, and are named; without them x leads from the 180 votes of the others."""
    assert next(iter(trusted.chapters)) == trusted.sections[0].chapter
    data, voted = trusted.sections[:2]
    judges = data.tables[0].frame[["judge", "when", "answered"]]
    assert judges.to_numpy().tolist() == [
        ["Ada", "2026-03-01", 90], ["Bo", "2026-03-02", 90], ["Cy", "2026-03-03", 90],
    ]  # fmt: skip
    assert re.search(r"\bCy\b", voted.lead)
    without = voted.further[-1]
    assert re.match(r"Without Cy: x\b", without)
    assert 180 in list_figures(without)


def test_an_empty_data_set_and_two_systems_have_a_report(store: Store) -> None:
    fill(store, items=2)
    empty = compile_report(store, ReportScope(Selection(DATASET)))
    assert [section.title for section in empty.sections] == [empty.sections[0].title]
    assert empty.left_out == {}
    assert html.fromstring(page(empty)).find(".//table") is not None


@pytest.mark.slow
def test_the_sample_study_is_six_pages_and_right_on_a_phone(
    tmp_path: Path, browser: Browser
) -> None:
    with Store(tmp_path / "store.sqlite3") as store:
        dataset, *_ = sample_study.load(store)
        text = page(compile_report(store, ReportScope(Selection(dataset))))
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    opened = context.new_page()
    opened.set_content(text)
    width = opened.evaluate("document.documentElement.scrollWidth")
    drawn = opened.evaluate("[...document.querySelectorAll('svg')].map(one => one.getBBox().width)")
    printed = opened.pdf(prefer_css_page_size=True)
    context.close()
    assert width == 390
    assert min(drawn) > 200
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6


HOSTILE = (
    "<script>alert(1)</script>", "a|b & 50%_$x^2$ {\\input{/etc/passwd}}", "=1+1\u202etxt",
    "[x] *--",
)  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("hostile")
    with Store(folder / "store.sqlite3") as store:
        name = "<img src=x onerror=alert(1)>"
        about = Dataset(name, source="<b>somewhere</b>")
        texts = [Generation(f"i{i}", one, 0, "word " * (1 + place))
                 for i in range(4) for place, one in enumerate(HOSTILE)]  # fmt: skip
        attributes = [Attribute("a</title>b", "", "Which </p> one?")]
        add_texts(store, about, texts, attributes=attributes)
    store_path = str(folder / "store.sqlite3")
    assert main(["--store", store_path, "judge", "--judge", "baseline:longer"]) == 0
    with Store(folder / "store.sqlite3") as store:
        return compile_report(store, ReportScope(Selection(name)))


def test_hostile_names_are_words(hostile: Report, tmp_path: Path) -> None:
    tree = html.fromstring(page(hostile))
    assert not list(tree.iter("script", "img"))
    assert not [bold for bold in tree.iter("b") if bold.text_content() == "somewhere"]
    assert len(list(tree.iter("title"))) == 1
    board = tables(page(hostile))["leaderboard-baseline"]
    letters = {re.sub("[\u2066-\u2069]", "", name) for name in board["System"]}
    assert letters == set(HOSTILE)
    save(hostile, tmp_path)
    tex = (tmp_path / "tables" / "leaderboard-baseline.tex").read_text()
    assert r"a\textbar{}b \& 50\%\_\$x\textasciicircum{}2\$ \{\textbackslash{}input\{" in tex
    assert {line.count(" & ") for line in tex.splitlines() if line.endswith(r" \\")} == {6}
    rows = (tmp_path / "tables" / "leaderboard-baseline.md").read_text().splitlines()[2:]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {8}
    assert "'=1+1" in (tmp_path / "tables" / "leaderboard-baseline.csv").read_text()


def test_a_name_means_itself_in_latex() -> None:
    """As the Comprehensive LaTeX Symbol List writes these signs."""
    for name, written in (
        ("a&b 50% $5 #1 x_y {z} ~ ^ \\", r"a\&b 50\% \$5 \#1 x\_y \{z\} \textasciitilde{} "
         r"\textasciicircum{} \textbackslash{}"),
        ("<b>|", r"\textless{}b\textgreater{}\textbar{}"),
        # Behind the end of a row TeX takes [ for a length and swallows a star.
        ("[x] * y", "{[}x{]} {*} y"),
        # Two of these in a row are one sign in TeX's fonts: a dash, quotes.
        ("a--b ---c", "a-{}-b -{}-{}-c"),
        ("''x,,", "'{}'x,{},"),
        ("?`x`", r"?\textasciigrave{}x\textasciigrave{}"),
        ("\u2212 \u2265 – é 李", r"$-$ $\geq$ -- é 李"),
        ("a\x1b\n\u202eb\u00a0c", "a b c"),
    ):  # fmt: skip
        assert latex_text(name) == written


@pytest.mark.slow
@pytest.mark.skipif(which("pdflatex") is None, reason="pdflatex is not installed")
def test_tex_compiles_hostile_tables_and_methods(hostile: Report, tmp_path: Path) -> None:
    """No error of TeX, no citation without its entry."""
    save(hostile, tmp_path)
    tables_of = sorted((tmp_path / "tables").glob("*.tex"))
    inputs = ["\\input{methods}", *(f"\\input{{tables/{each.stem}}}" for each in tables_of)]
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,graphicx,natbib}"
        "\\begin{document}" + "\n".join(inputs) + "\\bibliographystyle{plainnat}"
        "\\bibliography{references}\\end{document}"
    )
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all"]
    for words in (tex, ["bibtex", "all"], tex, tex):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / "all.log").read_text(errors="replace")
    assert "undefined" not in log
    tables_alone = log[log.rindex("(./tables/") :]
    assert "Overfull" not in tables_alone


def test_everything_cited_is_in_the_bibliography(whole: Report) -> None:
    keys = whole.methods.keys
    assert {"cohen1960coefficient", "ghosh2024compare"} <= set(keys)
    assert set(re.findall(r"^@\w+\{(\w+),$", bibliography(keys), re.MULTILINE)) == set(keys)
    for method in RATINGS.values():
        assert set(method.cites) <= set(works()), method.name
    for key, work in works().items():
        assert {"author", "title", "year"} <= set(work.fields), key
        assert work.entry.count("{") == work.entry.count("}"), key


def test_names_of_people_stay_in_the_house(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        fill(store)
        open_default(store, DATASET)
        for name, most in (("Zebulon Quux", 7), ("Ada", 2)):
            enrol(store, name)
            for _ in range(most):
                shown = ask(store, name)
                outcome = list(Outcome)[shown.generation_a % 3]
                campaigns.answer(store, name, shown, Answer(outcome))
        store.exclusions.add(DATASET, "Ada", reason="clicks", by="me")
    words = ["--store", str(path), "report", "--out", str(tmp_path / "out")]
    assert main(words) == 0
    every = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "out").rglob("*.*"))
    assert "Zebulon" not in every
    assert not re.search(r"\bAda\b", every)
    assert "person-1" in every
    assert main([*words, "--names", "--judges", "Zebulon Quux"]) == 0
    assert "Zebulon Quux" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    with Store(path) as store:
        log = store.audit.load_all()
        with_names = log.loc[log["action"] == "export", "details"].str.contains("with names")
    assert with_names.tolist() == [True, False]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_that_cannot_be_made_is_refused(
    studied: Path, elsewhere: Path, call_on: Call
) -> None:
    for words, said in (
        ("", "--html FILE, --out FOLDER"), ("--html nowhere/r.html", "there is no folder nowhere"),
        ("--html .", "is a folder: name a file in it"),
        ("--html r.html --formats csv", "add --out FOLDER"),
        (f"--out {__file__}", "is a file: name a folder"),
        ("--html r.html --systems q", "unknown system"),
        ("--html r.html --systems x", "--systems x is one system"),
        ("--html r.html --judges baseline Adda", "no judgements by 'Adda' here"),
    ):  # fmt: skip
        status, out, err = call_on(studied, "report", *words.split())
        assert (status, out) == (2, ""), words
        assert said in err
        assert not list(elsewhere.iterdir())


def test_what_cannot_be_told_is_said(studied: Path) -> None:
    """A judge alone agrees with nobody, and has no majority to be right by."""
    with Store(studied) as store:
        chosen = Selection("d", judges=("baseline:random",))
        alone = compile_report(store, ReportScope(chosen, against="nobody"))
    titles = [section.title for section in alone.sections]
    assert any(title.endswith(" baseline:random") for title in titles)
    assert "Agreement" not in titles
    assert re.match(r"no scores\b.*'nobody'", alone.left_out["correlation"])
    assert alone.left_out["correlation"] in html.fromstring(page(alone)).text_content()
