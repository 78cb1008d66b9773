"""Is the new system better than the old one? The share of items on which it is, by each judge, by
people, and by both together; and the pairs to read first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...frames import get_schema
from ...labels import KINDS, join_names, percent, pluralize
from ...records import Dataset, Kind, TandemError, option_ref
from ...rendering import COUNT, SHARE, Column, Place, ShortenedSentences, declare_rows, list_names
from ...settings import declare, get_default
from ...statistics import intervals
from ...store import Store
from ..combine import CombineSettings, combine
from ..judgements import debiasing, minimum
from ..judgements.answers import TRUTH, select_judgements
from ..judgements.debiasing import count_lost_verdicts, warn_of_unusable
from ..judgements.finding import Finding, unless_refused
from ..judgements.judges import ATTRIBUTE, KIND, declare_estimate
from ..judgements.population import code_families
from ..judgements.provenance import pooling_notes
from ..judgements.selection import Selection, keep_first_trial, selection_notes, write_signature
from ..judgements.verdicts import MOST_READ, add_texts, average_pairs, count_verdicts

BETTER, WORSE, UNKNOWN = "better", "worse", "cannot tell"
TOGETHER = "and judges together"
POOLED = {kind: KINDS[kind] for kind in TRUTH}
"""Kinds whose answers are taken together, by what they are called."""
ASKED = (*TRUTH, Kind.LLM)
"""Whose answers are meant where nobody is named: a baseline's are nobody's opinion."""
COMBINED = ["combined", "combined_low", "combined_high"]

JUDGED_BY = Column("by", "by", names_people=True)
COLUMNS = (
    JUDGED_BY,
    KIND,
    ATTRIBUTE,
    declare_estimate(
        "better", "new is better", SHARE, "The mean over items; an item without a winner is half",
        ends="",
    ),
    Column("items", "items", COUNT, "That were compared"),
    Column("won", "won", COUNT, "Items on which the new system is better"),
    Column("lost", "lost", COUNT, "Items on which the old one is"),
    Column(
        "contradicts", "contradicts itself", SHARE,
        "The share of pairs whose verdict changes with the order of the texts",
    ),
    Column("unanswered", "unanswered", COUNT, "Comparisons without an answer"),
    Column("verdict", "verdict", help="On the new system: better, worse, or cannot tell yet"),
    Column(
        "needed", "items needed", COUNT, "That would tell in 4 of 5 studies if the share is true",
        place=Place.FILES,
    ),
)  # fmt: skip
READ = (
    Column("item", "item", place=Place.FILES),
    ATTRIBUTE,
    Column("why", "why", help="The surest losses of the new system, then contradictions"),
    Column("prob_new", "for the new", SHARE, "The mean points or probability of the new system"),
    Column("context", "prompt", ShortenedSentences(), "The name of the item where there is none"),
    Column("old_text", "old", ShortenedSentences()),
    Column("new_text", "new", ShortenedSentences()),
    Column("generation_old", "old text", COUNT, place=Place.FILES),
    Column("generation_new", "new text", COUNT, place=Place.FILES),
)
ReadRows = Annotated[pd.DataFrame, declare_rows(READ)]


@dataclass(frozen=True)
class CompareSettings:
    """Setting of a comparison of two systems: which is the `new` one; '' = the second that is
    selected, or in the name of a data set OLD vs NEW.
    """

    new: str = declare(
        "", "the system that is to be better (default: the second that is named)", metavar="SYSTEM",
        label="New system",
    )  # fmt: skip

    def find_systems(self, store: Store, selection: Selection) -> tuple[str, str]:
        """Return the old and the new system. Raises TandemError unless there are two."""
        stored = store.datasets.system_ids(selection.dataset)
        there = selection.systems or tuple(sorted(stored, key=stored.__getitem__))
        is_told = selection.systems or self.new or selection.dataset.startswith(" vs ".join(there))
        if len(there) != 2:
            raise TandemError(
                f"{pluralize(len(there), 'system')} cannot be compared as old and new: name two "
                f"with {option_ref('systems')}"
            )
        if self.new and self.new not in there:
            raise TandemError(
                f"{option_ref('new')} {self.new!r} is neither of {join_names(list(there))}"
            )
        first, second = there
        if not is_told:
            raise TandemError(f"say which of {first} and {second} is new: {option_ref('new')} NAME")
        return (second, first) if self.new == first else (first, second)


def compare(
    store: Store, selection: Selection, settings: CompareSettings = CompareSettings()
) -> Finding:
    """Compute how often the new of two systems is better: a row for each judge that is a model, one
    for all people, and one for both together (see `combine`) where there are both.

    An item counts once: with the mean points of all pairs of its texts, each over both orders.
    Intervals are over items. `verdict` is BETTER or WORSE where the interval excludes 1/2, on
    10 items or more, by a judge whose verdicts survive both orders more often than not. The columns
    are declared in `core.findings.compare`.

    The first row of an attribute is that of both together, else of people, else of the first judge
    of the selection. Table `read`: at most 12 pairs to read first. Facts: old, new, verdict (on
    which the first rows of all attributes agree), sentences.

    Raises:
        TandemError: there are not two systems, or no answer about them.
    """
    old, new = settings.find_systems(store, selection)
    selection = replace(selection, systems=(old, new), judges=selection.judges or ASKED)
    selection = keep_first_trial(store, selection)
    frame, unanswered = select_judgements(store, selection)
    frame = _drop_half_asked(frame)
    answered = frame[frame["points"].notna()]
    if answered.empty:
        raise TandemError(f"no answer compares {old} and {new} yet")
    caution = warn_of_unusable(answered, "it cannot tell which system is better")
    rows = list(_compare_by_source(frame, new, set(caution.unusable)))
    combined = list(_combine(store, selection, new, rows))
    table = pd.DataFrame([*combined, *rows], columns=list_names(COLUMNS))
    order = [*TRUTH, *selection.judges]
    named = table["kind"].where(table["kind"].isin(TRUTH), table["by"])
    place = named.map({name: place for place, name in enumerate(order)}).fillna(len(order))
    place[: len(combined)] = -1
    place += (table["items"] < minimum.ITEMS) * (len(order) + 1)  # a few votes decide nothing
    table = table.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)
    verdicts = set(table.drop_duplicates("attribute")["verdict"])
    noun = store.datasets.nouns(selection.dataset)[0]
    noun = "item" if noun == get_default(Dataset, "context_noun") else noun
    read = _choose_pairs_to_read(store, selection, answered, new, caution.unusable)
    return Finding(
        table,
        write_signature("compare", **selection.signature_values(), new=new),
        len(answered),
        unanswered,
        [*pooling_notes(answered), *selection_notes(store, selection, rest=True)],
        {
            "old": old,
            "new": new,
            "verdict": verdicts.pop() if len(verdicts) == 1 else UNKNOWN,
            "sentences": _describe(table, old, new, noun, len(read), caution.cautions),
            **caution._asdict(),
        },
        {"read": read},
        columns=COLUMNS,
        table_columns={"read": READ},
    )


def _drop_half_asked(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out the pairs that a model was asked about in one order, of models that were asked
    about others in both: which text came first may have decided these.
    """
    pairs = debiasing.add_pairs(frame)
    asked = pairs[pairs["points"].notna()].groupby(debiasing.PAIR)["reverse"].transform("nunique")
    orders = asked.reindex(frame.index, fill_value=0)
    both = orders.groupby(frame["judge"]).transform("max") == 2
    is_half = (orders == 1) & both & ~frame["kind"].isin(TRUTH)
    return frame[~is_half]


def _compare_by_source(
    frame: pd.DataFrame, new: str, unusable: set[str]
) -> Iterator[dict[str, Any]]:
    pooled = frame["kind"].map(POOLED)
    by = frame["judge"].where(pooled.isna(), pooled)
    for (name, attribute), mine in frame.groupby([by, "attribute"], sort=False):
        answered = mine[mine["points"].notna()]
        row = {"by": name, "kind": mine["kind"].iloc[0], "attribute": attribute, "items": 0,
               "won": 0, "lost": 0, "unanswered": len(mine) - len(answered),
               "verdict": UNKNOWN}  # fmt: skip
        if answered.empty:
            yield row
            continue
        verdicts = count_verdicts(answered)
        points = verdicts["points"].where(verdicts["system_1"] == new, 1 - verdicts["points"])
        of_pair = verdicts.assign(points=points).groupby(["unit", "item", "family"], sort=False)
        items = of_pair["points"].mean().groupby(["item", "family"], sort=False).mean()
        share = intervals.share(items.to_numpy(float), code_families(items.reset_index()))
        is_model = row["kind"] not in TRUTH
        lost = next(iter(count_lost_verdicts(answered)), None) if is_model else None
        yield row | {
            **intervals.spread("better", share, ""),
            "items": len(items),
            "won": int((items > 0.5).sum()),
            "lost": int((items < 0.5).sum()),
            "contradicts": np.nan if lost is None else lost.share,
            **_judge(share[:3], len(items), is_usable=name not in unusable),
        }


def _judge(share: Sequence[float], items: int, *, is_usable: bool) -> dict[str, Any]:
    """The verdict by a share with its interval, and the items that would tell: nothing where they
    have told, or where the share is too near to 1/2 to say.
    """
    better, low, high = share
    is_enough = is_usable and minimum.is_enough(minimum.count_items(items))
    if is_enough and (low > 0.5 or high < 0.5):
        return {"verdict": BETTER if low > 0.5 else WORSE, "needed": np.nan}
    needed = minimum.estimate_needed(better, low, high, items) if is_usable else None
    return {"verdict": UNKNOWN, "needed": np.nan if needed is None else needed}


def _combine(
    store: Store, selection: Selection, new: str, rows: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    voting = next((kind for kind in TRUTH if kind in {row["kind"] for row in rows}), None)
    judges = dict.fromkeys(row["by"] for row in rows if row["items"] and row["kind"] not in TRUTH)
    if voting is None or not judges:
        return
    asked = CombineSettings(people=(voting,), method="win-ratio")
    for attribute in dict.fromkeys(row["attribute"] for row in rows):
        about = replace(selection, attribute=attribute, judges=tuple(judges))
        found = unless_refused(partial(combine, store, about, asked))
        if found is None:
            continue
        known = found.rows[found.rows["system"] == new][COMBINED].to_numpy(float).ravel().tolist()
        if np.isnan(known).any():
            continue
        yield {
            "attribute": attribute,
            "by": f"{POOLED[voting]} {TOGETHER}",
            "kind": voting.value,
            **intervals.spread("better", known, ""),
            "items": int(found.facts["items"]),
            **_judge(known, int(found.facts["items"]), is_usable=True),
        }


def _choose_pairs_to_read(
    store: Store, selection: Selection, answered: pd.DataFrame, new: str, unusable: Sequence[str]
) -> ReadRows:
    """Choose the pairs that the new system loses most surely, one of an item, then those on which a
    judge contradicts itself, at most half of either where there are enough of both.
    """
    usable = answered[~answered["judge"].isin(unusable)]
    pairs = average_pairs(usable if len(usable) else answered)
    same = store.texts.identical_pairs(selection.dataset)
    both = np.sort(pairs[["candidate_1", "candidate_2"]].to_numpy(np.int64), axis=1).tolist()
    is_first = pairs["system_1"] == new
    pairs["prob_new"] = pairs["prob_1"].where(is_first, 1 - pairs["prob_1"])
    pairs = pairs[[tuple(texts) not in same for texts in both]]
    surest = pairs["prob_new"].sort_values(kind="stable").index
    pairs = pairs.loc[surest].drop_duplicates(["item", "attribute"])
    turns = pairs[pairs["is_turned"]].sort_index()
    losses = pairs[(pairs["prob_new"] < 0.5) & ~pairs["is_turned"]]
    first = losses.head(MOST_READ - min(len(turns), MOST_READ // 2))
    then = turns.head(MOST_READ - len(first))
    why = {"the old one is better": first, "a judge contradicts itself": then}
    chosen = pd.concat([rows.assign(why=reason) for reason, rows in why.items()])
    shown = add_texts(store, selection.dataset, chosen)
    sides = {"old": ~is_first[shown.index], "new": is_first[shown.index]}
    for name, place in sides.items():
        shown[f"{name}_text"] = shown["text_1"].where(place, shown["text_2"])
        shown[f"generation_{name}"] = shown["candidate_1"].where(place, shown["candidate_2"])
    return get_schema(ReadRows).read(shown[list_names(READ)])


def _describe(
    table: pd.DataFrame, old: str, new: str, noun: str, read: int, cautions: Sequence[str]
) -> list[str]:
    first = table.drop_duplicates("attribute")
    said = [
        _describe_row(row, old, new, noun, several=len(first) > 1)
        for _, row in first[first["items"] > 0].iterrows()
    ]
    silent = table.loc[table["items"] == 0, "by"].unique()
    said += [*cautions, *(f"{name} answered none of the comparisons." for name in silent)]
    decided = table[table["verdict"] != UNKNOWN]
    verdict = decided["attribute"].map(first.set_index("attribute")["verdict"])
    if against := list(dict.fromkeys(decided.loc[decided["verdict"] != verdict, "by"])):
        said.append(f"By {join_names(against)} it is otherwise.")
    if read:
        said.append(f"Read {'this pair' if read == 1 else f'these {read} pairs'} first.")
    return said


def _describe_row(row: pd.Series, old: str, new: str, noun: str, *, several: bool) -> str:
    where = f" in {row['attribute']}" if several else ""
    figures = percent(row["better"], row["low"], row["high"])
    on = f"on {figures} of {pluralize(int(row['items']), noun)}, by {row['by']}"
    if row["contradicts"] > 0:
        on += f", which contradicts itself on {percent(row['contradicts'])} of them"
    if row["verdict"] != UNKNOWN:
        beside = f"it is better {on}" if row["verdict"] == WORSE else on
        return f"{new} is {row['verdict']} than {old}{where}: {beside}."
    said = f"Nobody can tell yet which is better{where}: {new} is better {on}."
    if math.isnan(row["needed"]):
        return said
    needed = pluralize(int(row["needed"]), noun)
    return f"{said} If that share is true, {needed} would tell in 4 of 5 studies."
