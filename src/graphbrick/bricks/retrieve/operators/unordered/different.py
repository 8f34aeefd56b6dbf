"""How many different values there are: «how many different transmissions does Honda have»."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from graphbrick.core import Citation, Evidence, Row
from graphbrick.core.items import ANSWER
from graphbrick.core.trace import Event, StageTrace, event
from graphbrick.language.expressions.expression import Expression

_DIFFERENT = Expression(
    r"(?:how many|(?:what is )?(?:the )?(?:number|count) of) (?:different|distinct|unique) (?P<rest>.+?)\W*$",
    re.IGNORECASE,
)
_LEAST = 0.4  # confidence of the answers that are counted


def number_of_different(
    read_again: Callable[[str, tuple[int, ...] | None], tuple[Evidence, StageTrace]], text: str
) -> Evidence | None:
    """Answer «how many different gears does Honda have» with the number of answers to «which gears does Honda have».

    None for another question, or where that has no answer.

    Args:
        read_again: Answers another text of the question.
        text: The question.
    """
    match = _DIFFERENT.match(text)
    if match is None:
        return None
    found, read = read_again(f"Which {match['rest']}?", None)
    rows = [item for item in found.items if isinstance(item, Row) and item.columns == ANSWER]
    told = [one for one in read.events if isinstance(one, Event)]
    plans = [str(one).removeprefix("plan: ") for one in told if one.code == "operators.plan"]
    is_cut = any(one.code == "operators.cap" for one in told)
    if not rows or not plans or is_cut or (found.confidence or 0.0) < _LEAST:
        return None
    plan = f"number of different {plans[0]}"
    event(f"plan: {plan}", "operators.number_of_different", plan=plan)
    n = len({row.values[0] for row in rows})
    count = Row(ANSWER, (f"{n:,}", plan), (Citation(query=plan),), (), rows[0].graph, 0.0, rows[0].source, n)
    return replace(found, items=(count, *(item for item in found.items if item not in rows)))
