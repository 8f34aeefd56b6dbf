"""Questions while passages have no vectors yet: the best by words are embedded first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import told
from overlap import Overlap

from graphbrick import PassageRank, Query, Subgraph, index
from graphbrick.bricks.retrieve.documents.late_vectors import hold_vectors
from graphbrick.core.session import Session
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.models.indexes.embed_graph import embed_passages, lacks_vectors

DOCUMENTS = {
    "Harbour": "Ferries to Voss leave the harbour at nine.",
    "Tickets": "Ferries cost ten crowns; pay at the kiosk.",
    "Kiosk": "The kiosk opens at eight, except on Sundays.",
    "Sundays": "On Sundays a bakery sells crowns of bread.",
    **{f"Notes {i}": f"Number {i} is about mountains, moss and rain {i}." for i in range(12)},
}
QUESTION = "Which ferries leave the harbour?"
EMBEDDED: list[str] = []


@dataclass(frozen=True, repr=False)
class Counting(Overlap):
    """Notes which texts it embeds."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        EMBEDDED.extend(texts)
        return super().encode(texts)


BRICK = PassageRank(Counting(), n=4, facts=0, synonyms=None, walk=0.25, links=0.6, late=3)


@pytest.fixture
def graph(tmp_path: Path) -> TextGraph:
    EMBEDDED.clear()
    folder = tmp_path / "docs"
    folder.mkdir()
    for title, text in DOCUMENTS.items():
        (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
    return index([folder], tmp_path / "notes.graph").graph


def asked(graph: TextGraph, brick: PassageRank, question: str = QUESTION) -> tuple[list[str], list[object]]:
    """Return the texts and the events of a question."""
    with record(Trace(), "test", "retrieve") as entry:
        items = brick.retrieve(Query(question), Subgraph(graph)).items
    return [item.text for item in items], told(entry.events)


def test_few_passages_are_embedded_and_an_event_tells_how_many(graph: TextGraph) -> None:
    texts, events = asked(graph, BRICK)
    assert events == [("passages.late", {"n": 3, "total": graph.n_passages})]
    assert DOCUMENTS["Harbour"] in texts[0]
    embedded = "\n".join(EMBEDDED)
    assert len(EMBEDDED) == 4  # and the question
    assert DOCUMENTS["Harbour"] in embedded
    assert DOCUMENTS["Tickets"] in embedded


def test_words_of_the_best_passages_find_the_next(graph: TextGraph) -> None:
    asked(graph, replace(BRICK, late=4))
    assert DOCUMENTS["Kiosk"] in "\n".join(EMBEDDED)  # it has no word of the question but «the», but some of «Tickets»


def test_vectors_of_earlier_questions_stay(graph: TextGraph) -> None:
    asked(graph, BRICK)
    EMBEDDED.clear()
    _, events = asked(graph, BRICK, "What sells the bakery on Sundays?")
    assert events == [("passages.late", {"n": 6, "total": graph.n_passages})]
    assert not any(DOCUMENTS["Harbour"] in text for text in EMBEDDED)


def test_with_all_vectors_the_answer_is_that_of_all(graph: TextGraph) -> None:
    asked(graph, BRICK)
    assert lacks_vectors(graph, Counting())
    embed_passages(graph, Counting())
    assert not lacks_vectors(graph, Counting())
    assert asked(graph, BRICK) == asked(graph, replace(BRICK, late=None))


def test_few_missing_vectors_are_made(graph: TextGraph) -> None:
    texts, events = asked(graph, replace(BRICK, late=graph.n_passages))
    assert events == []
    assert texts == asked(graph, replace(BRICK, late=None))[0]


def test_a_question_without_a_known_word_is_answered(graph: TextGraph) -> None:
    texts, events = asked(graph, BRICK, "xyzzy?")
    assert len(texts) == 4
    assert [code for code, _ in events] == ["passages.late"]


def test_held_vectors_are_compared_even_if_they_cannot_be_kept(graph: TextGraph) -> None:
    with Session(vectors_mb=0):
        assert [code for code, _ in asked(graph, BRICK)[1]] == ["passages.late"]
        hold_vectors(graph, Counting())
        EMBEDDED.clear()
        texts, events = asked(graph, BRICK)
        assert (events, EMBEDDED) == ([], [])
        assert texts == asked(graph, replace(BRICK, late=None))[0]
