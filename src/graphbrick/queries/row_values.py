"""Values of a query's result as text, with the entities that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Labels

_LONGEST_NAME = 200  # characters
_TRIED = 3  # entities of a name


class RowMaker:
    """Reads the rows of one result; a value that comes again is looked up once.

    Args:
        graph: The graph that was queried.
    """

    def __init__(self, graph: Labels) -> None:
        self._graph = graph
        self._entities: dict[str, int | None] = {}

    def read(self, row: Sequence[object]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the values of a row as text, keys of entities as their labels, and the entities, each once.

        An entity is named by its key, or by a label that no other entity has.
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
            return value if entity is None or self._graph.key(entity) != value else self._graph.label(entity)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        if isinstance(value, Mapping):
            return ", ".join(f"{name}: {self._text(part)}" for name, part in value.items())
        if isinstance(value, list | tuple | set):
            return ", ".join(map(self._text, value))
        return str(value)

    def _entity(self, text: str) -> int | None:
        if text not in self._entities:
            self._entities[text] = self._looked_up(text)
        return self._entities[text]

    def _looked_up(self, text: str) -> int | None:
        if not text.strip() or len(text) > _LONGEST_NAME:
            return None
        try:
            return self._graph.entity(text)
        except LinkError:
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
