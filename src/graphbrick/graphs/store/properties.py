"""The properties that the columns of a graph folder and its changes hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.csr import Csr
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import NO_PROPERTIES, Properties, Value
from graphbrick.graphs.records.columns import properties_text
from graphbrick.graphs.store.overlay.overlay import Changes
from graphbrick.graphs.store.overlay.overlay_rows import find_triples

if TYPE_CHECKING:
    from graphbrick.graphs.store.columns import Column

Ids = npt.NDArray[np.int64]
Triples = npt.NDArray[np.int32]


class StoredProperties:
    """The part of a folder graph that has the properties of entities and triples.

    Attributes:
        columns: The columns as built.
        changes: The changes since the build.
    """

    columns: Sequence[Column] = ()
    csr: Csr
    changes: Changes
    _n_built: int
    _origin: Ids | None = None

    def own_properties(self, entity: int) -> Properties:
        """Return the properties of an entity, in the order of the columns; without values that are tails of triples."""
        changed = self.changes.facts.get(entity)
        if changed is not None and changed.properties is not None:
            return changed.properties
        return self._of_columns(entity, of_triples=False)

    def triple_properties(self, triple: int) -> Properties:
        """Return the properties of a triple."""
        if self._origin is not None and triple >= self._n_built:
            triple = int(self._origin[triple - self._n_built])
            if triple < 0:
                return self.changes.added_properties[-1 - triple]
        return self._of_columns(triple, of_triples=True)

    def ids_of(self, triples: Triples, properties: Sequence[Properties]) -> Ids:
        """Return the ids of triples with these properties; -1 for those that are not there.

        Args:
            triples: int32 [triples, 3]: head, relation, tail.
            properties: The properties of each; empty for triples without any.
        """
        ids = find_triples(self.csr, triples)
        if not self.triples_have_properties:
            return np.where([bool(own) for own in properties], -1, ids) if len(properties) else ids
        for place in np.flatnonzero(ids >= 0).tolist():
            own = properties_text(properties[place] if len(properties) else NO_PROPERTIES)
            parallels = self.parallels(int(ids[place]))
            ids[place] = next((t for t in parallels if properties_text(self.triple_properties(t)) == own), -1)
        return ids

    def parallels(self, triple: int) -> list[int]:
        """Return all triples with the same head, relation and tail, from the first of them on."""
        csr = self.csr
        end = int(csr.row(int(csr.heads(np.array([triple]))[0]), True).stop)
        last = triple + 1
        while last < end and csr.tail[last] == csr.tail[triple] and csr.relation[last] == csr.relation[triple]:
            last += 1
        return list(range(triple, last))

    def properties_between(self, head: int, relation: int, tail: int) -> list[Properties]:
        """Return the properties of each triple with these ends and relation, in the order of the triples."""
        if not self.triples_have_properties:
            return [NO_PROPERTIES]
        first = int(find_triples(self.csr, np.array([[head, relation, tail]], dtype=np.int32))[0])
        return [NO_PROPERTIES] if first < 0 else list(map(self.triple_properties, self.parallels(first)))

    def _of_columns(self, owner: int, *, of_triples: bool) -> Properties:
        values: dict[str, Value] = {}
        for column in self.columns:
            if column.of_triples == of_triples:
                value = column.of(owner)
                if value is not None:
                    values[column.name] = value
        return values or NO_PROPERTIES

    @property
    def triples_have_properties(self) -> bool:
        """True if any triple has a property."""
        return any(column.of_triples for column in self.columns) or any(self.changes.added_properties)

    def own_matching(self, condition: Condition) -> Ids:
        """Return the entities whose own properties meet a condition, ascending."""
        parts = [
            column.matching(condition)
            for column in self.columns
            if column.name == condition.name and not column.of_triples
        ]
        built = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
        changed = {
            entity: facts.properties for entity, facts in self.changes.facts.items() if facts.properties is not None
        }
        if not changed:
            return built
        news = [
            entity
            for entity, properties in changed.items()
            if condition.name in properties and condition.holds(properties[condition.name])
        ]
        return np.union1d(np.setdiff1d(built, list(changed)), news).astype(np.int64)
