"""Writers that are killed, several writers at once, and readers meanwhile."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from forks import run_until_killed

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph

pytestmark = [pytest.mark.posix, pytest.mark.whole]

# Step i adds a triple and its facts, every second one deletes that of the step before, every third folds all in.
STEPS = """
    import sys
    from pathlib import Path
    from graphbrick.graphs.changes.compact import compact
    from graphbrick.graphs.changes.delta import change
    from graphbrick.graphs.records.records import EntityRecord

    def step(path, i):
        if i % 3 == 2:
            compact(path)
        else:
            gone = [(f"n{i - 1}", "r", "hub")] if i % 3 == 1 else []
            change(path, add=[(f"n{i}", "r", "hub"), EntityRecord(f"n{i}", f"node {i}")], delete=gone)
"""


def after(steps: int) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The triples and the labels that there are after so many steps."""
    left = {("start", "r", "hub")}
    labels = {"start", "hub"}
    for i in range(steps):
        if i % 3 != 2:
            left.add((f"n{i}", "r", "hub"))
            labels.add(f"node {i}")
        if i % 3 == 1:
            left.remove((f"n{i - 1}", "r", "hub"))
    return sorted(left), sorted(labels)


def state(graph: Graph) -> tuple[list[tuple[str, str, str]], list[str]]:
    return sorted(graph.key_triples()), sorted(map(graph.label, range(graph.n_entities)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build([("start", "r", "hub")], tmp_path / "any.graph").path


def process(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STEPS) + textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_killed_at_any_moment(path: Path) -> None:
    """What was done is there, what was under way is there whole or not at all, and the next writer goes on."""
    code = """
        for i in range(int(sys.argv[2]), 10_000):
            step(Path(sys.argv[1]), i)
            print(i + 1, flush=True)
    """
    done = 0
    for attempt in range(2):
        with process(code, path, done) as writer:
            assert writer.stdout is not None
            for _ in range(random.Random(attempt).randrange(1, 8)):
                done = int(writer.stdout.readline())
            # Some moment within the steps that follow
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(timeout=random.Random(attempt).random() / 20)
            writer.send_signal(signal.SIGKILL)
            done = max([done, *map(int, writer.stdout.read().split())])
        graph = Graph.open(path)
        found = state(graph)
        assert found in (after(done), after(done + 1))
        graph.check()
        if found != after(done):
            done += 1  # it had ended, and was killed before it said so
        elif done % 3 == 2:
            compact(path)  # which changes nothing that is seen, so that it may be done already
            done += 1
    change(path, add=[("last", "r", "hub")])
    assert sorted(file.name for file in path.parent.iterdir() if "building" not in file.name) == ["any.graph"]


MOMENTS = {
    "before the file is renamed": "import os; os.rename = die",
    "before the file is on disk": "import os; os.fsync = die",
    "before the graphs change places": "from graphbrick.core.files import folders; folders.put_in_place = die",
    "before the old graph is removed": "import shutil; shutil.rmtree = die",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_a_moment(path: Path, moment: str) -> None:
    code = f"""
        from pathlib import Path
        from graphbrick.graphs.changes.compact import compact
        from graphbrick.graphs.changes.delta import change
        path = Path(arguments[0])
        change(path, add=[("a", "r", "b")])
        {MOMENTS[moment]}
        change(path, add=[("c", "r", "d")]) if "file" in "{moment}" else compact(path)
    """
    run_until_killed(code, path)
    graph = Graph.open(path)
    assert sorted(graph.key_triples()) == [("a", "r", "b"), ("start", "r", "hub")]
    assert graph.changes.files == (0 if "removed" in moment else 1)
    done = change(path, add=[("c", "r", "d")]).graph
    assert sorted(done.key_triples()) == [("a", "r", "b"), ("c", "r", "d"), ("start", "r", "hub")]
    assert not [file for file in path.iterdir() if file.name.startswith(".")]


def test_several_writers_and_a_compaction_and_a_reader(path: Path) -> None:
    code = """
        for i in range(5):
            change(Path(sys.argv[1]), add=[(f"{sys.argv[2]}-{i}", "r", "hub")])
            if sys.argv[2] == "a" and i % 4 == 0:
                compact(Path(sys.argv[1]))
        print("done", flush=True)
    """
    writers = [process(code, path, name) for name in "ab"]
    seen = 1
    while any(writer.poll() is None for writer in writers):
        graph = Graph.open(path)
        triples = list(graph.key_triples())
        assert len(triples) == graph.n_triples >= seen  # nothing that was there is ever gone
        seen = len(triples)
        time.sleep(0.002)  # leave the processor to the writers
    for writer in writers:
        assert writer.communicate()[0] == "done\n"
    expected = {("start", "r", "hub")} | {(f"{name}-{i}", "r", "hub") for name in "ab" for i in range(5)}
    assert set(Graph.open(path).key_triples()) == expected
