"""Commands of other packages."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer
from commands import Run
from pages import imported
from plug_ins import Install

from graphbrick import EntityRecord, build
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.plugins import PluginWarning


def test_the_command_of_the_contributing_page_runs_and_is_in_the_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Install, run: Run
) -> None:
    install("commands", isolated=imported("CONTRIBUTING.md", "isolated", monkeypatch).isolated)
    graph = build([("Kenya", "capital", "Nairobi"), EntityRecord("Atlantis")], tmp_path / "g.graph")
    assert run("isolated", graph.path).out == "Atlantis\n"
    assert "isolated   List the entities without triples." in run("--help").out
    assert "Did you mean 'isolated'" in run("isolate").err


def test_a_group_of_commands_and_an_error_of_one(install: Install, run: Run) -> None:
    group = typer.Typer(help="Two commands.")

    @group.command()
    def fails() -> None:
        """Fail."""
        raise GraphbrickError("nothing to do; do something else")

    @group.command()
    def works() -> None:
        """Work."""
        typer.echo("worked")

    install("commands", two=group)
    assert run("two", "works").out == "worked\n"
    failed = run("two", "fails")
    assert (failed.code, failed.err) == (1, "error: nothing to do; do something else\n")
    assert "--install-completion" not in run("two", "--help").out


def test_a_broken_command_is_one_line_and_the_others_are_listed(install: Install, run: Run) -> None:
    install("commands", broken=ImportError("no module x"), build=print, number=3)
    with warnings.catch_warnings():
        warnings.simplefilter("default", PluginWarning)  # as outside of tests
        told = run("--help")
    assert "Answer a question over a graph" in told.out
    assert told.err.splitlines() == [
        "warning: the plug-in command broken (plugin:broken) is left out: it cannot be imported: ImportError: no "
        "module x",
        "warning: the plug-in command build (plugin:build) is left out: the name is taken; rename it",
        "warning: the plug-in command number (plugin:number) is left out: it is neither a function nor a typer.Typer",
    ]


@pytest.mark.whole
def test_a_command_imports_only_its_own_module() -> None:
    script = """
import sys
from graphbrick.cli.app import main
try: main(["info", "--help"])
except SystemExit: pass
print([name for name in sys.modules if name.startswith("graphbrick.cli.") and "serve" in name])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
