"""Public files that a stranger brings (`strangers/README.md`): read right, or asked about; and the
same however they are spelled, encoded, shuffled or cut in two.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, rank_votes
from core.importing import importer
from core.importing.reading import USUAL, with_settings
from core.records import Dataset, TandemError
from tests.importing.conftest import OpenStore, count_wins

FILES = Path(__file__).parent / "strangers"
SIDES = {"winner_means": "side"}
COLUMNS = {"winner_means": "system"}
FIVE = {"first_wins": ("1..2",), "second_wins": ("4..5",), "tie": ("3",)}
LOW = {"first_wins": ("-3..-1",), "second_wins": ("1..3",), "tie": ("0",)}
XY = {"systems": ("X", "Y")}
Case = tuple[str, dict[str, Any], dict[str, int]]
RIGHT: list[Case] = [
    ("reward_bench_2.jsonl", {}, {"chosen": 10}),
    ("opponents.csv", {}, {"gpt": 9, "llama": 3, "claude": 9, "tie": 3}),
    ("both_sides.csv", {}, {"gpt": 9, "llama": 3, "claude": 9, "tie": 3}),
    ("directed.csv", {}, {"gpt": 9, "llama": 3, "claude": 3}),
    ("results.csv", {}, {"gpt": 2, "llama": 2, "tie": 1}),
    ("preferred_index.jsonl", XY, {"X": 3, "Y": 1, "none": 1}),
    ("listed_models.jsonl", {}, {"gpt": 2, "claude": 2}),
    ("listed_scale.jsonl", {**XY, **LOW}, {"X": 3, "Y": 2, "tie": 1}),
    ("candidate_wins.csv", {}, {"tuned": 3, "base": 1, "other": 1}),
    ("flag_of_either.csv", {}, {"gpt": 1, "llama": 2, "tie": 1}),
    ("pairwise_choice.csv", XY, {"X": 2, "Y": 1, "tie": 1}),
    ("titled.csv", {}, {"gpt": 2, "llama": 1, "tie": 1}),
    ("both_orders.csv", SIDES, {"gpt": 4, "llama": 4, "tie": 1}),
    ("both_orders.csv", COLUMNS, {"gpt": 4, "llama": 4, "tie": 1}),
    ("both_orders_by_name.csv", {}, {"gpt": 3, "llama": 2, "tie": 1}),
    ("likert.csv", FIVE, {"gpt": 3, "llama": 1, "tie": 1}),
    ("scale.csv", LOW, {"gpt": 3, "llama": 1, "tie": 1}),
    ("matrix.csv", {}, {"gpt": 8, "llama": 3, "claude": 10}),
    ("matrix_of_losses.csv", {}, {"gpt": 8, "llama": 3, "claude": 10}),
    ("texts_of_sides.csv", XY, {"X": 2, "Y": 1}),
]
"""Files, what is said of them, and how often each system won."""
ASKED = [
    ("preferred_index.jsonl", "systems"), ("listed_scale.jsonl", "systems"),
    ("both_orders.csv", "winner_means"), ("likert.csv", "first_wins"), ("scale.csv", "tie"),
    ("texts_of_sides.csv", "systems"),
]  # fmt: skip
"""Files that leave something open, and a setting that settles it."""
NAMES = [f"{name} {number}" for number, (name, *_) in enumerate(RIGHT)]


def load(open_store: OpenStore, paths: Sequence[Path], **said: Any) -> tuple[dict[str, int], Any]:
    store = open_store()
    report = importer.load(store, paths, Dataset("d"), with_settings(USUAL, said))
    return count_wins(store), report


@pytest.mark.parametrize(("name", "said", "right"), RIGHT, ids=NAMES)
def test_files_of_strangers_have_their_right_wins(
    name: str, said: dict[str, Any], right: dict[str, int], open_store: OpenStore
) -> None:
    """Imported, and counted as `rank FILES` does."""
    wins, report = load(open_store, [FILES / name], **said)
    assert (wins, report.skipped) == (right, [])
    if "chosen" in right:
        return  # gold labels are no votes
    reading, ranking = with_settings(USUAL, said), RankSettings("win-ratio", bootstrap=0)
    rows = rank_votes([FILES / name], Selection(""), ranking, reading=reading).rows
    systems = {name: number for name, number in right.items() if name not in ("tie", "none")}
    ranked = dict(zip(rows["system"], rows["wins"], strict=True))
    assert {name: ranked[name] for name in systems} == systems


@pytest.mark.parametrize(("name", "setting"), ASKED)
def test_what_a_file_leaves_open_is_asked(name: str, setting: str, open_store: OpenStore) -> None:
    with pytest.raises(TandemError) as error:
        load(open_store, [FILES / name])
    assert f"\u27e6{setting}\u27e7" in error.value.sentence


Rows = list[list[str]]


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


HEADERS: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "spaces": lambda name: name.replace("_", " "),
    "dashes": lambda name: name.replace("_", "-").title(),
    "camel": camel,
}


def write(path: Path, rows: Rows, *, before: str = "", encoding: str = "utf-8") -> Path:
    with path.open("w", newline="", encoding=encoding) as file:
        file.write(before)
        csv.writer(file, delimiter=";" if before else ",").writerows(rows)
    return path


@pytest.mark.parametrize(
    ("name", "said", "right"), [case for case in RIGHT if case[0].endswith(".csv")]
)
def test_spelling_encoding_titles_and_order_change_nothing(
    name: str, said: dict[str, Any], right: dict[str, int], open_store: OpenStore,
    tmp_path: Path, subtests: pytest.Subtests,
) -> None:  # fmt: skip
    with (FILES / name).open(newline="") as file:
        head, *rows = [row for row in csv.reader(file) if sum(map(bool, row)) > 1]
    mixed = random.Random(1).sample(rows, len(rows))
    files = {
        how: write(tmp_path / f"{how}.csv", [list(map(spell, head)), *rows])
        for how, spell in HEADERS.items()
    }
    files["mixed"] = write(tmp_path / "mixed.csv", [head, *mixed])
    files["marked"] = write(tmp_path / "marked.csv", [head, *rows], encoding="utf-8-sig")
    files["titled"] = write(tmp_path / "titled.csv", [head, *rows], before="Our study\n\n")
    for how, path in files.items():
        with subtests.test(how=how):
            assert load(open_store, [path], **said)[0] == right
    if name.startswith(("both_sides", "matrix")):
        return  # these say one thing together
    halves = [write(tmp_path / f"{n}.csv", [head, *rows[n::2]]) for n in (0, 1)]
    for paths in (halves, halves[::-1]):
        assert load(open_store, paths, **said)[0] == right
    marked = [[*head, "note"], *([*row, "caf\u00e9"] for row in rows)]
    path = write(tmp_path / "latin.csv", marked, encoding="latin-1")
    if not name.startswith("matrix"):
        with pytest.raises(TandemError, match="windows-1252"):
            load(open_store, [path], **said)
        assert load(open_store, [path], encoding="windows-1252", **said)[0] == right


@pytest.mark.parametrize("name", ["results.csv", "candidate_wins.csv", "titled.csv"])
def test_another_column_of_answers_is_asked_about(
    name: str, open_store: OpenStore, tmp_path: Path
) -> None:
    with (FILES / name).open(newline="") as file:
        head, *rows = [row for row in csv.reader(file) if sum(map(bool, row)) > 1]
    more = [[*row, ("yes", "no")[place % 2]] for place, row in enumerate(rows)]
    with pytest.raises(TandemError, match="result2"):
        load(open_store, [write(tmp_path / "f.csv", [[*head, "result2"], *more])])


def test_what_a_broken_file_loses_is_said(open_store: OpenStore, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (FILES / "reward_bench_2.jsonl").read_text().splitlines()]
    rows[0]["num_correct"], rows[1]["rejected"] = 2, ["54", "41", "61"]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    wins, report = load(open_store, [path])
    assert (wins, [row["row"] for row in report.skipped]) == ({"chosen": 7}, [1])
    texts = "article\nOne text, with a comma\nAnother, too\n"
    (tmp_path / "one.csv").write_text(texts)
    with pytest.raises(TandemError, match="2 cells where the header has 1"):
        load(open_store, [tmp_path / "one.csv"])
    part = (FILES / "both_sides.csv").read_text().splitlines()[:-1]
    (tmp_path / "part.csv").write_text("\n".join(part) + "\n")
    with pytest.raises(TandemError, match="from one side alone"):
        load(open_store, [tmp_path / "part.csv"])
    lone = {"prompt": "Q?", "completions": ["a", "b"], "preferred_index": 1}
    (tmp_path / "lone.jsonl").write_text((json.dumps(lone) + "\n") * 3)
    with pytest.raises(TandemError, match="preferred_index"):
        load(open_store, [tmp_path / "lone.jsonl"], systems=("X", "Y"))
