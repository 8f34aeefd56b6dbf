"""Parts of several names, of which the rest of the question or of the name tells which is meant; names turned round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations, product

import numpy as np

from graphbrick.bricks.link.exact import ranked
from graphbrick.bricks.link.question import Question, Span
from graphbrick.core import Mention
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import extend_span, token_hashes
from graphbrick.language.said_dates import day_of_name, said_days
from graphbrick.language.stems import possible_singulars, spaced, stem
from graphbrick.language.stop_words import TITLES

_PART, _WHOLE = 0.9, 0.95
_BETWEEN = frozenset(("on", "of", "from", "in", "at", "for", "the"))
_SUFFIXES = frozenset(
    "inc incorporated co company corp corporation ltd limited llc plc gmbh ag kg sa srl spa bv nv ab oy as group "
    "holding holdings international intl the and".split()
)
"""Words at the end of a name that only say that it is a company."""
_AFTER = frozenset("jr sr junior senior ii iii iv".split())  # the last word of a name of a person
_LOOKED_AT, _MOST_NAMES = 500, 100  # names with a word, and with one part, that are compared
_NUMBER = Expression(r"[0-9]+")
_LETTERS = Expression(r"(?<=\b\w) (?=\w\b)")  # between letters that stand alone


def turned(graph: Graph, question: Question, span: Span) -> Mention | None:
    """Return the entity whose name has the words of a span in another order: «raw apples» of «Apples, raw».

    Names are turned round at commas, so only those with a comma count; each word may be in the plural or not.
    """
    words = [question.words[at].text for at in range(span.first, span.last + 1)]
    forms = [tuple(dict.fromkeys((word, *possible_singulars(word), f"{word}s"))) for word in words]
    found = dict[int, None]()
    hashes = [token_hashes([*of_word]) for of_word in forms]
    for order in permutations(range(len(words))):
        spans = np.zeros(1, dtype=np.uint64)
        for at in order:
            spans = extend_span(spans[:, None], hashes[at][None, :]).ravel()
        texts = [*product(*(forms[at] for at in order))] if (known := graph.names.known(spans)).any() else []
        for text in (texts[at] for at in np.flatnonzero(known).tolist()):
            named = graph.names.exact(" ".join(text))
            found |= dict.fromkeys(graph.names.entity(one) for one in named if "," in graph.names.name(one))
    if len(found) != 1:
        return None
    (entity,), surface = found, question.surface(span)
    taken = graph.label(entity)
    event(
        f"{surface!r} is taken for {taken!r}, with its words in another order", "link.turned", name=surface, taken=taken
    )
    return Mention(surface, entity, _WHOLE)


def in_all(graph: Graph, surface: str, entities: Sequence[int]) -> Mention | None:
    """Return the entity whose name all others contain: Red Sox of «2003 Red Sox», «2004 Red Sox»; else None."""
    if not 1 < len(entities) <= _MOST_NAMES:
        return None
    forms = {entity: f" {name_form(graph.label(entity))} " for entity in entities}
    shortest = min(forms, key=lambda entity: len(forms[entity]))
    inside, n, taken = forms[shortest], len(entities) - 1, graph.label(shortest)
    if not all(inside in form and inside != form for entity, form in forms.items() if entity != shortest):
        return None
    text = f"{surface!r} is a part of {taken!r}, which {n:,} longer names contain; took it"
    if surface != taken:
        event(text, "link.part_of_shortest", name=surface, taken=taken, n=n)
    return Mention(surface, shortest, _PART)


def abridged(graph: Graph, question: Question, span: Span) -> list[int]:
    """Return the entities whose names begin and end as a span does, with more words between: «Niels Bohr».

    Titles before a name, and what follows a comma, do not count: «Winston Churchill» is Sir Winston Leonard Spencer
    Churchill. Of names whose words between are initials only, and others, both count.
    """
    words = [question.words[at].text for at in range(span.first, span.last + 1)]
    sets = [set(graph.names.containing(word)) for word in (words[0], words[-1])]
    named = min(sets, key=len)
    return [
        entity
        for entity in sorted(named & max(sets, key=len))[:_LOOKED_AT]
        if _begins_and_ends(words, name_form(graph.label(entity).split(",")[0]).split())
    ]


def _begins_and_ends(words: Sequence[str], name: list[str]) -> bool:
    """Return whether a name of people or things has some words in order, with others between them."""
    while name and name[0] in TITLES:
        name = name[1:]
    while name and name[-1] in _AFTER:
        name = name[:-1]
    rest = iter(name)
    is_in_order = all(word in rest for word in words)
    return is_in_order and len(name) > len(words) and name[0] == words[0] and name[-1] == words[-1]


def told_by_rest(graph: Graph, question: Question, span: Span, entities: Sequence[int]) -> Mention | None:
    """Return the one of several entities with a part in their names that is meant; None if that is not clear.

    It is the one whose other words follow in the question («DL315 on 2013-02-07»), whose date the question says
    elsewhere («did DL315 leave on 7 Feb 2013»), or which has no other words than those for what it is («Acme» for
    «Acme Inc.» beside «Acme Road»). Several companies of that name («Acme Inc.», «Acme GmbH») are namesakes.
    """
    whole = [(entity, end) for entity in entities if (end := _end_of_rest(graph, question, span, entity))]
    folded = question.folded(span)
    companies = [one for one in entities if _is_company(graph, folded, one)]
    namesakes = ranked(graph, folded, [one for one in companies if _is_only_company(graph, folded, one)])
    heads = companies or [one for one in entities if _is_head(graph, folded, one)]
    plain = heads or [one for one in entities if _says_no_more(graph, folded, one)]
    if len(whole) == 1:
        entity, surface = whole[0][0], question.surface(Span(span.first, whole[0][1]))
    elif not whole and (dated := _of_said_date(graph, question, span, entities)) is not None:
        entity, surface = dated
    elif not whole and len(plain) == 1:
        entity, surface = plain[0], question.surface(span)
    elif not whole and len(namesakes) > 1:
        return Mention(question.surface(span), namesakes[0], _PART, tuple(namesakes[1:]))
    else:
        return None
    taken, n = graph.label(entity), len(entities) - 1
    text = f"{surface!r} is taken for {taken!r}, of {n + 1:,} names with this part"
    event(text, "link.part_told_by_rest", name=surface, taken=taken, n=n)
    is_whole = entity in companies and span.size > 1  # one word may be a value too
    return Mention(surface, entity, _WHOLE if is_whole else _PART)


def _end_of_rest(graph: Graph, question: Question, span: Span, entity: int) -> int:
    """Return the place of the last of the other words of a name that follow a span; 0 if they do not."""
    words, at = question.words, span.last + 1
    rest = name_form(graph.label(entity)).removeprefix(question.folded(span)).split()
    while at < len(words) and words[at].text in _BETWEEN:
        at += 1
    follows = bool(rest) and [word.text for word in words[at : at + len(rest)]] == rest
    return at + len(rest) - 1 if follows else 0


def _of_said_date(graph: Graph, question: Question, span: Span, entities: Sequence[int]) -> tuple[int, str] | None:
    """Return the one of some entities with a date in its name that the question says, and how it names the entity.

    A date that follows the part of the name belongs to it.
    """
    start, end = question.words[span.first].start, question.words[span.last].end
    said = said_days(question.text)
    found = {one: said[day] for one in entities if (day := day_of_name(graph.label(one))) in said}
    if len(found) != 1:
        return None
    ((entity, (first, last)),) = found.items()
    between = question.text[end:first].lower().split() if first >= end else ["before"]
    return entity, question.text[start : last if _BETWEEN.issuperset(between) else end]


def _is_company(graph: Graph, folded: str, entity: int) -> bool:
    """Return whether a name is some words and then says that it is a company: «Acme Inc.», «Acme Co. of Ohio»."""
    rest = _rest(graph, folded, entity)
    return bool(rest) and (_SUFFIXES.issuperset(rest) or ({rest[0], rest[-1]} <= _SUFFIXES - {"and", "the"}))


def _is_only_company(graph: Graph, folded: str, entity: int) -> bool:
    """Return whether a name is some words, and all others say that it is a company."""
    rest = _rest(graph, folded, entity)
    return bool(rest) and _SUFFIXES.issuperset(rest)


def _rest(graph: Graph, folded: str, entity: int) -> list[str]:
    """Return the words of a name after those with which it begins, "sa" for "S.A."; none if it begins otherwise."""
    form = name_form(graph.label(entity))
    return _LETTERS.sub("", form.removeprefix(folded)).split() if form.startswith(f"{folded} ") else []


def _says_no_more(graph: Graph, folded: str, entity: int) -> bool:
    """Return whether the name of an entity begins with words, and adds what kind of thing it is."""
    form = name_form(graph.label(entity))
    kinds = {stem(word) for name in graph.types(entity) for word in spaced(name).lower().split()}
    rest = form.removeprefix(folded).split()
    return form.startswith(f"{folded} ") and all(word in _SUFFIXES or stem(word) in kinds for word in rest)


def _is_head(graph: Graph, folded: str, entity: int) -> bool:
    """Return whether words are a name up to a comma or a bracket: «Durian» of «Durian, raw or frozen»."""
    before, sign, _ = re.sub(r"[(\[]", ",", graph.label(entity)).partition(",")
    return bool(sign) and name_form(before) == folded


def same_numbers(text: str, name: str) -> bool:
    """Return whether a text has the numbers of a name, so that it may be that name with typing errors.

    >>> same_numbers("app 9999", "app 99"), same_numbers("ap 99", "app 99"), same_numbers("pyth0n", "python")
    (False, True, True)
    """
    numbers, own = ([int(one) for one in _NUMBER.findall(words)] for words in (text, name))
    return numbers == own or (not own and not any(word.isdigit() for word in text.split()))
