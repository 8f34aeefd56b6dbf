"""Documents of a graph made from text, uploaded and deleted while it is served."""

from __future__ import annotations

import json
import shutil
import unicodedata

import pytest
from served import serving

from graphbrick import index
from graphbrick.core.files.locks import claim
from graphbrick.graphs.corpus import TextGraph
from graphbrick.serve.errors import ServeError
from graphbrick.serve.uploads import checked_name
from graphbrick.text.indexing.merging import Proposal

KENYA = "Nairobi is the capital of Kenya. Lake Victoria borders Kenya. Lake Turkana borders Kenya."
WORDS = "Passages(n=3) >> Quote(BM25(), n=1)"
UGANDA = "Kampala is the capital of Uganda. Lake Victoria borders Uganda too."


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A graph made from a document."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "docs").mkdir()
    (folder / "docs" / "kenya.txt").write_text(KENYA)
    index([folder / "docs"], folder / "notes.graph")
    return folder


@pytest.fixture
def notes(made, tmp_path, monkeypatch):
    """A copy of it, whose default recipe needs no model."""
    monkeypatch.setattr("graphbrick.learn.default.TEXT_PIPELINE", WORDS)
    for name in ("notes.graph", "notes.graph.text"):
        shutil.copytree(made / name, tmp_path / name)
    return tmp_path / "notes.graph"


def serving_notes(notes, **more):
    return serving(graphs={"notes": str(notes)}, recipes={"words": WORDS}, **more)


def waited(client, state):
    uploads = client.app.state.service.uploads("notes")
    uploads.wait(60)
    found = client.get("/v1/documents/status").json()
    assert found["state"] == state, found
    return found


@pytest.mark.whole
def test_a_document_comes_and_goes(notes):
    with serving_notes(notes, write=True) as client:
        sent = client.put("/v1/documents/uganda.md", content=UGANDA)
        assert (sent.status_code, sent.json()["bytes"]) == (202, len(UGANDA))
        assert waited(client, "done")["message"].startswith("2 documents, ")
        listed = client.get("/v1/documents").json()["documents"]
        assert [one["name"] for one in listed] == [None, "uganda.md"]
        ask = {"question": "What is the capital of Uganda?", "recipe": "words"}
        assert client.post("/v1/ask", json=ask).json()["answers"][0]["text"] == UGANDA
        (passage,) = client.get("/v1/documents/passages", params={"document": listed[1]["document"]}).json()["passages"]
        assert [entity["label"] for entity in passage["entities"]] == ["Lake Victoria", "Uganda"]
        text = client.get("/v1/documents/text", params={"document": listed[1]["document"], "end": 7}).json()
        assert (text["text"], text["characters"]) == ("Kampala", len(UGANDA))
        assert client.delete("/v1/documents/uganda.md").status_code == 202
        waited(client, "done")
        assert len(client.get("/v1/documents").json()["documents"]) == 1
        assert client.delete("/v1/documents/uganda.md").json()["error"]["code"] == "no_document"
        assert client.delete("/v1/documents/kenya.txt").status_code == 404  # it was not uploaded


def test_a_document_that_cannot_be_read_is_told(notes):
    with serving_notes(notes, write=True) as client:
        client.put("/v1/documents/bad.txt", content=b"\0\1\2")
        told = waited(client, "done")["message"]
        (bad,) = client.get("/v1/documents").json()["bad"]
        assert bad["name"] == "bad.txt"
        assert f"not read: bad.txt ({bad['reason']})" in told


def test_nothing_is_written_unless_that_was_allowed(notes):
    with serving_notes(notes) as client:
        for reply in (
            client.put("/v1/documents/a.txt", content="x"),
            client.delete("/v1/documents/a.txt"),
            client.post("/v1/merges", json={"undo": ["x"]}),
        ):
            assert (reply.status_code, reply.json()["error"]["code"]) == (403, "read_only")
        assert client.get("/v1/documents").status_code == 200
    assert not notes.with_name("notes.graph.uploads").exists()


def test_names_are_merged_and_taken_apart(notes):
    with serving_notes(notes, write=True) as client:
        done = client.post("/v1/merges", json={"merge": [{"alias": "Lake Turkana", "name": "Lake Victoria"}]})
        assert done.status_code == 200, done.text
        assert client.get("/v1/merges").json()["merged"] == [{"alias": "lake turkana", "name": "lake victoria"}]
        found = client.get("/v1/entities", params={"q": "Lake Turkana"}).json()["entities"]
        assert found[0]["key"] == "lake victoria"
        client.post("/v1/merges", json={"undo": ["Lake Turkana"]})
        assert client.get("/v1/merges").json()["merged"] == []


def test_names_are_not_merged_while_the_graph_is_indexed(notes):
    merge = {"merge": [{"alias": "Lake Turkana", "name": "Lake Victoria"}]}
    with serving_notes(notes, write=True, kernels=1, seconds=60.0) as client:
        with claim(notes.with_name("notes.graph.text") / "index.lock"):
            reply = client.post("/v1/merges", json=merge)
            assert (reply.status_code, reply.json()["error"]["code"]) == (409, "indexing")
            ask = {"question": "What is the capital of Kenya?", "recipe": "words"}
            assert client.post("/v1/ask", json=ask).status_code == 200  # the place of a run was not taken
        assert client.get("/v1/merges").json()["merged"] == []
        assert client.post("/v1/merges", json=merge).status_code == 200


def test_a_graph_is_not_opened_again_because_somebody_reads_its_documents(notes):
    with serving_notes(notes, poll=1000.0) as client:
        hosted = client.app.state.service.graphs["notes"]
        assert not hosted.refresh()
        before = hosted.now
        for route in ("documents", "merges"):
            assert client.get(f"/v1/{route}").status_code == 200
        assert not hosted.refresh()
        assert hosted.now is before


@pytest.mark.whole
def test_a_page_of_passages_does_not_read_those_of_other_documents_again(notes, monkeypatch):
    (notes.parent / "more").mkdir()
    for i in range(30):
        (notes.parent / "more" / f"{i}.txt").write_text(KENYA.replace("Turkana", f"Number {i}"))
    index([notes.parent / "more"], notes)
    read, passage = [], TextGraph.passage
    monkeypatch.setattr(TextGraph, "passage", lambda graph, i: read.append(i) or passage(graph, i))
    with serving_notes(notes) as client:
        documents = [one["document"] for one in client.get("/v1/documents").json()["documents"]]
        assert len(documents) == 31
        for document in documents:
            read.clear()
            (found,) = client.get("/v1/documents/passages", params={"document": document}).json()["passages"]
        assert read == [found["passage"]]
        assert client.get("/v1/documents/passages", params={"document": "none"}).status_code == 404


def test_indexing_that_ended_with_its_server_is_told(notes):
    folder = notes.with_name("notes.graph.uploads")
    folder.mkdir()
    running = {"state": "running", "step": "reading", "changed": "2026-01-01T00:00:00+00:00"}
    (folder / ".status.json").write_text(json.dumps(running))
    with serving_notes(notes, write=True) as client:
        found = client.get("/v1/documents/status").json()
        assert (found["state"], "the server ended" in found["message"]) == ("failed", True)
        with claim(notes.with_name("notes.graph.text") / "index.lock"):  # as another worker does
            assert client.get("/v1/documents/status").json()["state"] == "running"


def test_uploads_are_bounded_and_leave_nothing_behind(notes):
    with serving_notes(notes, write=True, document_bytes=1000) as client:
        pieces = (b"x" * 600 for _ in range(3))
        assert client.put("/v1/documents/a.txt", content=pieces).status_code == 413
        assert client.put("/v1/documents/a.txt", content=b"").json()["error"]["code"] == "empty_document"
    folder = notes.with_name("notes.graph.uploads")
    assert [file.name for file in folder.iterdir()] == []


NOT_NAMES = (
    "../a.txt",
    "a/b.txt",
    "a\\b.txt",
    ".hidden.txt",
    "a.exe",
    "a",
    "con.txt",
    "a.txt ",
    "a\n.txt",
    "..",
    "a\0.txt",
)


@pytest.mark.parametrize("name", NOT_NAMES)
def test_names_of_documents_are_names_of_files(name):
    with pytest.raises(ServeError) as caught:
        checked_name(name)
    assert caught.value.code in ("bad_name", "bad_kind")


@pytest.mark.parametrize("name", ["Bob's notes (2) & more.md", "हिन्दी.md", "résumé.md", "漢" * 65 + ".md"])
def test_documents_may_have_the_names_that_people_give_them(name):
    assert checked_name(unicodedata.normalize("NFD", name)) == unicodedata.normalize("NFC", name)


def test_names_that_are_too_long_for_a_file_are_refused():
    with pytest.raises(ServeError, match="may have 200 bytes, got 303; shorten it"):
        checked_name("漢" * 100 + ".md")


def test_an_upload_that_is_given_up_is_no_fault_of_the_server(notes, caplog):
    with serving_notes(notes, write=True, document_bytes=1000) as client:
        pieces = (b"x" * 600 for _ in range(3))
        assert client.put("/v1/documents/a.txt", content=pieces).status_code == 413
    assert "failed" not in caplog.text


def test_paths_in_addresses_lead_nowhere(notes):
    with serving_notes(notes, write=True) as client:
        for name in ("..%2f..%2fa.txt", "%2e%2e%2fa.txt", "..%5ca.txt", "a%00.txt"):
            assert client.put(f"/v1/documents/{name}", content="x").status_code in (400, 404, 405)


def test_a_graph_that_was_not_made_from_text_has_no_documents(client):
    assert client.get("/v1/documents").json()["error"]["code"] == "not_from_text"


def test_names_that_look_alike_are_proposed(notes, monkeypatch):
    def proposed(path, embedder, *, at_least, n):
        assert (str(path), repr(embedder), at_least, n) == (str(notes), "MiniLM()", 0.9, 20)
        return [Proposal("Lake Victorria", "Lake Victoria", 0.97)]

    monkeypatch.setattr("graphbrick.serve.routes.documents.proposed_merges", proposed)
    with serving_notes(notes) as client:
        found = client.get("/v1/merges/proposals", params={"at_least": 0.9}).json()
    assert found == {"proposals": [{"alias": "Lake Victorria", "name": "Lake Victoria", "cosine": 0.97}]}


@pytest.mark.whole
@pytest.mark.parametrize("with_database", [True, False])
def test_nothing_tells_the_folders_of_the_server(notes, made, with_database):
    if not with_database:
        (notes.with_name("notes.graph.text") / "documents.sqlite").unlink()
    with serving_notes(notes) as client:
        ask = {"question": "What is the capital of Kenya?", "recipe": "words"}
        replies = [
            client.post("/v1/ask", json=ask),
            client.post("/v1/ask", json=ask | {"stream": True}),
            client.post("/v1/ask", json={"question": "Summarise nothing.txt"}),
            client.post("/v1/chat/completions", json={"model": "words", "messages": [_said("capital of Kenya?")]}),
            client.get("/v1/entities/one", params={"key": "kenya"}),
            client.get("/v1/graphs/notes"),
        ]
        if with_database:
            replies.append(client.get("/v1/documents"))
        for reply in replies:
            assert reply.status_code == 200, reply.text
            assert str(made.parent) not in reply.text
        (cited,) = replies[0].json()["support"][0]["citations"]
        assert cited["document"] == "kenya.txt"
        for name in ("kenya.txt", str(made / "docs" / "kenya.txt")):  # also in a link of an earlier version
            opened = client.get("/v1/documents/passages", params={"document": name})
            assert opened.json()["document"] == "kenya.txt"


def _said(text):
    return {"role": "user", "content": text}
