"""What the Agreement page says first."""

from __future__ import annotations

from core.analysis.judgements import Result
from core.charts import among
from core.labels import percent

HEADLINE = ("human-human", "human-llm", "llm-llm", "human-gold", "llm-gold")


def agreement(result: Result) -> str:
    """How far people agree with each other, and models with people."""
    groups = {row["group"]: row for row in result.tables["groups"].to_dict("records")}
    if not groups:
        judges = "Only one judge has" if result.judgements else "No judge has"
        return f"{judges} answered. Agreement needs at least two judges on the same pairs."

    def share(group: str) -> str:
        row = groups[group]
        return percent(row["agreement"], row["agreement_low"], row["agreement_high"])

    first, *more = [group for group in HEADLINE if group in groups] or list(groups)[:3]
    text = f"{among(first)} agree on {share(first)} of the pairs of texts"
    text += "".join(f"; {among(group)} on {share(group)}" for group in more)
    return f"{text[:1].upper()}{text[1:]}."
