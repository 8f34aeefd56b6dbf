"""Facts of a graph as passages: single ones, all of an entity, and chains of several."""

from __future__ import annotations

import random
from collections.abc import Sequence

from graphbrick.core.graph import Graph
from graphbrick.core.path import Path
from graphbrick.judge.synthetic.passages import CHAIN, FACT, FAN_OUT, Passage
from graphbrick.language.folding import fold_name

_LINES = 20  # facts of one entity that are written out
_TRIES = 5  # draws for each passage that is wanted


def facts_of(graph: Graph, n: int, *, seed: int = 0) -> list[Passage]:
    """Return facts of a graph as passages: a third each single, of an entity, and chains of 2 or 3.

    They are written as evidence is, ``Kenya -> capital -> Nairobi``, with a line for each fact of an entity (20 at
    most, drawn at random). Each passage begins at an evenly drawn triple.

    Args:
        graph: The graph.
        n: Number of passages at most; a small graph gives fewer.
        seed: Seed of the draw.
    """
    rng = random.Random(seed)
    triples = graph.triple_ids()
    made: dict[str, Passage] = {}
    for i in range(_TRIES * n if len(triples) else 0):
        triple = int(triples[rng.randrange(len(triples))])
        head, _, tail = graph.triple(triple)
        if i % 3 == 0:
            passage: Passage | None = fact_passage(graph, FACT, [_walk(graph, head, [(triple, True)])])
        elif i % 3 == 1:
            passage = _fan_out(graph, rng.choice((head, tail)), rng)
        else:
            passage = _chain(graph, triple, rng)
        if passage is not None:
            made.setdefault(passage.text, passage)
        if len(made) == n:
            break
    return list(made.values())


def fact_passage(graph: Graph, kind: str, paths: Sequence[Path]) -> Passage:
    """Return a passage with a line for each path; all start at one entity."""
    names = (fold_name(graph.label(node)) for path in paths for node in path.nodes)
    text = "\n".join(path.text for path in paths)
    return Passage(text, graph.key(paths[0].start), kind, frozenset(names) - {""})


def _around(graph: Graph, entity: int) -> list[tuple[int, bool]]:
    """Return the triples of an entity, each with whether it leaves it."""
    csr = graph.csr
    entering = csr.in_triple[csr.row(entity, False)].tolist()
    out = csr.row(entity, True)
    return [(triple, True) for triple in range(out.start, out.stop)] + [(triple, False) for triple in entering]


def _walk(graph: Graph, start: int, steps: Sequence[tuple[int, bool]]) -> Path:
    """Return the path along triples from an entity."""
    nodes = [start]
    for triple, forward in steps:
        head, _, tail = graph.triple(triple)
        nodes.append(tail if forward else head)
    return Path(graph, tuple(nodes), tuple(triple for triple, _ in steps), tuple(forward for _, forward in steps))


def _fan_out(graph: Graph, entity: int, rng: random.Random) -> Passage | None:
    """Return the facts of an entity; None if it has only one."""
    steps = _around(graph, entity)
    if len(steps) < 2:
        return None
    places = sorted(rng.sample(range(len(steps)), min(_LINES, len(steps))))
    return fact_passage(graph, FAN_OUT, [_walk(graph, entity, [steps[i]]) for i in places])


def _chain(graph: Graph, first: int, rng: random.Random) -> Passage | None:
    """Return a path of two or three triples that meets no entity twice; None if there is none."""
    head, _, tail = graph.triple(first)
    if head == tail:
        return None
    steps, nodes = [(first, True)], [head, tail]
    for _ in range(rng.choice((1, 2))):
        ahead = [(step, _other(graph, step)) for step in _around(graph, nodes[-1])]
        ahead = [(step, node) for step, node in ahead if node not in nodes]
        if not ahead:
            break
        step, node = rng.choice(ahead)
        steps.append(step)
        nodes.append(node)
    return fact_passage(graph, CHAIN, [_walk(graph, head, steps)]) if len(steps) > 1 else None


def _other(graph: Graph, step: tuple[int, bool]) -> int:
    """Return the entity that a step leads to."""
    head, _, tail = graph.triple(step[0])
    return tail if step[1] else head
