"""Tables of generations and of votes: every layout and spelling people have, and what is said of
rows that make no sense.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.findings.judgements import Selection, describe, select_judgements
from core.importing import Codes, Reading, Repeats, UncertainError, importer, recognise
from core.records import Dataset, Kind, TandemError
from core.store import Store
from tests.published import check_skipped, reasons

Loaded = tuple[Store, importer.ImportReport]
LONG: list[dict[str, Any]] = [
    {"item": "i1", "context": "C1", "system": "x", "text": "one"},
    {"item": "i1", "context": "C1", "system": "y", "text": "two"},
    {"item": "i2", "context": "C2", "system": "x", "text": 'three, "quoted"\nand broken'},
    {"item": "i2", "context": "C2", "system": "y", "text": ""},
]


class Tables:
    """Tables that are imported, each into a store of its own if none is named."""

    def __init__(self, folder: Path, stores: ExitStack) -> None:
        self.folder, self.stores, self.opened = folder, stores, 0

    def open(self) -> Store:
        self.opened += 1
        return self.stores.enter_context(Store(self.folder / f"{self.opened}.sqlite3"))

    def load(
        self,
        rows: Any,
        name: str = "table.csv",
        dataset: str = "d",
        store: Store | None = None,
        **reading: Any,
    ) -> Loaded:
        path = self.folder / name
        path.write_bytes(rows.encode() if isinstance(rows, str) else written(rows, name))
        store = store or self.open()
        return store, importer.load(store, [path], Dataset(dataset), Reading(**reading))

    def check_refused(self, match: str, rows: Any, name: str = "table.csv", **reading: Any) -> None:
        store = self.open()
        with pytest.raises(TandemError, match=match):
            self.load(rows, name, store=store, **reading)
        assert store.datasets.names() == []


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    with ExitStack() as stores:
        yield Tables(tmp_path, stores)


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
    frame = store.texts.generations(dataset)[["item", "system", "sample", "text"]]
    return {
        (item, system, sample): text if isinstance(text, str) else None
        for item, system, sample, text in frame.itertuples(index=False)
    }


def votes(store: Store, *columns: str, dataset: str = "d") -> list[Any]:
    """These columns of every vote; the values themselves where one column is named."""
    frame = store.judgement_frames.load_exported(dataset).astype(object)
    rows = frame.where(frame.notna(), None)[list(columns)].to_numpy().tolist()
    return [row[0] for row in rows] if len(columns) == 1 else list(map(tuple, rows))


def pairs(winners: list[Any], **more: Any) -> list[dict[str, Any]]:
    return [{"left": "x", "right": "y", "winner": winner, **more} for winner in winners]


# ---- generations


def test_a_long_and_a_wide_table_in_every_format(tables: Tables, subtests: pytest.Subtests) -> None:
    about = {"reference": "R", "task": "news"}
    wide = [
        {"id": "i1", "article": "C1", **about, "BART": "one", "T5 base": "two"},
        {"id": "i2", "article": "C2", **about, "task": "mail", "BART": "three", "T5 base": "four"},
    ]
    for name in ("a.csv", "a.tsv", "a.jsonl", "a.json", "a.parquet", "a.csv.gz"):
        with subtests.test(name):
            store, report = tables.load(LONG, name)
            assert texts(store) == {(row["item"], row["system"], 0): row["text"] for row in LONG}
            contexts = store.datasets.items("d")[["item", "context"]].to_numpy().tolist()
            assert contexts == [["i1", "C1"], ["i2", "C2"]]
            assert (report.counts, report.skipped) == (report.added, [])
            counted = {"items": 2, "systems": 2, "generations": 4, "attributes": 1, "scores": 0}
            assert {key: report.counts[key] for key in counted} == counted
            store, _ = tables.load(wide, name)
            assert list(texts(store).values()) == ["one", "two", "three", "four"]
            assert [key[:2] for key in texts(store)] == [
                (item, system) for item in ("i1", "i2") for system in ("BART", "T5 base")
            ]
            assert store.datasets.items("d").drop(columns="family").to_numpy().tolist() == [
                ["i1", "C1", '["R"]', "news"], ["i2", "C2", '["R"]', "mail"],
            ]  # fmt: skip


def test_texts_of_a_table(tables: Tables, subtests: pytest.Subtests) -> None:
    """Columns, samples and gaps -> item, system, sample and text. A gap makes pandas store whole
    numbers as floats: item 12 must not become '12.0'.
    """
    gap = [{"item": 12, "system": "x", "text": "t", "sample": 1}, {"item": None, "system": "x", "text": "u", "sample": 0}]  # fmt: skip
    nulls = [{"item": "i", "x": None, "y": ""}, {"item": "j", "y": "t"}]
    wide, swapped = {"system:X": "x", "system:Y": "y"}, {"text": "summary"}
    for name, rows, mapping, expected, skipped in [
        ("samples.csv", "item,sample,x,y\ni1,0,a,b\ni1,1,c,d\ni1,1,e,f\n", {},
         "i1 x 0 a|i1 x 1 c|i1 y 0 b|i1 y 1 d", [3]),
        ("nulls.jsonl", nulls, {}, "i x 0 None|i y 0 |j x 0 None|j y 0 t", []),
        ("gap.parquet", gap, {}, "12 x 1 t", [2]),
        ("sides.csv", "item,a,b\ni,one,two\n", {}, "i a 0 one|i b 0 two", []),
        ("map.csv", "item,length,x,y\ni,9,a,b\n", wide, "i X 0 a|i Y 0 b", []),
        ("names.csv", "item,text,system,summary\ni,not,x,this\ni,nor,y,that\n", swapped,
         "i x 0 this|i y 0 that", []),
        ("repeat.csv", "item,system,text\ni,x,a\ni,x,b\n", {}, "i x 0 a", [2]),
        ("votes.csv", "left,right,winner\nx,y,a\n", {},
         "row-1 of votes.csv x 0 None|row-1 of votes.csv y 0 None", []),
    ]:  # fmt: skip
        with subtests.test(name):
            store, report = tables.load(rows, name, mapping=mapping)
            found = "|".join(
                f"{' '.join(map(str, key))} {text}" for key, text in texts(store).items()
            )
            assert (found, [row for row, _ in reasons(report)]) == (expected, skipped)
            if name == "repeat.csv":
                assert "sample column" in reasons(report)[0][1]


def test_references_subset_and_samples(tables: Tables) -> None:
    told = {"doc_id": 7, "source": "C", "references": ["r1", "r2"], "language": "de", "model": "x"}
    rows = [{**told, "output": text, "sample_id": n} for n, text in enumerate(["a", "b"])]
    store, _ = tables.load(rows, "a.jsonl")
    items = store.datasets.items("d").drop(columns="family").to_numpy().tolist()
    assert items == [["7", "C", '["r1", "r2"]', "de"]]
    assert texts(store) == {("7", "x", 0): "a", ("7", "x", 1): "b"}
    assert store.datasets.subsets("d") == ["de"]
    store, _ = tables.load("prompt,model,response\nC1,x,a\nC1,y,b\nC2,x,c\nC2,y,d\n")
    assert sorted(store.datasets.items("d")["context"]) == ["C1", "C2"]


def test_scores_of_people_of_raters_and_of_metrics(tables: Tables) -> None:
    header = "item,system,text,score:fluency,score:Ada:fluency,score:baseline:longer:overall\n"
    store, report = tables.load(header + "i1,x,a,1,2.5,3\ni1,y,b,,4,-1e-3\ni1,z,c,many,5,6\n")
    columns = ["item", "system", "attribute", "rater", "kind", "value"]
    assert store.scores.load_all("d")[columns].dropna().to_numpy().tolist() == [
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
    # the kind of a scorer can be said, and does not take the name that people's have elsewhere
    table = "item,system,text,score:q\ni,x,a,1\n"
    for dataset, reading, scorer in [
        ("k", {"kind": Kind.BASELINE}, ["baseline", "baseline"]), ("h", {}, ["human", "human"]),
    ]:  # fmt: skip
        _, report = tables.load(table, dataset=dataset, store=store, **reading)
        assert report.skipped == []
        assert store.scores.load_all(dataset)[["rater", "kind"]].to_numpy().tolist() == [scorer]
    rows = [{**row, "score:llm:quality": "3" if row is LONG[0] else ""} for row in LONG]
    assert [row for row, _ in reasons(tables.load(rows, "s.jsonl")[1])] == [1]  # no person's name


UNUSABLE = ("inf", "five", "1,000", "1,2,3", True, [1], {"mean": 1}, float("inf"))


def test_an_unusable_score_keeps_its_row_and_says_so(tables: Tables) -> None:
    rows = [
        {"item": f"i{n}", "system": system, "text": "t", "score:a": score}
        for n, value in enumerate(UNUSABLE)
        for system, score in (("x", 1), ("y", value))
    ]
    store, report = tables.load(rows, "a.jsonl")
    assert (report.skipped, len(texts(store))) == ([], 16)
    assert report.counts["scores"] == report.added["scores"] == 16
    scores = store.connection.rows("SELECT value, failure, raw FROM scores ORDER BY id")
    assert scores[::2] == [(1.0, "", "")] * 8
    assert scores[1::2] == [(None, "not-a-number", str(value)) for value in UNUSABLE]
    _, again = tables.load(rows, "a.jsonl", store=store)
    assert (again.skipped, any(again.added.values())) == ([], False)
    found = describe.describe(store, Selection("d"))
    assert found.unanswered == {"not-a-number": 8}
    assert found.rows["n"].tolist() == [8, 8, 0]
    store, _ = tables.load("item,system,text,score:q\ni,x,a,good\ni,y,b,bad\n")
    document = describe.describe(store, Selection("d")).document()
    assert [row["mean"] for row in document["scores"]] == [None] * 3
    assert document["unanswered"] == {"not-a-number": 2}


def test_a_decimal_comma_and_no_score(tables: Tables) -> None:
    marks = {"4,5": 4.5, "-0,125": -0.125, " 4,50 ": 4.5, "12,3456": 12.3456, "1e2": 100.0}
    given = [*marks, "", " ", "nan", "NaN", None, float("nan")]
    rows = [
        {"item": f"i{n}", "system": "x", "text": "t", "score:a": value}
        for n, value in enumerate(given)
    ]
    store, report = tables.load(rows, "a.jsonl")
    assert store.scores.load_all("d")["value"].tolist() == list(marks.values())
    assert (report.skipped, report.counts["scores"], len(texts(store))) == ([], 5, 11)


def test_map_names_what_is_not_recognised(tables: Tables) -> None:
    scores = {"score:fluency": "Note", "score:Ada:fluency": "Ada's"}
    mapping = {"item": "Nr", "system": "Wer", "text": "Was", **scores}
    store, _ = tables.load("Nr,Wer,Was,Note,Ada's\n1,x,a,3,4\n1,y,b,5,6\n", mapping=mapping)
    assert texts(store) == {("1", "x", 0): "a", ("1", "y", 0): "b"}
    found = sorted(store.scores.load_all("d")[["rater", "value"]].to_numpy().tolist())
    assert found == [["Ada", 4.0], ["Ada", 6.0], ["human", 3.0], ["human", 5.0]]


SUMMEVAL = '{"id": "a", "text": "C", "systems": {"x": {"decoded": "t", "scores": {}}}}\n'
REFUSED: list[tuple[str, Any, dict[str, Any]]] = [
    ("'itm'.* item, context,", "item,system,text\ni,x,a\n", {"mapping": {"itm": "item"}}),
    (r"item=nummer.*table\.csv.*item, system, text", "item,system,text\ni,x,a\n", {"mapping": {"item": "nummer"}}),
    ("'score:'", "item,system,text\ni,x,a\n", {"mapping": {"score:": "text"}}),
    ("'system:'", "item,system,text\ni,x,a\n", {"mapping": {"system:": "text"}}),
    (r"table\.csv .*item .*context", "system,text\nx,a\n", {}),
    (r"table\.csv .*system .*text .*column", "item,text\ni,a\n", {}),
    (r"table\.csv .*system .*text .*column", "item,x\ni,a\n", {}),
    (r"table\.csv .*'score:q'.*system .*text", "item,x,y,score:q\ni,a,b,1\n", {}),
    (r"^map .*table\.csv.*SummEval", SUMMEVAL, {"mapping": {"item": "id"}}),
    ("'links', 'rechts'.*first wins\b.*second wins\b.*tie".replace("\b", r"\b"), pairs(["links", "rechts", "tie"]), {}),
    ("'Gpt' .*'gpT'", "system_a,system_b,winner\nGpt,gpT,gpt\nGpt,gpT,model_a\n", {}),
    (r"winner .*\bleft, right.*thing\b.* winner=COLUMN", "left,right,thing\nx,y,a\n", {}),
    (r"table\.csv .*how often.* system_a=COLUMN", "item,model,wins\ni,a,2\n", {"layout": "counts"}),
]  # fmt: skip


def test_what_is_refused(tables: Tables, subtests: pytest.Subtests) -> None:
    for match, rows, reading in REFUSED:
        with subtests.test(match):
            name = "table.csv"
            if rows == SUMMEVAL:
                name, match = "table.jsonl", match.replace("csv", "jsonl")
            tables.check_refused(match, rows, name, **reading)
    store, report = tables.load(pairs(["links", "rechts", "tie"]), codes=Codes(("links",), ("rechts",)))  # fmt: skip
    assert (votes(store, "winner"), report.warnings) == (["a", "b", "tie"], [])
    store, _ = tables.load("left,right,result\nx,y,a\n", mapping={"winner": "result"})
    assert votes(store, "winner") == ["a"]
    for columns in (["x" * 10_000, "y"], [f"column {n:03}" for n in range(400)]):
        table = ",".join(columns) + "\n" + ",".join("1" for _ in columns) + "\n"
        with pytest.raises(TandemError) as refused:
            tables.load(table, mapping={"item": "nummer"})
        echo = str(refused.value).partition("it has ")[2]  # of the header, 200 characters
        assert (10 < len(echo) < 220, " more" in echo) == (True, True)


def test_rows_that_are_skipped_one_by_one(tables: Tables) -> None:
    rows = "i,x,a,0\ni,x,b,0\n,x,c,0\ni,,d,0\ni,y,e,1.5\ni,y,f,-1\ni,y,g,1\n"
    good = "".join(f"i,z,t,{n}\n" for n in range(4))
    store, report = tables.load("item,system,text,sample\n" + rows + good)
    named = {
        2: r"repeats.*'i'.*'x'.*sample 0 .*row 1\b",
        3: "'item'.*empty",
        4: "'system'.*empty",
        5: r"'sample' is 1\.5\b.*from 0",
        6: r"'sample' is -1\b.*from 0",
    }
    check_skipped(report, named)
    kept = {("i", "x", 0): "a", ("i", "y", 1): "g"}
    assert texts(store) == kept | {("i", "z", n): "t" for n in range(4)}


# ---- votes

LAYOUTS = [
    ("model_a", "model_b"), ("system_a", "system_b"), ("left", "right"), ("model_x", "model_y"),
    ("Model A", "Model-B"), ("system_x", "system_y"), ("model_1", "model_2"), ("a", "b"),
]  # fmt: skip
COLUMNS = ["winner", "preference", "label", "choice", "verdict", "vote", "preferred", "outcome"]
SPELLINGS = {
    "a": "model_a|a|A|left|first|Left |gpt|[[A]]|A>B|Model A|model-a|a.|A wins|A is better.|model_a won|GPT",
    "b": "model_b|b|B|right|second|llama|[[B]]|b>a|Model B|model-b| MODEL B. |B wins|b is better|Right is better|second wins|LLaMA",
    "tie": "tie|draw|Tie|same|A=B|A = B|tie.|Tied|both good",
    "both_bad": "both_bad|tie (bothbad)|bothbad|Both Bad|both-bad|Tie (both bad)",
}  # fmt: skip


def test_votes_are_recognised_by_their_columns(tables: Tables, subtests: pytest.Subtests) -> None:
    for first, second in LAYOUTS:
        with subtests.test(first):
            word = first if first == "model_a" else "left"
            table = f"{first},{second},winner\ngpt,llama,{word}\ngpt,llama,tie\n"
            store, report = tables.load(table)
            assert report.layouts == {"table.csv": "votes"}
            expected = [("gpt", "llama", "a"), ("gpt", "llama", "tie")]
            assert votes(store, "system_a", "system_b", "winner") == expected


def test_every_spelling_of_a_winner(tables: Tables, subtests: pytest.Subtests) -> None:
    said = [(outcome, word) for outcome, words in SPELLINGS.items() for word in words.split("|")]
    files = [(column, "v.csv") for column in COLUMNS]
    for column, name in [*files, ("winner", "v.jsonl"), ("outcome", "v.parquet")]:
        with subtests.test(column, name=name):
            rows = [{"model_a": "gpt", "model_b": "llama", column: word} for _, word in said]
            store, report = tables.load(rows, name)
            assert (report.skipped, votes(store, "winner")) == (
                [],
                [outcome for outcome, _ in said],
            )


def test_winners_as_numbers_and_words_for_no_answer(tables: Tables) -> None:
    told = [("a", ""), ("b", ""), ("tie", ""), (None, "no-answer")]
    for values in ([1, 2, 0], [1.0, 2.0, 0.0, None]):
        codes = Codes(("1",), ("2",), ("0",))
        store, report = tables.load(pairs(values), "v.parquet", codes=codes)
        assert report.skipped == []
        assert votes(store, "winner", "failure") == told[: len(values)]
    words = ["N/A", "na", "none", "null", "NaN", "Error", "invalid", "unknown", " "]
    store, report = tables.load(pairs(words), "v.jsonl")
    assert report.skipped == []
    assert votes(store, "winner", "failure", "raw") == [(None, "no-answer", word) for word in words]
    store, report = tables.load(
        "left,right,winner,failure\nx,y,,\nx,y,a,refused\nx,y,,timeout\nx,y,a,\n"
    )
    assert votes(store, "winner", "failure") == [
        (None, "no-answer"), (None, "refused"), (None, "timeout"), ("a", ""),
    ]  # fmt: skip
    assert report.counts["judgements"] == report.added["judgements"] == 4


def test_what_may_mean_either_is_asked_about(tables: Tables, subtests: pytest.Subtests) -> None:
    for word in [
        "-1", "3", "0.5", ".1", ".0", "1", "0", "2", "1.5", "01", "wins", "lost", "better",
    ]:  # fmt: skip
        with subtests.test(word):
            store = tables.open()
            with pytest.raises(UncertainError, match=r"column 'winner'.*certain"):
                tables.load(pairs(["a", word]), "v.jsonl", store=store)
            assert store.datasets.names() == []


def test_an_answer_in_an_unknown_word_is_kept_as_unparsed(tables: Tables) -> None:
    words = ["a b", "model", "1-0", "sideways", "I cannot say.", "z"]
    store, report = tables.load(pairs([*"ab" * 6, *words]), "v.jsonl")
    assert report.skipped == []
    known = [(side, "", "") for side in "ab" * 6]
    found = votes(store, "winner", "failure", "raw")
    assert found == known + [(None, "unparsed", word) for word in words]
    assert re.search(r"\b6 answers\b.*unparsed", report.warnings[0])


def test_a_name_that_is_also_a_word_is_what_the_other_rows_hold(
    tables: Tables, subtests: pytest.Subtests
) -> None:
    """Systems called b and a: a winner `b` may be the system of that name, or what stands on side
    B. Beside `model_a` it is a side; beside the name of a third system it is a name.
    """
    for a, b, said, side in [
        ("b", "a", "b", "b"), ("b", "a", "a", "a"), ("B", "A", "a", "a"), ("right", "x", "right", "b"),
        ("x", "none", "none", None), ("tie", "x", "Tie", "tie"), ("Model B", "x", "model_b ", "b"),
    ]:  # fmt: skip
        with subtests.test(f"{said} of {a}, {b}"):
            rows = [{"system_a": a, "system_b": b, "winner": word} for word in (said, "model_a")]
            store, report = tables.load(rows, "v.jsonl")
            assert (report.skipped, votes(store, "winner")) == ([], [side, "a"])
            rows[1] = {"system_a": "y", "system_b": "z", "winner": "z"}
            store, report = tables.load(rows, "v.jsonl")
            named = "b" if said.strip().lower().replace("_", " ") == b.lower() else "a"
            assert (report.skipped, votes(store, "winner")) == ([], [named, "b"])
            with pytest.raises(UncertainError, match=r"systems.*sides.*certain"):
                tables.load(rows[:1], "v.jsonl")
    store, report = tables.load("system_a,system_b,winner\na,b,a\na,b,B\nGPT,gpt,gpt\n")
    assert (report.skipped, votes(store, "winner")) == ([], ["a", "b", "b"])


def test_everything_a_vote_may_say(tables: Tables) -> None:
    row = {
        "question_id": "q1", "prompt": "C", "task": "chat", "model_a": "x", "model_b": "y", "response_a": "one",
        "response_b": "two", "winner": "model_b", "judge_name": "Ada", "dimension": "fluency", "probability": 0.25,
        "confidence": 0.5, "strength": 2, "comment": "clear", "seconds": 3.5, "raw": "B.", "tstamp": 1700000000,
    }  # fmt: skip
    expected = {
        "item": "q1", "context": "C", "subset": "chat", "system_a": "x", "system_b": "y", "text_a": "one", "text_b": "two",
        "winner": "b", "judge": "Ada", "judge_kind": "human", "attribute": "fluency", "prob_a": 0.25, "confidence": 0.5,
        "strength": 2.0, "comment": "clear", "seconds": 3.5, "raw": "B.", "order_known": 1, "failure": "",
        "created_at": "2023-11-14T22:13:20.000000+00:00",
    }  # fmt: skip
    store, report = tables.load([row], "v.jsonl")
    assert votes(store, *expected) == [tuple(expected.values())]
    assert report.counts == {
        "items": 1, "systems": 2, "generations": 2, "attributes": 1, "scores": 0, "judges": 1, "comparisons": 1,
        "judgements": 1,
    }  # fmt: skip


def test_times(tables: Tables) -> None:
    stored = {
        "2024-05-01T10:00:00Z": "2024-05-01T10:00:00.000000+00:00",
        1700000000: "2023-11-14T22:13:20.000000+00:00",
        1700000000.25: "2023-11-14T22:13:20.250000+00:00",
        "1700000000": "2023-11-14T22:13:20.000000+00:00",
        1700000000500: "2023-11-14T22:13:20.500000+00:00",
        "1700000000500": "2023-11-14T22:13:20.500000+00:00",
    }
    rows = [row for time in stored for row in pairs(["a"], timestamp=time)]
    store, _ = tables.load(rows, "v.jsonl")
    assert votes(store, "created_at") == list(stored.values())
    # votes without a time are kept and counted
    times = (1e300, 10**8 - 1, 1700000000, 1700000001)
    rows = [row for time in times for row in pairs(["a"], timestamp=time)]
    store, report = tables.load(rows, "v.jsonl")
    assert (reasons(report), len(votes(store, "winner"))) == ([], 4)
    assert any(re.search("2 of 4 .*time", warning) for warning in report.warnings)


def test_who_was_shown_first(tables: Tables, subtests: pytest.Subtests) -> None:
    """The stored side A is the one shown first; the winner and its probability turn with it."""
    turned, kept = ("llama", "gpt", "b", 0.25), ("gpt", "llama", "a", 0.75)
    for column, swapped in [
        ("swapped", {"1": True, "true": True, "False": False, "0": False, "": False}),
        ("toggle", {"yes": True}), ("order", {"right": True}), ("first_shown", {"Left": False}),
        ("shown_first", {"b": True, "model_b": True, "a": False, "": False}),
        ("shown_first", {"llama": True, "gpt": False}),
    ]:  # fmt: skip
        with subtests.test(column, values=list(swapped)):
            rows = "".join(f"gpt,llama,model_a,0.75,{value}\n" for value in swapped)
            store, _ = tables.load(f"model_a,model_b,winner,prob_a,{column}\n{rows}")
            found = votes(store, "system_a", "system_b", "winner", "prob_a")
            assert found == [turned if turns else kept for turns in swapped.values()]
    rows = "".join(f"gpt,llama,{outcome},1\n" for outcome in ("tie", "both_bad", ""))
    store, _ = tables.load(f"model_a,model_b,winner,swapped\n{rows}")  # nothing has a side there
    expected = [("llama", "tie"), ("llama", "both_bad"), ("llama", None)]
    assert votes(store, "system_a", "winner") == expected
    table = "left,right,winner,order_known\nx,y,a,0\nx,y,a,1\nx,y,a,false\nx,y,a,\n"
    assert votes(tables.load(table)[0], "order_known") == [0, 1, 0, 1]


def test_kinds_of_judges(tables: Tables) -> None:
    rows = ["a,Ada,human", "b,gpt-4,llm", "a,key,gold", "b,Ada,llm", "a,z,robot"]
    table = "left,right,winner,judge,kind\n" + "".join(f"x,y,{row}\n" for row in rows)
    store, report = tables.load(table)
    known = [("Ada", "human"), ("gpt-4", "llm"), ("key", "gold")]
    assert votes(store, "judge", "judge_kind") == known
    check_skipped(report, {4: "'Ada'.*llm.*name", 5: f"kind 'robot'.*{', '.join(Kind)}"})
    # votes of nobody in particular
    for kind, name in [(Kind.HUMAN, "voters"), (Kind.LLM, "llm"), (Kind.GOLD, "gold")]:
        store, _ = tables.load("left,right,winner\nx,y,a\n", kind=kind)
        assert votes(store, "judge", "judge_kind") == [(name, kind.value)]
    # a judge named like another kind
    rows = ["llm,human", "human,human", "gold,gold", "human,llm", "Ada,"]
    table = "item,model_a,model_b,winner,worker,judge_kind\n"
    store, report = tables.load(table + "".join(f"i1,x,y,a,{row}\n" for row in rows))
    check_skipped(report, {1: "kind human .*'llm'", 4: "kind llm .*'human'"})
    assert set(votes(store, "judge")) == {"human", "gold", "Ada"}


def test_votes_without_an_item_or_texts(tables: Tables) -> None:
    store, report = tables.load("left,right,winner\nx,y,a\nx,x,a\ny,x,b\n")
    assert votes(store, "item") == ["row-1 of table.csv", "row-3 of table.csv"]
    assert report.counts["generations"] == report.added["generations"] == 0
    store, _ = tables.load("item,left,right,winner\nq,x,y,a\n,x,y,b\n")
    assert votes(store, "item") == ["q", "row-2 of table.csv"]


def test_new_texts_become_samples(tables: Tables) -> None:
    """No sample column: a text not seen before of that item and system is its next sample, a known
    one is that sample.
    """
    head = "item,left,right,text_a,text_b,winner\n"
    store, report = tables.load(
        head + "q,x,y,a1,b1,a\nq,x,y,a2,b1,a\nq,x,y,a1,b2,a\nq,x,y,a2,b2,a\n"
    )
    assert texts(store) == {
        ("q", "x", 0): "a1", ("q", "x", 1): "a2", ("q", "y", 0): "b1", ("q", "y", 1): "b2",
    }  # fmt: skip
    assert votes(store, "sample_a", "sample_b") == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert report.counts["comparisons"] == report.added["comparisons"] == 4
    # samples of votes are those of the generations there
    store, _ = tables.load("item,system,text,sample\nq,x,a0,0\nq,x,a5,5\nq,y,b0,0\n")
    _, report = tables.load(head + "q,x,y,a5,b0,a\nq,x,y,new,b0,b\n", "votes.csv", store=store)
    assert votes(store, "sample_a", "winner") == [(5, "a"), (6, "b")]
    assert (report.added["generations"], report.skipped) == (1, [])


def test_a_repeated_vote_is_the_next_trial(tables: Tables) -> None:
    rows = "q,x,y,a,Ada\nq,x,y,b,Ada\nq,x,y,b,Ben\nq,y,x,b,Ada\nq,x,y,a,Ada\n"
    store, _ = tables.load("item,left,right,winner,judge\n" + rows, repeats=Repeats.ALL)
    assert votes(store, "judge", "system_a", "trial", "winner") == [
        ("Ada", "x", 0, "a"), ("Ada", "x", 1, "b"), ("Ben", "x", 0, "b"), ("Ada", "y", 0, "b"), ("Ada", "x", 2, "a"),
    ]  # fmt: skip


def test_votes_that_are_skipped_one_by_one(tables: Tables) -> None:
    rows = ["x,y,a,0.5,", "x,x,a,,", "x,y,a,1.5,", "x,y,a,often,", ",y,a,,", "x,y,a,,middle"]
    table = "\n".join(["left,right,winner,prob_a,shown_first", *rows, *["x,y,b,,"] * 5]) + "\n"
    store, report = tables.load(table)
    named = {
        2: "'x'.*itself",
        3: r"probability 1\.5\b.*0 and 1\b",
        4: "'prob_a'.*'often'.*number",
        5: "'left'.*system_a.*empty",
        6: "'middle'.* a, b ",
    }
    check_skipped(report, named)
    assert len(votes(store, "winner")) == 6


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


def test_a_turn_that_was_judged_is_a_question_of_its_own(tables: Tables) -> None:
    """MT-Bench's people voted after each turn: two answers, no repeat of one. In the Arena's files
    `turn` is how long the conversation is.
    """
    said = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Me."}]
    row = {"question_id": 81, "model_a": "x", "model_b": "y", "judge": "expert_1", "conversation_a": said, "conversation_b": said}  # fmt: skip
    turns = [{**row, "turn": 1, "winner": "model_a"}, {**row, "turn": 2, "winner": "model_b"}]
    for more, attributes in [({}, ["turn 1", "turn 2"]), ({"tstamp": 1.5}, ["overall"])]:
        store, report = tables.load([{**turn, **more} for turn in turns], "t.jsonl", repeats=Repeats.ALL)  # fmt: skip
        assert report.skipped == []
        frame, _ = select_judgements(store, Selection("d", judges=("human",)))
        assert sorted(frame["attribute"].unique()) == attributes
        assert frame["trial"].nunique() == 3 - len(attributes)
