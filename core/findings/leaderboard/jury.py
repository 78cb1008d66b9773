"""Members of a jury, and the weight of each judge."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...labels import join_names
from ...records import Kind, TandemError, option_ref
from ...rendering import declare_rows
from ...statistics import SCALE, Codes, Drawing, Floats, NoVerdictError, jury
from .columns import TABLES
from .need import Need

JurorRows = Annotated[pd.DataFrame, declare_rows(TABLES["judges"], is_part=True)]

PEOPLE = "people"
"""What people are called where they are one judge together."""
CONTRARY = "{} prefer{} what the rest of the jury rejects: the jury counts the opposite of what {}."
UNHEARD = "{} may answer at random: the interval of the discrimination holds 0."
COPIES = (
    "A jury believes judges that agree: those that copy each other, or share a bias, gain weight."
)


def name_jurors(frame: pd.DataFrame, people: str) -> pd.Series:
    """Name the juror of each comparison. People are one judge ("pooled"), or each their own
    ("each", and on a jury of people alone).
    """
    if people == "each" or bool((frame["kind"] == Kind.HUMAN).all()):
        return frame["judge"]
    return frame["judge"].mask(frame["kind"] == Kind.HUMAN.value, PEOPLE)


def code_jurors(frame: pd.DataFrame, people: str) -> Codes:
    """Return the code of the juror of each comparison (m,), in the order of their names."""
    return np.unique(name_jurors(frame, people).to_numpy(str), return_inverse=True)[1]


JUDGE = Need(
    "judge",
    lambda frame, settings: {"judge": code_jurors(frame, settings.people)},
    requires="several",
)
"""Who gave each answer."""


def check_jury(frame: pd.DataFrame, people: str) -> None:
    """Check that the jury does not consist of one juror. Raises TandemError."""
    names = sorted(name_jurors(frame, people).unique())
    if len(names) != 1:  # who rates says so where nobody has answered
        return
    raise TandemError(
        f"a jury needs two judges or more, and {names[0]} judges alone here: ask for "
        f"{option_ref('judges')} human llm"
    )


def explain_refusal(
    error: ArithmeticError,
    frame: pd.DataFrame,
    columns: tuple[Codes, Codes, Floats],
    people: str,
    **fit: Any,
) -> TandemError:
    """Build the error for a jury without a rating, with the way out: the judges to leave out, if
    the others are a jury. `fit` is what else `jury.fit_jury` is given.
    """
    if not isinstance(error, NoVerdictError):
        return TandemError(str(error))
    way = f"use {option_ref('method')} bradley-terry"
    if error.judge is None:
        return TandemError(f"{error}: {way}")
    names, judge = np.unique(name_jurors(frame, people).to_numpy(str), return_inverse=True)
    out = jury.find_one_sided_judges(*columns, judge=judge, **fit) or [error.judge]
    if len(names) - len(out) < 2:
        return TandemError(f"{error}, with any judge left out: {way}")
    who = join_names([str(names[judge]) for judge in sorted(out)])
    return TandemError(f"{error}: leave {who} out of {option_ref('judges')}, or {way}")


def weigh_judges(
    frame: pd.DataFrame,
    columns: tuple[Codes, Codes, Floats],
    people: str,
    drawing: Drawing,
    *,
    n: int,
    position: bool = False,
) -> JurorRows:
    """Estimate the discrimination of each judge, as the table `judges`, the highest first, and the
    effect of position if it is modelled. No interval without resamples of items.
    """
    who = name_jurors(frame, people)
    names, judge = np.unique(who.to_numpy(str), return_inverse=True)
    asked: dict[str, Any] = {
        "n": n,
        "judge": judge,
        "weights": drawing.weights,
        "position": position,
    }
    fit = jury.fit_jury(*columns, **asked)
    low, high = np.full((2, len(names)), np.nan)
    if drawing.resamples and drawing.groups is not None:
        with suppress(NoVerdictError):
            vary = jury.spread(
                *columns, **asked, groups=drawing.groups, rng=drawing.rng,
                resamples=drawing.resamples,
            )  # fmt: skip
            low, high = vary.student(fit.discrimination)
    of_judge = frame.groupby(judge)
    rows = pd.DataFrame(
        {
            "judge": names,
            "kind": of_judge["kind"].first().to_numpy(),
            "answers": of_judge["judgements"].sum().to_numpy(),
            "items": of_judge["item"].nunique().to_numpy(),
            "discrimination": fit.discrimination,
            "low": low,
            "high": high,
        }
    )
    if position:
        rows["position"] = SCALE * fit.position
    return rows.sort_values("discrimination", ascending=False, ignore_index=True)


def describe_judges(rows: pd.DataFrame) -> list[str]:
    """Describe the judges of a jury with cautions, a sentence each."""
    contrary = rows.loc[rows["high"] < 0, "judge"].tolist()
    unheard = rows.loc[(rows["low"] <= 0) & (rows["high"] >= 0), "judge"].tolist()
    found = []
    if contrary:
        one = len(contrary) == 1
        found.append(
            CONTRARY.format(
                join_names(contrary), "s" if one else "", "it says" if one else "they say"
            )
        )
    if unheard:
        found.append(UNHEARD.format(join_names(unheard)))
    return [*found, COPIES]
