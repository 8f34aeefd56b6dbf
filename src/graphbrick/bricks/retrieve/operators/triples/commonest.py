"""Questions for all values of a property, or for the one that most have: «what is the most common language»."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.plan import Amount, Attribute, Best, Degree, Members, Plan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.core.properties.values import Kind
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.amounts import is_amount

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.facts import Facts

_DIFFERENT = Expression(r"\b(?:different|distinct|kinds?|types?)\b")


def commonest(facts: Facts, text: str) -> Plan | None:
    """Read «what is the most common language of our services», «which cause is the rarest»; None for others."""
    match = facts.english.match("commonest", text)
    if match is None:
        return None
    noun, is_most = match["noun"], not match["rare"]
    sources, _ = facts.named(noun)
    sources = [source for source in sources if source.kind != Kind.BOOLEAN]
    if sources and not facts.lexicon.classes_in(noun):
        where = match["where"]
        base = facts.resolver.holding(sources[0]) if where is None else facts.base(where)
        own = facts.own(sources, base)
        return None if own is None else Values(base, own, "commonest" if is_most else "rarest")
    name = next(iter(facts.lexicon.classes_in(noun)), "")
    joins = facts.parser.schema.classes.joins.get(name, ())
    if not name or len(joins) != 1:
        return None
    (join,) = joins
    if match["where"] and facts.lexicon.classes_in(match["where"]) != [join.end]:
        return None
    return Best(Members(name), Degree(((join.relation, join.forward),), join.end), is_most)


def all_values(facts: Facts, text: str) -> Plan | None:
    """Read «which languages are there», «how many languages are used», «how many beds are there», a sum."""
    match = facts.english.match("all_values", text)
    sources = facts.named(match["noun"])[0] if match else []
    if not match or not sources or facts.lexicon.classes_in(match["noun"]) or sources[0].kind == Kind.BOOLEAN:
        return None
    if text.startswith("what is ") and sources[0].literal is not None:
        return None  # «what is the population» of nothing asks for no list of numbers
    own, source = facts.resolver.holding(sources[0]), sources[0]
    if match["how"] == "how many" and is_amount(source) and not _DIFFERENT.search(text):
        return Amount(own, Attribute(source))
    return Values(own, source, "count" if match["how"] == "how many" else "")
