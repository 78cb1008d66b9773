"""Tables of generations and of votes: every layout and spelling people have, and what is said of
rows that make no sense.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.findings.judgements import describe, selection
from core.importing import Codes, Reading, Repeats, UncertainError, importer, recognise
from core.records import Dataset, Kind, TandemError
from core.store import Store
from tests.published import check_skipped, reasons

Load = Callable[..., tuple[Store, importer.ImportReport]]

LONG = [
    {"item": "i1", "context": "C1", "system": "x", "text": "one"},
    {"item": "i1", "context": "C1", "system": "y", "text": "two"},
    {"item": "i2", "context": "C2", "system": "x", "text": 'three, "quoted"\nand broken'},
    {"item": "i2", "context": "C2", "system": "y", "text": ""},
]


@pytest.fixture
def load(tmp_path: Path, store: Store) -> Load:
    def load(
        rows: Any, name: str = "table.csv", dataset: str = "d", **options: Any
    ) -> tuple[Store, importer.ImportReport]:
        path = tmp_path / name
        content = rows if isinstance(rows, str) else written(rows, name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return store, importer.load(store, [path], Dataset(dataset), **options)

    return load


def written(rows: list[dict[str, object]], name: str) -> bytes:
    frame, plain = pd.DataFrame(rows), name.removesuffix(".gz")
    if plain.endswith(".parquet"):
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        content = buffer.getvalue()
    elif plain.endswith(".jsonl"):
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    elif plain.endswith(".json"):
        content = json.dumps(rows).encode()
    else:
        content = frame.to_csv(index=False, sep="\t" if plain.endswith(".tsv") else ",").encode()
    return gzip.compress(content) if name.endswith(".gz") else content


def texts(store: Store, dataset: str = "d") -> dict[tuple[str, str, int], str | None]:
    frame = store.datasets.generations(dataset)
    return {
        (item, system, sample): text if isinstance(text, str) else None
        for item, system, sample, text in frame[["item", "system", "sample", "text"]].itertuples(
            index=False
        )
    }


def votes(store: Store, dataset: str = "d") -> list[dict[str, Any]]:
    frame = store.judgement_frames.load_exported(dataset).astype(object)
    return [
        {str(key): value for key, value in row.items()}
        for row in frame.where(frame.notna(), None).to_dict("records")
    ]


# ---- generations


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.parquet", "a.csv.gz", "a.jsonl.gz", "a.parquet.gz"],
)
def test_a_long_table_in_every_format(load: Load, name: str) -> None:
    store, report = load(LONG, name)
    assert texts(store) == {(row["item"], row["system"], 0): row["text"] for row in LONG}
    assert store.datasets.items("d")[["item", "context"]].to_numpy().tolist() == [
        ["i1", "C1"],
        ["i2", "C2"],
    ]
    assert report.counts == report.added
    assert {name: report.counts[name] for name in ("items", "systems", "generations", "attributes", "scores")} == {
        "items": 2, "systems": 2, "generations": 4, "attributes": 1, "scores": 0,
    }  # fmt: skip
    assert report.skipped == []


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz"])
def test_a_wide_table_in_every_format(load: Load, name: str) -> None:
    rows = [
        {
            "id": "i1",
            "article": "C1",
            "reference": "R1",
            "task": "news",
            "BART": "one",
            "T5 base": "two",
        },
        {
            "id": "i2",
            "article": "C2",
            "reference": "R2",
            "task": "mail",
            "BART": "three",
            "T5 base": "four",
        },
    ]
    store, _ = load(rows, name)
    assert texts(store) == {
        ("i1", "BART", 0): "one", ("i1", "T5 base", 0): "two", ("i2", "BART", 0): "three", ("i2", "T5 base", 0): "four",
    }  # fmt: skip
    assert store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["i1", "C1", '["R1"]', "news"],
        ["i2", "C2", '["R2"]', "mail"],
    ]


def test_a_wide_table_with_samples(load: Load) -> None:
    store, report = load("item,sample,x,y\ni1,0,a,b\ni1,1,c,d\ni1,1,e,f\n")
    assert texts(store) == {
        ("i1", "x", 0): "a",
        ("i1", "y", 0): "b",
        ("i1", "x", 1): "c",
        ("i1", "y", 1): "d",
    }
    assert reasons(report) == [(3, "repeats item 'i1', system 'x', sample 1 of row 2")]


def test_null_is_not_an_empty_text(load: Load) -> None:
    store, _ = load([{"item": "i", "x": None, "y": ""}, {"item": "j", "y": "t"}], "a.jsonl")
    assert texts(store) == {
        ("i", "x", 0): None,
        ("i", "y", 0): "",
        ("j", "x", 0): None,
        ("j", "y", 0): "t",
    }


def test_references_subset_and_samples(load: Load) -> None:
    rows = [
        {
            "doc_id": 7,
            "source": "C",
            "references": ["r1", "r2"],
            "language": "de",
            "model": "x",
            "output": t,
            "sample_id": s,
        }
        for s, t in enumerate(["a", "b"])
    ]
    store, _ = load(rows, "a.jsonl")
    assert store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
        ["7", "C", '["r1", "r2"]', "de"]
    ]
    assert texts(store) == {("7", "x", 0): "a", ("7", "x", 1): "b"}
    assert store.datasets.subsets("d") == ["de"]


def test_without_an_item_column_the_context_tells_items_apart(load: Load) -> None:
    store, _ = load("prompt,model,response\nC1,x,a\nC1,y,b\nC2,x,c\nC2,y,d\n")
    assert len(store.datasets.items("d")) == 2
    assert sorted(store.datasets.items("d")["context"]) == ["C1", "C2"]


def test_numbers_with_a_gap_stay_whole(load: Load) -> None:
    """A gap makes pandas store whole numbers as floats: item 12 must not become '12.0'."""
    rows = [
        {"item": 12, "system": "x", "text": "t", "sample": 1},
        {"item": None, "system": "x", "text": "u", "sample": 0},
    ]
    store, report = load(rows, "a.parquet")
    assert texts(store) == {("12", "x", 1): "t"}
    assert reasons(report) == [(2, "column 'item' (the item) is empty")]


def test_scores_of_people_of_raters_and_of_metrics(load: Load) -> None:
    header = "item,system,text,score:fluency,score:Ada:fluency,score:baseline:longer:overall\n"
    store, report = load(header + "i1,x,a,1,2.5,3\ni1,y,b,,4,-1e-3\ni1,z,c,many,5,6\n")
    found = (
        store.scores.load_all("d")[["item", "system", "attribute", "rater", "kind", "value"]]
        .dropna()
        .to_numpy()
        .tolist()
    )
    assert found == [
        ["i1", "x", "fluency", "human", "human", 1.0],
        ["i1", "x", "fluency", "Ada", "human", 2.5],
        ["i1", "x", "overall", "baseline:longer", "human", 3.0],
        ["i1", "y", "fluency", "Ada", "human", 4.0],
        ["i1", "y", "overall", "baseline:longer", "human", -0.001],
        ["i1", "z", "fluency", "Ada", "human", 5.0],
        ["i1", "z", "overall", "baseline:longer", "human", 6.0],
    ]
    assert report.skipped == []
    assert report.counts["scores"] == report.added["scores"] == 8
    assert ("i1", "z", 0) in texts(store)


UNUSABLE = ("inf", "five", "1,000", "1,2,3", True, [1], {"mean": 1}, float("inf"))


@pytest.mark.parametrize("value", UNUSABLE)
def test_an_unusable_score_keeps_its_row_and_says_so(load: Load, value: object) -> None:
    rows = [
        {"item": "i", "system": s, "text": "t", "score:a": v} for s, v in (("x", 1), ("y", value))
    ]
    store, report = load(rows, "a.jsonl")
    assert report.skipped == []
    assert ("i", "y", 0) in texts(store)
    assert report.counts["scores"] == report.added["scores"] == 2
    scores = "SELECT value, failure, raw FROM scores ORDER BY id"
    assert store.connection.rows(scores) == [(1.0, "", ""), (None, "not-a-number", str(value))]
    again = load(rows, "a.jsonl")[1]
    assert again.skipped == []
    assert not any(again.added.values())
    found = describe.describe(store, selection.Selection("d"))
    assert found.unanswered == {"not-a-number": 1}
    assert found.frames["scores"]["n"].tolist() == [1, 1, 0]


def test_scores_of_which_none_is_a_number_have_no_mean(load: Load) -> None:
    store, _ = load("item,system,text,score:q\ni,x,a,good\ni,y,b,bad\n")
    document = describe.describe(store, selection.Selection("d")).document()
    assert [row["mean"] for row in document["scores"]] == [None] * 3
    assert document["unanswered"] == {"not-a-number": 2}


@pytest.mark.parametrize(
    ("value", "mark"),
    [("4,5", 4.5), ("-0,125", -0.125), (" 4,50 ", 4.5), ("12,3456", 12.3456), ("1e2", 100.0)],
)
def test_a_decimal_comma(load: Load, value: str, mark: float) -> None:
    store, _ = load([{**LONG[0], "score:a": value}], "a.jsonl")
    assert store.scores.load_all("d")["value"].tolist() == [mark]


@pytest.mark.parametrize("value", ["", " ", "nan", "NaN", None, float("nan")])
def test_no_score_is_no_score(load: Load, value: object) -> None:
    store, report = load([{**LONG[0], "score:a": value}], "a.jsonl")
    assert report.skipped == []
    assert (report.counts["scores"], len(store.scores.load_all("d")), len(texts(store))) == (
        0,
        0,
        1,
    )


def test_the_kind_of_a_scorer_can_be_said(load: Load) -> None:
    store, _ = load("item,system,text,score:q\ni,x,a,1\n", reading=Reading(kind=Kind.BASELINE))
    assert store.scores.load_all("d")[["rater", "kind"]].to_numpy().tolist() == [
        ["baseline", "baseline"]
    ]
    # and does not take the name that people's scores have elsewhere
    store, report = load("item,system,text,score:q\ni,x,a,1\n", dataset="e")
    assert report.skipped == []
    assert store.scores.load_all("e")[["rater", "kind"]].to_numpy().tolist() == [["human", "human"]]


def test_map_names_what_is_not_recognised(load: Load) -> None:
    mapping = {
        "item": "Nr",
        "system": "Wer",
        "text": "Was",
        "score:fluency": "Note",
        "score:Ada:fluency": "Ada's",
    }
    store, _ = load(
        "Nr,Wer,Was,Note,Ada's\n1,x,a,3,4\n1,y,b,5,6\n", reading=Reading(mapping=mapping)
    )
    assert texts(store) == {("1", "x", 0): "a", ("1", "y", 0): "b"}
    assert sorted(store.scores.load_all("d")[["rater", "value"]].to_numpy().tolist()) == [
        ["Ada", 4.0], ["Ada", 6.0], ["human", 3.0], ["human", 5.0],
    ]  # fmt: skip


def test_map_names_the_systems_of_a_wide_table(load: Load) -> None:
    store, _ = load(
        "item,length,x,y\ni,9,a,b\n", reading=Reading(mapping={"system:X": "x", "system:Y": "y"})
    )
    assert texts(store) == {("i", "X", 0): "a", ("i", "Y", 0): "b"}


def test_map_goes_before_the_names(load: Load) -> None:
    store, _ = load(
        "item,text,system,summary\ni,not this,x,this\ni,nor this,y,but this\n",
        reading=Reading(mapping={"text": "summary"}),
    )
    assert set(texts(store).values()) == {"this", "but this"}


@pytest.mark.parametrize("columns", [["x" * 10_000, "y"], [f"column {n:03}" for n in range(400)]])
def test_a_sentence_repeats_at_most_200_characters_of_a_header(store, tmp_path, columns):
    path = tmp_path / "table.csv"
    path.write_text(",".join(columns) + "\n" + ",".join("1" for _ in columns) + "\n")
    with pytest.raises(TandemError) as refused:
        importer.load(store, [path], Dataset("d"), reading=Reading(mapping={"item": "nummer"}))
    echo = str(refused.value).partition("it has ")[2]
    assert 10 < len(echo) < 220
    assert " more" in echo


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"itm": "item"}, "unknown field 'itm'; the fields are item, context,"),
        (
            {"item": "nummer"},
            "map item=nummer: table.csv has no such column; it has item, system, text",
        ),
        ({"score:": "text"}, "unknown field 'score:'"),
        ({"system:": "text"}, "unknown field 'system:'"),
    ],
)
def test_a_wrong_map(load: Load, store: Store, mapping: dict[str, str], said: str) -> None:
    with pytest.raises(TandemError) as refused:
        load("item,system,text\ni,x,a\n", reading=Reading(mapping=mapping))
    assert said in str(refused.value)
    assert store.datasets.names() == []


def test_map_is_refused_where_it_would_do_nothing(load: Load) -> None:
    line = '{"id": "a", "text": "C", "systems": {"x": {"decoded": "t", "scores": {}}}}\n'
    with pytest.raises(TandemError, match=r"^map .*table\.jsonl.*SummEval"):
        load(line, "table.jsonl", reading=Reading(mapping={"item": "id"}))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("system,text\nx,a\n", "neither an item nor a context column"),
        ("item,text\ni,a\n", "needs a system and a text column, or one column per system"),
        ("item,x\ni,a\n", "needs a system and a text column, or one column per system"),
        ("item,x,y,score:q\ni,a,b,1\n", "has 'score:q' but no system and text columns"),
    ],
)
def test_a_table_that_cannot_be_one(load: Load, store: Store, table: str, said: str) -> None:
    with pytest.raises(TandemError) as refused:
        load(table)
    assert said in str(refused.value)
    assert "table.csv" in str(refused.value)
    assert store.datasets.names() == []


def test_rows_that_are_skipped_one_by_one(load: Load) -> None:
    table = (
        "item,system,text,sample\ni,x,a,0\ni,x,b,0\n,x,c,0\ni,,d,0\ni,y,e,1.5\ni,y,f,-1\ni,y,g,1\n"
    )
    store, report = load(table + "".join(f"i,z,t,{n}\n" for n in range(4)))
    named = {
        2: r"repeats.*'i'.*'x'.*sample 0 .*row 1\b",
        3: "'item'.*empty",
        4: "'system'.*empty",
        5: r"'sample' is 1\.5\b.*from 0",
        6: r"'sample' is -1\b.*from 0",
    }
    check_skipped(report, named)
    good = {("i", "z", n): "t" for n in range(4)}
    assert texts(store) == {("i", "x", 0): "a", ("i", "y", 1): "g"} | good


def test_a_repeat_without_a_sample_column_says_what_to_do(load: Load) -> None:
    _, report = load("item,system,text\ni,x,a\ni,x,b\n")
    ((_, reason),) = reasons(report)
    assert str(reason).endswith(
        "of row 1; if these are several samples, number them in a sample column"
    )


# ---- votes

LAYOUTS = [
    ("model_a", "model_b"), ("system_a", "system_b"), ("left", "right"), ("model_x", "model_y"),
    ("Model A", "Model-B"), ("system_x", "system_y"), ("model_1", "model_2"), ("a", "b"),
]  # fmt: skip
SPELLINGS = {
    "a": [
        "model_a",
        "a",
        "A",
        "left",
        "first",
        "Left ",
        "gpt",
        "[[A]]",
        "A>B",
        "Model A",
        "model-a",
        "a.",
        "A wins",
        "A is better.",
        "model_a won",
        "GPT",
    ],
    "b": [
        "model_b",
        "b",
        "B",
        "right",
        "second",
        "llama",
        "[[B]]",
        "b>a",
        "Model B",
        "model-b",
        " MODEL B. ",
        "B wins",
        "b is better",
        "Right is better",
        "second wins",
        "LLaMA",
    ],
    "tie": ["tie", "draw", "Tie", "same", "A=B", "A = B", "tie.", "Tied", "both good"],
    "both_bad": ["both_bad", "tie (bothbad)", "bothbad", "Both Bad", "both-bad", "Tie (both bad)"],
}


@pytest.mark.parametrize(("first", "second"), LAYOUTS)
def test_votes_are_recognised_by_their_columns(
    load: Load, tmp_path: Path, first: str, second: str
) -> None:
    store, report = load(f"{first},{second},winner\ngpt,llama,{first}\ngpt,llama,tie\n" if first == "model_a" else
                         f"{first},{second},winner\ngpt,llama,left\ngpt,llama,tie\n")  # fmt: skip
    assert report.layouts == {"table.csv": "votes"}
    assert [(one["system_a"], one["system_b"], one["winner"]) for one in votes(store)] == [
        ("gpt", "llama", "a"), ("gpt", "llama", "tie"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "column", ["winner", "preference", "label", "choice", "verdict", "vote", "preferred", "outcome"]
)
@pytest.mark.parametrize("name", ["v.csv", "v.jsonl", "v.parquet"])
def test_every_spelling_of_a_winner(load: Load, column: str, name: str) -> None:
    expected = [
        (outcome, spelling) for outcome, spellings in SPELLINGS.items() for spelling in spellings
    ]
    rows = [{"model_a": "gpt", "model_b": "llama", column: spelling} for _, spelling in expected]
    store, report = load(rows, name)
    assert report.skipped == []
    assert [one["winner"] for one in votes(store)] == [outcome for outcome, _ in expected]


@pytest.mark.parametrize("values", [[1, 2, 0], [1.0, 2.0, 0.0, None]])
def test_winners_as_numbers(load: Load, values: list[float | None]) -> None:
    store, report = load(
        [{"left": "x", "right": "y", "winner": value} for value in values],
        "v.parquet",
        reading=Reading(codes=Codes(("1",), ("2",), ("0",))),
    )
    assert report.skipped == []
    assert [(one["winner"], one["failure"]) for one in votes(store)] == [
        ("a", ""), ("b", ""), ("tie", ""), (None, "no-answer"),
    ][: len(values)]  # fmt: skip


@pytest.mark.parametrize(
    "said", ["N/A", "na", "none", "null", "NaN", "Error", "invalid", "unknown", " "]
)
def test_words_for_no_answer(load: Load, said: str) -> None:
    store, report = load([{"left": "x", "right": "y", "winner": said}], "v.jsonl")
    assert report.skipped == []
    assert [(one["winner"], one["failure"], one["raw"]) for one in votes(store)] == [
        (None, "no-answer", said)
    ]


@pytest.mark.parametrize(
    "said", ["-1", "3", "0.5", ".1", ".0", "1", "0", "2", "1.5", "01", "wins", "lost", "better"]
)
def test_what_may_mean_either_is_asked_about(load: Load, store: Store, said: str) -> None:
    with pytest.raises(UncertainError, match=r"column 'winner'.*certain"):
        load([{"left": "x", "right": "y", "winner": winner} for winner in ("a", said)], "v.jsonl")
    assert store.datasets.names() == []


@pytest.mark.parametrize("said", ["a b", "model", "1-0", "sideways", "I cannot say.", "z"])
def test_an_answer_in_an_unknown_word_is_kept_as_unparsed(load: Load, said: str) -> None:
    rows = [{"left": "x", "right": "y", "winner": winner} for winner in ("a", "b", said)]
    store, report = load(rows, "v.jsonl")
    assert report.skipped == []
    assert [(one["winner"], one["failure"], one["raw"]) for one in votes(store)] == [
        ("a", "", ""),
        ("b", "", ""),
        (None, "unparsed", said),
    ]
    assert re.search(r"\b1 answer\b.*unparsed", report.warnings[0])


def test_a_column_of_unknown_words_is_refused(load: Load, store: Store) -> None:
    rows = [{"left": "x", "right": "y", "winner": word} for word in ("links", "rechts", "tie")]
    with pytest.raises(TandemError, match=r"'links', 'rechts'.*first wins\b.*second wins\b.*tie"):
        load(rows, "v.jsonl")
    assert store.datasets.names() == []
    _, report = load(rows, "v.jsonl", reading=Reading(codes=Codes(("links",), ("rechts",))))
    assert [one["winner"] for one in votes(store)] == ["a", "b", "tie"]
    assert report.warnings == []


@pytest.mark.parametrize(
    ("a", "b", "said", "side"),
    [("b", "a", "b", "b"), ("b", "a", "a", "a"), ("B", "A", "a", "a"), ("right", "x", "right", "b"),
     ("x", "none", "none", None), ("tie", "x", "Tie", "tie"), ("Model B", "x", "model_b ", "b")],
)  # fmt: skip
def test_a_name_that_is_also_a_word_is_what_the_other_rows_hold(
    load: Load, a: str, b: str, said: str, side: str | None
) -> None:
    """Systems called b and a: a winner `b` may be the system of that name, or what stands on side
    B. Beside `model_a` it is a side; beside the name of a third system it is a name.
    """
    rows = [{"system_a": a, "system_b": b, "winner": winner} for winner in (said, "model_a")]
    store, report = load(rows, "v.jsonl", dataset="sides")
    assert report.skipped == []
    assert [one["winner"] for one in votes(store, "sides")] == [side, "a"]
    rows[1] = {"system_a": "y", "system_b": "z", "winner": "z"}
    store, report = load(rows, "v.jsonl", dataset="names")
    named = "b" if said.strip().lower() in (b.lower(), b.lower().replace(" ", "_")) else "a"
    assert report.skipped == []
    assert [one["winner"] for one in votes(store, "names")] == [named, "b"]
    with pytest.raises(UncertainError, match=r"systems.*sides.*certain"):
        load(rows[:1], "v.jsonl", dataset="neither")


def test_a_name_that_two_systems_share_is_refused(load: Load, store: Store) -> None:
    rows = [
        {"system_a": "Gpt", "system_b": "gpT", "winner": winner} for winner in ("gpt", "model_a")
    ]
    with pytest.raises(TandemError, match="may name 'Gpt' or 'gpT'"):
        load(rows, "v.jsonl")
    assert store.datasets.names() == []


def test_a_name_that_is_the_word_for_its_own_side_is_fine(load: Load) -> None:
    store, report = load("system_a,system_b,winner\na,b,a\na,b,B\nGPT,gpt,gpt\n")
    assert report.skipped == []
    assert [one["winner"] for one in votes(store)] == ["a", "b", "b"]


def test_everything_a_vote_may_say(load: Load) -> None:
    rows = [
        {
            "question_id": "q1", "prompt": "C", "task": "chat", "model_a": "x", "model_b": "y", "response_a": "one",
            "response_b": "two", "winner": "model_b", "judge_name": "Ada", "dimension": "fluency", "probability": 0.25,
            "confidence": 0.5, "strength": 2, "comment": "clear", "seconds": 3.5, "raw": "B.", "tstamp": 1700000000,
        }
    ]  # fmt: skip
    store, report = load(rows, "v.jsonl")
    (vote,) = votes(store)
    expected = {
        "item": "q1", "context": "C", "subset": "chat", "system_a": "x", "system_b": "y", "text_a": "one", "text_b": "two",
        "winner": "b", "judge": "Ada", "judge_kind": "human", "attribute": "fluency", "prob_a": 0.25, "confidence": 0.5,
        "strength": 2.0, "comment": "clear", "seconds": 3.5, "raw": "B.", "order_known": 1, "failure": "",
        "created_at": "2023-11-14T22:13:20.000000+00:00",
    }  # fmt: skip
    assert {key: vote[key] for key in expected} == expected
    assert report.counts == {
        "items": 1, "systems": 2, "generations": 2, "attributes": 1, "scores": 0, "judges": 1, "comparisons": 1,
        "judgements": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000000+00:00"),
        (1700000000, "2023-11-14T22:13:20.000000+00:00"),
        (1700000000.25, "2023-11-14T22:13:20.250000+00:00"),
        ("1700000000", "2023-11-14T22:13:20.000000+00:00"),
        (1700000000500, "2023-11-14T22:13:20.500000+00:00"),
        ("1700000000500", "2023-11-14T22:13:20.500000+00:00"),
    ],
)
def test_times(load: Load, given: object, stored: str) -> None:
    store, _ = load([{"left": "x", "right": "y", "winner": "a", "timestamp": given}], "v.jsonl")
    assert votes(store)[0]["created_at"] == stored


def test_a_vote_without_a_time_is_kept_and_counted(load: Load) -> None:
    rows = [
        {"left": "x", "right": "y", "winner": "a", "timestamp": given}
        for given in (1e300, 10**8 - 1, 1700000000, 1700000001)
    ]
    store, report = load(rows, "v.jsonl")
    assert not reasons(report)
    assert len(votes(store)) == 4
    assert [warning for warning in report.warnings if re.search("2 of 4 .*time", warning)]


@pytest.mark.parametrize(
    ("column", "value", "swapped"),
    [
        ("swapped", "1", True), ("swapped", "true", True), ("swapped", "False", False), ("swapped", "0", False),
        ("swapped", "", False), ("toggle", "yes", True), ("shown_first", "b", True), ("shown_first", "model_b", True),
        ("shown_first", "llama", True), ("shown_first", "gpt", False), ("shown_first", "a", False), ("shown_first", "", False),
        ("order", "right", True), ("first_shown", "Left", False),
    ],
)  # fmt: skip
def test_who_was_shown_first(load: Load, column: str, value: str, swapped: bool) -> None:
    """The stored side A is the one shown first; the winner and its probability turn with it."""
    store, _ = load(f"model_a,model_b,winner,prob_a,{column}\ngpt,llama,model_a,0.75,{value}\n")
    (vote,) = votes(store)
    found = vote["system_a"], vote["system_b"], vote["winner"], vote["prob_a"]
    assert found == (("llama", "gpt", "b", 0.25) if swapped else ("gpt", "llama", "a", 0.75))


@pytest.mark.parametrize("outcome", ["tie", "both_bad", ""])
def test_swapping_leaves_what_has_no_side(load: Load, outcome: str) -> None:
    store, _ = load(f"model_a,model_b,winner,swapped\ngpt,llama,{outcome},1\n")
    (vote,) = votes(store)
    assert (vote["system_a"], vote["winner"]) == ("llama", outcome or None)


def test_an_unknown_order_is_recorded(load: Load) -> None:
    store, _ = load("left,right,winner,order_known\nx,y,a,0\nx,y,a,1\nx,y,a,false\nx,y,a,\n")
    assert [one["order_known"] for one in votes(store)] == [0, 1, 0, 1]


def test_kinds_of_judges(load: Load) -> None:
    rows = ["a,Ada,human", "b,gpt-4,llm", "a,key,gold", "b,Ada,llm", "a,z,robot"]
    store, report = load("left,right,winner,judge,kind\n" + "".join(f"x,y,{row}\n" for row in rows))
    assert [(one["judge"], one["judge_kind"]) for one in votes(store)] == [
        ("Ada", "human"),
        ("gpt-4", "llm"),
        ("key", "gold"),
    ]
    check_skipped(report, {4: "'Ada'.*llm.*name", 5: f"kind 'robot'.*{', '.join(Kind)}"})


@pytest.mark.parametrize(
    ("kind", "name"), [(Kind.HUMAN, "voters"), (Kind.LLM, "llm"), (Kind.GOLD, "gold")]
)
def test_votes_of_nobody_in_particular(load: Load, kind: Kind, name: str) -> None:
    store, _ = load("left,right,winner\nx,y,a\n", reading=Reading(kind=kind))
    assert [(one["judge"], one["judge_kind"]) for one in votes(store)] == [(name, kind.value)]


def test_votes_without_an_item(load: Load) -> None:
    store, _ = load("left,right,winner\nx,y,a\nx,x,a\ny,x,b\n")
    assert [one["item"] for one in votes(store)] == ["row-1", "row-3"]
    store, _ = load("item,left,right,winner\nq,x,y,a\n,x,y,b\n", dataset="e")
    assert [one["item"] for one in votes(store, "e")] == ["q", "row-2"]


def test_votes_without_texts_have_generations_without_texts(load: Load) -> None:
    store, report = load("left,right,winner\nx,y,a\n")
    assert texts(store) == {("row-1", "x", 0): None, ("row-1", "y", 0): None}
    assert report.counts["generations"] == report.added["generations"] == 0


def test_new_texts_become_samples(load: Load) -> None:
    """No sample column: a text not seen before of that item and system is its next sample, a known
    one is that sample.
    """
    rows = [("a1", "b1"), ("a2", "b1"), ("a1", "b2"), ("a2", "b2")]
    table = "item,left,right,text_a,text_b,winner\n" + "".join(
        f"q,x,y,{a},{b},a\n" for a, b in rows
    )
    store, report = load(table)
    assert texts(store) == {
        ("q", "x", 0): "a1",
        ("q", "x", 1): "a2",
        ("q", "y", 0): "b1",
        ("q", "y", 1): "b2",
    }
    assert [(one["sample_a"], one["sample_b"]) for one in votes(store)] == [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
    ]
    assert report.counts["comparisons"] == report.added["comparisons"] == 4


def test_samples_of_votes_are_those_of_the_generations_there(load: Load) -> None:
    load("item,system,text,sample\nq,x,a0,0\nq,x,a5,5\nq,y,b0,0\n", "generations.csv")
    store, report = load(
        "item,left,right,text_a,text_b,winner\nq,x,y,a5,b0,a\nq,x,y,new,b0,b\n", "votes.csv"
    )
    assert [(one["sample_a"], one["winner"]) for one in votes(store)] == [(5, "a"), (6, "b")]
    assert report.added["generations"] == 1
    assert report.skipped == []


def test_a_repeated_vote_is_the_next_trial(load: Load) -> None:
    store, _ = load(
        "item,left,right,winner,judge\nq,x,y,a,Ada\nq,x,y,b,Ada\nq,x,y,b,Ben\nq,y,x,b,Ada\nq,x,y,a,Ada\n",
        reading=Reading(repeats=Repeats.ALL),
    )
    assert [(one["judge"], one["system_a"], one["trial"], one["winner"]) for one in votes(store)] == [
        ("Ada", "x", 0, "a"), ("Ada", "x", 1, "b"), ("Ben", "x", 0, "b"), ("Ada", "y", 0, "b"), ("Ada", "x", 2, "a"),
    ]  # fmt: skip


def test_no_answer_is_a_failure_never_a_tie(load: Load) -> None:
    store, report = load("left,right,winner,failure\nx,y,,\nx,y,a,refused\nx,y,,timeout\nx,y,a,\n")
    assert [(one["winner"], one["failure"]) for one in votes(store)] == [
        (None, "no-answer"), (None, "refused"), (None, "timeout"), ("a", ""),
    ]  # fmt: skip
    assert report.counts["judgements"] == report.added["judgements"] == 4


def test_votes_that_are_skipped_one_by_one(load: Load) -> None:
    rows = [
        "x,y,a,0.5,",
        "x,x,a,,",
        "x,y,a,1.5,",
        "x,y,a,often,",
        ",y,a,,",
        "x,y,a,,middle",
        *["x,y,b,,"] * 5,
    ]
    store, report = load("left,right,winner,prob_a,shown_first\n" + "\n".join(rows) + "\n")
    named = {
        2: "'x'.*itself",
        3: r"probability 1\.5\b.*0 and 1\b",
        4: "'prob_a'.*'often'.*number",
        5: "'left'.*system_a.*empty",
        6: "'middle'.* a, b ",
    }
    check_skipped(report, named)
    assert len(votes(store)) == 6


def test_a_winner_column_of_another_name_is_asked_for(load: Load, store: Store) -> None:
    with pytest.raises(TandemError, match=r"winner .*\bleft, right.*result\b.* winner=COLUMN"):
        load("left,right,result\nx,y,a\n")
    assert store.datasets.names() == []
    store, _ = load("left,right,result\nx,y,a\n", reading=Reading(mapping={"winner": "result"}))
    assert [one["winner"] for one in votes(store)] == ["a"]


def test_columns_of_texts_that_look_like_sides(load: Load) -> None:
    store, _ = load("item,a,b\ni,one,two\n")
    assert texts(store) == {("i", "a", 0): "one", ("i", "b", 0): "two"}


def test_what_was_recognised_can_be_shown(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("question_id,Left,Right,Choice,Annotator\nq,x,y,left,Ada\n")
    found = recognise(path)
    assert found.layout == "votes"
    assert dict(found.fields) == {
        "item": "question_id", "system_a": "Left", "system_b": "Right", "winner": "Choice", "judge": "Annotator",
    }  # fmt: skip
    with pytest.raises(TandemError, match=r"'vote'.*\bauto, "):
        recognise(path, Reading(layout="vote"))


def test_a_judge_named_like_another_kind_is_skipped(load: Load) -> None:
    table = "item,model_a,model_b,winner,worker,judge_kind\n"
    rows = (
        "i1,x,y,a,llm,human",
        "i1,x,y,a,human,human",
        "i1,x,y,a,gold,gold",
        "i1,x,y,a,human,llm",
        "i1,x,y,a,Ada,",
    )
    store, report = load(table + "\n".join(rows) + "\n")
    check_skipped(report, {1: "kind human .*'llm'", 4: "kind llm .*'human'"})
    assert {vote["judge"] for vote in votes(store)} == {"human", "gold", "Ada"}


def test_a_rater_named_like_another_kind_is_skipped(load: Load) -> None:
    rows = [
        {**row, "score:llm:quality": score}
        for row, score in zip(LONG, ("3", "", "", ""), strict=True)
    ]
    _, report = load(rows, name="s.jsonl")
    assert [row for row, _ in reasons(report)] == [1]


@pytest.mark.parametrize(
    ("more", "attributes"), [({}, ["turn 1", "turn 2"]), ({"tstamp": 1.5}, ["overall"])]
)
def test_a_turn_that_was_judged_is_a_question_of_its_own(
    load: Load, more: dict[str, object], attributes: list[str]
) -> None:
    """MT-Bench's people voted after each turn: two answers, no repeat of one. In the Arena's files
    `turn` is how long the conversation is.
    """
    said = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Me."}]
    rows = [
        {"question_id": 81, "model_a": "x", "model_b": "y", "winner": winner, "judge": "expert_1",
         "conversation_a": said, "conversation_b": said, "turn": turn, **more}
        for turn, winner in ((1, "model_a"), (2, "model_b"))
    ]  # fmt: skip
    store, report = load(rows, "t.jsonl", reading=Reading(repeats=Repeats.ALL))
    assert report.skipped == []
    frame, _ = selection.select_judgements(store, selection.Selection("d", judges=("human",)))
    assert sorted(frame["attribute"].unique()) == attributes
    assert frame["trial"].nunique() == 3 - len(attributes)
