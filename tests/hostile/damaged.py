"""Every file of a graph and of what is beside it, damaged: the same answer, or one line; the check of a graph tells."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

from cli_studies import BM25, ROWS
from damage import Damage, damages
from trying import Done, Fault, Surface, command, copied, held, warmed

from graphbrick.testing import TINY
from index_kill import write_documents

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
_READS: dict[str, Sequence[Sequence[str]]] = {
    "g.graph": (
        ("ask", "g.graph", QUESTION, "--json"),
        ("ask", "g.graph", "What borders Uganda?", "--pipeline", BM25, "--json"),
        ("export", "g.graph", "x.nt", "--to", "nt"),
        ("query", "g.graph", "MATCH (a)-[r]->(b) RETURN a.key, r.key, b.key ORDER BY a.key, r.key, b.key"),
        ("ask", "g.graph", "What borders Uganda?", "--json", "--pipeline",
         "Communities(k=9) >> ShortestPaths() >> PathAnswer()"),
    ),
    "n.graph": (
        ("documents", "n.graph"),
        ("ask", "n.graph", "Which road goes from Kenya to Uganda?", "--json", "--pipeline",
         "Passages() >> Quote(BM25(), n=2, min_confidence=0.0)"),
        ("export", "n.graph", "x.graphml", "--to", "graphml"),
    ),
    "runs.sqlite": (("compare", "runs.sqlite", "--json"), ("report", "runs.sqlite", "--out", "x.html")),
}  # fmt: skip
"""What reads a file or folder, by its name."""

_UNCHECKED = re.compile(r"\.lock$|/words\.toml$|\.vectors/.*/model\.json$")
"""Files that are empty, are written to be edited, or name a model for people: no check sees another content."""


def _says_the_same(before: bytes, after: Path) -> bool:
    """Return whether a JSON file says what it said: white space was lost, or the last digit of a number changed."""
    try:
        return bool(json.loads(before) == json.loads(after.read_bytes()))
    except (OSError, ValueError):
        return False


class Damages(Surface):
    """Each file of a graph, its changes, patterns, vectors, partitions, copy, corpus and studies, damaged."""

    tries = 700

    def prepare(self) -> None:
        """Make all folders once, and read them."""
        base = self.folder / "base"
        base.mkdir()
        (base / "g.tsv").write_text("".join("\t".join(row) + "\n" for row in TINY))
        (base / "more.tsv").write_text("Kenya\tborders\tTanzania\nTanzania\tcapital\tDodoma\n")
        (base / "less.tsv").write_text("Rwanda\tborders\tRwanda\n")
        (base / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
        write_documents(base / "docs", 6, changed=False)
        for arguments in (
            ("build", "g.tsv", "g.graph"), ("add", "g.graph", "more.tsv"), ("delete", "g.graph", "less.tsv"),
            ("prepare", "partitions", "g.graph"), ("index", "docs", "n.graph", "--no-embed"),
            ("info", "g.graph", "--check"), ("documents", "n.graph"),
        ):  # fmt: skip
            warmed(*self._placed(arguments, base))
        for arguments in (
            ("learn", "g.graph", "--questions", "100"),
            ("evaluate", "g.graph", "rows.jsonl", "--pipeline", BM25, "--out", "runs.sqlite"),
            ("query", "g.graph", "MATCH (a) RETURN count(a)"),
        ):
            held(command(*self._placed(arguments, base), bounded=False), (0,))
        self.known = {
            (name, number): self._seen(command(*self._placed(read, base), bounded=False), base)
            for name, reads in _READS.items()
            for number, read in enumerate(reads)
        }
        self.cases = [one for one in damages(base, 0, flips=1) if one.file.partition("/")[0].startswith(tuple(_READS))]

    @staticmethod
    def _placed(arguments: Sequence[str], folder: Path) -> list[str]:
        return [
            str(folder / word) if word == "docs" or ("." in word and " " not in word) else word for word in arguments
        ]

    def _seen(self, done: Done, folder: Path) -> str:
        """Return what a command answers, without places and times; what it wrote, if it wrote a file."""
        files = [file for file in sorted(folder.glob("x.*")) if file.suffix != ".html"]
        texts = [done.out, *(file.read_text(errors="replace") for file in files)]
        for file in folder.glob("x.*"):
            file.unlink()
        try:
            facts = json.loads(done.out)
        except ValueError:
            return "\n".join(texts).replace(str(folder), "").replace(str(self.folder / "base"), "")
        return json.dumps(facts.get("answers") if isinstance(facts, dict) else facts)

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Damage one file, read what it belongs to, and check it."""
        case = draw.choice(self.cases)
        copy = copied(self.folder / "base", work / "copy")
        size = (copy / case.file).stat().st_size
        place = draw.randrange(8 * size) if case.kind == "flip" else draw.randrange(max(size, 1))
        if case.kind == "truncate" and not case.file.endswith(".json") and draw.random() < 0.3:
            place = size - 1  # such as the end of a line, which readers pass over; it means nothing in JSON
        case = Damage(case.file, case.kind, place)
        before = (copy / case.file).read_bytes()
        if not case.apply(copy):
            return "the same bytes"
        if case.file.endswith(".json") and _says_the_same(before, copy / case.file):
            return "the same facts"
        name = next(name for name in _READS if case.file.startswith(name))
        number = draw.randrange(len(_READS[name]))
        read = _READS[name][number]
        check = held(command(*self._placed(("info", name, "--check"), copy))) if name != "runs.sqlite" else None
        is_seen = check is None or check.code == 1 or "no checksum" in check.out + check.err
        is_free = _UNCHECKED.search(case.file) or (case.kind == "delete" and ".vectors/" in case.file)
        if not is_seen and not is_free:  # vectors that are not there are made again
            raise Fault(f"{case}: info --check does not see it")
        done = held(command(*self._placed(read, copy), bounded=read[0] not in ("query",)), (0, 1, 2))
        if done.code == 1:
            return "refused"
        seen = self._seen(done, copy)
        if seen == self.known[name, number]:
            return "the same answer"
        if name == "runs.sqlite":
            raise Fault(f"{case}: {read[0]}: {seen[:200]!r} in place of {self.known[name, number][:200]!r}")
        if is_seen:
            return "another answer, that the check explains"
        if done.err.strip() or "event" in done.out:
            return "another answer, with a note"
        raise Fault(f"{case}: {read[:2]}: {seen[:200]!r} in place of {self.known[name, number][:200]!r}")
