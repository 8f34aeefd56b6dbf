"""The words of passages that are kept with a graph."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from documents import write_documents

from graphbrick import Passages, index
from graphbrick.graphs.corpus import TextGraph, searched_text
from graphbrick.graphs.store.word_index import WordIndex, load_word_index, word_index

DOCUMENTS = {
    "kenya.txt": "Kenya borders Uganda. The capital of Kenya is Nairobi.",
    "uganda.txt": "In Uganda, the capital is Kampala. Lake Victoria borders Uganda; the secret is quuxly.",
    "zh.txt": "图书馆八点开门。",
}
QUESTIONS = ("Which capital has Kenya?", "Kenya, Kenya and Uganda", "图书馆", "xyzzy", "")


@pytest.fixture
def notes(tmp_path: Path) -> TextGraph:
    return index([write_documents(tmp_path / "docs", DOCUMENTS)], tmp_path / "notes.graph").graph


def words_beside(graph: TextGraph) -> set[str]:
    """Return the words in files beside the graph."""
    files = [*graph.place.with_name("notes.graph.text").rglob("vocab.index.json")]
    return {word for file in files for word in json.loads(file.read_text())}


def scores(words: WordIndex, n: int) -> list[list[float]]:
    return [words.scores(question.casefold().strip("?").split(), n).tolist() for question in QUESTIONS]


def test_the_kept_words_are_those_that_a_question_would_index(notes: TextGraph) -> None:
    texts = [searched_text(notes.passage(i)) for i in range(notes.n_passages)]
    kept, made = notes.word_index(), word_index(texts)
    assert scores(kept, len(texts)) == scores(made, len(texts))
    assert np.any(scores(kept, len(texts)))
    assert "quuxly" in words_beside(notes)
    assert kept.frequency("kenya") == sum("Kenya" in text for text in texts)
    assert ("kenya" in kept, "xyzzy" in kept) == (True, False)


def test_words_of_deleted_documents_are_erased(notes: TextGraph, tmp_path: Path) -> None:
    (tmp_path / "docs" / "uganda.txt").unlink()
    graph = index([tmp_path / "docs"], notes.place).graph
    assert "quuxly" not in words_beside(graph)
    assert "quuxly" not in graph.word_index()


def test_a_graph_without_kept_words_indexes_them(notes: TextGraph) -> None:
    expected = scores(notes.word_index(), notes.n_passages)
    (facts,) = notes.place.with_name("notes.graph.text").glob("passages-*/facts.json")
    content = json.loads(facts.read_text())
    del content["words"], content["checksum"]  # as written by earlier versions
    facts.write_text(json.dumps(content))
    assert scores(TextGraph.open(notes.place).word_index(), notes.n_passages) == expected


def test_a_graph_that_was_made_anew_meanwhile_goes_on(notes: TextGraph) -> None:
    expected = scores(notes.word_index(), notes.n_passages)
    (folder,) = notes.place.with_name("notes.graph.text").glob("passages-*")
    shutil.rmtree(folder)
    assert scores(notes.word_index(), notes.n_passages) == expected


def test_passages_without_words(tmp_path: Path) -> None:
    word_index(["!", "?"]).save(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        load_word_index(tmp_path)
    graph = index([write_documents(tmp_path / "docs", {"a.txt": "?!", "b.txt": "Kenya."})], tmp_path / "a.graph").graph
    run = Passages(n=1).run(graph, "Kenya?")
    assert run.evidence is not None
    assert run.evidence.items[0].text == "Kenya."
