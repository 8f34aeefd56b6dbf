"""Questions with gold queries over a small graph in two languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails
from film_database import DIRECTED, FILMS, CypherFilms, SparqlFilms

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.queries.check import check_query
from graphbrick.graphs.queries.guard import check_read_only
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.judge.gold_queries.generator import questions_with_queries
from graphbrick.judge.gold_queries.gold_query import Comparison, Edge, GoldQuery
from graphbrick.judge.gold_queries.in_cypher import in_cypher
from graphbrick.judge.gold_queries.templates import TEMPLATES


@pytest.mark.whole
def test_cypher_questions_have_the_answers_of_their_queries(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    films = CypherFilms(tmp_path / "films.lbdb")
    made = list(questions_with_queries(films, 30, seed=1))
    assert made == list(questions_with_queries(films, 30, seed=1))
    assert len({question.question for question in made}) == len(made)
    by_text = {question.question: question for question in made}
    scott = by_text["Which Film does the Person «Ridley Scott» have as directed?"]
    assert sorted(scott.answers) == sorted(DIRECTED["Ridley Scott"])
    assert scott.seeds == ("Ridley Scott",)
    assert by_text["Which Person has the Film «Heat» as directed?"].answers == ("Michael Mann",)
    assert by_text["Which Person has the most nodes of the class Film as directed?"].answers == ("Ridley Scott",)
    for question in made:
        check_read_only(question.query, question.language)
        assert check_query(question.query, question.language, films.schema()) == (question.query, (), ())
        record = question.record()
        assert set(record) >= {"question", "answers", "seeds", "query", "template", "complexity"}
        assert record["complexity"] == ("simple" if question.template in ("basic", "inverse") else "complex")
    films.close()


def test_sparql_questions_run_too() -> None:
    pytest.importorskip("pyoxigraph")
    films = SparqlFilms()
    made = list(questions_with_queries(films, 10, templates=("basic", "inverse", "count", "most")))
    assert {question.template for question in made} == {"basic", "inverse", "count", "most"}
    assert all(question.language == "SPARQL" for question in made)
    assert {answer for question in made for answer in question.answers} <= {*FILMS, *DIRECTED, "1", "2"}


def test_comparisons_with_large_numbers_run(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    films = CypherFilms(tmp_path / "films.lbdb")
    classes = {"x": "Film", "p": "Person"}
    for value, titles in ((12_345_678.0, []), (1990.5, ["Heat"])):
        gold = GoldQuery(classes, (Edge("p", "DIRECTED", "x"),), "x", comparison=Comparison("x", "year", ">", value))
        text = in_cypher(gold, {"Film": "title", "Person": "name"}.__getitem__)
        assert [row[0] for row in films.query(text, {}, 10).rows] == titles
    films.close()


def test_nodes_with_one_name_are_counted_apart(tmp_path: Path) -> None:
    """Of two cities with one name, neither is at two rivers."""
    pytest.importorskip("ladybug")
    triples = [("city 1", "at", "Elbe"), ("city 2", "at", "Rhine"), ("city 3", "at", "Elbe"), ("city 3", "at", "Rhine")]
    facts = [EntityRecord(f"city {i}", name, types=("city",)) for i, name in enumerate(("Twin", "Twin", "Dual"), 1)]
    rivers = [EntityRecord(name, name, types=("river",)) for name in ("Elbe", "Rhine")]
    graph = build([*facts, *rivers, *triples], tmp_path / "cities.graph")
    (most,) = questions_with_queries(graph, 1, templates=("most",))
    assert (most.question, most.answers) == ("Which city has the most nodes of the class river as at?", ("Dual",))
    both = next(iter(questions_with_queries(graph, 1, templates=("intersection",))))
    assert both.answers == ("Dual",)
    assert set(both.seeds) == {"Elbe", "Rhine"}


@pytest.mark.whole
def test_ordered_questions_have_no_ties(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    triples = [("A", "in", "X"), ("B", "in", "X"), ("C", "in", "X"), ("D", "in", "X")]
    triples += [("A", "height", "1"), ("B", "height", "2"), ("C", "height", "3"), ("D", "height", "3")]
    graph = build(triples, tmp_path / "heights.graph")
    made = list(questions_with_queries(graph, 10, templates=("top three",)))
    assert [(question.answers, question.ordered) for question in made] == []
    graph = build([*triples[:-1], ("D", "height", "4")], tmp_path / "other.graph")
    made = list(questions_with_queries(graph, 10, templates=("top three",)))
    assert {question.answers for question in made} == {("D", "C", "B"), ("A", "B", "C")}
    assert all(question.ordered for question in made)


def test_an_unknown_template_is_refused() -> None:
    with fails("gold_queries.unknown_template", name="magic"):
        list(questions_with_queries(SparqlFilms(), 1, templates=("magic",)))
    assert len(TEMPLATES) == 11
