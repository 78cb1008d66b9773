"""The command line, `python -m core`: the same things as the pages, for scripts. `docs/cli.md` is its contract."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, get_args

from core import commands
from core.adaptive import STRATEGIES
from core.datasets import LAYOUTS
from core.debiasing import DEBIASING
from core.exports import EXPORTS
from core.records import Kind, TandemError
from core.statistics.experts import Experts
from core.statistics.ratings import RATINGS
from core.store import DEFAULT_STORE, Store


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every other wrong request."""
        raise TandemError(f"{message}; `{self.prog} --help` says what there is")


MOST = 2**31 - 1  # of any whole number one may ask for: more of anything than there is, and small enough to be stored


def whole(low: int) -> Callable[[str], int]:
    """A whole number from `low`, as the type of an option."""

    def read(text: str) -> int:
        # The length first: Python refuses to read a number of thousands of digits.
        if not re.fullmatch(r"[+-]?0*[0-9]{1,10}", text) or not low <= int(text) <= MOST:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {low} to {MOST}")
        return int(text)

    return read


def parser() -> argparse.ArgumentParser:
    top = _Parser(prog="python -m core", description="Tandem without the pages.")
    top.add_argument("--store", type=Path, default=None, help="the SQLite file (default: $TANDEM_STORE, else data/)")
    add = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    everywhere = _Parser(add_help=False)
    everywhere.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    selection = _Parser(add_help=False, parents=[everywhere])
    selection.add_argument("--dataset", metavar="D", help="may be left out while there is only one")
    selection.add_argument("--subset", metavar="S")
    selection.add_argument("--attribute", metavar="A")
    selection.add_argument("--judges", nargs="+", action="extend", default=[], metavar="human|llm|baseline|gold|NAME")
    selection.add_argument("--systems", nargs="+", action="extend", default=[], metavar="SYSTEM")
    selection.add_argument("--seed", type=whole(0), default=0)

    _import(add.add_parser("import", parents=[everywhere], help="files into the store"))
    add.add_parser("datasets", parents=[everywhere], help="what the store holds")
    add.add_parser("describe", parents=[selection], help="means per system, outcomes per judge")
    _judge(add.add_parser("judge", parents=[selection], help="run a judge over pairs; the same again continues"))
    runs = add.add_parser("runs", parents=[everywhere], help="runs and campaigns with their state")
    one = runs.add_mutually_exclusive_group()
    one.add_argument("--cancel", type=whole(1), metavar="ID")
    one.add_argument("--resume", type=whole(1), metavar="ID")
    worker = add.add_parser("worker", parents=[everywhere], help="execute queued runs")
    worker.add_argument("--once", action="store_true", help="end when nothing is queued")
    rank = add.add_parser("rank", parents=[selection], help="a leaderboard")
    rank.add_argument("--by", choices=("system", "candidate"), default="system")
    _rank(rank, required=True)
    _rank_method(rank, required=True)
    bias = add.add_parser("bias", parents=[selection], help="how much the place of a text decides, per judge")
    _debias(bias)
    correlate = add.add_parser("correlate", parents=[selection], help="ranks or scores against other scores")
    predicted = correlate.add_mutually_exclusive_group(required=True)
    _rank_method(predicted, required=False)
    predicted.add_argument("--scores", metavar="RATER", default="")
    correlate.add_argument("--against", metavar="RATER", required=True)
    correlate.add_argument("--level", choices=("item", "system", "pool"), required=True)
    _rank(correlate, required=False)
    export = add.add_parser("export", parents=[selection], help="CSV, JSON lines or Parquet, by suffix")
    export.add_argument("--what", choices=tuple(EXPORTS), required=True)
    export.add_argument("--to", type=Path, required=True, metavar="FILE")
    backup = add.add_parser("backup", parents=[everywhere], help="a consistent copy of a live store")
    backup.add_argument("--to", type=Path, required=True, metavar="FILE")
    add.add_parser("check", parents=[everywhere], help="whether the store is whole")
    add.add_parser("sample", parents=[everywhere], help="load the sample study and let the baselines judge it")
    return top


def _import(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    sub.add_argument("--dataset", required=True, metavar="NAME")
    sub.add_argument("--format", choices=("auto", *LAYOUTS), default="auto")
    sub.add_argument("--map", nargs="+", action="extend", default=[], metavar="FIELD=COLUMN")
    sub.add_argument("--kind", choices=tuple(Kind), default=Kind.HUMAN, help="who gave the votes or score: columns")
    sub.add_argument("--context-noun", default="context", help='such as "article"')
    sub.add_argument("--candidate-noun", default="text", help='such as "summary"')
    sub.add_argument("--instructions", default="", help="what annotators read first")
    sub.add_argument("--source", default="")
    sub.add_argument("--licence", default="")


def _judge(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--judge", required=True, metavar="SPEC", help="baseline:longer|random|embedding, hf:NAME-OR-PATH")
    sub.add_argument("--pairs", choices=STRATEGIES, default="full")
    sub.add_argument("--budget", type=whole(1), metavar="R", help="ordered comparisons per item and attribute")
    sub.add_argument("--samples", type=whole(1), default=1, metavar="N")
    sub.add_argument("--beam-size", type=whole(1), metavar="N", help="branches pairs-beam follows (default 10)")
    sub.add_argument("--prob-gap", type=float, metavar="G", help="both branches where |P - 1/2| < G (default 0.1)")
    sub.add_argument("--calibrate", action="store_true", help="pairs-*: the mean of both orders")
    prompt = sub.add_mutually_exclusive_group()
    prompt.add_argument("--prompt", metavar="NAME")
    prompt.add_argument("--prompt-file", type=Path, metavar="F")
    sub.add_argument("--mode", default="classifier")
    sub.add_argument("--trial", type=whole(0), default=0, metavar="N")
    sub.add_argument("--retry-failed", action="store_true", help="withdraw what was not answered and ask just that")
    sub.add_argument("--limit", type=whole(1), metavar="N", help="stop after N answers")


def _rank_method(sub: argparse._ActionsContainer, *, required: bool) -> None:
    sub.add_argument("--method", choices=tuple(RATINGS), **({"required": True} if required else {}))  # type: ignore[arg-type]


def _rank(sub: argparse.ArgumentParser, *, required: bool) -> None:
    sub.add_argument("--ties", choices=("half", "drop", "model"), default="half")
    sub.add_argument("--bootstrap", type=whole(0), default=100 if required else 0, metavar="B")
    sub.add_argument("--resample", choices=("item", "judgement"), default="item")
    sub.add_argument("--k", type=float, default=4.0, metavar="K")
    sub.add_argument("--position-term", action="store_true", help="also fit what being shown first is worth")
    sub.add_argument("--experts", choices=get_args(Experts), default="logit", help="of product-of-experts")
    _debias(sub)


def _debias(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--debias", choices=tuple(DEBIASING), default="none")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 done, 2 the request is wrong and nothing was written, 1 something broke while running."""
    try:
        asked = parser().parse_args(arguments)
        asked.store = asked.store or Path(os.environ.get("TANDEM_STORE") or DEFAULT_STORE)
        # Files are compared with an empty store in memory before they make one on the disk.
        path = ":memory:" if asked.command == "import" and not asked.store.exists() else asked.store
        with Store(path, create=asked.command in ("import", "sample")) as store:
            answer = commands.COMMANDS[asked.command](store, asked)
        text = json.dumps(answer.document, ensure_ascii=False, allow_nan=False) if asked.json else answer.text
        if text:
            print(text, flush=True)
        return answer.status
    except TandemError as error:
        return _say(str(error), 2)
    except commands.BrokenError as error:
        return _say(str(error), 1)
    except KeyboardInterrupt:
        return _say("stopped; what was finished is kept, and the same command continues", 1)
    except BrokenPipeError:  # whoever read our output has left: nobody to tell, and nothing more to flush at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("TANDEM_TRACEBACK"):
            raise
        return _say(
            f"{type(error).__name__}: {error}; what was finished is kept, and the same command continues "
            "(TANDEM_TRACEBACK=1 shows where it broke)",
            1,
        )


def _say(what: str, status: int) -> int:
    """One line on standard error, whatever is in it."""
    print("tandem:", " ".join(what.splitlines()), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
