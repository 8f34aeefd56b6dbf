"""The property of a named entity that words of a question are nearest to: «what is the context window of GPT-5»."""

from __future__ import annotations

import re
from collections.abc import Callable

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.wording import MENTION, english
from graphbrick.bricks.retrieve.operators.wordings.units import is_unit
from graphbrick.core import Evidence
from graphbrick.core.properties.values import Kind
from graphbrick.core.trace import Event, StageTrace, Trace, event, tell_again
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.column_numbers import value_kind
from graphbrick.patterns.properties.sources import UNITS

_LEAST, _APART = 0.4, 0.105  # similarity of the property, and how much farther the next property or relation is
_SURELY = 0.55  # similarity from which a plural may be a number
_TRIPLES = 2_000  # of the entity, whose relations may be meant
_WHO_DOES = Expression(r"(?:who|which [a-z]+) (?P<verb>[a-z]+) (?:the )?e\d+")
_WORD = Expression(r"[a-z][\w'-]*")
_THINGS = Expression(r"which [a-z -]*?s (?:has|have|had|do|does|did|is|are|was|were|of|in|by|with|that)\b")
_OF_UNITS = frozenset(map(stem, UNITS))
_IN_HOW_MANY = Expression(r"(?:in|on|at|for|from|with|by|of) how (?:many|much)\b")
_COUNTS = frozenset(("how many", "how much"))
_YES_NO = Expression(r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b")
_ASKING = frozenset(
    "how what what's whats when where which who whose please i we need want know tell me us give show name find"
    " get".split()
)
_GENERAL = frozenset(map(stem, "name code date number value total full current".split()))
_DAY = r"(?:on|in|at|since) (?:what|which) (?:day|date|year|time)"
_KINDS = (
    (Expression(r"how (?:many|much)\b"), (Kind.INTEGER, Kind.NUMBER)),
    (Expression(rf"(?:when|{_DAY})\b"), (Kind.DATE, Kind.DATETIME, Kind.INTEGER)),
    (Expression(r"(?:where|who|whose)\b"), ()),  # a place or somebody, of which a name says too little
)


def own_property(
    read_again: Callable[[str, tuple[int, ...]], tuple[Evidence, StageTrace]],
    graph: Graph,
    lexicon: Lexicon,
    question: Question,
    embedder: Embedder,
) -> Evidence | None:
    """Answer a question about one entity by the property of its own that is nearest to the words; None for none.

    Of the few properties that an entity has, one is mostly far nearer than all others, and than its relations, if the
    question is for a property at all. A question for another class, or with «not», «most» or «than», is for none.

    Args:
        read_again: Answers another text of the question, from an entity.
        graph: The graph.
        lexicon: Its words.
        question: The question with placeholders.
        embedder: Compares words.
    """
    said = _asked(graph, lexicon, question)
    name = _of_doer(graph, question) if said else ""
    name = name or (_nearest(graph, question.entities[0], said, question.text, embedder) if said else "")
    if not name:
        return None
    (entity,) = question.entities
    asked = f"What is the {_as_words(name)} of {graph.label(entity)}"
    unit = next((word for word in said.split() if is_unit(word) and f" in {word}" in question.text), "")
    found, read = read_again(f"{asked} in {unit}?" if unit else f"{asked}?", (entity,))
    plans = [str(one) for one in read.events if isinstance(one, Event) and one.code == "operators.plan"]
    if not found.items or plans != [f"plan: {name} of: {graph.label(entity)}"]:
        return None
    told = f"'{said}' is read as {name}, the nearest property of {graph.label(entity)}"
    event(told, "operators.own_property", word=said, read_as=name)
    tell_again(Trace([read]))
    return found


def _of_doer(graph: Graph, question: Question) -> str:
    """Return the property that is called by who does what a verb says: the `maker` of «who makes e0»; "" for none."""
    match = _WHO_DOES.fullmatch(question.text)
    verb = forms.verb_of(match["verb"]) if match and forms.is_installed() else ""
    doers = {stem(noun) for noun in forms.agents(verb)} if verb else set()
    names = graph.properties(question.entities[0]) if doers else ()
    own = [name for name in names if doers.intersection(stems(_as_words(name))[-1:])]
    return own[0] if len(own) == 1 else ""


def _asked(graph: Graph, lexicon: Lexicon, question: Question) -> str:
    """Return the words of a question that may name a property of its one entity; "" for another question."""
    text, bare = question.text, MENTION.sub(" ", question.text)
    if len(question.entities) != 1 or len(MENTION.findall(text)) != 1 or _YES_NO.match(text):
        return ""
    if " and " in bare or bare.count(",") > 1 or _IN_HOW_MANY.match(text):
        return ""  # one of several that are asked for would be left out; «in how many games» is a count
    if _THINGS.match(text) or re.search(r"\d|[a-z]'s? [a-z]", bare):  # «in 2019», «e0's boss's salary»
        return ""
    own = set(graph.types(question.entities[0]))
    if not _COUNTS.issuperset(english().cues_in(text)) or not own.issuperset(lexicon.classes_in(bare)):
        return ""
    plain = (word for word in _WORD.findall(bare) if word not in FUNCTION_WORDS and word not in _ASKING)
    return " ".join(word for word in plain if not lexicon.classes_in(word))


def _nearest(graph: Graph, entity: int, said: str, text: str, embedder: Embedder) -> str:
    """Return the property that is nearest to some words, if it is near, and apart from others and from relations."""
    properties = graph.properties(entity)
    if not properties:
        return ""
    own = {_as_words(name): name for name in properties}
    best, first, second = own.get(said, ""), 1.0, 0.0
    if not best:  # the name itself needs no model, which takes a fifth of a second to load
        relations = {graph.relation_of(triple) for triple in list(graph.triples_from(entity))[:_TRIPLES]}
        labels = (_as_words(graph.relation_label(relation)) for relation in sorted(relations))
        names = list(dict.fromkeys((*own, *labels)))
        scores = embedder.score(said, names)
        first, second = (*sorted(scores.tolist(), reverse=True), 0.0)[:2]
        best = own.get(names[int(scores.argmax())], "")
    if not best or first < _LEAST or first - second < _APART:
        return ""
    asked, kind = next((kinds for asked, kinds in _KINDS if asked.match(text)), None), value_kind(properties[best])
    is_number = kind not in (Kind.TEXT, Kind.BOOLEAN)
    is_list = first < _SURELY and asked is None and is_number and is_plural(said.split()[-1])  # «opening hours»
    is_kind = asked is None or kind in asked
    shared = set(stems(said)).intersection(stems(_as_words(best)))
    if shared and shared <= _OF_UNITS and len(set(stems(said)) - shared) > 1:
        return ""  # «days off sick altogether» are not those of `leave_days`
    return best if is_kind and not is_list and not _is_sister(said, _as_words(best)) else ""


def _is_sister(said: str, name: str) -> bool:
    """Return whether two names end in one word, before which each has another: a melting point is no boiling point."""
    words, own = stems(said), [word for word in stems(name) if word not in UNITS and len(word) > 1]
    is_head = bool(words and own) and words[-1] == own[-1]
    return is_head and bool(set(words) - set(own)) and bool(set(own) - set(words) - _GENERAL)


def _as_words(name: str) -> str:
    return spaced(name).lower().replace("_", " ")
