"""Names of people who annotate here do not leave the house unless they are wanted."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from core import agreement, bias
from core.exporting import export, hide, hide_in, hide_in_words, names_in
from core.findings.judgements import Selection
from core.records import Answer, JudgeSpec, Kind, Outcome
from core.rendering.charts import EstimateColumns, dots, label_expression, picture
from core.store import Store
from tests.study import fill
from tests.votes import Vote, add_votes

PEOPLE = {"Ada": "person-1", "Grace": "person-2"}


@pytest.fixture
def voted(store: Store) -> Store:
    """Ada annotates here; expert-1 came with a file."""
    fill(store)
    attribute = store.datasets.attributes("tiny")[0].name
    names = ("Ada", "expert-1")
    store.judges.add(JudgeSpec(name, Kind.HUMAN) for name in names)
    store.people.annotate("Ada", store.judges.id_of("Ada"))
    one = ("i0", "alpha", "beta")
    add_votes(
        store, "tiny", [Vote(*one, name, Answer(Outcome.A), attribute=attribute) for name in names]
    )
    return store


def test_exports_call_annotators_by_number(voted: Store) -> None:
    # A refused export is not in the log.
    with pytest.raises(Exception, match="nobody"):
        list(export.export(voted, "judgements", Selection("tiny", judges=("nobody",)), who="test"))
    assert voted.audit.load_all().empty
    chosen = Selection("tiny")
    hidden = export.join_portions(export.export(voted, "judgements", chosen, who="test"))
    assert set(hidden["judge"]) == {"person-1", "expert-1"}
    assert "Ada" not in hidden.to_csv()
    named = export.join_portions(export.export(voted, "judgements", chosen, who="test", names=True))
    assert set(named["judge"]) == {"Ada", "expert-1"}
    log = voted.audit.load_all()
    assert log["action"].tolist() == ["export", "export"]
    assert log["details"].str.contains("with names").tolist() == [True, False]


def test_every_table_of_a_report_can_be_hidden(voted: Store) -> None:
    """Ada and expert-1 have answered the same pair."""
    pseudonyms = voted.people.pseudonyms()
    for report in (bias, agreement):
        result = report(voted, dataset="tiny")
        tables = [result.rows, *result.tables.values()]
        assert any("Ada" in table.to_csv() for table in tables), report
        assert not any("Ada" in hide(table, pseudonyms).to_csv() for table in tables), report
    # A number is nobody else's name.
    voted.judges.add([JudgeSpec("person-1", Kind.HUMAN)])
    assert voted.people.pseudonyms() == {"Ada": "person-1-here"}


def test_tables_and_charts_of_pages() -> None:
    table = pd.DataFrame({"judge_1": ["Ada", "gpt"], "system": ["Ada", "b"], "Grace": [1, 2]})
    hidden = hide(table, PEOPLE)
    assert hidden.to_dict("list") == {  # a system may be called so, too
        "judge_1": ["person-1", "gpt"], "system": ["Ada", "b"], "person-2": [1, 2],
    }  # fmt: skip
    assert names_in(table, PEOPLE)
    assert not names_in(hidden, PEOPLE)
    # The signature in a picture.
    people = {"Ada": "person-1", "Ada L.": "person-2"}
    hidden = hide_in_words("bias|judges:Ada+Ada L.+Adam|v:1", people)
    assert hidden == "bias|judges:person-1+person-2+Adam|v:1"


def test_a_chart_of_a_page() -> None:
    """Also in an axis's own expression, and for a person called as a part of a chart is."""
    people = {**PEOPLE, "bar": "person-3"}
    judges = ["Ada", "Grace", "gpt (Ada)", "bar"]
    rows = pd.DataFrame({"judge": judges, "attribute": ["fluency"] * 3 + ["coherence"]})
    rows = rows.assign(kind="human", comparisons=9, p_first=0.5, low=0.4, high=0.6)
    labelled = rows.assign(label=rows["judge"] + " · " + rows["attribute"])
    assert hide(labelled, people)["label"].tolist() == [
        "person-1 · fluency", "person-2 · fluency", "gpt (Ada) · fluency", "person-3 · coherence",
    ]  # fmt: skip
    plain = {"person-1 · fluency", "person-2 · fluency", "person-3 · coherence"}
    columns = {"person-1", "person-2", "person-3"}  # of attributes, with a row for each judge
    for rows, expected in ((labelled.drop(columns="attribute"), plain), (labelled, columns)):
        chart = dots(rows, "share", EstimateColumns("p_first", "low", "high", "comparisons"))
        drawn = picture(type(chart).from_dict(hide_in(chart.to_dict(), people)), "svg").decode()
        shown = set(re.findall(r">([^<>]+)</text>", drawn))
        assert expected <= shown
        assert not [text for text in shown if text.startswith(("Ada", "Grace", "bar"))]


def test_labels_that_an_axis_writes_in_lines() -> None:
    """As charts make them; a name is nowhere left, whatever somebody is called."""
    names = {"Ada": "person-1", "__proto__": "person-2"}
    drawn = label_expression(["Ada", "__proto__ · coherence", "gpt"])
    hidden = hide_in({"axis": {"labelExpr": drawn}}, names)["axis"]["labelExpr"]
    assert not re.search("Ada|__proto__", hidden)
    assert all(part in hidden for part in ('"=person-1"', '"=person-2 ', '"=gpt": ["gpt"]'))
    assert hidden.endswith("['=' + datum.label]")
