"""Answers as frames: every live judgement, counts of them, and what was said in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..frames import Schema
from ..moments import CANONICAL
from ..records import Outcome, TandemError
from .connection import StorePart, as_list
from .exclusions import EXCLUDED
from .inclusion_probabilities import Inclusions
from .judgements import SYSTEMS, TEXTS
from .texts import decode_names

JudgementRows = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "judgement comparison sample_a sample_b generation_a generation_b trial "
            "order_known",
            str: "attribute item subset system_a system_b judge kind outcome failure",
            float: "run campaign prob_a seconds",
        }
    ),
]
AskedJudges = Annotated[pd.DataFrame, Schema({str: "judge kind attribute"})]
AnswerCounts = Annotated[pd.DataFrame, Schema({str: "judge kind", int: "asked failed"})]
OutcomeCounts = Annotated[
    pd.DataFrame, Schema({str: "judge kind attribute outcome", int: "order_known count"})
]
FirstCounts = Annotated[pd.DataFrame, Schema({str: "judge attribute item", int: "first decisive"})]
PairAnswers = Annotated[
    pd.DataFrame,
    Schema({str: "judge kind outcome failure comment raw", int: "first", float: "prob_a"}),
]
JudgeTraits = Annotated[
    pd.DataFrame, Schema({str: "judge kind", bool: "probabilities both_orders"})
]
JudgedTexts = Annotated[
    pd.DataFrame,
    Schema(
        {
            int: "judgement",
            str: "item context attribute judge system_a text_a system_b text_b outcome comment",
            float: "prob_a",
        }
    ),
]

_OF = """FROM attributes a JOIN comparisons c ON c.attribute = a.id {}
    WHERE a.dataset = ?1 AND (?2 IS NULL OR a.name = ?2)
    AND (?3 IS NULL OR c.item IN (SELECT id FROM items WHERE dataset = ?1 AND subset = ?3))
    AND (?4 = '[]' OR (c.system_a IN (SELECT id FROM systems WHERE name IN
        (SELECT value FROM json_each(?4))) AND c.system_b IN (SELECT id FROM systems WHERE name IN
        (SELECT value FROM json_each(?4)))))"""

_OUT = EXCLUDED.format(dataset="?1")

_LIVE = "JOIN live_judgements j ON j.comparison = c.id"

_ASKED = f"""SELECT c.id AS comparison, c.attribute, c.item, c.system_a, c.system_b, c.generation_a,
    c.generation_b, ga.sample AS sample_a, gb.sample AS sample_b
    {_OF.format(TEXTS)}
    ORDER BY c.id"""

_OUTCOMES = " ".join(f"WHEN '{outcome}' THEN {number}" for number, outcome in enumerate(Outcome))

_RUNS = f"""{_LIVE} LEFT JOIN runs r ON r.id = j.run
    LEFT JOIN run_comparisons q ON q.run = j.run AND q.comparison = j.comparison"""

# Stores from before times were parsed may hold texts that name no moment: file order, at the end.
_MOMENT = f"""coalesce(r.created_at, CASE WHEN j.created_at GLOB '{CANONICAL}'
    THEN j.created_at ELSE '~' END)"""

_GIVEN = f"""SELECT j.id AS judgement, j.comparison, j.judge, j.trial, j.order_known,
    CASE j.outcome {_OUTCOMES} ELSE -1 END AS outcome, j.run, j.campaign, j.prob_a, j.seconds
    {_OF.format(_RUNS)} AND (?5 OR j.judge NOT IN ({_OUT}))
    ORDER BY {_MOMENT}, q.priority, j.id"""


class JudgementFrames(StorePart):
    """Judgements and their counts as data frames.

    They are made for 1e6 judgements: SQLite gives numbers, and names are put in afterwards. Answers
    of excluded judges are left out, unless a method says otherwise.
    """

    def load_all(
        self,
        dataset: str,
        *,
        attribute: str | None = None,
        subset: str | None = None,
        systems: Sequence[str] = (),
        excluded: bool = False,
    ) -> JudgementRows:
        """Load the live judgements, in the order in which ratings take them.

        The order is by time where known, else by file; a run has its seeded planned order, never
        that of completion. With `excluded`, those of excluded judges are among them. With
        `systems`, they are those between two of these.

        judgement, comparison and generations are rows, so are run and campaign where there is one;
        outcome is missing where the judge failed.
        """
        with self._db.one_state():  # comparisons and answers of the same data set
            return self._load_all((dataset, attribute, subset, as_list(systems)), excluded)

    def _load_all(
        self, chosen: tuple[str, str | None, str | None, str | None], excluded: bool
    ) -> JudgementRows:
        dataset = chosen[0]
        asked = self._db.numbers(_ASKED, chosen)
        given = self._db.numbers(_GIVEN, (*chosen, excluded))
        place = np.searchsorted(asked["comparison"], given["comparison"])
        about = {name: column[place] for name, column in asked.items()}
        names = {
            table: self._db.rows(
                f"SELECT id, name FROM {table} WHERE dataset = ? ORDER BY id", (dataset,)
            )
            for table in ("attributes", "systems")
        }
        items = self._db.rows(
            "SELECT id, key, subset FROM items WHERE dataset = ? ORDER BY id", (dataset,)
        )
        judges = self._db.rows("SELECT id, name, kind FROM judges ORDER BY id")
        outcomes = [*enumerate(Outcome), (-1, None)]
        return pd.DataFrame(
            {
                "judgement": given["judgement"],
                "comparison": given["comparison"],
                "attribute": decode_names(names["attributes"], about["attribute"]),
                "item": decode_names(items, about["item"]),
                "subset": decode_names(items, about["item"], 2),
                "system_a": decode_names(names["systems"], about["system_a"]),
                "system_b": decode_names(names["systems"], about["system_b"]),
                **{
                    name: about[name]
                    for name in ("sample_a", "sample_b", "generation_a", "generation_b")
                },
                "judge": decode_names(judges, given["judge"]),
                "kind": decode_names(judges, given["judge"], 2),
                "trial": given["trial"],
                "run": given["run"],
                "campaign": given["campaign"],
                "outcome": decode_names(sorted(outcomes), given["outcome"]),
                "prob_a": given["prob_a"],
                "failure": self._failures((*chosen, excluded), given["judgement"]),
                "seconds": given["seconds"],
                "order_known": given["order_known"],
            }
        )

    def _failures(self, chosen: Sequence[object], judgements: NDArray[np.int64]) -> pd.Series:
        """Return the failure of each judgement, '' for an answered one."""
        found = self._db.rows(
            f"""SELECT j.id, j.failure {_OF.format(_LIVE)} AND j.failure <> ''
            AND (?5 OR j.judge NOT IN ({_OUT}))""",
            chosen,
        )
        reasons, code = np.unique([reason for _, reason in found], return_inverse=True)
        codes = np.zeros(len(judgements), dtype=np.int64)
        if found:
            order = np.argsort(judgements)
            failed = np.array([row for row, _ in found])
            codes[order[np.searchsorted(judgements, failed, sorter=order)]] = 1 + code
        return pd.Series(["", *reasons.tolist()], dtype="str").take(codes).reset_index(drop=True)

    def times(self, judgements: Iterable[int]) -> list[str]:
        """Return when each of these was given, or its run begun, as ratings take them in turn."""
        chosen = [int(judgement) for judgement in judgements]
        given = self._db.mapping(
            """SELECT j.id, coalesce(r.created_at, j.created_at) FROM judgements j
            LEFT JOIN runs r ON r.id = j.run WHERE j.id IN (SELECT value FROM json_each(?))""",
            (as_list(chosen),),
        )
        return [str(given[judgement]) for judgement in chosen]

    def stamp(self, dataset: str) -> str:
        """Return a text that changes with the judgements of a data set.

        It changes when a judgement or score is added or withdrawn, somebody excluded, or a campaign
        or run begins, rests or ends; what happens in other data sets leaves it. It begins with the
        data set's identity: a later one of that name has none of its stamps. With the moment of
        the latest change it differs from that of a copy of the store that was put in its place and
        went on by itself.
        """
        return self._db.stamp(
            """SELECT (SELECT uid FROM datasets WHERE name = ?1), sum(changes), max(changed_at),
            (SELECT count(*) || '.' || count(lifted_at) FROM exclusions WHERE dataset = ?1),
            (SELECT sum(status = 'open') || '.' || sum(status = 'paused') FROM campaigns
             WHERE dataset = ?1),
            (SELECT count(*) FROM runs WHERE dataset = ?1 AND status IN ('queued', 'running'))
            FROM attributes WHERE dataset = ?1""",
            (dataset,),
        )

    def _identity(self, dataset: str) -> object:
        return self._db.value("SELECT uid FROM datasets WHERE name = ?", (dataset,))

    def judges(self, dataset: str, *, excluded: bool = False) -> AskedJudges:
        """List the judges asked for comparisons, by attribute; if `excluded`, excluded ones too."""
        return self._db.frame(
            f"""SELECT w.name AS judge, w.kind, a.name AS attribute
            FROM judges w CROSS JOIN attributes a WHERE a.dataset = ?1 AND EXISTS (
                SELECT 1 FROM outcome_counts WHERE judge = w.id AND attribute = a.id AND count > 0)
            AND (?2 OR w.id NOT IN ({_OUT}))
            ORDER BY w.name, a.id""",
            (dataset, excluded),
            rows=AskedJudges,
        )

    def count_answers(self, dataset: str) -> AnswerCounts:
        """Count the comparisons that each judge was asked for, by name, and those that `failed`."""
        return self._db.frame(
            f"""SELECT w.name AS judge, w.kind, sum(t.asked) AS asked, sum(t.failed) AS failed
            FROM (SELECT judge, attribute, sum(count) AS asked,
                sum((outcome = 'failed') * count) AS failed FROM outcome_counts
                GROUP BY judge, attribute HAVING sum(count) > 0) t
            JOIN attributes a ON a.id = t.attribute JOIN judges w ON w.id = t.judge
            WHERE a.dataset = ?1 AND w.id NOT IN ({_OUT}) GROUP BY w.id ORDER BY w.name""",
            (dataset,),
            rows=AnswerCounts,
        )

    def outcome_counts(self, dataset: str, systems: Sequence[str] = ()) -> OutcomeCounts:
        """Count comparisons by outcome ('failed' = no answer), of all or between these systems."""
        between = (
            """AND EXISTS (SELECT 1 FROM systems WHERE id = t.system_a AND name IN chosen)
            AND EXISTS (SELECT 1 FROM systems WHERE id = t.system_b AND name IN chosen)"""
            if systems
            else ""
        )
        return self._db.frame(
            f"""WITH chosen AS (SELECT value FROM json_each(?2))
            SELECT w.name AS judge, w.kind, a.name AS attribute, t.order_known, t.outcome, t.count
            FROM (SELECT judge, attribute, order_known, outcome, sum(count) AS count
                FROM outcome_counts t
                WHERE attribute IN (SELECT id FROM attributes WHERE dataset = ?1) {between}
                AND judge NOT IN ({_OUT})
                GROUP BY judge, attribute, order_known, outcome HAVING sum(count) > 0) t
            JOIN judges w ON w.id = t.judge JOIN attributes a ON a.id = t.attribute
            ORDER BY w.name, a.id, t.order_known, t.outcome""",
            (dataset, as_list(systems)),
            rows=OutcomeCounts,
        )

    def firsts(
        self, dataset: str, *, subset: str | None = None, systems: Sequence[str] = ()
    ) -> FirstCounts:
        """Count decisive answers with a known shown order, by judge, attribute and item (its key).

        `decisive` is their number, `first` how many chose the first.
        """
        return self._db.frame(
            f"""WITH chosen AS (SELECT id FROM systems WHERE dataset = ?1 AND (?3 = '[]' OR name IN
                (SELECT value FROM json_each(?3))))
            SELECT w.name AS judge, a.name AS attribute, i.key AS item, f.first, f.decisive FROM (
                SELECT j.judge, c.attribute, c.item, sum(j.outcome = 'a') AS first,
                count(*) AS decisive
                FROM attributes a JOIN comparisons c ON c.attribute = a.id
                JOIN live_judgements j ON j.comparison = c.id
                WHERE a.dataset = ?1 AND j.order_known = 1 AND j.outcome IN ('a', 'b')
                AND (?2 IS NULL
                    OR c.item IN (SELECT id FROM items WHERE dataset = ?1 AND subset = ?2))
                AND c.system_a IN chosen AND c.system_b IN chosen AND j.judge NOT IN ({_OUT})
                GROUP BY j.judge, c.attribute, c.item) f
            JOIN judges w ON w.id = f.judge JOIN attributes a ON a.id = f.attribute
            JOIN items i ON i.id = f.item""",
            (dataset, subset, as_list(systems)),
            rows=FirstCounts,
        )

    def on_pair(
        self, dataset: str, attribute: str, generation_1: int, generation_2: int
    ) -> PairAnswers:
        """Load all live answers about two texts; `first` is the text shown first, 1 or 2."""
        return self._db.frame(
            """SELECT w.name AS judge, w.kind, iif(c.generation_a = ?3, 1, 2) AS first, j.outcome,
            j.failure, j.prob_a, j.comment, j.raw
            FROM attributes a JOIN comparisons c ON c.attribute = a.id
                AND c.generation_1 = min(?3, ?4) AND c.generation_2 = max(?3, ?4)
            JOIN live_judgements j ON j.comparison = c.id JOIN judges w ON w.id = j.judge
            WHERE a.dataset = ?1 AND a.name = ?2 ORDER BY w.kind, w.name, j.id""",
            (dataset, attribute, int(generation_1), int(generation_2)),
            rows=PairAnswers,
        )

    def judge_traits(self, dataset: str) -> JudgeTraits:
        """Return for each judge whether any answer has a probability.

        `both_orders` says whether any pair of texts has an answer in both orders.
        """
        return self._db.frame(
            f"""WITH mine AS (SELECT id FROM attributes WHERE dataset = ?1)
            SELECT w.name AS judge, w.kind,
            EXISTS (SELECT 1 FROM live_judgements j JOIN comparisons c ON c.id = j.comparison
                WHERE j.judge = w.id AND j.prob_a IS NOT NULL
                AND c.attribute IN mine) AS probabilities,
            EXISTS (SELECT 1 FROM live_judgements j JOIN comparisons c ON c.id = j.comparison
                JOIN comparisons r ON r.attribute = c.attribute AND r.generation_a = c.generation_b
                AND r.generation_b = c.generation_a
                JOIN live_judgements k ON k.comparison = r.id AND k.judge = j.judge
                WHERE j.judge = w.id AND j.outcome IS NOT NULL AND k.outcome IS NOT NULL
                AND c.attribute IN mine) AS both_orders
            FROM judges w WHERE w.id IN (SELECT judge FROM outcome_counts WHERE attribute IN mine
                AND count > 0) AND w.id NOT IN ({_OUT})
            ORDER BY w.name""",
            (dataset,),
            rows=JudgeTraits,
        )

    def texts(self, judgements: Iterable[int]) -> JudgedTexts:
        """Load what was shown and what was answered, in the order of the texts' items."""
        return self._db.frame(
            f"""SELECT j.id AS judgement, i.key AS item, i.context, t.name AS attribute,
            w.name AS judge, sa.name AS system_a, ga.text AS text_a, sb.name AS system_b,
            gb.text AS text_b, j.outcome, j.prob_a, j.comment
            FROM judgements j JOIN comparisons c ON c.id = j.comparison
            JOIN items i ON i.id = c.item JOIN attributes t ON t.id = c.attribute
            JOIN judges w ON w.id = j.judge {TEXTS} {SYSTEMS}
            WHERE j.id IN (SELECT value FROM json_each(?)) ORDER BY i.id, j.id""",
            (as_list(map(int, judgements)),),
            rows=JudgedTexts,
        )

    def load_exported(self, dataset: str) -> pd.DataFrame:
        """Load all of `exported_portions` in one frame."""
        return pd.concat(self.exported_portions(dataset), ignore_index=True)

    def exported_portions(self, dataset: str, size: int = 20_000) -> Iterator[pd.DataFrame]:
        """Yield all live judgements with their texts and everything recorded, `size` at a time.

        Each row is a `judgement` (id). It says whether its judge is `excluded` (0 or 1), and the
        probability that it was asked for (`inclusion_probability`). There is at least one frame.

        Raises TandemError where the data set is deleted or renamed meanwhile: nothing may follow of
        another one of that name.
        """
        identity = self._identity(dataset)
        probabilities, last = Inclusions(self._db).probabilities(dataset), 0
        while True:
            found = self._db.frame(_EXPORTED, (dataset, last, size)).astype(_EXPORTED_TYPES)
            if self._identity(dataset) != identity:
                raise TandemError(
                    f"{dataset!r} was deleted, renamed or imported again while it was read: "
                    "begin again"
                )
            if last and found.empty:
                return
            asked = found["judgement"].map(probabilities).fillna(1.0).astype(float)
            yield found.assign(inclusion_probability=asked)
            if len(found) < size:
                return
            last = int(found["judgement"].iloc[-1])


# From the judgements on, by their ids: so that what comes next is found where the last portion
# ended.
_EXPORTED = f"""SELECT j.id AS judgement, d.name AS dataset, a.name AS attribute, i.key AS item,
    i.subset, i.context, sa.name AS system_a, sb.name AS system_b, ga.sample AS sample_a,
    gb.sample AS sample_b, ga.text AS text_a, gb.text AS text_b, ga.length AS length_a,
    gb.length AS length_b, w.name AS judge, w.kind AS judge_kind, j.trial, j.outcome AS winner,
    j.prob_a, j.votes, j.failure, j.strength, j.confidence, j.comment, j.reasons, j.seconds,
    j.waited, j.tokens, j.completion_tokens, j.context_cut, j.prompt_tokens_read AS part_read,
    j.raw, j.screen, j.text_format, j.order_known,
    coalesce(o.name || printf('#%012x.%d', j.source_mark, j.source_occurrence), o.name, '')
        AS source_row, j.created_at, j.judge IN ({_OUT}) AS excluded, j.run, m.name AS campaign,
    w.spec AS judge_spec, w.mode AS judge_mode, w.labels AS judge_labels, w.votes AS judge_votes,
    w.temperature AS judge_temperature, w.seed AS judge_seed, w.truncation AS judge_truncation,
    w.base_url AS judge_base_url, w.max_tokens AS judge_max_tokens,
    w.system_prompt AS judge_system_prompt, w.stop AS judge_stop, w.extra_body AS judge_extra_body,
    w.lenient AS judge_lenient, w.provider AS judge_provider, t.name AS judge_prompt,
    t.version AS judge_prompt_version, t.template AS judge_prompt_text,
    t.form AS judge_prompt_form, e.device, e.dtype
    FROM judgements j CROSS JOIN comparisons c ON c.id = j.comparison
    JOIN attributes a ON a.id = c.attribute JOIN datasets d ON d.name = a.dataset
    JOIN items i ON i.id = c.item JOIN judges w ON w.id = j.judge {SYSTEMS} {TEXTS}
    LEFT JOIN campaigns m ON m.id = j.campaign
    LEFT JOIN prompts t ON t.id = w.prompt
    LEFT JOIN executions e ON e.id = j.execution LEFT JOIN sources o ON o.id = j.source
    WHERE d.name = ?1 AND j.id > ?2 AND j.withdrawn_at IS NULL ORDER BY j.id LIMIT ?3"""

_EXPORTED_TYPES = {
    **dict.fromkeys(["length_a", "length_b", "run"], "Int64"),
    **dict.fromkeys(["judge_prompt_version", "judge_truncation", "judge_max_tokens"], "Int64"),
    **dict.fromkeys(["prob_a", "strength", "confidence", "seconds", "waited"], "float"),
}
"""Types of number columns in which some may be missing: the same in every portion."""
