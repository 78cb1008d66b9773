"""Every way to judge, choose pairs and rank on published dialogues, by the command line alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.__main__ import main
from core.failures import FAILURES
from core.judging import judge as judging
from core.judging import scorer
from core.pairing import STRATEGIES, sorting
from core.statistics.ratings import RATINGS
from core.store import Store
from tests.paths import DATASETS
from tests.server import Server

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
ALONE = {
    name
    for name, how in RATINGS.items()
    if how.learns not in ("whom to rely on", "what length does")
}
OF_RANK = {"elo": ("--k", "8"), "product-of-experts": ("--experts", "probability")}

Said = Callable[..., Any]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The first dialogues of TopicalChat with the answers of four systems."""
    rows = json.loads(TOPICALCHAT.read_text(encoding="utf-8"))
    items = list(dict.fromkeys(row["source"] for row in rows))[:ITEMS]
    systems = list(dict.fromkeys(row["system_id"] for row in rows))[:SYSTEMS]
    few = [row for row in rows if row["source"] in items and row["system_id"] in systems]
    (tmp_path / "few.json").write_text(json.dumps(few), encoding="utf-8")
    path = tmp_path / "s.sqlite3"
    # The tiny models have learnt to write "Summary A".
    named = ("--dataset", "t", "--format", "unieval", "--candidate-noun", "summary")
    assert main(["--store", str(path), "import", str(tmp_path / "few.json"), *named]) == 0
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
    assert (
        run["planned"]
        == run["done"]
        == tried["planned"]
        == (ITEMS * SYSTEMS if marks else 2 * PAIRS)
    )
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
        assert (
            len(answers)
            == 2 * PAIRS
            == len(answers.drop_duplicates(["generation_a", "generation_b"]))
        )
        assert (answers["failure"] != "").sum() == failed
    again = said(*command)
    assert (again["run"], again["already_there"]) == (run["run"], run["done"])


def test_every_strategy_is_tried() -> None:
    """What people answered is asked in tests/pairing/test_same_pairs.py: here nobody has."""
    assert set(STRATEGIES) == {*PLANNED, "same-pairs"}


@pytest.mark.parametrize("strategy", PLANNED)
def test_choose_pairs_by_every_strategy(strategy: str, t5: Path, store: Path, said: Said) -> None:
    options, each = PLANNED[strategy]
    command = (
        "judge",
        "--judge",
        f"hf:{t5}",
        *SHORT,
        "--attribute",
        "overall",
        "--pairs",
        strategy,
        *options,
    )
    run = said(*command)
    assert run["done"] == run["planned"]
    assert (
        run["planned"] == ITEMS * each
        if strategy not in (*sorting(), "active")
        else run["planned"] <= ITEMS * each
    )
    answers = live(store, run["judge"])
    assert (
        len(answers)
        == run["planned"]
        == len(answers.drop_duplicates(["generation_a", "generation_b"]))
    )
    assert said(*command)["already_there"] == run["planned"]
    if strategy in sorting():
        assert said(*command, "--calibrate")["done"] >= run["done"]
        board = said("rank", "--method", "pairs", "--judges", "llm", "--bootstrap", "20")
        # Mean places of a ranking of n: 1 is always first, 0 always last, so that they add up to n
        # / 2.
        assert sum(row["rating"] for row in board["rows"]) == pytest.approx(SYSTEMS / 2)


def test_rank_by_every_method(t5: Path, store: Path, said: Said) -> None:
    run = said("judge", "--judge", f"hf:{t5}", *SHORT, "--attribute", "overall")
    answered = run["done"] - sum(run["failed"].values())
    judge = ("--judges", run["judge"], "--attribute", "overall", "--bootstrap", "20")
    for method in ALONE - {"pairs", "sep-elo"}:  # above and below
        for more in ((), ("--debias", "swap"), ("--debias", "threshold"), ("--ties", "drop")):
            if more[:1] == ("--ties",) and method in (
                "average-probability",
                "bradley-terry-soft",
                "product-of-experts",
            ):
                continue
            board = said("rank", "--method", method, *judge, *more, *OF_RANK.get(method, ()))
            assert len(board["rows"]) == SYSTEMS
            assert board["judgements"] == answered
            # Two systems stand in each judgement; after swap, in each pair.
            assert sum(row["judgements"] for row in board["rows"]) == answered * (
                1 if "swap" in more else 2
            )
    for method in ("bradley-terry", "bradley-terry-soft", "product-of-experts"):
        assert (
            said("rank", "--method", method, *judge, "--position-term")["position_effect"]
            is not None
        )
    for command in (
        ("bias",),
        ("correlate", "--method", "win-ratio", "--against", "human", "--level", "pool"),
    ):
        assert said(*command, *judge[:4])["judgements"] == answered


def test_rank_by_separability(store: Path, said: Said) -> None:
    """Of a data set with several texts of each system, as TopicalChat has not."""
    of = (
        "--dataset",
        "sample-news",
        "--judges",
        "baseline:longer",
        "--attribute",
        "coherence",
        "--bootstrap",
        "20",
    )
    how = ("rank", "--method", "sep-elo", "--separability", "rouge1")
    said("sample")
    said("separability", "--dataset", "sample-news", "--metric", "rouge1", "--bootstrap", "0")
    board = said(*how, *of)
    assert all(row["change"] == pytest.approx(row["rating"] - row["elo"]) for row in board["rows"])
    one = (
        "--dataset",
        "t",
        "--judges",
        "baseline:longer",
        "--attribute",
        "overall",
        "--bootstrap",
        "0",
    )
    said("judge", "--judge", "baseline:longer", "--dataset", "t", "--attribute", "overall")
    assert "`python -m core separability" in said(*how, *one, refused=True)
    said("separability", "--dataset", "t", "--metric", "rouge1", "--bootstrap", "0")
    assert "separability" in said(*how, *one, refused=True)


def test_an_encoder_that_is_not_there_is_one_sentence(said: Said) -> None:
    spec = "baseline:bertscore|encoder:/nowhere"
    assert "encoder '/nowhere'" in said("judge", "--judge", spec, refused=True)


def test_ask_a_server_in_every_mode(store: Path, said: Said) -> None:
    with Server() as server, Server(logprobs=False) as plain:
        for mode in ("classifier", "generate", "sample"):
            there = (
                "judge",
                "--judge",
                "openai:fake",
                "--base-url",
                server.url,
                "--attribute",
                "overall",
            )
            run = said(*there, "--mode", mode, *SHORT)
            assert (run["done"], run["failed"]) == (2 * PAIRS, {})
            assert live(store, run["judge"])["prob_a"].notna().all() == (mode != "generate")
        other = (
            "judge",
            "--judge",
            "openai:fake",
            "--base-url",
            plain.url,
            "--attribute",
            "overall",
        )
        run = said(*other, *SHORT)
        assert "|sample|" in run["judge"]  # which it was is in the judge's name
        assert run["done"] == 2 * PAIRS
        for mode in ("classifier", "g-eval"):
            assert "probabilities" in said(*other, "--mode", mode, refused=True)
        sentence = said(*other, "--mode", "gptscore", refused=True)
        assert re.search("mode gptscore .*hf:NAME-OR-PATH; openai:fake has: ", sentence)


def test_refuse_what_makes_no_sense(store: Path, said: Said) -> None:
    longer = ("judge", "--judge", "baseline:longer", "--attribute", "overall")
    sentence = said(*longer, "--pairs", "symmetric", "--budget", "3", refused=True)
    assert re.search("--budget 3 .*even", sentence)
    said(*longer)
    chosen = ("--judges", "baseline", "--attribute", "overall")
    assert "separability" in said(
        "rank", "--method", "sep-elo", *chosen, "--separability", "rouge1", refused=True
    )
    assert "--separability" in said("rank", "--method", "sep-elo", *chosen, refused=True)
    assert "pairs-greedy" in said("rank", "--method", "pairs", *chosen, refused=True)
    for method in ("average-probability", "bradley-terry-soft", "product-of-experts"):
        assert "probabilit" in said("rank", "--method", method, *chosen, refused=True)
    takers = (
        "--method bradley-terry, bradley-terry-soft, bradley-terry-controlled or product-of-experts"
    )
    sentence = said("rank", "--method", "elo", "--position-term", *chosen, refused=True)
    assert re.search(rf"--position-term .*{takers}", sentence)


def test_a_baseline_takes_no_option_of_a_model(said: Said) -> None:
    for option in [
        ("--mode", "sample"),
        ("--votes", "3"),
        ("--tie",),
        ("--prompt", "no-context"),
        ("--truncation", "99"),
    ]:
        sentence = said("judge", "--judge", "baseline:longer", *option, refused=True)
        assert sentence.startswith(f"tandem: {' '.join(option)} belongs to ")
        assert sentence.endswith(": leave it out")


def test_an_option_that_changes_nothing_is_refused(said: Said) -> None:
    for mode in ((), ("--mode", "classifier"), ("--mode", "generate")):
        assert "--mode sample" in said(
            "judge", "--judge", "hf:/x", "--votes", "3", *mode, refused=True
        )
    sentence = said(
        "judge", "--judge", "hf:/x", "--base-url", "http://localhost:1/v1", refused=True
    )
    assert re.search(r"--base-url http://localhost:1/v1 .*openai:MODEL, .*hf:/x", sentence)


def test_an_unknown_mode_is_told_all_there_are(said: Said) -> None:
    for mode in (*judging.COMPARING_MODES, *scorer.MARKING_MODES):
        assert mode in said("judge", "--judge", "hf:/x", "--mode", "nope", refused=True)


def test_what_a_run_left_unanswered_is_said_with_its_reason(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["--store", str(store), "judge", "--judge", "baseline:bleu", "--attribute", "overall"])
        == 0
    )
    assert re.search(r"\b12 .*unanswered \(12 no-reference\)", capsys.readouterr().out)
