"""Names of people who annotate here do not leave the house unless they are wanted."""

from __future__ import annotations

import altair as alt
import pandas as pd
import pytest

from core.analysis import export
from core.analysis.judgements import Selection
from core.analysis.pseudonyms import hide, hide_in, names_in
from core.records import Answer, JudgeSpec, Kind, Outcome, Vote
from core.store import Store
from tests.study import fill

PEOPLE = {"Ada": "person-1", "Grace": "person-2"}


@pytest.fixture
def voted(store: Store) -> Store:
    """Ada annotates here; expert-1 came with a file."""
    fill(store)
    attribute = store.datasets.attributes("tiny")[0].name
    names = ("Ada", "expert-1")
    store.judges.add(JudgeSpec(name, Kind.HUMAN) for name in names)
    store.people.annotate("Ada", store.judges.id_of("Ada"))
    store.judgements.add_votes(
        "tiny",
        [Vote("i0", "alpha", "beta", name, Answer(outcome=Outcome.A), attribute=attribute)
         for name in names],
    )  # fmt: skip
    return store


@pytest.mark.parametrize("what", ["judgements", "preferences"])
def test_exports_call_annotators_by_number(voted: Store, what: str) -> None:
    chosen = Selection("tiny")
    hidden = export.whole(export.export(voted, what, chosen, who="test"))
    assert set(hidden["judge"]) == {"person-1", "expert-1"}
    assert "Ada" not in hidden.to_csv()
    named = export.whole(export.export(voted, what, chosen, who="test", names=True))
    assert set(named["judge"]) == {"Ada", "expert-1"}
    log = voted.audit.all()
    assert log["action"].tolist() == ["export", "export"]
    assert log["details"].str.contains("with names").tolist() == [True, False]


def test_a_refused_export_is_not_in_the_log(voted: Store) -> None:
    with pytest.raises(Exception, match="nobody"):
        list(export.export(voted, "judgements", Selection("tiny", judges=("nobody",)), who="test"))
    assert voted.audit.all().empty


def test_a_number_is_nobody_elses_name(voted: Store) -> None:
    voted.judges.add([JudgeSpec("person-1", Kind.HUMAN)])
    assert voted.people.pseudonyms() == {"Ada": "person-1-here"}


def test_tables_and_charts_of_pages() -> None:
    table = pd.DataFrame({"judge_1": ["Ada", "gpt"], "system": ["Ada", "b"], "Grace": [1, 2]})
    hidden = hide(table, PEOPLE)
    assert hidden.to_dict("list") == {
        "judge_1": ["person-1", "gpt"],
        "system": ["Ada", "b"],  # a system may be called so, too
        "person-2": [1, 2],
    }
    assert names_in(table, PEOPLE)
    assert not names_in(hidden, PEOPLE)
    frame = pd.DataFrame({"label": ["Ada (fluency)", "Grace", "gpt (Ada)"], "x": [1, 2, 3]})
    chart = alt.layer(alt.Chart(frame).mark_bar().encode(x="x:Q", y="label:N"))
    drawn = alt.LayerChart.from_dict(hide_in(chart.to_dict(), PEOPLE)).to_json()
    assert "person-1 (fluency)" in drawn
    assert "person-2" in drawn
    assert "Grace" not in drawn
