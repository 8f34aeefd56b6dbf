"""Output folders of early versions of Microsoft GraphRAG: create_final_*.parquet, 0.x and 1.0."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphrag_output import TEXT, early_tables, write_output

from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.exchange.graphrag.importing import import_graphrag
from graphbrick.text.exchange.importing import import_graph
from graphbrick.text.reporting.reports import reports_of


@pytest.mark.whole
@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("below", ["", "output", "output/20240803-120000/artifacts", "20240803-120000/artifacts"])
def test_reports_documents_and_names(tmp_path: Path, version: int, below: str) -> None:
    write_output(tmp_path / "ragtest" / below, early_tables(version=version))
    done = import_graph(tmp_path / "ragtest", tmp_path / "lakes.graph")
    graph = done.graph
    assert (done.communities, done.reports, done.claims, graph.n_entities) == (3, 2, 1, 6)
    assert [graph.passage(i).document for i in range(3)] == ["lakes.md"] * 3
    assert TEXT[graph.passage(2).start : graph.passage(2).end] == graph.passage(2).text
    reports = reports_of(graph)
    lake = next(one for one in reports.of.values() if one.title == "The lake")
    members = {graph.label(int(entity)) for entity in reports.tree.members(lake.community)}
    assert members == {"LAKE VICTORIA", "KENYA", "KISUMU"}
    (part,) = reports.tree.children(lake.community)
    assert {graph.label(int(entity)) for entity in reports.tree.members(part)} == {"LAKE VICTORIA", "KISUMU"}
    assert [graph.label(one) for one in lake.findings[0].cited.entities] == ["KISUMU"]
    assert lake.why == "Large."


def test_the_latest_of_several_runs(tmp_path: Path) -> None:
    for time in ("20240801-120000", "20240803-120000"):
        folder = write_output(tmp_path / "output" / time / "artifacts", early_tables(version=0))
    done = import_graphrag(tmp_path, tmp_path / "lakes.graph")
    assert done.notes[0] == f"read from {folder}, the latest of 2 runs"


def test_reports_without_communities_are_counted_and_named(tmp_path: Path) -> None:
    content = early_tables(version=0)
    del content["create_final_nodes"]
    done = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph")
    assert (done.communities, done.reports) == (0, 0)
    assert done.notes[1:] == [
        "3 communities name no entity of the table of entities, and were left out",
        "2 reports left out, without words or a community with entities: «Tea», «The lake»",
    ]


def test_a_report_of_a_community_that_is_not_there(tmp_path: Path) -> None:
    content = early_tables(version=1)
    content["create_final_community_reports"][0]["community"] = 77
    done = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph")
    assert done.reports == 1
    assert done.notes[-1] == "1 report left out, without words or a community with entities: «Tea»"
    assert isinstance(done.graph, TextGraph)


def test_entities_without_a_community(tmp_path: Path) -> None:
    content = early_tables(version=0)
    for row in content["create_final_nodes"]:
        row["community"] = float("nan") if row["community"] is None else float(row["community"])
    done = import_graphrag(write_output(tmp_path / "output", content), tmp_path / "lakes.graph")
    assert (done.communities, done.reports) == (3, 2)
