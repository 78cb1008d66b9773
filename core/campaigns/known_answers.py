"""Pairs with a known answer, from a table: for training, and to check attention."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..records import Kind, Outcome, TandemError
from ..seeds import draw
from ..settings import declare
from ..store import Campaign, Check, Store
from .design import Design

ROLES = ("training", "gold")
CHECK_ROLES = (*ROLES, "attention")
COLUMNS = "item, better, worse; and attribute, role (training or gold), tie, feedback"

LEAST_WORDS = 8
"""Fewest words of a text to put in disorder: fewer may still make sense."""


@dataclass(frozen=True)
class NewChecks:
    """Checks to add to a campaign.

    They are a CSV of known answers, if any, with its name; numbers of gold pairs and of attention
    checks; and the checks of another campaign of the data set. Attention checks are `at_most` so
    many where nobody asked for that number. Checks are `copied` where this campaign asks about
    their attributes.
    """

    known: bytes | None = declare(
        None, "CSV of pairs whose answer is known", label="Pairs whose answer is known",
        more="A CSV with the columns item, better, worse (names of systems). It may also have "
        "attribute, role (training or gold), feedback.",
    )  # fmt: skip
    gold: int = declare(
        0, "number of gold pairs to mix in", metavar="N", least=0, label="Gold pairs",
        more="Drawn from the pairs whose answer gold labels know: those of a file, or what was "
        "decided where people disagreed.",
    )  # fmt: skip
    attention: int = declare(
        0, "number of attention checks to add", metavar="N", least=0, label="Attention checks",
        more="Each shows a text beside its own words in disorder.",
    )  # fmt: skip
    seed: int = 0
    file: str = "the file of known answers"
    at_most: bool = False
    copied: tuple[Check, ...] = ()


def add_checks(store: Store, campaign: Campaign, new: NewChecks) -> list[str]:
    """Ask these from now on. Returns a note where there are fewer than `new` wants.

    Raises TandemError for a file that cannot be read or names what is not there, with nothing
    added.
    """
    pairs = list_pair_checks(store, campaign, store.campaigns.attributes(campaign.id), new)
    found = attention(store, campaign, new) if new.attention else []
    add(store, campaign, [*pairs, *found])
    return note_fewer_checks(new, len(found))


def list_pair_checks(
    store: Store, campaign: Campaign, attributes: Sequence[str], new: NewChecks
) -> list[Check]:
    """List the checks that are pairs of texts, or copies, for a campaign about these attributes,
    which need not be stored yet. Raises TandemError as `add_checks` does.
    """
    asked = {store.datasets.attribute_id(campaign.dataset, name) for name in attributes}
    known = [] if new.known is None else _parse_rows(new)
    return [
        *from_rows(store, campaign, known, attributes),
        *(check for check in new.copied if check.attribute in asked),
        *(gold(store, campaign, attributes, new) if new.gold else ()),
    ]


def count_possible_attention(store: Store, new: NewChecks, texts: Collection[int]) -> int:
    """Count the attention checks that `new` wants and that these texts (ids) are long enough
    for.
    """
    enough = filter(_is_long_enough, store.texts.iterate_texts(sorted(texts)))
    return sum(1 for _ in islice(enough, new.attention))


def note_fewer_checks(new: NewChecks, attention: int) -> list[str]:
    """Return the note that only so many of the wanted attention checks can be made, if so."""
    if attention == new.attention:
        return []
    return [
        f"The texts allow {attention} of {new.attention} attention checks: each needs a text of "
        f"{LEAST_WORDS} words or more."
    ]


def _parse_rows(new: NewChecks) -> list[dict[str, str]]:
    try:
        rows = list(csv.DictReader(io.StringIO((new.known or b"").decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise TandemError(f"{new.file} is not a CSV file in UTF-8: {error}") from error
    if not rows:
        raise TandemError(f"{new.file} has no rows: it takes the columns {COLUMNS}")
    return rows


def from_rows(
    store: Store,
    campaign: Campaign,
    rows: Iterable[Mapping[str, object]],
    attributes: Sequence[str],
) -> list[Check]:
    """Build checks from rows of a table: item, better, worse (systems; with `tie` neither is), and,
    where they are there, attribute (else each of those that are asked about), role and feedback.

    Raises TandemError naming the row and what is wrong with it, before anything is stored.
    """
    checks: list[Check] = []
    for number, row in enumerate(rows, start=1):
        texts = {
            name: "" if value is None or value != value else str(value).strip()
            for name, value in row.items()
        }
        checks += _build_checks(store, campaign, attributes, number, texts)
    better: dict[tuple[int, frozenset[int | None]], int] = {}
    for check in checks:
        pair = (check.attribute, frozenset((check.generation_1, check.generation_2)))
        right = 0 if check.expected == "tie" else check.generation_1
        if better.setdefault(pair, right) != right:
            raise TandemError(
                "two rows of the known answers contradict each other about the same pair: "
                "leave one of them out"
            )
    return checks


def _build_checks(
    store: Store, campaign: Campaign, asked: Sequence[str], number: int, row: Mapping[str, str]
) -> list[Check]:
    missing = [name for name in ("item", "better", "worse") if not row.get(name)]
    if missing:
        raise TandemError(
            f"row {number} of the known answers has no {missing[0]}: it takes the columns {COLUMNS}"
        )
    role = row.get("role") or "gold"
    if role not in ROLES:
        raise TandemError(f"row {number} has the role {role!r}: it is training or gold")
    attributes = [row["attribute"]] if row.get("attribute") else asked
    if attributes[0] not in asked:
        raise TandemError(
            f"row {number} is about {attributes[0]!r}; the campaign asks about {', '.join(asked)}"
        )
    sides = []
    for system in (row["better"], row["worse"]):
        generation = store.texts.generation_id(campaign.dataset, row["item"], system)
        if generation is None:
            raise TandemError(
                f"row {number}: data set {campaign.dataset!r} has no text of {system!r} on item "
                f"{row['item']!r}"
            )
        sides.append(generation)
    better, worse = sides
    if better == worse:
        raise TandemError(f"row {number} names {row['better']!r} twice: a pair is of two systems")
    tie = row.get("tie", "").lower() in ("1", "true", "yes", "tie")
    if tie and not Design.from_stored(campaign.design).tie:
        raise TandemError(
            f"row {number} is a tie, which the campaign does not offer: nobody could answer it"
        )
    known = ("tie" if tie else "1", row.get("feedback", ""))
    rows = [store.datasets.attribute_id(campaign.dataset, name) for name in attributes]
    return [Check(role, attribute, better, worse, *known) for attribute in rows]


def attention(store: Store, campaign: Campaign, new: NewChecks) -> list[Check]:
    """Build `new.attention` attention checks: a text of the campaign beside its own words in
    disorder.

    Raises TandemError when the campaign has too few texts that are long enough, unless
    `new.at_most`.
    """
    number = new.attention
    texts = {
        generation: text
        for generation, text in store.campaigns.texts(campaign.id)
        if _is_long_enough(text)
    }
    if len(texts) < number and not new.at_most:
        raise TandemError(
            f"campaign {campaign.name!r} has {len(texts)} texts of {LEAST_WORDS} words or more: "
            f"ask for at most as many attention checks, not {number}"
        )
    taken = sorted(texts, key=lambda generation: draw(new.seed, "attention", generation))[:number]
    attributes = [
        store.datasets.attribute_id(campaign.dataset, name)
        for name in store.campaigns.attributes(campaign.id)
    ]
    return [
        Check("attention", attributes[place % len(attributes)], generation, None, "1")
        for place, generation in enumerate(taken)
    ]


def _is_long_enough(text: str) -> bool:
    """Return whether a text makes no sense in disorder; characters count where spaces are rare."""
    return len(text.split()) >= LEAST_WORDS or len(text) >= 5 * LEAST_WORDS


def gold(
    store: Store, campaign: Campaign, attributes: Sequence[str], new: NewChecks
) -> list[Check]:
    """Draw `new.gold` gold pairs whose answer gold labels know: imported ones, or those decided
    where people disagreed. Raises TandemError when there are too few.
    """
    known: list[Check] = []
    offered = set(Design.from_stored(campaign.design).outcomes)
    for attribute in attributes:
        frame = store.judgement_frames.load_all(campaign.dataset, attribute=attribute)
        frame = frame[(frame["kind"] == Kind.GOLD) & frame["outcome"].isin(offered & set(_KNOWN))]
        number_of = store.datasets.attribute_id(campaign.dataset, attribute)
        columns = ["generation_a", "generation_b", "outcome"]
        known += [
            Check("gold", number_of, first, second, _KNOWN[Outcome(outcome)])
            for first, second, outcome in frame[columns].itertuples(index=False)
        ]
    pairs = {(one.attribute, frozenset((one.generation_1, one.generation_2))): one for one in known}
    if len(pairs) < new.gold:
        raise TandemError(
            f"gold labels answer {len(pairs)} pairs of the campaign: ask for at most as many gold "
            f"pairs, not {new.gold}"
        )
    places = {pair: draw(new.seed, "gold", pair[0], *sorted(map(str, pair[1]))) for pair in pairs}
    return [pairs[pair] for pair in sorted(pairs, key=places.__getitem__)[: new.gold]]


_KNOWN = {Outcome.A: "1", Outcome.B: "2", Outcome.TIE: "tie"}


def add(store: Store, campaign: Campaign, checks: Sequence[Check]) -> None:
    """Ask these from now on. Where the campaign asks about such a pair, too, and nobody was shown
    it yet, it does no longer: nobody gets the same pair twice.
    """
    with store.transaction():
        store.checks.add(campaign.id, checks)
        for check in checks:
            if check.generation_2 is not None:
                pair = (check.generation_1, check.generation_2)
                store.campaigns.drop_pair(campaign.id, check.attribute, pair)


def choose_side_a(store: Store, check: Check, judge: int) -> str:
    """Return the text of a check that this person sees as A: "1" or "2"."""
    screen = store.checks.screens(judge).get(check.id)
    return screen or "12"[store.secrets.draw("check", check.id, judge) % 2]


def expected_outcome(check: Check, a: str) -> Outcome:
    """Return the right answer, when text `a` is shown as A."""
    if check.expected == "tie":
        return Outcome.TIE
    return Outcome.A if check.expected == a else Outcome.B


def shuffle_words(text: str | None, seed: int) -> str:
    """Shuffle a text's own words into an order that makes no sense.

    Its characters are shuffled where it has next to no spaces, as in Chinese.
    """
    words = (text or "").split()
    apart = " "
    if len(words) < 4:
        words, apart = list("".join(words)), ""
    order = np.random.default_rng(seed).permutation(len(words))
    return apart.join(words[place] for place in order)
