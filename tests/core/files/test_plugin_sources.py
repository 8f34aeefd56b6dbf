"""Source files of a class: its module with what it imports from its own project, and nothing of others."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from graphbrick import PPR
from graphbrick.core.files.sources import sources_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package and a module beside it, on the path."""
    files = {
        "plumbing/__init__.py": "",
        "plumbing/pipes.py": "import json, numpy\nfrom plumbing import taps\nfrom .deep.valves import turn\n"
        "class Pipe:\n    def flow(self):\n        from plumbing.late import now\n        return now\n",
        "plumbing/taps.py": "from plumbing.pipes import Pipe\n",  # a circle
        "plumbing/late.py": "now = 1\n",
        "plumbing/other.py": "unused = 1\n",
        "plumbing/deep/__init__.py": "",
        "plumbing/deep/valves.py": "def turn(): ...\n",
        "lone_pipe.py": "import lone_tap\nclass Pipe: ...\n",
        "lone_tap.py": "x = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("plumbing", "lone_")):
            del sys.modules[name]


def names_of(kind: type, folder: Path) -> set[str]:
    return {Path(path).relative_to(folder).as_posix() for path, _ in sources_of(kind)}


def test_a_class_has_the_modules_that_its_own_imports_from_its_package(project: Path) -> None:
    (project / "plumbing/taps.py").write_text("x = 1\n")
    pipe = importlib.import_module("plumbing.pipes").Pipe
    used = {"pipes.py", "__init__.py", "taps.py", "late.py", "deep/__init__.py", "deep/valves.py"}
    assert names_of(pipe, project) == {f"plumbing/{name}" for name in used}


def test_a_module_by_itself_has_those_beside_it_unless_it_is_installed(project: Path) -> None:
    assert names_of(importlib.import_module("lone_pipe").Pipe, project) == {"lone_pipe.py", "lone_tap.py"}
    assert sources_of(PPR) == sources_of(int) == ()


def test_a_file_that_changed_has_another_checksum(project: Path) -> None:
    pipe = importlib.import_module("lone_pipe").Pipe
    before = dict(sources_of(pipe))
    (project / "lone_tap.py").write_text("x = 22\n")
    sources_of.cache_clear()
    after = dict(sources_of(pipe))
    assert {Path(path).name for path in before if before[path] != after[path]} == {"lone_tap.py"}


@pytest.mark.whole
def test_a_script_counts_as_its_definitions(tmp_path: Path) -> None:
    script = tmp_path / "script.py"

    def told(definition: str, work: str) -> str:
        script.write_text(
            f"from graphbrick.core.files.sources import sources_of\n{definition}\nclass Mine: ...\n"
            f"{work}\nprint(sources_of(Mine))\n"
        )
        return subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout

    first = told("def f(): return 1", "n = len([1])")
    assert first == told("def f(): return 1", "print(end='')\nn = len([2])")
    assert first != told("def f(): return 2", "n = len([1])")
