"""Wrong requests beside those of tests/document_refusals.py: one line, status 2, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.asked import called

REFUSED = {
    "no command": ([], "the following arguments are required: COMMAND"),
    **{
        f"no name of a file, {' '.join(words)}": ([*words, ""], "name of a file or folder is empty")
        for words in (["backup"], ["restore"],
                      ["import", "--dataset", "e"], ["rank", "--votes"], ["--store"])
    },
    "an unknown subset": (["describe", "--subset", "s"], "unknown subset 's'; there are: even, odd"),
    "a position term of no method": (["rank", "--position-term"], "--position-term belongs to --method bradley-terry,"),
    "a treatment of ties that no data choose": (
        ["rank", "--ties", "model"],
        "--ties model belongs to bradley-terry; a method that is chosen by the data takes half or drop",
    ),
    **{
        f"{few} resamples for {words[0]}": (
            [*words, "--bootstrap", few],
            f"--bootstrap {few} is too few resamples for an interval: take {needed} or more, or 0 for none",
        )
        for words, few, needed in (
            (["rank"], "1", 20), (["report", "--html", "r.html"], "19", 20),
            (["correlate", "--scores", "metric", "--against", "human", "--level", "pool"], "2", 40),
            (["separability", "--metric", "rouge1"], "39", 40),
        )
    },
    "a negative k": (["rank", "--method", "elo", "--k", "-1"], "--k -1 should be a number above 0"),
    "an endless k": (["rank", "--method", "elo", "--k", "inf"], "--k inf should be a number above 0"),
    "ties of a method of probabilities": (
        ["rank", "--method", "bradley-terry-soft", "--ties", "drop"], "bradley-terry-soft counts probabilities",
    ),
    "soft strengths without probabilities": (["rank", "--method", "bradley-terry-soft"], "give no probabilities, only decisions"),
    "a position term in a share": (
        ["rank", "--method", "win-ratio", "--position-term"],
        "--position-term belongs to --method bradley-terry, bradley-terry-soft, "
        "bradley-terry-controlled or product-of-experts, not to win-ratio",
    ),
    "position taken out twice": (
        ["rank", "--method", "bradley-terry", "--position-term", "--debias", "swap"], "both take out the effect",
    ),
    "a position term and ties of their own": (
        ["rank", "--method", "bradley-terry", "--position-term", "--ties", "model"], "not fitted together",
    ),
    "experts elsewhere": (
        ["rank", "--method", "elo", "--experts", "probability"], "--experts probability belongs to --method product-of-experts",
    ),
    "bias by threshold without probabilities": (["bias", "--debias", "threshold", "--judges", "Ada"], "moves probabilities"),
    "a swap without both orders": (
        ["rank", "--method", "elo", "--debias", "swap", "--systems", "x", "y"], "in both orders, and there are none",
    ),
    "debiased scores": (
        ["correlate", "--scores", "metric", "--against", "human", "--level", "pool", "--debias", "swap"],
        "--debias swap belongs to judgements (--method or --table), not to metric",
    ),
    "constant scorers over all texts": (
        ["correlate", "--scores", "metric", "--against", "human", "--level", "pool", "--constant", "zero"],
        "--constant zero belongs to --level item, not to pool",
    ),
    "scores and ratings": (
        ["correlate", "--scores", "a", "--method", "elo", "--against", "b", "--level", "pool"], "not allowed with",
    ),
    "neither": (["correlate", "--against", "b", "--level", "pool"], "one of the arguments --method --scores --table is required"),
    "an unknown truth": (["accuracy", "--against", "silver"], "invalid choice: 'silver'"),
    "a table of Elo": (["correlate", "--table", "elo", "--against", "human", "--level", "item"], "invalid choice: 'elo'"),
    "no budget at all": (["judge", "--judge", "baseline:longer", "--budget", "0"], "--budget: '0' is not a whole number from 1"),
    **{
        f"{option} {value[:21]}": (
            [*{"--bootstrap": ["rank", "--method", "elo"], "--cancel": ["runs"], "--resume": ["runs"]}.get(
                option, ["judge", "--judge", "baseline:longer"]), option, value],
            f"{option}: '{value[:40]}' is not a whole number from "
            f"{int(option not in ('--trial', '--seed', '--bootstrap'))} to",
        )
        for option in ("--budget", "--trial", "--samples", "--seed", "--limit", "--bootstrap", "--cancel", "--resume")
        for value in ("99999999999999999999", "2147483648", "-1", "1.5", "9" * 5000)
    },
    "a prompt file that is not there": (["judge", "--judge", "hf:x", "--prompt-file", "/nowhere.txt"], "/nowhere.txt"),
    "one system to compare": (["judge", "--judge", "baseline:longer", "--systems", "x"], "no pair of two systems' texts"),
}  # fmt: skip


def test_a_wrong_request(
    target: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for case in REFUSED:
        with subtests.test(case=case):
            words, said = REFUSED[case]
            before = target.read_bytes()
            status, out, err = called(capsys, target, *words, *(["--json"] if words else []))
            assert (status, out) == (2, "")
            assert len(err.splitlines()) == 1
            assert err.startswith("tandem: ")
            assert said in err
            assert target.read_bytes() == before
