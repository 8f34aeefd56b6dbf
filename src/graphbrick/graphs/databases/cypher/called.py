"""Which properties nodes are called by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from graphbrick.graphs.databases.names import LABELS, own_names


class Called(NamedTuple):
    """The properties that nodes are called by.

    Attributes:
        names: Those that are a name by themselves, best first.
        parts: First and last name, for nodes with none of these; empty if no class has both.
    """

    names: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, stated: str, classes: Iterable[Collection[str]]) -> Called:
        """Return the property that an address names, or the usual ones and those of classes that have none of them."""
        if stated:
            return cls((stated,))
        own = [own_names(properties) for properties in classes]
        single = (names[0] for names in own if len(names) == 1)
        return cls(tuple(dict.fromkeys((*LABELS, *single))), next((names for names in own if len(names) > 1), ()))

    def by(self, properties: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the properties whose values are the name of a node; none if it has no name.

        >>> Called(("name",), ("first", "last")).by({"first": "Ada", "last": "Lovelace", "name": ""})
        ('first', 'last')
        """
        names = [name for name in self.names if properties.get(name) not in (None, "")]
        return tuple(names[:1] or [part for part in self.parts if properties.get(part) not in (None, "")])
