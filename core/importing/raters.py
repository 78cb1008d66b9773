"""Kinds of raters, recognized by their names: a table may have metrics beside people."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from ..records import Kind, TandemError, option_ref
from ..store import clean_name
from .source import Source

METRIC = re.compile(
    r"(sacre)?bleu|rouge|meteor|chrf|nist|cider|spice|bert[-_ ]?score|bart[-_ ]?score|"
    r"mover[-_ ]?score|bleurt|comet|mauve|perplexity|cosine",
    re.IGNORECASE,
)
"""How the names of metrics begin that compare a text with others and ask nobody."""
MODEL = re.compile(
    r"(llm|ai|auto|machine|model|judge|gpt|claude|gemini)[-_ ]?(judge|[-.\d]\w*)?", re.IGNORECASE
)
PERSON = re.compile("humans?|people|persons?|experts?|crowd|users?|annotators?", re.IGNORECASE)
"""Names of raters in columns that say who they are, where both sorts are there."""

_STAND_IN = re.compile(r"person-[0-9]+(-here)?")
"""Pattern of the pseudonyms of people in exports."""


class RaterNames:
    """The names of people in files, as they are kept: a rater whose name looks like that of a judge
    who is known has that judge's name.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._spelled = {name: name for name in known}
        self._clean = {clean_name(name): name for name in self._spelled}
        self._had_raters, self._new = bool(self._spelled), set[str]()
        self._people: dict[str, None] = {}  # their names in small letters

    def spell_name(self, name: str, kind: Kind) -> str:
        """Return a rater's name as it is kept. Raises ValueError for one that nobody can see."""
        if name not in self._spelled:
            clean = clean_name(name) if kind is Kind.HUMAN else name
            if not clean:
                raise ValueError(f"the rater's name {name[:60]!a} has no letter that can be seen")
            if clean not in self._clean:
                self._new.add(clean)
            self._spelled[name] = self._clean.setdefault(clean, clean)
        if kind is Kind.HUMAN:
            self._people[self._spelled[name].casefold()] = None
        return self._spelled[name]

    def warnings(self) -> list[str]:
        """Warn about new raters with stand-in names, and about names that differ only in capital
        letters. The latter may be one person.
        """
        stand_ins = sorted(name for name in self._new if _STAND_IN.fullmatch(name))
        told = [
            f"{', '.join(stand_ins[:3])}{(' ...' if len(stand_ins) > 3 else '')} are new raters "
            "here, as an export without names calls people. Their votes are added as other "
            f"people's; export with {option_ref('names')}"
        ]
        alike = defaultdict[str, set[str]](set)
        for name in self._spelled.values():
            alike[name.casefold()].add(name)
        return told * bool(stand_ins and self._had_raters) + [
            f"raters {' and '.join(map(repr, sorted(names)))} differ in capital letters alone: "
            "they count as different people"
            for name in self._people
            if len(names := alike[name]) > 1
        ]


def kind_of(rater: str, source: Source, beside: Iterable[str] = ()) -> Kind:
    """Return the kind of a rater: the given one, else the usual one."""
    return source.kinds.get(rater) or usual_kind(rater, source.kind, beside)


def usual_kind(rater: str, kind: Kind, beside: Iterable[str] = ()) -> Kind:
    """Return the kind of a rater if none was given: a metric by its name, a model by its name
    `beside` people by theirs. `kind` is that of all of the file.
    """
    if METRIC.match(rater):
        return Kind.BASELINE
    return Kind.LLM if MODEL.fullmatch(rater) and any(map(PERSON.fullmatch, beside)) else kind


def raters_of(fields: Iterable[str]) -> list[str]:
    """List the raters in a table's fields, such as score:RATER:ATTRIBUTE and winner:RATER, in their
    order; '' if a column names nobody.
    """
    marks = (field.partition(":") for field in fields)
    named = (
        mark.rpartition(":")[0] if sort == "score" else mark
        for sort, _, mark in marks if mark and sort in ("score", "winner")
    )  # fmt: skip
    return list(dict.fromkeys(named))


def check_kinds(named: Iterable[str], there: Collection[str]) -> None:
    """Check that every rater with a named kind has a column. Raises TandemError otherwise."""
    wrong = next((rater for rater in named if rater not in there), None)
    if wrong is not None:
        whom = ", ".join(filter(None, there))
        known = f"they are by {whom}" if whom else "there are no raters in columns"
        raise TandemError(
            f"{option_ref('kinds')} {wrong}: no column is score:{wrong}:ATTRIBUTE or "
            f"winner:{wrong}; {known}"
        )
