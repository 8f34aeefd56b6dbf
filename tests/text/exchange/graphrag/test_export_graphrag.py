"""Graphs from text in the tables of GraphRAG, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import Run, refused
from documents import write_documents
from graphrag_output import write_output
from pyarrow import parquet

from graphbrick import FromFile, build, index
from graphbrick.graphs.communities import (
    communities_of,
    communities_place,
    find_communities,
    keep_communities,
)
from graphbrick.graphs.corpus import TextGraph
from graphbrick.testing import TINY
from graphbrick.text.exchange.graphrag.exporting import COLUMNS, to_graphrag
from graphbrick.text.exchange.graphrag.importing import import_graphrag
from graphbrick.text.reporting.prepare import prepare_reports
from graphbrick.text.reporting.reports import Cited, reports_of, reports_place


def whole(graph: TextGraph) -> dict[str, Any]:
    """Everything that a graph with its communities and reports holds, by label."""
    label = graph.label
    begin, passages = graph.support or ([], [])
    triples = graph.triple_ids().tolist()
    texts = {triple: (label(graph.triple(triple)[0]), label(graph.triple(triple)[2])) for triple in triples}
    weights = graph.weights if graph.weights is not None else []
    first, mentions = graph.mentions

    def cited(one: Cited) -> object:
        return sorted(map(label, one.entities)), sorted(texts[triple] for triple in one.triples), sorted(one.passages)

    found: dict[str, Any] = {
        "entities": {label(i): (graph.types(i), graph.description(i)) for i in range(graph.n_entities)},
        "triples": {
            texts[one]: (
                graph.triple_description(one),
                round(float(weights[one]), 4),
                passages[begin[one] : begin[one + 1]].tolist(),
            )
            for one in triples
        },
        "passages": [graph.passage(i) for i in range(graph.n_passages)],
        "mentions": [sorted(map(label, mentions[first[i] : first[i + 1]].tolist())) for i in range(graph.n_passages)],
        "claims": sorted(
            (label(one.subject), "" if one.object is None else label(one.object), *one[2:]) for one in graph.claims
        ),
    }
    if communities_place(graph).facts() is not None:
        tree = communities_of(graph)
        members = [frozenset(map(label, tree.members(one).tolist())) for one in range(len(tree))]
        found["tree"] = {(int(tree.level[one]), members[one]) for one in range(len(tree))}
        if reports_place(graph).facts() is not None:
            found["reports"] = {
                (int(tree.level[one]), members[one]): (
                    report.title,
                    report.summary,
                    report.rating,
                    report.why,
                    cited(report.cited),
                    [(finding.summary, finding.explanation, cited(finding.cited)) for finding in report.findings],
                )
                for one, report in reports_of(graph).of.items()
            }
    return found


def round_trip(graph: TextGraph, folder: Path) -> TextGraph:
    return import_graphrag(to_graphrag(graph, folder / "exported").folder, folder / "again.graph").graph


def test_an_imported_index_comes_back_whole(tmp_path: Path) -> None:
    graph = import_graphrag(write_output(tmp_path / "output"), tmp_path / "lakes.graph").graph
    assert whole(round_trip(graph, tmp_path)) == whole(graph)


@pytest.mark.whole
@pytest.mark.shared
def test_a_real_index_comes_back_whole(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "graphrag_dulce"
    if not source.is_dir():
        pytest.skip("no graphrag_dulce in the data folder")
    graph = import_graphrag(source, tmp_path / "dulce.graph").graph
    assert whole(round_trip(graph, tmp_path)) == whole(graph)
    for name, columns in COLUMNS.items():
        ours = parquet.read_schema(tmp_path / "exported" / f"{name}.parquet")
        theirs = parquet.read_schema(source / f"{name}.parquet")
        assert set(columns) - {"raw_data"} <= set(theirs.names)
        assert {one for one in theirs.names if one != "metadata"} <= set(ours.names)


@pytest.fixture
def notes(tmp_path: Path) -> TextGraph:
    texts = {
        "lakes.md": "# Lakes\n\nLake Victoria borders Kenya. Kisumu lies on Lake Victoria.",
        "tea.txt": "Kericho grows tea for Mombasa. Ships leave Mombasa for Kericho.",
    }
    return index([write_documents(tmp_path / "docs", texts)], tmp_path / "notes.graph").graph


def test_an_own_index_comes_back_with_communities_and_reports(notes: TextGraph, tmp_path: Path) -> None:
    keep_communities(notes, find_communities(notes), {})
    prepare_reports(notes)
    again, before = whole(round_trip(notes, tmp_path)), whole(notes)
    assert again == before
    assert len(before["reports"]) == 2
    rows = parquet.read_table(tmp_path / "exported" / "relationships.parquet").to_pylist()
    assert {row["description"] for row in rows} == {""}  # two entities in one sentence state nothing


def test_without_communities_there_are_no_such_tables(notes: TextGraph, tmp_path: Path) -> None:
    folder = to_graphrag(notes, tmp_path / "out").folder
    assert {file.stem for file in folder.iterdir()} == set(COLUMNS) - {"communities", "community_reports"}


def test_parallel_triples_are_one_relationship_with_their_words(tmp_path: Path) -> None:
    triples = [["Kisumu", "lies on", "Lake Victoria"], ["Kisumu", "is a port of", "Lake Victoria"]]
    (tmp_path / "openie.jsonl").write_text(
        json.dumps({"title": "kisumu", "text": "Kisumu is a port.", "triples": triples})
    )
    (tmp_path / "kisumu.txt").write_text("Kisumu is a port.")
    graph = index([tmp_path / "kisumu.txt"], tmp_path / "k.graph", extractor=FromFile(str(tmp_path / "openie.jsonl")))
    rows = parquet.read_table(to_graphrag(graph.graph, tmp_path / "out").folder / "relationships.parquet").to_pylist()
    assert len(rows) == 1
    assert rows[0]["weight"] == 2.0
    assert "Kisumu lies on Lake Victoria." in rows[0]["description"]
    assert "Kisumu is a port of Lake Victoria." in rows[0]["description"]


def test_the_command(notes: TextGraph, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    assert run("export", notes.path, out, "--to", "graphrag").code == 0
    refused(run("export", notes.path, out, "--to", "graphrag"), "--overwrite")
    assert run("export", notes.path, out, "--to", "graphrag", "--overwrite").code == 0
    assert run("import", out, tmp_path / "again.graph").code == 0
    plain = build(TINY, tmp_path / "tiny.graph")
    refused(run("export", plain.path, tmp_path / "other", "--to", "graphrag"), "was not made from documents")
