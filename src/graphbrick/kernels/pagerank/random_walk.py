"""Random walks that are the same on every machine, and the readable reference version.

A walk steps along the triples (``follow_out``), against them (``follow_in``), or both ways; each triple is equally
likely, so parallel triples count separately, and a self loop walked both ways counts twice. Every walk has its own
generator (splitmix64, Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). It is seeded by
the random seed, the entity where the walk starts, and the number of the walk. A walk therefore does not depend on the
other walks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import FREE, GOLDEN, place_of, table_for
from graphbrick.kernels.jit import jit
from graphbrick.kernels.slices import SLICE

_MASK = 2**64 - 1
_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)


@jit
def mix(state: np.uint64) -> np.uint64:
    """Return the random number for a state of splitmix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@jit
def step_all(
    rows: Rows,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    state: np.uint64,
    at: npt.NDArray[np.int32],
    walking: npt.NDArray[np.int32],
    entry: npt.NDArray[np.int64],
    n_walking: int,
) -> tuple[np.uint64, int]:
    """Take one step of many walks at once, so that their reads overlap.

    A walk ends at its current node with probability ``restart``. A walk at a dead end is lost, and its entry in ``at``
    becomes -1. One random number decides both whether the walk ends and which step it takes, so the probability of a
    neighbour is off by at most 2^-32.

    Args:
        rows: The rows of the graph.
        restart: Probability that a walk ends before the step.
        follow_out: Walk along the triples.
        follow_in: Walk against the triples.
        state: The state of the random numbers.
        at: Current node of each walk; changed in place.
        walking: Indices of the walks that have not ended, ``n_walking`` of them; changed in place.
        entry: Buffer with one number per walk.
        n_walking: Number of walks that have not ended.

    Returns:
        The next state of the random numbers, and the number of walks that have not ended.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    stop = np.uint64(restart * 2.0**32)
    left = 0
    for position in range(n_walking):
        number = walking[position]
        state += GOLDEN
        drawn = mix(state)
        if drawn >> _HALF < stop:
            continue
        u = at[number]
        n_out, n_in = np.int64(0), np.int64(0)
        if follow_out:
            n_out = np.int64(out_end[u]) - np.int64(out_begin[u])
        if follow_in:
            n_in = np.int64(in_end[u]) - np.int64(in_begin[u])
        if n_out + n_in == 0:
            at[number] = -1
            continue
        chosen = np.int64((drawn & _LOW) * np.uint64(n_out + n_in) >> _HALF)
        entry[left] = np.int64(out_begin[u]) + chosen if chosen < n_out else ~(np.int64(in_begin[u]) + chosen - n_out)
        walking[left] = number
        left += 1
    for position in range(left):
        e = entry[position]
        at[walking[position]] = tail[e] if e >= 0 else in_head[~e]
    return state, left


@jit
def below(state: np.uint64, size: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the next state and a uniform random number below ``size``."""
    # Reject the first 2^64 mod size numbers, so that every remainder is equally likely.
    least = (np.uint64(0) - size) % size
    while True:
        state += GOLDEN
        drawn = mix(state)
        if drawn >= least:
            return state, drawn % size


@jit
def walk(
    rows: Rows,
    start: int,
    number: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    seed: int,
    stations: npt.NDArray[np.int32],
) -> None:
    """Fill ``stations`` with the nodes of one walk: ``start``, then the node after each step.

    A step goes back to ``start`` with probability ``restart``, and always at a dead end.
    """
    out_begin, out_end, tail, _, in_begin, in_end, in_head, _ = rows
    state = mix(np.uint64(seed + 1) * GOLDEN)
    state = mix(state + np.uint64(start + 1) * GOLDEN)
    state = mix(state + np.uint64(number + 1) * GOLDEN)
    u = np.int64(start)
    stations[0] = u
    for step in range(1, len(stations)):
        chance = 1.0
        if restart > 0.0:
            state += GOLDEN
            chance = np.float64(mix(state) >> np.uint64(11)) * 2.0**-53
        first_out, first_in = np.int64(out_begin[u]), np.int64(in_begin[u])
        n_out = np.int64(out_end[u]) - first_out if follow_out else np.int64(0)
        n_in = np.int64(in_end[u]) - first_in if follow_in else np.int64(0)
        if chance < restart or n_out + n_in == 0:
            u = np.int64(start)
        else:
            state, drawn = below(state, np.uint64(n_out + n_in))
            e = np.int64(drawn)
            u = np.int64(tail[first_out + e] if e < n_out else in_head[first_in + e - n_out])
        stations[step] = u


def walked_nodes(
    rows: Rows,
    seeds: npt.NDArray[np.int32],
    walks: int,
    length: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    seed: int,
) -> npt.NDArray[np.int32]:
    """Return the nodes on ``walks`` walks of ``length`` steps from each of the seeds: int32, ascending.

    The work can be stopped between two slices.
    """
    most = min(len(rows.out_begin), len(seeds) * (walks * length + 1))
    nodes, seen, count = np.empty(most, dtype=np.int32), table_for(most), 0
    at_once = max(1, SLICE // length)
    for start in seeds.tolist():
        for first in range(0, walks, at_once):
            check_limits()
            last = min(walks, first + at_once)
            count = _walk_from(
                rows, start, first, last, length, restart, follow_out, follow_in, seed, nodes, seen, count
            )
    return np.sort(nodes[:count])


@jit
def _walk_from(
    rows: Rows,
    start: int,
    first: int,
    last: int,
    length: int,
    restart: float,
    follow_out: bool,
    follow_in: bool,
    seed: int,
    nodes: npt.NDArray[np.int32],
    seen: npt.NDArray[np.int32],
    count: int,
) -> int:
    """Take the walks from ``first`` to before ``last``, add new nodes to ``nodes``, and return their number."""
    stations = np.empty(length + 1, dtype=np.int32)
    for number in range(first, last):
        walk(rows, start, number, restart, follow_out, follow_in, seed, stations)
        for u in stations:
            at = place_of(seen, u)
            if seen[at] == FREE:
                seen[at] = u
                nodes[count] = u
                count += 1
    return count


def mix_python(state: int) -> int:
    """Return the same as `mix`, in plain integers."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & _MASK
    return state ^ (state >> 31)


def below_python(state: int, size: int) -> tuple[int, int]:
    """Return the same as `below`, in plain integers."""
    while True:
        state = (state + int(GOLDEN)) & _MASK
        drawn = mix_python(state)
        if drawn >= 2**64 % size:
            return state, drawn % size


def walk_python(
    csr: Csr, start: int, number: int, length: int, restart: float, follow_out: bool, follow_in: bool, seed: int
) -> list[int]:
    """Return the ``length + 1`` nodes that `walk` fills in."""
    golden, state = int(GOLDEN), 0
    for part in (seed, start, number):
        state = mix_python((state + (part + 1) * golden) & _MASK)
    stations = [start]
    for _ in range(length):
        u, chance = stations[-1], 1.0
        if restart > 0:
            state = (state + golden) & _MASK
            chance = (mix_python(state) >> 11) * 2.0**-53
        leaving = csr.tail[int(csr.out_begin[u]) : int(csr.out_end[u])].tolist() if follow_out else []
        entering = csr.in_head[int(csr.in_begin[u]) : int(csr.in_end[u])].tolist() if follow_in else []
        ends = leaving + entering
        if chance < restart or not ends:
            stations.append(start)
        else:
            state, drawn = below_python(state, len(ends))
            stations.append(ends[drawn])
    return stations
