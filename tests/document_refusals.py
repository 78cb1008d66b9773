"""What the command line says to a wrong request, as it was approved: tests/golden/refusals.txt.

`python -m tests.document_refusals --write` rewrites the file; read its diff before you commit it.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from core.__main__ import main
from tests.document import update
from tests.document_pages import load_study
from tests.paths import ROOT

APPROVED = ROOT / "tests" / "golden" / "refusals.txt"
STORE = "study.sqlite3"

FILES = {
    "notes.txt": "No table at all.\n",
    "no_votes.csv": "name,colour\nwren,brown\n",
    "votes.csv": "item,left,right,winner,judge\ni1,wren,heron,wren,Ada\ni2,wren,heron,maybe,Ada\n",
    "broken.json": '[{"item": 1,\n',
    "latin.csv": b"item,left,right,winner\ncaf\xe9,wren,heron,wren\n",
    "reading.toml": 'format = "votes"\ncolour = "brown"\n',
    "prompt.txt": "Which text is better?\n",
}
"""Files that the requests name, beside the store of the sample study."""

REQUESTS = """
rnak
datasets --jsno
--store nowhere.sqlite3 datasets
--store notes.txt datasets
--store . datasets
describe
describe --dataset sample-books
describe --dataset sample-news --attribute taste
describe --dataset sample-news --subset spanish
describe --dataset sample-news --item-set hard
agreement --dataset sample-news --show votes
completion fish
import nowhere.csv --dataset new
import votes.csv
import notes.txt --dataset new
import no_votes.csv --dataset new
import broken.json --dataset new
import latin.csv --dataset new
import votes.csv --dataset new --format xml
import votes.csv --dataset new --map winner
import votes.csv --dataset new --map winner=choice
import votes.csv --dataset new --reading reading.toml
import votes.csv --dataset new --zone Europe/Atlantis
dataset rename sample-books --to books
dataset delete sample-news --confirm sample
dataset rename sample-news --to sample-dialogues
export --what votes --to votes.csv
export --dataset sample-news --what judgements --to votes.xlsx
export --dataset sample-news --what judgements --to nowhere/votes.csv
judge --dataset sample-news --judge longer
judge --dataset sample-news --judge baseline:shorter
judge --dataset sample-news --judge baseline:longer --budget 4
judge --dataset sample-news --judge baseline:longer --pairs symmetric --budget 3
judge --dataset sample-news --judge baseline:longer --tie
judge --dataset sample-news --judge baseline:longer --limit 0
judge --dataset sample-news --judge baseline:longer --samples 0
judge --dataset sample-news --judge hf:tiny --mode guess
judge --dataset sample-news --judge hf:tiny --prompt better
judge --dataset sample-news --judge hf:tiny --prompt-file prompt.txt
judge --dataset sample-news --judge baseline:longer --items-by range --items 5
generate --dataset sample-news --system new --model baseline:longer --instruction Shorten.
generate --dataset sample-news --system wren --model local:smollm2 --instruction Shorten.
steps --dataset sample-news --model local:smollm2
runs --cancel 99
runs --resume 1
rank --dataset sample-news
rank --dataset sample-news --judges Bob
rank --dataset sample-news --judges gold
rank --dataset sample-news --judges simulated --systems wren
rank --dataset sample-news --judges simulated --systems wren crane
rank --dataset sample-news --judges simulated --method eloo
rank --dataset sample-news --judges simulated --method elo --k 0
rank --dataset sample-news --judges simulated --method elo --ties model
rank --dataset sample-news --judges simulated --method average-probability
rank --dataset sample-news --judges simulated --method sep-elo --separability bleu
rank --dataset sample-news --judges simulated --bootstrap 5
rank --dataset sample-news --judges simulated --debias threshold
rank --dataset sample-news --run 99
rank --votes nowhere.parquet
correlate --dataset sample-news --scores metric --against human --level pool
agreement --dataset sample-news --by-separability bleu
accuracy --dataset sample-news --against gold
combine --dataset sample-news --people Bob
compare --dataset sample-news
compare notes.txt votes.csv
lab search --dataset sample-news --judge baseline:longer
lab search --dataset sample-news --judge local:smollm2 --prompts nothing
drift --dataset sample-news --judges simulated
share --dataset sample-news --signal judges --judges baseline:embedding
share --dataset sample-news --accept-error 0.9
campaign create rest --dataset sample-news --by rest --judges baseline:embedding
plan --dataset sample-news --people Bob
budget --dataset sample-news --judges Bob
lab --dataset sample-news --open-test --judges Bob
separability --dataset sample-news --metric rouge2
consistency --dataset sample-news --by-separability bleu
items show hard --dataset sample-news
items find --dataset sample-news --judge Bob
report --dataset sample-news
report --dataset sample-news --html report.html --set rank.colour=red
campaign create 'all pairs' --dataset sample-news
campaign create news --dataset sample-news --attributes taste
campaign close news --dataset sample-news
campaign close 'all pairs' --dataset sample-news --overlap 2
crowd open news --dataset sample-news
crowd show 'all pairs' --dataset sample-news
people role Bob --role owner
people leave Bob
people invite --role visitor
people invite Ada --days 0
servers add lab
servers add lab example.org
servers remove lab
adjudicate --dataset sample-news --attribute beauty
exclude Bob --dataset sample-news
exclude Bob --dataset sample-news --reason careless
backup nowhere/backup.sqlite3
restore notes.txt
try --dataset sample-news --judge baseline:longer --pairs some
dataset rename sample-news --confirm sample-news
bias --dataset sample-news --debias half
annotators --dataset sample-books
sample --size 9
worker --once --stay
"""
"""Wrong requests to all commands, one a line."""


class Refusal(NamedTuple):
    """What came of a request: the exit status, and what it said on either stream."""

    request: str
    status: int
    error: str
    output: str


def collect_refusals(folder: Path) -> Iterator[Refusal]:
    """Send each of `REQUESTS` to a store of the sample study in an empty folder."""
    load_study(folder / STORE)
    for name, content in FILES.items():
        data = content if isinstance(content, bytes) else content.encode()  # type: ignore[attr-defined]
        (folder / name).write_bytes(data)
    with chdir(folder):
        for request in REQUESTS.strip().splitlines():
            yield _send(request)


def write_refusals(refusals: Iterator[Refusal]) -> str:
    """Each request as it is typed, and below it the exit status and the answer."""
    return "\n".join(
        f"$ tandem {each.request}\n{each.status} {each.error}{each.output}" for each in refusals
    )


def _send(request: str) -> Refusal:
    """Run a command in this process, under the name that an installation gives it."""
    words = shlex.split(request)
    if "--store" not in words:
        words = ["--store", STORE, *words]
    name, sys.argv[0] = sys.argv[0], "tandem"
    error, output = io.StringIO(), io.StringIO()
    try:
        with redirect_stderr(error), redirect_stdout(output):
            status = main(words)
    finally:
        sys.argv[0] = name
    return Refusal(request, status, _unquote_choices(error.getvalue()), output.getvalue())


def _unquote_choices(said: str) -> str:
    """Later Pythons than 3.11 put no quotes around what there is to choose from."""
    return re.sub(r"\(choose from [^)]*\)", lambda match: match[0].replace("'", ""), said)


if __name__ == "__main__":
    os.environ.pop("TANDEM_STORE", None)
    with tempfile.TemporaryDirectory() as place:
        sys.exit(update({APPROVED: write_refusals(collect_refusals(Path(place)))}))
