from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from textwrap import indent

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import Query, Subgraph
from graphbrick.core.errors import GraphbrickError, ModelError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.embedders.embedder import Embedder
from graphbrick.graphs.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.prune import PruneTriples
from graphbrick.session import Session, current_session
from graphbrick.testing import TINY
from graphbrick.vectors import model_vectors
from graphbrick.vectors.segments import Segment
from graphbrick.vectors.store import VectorStore, current_store, store_of, using

CALLS: list[list[str]] = []
ODD = ["", " ", "a", "A", "á", "a\u0301", "\x00", "\ud800", "new\nline", "😀", "x" * 5_000]

# Other processes read this class from here, too: everything between the marks is Python text for them.
# <toy>


@dataclass(frozen=True, repr=False)
class Toy(Embedder):
    """Unit vectors that depend on the text and the name only; keeps what it was asked in CALLS.

    Args:
        name: Another one gives other vectors.
        dimensions: Of the vectors, from 2.
    """

    name: str = "toy"
    dimensions: int = 8

    @property
    def identity(self) -> str:
        return f"{self.name} {self.dimensions}"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        assert texts, "an empty call"
        assert len(set(texts)) == len(texts), "a text twice in a call"
        CALLS.append(list(texts))
        seeds = [blake2b(f"{self.name}|{t}".encode("utf-8", "surrogatepass"), digest_size=64).digest() for t in texts]
        numbers = np.frombuffer(b"".join(seeds), dtype=np.uint8).reshape(len(texts), 64)[:, : self.dimensions]
        centred = numbers.astype(np.float32) - 127.5
        return centred / np.linalg.norm(centred, axis=1, keepdims=True)


# </toy>


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    CALLS.clear()
    monkeypatch.delenv("GRAPHBRICK_VECTORS_MB", raising=False)
    with Session():
        yield


def anew(texts: Sequence[str], embedder: Embedder | None = None) -> npt.NDArray[np.float16]:
    """The vectors as they are without a store; CALLS stays as it is."""
    before = list(CALLS)
    made = np.stack([(embedder or Toy()).encode([text])[0].astype(np.float16) for text in texts])
    CALLS[:] = before
    return made


def same(found: npt.NDArray[np.float16], texts: Sequence[str], embedder: Embedder | None = None) -> bool:
    return found.dtype == np.float16 and found.tobytes() == anew(texts, embedder).tobytes()


def files(folder: Path, pattern: str = "*.seg") -> list[Path]:
    return sorted(folder.rglob(pattern))


def traced(action: Callable[[], object]) -> StageTrace:
    with record(Trace(), "Test()", "prune") as entry:
        action()
    return entry


def numbered(n: int, start: int = 0) -> list[str]:
    return [f"text {i}" for i in range(start, start + n)]


# What comes back


@settings(max_examples=50, deadline=None)
@given(calls=st.lists(st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=2)), max_size=8), max_size=6))
def test_vectors_are_those_made_anew_and_no_text_is_encoded_twice(
    tmp_path_factory: pytest.TempPathFactory, calls: list[list[str]]
) -> None:
    folder = tmp_path_factory.mktemp("round") / "g.vectors"
    CALLS.clear()
    store, seen = VectorStore(folder), set[str]()
    for number, texts in enumerate(calls):
        new = list(dict.fromkeys(text for text in texts if text not in seen))
        assert store.missing(Toy(), texts) == new
        CALLS.clear()
        found = store.get(Toy(), texts)
        assert len(found) == len(texts)
        assert not texts or same(found, texts)
        assert [new] * bool(new) == CALLS
        seen |= set(texts)
        if number % 2:
            store.flush()
            store = VectorStore(folder)  # as another process finds it
    assert store.missing(Toy(), sorted(seen)) == []
    assert files(folder, ".*") == []


def test_what_is_found_is_a_copy(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    for _ in range(2):
        store.get(Toy(), ["a", "b"])[:] = 0
        assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])
        store.flush()
        store = VectorStore(tmp_path / "g.vectors")


def test_hits_are_counted(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    assert traced(lambda: store.get(Toy(), ["a", "b", "c"])).cache_hits == 0
    assert traced(lambda: store.get(Toy(), ["b", "c", "d"])).cache_hits == 2


def test_nothing_is_written_before_there_is_something(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    assert len(store.get(Toy(), [])) == 0
    assert store.missing(Toy(), ["a"]) == ["a"]
    assert store.missing(Toy(), []) == []
    store.flush()
    assert (list(tmp_path.iterdir()), CALLS) == ([], [])


def test_the_folder_says_whose_vectors_they_are(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy("one"), ["a"])
    store.flush()
    (folder,) = (tmp_path / "g.vectors").iterdir()
    assert folder.name.startswith("Toy-")
    assert json.loads((folder / "model.json").read_text()) == {"model": "one 8"}


def test_two_models_do_not_mix(tmp_path: Path) -> None:
    texts = ["a", "b", ""]
    models = [Toy("one"), Toy("two"), Toy("one", dimensions=16)]
    for _ in range(2):
        store = VectorStore(tmp_path / "g.vectors")
        for model in models:
            found = store.get(model, texts)
            assert found.shape == (3, model.dimensions)
            assert same(found, texts, model)
        store.flush()
    assert len(CALLS) == 3
    assert len(list((tmp_path / "g.vectors").iterdir())) == 3


def test_texts_in_memory_and_in_several_files_come_together(tmp_path: Path) -> None:
    folder = tmp_path / "g.vectors"
    for part in (numbered(200), numbered(3, start=200)):
        store = VectorStore(folder)
        store.get(Toy(), part)
        store.flush()
    assert len(files(folder)) == 2
    store = VectorStore(folder)
    store.get(Toy(), ["in memory"])
    CALLS.clear()
    texts = ["text 201", "in memory", "new", "text 7", "text 201", "new"]
    assert same(store.get(Toy(), texts), texts)
    assert CALLS == [["new"]]


def test_with_a_store_scores_are_as_without(tmp_path: Path) -> None:
    texts = [text for text in ODD if "\ud800" not in text] * 2
    without = Toy().score("question", texts)
    store = VectorStore(tmp_path / "g.vectors")
    for _ in range(2):
        with using(store):
            assert current_store() is store
            assert (Toy().score("question", texts) == without).all()
        store.flush()
    assert current_store() is None


def test_a_run_keeps_its_vectors_beside_the_graph(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    pipeline = PruneTriples(Toy(), n=3)
    first = pipeline.run(graph, "What is in Kenya?", seeds=["Kenya"])
    assert first.trace.stages[-1].cache_hits == 0
    assert pipeline.run(graph, "What is in Uganda?", seeds=["Kenya"]).trace.stages[-1].cache_hits == 10
    assert store_of(graph) is store_of(graph)
    current_session().drop(("vector store", tmp_path / "tiny.graph.vectors"))
    assert files(tmp_path / "tiny.graph.vectors") != []
    again = pipeline.run(graph, "What is in Kenya?", seeds=["Kenya"])
    assert again.trace.stages[-1].cache_hits == 10
    assert again.subgraph is not None
    assert first.subgraph is not None
    assert again.subgraph.triples is not None
    assert again.subgraph.triples.tolist() == first.subgraph.triples.tolist()  # type: ignore[union-attr]
    assert [text for call in CALLS for text in call].count("Kenya -> capital -> Nairobi") == 1


def test_without_a_run_no_store_is_used(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "tiny.graph")
    PruneTriples(Toy(), n=3).prune(Query("?"), Subgraph(graph))
    store_of(graph).flush()
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.graph"]


def test_vectors_lie_beside_the_graph_whatever_the_working_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(TINY, tmp_path / "tiny.graph")
    monkeypatch.chdir(tmp_path)
    graph = Graph.open("tiny.graph")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert store_of(graph).folder == tmp_path / "tiny.graph.vectors"


# Files


def test_many_small_writes_leave_few_files(tmp_path: Path) -> None:
    store, most = VectorStore(tmp_path / "g.vectors"), 0
    for i in range(300):
        store.get(Toy(), numbered(1 + i % 3, start=3 * i))
        store.flush()
        most = max(most, len(files(tmp_path)))
    assert most <= 8
    CALLS.clear()
    texts = [text for i in range(300) for text in numbered(1 + i % 3, start=3 * i)]
    assert same(VectorStore(tmp_path / "g.vectors").get(Toy(), texts), texts)
    assert CALLS == []
    assert files(tmp_path, ".*") == []


def test_large_files_are_not_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_vectors, "_MERGE_BYTES", 24 + 100 * 32)
    store = VectorStore(tmp_path / "g.vectors")
    for i in range(5):
        store.get(Toy(), numbered(100, start=100 * i))
        store.flush()
    assert len(files(tmp_path)) == 5
    store.get(Toy(), ["one"])
    store.flush()
    store.get(Toy(), ["other"])
    store.flush()
    assert len(files(tmp_path)) == 6
    CALLS.clear()
    texts = [*numbered(500), "one", "other"]
    assert same(VectorStore(tmp_path / "g.vectors").get(Toy(), texts), texts)
    assert CALLS == []


def test_files_stay_few_after_another_process_has_merged_those_that_were_open(tmp_path: Path) -> None:
    one = VectorStore(tmp_path / "g.vectors")
    one.get(Toy(), ["first"])
    one.flush()
    other = VectorStore(tmp_path / "g.vectors")
    other.missing(Toy(), [""])  # opens the file of one
    one.get(Toy(), ["second"])
    one.flush()  # merges it away
    for i in range(100):
        other.get(Toy(), [f"text {i}"])
        other.flush()
    assert len(files(tmp_path)) <= 8
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), ["first", "second", *numbered(100)]) == []


def test_a_full_memory_is_written_during_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_vectors, "_FLUSH_ROWS", 10)
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), numbered(9))
    assert files(tmp_path) == []
    store.get(Toy(), ["one more"])
    assert len(files(tmp_path)) == 1
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), [*numbered(9), "one more"]) == []


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half a header": lambda whole: whole[:12],
    "truncated": lambda whole: whole[: len(whole) // 2],
    "one byte short": lambda whole: whole[:-1],
    "too long": lambda whole: whole + b"more",
    "zeros": lambda whole: bytes(len(whole)),
    "no rows": lambda whole: whole[:16] + bytes(8),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_removed_with_an_event_and_made_again(tmp_path: Path, damage: str) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b", "c"])
    store.flush()
    (file,) = files(tmp_path)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    CALLS.clear()
    store = VectorStore(tmp_path / "g.vectors")
    entry = traced(lambda: store.get(Toy(), ["a", "b"]))
    assert [str(file) in message and "damaged" in message for message in entry.events] == [True]
    assert not file.exists()
    assert CALLS == [["a", "b"]]
    assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])
    store.flush()
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), ["a", "b", "c"]) == ["c"]


def test_vectors_that_were_lost_in_a_crash_are_made_again(tmp_path: Path) -> None:
    # After a loss of power, a file may have its length and the pages written first, and zeros for the rest.
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b", "c"])
    store.flush()
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: 24 + 3 * 16] + bytes(3 * 16))
    assert same(VectorStore(tmp_path / "g.vectors").get(Toy(), ["a", "b"]), ["a", "b"])


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EACCES, errno.ENOMEM, errno.EIO])
def test_a_file_that_cannot_be_opened_now_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    (file,) = files(tmp_path)

    def fail(file: Path) -> Segment:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(model_vectors, "Segment", fail)
    entry = traced(lambda: VectorStore(tmp_path / "g.vectors").get(Toy(), ["a"]))
    assert len(entry.events) == 1
    assert file.exists()


def test_a_damaged_file_that_cannot_be_removed_does_not_stop_the_run(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    (file,) = files(tmp_path)
    file.with_name("stuck.seg").mkdir()  # as on a disk that can only be read, also for root
    store = VectorStore(tmp_path / "g.vectors")
    entry = traced(lambda: store.get(Toy(), ["a", "b"]))
    assert len(entry.events) == 1
    assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])


def test_what_a_killed_process_left_is_not_read(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    (file,) = files(tmp_path)
    file.with_name(".4711-0-abcdef01.part").write_bytes(file.read_bytes()[:30])
    entry = traced(lambda: VectorStore(tmp_path / "g.vectors").get(Toy(), ["a", "b"]))
    assert (entry.events, entry.cache_hits) == ([], 1)


def test_what_a_killed_process_left_is_removed_in_time(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    left = files(tmp_path)[0].with_name(".4194304-0-abcdef01.part")  # a process number that no Linux gives
    left.write_bytes(b"half")
    week = time.time() - 7 * 86_400
    os.utime(left, (week, week))
    for text in "bcdef":
        store = VectorStore(tmp_path / "g.vectors")
        store.get(Toy(), [text])
        store.flush()
    assert files(tmp_path, ".*.part") == []


def test_a_folder_that_is_removed_is_made_again(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    (file,) = files(tmp_path)
    for path in (file, *file.parent.iterdir()):
        path.unlink(missing_ok=True)
    file.parent.rmdir()
    assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])
    assert traced(store.flush).events == []
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), ["b"]) == []


@pytest.mark.parametrize("where", ["g.vectors", "the model's folder"])
def test_a_folder_that_cannot_be_made_is_an_event(tmp_path: Path, where: str) -> None:
    place = tmp_path / "g.vectors"
    if where == "g.vectors":
        place.write_text("a file in its place")
    else:
        store = VectorStore(place)
        store.get(Toy(), ["a"])
        store.flush()
        (folder,) = place.iterdir()
        folder.rename(tmp_path / "away")
        folder.write_text("a file in its place")
    store = VectorStore(place)
    for _ in range(2):
        assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])
        (message,) = traced(store.flush).events
        assert message.startswith(f"vectors cannot be kept in {place}")
    assert same(store.get(Toy(), ["a", "b"]), ["a", "b"])


def test_a_full_disk_is_an_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    store = VectorStore(tmp_path / "g.vectors")
    with monkeypatch.context() as patch:
        patch.setattr(model_vectors, "write_segment", full)
        store.get(Toy(), ["a"])
        (message,) = traced(store.flush).events
    assert "No space left on device" in message
    assert same(store.get(Toy(), ["a"]), ["a"])
    assert traced(store.flush).events == []
    assert len(files(tmp_path)) == 1


def test_what_a_model_gives_wrong_is_not_kept(tmp_path: Path) -> None:
    # A fault of a moment, such as a lost connection or a GPU that fails, must not stay on disk for ever.
    broken = True

    @dataclass(frozen=True, repr=False)
    class Faulty(Toy):
        """Gives no numbers while it is broken."""

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            made = super().encode(texts)
            return np.full_like(made, np.nan) if broken else made

    store = VectorStore(tmp_path / "g.vectors")
    with suppress(GraphbrickError):
        store.get(Faulty(), ["a"])
    store.flush()
    broken = False
    assert same(VectorStore(tmp_path / "g.vectors").get(Faulty(), ["a"]), ["a"])


@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_vectors_is_an_error(tmp_path: Path, change: int) -> None:
    @dataclass(frozen=True, repr=False)
    class Miscounts(Toy):
        """Gives a vector too many or too few."""

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            made = super().encode(texts)
            return made[:change] if change < 0 else np.concatenate([made[:1], made])

    with pytest.raises(GraphbrickError):
        VectorStore(tmp_path / "g.vectors").get(Miscounts(), ["a", "b", "c"])
    with pytest.raises(GraphbrickError):
        Miscounts().embed(["a", "b", "c"])


# The limit


def test_at_the_limit_nothing_more_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "1")
    store, wide = VectorStore(tmp_path / "g.vectors"), Toy(dimensions=64)
    store.get(wide, numbered(9_000))  # of 144 bytes each
    assert traced(store.flush).events == []
    store.get(wide, ["one more"])
    (message,) = traced(store.flush).events
    assert "has reached 1 MB" in message
    assert "raise GRAPHBRICK_VECTORS_MB" in message
    assert same(store.get(wide, ["one more", "text 5"]), ["one more", "text 5"], wide)
    assert VectorStore(tmp_path / "g.vectors").missing(wide, ["one more", "text 5"]) == ["one more"]
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "2")
    assert traced(store.flush).events == []
    assert VectorStore(tmp_path / "g.vectors").missing(wide, ["one more"]) == []


def test_a_limit_of_nothing_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "0")
    store = VectorStore(tmp_path / "g.vectors")
    assert same(store.get(Toy(), ["a"]), ["a"])
    store.flush()
    assert files(tmp_path) == []


NONSENSE = ["4GB", "-1", "1.5", "a lot", " ", "²"]


@pytest.mark.parametrize("value", NONSENSE)
def test_a_nonsense_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", value)
    store = VectorStore(tmp_path / "g.vectors")

    def work() -> None:
        store.get(Toy(), ["a"])
        store.flush()

    with pytest.raises(GraphbrickError, match="GRAPHBRICK_VECTORS_MB must be a whole number of megabytes, got"):
        work()


def test_a_nonsense_limit_costs_no_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    monkeypatch.setenv("GRAPHBRICK_VECTORS_MB", "a lot")
    with pytest.raises(GraphbrickError):
        store.flush()
    monkeypatch.delenv("GRAPHBRICK_VECTORS_MB")
    store.flush()
    assert VectorStore(tmp_path / "g.vectors").missing(Toy(), ["a"]) == []


def test_a_nonsense_limit_is_refused_before_the_work_and_not_when_the_process_ends(tmp_path: Path) -> None:
    done = other_process(tmp_path, "store_of(graph).get(Toy(), ['a'])\nprint('worked')", GRAPHBRICK_VECTORS_MB="4GB")
    assert "worked" not in done.stdout
    assert "Exception ignored in atexit callback" not in done.stderr
    assert "GraphbrickError: GRAPHBRICK_VECTORS_MB must be a whole number of megabytes, got '4GB'" in done.stderr


# Threads and processes


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


def script_of(folder: Path, body: str) -> str:
    toy = Path(__file__).read_text(encoding="utf-8").split("# <toy>\n")[1].split("# </toy>\n")[0]
    return (
        "import os, sys, time\nfrom collections.abc import Sequence\nfrom dataclasses import dataclass\n"
        "from hashlib import blake2b\nfrom pathlib import Path\n"
        "import numpy as np\nimport numpy.typing as npt\n"
        "from graphbrick.graphs.graph import Graph\nfrom graphbrick.session import current_session\n"
        "from graphbrick.embedders.embedder import Embedder\n"
        "from graphbrick.vectors.store import VectorStore, store_of\n"
        f"CALLS = []\nfolder = Path({str(folder)!r})\ngraph = Graph.open(folder / 'tiny.graph')\n{toy}\n{body}\n"
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
for i in range(120):
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
    texts = [f"shared {i}" for i in range(120)] + [f"own {number} {i}" for number in range(3) for i in range(120)]
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
        "    assert 'graphbrick.vectors.store' not in sys.modules\n"
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


# Vectors that are not what they should be


def test_a_model_of_other_dimensions_is_told_apart_and_spoils_nothing(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b"])
    store.flush()

    @dataclass(frozen=True, repr=False)
    class Other(Toy):
        """The same name, other vectors."""

        @property
        def identity(self) -> str:
            return Toy().identity

        def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.full((len(texts), 4), 0.5, dtype=np.float32)

    Other.__name__ = "Toy"  # as the folder of a model is named
    reread = VectorStore(tmp_path / "g.vectors")
    with using(reread):
        for texts in (["a", "b"], ["c", "d"], ["a", "c"]):
            with pytest.raises(ModelError, match=r"dimensions.*remove that folder"):
                Other().score("?", texts)
    reread.flush()
    assert same(VectorStore(tmp_path / "g.vectors").get(Toy(), ["a", "b"]), ["a", "b"])


@pytest.mark.parametrize("byte", [b"\x00", b"\xff"])
def test_damaged_vectors_in_a_whole_file_are_an_error(tmp_path: Path, byte: bytes) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a", "b"])
    store.flush()
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[: 24 + 2 * 16] + byte * (len(whole) - 24 - 2 * 16 - 8) + whole[-8:])
    message = r"not of length 1.*remove that folder"
    with using(VectorStore(tmp_path / "g.vectors")), pytest.raises(ModelError, match=message):
        Toy().score("?", ["a", "b"])


def test_the_question_is_embedded_once_for_all_stages(tmp_path: Path) -> None:
    CALLS.clear()
    with using(VectorStore(tmp_path / "g.vectors")):
        Toy().score("a question", ["a"])
        Toy().score("a question", ["b"])
        Toy().score("another", ["a", "b"])
    assert [call for call in CALLS if "a question" in call or "another" in call] == [["a question"], ["another"]]
