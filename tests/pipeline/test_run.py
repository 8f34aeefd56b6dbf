"""Runs: their level, their counts, and what they are as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from graphbrick import Answer, Citation, Evidence, KHop, Passage, PathAnswer, Query, Row, ShortestPaths, Subgraph
from graphbrick.core.query import Mention
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline.run import Level, Run, Stop, current_graph, on_graph
from graphbrick.testing import tiny_graph

KENYA, SHILLING, NAIROBI = range(3)


@pytest.fixture
def graph() -> Graph:
    return tiny_graph()


def test_the_level_is_the_last_thing_that_a_run_holds(graph: Graph) -> None:
    run = Run(graph, Query("?", (KENYA, NAIROBI)))
    levels = [run]
    levels.append(replace(run, subgraph=Subgraph(graph)))
    levels.append(replace(levels[-1], evidence=Evidence((Passage("x"),))))
    levels.append(replace(levels[-1], answer=Answer(("a", "b"), (None, None))))
    assert [one.level for one in levels] == list(Level)
    counts = [{"seeds": 2}, {"nodes": 8, "triples": 10}, {"paths": 0, "passages": 1}, {"answers": 2}]
    assert [one.counts(one.level) for one in levels] == counts
    assert [levels[-1].counts(level) for level in Level] == counts
    assert [run.counts(level) for level in Level] == [{"seeds": 2}] * 4
    assert (run.linked, run.stopped, run.trace.stages) == (False, None, [])


def test_a_run_that_is_stopped_again_keeps_its_reason(graph: Graph) -> None:
    run = Run(graph, Query("?")).stop("too slow", "PPR()").stop("too dear", "PathAnswer()")
    assert run.stopped == Stop("too slow", ("PPR()", "PathAnswer()"))
    assert str(run.stopped) == "too slow; left undone: PPR(), PathAnswer()"


def test_the_current_graph_is_that_of_the_inner_block(graph: Graph) -> None:
    assert current_graph() is None
    with on_graph(graph):
        with on_graph(None):
            assert current_graph() is None
        assert current_graph() is graph
    assert current_graph() is None


def test_a_run_as_json(graph: Graph) -> None:
    place = Citation("atlas.txt", 0, 7)
    items = (
        *ShortestPaths().retrieve(Query("?", (KENYA,)), Subgraph(graph)).items[:1],
        Row(("capital",), ("Nairobi",), (Citation(query="MATCH"),), (NAIROBI,), graph, 0.5, "Q()"),
        Passage("Nairobi", (place,)),
    )
    query = Query("Kenia?", (KENYA, NAIROBI), mentions=(Mention("Kenia", KENYA, 0.9, (SHILLING,)),))
    answer = Answer(("Nairobi", "x"), (NAIROBI, None), Evidence(items), ((0, 1), ()), confidence=0.7)
    run = Run(graph, query, True, Subgraph(graph), Evidence(items), answer).stop("slow", "PPR()")
    told = json.loads(json.dumps(run.to_dict()))
    assert (told["question"], told["level"], told["subgraph"]) == ("Kenia?", "answer", {"nodes": 8, "triples": 10})
    assert told["graph"] == {"path": str(graph.path), "hash": graph.hash}
    assert told["seeds"] == [
        {"key": "Kenya", "label": "Kenya", "text": graph.describe(KENYA), "mention": "Kenia", "score": 0.9,
         "others": ["Kenyan shilling"]},
        {"key": "Nairobi", "label": "Nairobi", "text": graph.describe(NAIROBI)},
    ]  # fmt: skip
    assert told["answers"] == [
        {"text": "Nairobi", "key": "Nairobi", "support": [0, 1]},
        {"text": "x", "key": None, "support": []},
    ]
    assert (told["from_model"], told["confidence"], told["withheld"]) == (False, 0.7, None)
    assert told["stopped"] == {"reason": "slow", "undone": ["PPR()"]}
    assert told["support"] == told["evidence"]
    path, row, passage = told["evidence"]
    head, relation, tail = graph.triple(items[0].triples[0])  # type: ignore[attr-defined]
    assert path == {
        "text": items[0].text, "score": items[0].score, "source": "ShortestPaths()", "forward": [True],
        "triples": [[graph.key(head), graph.relation_key(relation), graph.key(tail)]],
    }  # fmt: skip
    assert (row["kind"], row["entities"], row["columns"], row["values"]) == (
        "row",
        ["Nairobi"],
        ["capital"],
        ["Nairobi"],
    )
    assert (row["score"], row["source"], row["citations"][0]["query"]) == (0.5, "Q()", "MATCH")
    assert "entities" not in passage
    assert passage["citations"] == [{"document": "atlas.txt", "start": 0, "end": 7, "query": "", "section": ""}]


def test_a_run_without_results_as_json(graph: Graph) -> None:
    told = Run(graph, Query("?")).to_dict()
    assert (told["level"], told["subgraph"], told["evidence"], told["stopped"]) == ("query", None, None, None)
    assert (told["answers"], told["support"], told["seeds"]) == ([], [], [])
    whole = Run(graph, Query("?"), answer=Answer(("x",), (None,), withheld="Kenya -> *", from_model=True)).to_dict()
    assert (whole["withheld"], whole["from_model"], whole["answers"][0]["support"]) == ("Kenya -> *", True, [])


def test_the_place_of_a_database_is_its_address() -> None:
    class Remote:
        origin = "bolt://localhost"
        hash = "never read"

    class Unnamed:
        def __repr__(self) -> str:
            return "Unnamed()"

    assert Run(Remote(), Query("?")).to_dict()["graph"] == {"path": "bolt://localhost", "hash": ""}  # type: ignore[arg-type]
    assert Run(Unnamed(), Query("?")).to_dict()["graph"] == {"path": "Unnamed()", "hash": ""}  # type: ignore[arg-type]


def test_a_pipeline_gives_a_run_or_an_answer(graph: Graph) -> None:
    pipeline = KHop() >> ShortestPaths() >> PathAnswer()
    run, answer = pipeline.run(graph, "Kenya?"), pipeline(graph, "Kenya?")
    assert run.answer is not None
    assert run.answer.texts == answer.texts
    assert (run.answer.trace, answer.trace is not None) == (None, True)
