"""A page on this machine to label answers by hand; every label is written into the file at once."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from graphbrick.core.errors import InputError
from graphbrick.core.files.locks import claim
from graphbrick.core.files.system import remove_lock
from graphbrick.judge.labels.files import SKIP, LabelFile, label_of, open_labels
from graphbrick.judge.verdicts import Label

_MOST_BYTES = 10_000  # of a request
_VALUES = ("1", "0", SKIP, "")
MEANINGS = {
    Label.CONTEXT_RELEVANCE: "does the evidence hold what is needed to answer the question?",
    Label.ANSWER_FAITHFULNESS: "does the evidence support everything that the answer says?",
    Label.ANSWER_RELEVANCE: "is this an answer to the question, whether right or wrong?",
    Label.CORRECTNESS: "does the first answer mean the same as one of the correct answers?",
}
"""Question to a person for each label."""


class Labelling:
    """A file of labels that is being filled in.

    Args:
        path: The file.

    Raises:
        InputError: It cannot be read, has a cell that is not a label, or is being labelled by another process.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        self._file = self._read()

    def info(self) -> dict[str, Any]:
        """Return the labels and every value so far, row by row and label by label."""
        with self._lock:
            self._refresh()
            labels = [
                {
                    "name": label.value,
                    "title": label.value.replace("_", " ").capitalize(),
                    "meaning": MEANINGS[label],
                    "answer": label is not Label.CONTEXT_RELEVANCE,
                }
                for label in self._file.labels
            ]
            values = [_shown(row[label]) for row in self._file.rows for label in self._file.labels]
            return {"file": self.path.name, "labels": labels, "values": values}

    def case(self, row: int) -> dict[str, Any]:
        """Return the texts of a row; not the system, which the labeller should not know.

        Raises:
            InputError: There is no such row.
        """
        with self._lock:
            if not 0 <= row < len(self._file.rows):
                raise InputError(f"there is no row {row}; reload the page", self.path, code="labelling.no_row", row=row)
            cells = self._file.rows[row]
            evidence = [part for part in cells.get("evidence", "").split("\n\n") if part.strip()]
            return {"row": row, "id": cells["id"], "evidence": evidence} | {
                name: cells.get(name, "") for name in ("question", "answer", "gold")
            }

    def give(self, case: str, label: str, value: str) -> None:
        """Write a label into the file.

        Args:
            case: The id of the row.
            label: The label.
            value: "1", "0", "skip", or nothing to take a label back.

        Raises:
            InputError: There is no such row, label or value.
            OSError: The file cannot be written.
        """
        with self._lock:
            self._refresh()
            row = next((row for row in self._file.rows if row["id"] == case), None)
            if row is None or label not in self._file.labels or value not in _VALUES:
                reason = "the file has no such row or label any more; reload the page"
                raise InputError(reason, self.path, code="labelling.changed", case=case, label=label)
            before, row[label] = row[label], value
            try:
                self._file.save()
            except OSError:
                row[label] = before
                raise
            self._stamp = self._stamp_now()

    def _refresh(self) -> None:
        """Read the file again if another program has changed it."""
        if self._stamp_now() != self._stamp:
            self._file = self._read()

    def _read(self) -> LabelFile:
        stamp = self._stamp_now()
        file = open_labels(self.path)
        for row, line in zip(file.rows, file.lines, strict=True):
            for label in file.labels:
                label_of(row[label], self.path, line, label)
        if not file.rows:
            advice = "there is nothing to label; graphbrick judge sample draws some answers"
            raise InputError(advice, self.path, code="labelling.no_rows")
        self._stamp = stamp
        return file

    def _stamp_now(self) -> tuple[int, int]:
        try:
            stat = self.path.stat()
        except OSError as error:
            raise InputError(
                f"it cannot be read: {error.strerror or error}", self.path, code="labelling.unreadable"
            ) from error
        return stat.st_mtime_ns, stat.st_size


@contextmanager
def open_labelling(path: Path) -> Iterator[Labelling]:
    """Context manager for a file of labels that no other process fills in at the same time.

    Args:
        path: The file of labels, which `graphbrick.judge.labels.files.write_cases` wrote.

    Raises:
        InputError: The file cannot be read, or another process labels it.
    """
    if path.is_dir():
        raise InputError(
            "this is a folder; name the file that graphbrick judge sample wrote", path, code="labelling.folder"
        )
    if not path.is_file():
        raise InputError("there is no such file; graphbrick judge sample writes one", path, code="labelling.no_file")
    lock_file = path.with_name(f".{path.name}.lock")
    try:
        lock = claim(lock_file)
    except BlockingIOError as error:
        raise InputError(
            "another process labels this file now; use its page, or end it", path, code="labelling.locked"
        ) from error
    except OSError as error:
        raise InputError(
            f"the file cannot be written here: {error.strerror or error}", path, code="labelling.not_writable"
        ) from error
    try:
        yield Labelling(path)
    finally:
        remove_lock(lock_file)
        lock.release()


@contextmanager
def labelling_page(path: Path, *, port: int = 0) -> Iterator[LabellingServer]:
    """Context manager for the server of a labelling page, on 127.0.0.1 alone.

    Args:
        path: The file of labels.
        port: The port; 0 for any that is free.

    Raises:
        InputError: As for `open_labelling`, or the port is taken.
    """
    with open_labelling(path) as labelling:
        server = LabellingServer(labelling, port)
        try:
            yield server
        finally:
            server.server_close()


class LabellingServer(ThreadingHTTPServer):
    """The server of a labelling page. Only who knows its address, with the token in it, is answered.

    Args:
        labelling: The file.
        port: The port on 127.0.0.1; 0 for any.

    Raises:
        InputError: The port is taken.
    """

    daemon_threads = True

    def __init__(self, labelling: Labelling, port: int) -> None:
        self.labelling, self.token = labelling, secrets.token_urlsafe(18)
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            raise InputError(
                f"the port {port} cannot be used: {error}; name another one, or none",
                code="labelling.port_taken",
                port=port,
            ) from error

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a browser that has gone away."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: LabellingServer
    protocol_version = "HTTP/1.1"
    timeout = 60.0

    def do_GET(self) -> None:
        """Send the page, or what it shows."""
        name, query = self._admitted()
        if name == "":
            self._page()
        elif name == "info":
            self._answer(self.server.labelling.info)
        elif name == "case":
            row = query.get("row", [""])[0]
            self._answer(lambda: self.server.labelling.case(int(row) if row.isdecimal() else -1))
        elif name is not None:
            self._send(404, {"error": "there is no such page"})

    def do_POST(self) -> None:
        """Write a label, or stop."""
        name, _ = self._admitted()
        if name is None:
            return
        body = self._body()
        if body is None:
            self._send(400, {"error": "the request is not JSON, or too long"})
        elif name == "label":
            values = [str(body.get(key, "")) for key in ("id", "label", "value")]
            self._answer(lambda: self.server.labelling.give(*values))
        elif name == "stop":
            self._send(200, {})
            threading.Thread(target=self.server.shutdown, daemon=True).start()
        else:
            self._send(404, {"error": "there is no such page"})

    def _admitted(self) -> tuple[str | None, dict[str, list[str]]]:
        """Return the part of the path after the token; None if the request was refused.

        A page of another origin does not know the token; a name that was made to point to this machine has another
        host.
        """
        port = self.server.server_port
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        url = urlsplit(self.path)
        token, _, name = url.path.lstrip("/").partition("/")
        origin = self.headers.get("Origin")
        right = self.headers.get("Host", "") in hosts and origin in (None, *(f"http://{host}" for host in hosts))
        if not right or not hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            self.close_connection = True
            self._send(403, {"error": "open the address that graphbrick judge label printed"})
            return None, {}
        return name, parse_qs(url.query)

    def _body(self) -> dict[str, Any] | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self.close_connection = True
            return None
        content = self.rfile.read(int(length))
        if self.headers.get_content_type() != "application/json":
            return None
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _answer(self, work: Any) -> None:
        try:
            self._send(200, work() or {})
        except (InputError, OSError) as error:
            self._send(409, {"error": str(error)})

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        text = (files(__package__) / "pages" / "label.html").read_text("utf-8").replace("{{nonce}}", nonce)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._write(200, "text/html; charset=utf-8", text.encode(), policy)

    def _send(self, status: int, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode()  # ASCII, so that lone surrogates do no harm
        self._write(status, "application/json", content, "default-src 'none'; frame-ancestors 'none'")

    def _write(self, status: int, kind: str, content: bytes, policy: str) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        """Return the name of the server, without versions."""
        return "graphbrick"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Log nothing: every label is in the file."""


def _shown(cell: str) -> str:
    """Return a cell as the page knows it: 1, 0, skip or nothing."""
    word = cell.strip().lower()
    if word in ("", SKIP):
        return word
    return "1" if word in ("1", "yes", "y", "true", "1.0") else "0"
