"""Records of a relation, counted one by one: «how many comments does e0 have», of `COMMENTED`, several of a pair.

A person may comment on a thing, or review it, more than once. «Comments» are then the triples, «who commented» people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from graphbrick.bricks.retrieve.operators.cards.several import OfNamed
from graphbrick.bricks.retrieve.operators.grammar.left_out import check_grammar
from graphbrick.bricks.retrieve.operators.grammar.measures import CountIn, OfEdges, OfEnds
from graphbrick.bricks.retrieve.operators.grammar.whole import of_grammar
from graphbrick.bricks.retrieve.operators.measures import Attribute, Measure
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import (
    Along,
    Best,
    Both,
    CannotPlanError,
    Count,
    Degree,
    Having,
    Listed,
    Members,
    Place,
    Plan,
    SetPlan,
    UnreadWordError,
    Within,
)
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.records.of_named import of_named, says_each
from graphbrick.bricks.retrieve.operators.records.one_triple import in_one_triple
from graphbrick.bricks.retrieve.operators.records.sizes import by_size
from graphbrick.bricks.retrieve.operators.records.values import with_record_values
from graphbrick.bricks.retrieve.operators.records.weights import nouns_of, total_of, weight_of
from graphbrick.bricks.retrieve.operators.schema.reading import AMBIGUOUS
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.things.namesakes import other_readings
from graphbrick.bricks.retrieve.operators.triples.edges import Edges
from graphbrick.bricks.retrieve.operators.triples.plans import BestOf, CountOfTriples, OfTriples
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.store.literals import read_literal
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, is_plural, spaced, stems
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.properties.sources import has_columns, has_triple_properties, owners_of, sources_of

_THAN = Expression(r"\bthan (?:the )?(e\d+)\b")
# «List each order of e0» asks for all of them, «which of them is each other's» for none.
_EACH = Expression(
    r"(?<!\be\d )(?<!^list )(?<!^show )(?<!^name )(?<!\bme )(?<!\bus )\beach (?!other\b|of\b|and\b|e\d)[a-z]+"
)
_EACH_SHOWN = Expression(r"(?i)\beach\b|per|\bmean\b|at least \d")
_WORD = Expression(r"[a-z]+")
_IN_ORDER = Expression(r"\b(?:without|but|neither|nor|than)\b")
_WHAT_IS_THE = Expression(r"what (?:is|was) the (?P<noun>[a-z]+) (?:on|in|at|during) ")
_TIME = Expression(  # in labels of what may be a time
    r"\b(?:1[5-9]|20)\d\d\b|\d[./:-]\d|day\b"
    r"|(?i:\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)"
)
_HOW_MUCH = Expression(r"how (?:much|many|long|tall|high|heavy|large|big|wide|deep|fast|far|old)\b")
_LOOKED_AT = 20  # labels
_WHEN = Expression(r"(?:when|on (?:what|which) (?:date|day)) (?:is|are|was|were|does|do|did|will)\b")


def by_grammar(parser: Parser) -> Plan | None:
    """Return the plan of a question in which every word has its place in the grammar; else None."""
    several, text = None, parser.question.text
    if parser.question.entities and (" and " in text or "," in text) and has_columns(parser.place.graph):
        from graphbrick.bricks.retrieve.operators.cards.several import properties_of_several
        from graphbrick.bricks.retrieve.operators.facts import Facts  # most questions need neither

        several = properties_of_several(Facts(parser), text)
    plan = several or of_named(parser, _by_grammar_alone) or by_size(parser, _by_grammar_alone)
    return plan or _by_grammar_alone(parser) or _of_another(parser)


def _of_another(parser: Parser) -> Plan | None:
    """Return the plan of a question in which a name of several entities stands for one that all other words fit."""
    graph = parser.place.graph
    has_order = _IN_ORDER.search(parser.question.text)  # what the grammar alone reads as it is meant
    for question in other_readings(graph, parser.question) if has_order else ():
        plan = _by_grammar_alone(Parser(parser.resolver, question))
        if plan is None or (isinstance(plan, SetPlan) and not len(plan.run(parser.place))):
            continue
        changed = zip(question.entities, parser.question.entities, strict=True)
        (other,) = (one for one, before in changed if one != before)
        name, kind = graph.label(other), ", ".join(graph.types(other))
        event(f"{name!r} is taken for the {kind}, which the question fits", "operators.another_reading", name=name)
        return plan
    return None


def _by_grammar_alone(parser: Parser) -> Plan | None:
    plan = of_records(parser, of_grammar(parser))
    if plan is not None:
        check_grammar(parser, plan)
    return plan


def _of_each(parser: Parser, plan: Plan) -> Plan:
    """Return a plan with a line for each entity where the question asks so: «what tier is each service».

    Raises:
        UnreadWordError: The plan says nothing of each.
    """
    if says_each(parser.question.text) and not isinstance(plan, OfNamed):
        raise UnreadWordError("each")
    if not _EACH.search(MENTION.sub("e1", parser.question.text)):
        return plan
    if isinstance(plan, Values) and not plan.part:
        assumed = "; ".join(parser.resolver.assumptions_of(plan))
        plan = replace(plan, part="each")
        if assumed:
            parser.resolver.assumptions[plan] = assumed
    if not _EACH_SHOWN.search(plan.text(parser.place)):
        raise UnreadWordError("each")
    return plan


def of_records(parser: Parser, plan: Plan | None) -> Plan | None:
    """Return a plan that speaks of records as the question does.

    What is said of one record holds of one triple, and triples are counted where the question counts records and the
    plan only what they lead to.
    """
    if plan is None:
        return None
    plan = _of_each(parser, plan)
    given, plan = plan, in_one_triple(parser.place, with_record_values(parser, plan))
    place, lexicon = parser.place, parser.resolver.lexicon
    nouns = [word for word in dict.fromkeys(_WORD.findall(parser.question.text)) if is_plural(word)]
    said = {relation for noun in nouns for relation in relations_of_noun(place.graph, lexicon, noun)}
    weights = {relation: "" for relation in said if _has_several_of_a_pair(place, relation)}
    weighted = _weights(parser)
    found = _Counting(place, weights | weighted).of(plan) if weights or weighted else plan
    _check_counted(parser, found, weighted)
    _check_told_apart(parser, found, said)
    _check_best(found)
    _check_is_amount(parser, found)
    than = _THAN.search(parser.question.text)
    if found != plan and than is not None:
        found = _with_number_of(place, plan, found, parser.entity(than[1]))
    assumed = "; ".join(parser.resolver.assumptions_of(given)) if found != given else ""
    if assumed:
        parser.resolver.assumptions[found] = assumed
    return _with_value(parser, _dated(parser, cast(Plan, found)))


def _check_counted(parser: Parser, plan: Plan, weights: Mapping[int, str]) -> None:
    """Raise `UnreadWordError` if a question asks for a number of records, and its plan counts something else."""
    named = [one for one, name in weights.items() if name]
    if not named or not isinstance(plan, Count):
        return
    shown = plan.text(parser.place)
    labels = [parser.place.graph.relation_label(one) for one in named]
    totals = [total.name for one in named if (total := total_of(parser.place, one)) is not None]
    if not any(label in shown for label in (*labels, *totals)):
        raise UnreadWordError(" ".join(sorted(nouns_of(parser.place, named[0]))))


def _check_is_amount(parser: Parser, plan: Plan) -> None:
    """Raise `UnreadWordError` if a question asks how much something is, and its plan gives no number."""
    asked = _HOW_MUCH.match(parser.question.text)
    if asked is None or not isinstance(plan, SetPlan):
        return
    labels = map(parser.place.graph.label, plan.run(parser.place)[:_LOOKED_AT].tolist())
    if not any(label[:1].isdigit() or read_literal(label) for label in labels):
        raise UnreadWordError(asked[0])


def _check_best(plan: Any) -> None:
    """Raise `CannotPlanError` if a plan has the largest of one thing: «the highest score of e0» is another number."""
    if isinstance(plan, Best) and isinstance(plan.base, Listed) and len(plan.base.entities) == 1:
        raise CannotPlanError("nothing is the largest or smallest of one thing", code="operators.best_of_one")
    for field in fields(plan) if is_dataclass(plan) else ():
        own = getattr(plan, field.name)
        for part in own if isinstance(own, tuple) else (own,):
            _check_best(part)


def _check_told_apart(parser: Parser, plan: Plan, relations: Set[int]) -> None:
    """Raise `CannotPlanError` if a noun stands for records of two relations, and the question does not say which."""
    if not isinstance(plan, CountOfTriples) or plan.edges.relation not in relations:
        return
    place, words = parser.place, set(stems(parser.question.text))
    labels = {one: label_stems(place.graph.relation_label(one)) for one in relations}
    own = labels[plan.edges.relation]
    others = [
        one for one in relations if one != plan.edges.relation and len(replace(plan.edges, relation=one).run(place))
    ]
    if others and not words.intersection(set(own).difference(*(labels[one] for one in others))):
        names = " or ".join(place.graph.relation_label(one) for one in (plan.edges.relation, *others))
        text = f"the question may mean triples of {names}; say which"
        raise CannotPlanError(text, code=AMBIGUOUS)


def _dated(parser: Parser, plan: Plan) -> Plan:
    """Return the dates of what a plan gives, where a question asks when it is: «when is the exam of e0 in e1».

    Raises:
        UnreadWordError: Nothing that the plan gives has a date, or is called like a time.
    """
    if not isinstance(plan, SetPlan) or isinstance(plan, Listed) or not _WHEN.match(parser.question.text):
        return plan
    ends = plan.run(parser.place)
    date = parser.resolver.plain_date(plan) if len(ends) else None
    if date is not None:
        return plan if date.source.relation >= 0 else Values(plan, date.source)
    if len(ends) and not any(_TIME.search(parser.place.graph.label(one)) for one in ends[:_LOOKED_AT].tolist()):
        raise UnreadWordError("when")
    return plan


def _with_value(parser: Parser, plan: Plan) -> Plan:
    """Return the values of the property that a question asks for: «what was the weather on 2015-12-25», not the day."""
    noun = _WHAT_IS_THE.match(parser.question.text)
    if noun is None or not isinstance(plan, SetPlan) or _is_class(parser, name := stems(noun["noun"])):
        return plan
    graph, ends = parser.place.graph, plan.run(parser.place)
    own = [one for one in sources_of(graph) if one.stems == name and one.relation < 0]
    known = [one for one in own if len(ends) and np.isin(ends, owners_of(graph, one)).all()]
    return Values(plan, known[0]) if len(known) == 1 else plan


def _is_class(parser: Parser, name: Stems) -> bool:
    """Return whether stems are the whole name of a class, not its last word: the weather of `SeattleWeather`."""
    return any(stems(spaced(one)) == name for one in parser.resolver.lexicon.by_class.get(name, ()))


def _with_number_of(place: Place, plan: Any, found: Any, entity: int) -> Any:
    """Return a changed plan in which «more comments than e0» compares with as many records as e0 has."""
    if not isinstance(plan, Within) or not isinstance(found, Within):
        return found
    one = np.array([entity], dtype=np.int64)
    before, now = (float(measure.of(place, one)[0]) for measure in (plan.measure, found.measure))
    low, high = (now if bound == before else bound for bound in (found.low, found.high))
    return replace(found, low=low, high=high)


def _has_several_of_a_pair(place: Place, relation: int) -> bool:
    """Return whether some heads and tails are joined by more than one triple of a relation; a session looks once."""

    def look() -> bool:
        csr, ids = place.graph.csr, place.graph.triple_ids()
        triples = ids[csr.relation[ids] == relation]
        pairs = csr.heads(triples).astype(np.int64) * place.graph.n_entities + csr.tail[triples]
        return len(np.unique(pairs)) < len(triples)

    key = ("several of a pair", place.graph.place, place.graph.hash, relation)
    return current_session().get(key, look, at_most=256)


def _weights(parser: Parser) -> dict[int, str]:
    """Return the relations whose nouns a question has, with the property that says how many each triple stands for."""
    place, words = parser.place, frozenset(_WORD.findall(parser.question.text))
    if not has_triple_properties(place.graph):
        return {}
    nouns = {relation: nouns_of(place, relation) for relation in range(place.graph.n_relations)}
    said = {relation: own for relation, own in nouns.items() if own and own <= words}
    longest = [one for one, own in said.items() if not any(own < other for other in said.values())]  # own goals
    found = {relation: weight_of(place, relation) for relation in longest}
    shorter = {relation for relation in said if relation not in longest}
    return {one: name for one, name in found.items() if name or any(nouns[other] < nouns[one] for other in shorter)}


class _Counting:
    """Changes a plan so that the records of some relations are counted, not what they lead to.

    Args:
        place: The graph.
        weights: The relations with the property of their triples that is added up, "" where each is one record.
    """

    def __init__(self, place: Place, weights: Mapping[int, str]) -> None:
        self.place, self.weights = place, weights

    def of(self, plan: Any) -> Any:
        """Return a plan, or part of one, in which records are counted."""
        if isinstance(plan, Count) and (edges := self._edges(plan.base)) is not None:
            name = self.weights[edges.relation]
            return OfTriples(edges, name) if name and len(edges.run(self.place)) else CountOfTriples(edges)
        if isinstance(plan, BestOf) and plan.how == "ends" and plan.edges.relation in self.weights:
            name = self.weights[plan.edges.relation]
            return replace(plan, how="sum" if name else "triples", name=name)
        if isinstance(plan, Degree | CountIn) and (measure := self._measure(plan)) is not None:
            return measure
        if not is_dataclass(plan) or isinstance(plan, type):
            return plan
        changed = dict(self._changed(plan))
        return replace(cast(Any, plan), **changed) if changed else plan

    def _measure(self, plan: Degree | CountIn) -> Measure | None:
        """Return the number of records of each entity, which a number of its own may tell: `goals_scored`."""
        *before, (relation, forward) = plan.steps
        ends = plan.ends if isinstance(plan, CountIn) else Members(plan.of_class) if plan.of_class else None
        if relation not in self.weights and not before and ends is not None:
            relation = self._said_by(ends)  # «score own goals»
            ends = None
        if relation not in self.weights:
            return None
        name, conditions = self.weights[relation], plan.conditions if isinstance(plan, CountIn) else ()
        is_all = ends is None or not self._narrowed(ends, relation)
        total = total_of(self.place, relation) if name and is_all and not conditions else None
        if before:  # the goals of the players of a team
            own = None if total is None else Attribute(total)
            return OfEnds(tuple(before), Having(relation, forward), own, "sum") if own else None
        if total is not None:
            return Attribute(total)
        if name:
            return OfEdges(relation, forward, None if is_all else ends, name, "sum", conditions)
        if isinstance(plan, CountIn):
            return replace(plan, every=True)
        return plan if plan.of_class else CountIn(plan.steps, Having(relation, not forward), every=True)

    def _said_by(self, ends: SetPlan) -> int:
        """Return the relation whose records are counted and that leads to a set; -1 for another set."""
        parts = ends.parts if type(ends) is Both else (ends,)
        others = [one for one in parts if not isinstance(one, Members)]
        said = [relation for relation in self.weights if all(self._is_all(one, relation) for one in others)]
        return said[0] if len(said) == 1 and others else -1

    def _narrowed(self, ends: SetPlan, relation: int) -> list[SetPlan]:
        """Return the parts of a set that leave out some of the ends of a relation."""
        parts = ends.parts if type(ends) is Both else (ends,)
        own = [one for one in parts if not (self._is_all(one, relation) or isinstance(one, Members))]
        return [one for one in own if not (isinstance(one, Having) and one.relation == relation)]

    @staticmethod
    def _is_all(part: SetPlan, relation: int) -> bool:
        """Return whether a set is all that a relation leads to."""
        is_way = isinstance(part, Walk) and isinstance(part.base, Members) and len(part.steps) == 1
        return is_way and cast(Walk, part).steps[0][0] == relation

    def _changed(self, plan: Any) -> Iterator[tuple[str, Any]]:
        """Yield the parts of a plan that are replaced."""
        for field in fields(plan):
            own = getattr(plan, field.name)
            new: Any = tuple(map(self.of, own)) if isinstance(own, tuple) else self.of(own)
            if new is not own and new != own:
                yield field.name, new

    def _edges(self, base: SetPlan) -> Edges | None:
        """Return the triples of a step from one entity, or from a set; None for another set."""
        parts = base.parts if type(base) is Both else (base,)
        if len(parts) == 1 and isinstance(base, Along) and len(base.steps) == 2 and not base.of_class:
            (first, (relation, forward)) = base.steps  # the goals of the players of a team
            start: SetPlan = Along(base.start, (first,))
            is_counted = relation in self.weights
            return (Edges(relation, start) if forward else Edges(relation, None, start)) if is_counted else None
        ways = [one for one in parts if isinstance(one, Along | Walk) and len(one.steps) == 1]
        ways = [one for one in ways if not self._is_all(one, one.steps[0][0])]
        if len(ways) != 1:
            return None
        (way,) = ways
        of_class = way.of_class if isinstance(way, Along) else way.classes[-1]
        if of_class and way is base:
            return None
        start = Listed((way.start,)) if isinstance(way, Along) else way.base
        ((relation, forward),) = way.steps
        if relation not in self.weights and len(parts) > 1:
            relation = self._said_by(Both(tuple(one for one in parts if one is not way)))
        if relation not in self.weights or isinstance(start, Members):
            return None
        rest = [one for one in self._narrowed(base, relation) if one is not way]
        rest += [Members(of_class)] if of_class else []
        others = Both(tuple(rest)) if rest[1:] else rest[0] if rest else None
        return Edges(relation, start, others) if forward else Edges(relation, others, start)
