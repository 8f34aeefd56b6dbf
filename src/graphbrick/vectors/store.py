"""Embeddings kept beside a graph, so that no text is embedded twice by the same model.

``films.graph`` has them in ``films.graph.vectors/<model>/``: segment files, each with the sorted hashes of its texts
and their vectors, read by memory map. A process keeps what it embeds in memory and writes it as a segment when there is
enough of it, and when it ends; small segments are merged. A folder that is removed is made again.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from multiprocessing import parent_process, util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError, ModelError
from graphbrick.core.trace import count_hits, event, in_stage
from graphbrick.files.locks import ForkLock
from graphbrick.vectors.segments import Segment, hash_texts, merge, remove_left_over, write_segment

if TYPE_CHECKING:
    from graphbrick.embedders.embedder import Embedder
    from graphbrick.graphs.graph import Graph

_FLUSH_ROWS = 16_384  # vectors in memory, 12 MB of MiniLM, before they are written
_QUESTIONS = 64
_MERGE_BYTES = 64 << 20  # larger segments are not merged: that bounds memory
_log = logging.getLogger("graphbrick")
_LIMIT_VARIABLE, _LIMIT_MB = "GRAPHBRICK_VECTORS_MB", 4096

Vectors = npt.NDArray[np.float16]


class VectorStore:
    """The vectors beside one graph, of any number of models; safe for threads and processes.

    Args:
        folder: Where they are; made when there is something to write.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._models: dict[str, ModelVectors] = {}
        self._asked: OrderedDict[tuple[str, str, str], npt.NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, float16 [texts, dimensions]; those that are not there are made and remembered."""
        return self._of(embedder).get(embedder, texts)

    def missing(self, embedder: Embedder, texts: Sequence[str]) -> list[str]:
        """Those of the texts that have no vector yet, each once."""
        return self._of(embedder).missing(texts)

    def asked(self, embedder: Embedder, query: str) -> npt.NDArray[np.float32]:
        """The vector of a question; the last ones are remembered, as several stages ask with the same."""
        key = repr(embedder), embedder.identity, query
        with self._lock:
            vector = self._asked.get(key)
        if vector is None:
            vector = embedder.encode_query(query)
            with self._lock:
                self._asked[key] = vector
                while len(self._asked) > _QUESTIONS:
                    self._asked.popitem(last=False)
        return vector

    def unlock(self) -> None:
        """Take new locks, in a forked process."""
        self._lock = threading.Lock()
        for model in self._models.values():
            model.unlock()

    def flush(self) -> None:
        """Write what is in memory only."""
        for model in list(self._models.values()):
            model.flush()

    def _of(self, embedder: Embedder) -> ModelVectors:
        identity = embedder.identity
        _limit()  # a wrong one is told before the work
        with self._lock:
            if identity not in self._models:
                name = f"{type(embedder).__name__}-{hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()}"
                self._models[identity] = ModelVectors(self.folder / name, identity)
            return self._models[identity]


class ModelVectors:
    """The vectors of one model.

    Args:
        folder: Where its segments are.
        identity: The model, as `Embedder.identity` says.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder, self._identity = folder, identity
        self._lock = threading.RLock()
        self._segments: dict[str, Segment] = {}
        self._fresh: dict[bytes, npt.NDArray[np.float16]] = {}
        self._dimensions: int | None = None
        self._reload()

    def unlock(self) -> None:
        """Take a new lock, in a forked process."""
        self._lock = threading.RLock()

    def get(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, found or made."""
        if not texts:
            return np.zeros((0, 0), dtype=np.float16)
        keys = hash_texts(texts)
        vectors, lacking = self._find(keys)
        if len(lacking):
            # Equal texts have equal keys; each is embedded once, outside the lock.
            first = {keys[i].tobytes(): int(i) for i in lacking[::-1]}
            wanted = sorted(first.values())
            made = embedder.made([texts[i] for i in wanted])
            if self._dimensions not in (None, made.shape[1]):
                raise ModelError(
                    f"{embedder!r} gives vectors of {made.shape[1]} dimensions, but those kept in {self._folder} have "
                    f"{self._dimensions}: another model has this name now; remove that folder"
                )
            self._dimensions = made.shape[1]
            if vectors is None:
                vectors = np.empty((len(texts), made.shape[1]), dtype=np.float16)
            row = {keys[i].tobytes(): made[j] for j, i in enumerate(wanted)}
            for i in lacking:
                vectors[i] = row[keys[i].tobytes()]
            self._keep(row)
        count_hits(len(texts) - len(lacking))
        assert vectors is not None
        return vectors

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts that have no vector yet, each once."""
        if not texts:
            return []
        return list(dict.fromkeys(texts[i] for i in self._find(hash_texts(texts))[1]))

    def flush(self) -> None:
        """Write the vectors that are in memory only as a segment; where that cannot be done, they are forgotten."""
        with self._lock:
            if not self._fresh or not self._folder.parent.parent.is_dir():
                self._fresh = {}  # nothing to keep, or the graph is gone
                return
            limit = _limit()
            fresh, self._fresh = self._fresh, {}
            if sum(segment.bytes for segment in self._segments.values()) >= limit:
                _tell(
                    f"{self._folder} has reached {limit >> 20:,} MB, so further vectors are not kept; remove it, or "
                    f"raise {_LIMIT_VARIABLE}"
                )
                return
            keys = np.frombuffer(b"".join(fresh), dtype=np.uint64).reshape(-1, 2)
            try:
                self._make_folder()
                write_segment(self._folder, keys, np.stack(list(fresh.values())))
                self._reload()
                self._merge()
                remove_left_over(self._folder)
            except OSError as error:
                _tell(f"vectors cannot be kept in {self._folder} ({error.strerror or error}); they will be made again")

    def _find(self, keys: npt.NDArray[np.uint64]) -> tuple[Vectors | None, npt.NDArray[np.int64]]:
        """The vectors of those keys that are there, and the indices of the others."""
        with self._lock:
            segments, fresh = list(self._segments.values()), self._fresh
        # Outside the lock: segments never change, and what is written meanwhile is at worst made once more.
        vectors: Vectors | None = None
        lacking = np.arange(len(keys))
        for segment in segments:
            at = segment.find(keys[lacking])
            hit = at >= 0
            if hit.any():
                if vectors is None:
                    vectors = np.empty((len(keys), segment.dimensions), dtype=np.float16)
                vectors[lacking[hit]] = segment.vectors[at[hit]]
                lacking = lacking[~hit]
            if not len(lacking):
                return vectors, lacking
        still = []
        for i in lacking.tolist():
            vector = fresh.get(keys[i].tobytes())
            if vector is None:
                still.append(i)
            else:
                if vectors is None:
                    vectors = np.empty((len(keys), len(vector)), dtype=np.float16)
                vectors[i] = vector
        return vectors, np.array(still, dtype=np.int64)

    def _keep(self, row: dict[bytes, npt.NDArray[np.float16]]) -> None:
        with self._lock:
            self._fresh.update(row)
            if len(self._fresh) >= _FLUSH_ROWS:
                self.flush()

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / "model.json").write_text(json.dumps({"model": self._identity}) + "\n", encoding="utf-8")

    def _reload(self) -> None:
        """Open the segments that are there now: other processes write and merge them too."""
        files = {file.name: file for file in sorted(self._folder.glob("*.seg"))}
        self._segments = {name: segment for name, segment in self._segments.items() if name in files}
        for name, file in files.items():
            if name in self._segments:
                continue
            try:
                segment = Segment(file)
                if self._dimensions not in (None, segment.dimensions):
                    raise ValueError(f"{segment.dimensions} dimensions, where others have {self._dimensions}")
                self._segments[name], self._dimensions = segment, segment.dimensions
            except FileNotFoundError:
                continue  # merged by another process since it was listed
            except ValueError as error:
                event(f"{file} is damaged ({error}) and was removed; its vectors will be made again")
                with suppress(OSError):
                    file.unlink()
            except OSError as error:
                event(f"{file} cannot be read now ({error.strerror or error}); its vectors will be made again")

    def _merge(self) -> None:
        """Merge small segments of like size, so that there are few; two processes never merge the same ones."""
        small = sorted((s for s in self._segments.values() if s.bytes < _MERGE_BYTES), key=lambda s: -s.bytes)
        while len(small) > 1 and small[-1].bytes * 4 > small[-2].bytes:
            pair = small[-2:]
            merged = merge(self._folder, pair)
            if merged is None:
                return
            for old in pair:
                del self._segments[old.file.name]
            self._segments[merged.file.name] = merged
            small = [*small[:-2], merged]
            small.sort(key=lambda s: -s.bytes)
            if merged.bytes >= _MERGE_BYTES:
                small.remove(merged)


def _tell(message: str) -> None:
    """An event of the running stage; outside one, at the end of a process, a warning."""
    if in_stage():
        event(message)
    else:
        _log.warning(message)


def _limit() -> int:
    given = os.environ.get(_LIMIT_VARIABLE, "")
    if given and not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise GraphbrickError(
            f"{_LIMIT_VARIABLE} must be a whole number of megabytes, got {given!r:.40}; try {_LIMIT_MB}"
        )
    return (int(given) if given else _LIMIT_MB) << 20


_stores: dict[Path, VectorStore] = {}
_stores_lock = ForkLock()
_current: ContextVar[VectorStore | None] = ContextVar("graphbrick_vectors", default=None)


def store_of(graph: Graph) -> VectorStore:
    """The store beside a graph; one a process."""
    folder = graph.place.with_name(f"{graph.place.name}.vectors")
    with _stores_lock:
        if folder not in _stores:
            _stores[folder] = VectorStore(folder)
        return _stores[folder]


def current_store() -> VectorStore | None:
    """The store of the graph that the running pipeline is on; None outside a run."""
    return _current.get()


@contextmanager
def using(store: VectorStore | None) -> Iterator[None]:
    """Let embedders look vectors up in a store; None lets them embed every text anew."""
    token = _current.set(store)
    try:
        yield
    finally:
        _current.reset(token)


@atexit.register
def _flush_all() -> None:
    for store in list(_stores.values()):
        try:
            store.flush()
        except GraphbrickError as error:
            _log.warning("%s", error)


def _unlock() -> None:
    for store in _stores.values():
        store.unlock()


def _flush_at_end_of_worker(_: object = None) -> None:
    util.Finalize(None, _flush_all, exitpriority=0)  # workers of multiprocessing end without what atexit registered


os.register_at_fork(after_in_child=_unlock)
util.register_after_fork(_flush_all, _flush_at_end_of_worker)
if parent_process() is not None:
    _flush_at_end_of_worker()
