"""All that is generated or approved: `python -m tests.document` checks it, `--write` updates it."""

from __future__ import annotations

import subprocess
import sys

MODULES = (
    "document_cli", "document_types", "document_tables", "document_providers", "document_refusals",
    "document_pages", "golden_documents",
)  # fmt: skip


def main() -> int:
    """Run each in a process of its own, as each has a store of its own."""
    done = [
        subprocess.run([sys.executable, "-m", f"tests.{name}", *sys.argv[1:]]) for name in MODULES
    ]
    return max(one.returncode for one in done)


if __name__ == "__main__":
    sys.exit(main())
