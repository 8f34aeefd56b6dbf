"""Questions for a property of one entity in other words than those of its name."""

from __future__ import annotations

import pytest
from built_graphs import built_from_nodes_and_edges

from graphbrick import MiniLM
from graphbrick.bricks.retrieve.operators.unordered.own_property import _nearest
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

NODES = {
    "model": "id,label,name,limit_context,knowledge_cutoff,open_weights\n"
    "m1,Model,Kimi,262144,2024-08-01,true\nm2,Model,Mercury,128000,2025-01-01,false\n",
    "country": "id,label,name,name_official,population\n"
    "b,Country,Bolivia,Plurinational State of Bolivia,11353142\nc,Country,Chile,Republic of Chile,18729160\n",
    "element": "id,label,name,boiling_point_k,atomic_weight\n"
    "he,Element,helium,4.22,4.0026\nne,Element,neon,27.1,20.18\n",
    "museum": "id,label,name,opened,ticket_price,visitors\nu,Museum,Weaver House,1958,12,27900\n",
    "provider": "id,label,name\np,Provider,Scaleway\n",
}
EDGES = {
    "offers": "start,end,type,limit_context\np,m1,OFFERS,32768\np,m2,OFFERS,64000\n",
    "borders": "start,end,type\nb,c,BORDERS\n",
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_nodes_and_edges(tmp_path_factory.mktemp("facts"), NODES, EDGES)


@pytest.mark.parametrize(
    ("question", "answer", "name"),
    [
        ("whats the context window of Kimi?", "262144", "limit_context"),
        ("The contract needs the full official name of Bolivia, what is it?", "Plurinational State of Bolivia", ""),
        ("how many inhabitants has Chile got", "18,729,160", ""),
    ],
)
def test_the_nearest_property_answers_and_is_told(facts: Graph, question: str, answer: str, name: str) -> None:
    result = default_pipeline(facts).run(facts, question)
    assert [text.replace(",", "") for text in result.answer.texts] == [answer.replace(",", "")]
    told = [event for event in result.trace.events if getattr(event, "code", "") == "operators.own_property"]
    assert (not name) or [event.values["read_as"] for event in told] == [name]  # type: ignore[attr-defined]


@pytest.mark.whole
@pytest.mark.parametrize(
    "question",
    [
        "melting point of helium?",  # not the boiling point
        "Who is the president of Chile?",
        "Where is Weaver House based?",
        "opening hours of Weaver House",  # not the year in which it opened
        "Does Kimi have a context window?",
        "What was the context window of Kimi in 2019?",
        "Which provider has the longest context window of Kimi?",
    ],
)
def test_other_questions_are_not_taken_for_one_of_a_property(facts: Graph, question: str) -> None:
    result = default_pipeline(facts).run(facts, question)
    assert "operators.own_property" not in result.trace.event_codes


def test_the_own_number_comes_before_that_of_triples(facts: Graph) -> None:
    assert default_pipeline(facts)(facts, "What is the limit context of Kimi?").texts == ("262144",)


def test_the_name_of_a_property_needs_no_model(facts: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MiniLM, "load", lambda self: pytest.fail("a model was loaded"))
    question = "which ticket price is e0 at"
    museum = next(entity for entity in range(facts.n_entities) if facts.label(entity) == "Weaver House")
    assert _nearest(facts, museum, "ticket price", question, MiniLM()) == "ticket_price"
