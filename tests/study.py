"""Studies made by hand, and what the tests read out of a store without asking Tandem's own queries."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from core import campaigns
from core.campaigns import NoQuestionReason, Presentation, Progress, enrol
from core.records import (
    Answer,
    Attribute,
    Dataset,
    Generation,
    Item,
    JudgeSpec,
    Kind,
    Outcome,
    System,
)
from core.runs import execution
from core.runs import measure as measuring
from core.similarity import MeasurementRequest, Metric
from core.store import Campaign, ChosenGenerations, Store
from tests.processes import Command

DATASET = "tiny"
SYSTEMS = ("alpha", "beta", "gamma")


def fill(
    store: Store,
    *,
    items: int = 3,
    systems: Sequence[str] = SYSTEMS,
    samples: int = 1,
    attributes: Sequence[str] = ("coherence",),
    dataset: str = DATASET,
) -> None:
    """Items i0, i1 ...; the text of each system is one word longer than that of the system before
    it.

    Adding more of anything later changes nothing that is there.
    """
    texts = [
        Generation(f"i{i}", name, sample, " ".join([f"{name}-{i}-{sample}"] * (1 + words)))
        for i in range(items)
        for words, name in enumerate(systems)
        for sample in range(samples)
    ]
    contexts = [Item(f"i{i}", f"The context of item {i}.") for i in range(items)]
    about = Dataset(dataset, context_noun="article", candidate_noun="summary")
    asked_for = [Attribute(name, f"{name}-ish") for name in attributes]
    add_texts(store, about, texts, items=contexts, systems=systems, attributes=asked_for)


def filled(folder: Path, **how: Any) -> Path:
    """A store in a folder that is filled so."""
    with Store(folder / "store.sqlite3") as store:
        fill(store, **how)
    return folder / "store.sqlite3"


def add_texts(
    store: Store,
    dataset: str | Dataset,
    texts: Iterable[Generation],
    *,
    items: Iterable[Item] = (),
    systems: Iterable[str] = (),
    attributes: Iterable[Attribute] = (Attribute("overall"),),
) -> None:
    """Add a data set of texts, with the items and systems they name, or with these in this order."""
    texts = list(texts)
    about = Dataset(dataset) if isinstance(dataset, str) else dataset
    named = systems or dict.fromkeys(text.system for text in texts)
    with store.transaction():
        store.datasets.add(about)
        store.datasets.add_attributes(about.name, attributes)
        bare = map(Item, dict.fromkeys(text.item for text in texts))
        store.datasets.add_items(about.name, items or bare)
        store.datasets.add_systems(about.name, map(System, named))
        store.datasets.add_generations(about.name, texts)


def ids(store: Store) -> dict[tuple[str, str, int], int]:
    """(item, system, sample) -> generation."""
    rows = store.connection.rows(
        """SELECT i.key, s.name, g.sample, g.id FROM generations g
        JOIN items i ON i.id = g.item JOIN systems s ON s.id = g.system"""
    )
    return {(item, system, sample): generation for item, system, sample, generation in rows}


def compare(store: Store, item: str, a: str, b: str, attribute: str = "coherence") -> int:
    """The comparison that shows system `a` first."""
    known, row = ids(store), store.datasets.attribute_id(DATASET, attribute)
    pair = known[item, a, 0], known[item, b, 0]
    store.judgements.add_comparisons(row, [pair])
    return store.judgements.comparison_id(row, *pair)


def judge(store: Store, name: str = "Ada", kind: Kind = Kind.HUMAN) -> int:
    store.judges.add([JudgeSpec(name, kind)])
    return store.judges.id_of(name)


def recounted_tally(store: Store) -> Counter[tuple[object, ...]]:
    """The tally as it should be, counted here row by row."""
    return Counter(
        (who, attribute, a, b, known, outcome or "failed")
        for who, attribute, a, b, known, outcome in store.connection.rows(
            """SELECT j.judge, c.attribute, c.system_a, c.system_b, j.order_known, j.outcome
            FROM judgements j, comparisons c WHERE c.id = j.comparison AND j.withdrawn_at IS NULL"""
        )
    )


def kept_tally(store: Store) -> Counter[tuple[object, ...]]:
    columns = "judge, attribute, system_a, system_b, order_known, outcome, count"
    rows = store.connection.rows(f"SELECT {columns} FROM outcome_counts WHERE count")
    return Counter({tuple(row): count for *row, count in rows})


def recounted_votes(store: Store) -> dict[tuple[str, int], int]:
    """What is asked (its table and row) -> the votes it should have, counted here row by row."""
    live = store.connection.rows(
        """SELECT j.campaign, c.attribute, j.judge, j.trial, j.comparison, c.generation_a, c.generation_b, j.outcome
        FROM judgements j, comparisons c WHERE c.id = j.comparison AND j.withdrawn_at IS NULL"""
    )
    in_campaign = Counter(
        (campaign, attribute, frozenset((a, b)))
        for campaign, attribute, _, trial, _, a, b, outcome in live
        if outcome and not trial
    )
    asked = {(who, trial, comparison) for _, _, who, trial, comparison, _, _, _ in live}
    pairs = store.connection.rows(
        """SELECT q.id, p.campaign, p.attribute, q.generation_1, q.generation_2
        FROM campaign_pairs q, campaign_attributes p WHERE p.id = q.campaign_attribute"""
    )
    comparisons = store.connection.rows(
        """SELECT q.id, r.judge, r.trial, q.comparison FROM run_comparisons q, runs r
        WHERE r.id = q.run"""
    )
    return {
        ("campaign_pairs", row): in_campaign[campaign, attribute, frozenset((a, b))]
        for row, campaign, attribute, a, b in pairs
    } | {("run_comparisons", row): int(tuple(whose) in asked) for row, *whose in comparisons}


def kept_votes(store: Store) -> dict[tuple[str, int], int]:
    rows = store.connection.rows(
        """SELECT 'campaign_pairs', id, votes FROM campaign_pairs
        UNION ALL SELECT 'run_comparisons', id, asked FROM run_comparisons"""
    )
    return {(table, row): votes for table, row, votes in rows}


def content(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """All that was asked, planned and answered, by names: no row numbers, no times."""
    a, b = (
        f"""(SELECT i.key || '/' || s.name || '#' || g.sample FROM generations g, items i, systems s
        WHERE g.id = c.generation_{side} AND i.id = g.item AND s.id = g.system)"""
        for side in "ab"
    )
    return {
        "runs": store.connection.rows(
            """SELECT w.name, p.strategy, p.settings, p.status, p.error
            FROM runs p LEFT JOIN judges w ON w.id = p.judge ORDER BY p.id"""
        ),
        "planned": store.connection.rows(
            f"""SELECT q.run, t.name, {a}, {b}, q.priority, q.probability, q.asked
            FROM run_comparisons q JOIN comparisons c ON c.id = q.comparison
            JOIN attributes t ON t.id = c.attribute ORDER BY 1, 2, 3, 4"""
        ),
        "judgements": store.connection.rows(
            f"""SELECT w.name, t.name, {a}, {b}, j.trial, j.outcome, j.prob_a, j.failure,
                j.withdrawn_at IS NULL
            FROM judgements j JOIN comparisons c ON c.id = j.comparison
            JOIN attributes t ON t.id = c.attribute JOIN judges w ON w.id = j.judge ORDER BY 1, 2, 3, 4, 5"""
        ),
        "tally": sorted(
            tuple(row)
            for dataset in store.datasets.names()
            for row in store.judgement_frames.outcome_counts(dataset)
            .drop(columns="order_known")
            .itertuples(index=False)
        ),
    }


def asked_about(store: Store, attribute: str = "coherence", **how: Any) -> int:
    """The row of an attribute in the campaign of all pairs."""
    return store.campaigns.add_attribute(store.campaigns.default(DATASET), attribute, **how)


def campaign_asking(store: Store, attribute: str = "coherence") -> int:
    """The campaign of all pairs, which asks about an attribute."""
    asked_about(store, attribute)
    return store.campaigns.default(DATASET).id


def ask(store: Store, name: str, dataset: str = DATASET) -> Presentation | None:
    """The question this annotator has on screen, if any."""
    shown = campaigns.present(store, store.campaigns.default(dataset), name)
    return None if isinstance(shown, NoQuestionReason) else shown


def add_known(store: Store, campaign: Campaign, rows: Iterable[Mapping[str, object]]) -> None:
    """Add the checks that rows of a table of known answers declare."""
    attributes = store.campaigns.attributes(campaign.id)
    store.checks.add(
        campaign.id, campaigns.known_answers.from_rows(store, campaign, rows, attributes)
    )


def how_far(store: Store, name: str, dataset: str = DATASET) -> Progress:
    return campaigns.progress(store, store.campaigns.default(dataset), name)


def together(store: Store, **design: Any) -> None:
    """From now on all attributes of a pair are asked together."""
    campaign = store.campaigns.default(DATASET)
    store.campaigns.edit(
        campaign.id, name=campaign.name, design={"together": True, **design}, overlap=1
    )


def vote_until_done(
    path: Path, name: str, ready: Path, together: int
) -> list[tuple[int, str, int, int, str]]:
    """An annotator in a process of their own; all start at once.

    Returns what they saw and did: (judgement, attribute, generation on side A, on side B, outcome).
    """
    (ready / name).touch()
    while len(list(ready.iterdir())) < together:
        time.sleep(0.005)
    done: list[tuple[int, str, int, int, str]] = []
    with Store(path) as store:
        enrol(store, name)
        # What is left may be in others' hands for the moment.
        while how_far(store, name).n_left:
            shown = ask(store, name)
            if shown is None:
                time.sleep(0.002)
                continue
            outcome = list(Outcome)[(shown.generation_a + len(done)) % 4]
            taken = campaigns.answer(store, name, shown, Answer(outcome))
            again = campaigns.answer(store, name, shown, Answer(Outcome.TIE))
            assert (taken is not None, again) == (True, None), "a double press"
            sides = shown.generation_a, shown.generation_b
            done.append((taken.row, shown.attribute, *sides, outcome.value))
    return done


def measure(
    store: Store, chosen: ChosenGenerations, by: Metric, **how: Any
) -> execution.ExecutionResult:
    """What the command `separability` does first. `by` is among the METRICS by its name."""
    return execution.execute(
        store,
        measuring.enqueue(store, MeasurementRequest(chosen, by.name)),
        by=measuring.Measurer(by),
        **how,
    )


def tandem(path: Path, *arguments: str) -> Command:
    """The command line on a store, in a process of its own."""
    return Command("--store", str(path), *arguments)


def ends(process: Command) -> str:
    """What a process said until it ended by itself, well."""
    said, _ = process.communicate()
    assert process.returncode == 0, said
    return said


def wait_for(happened: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Wait until something is so; the seconds are only there to end a test that hangs."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.01)  # what is waited for needs the core, too


def asked(path: Path) -> tuple[int, int]:
    """How many of the planned comparisons of a store's runs are asked, and how many there are."""
    with closing(Store(path)) as store:
        query = "SELECT coalesce(sum(asked), 0), count(*) FROM run_comparisons"
        return store.connection.rows(query)[0]


def screen(store: Store, judgement: int) -> dict[str, object]:
    """What was recorded as having been on the screen."""
    query = "SELECT screen FROM judgements WHERE id = ?"
    found: dict[str, object] = json.loads(store.connection.value(query, (judgement,)))
    return found
