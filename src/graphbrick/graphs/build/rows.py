"""Triple phases of a build: replace keys by entity ids, sort by head, sort by tail."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import Progress
from graphbrick.graphs.build.dictionary import FIRST, PAIRS
from graphbrick.graphs.build.ingest import RELATION
from graphbrick.graphs.build.value_ingest import MARK, MARKS, TRIPLES_A_BUCKET
from graphbrick.graphs.store.writing.arrays import ArrayWriter
from graphbrick.graphs.store.writing.buckets import BucketReader, BucketWriter, groups, width_for
from graphbrick.kernels.positions import Numbers, number_ends, ranks_before, rows_by_tail

TRIPLES, INCOMING = "triples.tmp", "incoming.tmp"
"""Rows (head, tail, relation) in buckets by head, with the fields of `MARK` if triples have properties; rows (tail,
head, triple) in buckets by tail."""

TRIPLE_IDS = "triple_ids.tmp"
"""Rows (number in the source, id) of the triples with properties, in buckets by number."""


def number_triples(work: Path, triples: int, facts: int, entities: int, progress: Progress) -> None:
    """Replace heads and tails by entity ids and write the triples into buckets by head."""
    bits = np.fromfile(work / FIRST, dtype=np.uint64)
    before = ranks_before(bits)
    width, head_width = width_for(2 * triples + facts), width_for(entities)
    with (
        BucketReader(work / PAIRS) as pairs,
        BucketWriter(work / TRIPLES) as out,
        (work / RELATION).open("rb") as relations,
        ExitStack() as stack,
    ):
        marks = stack.enter_context((work / MARKS).open("rb")) if (work / MARKS).exists() else None
        for begin, end in groups([pairs], progress):
            # A bucket of 2**width positions must hold heads together with their tails. Only width 0 gives odd-sized
            # buckets, and then all buckets are in one group.
            start, stop = begin << width, min(end << width, 2 * triples)
            if stop <= start:
                continue
            ids: npt.NDArray[np.int32] = np.empty(stop - start, dtype=np.int32)
            for piece in pairs.pieces(begin, end):
                number_ends(piece.view(np.uint32).reshape(-1, 2), start, bits, before, ids)
            relation = np.fromfile(relations, dtype=np.int32, count=(stop - start) // 2)
            columns = [ids[0::2], ids[1::2], relation]
            if marks is not None:
                marked = np.fromfile(marks, dtype=MARK, count=(stop - start) // 2)
                columns += [marked[name].view(np.int32) for name in ("mark", "low", "high")]
            rows = np.column_stack(columns).view(np.uint32)
            out.rows(rows, (ids[0::2] >> head_width).astype(np.int32))


def sort_triples(work: Path, entities: int, relations: int, progress: Progress) -> int:
    """Sort triples, drop duplicates, write the outgoing rows and return the number of triples.

    The order is (head, tail, relation), then the order of the source for triples that differ in properties only.
    Incoming rows are written into buckets by tail for `sort_incoming`, the ids of triples with properties to
    `TRIPLE_IDS`.
    """
    width = width_for(entities)
    count, has_marks = 0, (work / MARKS).exists()
    with (
        ExitStack() as stack,
        BucketReader(work / TRIPLES) as rows,
        BucketWriter(work / INCOMING) as incoming,
        ArrayWriter(work / "out_ptr.npy", np.uint32) as out_ptr,
        ArrayWriter(work / "tail.npy", np.int32) as tails,
        ArrayWriter(work / "relation.npy", np.int32) as relation_file,
    ):
        out_ptr.extend(np.zeros(1, dtype=np.uint32))
        numbers = stack.enter_context(BucketWriter(work / TRIPLE_IDS)) if has_marks else None
        for begin, end in groups([rows], progress):
            start, stop = begin << width, min(end << width, entities)
            group = rows.rows(begin, end, 6 if has_marks else 3)
            if numbers is None:
                head, tail, relation = distinct(group, start, entities, relations)
            else:
                head, tail, relation, mark = distinct_marked(group, start)
                marked = np.flatnonzero(mark)
                number = mark[marked] - np.uint32(1)
                pairs = np.column_stack([number, (count + marked).astype(np.uint32)])
                numbers.rows(pairs, (number // np.uint32(TRIPLES_A_BUCKET)).astype(np.int32))
            ids = np.arange(count, count + len(head), dtype=np.uint32)
            leave = np.bincount(head, minlength=max(stop - start, 0))
            out_ptr.extend(count + np.cumsum(leave))
            tails.extend(tail)
            relation_file.extend(relation)
            heads = (head + start).astype(np.uint32)
            incoming.rows(np.column_stack([tail, heads, ids]), (tail >> width).astype(np.int32))
            count += len(head)
    return count


def distinct(rows: Numbers, start: int, entities: int, relations: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return head (minus ``start``), tail and relation of rows, sorted and without duplicates."""
    head, tail, relation = (rows[:, i].astype(np.uint64) for i in range(3))
    head -= np.uint64(start)
    tail_bits, relation_bits = max(entities - 1, 1).bit_length(), max(relations - 1, 1).bit_length()
    if len(rows) and int(head.max()).bit_length() + tail_bits + relation_bits > 64:
        order = np.lexsort((relation, tail, head))
        head, tail, relation = head[order], tail[order], relation[order]
        new = np.ones(len(rows), dtype=np.bool_)
        new[1:] = (np.diff(head) != 0) | (np.diff(tail) != 0) | (np.diff(relation) != 0)
        return head[new].astype(np.uint32), tail[new].astype(np.uint32), relation[new].astype(np.uint32)
    # Packing all three into one number makes the sort several times faster.
    packed = (head << np.uint64(tail_bits + relation_bits)) | (tail << np.uint64(relation_bits)) | relation
    packed.sort()
    new = np.ones(len(packed), dtype=np.bool_)
    new[1:] = packed[1:] != packed[:-1]
    packed = packed[new]
    relation = packed & np.uint64((1 << relation_bits) - 1)
    tail = (packed >> np.uint64(relation_bits)) & np.uint64((1 << tail_bits) - 1)
    head = packed >> np.uint64(tail_bits + relation_bits)
    return head.astype(np.uint32), tail.astype(np.uint32), relation.astype(np.uint32)


def distinct_marked(rows: Numbers, start: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return head (minus ``start``), tail, relation and mark of rows with marks, sorted and without duplicates.

    Rows are duplicates if they have the same ends, relation and hash of their properties; the first stays.
    """
    head, tail, relation, mark, low, high = (np.ascontiguousarray(rows[:, i]) for i in range(6))
    order = np.lexsort((mark, low, high, relation, tail, head))
    new = np.ones(len(rows), dtype=np.bool_)
    same = [column[order[1:]] == column[order[:-1]] for column in (head, tail, relation, low, high)]
    new[1:] = ~np.logical_and.reduce(same)
    kept = order[new]
    kept = kept[np.lexsort((mark[kept], relation[kept], tail[kept], head[kept]))]
    return head[kept] - np.uint32(start), tail[kept], relation[kept], mark[kept]


def sort_incoming(work: Path, entities: int, progress: Progress) -> None:
    """Write the incoming rows, sorted by tail, then head, then triple id."""
    width = width_for(entities)
    count = 0
    with (
        BucketReader(work / INCOMING) as rows,
        ArrayWriter(work / "in_ptr.npy", np.uint32) as in_ptr,
        ArrayWriter(work / "in_head.npy", np.int32) as in_head,
        ArrayWriter(work / "in_triple.npy", np.int32) as in_triple,
    ):
        in_ptr.extend(np.zeros(1, dtype=np.uint32))
        for begin, end in groups([rows], progress):
            start, stop = begin << width, min(end << width, entities)
            group = rows.rows(begin, end, 3)
            enter = np.bincount((group[:, 0] - np.uint32(start)).astype(np.int64), minlength=max(stop - start, 0))
            ends = np.cumsum(enter)
            head, triple = rows_by_tail(group, start, ends - enter)
            in_ptr.extend(count + ends)
            in_head.extend(head)
            in_triple.extend(triple)
            count += len(group)
