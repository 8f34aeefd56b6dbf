"""Kills `prepare communities` and `prepare reports` at moments spread over them: nothing may be lost or paid twice.

    python benchmarks/prepare_kill.py [--kills 20] [--documents 20] [--folder FOLDER]

Communities of a small graph are found and a scripted model writes a report on each; both are killed (SIGKILL) that many
times, at statements of the database and changes of files that are evenly spread over the work. After each kill the
reports must open whole or be refused; a rerun must give exactly those of an undisturbed run, and no reply that was kept
may be asked for again. One line a kill; exit code 1 when anything does not hold. It forks, so it needs Linux or macOS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from graphbrick import LLM, index
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs.communities import find_communities, keep_communities
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.testing import Request, ScriptedLLM
from graphbrick.text.documents.store import DATABASE
from graphbrick.text.reporting.prepare import prepare_reports
from graphbrick.text.reporting.reports import reports_of
from index_kill import Killer, forked, write_documents


def reply(request: Request) -> str:
    """Return a report whose title depends on what it is written from."""
    name = hashlib.sha256(request.prompt.encode()).hexdigest()
    return json.dumps({"title": name, "summary": "It is so.", "rating": 5, "sources": [1], "findings": []})


class Trial:
    """Writing reports on one graph again and again.

    Args:
        folder: Where to work.
        server: The scripted model, in this process.
    """

    def __init__(self, folder: Path, server: ScriptedLLM) -> None:
        self._base, self._folder, self._server = folder / "base", folder / "work", server
        self.graph = self._folder / "notes.graph"

    def reset(self) -> None:
        """Go back to a graph without communities."""
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._base, self._folder)

    def run(self, at: int | None = None) -> str | None:
        """Prepare, and be killed at an event; return number of events and fingerprint, or None if it was killed."""

        def work() -> str:
            killer = Killer(self._folder, at)
            killer.start()
            graph = TextGraph.open(self.graph)
            keep_communities(graph, find_communities(graph), {})
            prepare_reports(graph, LLM(base_url=self._server.base_url, max_tokens=500, parallel=1))
            return f"{killer.count} {fingerprint(graph)}"

        return forked(work)

    def opened(self) -> str:
        """Return the fingerprint of the reports as they are; "none" if they are refused."""

        def work() -> str:
            try:
                return fingerprint(TextGraph.open(self.graph))
            except GraphbrickError:
                return "none"

        return forked(work) or ""

    def asked(self) -> list[str]:
        """Return the prompts since the last call."""
        prompts = [request.prompt for request in self._server.requests]
        self._server.requests.clear()
        return prompts


def fingerprint(graph: TextGraph) -> str:
    """Return a hash of all reports."""
    reports = reports_of(graph).of
    return hashlib.sha256(repr([reports[one] for one in sorted(reports)]).encode()).hexdigest()


def kept(graph: Path) -> set[str]:
    """Return the titles of the replies that are kept; each is the hash of its prompt."""
    with sqlite3.connect(text_folder(graph) / DATABASE) as store:
        there = store.execute("SELECT 1 FROM sqlite_master WHERE name = 'reports'").fetchone()
        rows = store.execute("SELECT reply FROM reports").fetchall() if there else []
    store.close()
    return {json.loads(text)["title"] for (text,) in rows}


def faults(trial: Trial, at: int, wanted: str, prompts: int) -> Iterable[str]:
    """Kill a run at an event, run again, and yield what does not hold."""
    trial.reset()
    trial.asked()
    if trial.run(at) is not None:
        yield "it was not killed"
    before, there, opened = trial.asked(), kept(trial.graph), trial.opened()
    if opened not in ("none", wanted):
        yield "reports open that are not those of an undisturbed run"
    if (trial.run() or "").split()[-1:] != [wanted]:
        yield "the rerun gives other reports"
    after = trial.asked()
    if there.intersection(hashlib.sha256(prompt.encode()).hexdigest() for prompt in after):
        yield "a reply that was kept was asked for again"
    if len(before) + len(after) > prompts + 1:  # one may have been in flight
        yield f"{len(before) + len(after)} calls for {prompts} reports"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory(dir=given.folder) as name, ScriptedLLM(reply) as server:
        folder = Path(name).resolve()
        write_documents(folder / "docs", given.documents, changed=False)
        (folder / "base").mkdir()
        index([folder / "docs"], folder / "base" / "notes.graph")
        trial = Trial(folder, server)
        trial.reset()
        events, wanted = (trial.run() or "").split()
        prompts = len(trial.asked())
        for i in range(given.kills):
            at = 1 + int(events) * (2 * i + 1) // (2 * given.kills)
            found = list(faults(trial, at, wanted, prompts))
            bad += bool(found)
            print(f"killed at event {at:,} of {int(events):,}: {'; '.join(found) or 'as it should be'}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
