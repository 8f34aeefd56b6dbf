"""Kills indexing at moments spread over it: nothing may be lost, and nothing extracted twice.

    python benchmarks/index_kill.py [--kills 20] [--documents 200] [--folder FOLDER]

Documents are indexed, and then brought up to date after a part of them was changed, deleted and added. Each is killed
(SIGKILL) that many times, at statements of the database and changes of files that are evenly spread over it. After each
kill the graph must open as before the change, or as it should be, or be refused; a rerun must give exactly what an
undisturbed run gives, and no passage whose result had been kept may be extracted again. One line a kill; exit code 1
when anything does not hold. It forks, so it needs Linux or macOS.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.store import DATABASE
from graphbrick.text.extract.extraction import Extraction, Extractor
from graphbrick.text.extract.phrases import Phrases
from graphbrick.text.indexing import extracting
from graphbrick.text.indexing.indexing import index

BATCH = 4  # passages extracted and kept together
_EVENTS = frozenset(("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "shutil.rmtree"))
_PLACES = "Kenya Uganda Tanzania Rwanda Burundi Somalia Sudan Chad Niger Mali Ghana Togo Benin Gabon".split()


@dataclass(frozen=True, repr=False)
class Scripted(Extractor):
    """`Phrases`, which writes down what it is given.

    Args:
        log: A file, a line for each text.
    """

    log: str = "log"

    @property
    def identity(self) -> str:
        """Key of its results, wherever the log is."""
        return "scripted"

    def extract(self, texts: Sequence[str]) -> list[Extraction]:
        """Return the phrases of each text."""
        found = Phrases().extract(texts)
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)
        return found


class Killer:
    """Counts statements of SQLite and changes of files below a folder, and ends this process at one of them.

    Args:
        folder: The folder.
        at: The number of the event; None to count only.
        number: The signal that is sent then.
    """

    def __init__(self, folder: Path, at: int | None, number: int = signal.SIGKILL) -> None:
        self.count, self._folder, self._at, self._number = 0, str(folder), at, number

    def tick(self, *_: object) -> None:
        """Count one event."""
        self.count += 1
        if self.count == self._at:
            os.kill(os.getpid(), self._number)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count an event of the interpreter if it is about a file below the folder."""
        if event in _EVENTS and arguments and str(arguments[0]).startswith(self._folder):
            self.tick()

    def start(self) -> None:
        """Count from now on."""
        sys.addaudithook(self.audit)
        connect = sqlite3.connect

        def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
            database = connect(*arguments, **options)
            database.set_trace_callback(self.tick)
            return database

        sqlite3.connect = traced  # type: ignore[assignment]


def forked(work: Callable[[], str]) -> str | None:
    """Return what a function says in a process of its own; None if that was killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        code = 1
        try:
            os.write(writer, work().encode())
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None
    if status:
        raise SystemExit("indexing failed; see above")
    return text


def fingerprint(graph: TextGraph) -> str:
    """Return a hash of everything that a graph made from text holds."""
    begin, mentions = graph.mentions
    support = [array.tolist() for array in graph.support or ()]
    weights = [] if graph.weights is None else graph.weights.tolist()
    passages = [graph.passage(i) for i in range(graph.n_passages)]
    content = (graph.hash, passages, begin.tolist(), mentions.tolist(), weights, support)
    return hashlib.sha256(repr(content).encode()).hexdigest()


def write_documents(folder: Path, documents: int, *, changed: bool) -> None:
    """Write the documents; later, a third of them is changed, deleted or new."""
    folder.mkdir(exist_ok=True)
    for i in range(documents + documents // 9):
        file, kind = folder / f"{i}.md", i % 9 if changed else -1
        if (i >= documents and not changed) or kind == 1:
            file.unlink(missing_ok=True)
            continue
        one, other = _PLACES[i % len(_PLACES)], _PLACES[(i * i + (kind == 0)) % len(_PLACES)]
        parts = [f"# Part {n}\n\nThe road {i} from {one} to {other} is {n} km long." for n in range(1 + i % 4)]
        file.write_text("\n\n".join(parts), encoding="utf-8")


def kept(graph: Path) -> set[str]:
    """Return the hashes of the texts whose result is in the store."""
    file = text_folder(graph) / DATABASE
    if not file.is_file():
        return set()
    with sqlite3.connect(file) as store:
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
        rows = store.execute("SELECT digest FROM extractions").fetchall() if "extractions" in tables else []
    store.close()
    return {digest.hex() for (digest,) in rows}


class Trial:
    """Indexing one folder of documents again and again.

    Args:
        folder: Where to work.
        base: A state to begin with; None for nothing.
    """

    def __init__(self, folder: Path, base: Path | None) -> None:
        self._folder, self._base = folder / "work", base
        self._docs, self.graph, self._log = folder / "docs", self._folder / "notes.graph", folder / "log"

    def reset(self) -> None:
        """Go back to the state to begin with."""
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._base is not None:
            shutil.copytree(self._base, self._folder)
        else:
            self._folder.mkdir()
        self._log.write_text("", encoding="utf-8")

    def run(self, at: int | None = None) -> str | None:
        """Index, and be killed at an event; return number of events and fingerprint, or None if it was killed."""

        def work() -> str:
            extracting._BATCH = BATCH
            killer = Killer(self._folder, at)
            killer.start()
            done = index([self._docs], self.graph, extractor=Scripted(str(self._log)))
            return f"{killer.count} {fingerprint(done.graph)}"

        return forked(work)

    def opened(self) -> str:
        """Return the fingerprint of the graph as it is; "none" if it is refused."""

        def work() -> str:
            try:
                return fingerprint(TextGraph.open(self.graph))
            except GraphFormatError:
                return "none"

        return forked(work) or ""

    def extracted(self) -> list[str]:
        """Return the hashes of the texts that were extracted, and forget them."""
        lines = self._log.read_text(encoding="utf-8").split()
        self._log.write_text("", encoding="utf-8")
        return lines


def faults(trial: Trial, at: int, before: str, wanted: str) -> Iterable[str]:
    """Kill a run at an event, run again, and yield what does not hold."""
    trial.reset()
    had = kept(trial.graph)
    killed = trial.run(at) is None
    first, now, there = trial.extracted(), kept(trial.graph), trial.opened()
    if not killed:
        yield "it was not killed"
    if there not in (before, wanted, "none"):
        yield "a graph opens that is neither the old nor the new one"
    if had.intersection(first):
        yield "a text was extracted whose result was kept"
    if len(set(first) - now) > BATCH:
        yield f"{len(set(first) - now)} results were lost"
    again = (trial.run() or "").split()[-1:]
    if again != [wanted]:
        yield "the rerun gives another graph"
    if now.intersection(trial.extracted()):
        yield "the rerun extracted a text again"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20, help="in indexing, and as many in updating")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(dir=given.folder) as name:  # what every fork needs is loaded once
        write_documents(Path(name) / "docs", 1, changed=False)
        index([Path(name) / "docs"], Path(name) / "warm.graph", extractor=Scripted(str(Path(name) / "log")))
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder, base, before = Path(name).resolve(), None, "none"
        for step in ("indexing", "updating"):
            write_documents(folder / "docs", given.documents, changed=step == "updating")
            trial = Trial(folder, base)
            trial.reset()
            events, wanted = (trial.run() or "").split()
            for i in range(given.kills):
                at = 1 + int(events) * (2 * i + 1) // (2 * given.kills)
                found = list(faults(trial, at, before, wanted))
                bad += bool(found)
                print(
                    f"{step}, killed at event {at:,} of {int(events):,}: {'; '.join(found) or 'as it should be'}",
                    flush=True,
                )
            base, before = folder / "base", wanted
            if step == "indexing":
                shutil.copytree(folder / "work", base)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
