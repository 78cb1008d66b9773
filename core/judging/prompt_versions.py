"""Templates: the prompts one can choose from, built in or edited. An edit is the next version of
its prompt.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..models import Options
from ..records import Prompt, TandemError, option_ref
from ..store import Store
from .forms import COMPARISON_FORMS, MARK_FORMS, VerdictForm, reply_budget
from .prompts import (
    GPTSCORE_PROMPTS,
    PROMPTS,
    SCORING_PROMPTS,
    check,
    check_scoring,
    find_placeholders,
    form_of,
)

OF_MARKS = {"score": SCORING_PROMPTS, "g-eval": SCORING_PROMPTS, "gptscore": GPTSCORE_PROMPTS}
"""The built-in prompts of the modes that mark texts; the others compare them."""


def templates(store: Store, mode: str | None = None) -> dict[str, Prompt]:
    """Return the latest version of each prompt a mode can use by name, and every version by
    "name@version".
    """
    # Built-in ones first, and the latest version of each last: its name alone means that one.
    built_in = OF_MARKS.get(mode or "", PROMPTS).values()
    suited = [prompt for prompt in store.judges.prompts() if _is_suitable(prompt, mode)]
    every = sorted(dict.fromkeys([*built_in, *suited]), key=lambda prompt: prompt.version)
    versions = {f"{prompt.name}@{prompt.version}": prompt for prompt in every}
    return versions | {prompt.name: prompt for prompt in every}


def template(store: Store, name: str, mode: str | None = None) -> Prompt:
    """Return the prompt of that name ("comparative", its latest version) or version
    ("comparative@1").

    Raises TandemError naming what there is.
    """
    there = templates(store, mode)
    if name not in there:
        names = ", ".join(known for known in there if "@" not in known)
        raise TandemError(
            f"unknown prompt {name!r}; there are {names}, or give a {option_ref('prompt_file')}"
        )
    return there[name]


def edit_prompt(
    store: Store,
    name: str,
    text: str,
    mode: str | None = None,
    *,
    form: str = "",
    labels: tuple[str, ...] = (),
) -> Prompt:
    """Return the version of a prompt with this wording, form and labels, or else the next one.

    The next version is stored with the first judge that uses it. If `form` is empty, the form is
    that of the version with the same wording, else the one that the wording asks for. Raises
    TandemError for a wording that is no prompt, and for an unknown form.
    """
    _check(text, mode)
    # In all modes: a version is one wording.
    known = {
        *PROMPTS.values(),
        *SCORING_PROMPTS.values(),
        *GPTSCORE_PROMPTS.values(),
        *store.judges.prompts(),
    }
    versions = sorted((one for one in known if one.name == name), key=lambda one: one.version)
    fitting = [one for one in versions if one.template == text]
    if mode != "gptscore":
        marks = mode in OF_MARKS
        declared = form or next((one.form for one in fitting), "")
        form = form_of(Prompt(name, 0, text, declared), marks=marks).name
        fitting = [
            one
            for one in fitting
            if form_of(one, marks=marks).name == form and (not labels or one.labels == labels)
        ]
    if fitting:
        return fitting[0]
    return Prompt(name, 1 + max((one.version for one in versions), default=0), text, form, labels)


def choose_form(
    store: Store, form: str, mode: str | None = None, prompt: Prompt | None = None
) -> Prompt:
    """Return the version of a prompt that has its verdict stated in a form; without a `prompt` that
    of the first which asks in any form. Raises TandemError where a prompt's own words ask for
    another.
    """
    marks = mode in OF_MARKS
    built_in = SCORING_PROMPTS if marks else PROMPTS
    there = list(filter(asks_in_any_form, built_in.values()))
    prompt = prompt or there[0]
    own = form_of(prompt, marks=marks).name
    if form == own:
        return prompt
    if not asks_in_any_form(prompt):
        raise TandemError(
            f"prompt {prompt.name!r} asks in its own words for the form {own}; prompts that ask in "
            f"any form are: {', '.join(one.name for one in there)}"
        )
    return edit_prompt(store, prompt.name, prompt.template, mode, form=form, labels=prompt.labels)


def forms_of(mode: str | None) -> Mapping[str, VerdictForm]:
    """Return the forms in which a mode has its verdict stated, by name; none where the model says
    nothing.
    """
    if mode == "gptscore":
        return {}
    return MARK_FORMS if mode in OF_MARKS else COMPARISON_FORMS


def declared_form(prompt: Prompt, mode: str | None) -> VerdictForm | None:
    """Return the form of a prompt's verdict, None where the model says nothing."""
    return form_of(prompt, marks=mode in OF_MARKS) if forms_of(mode) else None


def expected_budget(prompt: Prompt | None, options: Options, *, served: bool = True) -> int:
    """Return the most tokens of one reply to a prompt, None for the mode's own; 0 where the model
    says nothing.
    """
    prompt = prompt or next(iter(OF_MARKS.get(options.mode, PROMPTS).values()))
    form = declared_form(prompt, options.mode)
    return reply_budget(form, options.mode, options.max_tokens, served=served) if form else 0


def asks_in_any_form(prompt: Prompt) -> bool:
    """Return whether a prompt asks for its verdict in the words of any declared form."""
    return "answer_form" in find_placeholders(prompt.template)


def _check(text: str, mode: str | None) -> None:
    if mode in OF_MARKS:
        check_scoring(text, mode)
    else:
        check(text)


def _is_suitable(prompt: Prompt, mode: str | None) -> bool:
    try:
        _check(prompt.template, mode)
    except TandemError:
        return False
    return True
