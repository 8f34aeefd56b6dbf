"""PageRank and components of whole graphs against networkx, and walks against GraphX."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def triples() -> list[tuple[str, str, str]]:
    """Random triples with dead ends and some components."""
    ends = np.random.default_rng(7).integers(0, 60, (45, 2)).tolist()
    return list(dict.fromkeys((f"e{head:02}", "r", f"e{tail:02}") for head, tail in ends))


@pytest.fixture(scope="module")
def prepared(spark, triples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from graphbrick.spark.prepare import prepare
    from graphbrick.spark.reading import TripleSource

    folder = tmp_path_factory.mktemp("random")
    (folder / "kb.csv").write_text("\n".join(map(",".join, triples)))
    prepare(spark, TripleSource(str(folder / "kb.csv")), str(folder / "prepared"), directions=("out",), row_length=2)
    return folder / "prepared"


@pytest.mark.parametrize("options", [(), ("--graphx",)])
def test_components(spark, run, triples, prepared, tmp_path, options) -> None:
    out = tmp_path / "components"
    done = run("spark", "components", prepared, "--out", out, *options)
    assert done.code == 0, done.err
    own = {row["entity"]: row["component"] for row in pq.read_table(out / "components").to_pylist()}
    parts = list(nx.connected_components(nx.Graph((head, tail) for head, _, tail in triples)))
    assert own == {node: min(part) for part in parts for node in part}
    assert f"{len(parts)} components" in done.out


@pytest.mark.parametrize("options", [(), ("--graphx", "--tolerance", "0.01")])
def test_page_rank(spark, run, triples, prepared, tmp_path, options) -> None:
    done = run("spark", "rank", prepared, "--out", tmp_path / "ranks", *options)
    assert done.code == 0, done.err
    ways = nx.MultiDiGraph((head, tail) for head, _, tail in triples)
    rows = pq.read_table(tmp_path / "ranks" / "scores").to_pylist()
    close = 0.01 if options else 1e-4
    assert {row["entity"]: row["score"] for row in rows} == pytest.approx(
        nx.pagerank(ways, tol=1e-12, max_iter=1000), abs=close
    )
    assert [row["rank"] for row in sorted(rows, key=lambda row: row["rank"])] == list(range(1, len(rows) + 1))
    assert [row["score"] for row in sorted(rows, key=lambda row: row["rank"])] == pytest.approx(
        sorted((row["score"] for row in rows), reverse=True)
    )


def test_graphx_gives_sets_of_seeds_the_same_scores(spark, prepared, tmp_path) -> None:
    from graphbrick import PPR
    from graphbrick.spark.prepared import Prepared
    from graphbrick.spark.walks.graphx import GraphX
    from graphbrick.spark.walks.ppr import personalized_page_rank
    from graphbrick.spark.walks.rows import Rows

    opened = Prepared.open(spark, str(prepared))
    seeds = spark.createDataFrame([(0, 3), (0, 8), (1, 5), (1, 21), (1, 30)], "set int, id long")
    brick = PPR(k=20, restart=0.7, direction="out", tolerance=1e-3)
    walks = personalized_page_rank(Rows(opened, "out", 2), seeds, brick, work=str(tmp_path / "walks"))
    own = {(row["set"], row["id"]): row["score"] for row in walks.scores.collect()}
    other = GraphX(opened, "out", str(tmp_path / "graphx"), 2, seeds).personalized_page_rank(0.7, 1e-4)
    found = {(row["set"], row["id"]): row["score"] for row in other.collect()}
    assert len(found) > 10
    for key in {*own, *found}:
        assert own.get(key, 0.0) == pytest.approx(found.get(key, 0.0), abs=1e-3)
