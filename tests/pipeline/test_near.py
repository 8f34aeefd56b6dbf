"""Near readings, and answers for each entity of a name, as a run carries them."""

from __future__ import annotations

import json

import pytest
from faults import fails

from graphbrick import BM25, LLM, Graph, LinkLabels, Operators, PathAnswer, Patterns
from graphbrick.core.errors import LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.pipeline.near import MOST
from graphbrick.pipeline.run import Run
from graphbrick.testing import tiny_graph

ASK = LinkLabels(readings=2) >> Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()
RECORDS = [
    EntityRecord("mj", "Jordan", (), ("player",), "", {"born": 1963}),
    EntityRecord("jp", "Jordan", (), ("player",), "", {"born": 1994}),
    EntityRecord("jo", "Jordan", (), ("country",)),
    EntityRecord("amman", "Amman Rail", (), ("station",)),
    EdgeRecord("mj", "plays for", "Bulls"),
    EdgeRecord("mj", "plays for", "Wizards"),
    EdgeRecord("jp", "plays for", "Clippers"),
    EdgeRecord("jo", "borders", "Iraq"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(RECORDS, tmp_path_factory.mktemp("near") / "jordan.graph")


def test_a_question_is_answered_for_each_entity_of_a_name(graph: Graph) -> None:
    run = ASK.run(graph, "Which team does Jordan play for?")
    assert run.answer is not None
    assert set(run.answer.texts) == {"Bulls", "Wizards"}
    first, second = run.answer.readings  # the country plays for nobody
    assert (first.about, set(first.texts)) == ("Jordan (player, born 1963)", {"Bulls", "Wizards"})
    assert (second.about, second.texts, second.answers) == ("Jordan (player, born 1994)", ("Clippers",), 1)
    assert second.text == "Which team does Jordan (player, born 1994) play for?"
    assert ASK(graph, second.question, seeds=second.seeds).texts == second.texts
    told = json.loads(json.dumps(run.to_dict()))
    assert [one["about"] for one in told["readings"]] == [first.about, second.about]
    assert told["refusal"] is None


def test_one_entity_of_a_name_has_no_readings(graph: Graph) -> None:
    answer = ASK(graph, "Which team does Jordan play for?", seeds=["jp"])
    assert (answer.texts, answer.readings) == (("Clippers",), ())


def test_a_refusal_says_what_is_not_known_and_is_told_apart_from_notes() -> None:
    run = ASK.run(tiny_graph(), "How many hospitals does Kenya have?")
    told = run.to_dict()
    assert told["refusal"] == {
        "text": "I do not know the word 'hospitals' in this graph",
        "code": "operators.not_answered",
    }
    assert told["notes"] == []
    assert "path_answer.no_path" in run.trace.event_codes
    assert "capital of Kenya" in [one["text"] for one in told["readings"]]
    assert len(told["readings"]) == MOST


def test_a_misspelt_name_is_offered_as_the_question_with_the_name() -> None:
    with fails("link.no_entity", LinkError, words=["country", "Nairobbi"]) as caught:
        (LinkLabels(min_score=0.95) >> Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer())(
            tiny_graph(), "country of Nairobbi?"
        )
    (near,) = caught.value.readings
    assert (near.text, near.question, near.answers) == ("country of Nairobi?", "country of Nairobi?", 1)


def test_a_language_model_is_not_asked_again(graph: Graph) -> None:
    pipeline = LinkLabels() >> Operators(Patterns(BM25(), max_hops=1), LLM("never-called")) >> PathAnswer()
    run: Run = pipeline.run(graph, "Which team does Jordan play for?")
    assert run.answer is not None
    assert run.answer.readings == ()
