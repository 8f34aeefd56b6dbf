"""Searching entities by sentences made from their names, types and properties."""

from __future__ import annotations

import datetime
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from commands import Run
from faults import fails

from graphbrick import LLM, Graph, MiniLM, PathAnswer, Query, Sentences, Subgraph, build, change, recipe
from graphbrick.bricks.agents.agent_tool import AdviceError, Observation
from graphbrick.bricks.agents.tools.sentences import search_sentences
from graphbrick.bricks.agents.workspace import Workspace
from graphbrick.bricks.extract.vector_neighbors import VectorNeighbors
from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.language.folding import search_words
from graphbrick.models.indexes import sentences as sentence_module
from graphbrick.models.indexes.sentence_search import SentenceSearch, vectors_of
from graphbrick.models.indexes.sentences import build_words, sentence_of, words_of, words_place
from graphbrick.models.vectors.store import store_of
from graphbrick.testing import NeighboursOnly, Reply, ScriptedLLM

NODES = [
    EntityRecord("K1", "Blue Kettle", types=("product",), properties={"price": 24.5, "colour": "blue", "litres": 2}),
    EntityRecord("K2", "Red Kettle", types=("product",), properties={"price": 39.0, "colour": "red"}),
    EntityRecord("K3", "Old Teapot", types=("antique", "product"), properties={"colour": "blue", "year": 1890}),
    EntityRecord("F1", "Brew & Sons", types=("maker",), properties={"founded": datetime.date(1950, 3, 1)}),
    EntityRecord("F2", "Pottery House", aliases=("PH",), types=("maker",), description="It makes blue pottery."),
    EntityRecord("X", "Leeds"),
    EntityRecord("Y", "Loose", properties={"note_text": "a thing without a type"}),
]
EDGES = [EdgeRecord("K1", "made by", "F1"), EdgeRecord("K3", "made by", "F2"), EdgeRecord("F1", "lies in", "X")]


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with Session():
        yield build([*NODES, *EDGES], tmp_path / "shop.graph")


def keys(graph: Graph, entities: object) -> list[str]:
    return [graph.key(int(one)) for one in entities]  # type: ignore[attr-defined]


def asked(graph: Graph, stage: Sentences, text: str) -> list[str]:
    return keys(graph, (item.entities[0] for item in stage.retrieve(Query(text), Subgraph(graph)).items))


def test_a_sentence_says_name_type_properties_other_names_and_description(graph: Graph) -> None:
    told = {graph.key(one): sentence_of(graph, one) for one in range(graph.n_entities)}
    assert told == {
        "K1": "Blue Kettle is a product with price 24.5, colour blue, litres 2",
        "K2": "Red Kettle is a product with price 39, colour red",
        "K3": "Old Teapot is an antique and product with colour blue, year 1890",
        "F1": "Brew & Sons is a maker with founded 1950-03-01",
        "F2": "Pottery House is a maker (also called PH). It makes blue pottery.",
        "X": "Leeds",
        "Y": "Loose has note text a thing without a type",
    }


def lucene_bm25(texts: list[str], query: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """BM25 as Lucene defines it, by its formula."""
    rows = [Counter(search_words(text)) for text in texts]
    mean = sum(row.total() for row in rows) / len(rows)
    scores = [0.0] * len(rows)
    for word in set(search_words(query)):
        having = sum(word in row for row in rows)
        idf = math.log(1 + (len(rows) - having + 0.5) / (having + 0.5))
        for i, row in enumerate(rows):
            scores[i] += idf * row[word] / (row[word] + k1 * (1 - b + b * row.total() / mean))
    return scores


@pytest.mark.parametrize("question", ["blue", "a blue kettle", "price of pottery", "1890", "nothing fits here"])
def test_words_rank_by_bm25_of_the_sentences(graph: Graph, question: str) -> None:
    texts = [sentence_of(graph, one) for one in range(graph.n_entities)]
    expected = lucene_bm25(texts, question)
    matches = SentenceSearch(graph, words_of(graph), None).matches(question, 99)
    assert {match.entity for match in matches} == {i for i, score in enumerate(expected) if score > 0}
    for match in matches:
        assert match.score == pytest.approx(expected[match.entity], rel=1e-4)
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)


@pytest.mark.whole
def test_meaning_ranks_by_cosine_of_the_sentences(graph: Graph) -> None:
    pytest.importorskip("faiss")
    embedder, question = MiniLM(), "ceramic from the nineteenth century"
    texts = [sentence_of(graph, one) for one in range(graph.n_entities)]
    cosines = embedder.encode(texts).astype(np.float32) @ embedder.encode_query(question)
    matches = SentenceSearch(graph, None, vectors_of(graph, embedder)).matches(question, 99)
    assert [match.entity for match in matches] == np.argsort(-cosines).tolist()
    np.testing.assert_allclose([match.score for match in matches], np.sort(cosines)[::-1], atol=2e-3)
    assert graph.key(matches[0].entity) in ("K3", "F2")  # no word in common with either


@pytest.mark.whole
def test_both_together_are_a_fusion_of_ranks(graph: Graph) -> None:
    pytest.importorskip("faiss")
    question, words, vectors = "blue antique pot", words_of(graph), vectors_of(graph, MiniLM())
    rankings = [SentenceSearch(graph, *pair).matches(question, 99) for pair in ((words, None), (None, vectors))]
    expected: Counter[int] = Counter()
    for ranking in rankings:
        for rank, match in enumerate(ranking, 1):
            expected[match.entity] += 1 / (60 + rank)  # type: ignore[assignment]
    matches = SentenceSearch(graph, words, vectors).matches(question, 3)
    best = sorted(expected, key=lambda one: (-expected[one], one))[:3]
    assert [match.entity for match in matches] == best
    assert [match.score for match in matches] == pytest.approx([expected[one] for one in best])


@pytest.mark.whole
def test_a_type_filters_before_the_best_are_taken(graph: Graph) -> None:
    pytest.importorskip("faiss")
    assert asked(graph, Sentences(of_type="Maker", n=1), "blue") == ["F2"]  # three products are bluer
    assert asked(graph, Sentences(MiniLM(), words=False, of_type="maker", n=1), "blue kettle, price 24.5") != []
    both = asked(graph, Sentences(MiniLM(), of_type="product"), "blue kettle")
    assert set(both) == {"K1", "K2", "K3"}
    assert both[0] == "K1"
    assert asked(graph, Sentences(of_type="robot"), "blue") == []


def test_only_entities_of_the_subgraph(graph: Graph) -> None:
    nodes = np.array(sorted([graph.entity("K2"), graph.entity("F2")]), dtype=np.int32)
    part = Subgraph(graph, nodes, np.zeros(0, dtype=np.int32))
    evidence = Sentences().retrieve(Query("blue kettle"), part)
    assert {graph.key(item.entities[0]) for item in evidence.items} == {"K2", "F2"}


def test_vector_neighbors_may_start_from_sentences(graph: Graph) -> None:
    pytest.importorskip("faiss")
    query = Query("It was made in 1890", seeds=())
    nodes = VectorNeighbors(n=1, unit="sentence", max_hops=0).extract(graph, query).nodes
    assert keys(graph, nodes) == ["K3"]


@pytest.mark.whole
def test_a_change_of_a_property_is_noticed_and_only_new_sentences_are_embedded(graph: Graph) -> None:
    pytest.importorskip("faiss")
    stage = Sentences(MiniLM(), n=1)
    assert asked(graph, stage, "colour red") == ["K2"]
    store_of(graph).flush()
    changed = change(graph.path, add=[EntityRecord("K1", properties={"colour": "crimson red red"})]).graph
    sentence = sentence_of(changed, changed.entity("K1"))
    assert "crimson" in sentence
    every = [sentence_of(changed, one) for one in range(changed.n_entities)]
    assert store_of(changed).missing(MiniLM(), every) == [sentence]  # vectors are kept by the text
    with Session(), record(Trace(), "stage", "retrieve") as entry:
        assert asked(changed, Sentences(n=1), "crimson") == ["K1"]
        assert [getattr(event, "code", "") for event in entry.events] == ["sentences.made"]


def test_a_large_graph_needs_the_command_first(graph: Graph, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_module, "_IN_PASSING", 3)
    with Session(), fails("sentences.missing", GraphbrickError, command=f"graphbrick prepare sentences {graph.path}"):
        asked(graph, Sentences(), "blue")
    assert json.loads(run("prepare", "sentences", graph.path, "--words", "--json").out)["sentences"] == 7
    with Session():
        assert asked(graph, Sentences(n=1), "red") == ["K2"]
    changed = change(graph.path, add=[("K1", "made by", "F2")]).graph
    with Session(), fails("sentences.missing"):  # it is of another version
        asked(changed, Sentences(), "blue")


def test_a_damaged_index_is_made_again(graph: Graph) -> None:
    build_words(graph)
    for file in words_place(graph).folder.glob("*.npy"):
        file.write_bytes(file.read_bytes()[:-4])
    with Session(), record(Trace(), "stage", "retrieve") as entry:
        assert asked(graph, Sentences(n=1), "red") == ["K2"]
    assert [getattr(event, "code", "") for event in entry.events] == ["sentences.made"]


def test_a_search_without_words_needs_an_embedder() -> None:
    with fails("parameter.not_allowed", PipelineError, name="words"):
        Sentences(words=False)


# The tool of agents, and E3


def call(graph: Graph, **given: object) -> tuple[Observation, list[str]]:
    trace = Trace()
    with record(trace, "search_sentences", "tool"):
        observation: Observation = search_sentences.function(Workspace("?", Subgraph(graph)), **given)
    return observation, trace.event_codes


def test_the_tool_finds_nodes_by_their_properties(graph: Graph) -> None:
    observation, codes = call(graph, text="blue with a price", of_type="product", n=2)
    assert keys(graph, observation.nodes)[0] == "K1"
    assert observation.text.startswith("[K1] Blue Kettle is a product with price 24.5, colour blue, litres 2\n")
    assert [item.kind for item in observation.items] == ["point", "point"]
    assert codes == ["sentences.made", "search_sentences.by_words"], codes


@pytest.mark.whole
def test_the_tool_searches_by_meaning_where_that_is_indexed(graph: Graph, run: Run) -> None:
    pytest.importorskip("faiss")
    with pytest.raises(AdviceError, match="try other words"):
        call(graph, text="ceramics")
    assert run("prepare", "sentences", graph.path).code == 0
    with Session():
        observation, codes = call(graph, text="ceramics", n=2)
    assert set(keys(graph, observation.nodes)) == {"F2", "K3"}
    assert codes == []


def test_an_unknown_type_is_told_with_those_that_there_are(graph: Graph) -> None:
    with fails("search_sentences.no_type", AdviceError) as caught:
        call(graph, text="blue", of_type="prodct")
    assert "did you mean product" in str(caught.value)
    assert "antique" in str(caught.value)


def test_a_graph_without_a_folder_is_searched_by_name() -> None:
    database = NeighboursOnly([("Kenya", "capital", "Nairobi")])
    observation, codes = call(database, text="Kenya")  # type: ignore[arg-type]
    assert observation.text == "Kenya"
    assert codes == ["search_sentences.by_name"]


def test_e3_begins_with_a_search_over_sentences(graph: Graph) -> None:
    def calls(name: str, **given: object) -> Reply:
        return Reply(tool_calls=[(name, json.dumps(given))], finish_reason="tool_calls")

    script = [
        calls("neighbours_by_relation", entity="Old Teapot", relation="made by"),  # not yet: the search is first
        calls("search_sentences", text="blue from 1890", of_type="product", n=1),
        calls("neighbours_by_relation", entity="L1", relation="made by"),
        calls("finish", nodes=["L2"]),
        "Pottery House",
    ]
    with ScriptedLLM(script) as server:
        pipeline = recipe("E3").pipeline(llm=repr(LLM(base_url=server.base_url)))
        run = pipeline.run(graph, "Who made the blue thing of 1890?")
    assert run.answer is not None
    assert run.answer.texts == ("Pottery House",)
    assert run.evidence is not None
    assert "Old Teapot -> made by -> Pottery House" in run.evidence.texts()[0]
    assert any("Old Teapot is an antique and product" in text for text in run.evidence.texts())
    assert PathAnswer().generate(run.query, run.evidence).texts == ("Pottery House",)
