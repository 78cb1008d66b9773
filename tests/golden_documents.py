"""The JSON of every command about figures, on three studies, as scripts have come to know it.

`python -m tests.golden_documents --write STUDY ...` writes tests/golden/documents/STUDY.json.gz;
without `--write` it lists what differs. Whatever changes is listed in CHANGELOG.md.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.__main__ import main as run_command
from tests.paths import ROOT
from tests.three_studies import STUDIES

FOLDER = ROOT / "tests" / "golden" / "documents"
JUDGES = {"sample": "simulated", "llmbar": "llm", "topicalchat": "baseline"}
"""Whose leaderboard it is; nobody else has judged there."""
RANKED = (
    "", "--method elo", "--method bradley-terry", "--method bradley-terry --ties model",
    "--method bradley-terry --position-term", "--method macro-win-ratio",
    "--method bradley-terry-soft", "--method bradley-terry-controlled",
    "--method length-controlled", "--method product-of-experts", "--method likelihood",
    "--method average-probability", "--method sep-elo --separability bertscore-length",
    "--method pairs", "--method elo --over-time", "--by attribute", "--by candidate",
)  # fmt: skip
ASKED = (
    "correlate --table win-ratio", "agreement", "bias", "accuracy", "accuracy --against scores",
    "combine", "plan", "budget", "annotators", "separability", "items",
    "describe",
)  # fmt: skip
OWN = {  # the lab has the seconds that baselines took, which were asked here: LLMBar's judges were not
    "sample": ("share", "compare old.csv new.csv --judge baseline:longer --dataset versions"),
    "llmbar": ("share", "lab", "lab --correct swap threshold", "compare --new output_1"),
}
PRECISION = 1e-9  # of a figure: other processors add in another order
MEASURED = 1e-6  # of one from similarities, which a model measured in fp32: they differ by 3e-7
OF_SIMILARITIES = ("separability", "consistency")


def list_requests(study: str) -> list[str]:
    """List what is asked of a study."""
    whose = f"--judges {JUDGES[study]}"
    asked = [
        *(" ".join(f"rank {whose} {how}".split()) for how in RANKED),
        f"consistency {whose}",
        *ASKED,
        *OWN.get(study, ()),
    ]
    # TopicalChat's baselines are asked here, and their budget has the seconds that takes.
    return [one for one in asked if (study, one) != ("topicalchat", "budget")]


def ask(path: Path, dataset: str, request: str) -> Any:
    """Return the document of a request, or its exit status where it is refused.

    Files that it names are beside the store.
    """
    words = ["--store", str(path), *request.split(), "--json"]
    words += [] if "--dataset" in words else ["--dataset", dataset]
    with (
        contextlib.chdir(path.parent),
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        status = run_command(words)
    return json.loads(out.getvalue()) if out.getvalue() else status


def read(study: str) -> dict[str, Any]:
    """Read the documents that are known, by request."""
    documents: dict[str, Any] = json.loads(
        gzip.decompress((FOLDER / f"{study}.json.gz").read_bytes())
    )
    return documents


def list_differences(
    one: Any, other: Any, at: str = "", precision: float = PRECISION
) -> Iterator[str]:
    """List where two documents differ; figures within the precision are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            yield f"{at}: keys {sorted(set(one) ^ set(other)) or 'in another order'}"
        for key in one.keys() & other.keys():
            yield from list_differences(one[key], other[key], f"{at}.{key}", precision)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from list_differences(*pair, f"{at}[{number}]", precision)
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=precision, abs_tol=precision):
            yield f"{at}: {one!r} was {other!r}"
    elif one != other:
        yield f"{at}: {one!r} was {other!r}"


def compare(study: str, path: Path, dataset: str) -> Iterator[str]:
    """List where the documents of a study differ from those that are known."""
    known = read(study)
    for request in list_requests(study):
        found = ask(path, dataset, request)
        precision = MEASURED if request.startswith(OF_SIMILARITIES) else PRECISION
        lines = list_differences(found, known.get(request), precision=precision)
        yield from (f"{request}{line}" for line in lines)


def main(words: list[str]) -> int:
    differing = 0
    for study in [word for word in words if word != "--write"] or list(STUDIES):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "store.sqlite3"
            dataset = STUDIES[study](path)
            if "--write" in words:
                documents = {one: ask(path, dataset, one) for one in list_requests(study)}
                FOLDER.mkdir(exist_ok=True)
                text = json.dumps(documents, ensure_ascii=False).encode()
                (FOLDER / f"{study}.json.gz").write_bytes(gzip.compress(text, mtime=0))
                continue
            for line in compare(study, path, dataset):
                print(f"{study}: {line}")
                differing += 1
    return differing > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
