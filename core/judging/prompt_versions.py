"""Templates: the prompts one can choose from, built in or edited. An edit is the next version of
its prompt.
"""

from __future__ import annotations

from core.judging.prompts import GPTSCORE_PROMPTS, PROMPTS, SCORING_PROMPTS, check, check_scoring
from core.records import Prompt, TandemError, setting
from core.store import Store

OF_MARKS = {"score": SCORING_PROMPTS, "g-eval": SCORING_PROMPTS, "gptscore": GPTSCORE_PROMPTS}
"""The built-in prompts of the modes that mark texts; the others compare them."""


def templates(store: Store, mode: str | None = None) -> dict[str, Prompt]:
    """The latest version of each prompt a mode can use by name, and every version by
    "name@version".
    """
    # Built-in ones first, and of each the latest version last, so that its name stands for it.
    built_in = OF_MARKS.get(mode or "", PROMPTS).values()
    suited = [prompt for prompt in store.judges.prompts() if _suits(prompt, mode)]
    every = sorted(dict.fromkeys([*built_in, *suited]), key=lambda prompt: prompt.version)
    versions = {f"{prompt.name}@{prompt.version}": prompt for prompt in every}
    return versions | {prompt.name: prompt for prompt in every}


def template(store: Store, name: str, mode: str | None = None) -> Prompt:
    """The prompt of that name ("comparative", its latest version) or version ("comparative@1").

    Raises TandemError naming what there is.
    """
    there = templates(store, mode)
    if name not in there:
        names = ", ".join(known for known in there if "@" not in known)
        raise TandemError(
            f"unknown prompt {name!r}; there are {names}, or give a {setting('prompt_file')}"
        )
    return there[name]


def edited(store: Store, name: str, text: str, mode: str | None = None) -> Prompt:
    """The version of a prompt that has this wording, or else the next one, which is stored with the
    first judge that uses it. Raises TandemError for a wording that is no prompt.
    """
    _check(text, mode)
    # Of whatever mode: a version is one wording.
    known = {
        *PROMPTS.values(),
        *SCORING_PROMPTS.values(),
        *GPTSCORE_PROMPTS.values(),
        *store.judges.prompts(),
    }
    versions = [prompt for prompt in known if prompt.name == name]
    same = [prompt for prompt in versions if prompt.template == text]
    return (
        same[0]
        if same
        else Prompt(name, 1 + max((prompt.version for prompt in versions), default=0), text)
    )


def _check(text: str, mode: str | None) -> None:
    if mode in OF_MARKS:
        check_scoring(text, mode)
    else:
        check(text)


def _suits(prompt: Prompt, mode: str | None) -> bool:
    try:
        _check(prompt.template, mode)
    except TandemError:
        return False
    return True
