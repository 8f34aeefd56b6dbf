"""A line to a server that a test can cut, hold and mend, as if the server died, hung and came back."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Line:
    """A port that passes bytes on to another one.

    Args:
        target: The other port.
        certificate: A file with certificate and key, if this port speaks TLS; the other one never does.

    Attributes:
        port: Where to connect to.
        passed: Chunks that were passed on from the server.
    """

    def __init__(self, target: int, certificate: Path | None = None) -> None:
        self._target, self._sockets, self._held = target, [], threading.Event()
        self._lock = threading.RLock()  # a connection that comes while the line is cut is cut too
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if certificate else None
        if self._context is not None:
            self._context.load_cert_chain(str(certificate))
        self._sockets: list[socket.socket]
        self.passed, self._cut_after = 0, -1
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._listen()

    def cut(self, *, after: int = 0) -> None:
        """End all connections and refuse new ones, once ``after`` more chunks have come from the server."""
        if after:
            self._cut_after = self.passed + after
            return
        with self._lock:
            self._cut_after, self._is_cut = -1, True
            for one in (self._listener, *self._sockets):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            self._sockets.clear()

    def hold(self) -> None:
        """Keep all connections, and pass nothing on."""
        self._held.set()

    def mend(self) -> None:
        """Accept connections again after `cut`, on the same port."""
        with self._lock:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            self._listen()

    def _listen(self) -> None:
        self._is_cut = False
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                if self._context is not None:
                    try:
                        client = self._context.wrap_socket(client, server_side=True)
                    except OSError:  # the client does not trust the certificate
                        client.close()
                        continue
                self._connect(listener, client)

    def _connect(self, listener: socket.socket, client: socket.socket) -> None:
        with self._lock:
            if self._is_cut or listener is not self._listener:
                client.close()
                return
            self._sockets.append(client)
            server = socket.create_connection(("127.0.0.1", self._target))
            self._sockets.append(server)
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, target, client), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if self._held.is_set():
                    continue
                if target is client:
                    self.passed += 1
                    if self.passed == self._cut_after:
                        self.cut()
                        return
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)


@contextmanager
def line_to(port: int, certificate: Path | None = None) -> Iterator[Line]:
    """Open a line to a port of this machine, with TLS if there is a certificate."""
    line = Line(port, certificate)
    try:
        yield line
    finally:
        line.cut()
