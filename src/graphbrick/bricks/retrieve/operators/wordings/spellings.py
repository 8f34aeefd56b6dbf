"""Names of classes and properties as people write them: «types of damage» for damage types, «two-handed»."""

from __future__ import annotations

import re

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of

_PAIR = re.compile(r"\b(?P<kind>[a-z]+) of (?P<noun>[a-z]+)\b")
_HYPHENS = re.compile(r"\b[a-z]+(?:-[a-z]+)+\b")
_AFTER = re.compile(r"\be(?P<number>\d+) (?P<noun>[a-z]+)\b")
_KINDS = {"kind": "type", "sort": "type"}


def with_names_of_graph(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Return a question with the names of classes and properties as the graph writes them.

    Args:
        graph: The graph.
        question: The question.
        lexicon: The words of the graph.
    """
    properties = {source.stems for source in sources_of(graph)}

    def of_class(match: re.Match[str]) -> str:
        noun, kind = stem(match["noun"]), stem(match["kind"])
        kinds = (kind, _KINDS.get(kind, kind))
        name = next((one for one in kinds if (noun, one) in lexicon.by_class), None)
        if name is None:
            return match[0]
        return f"{match['noun']} {match['kind'] if name == kind else f'{name}s'}"

    def of_property(match: re.Match[str]) -> str:
        words = match[0].replace("-", " ")
        return words if stems(words) in properties else match[0]

    text = _HYPHENS.sub(of_property, _PAIR.sub(of_class, question.text))
    return Question(_without_part(graph, text, question, lexicon), question.entities, question.names, question.told)


def _without_part(graph: Graph, text: str, question: Question, lexicon: Lexicon) -> str:
    """Leave out «damage» of «fire damage», where Fire is a damage type."""

    def without(match: re.Match[str]) -> str:
        number, noun = int(match["number"]), (stem(match["noun"]),)
        if number >= len(question.entities) or lexicon.class_named(noun):
            return match[0]
        types = [stems(spaced(name)) for name in graph.types(question.entities[number])]
        after = stems(text[match.end() :])[:1]  # «group» of «the Dragon egg group» is the rest of the name
        is_part = any(noun[0] in name[:-1] and not set(after) & set(name) for name in types)
        return f"e{number}" if is_part else match[0]

    return _AFTER.sub(without, text)
