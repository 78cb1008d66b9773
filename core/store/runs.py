"""Runs: which comparisons a judge is to answer, and how far it is."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd

from ..frames import Schema
from ..records import Question, Status, TandemError
from .campaigns import NEXT_NUMBER
from .connection import StorePart, as_list, failed_for, make_timestamp
from .exclusions import EXCLUDED
from .judgements import SYSTEMS, TEXTS, Judgements
from .texts import ABOUT, read_about

AskingRuns = Annotated[pd.DataFrame, Schema({int: "run trial", str: "judge strategy"})]
PlanRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "run overlap seed planned asked",
            str: "kind task dataset attribute judge strategy settings status error heartbeat "
            "created_at started_at finished_at execution",
            int | None: "budget",
            float: "per_second",
        }
    ),
]


@dataclass(frozen=True)
class RunRow:
    """Run with its task, its judge ('' = none), what it was asked for with and how it is done.

    `served` says whether a server answers, not a model on this machine.
    """

    id: int
    dataset: str
    task: str
    judge: str
    trial: int
    status: str
    settings: dict[str, Any]
    execution: dict[str, Any]
    served: bool


def draw_digest(items: Sequence[tuple[str, float]]) -> str | None:
    """Return a digest that tells draws of items with probabilities apart; None of no draw."""
    if not items:
        return None
    return hashlib.blake2b(json.dumps(items).encode(), digest_size=8).hexdigest()


class Runs(StorePart):
    """Runs and their planned comparisons.

    A run asks one judge, writes texts or measures them. Whether a comparison was asked follows from
    the judgements, so that no count can be stale.
    """

    def begin(
        self,
        dataset: str,
        task: str,
        judge: int | None,
        settings: Mapping[str, Any],
        execution: Mapping[str, Any],
        versions: Mapping[str, str],
        *,
        served: bool = False,
    ) -> int:
        """Return the run with exactly these settings, or begin a new one, queued and without
        comparisons.

        So a repeated request continues its run. How it is done (`execution`) is that of the latest
        request. `served` says of a run without a judge whether a server answers.
        """
        with self._db.transaction():
            run = self.find(dataset, task, settings, judge)
            if run is not None:
                self._db.update_row("runs", run, execution=_text(execution))
                return run
            texts = {"settings": settings, "execution": execution, "versions": versions}
            asked = {"strategy": task, "budget": None, "seed": 0, "trial": 0, "system": None}
            row = {"dataset": dataset, "task": task, "judge": judge, "served": served}
            row |= {name: settings.get(name, usual) for name, usual in asked.items()}
            row |= {name: _text(value) for name, value in texts.items()}
            row |= {"drawn": draw_digest(settings.get("drawn", ())), "status": Status.QUEUED.value}
            number = self._db.count(f"SELECT {NEXT_NUMBER}")
            return self._db.insert_row(
                "runs", {"id": number, **row, "created_at": make_timestamp()}
            )

    def check_there(self, run: int) -> None:
        """Raise TandemError for a run that was deleted with its data set.

        What it still brings is about texts that nobody has any more.
        """
        if not self._db.value("SELECT 1 FROM runs WHERE id = ?", (run,)):
            raise TandemError(
                f"run {run} was deleted with its data set while it was at work: what it asked last "
                "is not kept"
            )

    def begin_execution(
        self, run: int, device: str, dtype: str, versions: Mapping[str, str]
    ) -> int:
        """Record an execution of a run: what its answers, from now on, are computed on and with.

        Raises TandemError as `check_there` does.
        """
        with self._db.transaction():
            self.check_there(run)
            how = {"run": run, "device": device, "dtype": dtype, "versions": _text(versions)}
            return self._db.insert_row("executions", {**how, "began_at": make_timestamp()})

    def find(
        self, dataset: str, task: str, settings: Mapping[str, Any], judge: int | None = None
    ) -> int | None:
        """Return the run with exactly these settings, of a judge or none; None if there is none."""
        found: int | None = self._db.value(
            """SELECT id FROM runs WHERE dataset = ? AND task = ? AND judge IS ? AND settings = ?
            ORDER BY id LIMIT 1""",
            (dataset, task, judge, _text(settings)),
        )
        return found

    def add_planned(
        self, run: int, attribute: int, rows: Sequence[tuple[int, int, int, float]]
    ) -> int:
        """Add planned comparisons of a run.

        Each is (generation_a, generation_b, priority, inclusion probability). A comparison that the
        judge has answered already counts as asked.
        """
        with self._db.transaction():
            Judgements(self._db).add_comparisons(attribute, (row[:2] for row in rows))
            return self._db.executemany(
                """INSERT OR IGNORE INTO run_comparisons (run, comparison, priority, probability,
                    asked)
                SELECT r.id, c.id, ?, ?, EXISTS (SELECT 1 FROM live_judgements j
                    WHERE j.comparison = c.id AND j.judge = r.judge AND j.trial = r.trial)
                FROM runs r, comparisons c
                WHERE r.id = ? AND c.attribute = ? AND c.generation_a = ? AND c.generation_b = ?""",
                ((*row[2:], run, attribute, *row[:2]) for row in rows),
            )

    def planned_comparisons(self, run: int, attribute: int) -> dict[str, set[tuple[int, int]]]:
        """Return the ordered pairs (generation ids) that a run has planned, by item."""
        found: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        for item, first, second in self._db.rows(
            """SELECT i.key, c.generation_a, c.generation_b FROM run_comparisons q
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            WHERE q.run = ? AND c.attribute = ?""",
            (run, attribute),
        ):
            found[item].add((first, second))
        return found

    def planned_answers(
        self, run: int, attribute: int
    ) -> tuple[dict[str, dict[tuple[int, int], float | None]], set[str]]:
        """Return P(the first is better) of each ordered pair a run has asked, by item.

        It is None for a pair without an answer. The second value is the items on which comparisons
        still wait. A decision without a probability is P = 1, 0 or 1/2.
        """
        answers: defaultdict[str, dict[tuple[int, int], float | None]] = defaultdict(dict)
        waiting: set[str] = set()
        for item, first, second, asked, probability in self._db.rows(
            """SELECT i.key, c.generation_a, c.generation_b, q.asked, coalesce(j.prob_a,
                CASE WHEN j.outcome = 'a' THEN 1.0 WHEN j.outcome = 'b' THEN 0.0
                WHEN j.outcome IN ('tie', 'both_bad') THEN 0.5 END)
            FROM runs r JOIN run_comparisons q ON q.run = r.id
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            LEFT JOIN live_judgements j ON j.comparison = c.id AND j.judge = r.judge
                AND j.trial = r.trial
            WHERE r.id = ? AND c.attribute = ?""",
            (run, attribute),
        ):
            if asked:
                answers[item][first, second] = probability
            else:
                waiting.add(item)
        return answers, waiting

    def get(self, run: int) -> RunRow:
        """Load a run. Raises TandemError for an unknown run."""
        try:
            row = self._db.record(
                """SELECT r.id, r.dataset, r.task, coalesce(j.name, '') AS judge, r.trial, r.status,
                    r.settings, r.execution, coalesce(j.served, r.served) AS served
                FROM runs r LEFT JOIN judges j ON j.id = r.judge WHERE r.id = ?""",
                (run,),
            )
        except LookupError:
            raise TandemError(f"there is no run {run}; `runs` lists what there is") from None
        texts = {name: json.loads(row[name]) for name in ("settings", "execution")}
        return RunRow(**{**row, **texts, "served": bool(row["served"])})

    def of_system(self, dataset: str, system: str) -> list[dict[str, Any]]:
        """List the settings of the runs that have written texts of a system."""
        found = self._db.column(
            "SELECT settings FROM runs WHERE task = 'generate' AND dataset = ? AND system = ?",
            (dataset, system),
        )
        return list(map(json.loads, found))

    def load_asking(self, dataset: str) -> AskingRuns:
        """Load the runs that ask a judge, oldest first."""
        return self._db.frame(
            """SELECT r.id AS run, j.name AS judge, r.trial, r.strategy FROM runs r
            JOIN judges j ON j.id = r.judge WHERE r.dataset = ? ORDER BY r.id""",
            (dataset,),
            rows=AskingRuns,
        )

    def judges_at_work(self, dataset: str) -> list[str]:
        """List the judges of runs of a data set that are queued or running."""
        return self._db.column(
            """SELECT DISTINCT j.name FROM runs r JOIN judges j ON j.id = r.judge
            WHERE r.dataset = ? AND r.status IN ('queued', 'running')""",
            (dataset,),
        )

    def answered_by(self, judge: int, attribute: int, trial: int) -> set[tuple[int, int]]:
        """Return the ordered pairs of generation ids this judge has answered or failed on."""
        rows = self._db.rows(
            """SELECT c.generation_a, c.generation_b
            FROM comparisons c JOIN live_judgements j ON j.comparison = c.id
            WHERE c.attribute = ? AND j.judge = ? AND j.trial = ?""",
            (attribute, judge, trial),
        )
        return set(rows)

    def answered_by_people(
        self, dataset: str, attribute: str, *, subset: str = "", systems: Sequence[str] = ()
    ) -> list[tuple[str, int, int]]:
        """List the pairs of texts at hand that people have answered about an attribute.

        Each is (item, generation, generation), the system that is first by name in front. Answers
        of excluded people do not count.
        """
        return self._db.rows(
            f"""SELECT DISTINCT i.key, iif(sa.name < sb.name, c.generation_a, c.generation_b),
                iif(sa.name < sb.name, c.generation_b, c.generation_a)
            FROM attributes a JOIN comparisons c ON c.attribute = a.id
            JOIN items i ON i.id = c.item
            {SYSTEMS} {TEXTS}
            WHERE a.dataset = ?1 AND a.name = ?2 AND ga.text IS NOT NULL AND gb.text IS NOT NULL
            AND (?3 = '' OR i.subset = ?3)
            AND (?4 = '[]' OR (sa.name IN (SELECT value FROM json_each(?4))
                AND sb.name IN (SELECT value FROM json_each(?4))))
            AND EXISTS (SELECT 1 FROM live_judgements j JOIN judges w ON w.id = j.judge
                WHERE j.comparison = c.id AND w.kind = 'human' AND j.outcome IS NOT NULL
                AND j.judge NOT IN ({EXCLUDED.format(dataset="?1")}))
            ORDER BY i.id, 2, 3""",
            (dataset, attribute, subset, as_list(systems)),
        )

    def list_pending(self, run: int, limit: int) -> list[Question]:
        """List a run's next comparisons without an answer, in planned order, with their texts."""
        next_ones = "WHERE run = ? AND asked = 0 ORDER BY priority, id LIMIT ?"
        return self._questions(run, next_ones, limit)

    def questions(self, run: int, comparisons: Sequence[int]) -> list[Question]:
        """Load the planned questions of a run on these comparisons, with texts, answered or not."""
        these = "WHERE run = ? AND comparison IN (SELECT value FROM json_each(?))"
        return self._questions(run, these, as_list(comparisons))

    def _questions(self, run: int, where: str, value: object) -> list[Question]:
        trial = self._db.value("SELECT trial FROM runs WHERE id = ?", (run,))
        rows = self._db.rows(
            f"""SELECT c.id, {_ASKED}
            FROM (SELECT comparison, priority, id FROM run_comparisons {where}) q
            JOIN comparisons c ON c.id = q.comparison {TEXTS}
            JOIN attributes a ON a.id = c.attribute {_AROUND} ORDER BY q.priority, q.id""",
            (run, value),
        )
        return [_question(row, trial) for row in rows]

    def list_unanswered(self, run: int, comparisons: Sequence[int]) -> set[int]:
        """Return those of these comparisons of a run that have no answer."""
        rows = self._db.column(
            """SELECT comparison FROM run_comparisons WHERE run = ? AND asked = 0
            AND comparison IN (SELECT value FROM json_each(?))""",
            (run, as_list(comparisons)),
        )
        return set(rows)

    def question(self, attribute: int, generation_a: int, generation_b: int) -> Question:
        """Return one comparison with its texts; if it is not planned, its `comparison` is 0."""
        [row] = self._db.rows(
            f"""SELECT coalesce((SELECT id FROM comparisons WHERE attribute = a.id
                AND generation_a = ga.id AND generation_b = gb.id), 0), {_ASKED}
            FROM generations ga, generations gb, attributes a {_AROUND}
            WHERE a.id = ? AND ga.id = ? AND gb.id = ?""",
            (attribute, generation_a, generation_b),
        )
        return _question(row)

    def expect(self, run: int, comparisons: int) -> None:
        """Note how many comparisons a run comes to, which is planned in portions."""
        with self._db.transaction():
            self._db.update_row("runs", run, expected=comparisons)

    def withdraw_failures(self, run: int, kind: str = "") -> int:
        """Take back what a run's judge did not answer, so that only those comparisons are asked
        again; with a `kind` those that failed for it.
        """
        with self._db.transaction():
            return self._db.execute(
                f"""UPDATE judgements SET withdrawn_at = ?1 WHERE withdrawn_at IS NULL AND
                    {failed_for("failure", "?3")} AND id IN (
                    SELECT j.id FROM runs r JOIN run_comparisons q ON q.run = r.id
                    JOIN judgements j ON j.comparison = q.comparison AND j.judge = r.judge
                    AND j.trial = r.trial WHERE r.id = ?2)""",
                (make_timestamp(), run, kind),
            )

    def set_status(
        self, run: int, status: Status, *, error: str = "", only_from: Iterable[Status] = ()
    ) -> bool:
        """Set the status of a run, or only from one of these; return whether it was set."""
        allowed = [s.value for s in only_from] or [s.value for s in Status]
        at = make_timestamp()
        with self._db.transaction():
            changed = self._db.execute(
                f"""UPDATE runs SET status = ?1, error = ?2, heartbeat = ?3,
                started_at = CASE ?1 WHEN 'running' THEN ?3 ELSE started_at END,
                finished_at = CASE WHEN ?1 IN ('done', 'failed', 'cancelled') THEN ?3 END
                WHERE id = ?4 AND status IN ({", ".join(repr(s) for s in allowed)})""",
                (status.value, error, at, run),
            )
        return changed > 0

    def requeue(self, run: int) -> bool:
        """Queue a run that was stopped, has failed or is done; return whether it was.

        A run that waits for a batch is not queued: its questions are already with the server.
        """
        if self._db.value("SELECT 1 FROM batches WHERE run = ? AND ended_at IS NULL", (run,)):
            return False
        return self.set_status(
            run, Status.QUEUED, only_from=(Status.CANCELLED, Status.FAILED, Status.DONE)
        )

    def beat(self, run: int, per_second: float = 0.0, situation: str = "") -> Status:
        """Record a sign of life of a run at work, with its pace (answers a second) and situation.

        Returns its status, which says whether it was cancelled meanwhile. Raises TandemError as
        `check_there` does.
        """
        with self._db.transaction():
            self.check_there(run)
            life = {"heartbeat": make_timestamp(), "per_second": per_second}
            self._db.update_row("runs", run, **life, error=situation[:500])
            return Status(self._db.value("SELECT status FROM runs WHERE id = ?", (run,)))

    def list_all(self, *, dataset: str | None = None, kind: str | None = None) -> PlanRows:
        """Load runs and the attributes of campaigns, or one `kind` of them, newest first.

        A kind is "run" or "campaign". Settings and execution are JSON, `per_second` is of late.
        """
        return self._db.frame(_LISTED, (dataset, kind), rows=PlanRows)


EXPECTED = "CASE r.status WHEN 'done' THEN 0 ELSE r.expected END"

# How far the runs and the attributes of campaigns are, of data set ?1 and kind ?2 (NULL = of all).
_LISTED = f"""SELECT * FROM (
    SELECT r.id AS run, 'run' AS kind, r.task, r.dataset, NULL AS attribute, j.name AS judge,
        r.strategy, r.budget, 1 AS overlap, r.seed, r.settings, r.status, r.error, r.heartbeat,
        r.per_second, r.created_at, r.started_at, r.finished_at, r.execution,
        max((SELECT count(*) FROM run_comparisons WHERE run = r.id), {EXPECTED}) AS planned,
        (SELECT count(*) FROM run_comparisons WHERE run = r.id AND asked = 1) AS asked
        FROM runs r LEFT JOIN judges j ON j.id = r.judge
    UNION ALL SELECT p.id, 'campaign', 'compare', m.dataset, a.name, NULL, p.strategy, p.budget,
        p.overlap, p.seed, '{{}}', 'open', '', NULL, 0.0, p.created_at, NULL, NULL, '{{}}',
        (SELECT coalesce(sum(pairs), 0) FROM vote_counts WHERE campaign_attribute = p.id),
        (SELECT coalesce(sum(pairs), 0) FROM vote_counts
            WHERE campaign_attribute = p.id AND votes >= p.overlap)
        FROM campaign_attributes p JOIN campaigns m ON m.id = p.campaign
        JOIN attributes a ON a.id = p.attribute)
    WHERE (?1 IS NULL OR dataset = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY run DESC"""
_ASKED = f"i.context, ga.text, gb.text, {ABOUT}"
_AROUND = "JOIN items i ON i.id = ga.item JOIN datasets d ON d.name = a.dataset"


def _question(row: Sequence[Any], trial: int = 0) -> Question:
    comparison, context, text_a, text_b, *about = row
    return Question(comparison, context, text_a, text_b, trial=trial, **read_about(about))


def _text(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True, ensure_ascii=False)
