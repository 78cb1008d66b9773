"""Excel files -> rows: written by openpyxl, or as the XML that other programs write."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from core.importing.files import EncodingError, Row, SkippedRecord, columns, preview, rows, sheets
from core.records import TandemError
from tests.paths import CASES

Write = Callable[..., Path]
NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a workbook: a table a sheet, by its name."""

    def write(**tables: Sequence[Sequence[object]]) -> Path:
        book = Workbook()
        book.remove(book.worksheets[0])
        for name, table in tables.items():
            sheet = book.create_sheet(name)
            for row in table:
                sheet.append(row)
        book.save(tmp_path / "a.xlsx")
        return tmp_path / "a.xlsx"

    return write


@pytest.fixture
def write_xml(write: Write, tmp_path: Path) -> Callable[[str], Path]:
    """Writes a workbook with the rows of its sheet as they are in XML."""

    def write_xml(content: str, part: str = SHEET) -> Path:
        path = tmp_path / "b.xlsx"
        with zipfile.ZipFile(write(Sheet=[["a"]])) as old, zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                new.writestr(name, content if name == part else old.read(name))
        return path

    return write_xml


def sheet_xml(data: str, after: str = "", dimension: str = "A1", before: str = "") -> str:
    return (
        f'{before}<worksheet xmlns="{NS}"><dimension ref="{dimension}"/><sheetData>{data}'
        f"</sheetData>{after}</worksheet>"
    )


def cells(path: Path, **how: str) -> list[dict[str, object]]:
    found = list(rows(path, **how))
    assert list(rows(path, **how)) == found
    assert all(isinstance(row, Row) for row in found), found
    return [row.cells for row in found if isinstance(row, Row)]


def test_cells_are_what_their_owner_sees(write: Write) -> None:
    path = write(
        Votes=[
            ["n", "x", "sum", "text", "when", "day", "at", "ok", "error", "na", "empty"],
            [81.0, 0.5, 0.1 + 0.2, " a\nb ", datetime(2024, 5, 1, 10, 9, 59), date(2024, 5, 1),
             time(13, 5), True, "#N/A", "NA", None],
        ]
    )  # fmt: skip
    [row] = cells(path)
    assert row == {
        "n": 81, "x": 0.5, "sum": 0.3, "text": " a\nb ", "when": "2024-05-01T10:09:59",
        "day": "2024-05-01", "at": "13:05:00", "ok": True, "error": None, "na": "NA", "empty": None,
    }  # fmt: skip
    assert [type(row["n"]), type(row["ok"])] == [int, bool]


def test_rows_have_the_numbers_that_the_sheet_shows(write: Write) -> None:
    path = write(S=[["My votes"], [], ["a", "b"], [1, 2], [], [3], [None, None], [None, " "]])
    assert columns(path) == ["a", "b"]
    assert list(rows(path)) == [Row(4, {"a": 1, "b": 2}), Row(6, {"a": 3, "b": None})]
    assert preview(path, 1) == [Row(4, {"a": 1, "b": 2})]


def test_what_stands_beside_the_table_has_its_place_for_a_name(write: Write) -> None:
    path = write(S=[["a", None, "b"], [1, 2, 3, None, "note"]])
    assert columns(path) == ["a", "column 2", "b"]
    assert cells(path) == [{"a": 1, "column 2": 2, "b": 3, "column 5": "note"}]


def test_one_column_with_a_header(write: Write) -> None:
    assert cells(write(S=[["text"], ["x"], ["y"]])) == [{"text": "x"}, {"text": "y"}]


def test_the_first_sheet_that_holds_something_is_read_or_the_one_that_was_named(
    write: Write, tmp_path: Path
) -> None:
    path = write(Empty=[], Hidden=[["h"], [0]], Votes=[["a"], [1]], Texts=[["b"], [2]])
    book = load_workbook(path)
    book["Hidden"].sheet_state = "hidden"
    book.save(path)
    assert list(sheets(path)) == ["Hidden", "Votes", "Texts"]
    assert cells(path) == [{"a": 1}]
    assert cells(path, sheet="Texts") == cells(path, sheet="4") == [{"b": 2}]
    assert cells(path, sheet="Hidden") == [{"h": 0}]
    assert columns(path, sheet="Texts") == ["b"]
    with pytest.raises(TandemError, match=r"'Nope'.*'Empty', 'Hidden', 'Votes', 'Texts'"):
        columns(path, sheet="Nope")
    with pytest.raises(TandemError, match="is empty"):
        columns(path, sheet="Empty")


def test_a_sheet_or_an_encoding_is_for_files_that_have_one(write: Write, tmp_path: Path) -> None:
    path = write(S=[["a"], [1]])
    other = tmp_path / "a.csv"
    other.write_text("a,b\n1,2\n")
    assert not sheets(other)
    for refused, how in ((path, {"encoding": "gb18030"}), (other, {"sheet": "1"})):
        with pytest.raises(TandemError, match="leave out"):
            list(rows(refused, **how))


def test_cells_merged_downwards_count_in_each_row(write: Write) -> None:
    path = write(S=[["item", "system"], ["i1", "x"], [None, "y"], [None, "z"], [None, "w"]])
    book = load_workbook(path)
    book.worksheets[0].merge_cells("A2:A4")
    book.save(path)
    assert [row["item"] for row in cells(path)] == ["i1", "i1", "i1", None]


def test_a_formula_that_was_never_computed_costs_its_row(
    write: Write, write_xml: Callable[[str], Path]
) -> None:
    found = list(rows(write(S=[["a", "b"], [1, "=A2+1"], [2, 3]])))
    assert [type(row) for row in found] == [SkippedRecord, Row]
    assert isinstance(found[0], SkippedRecord)
    assert (found[0].number, found[0].reason[:2]) == (2, "B2")
    computed = (
        '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>'
        '<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>""</f><v></v></c></row>'
        '<row r="3"><c r="A3"><f t="shared" si="0"/><v>3</v></c></row>'
    )
    assert cells(write_xml(sheet_xml(computed))) == [{"a": 2, "b": None}, {"a": 3, "b": None}]


def test_cells_without_a_reference_and_signs_that_xml_cannot_hold(
    write_xml: Callable[[str], Path],
) -> None:
    data = (
        '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><r><t>b</t></r>'
        '<r><t xml:space="preserve"> c</t></r></is></c></row>'
        '<row><c><v>5</v></c><c t="str"><v>x_x000D_&#10;y _x005F_x000D_</v></c></row>'
    )
    assert cells(write_xml(sheet_xml(data))) == [{"a": 5, "b c": "x\r\ny _x000D_"}]


def test_two_cells_far_apart_cost_no_memory(write_xml: Callable[[str], Path]) -> None:
    """Solver leaves cells there, and readers that keep a cell for every place take 550 GB."""
    data = (
        '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>'
        '<row r="2"><c r="A2"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    )
    path = write_xml(sheet_xml(data, dimension="A1:XFD1048576"))
    assert columns(path) == ["a", "b"]
    assert list(rows(path)) == [
        Row(2, {"a": 1, "b": None}),
        Row(1048576, {"a": None, "b": None, "column 16384": 2}),
    ]


def test_other_files_are_refused_with_the_way_out(tmp_path: Path) -> None:
    for name, content, words in [
        ("a.xls", b"\xd0\xcf\x11\xe0", "before 2007.*xlsx"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0" + bytes(512), "before 2007.*xlsx"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0" + bytes(512) + "EncryptedPackage".encode("utf-16-le"),
         "password"),
        ("a.xlsx", b"", "is empty"),
        ("a.xlsx", b"a,b\n1,2\n", "not an Excel file"),
        ("a.csv", b"\xd0\xcf\x11\xe0" + bytes(512), "before 2007"),
        ("a.ods", b"PK\3\4", "save it as .xlsx or CSV"),
    ]:  # fmt: skip
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TandemError, match=words):
            list(rows(tmp_path / name))


def test_what_is_broken_or_an_attack_is_refused(write_xml: Callable[..., Path]) -> None:
    entities = '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>'
    data = '<row r="1"><c r="A1" t="str"><v>&b;</v></c></row>'
    for content, part in (
        (sheet_xml(data, before=entities), SHEET),
        (sheet_xml("<row><c></row>"), SHEET),
        (sheet_xml('<row r="99999999999"><c r="A99999999999"><v>1</v></c></row>'), SHEET),
        (sheet_xml('<row r="1"><c r="ZZZZZZZZ1"><v>1</v></c></row>'), SHEET),
        ("<x", "xl/workbook.xml"),
        ("", "xl/workbook.xml"),
        (f'<styleSheet xmlns="{NS}"><fills><fill/></fills></styleSheet>', "xl/styles.xml"),
    ):
        with pytest.raises(TandemError, match=r"'b\.xlsx'.*broken Excel"):
            list(rows(write_xml(content, part=part)))


def test_a_workbook_bomb(write_xml: Callable[[str], Path], tmp_path: Path) -> None:
    content = write_xml(sheet_xml(f'<row><c t="str"><v>{" " * 2**25}</v></c></row>')).read_bytes()
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    (tmp_path / "c.xlsx").write_bytes(packed.getvalue())
    with pytest.raises(TandemError, match=r"'c\.xlsx'.*\b200 times"):
        list(rows(tmp_path / "c.xlsx"))


@pytest.mark.shared
def test_the_case_of_a_spreadsheet() -> None:
    for name in ["excel.xlsx", "utf16tab.txt"]:
        first, second = cells(CASES / "spreadsheets" / name)
        assert first == {
            "item": "d1", "context": "Café ouvert — naïve “quote”", "gpt": "Ça coûte 5 €",
            "claude": "Élève n°1",
        }  # fmt: skip
        assert second["claude"] == "Öl"


@pytest.mark.shared
def test_the_case_of_chinese_text() -> None:
    path = CASES / "spreadsheets/gbk.csv"
    with pytest.raises(EncodingError) as refused:
        list(rows(path))
    name, words = refused.value.candidates[0]
    assert (name, words in path.read_text("gb18030"), words in str(refused.value)) == (
        "gb18030",
        True,
        True,
    )
    assert cells(path, encoding="gb18030")[1] == {
        "item": "d2", "context": "中文", "gpt": "文本", "claude": "测试",
    }  # fmt: skip
