"""Commands of the README and the guides are run, in order, and say what the pages say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from core.__main__ import main
from core.cli import parse
from core.store import Store
from tests.paths import ROOT
from tests.study import fill
from tests.test_documented_tables import parse_table

GUIDES = ("../README", "annotating", "study", "headless", "prolific", "mturk")
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"Save this as `(\S+)`:\n\n((?:^\|.*\n)+)", re.MULTILINE)
COMMAND = "python -m core "
LINE = 120
FORMULA = "- **Formula**: "
MANUAL = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/statistics/*.md")),
]
FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`((?:python -m core|tandem) [^`]+)`")
CALL = re.compile(r"(?:^|\s)(?:python -m core|tandem) (.*)")


def read(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GUIDES)
def test_commands_say_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = read(name)
    monkeypatch.chdir(tmp_path)
    for file, table in TABLE.findall(page):
        parse_table(table).save(tmp_path / file)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "consent.md").write_text("Your answers are kept.", encoding="utf-8")
    if name in ("prolific", "mturk"):  # they begin where a data set and a campaign are
        with Store(tmp_path / "store.sqlite3") as store:
            fill(store, items=4)
    runs = find_commands(page)
    assert runs
    for command, lines in runs:
        words = shlex.split(command)
        assert main(["--store", "store.sqlite3", *words]) == 0, capsys.readouterr().err
        printed = " ".join(capsys.readouterr().out.split())
        assert [line for line in lines if not make_pattern(line).search(printed)] == [], printed


def test_every_command_of_the_manual_is_one_that_there_is(subtests: pytest.Subtests) -> None:
    """Those that are not run, as they ask servers, clusters or models, have words that exist."""
    for path in MANUAL:
        with subtests.test(str(path)):
            page = path.read_text(encoding="utf-8")
            blocks = "\n".join(FENCED.findall(page)).replace("\\\n", " ")
            quoted = (" ".join(words.split()) for words in QUOTED.findall(FENCED.sub("", page)))
            for line in (*blocks.splitlines(), *quoted):
                if found := CALL.search(line):
                    words = shlex.split(found[1], comments=True)
                    is_usage = words[0] == "[--store"
                    if not is_usage and words[0] != "app":  # whose further words are Streamlit's
                        assert parse(words).command in words


def find_commands(page: str) -> list[tuple[str, list[str]]]:
    """Each command of the page's console blocks with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for block in BLOCK.findall(page):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                assert line.startswith(f"$ {COMMAND}"), line
                found.append((line.removeprefix(f"$ {COMMAND}"), []))
            else:
                found[-1][1].append(line)
    return found


def make_pattern(line: str) -> re.Pattern[str]:
    """A shown line: blanks are as many as there are, and three dots stand for what varies."""
    return re.compile(r"\S+".join(map(re.escape, " ".join(line.split()).split("..."))))


def test_a_line_that_is_not_said_is_seen() -> None:
    assert make_pattern("Ada:  https://a/b?c=...").search("x Ada: https://a/b?c=Xy1 z")
    assert not make_pattern("Ada: https://a/b?c=...").search("Ada: https://a/b?d=Xy1")


def test_a_guide_has_a_picture_of_at_most_150_kb() -> None:
    for name in ["annotating", "study", "headless", "coding"]:
        pictures = re.findall(r"!\[[^\]]+\]\((\S+\.png)\)", read(name))
        assert pictures
        for picture in pictures:
            content = (ROOT / "docs" / picture).read_bytes()
            assert content.startswith(b"\x89PNG")
            assert len(content) <= 150_000


def test_the_start_page_has_the_four_ways_first() -> None:
    links = re.findall(r"\]\((\w+\.md)\)", read("index"))
    assert links[:4] == ["annotating.md", "study.md", "headless.md", "coding.md"]


def test_each_figure_with_a_formula_has_a_range_and_says_when_it_lies(
    subtests: pytest.Subtests,
) -> None:
    for path in sorted(ROOT.glob("docs/statistics/*.md")):
        with subtests.test(str(path)):
            page = path.read_text(encoding="utf-8")
            sections = [
                part for part in re.split(r"^##+ ", page, flags=re.MULTILINE) if FORMULA in part
            ]
            assert sections or path.stem in (
                "intervals",
                "budget",
            )  # of every figure; a design of replays
            missing = [
                (section.splitlines()[0], word)
                for section in sections
                for word in ("- **Unit and range**: ", "- **When it lies**: ")
                if word not in section
            ]
            assert missing == []
            assert re.search(r"[Ww]hen (it|intervals) lies?\b", page)
            assert [line for line in page.splitlines() if len(line) > LINE] == []
