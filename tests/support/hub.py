"""A hub for files on loopback that can misbehave, and wheels that hold files."""

from __future__ import annotations

import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@dataclass
class Hub:
    """What a hub holds, how it behaves, and what it was asked.

    Attributes:
        files: Paths and contents.
        ranges: Whether it knows them.
        breaks: After how many bytes of each of the next replies the connection ends.
        stalls: After how many bytes it says nothing more; -1 for never.
        status: Given instead of any file, unless it is 0.
        lengths: Whether replies say their length.
        content_range: Said instead of the right one, unless it is empty.
        etag: The tag of every file; a part is given only to who has the same one.
        kind: The content type, unless it is empty.
        asked: Path and range of each request.
        sent: Bytes sent.
    """

    files: dict[str, bytes]
    address: str = ""
    ranges: bool = True
    breaks: list[int] = field(default_factory=list)
    stalls: int = -1
    status: int = 0
    lengths: bool = True
    content_range: str = ""
    etag: str = ""
    kind: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    sent: int = 0
    go_on: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Hub]:
    """Run a hub."""
    hub = Hub(files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            hub.asked.append((self.path, wanted))
            data = hub.files.get(self.path.lstrip("/"))
            if hub.status or data is None:
                self.send_error(hub.status or 404)
                return
            part = wanted and hub.ranges and self.headers.get("If-Range", hub.etag) == hub.etag
            begin = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if part else 0
            self.send_response(206 if part else 200)
            for name, value in (("ETag", hub.etag), ("Content-Type", hub.kind)):
                if value:
                    self.send_header(name, value)
            if part:
                self.send_header("Content-Range", hub.content_range or f"bytes {begin}-{len(data) - 1}/{len(data)}")
            if hub.lengths:
                self.send_header("Content-Length", str(len(data) - begin))
            self.end_headers()
            stop = hub.breaks.pop(0) if hub.breaks else None
            body = data[begin:][:stop]
            if hub.stalls >= 0:
                self._send(body[: hub.stalls])
                hub.go_on.wait(60)
            else:
                self._send(body)
            self.close_connection = True

        def _send(self, body: bytes) -> None:
            hub.sent += len(body)  # before the client can have it, and a test look
            self.wfile.write(body)
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


def write_wheel(folder: Path, name: str, members: dict[str, bytes], version: str = "1.0") -> None:
    """A wheel that pip can download from a folder."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for member, data in members.items():
            wheel.writestr(member, data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
