"""Values of a query's result as text, with the entities that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from graphbrick.core.compute import check_limits
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Labels
from graphbrick.core.schema import NodeKey
from graphbrick.core.trace import event

_LONGEST_NAME = 200  # characters
_TRIED = 3  # entities of a name
_NUMBER = re.compile(r"[+-]*\d[\d.,]*")


class RowMaker:
    """Reads the rows of one result; a value that comes again is looked up once.

    Args:
        graph: The graph that was queried.
    """

    def __init__(self, graph: Labels) -> None:
        self._graph = graph
        self._entities: dict[tuple[bool, str], int | None] = {}  # by whether it is a node, and text
        self._has_failed = False

    def read(self, row: Sequence[object]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the values of a row as text, keys of entities as their labels, and the entities, each once.

        An entity is named by its key, or by a label that no other entity has. A text of digits is not a key unless the
        query returned the node: the version «2» is not the film with the id 2. If the graph fails, which is an event,
        further names are not looked up.
        """
        entities = dict.fromkeys(
            entity for value in row for text in _texts(value) if (entity := self._entity(text)) is not None
        )
        return tuple(map(self._text, row)), tuple(entities)

    def _text(self, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            entity = self._entity(value)
            if entity is None or self._graph.key(entity) != value:
                return str(value)
            return self._graph.label(entity)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        if isinstance(value, Mapping):
            return ", ".join(f"{name}: {self._text(part)}" for name, part in value.items())
        if isinstance(value, list | tuple | set):
            return ", ".join(map(self._text, value))
        return str(value)

    def _entity(self, text: str) -> int | None:
        known = isinstance(text, NodeKey), text
        if known not in self._entities:
            self._entities[known] = self._looked_up(text)
        return self._entities[known]

    def _looked_up(self, text: str) -> int | None:
        check_limits()  # every look-up may take as long as a query
        if not text.strip() or len(text) > _LONGEST_NAME:
            return None
        if self._has_failed and not isinstance(text, NodeKey):
            return None
        try:
            return self._by_key(text)
        except GraphbrickError as error:
            check_limits()
            self._has_failed = True
            event(
                f"entities of the rows were not looked up any further: {error}", "rows.not_looked_up", reason=str(error)
            )
            return None

    def _by_key(self, text: str) -> int | None:
        if isinstance(text, NodeKey) or not _NUMBER.fullmatch(text):
            try:
                return self._graph.entity(text)
            except LinkError:
                pass  # it may be a name
        named = [entity for entity in self._graph.search(text, _TRIED) if self._graph.label(entity) == text]
        return named[0] if len(named) == 1 else None


def _texts(value: object) -> Iterator[str]:
    """Yield the texts within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _texts(part)
