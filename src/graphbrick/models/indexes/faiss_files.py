"""The files of an index over vectors: exact, or grouped around centres (IVF).

Both hold half precision and are searched by faiss through memory maps. faiss can write groups itself, but only from
memory, or with 2.7 times the disk and messages on standard output. So the groups are laid out here the way its on-disk
lists are: for each group the vectors, then their row numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.errors import GraphbrickError

_INDEX = "vectors.faiss"
_RAW, _GROUPS, _SIZES = "rows.raw", "groups.bin", "group_sizes.npy"
_ID_BYTES = 8
_COMPARED = 100_000  # vectors compared with a question: about 20 ms with 384 dimensions
_LEAST_PART = 32  # with more than 3.2 million vectors, a thirty-second part of them is compared
_PER_CENTRE = 40  # vectors of the sample needed to find a centre

Vectors = npt.NDArray[np.float32]


def library() -> Any:
    """Return the faiss module.

    Raises:
        GraphbrickError: It is not installed.
    """
    try:
        import faiss
    except ImportError as error:
        raise GraphbrickError(
            "an index over vectors needs faiss: pip install 'graphbrick[vectors]'", code="vector_index.not_installed"
        ) from error
    return faiss


def write_exact(folder: Path, vectors: Iterator[Vectors]) -> None:
    """Write an exact index; memory holds all vectors in half precision.

    Raises:
        OSError: It cannot be written.
    """
    faiss = library()
    index = None
    for part in vectors:
        if index is None:
            index = faiss.IndexScalarQuantizer(part.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.add(part)
    if index is None:
        index = faiss.IndexScalarQuantizer(1, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
    _write(index, folder / _INDEX)


def write_groups(folder: Path, vectors: Iterator[Vectors], sample: Vectors, n: int) -> None:
    """Write ``n`` vectors grouped around centres; memory holds the sample and 12 bytes for each vector.

    Args:
        folder: Folder of the files.
        vectors: All vectors in order.
        sample: The vectors from which the centres are found.
        n: Number of vectors.

    Raises:
        OSError: They cannot be written.
    """
    faiss = library()
    dimensions = sample.shape[1]
    centres = max(1, min(round(4 * math.sqrt(n)), len(sample) // _PER_CENTRE))
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(dimensions), dimensions, centres, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT,
        False,
    )  # fmt: skip
    index.train(sample)
    _write(index, folder / _INDEX)
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


def _write(index: Any, file: Path) -> None:
    try:
        library().write_index(index, str(file))
    except RuntimeError as error:  # the only kind that faiss raises; the system's reason comes last, in parentheses
        raise OSError(str(error).rpartition("(")[2].rstrip(")\n")) from error


def open_exact(folder: Path) -> Any:
    """Open what `write_exact` wrote, by memory map.

    Raises:
        RuntimeError: faiss cannot read it.
    """
    faiss = library()
    return faiss.read_index(str(folder / _INDEX), faiss.IO_FLAG_MMAP_IFC)


def open_groups(folder: Path) -> Any:
    """Open what `write_groups` wrote, by memory map.

    Raises:
        RuntimeError: faiss cannot read it.
        ValueError: The file does not have the size of its groups.
    """
    faiss = library()
    index = faiss.read_index(str(folder / _INDEX))
    sizes = np.load(folder / _SIZES)
    entry = index.code_size + _ID_BYTES
    total = int(sizes.sum()) * entry
    actual = (folder / _GROUPS).stat().st_size
    if len(sizes) != index.nlist or actual != total or (sizes < 0).any():
        raise ValueError(f"{_GROUPS} has {actual:,} bytes instead of {total:,}")
    lists = faiss.OnDiskInvertedLists()
    lists.nlist, lists.code_size, lists.totsize = index.nlist, index.code_size, total
    lists.filename, lists.read_only = str(folder / _GROUPS), True
    lists.prefetch_nthread = 0  # otherwise a search leaves up to 32 threads that still read after it has returned
    begin = 0
    for size in sizes.tolist():
        one = faiss.OnDiskOneList()
        one.size, one.capacity, one.offset = size, size, begin
        lists.lists.push_back(one)
        begin += size * entry
    if total:  # an empty file cannot be mapped
        lists.do_mmap()
    index.replace_invlists(lists, True)
    lists.this.disown()  # the index owns the lists now
    index.ntotal = int(sizes.sum())
    part = max(1 / _LEAST_PART, _COMPARED / max(1, index.ntotal))
    index.nprobe = max(1, min(index.nlist, math.ceil(part * index.nlist)))
    return index
