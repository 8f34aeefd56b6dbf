"""The application: routes, the guard around them, errors, and the start and end of the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import HTMLResponse

from graphbrick.core import __version__
from graphbrick.core.errors import GraphbrickError
from graphbrick.serve.errors import ErrorReply, fault_in_words
from graphbrick.serve.limits.guard import Guard, as_json_error
from graphbrick.serve.limits.streams import EndsWithClient
from graphbrick.serve.options import ServeOptions
from graphbrick.serve.pages.docs_page import docs_page
from graphbrick.serve.pages.workbench import page_routes
from graphbrick.serve.routes import (
    asking,
    browse,
    catalog,
    chat,
    documents,
    entities,
    feedback,
    follow_ups,
    health,
    labels,
    responses,
    studies,
    tunings,
)
from graphbrick.serve.routes.common import id_of
from graphbrick.serve.service import Service
from graphbrick.serve.telemetry import count_request, start_telemetry
from graphbrick.serve.tools import mcp_server

_LONGEST_FIELD = 200  # characters of the name of a field in a message; a client may send names of any length
_ABOUT = (
    "Ask questions over knowledge graphs, with the path that proves each answer. Every error is "
    '`{"error": {"message", "type", "code"}}`.'
)


def create_app(options: ServeOptions) -> FastAPI:
    """Return the application of a server; its graphs are opened now, so that a wrong one is an error at once.

    Raises:
        GraphbrickError: A graph cannot be opened, a recipe cannot be read, or a package for telemetry is missing.
    """
    if options.telemetry:
        start_telemetry()
    service = Service(options)
    app = FastAPI(
        title="graphbrick",
        version=__version__,
        description=_ABOUT,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json" if options.docs else None,
        # Its own spans and logs would have words of requests and errors; those of --telemetry have none.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.service = service
    for routes in (
        asking,
        follow_ups,
        feedback,
        catalog,
        browse,
        entities,
        chat,
        responses,
        documents,
        studies,
        tunings,
        labels,
        health,
    ):
        app.include_router(routes.router)
    app.state.tools = mcp_server(service).streamable_http_app(
        stateless_http=True,  # a client may reach another worker with every call
        json_response=True,
        max_request_body_size=options.body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the guard does that
    )
    for route in app.state.tools.routes:
        route.app = EndsWithClient(route.app)  # of itself it does so with the newest protocol only
        # A stream of what the server says unasked is always empty here, and would keep the server from stopping.
        route.methods = {"POST"}
    app.router.routes.extend(app.state.tools.routes)
    app.add_exception_handler(GraphbrickError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RecursionError, _too_deep)
    app.router.routes.extend(page_routes())
    if options.docs:
        app.add_route("/docs", _docs, include_in_schema=False)
    # The last one added is the outermost: errors of the guard, too, may be read by the pages that are allowed.
    app.add_middleware(Guard, options=options, watch=count_request)
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(options.origins),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["*"],  # clients of OpenAI and MCP send many of their own
            expose_headers=["x-request-id", "retry-after", "mcp-session-id"],
        )
    return app


async def _docs(request: Request) -> Response:
    """Return the page about the API."""
    return HTMLResponse(docs_page(request.app.openapi()))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Start the service, load models beside the first requests, and close everything at the end."""
    service: Service = app.state.service
    service.start()
    warming = asyncio.get_running_loop().run_in_executor(None, service.warm)
    try:
        async with app.state.tools.router.lifespan_context(app.state.tools):
            yield
    finally:
        service.stop_warming()
        await asyncio.gather(warming, return_exceptions=True)
        service.close()


def _reply(request: Request, reply: ErrorReply) -> Response:
    body = json.dumps(reply.body)
    del request
    return Response(body, status_code=reply.status, headers=reply.headers, media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:
    """Return an error of the library."""
    return _reply(request, request.app.state.service.reply_to(error, id_of(request)))


async def _invalid(request: Request, error: Exception) -> Response:
    """Return the error about the fields of a request, without the values that were sent."""
    assert isinstance(error, RequestValidationError)
    faults = [
        {"field": ".".join(map(str, one["loc"]))[:_LONGEST_FIELD], "message": fault_in_words(one)}
        for one in error.errors()[:20]
    ]
    first = f"{faults[0]['field']}: {faults[0]['message']}" if faults else "the request cannot be read"
    status = 400 if any(one["type"] == "json_invalid" for one in error.errors()) else 422
    reply = as_json_error(status, "invalid_request", first)
    reply.body["error"] |= {"param": faults[0]["field"] if faults else None, "faults": faults}
    return _reply(request, reply)


async def _http_error(request: Request, error: Exception) -> Response:
    """Return an error of the framework, such as that there is no such route, in the form of all others."""
    assert isinstance(error, HTTPException)
    codes: dict[int, str] = {404: "no_route", 405: "wrong_method"}
    message = f"{request.method} {request.url.path[:200]}: {error.detail}; the routes are listed at /docs"
    reply = as_json_error(error.status_code, codes.get(error.status_code, "http"), message)
    headers: dict[str, Any] = dict(error.headers or {})
    return _reply(request, reply._replace(headers=headers))


async def _too_deep(request: Request, error: Exception) -> Response:
    del error
    return _reply(request, as_json_error(400, "too_deep", "the request is nested too deeply"))
