"""Relation patterns around a seed: extend patterns by one hop, and the readable reference version."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr, Rows
from graphbrick.kernels.hashing import grow
from graphbrick.kernels.jit import inlined, jit
from graphbrick.kernels.paths.pattern_ends import append_ends, ascending, end_of_run, next_kind, with_room
from graphbrick.kernels.paths.relation_patterns_numpy import Carried, Grown

_MOST_WORDS = 1 << 18  # 2 MB
_WORDS_A_TRIPLE = 16  # where there are more, reading them all takes longer than sorting


@jit
def carry_on(
    rows: Rows,
    seed: int,
    before: Carried,
    chosen: npt.NDArray[np.int64],
    follow_out: bool,
    follow_in: bool,
    cap: int,
    in_relation: npt.NDArray[np.int32],
    n_relations: int,
) -> Carried:
    """Extend patterns by every relation that leaves or enters their ends.

    A walk may return to the seed only by a step that does not undo a step that left the seed. After returning, it must
    not leave by undoing the step that returned. Otherwise every walk there and back would count.

    For each pattern and kind of ends, at most ``cap`` triples are read: those of its first ends, outgoing before
    incoming ones. Memory grows with these triples and the ends found.

    Args:
        rows: The rows of the graph.
        seed: The node where the patterns start.
        before: The patterns of the previous length.
        chosen: int64, ascending: the patterns to extend.
        follow_out, follow_in: Whether triples are followed forwards, and backwards.
        cap: At least 1.
        in_relation: int32, the relation of each incoming entry, see `Csr.in_relation`; empty if it was not made.
        n_relations: All relations of the rows are below it; 0 if unknown.
    """
    n, cut = np.int64(len(rows.out_begin)), 0
    parent, step = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    first, back_first = np.empty(65, dtype=np.int64), np.empty(65, dtype=np.int64)
    end, back_end = np.empty(1024, dtype=np.int32), np.empty(64, dtype=np.int32)
    # The kind of an end is 2 * step + back. Few ends are sorted as keys, kind * n + node; where many triples are read,
    # each sets a bit in the row of its kind, and the rows are read in order.
    keys = np.empty(1024, dtype=np.int64)
    kinds, words = 4 * n_relations, n // 64 + 1
    bits, is_met = np.zeros(0, dtype=np.uint64), np.zeros(kinds, dtype=np.bool_)
    many = 1 + kinds * words // _WORDS_A_TRIPLE if 0 < kinds * words <= _MOST_WORDS else 0
    first[0] = back_first[0] = 0
    count, held, back_held = 0, 0, 0
    for p in chosen:
        marks = many > 0 and _has_triples(rows, before, p, many)
        if marks and not len(bits):
            bits = np.zeros(kinds * words, dtype=np.uint64)
        row, met = bits if marks else bits[:0], is_met if marks else is_met[:0]
        size, is_cut = 0, False
        for back in range(2):
            keys, size, exceeded = _steps_from(
                rows, seed, before, p, back == 1, follow_out, follow_in, cap, in_relation, keys, size, row, met
            )
            is_cut |= exceeded
        cut += is_cut
        ordered, at, last_step = ascending(keys[:size]), 0, np.int64(-1)
        kind = next_kind(ordered, at, n, met, 0)
        while kind >= 0:
            if kind >> 1 != last_step:
                last_step = kind >> 1
                if count == len(parent):
                    parent, step = grow(parent, 2 * count), grow(step, 2 * count)
                    first, back_first = grow(first, 2 * count + 1), grow(back_first, 2 * count + 1)
                parent[count], step[count] = p, last_step
                count += 1
            until, base = end_of_run(ordered, at, (kind + 1) * n), kind * n
            most, first_word = n if marks else until - at, kind * words
            last_word = first_word + words if marks else first_word
            if kind & 1:
                back_end = with_room(back_end, back_held + most)
                back_held = append_ends(back_end, back_held, bits, first_word, last_word, ordered, at, until, base)
            else:
                end = with_room(end, held + most)
                held = append_ends(end, held, bits, first_word, last_word, ordered, at, until, base)
            first[count], back_first[count] = held, back_held
            at, kind = until, next_kind(ordered, until, n, met, kind + 1)
    parent, step, first, back_first = parent[:count], step[:count], first[: count + 1], back_first[: count + 1]
    left, returns, has_been_back = _around_seed(rows, seed, before, parent, step, back_end, back_first)
    return Carried(
        parent.copy(), step.copy(), end[:held].copy(), first.copy(), back_end[:back_held].copy(), back_first.copy(),
        left, returns, has_been_back, cut,
    )  # fmt: skip


@jit
def _has_triples(rows: Rows, before: Carried, pattern: int, many: int) -> bool:
    """Return whether at least ``many`` triples leave or enter the ends of a pattern."""
    triples = np.int64(0)
    for back in range(2):
        nodes = before.back_end if back else before.end
        begin = before.back_begin if back else before.begin
        for u in nodes[begin[pattern] : begin[pattern + 1]]:
            triples += np.int64(rows.out_end[u]) - rows.out_begin[u] + rows.in_end[u] - rows.in_begin[u]
            if triples >= many:
                return True
    return False


@inlined
def _steps_from(
    rows: Rows,
    seed: int,
    before: Carried,
    pattern: int,
    back: bool,
    follow_out: bool,
    follow_in: bool,
    cap: int,
    in_relation: npt.NDArray[np.int32],
    keys: npt.NDArray[np.int64],
    size: int,
    bits: npt.NDArray[np.uint64],
    met: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.int64], int, bool]:
    """Append a key for every step from the ends of one kind; return the keys, their number, and if the cap was met.

    If there are bits, one is set for every step instead, and ``met`` for its kind.
    """
    out_begin, out_end, tail, relation, in_begin, in_end, in_head, in_triple = rows
    n, looked, exceeded = np.int64(len(out_begin)), 0, False
    marks, knows_incoming, width = len(bits) > 0, len(in_relation) > 0, 64 * (n // 64 + 1)
    nodes = before.back_end if back else before.end
    begin = before.back_begin if back else before.begin
    last, left = before.step[pattern], before.left[pattern]
    for u in nodes[begin[pattern] : begin[pattern + 1]]:
        for direction in range(2):
            if not (follow_out if direction == 0 else follow_in):
                continue
            if direction == 0:
                at, end = np.int64(out_begin[u]), np.int64(out_end[u])
            else:
                at, end = np.int64(in_begin[u]), np.int64(in_end[u])
            if end - at > cap - looked:
                end = at + cap - looked
                exceeded = True
            looked += end - at
            if not marks and size + end - at > len(keys):
                keys = grow(keys, max(2 * len(keys), size + end - at))
            for e in range(at, end):
                if direction == 0:
                    v, s = tail[e], 2 * np.int64(relation[e]) + 1
                else:
                    v = in_head[e]
                    s = 2 * np.int64(in_relation[e] if knows_incoming else relation[in_triple[e]])
                if v == seed and _among(left, s ^ 1):
                    continue
                if back and u == seed and s == last ^ 1:
                    continue
                kind = 2 * s + (back or v == seed)
                if marks:
                    place = kind * width + v
                    bits[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
                    met[kind] = True
                else:
                    keys[size] = kind * n + v
                    size += 1
        if exceeded:
            break
    return keys, size, exceeded


@jit
def _around_seed(
    rows: Rows,
    seed: int,
    before: Carried,
    parent: npt.NDArray[np.int64],
    step: npt.NDArray[np.int64],
    back_end: npt.NDArray[np.int32],
    back_begin: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return the fields ``left``, ``returns`` and ``has_been_back`` of extended patterns."""
    count, hops = len(parent), before.left.shape[1]
    left = np.empty((count, hops + 1), dtype=np.int64)
    returns, has_been_back = np.zeros(count, dtype=np.bool_), np.ones(count, dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.int64)
    for i in range(count):
        p = parent[i]
        for hop in range(hops):
            left[i, hop] = before.left[p, hop]
        is_at_seed = before.returns[p] or before.parent[p] < 0
        left[i, hops] = step[i] if is_at_seed and step[i] != before.step[p] ^ 1 else -1
        returns[i] = is_in(back_end[back_begin[i] : back_begin[i + 1]], seed)
        if returns[i]:
            away = before.end[before.begin[p] : before.begin[p + 1]]
            has_been_back[i] = step_back(rows, seed, step[i], away, nothing, np.int64(-1))[1] < 0
    return left, returns, has_been_back


@jit
def is_in(ordered: npt.NDArray[np.int32], node: int) -> bool:
    """Return whether a node is among nodes in ascending order."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) >> 1
        if ordered[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low < len(ordered) and ordered[low] == node


@jit
def _among(numbers: npt.NDArray[np.int64], wanted: int) -> bool:
    """Return whether a number is among a few others."""
    for number in numbers:  # noqa: SIM110 - compiled code has no any()
        if number == wanted:
            return True
    return False


@jit
def step_back(
    rows: Rows,
    node: int,
    step: int,
    allowed: npt.NDArray[np.int32],
    met: npt.NDArray[np.int64],
    excluded: int,
) -> tuple[np.int64, np.int64]:
    """Return the first triple by which a step came to a node from an allowed node.

    Args:
        rows: The rows of the graph.
        node: The end of the step.
        step: Twice the relation, and one more if it was followed forwards.
        allowed: int32, ascending.
        met: int64, nodes that are chosen only if there is no other.
        excluded: A node that is not allowed; -1 for none.

    Returns:
        (triple, node it comes from); (-1, -1) if there is none.
    """
    out_begin, out_end, tail, relation, in_begin, in_end, in_head, in_triple = rows
    found, origin = np.int64(-1), np.int64(-1)
    forward, wanted = step & 1, step >> 1
    # Incoming triples of the node if the step was followed forwards, outgoing ones otherwise.
    first = np.int64(in_begin[node] if forward else out_begin[node])
    last = np.int64(in_end[node] if forward else out_end[node])
    for e in range(first, last):
        t = np.int64(in_triple[e]) if forward else e
        if relation[t] != wanted:
            continue
        v = np.int64(in_head[e] if forward else tail[e])
        if v == excluded or not is_in(allowed, v):
            continue
        if not _among(met, v):
            return t, v
        if found < 0:
            found, origin = t, v
    return found, origin


@jit
def walk_back(
    rows: Rows,
    grown: Grown,
    pattern: npt.NDArray[np.int64],
    back: npt.NDArray[np.bool_],
    nodes: npt.NDArray[np.int64],
    triples: npt.NDArray[np.int64],
    start: int,
    most_paths: int,
) -> int:
    """Find one path of each pattern to an entity at its end, from the end backwards.

    If there are several paths, the one is chosen that has, from the end backwards, the lowest previous entity and its
    first triple. If possible, no entity is visited twice.

    Args:
        rows: The rows of the graph.
        grown: All patterns.
        pattern: int64 [paths], the pattern of each path.
        back: bool [paths], whether each is a walk that has been back at the seed.
        nodes: int64 [paths, hops + 1]; the first column is the end of each path, the others are filled in.
        triples: int64 [paths, hops], filled in.
        start: The first path to find.
        most_paths: How many to find before returning.

    Returns:
        The first path that was not found yet.
    """
    seed = np.int64(grown.end[0])
    last = min(len(pattern), start + most_paths)
    for i in range(start, last):
        p, has_been_back, hop = pattern[i], back[i], 0
        while grown.parent[p] >= 0:
            step, p = grown.step[p], grown.parent[p]
            at, met = nodes[i, hop], nodes[i, : hop + 1]
            triple, node = np.int64(-1), np.int64(-1)
            if has_been_back and at == seed:  # prefer a walk that stayed away from the seed until this step
                triple, node = step_back(
                    rows, at, step, grown.end[grown.begin[p] : grown.begin[p + 1]], met, np.int64(-1)
                )
                has_been_back = node < 0
            if node < 0 and has_been_back:
                # Do not undo the step that came back.
                allowed = grown.back_end[grown.back_begin[p] : grown.back_begin[p + 1]]
                triple, node = step_back(rows, at, step, allowed, met, seed if step == grown.step[p] ^ 1 else -1)
            elif node < 0:
                triple, node = step_back(
                    rows, at, step, grown.end[grown.begin[p] : grown.begin[p + 1]], met, np.int64(-1)
                )
            hop += 1
            nodes[i, hop], triples[i, hop - 1] = node, triple
    return last


def step_back_python(
    csr: Csr, node: int, wanted: int, forward: bool, allowed: list[int], met: list[int]
) -> tuple[int, int]:
    """Return the same as `step_back`, for a triple that was followed to the node, forwards or backwards."""
    row = csr.row(node, not forward)
    entries = range(row.start, row.stop)
    ways = [(int(csr.in_triple[e]), int(csr.in_head[e])) if forward else (e, int(csr.tail[e])) for e in entries]
    fits = [(t, v) for t, v in ways if csr.relation[t] == wanted and v in allowed]
    return next((way for way in fits if way[1] not in met), fits[0] if fits else (-1, -1))


def carry_on_python(
    csr: Csr,
    seed: int,
    ends: list[list[int]],
    back_ends: list[list[int]],
    last: list[int],
    left: list[list[int]],
    *,
    follow_out: bool,
    follow_in: bool,
    cap: int,
) -> tuple[list[tuple[int, int, list[int], list[int]]], int]:
    """Return (parent, step, ends, ends of returning walks) per pattern, and the number of cut patterns."""
    patterns: list[tuple[int, int, list[int], list[int]]] = []
    cut = 0
    for p in range(len(ends)):
        reached: dict[int, tuple[set[int], set[int]]] = {}
        is_cut = False
        for nodes, has_been_back in ((ends[p], False), (back_ends[p], True)):
            steps: list[tuple[int, int, int]] = []
            for u in nodes:
                if follow_out:
                    row = csr.row(u, True)
                    steps += [(u, 2 * int(csr.relation[e]) + 1, int(csr.tail[e])) for e in range(row.start, row.stop)]
                if follow_in:
                    row = csr.row(u, False)
                    steps += [
                        (u, 2 * int(csr.relation[csr.in_triple[e]]), int(csr.in_head[e]))
                        for e in range(row.start, row.stop)
                    ]
            is_cut |= len(steps) > cap
            for u, step, v in steps[:cap]:
                undoes_leaving = v == seed and step ^ 1 in left[p]
                undoes_return = has_been_back and u == seed and step == last[p] ^ 1
                if not undoes_leaving and not undoes_return:
                    reached.setdefault(step, (set(), set()))[has_been_back or v == seed].add(v)
        cut += is_cut
        patterns += [(p, step, *map(sorted, reached[step])) for step in sorted(reached)]  # type: ignore[misc]
    return patterns, cut
