"""The files of an index over vectors, as faiss searches them: all compared, or grouped around centres (IVF).

Both hold half precision and are read by memory map. faiss could write groups by itself, but only from memory, or with
messages on standard output; so they are laid out here as its on-disk lists are: of each group the vectors, then their
row numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError

_SEARCHED = "vectors.faiss"
_RAW, _GROUPS, _SIZES = "rows.raw", "groups.bin", "group_sizes.npy"
_ID_BYTES = 8
_LOOKED_AT = 100_000  # vectors: some 20 ms with 384 dimensions
_LEAST_PART = 32  # of more than 3.2 million vectors, a thirty-second part
_EACH = 40  # vectors a centre needs to be found from

Vectors = npt.NDArray[np.float32]


def library() -> Any:
    """faiss.

    Raises:
        GraphbrickError: It is not installed.
    """
    try:
        import faiss
    except ImportError as error:
        raise GraphbrickError("an index over vectors needs faiss: pip install 'graphbrick[vectors]'") from error
    return faiss


def write_exact(folder: Path, vectors: Iterator[Vectors]) -> None:
    """Write vectors that are all compared; they are held in memory, in half precision."""
    faiss = library()
    index = None
    for part in vectors:
        if index is None:
            index = faiss.IndexScalarQuantizer(part.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.add(part)
    if index is None:
        index = faiss.IndexScalarQuantizer(1, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    faiss.write_index(index, str(folder / _SEARCHED))


def write_groups(folder: Path, vectors: Iterator[Vectors], sample: Vectors, n: int) -> None:
    """Write ``n`` vectors grouped around centres; memory holds the sample and 12 bytes a vector.

    Args:
        folder: Where the files go.
        vectors: All vectors in order.
        sample: What the centres are found from.
        n: Number of vectors.
    """
    faiss = library()
    dimensions = sample.shape[1]
    centres = max(1, min(round(4 * math.sqrt(n)), len(sample) // _EACH))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dimensions), dimensions, centres, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT,
        False,
    )  # fmt: skip
    index.train(sample)
    faiss.write_index(index, str(folder / _SEARCHED))
    group = np.empty(n, dtype=np.int32)
    raw = folder / _RAW
    with raw.open("wb") as file:
        done = 0
        for part in vectors:
            group[done : done + len(part)] = index.quantizer.search(part, 1)[1][:, 0]
            file.write(part.astype(np.float16).tobytes())
            done += len(part)
    rows = np.memmap(raw, dtype=np.float16, mode="r", shape=(n, dimensions))
    order, sizes = np.argsort(group, kind="stable"), np.bincount(group, minlength=centres)
    with (folder / _GROUPS).open("wb") as file:
        for chosen in np.split(order, np.cumsum(sizes)[:-1]):
            file.write(rows[chosen].tobytes())
            file.write(chosen.astype(np.int64).tobytes())
    np.save(folder / _SIZES, sizes.astype(np.int64))
    raw.unlink()


def open_exact(folder: Path) -> Any:
    """What `write_exact` wrote, by memory map.

    Raises:
        RuntimeError: faiss cannot read it.
    """
    faiss = library()
    return faiss.read_index(str(folder / _SEARCHED), faiss.IO_FLAG_MMAP_IFC)


def open_groups(folder: Path) -> Any:
    """What `write_groups` wrote, by memory map.

    Raises:
        RuntimeError: faiss cannot read it.
        ValueError: The sizes of the groups are not those of the files.
    """
    faiss = library()
    index = faiss.read_index(str(folder / _SEARCHED))
    sizes = np.load(folder / _SIZES)
    entry = index.code_size + _ID_BYTES
    total = int(sizes.sum()) * entry
    found = (folder / _GROUPS).stat().st_size
    if len(sizes) != index.nlist or found != total or (sizes < 0).any():
        raise ValueError(f"{_GROUPS} has {found:,} bytes instead of {total:,}")
    lists = faiss.OnDiskInvertedLists()
    lists.nlist, lists.code_size, lists.totsize = index.nlist, index.code_size, total
    lists.filename, lists.read_only = str(folder / _GROUPS), True
    lists.prefetch_nthread = 0  # else a search leaves up to 32 threads that go on reading when it has returned
    begin = 0
    for size in sizes.tolist():
        one = faiss.OnDiskOneList()
        one.size, one.capacity, one.offset = size, size, begin
        lists.lists.push_back(one)
        begin += size * entry
    if total:  # what is empty cannot be mapped
        lists.do_mmap()
    index.replace_invlists(lists, True)
    lists.this.disown()  # the index frees it
    index.ntotal = int(sizes.sum())
    part = max(1 / _LEAST_PART, _LOOKED_AT / max(1, index.ntotal))
    index.nprobe = max(1, min(index.nlist, math.ceil(part * index.nlist)))
    return index
