"""Runs as JSON: which names and which part of the graph they have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphbrick import Answer, Evidence, KHop, PathAnswer, ShortestPaths, Subgraph
from graphbrick.core import Mention, Query
from graphbrick.pipeline import run_json as module
from graphbrick.pipeline.run import Run
from graphbrick.pipeline.run_json import run_json
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
PIPELINE = KHop(max_hops=1) >> ShortestPaths(max_hops=1) >> PathAnswer()


@pytest.fixture
def run() -> Run:
    return PIPELINE.run(GRAPH, "What is the capital of Kenya?", seeds=["Kenya"])


def test_a_run_has_the_names_of_all_that_it_speaks_of(run: Run) -> None:
    data = run_json(run, PIPELINE)
    assert data["pipeline"] == repr(PIPELINE)
    assert "Kenya" in data["entities"]
    assert set(data["relations"].values()) <= {"capital", "borders", "currency", "continent", "official language"}
    assert "nodes" not in data


def test_the_seeds_other_meanings_and_answers_have_names_without_evidence(run: Run) -> None:
    kenya, uganda, rwanda = (GRAPH.entity(name) for name in ("Kenya", "Uganda", "Rwanda"))
    mention = Mention("Kenya", kenya, others=(uganda,))
    query = Query("?", seeds=(kenya,), mentions=(mention,))
    answer = Answer(("Rwanda", "a word"), (rwanda, None))
    bare = replace(run, query=query, answer=answer, evidence=Evidence())
    names = {"Kenya": "Kenya", "Uganda": "Uganda", "Rwanda": "Rwanda"}
    assert {key: named["label"] for key, named in run_json(bare, PIPELINE)["entities"].items()} == names
    assert run_json(replace(bare, answer=None), PIPELINE)["entities"].keys() == {"Kenya", "Uganda"}


def test_a_subgraph_is_sent_with_its_names(run: Run) -> None:
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    data = run_json(run, PIPELINE, subgraph=True)
    assert data["nodes"] == [GRAPH.key(node) for node in run.subgraph.nodes.tolist()]
    assert set(data["nodes"]) <= data["entities"].keys()
    assert {relation for _, relation, _ in data["triples"]} <= data["relations"].keys()
    assert len(data["triples"]) == run.subgraph.n_triples
    assert not data["subgraph_cut"]


@pytest.mark.parametrize("name", ["MOST_NODES", "MOST_TRIPLES"])
def test_a_large_subgraph_is_cut(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, name, 2)
    data = run_json(run, PIPELINE, subgraph=True)
    assert data["subgraph_cut"]
    assert len(data["nodes" if name == "MOST_NODES" else "triples"]) <= 2


def test_the_whole_graph_is_not_sent(run: Run) -> None:
    nothing = {"nodes": [], "triples": [], "subgraph_cut": True}
    data = run_json(replace(run, subgraph=Subgraph(GRAPH)), PIPELINE, subgraph=True)
    assert {name: data[name] for name in nothing} == nothing
    assert "nodes" not in run_json(replace(run, subgraph=None), PIPELINE, subgraph=True)
