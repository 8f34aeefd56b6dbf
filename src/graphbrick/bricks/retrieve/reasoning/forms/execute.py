"""Logical forms bound to a graph and executed; each answer comes with the paths that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.forms.form import And, Count, Form, Join, Named
from graphbrick.core import Subgraph
from graphbrick.core.compute import check_limits


class Walk(NamedTuple):
    """The end of a path as a form is executed: most are thrown away, so that whole paths are made of few.

    Attributes:
        node: Local id of the entity.
        triple: Local id of the triple that leads to it; -1 at the start of a path.
        forward: Whether that is followed from head to tail.
        before: Where the step came from; None at the start of a path.
    """

    node: int
    triple: int = -1
    forward: bool = True
    before: Walk | None = None


Found = dict[int, tuple[Walk, ...]]
"""By local id of an entity: the paths that lead to it, one for each entity that the form names."""

Binding = Mapping[tuple[str, str], int]
"""By ("entity", name) the local id, by ("relation", words) the relation."""

_LARGEST = 100_000  # entities of a set
_SCANNED = 100  # triples of other relations that are looked at in the time of one visit


class TooLargeError(Exception):
    """A set with too many entities."""


class SpentError(Exception):
    """A form that visits too many entities."""


@dataclass(slots=True)
class Visits:
    """The number of entities that several forms together may still visit."""

    left: int

    def take(self, n: int) -> None:
        """Count visits.

        Raises:
            SpentError: There were more than allowed.
        """
        self.left -= n
        if self.left < 0:
            raise SpentError


def slots_of(form: Form) -> list[tuple[str, str]]:
    """Return the unbound names in a form, each once: ("entity", name) or ("relation", words)."""
    slots: dict[tuple[str, str], None] = {}
    if isinstance(form, Named):
        slots["entity", form.name] = None
    elif isinstance(form, And):
        slots |= dict.fromkeys([*slots_of(form.one), *slots_of(form.other)])
    else:
        slots |= dict.fromkeys(slots_of(form.of))
        if isinstance(form, Join):
            slots["relation", form.relation] = None
    return list(slots)


def bindings(candidates: Mapping[tuple[str, str], Sequence[int]], most: int) -> Iterator[Binding]:
    """Yield the combinations of candidates by the sum of their ranks, then those of the first slots.

    Args:
        candidates: The candidates of each slot, best first.
        most: Most combinations.
    """
    slots, made = list(candidates), 0
    for total in range(sum(len(candidates[slot]) - 1 for slot in slots) + 1):
        for ranks in _ranks([len(candidates[slot]) for slot in slots], total):
            if made == most:
                return
            made += 1
            yield {slot: candidates[slot][rank] for slot, rank in zip(slots, ranks, strict=True)}


def execute(subgraph: Subgraph, form: Form, binding: Binding, visits: Visits) -> Found:
    """Return the entities that a form without its COUNT means under a binding.

    Raises:
        TooLargeError: A set on the way has more than 100,000 entities.
        SpentError: There are no visits left.
    """
    if isinstance(form, Count):
        return execute(subgraph, form.of, binding, visits)
    if isinstance(form, Named):
        node = binding["entity", form.name]
        return {node: (Walk(node),)}
    if isinstance(form, And):
        one, other = (execute(subgraph, part, binding, visits) for part in (form.one, form.other))
        return {node: one[node] + other[node] for node in one if node in other}
    inner = execute(subgraph, form.of, binding, visits)
    return _joined(subgraph, inner, binding["relation", form.relation], form.back, visits)


def path_of(walk: Walk) -> Partial:
    """Return the whole path that ends with a step."""
    steps: list[Walk] = [walk]
    while steps[-1].before is not None:
        steps.append(steps[-1].before)
    start, *rest = reversed(steps)
    nodes = (start.node, *(step.node for step in rest))
    return Partial(nodes, tuple(step.triple for step in rest), tuple(step.forward for step in rest))


def _is_on(node: int, walk: Walk | None) -> bool:
    while walk is not None:
        if walk.node == node:
            return True
        walk = walk.before
    return False


def _joined(subgraph: Subgraph, inner: Found, relation: int, back: bool, visits: Visits) -> Found:
    """Return the ends of a relation: from tail to head, or with ``back`` from head to tail."""
    csr = subgraph.csr
    reached: Found = {}
    for node, paths in inner.items():
        check_limits()
        row = csr.row(node, back)
        ends = csr.tail[row] if back else csr.in_head[row]
        triples = np.arange(row.start, row.stop) if back else csr.in_triple[row]
        which = np.flatnonzero(csr.relation[triples] == relation)
        visits.take(1 + len(which) + len(triples) // _SCANNED)
        for end, triple in zip(ends[which].tolist(), triples[which].tolist(), strict=True):
            if end in reached or any(_is_on(end, path) for path in paths):
                continue
            reached[end] = tuple(Walk(end, triple, back, path) for path in paths)
            if len(reached) > _LARGEST:
                raise TooLargeError
    return reached


def _ranks(sizes: list[int], total: int) -> Iterator[tuple[int, ...]]:
    """Yield the places within sizes whose sum is a total, in ascending order."""
    if not sizes:
        if total == 0:
            yield ()
        return
    for rank in range(min(sizes[0] - 1, total) + 1):
        for rest in _ranks(sizes[1:], total - rank):
            yield (rank, *rest)
