"""Parts of several names, of which the rest of the question or of the name tells which is meant."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.bricks.link.question import Question, Span
from graphbrick.core import Mention
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import name_form
from graphbrick.language.stems import spaced, stem

_PART = 0.9
_BETWEEN = frozenset(("on", "of", "from", "in", "at", "for", "the"))
_SUFFIXES = frozenset(
    "inc incorporated co company corp corporation ltd limited llc plc gmbh ag kg sa srl spa bv nv ab oy as group "
    "holding holdings international intl the and".split()
)
"""Words at the end of a name that only say that it is a company."""


def told_by_rest(graph: Graph, question: Question, span: Span, entities: Sequence[int]) -> Mention | None:
    """Return the one of several entities with a part in their names that is meant; None if that is not clear.

    It is the one whose other words follow in the question («DL315 on 2013-02-07»), or which has no other words than
    those for what it is («Acme» for «Acme Inc.» beside «Acme Road»).
    """
    whole = [(entity, end) for entity in entities if (end := _end_of_rest(graph, question, span, entity))]
    plain = [entity for entity in entities if _says_no_more(graph, question.folded(span), entity)]
    if len(whole) == 1:
        entity, surface = whole[0][0], question.surface(Span(span.first, whole[0][1]))
    elif not whole and len(plain) == 1:
        entity, surface = plain[0], question.surface(span)
    else:
        return None
    taken, n = graph.label(entity), len(entities) - 1
    text = f"{surface!r} is taken for {taken!r}, of {n + 1:,} names with this part"
    event(text, "link.part_told_by_rest", name=surface, taken=taken, n=n)
    return Mention(surface, entity, _PART)


def _end_of_rest(graph: Graph, question: Question, span: Span, entity: int) -> int:
    """Return the place of the last of the other words of a name that follow a span; 0 if they do not."""
    words, at = question.words, span.last + 1
    rest = name_form(graph.label(entity)).removeprefix(question.folded(span)).split()
    while at < len(words) and words[at].text in _BETWEEN:
        at += 1
    follows = bool(rest) and [word.text for word in words[at : at + len(rest)]] == rest
    return at + len(rest) - 1 if follows else 0


def _says_no_more(graph: Graph, folded: str, entity: int) -> bool:
    """Return whether the name of an entity begins with words, and adds what kind of thing it is."""
    form = name_form(graph.label(entity))
    kinds = {stem(word) for name in graph.types(entity) for word in spaced(name).lower().split()}
    rest = form.removeprefix(folded).split()
    return form.startswith(f"{folded} ") and all(word in _SUFFIXES or stem(word) in kinds for word in rest)
