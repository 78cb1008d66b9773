"""A thousand replays of SummEval: 100 articles of 16 summaries, 240 comparisons each."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from core.findings.budget.columns import BudgetSettings
from core.findings.budget.pool import pool
from core.findings.budget.replays import Replays
from core.findings.judgements import Selection
from tests.bench.measure import number, ratios, read_options, table
from tests.findings.budget.simulated import BIASED, summeval

WAYS = {
    "random, win ratio": ("random", "win-ratio", "none"),
    "symmetric, win ratio": ("symmetric", "win-ratio", "none"),
    "random, average probability, threshold": ("random", "average-probability", "threshold"),
    "random, product of experts": ("random", "product-of-experts", "none"),
    "random, Bradley-Terry": ("random", "bradley-terry", "none"),
    "pairs-greedy, its own ranking": ("pairs-greedy", "win-ratio", "none"),
}
MOST = 60  # replays of a way that is slower than a thousand a few minutes; the rest is reckoned


def main() -> None:
    options = read_options("few articles and replays", replays={"type": int, "default": 1000})
    items, replays = (4, 4) if options.small else (100, options.replays)
    rows, thousand = [], {}
    with tempfile.TemporaryDirectory() as folder:
        with summeval(Path(folder) / "store.sqlite3", items=items) as store:
            answers = pool(store, Selection("summeval", judges=(BIASED,)))
        for name, (strategy, method, debias) in WAYS.items():
            quick = method in ("win-ratio", "average-probability") and strategy != "pairs-greedy"
            times = replays if quick else min(MOST, replays)
            settings = BudgetSettings("item", (strategy,), (method,), (debias,), replays=times)
            begin = perf_counter()
            Replays(answers, settings, None, 0).rows()
            done = settings.times(strategy)
            took = perf_counter() - begin
            thousand[name] = 1000 * took / done
            rows.append([name, f"{done:,}", number(took), number(thousand[name])])
    title = f"Replays of {items} articles with 16 summaries, all 13 budgets each"
    table(title, ["way", "replays", "seconds", "seconds a thousand"], rows)
    first = next(iter(thousand))
    ratios(first, thousand.pop(first), thousand)


if __name__ == "__main__":
    main()
