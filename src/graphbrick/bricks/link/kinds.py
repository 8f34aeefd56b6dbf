"""What a question without names is about: classes, properties and their values, relations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from graphbrick.bricks.link.exact import ExactNames, Matches
from graphbrick.bricks.link.question import Question, Span, disjoint
from graphbrick.bricks.link.unmatched import WHOLE_NAME
from graphbrick.bricks.link.words import COMPARES, MONTHS, vocabulary
from graphbrick.core import Mention
from graphbrick.core.trace import DETAIL, event
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import fold
from graphbrick.language.forms import is_installed, is_word
from graphbrick.language.stems import WORD, possible_singulars, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS, QUESTION_WORDS
from graphbrick.patterns.lexicon import Lexicon, lexicon_of
from graphbrick.patterns.properties.name_parts import parts_of_names
from graphbrick.patterns.properties.sources import (
    equal_to,
    has_triple_properties,
    sources_of,
    whole_values,
    words_of_values,
)
from graphbrick.patterns.properties.terms import is_rather_value, terms_in
from graphbrick.patterns.unknown_words import WordReader, with_readings

_FEW_HOLDERS = 3
_NAME = stems("name")
_PARTS = frozenset(stems("first last sur middle family given maiden"))  # of whole names


def values_in(graph: Graph, question: Question, words: str | None) -> list[tuple[Span, str]]:
    """Return the spans of a question that are values of properties, such as «tier 1», and names of the properties."""
    starts, values = [word.start for word in question.words], []
    for term in terms_in(graph, question.text, lexicon_of(graph, words).words):
        first, after = bisect_left(starts, term.start), bisect_left(starts, term.end)
        if first < after and not (after == first + 1 and question.is_month(first)):
            values.append((Span(first, after - 1), term.sources[0].name))
    return values + _quantities_in(graph, question, starts)


def _quantities_in(graph: Graph, question: Question, starts: list[int]) -> list[tuple[Span, str]]:
    """Return the spans of a question that name what is measured at triples, such as «vitamin K»."""
    if not has_triple_properties(graph):
        return []
    from graphbrick.patterns.properties.measured import said_in  # most graphs have no such triples

    said = said_in(graph, question.text)
    spans = [Span(bisect_left(starts, first), bisect_left(starts, end) - 1) for first, end, _ in said]
    if len(said) == 1 and question.content(spans[0]) == question.content(Span(0, len(starts) - 1)):
        return []  # «what is iron?»
    return [(span, one.label) for span, (_, _, one) in zip(spans, said, strict=True)]


def named_by_values(
    graph: Graph, question: Question, values: Sequence[tuple[Span, str]], exact: ExactNames
) -> tuple[Matches, list[tuple[Span, str]]]:
    """Return the names among the values of a question, and the others: «kane», the `web_name` of one player alone.

    A question that speaks of the property asks for its value, as in «whose short name is MCI».
    """
    names, others = Matches(), list[tuple[Span, str]]()
    said, taken = set(stems(question.text)), [span for span, _ in exact.names]
    for span, name in values:
        own = stems(spaced(name))
        text = re.sub(r"(?:['’]s|['’])$", "", question.surface(span))
        is_name = own[-1:] == _NAME and len(own) > 1 and own[0] not in _PARTS and not said.intersection(own)
        is_name &= not (text.islower() and is_installed() and is_word(text))  # «case» is not the name Case
        holders = equal_to(graph, name, text).tolist() if is_name and not any(map(span.overlaps, taken)) else []
        if len(holders) != 1:
            others.append((span, name))
            continue
        names.append((span, Mention(text, holders[0])))
        label = graph.label(holders[0])
        if fold(text) != fold(label):
            event(f"{text!r} is the {name} of {label!r}", "link.other_name", DETAIL, said=text, taken=label)
    return names, others


def told_from_values(
    graph: Graph,
    question: Question,
    beside: Matches,
    parts: Matches,
    values: Sequence[tuple[Span, str]],
    exact: ExactNames,
) -> tuple[Matches, Matches, list[tuple[Span, str]]]:
    """Return the names and parts of names of a question that are no values, then the values that are no names.

    Args:
        graph: The graph.
        question: The question.
        beside: Names, exact ones and others.
        parts: Parts of names.
        values: Spans that are values of properties, with their names.
        exact: The exact names.
    """
    names = disjoint(exact.names)
    called, others = named_by_values(graph, question, values, exact)
    called = [one for one in called if not any(_is_piece(one, longer) for longer in (*beside, *parts))]
    spans = [span for span, _ in called]
    beside = [one for one in beside if one in names or not any(map(one[0].overlaps, spans))] + called
    beside, parts = (no_values(graph, question, some, others, names) for some in (beside, parts))
    return beside, parts, others


def _is_piece(one: tuple[Span, Mention], longer: tuple[Span, Mention]) -> bool:
    """Return whether a name is a part of a longer one of the same entity: «Fernandes» of «Bruno Fernandes»."""
    return longer[0].contains(one[0]) and longer[0] != one[0] and longer[1].entity == one[1].entity


def no_values(
    graph: Graph, question: Question, matches: Matches, values: Sequence[tuple[Span, str]], names: Matches
) -> Matches:
    """Return the mentions of a question that are exact names, or no values of properties.

    An exact name in lower case inside a longer value is none: «sales» of «sales representatives», beside a team Sales.
    """
    return [
        one
        for one in matches
        if not (_is_inside(question, one[0], values) if one in names else _is_among(graph, question, one, values))
    ]


def _is_inside(question: Question, span: Span, values: Sequence[tuple[Span, str]]) -> bool:
    """Return whether a span in lower case is a piece of a longer value."""
    return question.is_lower(span) and any(value.contains(span) and value.size > span.size for value, _ in values)


def _is_among(
    graph: Graph, question: Question, entry: tuple[Span, Mention], values: Sequence[tuple[Span, str]]
) -> bool:
    """Return whether a span is a value rather than a name; «San» of «San Francisco» is no value «SAN»."""
    span, mention = entry
    if mention.score >= WHOLE_NAME:
        return False
    is_named = question.is_capitalized(span.first) and question.is_capitalized(span.last)
    return any(
        span.overlaps(value)
        and not (is_named and span.contains(value) and span.size > value.size)
        and not (span == value and is_named and _is_code(graph, name, mention))
        for value, name in values
    )


def _is_code(graph: Graph, name: str, mention: Mention) -> bool:
    """Return whether a mention is a value that its entity has, and few others: «EU», the code of a union."""
    holders = equal_to(graph, name, mention.text).tolist()
    return mention.entity in holders and len(holders) <= _FEW_HOLDERS


def values_and_names(
    graph: Graph, question: Question, exact: ExactNames, words: str | None
) -> tuple[list[tuple[Span, str]], ExactNames]:
    """Return the values of a question, see `values_in`, and the exact names that are no values."""
    found = values_in(graph, question, words)
    return found, _without_values(graph, question, exact, found)


def _without_values(
    graph: Graph, question: Question, exact: ExactNames, found: Sequence[tuple[Span, str]]
) -> ExactNames:
    """Return exact names without lower-case words that more entities have as a value: «malware», of programs.

    So are words that are a piece of a longer value.

    Args:
        graph: The graph.
        question: The question.
        exact: The exact names.
        found: Spans that are values of properties, with their names.
    """
    inside = [entry for entry in exact.words if _is_inside(question, entry[0], found)]
    exact = replace(exact, words=[entry for entry in exact.words if entry not in inside]) if inside else exact
    values = [one for _, one in exact.words if is_rather_value(graph, one.text, (one.entity, *one.others))]
    for one in dict.fromkeys(values):
        name = graph.label(one.entity)
        event(
            f"{one.text!r} is read as a value that more entities have, not as the name {name!r}",
            "link.value",
            name=name,
        )
    return replace(exact, words=[entry for entry in exact.words if entry[1] not in values]) if values else exact


def _parts_of_names(
    graph: Graph, question: Question, values: Sequence[tuple[Span, str]], words: str | None
) -> list[tuple[Span, str]]:
    """Return the spans of a question that are parts of names of several entities, and what they say."""
    lexicon, starts = lexicon_of(graph, words), [word.start for word in question.words]
    ends = [word.end for word in question.words]
    taken = [(starts[span.first], ends[span.last]) for span, _ in values]
    capitals = [
        word.text
        for at, word in enumerate(question.words)
        if at and question.shows_names and question.is_capitalized(at)
    ]
    terms = parts_of_names(graph, question.text, taken, lexicon.words, capitals) if lexicon.classes else []
    spans = [Span(bisect_left(starts, term.start), bisect_left(starts, term.end) - 1) for term in terms]
    names = [(span, f"{term.value} in names") for span, term in zip(spans, terms, strict=True)]
    is_more = sum(map(question.content, spans)) < question.content(Span(0, len(starts) - 1))
    return (names if is_more else []) + _parts_of_values(
        graph, question, [*taken, *((one.start, one.end) for one in terms)], lexicon
    )


def _parts_of_values(
    graph: Graph, question: Question, taken: Sequence[tuple[int, int]], lexicon: Lexicon
) -> list[tuple[Span, str]]:
    """Return the spans of a question that are parts of values of one property, and what they say."""
    if not lexicon.classes or not graph.columns:
        return []
    from graphbrick.patterns.properties.value_parts import parts_of_values  # most questions have whole values

    starts = [word.start for word in question.words]
    of_classes = {word for name in lexicon.by_class for word in name}
    terms = parts_of_values(graph, question.text, taken, lexicon.words | of_classes)
    spans = (Span(bisect_left(starts, term.start), bisect_left(starts, term.end) - 1) for term in terms)
    return [(span, f"{term.value} in {term.sources[0].name}") for span, term in zip(spans, terms, strict=True)]


def _named_in(graph: Graph, lexicon: Lexicon, text: str) -> list[str]:
    """Return the classes and properties that the words of a question name."""
    said = frozenset(stems(text))
    own = (source for source in sources_of(graph) if source.relation < 0 and source.measured is None)
    of_triples = (column.name for column in graph.columns if column.of_triples)
    return [
        *lexicon.classes_in(text),
        *(source.name for source in own if source.words <= said),
        *(name for name in of_triples if said.issuperset(stems(spaced(name).replace("_", " ")))),
    ]


def kinds_in(
    graph: Graph, question: Question, exact: ExactNames, values: Sequence[tuple[Span, str]], words: str | None
) -> list[str]:
    """Return the classes, and the properties, that a question without names is about.

    A name alone, such as a film called «The Capital», is not such a question.
    """
    values = [*values, *_parts_of_names(graph, question, values, words)]
    term_words = sum(question.content(span) for span, _ in disjoint(exact.terms))
    capitals = [Span(at, at) for at in range(1, len(question.words)) if question.surface(Span(at, at))[0].isupper()]
    known, small = vocabulary(graph), {*QUESTION_WORDS, *FUNCTION_WORDS}  # «... active? What are their budgets?»
    of_values = [span for span, _ in values]
    unread = [one for one in capitals if not any(map(one.overlaps, of_values))]
    texts = ((one, question.words[one.first].text) for one in unread)
    unread = [one for one, text in texts if text not in known and text not in MONTHS and text not in small]
    if not values and term_words == question.content(Span(0, len(question.words) - 1)):
        return []
    lexicon = lexicon_of(graph, words)
    reader = WordReader(lexicon, values=partial(words_of_values, graph), whole=partial(whole_values, graph))
    own_words = WORD.findall(question.text.lower())
    misspelt = reader.misspelt(own_words)
    spelt = {reading.word for reading in misspelt}  # «Cubist» of the value «Cubism»
    unread = [one for one in unread if question.words[one.first].text not in spelt]
    if question.shows_names and bool(unread or not (capitals or values)):
        return []
    kinds = [name for _, name in values]
    of_texts = words_of_values(graph) if graph.columns else frozenset[str]()
    content = [word for word in own_words if word not in QUESTION_WORDS and word not in FUNCTION_WORDS]
    kinds += [word for word in content if any(one in of_texts for one in (word, *possible_singulars(word)))]
    text = with_readings(question.text, misspelt)
    named = _named_in(graph, lexicon, text)
    if not named:
        text = with_readings(question.text, (*misspelt, *reader.near(own_words, question.text)))
        named = _named_in(graph, lexicon, text)
    kinds = [*named, *kinds]
    said_by = frozenset[str]().union(*(names.words for names in lexicon.relations))
    is_asked = bool(content) and own_words[0] in QUESTION_WORDS  # «who has been trained»
    is_all_said = is_asked and all(word.isalpha() and stem(word) in said_by for word in content)
    if kinds or not (is_all_said or COMPARES.search(question.text.lower())):
        return kinds
    kinds = [word for word in WORD.findall(text) if stems(word) in lexicon.roles]
    if kinds:
        return kinds
    sources = [source for source in sources_of(graph) if source.literal is not None]
    spoken = (s.words if s.relation < 0 else lexicon.relations[s.relation].words for s in sources)
    said = frozenset(stems(text))
    kinds = [source.name for source, names in zip(sources, spoken, strict=True) if said & names]
    if not kinds:  # «who won the most», «who trained nobody»
        kinds = [graph.relation_label(number) for number, one in enumerate(lexicon.relations) if said & one.words]
    return kinds or (["numbers or dates"] if sources else [])
