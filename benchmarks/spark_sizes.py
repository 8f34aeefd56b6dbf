"""What an extraction of any size would need on Spark: measured on small graphs, then extrapolated.

    python benchmarks/spark_sizes.py measure measured.json          # runs Spark here; minutes
    python benchmarks/spark_sizes.py table measured.json 1e9 1e10   # the table of docs/spark.md; minutes for the walks

`measure` takes CPU seconds and bytes shuffled from Spark's event log, after a warm-up: of preparing a synthetic
power-law graph (benchmarks/synthetic.py); of walks for few and for many sets of seeds, whose rows are counted without
Spark (benchmarks/walk_sizes.py), so that the difference is the cost of a row; and of looking through tables of rows
and triples as every step and every batch does. `table` counts walks on graphs of growing size, carries their growth on
by a power law, and multiplies. Assumptions stand in `Cluster` and in `needs`.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphbrick import PPR
from graphbrick.graphs.readers import ReadOptions
from graphbrick.spark.prepare import prepare
from graphbrick.spark.prepared import Prepared
from graphbrick.spark.reading import TripleSource
from graphbrick.spark.seed_sets import SeedSet
from graphbrick.spark.session import spark_session
from graphbrick.spark.walks import walks
from graphbrick.spark.walks.extract import extract, triples_among
from synthetic import csr_of, n_entities, write_text
from walk_sizes import Moved, mean_moved, walked

_FEW, _MANY = 2, 12  # sets of seeds
_LOOKED = 2_000_000  # rows of tables that are looked through
_GROWTH = (100_000, 1_000_000, 10_000_000)  # triples of the graphs on which walks are counted
_DIGITS = "0123456789bcdfghjklmnpqrstvwxyz_"
GB = 1e9


@dataclass(frozen=True)
class Costs:
    """Measured costs.

    Attributes:
        prepare_cpu: CPU seconds for each triple to number entities and write the rows of walks.
        prepare_shuffle: Bytes shuffled for each triple.
        prepared_bytes: Bytes of the prepared folder for each triple.
        cached_bytes: Bytes in memory for each target of a row (two for each triple if walks go both ways).
        row_cpu: CPU seconds for each row of state or triple walked.
        row_shuffle: Bytes shuffled for each of them.
        look_cpu: CPU seconds of a step for each chunk of a row, as all of them are looked through.
        among_cpu: CPU seconds of a batch for each triple, as all of them are looked through for those among the best.
    """

    prepare_cpu: float
    prepare_shuffle: float
    prepared_bytes: float
    cached_bytes: float
    row_cpu: float
    row_shuffle: float
    look_cpu: float
    among_cpu: float


@dataclass(frozen=True)
class Cluster:
    """A cluster to imagine.

    Attributes:
        machines: Number of workers.
        cores: Cores of each.
        memory: Bytes of each that Spark may use.
        network: Bytes a second of each.
        busy: Share of the time in which cores do what was counted; the rest is waiting, garbage collection, stragglers.
        task: Seconds that a task takes whatever it does.
    """

    machines: int = 64
    cores: int = 16
    memory: float = 96e9
    network: float = 1.25e9
    busy: float = 0.5
    task: float = 0.01


@dataclass
class Spent:
    """What the tasks of one phase spent: seconds of CPU, bytes and records shuffled; seconds of the longest."""

    cpu: float = 0.0
    shuffled: int = 0
    records: int = 0
    tasks: int = 0
    longest: float = 0.0


def event_log(folder: Path) -> dict[str, str]:
    """Return the settings by which Spark writes its event log to a folder."""
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": folder.as_uri(),
    }


@contextmanager
def phase(spark: Any, name: str) -> Iterator[None]:
    """Name the jobs of a block in the event log."""
    spark.sparkContext.setJobDescription(name)
    yield
    spark.sparkContext.setJobDescription(None)


def spends(folder: Path) -> dict[str, Spent]:
    """Return what each phase spent, from the event log in a folder."""
    (file,) = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    phase_of: dict[int, str] = {}
    found: dict[str, Spent] = {}
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                name = (event.get("Properties") or {}).get("spark.job.description", "")
                phase_of |= dict.fromkeys(event["Stage IDs"], name)
            elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                metrics = event["Task Metrics"]
                spent = found.setdefault(phase_of.get(event["Stage ID"], ""), Spent())
                spent.cpu += metrics["Executor CPU Time"] / 1e9
                spent.shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                spent.records += metrics["Shuffle Write Metrics"]["Shuffle Records Written"]
                spent.tasks += 1
                spent.longest = max(spent.longest, metrics["Executor Run Time"] / 1e3)
    return found


def measure(triples: int, ppr: PPR) -> tuple[Costs, dict[str, Spent]]:
    """Run Spark: prepare a graph of so many triples, walk in one of a tenth, and look through tables."""
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), Path(name) / "log"
        log.mkdir()
        with spark_session("local[2]", event_log(log)) as spark:
            with phase(spark, "warm-up"):
                small = _prepared(spark, folder, triples // 10, ppr)
            with phase(spark, "prepare"):
                large = _prepared(spark, folder, triples, ppr)
            cached = _cached_bytes(large, ppr.direction)
            rows = _walk(spark, small, triples // 10, folder, ppr)
            _look(spark, folder)
        spent = spends(log)
        size = sum(file.stat().st_size for file in Path(large.place).rglob("*.parquet"))
    few, many = spent["walk few"], spent["walk many"]
    return Costs(
        spent["prepare"].cpu / triples,
        spent["prepare"].shuffled / triples,
        size / triples,
        cached / ((2 if ppr.direction == "both" else 1) * triples),
        (many.cpu - few.cpu) / rows,
        (many.shuffled - few.shuffled) / rows,
        spent["look"].cpu / _LOOKED,
        spent["among"].cpu / _LOOKED,
    ), spent


def _prepared(spark: Any, folder: Path, triples: int, ppr: PPR) -> Prepared:
    file = folder / f"{triples}.tsv"
    write_text(triples, file)
    source = TripleSource(str(file), ReadOptions(header=False))
    return prepare(spark, source, str(folder / f"prepared-{triples}"), directions=[ppr.direction])


def _walk(spark: Any, prepared: Prepared, triples: int, folder: Path, ppr: PPR) -> float:
    """Extract for few and for many sets, in tables; return how many more rows the many moved."""
    walks.mass_budget = lambda: 0
    csr = csr_of(triples)
    drawn = np.random.default_rng(7).choice(np.flatnonzero(csr.degrees() > 0), size=_MANY, replace=False)
    moved = [walked(csr, int(seed), ppr) for seed in drawn]
    sets = [SeedSet(f"s{place:03}", (_key(int(seed)),)) for place, seed in enumerate(drawn)]
    for name, count in (("walk few", _FEW), ("walk many", _MANY)):
        with phase(spark, name):
            extract(prepared, sets[:count], str(folder / name), ppr, partitions=4, batch=_MANY)
    return sum(one.state + one.arriving for one in moved[_FEW:])


def _look(spark: Any, folder: Path) -> None:
    """Join a few rows with many chunks of rows, and with many triples; the first of two times is the warm-up.

    Spark shuffles these rows for the join, as it does not see that they lie right; it does not so in walks, so that
    the cost is an upper bound.
    """
    targets = "transform(sequence(1, 6), i -> named_struct('id', id + i, 'degree', 6L)) AS targets"
    rows = spark.range(_LOOKED).selectExpr("id", "0 AS chunk", targets).repartition(8, "id", "chunk").persist()
    rows.count()
    triples = spark.range(_LOOKED).selectExpr("id AS head", "'people.person.place' AS relation", "id + 7 AS tail")
    triples.selectExpr("*", "CAST(NULL AS DOUBLE) AS weight").write.parquet(str(folder / "triples"))
    leaving = spark.range(1000).selectExpr("id * 97 AS id", "0 AS chunk", "0.1D AS share").persist()
    named = spark.range(1000).selectExpr("0 AS set", "'s' AS name", "id * 97 AS id", "string(id) AS entity").persist()
    # What leaves the pushed entities of a hundred sets is too large to be sent to every worker.
    for name, join in (("first", "merge"), ("look", "merge"), ("look by hash", "shuffle_hash")):
        with phase(spark, name):
            leaving.hint(join).join(rows, ["id", "chunk"]).selectExpr("sum(share)", "sum(size(targets))").collect()
    for name in ("first among", "among"):
        with phase(spark, name):
            triples_among(spark.read.parquet(str(folder / "triples")), named).count()


def _cached_bytes(prepared: Prepared, direction: str) -> float:
    """Return the bytes that the rows of walks take in memory."""
    rows = prepared.rows(direction, 4).persist()
    rows.count()
    storage = prepared.spark.sparkContext._jsc.sc().getRDDStorageInfo()
    size = sum(int(one.memSize()) + int(one.diskSize()) for one in storage)
    rows.unpersist(blocking=True)
    return float(size)


def _key(entity: int) -> str:
    """Return the key that benchmarks/synthetic.py writes for an entity: at least four digits to the base 32."""
    length = max(4, math.ceil(entity.bit_length() / 5))
    return "m.0" + "".join(_DIGITS[(entity >> (5 * (length - 1 - place))) & 31] for place in range(length))


def growth(ppr: PPR, seeds: int) -> dict[int, Moved]:
    """Return the mean rows of walks on graphs of growing size."""
    return {triples: mean_moved(triples, ppr, seeds) for triples in _GROWTH}


def carried_on(counted: dict[int, Moved], triples: float, edge_budget: int) -> Moved:
    """Return the rows of a walk in a larger graph: the power law of the two largest graphs counted, held at its bounds.

    Where the rows became fewer with the size, they are taken to stay as they are. A walk touches no more entities than
    it walks triples, and `edge_budget` ends it.
    """
    (small, low), (large, high) = sorted(counted.items())[-2:]
    far = math.log(triples / large) / math.log(large / small)
    factors = [max(after, 1) / max(before, 1) for before, after in zip(low, high, strict=True)]
    values = [after * max(factor, 1) ** far for after, factor in zip(high, factors, strict=True)]
    moved = Moved(*values)
    arriving = min(moved.arriving, float(edge_budget))
    touched = min(moved.touched, arriving, n_entities(int(triples)))
    return moved._replace(arriving=arriving, touched=touched, state=min(moved.state, moved.steps * touched))


def needs(costs: Costs, moved: Moved, triples: float, sets: int, cluster: Cluster, both: bool) -> dict[str, float]:
    """Return what a graph of so many triples needs.

    Work is spread evenly (rows of hubs are cut into chunks), CPU and network do not overlap, a step has two shuffles.
    """
    cores, targets = cluster.machines * cluster.cores, (2 if both else 1) * triples
    cached = costs.cached_bytes * targets
    partitions = max(math.ceil(cached / 256e6), 2 * cores)
    wire = cluster.machines * cluster.network
    prepare_shuffle = costs.prepare_shuffle * triples
    rows = sets * (moved.state + moved.arriving)
    looking = moved.steps * costs.look_cpu * n_entities(int(triples)) + costs.among_cpu * triples
    shuffle = rows * costs.row_shuffle
    tasks = moved.steps * 3 * partitions
    return {
        "entities": n_entities(int(triples)),
        "partitions": partitions,
        "prepared folder, GB": costs.prepared_bytes * triples / GB,
        "rows in memory, GB": cached / GB,
        "share of the cluster's memory": cached / (cluster.machines * cluster.memory),
        "prepare: shuffled, GB": prepare_shuffle / GB,
        "prepare: CPU hours": costs.prepare_cpu * triples / 3600,
        "prepare: minutes": (costs.prepare_cpu * triples / cores / cluster.busy + prepare_shuffle / wire) / 60,
        "batch: rows moved": rows,
        "batch: shuffled, GB": shuffle / GB,
        "batch: widest step, GB": sets * moved.widest * costs.row_shuffle / GB,
        "batch: CPU hours": (looking + rows * costs.row_cpu) / 3600,
        "batch: of it looking through rows and triples": looking / 3600,
        "batch: minutes": (
            (looking + rows * costs.row_cpu) / cores / cluster.busy + shuffle / wire + tasks * cluster.task / cores
        )
        / 60,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "table"))
    parser.add_argument("file", type=Path)
    parser.add_argument("triples", nargs="*", type=float, default=[1e9, 1e10])
    parser.add_argument("--size", type=float, default=1e6, help="Triples of the graph that is prepared.")
    parser.add_argument("--sets", type=int, default=100, help="Sets of seeds in a batch.")
    parser.add_argument("--machines", type=int, default=Cluster.machines, help="Workers of the cluster to imagine.")
    parser.add_argument("--seeds", type=int, default=5, help="Walks counted on each graph.")
    parser.add_argument("--restart", type=float, default=PPR().restart)
    parser.add_argument("--direction", default=PPR().direction)
    given = parser.parse_args()
    ppr = PPR(restart=given.restart, direction=given.direction)
    if given.what == "measure":
        costs, spent = measure(int(given.size), ppr)
        facts = {"costs": asdict(costs), "phases": {name: asdict(one) for name, one in spent.items()}}
        given.file.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        print(given.file.read_text(encoding="utf-8"))
        return
    costs, counted = Costs(**json.loads(given.file.read_text(encoding="utf-8"))["costs"]), growth(ppr, given.seeds)
    for triples, moved in counted.items():
        print(f"{triples:.0e}", *(f"{name} {value:,.0f}" for name, value in moved._asdict().items()), sep="\t")
    cluster = Cluster(given.machines)
    print(f"\n{ppr!r}, {given.sets} sets in a batch, {cluster}")
    columns = [
        needs(costs, carried_on(counted, size, ppr.edge_budget), size, given.sets, cluster, ppr.direction == "both")
        for size in given.triples
    ]
    print("", *(f"{size:.0e}" for size in given.triples), sep="\t")
    for name in columns[0]:
        print(
            name,
            *(f"{column[name]:,.3g}" if column[name] < 100 else f"{column[name]:,.0f}" for column in columns),
            sep="\t",
        )


if __name__ == "__main__":
    main()
