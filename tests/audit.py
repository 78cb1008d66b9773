"""`python -m tests.audit`: packages with known vulnerabilities, by pip-audit and PyPI."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.paths import ROOT

PATIENCE = 90.0
"""Seconds after which it is given up."""

COMMAND = ("-m", "pip_audit", "-r", "requirements.txt", "--no-deps", "--disable-pip",
           "--timeout", "10", "--progress-spinner", "off", "-f", "json")  # fmt: skip


def verdict(told: Mapping[str, Any]) -> tuple[int, str]:
    """(exit status, sentence) of a document of pip-audit's."""
    packages = told["dependencies"]
    audited = [package for package in packages if "vulns" in package]
    flaws = [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in "
        + (", ".join(flaw["fix_versions"]) or "no version yet")
        for package in audited
        for flaw in package["vulns"]
    ]
    if flaws:
        return 1, "\n".join(["Known vulnerabilities:", *flaws])
    if not audited:
        return 0, "Not audited: the package index here has no advisories"
    of = f"{len(audited)} of {len(packages)} packages have advisories that were read"
    return 0, f"{of}, and none has a known vulnerability"


def main() -> int:
    try:
        words = [sys.executable, *COMMAND]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        status, sentence = verdict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        status, sentence = 0, f"Not audited: no answer within {PATIENCE:.0f} seconds"
    except json.JSONDecodeError:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200]
        status, sentence = 0, f"Not audited: the advisories cannot be reached ({why})"
    print(sentence)
    return status


if __name__ == "__main__":
    sys.exit(main())
