"""The kept vectors of one model: segment files opened by memory map, and new vectors in memory."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits, watched_part
from graphbrick.core.errors import GraphbrickError, ModelError
from graphbrick.core.files.locks import ForkLock
from graphbrick.core.trace import count_hits, event, in_stage
from graphbrick.models.vectors.segments import (
    Hashes,
    Segment,
    hash_texts,
    merge,
    remove_left_over,
    write_segment,
)

if TYPE_CHECKING:
    from graphbrick.models.embedders.embedder import Embedder

_MADE_ROWS = 512  # texts embedded at once: about half a second of MiniLM, after which a budget may stop the run
_FLUSH_ROWS = 16_384  # vectors in memory before they are written: 12 MB of MiniLM
_MERGE_BYTES = 64 << 20  # larger segments are not merged, which bounds the memory of a merge
_LIMIT_VARIABLE, _LIMIT_MB = "GRAPHBRICK_VECTORS_MB", 4096
_ABOUT = "model.json"
_log = logging.getLogger("graphbrick")

Vectors = npt.NDArray[np.float16]


def identity_hash(identity: str) -> str:
    """Return the hash of the identity of a model that ends the name of its folder."""
    return hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()


def check_identity(folder: Path) -> None:
    """Raise ValueError unless a folder of vectors says the model that its name has the hash of."""
    file = folder / _ABOUT
    try:
        identity = json.loads(file.read_text(encoding="utf-8"))["model"]
        is_right = identity_hash(identity) == folder.name.rpartition("-")[2]
    except FileNotFoundError:
        raise ValueError(f"{_ABOUT} is missing") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"its {_ABOUT} cannot be read ({error})") from error
    if not is_right:
        raise ValueError(f"its {_ABOUT} is not what was written")


class ModelVectors:
    """The vectors of one model beside one graph.

    Args:
        folder: Folder of its segments.
        identity: The model, as `Embedder.identity` gives it.
        limit_mb: Megabytes kept; None for ``GRAPHBRICK_VECTORS_MB``, or 4096.
    """

    def __init__(self, folder: Path, identity: str, limit_mb: int | None) -> None:
        self._folder, self._identity, self._limit_mb = folder, identity, limit_mb
        self._lock = ForkLock()
        self._segments: dict[str, Segment] = {}
        self._fresh: dict[bytes, Vectors] = {}
        self._dimensions: int | None = None
        self._reload()

    def get(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, float16 [texts, dimensions]; missing ones are made and kept."""
        if not texts:
            return np.zeros((0, 0), dtype=np.float16)
        keys = hash_texts(texts)
        vectors, missing = self._look_up(keys)
        if len(missing):
            # Equal texts have equal keys. Each is embedded once, outside the lock.
            first = {keys[i].tobytes(): int(i) for i in missing[::-1]}
            rows = sorted(first.values())
            new: dict[bytes, Vectors] = {}
            for start in range(0, len(rows), _MADE_ROWS):
                check_limits()  # a run that stops here keeps the vectors made so far
                batch = rows[start : start + _MADE_ROWS]
                with watched_part("", len(rows), before=start):
                    made = self._checked(embedder, embedder.made([texts[i] for i in batch]))
                part = {keys[i].tobytes(): vector for i, vector in zip(batch, made, strict=True)}
                self._keep(part)
                new |= part
            if vectors is None:
                vectors = np.empty((len(texts), len(next(iter(new.values())))), dtype=np.float16)
            for i in missing:
                vectors[i] = new[keys[i].tobytes()]
        count_hits(len(texts) - len(missing))
        assert vectors is not None
        return vectors

    def _checked(self, embedder: Embedder, made: Vectors) -> Vectors:
        """Return new vectors; raise ModelError if they have other dimensions than those before."""
        if self._dimensions not in (None, made.shape[1]):
            raise ModelError(
                f"{embedder!r} gives vectors of {made.shape[1]} dimensions, but those kept in {self._folder} have "
                f"{self._dimensions}: another model has this name now; remove that folder",
                code="vectors.other_dimensions",
            )
        self._dimensions = made.shape[1]
        return made

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return the texts that have no vector yet, also none that another process has written, without duplicates."""
        if not texts:
            return []
        keys = hash_texts(texts)
        missing = self._look_up(keys)[1]
        if len(missing):
            with self._lock:
                self._reload()
            missing = self._look_up(keys)[1]
        return list(dict.fromkeys(texts[i] for i in missing))

    def flush(self) -> None:
        """Write the vectors that are only in memory as a segment; a failure drops them, with an event."""
        with self._lock:
            self._flush()

    def _look_up(self, keys: Hashes) -> tuple[Vectors | None, npt.NDArray[np.int64]]:
        """Return the known vectors (None if there are none) and the indices of the keys that have no vector."""
        with self._lock:
            segments, fresh = list(self._segments.values()), self._fresh
        # Outside the lock: segments never change, and a vector written meanwhile is at worst made twice.
        vectors: Vectors | None = None
        missing = np.arange(len(keys))
        for segment in segments:
            at = segment.find(keys[missing])
            hit = at >= 0
            if hit.any():
                if vectors is None:
                    vectors = np.empty((len(keys), segment.dimensions), dtype=np.float16)
                vectors[missing[hit]] = segment.vectors[at[hit]]
                missing = missing[~hit]
            if not len(missing):
                return vectors, missing
        still_missing = []
        for i in missing.tolist():
            vector = fresh.get(keys[i].tobytes())
            if vector is None:
                still_missing.append(i)
            else:
                if vectors is None:
                    vectors = np.empty((len(keys), len(vector)), dtype=np.float16)
                vectors[i] = vector
        return vectors, np.array(still_missing, dtype=np.int64)

    def _keep(self, new: dict[bytes, Vectors]) -> None:
        with self._lock:
            self._fresh.update(new)
            if len(self._fresh) >= _FLUSH_ROWS:
                self._flush()

    def _flush(self) -> None:
        if not self._fresh or not self._folder.parent.parent.is_dir():
            self._fresh = {}  # there is nothing to write, or the graph was removed
            return
        limit = byte_limit(self._limit_mb)
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

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / _ABOUT).write_text(json.dumps({"model": self._identity}) + "\n", encoding="utf-8")

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
                    raise ValueError(f"{segment.dimensions} dimensions, while others have {self._dimensions}")
                self._segments[name], self._dimensions = segment, segment.dimensions
            except FileNotFoundError:
                continue  # another process has merged it since it was listed
            except ValueError as error:
                event(
                    f"{file} is damaged ({error}) and was removed; its vectors will be made again",
                    "vectors.damaged",
                    file=str(file),
                )
                with suppress(OSError):
                    file.unlink()
            except OSError as error:
                event(
                    f"{file} cannot be read now ({error.strerror or error}); its vectors will be made again",
                    "vectors.unreadable",
                    file=str(file),
                )

    def _merge(self) -> None:
        """Merge small segments of similar size; two processes never merge the same ones."""
        small = sorted((s for s in self._segments.values() if s.bytes < _MERGE_BYTES), key=lambda s: -s.bytes)
        while len(small) > 1 and small[-1].bytes * 4 > small[-2].bytes:
            pair = small[-2:]
            merged = merge(self._folder, pair)
            if merged is None:
                return
            for old in pair:
                del self._segments[old.file.name]
            self._segments[merged.file.name] = merged
            small = small[:-2]
            if merged.bytes < _MERGE_BYTES:
                small = sorted([*small, merged], key=lambda s: -s.bytes)


def byte_limit(limit_mb: int | None) -> int:
    """Return the bytes kept for a model: from the megabytes, the environment, or the default.

    Raises:
        GraphbrickError: The environment holds something else than a number of megabytes.
    """
    if limit_mb is None:
        text = os.environ.get(_LIMIT_VARIABLE, "")
        if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise GraphbrickError(
                f"{_LIMIT_VARIABLE} must be a whole number of megabytes, got {text!r:.40}; try {_LIMIT_MB}",
                code="vectors.bad_megabytes",
                variable=_LIMIT_VARIABLE,
            )
        limit_mb = int(text) if text else _LIMIT_MB
    return limit_mb << 20


def _tell(message: str) -> None:
    """Record an event of the running stage; outside one, such as at the end of a process, log a warning."""
    if in_stage():
        event(message)
    else:
        _log.warning(message)
