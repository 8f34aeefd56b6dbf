"""Quantities whose amounts stand at triples, in questions for amounts: «how much iron is in spinach»."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from graphbrick.bricks.retrieve.operators.wordings.units import factor_of
from graphbrick.core import Query
from graphbrick.core.trace import DETAIL, event
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import Source, has_triple_properties, sources_of

_AMOUNT = Expression(
    r"\b(?:how (?:much|many|high|low)|most|least|more|less|fewer|highest|lowest|largest|smallest|average|mean|median|"
    r"total|sum|over|under|above|below|between|at (?:least|most)|exactly|rich(?:er|est)?|high|low|amounts?|contents?|"
    r"levels?|values?|per ?cent|percentage|score)\b|[%<>]|\d",
    re.I,
)
# What stands before a quantity.
_HAVING = Expression(
    r"\b(?:have|has|had|contain(?:s|ing)?|with|without|lacks?|no|any|some) (?:(?:no|any|some|the) )?[\"“«']?$", re.I
)
_OF = Expression(r"[\"”»']? (?:in|of|for) ")  # what follows one: «iron in spinach»
_NUMBER = Expression(r"(?P<n>\d[\d,.]*) ?(?P<unit>[a-zµ]+(?:/[a-z]+)?)? (?:of )?(?:the )?$", re.I)
# «richer in iron» has more of it; «the food highest in iron» the most.
_RICH = Expression(r"\b(?P<be>(?:is|are|was|were) )?(?:the )?(?P<how>rich|high|low|poor)(?P<form>er|est) in $", re.I)
_OPENING, _CLOSING = "\"“«'", "\"”»'"
_BASIS = Expression(
    r"(?P<lead>,? ?\b(?:in|for|per|out of)) (?:each |every )?(?P<n>\d+) ?(?P<unit>g|ml|l|kg|oz)(?:rams?)?\b"
    r"(?P<of> of\b)?",
    re.I,
)


def in_words_of_quantities(graph: Graph, query: Query) -> Query:
    """Return a question for amounts with quantities as words, not as entities where its search starts.

    Numbers in another unit than the quantity has are converted; «per 100 g» is left out if the relation says it.

    Args:
        graph: The graph.
        query: The question.
    """
    if not has_triple_properties(graph):
        return query
    from graphbrick.patterns.properties.measured import said_in  # most graphs have no such triples

    found = said_in(graph, query.text)
    rest = query.text
    for start, end, _ in reversed(found):  # «vitamin B-12» has a number of its own
        rest = f"{rest[:start]} {rest[end:]}"
    if len(found) < 2 and not _AMOUNT.search(rest):
        found = [one for one in found if _HAVING.search(query.text[: one[0]]) or _OF.match(query.text[one[1] :])]
    if not found:
        return query
    sources = {one.measured: one for one in sources_of(graph) if one.measured is not None}
    text, told = query.text, list[Source]()
    for start, end, quantity in reversed(found):
        source, name = sources[quantity.measured], query.text[start:end]
        before, after = text[:start], text[end:]
        if before[-1:] and before[-1:] in _OPENING and after[:1] in _CLOSING:
            before, after = before[:-1], after[1:]
        before = _RICH.sub(_as_amount, before)
        text = f"{_NUMBER.sub(partial(_in_unit, source), before)}{source.spoken}{after}"
        told.append(source)
        event(f"{name!r} is read as the amount of {source.name!r} of each", "operators.quantity", DETAIL, name=name)
    text = _without_unit(_without_basis(graph, text, told), told)
    left = {source.measured.quantity for source in told if source.measured is not None}
    mentions = tuple(mention for mention in query.mentions if mention.entity not in left)
    return replace(query, text=text, seeds=tuple(seed for seed in query.seeds if seed not in left), mentions=mentions)


def _as_amount(match: re.Match[str]) -> str:
    """Return «has more» for «is richer in», «with the most» for «richest in»."""
    is_more = match["how"].lower() in ("rich", "high")
    if match["form"].lower() == "er":
        return f"has {'more' if is_more else 'less'} "
    return (
        f"has the {'most' if is_more else 'least'} " if match["be"] else f"with the {'most' if is_more else 'least'} "
    )


def _in_unit(source: Source, match: re.Match[str]) -> str:
    """Return a number before a quantity without its unit if it is that of the quantity, else converted if it can be."""
    unit = (match["unit"] or "").lower()
    is_own = unit in ("", "of", source.unit.lower())
    factor = 1.0 if is_own else factor_of(f"in {source.unit}", unit)
    if factor is None:
        return match[0]
    number = float(match["n"].replace(",", "").rstrip("."))
    return f"{number * factor:.12g} "


def _without_basis(graph: Graph, text: str, told: list[Source]) -> str:
    """Return a text without «per 100 g» where all relations say it in their names."""
    labels = [graph.relation_label(one.measured.relation).lower() for one in told if one.measured is not None]
    match = _BASIS.search(text)
    basis = "" if match is None else f"{match['n']} ?{match['unit'].lower()}"
    if match is None or not all(re.search(rf"(?<!\d){basis}(?![a-z])", label.replace("_", " ")) for label in labels):
        return text
    instead = match["lead"] if match["of"] else ""
    return f"{text[: match.start()]}{instead}{text[match.end() :]}"


def _without_unit(text: str, told: list[Source]) -> str:
    """Return a text without «in kcal» where that is the unit of the quantities."""
    units = {source.unit for source in told}
    for unit in units if len(units) == 1 and all(units) else ():
        text = re.sub(rf",? (?:in|as) {re.escape(unit)}(?=\W*$)", "", text, flags=re.IGNORECASE)
    return text
