"""Progress of functions in a notebook, a terminal and a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphbrick import ProgressLine, build


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Notebook:
    """Stands in for IPython in a kernel: keeps what is displayed, by its place below the cell."""

    def __init__(self) -> None:
        self.places: list[list[str]] = []
        self.display = SimpleNamespace(display=self._display, HTML=str)

    def get_ipython(self) -> object:
        return SimpleNamespace(kernel=object())

    def _display(self, html: str, *, display_id: bool) -> object:
        assert display_id
        self.places.append([html])
        return SimpleNamespace(update=self.places[-1].append)


def test_in_a_notebook_one_line_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    line = ProgressLine(every=0)
    line("answering <b>", 1, 40)
    line("answering <b>", 40, 40)
    (shown,) = notebook.places
    assert shown == [f'<small style="opacity:0.7">answering &lt;b&gt;: {done} of 40</small>' for done in (1, 40)]


def test_in_a_terminal_the_line_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    line = ProgressLine(every=0)
    line("reading\x1b[31m", 0, None)
    line("answering", 1_000, 2_000)
    line("answering", 2_000, 2_000)
    assert terminal.getvalue() == (
        "\rreading [31m\x1b[K\ranswering 1,000 of 2,000\x1b[K\ranswering 2,000 of 2,000\x1b[K\n"
    )


def test_elsewhere_each_step_is_a_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    line = ProgressLine(every=0)
    for done in range(5):
        line("reading", done, 4)
    line("answering", 0, 4)
    assert capsys.readouterr().err == "reading\nanswering\n"


def test_updates_in_between_are_left_out_and_the_end_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine(every=1e9)
    for done in range(101):
        line("answering", done, 100)
    assert terminal.getvalue().split("\r")[1:] == ["answering 0 of 100\x1b[K", "answering 100 of 100\x1b[K\n"]


def test_it_is_taken_by_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build([("Kenya", "capital", "Nairobi")], tmp_path / "g.graph", progress=ProgressLine())
    assert all(line.isprintable() for line in capsys.readouterr().err.splitlines())
