"""Named entities of a text: by a spaCy model where one is installed, else by rules.

The rules (`rules`, version 1) know no names, only how English writes them. A name is a run of
capitalised words: with "of", "for", "the" or "de" inside, and "and" after such a word ("Department
of Housing and Urban Development"); a word with a capital inside (iPhone) or of capitals only (FDA)
is one, too. Titles, days and months are not names. The first word of a sentence is taken for a name
unless it is a common opener (`OPENERS`) or occurs in the text in small letters as well. Writing
without capitals has no entities. `tests/evidence/results.md` says how well the rules do on
sentences labelled by hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..records import TandemError
from .metric import DeclaredMetric, MetricPace, OfFeatures


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"[^\W_]+(?:[&'’.\-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’][sS]$")
_JOINS = {"of", "for", "the", "de", "del", "la", "van", "von", "der", "al", "bin", "&"}
_TITLES = _word_set(
    """Mr Mrs Ms Miss Dr Prof Sir Lady Lord President Senator Sen Rep Gov Judge Justice Captain Capt
    Sgt Lt Gen Detective Officer Photographer Professor Pope King Queen Prince Princess St"""
)
_DATES = _word_set(
    """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
    June July August September October November December Christmas Easter"""
)

OPENERS = _word_set(
    """a about above according across additionally after afterwards again against ago ahead all
    almost along already also although always am among an and another any anyone anything are around
    as ask asked at authorities away back because before behind being below besides between both but
    by can cannot children clearly could critics currently dad daily days death despite did
    different do does doing don don't down due during each earlier early eight either else even
    eventually every everybody everyone everything experts family few finally first five following
    for former forty four fourteen fourth friends from further furthermore girl girls given
    government had half has have having he he'd he's hello her here hers herself hey hi high him
    himself his hours how however hundreds i i'd i'll i'm i've if important in indeed initially
    inside instead interestingly into investigators is isn't it it's its itself just last lastly
    late lately later lawmakers lawyers least less let let's like likely little local long many may
    maybe me meanwhile media men might million minutes mom more moreover most mother much must my
    myself near nearly neither never nevertheless new next nine no nobody none nor not nothing now
    of off officer officers officials often oh ok okay old on once one only onto or other others
    otherwise our ours out outside over overall parents part participants passengers past people
    perhaps person please plus police politicians previously protesters recent recently reportedly
    reports researchers residents same scientists second see seven several she she's should
    similarly since six so social soldiers some somebody someone something sometimes soon still
    students such suddenly supporters sure ten than thank thanks that that's the their them
    themselves then there there's thereafter therefore these they they're they've third this those
    though thousands three through throughout thus to today together tomorrow tonight too towards
    twelve twenty twice two ultimately under unfortunately unless unlike until up upon us users
    usually various very victims video videos was we we'll we're we've week weeks well were what
    what's whatever when whenever where whether which while who who's whoever whole whom whose why
    will with within without witnesses woman women workers would year years yes yesterday yet you
    you're your yours"""
)


MODELS = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm", "xx_ent_wiki_sm")
"""spaCy's own models, the best first."""

NUMBERS = {"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"}
"""What spaCy marks but is no name."""


class Rules:
    """The rules described above. For English; a first guess elsewhere."""

    signature = "rules:1"

    def load(self) -> None:
        """Load nothing: rules need no model."""

    def entities(self, texts: Sequence[str]) -> list[list[str]]:
        """Extract the names in each text by rules, in order."""
        return [_names(text) for text in texts]


def installed_models() -> list[str]:
    """List those of MODELS that can be loaded, the best first."""
    return [name for name in MODELS if _version(name)] if _version("spacy") else []


class SpacyEntities:
    """The names a spaCy model finds. Raises TandemError when that model is not installed."""

    def __init__(self, name: str) -> None:
        number = _version(name) if _version("spacy") else ""
        if not number:
            there = ", ".join(["rules", *installed_models()])
            raise TandemError(
                f"the spaCy model {name!r} is not installed: `pip install spacy` and "
                f"`python -m spacy download {name}`, or take one of: {there}"
            )
        self._name = name
        self.signature = f"{name}:{number}"

    def load(self) -> None:
        """Load the spaCy model."""
        _ = self._model

    @cached_property
    def _model(self) -> Any:
        import spacy

        try:
            return spacy.load(self._name)
        except Exception as error:  # a package that is no model, or one made for another spaCy
            said = (str(error).strip().splitlines() or [""])[0][:200]
            raise TandemError(f"cannot load the spaCy model {self._name!r}: {said}") from error

    def entities(self, texts: Sequence[str]) -> list[list[str]]:
        """Extract the names in each text, without numbers; half characters are replaced."""
        readable = [text.encode(errors="replace").decode() for text in texts]
        return [
            [entity.text for entity in read.ents if entity.label_ not in NUMBERS]
            for read in self._model.pipe(readable)
        ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def make_extractor(name: str = "") -> Rules | SpacyEntities:
    """Make the extractor `rules`, or the spaCy model of that name; '' is the first spaCy model that
    is installed, else the rules.

    Raises TandemError for a model that is not installed.
    """
    found = name or next(iter(installed_models()), "rules")
    return Rules() if found == "rules" else SpacyEntities(found)


def normalise_entity(entity: str) -> str:
    """Return an entity as it is compared: without case, accents of width, dots, a leading article
    or a possessive.
    """
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", entity).strip())
    text = text.casefold().replace(".", "").removeprefix("the ")
    return " ".join(text.split())


def _names(text: str) -> list[str]:
    found: list[str] = []
    run: list[str] = []  # the words of the name that is being read
    waiting: list[str] = []  # small words that belong to it if a capitalised one follows
    small = {match.group() for match in _WORD.finditer(text) if match.group().islower()}
    end, title = 0, False

    def close() -> None:
        if run:
            found.append(" ".join(run))
        run.clear()
        waiting.clear()

    for match in _WORD.finditer(text):
        word, gap = match.group(), text[end : match.start()]
        initial = len(run) > 0 and len(run[-1]) == 1 and run[-1].isupper()
        abbreviated = (title or initial) and gap.strip() == "."
        opens = (
            not end
            or (not abbreviated and any(mark in gap for mark in ".!?\n:"))
            or (not end and not gap.strip())
        )
        if gap.strip() not in ("", "&") and not abbreviated:
            close()
        end, plain = match.end(), _POSSESSIVE.sub("", word)
        title = plain in _TITLES
        if title or plain in _DATES:
            close()
        elif _is_name(plain) and not (opens and _is_opener(plain, small)):
            run.extend([*waiting, plain])
            waiting.clear()
            if plain != word:  # what follows a possessive is another name
                close()
        elif run and _can_join(word, run, waiting):
            waiting.append(word)
        else:
            close()
    close()
    return found


def _can_join(word: str, run: list[str], waiting: list[str]) -> bool:
    """Return whether a small word may stand inside a name that begins with `run`."""
    if waiting:
        return waiting == ["of"] and word == "the"
    return word in _JOINS or (word == "and" and not _JOINS.isdisjoint(run))


def _is_name(word: str) -> bool:
    """Return whether a word has a capital at its beginning or inside. "I" and "A" do not count."""
    return (
        any(letter.isupper() for letter in word)
        and word not in ("I", "A")
        and not _POSSESSIVE.match(word[1:])
    )


def _is_opener(word: str, small: set[str]) -> bool:
    """Return whether a sentence may well begin with this word though it is no name."""
    only_first = word[0].isupper() and not any(letter.isupper() for letter in word[1:])
    return only_first and (
        word.lower() in OPENERS
        or word.lower() in small
        or word.lower().replace("’", "'") in OPENERS
    )


class Entity(OfFeatures):
    """Jaccard similarity of the sets of normalised named entities (Ghosh et al. 2024); two texts
    without any are alike.

    The authors' script counts one side of the union twice; here the union is one.
    """

    name = "entity"
    blanks = False

    def __init__(self, extractor: str = "") -> None:
        self._extractor = make_extractor(extractor)

    @property
    def signature(self) -> str:
        return f"entity|{self._extractor.signature}"

    def load(self) -> None:
        self._extractor.load()

    def features(self, texts: Sequence[str]) -> list[frozenset[str]]:
        return [
            frozenset(map(normalise_entity, found)) for found in self._extractor.entities(texts)
        ]

    def compare(self, one: frozenset[str], other: frozenset[str]) -> float:
        return len(one & other) / len(one | other) if one or other else 1.0


ENTITY = DeclaredMetric(
    "entity",
    "names and numbers in common",
    "Jaccard similarity of the named entities",
    lambda encoder, precision: Entity(encoder),
    MetricPace(load=0.1, characters=500_000, pairs=60_000),
    ("encoder",),
)
