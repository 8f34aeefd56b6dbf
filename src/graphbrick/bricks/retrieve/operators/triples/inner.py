"""Entities that a question describes by triples: «where did the 2012 AL e0 winner go to college»."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan
from graphbrick.bricks.retrieve.operators.triples.reading import TripleReader
from graphbrick.bricks.retrieve.operators.wording import MENTION


class Described(NamedTuple):
    """An entity that a question describes.

    Attributes:
        entity: The entity.
        plan: The plan that gives it.
        text: The description.
        question: The question with a placeholder for it.
    """

    entity: int
    plan: SetPlan
    text: str
    question: str


def described(reader: TripleReader, text: str) -> Described | None:
    """Return the entity that a question describes by triples with a date; None if there is none.

    Args:
        reader: Reads the description.
        text: The question, with placeholders.

    Raises:
        CannotPlanError: Several entities, or none, are so.
    """
    for match in filter(None, (pattern.search(text) for pattern in reader.english.patterns["described"])):
        words = match["words"]
        outer = f"{text[: match.start()]} {text[match.end() :]}"
        if not reader.english.content(MENTION.sub(" ", outer)) and not re.search(r"\b(?:where|when)\b", outer):
            continue  # «who was the e0 winner in 2012» asks for it
        inner = f"which {words}" if match.re.groups > 1 and match.groupdict().get("verb") else f"who was the {words}"
        plan = reader.read(re.sub(r"^which ([a-z]+) (?:who|that) ", r"which \1 ", inner))
        if isinstance(plan, SetPlan):
            if len(plan.run(reader.place)) != 1:
                n = len(plan.run(reader.place))
                message = f"«{plan.text(reader.place)}» gives {n:,} entities, not one"
                raise CannotPlanError(message, code="triples.not_one_described", n=n)
            entity = plan.only(reader.place)
            number = len(reader.parser.entities)
            reader.parser.entities.append(entity)
            question = f"{text[: match.start()]}e{number}{text[match.end() :]}"
            return Described(entity, plan, f"the {words}", question)
    return None
