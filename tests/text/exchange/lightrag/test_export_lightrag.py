"""Graphs made from text as storage folders of LightRAG."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import networkx
import numpy as np
import pytest
from commands import Run, refused
from lightrag_storage import EDGES, write_storage
from overlap import Overlap

from graphbrick import index
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.text.exchange.lightrag.exporting import to_lightrag
from graphbrick.text.exchange.lightrag.importing import import_lightrag


@pytest.fixture
def lakes(tmp_path: Path) -> TextGraph:
    return import_lightrag(write_storage(tmp_path / "storage"), tmp_path / "lakes.graph").graph


def content(graph: TextGraph) -> dict[str, object]:
    """What a graph says, by names; relations have no direction in LightRAG."""
    mentions = {graph.label(e): graph.mentioned_in(e).tolist() for e in range(graph.n_entities)}
    triples, weights = set(), [1.0] * graph.n_triples if graph.weights is None else graph.weights.tolist()
    begin, support = graph.support or ((), ())
    for triple in graph.triple_ids().tolist():
        head, _, tail = graph.triple(triple)
        passages = tuple(support[begin[triple] : begin[triple + 1]].tolist())
        ends = frozenset({graph.label(head), graph.label(tail)})
        triples.add((ends, graph.triple_description(triple), graph.triple_keywords(triple), passages, weights[triple]))
    return {
        "entities": {graph.label(e): (graph.types(e), graph.description(e)) for e in range(graph.n_entities)},
        "passages": [graph.passage(i) for i in range(graph.n_passages)],
        "mentions": mentions,
        "triples": triples,
    }


def test_an_export_is_imported_as_the_same_graph(lakes: TextGraph, tmp_path: Path) -> None:
    folder = to_lightrag(lakes, tmp_path / "out", embedder=Overlap()).folder
    again = import_lightrag(folder, tmp_path / "again.graph").graph
    assert content(again) == content(lakes)


def test_the_files_are_those_of_lightrag(lakes: TextGraph, tmp_path: Path) -> None:
    folder = to_lightrag(lakes, tmp_path / "out", embedder=Overlap()).folder
    graph = networkx.read_graphml(folder / "graph_chunk_entity_relation.graphml")
    assert {frozenset(edge) for edge in graph.edges} == {frozenset(ends) for ends in EDGES}
    assert graph.nodes["Kisumu"]["description"] == "Kisumu is a port. A town."
    assert isinstance(graph.edges["Kericho", "Tea"]["weight"], float)
    vectors = json.loads((folder / "vdb_relationships.json").read_bytes())
    row = next(row for row in vectors["data"] if row["src_id"] == "Kisumu")
    assert row["__id__"] == "rel-00816382fce2a8fbf5d185cf9fdc2543"  # as LightRAG 1.5.7 names it
    assert row["content"].startswith("port,shore\tKisumu\nLake Victoria\nKisumu is a port on it.")
    matrix = np.frombuffer(base64.b64decode(vectors["matrix"]), np.float32).reshape(-1, vectors["embedding_dim"])
    expected = Overlap().encode([row["content"]])[0]
    np.testing.assert_allclose(matrix[vectors["data"].index(row)], expected, atol=1e-3)
    packed = np.frombuffer(zlib.decompress(base64.b64decode(row["vector"])), np.float16)
    np.testing.assert_allclose(packed, expected, atol=1e-3)
    status = json.loads((folder / "kv_store_doc_status.json").read_bytes())
    assert sorted(len(one["chunks_list"]) for one in status.values()) == [1, 2]
    pairs = json.loads((folder / "kv_store_full_relations.json").read_bytes()).values()
    assert sorted(one["count"] for one in pairs) == [0, 3]


def test_entities_that_only_occur_together_have_no_relation(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada Okoth & Ben Ouma met in Kisumu. Ada Okoth is from Kisumu.")
    graph = index([tmp_path / "a.txt"], tmp_path / "a.graph").graph
    assert graph.n_triples > 0
    folder = to_lightrag(graph, tmp_path / "out", embedder=Overlap()).folder
    written = networkx.read_graphml(folder / "graph_chunk_entity_relation.graphml")
    assert (set(written.nodes), len(written.edges)) == ({graph.label(e) for e in range(graph.n_entities)}, 0)
    assert json.loads((folder / "vdb_relationships.json").read_bytes())["data"] == []


def test_the_command(lakes: TextGraph, tmp_path: Path, run: Run) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(GraphbrickError):
        to_lightrag(lakes, tmp_path / "other", embedder=Overlap(), overwrite=True)
    (tmp_path / "o.txt").write_text("Ada Okoth & Ben Ouma met in Kisumu. Ada Okoth is from Kisumu.")
    place = index([tmp_path / "o.txt"], tmp_path / "o.graph").graph.path
    assert "out1: 4 entities, 0 relations\n" in run("export", place, tmp_path / "out1", "--to", "lightrag").out
    refused(run("export", lakes.path, tmp_path / "out2", "--to", "lightrag", "--embedder", "BM25()"), "an embedder")


def test_what_lightrag_cannot_hold_is_counted(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text("Ada Okoth & Ben Ouma met in Kisumu. Ada Okoth is from Kisumu.")
    path = index([tmp_path / "a.txt"], tmp_path / "a.graph").graph.path
    graph = TextGraph.open(path)
    key = graph.key(0)
    change(path, add=[EntityRecord(key, aliases=("Addie",), properties={"born": 1970, "tall": True})])
    for form in ("lightrag", "graphrag"):
        out = run("export", path, tmp_path / form, "--to", form).out
        assert "note: values of properties of entities: 2, such as born, tall" in out
        assert "note: aliases of entities: 1, such as Addie" in out
        if form == "lightrag":
            assert "triples that are joined with others between the same entities, or have no relation" in out
