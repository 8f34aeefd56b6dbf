"""Indexing, and reports of communities, killed at random moments: nothing is lost, and nothing is paid for twice."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from trying import Fault, Surface, copied

import index_kill
import prepare_kill
from graphbrick import LLM, OpenIE, index
from graphbrick.testing import Request, ScriptedLLM
from graphbrick.text.indexing import extracting
from index_kill import BATCH, Killer, Scripted, fingerprint, forked, write_documents

_CALLS = 2  # calls of the model for a passage
_DOCUMENTS = 18


def reply(request: Request) -> str:
    """Return what a model reads out of a passage of `write_documents`."""
    road = re.search(r"The road (\d+) from (\w+) to (\w+) is", request.prompt.rpartition("<passage>")[2])
    names = [road[2], road[3]] if road else []
    triples = [[road[2], f"has road {road[1]} to", road[3]]] if road else []
    return json.dumps({"entities": names, "triples": triples})


class ModelTrial(index_kill.Trial):
    """Indexing with a language model.

    Args:
        folder: Where to work.
        server: The model, in this process.
    """

    def __init__(self, folder: Path, server: ScriptedLLM) -> None:
        super().__init__(folder, None)
        self._server = server

    def run(self, at: int | None = None) -> str | None:
        """Index, and be killed at an event; see `index_kill.Trial`."""

        def work() -> str:
            extracting._BATCH = BATCH
            killer = Killer(self._folder, at)
            killer.start()
            model = LLM("m", base_url=self._server.base_url, parallel=2)
            done = index([self._docs], self.graph, extractor=OpenIE(model))
            return f"{killer.count} {fingerprint(done.graph)}"

        return forked(work)

    def calls(self) -> int:
        """Return the number of calls since the last time."""
        number = len(self._server.requests)
        self._server.requests.clear()
        return number

    def faults(self, draw: random.Random) -> Iterator[str]:
        """Kill a run at an event, run again, and yield what does not hold."""
        self.reset()
        events, wanted = (self.run() or "").split()
        undisturbed = self.calls()
        self.reset()
        if self.run(draw.randint(1, int(events))) is not None:
            yield "it was not killed"
        before, opened = self.calls(), self.opened()
        if opened not in ("none", wanted):
            yield "a graph opens that is neither the old nor the new one"
        if (self.run() or "").split()[-1:] != [wanted]:
            yield "the rerun gives another graph"
        total = before + self.calls()
        if total > undisturbed + _CALLS * BATCH:
            yield f"{total} calls in place of {undisturbed}"


class Paid(Surface):
    """`index` and `prepare reports`, with results that cost something."""

    tries = 160

    def prepare(self) -> None:
        """Do all once, so that what every fork needs is loaded."""
        write_documents(self.folder / "docs", 2, changed=False)
        index([self.folder / "docs"], self.folder / "warm.graph", extractor=Scripted(str(self.folder / "log")))

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Kill one of them at a random event."""
        kind = draw.choice(("index", "update", "model", "reports"))
        try:
            faults = list(getattr(self, f"_{kind}")(draw, work))
        except SystemExit as error:
            raise Fault(f"{kind}: {error}") from error
        if faults:
            raise Fault(f"{kind}: {'; '.join(faults)}")
        return kind

    @staticmethod
    def _index(draw: random.Random, work: Path, base: Path | None = None, before: str = "none") -> Iterator[str]:
        write_documents(work / "docs", _DOCUMENTS, changed=base is not None)
        trial = index_kill.Trial(work, base)
        trial.reset()
        events, wanted = (trial.run() or "").split()
        return iter(list(index_kill.faults(trial, draw.randint(1, int(events)), before, wanted)))

    def _update(self, draw: random.Random, work: Path) -> Iterator[str]:
        write_documents(work / "docs", _DOCUMENTS, changed=False)
        trial = index_kill.Trial(work, None)
        trial.reset()
        _, before = (trial.run() or "").split()
        return self._index(draw, work, copied(work / "work", work / "base"), before)

    @staticmethod
    def _model(draw: random.Random, work: Path) -> Iterator[str]:
        write_documents(work / "docs", _DOCUMENTS, changed=False)
        with ScriptedLLM(reply) as server:
            yield from ModelTrial(work, server).faults(draw)

    @staticmethod
    def _reports(draw: random.Random, work: Path) -> Iterator[str]:
        write_documents(work / "docs", _DOCUMENTS, changed=False)
        (work / "base").mkdir()
        forked(lambda: str(index([work / "docs"], work / "base" / "notes.graph").graph.hash))
        with ScriptedLLM(prepare_kill.reply) as server:
            trial = prepare_kill.Trial(work, server)
            trial.reset()
            events, wanted = (trial.run() or "").split()
            prompts = len(trial.asked())
            yield from prepare_kill.faults(trial, draw.randint(1, int(events)), wanted, prompts)
