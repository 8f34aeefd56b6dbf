"""Many sets of seeds in one job, wherever their mass is, against `PPR` on one machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphbrick import PPR, Graph, Query, build
from graphbrick.core.graph import follow
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr

pytestmark = pytest.mark.spark

ENTITIES, SETS = 900, 6


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """4,000 random triples, in a third of which one entity is the tail."""
    ends = np.random.default_rng(3).integers(1, ENTITIES, (4000, 2))
    ends[::3, 1] = 0
    folder = tmp_path_factory.mktemp("triples")
    (folder / "kb.csv").write_text("\n".join(f"e{head:03},r,e{tail:03}" for head, tail in ends.tolist()))
    return build(folder / "kb.csv", folder / "kb.graph", near=False)


@pytest.fixture(scope="module")
def seeds(graph: Graph) -> dict[str, list[str]]:
    """Sets of one to three seeds; the hub is in the last."""
    draw = np.random.default_rng(4)
    sets = {f"q{number:02}": draw.integers(1, ENTITIES, 1 + number % 3).tolist() for number in range(SETS - 1)}
    sets["q99"] = [0]
    return {name: sorted({f"e{node:03}" for node in nodes}) for name, nodes in sets.items()}


@pytest.fixture(scope="module")
def prepared(spark, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from graphbrick.spark.prepare import prepare
    from graphbrick.spark.reading import TripleSource

    place = tmp_path_factory.mktemp("prepared") / "kb"
    source = TripleSource(str(graph.path))
    prepare(spark, source, str(place), directions=("both", "out"), row_length=50)
    return place


@pytest.fixture
def extracted(run, prepared, seeds, tmp_path):
    """A function that extracts all sets in one job, and returns the report and the scores by set."""

    def extract(brick: PPR, name: str):
        file, out = tmp_path / "seeds.jsonl", tmp_path / name
        file.write_text("\n".join(json.dumps({"set": one, "seeds": keys}) for one, keys in seeds.items()))
        arguments = ("--seeds", file, "--out", out, "--extract", repr(brick), "--partitions", 3, "--json")
        done = run("spark", "extract", prepared, *arguments)
        assert done.code == 0, done.err
        scores: dict[str, dict[str, float]] = {}
        for row in pq.read_table(out / "scores").to_pylist():
            scores.setdefault(row["set"], {})[row["entity"]] = row["score"]
        return json.loads(done.out), scores

    return extract


def check(graph: Graph, seeds: dict[str, list[str]], brick: PPR, scores: dict[str, dict[str, float]]) -> None:
    """Scores are exact, and the entities those of the brick on one machine but for ties at the cut."""
    assert set(scores) == set(seeds)
    for name, keys in seeds.items():
        ids = np.array([graph.entity(key) for key in keys], dtype=np.int32)
        exact = exact_ppr(graph.csr, [ids], brick.restart, *follow(brick.direction), error=1e-12)[:, 0]
        own = scores[name]
        for key, score in own.items():
            assert score == pytest.approx(exact[graph.entity(key)], abs=1e-6)
        here = brick.extract(graph, Query("?", seeds=tuple(ids.tolist()))).nodes
        assert len(own) == len(here)
        for node in {graph.entity(key) for key in own} ^ set(here.tolist()):
            assert exact[node] == pytest.approx(exact[here].min(), abs=1e-6)


BOTH, OUT = PPR(k=40, tolerance=1e-5), PPR(k=40, tolerance=1e-5, direction="out", restart=0.3)


@pytest.mark.parametrize("brick", [BOTH, OUT], ids=repr)
def test_sets_in_one_job_have_the_scores_of_one_machine(spark, graph, seeds, extracted, brick) -> None:
    report, scores = extracted(brick, "out")
    assert report["in_tables"] == 0
    check(graph, seeds, brick, scores)


# The second is enough for the seeds alone.
@pytest.mark.parametrize(("brick", "budget"), [(OUT, 0), (BOTH, 4 * 40 * 23)], ids=["out", "both"])
def test_mass_that_outgrows_the_driver_is_in_tables(spark, graph, seeds, extracted, monkeypatch, brick, budget) -> None:
    from graphbrick.spark.walks import walks

    monkeypatch.setattr(walks, "mass_budget", lambda: budget)
    report, scores = extracted(brick, "out")
    assert report["in_tables"] == SETS
    check(graph, seeds, brick, scores)


def test_fewer_sets_walk_together_where_all_do_not_fit(spark, graph, seeds, extracted, monkeypatch) -> None:
    from graphbrick.spark.walks import walks

    whole, scores = extracted(BOTH, "whole")
    # A set takes 40 bytes for each entity at most, so that two fit.
    monkeypatch.setattr(walks, "mass_budget", lambda: 2 * 40 * ENTITIES)
    report, parts = extracted(BOTH, "parts")
    assert report["in_tables"] == 0
    assert report["steps"][0] > 1.5 * whole["steps"][0]
    for name, own in scores.items():
        assert parts[name] == pytest.approx(own, abs=1e-12)


def test_a_step_may_take_several_jobs(spark, graph, seeds, extracted, monkeypatch) -> None:
    from graphbrick.spark.walks import driver_mass

    _, scores = extracted(BOTH, "one")
    monkeypatch.setattr(driver_mass, "_ROUND", 20_000)
    _, parts = extracted(BOTH, "several")
    for name, own in scores.items():
        assert parts[name] == pytest.approx(own, abs=1e-12)


def test_workers_need_numpy_and_pyarrow_only(spark, prepared, tmp_path) -> None:
    """The code is sent along: it runs where the package cannot be imported."""
    from pyspark import cloudpickle

    from graphbrick.spark.prepared import Prepared
    from graphbrick.spark.walks.blocks import build_block, over_blocks, passing_on
    from graphbrick.spark.walks.rows import Rows

    over_blocks(Rows(Prepared.open(spark, str(prepared)), "both", 2).table(), build_block, "rows binary")
    file = tmp_path / "functions"
    file.write_bytes(cloudpickle.dumps((build_block, passing_on(None))))
    text = f"""
import sys, pickle, pathlib
sys.modules["graphbrick"] = sys.modules["numba"] = None
build, _ = pickle.loads(pathlib.Path({str(file)!r}).read_bytes())
import pyarrow
struct = pyarrow.struct([("id", pyarrow.int64()), ("degree", pyarrow.int64())])
rows = pyarrow.array([[{{"id": 4, "degree": 1}}]], pyarrow.list_(struct))
(block,) = build(iter([pyarrow.record_batch([pyarrow.array([2]), rows], names=["id", "targets"])]))
print(block.num_rows)
"""
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout == "1\n"
