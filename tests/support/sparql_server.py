"""A small SPARQL endpoint over pyoxigraph, with scripted faults."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pyoxigraph as ox

Fault = Callable[[BaseHTTPRequestHandler], None]


class SparqlServer:
    """The endpoint ``address``; ``faults`` are served first, one a request, and ``queries`` are what was asked."""

    def __init__(self, store: ox.Store) -> None:
        self.store, self.queries, self.faults, self.headers = store, [], [], {}
        self.queries: list[str]
        self.faults: list[Fault]
        self.headers: dict[str, str]
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"sparql+http://127.0.0.1:{self.http.server_port}/sparql"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                server.queries.append(form["query"][0])
                if server.faults:
                    server.faults.pop(0)(self)
                    return
                try:
                    found = server.store.query(form["query"][0], use_default_graph_as_union=True)
                    body = found.serialize(format=ox.QueryResultsFormat.JSON)
                    reply(self, 200, body, {"Content-Type": "application/sparql-results+json", **server.headers})
                except (SyntaxError, ValueError, AttributeError) as error:
                    reply(self, 400, str(error).encode())

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def reply(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def dying(handler: BaseHTTPRequestHandler) -> None:
    """Announce more than is sent, and close."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"head": {"vars": [')


def trickling(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then until the client has gone, for a minute at most."""
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(600):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.1)
    except OSError:
        pass  # the client has gone, as it should


@contextmanager
def sparql_server(store: ox.Store) -> Iterator[SparqlServer]:
    server = SparqlServer(store)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()
