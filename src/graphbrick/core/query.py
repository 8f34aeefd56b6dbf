"""A question and the entities where its search starts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question that names an entity.

    Attributes:
        text: The words of the question.
        entity: The entity that was chosen.
        score: 1 for an exact label or alias (after folding), below 1 for a near miss.
        others: Other entities of that name, best connected first.
    """

    text: str
    entity: int
    score: float = 1.0
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the entities where its search starts.

    Attributes:
        text: The question.
        seeds: Entity ids, distinct, in order of appearance; empty until a link stage has run.
        id: Identifier of the question in its data set.
        mentions: How the seeds were found; empty for seeds that were given.
    """

    text: str
    seeds: tuple[int, ...] = ()
    id: str = ""
    mentions: tuple[Mention, ...] = ()
