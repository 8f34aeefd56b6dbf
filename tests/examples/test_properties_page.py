"""The page about properties: its files, its command and every line of its code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pages import ROOT

from graphbrick.cli.app import main

PAGE = (ROOT / "docs/properties.md").read_text(encoding="utf-8")


def shown(text: str) -> list[str]:
    """Return the lines of a terminal without blanks at their ends."""
    return [line.rstrip() for line in text.strip().split("\n")]


def test_the_page_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name, text in re.findall(r"`([\w/]+\.csv)`:\n\n```csv\n(.*?)```", PAGE, re.DOTALL):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    ((command, output),) = re.findall(r"```console\n\$ graphbrick ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code in (0, None)
    told = capsys.readouterr()
    lines = shown(told.out + told.err)
    assert [line for line in shown(output) if line not in lines] == []
    values: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) > 5
    for block in blocks:
        exec(compile(block, "docs/properties.md", "exec"), values)
