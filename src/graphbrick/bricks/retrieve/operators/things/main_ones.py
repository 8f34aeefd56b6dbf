"""«The main languages of X», of a graph that does not say which are the main ones: all of them, less sure."""

from __future__ import annotations

import re
from dataclasses import replace

from graphbrick.bricks.retrieve.operators.triples.columns import texts_of_triples, triple_properties
from graphbrick.core import Query
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, is_plural, spaced, stem
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of, words_of_values

_MAIN = Expression(
    r"(?i)\b(?P<before>which|what|the|all|any|list|our|are|there|show|me|of|'s) "
    r"(?P<word>main|primary|principal|chief|key) (?P<noun>[a-z]+)(?![\w-])"
)
_OFFICES = frozenset(
    "executive editor engineer officer scientist investigator justice constable inspector technology operating"
    " financial information minister teacher school colour color care key keys number value index".split()
)
"""Words that make one noun with «chief», «principal», «primary» or «key»."""


def main_left_out(graph: Graph, lexicon: Lexicon, asked: tuple[Query, bool]) -> tuple[Query, bool]:
    """Return a question without «main» before a noun, and whether something else may be asked.

    It stays where a name, class, relation, property or value of the graph has the word: that may tell which are meant.

    Args:
        graph: The graph.
        lexicon: Its words.
        asked: The question, and whether something else may be asked than what it says now.
    """
    query, _ = asked
    found = _MAIN.search(query.text)
    if found is None or found["noun"].lower() in _OFFICES:
        return asked
    word, noun = found["word"].lower(), found["noun"]
    labels = (*(mention.text for mention in query.mentions), *map(graph.label, query.seeds))
    if any(word in WORD.findall(label.lower()) for label in labels) or _is_known(graph, lexicon, word):
        return asked
    one = f"are the {word} ones" if is_plural(noun) else f"is the {word} one"
    said = f"this graph does not say which {noun} {one}: '{word}' is left out"
    event(said, "operators.main_left_out", word=word, noun=noun)
    text = query.text[: found.start("word")] + re.sub(r"^\s+", "", query.text[found.end("word") :])
    return replace(query, text=text), True


def _is_known(graph: Graph, lexicon: Lexicon, word: str) -> bool:
    """Return whether a relation, class, property or value has a word."""
    names = (*(one.name for one in sources_of(graph)), *(one.name for one in triple_properties(graph)))
    said = {part for name in names for part in WORD.findall(spaced(name).lower())}
    said.update(part for text in texts_of_triples(graph) for part in WORD.findall(text))
    own = stem(word)
    return (
        own in lexicon.words
        or word in said
        or word in words_of_values(graph)
        or any(own in one for one in lexicon.by_class)
    )
