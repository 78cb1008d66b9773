"""Where the project is, and the published data sets beside it."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
CASES = ROOT.parent / "shared" / "cases"
DATASETS = ROOT.parent / "shared" / "datasets"
