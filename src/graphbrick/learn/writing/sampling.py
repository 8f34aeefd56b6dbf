"""Entities and relation patterns for questions, drawn from what exists in the graph."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.patterns.pattern_layers import Layer, first_layer, next_layer
from graphbrick.core import Step
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import literal_types
from graphbrick.patterns.text import Steps, canonical, labelled, without_marks

Ints = npt.NDArray[np.int32]

CAP = 2_000  # triples looked at to carry one pattern on
_MOST = 64  # patterns of one length that are carried on
_PATTERNS = 800  # of one length that are looked at, beside those that are carried on
_LARGEST = 1_000  # ends of a pattern that a question is written about
_PATTERNS_OF_MANY = 250  # the same in a graph of many relations
_FEW = 64  # relations; of the questions about more of them, fewer have several hops
_BY_RELATION = 0.5  # of the seeds are drawn through a relation, so that rare relations are met


@dataclass(frozen=True, slots=True)
class Sample:
    """A seed, a pattern around it and where the pattern ends.

    Attributes:
        seed: The entity that the question is about.
        pattern: Relation labels and directions; a step back to the seed is marked, see `labelled`.
        ends: The answers, int32.
        others: All patterns around the seed, the sampled one included.
        group: int64 [others]; patterns with the same number end at the same entities.
        all_ends: Where each of the others ends, int32.
    """

    seed: int
    pattern: Steps
    ends: Ints
    others: list[Steps]
    group: npt.NDArray[np.int64]
    all_ends: list[Ints]

    def canonical(self, symmetric: frozenset[str]) -> Sample:
        """Return the sample with one pattern for those that differ in the direction of symmetric relations."""
        first: dict[Steps, int] = {}
        for place, steps in enumerate(self.others):
            first.setdefault(canonical(steps, symmetric), place)
        places = [*first.values()]
        return replace(
            self, pattern=canonical(self.pattern, symmetric), others=[*first], group=self.group[places],
            all_ends=[self.all_ends[place] for place in places],
        )  # fmt: skip


def has_many_relations(graph: Graph) -> bool:
    """Return whether a graph has so many relations that questions are mostly about single ones of them."""
    return graph.n_relations > _FEW


def seeds(graph: Graph, rng: random.Random) -> Iterator[int]:
    """Yield entities without end: half drawn evenly, half as ends of evenly drawn relations.

    There are none in a graph without triples. Amounts, such as a population, are left out: nobody asks what has
    4,397,073 people.
    """
    ids = graph.triple_ids()
    relation = graph.csr.relation[ids]
    is_amount = amounts(graph)
    if is_amount.all():
        is_amount[:] = False
    order = np.argsort(relation, kind="stable")
    bounds = np.searchsorted(relation[order], np.arange(graph.n_relations + 1))
    used = [number for number in range(graph.n_relations) if bounds[number] < bounds[number + 1]]
    while used:
        if rng.random() < _BY_RELATION:
            number = rng.choice(used)
            triple = ids[order[rng.randrange(bounds[number], bounds[number + 1])]]
            head, _, tail = graph.triple(int(triple))
            node = head if rng.random() < 0.5 else tail
        else:
            node = rng.randrange(graph.n_entities)
        if not is_amount[node]:
            yield node


def amounts(graph: Graph) -> npt.NDArray[np.bool_]:
    """Return whether each entity is only a number, bool [entities]; years and dates are none."""
    ids = graph.triple_ids()
    numeric = [relation for relation, kind in literal_types(graph).items() if not kind.is_date]
    is_numeric = np.isin(graph.csr.relation[ids], numeric)
    is_amount = np.zeros(graph.n_entities, dtype=np.bool_)
    is_amount[graph.csr.tail[ids[is_numeric]]] = True
    is_amount[graph.csr.tail[ids[~is_numeric]]] = False
    is_amount[graph.csr.heads(ids)] = False
    return is_amount


def samples(graph: Graph, n: int, *, max_hops: int, n_seeds: int, seed: int) -> Iterator[Sample]:
    """Yield patterns around seeds: every hop count as often, patterns that end at few entities more often.

    In a graph of many relations short patterns are drawn more often, and those of relations that had no question yet:
    there are more of them to learn, and nobody asks about most of the long ones.

    Args:
        graph: The graph.
        n: Samples.
        max_hops: The longest pattern.
        n_seeds: Distinct seeds that they are drawn around.
        seed: Of the random numbers.
    """
    rng = random.Random(seed)
    used, longer = Counter[Steps](), (_FEW / graph.n_relations) ** (1 / 3) if has_many_relations(graph) else 1.0
    n_seeds = max(n_seeds, min(n, graph.n_relations) if longer < 1 else 0)
    pool: list[_Around] = []
    met: set[int] = set()
    for tries, node in enumerate(seeds(graph, rng)):
        if len(pool) >= n_seeds or tries > 20 * n_seeds:
            break
        if node in met:
            continue
        met.add(node)
        patterns = _Around.of(node, around(graph, node, max_hops=max_hops))
        if patterns.likely:
            pool.append(patterns)
    for _ in range(n if pool else 0):
        drawn = rng.choice(pool)
        if longer == 1:
            number = rng.randrange(len(drawn.likely))
            place = rng.choices(drawn.likely[number], cum_weights=drawn.weights[number])[0]
        else:  # so that each of many relations is met
            layer = drawn.layer(rng, longer)
            place = rng.choices(layer, [_weight(drawn.ends[i]) / (1 + used[drawn.steps[i]]) for i in layer])[0]
            used[drawn.steps[place]] += 1
        yield Sample(drawn.node, drawn.steps[place], drawn.ends[place], drawn.steps, drawn.group, drawn.ends)


def further_fact(graph: Graph, sample: Sample, rng: random.Random) -> tuple[tuple[str, bool], str] | None:
    """Return a step from an end of a sample and the name of what it leads to, other than the seed; None if none is.

    People name such facts beside what they ask for: «which film of X was shot in Oslo».
    """
    end = int(sample.ends[rng.randrange(len(sample.ends))])
    (layer,) = around(graph, end, max_hops=1)
    facts = [(steps[0], node) for steps, ends in layer for node in ends[:8].tolist() if node not in (sample.seed, end)]
    if not facts:
        return None
    (label, forward), node = rng.choice(facts)
    return without_marks(((label, forward),))[0], graph.label(node)


@dataclass(frozen=True, slots=True)
class _Around:
    """The patterns around an entity.

    Attributes:
        node: The entity.
        steps: The patterns.
        ends: Where each ends.
        group: See `Sample`.
        likely: For each length that has some, the patterns that questions are written about: those of few ends, and
            those that come back to the entity only if they cannot be walked without.
        weights: For each length, how often each of the likely is drawn, added up from the first.
    """

    node: int
    steps: list[Steps]
    ends: list[Ints]
    group: npt.NDArray[np.int64]
    likely: list[list[int]]
    weights: list[list[float]]

    @classmethod
    def of(cls, node: int, layers: list[list[tuple[Steps, Ints]]]) -> _Around:
        """Return the patterns of `around`, prepared for drawing."""
        steps = [pattern for layer in layers for pattern, _ in layer]
        ends = [end for layer in layers for _, end in layer]
        numbers: dict[bytes, int] = {}
        group = np.array([numbers.setdefault(end.tobytes(), len(numbers)) for end in ends], dtype=np.int64)
        known, likely, first = set(steps), [], 0
        for layer in layers:
            places = range(first, first + len(layer))
            chosen = [i for i in places if len(ends[i]) <= _LARGEST and not _is_marked_twin(steps[i], known)]
            likely += [chosen] if chosen else []
            first += len(layer)
        weights = [[*accumulate(_weight(ends[i]) for i in chosen)] for chosen in likely]
        return cls(node, steps, ends, group, likely, weights)

    def layer(self, rng: random.Random, longer: float) -> list[int]:
        """Return the patterns of one length; each length is drawn less often than the one before by a factor."""
        return rng.choices(self.likely, [longer**hop for hop in range(len(self.likely))])[0]


def _weight(ends: Ints) -> float:
    """Return how often a pattern is drawn: those of few ends more often."""
    return float(len(ends) ** -0.5)


def _is_marked_twin(pattern: Steps, known: set[Steps]) -> bool:
    """Return whether a pattern comes back to the seed and can also be walked without coming back."""
    plain = without_marks(pattern)
    return plain != pattern and plain in known


def around(graph: Graph, node: int, *, max_hops: int) -> list[list[tuple[Steps, Ints]]]:
    """Return the patterns around an entity by length, each with the entities at its end.

    Patterns that come back to the entity, such as a child's parent, are among them; see `labelled`.
    """
    layer: Layer = first_layer(node)
    before: dict[tuple[int, bool], Steps] = {(0, False): ()}
    layers: list[list[tuple[Steps, Ints]]] = []
    most = _PATTERNS_OF_MANY if has_many_relations(graph) else _PATTERNS
    labels: dict[tuple[int, bool], Steps] = {}
    chosen = np.zeros(1, dtype=np.int64)
    for hop in range(max_hops):
        layer = next_layer(graph.csr, node, layer, chosen, direction="both", cap=CAP)
        sizes = layer.sizes() + layer.sizes(back=True)
        chosen = np.sort(np.argsort(sizes, kind="stable")[:_MOST])
        steps: dict[tuple[int, bool], Steps] = {}
        here: list[tuple[Steps, Ints]] = []
        pattern, back = layer.variants()
        if len(pattern) > most + 2 * _MOST:  # around a hub of a graph with thousands of relations
            needed = np.isin(pattern, chosen)
            drawn = np.random.default_rng([node, hop]).choice(np.flatnonzero(~needed), most, replace=False)
            needed[drawn] = True
            pattern, back = pattern[needed], back[needed]
        carried = layer.carried
        step, parent = carried.step.tolist(), carried.parent.tolist()
        returns, been_back = carried.returns.tolist(), carried.has_been_back.tolist()
        away, begins = carried.end, carried.begin.tolist()
        for i, is_back in zip(pattern.tolist(), back.tolist(), strict=True):
            taken = step[i], is_back and returns[i]
            if taken not in labels:  # there are few steps, in many patterns
                labels[taken] = labelled([Step(graph.relation_label(step[i] >> 1), bool(step[i] & 1), taken[1])])
            steps[i, is_back] = before[parent[i], is_back and been_back[i]] + labels[taken]
            ends = layer.ends(i, back=True) if is_back else away[begins[i] : begins[i + 1]]
            here.append((steps[i, is_back], ends))
        before = steps
        layers.append(here)
    return layers
