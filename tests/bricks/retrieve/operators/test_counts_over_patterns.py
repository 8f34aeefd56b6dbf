"""Numbers over what patterns join to entities, against loops over the triples."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick import EntityRecord
from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.measures import Above, CountIn, OfEnds, pairs
from graphbrick.bricks.retrieve.operators.sets import Place
from graphbrick.core import Subgraph
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import Record
from graphbrick.patterns.properties.sources import sources_of

N = 12


@pytest.fixture(scope="module", params=[1, 2, 3])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    random = np.random.default_rng(request.param)
    ages = random.integers(0, 9, N)
    records: list[Record] = [
        EntityRecord(f"n{i}", types=("Node",), properties={"age": int(ages[i])} if ages[i] else {}) for i in range(N)
    ]
    joined = {(int(a), int(r), int(b)) for a, r, b in zip(*(random.integers(0, m, 40) for m in (N, 2, N)), strict=True)}
    records += [(f"n{a}", f"r{r}", f"n{b}") for a, r, b in sorted(joined)]
    graph = build(records, tmp_path_factory.mktemp("random") / "random.graph")
    return Place(graph, Subgraph(graph), {"Node": np.arange(graph.n_entities)})


def walked(place: Place, start: int, steps: tuple[tuple[int, bool], ...]) -> list[int]:
    """Return the ends of a pattern by loops, one for each walk."""
    triples = [place.graph.triple(triple) for triple in place.graph.triple_ids().tolist()]
    ends = [start]
    for relation, forward in steps:
        ends = [
            tail if forward else head
            for end in ends
            for head, own, tail in triples
            if own == relation and end == (head if forward else tail)
        ]
    return ends


STEPS = [((0, True),), ((1, False),), ((0, True), (1, False)), ((1, True), (0, True))]


@pytest.mark.parametrize("steps", STEPS)
def test_pairs_are_all_walks(place: Place, steps: tuple[tuple[int, bool], ...]) -> None:
    starts, ends = pairs(place, np.arange(N), steps)
    for entity in range(N):
        assert sorted(ends[starts == entity].tolist()) == sorted(walked(place, entity, steps))


@pytest.mark.parametrize("steps", STEPS)
def test_numbers_over_ends(place: Place, steps: tuple[tuple[int, bool], ...]) -> None:
    inside = p.Listed((1, 2, 3, 5, 8))
    age = p.Attribute(next(one for one in sources_of(place.graph) if one.name == "age"))
    ages, everyone = age.of(place, np.arange(N)), np.arange(N)
    counts = CountIn(steps, inside).of(place, everyone)
    sums = OfEnds(steps, p.Members("Node"), age, "sum").of(place, everyone)
    means = OfEnds(steps, p.Members("Node"), age, "mean").of(place, everyone)
    above = Above(steps, p.Members("Node"), age).of(place, everyone)
    for entity in range(N):
        ends = set(walked(place, entity, steps))
        known = [ages[end] for end in ends if not np.isnan(ages[end])]
        assert counts[entity] == len(ends & {1, 2, 3, 5, 8})
        assert (np.isnan(sums[entity]) and not known) or sums[entity] == sum(known)
        assert (np.isnan(means[entity]) and not known) or means[entity] == pytest.approx(np.mean(known))
        gaps = [ages[entity] - one for one in known if not np.isnan(ages[entity])]
        assert (np.isnan(above[entity]) and not gaps) or above[entity] == max(gaps)
