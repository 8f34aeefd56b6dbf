"""Which properties nodes are called by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from graphbrick.graphs.databases.names import LABELS, TITLE, own_names


class Called(NamedTuple):
    """The properties that nodes are called by.

    Attributes:
        names: Those that are a name by themselves, best first.
        parts: First and last name, for nodes with none of these; empty if no class has both.
    """

    names: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, stated: str, classes: Collection[Collection[str]]) -> Called:
        """Return the property that an address names, or the usual ones and those of classes that have none of them."""
        if stated:
            return cls((stated,))
        own = [own_names(properties) for properties in classes]
        single = list(dict.fromkeys(names[0] for names in own if len(names) == 1))
        parts = next((names for names in own if len(names) > 1), ())
        persons = (name for names, has in zip(own, classes, strict=True) if TITLE in has for name in names[:1])
        first = [name for name in (*LABELS[:-1], *persons) if name != TITLE and name not in parts]
        return cls(tuple(dict.fromkeys((*first, TITLE, *single))), parts)

    def by(self, properties: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the properties whose values are the name of a node; none if it has no name.

        >>> called = Called(("name", "title"), ("first", "last"))
        >>> called.by({"first": "Ada", "last": "Lovelace", "name": "", "title": "Dr"}), called.by({"title": "Alien"})
        (('first', 'last'), ('title',))
        """
        name = next((name for name in self.names if properties.get(name) not in (None, "")), "")
        parts = tuple(part for part in self.parts if properties.get(part) not in (None, ""))
        if parts and (not name or (name == TITLE and parts == self.parts)):
            return parts
        return (name,) if name else ()
