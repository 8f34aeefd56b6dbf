"""Values with a verb in their name: «which countries did we ship e0 to», of the `ShipCountry` of orders."""

from __future__ import annotations

from graphbrick.core.properties.values import Kind
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stem
from graphbrick.patterns.properties.sources import Source, owners_of, sources_of

_PLACED = r"(?:to|from|in|at|on)"
_WE_DID = Expression(
    rf"^(?P<first>{_PLACED} )?(?:which|what) (?P<noun>[a-z]+) (?:did|do|have|has) (?:we|you|they) (?:ever )?"
    rf"(?P<verb>[a-z]+) (?P<what>(?:the )?(?:e\d+|[a-z]+s .*e\d+))(?P<last> {_PLACED})?$"
)
_IT_WAS = Expression(
    rf"^(?P<first>{_PLACED} )?(?:which|what) (?P<noun>[a-z]+) (?:was|were|is|are|has|have) "
    rf"(?P<what>(?:the )?(?:e\d+|[a-z]+s .*e\d+))(?: ever)?(?: been)? (?P<verb>[a-z]+)(?P<last> {_PLACED})?$"
)
_NAME = Expression(r"^(?:the )?e(?P<number>\d+)$")


def with_value_of_verb(graph: Graph, entities: tuple[int, ...], text: str) -> str:
    """Return «ship country of orders with e0» for «which countries did we ship e0 to», where orders have one.

    Args:
        graph: The graph.
        entities: The entities of the placeholders.
        text: The question, with placeholders.
    """
    match = _WE_DID.match(text) or _IT_WAS.match(text)
    if match is None or not (match["first"] or match["last"]) or not forms.is_installed():
        return text
    own = (stem(forms.verb_of(match["verb"]) or match["verb"]), stem(forms.singular(match["noun"])))
    fits = [one for one in sources_of(graph) if one.relation < 0 and one.kind == Kind.TEXT and one.stems == own]
    if len(fits) != 1:
        return text
    name, what = _class_of(graph, fits[0]), match["what"]
    named = _NAME.match(what)
    is_other = named is not None and name not in graph.types(entities[int(named["number"])])
    of = f"{forms.plural(spaced(name).lower())} with {what}" if is_other else what
    noun = f"{fits[0].spoken.rsplit(' ', 1)[0]} {match['noun']}" if is_plural(match["noun"]) else fits[0].spoken
    return f"what {'are' if is_plural(match['noun']) else 'is'} the {noun} of {of}" if name else text


def _class_of(graph: Graph, source: Source) -> str:
    """Return the class of what has a property; "" for none."""
    owners = owners_of(graph, source)[:1].tolist()
    return next((name for one in owners for name in graph.types(one)), "")
