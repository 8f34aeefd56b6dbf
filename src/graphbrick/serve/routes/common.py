"""Parts that several routes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query, Request

from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Capability, capabilities_of
from graphbrick.core.properties.stated import short_json
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.databases.cypher.cypher import CypherGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.serve.errors import ServeError
from graphbrick.serve.hosting import Opened
from graphbrick.serve.limits.streams import gone
from graphbrick.serve.models import Key, Name
from graphbrick.serve.service import Service
from graphbrick.text.documents.store import DATABASE, TextStore
from graphbrick.text.overview.documents import documents_of
from graphbrick.text.overview.names import names_of, stored_names

T = TypeVar("T")
MOST_PROPERTIES, LONGEST_VALUE = 100, 2_000  # of one entity or triple, and characters of a text

GraphName = Annotated[Name | None, Query(description="Name of the graph; by default the first.")]
EntityKey = Annotated[Key, Query(description="Key of the entity.")]


async def service_of(request: Request) -> Service:
    """Return the server's state; a coroutine, as the framework would call a function in a thread."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


Serving = Annotated[Service, Depends(service_of)]


def log_of(request: Request) -> dict[str, Any]:
    """Return the fields that the access log adds about this request."""
    return request.scope["state"]["log"]  # type: ignore[no-any-return]


def id_of(request: Request) -> str:
    """Return the id of a request, which its reply and the log have."""
    return request.scope["state"]["request_id"]  # type: ignore[no-any-return]


async def look_up(service: Service, request: Request, work: Callable[[], T]) -> T:
    """Do a short look-up in a thread and return its result."""
    runner = service.runner
    return await runner.call(work, runner.lookups, runner.budget(), lambda: gone(request.receive))


def document_text(graph: TextGraph, name: str) -> tuple[str, str, str]:
    """Return name, title and text of a document.

    Args:
        graph: The graph.
        name: The name of the document, or its address.

    Raises:
        ServeError: 404, there is none of this name.
    """
    folder, names = text_folder(graph.place), names_of(graph)
    address = names.address(name)
    titled: tuple[str, str] | None = None
    if (folder / DATABASE).is_file():
        with TextStore(folder) as store:
            titled = store.document(address)
            if titled is None:  # it may have come since the graph was opened
                address = stored_names(store).address(name)
                titled = store.document(address)
    else:
        documents = documents_of(graph)
        texts = [graph.passage(i).text for i in documents.passages.get(address, ())]
        titled = (documents.titles[address], "\n\n".join(texts)) if texts else None
    if titled is None:
        raise ServeError(
            404, "no_document", f"there is no document {name[:80]!r}; the list of documents tells their names"
        )
    return names.name(address), *titled


def entity_of(opened: Opened, key: str) -> int:
    """Return the entity with a key, or else the only one with a label.

    Raises:
        LinkError: There is none, or there are several.
    """
    graph = opened.graph
    try:
        return int(graph.entity(key))
    except LinkError:
        named = list(graph.named(key)) if hasattr(graph, "named") else []
        ids = [entity for entity in named if isinstance(entity, int)]
        if len(ids) != 1:
            several = f"{len(ids)} entities are called that; " if ids else ""
            raise LinkError(f"no entity has the key {key[:80]!r}; {several}find keys with /v1/entities?q=...") from None
        return ids[0]


def entity_json(graph: Any, entity: int) -> dict[str, Any]:
    """Return an entity in short."""
    return {
        "key": graph.key(entity),
        "label": graph.label(entity),
        "types": graph.types(entity),
        "description": graph.description(entity)[:500],
    }


def with_properties(graph: Any, entities: Sequence[int]) -> list[dict[str, Any]]:
    """Return entities in short, each with its properties; long values are cut, which ``properties_cut`` says."""
    rows = []
    for entity, properties in zip(entities, _properties(graph, entities), strict=True):
        short, is_cut = short_json(properties, MOST_PROPERTIES, LONGEST_VALUE)
        rows.append(entity_json(graph, entity) | {"properties": short, "properties_cut": is_cut})
    return rows


def _properties(graph: Any, entities: Sequence[int]) -> Iterable[Properties]:
    """Return the properties of entities; a Cypher database is asked once for all of them."""
    if Capability.PROPERTIES not in capabilities_of(graph):
        return [NO_PROPERTIES] * len(entities)
    return graph.properties_of(entities) if isinstance(graph, CypherGraph) else map(graph.properties, entities)
