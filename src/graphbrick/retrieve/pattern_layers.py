"""The relation patterns around one seed, grown hop by hop, with the entities at their ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.directions import follow
from graphbrick.core.limits import check_limits
from graphbrick.kernels.relation_patterns_numpy import (
    Carried,
    Ends,
    carry_on_numpy,
    degrees,
    numba_is_loaded,
    step_back_numpy,
    worth_loading,
)

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_OWN = np.zeros(0, dtype=np.int32)  # outgoing entries are triples themselves
_OWN.setflags(write=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """The patterns of one length. The first layer is the empty pattern, which ends at the seed.

    A pattern has up to two variants: «away», whose walks never come back to the seed, and «back», whose walks do.

    Attributes:
        carried: Patterns from the kernel; ``carried.parent`` is an index into the patterns that were extended.
        parent: int64 [patterns], index of the pattern without its last step in the previous layer.
        left: int64 [patterns, hops], the steps that left the seed; -1 for steps that left another entity.
        returns: Whether the last step of the variant «back» comes to the seed.
        has_been_back: Whether the variant «back» continues the variant «back» of the parent, rather than «away».
    """

    carried: Carried
    parent: Ints
    left: Ints
    returns: Flags
    has_been_back: Flags

    def __len__(self) -> int:
        return len(self.parent)

    def ends(self, pattern: int, *, back: bool = False) -> npt.NDArray[np.int32]:
        """Return the entities at the end of one variant of a pattern, ascending."""
        end, begin = self.carried.end, self.carried.begin
        if back:
            end, begin = self.carried.back_end, self.carried.back_begin
        return end[begin[pattern] : begin[pattern + 1]]

    def examples(self, pattern: Ints, back: Flags) -> Ints:
        """Return the first entity at the end of each of some variants, int64."""
        carried = self.carried
        found: Ints = np.empty(len(pattern), dtype=np.int64)
        found[~back] = carried.end[carried.begin[pattern[~back]]]
        found[back] = carried.back_end[carried.back_begin[pattern[back]]]
        return found

    def sizes(self, *, back: bool = False) -> Ints:
        """Return the number of entities at the end of each pattern."""
        sizes: Ints = np.diff(self.carried.back_begin if back else self.carried.begin)
        return sizes

    def variants(self) -> tuple[Ints, Flags]:
        """Return the pattern of every variant that has an end, and whether it is «back»; those come last."""
        away, back = np.flatnonzero(self.sizes()), np.flatnonzero(self.sizes(back=True))
        return np.concatenate([away, back]), np.arange(len(away) + len(back)) >= len(away)


def first_layer(seed: int) -> Layer:
    """Return the empty pattern at a seed."""
    carried = Carried(
        np.zeros(1, dtype=np.int32), np.full(1, -1, dtype=np.int64),
        np.array([seed], dtype=np.int32), np.array([0, 1], dtype=np.int64),
        np.zeros(0, dtype=np.int32), np.zeros(2, dtype=np.int64), 0,
    )  # fmt: skip
    no = np.zeros(1, dtype=np.bool_)
    return Layer(carried, np.full(1, -1, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), no, no)


def next_layer(csr: Csr, seed: int, layer: Layer, chosen: Ints, *, direction: str, cap: int) -> Layer:
    """Extend some patterns of a layer by one step.

    Args:
        csr: The rows.
        seed: The node where the patterns start.
        layer: The patterns of the previous length.
        chosen: int64, indices of the patterns to extend.
        direction: "both", "out" or "in".
        cap: Most triples read for one pattern and kind of ends.
    """
    check_limits()
    carried = _carried_on(csr, seed, layer, chosen, *follow(direction), cap)
    parent = chosen[carried.parent]
    leaves = (layer.returns | (layer.parent < 0))[parent] & (carried.step != layer.carried.step[parent] ^ 1)
    left = np.column_stack([layer.left[parent], np.where(leaves, carried.step, -1)])
    returns = np.zeros(len(parent), dtype=np.bool_)
    returns[np.repeat(np.arange(len(parent)), np.diff(carried.back_begin))[carried.back_end == seed]] = True
    grown = Layer(carried, parent, left, returns, ~returns)
    for pattern in np.flatnonzero(returns).tolist():
        nothing = np.zeros(0, dtype=np.int32)
        _, node = _step_back(csr, carried.step[pattern], seed, layer.ends(int(parent[pattern])), nothing)
        grown.has_been_back[pattern] = node < 0
    return grown


def _carried_on(
    csr: Csr, seed: int, layer: Layer, chosen: Ints, follow_out: bool, follow_in: bool, cap: int
) -> Carried:
    """Extend some patterns of a layer by one step, without numba if there is little to do."""
    before = layer.carried
    ends = rows_of(before.end, before.begin, chosen)
    back_ends = rows_of(before.back_end, before.back_begin, chosen)
    last, left = before.step[chosen], layer.left[chosen]
    if not numba_is_loaded():
        joined = Ends.of(*ends, *back_ends)
        if not worth_loading(int(degrees(csr, joined.node, follow_out, follow_in).sum())):
            return carry_on_numpy(csr.rows, seed, joined, last, left, follow_out, follow_in, cap)
    from graphbrick.kernels.relation_patterns import carry_on

    return Carried(*carry_on(csr.rows, seed, *ends, *back_ends, last, left, follow_out, follow_in, cap))


def way_to(
    csr: Csr, layers: list[Layer], pattern: int, end: int, *, back: bool = False
) -> tuple[list[int], list[int], list[bool]]:
    """Return one path of a pattern to an entity at its end: nodes, triples, and whether each is followed forwards.

    If there are several paths, the one is chosen that has, from the end backwards, the lowest previous entity and its
    first triple. If possible, no entity is visited twice.

    Args:
        csr: The rows.
        layers: All layers from the first; the last one is the layer of the pattern.
        pattern: Its index in the last layer.
        end: One of its ends.
        back: Whether it is an end of walks that return to the seed.
    """
    seed = int(layers[0].ends(0)[0])
    nodes, triples, ways = [end], [], []
    for before, layer in zip(layers[-2::-1], layers[:0:-1], strict=True):
        step = int(layer.carried.step[pattern])
        pattern = int(layer.parent[pattern])
        met = np.array(nodes, dtype=np.int32)
        triple, node = -1, -1
        if back and nodes[-1] == seed:  # prefer a walk that stayed away from the seed until this step
            triple, node = _step_back(csr, step, nodes[-1], before.ends(pattern), met)
            back = node < 0
        if node < 0:
            allowed = before.ends(pattern, back=back)
            if back and step == before.carried.step[pattern] ^ 1:  # do not undo the step that came back
                allowed = allowed[allowed != seed]
            triple, node = _step_back(csr, step, nodes[-1], allowed, met)
        nodes.append(node)
        triples.append(triple)
        ways.append(bool(step & 1))
    return nodes[::-1], triples[::-1], ways[::-1]


def _step_back(
    csr: Csr, step: int, node: int, allowed: npt.NDArray[np.int32], met: npt.NDArray[np.int32]
) -> tuple[int, int]:
    """Return the triple of a step to a node and the node it came from; (-1, -1) if there is none."""
    relation, forward = divmod(int(step), 2)
    # The row of the end of the step: incoming triples if it was followed forwards, outgoing ones otherwise.
    rows = (
        (csr.in_begin, csr.in_end, csr.in_head, csr.in_triple)
        if forward
        else (csr.out_begin, csr.out_end, csr.tail, _OWN)
    )
    if not numba_is_loaded() and not worth_loading(int(rows[1][node]) - int(rows[0][node])):
        return step_back_numpy(*rows, csr.relation, node, relation, allowed, met)
    from graphbrick.kernels.relation_patterns import step_back

    triple, origin = step_back(*rows, csr.relation, node, relation, allowed, met)
    return int(triple), int(origin)


def rows_of(values: npt.NDArray[np.int32], begin: Ints, chosen: Ints) -> tuple[npt.NDArray[np.int32], Ints]:
    """Return the values of the selected rows, and where each row begins."""
    sizes = begin[chosen + 1] - begin[chosen]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return values[np.repeat(begin[chosen] - starts[:-1], sizes) + np.arange(starts[-1])], starts
