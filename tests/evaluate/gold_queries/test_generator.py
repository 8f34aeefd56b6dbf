"""Questions with gold queries over a small graph in two languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from film_database import DIRECTED, FILMS, CypherFilms, SparqlFilms

from graphbrick.core.errors import GraphbrickError
from graphbrick.evaluate.gold_queries import TEMPLATES, questions_with_queries
from graphbrick.evaluate.gold_queries.gold_query import Comparison, Edge, GoldQuery
from graphbrick.queries.check import check_query
from graphbrick.queries.guard import check_read_only


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
        assert set(question.record()) >= {"question", "answers", "seeds", "query", "template"}
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
        text = gold.written("Cypher", {"Film": "title", "Person": "name"}.__getitem__, {})
        assert [row[0] for row in films.query(text, {}, 10).rows] == titles
    films.close()


def test_an_unknown_template_is_refused() -> None:
    with pytest.raises(GraphbrickError, match="there is no template 'magic'; there are basic, inverse"):
        list(questions_with_queries(SparqlFilms(), 1, templates=("magic",)))
    assert len(TEMPLATES) == 10
