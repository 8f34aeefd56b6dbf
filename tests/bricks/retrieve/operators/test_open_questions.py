"""Questions for reasons and consequences, which a model answers from all that is known."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from staff import Indifferent

from graphbrick import LLM, Generate, Graph, Patterns, Query, Subgraph, build
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.core import Evidence
from graphbrick.core.trace import Trace, record
from graphbrick.testing import ScriptedLLM

TRIPLES = [
    ("shop", "depends on", "cart-db"), ("mail", "depends on", "cart-db"), ("cart-db", "owned by", "Data Team"),
    ("Ada Marsh", "leads", "Data Team"),
]  # fmt: skip


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(TRIPLES, tmp_path_factory.mktemp("services") / "services.graph")


@pytest.fixture
def scripted() -> Iterator[LLM]:
    """A model that cannot plan any question."""
    with ScriptedLLM(["{}"] * 4) as server:
        yield LLM(base_url=server.base_url)


def evidence(graph: Graph, text: str, names: tuple[str, ...], llm: LLM | None) -> Evidence:
    stage = Operators(Patterns(Indifferent()), llm=llm)
    with record(Trace(), "operators", "retrieve"):
        return stage.retrieve(Query(text, tuple(map(graph.entity, names))), Subgraph(graph))


@pytest.mark.parametrize("text", ["What happens if cart-db goes down?", "Why is cart-db important?"])
def test_the_model_gets_the_card_of_what_is_asked_about(services: Graph, scripted: LLM, text: str) -> None:
    (card, *_) = evidence(services, text, ("cart-db",), scripted).items
    assert card.kind == "card"
    assert all(part in card.text for part in ("shop", "mail", "Data Team"))
    assert all(item.kind != "card" for item in evidence(services, text, ("cart-db",), None).items)


def test_the_model_gets_what_connects_two_entities(services: Graph, scripted: LLM) -> None:
    items = evidence(services, "Why does shop matter to Ada Marsh?", ("shop", "Ada Marsh"), scripted).items
    assert [item.kind for item in items[:3]] == ["card", "card", "path"]
    assert items[2].text == "shop -> depends on -> cart-db -> owned by -> Data Team <- leads <- Ada Marsh"


def test_a_question_that_a_plan_answers_is_not_open(services: Graph, scripted: LLM) -> None:
    (row, *_) = evidence(services, "How are shop and mail connected?", ("shop", "mail"), scripted).items
    assert row.kind == "row"


def test_the_answer_is_written_with_citations(services: Graph) -> None:
    with ScriptedLLM(["shop and mail stop, as both depend on it [1]."]) as server:
        llm = LLM(base_url=server.base_url)
        pipeline = Operators(Patterns(Indifferent()), llm=llm) >> Generate(llm)
        answer = pipeline(services, "What happens if cart-db goes down?", seeds=["cart-db"])
    assert answer.texts == ("shop and mail stop, as both depend on it [1].",)
    assert len(answer.support[0]) == 1
    assert "depends on" in str(server.requests[0].body["messages"])
