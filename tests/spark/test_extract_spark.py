"""Extraction by Spark against the bricks that do the same on one machine."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphbrick import PPR, Graph, KHop, Query
from graphbrick.core.graph import follow
from graphbrick.demo.graph import world_graph
from graphbrick.kernels.pagerank.exact_ppr import exact_ppr

pytestmark = pytest.mark.spark

SETS = {"one": ["Nairobi"], "two": ["Quito", "Oslo"], "hub": ["Germany", "nowhere"]}


@pytest.fixture(scope="module")
def world(world_cache: Path) -> Graph:
    return world_graph()


def keys(graph: Graph, names: list[str]) -> list[str]:
    """The keys of the most connected entities with these labels; a name that the graph does not have stays."""
    return [graph.key(max(graph.named(name), key=graph.degree)) if graph.named(name) else name for name in names]


@pytest.fixture(scope="module")
def seeds(world: Graph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("seeds") / "seeds.jsonl"
    lines = [json.dumps({"set": name, "seeds": keys(world, names)}) for name, names in SETS.items()]
    file.write_text("\n".join(lines))
    return file


@pytest.fixture(scope="module")
def prepared(spark, world: Graph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from graphbrick.spark.prepare import prepare
    from graphbrick.spark.reading import TripleSource

    place = tmp_path_factory.mktemp("prepared") / "world"
    # Short rows, so that hubs have many.
    made = prepare(spark, TripleSource(str(world.path)), str(place), directions=("both", "out"), row_length=64)
    counts = made.facts["counts"]
    assert (counts["triples"], counts["bad"]) == (world.n_triples, 0)
    return place


@pytest.mark.parametrize(
    "brick", [PPR(k=100, tolerance=1e-5), PPR(k=50, restart=0.5, direction="out", tolerance=1e-4)], ids=repr
)
def test_the_scores_are_those_of_the_exact_page_rank(spark, run, world, prepared, seeds, tmp_path, brick) -> None:
    out = tmp_path / "out"
    done = run("spark", "extract", prepared, "--seeds", seeds, "--out", out, "--extract", repr(brick), "--json")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["missing"] == {"hub": ["nowhere"]}
    rows = pq.read_table(out / "scores").to_pylist()
    triples = pq.read_table(out / "triples").to_pylist()
    for name, names in SETS.items():
        ids = np.array([world.entity(key) for key in keys(world, names) if key != "nowhere"], dtype=np.int32)
        exact = exact_ppr(world.csr, [ids], brick.restart, *follow(brick.direction), error=1e-12)[:, 0]
        mine = sorted((row for row in rows if row["set"] == name), key=lambda row: row["rank"])
        assert [row["rank"] for row in mine] == list(range(1, len(mine) + 1))
        assert len(mine) == min(brick.k, int((exact > 0).sum()))
        for row in mine:
            assert row["score"] == pytest.approx(exact[world.entity(row["entity"])], abs=1e-6)
        # Only ties at the cut may be others.
        assert min(exact[world.entity(row["entity"])] for row in mine) >= np.sort(exact)[-len(mine)] - 1e-9
        nodes = {world.entity(row["entity"]) for row in mine}
        expected = {
            (world.key(h), world.relation_key(r), world.key(t))
            for node in nodes
            for h, r, t in map(world.triple, world.triples_from(node))
            if t in nodes
        }
        own = [(row["head"], row["relation"], row["tail"]) for row in triples if row["set"] == name]
        assert (len(own), set(own)) == (len(expected), expected)


def test_hops_are_those_of_the_brick(spark, run, world, prepared, seeds, tmp_path) -> None:
    out, brick = tmp_path / "out", KHop(max_hops=2, direction="out", cap=1000)
    done = run("spark", "extract", prepared, "--seeds", seeds, "--out", out, "--extract", repr(brick), "--batch", 2)
    assert done.code == 0, done.err
    assert "nowhere" in done.out
    rows = pq.read_table(out / "scores").to_pylist()
    for name, names in SETS.items():
        ids = tuple(world.entity(key) for key in keys(world, names) if key != "nowhere")
        expected = {world.key(int(node)) for node in brick.extract(world, Query("?", seeds=ids)).nodes}
        own = {row["entity"]: row["score"] for row in rows if row["set"] == name}
        assert set(own) == expected
        assert {entity for entity, score in own.items() if score == 1.0} == {world.key(seed) for seed in ids}
    assert json.loads((out / "settings.json").read_text())["settings"]["pipeline"] == repr(brick)


def test_seeds_that_are_nowhere_are_an_error_and_leave_nothing(spark, run, prepared, tmp_path) -> None:
    (tmp_path / "seeds.csv").write_text("set,seed\nq1,Atlantis\n")
    done = run("spark", "extract", prepared, "--seeds", tmp_path / "seeds.csv", "--out", tmp_path / "out")
    assert done.code == 1
    assert "has none of the seeds, such as 'Atlantis'" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["seeds.csv"]


def test_a_direction_that_was_not_prepared_is_an_error(spark, run, prepared, seeds, tmp_path) -> None:
    done = run(
        "spark", "extract", prepared, "--seeds", seeds, "--out", tmp_path / "o", "--extract", "KHop(direction='in')"
    )
    assert "prepare it with --direction in" in done.err


def test_a_batch_without_any_seed_gives_nothing_and_is_told(spark, run, world, prepared, tmp_path) -> None:
    kenya = keys(world, ["Kenya"])[0]
    (tmp_path / "seeds.csv").write_text(f"set,seed\na,Atlantis\nb,{kenya}\n")
    brick, out = PPR(k=5, restart=0.9, direction="out"), tmp_path / "out"
    arguments = ("--seeds", tmp_path / "seeds.csv", "--out", out, "--extract", repr(brick), "--batch", 1)
    done = run("spark", "extract", prepared, *arguments)
    assert done.code == 0, done.err
    assert "seeds that the triples do not have: 1\n  a: Atlantis" in done.out
    assert {row["set"] for row in pq.read_table(out / "scores").to_pylist()} == {"b"}
    assert {row["set"]: row["entity"] for row in pq.read_table(out / "seeds").to_pylist()} == {
        "a": "Atlantis",
        "b": kenya,
    }
