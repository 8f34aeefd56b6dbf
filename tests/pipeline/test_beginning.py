"""The beginning of a run on graphs that are not folders: copied, or only queried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from faults import fails

from graphbrick import KHop, PathAnswer, Query, ShortestPaths, Subgraph
from graphbrick.core import Evidence
from graphbrick.core.errors import LinkError
from graphbrick.core.graph import Capability
from graphbrick.core.schema import Rows, Schema
from graphbrick.graphs.local.local import LocalAround
from graphbrick.pipeline.beginning import begin, links_itself
from graphbrick.pipeline.catalog import default_linker
from graphbrick.pipeline.stages import RetrieveStage
from graphbrick.testing import TINY, NeighboursOnly, tiny_graph

QUESTION = "What is the capital of Kenya?"


class Remote(NeighboursOnly):
    """A graph of which a part is copied for each question, and that can be queried."""

    path = "remote.example.org"
    language = "Cypher"

    def copy_limits(self) -> dict[str, int]:
        return {"hops": 1}

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        return Rows(("n",), [("x",)])

    def schema(self) -> Schema:
        return Schema()


@dataclass(frozen=True, repr=False)
class Asks(RetrieveStage):
    """A stage that only queries."""

    needs = frozenset({Capability.LABELS, Capability.QUERY_LANGUAGE})

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        return Evidence()


@dataclass(frozen=True, repr=False)
class AsksAround(Asks):
    """A stage that queries, and looks at neighbours."""

    needs = frozenset({Capability.LABELS, Capability.QUERY_LANGUAGE, Capability.NEIGHBOURS})


@dataclass(frozen=True, repr=False)
class AsksAlone(Asks):
    """A stage that only queries and needs no seeds."""

    @property
    def links_itself(self) -> bool:
        """True: it needs no seeds."""
        return True


def test_a_part_of_a_remote_graph_is_copied_within_its_limits() -> None:
    run = begin(KHop(max_hops=1) >> ShortestPaths(), Remote(TINY), QUESTION)
    copied = run.trace.stages[0]
    assert (copied.stage, copied.kind) == ("LocalAround(Remote, hops=1)", "local")
    assert copied.counts_out == {"entities": run.graph.n_entities, "triples": run.graph.n_triples}
    assert {run.graph.label(entity) for entity in range(run.graph.n_entities)} >= {"Kenya", "Nairobi"}
    assert [run.graph.label(seed) for seed in run.query.seeds] == ["Kenya"]
    assert run.linked
    alike = begin(ShortestPaths(), LocalAround(NeighboursOnly(TINY), hops=1), QUESTION)
    assert (alike.graph.n_entities, alike.graph.n_triples) == (run.graph.n_entities, run.graph.n_triples)


def test_seeds_of_a_copied_graph_are_given_by_name() -> None:
    for seeds in (["Uganda"], "Uganda"):
        run = begin(ShortestPaths(), Remote(TINY), QUESTION, seeds)
        assert [run.graph.label(seed) for seed in run.query.seeds] == ["Uganda"]


def test_a_remote_graph_is_not_copied_for_stages_that_only_query() -> None:
    graph = Remote(TINY)
    run = begin(Asks(), graph, QUESTION)
    assert run.graph is graph  # type: ignore[comparison-overlap]
    assert [graph.label(seed) for seed in run.query.seeds] == ["Kenya"]
    assert [(stage.stage, stage.kind, stage.counts_out) for stage in run.trace.stages] == [
        ("seeds", "link", {"seeds": 1})
    ]
    with fails("run.walks_and_queries", command="graphbrick build remote.example.org my.graph"):
        begin(Asks() | ShortestPaths(), graph, QUESTION)


def test_only_stages_that_query_can_do_without_an_entity() -> None:
    run = begin(Asks(), Remote(TINY), "What is it?")
    assert (run.query.seeds, run.linked) == ((), True)
    assert run.trace.event_codes == ["run.no_entity_named"]
    with fails("run.no_entity", LinkError, question="What is it?"):
        begin(AsksAround(), Remote(TINY), "What is it?")
    with fails("run.no_entity", LinkError, question="x" * 80):
        begin(AsksAround(), Remote(TINY), "x" * 81)


def test_a_stage_that_links_itself_begins_without_seeds() -> None:
    run = begin(AsksAlone(), Remote(TINY), QUESTION)
    assert (run.query.seeds, run.trace.stages) == ((), [])
    run = begin(AsksAlone(), Remote(TINY), QUESTION, ["Kenya"])
    assert len(run.query.seeds) == len(run.trace.stages) == 1


def test_seeds_that_a_query_has_are_not_linked_again() -> None:
    run = begin(Asks(), Remote(TINY), Query(QUESTION, seeds=(3,)))
    assert (run.query.seeds, run.trace.stages, run.linked) == ((3,), [], True)


def test_seeds_in_a_folder_graph_are_left_to_the_first_stage() -> None:
    run = begin(ShortestPaths(), tiny_graph(), QUESTION)
    assert (run.query.seeds, run.trace.stages, run.linked) == ((), [], False)
    run = begin(ShortestPaths(), tiny_graph(), Query(QUESTION, seeds=(np.int32(7), 0)))  # type: ignore[arg-type]
    assert (run.query.seeds, run.linked) == ((7, 0), True)
    assert all(type(seed) is int for seed in run.query.seeds)
    run = begin(ShortestPaths(), tiny_graph(), QUESTION, 2)  # type: ignore[arg-type]
    assert run.query.seeds == (2,)


def test_the_first_stage_decides_whether_a_pipeline_links_itself() -> None:
    link = default_linker()
    assert links_itself(link)
    assert links_itself(link >> ShortestPaths())
    assert links_itself(link >> ShortestPaths() | ShortestPaths())
    assert links_itself(AsksAlone())
    assert links_itself(PathAnswer())
    assert not links_itself(Asks())
    assert not links_itself(ShortestPaths() >> PathAnswer())
    assert not links_itself(KHop() >> ShortestPaths() | ShortestPaths())


@pytest.mark.parametrize("seed", [-1, len({name for head, _, tail in TINY for name in (head, tail)}), 2.5, "Kenya"])
def test_a_seed_must_be_an_entity(seed: Any) -> None:
    with fails("run.bad_seed", LinkError, seed=seed):
        begin(ShortestPaths(), tiny_graph(), Query(QUESTION, seeds=(0, seed)))
