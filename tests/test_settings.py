"""A setting is declared once: command line, page and notebook read it there."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields

import pytest
from streamlit.testing.v1 import AppTest

from core.campaigns import Design
from core.cli.settings import add_settings, parse_settings
from core.findings.budget import BudgetSettings
from core.findings.correlation import Reference
from core.findings.leaderboard import RankSettings
from core.findings.separability import Settings
from core.notebook import offered
from core.records import TandemError
from core.settings import check_choices, check_methods, declare, list_settings
from core.statistics import RATINGS
from core.store import Store


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


def _parse(*words: str) -> Brewing:
    parser = argparse.ArgumentParser()
    add_settings(parser.add_argument, Brewing, *list_settings(Brewing))
    return parse_settings(parser.parse_args(words), Brewing)


def test_the_command_line_reads_it() -> None:
    assert _parse() == Brewing()
    said = _parse("--method", "press", "--strength", "5.5", "--cups", "3", "--milk")
    assert said == Brewing("press", 5.5, 3, True)
    assert _parse("--beans", "a", "b") == Brewing(beans=("a", "b"))
    several = _parse("--cake", "plum", "--cake", "pie", "--hours", "7", "9", "--sugar", "2")
    assert several == Brewing(cakes=("plum", "pie"), hours=(7, 9), sugar=2)
    for wrong in (
        ("--method", "tea"),
        ("--cups", "-1"),
        ("--strength", "much"),
        ("--cake", "bread"),
        ("--sugar", "0"),
        ("--hours", "7", "5"),
        ("--heat", "79.5"),
    ):
        with pytest.raises(SystemExit):
            _parse(*wrong)


def test_help_says_choices_and_default() -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser.add_argument, Brewing, *list_settings(Brewing))
    words = parser.format_help()
    assert all(word in words for word in ("{drip,press}", "how (default drip)", "(default 4)"))


def test_what_has_no_default_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser.add_argument, Reference, "against", "level", required=True)
    assert "default" not in parser.format_help()
    words = ["--against", "human", "--level", "item"]
    assert parse_settings(parser.parse_args(words), Reference) == Reference("human", "item")
    with pytest.raises(SystemExit):
        parser.parse_args(words[:2])
    assert "--level" in capsys.readouterr().err
    with pytest.raises(TandemError, match="unknown level 'word'; there are item, system, pool"):
        Reference("human", "word")  # type: ignore[arg-type]


def test_what_a_method_has_no_use_for_is_refused() -> None:
    with pytest.raises(TandemError, match=r"strength 5\.0 belongs to press, not to drip"):
        Brewing(strength=5.0)
    with pytest.raises(TandemError, match="beans a b belongs to drip, not to press"):
        Brewing("press", beans=("a", "b"))
    assert Brewing("press", milk=True).milk, "it does no harm"
    with pytest.raises(TandemError, match="unknown method 'tea'; there are drip, press"):
        Brewing("tea")
    with pytest.raises(TandemError, match="unknown cake 'bread'; there are plum, pie"):
        Brewing(cakes=("pie", "bread"))


def test_a_notebook_takes_it_by_name() -> None:
    def brew(store: Store, settings: Brewing) -> Brewing:
        return settings

    ask = offered(brew, settings=Brewing)
    with Store(":memory:") as store:
        assert ask(store, method="press", strength=5.5) == Brewing("press", 5.5)


def _page() -> None:
    import streamlit as st

    from pages.components.shared.settings import choose_setting, choose_several
    from tests.test_settings import Brewing

    st.write(choose_setting(st.container(), Brewing, "method", width=200))
    st.write(choose_several(st.container(), Brewing, "cakes", ("pie",), width=200))


def test_a_page_offers_its_choices_by_their_labels() -> None:
    app = AppTest.from_function(_page).run()
    assert not app.exception
    assert list(app.selectbox[0].options) == ["by drip", "by press"]
    assert app.selectbox[0].set_value("press").run().markdown[0].value == "press"
    assert (list(app.multiselect[0].options), app.multiselect[0].value) == (
        ["plum cake", "pie"],
        ["pie"],
    )


def test_every_setting_of_a_leaderboard_is_declared() -> None:
    declared = list_settings(RankSettings)
    assert set(declared) == {each.name for each in fields(RankSettings)}
    assert all(set(one.methods) <= set(RATINGS) for one in declared.values())
    assert set(declared["method"].choices) == {"", *RATINGS}
    for request in (BudgetSettings, Settings):
        assert set(list_settings(request)) == {each.name for each in fields(request)}
    weighing = RankSettings("sep-elo", separability="rouge1", sep_alpha=3.0)
    assert weighing.with_plain_elo() == RankSettings("elo")


def test_every_setting_of_a_campaign_is_declared() -> None:
    declared = list_settings(Design)
    assert set(declared) == {each.name for each in fields(Design)}
    assert all(one.label for one in declared.values())
    with pytest.raises(TandemError, match="unknown on failure 'shout'; there are note, warn, stop"):
        Design(on_failure="shout")
