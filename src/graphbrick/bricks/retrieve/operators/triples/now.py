"""Questions about now, over relations that end: «who works in Blue», where triples have an `until`.

What has ended counts only where the question speaks of the past, of any time, or of a date: «who worked in Blue», «who
was ever in Blue».
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators.dates import today
from graphbrick.bricks.retrieve.operators.plan import Place, Plan
from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.triples.columns import (
    Ints,
    TripleProperty,
    numbers_of_triples,
    triple_properties,
)
from graphbrick.core import Evidence, Query
from graphbrick.core.items import Row
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.core.trace import DETAIL, event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.properties.column_numbers import as_number
from graphbrick.patterns.properties.sources import has_triple_properties, sources_of

_NOW = Expression(
    r"\b(currently|presently|still|nowadays|at the moment|at present|these days|right now|as of (?:now|today)"
    r"|(?<!until )(?<!till )now(?! [a-z]+ed\b))\b",
    re.IGNORECASE,
)
_CURRENT = Expression(r"\b(?:current|present|ongoing) (?=[a-z])", re.IGNORECASE)
_AT_ANY_TIME = Expression(
    r"\b(?:did|was|were|had|been|ever|never|used to|formerly|previous(?:ly)?|former|past|ex|histor[a-z]+|originally"
    r"|so far|when|how long|first|last|final|start[a-z]*|beg[aiu]n[a-z]*|end[a-z]*|join[a-z]*|left|leave[a-z]*)\b",
    re.IGNORECASE,
)
_DATED = Expression(
    r"\b(?:time|since|until|till|before|after|during|between|years?|dates?|century|decade)\b|\b[12]\d{3}\b",
    re.IGNORECASE,
)
_DONE = frozenset(map(stem, "work live serve play lead belong stay use hold head manage run".split()))
_LEFT = Expression(r"\b(?:left|leaves?|leaving|quit|resigned|departed|formerly|former|no longer|used to)\b")
_FORMERLY = "formerly"
_NO_LONGER = (
    (Expression(r"\b(?:has |have )?(?:left|quit|resigned from|departed from) (?=(?:the )?[A-Z])"), "was formerly in "),
    (Expression(r"\b(?:no longer|not any ?more) (?=in |at |with |on )"), "formerly "),
    (Expression(r"\bused to (?:be|work) (?=in |at |with |on |for )"), "was formerly "),
    (Expression(r"\bformer (?=(?:members?|employees?|people|persons?|staff|workers?|players?|colleagues?|users?"
                r"|customers?)\b)"), "formerly "),
)  # fmt: skip
_STATES = frozenset(("was", "were", "been", "had", "did"))
_WORD = Expression(r"[a-z]+")
_FEWEST = 0.03  # of the triples of a relation that go on
_MOST_TRIPLES = 50_000_000  # of a graph whose ends are looked at


def ended_triples(graph: Graph, text: str) -> Ints:
    """Return the triples that do not count in a question, ascending, by their ends; none where all count.

    In a question about now, those that ended do not; in one about what is no longer so, those that go on.

    Args:
        graph: The graph.
        text: The question.
    """
    ends = _ends(graph)
    found = [np.zeros(0, dtype=np.int64)]
    if _FORMERLY in text:
        ids = graph.triple_ids().astype(np.int64) if ends else found[0]
        found += [np.setdiff1d(ids[graph.csr.relation[ids] == one], ended) for one, (_, ended) in ends.items()]
    elif asks_of_now(graph, text):
        found += [ended for _, ended in ends.values()]
    return np.unique(np.concatenate(found))


def is_of_time(place: Place, plan: Plan) -> bool:
    """Return whether a plan follows a relation of which what has ended, or goes on, does not count: no path would."""
    shown = plan.text(place) if len(place.ended) else ""
    return any(place.graph.relation_label(one) in shown for one in _ends(place.graph)) if shown else False


def without_formerly(graph: Graph, question: Question) -> Question:
    """Return a question without the word that `with_formerly` puts in, after `ended_triples` has seen it."""
    is_read = _FORMERLY in question.text and bool(_ends(graph))
    return replace(question, text=question.text.replace(f"{_FORMERLY} ", "")) if is_read else question


def with_formerly(text: str) -> str:
    """Return «who was formerly in Sales» for «who left Sales», «former members of Sales», «no longer in Sales».

    >>> [with_formerly(text) for text in ("Who left Sales?", "Is Ada no longer in Sales?", "former members of Sales")]
    ['Who was formerly in Sales?', 'Is Ada formerly in Sales?', 'formerly members of Sales']
    """
    for pattern, plain in _NO_LONGER:
        text = pattern.sub(plain, text)
    return text


def asks_of_now(graph: Graph, text: str) -> bool:
    """Return whether a question is about now: it has no verb in the past, and no word for another time.

    What is said by a property of entities does not count: «people in e0 hired before 2018» are those who are there.

    Args:
        graph: The graph.
        text: The question.
    """
    own = _own_words(graph)
    words = [word for word in _WORD.findall(text.lower()) if word not in QUESTION_WORDS or word in _STATES]
    is_own = [stem(word) in own or stem(_verb(word)) in own for word in words]
    after = [*is_own[1:], False][: len(words)]
    bare = " ".join(
        word
        for word, said, before_own in zip(words, is_own, after, strict=True)
        if not said and not (before_own and word in _STATES)
    )
    is_dated = any(own[one] for one in (*map(stem, words), *(stem(_verb(word)) for word in words)) if one in own)
    if _AT_ANY_TIME.search(bare) or (_DATED.search(text) and not is_dated):
        return False
    done = _DONE | {stem(word) for one in _ends(graph) for word in label_stems(graph.relation_label(one))}
    return not any(_is_past(word) and (stem(_verb(word)) in done) for word in words)


def _own_words(graph: Graph) -> dict[str, bool]:
    """Return the stems that speak of properties of entities, also of the verbs behind them, and whether of dates."""

    def look() -> dict[str, bool]:
        found = dict[str, bool]()
        for source in sources_of(graph):
            verbs = [forms.verb_behind(word) for word in source.spoken.split()] if forms.is_installed() else []
            for word in (*source.words, *map(stem, filter(None, verbs))) if source.relation < 0 else ():
                found[word] = found.get(word, False) or source.is_date
        return found

    return current_session().get(("words of properties", graph.place, graph.hash), look, at_most=8)


def _is_past(word: str) -> bool:
    return bool(_verb(word)) if forms.is_installed() else word.endswith("ed")


def _verb(word: str) -> str:
    """Return the verb of which a word is the past; "" for another word."""
    return forms.participle_of(word) if forms.is_installed() else word.removesuffix("ed")


def asks_who_left(graph: Graph, text: str) -> bool:
    """Return whether a question is about what has ended alone: «who left e0», over a relation that ends."""
    return bool(_LEFT.search(text)) and bool(_ends(graph))


def _ends(graph: Graph) -> dict[int, tuple[str, Ints]]:
    """Return the property that ends the triples of each relation of which some go on, and those that ended."""

    def look() -> dict[int, tuple[str, Ints]]:
        ids = graph.triple_ids().astype(np.int64)
        ends = [one for one in triple_properties(graph) if one.is_end]
        if ends and len(ids) > _MOST_TRIPLES:
            text = f"what has ended is not told from what goes on: the graph has {len(ids):,} triples"
            event(text, "operators.too_many_for_ends", DETAIL, n=len(ids), at_most=_MOST_TRIPLES)
            ends = []
        found = dict[int, tuple[str, Ints]]()
        for one in ends:
            for relation in one.relations:
                triples = ids[graph.csr.relation[ids] == relation]
                ended = _ended(graph, one, triples)
                if len(ended) and len(triples) - len(ended) >= max(1, _FEWEST * len(triples)):
                    found[relation] = one.name, ended
        return found

    if not has_triple_properties(graph):
        return {}
    return current_session().get(("what has ended", graph.place, graph.hash), look, at_most=8)


def _ended(graph: Graph, end: TripleProperty, triples: Ints) -> Ints:
    """Return the triples that ended before today, or before this year."""
    day = as_number(today()) or 0.0
    with np.errstate(invalid="ignore"):
        over = numbers_of_triples(graph, end.name, triples) < (int(day) if end.kind == Kind.INTEGER else day)
    return triples[over]


def without_now(graph: Graph, query: Query) -> Query:
    """Return a question about now without «currently» and «current», if relations of the graph end.

    One about what is no longer so has «formerly»; see `with_formerly`.
    """
    if not _ends(graph):
        return query
    bare = _without_names(query)
    if _LEFT.search(bare) and not re.search(r"\d", bare):
        return replace(query, text=with_formerly(query.text))
    is_name = any(_NOW.search(one.text) or _CURRENT.search(f"{one.text} e0") for one in query.mentions)
    if is_name or stem("current") in _own_words(graph) or not asks_of_now(graph, bare):
        return query
    text = _CURRENT.sub("", _NOW.sub("", query.text))
    text = re.sub(r"\s+([?.,])", r"\1", " ".join(text.split()))
    return replace(query, text=text) if _WORD.search(text.lower()) else query


def _without_names(query: Query) -> str:
    """Return the text of a question with a placeholder for each name."""
    text = query.text
    for mention in sorted(query.mentions, key=lambda one: -len(one.text)):
        text = text.replace(mention.text, "X")
    return text


def tell_of_now(graph: Graph, query: Query, evidence: Evidence) -> bool:
    """Tell which triples count of relations that end; return whether an answer is less sure for it.

    Where the question says «now» and the answer is a path that a scorer found, triples that ended count too.
    """
    plans = {row.values[1] for row in evidence.items if isinstance(row, Row) and len(row.values) == 2}
    relations = {step.relation for path in evidence.paths for step in path.steps}
    question = _without_names(query)
    is_now, said = asks_of_now(graph, question), _NOW.search(question)
    for number, (name, ended) in _ends(graph).items():
        label = graph.relation_label(number)
        has_plan = any(label in str(plan) for plan in plans)
        if _LEFT.search(question) and with_formerly(query.text) != query.text and has_plan:
            text = f"only the {len(ended):,} triples of {label} that have ended ({name}) count"
            event(text, "operators.only_ended", n=len(ended), relation=label, property=name)
        elif is_now and has_plan:
            text = f"{len(ended):,} triples of {label} have ended ({name}) and do not count; with «ever» they would"
            event(text, "operators.ended", n=len(ended), relation=label, property=name)
        elif said is not None and (has_plan or label in relations):
            text = f"«{said[0]}» is not read: triples of {label} that have an end ({name}) count too"
            event(text, "operators.not_now", word=said[0], relation=label, property=name)
            return True
    said = said or _CURRENT.search(question)
    labels = map(graph.relation_label, range(graph.n_relations))
    ends = {graph.relation_label(number) for number in _ends(graph)}
    followed = {label for label in labels if any(f" {label} " in f" {plan} " for plan in plans)}
    if said is None or not ends or not followed or followed & ends:
        return False
    word = said[0].strip()
    text = f"«{word}» is left out: nothing tells what has ended in {', '.join(sorted(followed))}"
    event(text, "operators.now_left_out", word=word, relations=sorted(followed))
    return True
