"""The relation patterns around one seed, grown hop by hop, with the entities at their ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.directions import follow
from graphbrick.kernels.relation_patterns import Carried, carry_on, step_back

Ints = npt.NDArray[np.int64]
_OWN = np.zeros(0, dtype=np.int32)  # outgoing entries are triples themselves
_OWN.setflags(write=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """The patterns of one length. The first layer is the empty pattern, which ends at the seed.

    Attributes:
        carried: Patterns as the kernel gives them; ``carried.parent`` counts the patterns that were carried on.
        parent: int64 [patterns], the place of the pattern without its last step in the layer before.
    """

    carried: Carried
    parent: Ints

    def __len__(self) -> int:
        return len(self.parent)

    def ends(self, pattern: int) -> npt.NDArray[np.int32]:
        """The entities at the end of a pattern, ascending."""
        begin = self.carried.begin
        return self.carried.end[begin[pattern] : begin[pattern + 1]]

    def sizes(self) -> Ints:
        """How many entities there are at the end of each pattern."""
        sizes: Ints = np.diff(self.carried.begin)
        return sizes


def first_layer(seed: int) -> Layer:
    """The empty pattern at a seed."""
    nothing = np.zeros(1, dtype=np.int32), np.full(1, -1, dtype=np.int64)
    at = Carried(*nothing, np.array([seed], dtype=np.int32), np.array([0, 1], dtype=np.int64), 0)
    return Layer(at, np.full(1, -1, dtype=np.int64))


def next_layer(csr: Csr, seed: int, layer: Layer, chosen: Ints, *, direction: str, cap: int) -> Layer:
    """The patterns that carry some patterns of a layer on by one step.

    Args:
        csr: The rows.
        seed: Where the patterns start; no pattern leads back to it.
        layer: The patterns of the length before.
        chosen: int64, which of them are carried on.
        direction: "both", "out" or "in".
        cap: Triples at most that are looked at for one of them.
    """
    begin = layer.carried.begin
    first, sizes = begin[chosen], begin[chosen + 1] - begin[chosen]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    at = np.repeat(first - starts[:-1], sizes) + np.arange(starts[-1])
    carried = Carried(
        *carry_on(
            csr.out_begin, csr.out_end, csr.tail, csr.in_begin, csr.in_end, csr.in_head, csr.in_triple, csr.relation,
            seed, layer.carried.end[at], starts, *follow(direction), cap,
        )
    )  # fmt: skip
    return Layer(carried, chosen[carried.parent])


def way_to(csr: Csr, layers: list[Layer], pattern: int, end: int) -> tuple[list[int], list[int], list[bool]]:
    """One path of a pattern to an entity at its end: nodes, triples, and whether each is followed forwards.

    Of several, from the end backwards the one whose entity before is lowest, and its first triple; where it can be, no
    entity is met twice.

    Args:
        csr: The rows.
        layers: All layers, the first one included; the last one is that of the pattern.
        pattern: Its place in the last layer.
        end: One of its ends.
    """
    nodes, triples, ways = [end], [], []
    for before, layer in zip(layers[-2::-1], layers[:0:-1], strict=True):
        relation, forward = divmod(int(layer.carried.step[pattern]), 2)
        pattern = int(layer.parent[pattern])
        # The step is looked for from its end: what comes in where it was followed forwards, what goes out otherwise.
        rows = (
            (csr.in_begin, csr.in_end, csr.in_head, csr.in_triple)
            if forward
            else (csr.out_begin, csr.out_end, csr.tail, _OWN)
        )
        met = np.array(nodes, dtype=np.int32)
        triple, node = step_back(*rows, csr.relation, nodes[-1], relation, before.ends(pattern), met)
        nodes.append(int(node))
        triples.append(int(triple))
        ways.append(bool(forward))
    return nodes[::-1], triples[::-1], ways[::-1]
