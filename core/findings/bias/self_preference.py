"""Does a judge that is one of the systems prefer its own texts?"""

from __future__ import annotations

import re
from typing import Annotated, Any

import pandas as pd

from ...frames import get_schema
from ...records import Kind
from ...rendering import declare_rows
from ...statistics import intervals
from .columns import OWN

OwnRows = Annotated[pd.DataFrame, declare_rows(OWN)]


def self_preference(frame: pd.DataFrame, judges: pd.DataFrame) -> OwnRows:
    """Compare the points a judge that is one of the systems gives its own texts with those from
    other judges, on the same pairs. Baselines are left out.
    """
    systems = {*frame["system_a"].unique(), *frame["system_b"].unique()}
    answered = frame.dropna(subset="points")
    rows: list[dict[str, Any]] = []
    for judge in frame["judge"].unique():
        if judges.loc[judge, "kind"] != Kind.LLM:
            continue
        for system in sorted(systems):
            if not same_model(judge, str(judges.loc[judge, "spec"]), system):
                continue
            about = answered[(answered["system_a"] == system) | (answered["system_b"] == system)]
            about = about.assign(
                points=about["points"].where(about["system_a"] == system, 1 - about["points"])
            )
            unit = ["attribute", "generation_1", "generation_2", "family"]
            itself = about[about["judge"] == judge].groupby(unit)["points"].mean()
            peers = (
                about[(about["judge"] != judge) & (about["kind"] != Kind.BASELINE)]
                .groupby(unit)["points"]
                .mean()
            )
            both = pd.concat(
                [itself.rename("own"), peers.rename("others")], axis=1, join="inner"
            ).reset_index()
            apart = (both["own"] - both["others"]).to_numpy(float)
            families = both["family"].to_numpy()
            difference = intervals.difference(apart, families)
            pairs = difference[3]
            mine = both if pairs else itself.rename("own").reset_index()
            own = intervals.share(mine["own"].to_numpy(float), mine["family"].to_numpy())
            others = intervals.share(both["others"].to_numpy(float), both["family"].to_numpy())
            rows.append(
                {
                    "judge": judge,
                    "system": system,
                    "pairs": pairs,
                    **intervals.spread("own", own),
                    **intervals.spread("others", others),
                    **intervals.spread("difference", difference, ""),
                    "p": intervals.compute_mean_zero_p(apart, families),
                }
            )
    return get_schema(OwnRows).make(rows)


def same_model(judge: str, spec: str, system: str) -> bool:
    """Return whether a judge is the model that a system is named after. Compares its own name, and
    its SPEC without "hf:" or the owner.
    """

    def normalize(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.casefold())

    def list_names(text: str) -> set[str]:
        model = text.partition(":")[2] or text
        return {normalize(text), normalize(model), normalize(model.rpartition("/")[2])}

    return normalize(system) != "" and normalize(system) in list_names(judge) | list_names(spec)
