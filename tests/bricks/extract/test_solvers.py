from __future__ import annotations

import numpy as np
import pytest
from faults import fails

from graphbrick import AGP, FORA, PPR, ExactPPR, Graph, Query, build, parse, recipe
from graphbrick.bricks.extract.solvers import PageRankSolver
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.testing import check_brick

SOLVERS = [ExactPPR(), FORA(), AGP()]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """Heavy-tailed: the names of ends are drawn so that some of them have many triples."""
    rng = np.random.default_rng(4)
    ends = (2000 * rng.random((8000, 2)) ** 3).astype(int).tolist()
    triples = [(f"n{a}", f"r{(a + b) % 7}", f"n{b}") for a, b in ends]
    return build(dict.fromkeys(triples), tmp_path_factory.mktemp("solvers") / "heavy.graph")


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_solver_keeps_the_contract_inside_its_brick(solver: PageRankSolver) -> None:
    check_brick(PPR(k=3, solver=solver))
    check_brick(solver)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("direction", ["both", "out", "in"])
def test_solvers_find_the_entities_of_the_default(graph: Graph, solver: PageRankSolver, direction: str) -> None:
    query = Query("?", seeds=(graph.entity("n40"), graph.entity("n700")))
    exact = PPR(k=50, direction=direction, solver=ExactPPR()).extract(graph, query)
    found = PPR(k=50, direction=direction, solver=solver).extract(graph, query)
    assert exact.nodes is not None
    assert found.nodes is not None
    assert len(np.intersect1d(exact.nodes, found.nodes)) >= 0.9 * len(exact.nodes)
    push = PPR(k=50, direction=direction).extract(graph, query)
    assert push.nodes is not None
    assert len(np.intersect1d(exact.nodes, push.nodes)) >= 0.98 * len(exact.nodes)


def test_the_text_of_a_pipeline_names_the_solver() -> None:
    text = "PPR(k=100, solver=FORA(epsilon=0.1))"
    assert repr(parse(text)) == text
    with fails("parameter.not_allowed", PipelineError, name="solver", value="'fora'", example="FORA()"):
        PPR(solver="fora")  # type: ignore[arg-type]


def test_a_recipe_takes_another_extraction(graph: Graph) -> None:
    pipeline = recipe(1).pipeline(extract="PPR(k=50, solver=FORA())")
    assert repr(pipeline) == repr(recipe(1).pipeline()).replace("PPR(k=1000)", "PPR(k=50, solver=FORA())")
    run = pipeline.run(graph, Query("Where to?", seeds=(graph.entity("n40"),)))
    assert run.trace.stages[0].stage == "PPR(k=50, solver=FORA())"
    assert run.trace.stages[0].counts_out["nodes"] == 50


def test_an_error_bound_is_only_reported_where_there_is_one(graph: Graph) -> None:
    query = Query("?", seeds=(1,))
    with record(Trace(), "stage", "extract") as entry:
        PPR(k=5, solver=ExactPPR(error=1e-6)).extract(graph, query)
        assert entry.facts["error_bound"] == 1e-6
    with record(Trace(), "stage", "extract") as entry:
        PPR(k=5, solver=AGP()).extract(graph, query)
        assert "error_bound" not in entry.facts
        assert entry.facts["edges_seen"] > 0
