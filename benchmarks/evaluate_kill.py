"""Kills an evaluation at random moments: the resumed one must be the same as one that was never killed, but for times.

    python benchmarks/evaluate_kill.py GRAPH QUESTIONS ... [--limit 2000] [--kills 10] [--workers 1] [--seed 0]

The evaluation is the command ``graphbrick evaluate``. It is killed (SIGKILL) after a random time, as often as
``--kills`` says, and then let run to its end. After each kill the study must be readable and hold whole results only.
At the end every question, answer, path, measure and count must be what it is in a study that was written in one go, and
so must what ``graphbrick compare`` gives. One line a kill; exit code 1 when anything does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from graphbrick.study.store.reader import Study

PIPELINES = (
    "ngram: PPR(k=300) >> ShortestPaths(max_hops=2) >> Rerank(NGram(), n=32, by='pattern') >> PathAnswer()",
    "bm25: PPR(k=300) >> ShortestPaths(max_hops=2) >> Rerank(BM25(), n=32, by='pattern') >> PathAnswer()",
)
_TIMES = ("seconds", "waited")
_SITTING = ("sitting",)


def without(value: Any, names: tuple[str, ...]) -> Any:
    """JSON without the entries of some names, however deep."""
    if isinstance(value, dict):
        return {name: without(part, names) for name, part in value.items() if name not in names}
    return [without(part, names) for part in value] if isinstance(value, list) else value


def contents(path: Path) -> dict[str, list[Any]]:
    """All rows of results, details, questions and asked, by table, without times."""
    found = {}
    with sqlite3.connect(path) as db:
        for table, order in (("questions", "id"), ("asked", "run, question"), ("results", "run, question"),
                             ("details", "run, question")):  # fmt: skip
            rows = db.execute(f"SELECT * FROM {table} ORDER BY {order}")
            names = [column[0] for column in rows.description]
            found[table] = [without(plain(dict(zip(names, row, strict=True))), (*_TIMES, *_SITTING)) for row in rows]
    db.close()
    return found


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its JSON read, and stages without seconds."""
    read = {
        name: json.loads(value) if isinstance(value, str) and value[:1] in "[{" and name != "text" else value
        for name, value in row.items()
    }
    if "stage_seconds" in read:
        read["stage_seconds"] = [[stage, kind] for stage, kind, _ in read["stage_seconds"]]
    return read


def table(path: Path) -> Any:
    """What ``graphbrick compare`` gives."""
    out = subprocess.run(
        [sys.executable, "-m", "graphbrick.cli.app", "compare", path, "--by", "hops", "--json"],
        stdout=subprocess.PIPE, check=True,
    ).stdout  # fmt: skip
    return json.loads(out)


def whole(path: Path) -> tuple[int, bool]:
    """The number of results that are there, and whether the study is readable and each has its details."""
    if not path.exists():
        return 0, True
    with Study.open(path) as study:
        done = [(len(study.results(run.id)), sum(1 for _ in study.details(run.id))) for run in study.runs()]
    with sqlite3.connect(path) as db:
        (sound,) = db.execute("PRAGMA integrity_check").fetchone()
    db.close()
    return sum(results for results, _ in done), sound == "ok" and all(a == b for a, b in done)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", type=Path)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--pipeline", action="append", help="recipe text; may be repeated")
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    options = ["--limit", str(chosen.limit), "--workers", str(chosen.workers)]
    for text in chosen.pipeline or PIPELINES:
        options += ["--pipeline", text]
    base = [sys.executable, "-m", "graphbrick.cli.app", "evaluate", chosen.graph, *chosen.questions, *options, "--out"]
    with tempfile.TemporaryDirectory() as name:
        once, often = Path(name) / "once.sqlite", Path(name) / "often.sqlite"
        begun = time.perf_counter()
        subprocess.run([*base, once], stdout=subprocess.DEVNULL, check=True)
        seconds = time.perf_counter() - begun
        total, sound = whole(once)
        failures = int(not sound)
        print(f"{total:,} results in {seconds:.0f} s, not killed", flush=True)
        for number in range(chosen.kills):
            wait = rng.uniform(0.5, 1.5 * seconds / chosen.kills + 3)
            process = subprocess.Popen([*base, often], stdout=subprocess.DEVNULL)
            time.sleep(wait)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            done, sound = whole(often)
            failures += not sound
            print(
                f"{number + 1}: killed after {wait:.1f} s, {done:,} results" + ("" if sound else ", NOT WHOLE"),
                flush=True,
            )
        subprocess.run([*base, often], stdout=subprocess.DEVNULL, check=True)
        expected, found = contents(once), contents(often)
        for part, rows in expected.items():
            same = rows == found[part]
            failures += not same
            print(f"{part}: {len(rows):,} rows, {'the same' if same else 'NOT THE SAME'}")
        same = table(once) == table(often)
        failures += not same
        print("the comparison: " + ("the same" if same else "NOT THE SAME"))
    print("all held" if not failures else f"{failures} did not hold")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
