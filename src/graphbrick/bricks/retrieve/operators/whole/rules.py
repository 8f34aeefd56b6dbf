"""A question read by the rules for whole questions: comparisons, yes or no, numbers, sets."""

from __future__ import annotations

import re

from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan
from graphbrick.bricks.retrieve.operators.whole.truth import Truth
from graphbrick.bricks.retrieve.operators.whole.values import Numbers
from graphbrick.language.stems import stem


def read(parser: Parser, text: str) -> Plan:
    """Return the plan of a question by the rules.

    Raises:
        CannotPlanError: No rule reads it, or the graph does not have what it speaks of.
    """
    superlative = parser.english.unknown_superlative(text)
    if superlative and stem(superlative) not in parser.resolver.lexicon.words:
        raise CannotPlanError(
            f"I do not know what {superlative!r} compares in this graph",
            code="operators.unknown_adjective",
            adjective=superlative,
        )
    numbers = Numbers(parser)
    compared = numbers.compared(text)
    if compared is not None:
        return compared
    if parser.english.match("auxiliary", text):
        return Truth(parser).read(text)
    value = numbers.read(text)
    if value is not None:
        return value
    unknown = next(filter(None, (re.search(rf"\b{words}\b", text) for words in parser.english.unknown)), None)
    if unknown:
        raise CannotPlanError(f"I cannot work out {unknown[0]!r}", code="operators.no_rule")
    return parser.set(text)
