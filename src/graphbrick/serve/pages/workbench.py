"""The web page of the server: static files, compressed once, under a policy that lets no foreign script run."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Scripts and styles come from the files of the page alone: none that a graph, a document or a model could bring in."""
_TYPES = {".js": "text/javascript; charset=utf-8", ".woff2": "font/woff2", ".svg": "image/svg+xml"}
_COMPRESSED = {".woff2", ".png"}  # already


class PageFile(NamedTuple):
    """A file of the page as it is sent.

    Attributes:
        body: The bytes.
        gzipped: The bytes compressed; None if that makes them no smaller.
        kind: Media type.
        tag: Hash of the content, for browsers that have it already.
    """

    body: bytes
    gzipped: bytes | None
    kind: str
    tag: str


def page_names() -> Iterator[str]:
    """Yield the path of every file of the page, such as ``js/main.js``."""
    for folder in ("", "js", "vendor"):
        for entry in files("graphbrick.serve").joinpath(f"page/{folder}").iterdir():
            if entry.is_file():
                yield f"{folder}/{entry.name}" if folder else entry.name


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(page_names())


@lru_cache(maxsize=256)
def page_file(name: str) -> PageFile | None:
    """Return a file of the page; None if there is none of this name."""
    if name not in _names():  # only names that were listed are opened, so no path leads out of the folder
        return None
    body = files("graphbrick.serve").joinpath(f"page/{name}").read_bytes()
    end = name[name.rfind(".") :]
    small = None if end in _COMPRESSED else gzip.compress(body, 9, mtime=0)
    kind = _TYPES.get(end) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind in ("text/html", "text/css", "text/plain"):
        kind += "; charset=utf-8"
    gzipped = small if small is not None and len(small) < len(body) else None
    return PageFile(body, gzipped, kind, f'"{hashlib.sha256(body).hexdigest()[:16]}"')


def page_routes() -> list[Route]:
    """Return the routes of the page: ``/`` and the files beside it."""
    return [
        Route("/", _index, methods=["GET"], include_in_schema=False),
        Route("/page/{name:path}", _asset, methods=["GET"], include_in_schema=False),
    ]


async def _index(request: Request) -> Response:
    return _send(request, "index.html")


async def _asset(request: Request) -> Response:
    return _send(request, request.path_params["name"])


def _send(request: Request, name: str) -> Response:
    file = page_file(name)
    if file is None:
        return Response("there is no such file", 404, media_type="text/plain")
    headers = {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cache-Control": "no-cache",  # asks whether the file is still the same, which costs no transfer
        "ETag": file.tag,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    if request.headers.get("If-None-Match") == file.tag:
        return Response(None, 304, headers)
    body = file.body
    if file.gzipped is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        body = file.gzipped
    return Response(body, 200, headers, media_type=file.kind)
