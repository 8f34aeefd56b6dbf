"""Reading a whole graph in blocks: keys as one array on disk, and triples in arrays of limited length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from graphbrick.core.files.writing import FileWriter
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.store.stored import StoredGraph

if TYPE_CHECKING:
    import pyarrow

Ints: TypeAlias = npt.NDArray[np.int64]

_TRIPLES = 1 << 18  # per block
_TEXTS = 1 << 14  # written together


def writable(text: str) -> str:
    """Return a text with question marks for the characters that UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


class Triples(NamedTuple):
    """A block of triples, sorted by (head, tail, relation).

    Attributes:
        heads: int64 [triples].
        relations: int64 [triples].
        tails: int64 [triples].
        ids: int64 [triples], the ids of the triples; empty if no triple of the graph has a property.
    """

    heads: Ints
    relations: Ints
    tails: Ints
    ids: Ints

    def rows(self, graph: StoredGraph) -> Iterator[tuple[int, int, int, Properties]]:
        """Yield head, relation, tail and properties of each triple."""
        ids = self.ids.tolist()
        properties = map(graph.triple_properties, ids) if ids else repeat(NO_PROPERTIES, len(self.heads))
        return zip(self.heads.tolist(), self.relations.tolist(), self.tails.tolist(), properties, strict=True)


def triple_blocks(graph: StoredGraph, size: int = _TRIPLES) -> Iterator[Triples]:
    """Yield all triples of a graph in blocks of at most ``size``."""
    csr, own = graph.csr, graph.triples_have_properties
    ids = csr.ids()
    for at in range(0, len(ids), size):
        block = ids[at : at + size]
        parts = (csr.heads(block), csr.relation[block], csr.tail[block], block if own else block[:0])
        yield Triples(*(np.asarray(part, dtype=np.int64) for part in parts))


def mapped_texts(file: Path, texts: Iterable[str]) -> pyarrow.LargeStringArray:
    """Write texts to a file and return them as one Arrow array over its memory map.

    The file must stay until the array is collected. Characters that UTF-8 cannot hold become question marks.
    """
    import pyarrow

    ends, count = FileWriter(file.with_suffix(".ends")), 0
    data, size = FileWriter(file), 0
    batch: list[bytes] = []

    def flush() -> None:
        nonlocal size, count
        lengths = np.fromiter(map(len, batch), dtype=np.int64, count=len(batch))
        ends.write(size + np.cumsum(lengths))
        size, count = size + int(lengths.sum()), count + len(batch)
        data.write(b"".join(batch))
        batch.clear()

    try:
        ends.write(np.zeros(1, dtype=np.int64))
        for text in texts:
            batch.append(text.encode("utf-8", "replace"))
            if len(batch) >= _TEXTS:
                flush()
        flush()
        data.close()
        ends.close()
    finally:
        data.abandon()
        ends.abandon()
    buffers = [pyarrow.memory_map(str(path)).read_buffer() for path in (ends.path, data.path)]
    return pyarrow.LargeStringArray.from_buffers(count, *buffers)
