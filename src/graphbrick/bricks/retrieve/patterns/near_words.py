"""Questions that are near a question by meaning: with the nearest words of the graph for words it does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice, product

import numpy as np

from graphbrick.core.answer import NearReading
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import WORD, spaced, stem
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import property_names, whole_values

_MOST_WORDS, _MOST_NAMES = 2, 128  # words that are replaced, and names of the graph that are compared
_NEAREST, _LEAST, _MOST = 4, 0.35, 4  # names for a word, their least similarity, and questions
_LONGEST = 40  # letters of a value


def by_meaning(
    graph: Graph, lexicon: Lexicon, question: str, unknown: Collection[str], embedder: Embedder
) -> list[NearReading]:
    """Return questions with names of classes, properties, relations and values for words that are not known.

    They are still to be tried, the nearest first. Of names that are nearest to a word, the first is often not what is
    meant: they are readings to offer, and no answers.

    Args:
        graph: The graph.
        lexicon: Its words.
        question: The question.
        unknown: The stems of the words.
        embedder: Compares words.
    """
    places = [match for match in WORD.finditer(question) if stem(match[0].lower()) in unknown]
    names = _names(graph, lexicon) if 0 < len(places) <= _MOST_WORDS and embedder.reads(question) else []
    if not names:
        return []
    choices = []
    for place in places:
        scores = embedder.score(place[0].lower(), names)
        best = np.argsort(-scores, kind="stable")[:_NEAREST].tolist()
        choices.append([(float(scores[at]), names[at]) for at in best if scores[at] > _LEAST])
    readings = list[NearReading]()
    for chosen in islice(sorted(product(*choices), key=lambda one: -min(score for score, _ in one)), _MOST):
        text, read = question, list(zip(places, (name for _, name in chosen), strict=True))
        for place, name in reversed(read):
            text = f"{text[: place.start()]}{name}{text[place.end() :]}"
        said = ", ".join(f"«{place[0]}» as «{name}»" for place, name in read)
        readings.append(NearReading(f"{question} ({said})", text))
    return readings


def _names(graph: Graph, lexicon: Lexicon) -> list[str]:
    """Return what the graph calls its classes, properties, relations and values, in lower case, read once."""
    key = ("names by meaning", graph.place, graph.hash)
    return current_session().get(key, lambda: list(dict.fromkeys(_read(graph, lexicon)))[:_MOST_NAMES], at_most=8)


def _read(graph: Graph, lexicon: Lexicon) -> Iterable[str]:
    yield from (spaced(name).lower() for name in lexicon.classes)
    yield from property_names(graph)
    yield from (spaced(graph.relation_label(number)).lower().replace("_", " ") for number in range(graph.n_relations))
    yield from sorted(value for value in whole_values(graph) if len(value) <= _LONGEST)
