"""Options that would be passed over and wrong requests are refused before a store is opened."""

from __future__ import annotations

import argparse
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from core.cli import parser, settings
from core.statistics.ratings import RATINGS
from tests.cli.asked import Call, refusal

# ---- Options that would be passed over are refused before a store is opened; global ones are
# taken


LONGER, MODEL, SERVED = (f"--judge {spec}" for spec in ("baseline:longer", "hf:m", "openai:m"))
SCORES = "correlate --scores a --against b --level item"
TABLE = "correlate --table win-ratio --against b --level item"
MODES = ("", " --mode generate", " --mode classifier", " --mode score")

REFUSED = [
    *(
        (f"{command} --judge {who} --base-url u", f"--base-url u belongs to openai:MODEL, not to {who}")
        for command in ("judge", "try") for who in ("baseline:longer", "hf:m")
    ),
    ("generate --system s --instruction W. --model hf:m --base-url u", "--base-url u belongs to"),
    *((f"judge {LONGER} {option} 2", f"{option} 2") for option in ("--votes", "--temperature")),
    *(
        (f"judge {MODEL}{mode} {option} 2", f"{option} 2")
        for mode in MODES for option in ("--votes", "--temperature")
    ),
    # of a server a temperature is asked in every mode
    *((f"judge {SERVED}{mode} --votes 2", "--votes 2") for mode in MODES[1:]),
    *(
        (f"judge {MODEL} {option}", f"{option} belongs to openai:MODEL, not to hf:m")
        for option in ("--stop X", '--extra-body {"a":1}')
    ),
    (f"judge {LONGER} --max-tokens 9", "--max-tokens 9 belongs to hf:NAME-OR-PATH"),
    (f"judge {MODEL} --mode g-eval --lenient", "--lenient belongs to hf:NAME-OR-PATH"),
    (f"judge {MODEL} --mode classifier --temperature 0",
     "--temperature 0.0 belongs to hf:NAME-OR-PATH (--mode sample)"),
    (f"judge {SERVED} --mode generate --votes 3",
     "--votes 3 belongs to hf:NAME-OR-PATH (--mode sample) or openai:MODEL (--mode sample, left out), "
     "not to openai:m (--mode generate): leave it out"),
    (f"judge {SERVED} --truncation 99", "--truncation 99 belongs to hf:NAME-OR-PATH, not to openai:m"),
    (f"judge {MODEL} --mode g-eval --tie",
     "--tie belongs to hf:NAME-OR-PATH (--mode classifier, generate, sample)"),
    *(
        (f"judge {MODEL} --mode score {option}", f"{option} belongs to judges that compare two texts")
        for option in ("--beam-size 3", "--calibrate", "--items-by range")
    ),
    *(
        (f"judge {LONGER} {option}", f"{option} belongs to --items-by order|range|proportional|stratified")
        for option in ("--items 2", "--separability rouge1", "--from 0.5", "--to 0.5")
    ),
    (f"judge {LONGER} --items-by range --separability rouge1 --bins 3",
     "--bins 3 belongs to --items-by stratified, not to range"),
    *(
        (f"judge {LONGER} {option} --probe praise", "--probe draws among the answers")
        for option in ("--pairs full", "--budget 2", "--items-by range")
    ),
    ("servers remove lab http://localhost:1/v1", "unrecognized arguments: http://localhost:1/v1; `python"),
    ("servers list --key-variable KEY",
     "arguments: --key-variable KEY; `python -m core servers list --help`"),
    (f"try {LONGER} --retry-failed", "unrecognized arguments: --retry-failed"),
    ("rank --method elo --sep-alpha 2", "--sep-alpha 2.0 belongs to --method sep-elo, not to elo"),
    ("rank --method elo --encoder e",
     "--encoder e belongs to --method sep-elo, not to elo: leave it out\n"),
    ("rank --method elo --by candidate --bootstrap 9", "--bootstrap 9 belongs to --by system"),
    ("rank --method elo --bootstrap 0 --over items", "--over items belongs to intervals"),
    *(
        (f"{SCORES} {option}", f"{option} belongs to judgements (--method or --table), not to a")
        for option in ("--ties drop", "--debias swap")
    ),
    *(
        (f"{words} {option} {value}", f"{option} ")
        for words in (SCORES, TABLE)
        for option, value in (("--experts", "logit"), ("--separability", "rouge1"), ("--sep-beta", "3"))
    ),
    (f"{TABLE} --position-term", "--position-term belongs to --method bradley-terry"),
    ("correlate --method elo --against b --level item --resolve pairwise", "unrecognized arguments"),
    ("agreement --encoder e", "--encoder e belongs to --by-separability METRIC"),
    ("accuracy --against gold --rater expert",
     "--rater expert belongs to --against scores, not to gold"),
    ("separability --metric rouge1 --precision bf16", "--precision bf16 belongs to bertscore"),
    *(
        (f"consistency {option}", f"{option} belongs to ")
        for option in ("--samples 3", "--cross 4", "--encoder e")
    ),
    *(
        (f"campaign {option}", f"{option} belongs to --pairs-by")
        for option in ("--separability rouge1", "--encoder e", "--number 3")
    ),
    ("campaign --pairs-by informative --from 0.5",
     "--from 0.5 belongs to --pairs-by order|range|proportional|stratified, not to informative"),
    ("campaign pause --overlap 2",
     "unrecognized arguments: --overlap; `python -m core campaign pause --"),
    ("campaign pase c", "invalid choice: 'pase' (choose from"),
    ("campaign create c --from 0.5", "--from 0.5 belongs to --by separability, not to random"),
    ("campaign edit --by random",
     "unrecognized arguments: --by; `python -m core campaign edit --help`"),
    ("campaign --pairs-by range --bins 3", "--bins 3 belongs to --pairs-by stratified, not to range"),
    ("rank --votes v.csv --dataset d", "--dataset belongs to votes in a store"),
    ("rank --votes v.csv --by candidate", "--by candidate belongs to votes in a store"),
    ("rank --votes v.csv --over-time", "--over-time belongs to votes in a store"),
    ("rank --votes v.csv --method sep-elo", "sep-elo"),
    ("rank --map winner=x", "--map winner=x belongs to --votes: leave it out"),
]  # fmt: skip


def test_what_would_be_passed_over_is_refused(tmp_path: Path, call_on: Call) -> None:
    for words, said in REFUSED:
        assert said in refusal(call_on, tmp_path / "none.sqlite3", words)
        assert not list(tmp_path.iterdir())


TAKEN = (
    (f"judge {LONGER} --judges human", "--judges plays no part in `judge` as it was asked"),
    (f"try {LONGER} --judges human", "--judges plays no part in `try` as it was asked"),
    ("campaign --systems x y --subset odd",
     "--systems plays no part in `campaign order` as it was asked"),
    ("export --what generations --judges llm --to {}",
     "--judges plays no part in `export` as it was asked"),
    ("correlate --scores metric --against human --level item --judges human", "--judges plays no"),
    (f"judge {LONGER} --concurrency 3 --rpm 60 --tpm 600 --timeout 5 --price-in 0 --price-out 2",
     "--rpm 60 belongs to openai:MODEL, not to baseline:longer, and plays no part here"),
    ("judge --judge baseline:bleu --pairs ring --budget 3",
     "--pairs ring belongs to judges that compare two texts, not to baseline:bleu, and plays no "
     "part here"),
    ("rank --method win-ratio --k 8",
     "--k 8.0 belongs to --method elo or sep-elo, not to win-ratio, and"),
    ("separability --metric rouge1 --systems x y --normalise none --over pair",
     "--over pair belongs to --normalise minmax, not to none, and plays no part here"),
    ("consistency --bins 2", "--bins 2 belongs to --by-separability METRIC, and plays no part here"),
    ("describe --seed 3", ""), ("campaign --seed 3", ""),
)  # fmt: skip


def test_what_may_be_given_everywhere_is_taken_and_said_where_it_plays_no_part(
    call: Call, tmp_path: Path
) -> None:
    """The contract lets a script give the same selection to every command."""
    for words, said in TAKEN:
        status, _, err = call(words.format(tmp_path / "a.csv"), "--json")
        assert status == 0
        assert said in err if said else err == ""


def list_arguments(
    of: argparse.ArgumentParser,
) -> Iterator[tuple[tuple[str, ...], argparse.Action]]:
    """What each command and each verb takes, behind its words."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield from (((name, *words), one) for words, one in list_arguments(sub))
        else:
            yield (), action


def test_an_option_has_no_default() -> None:
    """So that what was given can be told from what was not: the request has the defaults."""
    usual = {"help", "json"}
    for words, action in list_arguments(parser()):
        assert action.dest in usual or action.default is None, words


def test_a_name_that_no_file_can_have(
    call: Call, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every option that names a file or a folder."""
    name, too_long = "1" * 400, os.strerror(errno.ENAMETOOLONG)
    naming = [
        (*words, *action.option_strings[:1])
        for words, action in list_arguments(parser())
        if action.type in (settings.file_path, settings.file_words)
    ]
    assert {("import",), ("restore",), ("rank", "--votes"), ("backup",)} <= {*naming}
    for words in naming:
        assert re.search(rf"{name[:40]!r} and 360 .*\btoo long\b", refusal(call, *words, name))
    monkeypatch.setenv("TANDEM_BACKUPS", name)
    said = rf"\b{name[:80]}.*\({too_long}\).*\banother file\b"
    assert re.search(said, refusal(call, "backup"))
    monkeypatch.setenv("TANDEM_STORE", name)
    assert main(["check"]) == 2
    err = capsys.readouterr().err
    assert re.search(rf"{name[:40]!r}.*\bno store\b.*\({too_long}\).*--store\b", err)


def test_what_breaks_without_a_store_is_said_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reason = "no such luck"

    def broken(*_: object, **__: object) -> None:
        raise OSError(reason)

    monkeypatch.setattr("glob.glob", broken)
    monkeypatch.delenv("TANDEM_TRACEBACK", raising=False)
    assert main(["rank", "--votes", "x.csv"]) == 1
    assert reason in capsys.readouterr().err


def test_where_it_plays_a_part_it_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    """Then the first thing missing is the store."""
    for method in RATINGS:
        with subtests.test(method=method):
            given = {"k": ["--k", "8"], "position": ["--position-term"], "experts": ["--experts", "logit"],
                     "separability": ["--separability", "rouge1", "--sep-alpha", "3"]}  # fmt: skip
            words = [
                word
                for name in (*RATINGS[method].takes, *RATINGS[method].needs)
                for word in given.get(name, [])
            ]
            path = str(tmp_path / "none.sqlite3")
            assert main(["--store", path, "rank", "--method", method, *words]) == 2
            missing = rf"\bno store\b.*{re.escape(path)}: .*--store\b"
            assert re.search(missing, capsys.readouterr().err)


# ---- Wrong requests beside those of tests/document_refusals.py: one line, status 2, nothing
# written


WHOLE = (
    "--budget",
    "--trial",
    "--samples",
    "--seed",
    "--limit",
    "--bootstrap",
    "--cancel",
    "--resume",
)
ASKED = {"--bootstrap": "rank --method elo", "--cancel": "runs", "--resume": "runs"}

WRONG = (
    ((), "the following arguments are required: COMMAND"),
    *(
        ((words, ""), "name of a file or folder is empty")
        for words in ("backup", "restore", "import --dataset e", "rank --votes", "--store")
    ),
    ("rank --position-term", "--position-term belongs to --method bradley-terry,"),
    ("rank --ties model",
     "--ties model belongs to bradley-terry; a method that is chosen by the data takes half or drop"),
    *(
        (f"{words} --bootstrap {few}", f"--bootstrap {few} is too few resamples for an interval: "
         f"take {needed} or more, or 0 for none")
        for words, few, needed in (
            ("report --html r.html", 19, 20), ("separability --metric rouge1", 39, 40),
            ("correlate --scores metric --against human --level pool", 2, 40),
        )
    ),
    ("rank --method elo --k inf", "--k inf should be a number above 0"),
    ("rank --method bradley-terry-soft --ties drop", "bradley-terry-soft counts probabilities"),
    ("rank --method bradley-terry-soft", "give no probabilities, only decisions"),
    ("rank --method win-ratio --position-term",
     "--position-term belongs to --method bradley-terry, bradley-terry-soft, bradley-terry-controlled "
     "or product-of-experts, not to win-ratio"),
    ("rank --method bradley-terry --position-term --debias swap", "both take out the effect"),
    ("rank --method bradley-terry --position-term --ties model", "not fitted together"),
    ("rank --method elo --experts probability",
     "--experts probability belongs to --method product-of-experts"),
    ("rank --method elo --debias swap --systems x y", "in both orders, and there are none"),
    ("correlate --scores metric --against human --level pool --constant zero",
     "--constant zero belongs to --level item, not to pool"),
    ("correlate --scores a --method elo --against b --level pool", "not allowed with"),
    ("correlate --against b --level pool",
     "one of the arguments --method --scores --table is required"),
    ("correlate --table elo --against human --level item", "invalid choice: 'elo'"),
    *(
        (f"{ASKED.get(option, 'judge --judge baseline:longer')} {option} {value}",
         f"{option}: '{value[:40]}' is not a whole number from "
         f"{int(option not in ('--trial', '--seed', '--bootstrap'))} to")
        for option in WHOLE
        for value in ("99999999999999999999", "2147483648", "-1", "1.5", "9" * 5000)
    ),
    ("judge --judge hf:x --prompt-file /nowhere.txt", "/nowhere.txt"),
    ("judge --judge baseline:random --items-by proportional",
     "--items-by needs --separability METRIC"),
    ("rank --votes none/*.parquet", "no file matches 'none/*.parquet'"),
    ("exclude Ada --lift", "'Ada' is not excluded here"),
    ("annotators --fastest 0", "--fastest 0"),
)  # fmt: skip


def test_a_wrong_request(call: Call, target: Path, subtests: pytest.Subtests) -> None:
    for words, said in WRONG:
        with subtests.test(words=words):
            before = target.read_bytes()
            asked = (words,) if isinstance(words, str) else words
            err = refusal(call, *asked, *(["--json"] if asked else []))
            assert said in err
            assert target.read_bytes() == before
