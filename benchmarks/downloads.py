"""Downloading over connections that break: graphbrick's own downloader, pooch, and huggingface_hub.

    pip install pooch huggingface_hub
    python benchmarks/downloads.py

A server on this machine breaks every connection after 1 MB of a file of 10.24 MB. Printed are how many bytes it had to
send until the file was whole, or the error with which the client gave up.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from graphbrick.core.files import downloading

DATA = bytes(range(256)) * 40_000
SHA256 = hashlib.sha256(DATA).hexdigest()
PIECE = 1_000_000
sent = 0


class Breaking(BaseHTTPRequestHandler):
    """Serves the file, from the byte that a range names, and breaks off after a piece."""

    def do_GET(self) -> None:
        """Send a piece."""
        global sent
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(DATA) - 1}/{len(DATA)}")
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(DATA) - begin))
        self.end_headers()
        sent += self.wfile.write(DATA[begin : begin + PIECE])

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def ours(url: str, file: Path) -> None:
    """The function that fetches models and data sets."""
    downloading.download(url, file, lambda step, done, total: None, size=len(DATA))


def with_pooch(url: str, file: Path) -> None:
    """Pooch, with as many further tries as pieces."""
    import pooch

    pooch.get_logger().setLevel(logging.CRITICAL)
    base = url.rpartition("/")[0] + "/"
    keeper = pooch.create(file.parent, base, registry={"file.bin": SHA256}, retry_if_failed=2)
    keeper.fetch("file.bin")


def with_hub(url: str, file: Path) -> None:
    """The function of huggingface_hub that fetches one address, going on where it broke off."""
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import logging as hub_logging

    hub_logging.set_verbosity(logging.CRITICAL)
    with file.open("wb") as out:
        http_get(url, out, expected_size=len(DATA))


def main() -> None:
    global sent
    downloading.WAIT = 0.01
    server = ThreadingHTTPServer(("127.0.0.1", 0), Breaking)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/file.bin"
    clients: dict[str, Callable[[str, Path], None]] = {"graphbrick": ours, "pooch": with_pooch, "hub": with_hub}
    for name, fetch in clients.items():
        sent = 0
        with tempfile.TemporaryDirectory() as folder:
            try:
                fetch(url, Path(folder) / "file.bin")
                outcome = "whole"
            except Exception as error:  # noqa: BLE001 - each client has errors of its own
                outcome = f"gave up: {type(error).__name__}: {str(error).splitlines()[0][:80]}"
        print(f"{name:12} sent {sent / 1e6:6.2f} MB   {outcome}")
    server.shutdown()


if __name__ == "__main__":
    main()
