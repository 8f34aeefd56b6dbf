from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import BM25, EntityRecord, Query, Subgraph
from graphbrick.bricks.prune.edges import PruneEdges
from graphbrick.bricks.prune.nodes import PruneNodes
from graphbrick.bricks.prune.triples import PruneTriples
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record, RelationRecord
from graphbrick.kernels.paths.induced import induced_triples
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import PruneStage
from graphbrick.testing import check_brick, tiny_graph

ASKED: list[list[str]] = []


@dataclass(frozen=True, repr=False)
class Hashed(Scorer):
    """A score that looks random but depends on the text only; few levels make ties. Keeps what it was asked in ASKED.

    Args:
        levels: Scores are whole numbers from -1 to levels - 2.
        salt: Another one gives other scores.
    """

    levels: int = 3
    salt: str = ""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        ASKED.append(list(texts))
        return np.array([self.one(text) for text in texts], dtype=np.float64)

    def one(self, text: str) -> int:
        digest = blake2b(f"{self.salt}|{text}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "little") % self.levels - 1


@dataclass(frozen=True, repr=False)
class Says(Scorer):
    """The same score for every text.

    Args:
        value: The score.
    """

    value: float = 0.0

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.full(len(texts), self.value)


# Readable references, over graph.triple only. The other tests of this folder use them too.


@st.composite
def records_of(draw: st.DrawFn) -> list[Record]:
    """A multigraph of up to 8 entities: parallel relations, self loops, homonyms, one entity without triples."""
    keys = "abcdefg"[: draw(st.integers(1, 7))]
    ends = st.sampled_from(keys)
    records: list[Record] = list(
        draw(st.lists(st.tuples(ends, st.sampled_from("rstu"), ends), min_size=1, max_size=18))
    )
    records += [EntityRecord(key, label="homonym") for key in sorted(draw(st.sets(ends)))]
    return [*records, EntityRecord("alone")]


class Folder:
    """Where the graphs of one module lie, one at a time."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self.path = factory.mktemp("prune") / "any.graph"

    @contextmanager
    def graph(self, records: list[Record]) -> Iterator[Graph]:
        graph = build(records, self.path)
        try:
            yield graph
        finally:
            shutil.rmtree(self.path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory)


def ids(values: Any) -> npt.NDArray[np.int32]:
    return np.array(sorted(values), dtype=np.int32)


def view(data: st.DataObject, graph: Graph) -> Subgraph:
    """The whole graph, or some of its entities and some of the triples among them."""
    if data.draw(st.booleans(), label="whole"):
        return Subgraph(graph)
    nodes = ids(data.draw(st.sets(st.integers(0, graph.n_entities - 1)), label="nodes"))
    among = induced_triples(graph.csr.rows, nodes).tolist()
    triples = data.draw(st.sets(st.sampled_from(among)) if among else st.just(set()), label="triples")
    return Subgraph(graph, nodes, ids(triples))


def query_on(data: st.DataObject, graph: Graph) -> Query:
    """None to 3 seeds, in the subgraph or not."""
    entities = st.integers(0, graph.n_entities - 1)
    count = data.draw(st.sampled_from([1, 1, 2, 3, 0]), label="number of seeds")
    return Query("?", seeds=tuple(data.draw(st.lists(entities, min_size=count, max_size=count), label="seeds")))


def sets_of(subgraph: Subgraph) -> tuple[set[int], set[int]]:
    """Nodes and triples."""
    if subgraph.nodes is None or subgraph.triples is None:
        return set(range(subgraph.graph.n_entities)), set(range(subgraph.graph.n_triples))
    return set(subgraph.nodes.tolist()), set(subgraph.triples.tolist())


def network_of(graph: Graph, nodes: set[int], triples: set[int]) -> nx.Graph:
    network = nx.Graph()
    network.add_nodes_from(nodes)
    network.add_edges_from((graph.triple(t)[0], graph.triple(t)[2]) for t in triples)
    return network


def far(subgraph: Subgraph, query: Query) -> dict[int, float]:
    """Hops from the nearest seed for every node."""
    nodes, triples = sets_of(subgraph)
    seeds = nodes & set(query.seeds)
    network = network_of(subgraph.graph, nodes, triples)
    found = nx.multi_source_dijkstra_path_length(network, seeds, weight=None) if seeds else {}
    return {node: found.get(node, float("inf")) for node in nodes}


def reached(graph: Graph, nodes: set[int], triples: set[int], query: Query) -> set[int]:
    """The nodes of those components that have a seed."""
    parts = nx.connected_components(network_of(graph, nodes, triples))
    return set().union(*(part for part in parts if part & set(query.seeds)))


def among(graph: Graph, nodes: set[int], triples: set[int]) -> set[int]:
    return {t for t in triples if {graph.triple(t)[0], graph.triple(t)[2]} <= nodes}


def prune(brick: PruneStage, query: Query, subgraph: Subgraph) -> tuple[set[int], set[int], StageTrace]:
    """What is left, and the trace; what must hold for every result is checked."""
    with record(Trace(), repr(brick), "prune") as entry:
        result = brick.prune(query, subgraph)
    assert result.graph is subgraph.graph
    assert result.nodes is not None
    assert result.triples is not None
    for array in (result.nodes, result.triples):
        assert array.dtype == np.int32
        assert (np.diff(array) > 0).all()
    nodes, triples = sets_of(result)
    given_nodes, given_triples = sets_of(subgraph)
    assert nodes <= given_nodes
    assert triples <= given_triples
    assert among(result.graph, nodes, triples) == triples
    assert given_nodes & set(query.seeds) <= nodes
    return nodes, triples, entry


def check_components(brick: PruneStage, query: Query, subgraph: Subgraph, nodes: set[int], triples: set[int]) -> None:
    """What is cut off is counted as it is without ``connected``, and left out with it."""
    found_nodes, found_triples, entry = prune(brick, query, subgraph)
    graph = subgraph.graph
    together = reached(graph, nodes, triples, query)
    lost = len(nodes - together)
    if not brick.connected:  # type: ignore[attr-defined]
        assert (found_nodes, found_triples) == (nodes, triples)
        assert entry.facts["cut_off"] == lost
        left_out = []
    else:
        assert (found_nodes, found_triples) == (together, among(graph, together, triples))
        left_out = [("prune.cut_off", {"n": lost})] * (lost > 0)
    given_nodes, given_triples = sets_of(subgraph)
    lonely = [
        ("prune.lonely_seed", {"seed": seed})
        for seed in sorted(set(query.seeds) & given_nodes)
        if with_triples(graph, given_triples, seed) and not with_triples(graph, triples, seed)
    ]
    assert told(entry.events) == lonely + left_out


def with_triples(graph: Graph, triples: set[int], node: int) -> bool:
    """Whether a node has any of some triples."""
    return any(node in (graph.triple(triple)[0], graph.triple(triple)[2]) for triple in triples)


some = settings(max_examples=30, deadline=None)
# A graph costs far more to build than to prune, so that each is pruned to all of these.
SIZES = [
    (n, threshold)
    for n in (None, 1, 2, 3, 5, 9)
    for threshold in (None, -1, -0.5, 0, 5)
    if (n, threshold) != (None, None)
]


@pytest.mark.whole
@some
@given(records=records_of(), data=st.data(), levels=st.sampled_from([1, 3, 1000]), connected=st.booleans())
def test_nodes_are_those_of_the_reference(
    folder: Folder, records: list[Record], data: st.DataObject, levels: int, connected: bool
) -> None:
    scorer = Hashed(levels)
    with folder.graph(records) as graph:
        subgraph, query = view(data, graph), query_on(data, graph)
        given_nodes, given_triples = sets_of(subgraph)
        away = far(subgraph, query)
        seeds = given_nodes & set(query.seeds)
        ranked = sorted(given_nodes - seeds, key=lambda v: (-scorer.one(graph.label(v)), away[v], v))
        for n, threshold in SIZES:
            others = [v for v in ranked if threshold is None or scorer.one(graph.label(v)) > threshold]
            if n is not None:
                others = others[: max(0, n - len(seeds))]
            nodes = seeds | set(others)
            brick = PruneNodes(scorer, n=n, threshold=threshold, connected=connected)
            check_components(brick, query, subgraph, nodes, among(graph, nodes, given_triples))


@pytest.mark.whole
@pytest.mark.parametrize("levels", [3, 1000])
@pytest.mark.parametrize("n", range(1, 9))
def test_the_seeds_count_among_the_nodes_kept(n: int, levels: int) -> None:
    graph = tiny_graph()
    for seed in range(graph.n_entities):
        for other in range(graph.n_entities):
            seeds = {seed, other}
            nodes, _, _ = prune(PruneNodes(Hashed(levels), n=n), Query("?", seeds=(seed, other)), Subgraph(graph))
            assert len(nodes) == max(n, len(seeds))


@pytest.mark.whole
@some
@given(records=records_of(), data=st.data())
def test_each_label_is_scored_once(folder: Folder, records: list[Record], data: st.DataObject) -> None:
    with folder.graph(records) as graph:
        subgraph = view(data, graph)
        ASKED.clear()
        PruneNodes(Hashed(), n=2).prune(query_on(data, graph), subgraph)
        labels = list(dict.fromkeys(graph.label(v) for v in sorted(sets_of(subgraph)[0])))
        assert ([labels] if labels else []) == ASKED


def at(graph: Graph, *names: str) -> tuple[int, ...]:
    return tuple(graph.entity(name) for name in names)


def test_of_equal_labels_the_nearer_to_a_seed_stays_then_the_lower_id() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=at(graph, "Nairobi"))
    order = ["Nairobi", "Kenya", "Kenyan shilling", "Uganda", "Ugandan shilling", "Kampala", "Rwanda", "Kigali"]
    hops = [far(Subgraph(graph), query)[entity] for entity in at(graph, *order)]
    assert hops == [0, 1, 2, 2, 3, 3, 3, 4]
    for n in range(1, 9):
        nodes, _, _ = prune(PruneNodes(Says(), n=n), query, Subgraph(graph))
        assert nodes == set(at(graph, *order[:n]))


def test_all_seeds_stay_where_they_are_more_than_n() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=at(graph, "Nairobi", "Kigali", "Kampala"))
    nodes, triples, entry = prune(PruneNodes(Says(1.0), n=1), query, Subgraph(graph))
    assert (nodes, triples) == (set(query.seeds), set())
    assert entry.facts["cut_off"] == 0


def test_a_threshold_is_for_what_is_above_it() -> None:
    graph = tiny_graph()
    query = Query("?", seeds=at(graph, "Nairobi"))
    assert prune(PruneNodes(Says(0.5), n=None, threshold=0.5), query, Subgraph(graph))[0] == set(query.seeds)
    assert len(prune(PruneNodes(Says(0.5), n=None, threshold=0.49), query, Subgraph(graph))[0]) == graph.n_entities


def test_what_is_larger_than_the_graph_keeps_it() -> None:
    graph = tiny_graph()
    nodes, triples, _ = prune(PruneNodes(Hashed(), n=1000), Query("?"), Subgraph(graph))
    assert (nodes, triples) == sets_of(Subgraph(graph))


def test_a_query_without_seeds_leaves_nothing_connected() -> None:
    graph = tiny_graph()
    nodes, triples, entry = prune(PruneNodes(Hashed(), n=4, connected=True), Query("?"), Subgraph(graph))
    assert (nodes, triples) == (set(), set())
    assert told(entry.events) == [("prune.cut_off", {"n": 4})]


def test_a_kept_array_of_the_scorer_is_not_written_to() -> None:
    kept = np.zeros(8)

    @dataclass(frozen=True, repr=False)
    class Remembers(Scorer):
        """Gives the same array each time."""

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return kept

    PruneNodes(Remembers(), n=2).prune(Query("?", seeds=(0,)), Subgraph(tiny_graph()))
    assert kept.tolist() == [0] * 8


def test_the_fact_is_in_the_trace_of_a_run() -> None:
    graph = tiny_graph()
    run = PruneNodes(BM25(), n=2).run(graph, "Is Nairobi larger than Kampala?", seeds=["Nairobi"])
    (entry,) = [stage for stage in run.trace.stages if stage.kind == "prune"]
    assert entry.facts == {"cut_off": 1}
    assert (entry.counts_in, entry.counts_out) == ({"seeds": 1}, {"nodes": 2, "triples": 0})


def test_two_components_are_told_apart(tmp_path: Path) -> None:
    graph = build([("a", "r", "b"), ("b", "r", "a"), ("c", "r", "c"), ("d", "r", "e")], tmp_path / "two.graph")
    query = Query("?", seeds=at(graph, "a"))
    every = PruneNodes(Says(), n=9)
    assert prune(every, query, Subgraph(graph))[2].facts["cut_off"] == 3
    nodes, triples, entry = prune(PruneNodes(Says(), n=9, connected=True), query, Subgraph(graph))
    assert nodes == set(at(graph, "a", "b"))
    assert triples == {0, 1}
    assert told(entry.events) == [("prune.cut_off", {"n": 3})]


@pytest.mark.parametrize("kind", [PruneNodes, PruneEdges, PruneTriples])
class TestAnyPrune:
    def test_the_contract(self, kind: Any) -> None:
        check_brick(kind(BM25(), n=2), installed=False)
        check_brick(kind(BM25(), n=None, threshold=0.5, connected=True), installed=False)
        check_brick(kind(BM25(), n=3, threshold=-1), installed=False)

    @pytest.mark.parametrize(
        "arguments",
        [
            {"n": 0},
            {"n": True},
            {"n": 2.0},
            {"threshold": "high"},
            {"threshold": float("nan")},
            {"threshold": True},
        ],
    )
    def test_bad_parameters(self, kind: Any, arguments: dict[str, Any]) -> None:
        with fails("parameter.not_allowed", PipelineError, brick=kind.__name__, name=next(iter(arguments))):
            kind(BM25(), **arguments)

    def test_n_or_threshold_is_needed(self, kind: Any) -> None:
        with fails("prune.nothing_to_do", PipelineError):
            kind(BM25(), n=None)

    def test_a_scorer_is_needed(self, kind: Any) -> None:
        with fails("parameter.not_allowed", PipelineError, name="scorer", value="'BM25'"):
            kind("BM25")

    def test_a_score_that_is_no_number_is_an_error(self, kind: Any) -> None:
        with pytest.raises(ModelError, match="gave nan for the text"):
            kind(Says(float("nan")), n=2).prune(Query("?", seeds=(0,)), Subgraph(tiny_graph()))

    def test_an_empty_subgraph_asks_nothing(self, kind: Any) -> None:
        ASKED.clear()
        nothing = Subgraph(tiny_graph(), ids([]), ids([]))
        nodes, triples, entry = prune(kind(Hashed(), n=2, connected=True), Query("?", seeds=(0,)), nothing)
        assert (nodes, triples, entry.events, ASKED) == (set(), set(), [], [])

    def test_the_same_view_whole_or_listed(self, kind: Any) -> None:
        graph = tiny_graph()
        listed = Subgraph(graph, *(ids(part) for part in sets_of(Subgraph(graph))))
        query = Query("?", seeds=at(graph, "Nairobi", "Rwanda"))
        for n in range(1, 8):
            brick = kind(Hashed(), n=n)
            assert prune(brick, query, Subgraph(graph))[:2] == prune(brick, query, listed)[:2]


def test_homonymous_relations_can_be_built(tmp_path: Path) -> None:
    records: list[Record] = [("a", "r1", "b"), ("a", "r2", "c"), RelationRecord("r1", "in"), RelationRecord("r2", "in")]
    graph = build(records, tmp_path / "names.graph")
    assert [graph.triple_text(t) for t in range(2)] == ["a -> in -> b", "a -> in -> c"]
