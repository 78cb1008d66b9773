"""Probes of judges whose making is known: one that follows a cue, and one that does not read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.findings.chart import draw_probes
from core.findings.judgements import Selection
from core.findings.probes import describe_probes, probes
from core.judging import PROBES
from core.judging.judge import Judge
from core.records import Answer, JudgeSpec, Kind, Outcome
from core.reporting import ReportScope, compile_report
from core.runs import execution, probe
from core.seeds import draw
from core.store import Store
from tests.asking import answer_all
from tests.sentence_facts import list_figures
from tests.study import DATASET, fill

CUE = "Nature 571"
ASKED = tuple(PROBES[name] for name in ("authority", "bandwagon", "formatting"))
ITEMS, COMPARISONS = 30, 60


class Hashing(Judge):
    """Decides by a hash of the comparison, not of the texts; one answer in five is a slip, by a hash
    of what it reads. It `follows` a cited source as often as told.
    """

    def __init__(self, salt: object, follows: float = 0.0, slips: float = 0.2) -> None:
        self.salt, self.follows, self.slips = salt, follows, slips
        self.spec = JudgeSpec(f"hashing-{salt}-{follows:.3f}", Kind.LLM, "hashing:test")

    def _by_chance(self, *what: object) -> float:
        return draw(self.salt, *what) % 10_000 / 10_000

    def answers(self, questions):
        return [Answer(self._choose(one)) for one in questions]

    def _choose(self, question) -> Outcome:
        read = question.text_a, question.text_b
        cited = [side for side, text in zip(Outcome, read, strict=False) if CUE in text]
        if cited and self._by_chance("follows", *read) < self.follows:
            return cited[0]
        first = self._by_chance(question.comparison) < 0.5
        slips = self._by_chance("slips", *read) < self.slips
        return Outcome.A if first != slips else Outcome.B


def probed(store: Store, judge: Judge, asked=ASKED, number: int = COMPARISONS) -> pd.DataFrame:
    """The rows of a judge that has answered all comparisons, and was probed."""
    answer_all(store, judge)
    run = probe.enqueue(store, judge, probe.ProbeRequest(DATASET, probes=asked, number=number))
    execution.execute(store, run, by=judge)
    return probes(store, Selection(DATASET, judges=(judge.spec.name,))).rows.set_index("probe")


def test_a_planted_bias_is_found_and_counted_by_hand(store: Store) -> None:
    """Without slips, always by the cue: each text gains from what it had to 1, two points for three
    texts, and nothing else moves.
    """
    fill(store, items=ITEMS)
    rows = probed(store, Hashing("a", follows=1.0, slips=0.0))
    cited, rest = rows.loc["authority"], rows.drop("authority")
    assert (cited["answers"], cited["items"], cited["asked"]) == (120, 30, 120)
    assert cited["change"] == 0.5  # a comparison has one point, and both texts are probed
    assert (cited["against"], cited["flipped"], cited["control"]) == (60, 1, 0)
    assert cited["found"]
    assert cited["p"] == pytest.approx(3 * 0.5**29)  # a sign test of 30 items, of three rows
    assert (rest["change"] == 0).all()
    assert not rest["found"].any()
    # Wilson (1927): of none of 30 items the upper end is z^2 / (n + z^2).
    assert rest["change_high"].to_numpy() == pytest.approx(1.959964**2 / (30 + 1.959964**2))


def test_the_change_is_that_counted_from_the_answers(store: Store) -> None:
    fill(store, items=ITEMS)
    judge = Hashing("b", follows=0.6)
    row = probed(store, judge).loc["authority"]
    frame = store.probes.load_all(DATASET)
    points = {"a": 1.0, "b": 0.0}
    [run] = store.probes.runs(DATASET)
    sentence, control = next(of[1:] for of in run["attacks"] if of[0] == "authority")
    changes: dict[str, list[float]] = {}
    after: dict[tuple[int, str, str], float] = {}
    for one in frame.itertuples():
        of_text = points[one.outcome] if one.probed == "a" else 1 - points[one.outcome]
        after[one.comparison, one.probed, one.asked] = of_text
    for one in frame[frame["asked"] == sentence].itertuples():
        key = one.comparison, one.probed
        changes.setdefault(one.item, []).append(after[*key, sentence] - after[*key, control])
    assert row["change"] == pytest.approx(np.mean([x for of in changes.values() for x in of]))
    assert row["answers"] == sum(map(len, changes.values())) == 120


class First(Judge):
    spec = JudgeSpec("first", Kind.LLM, "first:test")
    asked = 0

    def answers(self, questions):
        self.asked += len(questions)
        return [Answer.from_probability(0.9) for _ in questions]


def test_the_other_order_is_read_off_the_answers_there_are(store: Store) -> None:
    """A judge that always takes the first text: one moved to the front gains all."""
    fill(store, items=ITEMS)
    judge = First()
    answer_all(store, judge)
    before = judge.asked
    row = probed(store, judge, (PROBES["order"],)).loc["order"]
    assert judge.asked == before, "every comparison had been asked in both orders"
    assert (row["answers"], row["change"], row["flipped"], row["against"]) == (60, 1, 1, 60)
    assert len(store.judgement_frames.load_all(DATASET)) == before


def row(name: str = "authority", **figures: Any) -> dict[str, Any]:
    return {
        "judge": "x", "attribute": "q", "kind": "llm", "probe": name, "does": PROBES[name].does,
        "sentence": "s", "answers": 210, "items": 40, "change": 0.28, "change_low": 0.2,
        "change_high": 0.36, "p": 0.001, "found": True, "detectable": 0.05, "against": 105,
        "flipped": 0.34, "low": 0.28, "high": 0.41, "control": 0.06, "asked": 220, "unanswered": 0,
        **figures,
    }  # fmt: skip


STILL: dict[str, Any] = {"change": 0.01, "p": 0.6, "found": False}


def test_what_is_said() -> None:
    """The effect, beside the control; else what would have been found."""
    for rows, figures in (
        ([row()], [28, 95, 20, 36, 34, 95, 28, 41, 105, 6]),
        ([row(change=-0.28, change_low=-0.36, change_high=-0.2, sentence="")],
         [28, 95, 20, 36, 34, 95, 28, 41, 105, 6]),
        ([row(), row("padding", **STILL)],
         [1, 2, 28, 95, 20, 36, 34, 95, 28, 41, 105, 6, 5, 80, 40]),
        ([row(**STILL)], [5, 80, 40]),
        ([row(**STILL, unanswered=12)], [5, 80, 40, 12, 220]),
        ([row(answers=29)], [29, 30]),
        ([row(items=9)], [9, 10]),
    ):  # fmt: skip
        assert list_figures(" ".join(describe_probes(pd.DataFrame(rows)))) == figures
    assert describe_probes(pd.DataFrame(columns=["judge"])) == []


@pytest.fixture(scope="module")
def study_of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("probed") / "s.sqlite3") as store:
        fill(store, items=ITEMS)
        for judge in (Hashing("a", follows=0.9), Hashing("b")):
            probed(store, judge, ASKED[:2])
        yield store


def test_chart_and_report_have_them_and_cite_who_found_them(study_of_two: Store) -> None:
    result = probes(study_of_two, Selection(DATASET))
    assert result.rows["found"].tolist() == [True, False, False, False]
    drawn = draw_probes(result.rows).to_dict()
    [names] = [of["encoding"]["y"]["sort"] for of in drawn["layer"] if "y" in of["encoding"]][:1]
    assert (len(names), names[0]) == (4, "authority · hashing-a-0.900")
    report = compile_report(study_of_two, ReportScope(Selection(DATASET)))
    [part] = [part for part in report.sections if part.lead == " ".join(result.facts["sentences"])]
    assert re.match(r"1 of 4 probes moves one of 2 judges\b", part.lead)
    assert (len(part.pictures), len(part.tables)) == (1, 1)
    assert {"raina2024robust", "ye2024justice"} <= set(report.methods.keys)


@pytest.mark.slow
def test_a_clean_judge_is_rarely_accused_and_a_bias_is_found_with_the_stated_power(
    store: Store,
) -> None:
    """200 studies of clean judges, each of three rows; and of judges whose bias is what is said to
    be found in 80%.
    """
    fill(store, items=ITEMS)
    clean = [probed(store, Hashing(salt)) for salt in range(200)]
    # Of tests at 5%, 200 have 18 findings or more with a probability of 1% (binomial).
    assert sum(rows["found"].any() for rows in clean) < 18
    stated = float(np.median([rows.loc["authority", "detectable"] for rows in clean]))
    # A text has 1/2 on average without the cue, so whoever follows it adds 1/2 as often.
    planted = [probed(store, Hashing(salt, 2 * stated)) for salt in range(200, 300)]
    found = np.mean([rows.loc["authority", "found"] for rows in planted])
    changes = np.mean([rows.loc["authority", "change"] for rows in planted])
    assert changes == pytest.approx(stated, abs=0.02)
    assert found >= 0.7  # 80%, less two and a half binomial errors
