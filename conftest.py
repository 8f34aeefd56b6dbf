"""What keeps test runs cheap: collection, which every process repeats, waiting threads, kernels, files on a disk."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
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
        gc.set_threshold(50_000, 20, 50)  # what a test makes is gone with it, mostly without the collector
        gc.enable()


_MEMORY = Path("/dev/shm")
_ENOUGH = 4 << 30  # bytes; a run writes less than two, and keeps less than one
_files = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary files in memory where there is enough of it, as tests sync them to the disk again and again.

    It is done in runs of several processes only, and not if TMPDIR is set: the files of a failed test are gone.
    """
    several = config.getoption("numprocesses", default=None) and not hasattr(config, "workerinput")
    if several and "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH:
        os.environ["TMPDIR"] = config.stash[_files] = tempfile.mkdtemp(prefix="tests-", dir=_MEMORY)
        tempfile.tempdir = None  # it is read again


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove temporary files from memory."""
    if folder := config.stash.get(_files, ""):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that are marked ``posix`` on Windows."""
    if sys.platform == "win32":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="Windows has no forks, POSIX signals, links or permissions"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a test on Windows when it comes to change a graph in place, which the system does not allow."""
    try:
        return (yield)
    except Exception as error:
        if sys.platform == "win32" and getattr(error, "code", "") == "delta.not_on_windows":
            pytest.skip("a graph cannot be changed in place on Windows")
        raise


def pytest_sessionstart(session: pytest.Session) -> None:
    """Do once what every process would do at the same time: compile common kernels, rewrite the assertions of tests."""
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        _rewrite_assertions(session.config, int(worker["workerid"].removeprefix("gw")), worker["workercount"])
    elif session.config.getoption("numprocesses", default=None):
        from graphbrick import parse
        from graphbrick.testing import tiny_graph

        parse("PPR() >> ShortestPaths() >> PathAnswer()").run(tiny_graph(), "What is the capital of Kenya?")


def _rewrite_assertions(config: pytest.Config, worker: int, workers: int) -> None:
    """Rewrite the assertions of this process' share of the test files that pytest has not rewritten and kept before.

    All processes import all test files in the same order. In a fresh clone, each would rewrite each file: 6 s of CPU.
    """
    from _pytest.assertion import rewrite

    if sys.dont_write_bytecode:
        return
    places = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    files = sorted({file for place in places for file in (place.rglob("test_*.py") if place.is_dir() else [])})
    for file in files[worker::workers]:
        kept = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
        if not kept.exists() and rewrite.try_makedirs(kept.parent):
            source, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, kept)
