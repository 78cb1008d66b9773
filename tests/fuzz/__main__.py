"""Feeds mutated input to everything that reads what others wrote, in one process with limits.

`python -m tests.fuzz --cases 1000 --seed 7` prints what it found, one JSON object a line; the last
line says how many cases there were. `--only WORD` takes the targets whose name has the word in it,
`--case N` repeats one case. The seed and the number of a case give the same input again.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import traceback
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType

from tests.cli.asked import begun
from tests.fuzz.targets import Target, targets

SECONDS = 5  # of processor time that one input may take
MEMORY = 2**30  # bytes that one input may take
STEP = 10_000  # cases after which progress is told


class HangError(BaseException):
    """An input takes too long. Not an Exception, so that nobody takes it for one."""


def _hang(signum: int, frame: FrameType | None) -> None:
    raise HangError


def limit() -> None:
    """No input may take more than MEMORY beside what the process has."""
    used = int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, resource.RLIM_INFINITY))


def fed(target: Target, draw: Random) -> BaseException | None:
    """What one input led to that it should not."""
    limit()
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        target(draw)
    except (Exception, HangError, SystemExit) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    for name, default in (("cases", 2000), ("seed", 0), ("first", 0), ("case", -1)):
        ask.add_argument(f"--{name}", type=int, default=default)
    ask.add_argument("--only", default="")
    asked = ask.parse_args()
    with TemporaryDirectory() as name:
        out, sys.stdout = sys.stdout, sys.stderr  # what commands print is not ours
        store = begun(Path(name))
        chosen = [each for each in targets(Path(name), store) if asked.only in each[0]]
        signal.signal(signal.SIGPROF, _hang)
        numbers = range(asked.first, asked.first + asked.cases)
        findings = 0
        for number in [asked.case] if asked.case >= 0 else numbers:
            draw = Random(f"{asked.seed}.{number}")
            (title, _, target), *_ = draw.choices(chosen, [share for _, share, _ in chosen])
            if error := fed(target, draw):
                findings += 1
                trace = "".join(traceback.format_exception(error))
                told = {"case": number, "target": title, "error": repr(error)[:400], "trace": trace}
                print(json.dumps(told), file=out, flush=True)
            if number % STEP == STEP - 1:
                print(f"{number + 1:,} cases, {findings} findings", file=sys.stderr, flush=True)
        print(json.dumps({"cases": len(numbers), "findings": findings}), file=out, flush=True)


if __name__ == "__main__":
    main()
