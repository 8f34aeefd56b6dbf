"""A table of entities with ten properties each: build, size, lookup and filters, beside DuckDB and ladybug.

    pip install duckdb
    python benchmarks/properties.py --work FOLDER [--entities 1e6] [--repeat 3]

Makes ``nodes.csv`` (three columns of whole numbers, two of numbers, two of texts, one each of booleans, dates and
date-times) and ``edges.csv`` (one edge for each entity, with a date), from a fixed seed. Each system loads the same
files in a process of its own: seconds, peak memory and bytes on disk. Then, in a fresh process with the store opened:
the milliseconds of reading all properties of one entity by its key (median of 1,000), and of listing the keys of all
entities in a range of numbers (about 0.1 % and 10 % of them), in a range of dates (1 %), and with a text (1 in 5,000),
each the median of 20, after one run. All systems must return the same entities.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SYSTEMS = ("graphbrick", "duckdb", "ladybug")
START = datetime.date(2000, 1, 1)


def write_tables(work: Path, n: int) -> None:
    """Write the two tables unless they are there."""
    if (work / "edges.csv").exists():
        return
    rng = np.random.default_rng(7)
    whole, score, stock = rng.integers(0, 1_000_000, n), rng.integers(0, 100, n), rng.integers(-50, 50, n)
    price, weight = np.round(rng.lognormal(3, 1, n), 2), rng.random(n)
    city, day, flag = rng.integers(0, 5000, n), rng.integers(0, 9000, n), rng.random(n) < 0.3
    second = rng.integers(0, 86_400, n)
    with (work / "nodes.csv.part").open("w") as file:
        file.write("id,name,type,whole,score,stock,price,weight,city,note,flag,day,moment\n")
        for i in range(n):
            date = START + datetime.timedelta(days=int(day[i]))
            clock = datetime.time(second[i] // 3600, second[i] // 60 % 60, second[i] % 60)
            file.write(
                f"e{i},Entity {i},Thing,{whole[i]},{score[i]},{stock[i]},{float(price[i])!r},{float(weight[i])!r},"
                f"City {city[i]},note {i} of {n},{'true' if flag[i] else 'false'},{date},{date}T{clock}\n"
            )
    (work / "nodes.csv.part").rename(work / "nodes.csv")
    tails = rng.integers(0, n, n)
    with (work / "edges.csv.part").open("w") as file:
        file.write("source,type,target,since\n")
        file.writelines(f"e{i},LINKS,e{tails[i]},{START + datetime.timedelta(days=int(day[i]))}\n" for i in range(n))
    (work / "edges.csv.part").rename(work / "edges.csv")


def load_graphbrick(work: Path, store: Path) -> None:
    """Build the folder of the two tables as the command does."""
    from graphbrick import build

    folder = work / "tables"
    folder.mkdir(exist_ok=True)
    for name in ("nodes.csv", "edges.csv"):
        if not (folder / name).exists():
            (folder / name).hardlink_to(work / name)
    build(folder, store)


def load_duckdb(work: Path, store: Path) -> None:
    """Import both tables, with an index over the keys."""
    import duckdb

    store.mkdir()
    with duckdb.connect(str(store / "tables.duckdb")) as database:
        database.execute(f"CREATE TABLE nodes AS SELECT * FROM read_csv('{work / 'nodes.csv'}')")
        database.execute(f"CREATE TABLE edges AS SELECT * FROM read_csv('{work / 'edges.csv'}')")
        database.execute("CREATE UNIQUE INDEX node_key ON nodes(id)")


def load_ladybug(work: Path, store: Path) -> None:
    """Import both tables as a node table and a relation table."""
    import ladybug

    store.mkdir()
    with ladybug.Database(str(store / "tables.ladybug")) as database, ladybug.Connection(database) as connection:
        connection.execute(
            "CREATE NODE TABLE nodes(id STRING, name STRING, type STRING, whole INT64, score INT64, stock INT64, "
            "price DOUBLE, weight DOUBLE, city STRING, note STRING, flag BOOLEAN, day DATE, moment TIMESTAMP, "
            "PRIMARY KEY(id))"
        )
        connection.execute("CREATE REL TABLE links(FROM nodes TO nodes, type STRING, since DATE)")
        connection.execute(f"COPY nodes FROM '{work / 'nodes.csv'}' (header=true)")
        edges = work / "edges.ladybug.csv"  # its relation tables want both ends first
        if not edges.exists():
            rows = (line.split(",") for line in (work / "edges.csv").read_text().splitlines())
            edges.write_text("".join(f"{a},{c},{b},{d}\n" for a, b, c, d in rows))
        connection.execute(f"COPY links FROM '{edges}' (header=true)")


RANGES: dict[str, tuple[str, Any, Any]] = {
    "0.1 %": ("whole", 500_000, 501_000),
    "10 %": ("whole", 300_000, 400_000),
    "dates, 1 %": ("day", datetime.date(2010, 1, 1), datetime.date(2010, 4, 1)),
}


def ask_graphbrick(store: Path) -> tuple[Callable[[str], Any], Callable[[str, Any, Any], list[str]], Any]:
    """Open the graph; return the lookup, the range filter and the filter of texts."""
    from graphbrick import Graph

    graph = Graph.open(store)

    def between(name: str, low: Any, high: Any) -> list[str]:
        return [graph.key(entity) for entity in graph.entities_where(name, at_least=low, below=high)]

    def with_text(text: str) -> list[str]:
        return [graph.key(entity) for entity in graph.entities_where("city", equals=text)]

    return (lambda key: graph.properties(graph.entity(key))), between, with_text


def ask_duckdb(store: Path) -> tuple[Callable[[str], Any], Callable[[str, Any, Any], list[str]], Any]:
    """Open the database; return the lookup, the range filter and the filter of texts."""
    import duckdb

    database = duckdb.connect(str(store / "tables.duckdb"), read_only=True)

    def between(name: str, low: Any, high: Any) -> list[str]:
        rows = database.execute(f"SELECT id FROM nodes WHERE {name} >= ? AND {name} < ?", [low, high]).fetchall()
        return [row[0] for row in rows]

    def with_text(text: str) -> list[str]:
        return [row[0] for row in database.execute("SELECT id FROM nodes WHERE city = ?", [text]).fetchall()]

    return (
        (lambda key: database.execute("SELECT * FROM nodes WHERE id = ?", [key]).fetchone()),
        between,
        with_text,
    )


def ask_ladybug(store: Path) -> tuple[Callable[[str], Any], Callable[[str, Any, Any], list[str]], Any]:
    """Open the database; return the lookup, the range filter and the filter of texts."""
    import ladybug

    database = ladybug.Database(str(store / "tables.ladybug"), read_only=True)
    connection = ladybug.Connection(database)

    def run(query: str, **values: Any) -> list[Any]:
        return list(connection.execute(query, values).get_all())

    def between(name: str, low: Any, high: Any) -> list[str]:
        query = f"MATCH (n:nodes) WHERE n.{name} >= $low AND n.{name} < $high RETURN n.id"
        return [row[0] for row in run(query, low=low, high=high)]

    return (
        (lambda key: run("MATCH (n:nodes {id: $key}) RETURN n", key=key)[0]),
        between,
        (lambda text: [row[0] for row in run("MATCH (n:nodes {city: $text}) RETURN n.id", text=text)]),
    )


LOAD = {"graphbrick": load_graphbrick, "duckdb": load_duckdb, "ladybug": load_ladybug}
ASK = {"graphbrick": ask_graphbrick, "duckdb": ask_duckdb, "ladybug": ask_ladybug}


def milliseconds(call: Callable[[], Any], times: int) -> float:
    """Return the median of the milliseconds of a call."""
    call()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - started))
    return statistics.median(taken)


def measure(system: str, store: Path, n: int) -> dict[str, Any]:
    """Measure the lookups and filters of one system in this process."""
    lookup, between, with_text = ASK[system](store)
    rng = random.Random(3)
    keys = iter([f"e{rng.randrange(n)}" for _ in range(1002)])
    result: dict[str, Any] = {"lookup": milliseconds(lambda: lookup(next(keys)), 1000)}
    returned = {}
    for name, (column, low, high) in RANGES.items():
        result[name] = milliseconds(lambda c=column, a=low, b=high: between(c, a, b), 20)
        returned[name] = len(set(between(column, low, high)))
    result["text"] = milliseconds(lambda: with_text("City 1234"), 20)
    returned["text"] = len(with_text("City 1234"))
    return {**result, "returned": returned}


def in_process(arguments: list[str]) -> tuple[str, float, float]:
    """Run this script in a process of its own; return its output, seconds and peak megabytes."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return output, time.perf_counter() - started, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--entities", type=float, default=1e6)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--load", choices=SYSTEMS, help=argparse.SUPPRESS)
    parser.add_argument("--ask", choices=SYSTEMS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    n, work = int(options.entities), options.work / str(int(options.entities))
    work.mkdir(parents=True, exist_ok=True)
    if options.load:
        LOAD[options.load](work, work / options.load)
        return
    if options.ask:
        print(json.dumps(measure(options.ask, work / options.ask, n)))
        return
    write_tables(work, n)
    same = [*sys.argv[1:]]
    runs: dict[str, list[dict[str, Any]]] = {}
    for _ in range(options.repeat):
        for system in options.systems.split(","):
            shutil.rmtree(work / system, ignore_errors=True)
            _, seconds, megabytes = in_process([*same, "--load", system])
            size = sum(file.stat().st_size for file in (work / system).rglob("*") if file.is_file())
            row = json.loads(in_process([*same, "--ask", system])[0])
            row |= {"load s": seconds, "peak MB": megabytes, "MB": size / 1e6}
            runs.setdefault(system, []).append(row)
    columns = ["load s", "peak MB", "MB", "lookup", *RANGES, "text"]
    print("| system | " + " | ".join(columns) + " |")
    for system, rows in runs.items():
        print(f"| {system} | " + " | ".join(f"{statistics.median(row[c] for row in rows):.3g}" for c in columns) + " |")
    if len({json.dumps(row["returned"]) for rows in runs.values() for row in rows}) > 1:
        sys.exit(f"the systems return different entities: {[rows[0]['returned'] for rows in runs.values()]}")


if __name__ == "__main__":
    main()
