"""Every way to judge and choose pairs on published dialogues, by the command line alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy.stats import spearmanr

from core.__main__ import main
from core.failures import FAILURES
from core.pairing import STRATEGIES, sorting
from core.store import Store
from tests.paths import DATASETS

TOPICALCHAT = DATASETS / "topicalchat" / "topical_chat_unieval_result.json"
pytestmark = pytest.mark.shared

ITEMS, SYSTEMS = 3, 4
PAIRS = ITEMS * SYSTEMS * (SYSTEMS - 1) // 2
SHORT = ("--prompt", "no-context")

# Every mode, whom to ask, and what is counted.
WAYS = {
    "classifier": ("hf", ()),
    "classifier-tie": ("hf", ("--tie",)),
    "generate": ("hf", ("--mode", "generate")),
    "sample": ("hf", ("--mode", "sample", "--votes", "3")),
    "longer": ("baseline:longer", ()),
    "random": ("baseline:random", ()),
    "embedding": ("baseline:embedding", ()),
    "score": ("hf", ("--mode", "score", "--prompt", "scoring-no-context")),
    "g-eval": ("hf", ("--mode", "g-eval", "--prompt", "scoring-no-context")),
    "gptscore": ("hf", ("--mode", "gptscore", "--prompt", "gptscore-no-context")),
    "rouge1": ("baseline:rouge1", ()),
    "bleu": ("baseline:bleu", ()),
    "bertscore": ("baseline:bertscore", ()),
}
# How many comparisons of an item: exactly, or at most where the answers decide.
PLANNED = {
    "full": ((), 12),
    "random": (("--budget", "5"), 5),
    "no-repeat": (("--budget", "5"), 5),
    "symmetric": (("--budget", "4"), 4),
    "ring": (("--budget", "4"), 4),
    "active": (("--budget", "8"), 8),
    "pairs-greedy": ((), 6),
    "pairs-beam": ((), 12),
}

Said = Callable[..., Any]


@pytest.fixture
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The first dialogues of TopicalChat with the answers of a few systems."""
    most, kinds, *named = getattr(request, "param", (ITEMS, SYSTEMS, "--candidate-noun", "summary"))
    rows = json.loads(TOPICALCHAT.read_text(encoding="utf-8"))
    items = list(dict.fromkeys(row["source"] for row in rows))[:most]
    systems = list(dict.fromkeys(row["system_id"] for row in rows))[:kinds]
    few = [row for row in rows if row["source"] in items and row["system_id"] in systems]
    (tmp_path / "few.json").write_text(json.dumps(few), encoding="utf-8")
    path = tmp_path / "s.sqlite3"
    # The tiny models have learnt to write "Summary A".
    words = ("import", str(tmp_path / "few.json"), "--dataset", "t", "--format", "unieval", *named)
    assert main(["--store", str(path), *words]) == 0
    return path


@pytest.fixture
def said(store: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """What a command prints; or with `refused`, the sentence it says instead."""
    capsys.readouterr()

    def run(*command: str, refused: bool = False) -> Any:
        status = main(["--store", str(store), *command, "--json"])
        out, err = capsys.readouterr()
        if not refused:
            assert status == 0, err
            return json.loads(out)
        assert (status, out) == (2, ""), (status, out)
        lines = [line for line in err.splitlines() if line.startswith("tandem: ")]
        assert err.splitlines() == lines[:1], err
        return lines[0]

    return run


def live(store: Path, judge: str) -> pd.DataFrame:
    with Store(store) as opened:
        found = opened.judgement_frames.load_all("t")
    return found[found["judge"] == judge]


@pytest.mark.parametrize("way", WAYS)
def test_judge_in_every_mode(way: str, t5: Path, store: Path, said: Said) -> None:
    who, options = WAYS[way]
    spec = f"hf:{t5}" if who == "hf" else who
    short = SHORT if who == "hf" and "--prompt" not in options else ()
    command = ("judge", "--judge", spec, "--attribute", "overall", *options, *short)
    tried = said("try", *command[1:], "--limit", "2")
    assert len(tried["answers"]) == 2
    run = said(*command)
    marks = run["unit"] == "scores"
    planned = ITEMS * SYSTEMS if marks else 2 * PAIRS
    assert run["planned"] == run["done"] == tried["planned"] == planned
    assert run["judge"] == tried["judge"]
    failed = sum(run["failed"].values())
    assert set(run["failed"]) <= set(FAILURES)
    if way in ("rouge1", "bleu", "bertscore"):
        assert run["failed"] == {"no-reference": ITEMS * SYSTEMS}  # the file has none
    elif way != "score":
        assert failed < run["done"]
    if marks:
        with Store(store) as opened:
            scores = opened.scores.load_all("t")
        scores = scores[scores["rater"] == run["judge"]]
        assert len(scores) == ITEMS * SYSTEMS == scores["generation"].nunique()
        assert scores["value"].notna().sum() == ITEMS * SYSTEMS - failed
    else:
        answers = live(store, run["judge"])
        distinct = answers.drop_duplicates(["generation_a", "generation_b"])
        assert len(answers) == len(distinct) == 2 * PAIRS
        assert (answers["failure"] != "").sum() == failed
    again = said(*command)
    assert (again["run"], again["already_there"]) == (run["run"], run["done"])


def test_every_strategy_is_tried() -> None:
    """What people answered is asked in tests/pairing/test_planning.py: here nobody has."""
    assert set(STRATEGIES) == {*PLANNED, "same-pairs"}


@pytest.mark.parametrize("strategy", PLANNED)
def test_choose_pairs_by_every_strategy(strategy: str, t5: Path, store: Path, said: Said) -> None:
    options, each = PLANNED[strategy]
    asked = ("--attribute", "overall", "--pairs", strategy, *options)
    command = ("judge", "--judge", f"hf:{t5}", *SHORT, *asked)
    run = said(*command)
    assert run["done"] == run["planned"]
    assert (
        run["planned"] == ITEMS * each
        if strategy not in (*sorting(), "active")
        else run["planned"] <= ITEMS * each
    )
    answers = live(store, run["judge"])
    distinct = answers.drop_duplicates(["generation_a", "generation_b"])
    assert len(answers) == len(distinct) == run["planned"]
    assert said(*command)["already_there"] == run["planned"]
    if strategy in sorting():
        assert said(*command, "--calibrate")["done"] >= run["done"]
        board = said("rank", "--method", "pairs", "--judges", "llm", "--bootstrap", "20")
        # Mean places of a ranking of n: 1 is always first, 0 always last, so that they add up to n
        # / 2.
        assert sum(row["rating"] for row in board["rows"]) == pytest.approx(SYSTEMS / 2)


def test_an_encoder_that_is_not_there_is_one_sentence(said: Said) -> None:
    spec = "baseline:bertscore|encoder:/nowhere"
    assert "encoder '/nowhere'" in said("judge", "--judge", spec, refused=True)


MARKED, BY = 20, 6


@pytest.mark.parametrize("store", [(MARKED, BY)], indirect=True)
def test_judge_rank_correlate_by_marks(t5: Path, store: Path, said: Said) -> None:
    """source: correlations by scipy, from the stored marks."""
    overall = ("--attribute", "overall")
    judging = ("judge", "--judge", f"hf:{t5}", "--truncation", "200", *overall, "--mode")
    runs = {mode: said(*judging, mode) for mode in ("g-eval", "gptscore")}
    wrote = said(*judging, "score", "--limit", "12")
    # The model has learnt to write labels: what is no number is unparsed, not a mark.
    assert (wrote["done"], wrote["failed"]) == (12, {"unparsed": 12})
    judges = [run["judge"] for run in runs.values()]
    assert said("agreement", "--judges", *judges, *overall)["pairs"]
    for run in runs.values():
        assert run["unit"] == "scores"
        assert run["planned"] == run["done"] == MARKED * BY
        assert run["tokens"] > 0
        assert sum(run["failed"].values()) < MARKED * BY
        judge = ("--judges", run["judge"], *overall)
        board = said("rank", "--method", "win-ratio", "--bootstrap", "0", *judge)
        assert board["judgements"] + sum(board["unanswered"].values()) == MARKED * 15
        right = said("accuracy", "--against", "scores", "--rater", "human", *judge)
        assert 0 < right["rows"][0]["accuracy"] < 1
        against = ("--against", "human", "--level", "pool", *overall)
        found = said("correlate", "--scores", run["judge"], *against)
        with Store(store) as opened:
            marks = opened.scores.load_all("t").query("attribute == 'overall'")
        values = marks.set_index("generation").groupby("rater")["value"]
        both = [values.get_group(rater) for rater in (run["judge"], "human")]
        paired = pd.concat(both, axis=1, join="inner").dropna()
        assert found["spearman"] == pytest.approx(spearmanr(*paired.to_numpy().T).statistic)
        assert said("describe", *judge)["outcomes"][0]["judge"] == run["judge"]
    again = said(*judging, "g-eval")
    assert (again["run"], again["already_there"]) == (runs["g-eval"]["run"], MARKED * BY)
    llm = said("rank", "--method", "bradley-terry", "--judges", "llm", "--bootstrap", "0", *overall)
    assert llm["connected"]
