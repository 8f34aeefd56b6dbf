"""The one property of a class that has codes, for «the code of e0», «airport code of e0», where none is called so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.sets import Listed, Plan
from graphbrick.core.properties.values import Kind
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem
from graphbrick.patterns.properties.sources import Source, owners_of, value_of

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.facts import Facts

_ASKED = Expression(
    r"^(?:(?:what|which) (?:is|are) )?(?:the )?(?P<noun>(?:[a-z]+ )?(?:code|abbreviation)) of (?:the )?(?P<who>e\d+)$"
)
_CODE = Expression(r"[A-Z0-9]{2,6}")
_LOOKED_AT = 1_000  # entities


def code_of(facts: Facts, text: str) -> Plan | None:
    """Read «the code of e0», «airport code of e0», an assumption; None where the words or the graph do not say which.

    Args:
        facts: Knows the properties.
        text: The question, with placeholders.
    """
    match = _ASKED.match(text)
    if match is None or facts.named(match["noun"])[0]:
        return None
    noun, entity = match["noun"], facts.parser.entity(match["who"])
    *before, _ = noun.split()
    types = facts.place.graph.types(entity)
    is_of_class = all(facts.lexicon.class_named((stem(word),)) in types for word in before)
    if not is_of_class:
        return None
    own = [one for one in facts.sources if one.relation < 0 and one.kind == Kind.TEXT and one.literal is None]
    codes = [one for one in own if value_of(facts.place.graph, one, entity) is not None and _has_codes(facts, one)]
    if len(codes) != 1:
        return None
    plan = Values(Listed((entity,)), codes[0])
    facts.resolver.assumptions[plan] = f"{noun!r} is no word of this graph; {codes[0].name} is taken, which has codes"
    return plan


def _has_codes(facts: Facts, source: Source) -> bool:
    """Return whether all values of a property are codes, each of one entity."""
    owners = owners_of(facts.place.graph, source)[:_LOOKED_AT].tolist()
    values = [str(value_of(facts.place.graph, source, one)) for one in owners]
    return len(values) > 1 and len(set(values)) == len(values) and all(map(_CODE.fullmatch, values))
