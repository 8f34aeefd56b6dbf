"""Progress where standard error is not a terminal: plain lines, also for a step that reports nothing."""

from __future__ import annotations

import time

import pytest

from graphbrick.cli import progress as module
from graphbrick.cli.progress import _line, progress


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINE_SECONDS", 0.02)


def lines_until(capsys: pytest.CaptureFixture[str], text: str) -> list[str]:
    """Wait for a line that has a text; return the lines up to it."""
    written, end = "", time.monotonic() + 60
    while text not in written.rpartition("\n")[0]:
        assert time.monotonic() < end, written
        time.sleep(0.005)
        written += capsys.readouterr().err
    return written.splitlines()


@pytest.mark.usefixtures("quick")
def test_prints_lines_with_done_total_rate_and_time_left(capsys):
    with progress("training") as report:
        report.step("passes", 0, 40)
        time.sleep(0.05)
        report.step("passes", 10, 40)
        lines = lines_until(capsys, "10 of 40")
    assert any(line.startswith("training: passes: 10 of 40 (25%), ") and line.endswith(" left") for line in lines)
    assert "\x1b" not in "".join(lines)


@pytest.mark.usefixtures("quick")
def test_names_a_step_that_reports_nothing(capsys):
    with progress("loading model.gguf"):
        lines = lines_until(capsys, "so far")
    assert lines[0].startswith("loading model.gguf: 0:00 so far")


def test_a_short_command_prints_nothing(capsys):
    with progress("embedding", 3) as report:
        report.count(3)
    assert capsys.readouterr().err == ""


def test_work_of_an_earlier_call_does_not_count_as_speed():
    assert _line("answering", 900, 1000, "count", 10.0, 800) == "answering: 900 of 1,000 (90%), 10.0/s, 0:10 left"
    assert _line("wiki.bin", 5e6, None, "bytes", 10.0, 0) == "wiki.bin: 5.0 MB, 0.5 MB/s"


@pytest.mark.usefixtures("quick")
def test_the_last_line_is_written_before_the_block_ends(capsys):
    with progress("building"):
        lines_until(capsys, "building")
    capsys.readouterr()
    time.sleep(0.1)
    assert capsys.readouterr().err == ""
