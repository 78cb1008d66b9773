"""Templates: the prompts one can choose from, built in or edited. An edit is the next version of its prompt."""

from __future__ import annotations

from core.prompts import PROMPTS, check
from core.records import Prompt, TandemError
from core.store import Store


def templates(store: Store) -> dict[str, Prompt]:
    """The latest version of each prompt by name, and every version by "name@version"."""
    # Built-in ones first, and of each the latest version last, so that its name stands for it.
    every = sorted(dict.fromkeys([*PROMPTS.values(), *store.prompts()]), key=lambda prompt: prompt.version)
    versions = {f"{prompt.name}@{prompt.version}": prompt for prompt in every}
    return versions | {prompt.name: prompt for prompt in every}


def template(store: Store, name: str) -> Prompt:
    """The prompt of that name ("comparative", its latest version) or version ("comparative@1").

    Raises TandemError naming what there is.
    """
    there = templates(store)
    if name not in there:
        names = ", ".join(known for known in there if "@" not in known)
        raise TandemError(f"unknown prompt {name!r}; there are {names}, or give a --prompt-file")
    return there[name]


def edited(store: Store, name: str, text: str) -> Prompt:
    """The version of a prompt that has this wording, or else the next one, which is stored with the first judge that uses
    it. Raises TandemError for a wording that is no prompt."""
    check(text)
    versions = [prompt for prompt in templates(store).values() if prompt.name == name]
    same = [prompt for prompt in versions if prompt.template == text]
    return same[0] if same else Prompt(name, 1 + max((prompt.version for prompt in versions), default=0), text)
