"""One number everywhere: for the same data set and no settings, every door quotes the same finding.

A finding is computed once by its function in a notebook. Its sentences, figures and signature must
be those of its command, of its page, and of the report, as a document and as HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.catalogue import FINDINGS
from core.cli import COMMANDS, parse
from core.cli.output import CommandAnswer
from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import choose_first_board
from core.findings.separability import choose_metric
from core.labels import shorten_judges
from core.notebook import ASKED
from core.records import TandemError
from core.rendering import Column, Place, is_empty, is_read
from core.reporting import Report, ReportScope, compile_report, page
from core.reporting.sections import Section
from core.runs import worker
from core.store import Store
from tests.paths import ROOT
from tests.three_studies import MARKED, fill

SEEN = 8  # rows of a table that every door shows


@dataclass(frozen=True)
class Doors:
    """A store, its data set, and everything that the doors say of it, each asked once."""

    path: Path
    dataset: str
    drawn: dict[str, AppTest] = field(default_factory=dict)

    def ask(self, *words: str) -> CommandAnswer:
        """Answer a command, as `main` does."""
        args = parse([*words, "--dataset", self.dataset])
        task = COMMANDS[args.command].read(replace_store(args, self.path))
        with Store(self.path) as store:
            return task.answer(store)

    def find(self, name: str, judges: tuple[str, ...]) -> Finding | str:
        """Compute a finding as a notebook does, or say why it is refused."""
        try:
            with Store(self.path) as store:
                return ASKED[name](store, dataset=self.dataset, judges=judges)
        except TandemError as refusal:
            return read_reason(refusal)

    def draw(self, file: str, chosen: Mapping[str, str]) -> AppTest:
        """Draw a page with no choice made but its section or view."""
        key = f"{file} {chosen}"
        if key not in self.drawn:
            app = AppTest.from_file(ROOT / "app.py", default_timeout=300)
            if file != "app.py":
                app.switch_page(file)
            app.query_params["dataset"] = self.dataset
            app.query_params.update(chosen)
            app.run()
            assert not app.exception, (file, app.exception)
            self.drawn[key] = app
        return self.drawn[key]

    @cached_property
    def first_board(self) -> tuple[str, ...]:
        """Whose leaderboard a reader sees first."""
        with Store(self.path) as store:
            return choose_first_board(store, Selection(self.dataset)).judges

    @cached_property
    def is_measured(self) -> bool:
        """Whether there are similarities."""
        with Store(self.path) as store:
            return choose_metric(store, self.dataset) != ""

    @cached_property
    def report(self) -> Report:
        """The report with people's names, so that it can be compared word by word."""
        with Store(self.path) as store:
            return compile_report(store, ReportScope(Selection(self.dataset), names=True))

    @cached_property
    def html(self) -> str:
        """The report's page, as a reader reads it."""
        return read_text(page(self.report))


def replace_store(args: Any, path: Path) -> Any:
    args.store = path
    return args


@dataclass(frozen=True)
class Case:
    """A finding at its doors: the words of its command and the pages that quote it.

    `chosen` opens the part of a page. `documents` are its names in the report, where it has a
    section. With `is_table` its page shows the rows. Pages `beside` quote its first sentence.
    """

    command: tuple[str, ...]
    page: str
    documents: tuple[str, ...] = ()
    is_table: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()


CASES: dict[str, Case] = {
    "leaderboard": Case(
        ("rank",), "pages/leaderboard.py", ("leaderboard-",), is_table=True, beside=("app.py",)
    ),
    "agreement": Case(
        ("agreement",), "pages/judges.py", ("agreement",), is_table=True, beside=("app.py",)
    ),
    "bias": Case(
        ("bias",), "pages/judges.py", ("bias",), is_table=True, chosen={"section": "bias"},
        beside=("app.py",),
    ),
    "accuracy": Case(
        ("accuracy",), "pages/judges.py", ("accuracy-",), chosen={"section": "accuracy"}
    ),
    "correlation": Case(
        ("correlate", "--table", "win-ratio"), "pages/judges.py", ("correlation",),
        chosen={"section": "correlation"},
    ),
    "separability": Case(("separability",), "pages/separability.py", ("separability",)),
    "combine": Case(("combine",), "pages/together.py", ("together",), is_table=True),
    "plan": Case(("plan",), "pages/together.py", ("plan",), chosen={"section": "plan"}),
    "budget": Case(("budget",), "pages/together.py", chosen={"section": "budget"}),
    "annotators": Case(
        ("annotators",), "pages/people.py", ("annotators",), chosen={"section": "annotators"}
    ),
}  # fmt: skip


@pytest.fixture(scope="module", params=MARKED)
def doors(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Doors]:
    path = tmp_path_factory.mktemp(request.param) / "store.sqlite3"
    dataset = fill(request.param, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TANDEM_STORE", str(path))
        patch.setenv("TANDEM_TRACEBACK", "1")
        patch.setattr(worker, "ensure", lambda path: None)
        yield Doors(path, dataset)


@pytest.mark.parametrize("name", CASES)
def test_all_doors_quote_one_finding(doors: Doors, name: str) -> None:
    case = CASES[name]
    judges = doors.first_board if name == "leaderboard" else ()
    words = (*case.command, *(("--judges", *judges) if judges else ()))
    if name == "separability" and not doors.is_measured:
        pytest.skip("no similarity is measured here: a command would do so, a page would ask")
    result = doors.find(name, judges)
    if isinstance(result, str):
        with pytest.raises(TandemError) as refused:
            doors.ask(*words)
        assert read_reason(refused.value) == result
        doors.draw(case.page, case.chosen)
        assert find_sections(doors.report, case) == []
        return
    sentences = [one for one in FINDINGS[name].describe(result) if one]
    answer = doors.ask(*words)
    check_command(answer, result, sentences)
    check_page(doors, case, result, sentences)
    if case.documents:
        check_report(doors, case, result, sentences)


def check_command(answer: CommandAnswer, result: Finding, sentences: list[str]) -> None:
    """Its document is the finding's, and its text has the sentences."""
    document, expected = (
        json.loads(json.dumps(one)) for one in (answer.document, result.document())
    )
    for notes in (document, expected):
        del notes["notes"]  # each door calls a setting by its own word for it
    assert {key: document.get(key) for key in expected} == expected
    for sentence in sentences:
        assert shorten_judges(sentence) in answer.text


def check_page(doors: Doors, case: Case, result: Finding, sentences: list[str]) -> None:
    """It has the sentences, the figures of its table, and the signature."""
    app = doors.draw(case.page, case.chosen)
    text = read_page(app)
    for sentence in sentences:
        assert read_text(shorten_judges(sentence)) in text
    assert result.signature in [code.value for code in app.code]
    if case.is_table:
        check_figures(result.rows.head(SEEN), result.columns, text, apart=True)
    for file in case.beside:
        assert read_text(shorten_judges(sentences[0])) in read_page(doors.draw(file, {}))


def check_report(doors: Doors, case: Case, result: Finding, sentences: list[str]) -> None:
    """A section has the sentences as its lead, and the finding as its document."""
    section = next(
        one for one in find_sections(doors.report, case) if result.signature in one.signatures
    )
    documents = [json.loads(json.dumps(one)) for one in (section.documents or {}).values()]
    expected = json.loads(json.dumps(result.document()))
    assert expected | {"notes": []} in [one | {"notes": []} for one in documents]
    assert section.lead == " ".join(sentences)
    assert read_text(shorten_judges(section.lead)) in doors.html
    figures = [column for column in result.columns if column.interval]
    tables = [table for table in section.tables if set(result.rows) <= set(table.frame)]
    if figures and tables:
        listed = re.sub(r"\s+", " ", doors.html)
        check_figures(tables[0].frame.head(SEEN), result.columns, listed)


def check_figures(
    rows: pd.DataFrame, columns: Sequence[Column], text: str, *, apart: bool = False
) -> None:
    """A text has each figure of the rows with its interval, which stands `apart` on a page."""
    place = Place.SCREEN if apart else Place.PAPER
    rows = rows.assign(**{column.name: column.read_values(rows) for column in columns if column.of})
    for column in columns:
        if not column.interval or not is_read(rows, column, place):
            continue
        for row in rows.to_dict("records"):
            if apart and column.range_label and not is_empty(rows, column.low):
                written = f"{column.unit.write(row[column.name])} {column.write_range(row)}"
            else:
                written = column.write_with_range(row)
            assert read_text(written) in text, (column.name, written)


def find_sections(report: Report, case: Case) -> list[Section]:
    """The sections whose documents have one of the case's names, or begin with it."""
    return [
        section
        for section in report.sections
        for name in (section.documents or {})
        if any(
            name == one or (one.endswith("-") and name.startswith(one)) for one in case.documents
        )
    ]


def read_reason(error: TandemError) -> str:
    """What an error says, without the words of a door for its settings."""
    return re.sub(r"[^a-z ]", "", str(error).lower())


def read_page(app: AppTest) -> str:
    return read_text(" ".join(one.proto.body for one in app.get("html")))


def read_text(html: str) -> str:
    """The words of HTML, without marks for breaks and directions."""
    html = re.sub(r"<wbr ?/?>", "", html)
    plain = unescape(re.sub(r"<[^>]+>", " ", html)) if "</" in html else html
    return re.sub(r"\s+", " ", re.sub("[\u2066-\u2069]", "", plain)).strip()
