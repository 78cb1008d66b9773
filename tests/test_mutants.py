"""Faults that are drawn can be planted, each in one place, and are the same by the same seed."""

from __future__ import annotations

from pathlib import Path

from tests.mutants.faults import draw_faults, list_faults
from tests.mutants.reach import order_test_files
from tests.paths import ROOT

SOURCE = b"""LEAST = 3

def find_best(rows, by):
    if by > 2:
        return pick(rows, by)
    return f"{rows[1]}"

QUERY = "SELECT 1 FROM judgements j WHERE j.withdrawn_at IS NULL AND j.id = 1"
"""


def test_each_kind_of_fault_is_found_and_planted_in_its_place() -> None:
    faults = list_faults(Path("core/example.py"), SOURCE)
    planted = {(fault.kind, fault.was, fault.code) for fault in faults}
    assert planted == {
        ("branch left out", "by > 2", "False"),
        ("comparison turned", "by > 2", "(by <= 2)"),
        ("constant moved", "2", "(2 + 1)"),
        ("arguments swapped", "pick(rows, by)", "pick(by, rows)"),
        ("withdrawn votes read", "j.withdrawn_at IS NULL", "1"),
    }
    for fault in faults:
        changed = fault.plant(SOURCE)
        compile(changed, fault.path, "exec")
        assert changed.replace(fault.code.encode(), fault.was.encode(), 1) == SOURCE or (
            fault.code == "1"
        )


def test_a_draw_is_of_all_kinds_and_of_a_file_once() -> None:
    drawn = draw_faults(ROOT, seed=48, many=20)
    assert drawn == draw_faults(ROOT, seed=48, many=20)
    assert len({fault.path for fault in drawn}) == len(drawn) == 20
    assert len({fault.kind for fault in drawn}) == 5


def test_tests_of_the_same_name_are_the_nearest() -> None:
    assert order_test_files(ROOT, "core/store/messages.py")[0] == "tests/store/test_messages.py"
    assert order_test_files(ROOT, "core/prices.py")[0] == "tests/test_prices.py"
