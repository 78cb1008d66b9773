"""Wrong requests: one line on standard error, status 2, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.asked import called

REFUSED = {
    "no command": ([], "the following arguments are required: COMMAND"),
    "an unknown command": (["rnak"], "invalid choice: 'rnak'"),
    "an unknown option": (["datasets", "--jsno"], "--jsno"),
    **{
        f"no name of a file, {' '.join(words)}": ([*words, ""], "name of a file or folder is empty")
        for words in (["backup"], ["restore"],
                      ["import", "--dataset", "e"], ["rank", "--votes"], ["--store"])
    },
    "an unknown data set": (["describe", "--dataset", "e"], "unknown data set 'e'; there are: d"),
    "an unknown attribute": (["describe", "--attribute", "taste"], "unknown attribute 'taste'; "
                                                                   "there are: coherence"),
    "an unknown subset": (["describe", "--subset", "s"], "unknown subset 's'; there are: even, odd"),
    "an unknown system": (["rank", "--method", "elo", "--systems", "w"], "unknown system 'w'; "
                                                                         "there are: x, y, z"),
    "an unknown judge": (["rank", "--method", "elo", "--judges", "Bob"], "no judgements by "
                                                                         "'Bob' here; there are "
                                                                         "some by Ada"),
    "a kind without judgements": (["rank", "--method", "elo", "--judges", "gold"], "choose with "
                                                                                   "--judges baseline, human"),
    "an unknown method": (["rank", "--method", "eloo"], "invalid choice: 'eloo'"),
    "a position term of no method": (["rank", "--position-term"], "--position-term belongs to --method bradley-terry,"),
    "a treatment of ties that no data choose": (
        ["rank", "--ties", "model"],
        "--ties model belongs to bradley-terry; a method that is chosen by the data takes half or drop",
    ),
    "ties that a method has not": (["rank", "--method", "elo", "--ties", "model"], "--ties model belongs to bradley-terry"),
    "a negative bootstrap": (["rank", "--method", "elo", "--bootstrap", "-5"], "--bootstrap"),
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
    "no k": (["rank", "--method", "elo", "--k", "0"], "--k 0 should be a number above 0"),
    "an endless k": (["rank", "--method", "elo", "--k", "inf"], "--k inf should be a number above 0"),
    "one system to rank": (["rank", "--method", "elo", "--systems", "x"], "--systems x is one "
                                                                          "system, and a "
                                                                          "comparison needs"),
    "a negative seed": (["rank", "--method", "elo", "--seed", "-1"], "--seed"),
    "a seed that is a word": (["rank", "--method", "elo", "--seed", "x"], "'x' is not a whole "
                                                                          "number"),
    "probabilities nobody gave": (["rank", "--method", "average-probability"], "give no probabilities, only decisions"),
    "ties of a method of probabilities": (
        ["rank", "--method", "bradley-terry-soft", "--ties", "drop"], "bradley-terry-soft "
                                                                      "counts probabilities",
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
        ["rank", "--method", "elo", "--experts", "probability"], "--experts probability belongs "
                                                                 "to --method product-of-experts",
    ),
    "an unknown way to debias": (["bias", "--debias", "half"], "invalid choice: 'half'"),
    "a threshold without probabilities": (
        ["rank", "--method", "elo", "--debias", "threshold", "--judges", "Ada"], "these judges "
                                                                                 "give only decisions",
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
    "scores nobody gave": (["correlate", "--scores", "Bob", "--against", "human", "--level", "pool"], "no scores by 'Bob' here"),
    "scores and ratings": (
        ["correlate", "--scores", "a", "--method", "elo", "--against", "b", "--level", "pool"], "not allowed with",
    ),
    "neither": (["correlate", "--against", "b", "--level", "pool"], "one of the arguments "
                                                                    "--method --scores --table "
                                                                    "is required"),
    "an unknown truth": (["accuracy", "--against", "silver"], "invalid choice: 'silver'"),
    "no gold": (["accuracy", "--against", "gold"], "no gold label is stored for these pairs"),
    "no similarities": (["agreement", "--by-separability", "rouge1"], "no rouge1 similarities "
                                                                      "of 'd' have been measured"),
    "a table of Elo": (["correlate", "--table", "elo", "--against", "human", "--level", "item"], "invalid choice: 'elo'"),
    "an unknown judge SPEC": (["judge", "--judge", "baseline:shorter"], "longer"),
    "a judge without family": (["judge", "--judge", "longer"], "unknown judge 'longer'"),
    "an unknown mode": (["judge", "--judge", "hf:x", "--mode", "guess"], "unknown --mode 'guess'"),
    "an unknown strategy": (["judge", "--judge", "baseline:longer", "--pairs", "some"], "invalid choice: 'some'"),
    "an odd symmetric budget": (
        ["judge", "--judge", "baseline:longer", "--pairs", "symmetric", "--budget", "3"], "should be even",
    ),
    "a budget of all": (["judge", "--judge", "baseline:longer", "--budget", "4"], "--budget 4 belongs to random, no-repeat"),
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
    "no limit at all": (["judge", "--judge", "baseline:longer", "--limit", "0"], "--limit: '0' "
                                                                                 "is not a whole number from 1"),
    "an unknown prompt": (["judge", "--judge", "hf:x", "--prompt", "p"], "unknown prompt 'p'; "
                                                                         "there are"),
    "a prompt file that is not there": (["judge", "--judge", "hf:x", "--prompt-file", "/nowhere.txt"], "/nowhere.txt"),
    "one system to compare": (["judge", "--judge", "baseline:longer", "--systems", "x"], "no pair of two systems' texts"),
    "an unknown run": (["runs", "--cancel", "99"], "run 99 is not queued or running"),
    "a run that is done": (["runs", "--resume", "2"], "run 2 is not cancelled or failed"),
    "no file": (["import", "/nowhere.csv", "--dataset", "e"], "/nowhere.csv"),
    "no name": (["import", "/etc/hostname"], "--dataset"),
    "half a map": (["import", "/etc/hostname", "--dataset", "e", "--map", "item"], "--map item should be FIELD=COLUMN"),
    "an unknown format": (["import", "/etc/hostname", "--dataset", "e", "--format", "xml"], "invalid choice: 'xml'"),
    "an export of nothing known": (["export", "--what", "votes", "--to", "/tmp/a.csv"], "invalid choice: 'votes'"),
    "an unknown suffix": (["export", "--what", "judgements", "--to", "/tmp/a.xlsx"], "let it end in"),
    "a folder that is not there": (["export", "--what", "judgements", "--to", "/nowhere/a.csv"], "there is no folder /nowhere"),
    "a backup into nowhere": (["backup", "/nowhere/a.sqlite3"], "there is no folder "
                                                                        "/nowhere"),
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
