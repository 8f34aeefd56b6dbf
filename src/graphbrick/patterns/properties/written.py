"""Names of a graph in a question as tables write them, `usage_perc_y`, and words that tables write as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import name_form
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.properties.sources import sources_of, words_of_values
from graphbrick.patterns.text import in_words

_NAME = Expression(r"[a-z_][a-z0-9_]*[a-z0-9]")
_PAIR = Expression(r"\b([a-z]{3,})[ -](?=([a-z]{3,})\b)")
_HYPHENATED = Expression(r"\b([a-z]{2,})-([a-z]{2,})\b")
_SHORTEST_JOINED = 4  # letters
_LONG = 8  # letters of a word that may be two in a question


@dataclass(frozen=True)
class _Written:
    """Names of a graph.

    Attributes:
        words: The words of each name that is written otherwise, in lower case.
        long: The stems of long words of names.
        pairs: The stems of words that stand side by side in names.
    """

    words: dict[str, str]
    long: frozenset[str]
    pairs: frozenset[tuple[str, str]]


def with_names_as_words(graph: Graph, text: str) -> str:
    """Return a question with names of the graph as words, and two words as one where names have them so.

    Args:
        graph: The graph.
        text: The question in lower case; entities may be placeholders such as `e0`.
    """
    key = ("names as written", graph.place, graph.hash)
    written = current_session().get(key, lambda: _written(graph), at_most=8)
    text = _HYPHENATED.sub(
        lambda match: " ".join(match.groups()) if _are_two(written, *match.groups()) else match[0], text
    )
    text = _NAME.sub(lambda match: written.words.get(match[0], match[0]), text)
    return _PAIR.sub(lambda match: match[1] if _is_one(written, match[1], match[2]) else match[0], text)


def _is_one(written: _Written, word: str, after: str) -> bool:
    return stem(word + after) in written.long and (stem(word), stem(after)) not in written.pairs


def _are_two(written: _Written, word: str, after: str) -> bool:
    """Return whether a name has two words that a question joins by a hyphen: «step-free» of `step_free_access`."""
    return (stem(word), stem(after)) in written.pairs and word not in FUNCTION_WORDS  # «all-star» is no quantity


def _written(graph: Graph) -> _Written:
    values, words, said = words_of_values(graph), dict[str, str](), list[list[str]]()
    for name, spoken in _names(graph):
        said.append(spoken.split())
        plain = name.lower().strip("_")
        if plain != spoken and _NAME.fullmatch(plain) and plain not in values and not _is_entity(graph, name):
            words[plain] = spoken
    for one in said:  # «wifi» of `hasWiFi`
        joined = {
            first + second: f"{first} {second}" for first, second in pairwise(one) if not _is_compound(first, second)
        }
        words = {word: spoken for word, spoken in joined.items() if word not in values} | words
    long = frozenset(stem(word) for one in said for word in one if len(word) >= _LONG)
    return _Written(words, long, frozenset((stem(a), stem(b)) for one in said for a, b in pairwise(one)))


def _is_compound(first: str, second: str) -> bool:
    """Return whether two words joined may mean something else: an island is not what `is_land` tells."""
    if len(first + second) < _SHORTEST_JOINED or not forms.is_installed():
        return True
    return forms.is_word(first) and forms.is_word(second) and forms.is_word(first + second)


def _is_entity(graph: Graph, name: str) -> bool:
    return bool(graph.names.exact(name_form(name)))


def _names(graph: Graph) -> Iterator[tuple[str, str]]:
    """Yield the names of properties, relations and classes, each with its words."""
    yield from ((source.name, source.spoken) for source in sources_of(graph) if source.spoken)
    others = [graph.relation_label(number) for number in range(graph.n_relations)]
    others += [column.name for column in graph.columns if column.of_triples]
    if graph.type_table is not None:
        others += [graph.type_table[2][number] for number in range(len(graph.type_table[2]))]
    yield from ((name, " ".join(in_words(name).lower().split())) for name in others)
