"""Companies by how many people work for them, where their size tells it: «companies with 250 employees»."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Count, Plan, SetPlan
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems
from graphbrick.patterns.properties.sources import owners_of, sources_of

_WORDINGS = (
    (
        Expression(
            r"\b(?P<have>have|has|having|with) (?P<n>(?:(?:more|less|fewer) than |over |under |at least |at most |"
            r"exactly )?\d[\d,.]*(?: or more)?) (?P<who>employees|workers|staff)\b"
        ),
        r"\g<have> a size of \g<n>",
    ),
    (
        Expression(
            r"^how many (?P<who>employees|workers|staff) (?:does|do|did|has|have) (?P<of>e\d+)(?: have| employ)?$"
        ),
        r"what is the size of \g<of>",
    ),
)
_SIZE = (stem("size"),)


def by_size(parser: Parser, read: Callable[[Parser], Plan | None]) -> Plan | None:
    """Return the plan of a question for employees by the size of companies; None where the graph has employees.

    A graph of customers knows a few people at each company, and the size of the whole company.

    Args:
        parser: Knows the question.
        read: Returns the plan of a question, or raises.
    """
    question, lexicon = parser.question, parser.resolver.lexicon
    for pattern, wording in _WORDINGS:
        match = pattern.search(question.text)
        if match is None or lexicon.class_named(stems(match["who"])) or not _have_sizes(parser):
            continue
        text = f"{question.text[: match.start()]}{match.expand(wording)}{question.text[match.end() :]}"
        try:
            plan = read(Parser(parser.resolver, replace(question, text=text)))
        except CannotPlanError:
            return None
        found = plan.base if isinstance(plan, Count) else plan
        if plan is not None and (not isinstance(found, SetPlan) or len(found.run(parser.place))):
            said = f"{match['who']!r} is taken for the size, which counts more than those that the graph knows"
            parser.resolver.assumptions[plan] = said
            return plan
    return None


def _have_sizes(parser: Parser) -> bool:
    """Return whether groups, such as companies, have a number that is called their size."""
    graph, people = parser.place.graph, parser.resolver.lexicon.class_of_people
    sizes = [one for one in sources_of(graph) if one.stems == _SIZE and one.literal is not None]
    owners = [owners_of(graph, one) for one in sizes]
    members = parser.resolver.lexicon.classes.get(people, np.empty(0, dtype=np.int64))
    return bool(sizes) and not any(np.isin(members, own).any() for own in owners)
