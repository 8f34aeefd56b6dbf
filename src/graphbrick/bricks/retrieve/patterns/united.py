"""Readings that differ only in the direction of symmetric relations."""

from __future__ import annotations

import numpy as np

from graphbrick.core import Reading
from graphbrick.patterns.text import canonical, labelled


def united(readings: list[Reading], symmetric: frozenset[str]) -> list[Reading]:
    """Give readings that differ only in the direction of symmetric relations the same ends.

    They mean the same, but where the graph holds a triple in one direction only, their own ends are not the same.
    """
    alike: dict[object, list[int]] = {}
    for place, (pattern, _, _) in enumerate(readings if symmetric else ()):
        alike.setdefault((pattern.start_label, canonical(labelled(pattern.steps), symmetric)), []).append(place)
    united = list(readings)
    for places in alike.values():
        first = readings[places[0]].ends
        if not all(np.array_equal(readings[place].ends, first) for place in places[1:]):
            ends = np.unique(np.concatenate([readings[place].ends for place in places]))
            for place in places:
                united[place] = readings[place]._replace(ends=ends)
    return united
