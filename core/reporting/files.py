"""A report as files: pages, tables, figures, and what a paper takes over."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from ..exporting import for_spreadsheets
from ..output_files import check_output, check_output_folder, may_replace, write_output
from ..whole_files import make_write_error
from . import prose
from .citations import bibliography
from .compilation import Report
from .page import page
from .prose import latex_text, markdown_text
from .sections import ReportTable

Files = Iterator[tuple[str, bytes]]

CONTENTS = "contents.txt"
"""Names the files that a report has written into its folder."""

SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
"""LaTeX for: made smaller where it is wider than the text."""

_OWN = re.compile(r"(?:(?:tables|figures)/)?[\w-]+\.(?:html|csv|svg|tex|md|bib|json)")


def _html(report: Report) -> Files:
    yield "report.html", page(report).encode()


def _csv(report: Report) -> Files:
    for table in _tables(report):
        yield f"tables/{table.name}.csv", for_spreadsheets(table.frame).encode()


def _svg(report: Report) -> Files:
    for section in report.sections:
        for drawing in section.pictures:
            yield f"figures/{drawing.name}.svg", drawing.svg.encode()


def _latex(report: Report) -> Files:
    for table in _tables(report):
        yield f"tables/{table.name}.tex", latex(table).encode()
    paragraphs = [prose.latex(one) for one in report.methods.paragraphs]
    yield "methods.tex", ("\n\n".join(paragraphs) + "\n").encode()


def _markdown(report: Report) -> Files:
    for table in _tables(report):
        yield f"tables/{table.name}.md", markdown(table).encode()
    paragraphs = [prose.markdown(one) for one in report.methods.paragraphs]
    yield "methods.md", ("\n\n".join(paragraphs) + "\n").encode()


def _bibtex(report: Report) -> Files:
    yield "references.bib", bibliography(report.methods.keys).encode()


def _json(report: Report) -> Files:
    text = json.dumps(report.document(), ensure_ascii=False, allow_nan=False, indent=1)
    yield "report.json", (text + "\n").encode()


FORMATS: dict[str, Callable[[Report], Files]] = {
    "html": _html,
    "csv": _csv,
    "svg": _svg,
    "latex": _latex,
    "markdown": _markdown,
    "bibtex": _bibtex,
    "json": _json,
}
"""What a folder can hold, by its name."""


def files(report: Report, formats: Sequence[str] = tuple(FORMATS)) -> Files:
    """Yield all files of these formats: the path in the folder, and the content."""
    for name in formats:
        yield from FORMATS[name](report)


def _tables(report: Report) -> Iterator[ReportTable]:
    for section in report.sections:
        yield from section.tables


def _frame(table: ReportTable) -> pd.DataFrame:
    return pd.DataFrame(table.rows, columns=pd.Index(table.titles), dtype=object)


def latex(table: ReportTable) -> str:
    """A table for a paper that loads booktabs and graphicx, no wider than the text."""
    shown = _frame(table).map(latex_text).rename(columns=latex_text)
    text = shown.to_latex(
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
    shown = _frame(table).map(markdown_text).rename(columns=markdown_text)
    text = shown.to_markdown(index=False, colalign=table.alignment, disable_numparse=True)
    return f"{markdown_text(table.caption)}\n\n{text}\n"


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
