"""Sentences about entities, made from their names, types, properties and descriptions, and the index of their words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress, silent, watched_part
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.stated import shown_properties
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import FolderBeside
from graphbrick.graphs.store.word_index import WORDS, WordIndex, load_word_index, word_index

_PROPERTIES, _LONGEST = 60, 200  # properties in a sentence, and characters of a value
_VERSION = f"1 {WORDS}"  # changes with the form of sentences
_IN_PASSING = 10_000  # most sentences whose words are indexed during a run; more take seconds or minutes


def sentence_of(graph: Graph, entity: int) -> str:
    """Return a sentence about an entity: «NAME is a TYPE with P1 V1, P2 V2 (also called ALIAS). DESCRIPTION».

    Properties are those of `Graph.properties`, at most 60: literals of RDF are among them, neighbours are not.

    >>> import tempfile
    >>> from graphbrick.graphs.build.builder import build
    >>> from graphbrick.graphs.records.records import EntityRecord
    >>> kettle = EntityRecord("K1", "Blue Kettle", types=("product",), properties={"price": 24.5, "colour": "blue"})
    >>> graph = build([kettle, ("K1", "made by", "Brew & Sons")], Path(tempfile.mkdtemp()) / "shop.graph")
    >>> sentence_of(graph, graph.entity("K1"))
    'Blue Kettle is a product with price 24.5, colour blue'
    """
    types = " and ".join(graph.types(entity))
    is_a = f" is {'an' if types[:1].lower() in 'aeiou' else 'a'} {types}" if types else ""
    shown = shown_properties(graph.properties(entity), _PROPERTIES, _LONGEST)
    values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown)
    having = f" {'with' if types else 'has'} {values}" if values else ""
    others = ", ".join(graph.aliases(entity))
    also = f" (also called {others})" if others else ""
    description = graph.description(entity)
    return f"{graph.label(entity)}{is_a}{having}{also}{f'. {description}' if description else ''}"


def sentences_of(graph: Graph, entities: Iterable[int]) -> list[str]:
    """Return the sentences about entities, in their order."""
    return [sentence_of(graph, entity) for entity in entities]


def words_place(graph: Graph) -> FolderBeside:
    """Return the folder of the words of a graph's sentences."""
    return FolderBeside(graph, "index", "words")


def command(graph: Graph) -> str:
    """Return the command that indexes the sentences of a graph."""
    return f"graphbrick prepare sentences {shlex.quote(str(graph.path))}"


def build_words(graph: Graph, *, progress: Progress = silent) -> WordIndex:
    """Index the words of a graph's sentences, and keep the index beside the graph.

    Args:
        graph: The graph.
        progress: Called with the number of sentences read so far.

    Raises:
        GraphbrickError: It cannot be written.
    """

    def texts() -> Iterable[str]:
        for entity in range(graph.n_entities):
            if entity % 1000 == 0:
                progress("", entity, graph.n_entities)
            yield sentence_of(graph, entity)

    made = word_index(texts())

    def fill(folder: Path) -> dict[str, Any]:
        made.save(folder)
        return {"graph": graph.hash, "version": _VERSION, "sentences": graph.n_entities, "empty": made.is_empty}

    words_place(graph).keep("the words of the sentences", fill)
    current_session().drop(("sentence words",), of=graph)
    return made


def words_of(graph: Graph) -> WordIndex:
    """Return the index of the words of a graph's sentences; for a small graph, make a missing one.

    Raises:
        GraphbrickError: There is none, or one of another version of the graph, and the graph is too large to make it
            during a run.
    """
    return current_session().get(("sentence words",), lambda: _open_or_make(graph), of=graph)


def _open_or_make(graph: Graph) -> WordIndex:
    place = words_place(graph)
    try:
        facts = place.facts()
        if facts is not None and facts["version"] == _VERSION:
            return WordIndex(None) if facts["empty"] else load_word_index(place.folder)
        why = "was made by another version of graphbrick" if facts is not None else place.missing_because()
    except (OSError, ValueError, KeyError) as error:
        why = f"is damaged ({error})"
    text = f"the index of the words of sentences about the entities of {graph.path} {why}"
    if graph.n_entities > _IN_PASSING:
        raise GraphbrickError(
            f"{text}; make it with: {command(graph)}", code="sentences.missing", command=command(graph)
        )
    with watched_part("indexing sentences", graph.n_entities):
        made = build_words(graph)
    event(f"{text}; it was made now (beforehand: {command(graph)})", "sentences.made", n=graph.n_entities)
    return made
