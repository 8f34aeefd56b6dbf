"""A class of the graph for a noun that it does not know: «which posters did Ada order», of a graph of products."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from graphbrick.bricks.retrieve.operators.question import is_known, question_of
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.trace import Event, Trace, event, record, tell_again
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.english import senses
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of, words_of_values

CONFIDENCE = 0.4
"""The confidence of an answer to a question of which a noun is taken for a class."""
_SURE, _ENOUGH = 0.3, 0.8  # confidence below which a class is looked for, and that of a reading with one
_LEAST = 0.3  # similarity of a class
_SHORTEST = 3  # letters of a noun
_WORD = re.compile(r"[\w-]+")
_BEFORE_NOUN = re.compile(
    r"(?:|which|what|many|every|each|all|any|no|the|an?|our|your|my|these|those|of|in|different|other|more|fewer|most"
    r"|least|[a-z]{2,}est)"
)
_NAME = re.compile(r"e\d+")
_GOES_ON = frozenset("of on about for to from against behind".split())
_LIGHT = frozenset(
    "how is are was were be been do does did done has have had having get gets got can could will would should shall"
    " may might must there here it its we us our you your i me my they them their please tell show list give name find"
    " know need want".split()
)


def noun_as_class(
    retrieve: Callable[[Query, Subgraph], Evidence],
    lexicon: Lexicon,
    query: Query,
    subgraph: Subgraph,
    embedder: Embedder | None,
) -> Evidence:
    """Answer a question; where that fails for a noun that the graph does not know, with a class in its place.

    The class is the nearest one by meaning with which the graph explains all other words of the question, of which
    one at least says what is asked: «which posters did Ada order» can only mean products, while «which posters are
    there» may mean what the graph does not have. The answer is not sure, and an event tells what was taken.

    Args:
        retrieve: Answers a question.
        lexicon: The words of the graph.
        query: The question.
        subgraph: The graph.
        embedder: Compares words; None for no class in place of a noun.
    """
    trial = Trace()
    with record(trial, "", ""):
        evidence = retrieve(query, subgraph)
    is_weak = not evidence.items or (evidence.confidence is not None and evidence.confidence < _SURE)
    if is_weak and embedder is not None and lexicon.classes and embedder.reads(query.text):
        for noun, is_beside in _unknown_nouns(cast(Graph, subgraph.graph), query, lexicon):
            name = _nearest(noun, lexicon, embedder)
            if name:
                with record(Trace(), "", "") as read:
                    found = retrieve(_with_class(query, noun, name), subgraph)
                if _is_taken(found, read.events, "" if is_beside else name):
                    as_class = forms.plural(spaced(name).lower())
                    text = f"the graph does not know '{noun}': read as {as_class}, of which it can say what is asked"
                    event(text, "operators.noun_as_class", word=noun, read_as=name)
                    tell_again(Trace([read]))
                    return replace(found, confidence=CONFIDENCE)
    tell_again(trial)
    return evidence


def _is_taken(found: Evidence, events: Sequence[str], name: str) -> bool:
    """Return whether a reading is sure, and its plan has entities of a class, if one is given."""
    if not found.items or found.confidence is None or found.confidence < _ENOUGH:
        return False
    plans = [str(one) for one in events if isinstance(one, Event) and one.code == "operators.plan"]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plan) for plan in plans)


def _unknown_nouns(graph: Graph, query: Query, lexicon: Lexicon) -> Iterator[tuple[str, bool]]:
    """Yield the nouns that the graph does not know, where other words say what is asked; and if they follow a name."""
    known = partial(is_known, lexicon, english().for_classes(lexicon.by_class))
    with record(Trace(), "", ""):
        text = question_of(graph, query, known).text
    values = words_of_values(graph)
    names = {word for source in sources_of(graph) for word in stems(spaced(source.name))}
    words = _WORD.findall(text)
    said = {word for word in words if word not in FUNCTION_WORDS and word not in _LIGHT and word[1:].isalpha()}
    for at, noun in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        is_beside = bool(_NAME.fullmatch(before))  # «the Fort Point poster», but not «does Ada dance»
        is_placed = _BEFORE_NOUN.fullmatch(before) or words[max(0, at - 2)] in ("most", "least") or is_beside
        is_verb = (is_beside or before == "what") and not forms.is_only_noun(noun)  # «what beats e0»
        is_noun = noun.isalpha() and forms.may_be_noun(noun) and not is_verb
        is_new = not known(noun) and values.isdisjoint((noun, forms.singular(noun))) and stem(noun) not in names
        is_head = after not in _GOES_ON and (stem(after),) not in lexicon.by_class
        if len(noun) >= _SHORTEST and is_new and is_placed and is_noun and is_head and said - {noun}:
            yield noun, is_beside


def _nearest(noun: str, lexicon: Lexicon, embedder: Embedder) -> str:
    """Return the class that is nearest to a noun; "" if it is far, or wider: not all people are gardeners."""
    by_name = {spaced(name).lower(): name for name in lexicon.classes}
    one, names = forms.singular(noun), list(by_name)
    scores = embedder.score(one, names)
    best = int(scores.argmax())
    return by_name[names[best]] if scores[best] >= _LEAST and not senses.is_narrower(one, names[best]) else ""


def _with_class(query: Query, noun: str, name: str) -> Query:
    """Return a question with a class in place of a noun, in the plural where the noun is."""
    own = spaced(name).lower()
    text = re.sub(rf"(?<!\w){noun}(?!\w)", forms.plural(own) if is_plural(noun) else own, query.text, flags=re.I)
    return replace(query, text=text, mentions=())
