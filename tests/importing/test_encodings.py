"""Which encodings a text may be in: real sentences, in the encodings that people's programs write."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.importing.files import EncodingError, Row, columns, encoding_candidates, preview, rows
from core.records import TandemError

SENTENCES = {
    "请介绍一下北京的历史。北京是中国的首都，有三千多年的历史。": ("gb18030", "gbk"), "你好世界再见": ("gb18030", "gb2312"),
    "請介紹一下臺北的歷史。臺北是臺灣的首都，有三百多年的歷史。": ("big5", "cp950"),
    "東京の歴史を紹介してください。プログラミングを学ぶには？": ("shift_jis", "euc_jp"), "こんにちは": ("shift_jis", "euc_jp"),
    "서울의 역사를 소개해 주세요. 프로그래밍은 어떻게 배우나요?": ("euc_kr", "cp949"),
    "Le café était fermé à Noël, « déjà » dit-elle.": ("windows-1252", "macintosh"),
    "café": ("windows-1252", "macintosh"),
    "Größe und Übung macht den Meister": ("windows-1252", "macintosh"),
    "He said “hi” – it’s 20 €": ("windows-1252",), "Zażółć gęślą jaźń i ćwicz": ("windows-1250",),
    "Příliš žluťoučký kůň úpěl ďábelské ódy": ("windows-1250",),
    "Привет, как дела сегодня?": ("windows-1251", "koi8-r"),
    "Καλημέρα κόσμε, τι κάνεις": ("windows-1253",), "שלום עולם מה שלומך": ("windows-1255",),
    "مرحبا بالعالم كيف حالك": ("windows-1256",), "สวัสดีชาวโลก สบายดีไหม": ("tis-620",),
}  # fmt: skip
CASES = [(sentence, encoding) for sentence, every in SENTENCES.items() for encoding in every]


def test_the_encoding_it_was_written_in_is_among_those_shown(tmp_path: Path) -> None:
    """A sentence shows three, each with the reader's own words, of which one is right."""
    for sentence, encoding in CASES:
        path = tmp_path / "a.csv"
        path.write_bytes(f"item;text\r\nd1;{sentence}\r\n".encode(encoding))
        with pytest.raises(EncodingError) as refused:
            list(rows(path))
        candidates = refused.value.candidates
        right = [name for name, words in candidates[:3] if words.strip() in f"d1;{sentence}"]
        assert right, encoding
        assert dict(candidates)[right[0]] in str(refused.value)
        expected = [Row(1, {"item": "d1", "text": sentence})]
        assert (
            list(rows(path, encoding=right[0])) == list(rows(path, encoding=encoding)) == expected
        )
        assert columns(path, encoding=right[0]) == ["item", "text"]
        assert encoding_candidates(path) == candidates


def test_encodings_in_which_nothing_can_be_read_are_no_candidates(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("item,text\n1,Größe\n".encode("latin-1") + "2,\x81\x8d".encode("latin-1"))
    names = [name for name, _ in encoding_candidates(path)]
    assert "windows-1252" not in names, "0x81 stands for nothing there"
    path.write_bytes(b"item,text\n\xff\x00\x01")
    with pytest.raises(EncodingError) as refused:
        list(rows(path))
    assert refused.value.candidates == []


def test_each_candidate_shows_where_it_differs(tmp_path: Path) -> None:
    """Words that all of them read alike would not help anybody to choose."""
    path = tmp_path / "a.csv"
    path.write_bytes("text,n\néé,1\nà la carte,2\n".encode("windows-1252"))
    words = dict(encoding_candidates(path))
    assert words["windows-1252"].startswith("à la carte")
    assert words["windows-1250"].startswith("ŕ la carte")


def test_broken_bytes_in_utf8_are_told_as_that(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text,n\nGröße,1\nübel,2\n".encode() + b"x\xff,3\n")
    with pytest.raises(EncodingError) as refused:
        list(rows(path))
    assert refused.value.candidates == []
    assert "line 4" in str(refused.value)
    assert "0xff" in str(refused.value)


def test_utf8_that_is_said_to_be_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,n\nÁgua,1\n", encoding="utf-8")
    with pytest.raises(EncodingError, match=r"WINDOWS-1252.*\bUTF-8\b.*encoding"):
        list(rows(path, encoding="windows-1252"))


def test_what_was_read_before_the_fault_stays_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 10_000 + b"x,\xff\n")
    assert preview(path, 2) == [Row(1, {"a": "1", "b": "2"}), Row(2, {"a": "1", "b": "2"})]


def test_every_text_is_read_in_the_encoding_that_was_named(tmp_path: Path) -> None:
    for name in ["a.csv", "a.jsonl", "a.json", "a.txt"]:
        for encoding in ["gb18030", "utf-16", "utf-16-le", "UTF-8", "utf_8_sig"]:
            path = tmp_path / name
            content = "a\tb\n你\t好\n" if name in ("a.csv", "a.txt") else '{"a": "你", "b": "好"}\n'
            path.write_bytes((f"[{content}]" if name == "a.json" else content).encode(encoding))
            assert list(rows(path, encoding=encoding)) == [Row(1, {"a": "你", "b": "好"})]
            assert columns(path, encoding=encoding) == ["a", "b"]


def test_a_byte_order_mark_counts_more_than_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\nü,2\n".encode("utf-8-sig"))
    assert list(rows(path, encoding="windows-1252")) == [Row(1, {"a": "ü", "b": "2"})]


def test_an_encoding_that_is_none(tmp_path: Path) -> None:
    for encoding in ["klingon", "rot13", "idna", "unicode_escape", "\0", "x" * 99]:
        path = tmp_path / "a.csv"
        path.write_text("a,b\n1,2\n")
        with pytest.raises(TandemError, match=r"encoding .*\butf-8\b"):
            list(rows(path, encoding=encoding))


def test_how_a_table_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\nsep=;\na;b\n1;ü\n".encode("cp1252"))
    assert list(rows(path, encoding="latin-1")) == [Row(1, {"a": "1", "b": "ü"})]
