"""The same six pipelines over one graph give the same answers in every kind of store."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from embedded_once import embedded_once
from same_answers import PIPELINES, pipelines, results
from stores import EMBEDDED, SERVERS

from graphbrick import Graph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.pipeline import Pipeline

pytestmark = pytest.mark.whole

NEIGHBOURS = ["Ethiopia", "Somalia", "South Sudan", "Tanzania", "Uganda"]


@pytest.fixture(scope="module")
def built(part: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pipeline]]:
    with embedded_once(), pipelines(part, tmp_path_factory.mktemp("patterns") / "world.patterns") as found:
        yield found


@pytest.fixture(scope="module")
def over_folder(part: Graph, built: dict[str, Pipeline]) -> dict[str, list[list[str]]]:
    return {name: results(name, pipeline, part) for name, pipeline in built.items()}


every_store = pytest.mark.parametrize("store", [*EMBEDDED, *SERVERS], indirect=True)


@pytest.mark.parametrize("name", PIPELINES)
@every_store
def test_answers_are_those_over_the_folder(
    store: DatabaseGraph, built: dict[str, Pipeline], over_folder: dict[str, list[list[str]]], name: str
) -> None:
    assert results(name, built[name], store) == over_folder[name]


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "1"])
def test_answers_over_the_folder_are_right(over_folder: dict[str, list[list[str]]], name: str) -> None:
    capital, neighbours, capitals = over_folder[name]
    assert capital == ["Nairobi"]
    assert {*NEIGHBOURS} <= {*neighbours}
    assert "Nairobi" in capitals or {"Addis Ababa", "Juba", "Kampala", "Mogadishu"} <= {*capitals}


def test_recipe_1_finds_the_path_to_the_answer(over_folder: dict[str, list[list[str]]]) -> None:
    (paths,) = over_folder["1"]
    assert "Kenya -> capital -> Nairobi" in paths


@every_store
def test_triples_names_and_types_are_those_of_the_folder(part: Graph, store: DatabaseGraph) -> None:
    keys = [part.key(entity) for entity in range(0, part.n_entities, 7)]
    whole = part.neighbours([part.entity(key) for key in keys])
    lists = store.neighbours([store.entity(key) for key in keys])
    for key, found, expected in zip(keys, lists, whole, strict=True):
        assert words(store, found.triples) == words(part, expected.triples), key
        assert sorted(store.types(store.entity(key))) == sorted(part.types(part.entity(key)))
    assert "Kenya" in [store.label(entity) for entity in store.search("which countries border kenya?", 5)]
    counts = [1 if store.language == "Cypher" else len(part.types(entity)) for entity in range(part.n_entities)]
    assert sum(one.count or 0 for one in store.schema().classes) == sum(counts)


def words(graph: DatabaseGraph | Graph, triples: npt.NDArray[np.int32]) -> list[tuple[str, str, str]]:
    return sorted((graph.key(h), graph.relation_label(r), graph.key(t)) for h, r, t in triples.tolist())
