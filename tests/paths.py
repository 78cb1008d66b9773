"""Where the project is, and the published data sets beside it."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("TANDEM_SHARED", ROOT.parent / "shared"))
DATASETS, CASES = SHARED / "datasets", SHARED / "cases"
