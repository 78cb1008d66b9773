"""The scope of a report, and the data and findings it is written from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from ..catalogue import ADJUSTABLE, FINDINGS
from ..exporting import hide, hide_in_words
from ..findings.judgements import Comparers, Finding, Selection, list_selected_comparers
from ..findings.leaderboard import RankSettings, leaderboard
from ..records import Kind, TandemError, option_ref, plain_name, render_options
from ..settings import check_values, list_settings
from ..store import Store


@dataclass(frozen=True)
class ReportScope:
    """The subject of a report: the judgements of a selection, with leaderboards by `settings`.

    Judges of all kinds are in it unless some are chosen. Judges are compared with the scores of the
    rater `against`; '' chooses people's where there are some. With `names`, people who annotate
    here appear under their own names. `chosen` are settings of the other findings in the report, by
    the names of both: `{"accuracy": {"against": "scores"}}`.

    Raises:
        TandemError: a finding that no report tells, a setting that it does not have, or a value
            that the setting cannot have.
    """

    selection: Selection
    settings: RankSettings = field(default_factory=RankSettings)
    against: str = ""
    names: bool = False
    chosen: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name, values in self.chosen.items():
            if name not in ADJUSTABLE:
                there = ", ".join(ADJUSTABLE)
                raise TandemError(f"no report has settings of {name!r}; there are {there}")
            of = [one for kind in ADJUSTABLE[name].settings.values() for one in list_settings(kind)]
            for wrong in values.keys() - set(of):
                raise TandemError(f"{name} has no {option_ref(wrong)}; there are {', '.join(of)}")
            if name != "leaderboard":
                ADJUSTABLE[name].check_settings(values)  # refused here, not in its section
        _ = self.rank_settings

    @cached_property
    def rank_settings(self) -> RankSettings:
        """Return the settings of the leaderboards: `settings`, changed by those chosen for them."""
        return replace(
            self.settings, **check_values(RankSettings, self.chosen.get("leaderboard", {}))
        )


@dataclass(frozen=True)
class Material:
    """A report request, the store that answers it, and the pseudonyms of people."""

    store: Store
    request: ReportScope

    @property
    def selection(self) -> Selection:
        """The judgements that the report is about."""
        return self.request.selection

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.request.selection.dataset

    def find(self, name: str, **instead: Any) -> Finding:
        """The finding of that name as it may leave the house, by the settings that were chosen, or
        by others `instead`.
        """
        declared, values = FINDINGS[name], {**self.get_chosen(name), **instead}
        found = declared.find(self.store, self.selection, **declared.make_settings(values))
        notes = [render_options(note, plain_name) for note in declared.note_idle(values)]
        return self.hide_names(replace(found, notes=[*found.notes, *notes]) if notes else found)

    def rank(self, judges: tuple[str, ...]) -> Finding:
        """The leaderboard by these judges, as it may leave the house."""
        selection = replace(self.selection, judges=judges)
        return self.hide_names(leaderboard(self.store, selection, self.request.rank_settings))

    def get_chosen(self, name: str) -> Mapping[str, Any]:
        """The settings that were chosen of a finding."""
        of_report = {"against": self.request.against} if self.request.against else {}
        usual = of_report if name == "correlation" else {}
        return {**usual, **self.request.chosen.get(name, {})}

    @cached_property
    def dataset_summary(self) -> dict[str, Any]:
        """Return what `summary` says of the data set and its contents."""
        every = self.store.datasets.summary()
        [row] = every[every["dataset"] == self.dataset].to_dict("records")
        return {str(name): value for name, value in row.items()}

    @property
    def source(self) -> str:
        """Return the source of the data and their licence, as far as those are known."""
        return "; ".join(
            filter(None, (self.dataset_summary["source"], self.dataset_summary["licence"]))
        )

    @cached_property
    def judges(self) -> Comparers:
        """List the judges in scope that compare texts: judge, kind, attribute."""
        return list_selected_comparers(self.store, self.selection)

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kinds of judges that are meant, people first."""
        return [kind for kind in Kind if kind.value in set(self.judges["kind"])]

    @cached_property
    def attributes(self) -> list[str]:
        """List the attributes that have been compared, in the order of the data set."""
        compared = set(self.judges["attribute"])
        every = [attribute.name for attribute in self.store.datasets.attributes(self.dataset)]
        return [name for name in every if name in compared]

    def by_attribute(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows about attributes in the data set's order of these."""
        names = [one.name for one in self.store.datasets.attributes(self.dataset)]
        place = rows["attribute"].map({name: number for number, name in enumerate(names)})
        return rows.loc[place.sort_values(kind="stable").index]

    def order_rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows about judges and attributes: judge by judge, attributes in the data set's order."""
        judge = pd.Series(pd.factorize(rows["judge"])[0], rows.index)
        return rows.loc[judge[self.by_attribute(rows).index].sort_values(kind="stable").index]

    @cached_property
    def pseudonyms(self) -> Mapping[str, str]:
        """Pseudonym of each person by name; empty if the request asks for names."""
        return {} if self.request.names else self.store.people.pseudonyms()

    def hide_names(self, result: Finding) -> Finding:
        """The result as it may leave the house: in rows, tables, notes and signature everybody who
        annotates here is called as exports call them.
        """
        result = result.name_settings(plain_name)
        if not self.pseudonyms:
            return result
        return replace(
            result,
            rows=hide(result.rows, self.pseudonyms, result.columns),
            tables={
                name: hide(frame, self.pseudonyms, result.table_columns.get(name, ()))
                for name, frame in result.tables.items()
            },
            notes=self.hide_in_sentences(result.notes),
            signature=self.hide_in_sentences([result.signature])[0],
            facts=self._facts(result.facts),
        )

    def hide_in_sentences(self, sentences: Iterable[str]) -> list[str]:
        """Sentences without names."""
        if not self.pseudonyms:
            return list(sentences)
        return [hide_in_words(text, self.pseudonyms) for text in sentences]

    def _facts(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.hide_in_sentences(value)
            if isinstance(value, list) and all(isinstance(one, str) for one in value)
            else self.pseudonyms.get(value, value)
            if isinstance(value, str)
            else value
            for name, value in facts.items()
        }
