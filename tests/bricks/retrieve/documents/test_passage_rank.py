"""PassageRank: the walk over facts, entities and passages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from faults import told
from overlap import Overlap

from graphbrick import ByTokens, FromFile, PassageRank, Query, Subgraph, index
from graphbrick.bricks.retrieve.documents.passage_graph import PassageGraph, synonym_pairs
from graphbrick.bricks.retrieve.documents.passage_links import continuing, documents_a_passage, title_entities
from graphbrick.bricks.retrieve.documents.passage_rank import named_in
from graphbrick.bricks.retrieve.documents.passage_search import best, fused, standardised, word_parts, word_scores
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import check_brick


@dataclass(frozen=True, repr=False)
class Winter(Scorer):
    """Prefers what speaks of snow."""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([float("snow" in text) for text in texts])


DOCUMENTS = {
    "Ada Okoth": ("She wrote The Long Rain and three other books.", [("Ada Okoth", "wrote", "The Long Rain")]),
    "The Long Rain": ("It plays in Kisumu, and is much read.", [("The Long Rain", "plays in", "Kisumu")]),
    "Kisumu": ("A port on a lake with many boats.", [("Kisumu", "lies on", "Lake Victoria")]),
    "Lima": ("A town by the sea that has many boats too.", [("Lima", "lies by", "sea")]),
    "Oslo": ("In winter there is snow, in summer none.", [("Oslo", "has", "snow")]),
}


@pytest.fixture
def graph(tmp_path: Path) -> TextGraph:
    rows = [{"title": title, "text": text, "triples": triples} for title, (text, triples) in DOCUMENTS.items()]
    file = tmp_path / "d.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return index([file], tmp_path / "books.graph", extractor=FromFile(str(file))).graph


def titles(graph: TextGraph, brick: PassageRank, question: str) -> list[str]:
    items = brick.retrieve(Query(question), Subgraph(graph)).items
    starts = {graph.passage(i).start: i for i in range(graph.n_passages)}
    assert all(item.citations[0].start in starts for item in items)
    by_text = {text: title for title, (text, _) in DOCUMENTS.items()}
    return [by_text[item.text] for item in items]


def test_keeps_the_contract() -> None:
    check_brick(PassageRank(Overlap(), n=2), installed=False)


def test_a_walk_finds_passages_without_a_word_of_the_question(graph: TextGraph) -> None:
    question = "Which water borders the place where the book that Ada Okoth wrote plays?"
    walk = PassageRank(Overlap(), n=3, facts=0, names=0, passages=0.01, titles=1.0, links=0)
    by_fact, by_name = replace(walk, facts=1), replace(walk, names=1.0)
    for brick in (by_fact, by_name):
        assert titles(graph, brick, question) == ["Ada Okoth", "The Long Rain", "Kisumu"]


def test_nothing_to_start_from_is_an_event(graph: TextGraph) -> None:
    with record(Trace(), "test", "retrieve") as entry:
        found = titles(graph, PassageRank(Overlap(), n=1, facts=0), "many boats in a port")
    assert found == ["Kisumu"]
    assert told(entry.events)[0] == ("passage_rank.no_start", {})


def test_a_filter_chooses_the_facts(graph: TextGraph) -> None:
    filtered = PassageRank(Overlap(), n=1, facts=1, names=0, filter=Winter(), passages=0.001, synonyms=None)
    assert titles(graph, filtered, "Where does The Long Rain play?") == ["Oslo"]


def test_names_in_a_question(graph: TextGraph) -> None:
    def labels(question: str) -> list[str]:
        return [graph.label(entity) for entity in named_in(graph, question)]

    assert labels("Does the long rain of ADA OKOTH name Lake Victoria?") == [
        "The Long Rain",
        "Ada Okoth",
        "Lake Victoria",
    ]
    assert labels("") == labels("nothing here") == []


@pytest.mark.parametrize("seed", range(3))
def test_the_walk_equals_networkx(seed: int) -> None:
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 12, (2, 20))
    one, other = one[one != other], other[one != other]
    weight = random.uniform(0.1, 2, len(one))
    reset = random.uniform(0, 1, 14)  # nodes 12 and 13 have no edge
    expected_graph = networkx.Graph()
    expected_graph.add_nodes_from(range(14))
    for a, b, w in zip(one.tolist(), other.tolist(), weight.tolist(), strict=True):
        before = expected_graph.edges[a, b]["weight"] if expected_graph.has_edge(a, b) else 0.0
        expected_graph.add_edge(a, b, weight=before + w)
    start = dict(enumerate(reset.tolist()))
    expected = networkx.pagerank(expected_graph, 0.6, start, dangling=start, tol=1e-10, max_iter=500)
    scores = PassageGraph(14, one, other, weight).walk(reset, 0.4)
    assert np.abs(scores - [expected[i] for i in range(14)]).sum() < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_the_best_equal_a_stable_sort(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(0, 40, 300) / 7 - 2  # with many ties
    scores[random.integers(0, 300, 20)] = -np.inf
    for n in (1, 10, 100, 299, 300, 400):
        assert best(scores, n) == sorted(range(300), key=lambda i: (-scores[i], i))[:n]
    top = np.sort(scores)[-100:]
    assert (standardised(scores) == (scores - top.mean()) / top.std()).all()
    assert best(np.zeros(0), 5) == []


def test_synonyms(graph: TextGraph) -> None:
    one, other, cosine = synonym_pairs(graph, Overlap(), 0.3)
    labels = [graph.label(entity) for entity in range(graph.n_entities)]
    vectors = Overlap().embed(labels).astype(np.float32)
    expected = {
        (i, j)
        for i in range(len(labels))
        for j in range(i + 1, len(labels))
        if vectors[i] @ vectors[j] >= 0.3
        and min(sum(map(str.isalnum, labels[i])), sum(map(str.isalnum, labels[j]))) > 2
    }
    assert set(zip(one.tolist(), other.tolist(), strict=True)) == expected
    assert (cosine >= 0.3).all()
    assert len(synonym_pairs(graph, Overlap(), None)[0]) == 0


def test_fused_ranks() -> None:
    scores = fused([np.array([3.0, 2.0, 2.0]), np.array([0.0, 5.0, 1.0])])
    np.testing.assert_allclose(scores, [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 62 + 1 / 62])


def test_title_entities(graph: TextGraph) -> None:
    labels = [graph.label(int(entity)) for entity in title_entities(graph)]
    assert labels == [graph.passage(passage).title for passage in range(graph.n_passages)]


def test_a_passage_that_continues_the_best_one_rises(graph: TextGraph) -> None:
    question = "Which port with many boats is the scene of The Long Rain?"
    without = PassageRank(Overlap(), n=5, facts=0, links=0)
    assert titles(graph, without, question).index("Kisumu") == 3
    assert set(titles(graph, replace(without, links=1.0), question)[:2]) == {"The Long Rain", "Kisumu"}


@pytest.mark.parametrize("seed", range(3))
def test_continuing_equals_its_definition(graph: TextGraph, seed: int) -> None:
    random = np.random.default_rng(seed)
    question = "Who wrote the book with boats that plays in a town with snow?"
    n = graph.n_passages
    scores, nearness = random.uniform(0, 1, n), random.uniform(-0.2, 1, n)
    begin, mentions = graph.mentions
    of = [set(mentions[begin[p] : begin[p + 1]].tolist()) for p in range(n)]
    parts, titled = word_parts(graph, question), title_entities(graph)
    documents = [graph.passage(p).document for p in range(n)]
    size = [documents.count(document) for document in documents]

    def value(first: int, second: int) -> float:
        shared = of[first] & of[second]
        rarity = {e: np.log(n / sum(e in row for row in of)) / np.log(n) for e in shared}
        link = max((rarity[e] * (4.0 if titled[second] == e else 1.0) for e in shared), default=0.0) / size[second]
        left = [sum(row[p] for row in parts if row[first] == 0) for p in range(n)]
        share = left[second] / max(left) if max(left) else 0.0
        return float(scores[first] * link * (share + max(0.0, nearness[second]) / nearness.max()) / 2)

    expected = [max(value(first, second) for first in range(n) if first != second) for second in range(n)]
    assert max(expected) > 0
    np.testing.assert_allclose(continuing(graph, question, scores, nearness, 4.0), expected)


def test_passages_of_a_long_document_continue_less(tmp_path: Path) -> None:
    def continued(name: str, more: list[str]) -> float:
        texts = {
            "Ada Okoth": ["Ada Okoth lives in Kisumu."],
            "Kisumu": ["Kisumu is a port.", *more],
            "Lima": ["It is dry."],
        }
        rows = [(title, "\n\n".join(parts)) for title, parts in texts.items()]
        folder = tmp_path / name
        folder.mkdir()
        for title, text in rows:
            (folder / f"{title}.txt").write_text(text)
        graph = index([folder], tmp_path / f"{name}.graph", chunker=ByTokens(n=6, overlap=0)).graph
        first, second = (
            next(i for i in range(graph.n_passages) if graph.passage(i).text.startswith(words))
            for words in ("Ada", "Kisumu is")
        )
        scores = (np.arange(graph.n_passages) == first).astype(np.float64)
        return float(continuing(graph, "Which port?", scores, np.ones(graph.n_passages), 4.0)[second])

    assert continued("short", []) > 2 * continued("long", ["It has a pier.", "It has a fair.", "It has a fort."]) >= 0


def test_the_walk_is_one_voice_among_words_and_meaning(graph: TextGraph) -> None:
    brick = PassageRank(Overlap(), n=5, facts=0, walk=1.0, links=0)
    scores = [item.score for item in brick.retrieve(Query("many boats in a port"), Subgraph(graph)).items]
    assert scores[0] == 1.0
    assert scores[-1] == 0.0
    assert titles(graph, brick, "many boats in a port")[0] == "Kisumu"
    question = "Which boats are in the place where The Long Rain plays?"
    alone = titles(graph, replace(brick, walk=None), question)
    assert alone[0] == "The Long Rain"
    assert set(titles(graph, replace(brick, walk=1e9), question)[:2]) == set(alone[:2])


def test_the_walk_weighs_as_where_every_document_is_one_passage(graph: TextGraph) -> None:
    assert documents_a_passage(graph) == 1
    question = "Which boats are in the place where The Long Rain plays?"

    def scores(brick: PassageRank) -> list[tuple[str, float]]:
        return [(item.text, item.score) for item in brick.retrieve(Query(question), Subgraph(graph)).items]

    brick = PassageRank(Overlap(), n=5, facts=0, walk=0.25, links=0)
    assert scores(replace(brick, short=1e9)) == scores(replace(brick, walk=1e9)) != scores(brick)


def test_the_weight_of_the_walk_is_mixed_by_the_documents_a_passage(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / "a.txt").write_text("Ada Okoth lives in Kisumu.\n\nIt has a pier here.\n\nIt has a fort here.")
    (folder / "b.txt").write_text("Lima has boats.")
    graph = index([folder], tmp_path / "d.graph", chunker=ByTokens(n=6, overlap=0)).graph
    assert graph.n_passages == 4
    assert documents_a_passage(graph) == 0.5

    def scores(brick: PassageRank) -> list[float]:
        return [item.score for item in brick.retrieve(Query("Where does Ada Okoth live?"), Subgraph(graph)).items]

    brick = PassageRank(Overlap(), n=4, facts=0, walk=1.0, links=0)
    assert scores(replace(brick, short=4.0)) == pytest.approx(scores(replace(brick, walk=2.5)))
    assert scores(replace(brick, short=4.0)) != pytest.approx(scores(brick))


def test_standardised_scores() -> None:
    scores = standardised(np.arange(300.0))
    assert scores[200:].mean() == pytest.approx(0)
    assert scores[200:].std() == pytest.approx(1)
    assert not standardised(np.ones(3)).any()
    assert not len(standardised(np.zeros(0)))


def test_the_parts_of_words_add_up_to_the_score(graph: TextGraph) -> None:
    question = "many boats, snow"
    np.testing.assert_allclose(word_parts(graph, question).sum(axis=0), word_scores(graph, question), rtol=1e-6)
    assert word_parts(graph, "xyzzy").shape == (0, graph.n_passages)
