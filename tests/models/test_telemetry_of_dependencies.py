"""No dependency keeps or sends usage data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

# Any look-up, and any connection but to a socket of this machine, ends the process with 9.
GUARD = """
import os, socket, sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto"):
        place = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
        if not isinstance(place, (str, bytes)) or event.startswith("socket.get"):
            os.write(2, f"{event} {place}".encode())
            os._exit(9)
sys.addaudithook(refuse)
"""
PROGRAMS = {
    "MiniLM": "from graphbrick import MiniLM; MiniLM().encode(['a text'])",
    "public names": "import graphbrick; [getattr(graphbrick, name) for name in graphbrick.__all__]",
    "tune": "import graphbrick, optuna; optuna.create_study().optimize(lambda trial: 0.0, n_trials=1)",
    "server": "from graphbrick.serve.app import create_app; import mcp, fastapi, uvicorn",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_file_is_written_and_no_name_looked_up(name, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "HF_", "ORT_"))}
    environment |= {"HOME": str(home), "USERPROFILE": str(home), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(
        [sys.executable, "-c", GUARD + PROGRAMS[name]], env=environment, cwd=home, capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()
    assert [str(file.relative_to(home)) for file in home.rglob("*") if file.is_file()] == []
