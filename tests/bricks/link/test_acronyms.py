"""Names by their initials."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import EntityRecord, LinkLabels
from graphbrick.core import Query
from graphbrick.core.errors import LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    named = [
        ("Intensive Care Unit", "Ward"), ("University of Nova", "School"), ("United Nations", "Body"),
        ("Ines Costa", "Doctor"), ("Data Platform Team", "Team"), ("Digital Payments Team", "Team"),
    ]  # fmt: skip
    records: list[Record] = [EntityRecord(name, types=(kind,)) for name, kind in named]
    records += [("Ines Costa", "WORKS_IN", name) for name, kind in named if kind != "Doctor"]
    return build(records, tmp_path_factory.mktemp("acronyms") / "acronyms.graph")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who works in the ICU?", "Intensive Care Unit"),
        ("who works at UoN?", "University of Nova"),
        ("Who works for the UN in Geneva?", "United Nations"),
    ],
)
def test_initials_stand_for_the_only_name_that_has_them(graph: Graph, question: str, name: str) -> None:
    linked = LinkLabels().link(graph, Query(question))
    assert [graph.label(seed) for seed in linked.seeds] == [name]


@pytest.mark.parametrize(
    "question", ["Who works in the icu?", "Who works in the IC?", "WHO WORKS IN THE ICU?", "Who works in the XYZ?"]
)
def test_others_are_not_guessed(graph: Graph, question: str) -> None:
    with pytest.raises(LinkError):
        LinkLabels().link(graph, Query(question))


def test_of_several_names_none_is_taken(graph: Graph) -> None:
    with pytest.raises(LinkError, match="Data Platform Team, Digital Payments Team"):
        LinkLabels().link(graph, Query("Who works in the DPT?"))


def test_a_graph_without_types_has_initials_of_three_words(tmp_path: Path) -> None:
    plain = build([("Ines Costa", "in", "Intensive Care Unit")], tmp_path / "plain.graph")
    assert [plain.label(seed) for seed in LinkLabels().link(plain, Query("What is in the ICU?")).seeds] == [
        "Intensive Care Unit"
    ]
    with pytest.raises(LinkError):
        LinkLabels().link(plain, Query("What is in the IC?"))
