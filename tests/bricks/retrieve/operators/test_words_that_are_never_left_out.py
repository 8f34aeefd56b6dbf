"""Words that change what is asked: «official» of triples, «their own», «total», and a second question."""

from __future__ import annotations

from pathlib import Path

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "nodes_country": "id,label,name,total_area\nc1,Country,Avia,10\nc2,Country,Bovia,20\nc3,Country,Cavia,30\n",
    "nodes_region": "id,label,name\nr1,Region,North\nr2,Region,South\n",
    "nodes_language": "id,label,name\nl1,Language,Avic\nl2,Language,Bovic\nl3,Language,Cavic\nl4,Language,Davic\n",
    "nodes_currency": "id,label,name\nm1,Currency,Crown\nm2,Currency,Pound\n",
    "edges_speaks": "start,end,type,status\nc1,l1,SPEAKS,official\nc1,l2,SPEAKS,minor\nc1,l3,SPEAKS,minor\n"
    "c1,l4,SPEAKS,minor\nc2,l2,SPEAKS,official\nc2,l1,SPEAKS,official\nc3,l3,SPEAKS,official\n",
    "edges_uses": "start,end,type\nc1,m1,USES\nc2,m1,USES\n",
    "edges_lies": "start,end,type\nc1,r1,LIES_IN\nc2,r1,LIES_IN\nc3,r2,LIES_IN\n",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("world"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which country has the most official languages?", {"Bovia"}),
        ("Which country has the most languages?", {"Avia"}),
        ("total area of countries in North", {"30"}),
        ("How many countries are there per region?", {"North: 2", "South: 1"}),
    ],
)
def test_the_word_changes_the_answer(world: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(world)(world, question).texts) == answers


@pytest.mark.parametrize(
    "question",
    [
        "Which countries do not use their own currency?",
        "Which currency does Avia use and who prints it?",
        "What is the combined crown of Avia?",
        "large countries in North",
        "real countries",
        "countries in North on time",
        "countries in North each year",
        "Which countries in North the least?",
    ],
)
def test_a_question_with_a_word_that_is_not_read_is_refused(world: Graph, question: str) -> None:
    assert default_pipeline(world)(world, question).texts == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which main languages does Bovia speak?", {"Avic", "Bovic"}),
        ("What is the main language of Cavia?", {"Cavic"}),
        ("the principal currencies of Avia", {"Crown"}),
    ],
)
def test_which_are_the_main_ones_is_said_to_be_unknown(world: Graph, question: str, answers: set[str]) -> None:
    run = default_pipeline(world).run(world, question)
    assert run.answer is not None
    assert set(run.answer.texts) == answers
    assert (run.answer.confidence or 1.0) <= 0.5
    assert any("does not say which" in event for event in run.trace.events)


def test_the_word_main_stays_where_the_graph_has_it(tmp_path: Path) -> None:
    edges = "start,end,type,status\nc1,l1,SPEAKS,main\nc1,l2,SPEAKS,minor\n"
    graph = built_from_tables(tmp_path, TABLES | {"edges_speaks": edges})
    assert default_pipeline(graph)(graph, "Which main languages does Avia speak?").texts in ((), ("Avic",))


@pytest.fixture(scope="module")
def triples_alone(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """A graph without a property, in which a relation is called «description»."""
    rows = [("Paella", "ingredients", "rice"), ("Paella", "ingredients", "saffron"), ("Soup", "ingredients", "water")]
    rows += [("Paella", "description", "a dish of rice"), ("Paella", "description", "from Valencia")]
    folder = tmp_path_factory.mktemp("alone") / "alone.graph"
    build(rows, folder)
    return Graph.open(folder)


@pytest.mark.parametrize("word", ["first", "last", "latest", "earliest"])
def test_an_order_that_nothing_tells_is_not_left_out(triples_alone: Graph, word: str) -> None:
    run = default_pipeline(triples_alone).run(triples_alone, f"What is the {word} ingredient of Paella?")
    assert run.answer is not None
    assert run.answer.texts == ()
    assert any(f"'{word}'" in event for event in run.trace.events)


def test_a_relation_called_description_is_one(triples_alone: Graph) -> None:
    answer = default_pipeline(triples_alone)(triples_alone, "What is the description of Paella?")
    assert set(answer.texts) == {"a dish of rice", "from Valencia"}
