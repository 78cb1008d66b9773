"""Store -> files: judgements, generations, scores, leaderboards, and preference pairs for
training."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from core.analysis.judgements import Selection
from core.analysis.judgements import selection as selections
from core.analysis.ranking import RankSettings
from core.analysis.ranking import leaderboard as ranked
from core.records import Outcome, TandemError, setting
from core.store import Store
from core.whole_files import written_whole


def judgements(store: Store, selection: Selection) -> pd.DataFrame:
    """Every live judgement with its texts; `import` reads it back as votes."""
    selections.check(store, selection)
    frame = selection.asked.of_judgements(
        store,
        selection.dataset,
        store.judgement_frames.exported(selection.dataset),
        kind="judge_kind",
    ).drop(columns="judgement")
    if selection.judges:
        judges = selections.chosen_judges(store, selection)
        if judges["derived"].all():
            raise TandemError(
                f"{judges['judge'].iloc[0]!r} marks texts and has compared none: `describe` "
                "shows its marks"
            )
        frame = frame[frame["judge"].isin(judges["judge"])]
    if selection.attribute:
        frame = frame[frame["attribute"] == selection.attribute]
    return _of(selection, frame, "system_a", "system_b")


def generations(store: Store, selection: Selection) -> pd.DataFrame:
    """Every text with its item's context; `import` reads it back as generations."""
    selections.check(store, selection)
    items = store.datasets.items(selection.dataset)[["item", "context"]]
    frame = store.datasets.generations(selection.dataset).merge(items, on="item")
    return _of(
        selection, frame[["item", "subset", "context", "system", "sample", "text"]], "system"
    )


def _of(selection: Selection, frame: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """The rows of the chosen subset and systems."""
    if selection.subset:
        frame = frame[frame["subset"] == selection.subset]
    if selection.systems:
        frame = frame[frame[list(sides)].isin(selection.systems).all(axis=1)]
    return frame


def scores(store: Store, selection: Selection) -> pd.DataFrame:
    """Every mark of a text, one a row, or why there is none."""
    selections.check(store, selection)
    frame = selections.chosen_scores(store, selection)
    return frame[
        [
            "item",
            "subset",
            "system",
            "sample",
            "attribute",
            "rater",
            "kind",
            "trial",
            "value",
            "failure",
        ]
    ].reset_index(drop=True)


def leaderboard(store: Store, selection: Selection) -> pd.DataFrame:
    """The default leaderboard."""
    return ranked(store, selection, RankSettings()).rows


def preferences(store: Store, selection: Selection) -> pd.DataFrame:
    """prompt, chosen, rejected of every decisive judgement between two texts that are at hand, and
    who judged what.
    """
    frame = judgements(store, selection)
    frame = frame[frame["winner"].isin([Outcome.A.value, Outcome.B.value])]
    frame = frame.dropna(subset=["text_a", "text_b"])
    a_won = frame["winner"] == Outcome.A.value
    return pd.DataFrame(
        {
            "prompt": frame["context"],
            "chosen": frame["text_a"].where(a_won, frame["text_b"]),
            "rejected": frame["text_b"].where(a_won, frame["text_a"]),
            **{name: frame[name] for name in ("item", "attribute", "judge", "judge_kind")},
        }
    )


EXPORTS: dict[str, Callable[[Store, Selection], pd.DataFrame]] = {
    "judgements": judgements,
    "generations": generations,
    "scores": scores,
    "leaderboard": leaderboard,
    "preferences": preferences,
}

# Left out of a file where not one is at hand: an empty cell of a CSV would come back as an empty
# text.
TEXTS = ("text", "text_a", "text_b")

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(e[+-]?\d+)?%?", re.IGNORECASE)


def for_spreadsheets(frame: pd.DataFrame) -> str:
    """A frame as CSV for a program that takes what begins with = + - @ for a formula and runs it:
    such texts, and names of columns, come behind an apostrophe. Numbers stay numbers.
    """
    texts = frame.select_dtypes(exclude=["number", "bool"])
    quoted = frame.assign(**{str(column): texts[column].map(_quoted) for column in texts})
    # With these line ends a lone carriage return in a text is quoted too, and begins no new row.
    return str(quoted.rename(columns=_quoted).to_csv(index=False, lineterminator="\r\n"))


def _quoted(cell: object) -> object:
    formula = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if formula else cell


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: _csv(frame, path),
    ".jsonl": lambda frame, path: _json_lines(frame, path),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


def save(frame: pd.DataFrame, path: Path, *, spreadsheet: bool = False) -> None:
    """Write a frame as its file's suffix says, `for_spreadsheets` or with every text as it is, so
    that `import` reads it back. Raises TandemError for another suffix or a folder that is not
    there; as `written_whole` does, with the file that was there before, when the disk is full.
    """
    if path.suffix not in WRITERS:
        raise TandemError(
            f"{path.name!r} does not say its format: let it end in {', '.join(WRITERS)}"
        )
    if spreadsheet and path.suffix != ".csv":
        raise TandemError(
            f"{setting('for_spreadsheets')} is about .csv, and {path.name!r} is none: leave it out"
        )
    if not path.parent.is_dir():
        raise TandemError(f"there is no folder {path.parent}: create it, or name another file")
    texts = [column for column in TEXTS if column in frame and frame[column].isna().all()]
    write = _spreadsheet if spreadsheet else WRITERS[path.suffix]
    with written_whole(path) as part:
        write(frame.drop(columns=texts), part)


def as_csv(frame: pd.DataFrame) -> str:
    """A frame as CSV with every text as it is."""
    return str(_csv(frame))


def _csv(frame: pd.DataFrame, path: Path | None = None) -> Any:
    """pandas quotes no lone carriage return, at which a reader begins a new row."""
    texts = frame.select_dtypes(exclude=["number", "bool"])
    returns = any(texts[column].astype(str).str.contains("\r").any() for column in texts)
    quoting: Any = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    return frame.to_csv(path, index=False, quoting=quoting)


def _spreadsheet(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(for_spreadsheets(frame), encoding="utf-8", newline="")


def _json_lines(frame: pd.DataFrame, path: Path) -> None:
    """By json, which writes numbers in full; pandas rounds them."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps(row, ensure_ascii=False) + "\n" for row in selections.records(frame)
        )
