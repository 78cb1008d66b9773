"""Changes of a data set as a whole: its name and its deletion."""

from __future__ import annotations

import json

from .connection import StorePart, make_timestamp
from .datasets import ORIGIN

_RUNS = "(SELECT id FROM runs WHERE dataset = ?1)"
_CAMPAIGNS = "(SELECT id FROM campaigns WHERE dataset = ?1)"
_ASKED = f"(SELECT id FROM campaign_attributes WHERE campaign IN {_CAMPAIGNS})"
_PAIRS = f"(SELECT id FROM campaign_pairs WHERE campaign_attribute IN {_ASKED})"
_ATTRIBUTES = "(SELECT id FROM attributes WHERE dataset = ?1)"
_COMPARISONS = f"(SELECT id FROM comparisons WHERE attribute IN {_ATTRIBUTES})"
_SYSTEMS = "(SELECT id FROM systems WHERE dataset = ?1)"
_GENERATIONS = f"(SELECT id FROM generations WHERE system IN {_SYSTEMS})"

# Every table with rows of a data set and which these are, what refers to others before those.
_ROWS = {
    "leases": f"pair IN {_PAIRS}",
    "repeats": f"pair IN {_PAIRS}",
    "pair_screens": f"pair IN {_PAIRS}",
    "check_answers": f'"check" IN (SELECT id FROM checks WHERE campaign IN {_CAMPAIGNS})',
    "check_screens": f'"check" IN (SELECT id FROM checks WHERE campaign IN {_CAMPAIGNS})',
    "checks": f"campaign IN {_CAMPAIGNS}",
    "messages": f"campaign IN {_CAMPAIGNS}",
    "consents": f"campaign IN {_CAMPAIGNS}",
    "promises": f"campaign IN {_CAMPAIGNS}",
    "questionnaire_answers": f"""participant IN (
        SELECT id FROM participants WHERE campaign IN {_CAMPAIGNS})""",
    "participants": f"campaign IN {_CAMPAIGNS}",
    "crowds": f"campaign IN {_CAMPAIGNS}",
    "exclusions": "dataset = ?1",
    "batch_votes": f"run IN {_RUNS}",
    "batched": f"comparison IN {_COMPARISONS}",
    "batches": f"run IN {_RUNS}",
    "attack_answers": f"comparison IN {_COMPARISONS}",
    "judgements": f"comparison IN {_COMPARISONS}",
    "scores": f"attribute IN {_ATTRIBUTES}",
    "outcome_counts": f"attribute IN {_ATTRIBUTES}",
    "vote_counts": f"campaign_attribute IN {_ASKED}",
    "person_counts": f"campaign IN {_CAMPAIGNS}",
    "campaign_pairs": f"campaign_attribute IN {_ASKED}",
    "run_comparisons": f"run IN {_RUNS}",
    "comparisons": f"attribute IN {_ATTRIBUTES}",
    "similarities": f"generation_1 IN {_GENERATIONS}",
    "generations": f"system IN {_SYSTEMS}",
    "executions": f"run IN {_RUNS}",
    "runs": "dataset = ?1",
    "campaign_attributes": f"campaign IN {_CAMPAIGNS}",
    "campaigns": "dataset = ?1",
    "campaign_drafts": "dataset = ?1",
    "item_set_members": "item_set IN (SELECT id FROM item_sets WHERE dataset = ?1)",
    "item_sets": "dataset = ?1",
    "attributes": "dataset = ?1",
    "systems": "dataset = ?1",
    "items": "dataset = ?1",
    "datasets": "name = ?1",
}

# Who has no row left anywhere. People stay, with the judge they are.
_NOBODY = " AND ".join(
    f"NOT EXISTS (SELECT 1 FROM {table} WHERE judge = judges.id)"
    for table in (
        "judgements", "scores", "runs", "outcome_counts", "leases", "repeats", "check_answers",
        "people", "exclusions", "messages", "consents", "person_counts", "attack_answers",
        "check_screens", "pair_screens",
    )
)  # fmt: skip


class DatasetChanges(StorePart):
    """Changes to data sets: deletion and names.

    Deleting is the one exception to "nothing is overwritten": a data set goes whole, or not at all.
    """

    def contents(self, dataset: str) -> dict[str, int]:
        """Count what goes when a data set does.

        Counted are items, systems, texts, votes of how many people, answers of how many judges,
        scores, runs (`running` among them), item sets and campaigns (`open` among them).
        """
        return self._db.record(
            f"""WITH given AS (
                SELECT w.id, w.kind = 'human' AS human, sum(t.count) AS answers
                FROM outcome_counts t JOIN judges w ON w.id = t.judge
                WHERE t.attribute IN {_ATTRIBUTES} GROUP BY w.id HAVING sum(t.count) > 0)
            SELECT (SELECT count(*) FROM items WHERE dataset = ?1) AS items,
            (SELECT count(*) FROM systems WHERE dataset = ?1) AS systems,
            (SELECT count(*) FROM generations NOT INDEXED WHERE text IS NOT NULL
                AND system IN {_SYSTEMS}) AS texts,
            (SELECT coalesce(sum(answers), 0) FROM given WHERE human) AS votes,
            (SELECT count(*) FROM given WHERE human) AS people,
            (SELECT coalesce(sum(answers), 0) FROM given WHERE NOT human) AS answers,
            (SELECT count(*) FROM given WHERE NOT human) AS judges,
            (SELECT count(*) FROM live_scores WHERE attribute IN {_ATTRIBUTES}) AS scores,
            (SELECT count(*) FROM runs WHERE dataset = ?1) AS runs,
            (SELECT count(*) FROM runs WHERE dataset = ?1
                AND status IN ('queued', 'running')) AS running,
            (SELECT count(*) FROM item_sets WHERE dataset = ?1) AS item_sets,
            (SELECT count(*) FROM campaigns WHERE dataset = ?1) AS campaigns,
            (SELECT count(*) FROM campaigns WHERE dataset = ?1 AND status = 'open') AS open""",
            (dataset,),
        )

    def delete(self, dataset: str) -> None:
        """Take a data set away with all that belongs to it; links for its campaigns are revoked,
        and judges go who are nowhere else. Inside `Connection.uprooting`.
        """
        self._db.execute(
            f"""UPDATE invitations SET revoked_at = coalesce(revoked_at, ?2), campaign = NULL
            WHERE campaign IN {_CAMPAIGNS}""",
            (dataset, make_timestamp()),
        )
        for table, rows in _ROWS.items():
            self._db.execute(f"DELETE FROM {table} WHERE {rows}", (dataset,))
        self._db.execute(f"DELETE FROM judges WHERE {_NOBODY}")
        self._db.execute(
            """DELETE FROM sources WHERE id NOT IN
            (SELECT source FROM judgements WHERE source IS NOT NULL)"""
        )
        self._db.execute("DELETE FROM settings WHERE name = ?", (ORIGIN + dataset,))

    def rename(self, dataset: str, name: str, origin: str) -> None:
        """Rename a data set, also where runs and campaigns say what was asked for.

        Draws go on to use `origin` in place of the name, so that nothing is drawn again.
        """
        with self._db.transaction():
            self._db.rows("PRAGMA defer_foreign_keys = ON")  # until this transaction ends
            self._db.update_row("datasets", dataset, name=name)
            for table in (
                "items", "systems", "attributes", "runs", "campaigns", "campaign_drafts",
                "exclusions", "item_sets",
            ):  # fmt: skip
                self._db.execute(
                    f"UPDATE {table} SET dataset = ? WHERE dataset = ?", (name, dataset)
                )
            self._db.execute("DELETE FROM settings WHERE name = ?", (ORIGIN + dataset,))
            if origin != name:
                self._db.execute(
                    "INSERT INTO settings (name, value) VALUES (?, ?)", (ORIGIN + name, origin)
                )
            self._rename_asked(name, "" if origin == name else origin)

    def _rename_asked(self, name: str, origin: str) -> None:
        """Rename a data set in the settings of its runs, by which a run is found again.

        Runs and campaigns whose pairs were drawn also keep the name of the draw (`origin`).
        """
        asked = "SELECT id, settings FROM runs WHERE dataset = ?"
        for run, text in self._db.rows(asked, (name,)):
            settings = json.loads(text)
            if "dataset" in settings:
                settings["dataset"] = name
            if "strategy" in settings:
                settings.pop("origin", None)
                settings |= {"origin": origin} if origin else {}
            self._db.execute(
                "UPDATE runs SET settings = ? WHERE id = ?",
                (json.dumps(settings, sort_keys=True, ensure_ascii=False), run),
            )
        self._db.execute(
            "UPDATE campaigns SET origin = ? WHERE dataset = ? AND way <> ''", (origin, name)
        )

    def answers(self, dataset: str, attribute: str) -> int:
        """Count the judgements and scores of an attribute."""
        found = self._db.value(
            """SELECT (SELECT coalesce(sum(count), 0) FROM outcome_counts WHERE attribute = a.id)
                + (SELECT count(*) FROM live_scores WHERE attribute = a.id)
            FROM attributes a WHERE a.dataset = ? AND a.name = ?""",
            (dataset, attribute),
        )
        return int(found or 0)
