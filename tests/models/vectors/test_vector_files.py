"""The files of a store of vectors: merged, damaged, lost, and on a full disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import told
from toy_vectors import CALLS, Toy, files, numbered, same, traced

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.claims import claim_folder
from graphbrick.models.vectors import model_vectors
from graphbrick.models.vectors.segments import Segment
from graphbrick.models.vectors.store import VectorStore


@pytest.mark.whole
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
    assert told(entry.events) == [("vectors.damaged", {"file": str(file)})]
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


@pytest.mark.skipif(os.name != "posix", reason="elsewhere such a file stays for a day")
def test_what_a_killed_process_left_is_removed_and_what_a_running_one_writes_is_not(tmp_path: Path) -> None:
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["a"])
    store.flush()
    left, running = (files(tmp_path)[0].with_name(f".4711-{n}-abcdef01.part") for n in range(2))
    left.write_bytes(b"half")
    running.write_bytes(b"half")
    held = claim_folder(running)
    store = VectorStore(tmp_path / "g.vectors")
    store.get(Toy(), ["b"])
    store.flush()
    assert files(tmp_path, ".*.part") == [running]
    os.close(held)


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
