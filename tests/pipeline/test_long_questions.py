"""Questions of any length: bounded work, and a message that says the length and the limit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from built_graphs import built
from faults import fails

from graphbrick import LinkLabels, Operators, PathAnswer, Patterns, build, parse
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.things import namesakes
from graphbrick.core.query import LONGEST_QUESTION
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.testing import tiny_graph

PIPELINE = LinkLabels() >> Operators(Patterns(BM25(), max_hops=1)) >> PathAnswer()


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """Return a list that grows by the arguments of each call of a function."""
    calls, function = list[tuple[Any, ...]](), getattr(owner, name)

    def called(*arguments: Any) -> Any:
        calls.append(arguments)
        return function(*arguments)

    monkeypatch.setattr(owner, name, called)
    return calls


@pytest.mark.parametrize("text", ["x" * 10_001, "Kenya " * 2_000, "e" + "\u0301" * 20_000, "(" * 1_000_000])
def test_a_question_that_is_too_long_is_refused_with_its_length(text):
    with fails("run.long_question", size=len(text), at_most=LONGEST_QUESTION):
        PIPELINE.run(tiny_graph(), text)


@pytest.mark.whole
@pytest.mark.parametrize(
    "text",
    [
        "Kenya " * 1_600,
        "which countries border " + "Kenya that borders " * 500 + "Uganda",
        "which countries " + "except Kenya " * 700,
        "Kenya's " + "capital's " * 900,
        "which country is larger than " * 300 + "Kenya",
        "what is the capital of " + "the country of " * 600 + "Kenya",
    ],
    ids=lambda text: text[:30],
)
def test_phrases_in_phrases_are_read_or_refused_and_never_a_traceback(text):
    assert len(text) <= LONGEST_QUESTION
    run = PIPELINE.run(tiny_graph(), text)
    assert run.answer is not None


@pytest.mark.whole
def test_a_question_that_can_be_read_in_very_many_ways_is_given_up_after_a_hundred(monkeypatch):
    read = counted(monkeypatch, Parser, "_set")
    run = PIPELINE.run(tiny_graph(), "Kenya who is not " * 40)
    assert run.answer is not None
    assert 0 < len(read) <= 300  # up to a hundred for the question, and for each near reading


@pytest.mark.parametrize("text", ["Kenya,e$6 {", "Kenya e5n't Uganda", "e€7 mn of Kenya", "Kenya e`9", "E12n't% Kenya"])
def test_a_word_that_becomes_a_placeholder_when_a_question_is_tidied_is_none(text):
    run = PIPELINE.run(tiny_graph(), text)
    assert run.answer is not None


@pytest.mark.whole
def test_namesakes_are_told_apart_by_sixteen_words_at_most(tmp_path, monkeypatch):
    (tmp_path / "nodes_person.csv").write_text("id,name,born\np1,Ann Lee,1960\np2,Ann Lee,1980\np3,Bo Day,1970\n")
    (tmp_path / "edges.csv").write_text("source,relation,target\np1,knows,p3\np2,knows,p3\n")
    graph = build(tmp_path, tmp_path / "people.graph")
    tried = counted(monkeypatch, namesakes, "_fitting")
    PIPELINE.run(graph, "Who knows the Ann Lee who " + "knows of nobody and " * 200 + "was born in 1980?")
    assert max(len(phrase.split()) for _, phrase, _ in tried) == 18  # «which lee», and sixteen words


@pytest.mark.whole
def test_the_first_64_names_of_a_question_are_seeds_and_an_event_tells_how_many_there_were(tmp_path):
    names = [f"Place{i:03d}x" for i in range(90)]
    graph = built(tmp_path, *((name, "borders", "Ocean") for name in names))
    run = LinkLabels().run(graph, "Which of " + ", ".join(names) + " is meant?")
    assert [graph.label(seed) for seed in run.query.seeds] == names[:64]
    assert [event.values for event in run.trace.events if event.code == "link.many_names"] == [
        {"names": 90, "at_most": 64}
    ]


def test_a_long_unknown_word_is_cut_in_the_message():
    with fails("link.no_entity") as caught:
        PIPELINE.run(tiny_graph(), "z" * 9_000)
    assert len(str(caught.value)) < 400


@pytest.mark.whole
def test_long_labels_are_cut_in_the_message(tmp_path):
    graph = built(tmp_path, *((f"Ocean {i} " + "of water " * 400, "borders", "land") for i in range(4)))
    with fails("link.part_of_several") as caught:
        PIPELINE.run(graph, "What borders Ocean?")
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("text", ["PPR()" + " >> PPR()" * 2_000, "PPR()" + "|PPR()" * 3_000, "-" * 19_000 + "1"])
def test_recipes_of_thousands_of_stages_are_refused(text):
    with fails("recipe.too_deep"):
        parse(text)


@pytest.mark.whole
def test_a_source_with_more_properties_than_a_graph_has_is_refused(tmp_path):
    source = tmp_path / "wide.json"
    node = {"id": "a"} | {f"p{i}": i for i in range(10_001)}
    source.write_text(json.dumps({"nodes": [node, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}))
    with fails("build.many_properties", properties=10_001, at_most=10_000):
        build(source, tmp_path / "wide.graph")
    assert [path.name for path in tmp_path.iterdir()] == ["wide.json"]
