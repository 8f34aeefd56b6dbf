"""Ways from one class of a graph to another, over up to three relations."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.bricks.retrieve.operators.grammar.links import Links
from graphbrick.bricks.retrieve.operators.schema.class_graph import Join
from graphbrick.bricks.retrieve.operators.sets import Steps

_FURTHEST = 3  # relations in a row


class Ways:
    """A finder of the ways between classes that one question speaks of.

    Args:
        links: The relations that its words name.
    """

    def __init__(self, links: Links) -> None:
        self.links = links

    def shortest(self, start: str, end: str) -> list[tuple[Join, ...]]:
        """Return the shortest ways from one class to another; none if they are further than three relations."""
        first = [join for join in self.links.between(start, None) if end == start or join.end != start]
        level: list[tuple[Join, ...]] = [(join,) for join in first]
        seen = {start}
        for _ in range(_FURTHEST):
            found = [way for way in level if way[-1].end == end]
            if found:
                return found
            seen |= {way[-1].end for way in level}
            level = [
                (*way, join) for way in level for join in self.links.between(way[-1].end, None) if join.end not in seen
            ]
        return []

    def distance(self, start: str, end: str) -> int:
        """Return how many relations are between two classes; a large number if there is no way."""
        if start == end:
            return 0
        ways = self.shortest(start, end)
        return len(ways[0]) if ways else 99

    def chosen(self, start: str, end: str, said: Sequence[int], preposition: str = "") -> tuple[Join, ...]:
        """Return the way that a question means; empty if that is not clear.

        Args:
            start: The class that it leaves.
            end: The class that it reaches.
            said: The relations that the question names.
            preposition: The word before what is at its end; "" for none.
        """
        ways = self.shortest(start, end)
        if len(ways) < 2:
            return ways[0] if ways else ()
        named = [way for way in ways if any(join.relation in said for join in way)]
        if len(named) == 1:
            return named[0]
        if preposition:
            placed = [way for way in named or ways if any(self.links.is_said(join, preposition) for join in way)]
            if len(placed) == 1:
                return placed[0]
        widest = self.links.widest(start, [steps_of(way) for way in named or ways])
        return next((way for way in ways if steps_of(way) == widest), ())


def steps_of(way: Sequence[Join]) -> Steps:
    """Return the relations of a way with their directions."""
    return tuple((join.relation, join.forward) for join in way)
