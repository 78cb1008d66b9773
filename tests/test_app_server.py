"""The server that tests and benches start: nothing of it is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT
from tests.study import wait_for

PROGRAM = """
import sys, time
from pathlib import Path
from tests.app_server import serving

with serving(Path(sys.argv[1])) as server:
    print(server.process, flush=True)
    time.sleep(600)
"""


def test_a_program_that_is_told_to_end_takes_its_server_with_it(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "store.sqlite3")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    server = Path("/proc", program.stdout.readline().strip())
    assert server.exists()
    program.terminate()
    assert program.wait(60) == 128 + 15
    wait_for(lambda: not server.exists())
