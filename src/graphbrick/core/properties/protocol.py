"""What a graph with properties can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Properties, PropertyColumn, Scalar


@runtime_checkable
class HasProperties(Protocol):
    """Entities have properties, whose values are not entities; see `graphbrick.core.properties.values`."""

    def property_columns(self) -> Sequence[PropertyColumn]:
        """Return the properties of entities, one entry for each name and kind, most frequent first."""
        ...

    def properties(self, entity: int) -> Properties:
        """Return the properties of an entity by name."""
        ...

    def own_properties(self, entity: int) -> Properties:
        """Return the properties of an entity that are not tails of triples as well; by default all."""
        return self.properties(entity)

    def own_properties_of(self, entities: Sequence[int]) -> list[Properties]:
        """Return `own_properties` of each entity; a database asks for many at a time."""
        return list(map(self.own_properties, entities))

    def matching(self, condition: Condition) -> Sequence[int]:
        """Return the entities with a property that meets a condition, ascending."""
        ...

    def entities_where(
        self,
        name: str,
        *,
        equals: Scalar | None = None,
        above: Scalar | None = None,
        at_least: Scalar | None = None,
        below: Scalar | None = None,
        at_most: Scalar | None = None,
    ) -> Sequence[int]:
        """Return the entities whose value of a property meets all bounds, ascending; see `Condition`.

        Raises:
            InputError: No bound, or bounds of values that cannot be compared.
        """
        return self.matching(Condition(name, equals, above, at_least, below, at_most))
