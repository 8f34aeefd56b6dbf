"""One store of vectors for many threads and processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import indent

import numpy as np
import numpy.typing as npt
import pytest
import toy_vectors
from toy_vectors import CALLS, Toy, anew, files, numbered, same, traced

from graphbrick.graphs.build.builder import build
from graphbrick.models.vectors import model_vectors
from graphbrick.models.vectors.store import VectorStore, current_store, store_of, using
from graphbrick.testing import TINY

pytestmark = pytest.mark.whole


def script_of(folder: Path, body: str) -> str:
    return (
        "import os, sys, time\nfrom pathlib import Path\n"
        f"sys.path.append({str(Path(toy_vectors.__file__).parent)!r})\n"
        "from toy_vectors import CALLS, Toy\n"
        "from graphbrick.graphs.graph import Graph\nfrom graphbrick.core.session import current_session\n"
        "from graphbrick.models.vectors.store import VectorStore, store_of\n"
        f"folder = Path({str(folder)!r})\ngraph = Graph.open(folder / 'tiny.graph')\n{body}\n"
    )


def start_process(tmp_path: Path, body: str, **environment: str) -> subprocess.Popen[str]:
    """A process with `graph`, `Toy` and `store_of` at hand."""
    if not (tmp_path / "tiny.graph").exists():
        build(TINY, tmp_path / "tiny.graph")
    return subprocess.Popen(
        [sys.executable, "-c", script_of(tmp_path, body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def other_process(tmp_path: Path, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    with start_process(tmp_path, body, **environment) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_threads_that_ask_for_the_same_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_vectors, "_FLUSH_ROWS", 20)  # writes and merges while others read
    store, start = VectorStore(tmp_path / "g.vectors"), threading.Barrier(8)

    def work(number: int) -> bool:
        random = np.random.default_rng(number)
        start.wait()
        right = True
        for _ in range(40):
            texts = [f"text {i}" for i in random.integers(0, 400, 15)]
            right &= same_quietly(store.get(Toy(), texts), texts)
        return right

    expected = dict(zip(numbered(400), anew(numbered(400)), strict=True))

    def same_quietly(found: npt.NDArray[np.float16], texts: list[str]) -> bool:
        return found.tobytes() == np.stack([expected[text] for text in texts]).tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    asked = {text for call in CALLS for text in call}
    store.flush()
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), sorted(asked)) == []
    assert files(tmp_path, ".*") == []
    assert len(files(tmp_path)) <= 8


def test_a_store_is_made_once_for_all_threads(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    with ThreadPoolExecutor(8) as pool:
        assert len({id(store) for store in pool.map(lambda _: store_of(graph), range(64))}) == 1


def test_a_thread_of_another_run_has_no_store(tmp_path: Path) -> None:
    with using(VectorStore(tmp_path / "g.vectors")), ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_store).result() is None


def test_a_nonsense_limit_is_refused_before_the_work_and_not_when_the_process_ends(tmp_path: Path) -> None:
    done = other_process(tmp_path, "store_of(graph).get(Toy(), ['a'])\nprint('worked')", GRAPHBRICK_VECTORS_MB="4GB")
    assert "worked" not in done.stdout
    assert "Exception ignored in atexit callback" not in done.stderr
    assert "GraphbrickError: GRAPHBRICK_VECTORS_MB must be a whole number of megabytes, got '4GB'" in done.stderr


def test_what_a_process_made_is_there_for_the_next(tmp_path: Path) -> None:
    body = "store_of(graph).get(Toy(), ['a', 'b', '\\ud800'])\nprint(len(CALLS))"
    for calls in ("1", "0"):
        done = other_process(tmp_path, body)
        assert (done.stdout.strip(), done.stderr) == (calls, "")
    CALLS.clear()
    store = VectorStore(tmp_path / "tiny.graph.vectors")
    assert same(store.get(Toy(), ["a", "b", "\ud800"]), ["a", "b", "\ud800"])
    assert CALLS == []


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    body = """
store, number = store_of(graph), int(os.environ["NUMBER"])
while not (folder / "go").exists():
    time.sleep(0.001)
for i in range(60):
    store.get(Toy(), [f"shared {i}", f"own {number} {i}"])
    store.flush()
    if i % 10 == 0:
        store = VectorStore(store.folder)  # sees what the others wrote
        current_session().drop(("vector store", store.folder))
print("done")
"""
    workers = [start_process(tmp_path, body, NUMBER=str(number)) for number in range(3)]
    (tmp_path / "go").touch()
    for worker in workers:
        with worker:
            out, err = worker.communicate(timeout=120)
            assert (out, err, worker.returncode) == ("done\n", "", 0)
    texts = [f"shared {i}" for i in range(60)] + [f"own {number} {i}" for number in range(3) for i in range(60)]
    store = VectorStore(tmp_path / "tiny.graph.vectors")
    entry = traced(lambda: store.missing(Toy(), texts))
    assert (store.missing(Toy(), texts), entry.events) == ([], [])
    assert same(store.get(Toy(), texts), texts)
    assert files(tmp_path, ".*.part") == []


def test_a_process_that_is_killed_while_it_writes_leaves_what_can_be_read(tmp_path: Path) -> None:
    body = """
store = store_of(graph)
print("started", flush=True)
for i in range(100_000):
    store.get(Toy(), [f"text {i}"])
    store.flush()
    print(i, flush=True)
"""
    with start_process(tmp_path, body) as worker:
        assert worker.stdout is not None
        while worker.stdout.readline().strip() != "30":
            assert worker.poll() is None
        worker.kill()
        worker.communicate()
    store = VectorStore(tmp_path / "tiny.graph.vectors")
    entry = traced(lambda: store.missing(Toy(), numbered(31)))
    assert (store.missing(Toy(), numbered(31)), entry.events) == ([], [])
    assert same(store.get(Toy(), numbered(31)), numbered(31))


def test_a_forked_worker_keeps_what_it_made(tmp_path: Path) -> None:
    body = """
import multiprocessing

def work():
    store_of(graph).get(Toy(), ["made by a worker"])

worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
"""
    assert other_process(tmp_path, body).returncode == 0
    assert VectorStore(tmp_path / "tiny.graph.vectors").missing(Toy(), ["made by a worker"]) == []


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_a_worker_that_meets_the_first_embedder_itself_keeps_what_it_made(tmp_path: Path, method: str) -> None:
    # Pipelines import the store when they run: the process that starts the workers may never have had it.
    build(TINY, tmp_path / "tiny.graph")
    body = script_of(tmp_path, "store_of(graph).get(Toy(), ['made by a worker'])")
    (tmp_path / "work.py").write_text(f"def work():\n{indent(body, '    ')}\n")
    (tmp_path / "main.py").write_text(
        "import multiprocessing, sys\nfrom work import work\n"
        "if __name__ == '__main__':\n"
        "    assert 'graphbrick.models.vectors.store' not in sys.modules\n"
        f"    worker = multiprocessing.get_context({method!r}).Process(target=work)\n"
        "    worker.start()\n    worker.join()\n    sys.exit(worker.exitcode)\n"
    )
    done = subprocess.run([sys.executable, tmp_path / "main.py"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert VectorStore(tmp_path / "tiny.graph.vectors").missing(Toy(), ["made by a worker"]) == []


def test_a_graph_that_was_removed_with_its_folder_does_not_come_back(tmp_path: Path) -> None:
    body = """
import shutil
store_of(graph).get(Toy(), ["a"])
shutil.rmtree(folder)
"""
    place = tmp_path / "temporary"
    place.mkdir()
    done = other_process(place, body)
    assert (done.returncode, done.stderr) == (0, "")
    assert not place.exists()
