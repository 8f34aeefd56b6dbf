"""Pages about properties and tables: their files, their commands and every line of their code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT

from graphbrick.cli.app import main


def shown(text: str) -> list[str]:
    """Return the lines of a terminal without blanks at their ends."""
    return [line.rstrip() for line in text.strip().split("\n")]


@pytest.mark.parametrize(("name", "n_commands", "n_blocks"), [("properties", 1, 8), ("tables", 3, 0)])
def test_a_page_is_right(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    n_commands: int,
    n_blocks: int,
) -> None:
    page = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    page = re.sub(r"<!-- not run: [^\n]*\n```.*?```", "", page, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for file, text in re.findall(r"`([\w/]+\.csv)`:\n\n```csv\n(.*?)```", page, re.DOTALL):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text(text, encoding="utf-8")
    commands = re.findall(r"```console\n\$ graphbrick ([^\n]*)\n(.*?)```", page, re.DOTALL)
    assert len(commands) == n_commands
    for command, output in commands:
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(command))
        assert ended.value.code in (0, None)
        told = capsys.readouterr()
        lines = shown(told.out + told.err)
        assert [line for line in shown(output) if line not in lines] == []
    values: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == n_blocks
    for block in blocks:
        exec(compile(block, f"docs/{name}.md", "exec"), values)
