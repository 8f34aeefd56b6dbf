"""Storage folders of LightRAG as graphs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Run, refused
from faults import fails
from lightrag_storage import CHUNKS, TEXT, graphml, write_storage

from graphbrick.core.errors import InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.text.exchange.importing import import_graph
from graphbrick.text.exchange.lightrag.importing import import_lightrag


@pytest.fixture
def lakes(tmp_path: Path) -> TextGraph:
    return import_graph(write_storage(tmp_path / "storage"), tmp_path / "lakes.graph").graph


def test_entities_and_relations(lakes: TextGraph) -> None:
    assert {lakes.label(i) for i in range(lakes.n_entities)} == {"Kisumu", "Lake Victoria", "Kenya", "Kericho", "Tea"}
    kisumu, kenya = lakes.entity("Kisumu"), lakes.entity("Kenya")
    assert (lakes.types(kisumu), lakes.description(kisumu)) == (["location"], "Kisumu is a port. A town.")
    assert lakes.types(kenya) == []  # UNKNOWN is no type
    triples = {lakes.triple_text(one): one for one in lakes.triple_ids().tolist()}
    port = triples["Kisumu -> related to -> Lake Victoria"]
    assert len(triples) == 3
    assert lakes.triple_description(port) == "Kisumu is a port on it. It lies there."
    assert lakes.triple_keywords(port) == ("port", "shore")
    assert lakes.weights is not None
    assert lakes.weights[port] == 2.0
    assert lakes.weights[triples["Kericho -> related to -> Tea"]] == 1.0


def test_chunks_are_passages_of_their_documents(lakes: TextGraph, run: Run) -> None:
    assert [lakes.passage(i).text for i in range(3)] == list(CHUNKS.values())
    assert [lakes.passage(i)[1:5] for i in range(2)] == [("lakes.txt", 0, 58, "lakes"), ("lakes.txt", 59, 77, "lakes")]
    assert lakes.mentioned_in(lakes.entity("Tea")).tolist() == [1, 2]  # the second only in kv_store_entity_chunks
    begin, passages = lakes.support or ((), ())
    assert [passages[begin[i]] for i in range(3)].count(0) == 2
    assert run("documents", lakes.path, "lakes.txt").out.strip() == TEXT


def test_the_command(tmp_path: Path, run: Run) -> None:
    storage = write_storage(tmp_path / "storage")
    counts = json.loads(run("import", storage, tmp_path / "a.graph", "--json").out)
    assert (counts["entities"], counts["triples"], counts["passages"]) == (5, 3, 3)
    assert "a.graph" in run("import", storage, tmp_path / "a.graph", "--from", "lightrag", "--overwrite").out
    refused(run("import", storage / "..", tmp_path / "b.graph"), "is not of a form")


def test_names_in_quotes_of_early_versions(tmp_path: Path) -> None:
    storage = write_storage(tmp_path / "storage")
    old = graphml().replace('"Tea"', '"&quot;TEA&quot;"').replace(">product<", '>"PRODUCT"<')
    (storage / "graph_chunk_entity_relation.graphml").write_text(old)
    graph = import_lightrag(storage, tmp_path / "old.graph").graph
    assert graph.types(graph.entity("TEA")) == ["PRODUCT"]
    assert "Kericho -> related to -> TEA" in {graph.triple_text(one) for one in graph.triple_ids().tolist()}


@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("graph_chunk_entity_relation.graphml", "<graphml", "import_lightrag.not_graphml"),
        (
            "graph_chunk_entity_relation.graphml",
            '<?xml version="1.0" encoding="GBK"?><graphml/>',
            "import_lightrag.not_graphml",
        ),
        ("kv_store_text_chunks.json", "{", "import_lightrag.not_json"),
        ("kv_store_full_docs.json", "[]", "import_lightrag.not_an_object"),
    ],
)
def test_damaged_files(tmp_path: Path, file: str, content: str, code: str) -> None:
    storage = write_storage(tmp_path / "storage")
    (storage / file).write_text(content)
    with fails(code, InputError):
        import_lightrag(storage, tmp_path / "a.graph")
    assert not (tmp_path / "a.graph").exists()
    (storage / file).unlink()
    if "full_docs" not in file:
        with fails("import_lightrag.no_files", InputError):
            import_lightrag(storage, tmp_path / "a.graph")


def test_chunks_without_documents_are_documents(tmp_path: Path) -> None:
    storage = write_storage(tmp_path / "storage")
    (storage / "kv_store_full_docs.json").unlink()
    done = import_lightrag(storage, tmp_path / "a.graph")
    assert sorted(done.graph.passage(i).text for i in range(3)) == sorted(CHUNKS.values())
    assert "3 text units are not in the text of a document" in done.notes[0]


def edited(storage: Path, name: str, change: object) -> None:
    file = storage / f"kv_store_{name}.json"
    content = json.loads(file.read_text()) if file.exists() else {}
    change(content)  # type: ignore[operator]
    file.write_text(json.dumps(content))


def without_names(content: dict[str, dict[str, str]]) -> None:
    for one in content.values():
        one.pop("file_path", None)


def names_of(storage: Path, place: Path) -> set[str]:
    graph = import_lightrag(storage, place).graph
    return {graph.passage(i).document for i in range(3)}


def test_names_of_files_from_the_status_of_documents(tmp_path: Path) -> None:
    storage = write_storage(tmp_path / "storage")
    edited(storage, "full_docs", without_names)
    edited(storage, "text_chunks", without_names)
    edited(storage, "doc_status", lambda content: content.update({"doc-1": {"file_path": "lakes.md", "status": "x"}}))
    assert names_of(storage, tmp_path / "a.graph") == {"lakes.md", "doc-2"}


def test_names_of_files_from_chunks(tmp_path: Path) -> None:
    storage = write_storage(tmp_path / "storage")
    edited(storage, "full_docs", without_names)
    assert names_of(storage, tmp_path / "a.graph") == {"lakes.txt", "doc-2"}
    (storage / "kv_store_full_docs.json").unlink()
    assert names_of(storage, tmp_path / "b.graph") == {"lakes.txt#1", "lakes.txt#2", "#3"}


def test_documents_that_were_not_read_are_named(tmp_path: Path) -> None:
    storage = write_storage(tmp_path / "storage")
    edited(storage, "doc_status", lambda content: content.update({"doc-3": {"file_path": "c.pdf", "status": "failed"}}))
    assert import_lightrag(storage, tmp_path / "a.graph").notes == ["LightRAG made no chunk of 1 document: c.pdf"]
