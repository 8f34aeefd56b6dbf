from __future__ import annotations

import pytest
from faults import told

from graphbrick.bricks.extract.k_hop import KHop
from graphbrick.core import Query
from graphbrick.core.errors import PipelineError
from graphbrick.pipeline.run import Run
from graphbrick.testing import check_brick, tiny_graph


def run_of(brick: KHop, *seeds: str) -> Run:
    graph = tiny_graph()
    return brick.run(graph, Query("?", seeds=tuple(map(graph.entity, seeds))))


def keys_of(run: Run) -> set[str]:
    assert run.subgraph is not None
    assert run.subgraph.nodes is not None
    return {run.graph.key(int(node)) for node in run.subgraph.nodes}


def texts_of(run: Run) -> set[str]:
    assert run.subgraph is not None
    assert run.subgraph.triples is not None
    return {run.graph.triple_text(int(triple)) for triple in run.subgraph.triples}


@pytest.mark.parametrize("brick", [KHop(), KHop(max_hops=1, direction="in"), KHop(cap=1), KHop(cap=2, seeds="each")])
def test_the_contract_is_kept(brick: KHop) -> None:
    check_brick(brick, installed=False)


def test_by_hand() -> None:
    run = run_of(KHop(max_hops=1), "Rwanda")
    assert keys_of(run) == {"Rwanda", "Kigali", "Uganda"}
    assert texts_of(run) == {
        "Rwanda -> borders -> Uganda", "Rwanda -> borders -> Rwanda", "Rwanda -> capital -> Kigali"
    }  # fmt: skip
    assert run.trace.events == []
    # Found against the triples; those among the entities are kept whichever way they point.
    run = run_of(KHop(max_hops=2, direction="in"), "Nairobi")
    assert keys_of(run) == {"Nairobi", "Kenya", "Uganda"}
    assert texts_of(run) == {
        "Kenya -> capital -> Nairobi", "Kenya -> borders -> Uganda", "Uganda -> borders -> Kenya"
    }  # fmt: skip
    assert keys_of(run_of(KHop(direction="out"), "Nairobi")) == {"Nairobi"}


def test_the_cap_is_an_event() -> None:
    # Ids are given in the order of the triples: Kenya 0, Kenyan shilling 1, Nairobi 2, Uganda 3.
    run = run_of(KHop(max_hops=3, cap=3), "Nairobi")
    assert keys_of(run) == {"Nairobi", "Kenya", "Kenyan shilling"}
    assert told(run.trace.events) == [("k_hop.cap", {"cap": 3, "hops": 1})]
    assert run_of(KHop(max_hops=1, cap=2), "Nairobi").trace.events == []
    assert keys_of(run_of(KHop(cap=1), "Nairobi", "Kigali")) == {"Nairobi", "Kigali"}


def test_the_cap_is_for_all_seeds_or_for_each() -> None:
    together = run_of(KHop(cap=3), "Nairobi", "Kigali")
    assert keys_of(together) == {"Nairobi", "Kigali", "Kenya"}
    each = run_of(KHop(cap=3, seeds="each"), "Nairobi", "Kigali")
    assert keys_of(each) == {"Nairobi", "Kenya", "Kenyan shilling", "Kigali", "Rwanda", "Uganda"}
    # Between the two neighbourhoods too.
    assert "Kenya -> borders -> Uganda" in texts_of(each)
    assert told(each.trace.events) == [("k_hop.cap", {"cap": 3, "hops": 1})]


def test_without_a_cap_together_and_each_are_the_same() -> None:
    for max_hops in (1, 2, 3):
        runs = [run_of(KHop(max_hops=max_hops, seeds=seeds), "Nairobi", "Kigali") for seeds in ("together", "each")]
        assert keys_of(runs[0]) == keys_of(runs[1])
        assert texts_of(runs[0]) == texts_of(runs[1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_hops": 0}, "KHop max_hops must be a whole number of at least 1 and at most 100, got 0; try 2"),
        ({"max_hops": 101}, "max_hops must be a whole number of at least 1 and at most 100"),
        ({"cap": 0}, "cap must be a whole number of at least 1"),
        ({"direction": "up"}, "direction must be one of"),
        ({"seeds": "eech"}, "KHop seeds must be one of 'together', 'each', got 'eech'; try 'each'"),
    ],
)
def test_nonsense_is_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        KHop(**parameters)  # type: ignore[arg-type]
    assert message in str(caught.value)
