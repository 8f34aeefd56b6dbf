"""Linking by names: labels and aliases, exactly after folding, or nearly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from graphbrick.core import Mention, Query
from graphbrick.core.errors import LinkError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.names import NearMatch
from graphbrick.graphs.text import Token, extend_span, fold, name_form, nfc, token_hashes, tokens
from graphbrick.pipeline import LinkStage

M = TypeVar("M")

# Longer names are found as given seeds, not in running text.
_LONGEST_NAME = 64
# Near misses are looked for in the beginning of a question, in pieces of a few words.
_NEAR_WORDS, _NEAR_SPAN, _NEAR_SHORTEST = 64, 4, 4
_SHOWN = 5
_PART = 0.9  # the score of a part that only one name has
_RELATIONS_READ = 10_000

# Words that build a question; alone they name nothing, though a film may be called "It" or a city "Of".
STOP_WORDS = frozenset(
    "a about after all also am an and any are as at be because been before between both but by can could did do does "
    "each for from had has have he her hers him his how i if in into is it its many me more most much my no not of on "
    "one or other our out over s she so some such t than that the their them then there these they this those to too "
    "under up us was we were what when where which while who whom whose why will with would you your".split()
)


@dataclass(frozen=True, repr=False)
class LinkLabels(LinkStage):
    """Seeds by label or alias, longest match first over the whole question; else by a part of a name, else near misses.

    Case, accents and punctuation are ignored. A single lower-case word is taken only if nothing else matches. Function
    words are taken only if they are capitalized, not the first word, and spelled exactly like a name. If several
    entities share a name, exact spelling comes first, then labels before aliases, then the entity with the most
    triples. The others are an event in the trace and are kept in ``Mention.others``. A part of a name, such as a first
    name alone, is taken if only one entity has it.

    Args:
        min_score: Least similarity of a near miss, in (0, 1); 0.8 forgives one wrong letter in five.

    Returns:
        The query with distinct seeds in order of appearance.

    Raises:
        LinkError: Nothing in the question names an entity (the message shows the nearest labels), or the only match is
            a part of several names (the message shows them).

    Example:
        >>> from graphbrick.testing import tiny_graph
        >>> graph = tiny_graph()
        >>> query = LinkLabels().link(graph, Query("Which currency is used in the country whose capital is NAIROBI?"))
        >>> [graph.label(seed) for seed in query.seeds]
        ['Nairobi']
    """

    min_score: float = parameter(0.8, above=0, below=1, search=(0.7, 0.8, 0.9))

    def link(self, graph: Graph, query: Query) -> Query:
        """Return the query with the seeds that its text names."""
        text = nfc(query.text)
        words = tokens(text)
        mentions = _exact(graph, text, words) or parts_of_names(graph, text, words) or self._near(graph, text, words)
        for mention in dict.fromkeys(mentions):
            report(graph, mention)
        seeds = tuple(dict.fromkeys(mention.entity for mention in mentions))
        return replace(query, seeds=seeds, mentions=tuple(mentions))

    def resolve(self, graph: Graph, query: Query, seeds: Iterable[str | int]) -> Query:
        """Return the query with given seeds; see `resolve_seeds`."""
        return resolve_seeds(graph, query, seeds)

    def _near(self, graph: Graph, text: str, words: list[Token]) -> list[Mention]:
        """Return near misses for a question without any exact name."""
        found = _near_matches(graph, text, words)
        good = [(span, match) for span, match in found if match.score >= self.min_score]
        if not good:
            names = list(dict.fromkeys(match.name for _, match in found))[:_SHOWN]
            nearest = f"nearest labels: {', '.join(names)}" if names else "and no label is near"
            question = text if len(text) <= 80 else text[:77] + "..."
            raise LinkError(f"nothing in {question!r} names an entity of {graph.path.name}; {nearest}; give a seed")
        mentions = []
        for span, match in _disjoint(good):
            event(f"{span.surface(text)!r} is no label; took {match.name!r} (similarity {match.score:.2f})")
            mentions.append(Mention(span.surface(text), match.entity, match.score))
        return mentions


class _Span(NamedTuple):
    """Consecutive words of the question."""

    first: int
    last: int
    words: Sequence[Token]

    def surface(self, text: str) -> str:
        return text[self.words[self.first].start : self.words[self.last].end]

    @property
    def folded(self) -> str:
        return " ".join(word.text for word in self.words[self.first : self.last + 1])

    @property
    def is_function_words(self) -> bool:
        return all(word.text in STOP_WORDS for word in self.words[self.first : self.last + 1])


def resolve_seeds(graph: Graph, query: Query, given: Iterable[str | int]) -> Query:
    """Return the query with given seeds: entity ids (also numpy integers), keys, labels or aliases.

    Raises:
        LinkError: No entity has this key or name; the message shows the nearest labels.
    """
    mentions = []
    for seed in given:
        if isinstance(seed, bool) or not isinstance(seed, str | int | np.integer):
            raise LinkError(f"a seed is an entity id, a key or a label, got {seed!r}")
        mention = _resolve(graph, seed) if isinstance(seed, str) else Mention(str(seed), int(seed))
        report(graph, mention)
        mentions.append(mention)
    return replace(query, seeds=tuple(dict.fromkeys(m.entity for m in mentions)), mentions=tuple(mentions))


def _resolve(graph: Graph, name: str) -> Mention:
    try:
        return Mention(name, graph.entity(name))
    except LinkError:
        entities = ranked(graph, nfc(name.strip()), graph.names.exact(name_form(name)))
    if not entities:
        near = ", ".join(graph.describe(match.entity) for match in graph.names.near(name, _SHOWN))
        nearest = f"nearest: {near}" if near else "and no label is near"
        raise LinkError(f"no entity of {graph.path.name} has the key or label {name[:80]!r}; {nearest}")
    return Mention(name, entities[0], others=tuple(entities[1:]))


def _exact(graph: Graph, text: str, words: list[Token]) -> list[Mention]:
    """Return exact names in the question, without overlap (longer ones win), in order of appearance."""
    strong: list[tuple[_Span, Mention]] = []
    weak: list[tuple[_Span, Mention]] = []
    for span in _spans_of_names(graph, words):
        surface = span.surface(text)
        names = graph.names.exact(span.folded)
        entities = ranked(graph, surface, names)
        if not entities:
            continue
        mention = Mention(surface, entities[0], others=tuple(entities[1:]))
        if span.is_function_words:
            # "It" inside a question may be the film; "it", or "In" at its beginning, is not.
            if span.first > 0 and not surface.islower() and any(graph.names.name(n) == surface for n in names):
                strong.append((span, mention))
        elif span.first == span.last and surface.islower():
            weak.append((span, mention))
        else:
            strong.append((span, mention))
    taken = _disjoint(strong or weak)
    if strong and weak:
        free = [s for s, _ in weak if not any(t.first <= s.first <= t.last for t, _ in taken)]
        if free:
            event("left out as common words: " + ", ".join(dict.fromkeys(s.surface(text) for s in free)))
    return [mention for _, mention in taken]


def _spans_of_names(graph: Graph, words: list[Token]) -> list[_Span]:
    """Return the spans of the question whose hash is that of a name, longest first."""
    if not words:
        return []
    hashes = token_hashes([word.text for word in words])
    spans: list[_Span] = []
    rolling = np.zeros(len(words), dtype=np.uint64)
    for length in range(1, min(graph.names.max_tokens, _LONGEST_NAME, len(words)) + 1):
        starts = len(words) - length + 1
        rolling = extend_span(rolling[:starts], hashes[length - 1 :])
        spans += [_Span(int(i), int(i) + length - 1, words) for i in np.flatnonzero(graph.names.known(rolling))]
    spans.sort(key=lambda span: (span.first - span.last, span.first))
    return spans


def _disjoint(spans: list[tuple[_Span, M]]) -> list[tuple[_Span, M]]:
    """Return spans without overlap (earlier entries of the list win), in order of appearance."""
    used: set[int] = set()
    taken = []
    for span, value in spans:
        place = range(span.first, span.last + 1)
        if used.isdisjoint(place):
            used.update(place)
            taken.append((span, value))
    return sorted(taken, key=lambda entry: entry[0].first)


def ranked(graph: Graph, surface: str, names: Iterable[int]) -> list[int]:
    """Return the entities of some names: exact spelling first, then labels, then by degree, then by id."""
    best: dict[int, tuple[bool, bool, int, int]] = {}
    for name in names:
        entity = graph.names.entity(name)
        is_alias = name != entity
        rank = (graph.names.name(name) != surface, is_alias, -graph.degree(entity), entity)
        best[entity] = min(rank, best.get(entity, rank))
    return sorted(best, key=lambda entity: best[entity])


def parts_of_names(graph: Graph, text: str, words: list[Token]) -> list[Mention]:
    """Return the entities that a part of a name in the question identifies, such as a first name alone.

    The part must belong to one entity only. Only capitalized words are considered, longer parts first.

    Raises:
        LinkError: There are such parts, and each is in several names.
    """
    relations = _relation_words(graph)
    words = words[:_NEAR_WORDS]
    spans = [
        _Span(first, last, words)
        for size in range(_NEAR_SPAN, 0, -1)
        for first in range(len(words) - size + 1)
        for last in [first + size - 1]
    ]
    spans = [s for s in spans if not any(word.text in STOP_WORDS for word in words[s.first : s.last + 1])]
    spans = [s for s in spans if len(s.folded) > 1 and s.folded not in relations]
    named = [s for s in spans if all(text[word.start].isupper() for word in words[s.first : s.last + 1])]
    matches = [(span, graph.names.containing(span.folded)) for span in named]
    taken = _disjoint([(span, entities) for span, entities in matches if entities])
    mentions = [Mention(s.surface(text), found[0], _PART) for s, found in taken if len(found) == 1]
    for mention in mentions:
        event(f"{mention.text!r} is a part of one name only; took {graph.label(mention.entity)!r}")
    several = [(span, entities) for span, entities in taken if len(entities) > 1]
    if several and not mentions:
        span, entities = several[0]
        shown = ", ".join(graph.label(entity) for entity in entities[:_SHOWN])
        more = f", and {len(entities) - _SHOWN:,} more" if len(entities) > _SHOWN else ""
        raise LinkError(
            f"{span.surface(text)!r} is a part of {len(entities):,} names of {graph.path.name}: {shown}{more}; write "
            "one in full, or give a seed"
        )
    return mentions


def _near_matches(graph: Graph, text: str, words: list[Token]) -> list[tuple[_Span, NearMatch]]:
    """Return near misses of parts of the question: best first, ties to longer parts."""
    if len(words) > _NEAR_WORDS:
        event(f"near misses were looked for in the first {_NEAR_WORDS} of {len(words):,} words")
        words = words[:_NEAR_WORDS]
    spans = [
        _Span(first, last, words)
        for first in range(len(words))
        for last in range(first, min(first + _NEAR_SPAN, len(words)))
    ]
    relations = _relation_words(graph)
    spans = [s for s in spans if not s.is_function_words and len(s.folded) >= _NEAR_SHORTEST]
    spans = [s for s in spans if s.first < s.last or s.folded not in relations]
    # Where the question writes names with capitals, only those are looked up.
    named = [s for s in spans if s.first > 0 and text[words[s.first].start].isupper()]
    found = [(span, match) for span in named or spans for match in graph.names.near(span.folded, 3, min_score=0.5)]
    found.sort(key=lambda entry: (-entry[1].score, entry[0].first - entry[0].last, entry[0].first, entry[1].entity))
    return found


def _relation_words(graph: Graph) -> set[str]:
    """Return the words of relation labels, which in a question rarely mean a misspelt entity."""
    few = range(min(graph.n_relations, _RELATIONS_READ))
    return {word for relation in few for word in fold(graph.relation_label(relation)).split()}


def report(graph: Graph, mention: Mention, by: str = "") -> None:
    """Record an event that says which of several entities of one name was taken; none if it is unique."""
    if not mention.others:
        return
    shown = "; ".join(graph.describe(entity) for entity in mention.others[:_SHOWN])
    more = f"; and {len(mention.others) - _SHOWN:,} more" if len(mention.others) > _SHOWN else ""
    event(
        f"{mention.text!r} names {len(mention.others) + 1:,} entities; {by}{' ' if by else ''}took "
        f"{graph.describe(mention.entity)}, others: {shown}{more}"
    )
