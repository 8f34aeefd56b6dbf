"""Progress where standard error is not a terminal: plain lines, also for a step that reports nothing."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from graphbrick.cli import progress as module
from graphbrick.cli.progress import _line, answering, progress
from graphbrick.core.compute import report, watched_part


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
        report("passes", 0, 40)
        time.sleep(0.05)
        report("passes", 10, 40)
        lines = lines_until(capsys, "10 of 40")
    assert any(line.startswith("training: passes: 10 of 40 (25%), ") and line.endswith(" left") for line in lines)
    assert "\x1b" not in "".join(lines)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("unit", "told", "shown"),
    [
        ("share", ("sorting", 0.5, 1.0), "building: sorting: 50%"),
        ("share", ("reading", 300_000, None), "building: reading: 300,000"),
        ("bytes", ("a.bin", 3e6, 4e6), "building: a.bin: 3.0 of 4.0 MB (75%)"),
        ("count", ("", 3, None), "building: 3 of 4 (75%)"),
        ("count", ("reading", 3, 0), "building: reading: 3 of 4 (75%)"),
    ],
)
def test_the_command_says_what_is_counted(unit, told, shown, capsys):
    with progress("building", 4 if unit == "count" else None, unit=unit) as report:
        report(*told)
        lines_until(capsys, shown)


@pytest.mark.usefixtures("quick")
def test_names_a_step_that_reports_nothing(capsys):
    with progress("loading model.gguf"):
        lines = lines_until(capsys, "so far")
    assert lines[0].startswith("loading model.gguf: 0:00 so far")


def test_a_short_command_prints_nothing(capsys):
    with progress("embedding", 3) as report:
        report("", 3, None)
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


@pytest.mark.usefixtures("quick")
def test_what_a_question_does_now_is_told_without_a_terminal(capsys):
    with answering():
        report("Rerank(MiniLM(), n=32)", 0)
        with watched_part("Rerank(MiniLM(), n=32)"):
            report("texts", 1_068, 4_808)
            lines_until(capsys, "Rerank(MiniLM(), n=32): texts: 1,068 of 4,808 (22%)")


def test_work_of_minutes_is_noted_once(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("graphbrick.core.compute.time", SimpleNamespace(monotonic=lambda: clock[0]))
    warning = module._Warning()
    assert warning("texts", 0, 1_000) == ""
    for seconds in (2.0, 4.0):
        clock[0] = seconds
        warning("texts", 10 * seconds, 1_000)
    clock[0] = 5.0
    assert warning("texts", 50, 1_000) == ", 1:35 left"
    warning("short", 0, 10)
    clock[0] = 7.0
    assert warning("short", 5, 10) == ", 0:02 left"
    (note,) = capsys.readouterr().err.splitlines()
    assert note.startswith("note: texts takes about 2 more minutes (20 of 1,000 (2%) done); Ctrl-C ends it")
