"""Names of classes and properties as people write them: «types of damage» for damage types, «host name»."""

from __future__ import annotations

import re

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon, label_stems
from graphbrick.patterns.properties.sources import sources_of

_PAIR = Expression(r"\b(?P<kind>[a-z]+) of (?P<noun>[a-z]+)\b")
_HYPHENS = Expression(r"\b[a-z]+(?:-[a-z]+)+\b")
_AFTER = Expression(r"\be(?P<number>\d+) (?P<noun>[a-z]+)\b")
_WORD, _TWO_WORDS = Expression(r"\b[a-z]{6,}\b"), Expression(r"\b([a-z]{3,}) (?=([a-z]{3,})\b)")
_KINDS = {"kind": "type", "sort": "type"}


def with_names_of_graph(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Return a question with the names of classes and properties as the graph writes them.

    Args:
        graph: The graph.
        question: The question.
        lexicon: The words of the graph.
    """
    properties = {source.stems for source in sources_of(graph)}
    words_of_names = {word for name in properties for word in name}

    def of_class(match: re.Match[str]) -> str:
        noun, kind = stem(match["noun"]), stem(match["kind"])
        kinds = (kind, _KINDS.get(kind, kind))
        name = next((one for one in kinds if (noun, one) in lexicon.by_class), None)
        if name is None:
            return match[0]
        return f"{match['noun']} {match['kind'] if name == kind else f'{name}s'}"

    def of_property(match: re.Match[str]) -> str:
        words, one = match[0].replace("-", " "), match[0].replace("-", "")
        if stems(words) in properties:
            return words
        return one if stem(one) in words_of_names else match[0]  # «kick-off» of `kickoff_time`

    text = _HYPHENS.sub(of_property, _PAIR.sub(of_class, question.text))
    text = as_divided(graph, text, lexicon)
    return Question(_without_part(graph, text, question, lexicon), question.entities, question.names, question.told)


def as_divided(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Write names in one word or several as the graph divides them: «home page», «host name» of column `hostname`.

    Args:
        graph: The graph, whose properties, relations and classes have these names.
        text: The question.
        lexicon: The words of the graph.
    """
    relations = map(graph.relation_label, range(graph.n_relations))
    properties = {*(source.stems for source in sources_of(graph)), *map(label_stems, relations)}
    known = {word for name in (*properties, *lexicon.by_class) for word in name}
    divided = [name for name in properties if len(name) > 1]

    def apart(match: re.Match[str]) -> str:
        word = match[0]
        if stem(word) in known:
            return word
        return next((" ".join(parts) for name in divided if (parts := _parts(word, name))), word)

    def together(match: re.Match[str]) -> str:
        one = (stem(match[1] + match[2]),)
        return match[1] if one in properties or one in lexicon.by_class else match[0]

    return _WORD.sub(apart, _TWO_WORDS.sub(together, text))


def _parts(word: str, name: Stems) -> tuple[str, ...]:
    """Return the parts of a word whose stems are those of a name; none if it is not made of them.

    >>> _parts("homepages", stems("home page")), _parts("homepages", stems("home address"))
    (('home', 'pages'), ())
    """
    first, *rest = name
    if not rest:
        return (word,) if stem(word) == first else ()
    for end in range(len(first), len(word)):
        if stem(word[:end]) == first:
            after = _parts(word[end:], tuple(rest))
            if after:
                return (word[:end], *after)
    return ()


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
