"""Gold queries in Cypher and SPARQL give the same rows over the copies of one graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

import pytest

import graphbrick
from graphbrick import Graph, build, local_graph
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.export.ntriples import BASE, to_ntriples
from graphbrick.graphs.rdf_counterpart import RdfNames, rdf_names
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.judge.gold_queries.generator import QueryQuestion, questions_with_queries
from graphbrick.judge.gold_queries.templates import TEMPLATES
from graphbrick.study.metrics.execution import provenance, same_rows

ox = pytest.importorskip("pyoxigraph")
pytest.importorskip("ladybug")


def in_rdf(graph: Graph, folder: Path) -> str:
    """Write a graph to an Oxigraph store and return its address."""
    store = ox.Store(str(folder / "store"))
    store.bulk_load(path=str(to_ntriples(graph, folder / "graph.nt")), format=ox.RdfFormat.N_TRIPLES)
    store.flush()
    return f"oxigraph:{folder / 'store'}"


def check(questions: Iterable[QueryQuestion], cypher: str, sparql: str) -> Counter[str]:
    """Check that both queries of each question give the same rows and nodes; return how many were compared."""
    in_cypher, in_sparql, compared = graphbrick.open(cypher), graphbrick.open(sparql), Counter[str]()
    for question in questions:
        if question.sparql is None:
            continue
        assert question.cypher == question.query
        rows = in_cypher.query(question.cypher, {}, 1_000).rows
        found = in_sparql.query(question.sparql, {}, 1_000).rows
        assert same_rows(rows, found, ordered=question.ordered), (question, rows[:5], found[:5])
        nodes = {unquote(key.removeprefix(f"{BASE}entity/")) for key in provenance(in_sparql, question.sparql)}
        assert provenance(in_cypher, question.cypher) == nodes, question
        compared[question.template] += 1
    return compared


@pytest.mark.whole
def test_over_a_part_of_the_world_graph(world_cache: Path, tmp_path: Path) -> None:
    world = world_graph()
    graph = local_graph(world, [world.named(name)[0] for name in ("Kenya", "France")], hops=3, limit_per_node=15)
    ladybug = f"ladybug:{to_ladybug(graph, tmp_path / 'world.ladybug')}"
    made = list(questions_with_queries(graphbrick.open(ladybug), 22, seed=5))
    counts = check(made, ladybug, in_rdf(graph, tmp_path))
    assert counts == Counter(question.template for question in made)
    assert set(counts) == set(TEMPLATES)


def nasty(tmp_path: Path, records: list[Record]) -> tuple[Graph, str, str]:
    graph = build(records, tmp_path / "nasty.graph")
    return graph, f"ladybug:{to_ladybug(graph, tmp_path / 'nasty.ladybug')}", in_rdf(graph, tmp_path)


@pytest.mark.whole
def test_over_names_with_quotes_braces_and_other_letters(tmp_path: Path) -> None:
    names = ["it's", 'say "x"', "back`tick", "{brace} {0}", "a\\b", "line\nbreak", "東京 😀", "$x ?y", "// no", "# no"]
    records: list[Record] = [EntityRecord(f"b/{i}", name, types=("Größe {x}",)) for i, name in enumerate(names)]
    records += [EntityRecord(f"o{i}", f"owner's {i}", types=("owner's`s",)) for i in range(3)]
    records += [(f"o{i % 3}", "owns `it's` {n}", f"b/{i}") for i in range(len(names))]
    records += [(f"b/{i}", "first year", str(1990 + i)) for i in range(len(names))]
    graph, cypher, sparql = nasty(tmp_path, records)
    made = list(questions_with_queries(graph, 90, seed=1))
    assert made == list(questions_with_queries(graphbrick.open(cypher), 90, seed=1))
    assert {name for question in made for name in question.seeds} == {*names, *(f"owner's {i}" for i in range(3))} - {
        "line\nbreak"  # a question is one line
    }
    assert "line\nbreak" in {answer for question in made for answer in question.answers}
    assert set(check(made, cypher, sparql)) >= {"basic", "inverse", "count", "most"}


@pytest.mark.whole
def test_years_are_compared_as_numbers(tmp_path: Path) -> None:
    records: list[Record] = [
        ("film", "by", "Ann"),
        ("movie", "by", "Ann"),
        ("film", "by", "Bob"),
        ("other", "by", "Bob"),
    ]
    records += [("film", "year", "1990"), ("movie", "year", "1995"), ("other", "year", "2001")]
    graph, cypher, sparql = nasty(tmp_path, records)
    made = list(questions_with_queries(graph, 60, seed=1, templates=("comparison", "superlative")))
    assert made
    assert set(check(made, cypher, sparql)) == {"comparison", "superlative"}


@pytest.mark.whole
def test_what_has_no_exact_counterpart_has_no_sparql(tmp_path: Path) -> None:
    records: list[Record] = [
        EntityRecord("a", types=("city",)),
        EntityRecord("b", types=("capital", "city")),
        ("a", "in", "x"),
        ("a", "height", "3"),
        ("a", "height", "4"),
        ("b", "width", "3"),
    ]
    graph, cypher, _ = nasty(tmp_path, records)
    names = rdf_names(graph)
    assert names == rdf_names(graphbrick.open(cypher))
    assert names == RdfNames(
        {"capital": "<urn:graphbrick:type/capital>"},
        {"in_" if name == "in" else name: f"<urn:graphbrick:relation/{name}>" for name in ("in", "height", "width")},
        {"width": "<urn:graphbrick:relation/width>"},
    )
    assert all(question.sparql is None for question in questions_with_queries(graph, 5))
