"""Runs: which comparisons a judge is to answer, and how far it is."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.records import Attribute, Question, Status, TandemError
from core.store.answers import Answers
from core.store.connection import now


@dataclass(frozen=True)
class RunRow:
    """Which run, who answers it, and what it was asked for with."""

    id: int
    dataset: str
    judge: str
    trial: int
    status: str
    settings: dict[str, Any]


class Runs(Answers):
    """A run is a plan for one judge. What it has asked is derived from the judgements, so that no count can be stale."""

    def find_run(self, dataset: str, judge: int, settings: Mapping[str, object]) -> int | None:
        """The run that was asked for with exactly these settings, so that the same request continues it."""
        found: int | None = self.value(
            "SELECT id FROM plans WHERE kind = 'run' AND dataset = ? AND judge = ? AND settings = ? ORDER BY id LIMIT 1",
            (dataset, judge, _text(settings)),
        )
        return found

    def add_run(self, dataset: str, judge: int, settings: Mapping[str, Any], versions: Mapping[str, str]) -> int:
        """A queued run without comparisons yet."""
        with self.transaction():
            self.execute(
                """INSERT INTO plans (dataset, kind, judge, strategy, budget, seed, trial, settings, versions, status,
                created_at) VALUES (?, 'run', ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    dataset,
                    judge,
                    settings["strategy"],
                    settings["budget"],
                    settings["seed"],
                    settings["trial"],
                    _text(settings),
                    _text(versions),
                    Status.QUEUED.value,
                    now(),
                ),
            )
            return int(self.value("SELECT last_insert_rowid()"))

    def add_planned(self, run: int, attribute: int, rows: Sequence[tuple[int, int, int, float]]) -> int:
        """Comparisons of a run: (generation_a, generation_b, priority, inclusion probability).

        One the judge has answered already counts as asked.
        """
        with self.transaction():
            self.add_comparisons(attribute, ((first, second) for first, second, _, _ in rows))
            return self.executemany(
                """INSERT OR IGNORE INTO planned (plan, generation_1, generation_2, comparison, priority, probability, votes)
                SELECT p.id, c.generation_1, c.generation_2, c.id, ?, ?, EXISTS (
                    SELECT 1 FROM judgements j WHERE j.comparison = c.id AND j.judge = p.judge AND j.trial = p.trial
                    AND j.withdrawn_at IS NULL)
                FROM plans p, comparisons c
                WHERE p.id = ? AND c.attribute = ? AND c.generation_a = ? AND c.generation_b = ?""",
                (
                    (priority, probability, run, attribute, first, second)
                    for first, second, priority, probability in rows
                ),
            )

    def planned_comparisons(self, run: int, attribute: int) -> dict[str, set[tuple[int, int]]]:
        """item -> the ordered pairs of generation ids a run has planned already for this attribute."""
        found: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        for item, first, second in self.rows(
            """SELECT i.key, c.generation_a, c.generation_b FROM planned q
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            WHERE q.plan = ? AND c.attribute = ?""",
            (run, attribute),
        ):
            found[item].add((first, second))
        return found

    def planned_answers(
        self, run: int, attribute: int
    ) -> tuple[dict[str, dict[tuple[int, int], float | None]], set[str]]:
        """item -> P(the first is better) of each ordered pair a run has asked, None where it has no answer; and the
        items on which comparisons still wait. A decision without a probability is P = 1, 0 or 1/2."""
        answers: defaultdict[str, dict[tuple[int, int], float | None]] = defaultdict(dict)
        waiting: set[str] = set()
        for item, first, second, votes, probability in self.rows(
            """SELECT i.key, c.generation_a, c.generation_b, q.votes, coalesce(j.prob_a,
                CASE j.outcome WHEN 'a' THEN 1.0 WHEN 'b' THEN 0.0 WHEN 'tie' THEN 0.5 WHEN 'both_bad' THEN 0.5 END)
            FROM plans p JOIN planned q ON q.plan = p.id
            JOIN comparisons c ON c.id = q.comparison JOIN items i ON i.id = c.item
            LEFT JOIN judgements j ON j.comparison = c.id AND j.judge = p.judge AND j.trial = p.trial
            AND j.withdrawn_at IS NULL
            WHERE p.id = ? AND c.attribute = ?""",
            (run, attribute),
        ):
            if votes:
                answers[item][first, second] = probability
            else:
                waiting.add(item)
        return answers, waiting

    def run(self, run: int) -> RunRow:
        """A run's judge and trial. Raises TandemError when there is no such run."""
        found = self.rows(
            """SELECT p.id, p.dataset, j.name, p.trial, p.status, p.settings FROM plans p JOIN judges j ON j.id = p.judge
            WHERE p.id = ? AND p.kind = 'run'""",
            (run,),
        )
        if not found:
            raise TandemError(f"there is no run {run}; `runs` lists what there is")
        number, dataset, judge, trial, status, settings = found[0]
        return RunRow(number, dataset, judge, trial, status, json.loads(settings))

    def unfinished_runs(self) -> list[int]:
        """Runs that are queued or said to be running, oldest first."""
        found = self.rows("SELECT id FROM plans WHERE kind = 'run' AND status IN ('queued', 'running') ORDER BY id")
        return [run for (run,) in found]

    def answered_by(self, judge: int, attribute: int, trial: int) -> set[tuple[int, int]]:
        """The ordered pairs of generation ids this judge has answered or failed on."""
        found = self.rows(
            """SELECT c.generation_a, c.generation_b FROM comparisons c JOIN judgements j ON j.comparison = c.id
            WHERE c.attribute = ? AND j.judge = ? AND j.trial = ? AND j.withdrawn_at IS NULL""",
            (attribute, judge, trial),
        )
        return set(found)

    def pending(self, run: int, limit: int) -> list[Question]:
        """The next comparisons of a run that have no answer yet, in planned order, with their texts."""
        found = self.rows(
            """SELECT c.id, i.context, ga.text, gb.text, a.name, a.adjective, a.question, a.guideline, i."references",
            d.context_noun, d.candidate_noun
            FROM (SELECT comparison, priority, id FROM planned WHERE plan = ? AND votes = 0
                ORDER BY priority, id LIMIT ?) p
            JOIN comparisons c ON c.id = p.comparison JOIN items i ON i.id = c.item
            JOIN generations ga ON ga.id = c.generation_a JOIN generations gb ON gb.id = c.generation_b
            JOIN attributes a ON a.id = c.attribute JOIN datasets d ON d.name = a.dataset ORDER BY p.priority, p.id""",
            (run, limit),
        )
        return [
            Question(
                comparison=row[0],
                context=row[1],
                text_a=row[2],
                text_b=row[3],
                attribute=Attribute(*row[4:8]),
                references=tuple(json.loads(row[8])),
                context_noun=row[9],
                candidate_noun=row[10],
            )
            for row in found
        ]

    def run_counts(self, run: int) -> dict[str, int]:
        """planned and asked: how many comparisons a run has, and how many of them its judge has been asked."""
        planned, asked = self.rows("SELECT count(*), coalesce(sum(votes), 0) FROM planned WHERE plan = ?", (run,))[0]
        return {"planned": planned, "asked": asked}

    def run_failures(self, run: int) -> dict[str, int]:
        """reason -> how many of a run's comparisons have no answer for it."""
        return dict(
            self.rows(
                """SELECT j.failure, count(*) FROM plans p JOIN judgements j ON j.judge = p.judge AND j.trial = p.trial
                AND j.failure <> '' AND j.withdrawn_at IS NULL
                JOIN planned q ON q.comparison = j.comparison AND q.plan = p.id
                WHERE p.id = ? GROUP BY 1 ORDER BY 2 DESC""",
                (run,),
            )
        )

    def pace(self, run: int, latest: int = 300) -> float:
        """Answers a second of a run at work, from its latest ones since it was last started; 0 when not known."""
        answers, seconds = self.rows(
            """SELECT count(*), (julianday(max(at)) - julianday(min(at))) * 86400 FROM (
                SELECT j.created_at AS at FROM plans p JOIN judgements j ON j.judge = p.judge
                WHERE p.id = ? AND j.plan = p.id AND j.created_at >= p.started_at ORDER BY j.id DESC LIMIT ?)""",
            (run, latest),
        )[0]
        return float(answers / seconds) if seconds else 0.0

    def withdraw_failures(self, run: int) -> int:
        """Take back what a run's judge did not answer, so that only those comparisons are asked again."""
        with self.transaction():
            return self.execute(
                """UPDATE judgements SET withdrawn_at = ? WHERE withdrawn_at IS NULL AND failure <> '' AND id IN (
                    SELECT j.id FROM plans p JOIN planned q ON q.plan = p.id
                    JOIN judgements j ON j.comparison = q.comparison AND j.judge = p.judge AND j.trial = p.trial
                    WHERE p.id = ?)""",
                (now(), run),
            )

    def set_status(self, run: int, status: Status, *, error: str = "", only_from: Iterable[Status] = ()) -> bool:
        """Move a run on; with `only_from`, only when it still stands there. True when it did move."""
        allowed = [s.value for s in only_from] or [s.value for s in Status]
        at = now()
        with self.transaction():
            return bool(
                self.execute(
                    f"""UPDATE plans SET status = ?1, error = ?2, heartbeat = ?3,
                    started_at = CASE ?1 WHEN 'running' THEN ?3 ELSE started_at END,
                    finished_at = CASE WHEN ?1 IN ('done', 'failed', 'cancelled') THEN ?3 END
                    WHERE id = ?4 AND kind = 'run' AND status IN ({", ".join(repr(s) for s in allowed)})""",
                    (status.value, error, at, run),
                )
            )

    def beat(self, run: int) -> Status:
        """A sign of life from whoever executes a run; tells whether it has been cancelled meanwhile."""
        with self.transaction():
            self.execute("UPDATE plans SET heartbeat = ? WHERE id = ?", (now(), run))
            return Status(self.value("SELECT status FROM plans WHERE id = ?", (run,)))

    def plans(self, *, dataset: str | None = None, kind: str | None = None) -> pd.DataFrame:
        """run (id), kind, dataset, attribute, judge, strategy, budget, overlap, seed, settings (JSON), status, error,
        heartbeat, created_at, started_at, finished_at, planned, asked; newest first."""
        return self.frame(
            """SELECT p.id AS run, p.kind, p.dataset, a.name AS attribute, j.name AS judge, p.strategy, p.budget, p.overlap,
            p.seed, p.settings, p.status, p.error, p.heartbeat, p.created_at, p.started_at, p.finished_at,
            (SELECT count(*) FROM planned q WHERE q.plan = p.id) AS planned,
            (SELECT count(*) FROM planned q WHERE q.plan = p.id AND q.votes >= p.overlap) AS asked
            FROM plans p LEFT JOIN judges j ON j.id = p.judge LEFT JOIN attributes a ON a.id = p.attribute
            WHERE (?1 IS NULL OR p.dataset = ?1) AND (?2 IS NULL OR p.kind = ?2) ORDER BY p.id DESC""",
            (dataset, kind),
        )


def _text(values: Mapping[str, object]) -> str:
    return json.dumps(dict(values), sort_keys=True, ensure_ascii=False)
