"""Values that are said of records, and not of what they lead to: «a note with the status hot» about a contact."""

from __future__ import annotations

import re

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import Along, Count, Listed, Members, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.properties.selections import Where
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.triples.columns import triple_properties
from graphbrick.bricks.retrieve.operators.triples.edges import Edges, Said
from graphbrick.bricks.retrieve.operators.triples.plans import CountOfTriples, Ends
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.core.properties.values import Kind
from graphbrick.language import forms

_SAID = r"(?:with|of|that (?:is|are|was|were)|which (?:is|are|was|were)|marked|as|in) (?:the |an? )?"


def with_record_values(parser: Parser, plan: Plan) -> Plan:
    """Return a plan in which a value that is said of a record is that of its triple, not of what it leads to."""
    if isinstance(plan, Count):
        edges = _edges(parser, plan.base)
        return plan if edges is None else CountOfTriples(edges)
    edges = _edges(parser, plan) if isinstance(plan, SetPlan) else None
    if edges is None or not isinstance(plan, Where) or not isinstance(plan.base, Along | Walk):
        return plan
    return Ends(edges, heads=not plan.base.steps[0][1])


def _edges(parser: Parser, plan: SetPlan) -> Edges | None:
    """Return the triples whose records have the value by which a plan selects what they lead to; None for others."""
    base = plan.base if isinstance(plan, Where) else None
    if not isinstance(plan, Where) or not isinstance(base, Along | Walk) or len(base.steps) != 1:
        return None
    ((relation, forward),) = base.steps
    names = {source.name for source in plan.sources}
    own = [one for one in triple_properties(parser.place.graph) if relation in one.relations and one.name in names]
    texts = [one for one in own if one.kind == Kind.TEXT]
    if len(texts) != 1 or not isinstance(plan.value, str) or not _is_of_record(parser, relation, plan.value.lower()):
        return None
    start = Listed((base.start,)) if isinstance(base, Along) else base.base
    of_class = base.of_class if isinstance(base, Along) else base.classes[-1]
    ends = Members(of_class) if of_class else None
    conditions = (Said(texts[0].name, plan.value),)
    return Edges(relation, start, ends, conditions) if forward else Edges(relation, ends, start, conditions)


def _is_of_record(parser: Parser, relation: int, value: str) -> bool:
    """Return whether a question says a value beside the noun for the triples of a relation: «hot notes»."""
    text, said = parser.question.text, re.escape(value)
    beside = (rf"\b(?P<noun>[a-z]+) {_SAID}(?:[a-z]+ (?:of )?)?{said}\b", rf"\b{said} (?P<noun>[a-z]+)\b")
    nouns = [match["noun"] for pattern in beside for match in re.finditer(pattern, text)]
    graph, lexicon = parser.place.graph, parser.resolver.lexicon
    return any(relation in relations_of_noun(graph, lexicon, forms.singular(noun)) for noun in nouns)
