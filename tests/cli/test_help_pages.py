"""What the command line says of itself: the first page, the list of commands, errors of use, completion."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from typer.main import get_command

from graphbrick.cli.app import COMMANDS, app
from graphbrick.cli.helping import DOORS, GROUPS

FILMS = (
    "head,relation,tail\nInception,directed by,Christopher Nolan\nInception,starring,Elliot Page\n"
    "Dunkirk,directed by,Christopher Nolan\nJuno,starring,Elliot Page\n"
)
QUESTION = {"question": "Who directed Inception?", "seeds": ["Inception"], "answers": ["Christopher Nolan"]}
NOTE = "# Budgets\n\nThe budget limits tokens, dollars and seconds of a run.\n"


def groups_of_commands() -> list[tuple[str, Any]]:
    root = get_command(app)
    below = [(name, one) for name, one in root.commands.items() if hasattr(one, "commands")]  # type: ignore[attr-defined]
    return [("", root), *below]


def test_the_first_page_has_three_doors(run: Run) -> None:
    result = run()
    assert (result.code, result.err) == (0, "")
    assert result.out == DOORS + "\n"
    assert all(len(line) < 80 for line in DOORS.splitlines())
    doors = [line for line in DOORS.splitlines() if line.startswith("I ")]
    assert doors == ["I have a graph", "I have documents", "I compare methods"]


@pytest.mark.whole
def test_every_command_of_the_first_page_works(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("films.csv").write_text(FILMS, encoding="utf-8")
    Path("notes").mkdir()
    Path("notes/budget.md").write_text(NOTE, encoding="utf-8")
    Path("questions.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    lines = [line.strip() for line in DOORS.splitlines() if line.startswith("  graphbrick ")]
    assert len(lines) == 8
    for line in lines:
        command, _, _ = line.partition("   ")
        if " learn " in command:  # takes seconds, and has tests of its own
            continue
        result = run(*shlex.split(command)[1:])
        assert result.code == 0, (command, result.err)
        if "Inception" in command:
            assert result.out.startswith("Christopher Nolan\n")
        if "budget" in command:
            assert "tokens, dollars and seconds" in result.out
    assert "Who directed Inception?" in Path("report.html").read_text(encoding="utf-8")


def test_each_command_is_in_one_group_of_the_help(run: Run) -> None:
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS.names())
    assert len(set(listed)) == len(listed)
    lines = run("--help").out.splitlines()
    assert [line for line in lines if line.rstrip(":") in GROUPS] == [f"{group}:" for group in GROUPS]


@pytest.mark.parametrize(("name", "group"), groups_of_commands())
def test_no_summary_is_cut_at_80_columns(name: str, group: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*name.split(), "--help").out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    for command in group.commands:
        (line,) = (line for line in lines if line.split()[:1] == [command])
        assert line.endswith("."), line
        assert not line.endswith(".."), line


def test_a_narrow_terminal_wraps_summaries(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "56")
    text = run("--help").out
    assert "..." not in text.partition("Graphs:")[2]
    assert "Show what queries may name: classes, properties, relations." in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "help_of"),
    [
        (["ask", "x.graph", "why?", "--nope"], "graphbrick ask --help"),
        (["ask", "x.graph", "why?", "--limit", "0"], "graphbrick ask --help"),
        (["models", "fetch"], "graphbrick models fetch --help"),
        (["models", "fetsh"], "graphbrick models --help"),
        (["judge", "runs.sqlite", "--nope"], "graphbrick judge study --help"),
        (["aks"], "graphbrick --help"),
        (["--nope"], "graphbrick --help"),
    ],
)
def test_an_error_of_use_names_the_help_of_its_command(arguments: list[str], help_of: str, run: Run) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith(f" ({help_of} shows the usage)\n")
    assert result.err.count("\n") == 1


def test_help_has_no_colour_when_piped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = run("--help").out
    assert "\x1b" not in text
    assert text.startswith("Usage: graphbrick ")


@pytest.mark.parametrize(
    ("words", "at", "completed"),
    [
        ("graphbrick re", 1, ["refresh", "recipes", "report"]),
        ("graphbrick ask my.graph why --lim", 4, ["--limit"]),
        ("graphbrick judge met", 2, ["metrics"]),
    ],
)
def test_a_shell_completes_commands_and_options(
    words: str, at: int, completed: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_GRAPHBRICK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(at))
    assert run().out.split() == completed
