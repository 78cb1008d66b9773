"""Two files, each the texts of one system, become one data set; or nothing at all."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.importing import ImportedVersions, Reading, import_versions
from core.records import TandemError
from core.store import Store

PROMPTS = tuple(f"What is {n} and {n}?" for n in range(6))
BOTH = " vs ".join(("old", "new"))
"""The data set of two files that are called so."""
Rows = list[dict[str, Any]]


def rows(by: str, /, **more: Any) -> Rows:
    return [
        {"id": f"{by}-{n}", "prompt": prompt, "response": f"{by} says {n}", **more}
        for n, prompt in enumerate(PROMPTS)
    ]


def write(path: Path, table: Rows) -> Path:
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table), encoding="utf-8")
        return path
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "store.sqlite3") as store:
        yield store


def texts(store: Store, dataset: str) -> dict[str, dict[str, str]]:
    """system -> context -> text."""
    found: dict[str, dict[str, str]] = {}
    contexts = store.datasets.items(dataset).set_index("item")["context"]
    for row in store.texts.generations(dataset).itertuples():
        found.setdefault(row.system, {})[contexts[row.item]] = row.text
    return found


def brought(store: Store, folder: Path, old: Rows, new: Rows, **more: Any) -> ImportedVersions:
    paths = write(folder / "old.csv", old), write(folder / "new.csv", new)
    return import_versions(store, paths, **more)


def test_texts_meet_by_their_prompts_whatever_their_keys(store: Store, tmp_path: Path) -> None:
    found = brought(store, tmp_path, rows("old"), rows("new")[::-1])
    assert (found.dataset, found.old, found.new) == (BOTH, "old", "new")
    assert (found.shared, found.alone) == (6, (0, 0))
    assert texts(store, BOTH) == {
        name: {prompt: f"{name} says {n}" for n, prompt in enumerate(PROMPTS)}
        for name in ("old", "new")
    }
    assert store.campaigns.size(store.campaigns.default(BOTH).id)["pairs"] == 6


@pytest.mark.parametrize(
    "more",
    [
        {"model": "gpt-x"},
        {"system": "gpt-x"},
        {"model": "gpt-x", "latency_ms": 12, "tokens": 40},
        {"winner": "a"},
        {"preference": "1"},
        {"score": 0.5},
        {"generator": "gpt-x", "dataset": "helpful"},
    ],
    ids=lambda more: "-".join(more),
)
def test_each_file_is_a_system_whatever_else_it_names(
    store: Store, tmp_path: Path, more: dict[str, Any]
) -> None:
    found = brought(store, tmp_path, rows("old", **more), rows("new", **more))
    assert set(texts(store, found.dataset)) == {"old", "new"}
    assert found.shared == 6
    assert store.datasets.summary().iloc[0]["judgements"] == 0
    said = " ".join(found.notes)
    assert all(name in said or name == "dataset" for name in ("id", *more))


@pytest.mark.parametrize(
    "names",
    [
        ("prompt", "response"),
        ("question", "answer"),
        ("input", "output"),
        ("instruction", "completion"),
        ("Prompt", "Response"),
    ],
)
def test_columns_have_the_fields_names(
    store: Store, tmp_path: Path, names: tuple[str, str]
) -> None:
    def called(system: str) -> Rows:
        return [dict(zip(names, list(row.values())[1:], strict=True)) for row in rows(system)]

    old, new = (write(tmp_path / f"{name}.jsonl", called(name)) for name in ("old", "new"))
    assert import_versions(store, (old, new)).shared == 6


def test_a_column_of_another_name_is_named(store: Store, tmp_path: Path) -> None:
    def called(by: str) -> Rows:
        return [{"source": row["prompt"], "generated_text": row["response"]} for row in rows(by)]

    with pytest.raises(TandemError):
        brought(store, tmp_path, called("old"), called("new"))
    named = Reading(mapping={"context": "source", "text": "generated_text"})
    found = brought(store, tmp_path, called("old"), called("new"), reading=named)
    assert set(texts(store, found.dataset)["new"]) == set(PROMPTS)


def test_one_map_serves_two_files_and_paths_within_columns(store: Store, tmp_path: Path) -> None:
    """As promptfoo names columns by prompts, and as a column called as a field may hold objects."""
    columns = "[gpt] Answer: {{q}}", "[gpt] Think. {{q}}"
    old, new = (
        [{"q": prompt, column: f"{column} {n}"} for n, prompt in enumerate(PROMPTS)]
        for column in columns
    )
    named = Reading(mapping={"context": "q", "text": "|".join(columns)})
    brought(store, tmp_path, old, new, reading=named)
    assert {name: list(of.values())[5] for name, of in texts(store, BOTH).items()} == {
        "old": f"{columns[0]} 5", "new": f"{columns[1]} 5",
    }  # fmt: skip
    nested = [{"prompt": one["q"], "sample": {"output": "x", "n": 1}} for one in old]
    path = (
        write(tmp_path / "nested" / "first.jsonl", nested),
        write(tmp_path / "b.jsonl", rows("b")),
    )
    mapping = {"text": "sample.output|response"}
    found = import_versions(store, path, Reading(mapping=mapping))
    assert found.shared == 6
    with pytest.raises(TandemError):
        import_versions(store, path, Reading(mapping={"text": "sample|response"}))


def test_a_prompt_that_comes_twice_is_said(store: Store, tmp_path: Path) -> None:
    found = brought(
        store, tmp_path, [*rows("old"), rows("old")[2] | {"response": "else"}], rows("new")
    )
    assert texts(store, found.dataset)["old"][PROMPTS[2]] == "old says 2"
    assert any("old.csv" in note and "row 7" in note for note in found.notes)


def test_what_has_no_text_is_counted_apart(store: Store, tmp_path: Path) -> None:
    old, new = write(tmp_path / "old.jsonl", rows("old")), rows("new")
    new[1]["response"], new[2]["response"] = None, ""
    found = import_versions(store, (old, write(tmp_path / "new.jsonl", new)))
    assert (found.shared, found.alone) == (5, (1, 0))
    assert [note.split()[0] for note in found.notes if "of new " in note] == ["1", "1"]


def test_files_of_one_name_are_called_by_their_folders(store: Store, tmp_path: Path) -> None:
    paths = (
        write(tmp_path / "before" / "out.csv", rows("x")),
        write(tmp_path / "after" / "out.csv", rows("y")),
    )
    found = import_versions(store, paths)
    assert (found.old, found.new) == ("before/out", "after/out")


def test_again_is_the_same_and_other_texts_are_another(store: Store, tmp_path: Path) -> None:
    first = brought(store, tmp_path / "a", rows("old"), rows("new"))
    again = brought(store, tmp_path / "b", rows("old"), rows("new"))
    assert again.dataset == first.dataset
    other = brought(store, tmp_path / "c", rows("old"), rows("new", n="1")[:3])
    assert other.dataset == f"{BOTH} 2"
    assert len(texts(store, first.dataset)["new"]) == 6


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rows("old"), [{"prompt": "Another?", "response": "yes"}]),
        (rows("old"), [row | {"prompt": f"{row['prompt']} "} for row in rows("new")]),
        (rows("old"), [{"a": "1", "b": "2"}]),
        (rows("old"), [{"prompt": prompt} for prompt in PROMPTS]),
        ([{"response": "alone"}], rows("new")),
    ],
    ids=["no prompt in common", "a space at the end", "neither", "no texts", "no prompts"],
)
def test_what_does_not_fit_leaves_nothing(
    store: Store, tmp_path: Path, old: Rows, new: Rows
) -> None:
    with pytest.raises(TandemError):
        brought(store, tmp_path, old, new)
    assert store.datasets.names() == []


def test_one_file_is_not_two(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "old.csv", rows("old"))
    with pytest.raises(TandemError):
        import_versions(store, (path, path))
    with pytest.raises(TandemError):
        import_versions(store, (path, tmp_path / "none.csv"))
