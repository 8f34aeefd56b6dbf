"""The example of a plug-in: built, installed, and used in a new process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pages import ROOT

pytestmark = pytest.mark.whole

# Commands of one process, as each one would compile kernels again.
PROGRAM = """
import sys
from graphbrick.cli.app import main

for line in sys.stdin.read().splitlines():
    print("$", line, flush=True)
    try:
        main(line.split(" | "))
    except SystemExit as end:
        print("exit", end.code, flush=True)
"""
TGF = """\
1 Kenya
2 Nairobi
3 Uganda
4 Tanzania
5 Kampala
6 Atlantis
#
1 2 capital
1 3 borders
1 4 borders
3 5 capital
"""
QUESTION = "What is the capital of Uganda?"


def run(folder: Path, *packages: Path, commands: list[str]) -> tuple[dict[str, str], str]:
    """Return the output of commands in a new process with packages installed, and what it wrote to stderr."""
    path = os.pathsep.join([*map(str, packages), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        check=True,
    )
    parts = done.stdout.split("$ ")[1:]
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts}, done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a wheel of the example was unpacked into, which is how pip installs one."""
    work = tmp_path_factory.mktemp("plugin")
    project = shutil.copytree(ROOT / "examples" / "plugin", work / "project")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, str(work)], cwd=project, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(work / made.stdout.split()[-1]) as wheel:
        wheel.extractall(work / "installed")
    return work / "installed"


def test_all_that_the_package_adds_works_in_a_new_process(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "kenya.tgf").write_text(TGF, encoding="utf-8")
    pipeline = "ShortestPaths() >> Rerank(SharedWords(shortest=4), n=1) >> PathAnswer()"
    commands = [
        "build | kenya.tgf | kenya.graph",
        f"ask | kenya.graph | {QUESTION} | --pipeline | {pipeline}",
        f"ask | kenya.graph | {QUESTION} | --recipe | tgf-paths",
        "degrees | kenya.graph | -n | 2",
        "recipes | TGF-PATHS",
        "degrees | --help",
    ]
    told, errors = run(tmp_path, installed, commands=commands)
    built, by_scorer, by_recipe, degrees, recipe, shown = (told[command] for command in commands)
    assert "6 entities" in built
    assert "4 triples" in built
    assert "Kampala" in by_scorer
    assert "Kampala" in by_recipe
    assert degrees == "3\tKenya\n2\tUganda\nexit 0\n"
    assert "Rerank(SharedWords(), n=8)" in recipe
    assert "List the entities with the most triples." in shown
    assert "warning" not in errors


def test_a_broken_package_is_one_line_and_everything_else_works(installed: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(installed, tmp_path / "broken")
    (broken / "graphbrick_tgf" / "command.py").write_text("import nothing_like_this\n", encoding="utf-8")
    told, errors = run(tmp_path, broken, commands=["recipes | TGF-PATHS", "--help", "degrees"])
    assert "SharedWords" in told["recipes | TGF-PATHS"]
    assert "Answer a question over a graph" in told["--help"]
    assert told["degrees"] == "exit 1\n"
    warned = [line for line in errors.splitlines() if not line.startswith("error: No such command 'degrees'")]
    assert warned == [
        "warning: the plug-in command degrees (graphbrick_tgf.command:degrees) is left out: it cannot be imported: "
        "ModuleNotFoundError: No module named 'nothing_like_this'"
    ]
