"""A report: its sections and methods paragraphs, and the parts it had to leave out; as one page of
HTML, which asks for nothing else (no script, no file, no address), and as files that a paper takes.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from .. import __version__
from ..exporting import for_spreadsheets
from ..findings.accuracy import REFERENCES
from ..findings.judgements import check_selection, check_systems, find_judges
from ..findings.lab import COLUMNS
from ..labels import isolate_directions, shorten_judges
from ..output_files import check_output, check_output_folder, may_replace, write_output
from ..records import FaultError, TandemError
from ..store import Store
from ..whole_files import make_write_error
from . import prose, results, trust
from .material import Material, ReportScope
from .methods import Methods, methods
from .prose import FOLDER, PAGES, bibliography, find_works, latex_text, markdown_text
from .sections import ReportTable, Section

CHAPTERS: dict[str, dict[str, Callable[[Material], Iterator[Section]]]] = {
    "Can it be trusted?": {"the data": trust.report_data, "annotators": trust.report_annotators},
    "Who is better?": {
        "whether it is settled": results.report_settled,
        "leaderboards": results.report_boards,
        "together": results.report_combination,
        "share": results.report_share,
        "plan": results.report_plan,
    },
    "The judges": {
        "agreement": results.report_agreement,
        "bias": results.report_biases,
        "probes": results.report_probes,
        "accuracy": results.report_accuracy,
        "correlation": results.report_correlation,
    },
    "The items": {"separability": results.report_separability},
}
"""What a report tells, in this order; a part without anything to tell yields no section."""


@dataclass(frozen=True)
class Report:
    """A report of a data set. `left_out` maps each part that could not be computed to the
    reason.
    """

    dataset: str
    sections: Sequence[Section]
    methods: Methods
    left_out: Mapping[str, str]

    @property
    def chapters(self) -> dict[str, list[Section]]:
        """The sections of each chapter."""
        return {
            chapter: [one for one in self.sections if one.chapter == chapter]
            for chapter in dict.fromkeys(one.chapter for one in self.sections)
        }

    @property
    def tables(self) -> list[ReportTable]:
        """All tables."""
        return [table for section in self.sections for table in section.tables]

    def document(self) -> dict[str, Any]:
        """Return the document of each result, as its own command writes it, by name."""
        documents: dict[str, Any] = {}
        for section in self.sections:
            documents |= section.documents or {}
        return documents


def compile_report(store: Store, request: ReportScope) -> Report:
    """The report of a request. Raises TandemError for a name the store does not have."""
    check_selection(store, request.selection)
    check_systems(request.selection, "a comparison needs two")
    if request.selection.judges:
        find_judges(store, request.selection)
    material = Material(store, request)
    sections: list[Section] = []
    left_out: dict[str, str] = {}
    for chapter, parts in CHAPTERS.items():
        for name, part in parts.items():
            try:
                sections += (replace(section, chapter=chapter) for section in part(material))
            except FaultError:
                raise
            except TandemError as error:
                left_out[name] = material.hide_in_sentences([str(error)])[0]
    return Report(material.dataset, sections, methods(material, sections), left_out)


LONGEST = 24  # letters of a word that is never broken


def page(report: Report) -> str:
    """The whole page. Everything that has a name of its own is escaped, charts apart, whose words
    their writer has escaped.
    """
    PAGES.filters |= {
        "isolated": isolate_directions,
        "shorten_judges": shorten_judges,
        "parted": split_interval,
        "breakable": breakable,
        "trusted": Markup,
    }
    methods = report.methods
    return PAGES.get_template("page.html").render(
        report=report,
        version=__version__,
        style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        paragraphs=[Markup(prose.html(one, methods.keys)) for one in methods.paragraphs],
        works=[work.line() for work in find_works(methods.keys).values()],
    )


def write_card(card: Mapping[str, Any], ending: str) -> str:
    """Write the card of a judge as `.html`, `.md` or `.json`; the first two hold the last, unseen.
    Raises TandemError for another ending.
    """
    if ending not in (".html", ".md", ".json"):
        raise TandemError(f"a card ends with .html, .md or .json, not with {ending!r}")
    plain = json.dumps(card, ensure_ascii=False, indent=1)
    hidden = plain.replace("--", "-\\u002d").replace("<", "\\u003c")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", plain)), default=0))
    figures = [column for column in COLUMNS if column.unit.is_figure]
    words = {"card": card, "judge": card["judge"], "figures": figures, "fence": fence}
    words["reference"] = REFERENCES.get(card["against"], "")
    page = PAGES.get_template(f"card{ending}") if ending != ".json" else None
    return page.render(words, hidden=hidden) if page else plain


def breakable(text: str) -> Markup:
    """Text that may be broken behind the joints of a name, and within what is longer than a column
    is wide.
    """
    joints = re.sub(rf"(?<=[|:/_·])|(?<=[^\s]{{{LONGEST}}})", "\0", isolate_directions(text))
    return Markup("<wbr>").join(joints.split("\0"))


def split_interval(text: str, side: str) -> tuple[str, str]:
    """A figure and its interval; words as they are."""
    figure, bracket, rest = text.partition(" (")
    return (figure, f"({rest}") if bracket and side == "right" else (text, "")


Files = Iterator[tuple[str, str]]

CONTENTS = "contents.txt"
"""Names the files that a report has written into its folder."""

SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
"""LaTeX for: made smaller where it is wider than the text."""

_OWN = re.compile(r"(?:(?:tables|figures)/)?[\w-]+\.(?:html|csv|svg|tex|md|bib|json)")


def _write_texts(
    report: Report,
    ending: str,
    write_table: Callable[[ReportTable], str],
    write_paragraph: Callable[[str], str],
) -> Files:
    for table in report.tables:
        yield f"tables/{table.name}.{ending}", write_table(table)
    yield f"methods.{ending}", "\n\n".join(map(write_paragraph, report.methods.paragraphs)) + "\n"


def _frame(table: ReportTable, escape: Callable[[str], str]) -> pd.DataFrame:
    titles = pd.Index([escape(title) for title in table.titles])
    return pd.DataFrame(table.rows, columns=titles, dtype=object).map(escape)


def latex(table: ReportTable) -> str:
    """A table for a paper that loads booktabs and graphicx, no wider than the text."""
    text = _frame(table, latex_text).to_latex(
        index=False,
        escape=False,
        caption=latex_text(table.caption),
        label=f"tab:{table.name}",
        position="t",
        column_format="".join(side[0] for side in table.alignment),
    )
    text = text.replace(r"\begin{tabular}", f"{SHRUNK}{{%\n\\begin{{tabular}}")
    return text.replace(r"\end{tabular}", r"\end{tabular}}")


def markdown(table: ReportTable) -> str:
    """A table with its caption above it."""
    text = _frame(table, markdown_text).to_markdown(
        index=False, colalign=table.alignment, disable_numparse=True
    )
    return f"{markdown_text(table.caption)}\n\n{text}\n"


_dump = partial(json.dumps, ensure_ascii=False, allow_nan=False, indent=1)
FORMATS: dict[str, Callable[[Report], Files]] = {
    "html": lambda report: iter([("report.html", page(report))]),
    "csv": lambda report: (
        (f"tables/{table.name}.csv", for_spreadsheets(table.frame)) for table in report.tables
    ),
    "svg": lambda report: (
        (f"figures/{one.name}.svg", one.svg) for of in report.sections for one in of.pictures
    ),
    "latex": lambda report: _write_texts(report, "tex", latex, prose.latex),
    "markdown": lambda report: _write_texts(report, "md", markdown, prose.markdown),
    "bibtex": lambda report: iter([("references.bib", bibliography(report.methods.keys))]),
    "json": lambda report: iter([("report.json", f"{_dump(report.document())}\n")]),
}
"""What a folder can hold, by its name."""


def files(report: Report, formats: Sequence[str] = tuple(FORMATS)) -> Iterator[tuple[str, bytes]]:
    """Yield all files of these formats: the path in the folder, and the content."""
    for name in formats:
        for path, text in FORMATS[name](report):
            yield path, text.encode()


def archive(report: Report, formats: Sequence[str] = tuple(FORMATS)) -> bytes:
    """The folder as a ZIP file."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archived:
        for name, content in files(report, formats):
            # a time of its own would make two archives of the same report differ
            archived.writestr(zipfile.ZipInfo(f"report/{name}"), content)
    return whole.getvalue()


def save(report: Report, folder: Path, formats: Sequence[str] = tuple(FORMATS)) -> list[Path]:
    """Write the files of these formats into a folder, created if missing, and return their paths.
    What an earlier report has written there, and this one has not, is removed; anything else stays.

    Raises TandemError as `check_output_folder` and `write_output` do.
    """
    check_output_folder(folder)
    before, made = _contents(folder), dict(files(report, formats))
    contents = {CONTENTS: "".join(f"{name}\n" for name in made).encode()}
    for path in (folder / name for name in made | contents):
        if path.parent.is_dir():
            check_output(path)  # all before the first is written
    for name in before - set(made):
        if (folder / name).is_file() and may_replace(folder / name):
            (folder / name).unlink()
    for name, content in (made | contents).items():
        parent = (folder / name).parent
        try:
            parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise make_write_error(parent, error) from error
        save_whole(folder / name, content)
    return [folder / name for name in made]


def _contents(folder: Path) -> set[str]:
    """The files of the report that was written into a folder last, of those a report may write."""
    listed = folder / CONTENTS
    names = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    return {name for name in names if _OWN.fullmatch(name)}


def save_whole(path: Path, content: bytes) -> None:
    """Write one file, whole or not at all."""
    with write_output(path) as part:
        part.write_bytes(content)
