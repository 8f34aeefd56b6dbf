"""Start a server in this process, or in several, and stop it in order."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors.multiprocess import Multiprocess

from graphbrick.core.compute import blas_threads, cores_of_worker
from graphbrick.core.errors import InputError
from graphbrick.serve.app import create_app
from graphbrick.serve.options import ServeOptions
from graphbrick.serve.service import Service
from graphbrick.serve.telemetry import check_packages

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_HEADER_SECONDS = 10.0  # in which the head of a request must arrive
_STALLED_SECONDS = 60.0  # in which a client must read something of a reply that waits for it
_CONNECTIONS = 2_000  # open at the same time in one worker
_SHUTDOWN_SECONDS = 30  # for requests in flight
_WORKER_SECONDS = 120  # in which a worker must have imported everything, else it is taken for dead and replaced
_SWITCH = 0.001  # seconds that a thread computes before it lets the one that answers take its turn


@dataclass(frozen=True)
class Listening:
    """Address, processes and access log of a server.

    Args:
        host: Name or address of the machine to listen on.
        port: Port; 0 for a free one.
        workers: Processes. Each opens the graphs by memory map, and has its own models and limits.
        access_log: Whether to write a JSON line for every request to standard error.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    access_log: bool = True


class _Protocol(H11Protocol):
    """HTTP that closes connections with a late head of a request, or with a reply that is not read."""

    _waiting: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head that came in part."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        for timer in (self._waiting, self._reading):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._watch_reading()

    def resume_writing(self) -> None:
        """Wait for the client no more, unless this is the rest of a connection that is closed."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        if self.transport.is_closing():
            self._watch_reading()

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection, which by itself waits for ever until the rest of a reply was read."""
        super().timeout_keep_alive_handler()
        self._watch_reading()

    def _watch_reading(self) -> None:
        left = self.transport.get_write_buffer_size()
        if self._reading is None and left:
            self._reading = self.loop.call_later(_STALLED_SECONDS, self._abort_if_unread, left)

    def _abort_if_unread(self, before: int) -> None:
        """End the connection if nothing was read of what was to be sent, else go on watching."""
        self._reading = None
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_reading()

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        if not self._is_idle and self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        elif self._is_idle and self._waiting is None:
            self._waiting = self.loop.call_later(_HEADER_SECONDS, self._close_if_idle)

    def _close_if_idle(self) -> None:
        self._waiting = None
        if self._is_idle and not self.transport.is_closing():
            self.transport.close()


def serve(options: ServeOptions, listening: Listening, on_start: Callable[[str], None]) -> None:
    """Serve until a signal stops it; requests in flight are finished first.

    Args:
        options: Settings of the server.
        listening: Where.
        on_start: Called with the address before the first request is taken.

    Raises:
        InputError: The address is taken.
        GraphbrickError: A graph cannot be opened, or a recipe cannot be read.
    """
    listener = _listener(listening)
    address = f"http://{_shown(listening.host)}:{listener.getsockname()[1]}"
    try:
        if listening.workers == 1:
            app = _app(options, listening)
            on_start(address)
            server = uvicorn.Server(_config(app, factory=False))
            server.run(sockets=[listener])
        else:
            _check(options)
            on_start(address)
            options = replace(options, threads=options.threads or cores_of_worker(listening.workers))
            config = _config(partial(_app, options, listening), factory=True)
            config.workers = listening.workers
            Multiprocess(config, sockets=[listener]).run()
    finally:
        listener.close()


def _check(options: ServeOptions) -> None:
    """Raise an error about the options of workers now; a worker that fails to start would be restarted for ever.

    Raises:
        GraphbrickError: A graph cannot be opened, a recipe cannot be read, or a package for telemetry is missing.
    """
    if options.telemetry:
        check_packages()
    Service(options).session.close()


def _app(options: ServeOptions, listening: Listening) -> FastAPI:
    """Return the application, in the process that runs it."""
    log_to_stderr(access=listening.access_log)
    sys.setswitchinterval(_SWITCH)
    import numpy  # noqa: F401 - its library of linear algebra is limited below

    # Requests are computed side by side, so that each does best with one thread. The limit ends with the process.
    contextlib.ExitStack().enter_context(blas_threads(1))
    return create_app(options)


def _config(app: Any, *, factory: bool) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        factory=factory,
        http=_Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        timeout_worker_healthcheck=_WORKER_SECONDS,
    )


# On Windows, SO_REUSEADDR would let a second server take the port of a running one.
_ADDRESS_OPTION: int = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)


def _listener(listening: Listening) -> socket.socket:
    """Return a socket that listens.

    Raises:
        InputError: The name is unknown, or the port is taken or not allowed.
    """
    listener: socket.socket | None = None
    try:
        family, _, _, _, place = socket.getaddrinfo(
            listening.host, listening.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Only where the protocol is named does asyncio turn Nagle's algorithm off, which delays replies by 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, _ADDRESS_OPTION, 1)
        listener.bind(place)
        listener.listen(2048)
    except (OSError, OverflowError) as error:
        if listener is not None:
            listener.close()
        reason = getattr(error, "strerror", None) or error
        where = f"{listening.host}:{listening.port}"
        raise InputError(
            f"the server cannot listen on {where} ({reason}); choose another --host or --port",
            code="serve.cannot_listen",
            host=listening.host,
            port=listening.port,
        ) from error
    listener.set_inheritable(True)
    return listener


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _JsonLines(logging.Formatter):
    """Messages of the server as JSON lines; those of the access log are lines already."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        if record.name == "graphbrick.access":
            return record.getMessage()
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_to_stderr(*, access: bool) -> None:
    """Write what the server says, and with ``access`` a line for every request, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonLines())
    levels = {"graphbrick.serve": logging.INFO, "uvicorn.error": logging.WARNING, "mcp": logging.WARNING}
    levels["graphbrick.access"] = logging.INFO if access else logging.CRITICAL
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def check_exposure(listening: Listening, options: ServeOptions, *, no_token: bool) -> None:
    """Raise InputError if a server without token would be open to other machines."""
    if options.token or no_token or listening.host in LOOPBACK:
        return
    raise InputError(
        f"a server on {listening.host} is open to other machines; give it a token (--token, or GRAPHBRICK_TOKEN), or "
        "--no-token if something else decides who may use it",
        code="serve.open_without_token",
        host=listening.host,
    )
