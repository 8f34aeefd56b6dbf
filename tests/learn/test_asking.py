"""Asking by one call, with the pipeline that suits the graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run
from documents import write_documents

import graphbrick
from graphbrick import Graph, MiniLM, Query, ask, index
from graphbrick.graphs.corpus import TextGraph
from graphbrick.learn import LearnReport
from graphbrick.learn.default import TEXT_PIPELINE
from graphbrick.learn.learned import learned_pipeline
from graphbrick.models.indexes.embed_graph import lacks_vectors
from graphbrick.testing import tiny_graph

DOCUMENTS = {
    "kenya.txt": "Kenya borders Uganda. The capital of Kenya is Nairobi.",
    "uganda.txt": "In Uganda, the capital is Kampala. Lake Victoria borders Uganda.",
}
QUESTION = "What is the capital of Uganda?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The folder of a graph made from documents, without vectors."""
    return index([write_documents(tmp_path / "docs", DOCUMENTS)], tmp_path / "notes.graph").graph.place


def test_a_graph_made_from_documents_is_opened_with_its_passages_by_whatever_opens_it(notes: Path) -> None:
    for opened in (Graph.open(notes), graphbrick.open(notes)):
        assert isinstance(opened, TextGraph)
        assert opened.n_passages > 0
    assert type(Graph.open(notes, passages=False)) is Graph
    assert type(Graph.open(tiny_graph().place)) is Graph


def test_the_answer_is_that_of_the_command(notes: Path, run: Run) -> None:
    assert lacks_vectors(TextGraph.open(notes), MiniLM())
    answer = ask(notes, QUESTION)
    told = json.loads(run("ask", notes, QUESTION, "--json").out)
    assert list(answer.texts) == [one["text"] for one in told["answers"]]
    assert not lacks_vectors(TextGraph.open(notes), MiniLM())


def test_a_question_does_not_wait_for_all_vectors_but_an_evaluation_does(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphbrick.learn.default.TEXT_PIPELINE", TEXT_PIPELINE.replace("late=300", "late=2"))
    more = {f"notes {i}.txt": f"Lake number {i} is {i} miles long." for i in range(4)}
    place = index([write_documents(tmp_path / "docs", DOCUMENTS | more)], tmp_path / "notes.graph").graph.place
    told = json.loads(run("ask", place, QUESTION, "--json").out)
    assert "Kampala" in told["answers"][0]["text"]
    assert "2 of 6 passages have vectors" in "".join(one["text"] for one in told["notes"])
    assert ask(place, QUESTION).texts[0] == told["answers"][0]["text"]
    assert lacks_vectors(TextGraph.open(place), MiniLM())
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"id": "1", "question": QUESTION, "answers": ["Kampala"]}) + "\n")
    assert run("evaluate", place, questions, "--out", tmp_path / "runs.sqlite").code == 0
    assert not lacks_vectors(TextGraph.open(place), MiniLM())


def test_a_learned_graph_is_asked_through_what_it_learned(learned: tuple[Graph, LearnReport]) -> None:
    graph, pipeline = learned[0], learned_pipeline(learned[0])
    assert pipeline is not None
    question = "Who leads Finance?"
    assert ask(graph, question).texts == pipeline(graph, question).texts != ()
    assert ask(graph.place, Query(question), "ShortestPaths() >> PathAnswer()").texts != ()


def test_the_area_is_the_verb_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.learn.learning.learn", lambda *graphs, **options: (graphs, options))
    assert graphbrick.learn("graph", n=3) == (("graph",), {"n": 3})  # type: ignore[comparison-overlap]
