"""One-to-one matching of answers with gold answers that have several names or possible entities."""

from __future__ import annotations

from collections.abc import Sequence


def maximum_matching(options: Sequence[Sequence[int]]) -> int:
    """Return the size of a maximum matching in a bipartite graph.

    The matching is augmented until there is no augmenting path (Berge, 1957).

    Args:
        options: For each left node, the right nodes it may be matched with.

    >>> maximum_matching([[0, 1], [0], []])
    2
    """
    left_of: dict[int, int] = {}
    right_of: dict[int, int] = {}
    for start in range(len(options)):
        reached: dict[int, int] = {}  # right node: the left node from which it was reached
        end = _free(start, options, left_of, reached)
        while end is not None:
            left = reached[end]
            before = right_of.get(left)
            right_of[left], left_of[end] = end, left
            end = before
    return len(left_of)


def _free(start: int, options: Sequence[Sequence[int]], left_of: dict[int, int], reached: dict[int, int]) -> int | None:
    """Return an unmatched right node reached by an alternating path from ``start``, breadth first."""
    queue = [start]
    for left in queue:
        for right in options[left]:
            if right not in reached:
                reached[right] = left
                if right not in left_of:
                    return right
                queue.append(left_of[right])
    return None
