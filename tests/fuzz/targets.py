"""What is fed with mutated input: anything raised but TandemError is a finding."""

from __future__ import annotations

import io
import json
import os
import time
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from random import Random

from core.cli import COMMANDS, parse, parser
from core.exporting import FORMATS
from core.importing import LAYOUTS
from core.judging import prompts
from core.judging.forms import (
    COMPARISON_FORMS,
    MARK_FORMS,
    Statement,
    UnparsedReplyError,
    read_mark,
    read_verdict,
)
from core.records import Attribute, Candidate, Prompt, Question, Scale
from core.similarity.words import list_words as words_of
from tests.fuzz.campaign_files import Campaigns
from tests.fuzz.damaged_stores import DamagedStores
from tests.fuzz.damaged_stores import commands as asked_of_damaged
from tests.fuzz.import_files import ImportedFiles, read_saved
from tests.fuzz.mutation import NASTY, in_bytes, mutate, text
from tests.fuzz.promises import BrokenPromiseError, obeyed, one_message
from tests.fuzz.served import BatchResults, ServerAnswers
from tests.fuzz.vote_files import VoteFiles

CORPUS = Path(__file__).parent / "corpus"
VOTES = ("votes", "one-hot")  # layouts whose rows are votes
WHATS, ENDS = ("judgements", "generations", "scores"), (".csv", ".jsonl", ".parquet")
LABELS = (
    ("Summary A", "Summary B"), ("Response A", "Response B", "Tie"), ("1", "2"), ("文本A", "文本B"),
    ("Text A", "Text B", "Unentschieden"), ("A", "B"), ("(a)", "(b)"), ("yes", "no"),
)  # fmt: skip
SLOW = {"worker", "report", "budget", "plan", "sample", "app"}
"""They compute, wait or serve by design."""
MODELS = {"--metric", "--model", "--judge"}  # options of commands that may load a model
LONG = 100_000  # characters of a reply that repeats itself
PATIENCE = 10.0  # seconds of computing, of which reading takes a hundredth
REPLIES = [
    b"Answer: Summary A", b"I prefer Summary B over Summary A, as it is clearer.", b"(B)", b"Tie.",
    b"**Summary A** is better than Summary B; neither is perfect.", b"Score: 7/10", b"8.5 out of 10",
    b"Rating: [[4]]", b'{"verdict": "A"}', b"Not Summary A.\nMy final choice: Response B!", b"1",
    b"<think>Summary A or Summary B?</think> Summary B", b"1. Summary A\n2. Summary B\nFinal: 2",
    b"[[A]]", b"[[A>>B]]", b"[[Summary B>Summary A]]\n", b"[[C]] [[8/10]]", b"A: 6/10\nB: 9/10",
    b"Summary A's score: 7\nSummary B's score: 7.5", b"6 9\nThe second is shorter.",
    b"Summary A is vivid.\n\n**Final verdict:** Summary B.", b"Summary A. No, wait: Summary B.",
    b'```json\n{"reason": "It says \\"so\\".", "verdict": "Summary A"}\n```', b"Score: 3\nScore: 4",
    b'{"score": 7, "reason": "Fine."}', "结论：文本A。".encode(), b"Urteil: Text B",
    "【【Ａ】】 ［［７］］".encode(), b"[THINK]A[/THINK]B", b"yes, because it is not: no",
]  # fmt: skip


OWN = "own exports"


def exported(folder: Path, store: Path) -> list[tuple[str, bytes]]:
    """Every file that Tandem writes of a study, by its name."""
    folder.mkdir()
    whats = [["--what", what, "--to", f"{what}{end}"] for what in WHATS for end in ENDS]
    forms = [["--format", form, "--to", f"{form}{FORMATS[form].suffixes[0]}"] for form in FORMATS]
    for *words, name in (*whats, *forms):
        obeyed(["--store", str(store), "export", *words, str(folder / name)])
    return [(file.name, file.read_bytes()) for file in sorted(folder.iterdir())]


def reply(draw: Random) -> None:
    """What a model wrote, in every form: a verdict, a mark, or UnparsedReplyError."""
    written = text(mutate(draw.choice(REPLIES), draw, REPLIES))
    if draw.random() < 0.002:  # again and again, as a model that has broken
        begin = draw.randrange(len(written) or 1)
        written += written[begin : begin + draw.randrange(1, 20)] * (LONG // 10)
    began = time.process_time()
    labels, is_cut = draw.choice(LABELS), draw.random() < 0.2
    form, lenient = draw.choice(list(COMPARISON_FORMS)), draw.random() < 0.3
    with suppress(UnparsedReplyError):
        verdict = read_verdict(written, labels, form, is_cut=is_cut, lenient=lenient)
        _check_place(verdict, written)
        if verdict.label not in range(len(labels)):
            raise BrokenPromiseError(f"label {verdict.label} of {labels}")
    scale, form = Scale(*draw.choice(((1, 10), (0, 100), (1, 5)))), draw.choice(list(MARK_FORMS))
    with suppress(UnparsedReplyError):
        given = read_mark(written, scale, form, is_cut=is_cut)
        _check_place(given, written)
        if not scale.low <= given.verdict <= scale.high:
            raise BrokenPromiseError(f"mark {given.verdict} of {scale}")
    if time.process_time() - began > PATIENCE:
        raise BrokenPromiseError(f"reading takes long of {written[:300]!r} ...")
    words_of(written)


def _check_place(stated: Statement, written: str) -> None:
    """A statement stands within its reply."""
    if not 0 <= stated.start <= stated.core <= stated.end <= len(written):
        raise BrokenPromiseError(f"{stated} in {written!r}")


TEMPLATES = [prompt.template.encode() for prompt in prompts.PROMPTS.values()]


def template(draw: Random) -> None:
    """A prompt of a person, filled with texts of somebody else."""
    worded = Prompt("p", 1, text(mutate(draw.choice(TEMPLATES), draw, TEMPLATES)))
    context, first, second = (text(in_bytes(draw.choice(REPLIES), draw, REPLIES)) for _ in range(3))
    attribute = Attribute("overall", draw.choice(("", "{b}", "good")))
    with one_message():
        filled = prompts.fill(
            worded, Question(1, context, first, second, attribute), draw.choice(LABELS)
        )
        if first not in filled or second not in filled:
            raise BrokenPromiseError(f"a text is not in the prompt {worded.template!r}")
    with one_message():
        mode = draw.choice(("prompt", "gptscore"))
        candidate = Candidate(1, context, first, attribute)
        prompts.fill_scoring(worded, candidate, mode, Scale(1, 5))


def _list_options(command: ArgumentParser) -> set[str]:
    """The options of a command, or of all its verbs."""
    verbs = next((one.choices for one in command._actions if one.dest == "verb"), None) or {}
    return {*command._option_string_actions}.union(*map(_list_options, verbs.values()))  # type: ignore[attr-defined]


class CommandLine:
    """Words after `python -m core`: every command with options of its own and of others."""

    def __init__(self, folder: Path, store: Path) -> None:
        self.folder, self.store = folder, store
        sub = next(action for action in parser()._actions if action.dest == "command")
        self.options = {
            name: sorted(_list_options(parsed))
            for name, parsed in sub.choices.items()  # type: ignore[union-attr]
        }

    def words(self, command: str, draw: Random) -> list[str]:
        """A command with up to four options, most of them with a value."""
        own = [option for option in self.options[command] if option not in ("--help", "-h")]
        every = [option for options in self.options.values() for option in options]
        verbs = list(getattr(COMMANDS[command], "verbs", ()))
        said = [command, *([draw.choice(verbs)] if verbs else [])]
        for _ in range(draw.randrange(5)):
            said.append(draw.choice(own) if own and draw.random() < 0.9 else draw.choice(every))
            if draw.random() < 0.8:
                nasty = draw.choice(NASTY)
                said.append(nasty if isinstance(nasty, str) else json.dumps(nasty))
        return [word for word in said if "\0" not in word]  # no process can be given one

    def parse(self, command: str, draw: Random) -> None:
        """Words are understood, or refused."""
        words = self.words(command, draw)
        with one_message(), redirect_stdout(io.StringIO()):
            try:
                asked = parse(words)
                COMMANDS[asked.command].read(asked)
            except SystemExit:  # --help
                pass

    def run(self, command: str, draw: Random) -> None:
        """The command itself, on a copy of a small store, in a folder of its own."""
        words = ["--store", str(self.store), *self.words(command, draw)]
        obeyed(words)


Target = Callable[[Random], None]


def targets(folder: Path, store: Path) -> list[tuple[str, float, Target]]:
    """Name, share of cases and call: every layout gets 10,000 imports of a million cases."""
    os.chdir(folder)
    os.environ["TANDEM_TRACEBACK"] = "1"
    line = CommandLine(folder, store)
    load = ImportedFiles(folder, CORPUS, {OWN: exported(folder / "exported", store)})
    votes = VoteFiles(folder, [file for name in VOTES for file in load.seeds[name]])
    collected, served = BatchResults(folder), ServerAnswers()
    people, harmed = Campaigns(folder, store), DamagedStores(folder, store)
    commands: Sequence[str] = [
        name for name in COMMANDS if name not in SLOW and not MODELS & {*line.options[name]}
    ]
    return [
        *((f"import {name}", 0.011, _bound(load, name)) for name in LAYOUTS),
        ("reply", 0.33, reply),
        ("batch results", 0.02, collected),
        ("server answers", 0.02, served.judged),
        ("server batches", 0.01, served.batch),
        ("template", 0.25, template),
        *(
            (f"words of {name}", 0.06 / len(COMMANDS), _bound(line.parse, name))
            for name in COMMANDS
        ),
        (f"import {OWN}", 0.011, _bound(load, OWN)),
        ("saved reading", 0.01, read_saved),
        ("votes in files", 0.003, votes.count),
        ("rank of votes in files", 0.002, votes.rank),
        ("known answers of a campaign", 0.002, people.known),
        ("order of a campaign", 0.002, people.order),
        *(
            (f"damaged store, {name}", 0.006 / len(asked_of_damaged()), _bound(harmed.ask, name))
            for name in asked_of_damaged()
        ),
        ("damaged backup", 0.0005, harmed.restore),
        *((f"run {name}", 0.004 / len(commands), _bound(line.run, name)) for name in commands),
    ]


def _bound(call: Callable[[str, Random], None], name: str) -> Target:
    return lambda draw: call(name, draw)
