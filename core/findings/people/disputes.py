"""Disputes: pairs of texts on which people disagree, what each of them said, and deciding."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd

from ...records import Kind, Outcome, TandemError
from ...rendering import declare_rows, list_names
from ...seeds import draw
from ...statistics import FIRST, SECOND
from ...store import ShownPair, Store
from ..judgements.verdicts import WORDS, count_by_unit, count_verdicts, load_answers
from .scope import DISPUTES, SAID, Scope, votes

DisputeRows = Annotated[pd.DataFrame, declare_rows(DISPUTES)]
SaidRows = Annotated[pd.DataFrame, declare_rows(SAID)]

UNIT = ["attribute", "item", "system_1", "system_2", "candidate_1", "candidate_2"]


def disputes(store: Store, scope: Scope) -> DisputeRows:
    """List the pairs of texts, for each attribute, on which people's verdicts differ: DISPUTES.
    Excluded people are left out. Even splits come first, open ones before decided ones.
    """
    frame = votes(store, scope)
    given = count_verdicts(frame[frame["outcome"].notna() & ~frame["excluded"]])
    counts = count_by_unit(given)
    differ = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    rows = given.drop_duplicates("unit").set_index("unit").loc[differ, UNIT]
    table = pd.DataFrame(counts[differ], index=differ, columns=list(WORDS.values()))
    rows = _turn_sides(rows.join(table).assign(people=table.sum(axis=1)))
    rows = _with_decisions(store, scope.selection.dataset, rows.reset_index(drop=True))
    split = np.minimum(rows["first"], rows["second"]) / rows["people"].clip(lower=1)
    order = np.lexsort((np.arange(len(rows)), -split, rows["decided"].notna()))
    return rows.iloc[order].reset_index(drop=True)[list_names(DISPUTES)]


def _turn_sides(rows: pd.DataFrame) -> pd.DataFrame:
    """Swap the sides of about half of the pairs, the same ones every time. The person who decides
    must not recognise a system by its side.
    """
    units = rows[["attribute", "candidate_1", "candidate_2"]].itertuples(index=False)
    turn = np.array([draw(*unit) % 2 == 1 for unit in units], dtype=bool)
    sides = {"system": ("system_1", "system_2"), "text": ("candidate_1", "candidate_2"),
             "votes": ("first", "second")}  # fmt: skip
    swapped = {
        name: np.where(turn, rows[other], rows[name])
        for one, two in sides.values()
        for name, other in ((one, two), (two, one))
    }
    return rows.assign(**swapped)


def _with_decisions(store: Store, dataset: str, rows: pd.DataFrame) -> pd.DataFrame:
    decided = store.adjudications.load_all(dataset)
    sides = np.sort(rows[["candidate_1", "candidate_2"]].to_numpy(dtype=np.int64), axis=1)
    rows = rows.assign(generation_1=sides[:, 0], generation_2=sides[:, 1])
    found = rows.merge(decided, on=["attribute", "generation_1", "generation_2"], how="left")
    word = np.select(
        [
            found["judgement"].isna(),
            found["better"] == found["candidate_1"],
            found["better"] == found["candidate_2"],
        ],
        ["", WORDS[FIRST], WORDS[SECOND]],
        "tie",
    )
    return found.assign(decided=pd.Series(word, dtype=object).where(word != "", None))


def said_on(store: Store, dataset: str, row: pd.Series) -> SaidRows:
    """List the answer of each person who is not excluded on the pair in a row of `disputes`: SAID.
    People have the names used in exports. `better` is `first`, `tie`, `second`, both_bad, or the
    reason why there is no answer.
    """
    pair = (int(row["candidate_1"]), int(row["candidate_2"]))
    frame = load_answers(store, dataset, str(row["attribute"]), *pair)
    out = store.exclusions.kinds(dataset)
    frame = frame[(frame["kind"] == Kind.HUMAN) & ~frame["judge"].isin([*out])]
    frame = frame.assign(
        person=frame["judge"].replace(store.people.pseudonyms()),
        better=frame["better"].replace({"1": "first", "2": "second"}),
    )
    return frame[list_names(SAID)].reset_index(drop=True)


BETTER = {"first": Outcome.A, "tie": Outcome.TIE, "second": Outcome.B}


def decide(
    store: Store, dataset: str, row: pd.Series, better: str, *, by: str, comment: str = ""
) -> int:
    """Decide a row of `disputes`, candidate_1 having been shown first: the judgement (row) that is
    kept. Raises TandemError for a word that decides nothing.
    """
    if better not in BETTER:
        raise TandemError(f"unknown decision {better!r}; there are {', '.join(BETTER)}")
    attribute = store.datasets.attribute_id(dataset, str(row["attribute"]))
    shown = ShownPair(attribute, int(row["candidate_1"]), int(row["candidate_2"]))
    return store.adjudications.decide(shown, BETTER[better], by=by, comment=comment)
