"""Questions whose nouns and verbs are a chain of steps, over a graph that was not learned, with and without types."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import Graph
from graphbrick.graphs.build.builder import build
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline.parsing import parse

EDGES = """
has_child: Ada > Ben, Ben > Cleo, Ben > Dora, Cleo > Emil
lives_in: Ada > Falun, Ben > Molde, Cleo > Falun, Dora > Molde, Emil > Falun
employed_by: Ada > Ash Works, Ben > Oak Works, Cleo > Elm Works, Dora > Elm Works, Emil > Oak Works
managed_by: Oak Works > Ada, Elm Works > Ben, Ash Works > Ben
mentored_by: Ada > Emil, Ben > Ada, Dora > Cleo
"""
TRIPLES = [
    (head, relation, tail)
    for relation, _, pairs in (line.partition(": ") for line in EDGES.strip().splitlines())
    for head, _, tail in (pair.partition(" > ") for pair in pairs.split(", "))
]
KINDS = {"Falun": "town", "Molde": "town", "Oak Works": "firm", "Elm Works": "firm", "Ash Works": "firm"}


@pytest.fixture(scope="module", params=["typed", "triples alone"])
def families(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("families")
    if request.param == "triples alone":
        return build(TRIPLES, folder / "families.graph")
    return build(tables(folder / "tables"), folder / "families.graph")


def tables(folder: Path) -> Path:
    """Write the triples as tables of nodes with types and of edges."""
    folder.mkdir()
    names = dict.fromkeys(name for head, _, tail in TRIPLES for name in (head, tail))
    nodes = ["id,type", *(f"{name},{KINDS.get(name, 'person')}" for name in names)]
    (folder / "nodes.csv").write_text("\n".join(nodes) + "\n", encoding="utf-8")
    edges = ["source,relation,target", *(",".join(triple) for triple in TRIPLES)]
    (folder / "edges.csv").write_text("\n".join(edges) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who are the granddaughters of Ada?", {"Cleo", "Dora"}),
        ("Name Ada's grandsons.", {"Cleo", "Dora"}),
        ("Who is the great-grandson of Ada?", {"Emil"}),
        ("How many granddaughters does Ada have?", {"2"}),
        ("Name the son of the manager of Oak Works.", {"Ben"}),
        ("The mentor of the manager of Elm Works?", {"Ada"}),
        ("Who mentored the manager of Elm Works?", {"Ada"}),
        ("Who employs Ada's son?", {"Oak Works"}),
        ("Who lives in the residence of Ada?", {"Cleo", "Emil"}),
        ("Who lives together with Dora?", {"Ben"}),
        ("Who shares an employer with Cleo?", {"Dora"}),
        ("Who has the same employer as Cleo?", {"Dora"}),
        ("Which firms share the manager with Elm Works?", {"Ash Works"}),
    ],
)
def test_each_noun_and_verb_of_a_chain_is_a_step(families: Graph, question: str, answers: set[str]) -> None:
    answer = parse(str(DEFAULT_PIPELINE))(families, question)
    assert set(answer.texts) == answers


def test_what_is_shared_may_be_called_by_its_class(tmp_path: Path) -> None:
    graph = build(tables(tmp_path / "tables"), tmp_path / "families.graph")
    pipeline = parse(str(DEFAULT_PIPELINE))
    for question in ("Which people share a town with Dora?", "People with the same town as Dora"):
        assert set(pipeline(graph, question).texts) == {"Ben"}
