"""Store -> files: judgements, generations, leaderboards, and preference pairs for training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from core import reports
from core.records import Outcome, TandemError
from core.reports import RankSettings, Selection
from core.store import Store


def judgements(store: Store, selection: Selection) -> pd.DataFrame:
    """Every live judgement with its texts; `import` reads it back as votes."""
    frame = store.exported(selection.dataset)
    for column, wanted in (("attribute", selection.attribute), ("subset", selection.subset)):
        if wanted:
            frame = frame[frame[column] == wanted]
    if selection.judges:
        frame = frame[frame["judge"].isin(selection.judges) | frame["judge_kind"].isin(selection.judges)]
    return frame


def generations(store: Store, selection: Selection) -> pd.DataFrame:
    """Every text with its item's context; `import` reads it back as generations."""
    items = store.items(selection.dataset)[["item", "context"]]
    frame = store.generations(selection.dataset).merge(items, on="item")
    return frame[["item", "subset", "context", "system", "sample", "text"]]


def leaderboard(store: Store, selection: Selection) -> pd.DataFrame:
    """The default leaderboard."""
    return reports.leaderboard(store, selection, RankSettings()).rows


def preferences(store: Store, selection: Selection) -> pd.DataFrame:
    """prompt, chosen, rejected of every decisive judgement between two texts that are at hand, and who judged what."""
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
    "leaderboard": leaderboard,
    "preferences": preferences,
}

WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda frame, path: frame.to_csv(path, index=False),
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True, force_ascii=False),
    ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


def save(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as its file's suffix says. Raises TandemError for another suffix or a folder that is not there."""
    if path.suffix not in WRITERS:
        raise TandemError(f"{path.name!r} does not say its format: let it end in {', '.join(WRITERS)}")
    if not path.parent.is_dir():
        raise TandemError(f"there is no folder {path.parent}: create it, or name another file")
    WRITERS[path.suffix](frame, path)
