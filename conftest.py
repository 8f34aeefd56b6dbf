"""What keeps test runs cheap: collection, which every process of a run repeats, threads that wait, shared kernels."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from pathlib import Path

import pytest

# Threads of OpenMP and OpenBLAS spin while they wait for work, which costs several times what these tests compute.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests only where there are some: every process of a run searches all objects of a module for them."""
    collectors = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
        return collectors
    return [collector for collector in collectors if type(collector).__name__ != "DoctestModule"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from looking through all modules and tests again and again: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels that most tests use, before the processes start and compile them all at the same time."""
    if session.config.getoption("numprocesses", default=None) and not hasattr(session.config, "workerinput"):
        from graphbrick import parse
        from graphbrick.testing import tiny_graph

        parse("PPR() >> ShortestPaths() >> PathAnswer()").run(tiny_graph(), "What is the capital of Kenya?")
