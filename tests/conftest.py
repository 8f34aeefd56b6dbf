"""Fixtures that the whole test suite shares."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Result, Run
from filelock import FileLock
from hypothesis import HealthCheck, settings
from plug_ins import install as install

from graphbrick import Graph, build
from graphbrick.cli.app import main
from graphbrick.core.session import Session
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.changes import kept_copy

# Doctests are looked for in every module; several modules called conftest would be in each other's way.
collect_ignore_glob = ["*conftest.py"]


def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of the search for unused objects, which took a seventh of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real graphs: GRAPHBRICK_DATA, or ``../shared/data`` beside the repository."""
    given = os.environ.get("GRAPHBRICK_DATA")
    folder = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set GRAPHBRICK_DATA to the folder that holds metaqa/ and others")
    return folder


@pytest.fixture(scope="session")
def shared_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a test run share; what they make there is made under a lock."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def copies_of_databases(shared_dir: Path) -> Iterator[Path]:
    """The folder of the copies of small databases, which is not that of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_copy, "_folder", lambda: shared_dir / "databases")
        yield shared_dir / "databases"


@pytest.fixture(scope="session")
def metaqa_graph(data_dir: Path, shared_dir: Path) -> Graph:
    """The film graph of MetaQA, built once in a test run; not to be changed."""
    place = shared_dir / "metaqa.graph"
    with FileLock(f"{place}.lock"):
        return Graph.open(place) if place.exists() else build(data_dir / "metaqa" / "kb.txt.gz", place)


@pytest.fixture(scope="module")
def world_cache(shared_dir: Path) -> Iterator[Path]:
    """The cache folder of this module, in which the world graph is built once in a test run; not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        cache = shared_dir / "cache"
        patch.setenv("GRAPHBRICK_CACHE", str(cache))
        with FileLock(f"{cache}.lock"):
            world_graph()
        yield cache


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call ``graphbrick`` with arguments; however slow the machine is, no progress is printed between its lines."""
    monkeypatch.setattr("graphbrick.cli.progress.LINE_SECONDS", 3_600.0)

    def call(*arguments: object) -> Result:
        with pytest.raises(SystemExit) as stopped:
            main(list(map(str, arguments)))
        printed = capsys.readouterr()
        return Result(int(stopped.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def fresh_session() -> Iterator[Session]:
    """The current session of the test, with nothing opened yet; closed at the end."""
    with Session() as session:
        yield session


# A property test tries the same examples every time, so that only a change makes it fail; `--hypothesis-profile=new`
# looks for new ones, and `thorough` tries fifty times as many. That many examples are filtered out says something about
# the strategy, not about the code under test; a deadline would measure the machine.
_COMMON = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
settings.register_profile("same", _COMMON, derandomize=True)
settings.register_profile("new", _COMMON)
settings.register_profile("thorough", _COMMON, max_examples=2_000)
settings.load_profile("same")
