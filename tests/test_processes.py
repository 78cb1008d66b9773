"""The processes of other tests."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.processes import Command


def _page() -> None:
    import streamlit as st

    st.write("tried")


def test_a_command_is_the_same_after_a_page_was_tried() -> None:
    AppTest.from_function(_page).run()
    command = Command("--help")
    said, _ = command.communicate()
    assert command.returncode == 0, said
