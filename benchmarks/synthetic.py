"""Makes a graph of any size that is shaped like a large knowledge graph, as triples in memory or as a text file.

    python benchmarks/synthetic.py 3e7 triples.tsv          # also .nt; 3e8 triples take 9 GB of text

One entity a 2.98 triples, as in Freebase. Tails are drawn with weights rank^-0.74 and heads with rank^-0.35, by two
different orders of the entities, so that a few entities have degrees over a thousandth of all triples (over 1e6 of
3e8), most have a handful, and about a tenth have no triple that leaves them. A quarter of the tails lie near their
head, which makes neighbourhoods. Relations follow Zipf's law. Triple number i depends on nothing but i and the size,
so that any part can be made by itself.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, from_arrays
from graphbrick.kernels.pagerank.random_walk import mix

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_TAIL, _HEAD = 0.74, 0.35  # exponents of the weights
_LOCAL = 0.25
_DIGITS = np.frombuffer(b"0123456789bcdfghjklmnpqrstvwxyz_", dtype=np.uint8)
_CHUNK = 1 << 20


def n_entities(triples: int) -> int:
    """How many entities a graph of so many triples has."""
    return max(10, int(triples * 100_176_641 / 298_458_255))


def n_relations(triples: int) -> int:
    """How many relations; 658,641 at the size of Freebase."""
    return max(9, int(triples / 453))


@numba.njit(inline="always")
def _uniform(state):
    return np.float64(mix(state) >> np.uint64(11)) * 2.0**-53


@numba.njit(nogil=True)
def edges(first: int, last: int, n: int, relations: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Head, relation and tail of the triples ``first`` to ``last``: three int32 arrays."""
    count = last - first
    head, relation, tail = (
        np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.int32),
    )
    for i in range(count):
        state = np.uint64(first + i + 1) * _GOLDEN
        state = mix(state) + _GOLDEN
        h = np.int64(n * _uniform(state) ** (1.0 / (1.0 - _HEAD)))
        # Two different orders of the entities: multiplication by a prime permutes them.
        h = (h * 1_000_000_007 + 12_345) % n
        state += _GOLDEN
        if _uniform(state) < _LOCAL:
            state += _GOLDEN
            t = (h + 1 + np.int64(30.0 * _uniform(state) ** 2)) % n
        else:
            state += _GOLDEN
            t = np.int64(n * _uniform(state) ** (1.0 / (1.0 - _TAIL)))
            t = (t * 998_244_353 + 54_321) % n
        state += _GOLDEN
        relation[i] = min(np.int64(relations ** _uniform(state)) - 1, relations - 1)
        head[i], tail[i] = h, t
    return head, relation, tail


@numba.njit(nogil=True)
def _count(head, tail, out_count, in_count):
    for i in range(len(head)):
        out_count[head[i] + 1] += 1
        in_count[tail[i] + 1] += 1


@numba.njit(nogil=True)
def _place(row, value, at, target):
    for i in range(len(row)):
        target[at[row[i]]] = value[i]
        at[row[i]] += 1


@numba.njit(nogil=True)
def _fill_in(out_ptr, tail, at, in_head, in_triple):
    for u in range(len(out_ptr) - 1):
        row = np.sort(tail[np.int64(out_ptr[u]) : np.int64(out_ptr[u + 1])])
        tail[np.int64(out_ptr[u]) : np.int64(out_ptr[u + 1])] = row
        for e in range(np.int64(out_ptr[u]), np.int64(out_ptr[u + 1])):
            v = tail[e]
            in_head[at[v]], in_triple[at[v]] = u, e
            at[v] += 1


def csr_of(triples: int) -> Csr:
    """The rows of such a graph, all of one relation: what kernels that do not look at relations need."""
    n, relations = n_entities(triples), n_relations(triples)
    out_ptr, in_ptr = np.zeros(n + 1, dtype=np.uint32), np.zeros(n + 1, dtype=np.uint32)
    parts = [(first, min(first + _CHUNK, triples)) for first in range(0, triples, _CHUNK)]
    for first, last in parts:
        head, _, tail = edges(first, last, n, relations)
        _count(head, tail, out_ptr, in_ptr)
    np.cumsum(out_ptr, out=out_ptr)
    np.cumsum(in_ptr, out=in_ptr)
    tails, at = np.empty(triples, dtype=np.int32), out_ptr[:-1].copy()
    for first, last in parts:
        head, _, tail = edges(first, last, n, relations)
        _place(head, tail, at, tails)
    in_head, in_triple, at = np.empty(triples, dtype=np.int32), np.empty(triples, dtype=np.int32), in_ptr[:-1].copy()
    _fill_in(out_ptr, tails, at, in_head, in_triple)
    return from_arrays(out_ptr, tails, np.zeros(triples, dtype=np.int32), in_ptr, in_head, in_triple)


@numba.njit(nogil=True)
def _digits(number, digits, out, at):
    """Write a number to the base 32, five bits at a time, at least four digits."""
    length = 4
    while number >> (5 * length):
        length += 1
    for i in range(length):
        out[at] = digits[(number >> (5 * (length - 1 - i))) & 31]
        at += 1
    return at


@numba.njit(nogil=True)
def _put(text, out, at):
    for byte in text:
        out[at] = byte
        at += 1
    return at


@numba.njit(nogil=True)
def _lines(head, relation, tail, digits, before, middle, between, after, out):
    at = 0
    for i in range(len(head)):
        at = _digits(np.int64(head[i]), digits, out, _put(before, out, at))
        at = _digits(np.int64(relation[i]), digits, out, _put(middle, out, at))
        at = _digits(np.int64(tail[i]), digits, out, _put(between, out, at))
        at = _put(after, out, at)
    return at


def write_text(triples: int, file: Path) -> None:
    """Write the triples as tab-separated text or, where the suffix is ``.nt``, as N-Triples with Freebase's IRIs."""
    n, relations = n_entities(triples), n_relations(triples)
    if file.suffix == ".nt":
        ns = "http://rdf.freebase.com/ns/"
        parts = [f"<{ns}m.0", f"> <{ns}made.up.", f"> <{ns}m.0", "> .\n"]
    else:
        parts = ["m.0", "\tmade.up.", "\tm.0", "\n"]
    before, middle, between, after = (np.frombuffer(part.encode(), dtype=np.uint8) for part in parts)
    size = sum(map(len, parts)) + 3 * max(4, math.ceil(math.log2(n) / 5))
    out: npt.NDArray[np.uint8] = np.empty(_CHUNK * size, dtype=np.uint8)
    with file.open("wb") as handle:
        for first in range(0, triples, _CHUNK):
            head, relation, tail = edges(first, min(first + _CHUNK, triples), n, relations)
            end = _lines(head, relation, tail, _DIGITS, before, middle, between, after, out)
            handle.write(out[:end].data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triples", type=lambda text: int(float(text)))
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    started = time.perf_counter()
    write_text(arguments.triples, arguments.file)
    print(f"{arguments.file}: {arguments.file.stat().st_size:,} bytes, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
