"""A report as files: pages, tables, figures, and what a paper takes over."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
