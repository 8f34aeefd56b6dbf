"""Several properties with the same values, and verbs that speak of a property: «orange eyes», «how fast can it go»."""

from __future__ import annotations

from pathlib import Path

import pytest
from staff import Indifferent

from graphbrick import EntityRecord, LinkLabels, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record

PIPELINE = LinkLabels() >> Operators(Patterns(Indifferent())) >> PathAnswer()
PETS = [  # name, eyes, fur, top speed, breed
    ("Rusty", "amber", "brown", 30, "Hound"),
    ("Bella", "brown", "white", 25, "Tabby"),
    ("Nixie", "brown", "brown", 20, "Tabby"),
    ("Otto", "green", "amber", 18, "Tabby"),
]
BREEDS = [("Hound", 12, "dry"), ("Tabby", 17, "mild")]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records: list[Record] = [
        EntityRecord(name, types=("Pet",), properties={"eye_color": eyes, "fur_color": fur, "top_speed_kmh": speed})
        for name, eyes, fur, speed, _ in PETS
    ]
    records += [
        EntityRecord(name, types=("Breed",), properties={"average_lifespan_years": years, "climate": climate})
        for name, years, climate in BREEDS
    ]
    records += [(name, "IS_OF_BREED", breed) for name, *_, breed in PETS]
    return build(records, tmp_path_factory.mktemp("pets") / "pets.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which pets have brown eyes", {"Bella", "Nixie"}),
        ("list all pets with amber eyes", {"Rusty"}),
        ("pets whose eyes are brown", {"Bella", "Nixie"}),
        ("which pets have brown eyes and brown fur", {"Nixie"}),
        ("which pet has white fur and brown eyes", {"Bella"}),
        ("pets with amber or green eyes", {"Rusty", "Otto"}),
        ("which pets have amber fur color", {"Otto"}),
        ("which pets with brown eyes do not have brown fur", {"Bella"}),
        ("which pets are brown", {"Rusty", "Bella", "Nixie"}),
        ("how many pets have brown fur", {"2"}),
        ("What climate does Rusty's breed like?", {"dry"}),
        ("what climate does Otto's breed have", {"mild"}),
        ("what is the climate like for Tabby", {"mild"}),
        ("how fast can Rusty go", {"30"}),
        ("how fast does Otto run?", {"18"}),
        ("which breed lives the longest", {"Tabby"}),
        ("which breed lives the shortest", {"Hound"}),
        ("how long does a Hound live", {"12"}),
    ],
)
def test_looks_and_habits_are_read(graph: Graph, question: str, answers: set[str]) -> None:
    assert set(PIPELINE(graph, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which packages are required by alpha", {"beta"}),
        ("which packages are required", {"beta", "gamma"}),
    ],
)
def test_a_value_that_an_entity_does_is_no_value(tmp_path: Path, question: str, answers: set[str]) -> None:
    """The priority of a package may be «required», and packages are required by others."""
    names = {"alpha": "optional", "beta": "required", "gamma": "required"}
    records: list[Record] = [
        EntityRecord(
            name,
            types=("Package",),
            properties={"priority": priority, "homepage": f"https://{name}.example", "architecture": "amd64"},
        )
        for name, priority in names.items()
    ]
    graph = build([*records, ("alpha", "DEPENDS_ON", "beta")], tmp_path / "packages.graph")
    assert set(PIPELINE(graph, question).texts) == answers
