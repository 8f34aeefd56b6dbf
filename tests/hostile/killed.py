"""Every writing command, ended at random moments: old or new content is whole, and the same command again mends all."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli_studies import BM25, ROWS
from trying import Done, Fault, Surface, command, copied, forked, held, same, warmed

import evaluate_kill
from graphbrick.cli.app import main
from graphbrick.core.errors import GraphbrickError
from graphbrick.graphs import opening
from graphbrick.graphs.corpus import TextGraph
from graphbrick.testing import TINY
from index_kill import Killer, write_documents

_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Writing:
    """A command that writes.

    Attributes:
        arguments: Its arguments; the names of files are of the folder that it works in.
        target: What it writes.
        share: How often it is tried, as a weight.
        parts: Whether it keeps a part of its work, so that its target may be between the old and the new content.
        refused: Whether its target may be refused before it ran again: it is in two places.
        old: The files and folders of the beginning that it needs.
    """

    arguments: tuple[str, ...]
    target: str
    old: tuple[str, ...]
    share: float = 1.0
    parts: bool = False
    refused: bool = False


def _prepare(what: str, target: str, *options: str, parts: bool = False) -> Writing:
    return Writing(("prepare", what, "g.graph", *options), target, ("g.graph",), parts=parts)


def _export(form: str, target: str, old: bool) -> Writing:
    arguments = ("export", "g.graph", target, "--to", form, *["--overwrite"] * old)
    return Writing(arguments, target, ("g.graph", *[target] * old), 0.5)


WRITINGS: dict[str, Writing] = {
    "build": Writing(("build", "new.tsv", "new.graph"), "new.graph", ("new.tsv",), 2),
    "replace": Writing(("build", "new.tsv", "g.graph", "--overwrite"), "g.graph", ("new.tsv", "g.graph"), 2),
    "add": Writing(("add", "g.graph", "more.tsv"), "g.graph", ("g.graph", "more.tsv"), 2),
    "add-again": Writing(("add", "changed.graph", "more2.tsv"), "changed.graph", ("changed.graph", "more2.tsv")),
    "delete": Writing(("delete", "g.graph", "less.tsv", "--ignore-missing"), "g.graph", ("g.graph", "less.tsv"), 2),
    "compact": Writing(("compact", "changed.graph"), "changed.graph", ("changed.graph",), 2),
    "index": Writing(("index", "docs", "new.graph", "--no-embed"), "new.graph", ("docs",), 2, refused=True),
    "update": Writing(("index", "docs2", "n.graph", "--no-embed"), "n.graph", ("n.graph",), 2, refused=True),
    "learn": Writing(("learn", "g.graph", "--questions", "100"), "g.graph.patterns", ("g.graph",), 1),
    "learn-again": Writing(
        ("learn", "g.graph", "--questions", "120"), "g.graph.patterns", ("g.graph", "g.graph.patterns"), 1
    ),
    "feedback": Writing(
        ("feedback", "g.graph", "What is the capital of Kenya?", "--right", "-a", "Nairobi", "-p", BM25),
        "g.graph.feedback.jsonl",
        ("g.graph",),
        parts=True,
    ),
    "partitions": _prepare("partitions", "g.graph.partitions"),
    "communities": _prepare("communities", "g.graph.communities"),
    "embeddings": _prepare("embeddings", "g.graph.vectors", parts=True),
    "vectors": _prepare("vectors", "g.graph.index", parts=True),
    "questions": Writing(("questions", "g.graph", "q.jsonl", "--n", "20"), "q.jsonl", ("g.graph",)),
    **{
        f"export-{form}{'-again' * old}": _export(form, target, old)
        for form, target in (("graphml", "x.graphml"), ("nt", "x.nt"), ("networkx", "x.json"), ("parquet", "x.parquet"),
                             ("neo4j-csv", "x.csv"), ("ladybug", "x.lbdb"))
        for old in (False, True)
    },
    "evaluate": Writing(
        ("evaluate", "g.graph", "rows.jsonl", "--pipeline", f"a: {BM25}", "--out", "runs.sqlite"),
        "runs.sqlite",
        ("g.graph", "rows.jsonl"),
        2,
        parts=True,
    ),
}  # fmt: skip
"""The commands by name."""


def content(target: Path) -> str:
    """Return a hash of what a target holds as its readers see it; what it is refused with, or "nothing"."""
    if not target.exists() or (target.is_dir() and not files_of(target)):
        return "nothing"
    if target.suffix == ".lbdb":
        return "a database" if target.stat().st_size else "an empty file"
    try:
        if target.suffix == ".sqlite" and not evaluate_kill.whole(target)[1]:
            return "not whole"
        held = evaluate_kill.contents(target) if target.suffix == ".sqlite" else _facts(target)
    except GraphbrickError as error:
        return f"refused: {error}"
    return hashlib.sha256(repr(held).replace(str(target.parent), "").encode()).hexdigest()


def _facts(target: Path) -> object:
    if target.suffix != ".graph":
        return [(file.name, file.read_bytes()) for file in files_of(target)]
    graph = opening.open(target)
    facts = [sorted(graph.key_triples()), [graph.label(i) for i in range(graph.n_entities)]]
    if isinstance(graph, TextGraph):
        facts += [[graph.passage(i) for i in range(graph.n_passages)], [array.tolist() for array in graph.mentions]]
    return facts


def files_of(target: Path) -> list[Path]:
    """Return a file, or the files of a folder, without locks and without what is being written."""
    files = sorted(file for file in target.rglob("*") if file.is_file()) if target.is_dir() else [target]
    hidden = {file for file in files for part in file.relative_to(target).parts if part.startswith(".")}
    return [file for file in files if file.suffix != ".lock" and file not in hidden]


def state(target: Path) -> str:
    """Return `content`, read in a process of its own."""
    return held(forked(lambda: print(content(target)))).out.strip()


def hidden(work: Path) -> list[str]:
    """Return the names of temporary files and folders, wherever they are."""
    return sorted(entry.name for entry in work.rglob(".*") if not entry.name.endswith(".lock"))


class Kills(Surface):
    """Every writing command under SIGKILL, SIGTERM and SIGINT."""

    tries = 700

    def prepare(self) -> None:
        """Make what the commands begin with, and run each to its end."""
        base = self.folder / "base"
        base.mkdir()
        draw = random.Random(1)
        more = [
            (f"n{draw.randrange(40)}", draw.choice(("borders", "rules")), f"n{draw.randrange(40)}") for _ in range(90)
        ]
        _table(base / "old.tsv", [*TINY, *more])
        _table(base / "new.tsv", [*TINY, *more[40:], ("a", "new", "graph")])
        _table(base / "more.tsv", [("Kenya", "borders", "Tanzania"), ("Tanzania", "capital", "Dodoma")])
        _table(base / "more2.tsv", [("Dodoma", "rules", "Tanzania"), ("Lima", "capital of", "Peru")])
        _table(base / "less.tsv", [TINY[0], TINY[3]])
        (base / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
        write_documents(base / "docs", 9, changed=False)
        warmed("build", base / "old.tsv", base / "g.graph")
        warmed("build", base / "old.tsv", base / "changed.graph")
        warmed("add", base / "changed.graph", base / "more.tsv")
        warmed("delete", base / "changed.graph", base / "less.tsv")
        warmed("index", base / "docs", base / "n.graph", "--no-embed")
        held(command("learn", base / "g.graph", "--questions", "100"), (0,))
        for name, writing in WRITINGS.items():
            if name.startswith("export") and not name.endswith("again"):
                warmed(*self._arguments(writing, base))
        self.ended: dict[str, tuple[int, float, str, str, list[str]]] = {}
        for name, writing in WRITINGS.items():
            work = self._begun(writing, self.folder / name)
            before = state(work / writing.target)
            done = held(self._run(writing, work), (0,))
            events = int(done.out.rsplit("\x1e", 1)[1])
            names = sorted(entry.name for entry in work.iterdir())
            self.ended[name] = (events, done.cpu, before, state(work / writing.target), names)
        self.names = list(WRITINGS)

    @staticmethod
    def _arguments(writing: Writing, work: Path) -> list[str]:
        places = {*writing.old, writing.target, "docs2"}
        return [str(work / word) if word in places else word for word in writing.arguments]

    def _begun(self, writing: Writing, work: Path) -> Path:
        """Return a folder with what a command begins with."""
        base = self.folder / "base"
        work.mkdir(exist_ok=True)
        if "docs2" in writing.arguments:  # its graph knows the documents by where they are
            write_documents(work / "docs2", 9, changed=False)
            held(command("index", work / "docs2", work / "n.graph", "--no-embed"), (0,))
            write_documents(work / "docs2", 9, changed=True)
            return work
        for name in writing.old:
            if (base / name).is_dir():
                copied(base / name, work / name)
            else:
                (work / name).write_bytes((base / name).read_bytes())
        return work

    def _run(self, writing: Writing, work: Path, number: int = 0, at: int | None = None, cpu: float = 0.0) -> Done:
        """Run a command, and end it by a signal at an event, or after some time of the processor."""

        def run() -> int:
            killer = Killer(work, at, number)
            killer.start()
            if cpu:
                signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process, as SIGKILL does
                signal.setitimer(signal.ITIMER_PROF, cpu)
            try:
                main(self._arguments(writing, work))
            except SystemExit as ended:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
                sys.stdout.write(f"\x1e{killer.count}")
                return int(ended.code or 0)
            return 0

        return forked(run, bounded=".lbdb" not in writing.target and writing.target != "q.jsonl")

    def attempt(self, draw: random.Random, work: Path) -> str:
        """End a command at a moment, look at what is there, and run it again."""
        name = draw.choices(self.names, [writing.share for writing in WRITINGS.values()])[0]
        writing, (events, seconds, before, after, names) = WRITINGS[name], self.ended[name]
        self._begun(writing, work)
        number = draw.choice(_SIGNALS)
        if draw.random() < 0.25:
            done = self._run(writing, work, cpu=draw.uniform(0.001, 1.1 * seconds))
            number = signal.SIGPROF
        else:
            done = self._run(writing, work, number, draw.randint(1, events))
        self._ended(name, done, number)
        target = work / writing.target
        there = state(target)
        if not writing.parts and there not in (before, after) and not (writing.refused and there.startswith("refused")):
            raise Fault(f"{name}, {number.name}: neither the old nor the new content opens: {there[:200]}")
        if there == "not whole":
            raise Fault(f"{name}, {number.name}: {there}")
        self._again(name, writing, work)
        if not writing.parts or target.suffix == ".sqlite":
            same(state(target), after, f"{name}: the content after it ran again")
        left = [one for one in sorted(entry.name for entry in work.iterdir()) if one not in names]
        same([one for one in left if not one.endswith(".lock")] + hidden(work), [], f"{name}: left behind")
        return number.name if done.code else "ended before"

    @staticmethod
    def _ended(name: str, done: Done, number: signal.Signals) -> None:
        """Raise `Fault` unless a command ended by a signal as it should, or was over before."""
        wrong = "Traceback" in done.err or (number == signal.SIGINT and done.code not in (0, 130))
        if number != signal.SIGINT and done.code not in (0, -number):
            wrong = True
        if wrong:
            raise Fault(f"{name}, {number.name}: exit code {done.code}: {done.err[-300:]!r}")

    def _again(self, name: str, writing: Writing, work: Path) -> None:
        """Run a command again; a command that refuses what is there already must say so after its first run only."""
        done = held(self._run(writing, work), (0, 1))
        is_there = done.code == 1 and state(work / writing.target) == self.ended[name][3]
        if done.code and not is_there:
            raise Fault(f"{name}: again, exit code {done.code}: {done.line}")


def _table(file: Path, rows: Sequence[tuple[str, str, str]]) -> None:
    file.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
