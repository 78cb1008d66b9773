"""Garbage is not collected by force after every script run, however the app is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

AS_STARTED = """
import sys
from streamlit import config
from streamlit.web import bootstrap
config._main_script_path = sys.argv[1]
bootstrap.load_config_options({})
print(config.get_option("runner.postScriptGC"))
"""


def test_a_vote_waits_for_no_forced_collection(tmp_path: Path) -> None:
    for folder in (ROOT, tmp_path):
        command = [sys.executable, "-c", AS_STARTED, str(ROOT / "app.py")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"
