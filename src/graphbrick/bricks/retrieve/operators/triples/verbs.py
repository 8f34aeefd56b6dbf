"""Questions for a property whose name is a verb: «what does e0 raise» for `raises`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators.plan import Listed, Plan
from graphbrick.language.stems import spaced, stems

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.facts import Facts


def done(facts: Facts, text: str) -> Plan | None:
    """Read «what does e0 raise», «which stat is raised by e0»; None for another question, or a verb of a relation."""
    match, english = facts.english.match("property_done", text), facts.english
    if not match or facts.is_relation(match["verb"]):
        return None
    named = [one for one in facts.sources if one.stems == stems(match["verb"])]
    base = Listed((facts.parser.entity(match["who"]),))
    plan = facts.values(named, base)
    graph = facts.place.graph
    types = {word for one in base.entities for name in graph.types(one) for word in stems(spaced(name))}
    if plan is None or not types.issuperset(english.content(match["kind"] or "")):
        return None
    noun = " ".join(map(repr, facts.resolver.unexplained(plan, english.content(match["noun"] or ""))))
    if noun:
        facts.resolver.assumptions[plan] = f"{noun} is not a word of this property; taken for {plan.text(facts.place)}"
    return plan
