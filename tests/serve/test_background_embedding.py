"""The vectors of passages that a server makes beside its requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from documents import write_documents

from graphbrick import MiniLM, index
from graphbrick.core.compute import check_limits
from graphbrick.core.files.locks import claim
from graphbrick.core.session import Session
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.indexes.embed_graph import lacks_vectors
from graphbrick.serve import hosting
from graphbrick.serve.hosting import BackgroundEmbedding, HostedGraph


@pytest.fixture
def notes(tmp_path: Path) -> HostedGraph:
    """A graph made from documents, without vectors."""
    documents = {"kenya.txt": "Kenya borders Uganda.", "uganda.txt": "In Uganda, the capital is Kampala."}
    place = index([write_documents(tmp_path / "docs", documents)], tmp_path / "notes.graph").graph.place
    return HostedGraph("notes", str(place), {})


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)


def has_vectors(notes: HostedGraph) -> bool:
    with Session():  # as another process sees it
        return not lacks_vectors(notes.now.graph, MiniLM())


@pytest.mark.whole
def test_missing_vectors_are_made(notes: HostedGraph) -> None:
    assert not has_vectors(notes)
    embedding = BackgroundEmbedding([notes], 0.001, Session())
    embedding.start()
    wait_until(lambda: has_vectors(notes))
    embedding.stop()


@pytest.mark.whole
def test_of_several_processes_one_embeds(notes: HostedGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[object] = []

    def tried(file: Path) -> object:
        tries.append(file)
        return claim(file)

    monkeypatch.setattr(hosting, "claim", tried)
    lock = claim(text_folder(notes.now.graph.place) / "embedding.lock")
    embedding = BackgroundEmbedding([notes], 0.001, Session())
    embedding.start()
    wait_until(lambda: len(tries) > 2)
    assert not has_vectors(notes)
    lock.release()
    wait_until(lambda: has_vectors(notes))
    embedding.stop()


def test_it_ends_with_the_server(notes: HostedGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = [], []

    def endless(*_: object) -> None:
        begun.append(1)
        try:
            while True:
                check_limits()
                time.sleep(0.001)
        finally:
            ended.append(1)

    monkeypatch.setattr(hosting, "embed_passages", endless)
    embedding = BackgroundEmbedding([notes], 0.001, Session())
    embedding.start()
    wait_until(lambda: bool(begun))
    embedding.stop()
    wait_until(lambda: bool(ended))


def test_a_fault_is_logged_once(
    notes: HostedGraph, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(hosting, "embed_passages", broken)
    embedding = BackgroundEmbedding([notes], 0.001, Session())
    embedding.start()
    wait_until(lambda: "embedding passages failed on graph notes" in caplog.text)
    time.sleep(0.02)
    embedding.stop()
    assert caplog.text.count("Traceback") == 1
