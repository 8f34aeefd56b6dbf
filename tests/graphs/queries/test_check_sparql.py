"""The triple patterns of SPARQL queries, and the branches of their check."""

from __future__ import annotations

import pytest

from graphbrick.core.schema import Connection, NodeClass, Property, Schema
from graphbrick.graphs.queries.check import check_query
from graphbrick.graphs.queries.check_sparql import triples_in
from graphbrick.graphs.queries.tokens import SPARQL, tokens_of

E = "http://example.org/"
FILMS = Schema(
    (
        NodeClass(f"{E}Film", (Property(f"{E}title"), Property(f"{E}year"))),
        NodeClass(f"{E}Person", (Property(f"{E}name"),)),
    ),
    (
        Connection(f"{E}Person", f"{E}DIRECTED", f"{E}Film"),
        Connection(f"{E}Film", f"{E}SEQUEL_OF", f"{E}Film"),
    ),
)


@pytest.mark.parametrize(
    ("text", "triples"),
    [
        ("{ ?s ?p ?o }", ["?s ?p ?o"]),
        ("?s ?p ?o", []),
        ("SELECT ?a ?b ?c { ?s ?p ?o } ?d ?e ?f", ["?s ?p ?o"]),
        ("{ { ?a a ?b } ?c ?d ?e } ?f ?g ?h", ["?a a ?b", "?c ?d ?e"]),
        ("{ ?a e:p ?b , 'x' ; e:q 3 . ?c e:r <u> }", ["?a e:p ?b", "?a e:p x", "?a e:q 3", "?c e:r u"]),
        ("{ ?p e:a [ e:b ?o ; e:c ?q ] ; e:d ?r }", ["?p e:a [", "[ e:b ?o", "[ e:c ?q", "?p e:d ?r"]),
        ("{ [ e:b ?o ] e:c ?q . ?s e:d ?r }", ["[ e:b ?o", "[ e:c ?q", "?s e:d ?r"]),
        ("{ [] e:c ?q }", ["[ e:c ?q"]),
        ("{ ?a e:p [ e:q [ e:r ?b ] ; e:s ?c ] }", ["?a e:p [", "[ e:q [", "[ e:r ?b", "[ e:s ?c"]),
        ("{ ?s ] ?p ?o . ?a e:p ?b }", ["?a e:p ?b"]),
        ("{ ?s e:y '1979'^^xsd:gYear , '1980' }", ["?s e:y 1979", "?s e:y 1980"]),
        ("{ ?s e:y '1979'^^xsd:gYear . ?a e:p ?b }", ["?s e:y 1979", "?a e:p ?b"]),
        ("{ ?s e:y 'x'@en ; e:z ?o }", ["?s e:y x", "?s e:z ?o"]),
        ("{ ?s e:p true ; e:q ?o . ?s e:r FALSE ; e:t ?u }", ["?s e:q ?o", "?s e:t ?u"]),
        ("{ GRAPH ?g { ?s ?p ?o } ?a ?b ?c }", ["?s ?p ?o", "?a ?b ?c"]),
        ("{ VALUES ?x { 1 2 3 } ?s ?p ?o }", ["?s ?p ?o"]),
        ("{ VALUES (?x ?y) { (1 2) (3 4) } ?s ?p ?o }", ["?s ?p ?o"]),
        ("{ ?s ?p ?o FILTER (?a = ?b || ?c) ?t ?q ?r }", ["?s ?p ?o", "?t ?q ?r"]),
        ("{ BIND (?a AS ?b) ?s ?p ?o OPTIONAL { ?t ?q ?r } }", ["?s ?p ?o", "?t ?q ?r"]),
        ("{ FILTER NOT EXISTS { ?s ?p ?o } MINUS { ?t ?q ?r } }", ["?s ?p ?o", "?t ?q ?r"]),
        ("{ { SELECT ?a ?b { ?s ?p ?o } ORDER BY ?a ?b ?c } ?t ?q ?r }", ["?s ?p ?o", "?t ?q ?r"]),
        ("{ { ?s ?p ?o } GROUP BY ?a ?b ?c HAVING (?d > ?e) }", ["?s ?p ?o"]),
        ("{ ?s e:a/^e:b*|!(e:c) ?o }", ["?s e:a/^e:b*|!(e:c) ?o"]),
        ("{ ?s e:a+ ?o . ?s e:b? ?q . ?s (e:c/e:d)* ?r }", ["?s e:a+ ?o", "?s e:b? ?q", "?s (e:c/e:d)* ?r"]),
        ("{ ?s 'x' ?p ?o }", ["?s ?p ?o"]),
        ("{ ?s [ e:b ?o ] }", ["[ e:b ?o"]),
        ("{ ?s ?p", []),
        ("{ ?s", []),
        ("{ FILTER", []),
        ("{ GRAPH ?g", []),
        ("{ , ?s ?p ?o }", ["?s ?p ?o"]),
    ],
)
def test_triple_patterns_are_read_from_groups(text: str, triples: list[str]) -> None:
    def written(text: str) -> str:
        return text.strip("'")

    read = [
        f"{subject.text} {''.join(token.text for token in path)} {written(end.text)}"
        for subject, path, end in triples_in(tokens_of(text, SPARQL))
    ]
    assert read == triples


def checked(pattern: str, schema: Schema = FILMS) -> tuple[str, tuple[str, ...]]:
    head = f"PREFIX e: <{E}> SELECT * {{ "
    text, _, problems = check_query(f"{head}{pattern} }}", SPARQL, schema)
    return text.removeprefix(head).removesuffix(" }"), problems


@pytest.mark.parametrize(
    "pattern",
    [
        "?f a ?c",
        "?p e:DIRECTED e:x",
        "?f a/rdfs:subClassOf* e:Films",
        "?f e:SEQUEL_OF/a e:Films",
        "?f a e:Film ; e:SEQUEL_OF 'x'",
        "?f a e:Film ; e:SEQUEL_OF 3",
        "?f a e:Film ; e:SEQUEL_OF/e:SEQUEL_OF ?p . ?p a e:Person",
        "?f a e:Film ; owl:sameAs ?g ; skos:broader ?h ; rdf:value ?v",
        "?a e:DIRECTED ?b",
    ],
)
def test_what_is_not_known_to_be_wrong_is_left_alone(pattern: str) -> None:
    assert checked(pattern) == (pattern, ())


@pytest.mark.parametrize(
    ("pattern", "corrected"),
    [
        ("?f rdf:type e:film", f"?f rdf:type <{E}Film>"),
        ("?f <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> e:film", None),
        ("?f e:sequelOf ?g . ?f e:Title ?t", f"?f <{E}SEQUEL_OF> ?g . ?f <{E}title> ?t"),
        ("?p a e:person . ?f e:DIRECTED ?p", f"?p a <{E}Person> . ?f ^e:DIRECTED ?p"),
        ("?f e:DIRECTED ?x . ?f a e:Film", "?f ^e:DIRECTED ?x . ?f a e:Film"),
        ("?f e:sequel_of/e:TITLE ?t", f"?f <{E}SEQUEL_OF>/<{E}title> ?t"),
    ],
)
def test_names_and_directions_are_corrected(pattern: str, corrected: str | None) -> None:
    assert checked(pattern) == (corrected or pattern.replace("e:film", f"<{E}Film>"), ())


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("?f a e:Fil", "there is no class 'e:Fil'; did you mean e:Film?"),
        ("?f a e:Films ; e:DIRECTED ?x", "there is no class 'e:Films'; did you mean e:Film?"),
        ("?f a e:Films ; e:SEQUEL_OF ?g . ?g a e:Film", "there is no class 'e:Films'; did you mean e:Film?"),
        ("?f a e:Film ; e:SEQUEL ?g", "there is no relation or property 'e:SEQUEL'; did you mean e:SEQUEL_OF?"),
        ("?p a e:Person ; e:SEQUEL_OF ?q", "e:SEQUEL_OF does not lead so; it leads from e:Film to e:Film"),
        ("?a a e:Person ; e:DIRECTED [ a e:Person ]", "e:DIRECTED does not lead so; it leads from e:Person to e:Film"),
    ],
)  # fmt: skip
def test_one_problem_is_told(pattern: str, problem: str) -> None:
    assert checked(pattern) == (pattern, (problem,))


def test_the_first_five_connections_of_a_relation_are_told() -> None:
    classes = tuple(NodeClass(f"{E}{letter}") for letter in "ABCDEFGH")
    connections = tuple(Connection(known.name, f"{E}r", f"{E}H") for known in classes[:7])
    _, (problem,) = checked("?x a e:H ; e:r ?y . ?y a e:H", Schema(classes, connections))
    leads = ", ".join(f"e:{letter} to e:H" for letter in "ABCDE")
    assert problem == f"e:r does not lead so; it leads from {leads}"


def test_a_graph_without_classes_gives_no_problems() -> None:
    pattern = "?f a e:Film ; e:anything ?x"
    assert checked(pattern, Schema()) == (pattern, ())


def test_the_direction_of_a_relation_of_a_standard_vocabulary_is_checked() -> None:
    broader = "http://www.w3.org/2004/02/skos/core#broader"
    schema = Schema(FILMS.classes, (Connection(f"{E}Film", broader, f"{E}Person"),))
    assert checked("?p a e:Person ; skos:broader ?f", schema) == ("?p a e:Person ; ^skos:broader ?f", ())
    assert checked("?p a e:Person ; skos:narrower ?f", schema) == ("?p a e:Person ; skos:narrower ?f", ())
