"""Documents that clients upload to graphs made from text, and the indexing that follows."""

from __future__ import annotations

import json
import logging
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphbrick.core.compute import Progress
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.locks import claim
from graphbrick.core.session import Session
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.pipeline.budget import Budget, spending
from graphbrick.serve.errors import ServeError
from graphbrick.serve.hosting import HostedGraph
from graphbrick.text.sources import SUFFIXES

_log = logging.getLogger("graphbrick.serve")
_SIGNS = " _.,()[]@&+=~!'’–—-"
_LONGEST_NAME = 200  # bytes; file systems take 255, and a file may be written beside it under a longer name
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_STATUS = ".status.json"
_NAMED = 5  # documents that a summary names
_STARTING = 10.0  # seconds within which an indexing that was begun holds the lock of the graph


@dataclass(frozen=True)
class IndexStatus:
    """State of the running indexing, or of the last one.

    Attributes:
        state: "idle", "running", "done" or "failed".
        step: The current step.
        done: Amount of the step that is done.
        total: Amount of the whole step; 0 if that is not known.
        message: The result, or the reason of the failure.
        changed: Time of the last change of state, UTC.
    """

    state: str = "idle"
    step: str = ""
    done: int = 0
    total: int = 0
    message: str = ""
    changed: str = ""


def checked_name(name: str) -> str:
    """Return the name of a document, in Unicode form NFC, if it can be the name of a file here.

    Raises:
        ServeError: It names a folder, is hidden, is too long, or is of a kind that is not read.

    >>> checked_name("notes 2.md")
    'notes 2.md'
    """
    name = unicodedata.normalize("NFC", name)  # macOS sends accents as characters of their own
    is_plain = name[:1].isalnum() and all(map(_is_allowed, name)) and not name.endswith((".", " "))
    if not is_plain or _RESERVED.fullmatch(name):
        raise ServeError(
            400,
            "bad_name",
            f"a document's name is that of a file without folders, such as notes.md, of letters, digits, spaces and "
            f"{_SIGNS.strip()}; got {name[:80]!r}",
        )
    if len(name.encode()) > _LONGEST_NAME:
        raise ServeError(
            400, "bad_name", f"a document's name may have {_LONGEST_NAME} bytes, got {len(name.encode())}; shorten it"
        )
    if Path(name).suffix.lower() not in SUFFIXES:
        raise ServeError(400, "bad_kind", f"documents of this kind are not read; there are {', '.join(SUFFIXES)}")
    return name


def _is_allowed(character: str) -> bool:
    """Return whether a character may be in a name; marks on letters, which are vowels in many scripts, may."""
    return character.isalnum() or character in _SIGNS or unicodedata.category(character) in ("Mn", "Mc")


class Uploads:
    """The uploaded documents of one graph, in a folder beside it; ``films.graph.uploads`` for ``films.graph``.

    A document is a file of the folder, complete or absent. The folder is one source of the graph; documents of other
    sources stay as they are. The status is a file too, so that all workers tell the same.

    Args:
        hosted: The graph.
        session: Owns models that indexing may use.
        budget: Makes the budget of one indexing.
        work: Brings a graph up to date with the folder; given the graph's place, the folder, and its progress.
    """

    def __init__(
        self,
        hosted: HostedGraph,
        session: Session,
        budget: Callable[[], Budget],
        work: Callable[[Path, Path, Progress], str],
    ) -> None:
        place = Path(hosted.place).absolute()
        self.folder = place.with_name(f"{place.name}.uploads")
        self._place, self._hosted, self._session, self._budget, self._work = place, hosted, session, budget, work
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._again = False
        self._running: Budget | None = None

    def temporary(self) -> Path:
        """Return a file to write an upload to, which indexing does not see; make the folder if there is none."""
        self.folder.mkdir(exist_ok=True)
        return self.folder / f".upload-{secrets.token_hex(8)}"

    def take(self, temporary: Path, name: str) -> None:
        """Put an upload that is complete in its place, and begin to index."""
        temporary.replace(self.folder / checked_name(name))
        self._begin()

    def names(self) -> list[str]:
        """Return the names of the uploaded documents."""
        if not self.folder.is_dir():
            return []
        return sorted(file.name for file in self.folder.iterdir() if file.is_file() and not file.name.startswith("."))

    def delete(self, name: str) -> None:
        """Delete an uploaded document, and begin to index.

        Raises:
            ServeError: 404, it was not uploaded.
        """
        try:
            (self.folder / checked_name(name)).unlink()
        except FileNotFoundError:
            raise ServeError(
                404, "no_document", f"there is no uploaded document {name[:80]!r}; GET /v1/documents lists them"
            ) from None
        self._begin()

    def status(self) -> IndexStatus:
        """Return the state of the running indexing, or of the last one."""
        try:
            status = IndexStatus(**json.loads((self.folder / _STATUS).read_text(encoding="utf-8")))
            age = (datetime.now(UTC) - datetime.fromisoformat(status.changed)).total_seconds()
        except (OSError, ValueError, TypeError):
            return IndexStatus()
        if status.state == "running" and age > _STARTING and not self._is_running() and not self.is_indexing():
            message = (
                "the server ended while it indexed; upload or delete a document, and indexing goes on where it was"
            )
            return IndexStatus("failed", message=message, changed=status.changed)
        return status

    def is_indexing(self) -> bool:
        """Return whether this or another process indexes the graph now."""
        try:
            claim(text_folder(self._place) / "index.lock").release()
        except BlockingIOError:
            return True
        return False

    def _is_running(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait until nothing is indexed here any more."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def stop(self) -> None:
        """Stop indexing; the next indexing goes on where it was."""
        with self._lock:
            self._again = False
            running = self._running
        if running is not None:
            running.cancel()
        self.wait(10)

    def _begin(self) -> None:
        """Index in a thread, or once more after the indexing that runs."""
        with self._lock:
            self._again = True
            if not self._is_running():
                self._thread = threading.Thread(target=self._run, name="graphbrick-indexing", daemon=True)
                self._set("running", step="waiting")
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._again:
                    self._thread = None
                    return
                self._again, self._running = False, self._budget()
            try:
                with self._session.activate(), spending(self._running):
                    message = self._work(self._place, self.folder, self._report)
                    self._hosted.refresh()
            except (GraphbrickError, OSError) as error:
                self._set("failed", message=str(error))
            except Exception:  # noqa: BLE001 - nobody waits for this thread, and the reason goes to the log
                _log.exception("indexing %s failed", self._place.name)
                self._set("failed", message="the server failed; its log has the reason")
            else:
                self._set("done", message=message)

    def _report(self, step: str, done: float, total: float | None) -> None:
        self._set("running", step=step, done=int(done), total=int(total or 0))

    def _set(self, state: str, **more: Any) -> None:
        """Write the status; that it cannot be written does not end the work."""
        status = IndexStatus(state, changed=datetime.now(UTC).isoformat(timespec="seconds"), **more)
        temporary = self.folder / f".status-{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(exist_ok=True)
            temporary.write_text(json.dumps(asdict(status)), encoding="utf-8")
            temporary.replace(self.folder / _STATUS)
        except OSError as error:
            _log.warning("the status of indexing cannot be written: %s", error)
            with suppress(OSError):
                temporary.unlink()


def index_uploads(place: Path, folder: Path, progress: Progress) -> str:
    """Bring a graph up to date with the folder of its uploads; return a summary in words."""
    from graphbrick.text.indexing.indexing import index

    done = index([folder], place, remove=[str(folder)], skip_bad=True, progress=progress)
    problems = [f"{Path(file).name} ({reason})" for file, reason in done.reading.problems]
    rest = f" and {len(problems) - _NAMED:,} more" if len(problems) > _NAMED else ""
    bad = f"; not read: {', '.join(problems[:_NAMED])}{rest}".replace(f"{folder}/", "") if problems else ""
    empty = f"; no entity in {', '.join(Path(one).name for one in done.empty[:_NAMED])}" if done.empty else ""
    sizes = f"{done.documents:,} documents, {done.graph.n_entities:,} entities, {done.graph.n_triples:,} triples"
    return f"{sizes}{bad}{empty}"
