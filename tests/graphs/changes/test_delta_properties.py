"""A graph that was changed any number of times is the graph that is built from what it then holds, key by key."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.prune.edges import PruneEdges
from graphbrick.bricks.prune.nodes import PruneNodes
from graphbrick.bricks.prune.triples import PruneTriples
from graphbrick.bricks.retrieve.paths.all_paths import AllPaths
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Query, Subgraph
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord, TripleRecord
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import span_hash
from graphbrick.models.scorers.scorer import Scorer

KEYS = ["a", "b", "c", "内", "x\ty", "new\n", "\ud800", "e5"]
RELATIONS = ["r", "s", "-> t"]
LASTING: list[Record] = [("a", "r", "z"), ("z", "s", "a")]
LABELS = ["Paris", "paris", "Saint Denis", "内罗毕"]
ALIASES = ["Paname", "City of Light", "saint  denis!"]

triples = st.tuples(st.sampled_from(KEYS), st.sampled_from(RELATIONS), st.sampled_from(KEYS))
facts = st.builds(
    EntityRecord,
    st.sampled_from(KEYS),
    st.one_of(st.none(), st.sampled_from(LABELS)),
    st.lists(st.sampled_from(ALIASES), max_size=2).map(tuple),
    st.lists(st.sampled_from(["city", "town"]), max_size=2).map(tuple),
    st.one_of(st.none(), st.just("some place")),
)
# A label of a relation that no triple has yet is nobody's; these have one that stays.
relation_labels = st.builds(RelationRecord, st.sampled_from(RELATIONS[:2]), st.sampled_from(["is in", "near"]))
records = st.lists(st.one_of(triples, triples, facts, relation_labels), max_size=12)


@dataclass
class History:
    """What was built and changed, and what is to come of it."""

    given: list[Record]
    steps: list[tuple[list[TripleRecord], list[Record], bool]]

    def expected(self) -> list[Record]:
        """The facts in the order in which they were given, every entity that ever was, and the triples left."""
        said = [record for record in self.given if not isinstance(record, tuple)]
        left = dict.fromkeys(record for record in self.given if isinstance(record, tuple))
        ends = {key: None for head, _, tail in left for key in (head, tail)}
        for deleted, added, _ in self.steps:
            for triple in deleted:
                del left[triple]
            left |= dict.fromkeys(record for record in added if isinstance(record, tuple))
            ends |= {key: None for head, _, tail in left for key in (head, tail)}
            said += [record for record in added if not isinstance(record, tuple)]
        return [*map(EntityRecord, ends), *said, *left]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """A graph and up to three changes; some are compacted."""
    history = History([*LASTING, *draw(records)], [])
    for _ in range(draw(st.integers(1, 3))):
        left = [record for record in history.expected() if isinstance(record, tuple) and record not in LASTING]
        deleted = draw(st.lists(st.sampled_from(left), unique=True)) if left else []
        history.steps.append((deleted, draw(records), draw(st.integers(0, 5)) == 0))
    return history


class Folders:
    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self.path = factory.mktemp("changed")

    @contextmanager
    def both(self, history: History) -> Iterator[tuple[Graph, Graph]]:
        """The changed graph and the one that is built at once."""
        expected = history.expected()
        try:
            build(history.given, self.path / "changed.graph")
            for deleted, added, fold in history.steps:
                graph = change(self.path / "changed.graph", delete=deleted, add=added).graph
                if fold:
                    assert not compact(graph.path).changes.files
            yield Graph.open(self.path / "changed.graph"), build(expected, self.path / "built.graph")
        finally:
            for folder in self.path.iterdir():
                shutil.rmtree(folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return Folders(tmp_path_factory)


def by_key(graph: Graph) -> dict[str, Any]:
    """All that the accessors say about a graph, without its ids."""
    entities = {}
    for entity in range(graph.n_entities):
        key = graph.key(entity)
        assert graph.entity(key) == entity
        names = {name_form(name) for name in [graph.label(entity), *graph.aliases(entity)]} - {""}
        hashes = np.array([span_hash(name) for name in names], dtype=np.uint64)
        assert graph.names.known(hashes).all()
        assert max((name.count(" ") + 1 for name in names), default=0) <= graph.names.max_tokens
        assert all(entity in graph.named(name) for name in names)
        entities[key] = (
            graph.label(entity),
            sorted(graph.aliases(entity)),
            sorted(graph.types(entity)),
            graph.description(entity),
            graph.degree(entity),
            sorted(triple_of(graph, triple) for triple in graph.triples_from(entity)),
            sorted(triple_of(graph, triple) for triple in graph.triples_to(entity)),
        )
        assert graph.first_type(entity) == next(iter(graph.types(entity)), "")
    used = {graph.relation_of(triple) for triple in graph.triple_ids().tolist()}
    named = {
        text: sorted(graph.key(entity) for entity in graph.named(text)) for text in [*LABELS, *ALIASES, *KEYS, "none"]
    }
    near = {
        text: sorted((round(match.score, 9), graph.key(match.entity)) for match in graph.names.near(text, 50))
        for text in ("Pariss", "cty of light", "saint deni", "")
    }
    return {
        "entities": entities,
        "relations": {graph.relation_key(relation): graph.relation_label(relation) for relation in used},
        "named": named,
        "near": near,
        "n_triples": graph.n_triples,
        "triples": sorted(graph.key_triples()),
    }


def triple_of(graph: Graph, triple: int) -> TripleRecord:
    head, relation, tail = graph.triple(triple)
    assert (
        graph.triple_text(triple) == f"{graph.label(head)} -> {graph.relation_label(relation)} -> {graph.label(tail)}"
    )
    return graph.key(head), graph.relation_key(relation), graph.key(tail)


@pytest.mark.whole
@settings(max_examples=20, deadline=None)
@given(history=histories())
def test_a_changed_graph_says_what_a_built_one_says(folders: Folders, history: History) -> None:
    with folders.both(history) as (changed, built):
        assert by_key(changed) == by_key(built)
        ids = changed.triple_ids().tolist()
        assert len(ids) == changed.n_triples
        assert sorted(triple_of(changed, triple) for triple in ids) == sorted(built.key_triples())
        for triple in {-1, 0, 1, 2, max(ids) + 1, 10**6} - set(ids):
            with pytest.raises(IndexError):
                changed.triple(triple)
        for entity in (-1, changed.n_entities, 10**12):
            for read in (Graph.label, Graph.key, Graph.types, Graph.description, Graph.triples_from, Graph.aliases):
                with pytest.raises(IndexError):
                    read(changed, entity)
        changed.check()


def shown(graph: Graph, subgraph: Subgraph) -> tuple[list[str], list[TripleRecord]]:
    subgraph = subgraph.listed()
    nodes = range(graph.n_entities) if subgraph.nodes is None else subgraph.nodes.tolist()
    ids = graph.triple_ids() if subgraph.triples is None else subgraph.triples
    return sorted(map(graph.key, nodes)), sorted(triple_of(graph, triple) for triple in ids.tolist())


@dataclass(frozen=True, repr=False)
class ByText(Scorer):
    """A score that only the text decides, so that ids do not."""

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([crc32(text.encode("utf-8", "surrogatepass")) for text in texts], dtype=np.float64)


@pytest.mark.whole
@settings(max_examples=12, deadline=None)
@given(history=histories(), data=st.data())
def test_bricks_give_the_same(folders: Folders, history: History, data: st.DataObject) -> None:
    with folders.both(history) as (changed, built):
        keys = data.draw(st.lists(st.sampled_from(sorted(by_key(built)["entities"])), min_size=1, max_size=2))
        found = []
        for graph in (changed, built):
            query = Query("Where?", seeds=tuple(map(graph.entity, keys)))
            whole = Subgraph(graph)
            around = [brick.extract(graph, query) for brick in (PPR(k=100), KHop(max_hops=1), KHop(max_hops=2))]
            # Labels may be equal, so that the texts of triples tie: all or none of these are kept.
            pruned = [
                PruneEdges(ByText(), n=1).prune(query, whole),
                PruneTriples(ByText(), n=None, threshold=2.0**31).prune(query, whole),
                PruneNodes(ByText(), n=None, threshold=2.0**31).prune(query, around[0]),
                PruneTriples(ByText(), n=None, threshold=2.0**31, connected=True).prune(query, around[2]),
            ]
            paths = [
                brick.retrieve(query, view)
                for view in (whole, around[0], pruned[0])
                for brick in (ShortestPaths(max_hops=3), AllPaths(max_hops=2))
            ]
            found.append(
                [shown(graph, view) for view in [whole, *around, *pruned]]
                + [
                    sorted(
                        (
                            [graph.key(node) for node in path.nodes],
                            [triple_of(graph, triple) for triple in path.triples],
                            path.forward,
                        )
                        for path in evidence.paths
                    )
                    for evidence in paths
                ]
                + [sorted(view.listed().triple_texts()) for view in [whole, *pruned]]
            )
        assert found[0] == found[1]


@pytest.mark.whole
@settings(max_examples=8, deadline=None)
@given(history=histories())
def test_a_compacted_graph_is_one_as_it_was_built(folders: Folders, history: History) -> None:
    with folders.both(history) as (changed, built):
        said = by_key(changed)
        path: Path = changed.path
        folded = compact(path)
        assert by_key(folded) == said == by_key(built)
        assert not folded.changes.files
        assert sorted(file.name for file in path.parent.iterdir()) == ["built.graph", "changed.graph"]
        folded.check()
        # The graph that was open before reads on.
        assert by_key(changed) == said
