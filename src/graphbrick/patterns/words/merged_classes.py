"""The classes of a changed graph: those that users wrote stay, the others are made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from graphbrick.patterns.words_file import EntityClass

Slot = tuple[str, bool]
"""The label of a relation, and whether its heads are meant or its tails."""


def merged_classes(
    kept: Sequence[EntityClass],
    fresh: Sequence[EntityClass],
    known: AbstractSet[str],
    is_by_rules: Callable[[EntityClass], bool],
    *,
    has_types: bool,
) -> list[EntityClass]:
    """Return the classes in the order of the fresh ones, then classes of users unlike any of them.

    A class that is as rules made it is replaced. Any other one, and every class of a graph with types, keeps its names
    and relations. The fresh class that is most like it gives it the relations that are new to the graph, and those of
    classes that are replaced.

    Args:
        kept: The classes of the file.
        fresh: The classes of the graph as it is now.
        known: Labels of the relations in the file.
        is_by_rules: Whether a class of the file is as rules made it.
        has_types: Whether the fresh classes are the types of the graph.
    """
    copies = [replace(one, heads=[*one.heads], tails=[*one.tails]) for one in kept]
    mine = [at for at, one in enumerate(copies) if has_types or not is_by_rules(one)]
    taken = frozenset[Slot]().union(*(_slots(copies[at]) for at in mine))
    released = frozenset[Slot]().union(*map(_slots, copies)) - taken
    classes: dict[int, EntityClass] = {}
    for number, made in enumerate(fresh):
        at = _most_like(made, copies, known, by_name=has_types)
        if at in mine:
            added = {one for one in _slots(made) - taken if one[0] not in known or one in released}
            copies[at].heads += [label for label in made.heads if (label, True) in added]
            copies[at].tails += [label for label in made.tails if (label, False) in added]
            classes.setdefault(at, copies[at])
        else:
            free = _slots(made) if has_types else _slots(made) - taken
            heads = [label for label in made.heads if (label, True) in free]
            tails = [label for label in made.tails if (label, False) in free]
            if free:
                classes[-1 - number] = replace(made, heads=heads, tails=tails)
    return [*classes.values(), *(copies[at] for at in mine if at not in classes)]


def _slots(one: EntityClass) -> frozenset[Slot]:
    return frozenset([*((label, True) for label in one.heads), *((label, False) for label in one.tails)])


def _most_like(made: EntityClass, classes: Sequence[EntityClass], known: AbstractSet[str], *, by_name: bool) -> int:
    """Return the place of the class most like a fresh one by shared relations; -1 for none.

    By name, it must have the same name, or, if it was renamed, the same relations.
    """
    old = frozenset(slot for slot in _slots(made) if slot[0] in known)
    shares = [len(old & _slots(one)) / max(1, len(old | _slots(one))) for one in classes]
    if by_name:
        alike = [at for at, one in enumerate(classes) if set(made.names) & set(one.names)]
        alike = alike or [at for at, share in enumerate(shares) if share == 1]
    else:
        alike = [at for at, share in enumerate(shares) if share > 0]
    return max(alike, key=lambda at: shares[at], default=-1)
