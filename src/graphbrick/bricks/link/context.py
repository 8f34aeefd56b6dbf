"""Choice among several entities of one name, by the other words and names of the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.link.exact import Matches
from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.words import Vocabulary, roots, vocabulary
from graphbrick.core import Mention
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language.stems import is_plural, root
from graphbrick.language.stop_words import QUESTION_WORDS

_CANDIDATES = 16  # entities of one name that are compared
_NAMES = 32  # other names of the question that are compared with
_TRIPLES = 10_000  # triples in each direction that are looked at
_NEIGHBOUR, _TYPE, _RELATION = 3.0, 2.0, 1.0
_APPOSITION = 2.0  # factor for a word beside the name: «the film X», «X (film)»
_SHOWN = 5
_INSIDE = frozenset(("in", "within", "inside"))
_OWNED = frozenset(("of", "by", "from"))

Ints = npt.NDArray[np.int32]


def settled(graph: Graph, question: Question, matches: Matches, named: Iterable[Sequence[int]] = ()) -> Matches:
    """Return the mentions with the entities of each in order of how well they fit the question.

    Points are given for being a neighbour of what another mention or word of the question names, for types, and for
    relations whose words the question has; words beside the name count twice, and what is said to be in it («cities in
    Mexico») tells what it is not. Where a question shows names by capitals, entities that are spelled as in the
    question stay before others. Of equal ones the order stays.

    Args:
        graph: The graph.
        question: The question.
        matches: The mentions.
        named: Entities that other words of the question name.
    """
    if not any(mention.others for _, mention in matches) and not question.years:
        return matches
    distinct = dict.fromkeys(mention for _, mention in matches)  # a name that occurs again is settled once
    entities = {_entities(mention): None for mention in distinct} | dict.fromkeys(map(tuple, named))
    best = dict[Mention, Mention]()
    for span, mention in matches:
        if mention.others and mention not in best:
            around = [others for others in list(entities)[:_NAMES] if others != _entities(mention)]
            best[mention] = _Choice(graph, question, span).best(mention, around)
    return _without_years(graph, question, [(span, best.get(mention, mention)) for span, mention in matches])


def _entities(mention: Mention) -> tuple[int, ...]:
    return (mention.entity, *mention.others)[:_CANDIDATES]


class _Choice:
    """The choice among the entities of one mention."""

    def __init__(self, graph: Graph, question: Question, span: Span) -> None:
        self.graph, self.question, self.span = graph, question, span
        self.vocabulary: Vocabulary = vocabulary(graph)
        words = question.words
        beside = {at for at in (span.first - 1, span.last + 1) if 0 <= at < len(words)}
        self.weight: dict[str, float] = {}
        inside = _inside(question, span)
        self.inside = None if inside is None else root(words[inside].text)
        self.owned = self.inside is not None and words[span.first - 1].text not in _INSIDE | {"the"}
        for at, word in enumerate(words):
            if not span.first <= at <= span.last and at != inside and word.text not in QUESTION_WORDS:
                weight = _APPOSITION if at in beside else 1.0
                self.weight[root(word.text)] = max(weight, self.weight.get(root(word.text), 0))

    def best(self, mention: Mention, around: Sequence[Sequence[int]]) -> Mention:
        """Return the mention with its entities in order; those beyond the first 16 stay last."""
        entities = _entities(mention)
        points = {entity: self._points(entity, around) for entity in entities}
        if self.question.shows_names:
            spelled = {entity: is_spelled(self.graph, mention.text, entity) for entity in entities}
        else:
            spelled = dict.fromkeys(entities, True)
        order = sorted(entities, key=lambda entity: (not spelled[entity], -points[entity]))
        rest = (mention.entity, *mention.others)[_CANDIDATES:]
        return replace(mention, entity=order[0], others=(*order[1:], *rest))

    def _points(self, entity: int, around: Sequence[Sequence[int]]) -> float:
        neighbours, relations = neighbours_of(self.graph, entity)
        points = _NEIGHBOUR * sum(bool(np.isin(neighbours, others).any()) for others in around)
        types = frozenset[str]().union(*map(roots, self.graph.types(entity)))
        spoken = frozenset[str]().union(*map(self.vocabulary.relation, relations.tolist()))
        points += _TYPE * (sum(self.weight[word] for word in types & self.weight.keys()) - (self.inside in types))
        points += _TYPE * (self.owned and _leads_to_many(self.graph, entity, self.inside or ""))
        return points + _RELATION * sum(self.weight[word] for word in (spoken - types) & self.weight.keys())


def is_spelled(graph: Graph, text: str, entity: int) -> bool:
    """Return whether a text is exactly the label or an alias of an entity."""
    return text in (graph.label(entity), *graph.aliases(entity))


def _inside(question: Question, span: Span) -> int | None:
    """Return the word for things in a mention or of it, such as «cities» in «cities in Mexico»."""
    words = question.words
    at = span.first - 1
    if at >= 0 and words[at].text == "the":
        at -= 1
    if at > 0 and words[at].text in _OWNED and is_plural(words[at - 1].text):
        return at - 1  # «albums of», not «the city of»
    if at < 0 or words[at].text not in _INSIDE:
        return None
    return next((before for before in range(at - 1, -1, -1) if words[before].text not in QUESTION_WORDS), None)


def _leads_to_many(graph: Graph, entity: int, noun: str) -> bool:
    """Return whether a relation leads from an entity to things called by a noun, and from other entities to several."""
    csr = graph.csr
    for forward in (True, False):
        row = csr.row(entity, forward)
        row = slice(row.start, min(row.stop, row.start + _TRIPLES))
        relations = csr.relation[row] if forward else csr.relation[csr.in_triple[row]]
        ends = csr.tail[row] if forward else csr.in_head[row]
        for relation, at in zip(*np.unique(relations, return_index=True), strict=True):
            types = frozenset[str]().union(*map(roots, graph.types(int(ends[at]))))
            if noun in types and _is_many(graph, int(relation), forward):
                return True
    return False


def _is_many(graph: Graph, relation: int, forward: bool) -> bool:
    """Return whether a relation joins an entity to several: heads to tails if followed forward."""

    def count() -> bool:
        ids = graph.triple_ids()
        triples = ids[graph.csr.relation[ids] == relation]
        starts = graph.csr.heads(triples) if forward else graph.csr.tail[triples]
        return len(np.unique(starts)) < len(triples)

    return current_session().get(("is many", graph.place, graph.hash, relation, forward), count, at_most=256)


def neighbours_of(graph: Graph, entity: int) -> tuple[Ints, Ints]:
    """Return the neighbours of an entity and the relations to them, from the first 10,000 triples."""
    csr = graph.csr
    out, into = csr.row(entity, True), csr.row(entity, False)
    out, into = (
        slice(out.start, min(out.stop, out.start + _TRIPLES)),
        slice(into.start, min(into.stop, into.start + _TRIPLES)),
    )
    relations = np.concatenate([csr.relation[out], csr.relation[csr.in_triple[into]]])
    return np.concatenate([csr.tail[out], csr.in_head[into]]), np.unique(relations)


def _without_years(graph: Graph, question: Question, matches: Matches) -> Matches:
    """Return the mentions without years in brackets that only tell which entity is meant: «Heat (1995)».

    Only the entities of that name that are neighbours of the year remain.
    """
    remaining: list[tuple[Span, Mention]] = []
    for span, mention in matches:
        before = remaining[-1] if remaining else None
        if span in question.years and before is not None and before[0].last == span.first - 1:
            meant = [entity for entity in _entities(before[1]) if _is_beside(graph, entity, _entities(mention))]
            if meant:
                text = f"{mention.text!r} in brackets tells which {before[1].text!r} is meant"
                event(text, "link.year_in_brackets", year=mention.text, name=before[1].text)
                remaining[-1] = before[0], replace(before[1], entity=meant[0], others=tuple(meant[1:]))
                continue
        remaining.append((span, mention))
    return remaining


def _is_beside(graph: Graph, entity: int, others: Sequence[int]) -> bool:
    return bool(np.isin(neighbours_of(graph, entity)[0], others).any())


def report(graph: Graph, mention: Mention, by: str = "") -> None:
    """Record an event with the choice among several entities of one name; none if the name is unique."""
    if not mention.others:
        return
    shown = "; ".join(graph.describe(entity) for entity in mention.others[:_SHOWN])
    more = f"; and {len(mention.others) - _SHOWN:,} more" if len(mention.others) > _SHOWN else ""
    event(
        f"{mention.text!r} names {len(mention.others) + 1:,} entities; {by}{' ' if by else ''}took "
        f"{graph.describe(mention.entity)}, others: {shown}{more}",
        "link.several_entities",
        name=mention.text,
        n=len(mention.others) + 1,
        by=by,
        taken=graph.key(mention.entity),
    )
