"""Counts of edge ends that are in no table of nodes, and of nodes without a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.records.blocks import KIND, FactBlock, Part, TripleBlock
from graphbrick.graphs.records.interner import spans_of, text_at
from graphbrick.graphs.records.records import DESCRIBED, LABEL, EdgeRecord, EntityRecord, LeftOut
from graphbrick.kernels.strings.spans import Bytes, Hashes, Offsets, hash_spans

ENDS = "edge ends that are in no table of nodes"
NAMELESS = "nodes without a name"

_BATCH = 1 << 14
_MERGED = 1 << 18  # hashes that wait at least to be sorted
_EXAMPLES = 5


class KeySet:
    """A set of keys as hashes of 64 bits, which grows in one sorted array."""

    def __init__(self) -> None:
        self._parts: list[Hashes] = []
        self._waiting = 0
        self._sorted: Hashes = np.empty(0, dtype=np.uint64)

    def add(self, hashes: Hashes) -> None:
        """Add hashes."""
        self._parts.append(hashes)
        self._waiting += len(hashes)
        if self._waiting > max(len(self._sorted), _MERGED):
            self.hashes()

    def hashes(self) -> Hashes:
        """Return all hashes, ascending."""
        if self._parts:
            hashes = np.sort(np.concatenate([self._sorted, *self._parts]))
            is_new = np.ones(len(hashes), dtype=np.bool_)
            np.not_equal(hashes[1:], hashes[:-1], out=is_new[1:])
            self._sorted, self._parts, self._waiting = hashes[is_new], [], 0
        return self._sorted

    def has(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Return which hashes are in the set."""
        known = self.hashes()
        if not len(known):
            return np.zeros(len(hashes), dtype=np.bool_)
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.asarray(known[places] == hashes)


class _Ends:
    """The keys of nodes with and without names, and the ends of edges that are none of them."""

    def __init__(self) -> None:
        self.nodes, self.named, self.missing = KeySet(), KeySet(), KeySet()
        self.nameless: dict[str, int] = {}
        self.examples: list[str] = []
        self._keys: list[str] = []  # not records: many live objects slow the collection of garbage
        self._has_name: list[bool] = []
        self._ends: list[str] = []

    def node(self, record: EntityRecord) -> None:
        self._keys.append(record.key)
        self._has_name.append(record.label is not None)
        if len(self._keys) >= _BATCH:
            self.flush_nodes()

    def facts(self, block: FactBlock) -> None:
        """Take a block of facts about nodes."""
        kinds = block.kind & KIND
        described, named = np.flatnonzero(kinds == DESCRIBED), np.flatnonzero(kinds == LABEL)
        starts, ends = block.key_starts, block.key_ends
        hashes = hash_spans(block.data, starts[described], ends[described])
        names = hash_spans(block.data, starts[named], ends[named])
        self.nodes.add(hashes)
        self.named.add(names)
        if len(self.nameless) >= _EXAMPLES * 4 or len(named) >= len(described):
            return
        for place in np.flatnonzero(~np.isin(hashes, names))[: _EXAMPLES * 4].tolist():
            row = described[place]
            self.nameless[text_at(block.data, starts[row], ends[row])] = int(hashes[place])

    def flush_nodes(self) -> None:
        keys, self._keys = self._keys, []
        has_name, self._has_name = np.array(self._has_name, dtype=np.bool_), []
        if not keys:
            return
        hashes = hash_spans(*spans_of(keys))
        self.nodes.add(hashes)
        self.named.add(hashes[has_name])
        for place in np.flatnonzero(~has_name)[: _EXAMPLES * 4].tolist():
            if len(self.nameless) < _EXAMPLES * 4:
                self.nameless[keys[place]] = int(hashes[place])

    def edge(self, head: str, tail: str) -> None:
        self._ends += (head, tail)
        if len(self._ends) >= 2 * _BATCH:
            self.flush_ends()

    def flush_ends(self) -> None:
        ends, self._ends = self._ends, []
        if ends:
            self.spans(*spans_of(ends))

    def spans(self, data: Bytes, starts: Offsets, ends: Offsets) -> None:
        """Take ends of edges as spans of bytes."""
        hashes = hash_spans(data, starts, ends)
        unknown = np.flatnonzero(~self.nodes.has(hashes))
        for place in unknown[: _EXAMPLES * 4].tolist():
            text = text_at(data, int(starts[place]), int(ends[place]))
            if len(self.examples) < _EXAMPLES and text not in self.examples:
                self.examples.append(text)
        if len(unknown):
            self.missing.add(hashes[unknown])

    def report(self, left_out: LeftOut, if_nodes: bool) -> None:
        self.flush_nodes()
        self.flush_ends()
        if if_nodes and not len(self.nodes.hashes()):
            return
        named = self.named.hashes()
        nameless = len(self.nodes.hashes()) - len(named)
        if nameless:
            examples = [key for key, value in self.nameless.items() if not np.isin(np.uint64(value), named)]
            _add(left_out, NAMELESS, nameless, examples)
        missing = self.missing.hashes()
        missing = missing[~self.nodes.has(missing)]
        if len(missing):
            unknown = ~self.nodes.has(hash_spans(*spans_of(self.examples)))
            examples = [text for text, is_unknown in zip(self.examples, unknown, strict=True) if is_unknown]
            _add(left_out, ENDS, len(missing), examples)


def _add(left_out: LeftOut, what: str, count: int, examples: list[str]) -> None:
    shown = examples[:_EXAMPLES] or [""]
    left_out.add(what, shown[0], count - len(shown) + 1)
    for example in shown[1:]:
        left_out.add(what, example)


def counted_ends(parts: Iterable[Part], left_out: LeftOut, *, if_nodes: bool = False) -> Iterator[Part]:
    """Yield parts; then report nodes without a name, and edge ends that are not nodes.

    It holds a hash of 64 bits for each node, and for each end whose node has not come before.

    Args:
        parts: The parts, best with the nodes first.
        left_out: Receives the counts.
        if_nodes: Whether to report only if there is a node.
    """
    ends = _Ends()
    is_edge = False
    for part in parts:
        if isinstance(part, EntityRecord):
            ends.node(part)
        elif isinstance(part, TripleBlock | tuple | EdgeRecord):
            if not is_edge:
                ends.flush_nodes()
                is_edge = True
            if isinstance(part, TripleBlock):
                for row in (0, 2):
                    ends.spans(part.data, part.starts[row], part.ends[row])
            else:
                head, _, tail = part.triple if isinstance(part, EdgeRecord) else part
                ends.edge(head, tail)
        elif isinstance(part, FactBlock):
            ends.facts(part)
        yield part
    ends.report(left_out, if_nodes)
