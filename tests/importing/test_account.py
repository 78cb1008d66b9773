"""Every column is used, left out with its reason, or asked about; paths lead into cells."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.importing import NOT_USED, Reading, UnusedColumnError, count, importer
from core.records import Dataset, TandemError, render_options
from core.store import Store

PAIR = {"prompt": "Q{0}?", "model_a": "m1", "model_b": "m2"}
TEXTS = {"response_a": "a{0}", "response_b": "b{0}"}
FIRST = (0, 3, 6, 9)  # rows of 12 that m1 wins: a third
# Columns of who won in SoftElo, HelpSteer2, Label Studio, copilot-arena and others, and their words.
WINNERS = {
    "pref": "A B", "answer": "A B", "better": "A B", "Decision": "A>B B>A", "gold": "m1 m2",
    "chosen_model": "m1 m2", "human_pref": "model_a model_b", "human preference": "left right",
    "judgement": "[[A]] [[B]]", "preferredResponse": "A B", "result": "first second",
    "selected": "left right", "pw": "left right", "PREFERRED-MODEL": "m1 m2",
}  # fmt: skip


def write(folder: Path, columns: dict[str, object], rows: int = 12, name: str = "f.jsonl") -> Path:
    """Write a file with a row for each number; `{0}` in a value is the number, a list is cycled."""
    path = folder / name
    lines = [
        {
            column: value[row % len(value)] if isinstance(value, list) else str(value).format(row)
            for column, value in columns.items()
        }
        for row in range(rows)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def load_account(path: Path, **how: object) -> tuple[importer.ImportReport, list[str]]:
    """Import a file; return the report and the outcomes in the order of rows."""
    with Store(":memory:") as store:
        report = importer.load(store, [path], Dataset("d"), Reading(**how))  # type: ignore[arg-type]
        return report, store.judgement_frames.load_exported("d")["winner"].tolist()


def ask(path: Path, **how: object) -> str:
    """Return the question with which an import stops."""
    with pytest.raises(TandemError) as refused:
        load_account(path, **how)
    return render_options(refused.value.sentence, lambda name: f"--{name}")


@pytest.mark.parametrize("has_texts", [True, False])
def test_a_column_of_answers_is_read_by_name_and_words(tmp_path: Path, has_texts: bool) -> None:
    """A third of the votes are for m1, whatever the column is called. With texts all of these were
    pairs to annotate, and their votes were gone.
    """
    for name, words in WINNERS.items():
        if name == "gold" and not has_texts:
            continue  # without texts it may be a system of its own: refused
        sides = words.split()
        answers = [sides[row not in FIRST] for row in range(12)]
        columns = {**PAIR, **(TEXTS if has_texts else {}), name: answers}
        for order in (columns, dict(reversed(columns.items()))):
            report, outcomes = load_account(write(tmp_path, order))
            assert outcomes == ["a" if row in FIRST else "b" for row in range(12)], name
            uses = {each["column"]: each["use"] for each in report.columns}
            assert uses[name] == "winner"


def test_numbers_are_asked_about(tmp_path: Path) -> None:
    for name, numbers in {"acceptedIndex": [0, 1, 1], "preference_strength": [-2, 2, 2]}.items():
        question = ask(write(tmp_path, {**PAIR, **TEXTS, name: numbers}))
        assert name in question
        assert "--first_wins" in question


@pytest.mark.parametrize(
    ("columns", "named", "field"),
    [
        ({**PAIR, **TEXTS, "cell7": ["A", "B", "B"]}, "cell7", "winner"),
        ({**PAIR, **TEXTS, "w": ["mine", "yours", "mine"]}, "w", "winner"),
        ({**PAIR, "winner": ["a", "b"], "second_look": ["m1", "m2"]}, "second_look",
         "attribute:second_look"),
        ({**PAIR, "winner": ["a", "b"], "lab_annotator_nr": ["7", "8"]}, "lab_annotator_nr", "judge"),
        (
            {"id": "{0}", "model_a": "m1", "model_b": "m2", "winner": ["a", "b"],
             "the_question": "What is {0}?"},
            "the_question", "context",
        ),
        ({"item": "{0}", "system": "m", "text": "t {0}", "quality": [3, 4]}, "quality", "score:quality"),
        ({**PAIR, "winner": ["m1", "m2"], "itme_id": ["7", "8"]}, "itme_id", "item"),
        ({**PAIR, "winner": ["m1", "m2"], "judg": ["ann", "ben"]}, "judg", "judge"),
        ({**PAIR, "winner": ["m1", "m2"], "swaped": [0, 1]}, "swaped", "swapped"),
        ({**PAIR, "winner": ["m1", "m2"], "dimenson": ["x", "y", "y"]}, "dimenson", "attribute"),
        ({**PAIR, **TEXTS, "choiec": ["one", "two"]}, "choiec", "winner"),
    ],
)  # fmt: skip
def test_a_column_that_may_matter_is_asked_about(
    tmp_path: Path, columns: dict[str, object], named: str, field: str
) -> None:
    """The import stops with the column and the two ways out, and both of them work."""
    for order in (columns, dict(reversed(columns.items()))):
        path = write(tmp_path, order)
        question = ask(path)
        assert re.search(rf"'{named}'.*--map {field}={named}.*--unused {named}", question)
        report, _ = load_account(path, unused=(named,))
        uses = {each["column"]: each["use"] for each in report.columns}
        assert uses[named] == "not used"
        if field != "winner":
            load_account(path, mapping={field: named})


def test_every_column_is_accounted_for(tmp_path: Path) -> None:
    """Also one that only later rows have; what an import does not use is named after it."""
    path = write(tmp_path, {**PAIR, "winner": ["a", "b"], "lead_time": "{0}.5"}, rows=300)
    with path.open("a") as file:
        file.write(json.dumps({**PAIR, "winner": "a", "prompt": "late", "batch": "z"}) + "\n")
    report, outcomes = load_account(path)
    assert len(outcomes) == 301
    assert {each["column"]: each["use"] for each in report.columns} == {
        "prompt": "context", "model_a": "system a", "model_b": "system b", "winner": "winner",
        "lead_time": "not used", "batch": "not used",
    }  # fmt: skip
    assert report.document()["columns"] == report.columns
    assert [word in report.describe_unused() for word in ("lead_time", "batch", "winner")] == [
        True, True, False,
    ]  # fmt: skip


def test_columns_of_other_meanings_are_no_question(tmp_path: Path) -> None:
    """Groups called a and b, scores beside votes, and ids are no answers."""
    others = {"category": ["a", "b"], "difficulty": [1, 2, 3], "lang": "en", "score": [1, 2]}
    report, outcomes = load_account(write(tmp_path, {**PAIR, "winner": ["a", "b", "b"], **others}))
    assert outcomes.count("a") == 4
    unused = {each["column"] for each in report.columns if each["use"] == "not used"}
    assert {"difficulty", "score"} <= unused


def test_a_column_to_leave_out_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path, {**PAIR, "winner": ["a", "b"]})
    assert "nope" in ask(path, unused=("nope",))


def test_a_column_is_used_where_a_path_leads_into_its_cells(tmp_path: Path) -> None:
    """MTurk's answers are JSON in a column with a dot in its name; others are objects."""
    answers = [json.dumps([{"best": side}]) for side in "ab"]
    columns = {**PAIR, "Answer.tasks": answers, "about": [{"who": "ann"}]}
    mapping = {"winner": "Answer.tasks.0.best", "judge": "about.who"}
    report, outcomes = load_account(write(tmp_path, columns, rows=2), mapping=mapping)
    assert outcomes == ["a", "b"]
    uses = {each["column"]: each["use"] for each in report.columns}
    assert uses["Answer.tasks"] == "winner"
    assert uses["about"] == "judge"
    assert set(uses) == set(columns)


def test_votes_counted_where_they_lie_ask_as_import_does(tmp_path: Path) -> None:
    """The same question about the same column, by the first rows; `--unused` answers it."""
    rows = "".join(f"q{row},m1,m2,{'ab'[row % 2]},u{row % 3}\n" for row in range(12))
    path = tmp_path / "f.csv"
    path.write_text("item,system_a,system_b,winner,rater2\n" + rows)
    with pytest.raises(UnusedColumnError) as asked:
        count([path])
    assert asked.value.field == "judge"
    with pytest.raises(UnusedColumnError, match="rater2"):
        load_account(path)
    assert count([path], reading=Reading(unused=("rater2",))).rows == 12


def test_files_of_one_name_have_an_account_each(tmp_path: Path) -> None:
    for folder, column in (("one", "batch"), ("two", "round")):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, {**PAIR, "winner": ["a", "b"], column: "{0}"})
    report, _ = load_account(tmp_path)
    unused = {each["file"]: each["column"] for each in report.columns if each["use"] == NOT_USED}
    assert unused == {"one/f.jsonl": "batch", "two/f.jsonl": "round"}


def test_a_winner_beside_columns_of_other_questions_or_judges(tmp_path: Path) -> None:
    """It answers the usual question; beside one column a judge it is not used, and said."""
    answers = {"winner": ["a", "b", "b"], "fluency": ["b", "a", "a"]}
    path = write(tmp_path, {**PAIR, **answers})
    report, outcomes = load_account(path, mapping={"attribute:fluency": "fluency"})
    assert report.counts["attributes"] == 2
    assert sorted(outcomes) == ["a"] * 12 + ["b"] * 12
    report, outcomes = load_account(path, mapping={"winner:anna": "fluency"})
    assert outcomes == ["b" if row in FIRST else "a" for row in range(12)]
    assert {each["column"]: each["use"] for each in report.columns}["winner"] == NOT_USED


def test_columns_of_answers_alone_are_listed_with_both_ways_out(tmp_path: Path) -> None:
    """One a person or one a question: a person says which. Of swapped orders, A is the second."""
    answers = {"anna": ["A", "B", "B"], "ben": ["tie", "B", "B"], "round": [1, 2]}
    path = write(tmp_path, {**PAIR, **answers})
    question = ask(path)
    for field in ("winner", "attribute"):
        assert f"--map {field}:anna=anna {field}:ben=ben" in question
    report, outcomes = load_account(path, mapping={"winner:anna": "anna", "winner:ben": "ben"})
    assert sorted(outcomes) == ["a"] * 4 + ["b"] * 16 + ["tie"] * 4
    assert report.counts["judges"] == 2
    swapped = ask(write(tmp_path, {**PAIR, "verdict_ab": ["A", "B"], "verdict_ba": ["B", "A"]}))
    assert "verdict_ba" in swapped
    assert "--map" not in swapped


SHEET = {"Prompt": "Q {0}?", "Baseline output": "old text {0}", "New output": "new text {0}"}


@pytest.mark.parametrize("rows", [3, 12])
@pytest.mark.parametrize(
    ("column", "answers"),
    [
        ("Which is better?", ["New", "Baseline", "Same"]),
        ("pick", ["New output", "Baseline output", "tie"]),
        ("human_preference", ["new", "baseline", "draw"]),
    ],
)
def test_answers_beside_a_column_a_system_are_no_texts(
    tmp_path: Path, column: str, answers: list[str], rows: int
) -> None:
    """A sheet with a column of texts a system, and one of who was better: the refusal has the
    options that read it.
    """
    sheet = {**SHEET, column: answers, "Reviewer": ["Ann", "Bob"], "trace_id": "t{0}"}
    sheet |= {"Notes": ["good", ""], "answered on": ["2026-01-05 10:00:00", "2026-02-06 11:00:00"]}
    for order in (sheet, dict(reversed(sheet.items()))):
        question = ask(write(tmp_path, order, rows=rows))
        sides = {
            f"text_{side}": f"{name} output"
            for side, name in zip("ab", ("Baseline", "New"), strict=True)
        }
        assert all(re.search(rf"text_.=({'|'.join(sides.values())})", question) for _ in sides)
        assert re.search("--systems (Baseline New|New Baseline)", question)
        assert re.search(rf"winner={re.escape(column)}", question)
    mapping = {**sides, "winner": column}
    how: dict[str, object] = {
        "mapping": mapping, "systems": ("Baseline", "New"), "unused": ("trace_id", "Notes")
    }  # fmt: skip
    with pytest.raises(UnusedColumnError) as asked:
        load_account(write(tmp_path, sheet, rows=rows), **how)
    assert (asked.value.column, asked.value.field) == ("Reviewer", "judge")
    how["mapping"] = {**mapping, "judge": "Reviewer"}
    report, outcomes = load_account(write(tmp_path, sheet, rows=rows), **how)
    assert outcomes == ["b", "a", "tie"] * (rows // 3)
    assert report.counts["systems"] == 2


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({**SHEET, "New rating": [1, 4, 5], "Baseline rating": [2, 3, 3]}, "New rating"),
        ({**SHEET, "Rank New": [1, 2], "Rank Baseline": [2, 1]}, "Rank New"),
        ({"item": ["i", "j"], "system": ["m", "m", "n", "n"], "text": "t {0}",
          "is_preferred": [0, 1]}, "is_preferred"),
    ],
)  # fmt: skip
def test_answers_and_scores_that_no_field_takes_are_said_with_what_to_do(
    tmp_path: Path, columns: dict[str, object], named: str
) -> None:
    path = write(tmp_path, columns, rows=4)
    with pytest.raises(UnusedColumnError) as asked:
        load_account(path)
    assert (asked.value.column, asked.value.field) == (named, "")
    assert re.search("Write a .*--unused", ask(path))
    left_out = [column for column in columns if re.search("rating|Rank|preferred", column)]
    assert load_account(path, unused=tuple(left_out))[0].counts["generations"] in (4, 8)


VOTES: dict[str, object] = {**PAIR, "winner": ["a", "b", "b"]}
BOTH = [[{"who": "ann", "choice": "a"}, {"who": "ben", "choice": "b"}]]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({**VOTES, "count": [10, 1, 50]}, "count"),
        ({**VOTES, "n_votes": [2, 1]}, "n_votes"),
        ({**VOTES, "is_valid": [True, False]}, "is_valid"),
        ({**VOTES, "status": ["submitted", "discarded"]}, "status"),
        ({**VOTES, "annotations": BOTH}, "annotations"),
        ({**VOTES, "details": [json.dumps(BOTH[0])]}, "details"),
        ({**VOTES, "gpt-4": ["b", "a"]}, "gpt-4"),
        ({**VOTES, "prompt": "Sum it up", "post": "A {0}th long post, with some forty letters"},
         "post"),
        ({**PAIR, **TEXTS, "rating_a": "{0}", "rating_b": [2, 2]}, "rating_a"),
    ],
)  # fmt: skip
def test_what_no_field_takes_and_changes_the_result_is_asked_about(
    tmp_path: Path, columns: dict[str, object], named: str
) -> None:
    """Rows that stand for many votes or for none, answers in lists or of another judge, the part of
    a prompt that tells items apart, and scores beside two texts.
    """
    path = write(tmp_path, columns, rows=40)
    with pytest.raises(UnusedColumnError) as asked:
        load_account(path)
    assert (asked.value.column, asked.value.field) == (named, "")
    assert f"--unused {named}" in ask(path)
    others = tuple(column for column in columns if column == "rating_b")
    load_account(path, unused=(named, *others))


def test_columns_that_change_no_result_are_no_question(tmp_path: Path) -> None:
    others = {
        "count": 1, "status": "submitted", "token_count": [10, 20], "system_prompt": "Be brief",
        "tags": [["a long", "b short"]], "trace_id": "t{0}",
        "feedback": "A {0}th long remark on a prompt, with some forty letters",
    }  # fmt: skip
    report, _ = load_account(write(tmp_path, {**VOTES, "prompt": "Sum it up", **others}, rows=40))
    assert {each["column"] for each in report.columns if each["use"] == NOT_USED} == {*others}


@pytest.mark.parametrize("corner", ["losr", "lsoer", "losser", "lozer", "defeatd"])
def test_a_matrix_of_losses_whose_corner_is_damaged_is_refused(tmp_path: Path, corner: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text(f"{corner},gpt,llama\ngpt,,2\nllama,5,\n")
    assert corner in ask(path)
    path.write_text(path.read_text().replace(corner, "loser"))
    assert sorted(load_account(path)[1]) == ["a"] * 7


def test_a_place_on_the_screen_may_be_said_by_the_name_of_a_side(tmp_path: Path) -> None:
    for sides in (["model_b", "model_a"], ["m2", "m1"], ["B", "A"]):
        columns = {**PAIR, "winner": ["left", "right"], "left_is": sides}
        assert "left_is" in ask(write(tmp_path, columns))


def test_systems_are_called_by_words_that_also_name_people_and_reasons(tmp_path: Path) -> None:
    """With short texts their names alone would tell."""
    systems = {name: ["Paris", "4", "blue"] for name in ("gpt-4", "deepseek-coder", "reasoner-v2")}
    sheet = {"question": "Q{0}?", **systems, "user_id": "u{0}", "Notes": "n {0}"}
    report, _ = load_account(write(tmp_path, sheet, rows=3))
    assert report.counts["systems"] == 3
    assert {each["column"]: each["use"] for each in report.columns}["user_id"] == NOT_USED


def test_one_of_three_texts_is_no_pair(tmp_path: Path) -> None:
    sheet = {**SHEET, "Third output": "third text {0}", "Best": ["New", "Third", "Baseline"]}
    assert re.search("3 columns of texts.*Best.*each pair", ask(write(tmp_path, sheet)))


def test_texts_beside_votes_are_read_or_asked_about(tmp_path: Path) -> None:
    votes = {"prompt": "Q{0}?", "model1": "m1", "model2": "m2", "winner": ["model1", "model2"]}
    named = {f"model{n}_response": f"text {n} {{0}}" for n in (1, 2)}
    assert load_account(write(tmp_path, {**votes, **named}))[0].counts["generations"] == 24
    path = write(tmp_path, {**votes, "alpha_reply": "text a {0}", "beta_reply": "text b {0}"})
    with pytest.raises(UnusedColumnError) as first:
        load_account(path)
    with pytest.raises(UnusedColumnError) as second:
        load_account(path, mapping={"text_a": "alpha_reply"})
    fields = [asked.value.field for asked in (first, second)]
    assert fields == ["text_a", "text_b"]
    mapping = {"text_a": "alpha_reply", "text_b": "beta_reply"}
    assert load_account(path, mapping=mapping)[0].counts["generations"] == 24


def test_three_numbered_columns_of_answers_are_of_people(tmp_path: Path) -> None:
    """Not two of a side each, with the third as the winner of all."""
    votes = {f"vote_{n}": ["A", "B", "B"] for n in (1, 2, 3)}
    question = ask(write(tmp_path, {**PAIR, **votes}))
    assert "winner:vote_1=vote_1 winner:vote_2=vote_2 winner:vote_3=vote_3" in question


def test_systems_and_texts_by_more_names(tmp_path: Path) -> None:
    for system, text in [
        ("{}_model", "{}_text"), ("response_{}_model", "response_{}"), ("system_{}_name", "system_{}_output"),
    ]:  # fmt: skip
        sides = ("first", "second") if system == "{}_model" else ("1", "2")
        columns: dict[str, object] = {"prompt": "Q{0}?", "winner": ["m1", "m2", "m2"]}
        for n, side in enumerate(sides, start=1):
            columns |= {system.format(side): f"m{n}", text.format(side): f"text {n} {{0}}"}
        report, outcomes = load_account(write(tmp_path, columns))
        assert (outcomes.count("a"), report.counts["generations"]) == (4, 24), system


def test_people_beside_chosen_and_rejected_texts_are_asked_about(tmp_path: Path) -> None:
    pairs = {"prompt": "Q{0}?", "chosen": "good {0}", "rejected": "bad {0}"}
    path = write(tmp_path, {**pairs, "annotator": ["ann", "ben"], "messages": "a text {0} of many"})
    with pytest.raises(UnusedColumnError) as asked:
        load_account(path)
    assert (asked.value.column, asked.value.field) == ("annotator", "judge")
    assert load_account(path, mapping={"judge": "annotator"})[0].counts["judges"] == 2
    assert load_account(path, unused=("annotator",))[0].counts["judges"] == 1


def test_an_answer_to_a_question_is_not_counted_as_the_winner_too(tmp_path: Path) -> None:
    """PKU-SafeRLHF: of two such columns the likelier was both."""
    columns = {
        "prompt": "Q{0}?", "response_0": "a{0}", "response_1": "b{0}", "response_0_source": "m1",
        "response_1_source": "m2", "better_response_id": [0, 1, 1], "safer_response_id": [1, 0, 0],
    }  # fmt: skip
    for order in (columns, dict(reversed(columns.items()))):
        report, outcomes = load_account(write(tmp_path, order))
        assert report.counts["attributes"] == 2
        assert (outcomes.count("a"), outcomes.count("b")) == (12, 12)
        assert not any("," in each["use"] for each in report.columns)


def test_a_column_named_as_a_known_question_answers_it(tmp_path: Path) -> None:
    pairs = {"doc": "A text {0}.", "sys_a": "m1", "sys_b": "m2", **TEXTS}
    path = write(tmp_path, {**pairs, "coherence": ["a", "b"], "fluency": ["b", "a"]})
    for mapping, field in (({}, "context"), ({"context": "doc"}, "attribute:coherence")):
        with pytest.raises(UnusedColumnError) as asked:
            load_account(path, mapping=mapping)
        assert asked.value.field == field
    mapping |= {f"attribute:{name}": name for name in ("coherence", "fluency")}
    report, outcomes = load_account(path, mapping=mapping)
    assert {each["column"]: each["use"] for each in report.columns}["doc"] == "context"
    assert (outcomes.count("a"), outcomes.count("b")) == (12, 12)


def test_texts_in_an_object_a_row_are_named_by_their_paths(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    rows = [
        {"question": f"Q{n}", "outputs": {"m1": f"one {n}", "m2": f"two {n}"}, "winner": f"m{n}"}
        for n in (1, 2)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert "text_a=outputs.m1 text_b=outputs.m2 --systems m1 m2" in ask(path)
    mapping = {"text_a": "outputs.m1", "text_b": "outputs.m2", "winner": "winner"}
    assert load_account(path, mapping=mapping, systems=("m1", "m2"))[1] == ["a", "b"]


def test_a_row_of_two_objects_is_a_comparison(tmp_path: Path) -> None:
    """The sides with their systems and texts, and prompt, judge and winner in other objects."""
    path = tmp_path / "f.jsonl"
    for sides, is_nested in ((("response_1", "response_2"), False), (("a", "b"), True)):
        rows = []
        for n in range(6):
            winner = sides[n in (0, 1)]
            row: dict[str, object] = {
                side: {"text": f"{side} {n}", "model": name}
                for side, name in zip(sides, ("m1", "m2"), strict=True)
            }
            said = {"winner": winner, "explanation": "good"}
            row |= {"judgment": said} if is_nested else {"preference": winner}
            rows.append(
                {"input": {"prompt": f"Q{n}"}, **row, "metadata": {"annotator": f"ann{n % 2}"}}
            )
        lines = [*map(json.dumps, rows)]
        for begins in ([], ['{"response_1": '], [json.dumps({"input": None})]):
            path.write_text("\n".join([*begins, *lines]))
            report, outcomes = load_account(path)
            assert outcomes == ["b", "b", "a", "a", "a", "a"]
            assert len(report.skipped) == len(begins)
        counts = [report.counts[name] for name in ("items", "systems", "generations", "judges")]
        assert counts == [6, 2, 12, 2]
        uses = {each["column"]: each["use"] for each in report.columns}
        assert (uses["input"], uses["metadata"]) == ("context", "judge")


SHEETS: dict[str, dict[str, object]] = {
    "Item3": {
        **{f"Item{n}": f"m{n}" for n in range(1, 6)}, "BestItem": ["m1", "m2"], "WorstItem": "m5",
    },
    "Item6": {
        "BestItem": ["m1", "m2"], "WorstItem": "m5", **{f"Item{n}": f"m{n}" for n in range(1, 7)},
    },
    "third": {"item": "{0}", "first": ["m1", "m2"], "second": ["m2", "m1"], "third": "m3"},
    "rank_2": {"item": ["1", "1", "2", "2"], "model": ["m1", "m2"], "rank": ["1", "2"],
               "rank_2": ["2", "1"]},
    "ties": {"model_a": ["m{0}"], "model_b": "n{0}", "wins_a": "5", "wins_b": "2", "ties": ["1", "2"]},
    "annotator3": {
        "cmp_key": "m1_m2", "instruction": "Q{0}?", "response1": "a{0}", "response2": "b{0}",
        **{f"annotator{n}": ["1", "2"] for n in range(1, 4)},
    },
}  # fmt: skip
"""Tables of which several columns hold the same, by the one of them that is damaged."""


@pytest.mark.parametrize("column", SHEETS)
@pytest.mark.parametrize("damage", [lambda name: name[:1] + name[2:], lambda name: "ûł"])
def test_a_damaged_header_among_columns_that_hold_the_same_stops_the_import(
    tmp_path: Path, column: str, damage: Callable[[str], str]
) -> None:
    """Each of these lost a system, its ties or a person without a word: of best-worst scaling 24 of
    84 votes, as the system is never the best nor the worst.
    """
    sheet = SHEETS[column]
    if column != "rank_2":
        whole, _ = load_account(write(tmp_path, sheet))
        assert not [each for each in whole.columns if each["use"] == "not used"]
    damaged = damage(column) if column != "rank_2" else column
    path = write(tmp_path, {damaged if name == column else name: sheet[name] for name in sheet})
    question = ask(path)
    assert re.search(rf"{re.escape(ascii(damaged))}.*--unused|so a system would be lost", question)


def test_a_column_that_nobody_needs_is_not_taken_for_more_of_the_same(tmp_path: Path) -> None:
    sheet = {"id": "x{0}", **SHEETS["Item3"], "seconds_spent": "{0}", "comment": "I was tired"}
    report, _ = load_account(write(tmp_path, sheet))
    assert report.counts["systems"] == 5
