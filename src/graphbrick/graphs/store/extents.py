"""Check that the parts of a graph have the lengths that the others need, and that rows and ids lie within them."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.store.manifest import Manifest

_GONE = -1  # the triple of an incoming entry that a change has moved elsewhere


def check_lengths(
    manifest: Manifest,
    csr: Csr,
    tables: Mapping[str, Sized | None],
    hashes: tuple[Sized, Sized],
    types: tuple[npt.NDArray[Any], npt.NDArray[Any], Sized] | None,
) -> None:
    """Raise ValueError unless arrays and tables have as many entries as the manifest says, and rows end there.

    Args:
        manifest: The manifest.
        csr: The rows as built.
        tables: Texts of entities, and of relations ("relation_...").
        hashes: The hashes of keys, and their entities.
        types: Where the types of each entity begin, type ids, and their names.
    """
    n, m = manifest.entities, manifest.triples
    lengths = {"out_begin": n, "in_begin": n, "tail": m, "relation": m, "in_head": m, "in_triple": m}
    actual = {name: len(getattr(csr, name)) for name in lengths}
    for name, part in (*tables.items(), *zip(("key_hash", "key_entity"), hashes, strict=True)):
        if part is not None:
            lengths[name] = manifest.relations if name.startswith("relation_") else n
            actual[name] = len(part)
    for name, begin, end in (("out_ptr", csr.out_begin, csr.out_end), ("in_ptr", csr.in_begin, csr.in_end)):
        lengths |= {f"{name}, to its end,": m}
        actual |= {f"{name}, to its end,": int(end[-1]) - int(begin[0]) if len(begin) else m}
        lengths |= {f"{name}, before its begin,": 0}
        actual |= {f"{name}, before its begin,": int(begin[0]) if len(begin) else 0}
    if types is not None:
        lengths |= {"type_ptr": n + 1, "type_ptr, to its end,": len(types[1])}
        actual |= {"type_ptr": len(types[0]), "type_ptr, to its end,": int(types[0][-1:].sum())}
    for name, length in lengths.items():
        if actual[name] != length:
            raise ValueError(f"{name} has {actual[name]:,} entries instead of {length:,}")


def check_rows(folder: Path, n_relations: int, csr: Csr) -> None:
    """Raise GraphFormatError unless all rows are within the arrays, and all ids are of nodes, relations and triples.

    It reads the arrays once: about 50 ms of 30 million triples that are in memory.
    """
    n, size = csr.n_nodes, len(csr.tail)
    for name, begin, end, last in (
        ("out_ptr", csr.out_begin, csr.out_end, size),
        ("in_ptr", csr.in_begin, csr.in_end, len(csr.in_head)),
    ):
        _demand(not len(end) or (bool((begin <= end).all()) and int(end.max()) <= last), folder, name)
    for name, ids, count in (
        ("tail", csr.tail, n),
        ("relation", csr.relation, n_relations),
        ("in_head", csr.in_head, n),
    ):
        _demand(_largest(ids) < count, folder, name)
    is_within = _largest(csr.in_triple) < size
    if not is_within and int(csr.in_triple.min()) == _GONE:  # which no row holds in a changed graph
        is_within = int(csr.in_triple.max()) < size
    _demand(is_within, folder, "in_triple")


def _largest(ids: npt.NDArray[Any]) -> int:
    """Return the largest id, where one below 0 counts as very large."""
    return int(ids.view(np.uint32).max(initial=0)) if len(ids) else -1


def _demand(holds: bool, folder: Path, name: str) -> None:
    if not holds:
        text = f"{name} of {folder} is damaged: it holds numbers that are out of range; build the graph again"
        raise GraphFormatError(text, code="graph.ids_out_of_range", array=name)
