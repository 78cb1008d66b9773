"""A setting is declared once: command line, page and notebook read it there."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.campaigns import Design
from core.catalogue import FINDINGS
from core.cli.command import Command
from core.cli.findings import read_chosen, read_settings
from core.cli.output import CommandAnswer
from core.cli.settings import (
    add_options,
    build_request,
    collect_given,
    include,
    include_changes,
    list_options,
)
from core.findings.budget import BudgetSettings
from core.findings.combine import CombineSettings
from core.findings.correlation import Reference
from core.findings.leaderboard import RankSettings
from core.findings.plan import PlanSettings
from core.findings.separability import Settings
from core.notebook import with_keywords
from core.pairing import Choice
from core.records import Dataset, TandemError
from core.settings import (
    MOST,
    Part,
    check_choices,
    check_methods,
    check_values,
    declare,
    get_default,
    is_many,
    list_settings,
    make_request,
    note_idle,
    sign_settings,
    strip_none,
)
from core.statistics import RATINGS
from core.store import Store

Request = TypeVar("Request")


@dataclass(frozen=True)
class Brewing:
    """A request of a finding that does not exist."""

    method: str = declare("drip", "how", choices={"drip": "by drip", "press": "by press"})
    strength: float = declare(4.0, "how strong", metavar="S", methods=("press",))
    cups: int = declare(2, "how many", metavar="N")
    milk: bool = declare(False, "with milk", methods=("drip",), is_harmless=True)
    beans: tuple[str, ...] = declare((), "of which", metavar="BEAN", methods=("drip",))
    cakes: tuple[str, ...] = declare(
        (), "with which", label="Cakes", option="cake", choices={"plum": "plum cake", "pie": "pie"}
    )
    sugar: int | None = declare(None, "pieces (default: as you like)", metavar="P", least=1)
    hours: tuple[int, ...] = declare((), "when", metavar="H", least=6)
    heat: float = declare(90.0, "how hot", metavar="C", least=80)

    def __post_init__(self) -> None:
        check_choices(self)
        check_methods(self, self.method)


def _make_parser(request_type: type) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    add_options(parser, list_options(request_type).values())
    return parser


def _parse(*words: str, request_type: type[Request] = Brewing) -> Request:  # type: ignore[assignment]
    args = _make_parser(request_type).parse_args(words)
    return build_request(request_type, collect_given(args, list_options(request_type)))


def test_the_command_line_reads_it() -> None:
    assert _parse() == Brewing()
    said = _parse("--method", "press", "--strength", "5.5", "--cups", "3", "--milk")
    assert said == Brewing("press", 5.5, 3, True)
    assert _parse("--beans", "a", "b") == Brewing(beans=("a", "b"))
    several = _parse("--cake", "plum", "--cake", "pie", "--hours", "7", "9", "--sugar", "2")
    assert several == Brewing(cakes=("plum", "pie"), hours=(7, 9), sugar=2)
    for wrong in ("--method tea", "--cups -1", "--strength much", "--cake bread", "--sugar 0",
                  "--hours 7 5", "--heat 79.5"):  # fmt: skip
        with pytest.raises(SystemExit):
            _parse(*wrong.split())


@dataclass(frozen=True)
class Roasting:
    """A request of which nothing has a default."""

    against: str = declare(MISSING, "whose roast", metavar="NAME")
    dose: int = declare(MISSING, "how much", metavar="N")


def test_help_says_choices_and_default() -> None:
    words = _make_parser(Brewing).format_help()
    assert all(word in words for word in ("{drip,press}", "how (default drip)", "(default 4)"))


def test_what_has_no_default_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--against", "human", "--dose", "7"]
    assert _parse(*words, request_type=Roasting) == Roasting("human", 7)
    with pytest.raises(SystemExit):
        _parse(*words[:2], request_type=Roasting)
    assert "--dose" in capsys.readouterr().err
    with pytest.raises(TandemError, match=r"level 'word'.*\bitem\b.*\bpool"):
        Reference("human", "word")  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Serving:
    """A request of a command that does not exist, with another nested in it."""

    dataset: str
    guests: tuple[str, ...] = declare((), "who comes", metavar="NAME", is_positional=True)
    table: tuple[int, int] | None = declare(None, "row and seat", metavar="N", least=1)
    pairs: tuple[tuple[str, str], ...] = declare((), "who sits together", metavar="NAME")
    lamp: bool = declare(True, "a lamp", is_switch=True)
    bill: Path | None = declare(None, "where the bill goes", metavar="FILE")
    tip: float = declare(0.0, "a tip", part=Part("--bill FILE", lambda values: values["bill"]))
    song: str = declare("", "sung aloud", bare="any", is_harmless=True, part=Part(
        "evenings", lambda values: values["hours"] and min(values["hours"]) > 18))  # fmt: skip
    brewing: Brewing = include("cups", "hours", "method")
    changes: Mapping[str, Any] = include_changes(PlanSettings, "top")


def _serve(*words: str) -> tuple[Serving, list[str]]:
    """The request in a command line, and what is said of it."""
    served: list[Serving] = []

    def run(store: Store, request: Serving) -> CommandAnswer:
        served.append(request)
        return CommandAnswer(None)

    command = Command(run, reads=("seed",))
    parser = argparse.ArgumentParser()
    command.add_options(parser)
    args = parser.parse_args(words)
    args.command, args.store, args.words = "serve", Path("s"), ()
    task = command.read(args)
    with Store(":memory:") as store:
        store.datasets.add(Dataset("tea"))
        task.answer(store)
    return served[0], task.notes


def test_a_command_line_becomes_its_request_once() -> None:
    request, notes = _serve(
        "Ada", "Ben", "--table", "2", "3", "--pairs", "a", "b", "--pairs", "c", "d", "--no-lamp",
        "--bill", "b.txt", "--tip", "1.5", "--cups", "4", "--top", "1", "--song", "--hours", "19",
    )  # fmt: skip
    assert (request, notes) == (
        Serving(
            dataset="tea", guests=("Ada", "Ben"), table=(2, 3), pairs=(("a", "b"), ("c", "d")),
            lamp=False, bill=Path("b.txt"), tip=1.5, song="any", changes={"top": 1},
            brewing=Brewing(cups=4, hours=(19,)),
        ),
        [],
    )  # fmt: skip
    assert _serve()[0] == Serving(dataset="tea", brewing=Brewing(), changes={})


def test_an_option_that_plays_no_part_is_refused_or_noted() -> None:
    with pytest.raises(TandemError, match=r"--tip 2\.0 .*--bill FILE: .*give --bill"):
        _serve("--tip", "2")
    with pytest.raises(SystemExit):
        _serve("--milk")
    _, notes = _serve("--song", "loud", "--subset", "odd", "--seed", "3")
    song, subset = notes
    assert "--song loud" in song
    assert "evenings" in song
    assert "--subset" in subset
    assert "`serve`" in subset


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"strength": 5.0}, r"strength 5\.0 .*\bpress\b.*\bdrip"),
    ({"method": "press", "beans": ("a", "b")}, r"beans a b\b.*\bdrip\b.*\bpress"),
    ({"method": "tea"}, r"method 'tea'.* drip, press"),
    ({"cakes": ("pie", "bread")}, r"cake 'bread'.* plum, pie"),
    ({"hours": (7, 5)}, r"hours .*\b5\b.*\b6\b"),
    ({"sugar": 0}, r"sugar .*\b0\b.*\b1\b"),
    ({"heat": 79.5}, r"heat .*\b79\.5\b.*\b80\b"),
]


def test_what_a_method_has_no_use_for_is_refused() -> None:
    assert Brewing("press", milk=True).milk, "it does no harm"
    for values, words in REFUSED:
        with pytest.raises(TandemError, match=words):
            Brewing(**values)


def test_a_notebook_takes_it_by_name() -> None:
    def brew(store: Store, settings: Brewing) -> Brewing:
        return settings

    ask = with_keywords(brew)
    with Store(":memory:") as store:
        assert ask(store, method="press", strength=5.5) == Brewing("press", 5.5)


def _page() -> None:
    import streamlit as st

    from pages.components.shared.settings import choose_setting
    from tests.test_settings import Brewing

    st.write(choose_setting(st.container(), Brewing, "method", width=200))
    st.write(choose_setting(st.container(), Brewing, "cakes", value=("pie",), width=200))


def test_a_page_offers_its_choices_by_their_labels() -> None:
    app = AppTest.from_function(_page).run()
    assert not app.exception
    assert list(app.selectbox[0].options) == ["by drip", "by press"]
    assert app.selectbox[0].set_value("press").run().markdown[0].value == "press"
    cakes = app.multiselect[0]
    assert (list(cakes.options), cakes.value) == (["plum cake", "pie"], ["pie"])


def test_every_setting_is_an_option() -> None:
    for request_type in [CombineSettings, PlanSettings]:
        assert _parse(request_type=request_type) == request_type()
        said: Any = _parse("--people", "Ada", "Ben", "--people", "Cy", request_type=request_type)
        assert said.people == ("Ada", "Ben", "Cy")


def test_a_signature_says_what_departs_or_is_always_said() -> None:
    plain = sign_settings(RankSettings(), "over", "resolve", method="win-ratio")
    assert plain == {"ties": "half", "boot": 100}
    elo = sign_settings(RankSettings("elo", k=8.0, bootstrap=0), "method", method="elo")
    assert elo == {"ties": "half", "boot": 0, "k": "8"}
    controlled = RankSettings(control=("length", "bold"), position_term=True, reweight=True)
    assert controlled.signature_values() == {
        "ties": "half", "position": "term", "control": "length+bold", "reweight": "1/inclusion",
        "boot": 100, "resolve": None,
    }  # fmt: skip
    weighing = RankSettings("sep-elo", separability="rouge1", sep_alpha=3.0, bootstrap=0)
    assert list(weighing.signature_values().items()) == [
        ("ties", "half"), ("k", "4"), ("separability", "rouge1"), ("T", "0.4"), ("alpha", "3"),
        ("beta", "6"), ("boot", 0), ("resolve", None),
    ]  # fmt: skip


def test_a_number_that_may_be_left_out_has_a_least() -> None:
    assert _parse("--top", "2", request_type=PlanSettings) == PlanSettings(top=2)
    for wrong in ("0", "-1", "nan"):
        with pytest.raises(SystemExit):
            _parse("--top", wrong, request_type=PlanSettings)


DERIVED = {Choice: {"dataset", "origin", "settled", "trusted"}}
"""Fields that nobody chooses."""


def test_every_setting_is_declared() -> None:
    for request in (
        CombineSettings,
        PlanSettings,
        RankSettings,
        BudgetSettings,
        Settings,
        Design,
        Choice,
    ):
        chosen = {each.name for each in fields(request)} - DERIVED.get(request, set())
        assert set(list_settings(request)) == chosen
    declared = list_settings(RankSettings)
    assert all(set(one.methods) <= set(RATINGS) for one in declared.values())
    assert set(declared["method"].choices) == {"", *RATINGS}
    weighing = RankSettings("sep-elo", separability="rouge1", sep_alpha=3.0)
    assert weighing.with_plain_elo() == RankSettings("elo")
    assert all(one.label for one in list_settings(Design).values())
    with pytest.raises(TandemError, match=r"on failure 'shout'.*\bnote\b.*\bstop"):
        Design(on_failure="shout")


KINDS = {kind for declared in FINDINGS.values() for kind in declared.requests.values()}
EVERY_SETTING = sorted(((kind, name) for kind in KINDS for name in list_settings(kind)), key=str)
"""Every declared setting of every finding."""
VALUES: dict[type, tuple[object, ...]] = {
    str: ("x", ""), bool: (True, False), int: (1, -1, MOST + 1), float: (0.5, math.nan, math.inf),
    dict: ({"x": 1},), object: (object(),),
}  # fmt: skip
"""Values of each type, of which only the first is one that every setting of the type may have."""


def _list_wrong(hint: Any) -> list[object]:
    """Values that a setting of this type cannot have."""
    kind = strip_none(hint)
    inner = get_args(kind)[0] if get_origin(kind) in (tuple, Literal) else kind
    leaf = str if isinstance(inner, str) else inner
    right = {leaf} | ({int} if leaf is float else set())
    wrong = [value for of, values in VALUES.items() if of not in right for value in values]
    wrong += VALUES[leaf][1:] if leaf in (int, float) else ()
    wrong += [] if kind is not hint else [None]
    return [*wrong, [wrong[0]]] + ([] if is_many(kind) else [[VALUES[leaf][0]], ()])


def test_a_value_of_another_type_is_refused_by_name() -> None:
    for kind, name in EVERY_SETTING:
        hint = get_type_hints(kind)[name]
        usual = get_default(kind, name)
        for wrong in _list_wrong(hint):
            with pytest.raises(TandemError) as refused:
                check_values(kind, {name: wrong})
            begins = f"⟦{name}⟧ is {repr(wrong)[:60]}; it should be "
            assert refused.value.sentence.startswith(begins)
        part = list_settings(kind)[name].part
        if usual is not MISSING and not part:
            assert check_values(kind, {name: usual}) == {name: usual}


def test_values_become_those_of_the_declared_type() -> None:
    given = {"cups": np.int64(3), "heat": 85, "beans": "a", "hours": pd.Series([7, 9]), "tea": 1}
    made = make_request(Brewing, given)
    assert made == Brewing(cups=3, heat=85, beans=("a",), hours=(7, 9))
    assert [type(each) for each in (made.cups, *made.hours)] == [int] * 3


def test_what_is_needed_and_missing_is_named() -> None:
    for given, missing in (({}, "against"), ({"against": "human"}, "dose")):
        with pytest.raises(TandemError, match=rf"^{missing}\b.*\bneeded\b"):
            make_request(Roasting, given)


@dataclass(frozen=True)
class Baking:
    """Another, with settings that play a part in some requests."""

    oven: str = declare("gas", "which", choices={"gas": "by gas", "wood": "by wood"})
    logs: int = declare(3, "how many", part=Part("oven wood", lambda given: given["oven"] == "wood",
                                                 "oven"))  # fmt: skip
    lid: bool = declare(
        False, "with a lid", is_harmless=True, part=Part("tins", lambda given: False)
    )


def test_a_setting_without_a_part_is_refused_or_noted() -> None:
    assert make_request(Baking, {"oven": "wood", "logs": 4}) == Baking("wood", 4)
    with pytest.raises(TandemError, match=r"^logs 4 .*\boven wood\b.*\bgas"):
        make_request(Baking, {"logs": 4})
    assert make_request(Baking, {"lid": True}) == Baking(lid=True)
    [note] = note_idle(Baking, {"lid": True})
    assert note.startswith("⟦lid⟧ ")
    assert "tins" in note


IDLE = (
    ("accuracy", {"against": "gold", "rater": "anna"}),
    ("agreement", {"encoder": "x"}),
    ("bias", {"encoder": "x"}),
    ("correlation", {"against": "human", "level": "system", "constant": "zero"}),
    ("correlation", {"against": "human", "level": "item", "bases": ["llama"]}),
    ("leaderboard", {"bootstrap": 0, "resolve": "pairwise"}),
    ("separability", {"metric": "rouge1", "precision": "bf16"}),
)


def test_python_the_report_and_the_command_line_refuse_the_same() -> None:
    """The last of these values plays no part beside those before it."""
    for name, values in IDLE:
        idle = [*values][-1]
        declared = FINDINGS[name]
        for door in (declared.check_settings, declared.make_settings):
            with pytest.raises(TandemError, match=rf"^{idle.replace('_', ' ')} .* belongs to "):
                door(values)
        words = []
        for key, value in values.items():
            flag = f"--{key.replace('_', '-')}"
            words += [flag, str(value[0] if isinstance(value, list) else value)]
        with pytest.raises(TandemError, match=rf"^{flag} .* belongs to "):
            read_settings(declared, words)
        rest = {key: value for key, value in values.items() if key != idle}
        declared.check_settings(rest)


def test_a_setting_of_a_report_is_given_once() -> None:
    with pytest.raises(TandemError, match=r"--set accuracy\.against .*\b2 times"):
        read_chosen(["accuracy.against=gold", "accuracy.against=scores"])
    assert read_chosen(["combine.people=anna", "combine.people=ben"]) == {
        "combine": {"people": ("anna", "ben")}
    }
