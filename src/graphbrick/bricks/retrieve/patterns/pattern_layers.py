"""The relation patterns around one seed, grown hop by hop, with the entities at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.csr import Csr
from graphbrick.core.graph import follow
from graphbrick.kernels.loading import numba_is_loaded, worth_loading
from graphbrick.kernels.paths.relation_patterns_numpy import (
    TRIPLE_SECONDS,
    Carried,
    Ends,
    Grown,
    carry_on_numpy,
    degrees,
    empty_pattern,
    walk_back_numpy,
)

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_AT_ONCE = 8  # paths found between two checks of the limits: each may read the rows of some hubs


@dataclass(frozen=True, slots=True)
class Layer:
    """The patterns of one length. The first layer is the empty pattern, which ends at the seed.

    A pattern has up to two variants: «away», whose walks never come back to the seed, and «back», whose walks do.

    Attributes:
        carried: The patterns and their ends.
    """

    carried: Carried

    @property
    def parent(self) -> Ints:
        """int64 [patterns], index of the pattern without its last step in the previous layer."""
        return self.carried.parent

    @property
    def returns(self) -> Flags:
        """bool [patterns], true if the last step of the variant «back» comes to the seed."""
        return self.carried.returns

    @property
    def has_been_back(self) -> Flags:
        """bool [patterns], true if the variant «back» continues «back» of the parent, not «away»."""
        return self.carried.has_been_back

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
        entities: Ints = np.empty(len(pattern), dtype=np.int64)
        entities[~back] = carried.end[carried.begin[pattern[~back]]]
        entities[back] = carried.back_end[carried.back_begin[pattern[back]]]
        return entities

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
    return Layer(empty_pattern(seed))


def next_layer(csr: Csr, seed: int, layer: Layer, chosen: Ints, *, direction: str, cap: int) -> Layer:
    """Extend some patterns of a layer by one step.

    Args:
        csr: The rows.
        seed: The node where the patterns start.
        layer: The patterns of the previous length.
        chosen: int64, indices of the patterns to extend, ascending.
        direction: "both", "out" or "in".
        cap: Most triples read for one pattern and kind of ends.
    """
    check_limits()
    rows, ways = csr.rows, follow(direction)
    if not numba_is_loaded():
        ends = Ends.of(layer.carried, chosen)
        if not worth_loading(float(degrees(rows, ends.node, *ways).sum()) * TRIPLE_SECONDS):
            return Layer(carry_on_numpy(rows, seed, layer.carried, chosen, ends, *ways, cap))
    from graphbrick.kernels.paths.relation_patterns import carry_on

    return Layer(carry_on(rows, seed, layer.carried, chosen, *ways, cap, csr.in_relation, csr.n_relations))


def ways_to(
    csr: Csr, layers: Sequence[Layer], wanted: Sequence[tuple[int, int, bool, int]]
) -> list[tuple[list[int], list[int], list[bool]]]:
    """Return one path of each pattern to an entity at its end; `walk_back` states which.

    Args:
        csr: The rows.
        layers: All layers from the first.
        wanted: (hops, index of the pattern in its layer, whether it is a walk that returns to the seed, end) a path.

    Returns:
        Nodes, triples, and whether each triple is followed forwards, for every path.
    """
    first = np.cumsum([0, *map(len, layers)])
    grown = _joined([layer.carried for layer in layers], first)
    hops, index, back, end = (np.array(column, dtype=np.int64) for column in zip(*wanted, strict=True))
    pattern = first[hops] + index
    nodes = np.empty((len(wanted), len(layers)), dtype=np.int64)
    triples = np.empty((len(wanted), len(layers) - 1), dtype=np.int64)
    nodes[:, 0] = end
    done = 0
    while done < len(wanted):
        check_limits()
        if numba_is_loaded() or worth_loading(0):
            from graphbrick.kernels.paths.relation_patterns import walk_back
        else:
            walk_back = walk_back_numpy
        done = walk_back(csr.rows, grown, pattern, back.astype(np.bool_), nodes, triples, done, _AT_ONCE)
    ways = []
    parent, step = grown.parent.tolist(), grown.step.tolist()
    for n, at, met, taken in zip(hops.tolist(), pattern.tolist(), nodes.tolist(), triples.tolist(), strict=True):
        forward = []
        while at > 0:
            forward.append(bool(step[at] & 1))
            at = parent[at]
        ways.append((met[n::-1], taken[n - 1 :: -1], forward[::-1]))
    return ways


def _joined(carried: list[Carried], first: npt.NDArray[np.integer]) -> Grown:
    """Return the patterns of all layers in one set of arrays; layer i begins at ``first[i]``."""
    parents = [patterns.parent + first[i - 1] for i, patterns in enumerate(carried) if i]
    joined = [np.concatenate([carried[0].parent, *parents]), np.concatenate([patterns.step for patterns in carried])]
    for ends, begins in (("end", "begin"), ("back_end", "back_begin")):
        arrays = [getattr(patterns, ends) for patterns in carried]
        starts = np.cumsum([0, *map(len, arrays)])
        rows = [getattr(patterns, begins)[:-1] + start for patterns, start in zip(carried, starts, strict=False)]
        joined += [np.concatenate(arrays), np.concatenate([*rows, starts[-1:]])]
    return Grown(*joined)
