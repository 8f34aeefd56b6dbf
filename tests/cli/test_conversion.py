"""Values that are taken as they are, against those that typer converts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from graphbrick import build
from graphbrick.cli.app import COMMANDS, _made, main
from graphbrick.cli.conversion import _processed


def _commands() -> list[str]:
    return [name for name in COMMANDS.names() if not isinstance(COMMANDS.find(name), typer.Typer)]


@pytest.mark.parametrize("name", _commands())
def test_what_nobody_gave_is_what_typer_makes_of_it(name: str) -> None:
    command: Any = _made(name, COMMANDS.find(name))  # type: ignore[arg-type]
    context = typer.Context(command, resilient_parsing=True)
    seen = 0
    for parameter in command.get_params(context):
        spared = parameter.process_value
        if parameter.required or getattr(spared, "func", None) is not _processed:
            continue
        _, convert = spared.args
        value, source = parameter.consume_value(context, {})
        context.set_parameter_source(parameter.name, source)
        made, right = spared(context, value), convert(context, value)
        assert (type(made), made) == (type(right), right), parameter.name
        seen += 1
    assert seen > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "0"], "Invalid value for '--limit'"),
        (["--limit", "many"], "Invalid value for '--limit'"),
        (["--reading", "x"], "Invalid value for '--reading'"),
        (["--pipeline"], "requires an argument"),
    ],
)
def test_wrong_values_are_still_errors(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["ask", "some.graph", "who?", *arguments])
    assert left.value.code == 1
    assert message in capsys.readouterr().err


def test_a_wrong_folder_is_the_error_of_its_parser(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["learn", "bolt://localhost:7687/films"])
    assert left.value.code == 1
    assert "is a database, and this command needs a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "shown"), [(["ask", "GRAPH", "Who is Ann Holt's spouse?"], "Ben Reed"), (["info", "GRAPH"], "graph")]
)
def test_a_command_loads_no_pydantic(arguments: list[str], shown: str, tmp_path: Path) -> None:
    build([("Ann Holt", "spouse", "Ben Reed")], tmp_path / "small.graph")
    given = [str(tmp_path / "small.graph") if one == "GRAPH" else one for one in arguments]
    script = (
        f"import sys\nfrom graphbrick.cli.app import main\ntry:\n    main({given!r})\n"
        "finally:\n    print('pydantic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(shown), done.stderr
    assert done.stdout.split()[-1] == "False"
