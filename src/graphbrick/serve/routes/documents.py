"""Routes about the documents of graphs made from text: list, read, upload, delete, and which names are one entity."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.requests import ClientDisconnect

from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.embedders.minilm import MiniLM
from graphbrick.serve.errors import ServeError, not_found
from graphbrick.serve.hosting import Opened
from graphbrick.serve.limits.runner import ClientLeftError
from graphbrick.serve.limits.streams import gone
from graphbrick.serve.models import MergeNames
from graphbrick.serve.routes.common import GraphName, Serving, document_text, look_up
from graphbrick.serve.service import Service
from graphbrick.serve.uploads import Uploads, checked_name
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.merging import change_merges, merges_of, proposed_merges
from graphbrick.text.overview.documents import documents_of
from graphbrick.text.overview.names import names_of, stored_names

router = APIRouter(prefix="/v1", tags=["documents"])
DocumentName = Annotated[str, Path(min_length=1, max_length=200, description="Name of the file, such as notes.md.")]
_LONGEST = 100_000  # characters of a document that are sent at once


@router.get("/documents", summary="List the documents of a graph")
async def documents(request: Request, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Return every document with its passages, files that could not be read, and what indexing does.

    ``document`` is the path from what was indexed, the name of the document in all routes and citations. ``name`` is
    given for documents that were uploaded, which can be deleted here.
    """
    opened = _text_graph(service, graph)

    def work() -> dict[str, Any]:
        folder = text_folder(FilePath(service.graphs[opened.name].place))
        with TextStore(folder) as store:
            listed, problems, names = store.documents(), store.problems(), stored_names(store)
        uploads = service.uploads(opened.name)
        mine = {str(uploads.folder / name): name for name in uploads.names()}
        return {
            "graph": opened.name,
            "documents": [
                {
                    "document": names.name(address),
                    "title": title,
                    "passages": n,
                    "note": names.in_text(note),
                    "name": mine.get(address),
                }
                for address, title, n, note in listed
            ],
            "bad": [
                {"document": names.name(file), "reason": names.in_text(reason), "name": mine.get(file)}
                for file, reason in problems
            ],
            "status": _status(service, uploads),
            "write": service.options.write,
        }

    return await look_up(service, request, work)


@router.get("/documents/status", summary="What indexing does")
async def status(service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Return the state (idle, running, done or failed), the step, and how far it is."""
    return _status(service, service.uploads(_text_graph(service, graph).name))


def _status(service: Service, uploads: Uploads) -> dict[str, Any]:
    status = uploads.status()
    return asdict(status) | {"message": service.without_places(status.message)}


@router.get("/documents/text", summary="The text of a document")
async def text(
    request: Request,
    service: Serving,
    document: Annotated[str, Query(min_length=1, max_length=4_000, description="As it is listed, or cited.")],
    graph: GraphName = None,
    start: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
) -> dict[str, Any]:
    """Return the text of a document, or a cited part of it; at most 100,000 characters."""
    opened = _text_graph(service, graph)

    def work() -> dict[str, Any]:
        name, title, whole = document_text(opened.graph, document)
        return {
            "document": name,
            "title": title,
            "start": start,
            "text": whole[start:end][:_LONGEST],
            "characters": len(whole),
        }

    return await look_up(service, request, work)


@router.get("/documents/passages", summary="The passages of a document, with their entities")
async def passages(
    request: Request,
    service: Serving,
    document: Annotated[str, Query(min_length=1, max_length=4_000)],
    graph: GraphName = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    n: Annotated[int, Query(ge=1, le=200)] = 20,
) -> dict[str, Any]:
    """Return passages in their order, each with its section, its place, and the entities that it mentions."""
    opened = _text_graph(service, graph)
    made: TextGraph = opened.graph

    def work() -> dict[str, Any]:
        names = names_of(made)
        address = names.address(document)
        ids = documents_of(made).passages.get(address)
        if ids is None:
            raise not_found("document", document, [])
        begin, entities = made.mentions
        listed = []
        for i in ids[offset : offset + n]:
            passage = made.passage(i)
            named = dict.fromkeys(entities[begin[i] : begin[i + 1]].tolist())
            listed.append(
                {
                    "passage": i,
                    "text": passage.text,
                    "section": passage.section,
                    "start": passage.start,
                    "end": passage.end,
                    "entities": [{"key": made.key(entity), "label": made.label(entity)} for entity in named],
                }
            )
        following = offset + n if offset + n < len(ids) else None
        return {"document": names.name(address), "passages": listed, "count": len(ids), "next": following}

    return await look_up(service, request, work)


@router.put("/documents/{name}", status_code=202, summary="Upload a document")
async def upload(name: DocumentName, request: Request, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Take the body as a file, in place of one of the same name, and index it; ``/v1/documents/status`` tells how far.

    The server must have been started with ``--write``. Example: ``curl -T notes.md http://.../v1/documents/notes.md``.
    """
    uploads = _writable(service, graph)
    name = checked_name(name)
    temporary = uploads.temporary()
    size = 0
    try:
        with temporary.open("xb") as file:
            async for piece in request.stream():
                size += file.write(piece)
        if not size:
            raise ServeError(400, "empty_document", "the body is empty; send the file as the body")
        uploads.take(temporary, name)
    except ClientDisconnect:
        raise ClientLeftError from None
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
    return {"name": name, "bytes": size, "status": _status(service, uploads)}


@router.delete("/documents/{name}", status_code=202, summary="Delete an uploaded document")
async def delete(name: DocumentName, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Delete a document that was uploaded, and take what only it says out of the graph."""
    uploads = _writable(service, graph)
    uploads.delete(name)
    return {"name": name, "status": _status(service, uploads)}


@router.get("/merges", summary="Which names are one entity")
async def merges(request: Request, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Return spellings that were folded, names that users merged, and names that they keep apart."""
    opened = _text_graph(service, graph)
    names = await look_up(service, request, lambda: merges_of(service.graphs[opened.name].place))
    return {
        "folded": [one._asdict() for one in names.folded[:1_000]],
        "merged": [{"alias": alias, "name": name} for alias, name in names.merged],
        "apart": names.apart,
    }


@router.get("/merges/proposals", summary="Names that may be one entity")
async def proposals(
    request: Request,
    service: Serving,
    graph: GraphName = None,
    at_least: Annotated[float, Query(gt=0, le=1, description="Lowest similarity of the names.")] = 0.85,
    n: Annotated[int, Query(ge=1, le=200)] = 20,
) -> dict[str, Any]:
    """Return pairs of entities whose names are similar by MiniLM, most similar first."""
    opened = _text_graph(service, graph)
    place, runner = service.graphs[opened.name].place, service.runner

    def work() -> list[dict[str, Any]]:
        return [one._asdict() for one in proposed_merges(place, MiniLM(), at_least=at_least, n=n)]

    pairs = await runner.call(work, runner.kernels, runner.budget(), lambda: gone(request.receive))
    return {"proposals": pairs}


@router.post("/merges", summary="Merge names, take it back, or keep them apart")
async def merge(body: MergeNames, request: Request, service: Serving, graph: GraphName = None) -> dict[str, Any]:
    """Change which names are one entity, and bring the graph up to date; status 409 while it is being indexed."""
    opened = _text_graph(service, graph)
    uploads = _writable(service, graph)
    hosted = service.graphs[opened.name]

    def work() -> dict[str, Any]:
        if uploads.is_indexing():  # which may take hours, and a client that waited would get an error all the same
            raise ServeError(
                409, "indexing", "the graph is being indexed; change names when /v1/documents/status says it is done"
            )
        pairs = [(one.alias, one.name) for one in body.merge]
        done = change_merges(hosted.place, merge=pairs, undo=body.undo, apart=body.apart)
        hosted.refresh()
        return {"entities": done.graph.n_entities, "triples": done.graph.n_triples}

    runner = service.runner
    return await runner.call(work, runner.changes, runner.budget())


def _text_graph(service: Service, name: str | None) -> Opened:
    """Return a graph that was made from documents."""
    opened = service.graph(name)
    if not isinstance(opened.graph, TextGraph):
        raise ServeError(400, "not_from_text", f"the graph {opened.name} was not made from documents")
    return opened


def _writable(service: Service, name: str | None) -> Uploads:
    """Return the uploads of a graph, if clients may change it."""
    opened = _text_graph(service, name)
    if not service.options.write:
        raise ServeError(
            403, "read_only", "the server only reads; graphbrick serve --write lets clients change documents"
        )
    return service.uploads(opened.name)
