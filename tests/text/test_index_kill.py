"""Indexing and updating that are killed: a few of the kills of `benchmarks/index_kill.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "index_kill.py"


@pytest.mark.posix
def test_a_killed_run_loses_nothing_and_extracts_nothing_twice(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--kills", "1", "--documents", "6", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("as it should be") == 2
