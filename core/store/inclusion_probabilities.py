"""Probabilities that judgements would be asked for, by which estimates are re-weighted."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .connection import StorePart

# Runs of a judge and trial some of whose runs ask a part only: by a budget, or on items that were
# drawn.
_ASKED_BY_RUNS = """WITH part AS (SELECT DISTINCT judge, trial FROM runs WHERE dataset = ?1
        AND task = 'compare' AND (budget IS NOT NULL OR drawn IS NOT NULL))
    SELECT j.id, max(q.probability) FROM part
    JOIN runs r ON r.dataset = ?1 AND r.judge = part.judge AND r.trial = part.trial
    CROSS JOIN run_comparisons q ON q.run = r.id
    CROSS JOIN live_judgements j ON j.comparison = q.comparison AND j.judge = r.judge
        AND j.trial = r.trial AND j.run IS NOT NULL
    GROUP BY j.id"""

_DRAWN = """SELECT p.id, p.campaign, p.attribute, p.strategy FROM campaign_attributes p
    JOIN campaigns m ON m.id = p.campaign WHERE m.dataset = ?1 AND p.ordering <> 'random'"""

# A pair that could not be drawn has the chance 0; one that was planned after the draw still has the
# 1 it came with. A campaign that was created by a draw has no others.
_PAIRS = f"""SELECT q.campaign_attribute, q.generation_1, q.generation_2,
        n.whole OR q.priority < n.pairs AS drawn, q.votes > 0 AS answered,
        CASE WHEN n.whole OR q.priority < n.pairs OR q.probability < 1 THEN q.probability
            ELSE 0.0 END AS chance
    FROM (SELECT p.id, p.strategy IN ('separability', 'informative') AS whole,
            (SELECT count(*) FROM campaign_pairs WHERE campaign_attribute = p.id) AS pairs
        FROM ({_DRAWN}) p) n
    JOIN campaign_pairs q ON q.campaign_attribute = n.id"""

_VOTES = f"""SELECT j.id AS judgement, p.id AS campaign_attribute, c.generation_1, c.generation_2
    FROM ({_DRAWN}) p JOIN comparisons c ON c.attribute = p.attribute
    JOIN live_judgements j ON j.comparison = c.id AND j.campaign = p.campaign"""


class Inclusions(StorePart):
    """Probabilities of runs and campaigns, combined into one for each judgement."""

    def probabilities(self, dataset: str) -> pd.Series:
        """Return the probability that a judgement was asked for, where it is below 1.

        The index is the id of the judgement. A run's answer has the probability of its comparison:
        that its item is drawn, times that of the comparison among the item's. Where several runs of
        its judge and trial have planned the comparison, the greatest counts: the same draw asked
        for more, or all was asked. A person's answer has that of its pair (`_of_campaigns`).
        Imported votes were chosen elsewhere: 1.
        """
        runs = self._db.rows(_ASKED_BY_RUNS, (dataset,))
        of_runs = pd.Series(
            [p for _, p in runs], index=[judgement for judgement, _ in runs], dtype=float
        )
        every = (
            pd.concat([of_runs, self._of_campaigns(dataset)])
            .rename("inclusion")
            .rename_axis("judgement")
        )
        return every[(every > 0) & (every < 1)]  # a skip of a pair that was not drawn has none

    def _of_campaigns(self, dataset: str) -> pd.Series:
        """Return the inclusion probability of each vote of a campaign.

        As long as people are asked about the pairs that were drawn first, it is p, the probability
        of the draw. Where others have votes, too, it is p * the share of the drawn that have votes
        + (1 - p) * that of the others: both parts are at random.
        """
        pairs = self._db.frame(_PAIRS, (dataset,))
        if pairs.empty:
            return pd.Series(dtype=float)
        shares = (
            pairs.groupby(["campaign_attribute", "drawn"])["answered"]
            .mean()
            .unstack()
            .reindex(columns=[0, 1])
        )
        share = {
            drawn: pairs["campaign_attribute"].map(shares[drawn]).fillna(0.0) for drawn in (0, 1)
        }
        p = pairs["chance"]
        mixed = p * share[1] + (1 - p) * share[0]
        pairs = pairs.assign(inclusion=np.where(share[0] > 0, mixed, p))
        votes = self._db.frame(_VOTES, (dataset,)).merge(
            pairs, on=["campaign_attribute", "generation_1", "generation_2"]
        )
        return votes.set_index("judgement")["inclusion"].astype(float)

    def draws_stamp(self, dataset: str) -> str:
        """Return a text that changes with the comparisons planned and the order of pairs.

        The order is that of the pairs of each campaign.
        """
        found = self._db.rows(
            """SELECT id, NULL, (SELECT count(*) FROM run_comparisons WHERE run = runs.id), NULL
            FROM runs WHERE dataset = ?1
            UNION ALL SELECT p.id, p.ordering, (SELECT coalesce(sum(pairs), 0) FROM vote_counts
                WHERE campaign_attribute = p.id), CASE WHEN p.ordering <> 'random' THEN
                (SELECT total(id * probability) || ' ' || total(id * (priority < 1 << 31))
                FROM campaign_pairs WHERE campaign_attribute = p.id) END
            FROM campaign_attributes p JOIN campaigns m ON m.id = p.campaign WHERE m.dataset = ?1
            ORDER BY 1""",
            (dataset,),
        )
        return str(found)

    def draws(self, dataset: str) -> dict[str, int]:
        """Count the different draws of items that the runs of a judge asked about, if several."""
        return self._db.mapping(
            """SELECT w.name, count(DISTINCT r.drawn) FROM runs r
            JOIN judges w ON w.id = r.judge WHERE r.dataset = ? AND r.task = 'compare'
            GROUP BY r.judge, r.trial HAVING count(DISTINCT r.drawn) > 1""",
            (dataset,),
        )
