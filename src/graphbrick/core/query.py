"""A question and the entities where its search starts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphbrick.core.deferred import Shown
from graphbrick.core.errors import GraphbrickError

LONGEST_QUESTION = 10_000
"""Characters of a question that are read."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question that names an entity.

    Attributes:
        text: The words of the question.
        entity: The entity that was chosen.
        score: 1 for an exact label or alias (after folding), below 1 for a near miss.
        others: Other entities that it may mean, best first.
    """

    text: str
    entity: int
    score: float = 1.0
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Query(Shown):
    """A question and the entities where its search starts.

    Attributes:
        text: The question.
        seeds: Entity ids, distinct, in order of appearance; empty until a link stage has run. Other readings of a
            mention, if a link stage carries several on, are last.
        id: Identifier of the question in its data set.
        mentions: How the seeds were found; empty for seeds that were given.
    """

    text: str
    seeds: tuple[int, ...] = ()
    id: str = ""
    mentions: tuple[Mention, ...] = ()

    def alternatives(self, seed: int) -> frozenset[int]:
        """Return the seeds that are other readings of a seed's mention; an answer is about one of them.

        >>> paris, texas = Mention("Paris", 3, others=(4, 5)), Mention("Texas", 7)
        >>> query = Query("Is Paris in Texas?", (3, 7, 4), mentions=(paris, texas))
        >>> sorted(query.alternatives(3)), sorted(query.alternatives(4)), sorted(query.alternatives(7))
        ([4], [3], [])
        """
        first = {mention.entity for mention in self.mentions}
        seeds = set[int]()
        for mention in self.mentions:
            readings = {mention.entity, *mention.others} & set(self.seeds)
            if seed in readings:
                seeds |= readings - (first - {mention.entity})
        return frozenset(seeds - {seed})

    def name_of(self, entity: int, label: str) -> str:
        """Return the question's name for an entity: its label, or its mention if spelled otherwise.

        >>> query = Query("Where was Tom Henks born?", (3,), mentions=(Mention("Tom Henks", 3, 0.9),))
        >>> query.name_of(3, "Tom Hanks"), query.name_of(4, "Meg Ryan")
        ('Tom Henks', 'Meg Ryan')
        """
        if label in self.text:
            return label
        texts = (mention.text for mention in self.mentions if entity in (mention.entity, *mention.others))
        return next((text for text in texts if _stands_in(text, self.text)), label)


def check_question(text: str) -> str:
    """Return the text of a question.

    Raises:
        GraphbrickError: It is empty, or longer than `LONGEST_QUESTION`.
    """
    if not text.strip():
        raise GraphbrickError(
            "the question is empty; ask for example «Which currency is used in Kenya?»", code="run.empty_question"
        )
    if len(text) > LONGEST_QUESTION:
        raise GraphbrickError(
            f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are read: ask for less at once",
            code="run.long_question",
            size=len(text),
            at_most=LONGEST_QUESTION,
        )
    return text


def _stands_in(name: str, text: str) -> bool:
    """Return whether a name is whole words of a text: the key 1 of a seed does not stand in «1999»."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
