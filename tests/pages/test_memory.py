"""Garbage is not collected by force after every script run, however the app is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

AS_STARTED = """
import sys
from streamlit import config
from streamlit.web import bootstrap
config._main_script_path = sys.argv[1]
bootstrap.load_config_options({})
print(config.get_option("runner.postScriptGC"))
"""


@pytest.mark.parametrize("folder", ["the repository", "another"])
def test_a_vote_waits_for_no_forced_collection(folder: str, tmp_path: Path) -> None:
    cwd = ROOT if folder == "the repository" else tmp_path
    done = subprocess.run(
        [sys.executable, "-c", AS_STARTED, str(ROOT / "app.py")],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
