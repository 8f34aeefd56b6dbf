from __future__ import annotations

import pickle
from pathlib import Path as Folder

import numpy as np
import pytest

from graphbrick import (
    PPR,
    AllPaths,
    Citation,
    Evidence,
    GraphBuilder,
    Passage,
    Path,
    PathAnswer,
    Report,
    Row,
    ShortestPaths,
    Subgraph,
    Triple,
    build,
)
from graphbrick.core import Answer, Item, Query, seeds_of
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, RelationRecord
from graphbrick.study.runs.prefixes import SharedStages
from graphbrick.testing import TINY, tiny_graph

# Entity ids of the tiny graph are in order of first appearance.
KENYA, SHILLING, NAIROBI, UGANDA, USHILLING, KAMPALA, RWANDA, KIGALI = range(8)


@pytest.fixture
def graph() -> Graph:
    return tiny_graph()


def view(graph: Graph, nodes: list[int], triples: list[int]) -> Subgraph:
    return Subgraph(graph, np.array(nodes, dtype=np.int32), np.array(triples, dtype=np.int32))


def triple_id(graph: Graph, head: int, relation: str, tail: int) -> int:
    found = [
        t
        for t in graph.triples_from(head)
        if graph.triple(t)[2] == tail and graph.relation_label(graph.triple(t)[1]) == relation
    ]
    assert len(found) == 1
    return found[0]


def walk(graph: Graph, *steps: tuple[int, str, int, bool]) -> Path:
    """A path of (head, relation, tail, forward) steps."""
    ids = tuple(triple_id(graph, head, relation, tail) for head, relation, tail, _ in steps)
    head, _, tail, forward = steps[0]
    nodes = [head if forward else tail] + [tail if forward else head for head, _, tail, forward in steps]
    return Path(graph, tuple(nodes), ids, tuple(forward for *_, forward in steps))


def test_ids_of_the_tiny_graph(graph: Graph) -> None:
    assert [graph.label(i) for i in range(8)] == [
        "Kenya", "Kenyan shilling", "Nairobi", "Uganda", "Ugandan shilling", "Kampala", "Rwanda", "Kigali",
    ]  # fmt: skip


class TestSubgraph:
    def test_the_whole_graph_is_not_copied(self, graph: Graph) -> None:
        whole = Subgraph(graph)
        assert whole.is_whole
        assert (whole.n_nodes, whole.n_triples) == (8, len(TINY))
        assert whole.csr is graph.csr
        assert whole.local([7, 0, 3]) == [7, 0, 3]

    def test_local_ids_stand_for_the_entities_and_triples_of_the_view(self, graph: Graph) -> None:
        triples = [t for t in range(10) if {graph.triple(t)[0], graph.triple(t)[2]} <= {KENYA, UGANDA, KAMPALA, RWANDA}]
        part = view(graph, [KENYA, UGANDA, KAMPALA, RWANDA], triples)
        assert not part.is_whole
        assert (part.n_nodes, part.n_triples) == (4, 6)
        got = [
            (int(part.nodes[u]), int(part.csr.relation[e]), int(part.nodes[part.csr.tail[e]]))
            for u in range(4)
            for e in range(int(part.csr.out_begin[u]), int(part.csr.out_end[u]))
        ]
        assert got == [graph.triple(t) for t in triples]

    def test_incoming_rows_of_a_view_point_to_the_same_triples(self, graph: Graph) -> None:
        triples = [t for t in range(10) if KIGALI not in graph.triple(t)[::2] and NAIROBI not in graph.triple(t)[::2]]
        nodes = [KENYA, SHILLING, UGANDA, USHILLING, KAMPALA, RWANDA]
        part = view(graph, nodes, triples)
        incoming = {
            (int(part.nodes[part.csr.in_head[e]]), int(part.triples[part.csr.in_triple[e]]), int(part.nodes[v]))
            for v in range(len(nodes))
            for e in range(int(part.csr.in_begin[v]), int(part.csr.in_end[v]))
        }
        assert incoming == {(graph.triple(t)[0], t, graph.triple(t)[2]) for t in triples}

    def test_a_view_may_leave_out_triples_among_its_nodes(self, graph: Graph) -> None:
        kept = triple_id(graph, UGANDA, "capital", KAMPALA)
        part = view(graph, [UGANDA, KAMPALA], [kept])
        assert part.csr.n_triples == 1
        assert graph.relation_label(int(part.csr.relation[0])) == "capital"

    def test_an_empty_view(self, graph: Graph) -> None:
        empty = view(graph, [], [])
        assert not empty.is_whole
        assert (empty.n_nodes, empty.n_triples, empty.csr.n_nodes, empty.csr.n_triples) == (0, 0, 0, 0)
        assert empty.local([0, 1]) == []

    def test_local_leaves_out_what_is_not_in_the_view(self, graph: Graph) -> None:
        part = view(graph, [1, 4, 6], [])
        assert part.local([6, 0, 1, 7, 5]) == [2, 0]

    def test_seeds_keep_the_order_of_the_query_and_are_distinct(self, graph: Graph) -> None:
        seeds = seeds_of(Query("?", seeds=(6, 0, 1, 6)), view(graph, [1, 4, 6], []))
        assert seeds.tolist() == [2, 0]
        assert seeds.dtype == np.int32
        assert seeds_of(Query("?"), Subgraph(graph)).dtype == np.int32

    def test_union(self, graph: Graph) -> None:
        a, b = view(graph, [0, 2, 4], [1, 3]), view(graph, [1, 2], [0, 3])
        both = a.union(b)
        assert both.nodes is not None
        assert both.triples is not None
        assert both.nodes.tolist() == [0, 1, 2, 4]
        assert both.triples.tolist() == [0, 1, 3]
        assert both.nodes.dtype == both.triples.dtype == np.int32

    def test_union_with_nothing_and_with_everything(self, graph: Graph) -> None:
        part, empty, whole = view(graph, [0, 2], [1]), view(graph, [], []), Subgraph(graph)
        assert part.union(empty).nodes.tolist() == [0, 2]  # type: ignore[union-attr]
        assert part.union(empty).nodes.dtype == np.int32  # type: ignore[union-attr]
        assert part.union(whole).is_whole
        assert whole.union(part).is_whole


class TestPath:
    def test_text_shows_which_way_each_triple_is_walked(self, graph: Graph) -> None:
        path = walk(graph, (KENYA, "capital", NAIROBI, False), (KENYA, "currency", SHILLING, True))
        assert path.text == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
        assert (path.start, path.end, path.hops) == (NAIROBI, SHILLING, 2)
        assert [(graph.relation_label(r), forward) for r, forward in path.pattern] == [
            ("capital", False),
            ("currency", True),
        ]
        assert repr(path.with_score(0.123456)) == f"Path({path.text!r}, score=0.1235)"

    def test_parallel_relations_and_other_stations_make_other_paths(self, graph: Graph) -> None:
        capital = walk(graph, (UGANDA, "capital", KAMPALA, True))
        largest = walk(graph, (UGANDA, "largest city", KAMPALA, True))
        back = walk(graph, (UGANDA, "capital", KAMPALA, False))
        assert len({capital, largest, back}) == 3
        assert capital == walk(graph, (UGANDA, "capital", KAMPALA, True))

    def test_the_score_does_not_count_for_equality(self, graph: Graph) -> None:
        path = walk(graph, (UGANDA, "capital", KAMPALA, True))
        assert path.with_score(0.5) == path
        assert hash(path.with_score(0.5)) == hash(path)
        assert path.score == 0
        assert path.with_score(0.5).score == 0.5
        assert path != "Uganda -> capital -> Kampala"

    def test_pattern_text_has_types_in_the_place_of_entities(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        with GraphBuilder(tmp_path_factory.mktemp("graph") / "typed.graph", source="test") as builder:
            builder.add(("Kenya", "capital", "Nairobi"))
            builder.add(("Kenya", "currency", "shilling"))
            builder.add(EntityRecord("Kenya", types=("country", "state")))
            graph = builder.finish()
        path = walk(graph, (0, "capital", 1, False), (0, "currency", 2, True))
        assert path.pattern_text == "Nairobi <- capital <- country -> currency ->"

    def test_pickled_with_its_graph(self, graph: Graph) -> None:
        path = walk(graph, (UGANDA, "capital", KAMPALA, True)).with_score(2.0)
        again = pickle.loads(pickle.dumps(path))
        assert (again, again.score, again.text) == (path, 2.0, path.text)


class TestItems:
    def test_every_kind_keeps_the_protocol(self, graph: Graph) -> None:
        place = Citation("atlas.txt", 0, 7)
        items: list[Item] = [
            walk(graph, (KENYA, "capital", NAIROBI, True)),
            Triple(graph, triple_id(graph, KENYA, "capital", NAIROBI)),
            Row(("capital",), ("Nairobi",), (Citation(query="MATCH ..."),), (NAIROBI,), graph),
            Passage("Nairobi lies in Kenya.", (place,), (NAIROBI, KENYA), graph),
            Report(graph, (KENYA, NAIROBI), "Kenya and its capital."),
        ]
        assert [item.kind for item in items] == ["path", "triple", "row", "passage", "report"]
        for item in items:
            better = item.with_score(0.5)
            assert (better.score, item.score) == (0.5, 0.0)
            assert better == item
            assert hash(better) == hash(item)
            assert better.identity == item.identity
            assert NAIROBI in item.entities
            assert item.text
            assert item.pattern_text
            assert pickle.loads(pickle.dumps(item)) == item
        assert len({item.identity for item in items}) == len(set(items)) == len(items)
        assert items[3].citations == (place,)
        assert items[1].text == items[0].text == "Kenya -> capital -> Nairobi"

    def test_two_passages_of_the_same_words_are_two_items(self) -> None:
        here, there = (Passage("The same.", (Citation(name),)) for name in ("a.txt", "b.txt"))
        assert here != there
        assert len(Evidence((here, there)).union(Evidence((here,)))) == 2

    def test_counts_name_the_kinds(self, graph: Graph) -> None:
        items = (walk(graph, (KENYA, "capital", NAIROBI, True)), Passage("One."), Passage("Two."))
        assert Evidence(items).counts() == {"paths": 1, "passages": 2}
        assert Evidence().counts() == {"paths": 0}

    def test_a_path_that_comes_back_says_so(self, graph: Graph) -> None:
        path = walk(graph, (KENYA, "borders", UGANDA, True), (UGANDA, "borders", KENYA, True))
        assert path.comes_back
        assert [step.back for step in path.steps] == [False, True]
        assert path.pattern_text == "Kenya -> borders -> -> borders ->"
        assert path.text == "Kenya -> borders -> Uganda -> borders -> Kenya"
        assert path.entities == (UGANDA, KENYA)
        assert not walk(graph, (KENYA, "borders", UGANDA, True)).comes_back


def test_evidence_that_is_shared_between_pipelines_keeps_its_subgraph(graph: Graph) -> None:
    query, begin = Query("currency of Kenya?", (KENYA,)), PPR(k=4) >> ShortestPaths()
    shared = SharedStages([begin >> PathAnswer(), begin >> PathAnswer(cap=1)])
    for course in shared.run(graph, query):
        assert course.run.evidence is not None
        assert course.run.evidence.subgraph is not None
        assert course.run.evidence.subgraph.n_nodes == 4


class TestEvidence:
    def three(self, graph: Graph) -> tuple[Path, Path, Path]:
        return (
            walk(graph, (KENYA, "capital", NAIROBI, True)),
            walk(graph, (UGANDA, "capital", KAMPALA, True)),
            walk(graph, (RWANDA, "capital", KIGALI, True)),
        )

    def test_union_takes_turns_where_scores_do_not_compare(self, graph: Graph) -> None:
        a, b, c = self.three(graph)
        both = Evidence((b, a), scale="BM25()").union(Evidence((a.with_score(9), c, b), scale="MiniLM()"))
        assert both.items == (b, a, c)
        assert both.scale == ""
        assert Evidence((a, b)).union(Evidence((c,)), Evidence((b,))).items == (a, c, b)

    def test_union_is_best_first_where_scores_compare(self, graph: Graph) -> None:
        a, b, c = (path.with_score(score) for path, score in zip(self.three(graph), (0.5, 0.9, 0.7), strict=True))
        both = Evidence((b, a), scale="MiniLM()").union(Evidence((c, a), scale="MiniLM()"))
        assert both.items == (b, c, a)
        assert both.scale == "MiniLM()"

    def test_a_union_is_as_confident_as_the_evidence_of_its_first_item(self, graph: Graph) -> None:
        a, b, c = (path.with_score(score) for path, score in zip(self.three(graph), (0.5, 0.9, 0.7), strict=True))
        unsure, sure = Evidence((c, a), scale="s", confidence=0.2), Evidence((b,), scale="s", confidence=0.8)
        assert unsure.union(sure).confidence == sure.union(unsure).confidence == 0.8
        assert unsure.union(Evidence((b,), scale="s")).confidence is None
        assert unsure.union(Evidence()).confidence == 0.2

    def test_union_with_nothing(self, graph: Graph) -> None:
        some = Evidence((walk(graph, (KENYA, "capital", NAIROBI, True)),))
        assert some.union(Evidence()) == Evidence().union(some) == some
        assert len(Evidence()) == 0


def test_an_answer_is_empty_by_default() -> None:
    assert Answer() == Answer((), (), Evidence(), (), None)


def test_the_texts_of_evidence_are_those_of_its_items(tmp_path: Folder) -> None:
    records = [
        *TINY,
        EntityRecord("Uganda", label=""),
        RelationRecord("capital", label=""),
        ("Kenya", "r", "Kenya shore"),
    ]
    graph = build(records, tmp_path / "odd.graph")
    query = Query("?", seeds=(graph.entity("Uganda"), graph.entity("Nairobi")))
    for stage in (ShortestPaths(), AllPaths(max_hops=3)):
        evidence = stage.retrieve(query, Subgraph(graph))
        by_itself = [Path(graph, item.nodes, item.triples, item.forward).text for item in evidence.paths]
        assert evidence.texts() == [item.text for item in evidence.paths] == by_itself
        some = Evidence((*evidence.items[::-3], Report(graph, (0,), "a report")))  # without the beginnings of most
        assert some.texts() == [item.text for item in some.items]


def test_a_subgraph_of_nodes_without_triples_is_refused(graph: Graph) -> None:
    with pytest.raises(ValueError, match="both nodes and triples"):
        Subgraph(graph, np.array([0], dtype=np.int32))
