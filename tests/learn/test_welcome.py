"""A friendly line and questions to ask, for messages that ask nothing."""

from __future__ import annotations

import pytest

from graphbrick import Graph, build, index, parse
from graphbrick.learn.welcome import welcomed
from graphbrick.testing import tiny_graph

PATHS = parse("ShortestPaths() >> PathAnswer()")


def asked(graph, text, **more):
    return welcomed(graph, PATHS, text, lambda: ["A?", "B?", "C?", "D?"], **more)


@pytest.mark.parametrize("text", ["hi", "Vielen Dank!", "What can you do?", "再见"])
def test_a_message_that_asks_nothing_gets_a_line_and_three_questions(text):
    run = asked(tiny_graph(), text)
    facts = run.to_dict()
    assert facts["refusal"]["code"].startswith("small_talk.")
    assert "facts about" in facts["refusal"]["text"]
    assert [one["question"] for one in facts["readings"]] == ["A?", "B?", "C?"]
    assert (facts["answers"], facts["seeds"], facts["evidence"]) == ([], [], None)


def test_questions_go_on_to_the_pipeline():
    assert asked(tiny_graph(), "What is the capital of Kenya?") is None
    assert asked(tiny_graph(), "hi", seeds=["Kenya"]) is None
    assert welcomed(tiny_graph(), parse("PPR()"), "hi", list) is None  # it makes no answer


def test_an_entity_that_is_called_so_is_offered(tmp_path):
    (tmp_path / "songs.tsv").write_text("Help\tby\tThe Beatles\nNice\tin\tFrance\n")
    graph = build(tmp_path / "songs.tsv", tmp_path / "songs.graph")
    assert isinstance(graph, Graph)
    assert asked(graph, "Help!").answer.readings[0].question == "Tell me about Help"
    assert asked(graph, "nice").answer.readings[0].question != "Tell me about nice"
    assert asked(graph, "Nice") is None  # the city


def test_documents_are_counted(tmp_path):
    (tmp_path / "a.md").write_text("Alma Berg founded Fjord Ferries. Olav Berg lives in Voss.")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph").graph
    assert "from 1 document," in asked(graph, "hello").to_dict()["refusal"]["text"]
