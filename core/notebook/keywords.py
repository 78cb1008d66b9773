"""Keywords of a notebook's functions: the fields of the requests that they stand for."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from functools import partial, reduce
from textwrap import fill
from types import GenericAlias
from typing import Any, TypeVar, get_args, get_type_hints

from ..catalogue import list_requests
from ..findings.judgements import Finding
from ..records import TandemError, plain_name, render_options
from ..settings import is_many, is_nested, list_settings, make_request, note_idle
from ..store import Store

R = TypeVar("R")
WIDTH = 100  # of a line of `help`
EMPTY = "the store is empty: import something"


def with_keywords(find: Callable[..., R], name: str = "") -> Callable[..., R]:
    """Return `find(store, selection=..., ...)`, which takes each request whole or by its fields.

    A field that several requests have goes to all of them. An optional request is made only if one
    of its fields is given. The function raises TypeError for an unknown keyword, and for a field of
    a request that is given whole.
    """
    name, requests = name or find.__name__, list_requests(find)
    parameters = inspect.signature(find).parameters
    own = {one: parameters[one] for one in parameters if one not in ("store", *requests)}
    optional = {one for one in requests if parameters[one].default is None}

    def ask(store: Store, *given: object, **words: Any) -> R:
        whole = _match_requests(name, given, requests)
        worded = {one: kind for one, kind in requests.items() if one not in whole}
        check_words(name, words, worded.values(), own)
        made: dict[str, Any] = {one: words[one] for one in own if one in words}
        rest = {word: value for word, value in words.items() if word not in own}
        for one, kind in worded.items():
            needed = one not in optional or rest.keys() & list_words(kind)
            made[one] = build_request(kind, store, rest) if needed else None
        result = find(store, **made, **whole)
        if not isinstance(result, Finding):
            return result
        notes = [note for kind in worded.values() for note in note_idle(kind, rest)]
        return replace(result, notes=[*result.notes, *notes]).name_settings(plain_name)  # type: ignore[return-value]

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"{inspect.getdoc(find)}\n\n{_describe_words(requests.values())}"
    setattr(ask, "__signature__", _sign(find, requests.values(), own))  # noqa: B010
    return ask


def _describe_words(kinds: Iterable[type]) -> str:
    """Render what each keyword means, as the requests declare it, for `help`."""
    settings = {name: each for kind in kinds for name, each in list_settings(kind).items()}
    meanings = [f"{name}: {each.help}" for name, each in settings.items()]
    plain = (render_options(one, plain_name) for one in meanings)
    wrap = partial(fill, width=WIDTH, initial_indent=4 * " ", subsequent_indent=8 * " ")
    return "\n".join(["Args:", *map(wrap, plain)])


def list_words(kind: type) -> dict[str, inspect.Parameter]:
    """Return the fields of a request, and of requests nested in it, as keywords.

    A field for several values also takes a single value.
    """
    hints, words = get_type_hints(kind), dict[str, inspect.Parameter]()
    for each in fields(kind):
        if is_nested(each, hints):
            words |= list_words(hints[each.name])
            continue
        hint, default = hints[each.name], "" if each.name == "dataset" else each.default
        if is_many(hint):
            one = get_args(hint)[0]
            hint = one | GenericAlias(Iterable, (one,))
        words[each.name] = inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=hint,
        )
    return words


def build_request(kind: type[R], store: Store, words: Mapping[str, Any]) -> R:
    """Make a request of a kind from those keywords that are its fields.

    Raises TandemError if no data set is named, and the store has several or none.
    """
    if "dataset" in list_words(kind) and not words.get("dataset"):
        names = store.datasets.names()
        if len(names) != 1:
            there = f"there are {', '.join(names)}" if names else EMPTY
            raise TandemError(f"name the dataset; {there}")
        words = {**words, "dataset": names[0]}
    return make_request(kind, words)


def _match_requests(
    name: str, given: Sequence[object], requests: Mapping[str, type]
) -> dict[str, object]:
    """Return the requests that are given whole, by their parameters.

    Raises TypeError for anything else, and for two requests of a kind.
    """
    whole: dict[str, object] = {}
    for each in given:
        one = next((one for one, kind in requests.items() if isinstance(each, kind)), None)
        if one is None or one in whole:
            kinds = ", ".join(kind.__name__ for kind in requests.values())
            raise TypeError(f"{name} takes one {kinds} each, or their fields by name; not {each!r}")
        whole[one] = each
    return whole


def check_words(
    name: str, words: Mapping[str, Any], kinds: Iterable[type], own: Iterable[str]
) -> None:
    """Check that each word is a field of these requests or one of the function's `own`.

    Raises TypeError for an unknown word.
    """
    known = dict.fromkeys([word for kind in kinds for word in list_words(kind)] + [*own])
    for word in words:
        if word not in known:
            raise TypeError(f"{name} takes no {word!r}; it takes {', '.join(known)}")


def _sign(
    find: Callable[..., Any], requests: Iterable[type], own: Mapping[str, inspect.Parameter]
) -> inspect.Signature:
    """Build a signature for help() and completion: every field by name, with type and default."""
    hints, parameter = get_type_hints(find), inspect.Parameter
    words = {
        one: given.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[one])
        for one, given in own.items()
    }
    for kind in requests:
        for word, declared in list_words(kind).items():
            words.setdefault(word, declared)  # of a word of several requests the first one's
    whole = reduce(operator.or_, requests)
    return inspect.Signature(
        [
            parameter("store", parameter.POSITIONAL_OR_KEYWORD, annotation=Store),
            parameter("requests", parameter.VAR_POSITIONAL, annotation=whole),
            *words.values(),
        ],
        return_annotation=hints["return"],
    )
