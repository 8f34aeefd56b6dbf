"""Every brick declares its parameters, and the declarations are right."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import pytest
from faults import fails

from graphbrick import LLM, BeamSearch, MiniLM
from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import Declared, declared, parameter
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import built_in
from graphbrick.pipeline.parsing import parse_brick

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph

ALL = pytest.mark.parametrize("brick", built_in().values(), ids=built_in())


def made(brick: type[Brick]) -> Brick:
    """A brick with the defaults, and the examples where there are none."""
    required = [entry for entry in declared(brick) if entry.default is MISSING]
    given = {entry.name: read(entry, entry.example()) for entry in required}
    return brick(**given)


def read(entry: Declared, text: str) -> Any:
    return parse_brick(text) if entry.parts and text != "None" else eval(text, {})


@ALL
def test_every_parameter_is_declared_and_documented(brick: type[Brick]) -> None:
    assert [entry.name for entry in declared(brick)] == [field.name for field in fields(brick)]  # type: ignore[arg-type]
    assert all(p.doc and p.allowed and p.example is not None for p in brick.parameters())


@ALL
def test_defaults_and_examples_are_allowed(brick: type[Brick]) -> None:
    for entry in declared(brick):
        assert entry.default is MISSING or entry.accepts(entry.default), entry.name
        assert entry.accepts(read(entry, entry.example())), entry.name


@ALL
def test_values_to_search_are_allowed_and_differ(brick: type[Brick]) -> None:
    for entry in declared(brick):
        values = entry.declaration.search
        assert all(entry.accepts(value) for value in values), entry.name
        assert len(set(values)) == len(values) != 1, entry.name
        assert not values or entry.declaration.changes_results, entry.name


@ALL
def test_what_is_outside_the_range_is_refused(brick: type[Brick]) -> None:
    for entry in declared(brick):
        for value in outside(entry):
            with fails("parameter.not_allowed", PipelineError, brick=brick.__name__, name=entry.name):
                replace(made(brick), **{entry.name: value})


def outside(entry: Declared) -> list[object]:
    """Values that a parameter must refuse: of no type, and just outside its range."""
    declaration, whole = entry.declaration, int in entry.types
    step = 1 if whole else 1e-6
    values: list[object] = [object(), b"", [], ()]
    values += [declaration.at_least - step] if declaration.at_least is not None else []
    values += [declaration.at_most + step] if declaration.at_most is not None else []
    values += [bound for bound in (declaration.above, declaration.below) if bound is not None]
    values += ["no such choice"] if declaration.choices else []
    values += [""] if str in entry.types and not declaration.may_be_empty else []
    return values


def test_several_types_are_named_in_one_error() -> None:
    allowed = "'mean', a number of at least 0 and at most 100, or None"
    with fails("parameter.not_allowed", name="cut", allowed=allowed, value="101", example="'mean'"):
        BeamSearch(MiniLM(), cut=101)
    with fails("parameter.not_allowed", name="stop", allowed="a chat model or None", value="5", example="LLM()"):
        BeamSearch(MiniLM(), stop=5)  # type: ignore[arg-type]


def test_time_outs_and_tries_do_not_change_results() -> None:
    assert {p.name for p in LLM.parameters() if not p.changes_results} == {"timeout", "retries", "parallel"}


@dataclass(frozen=True, repr=False)
class Ranged(Brick):
    positive: float = parameter(1.0, above=0)
    share: float = parameter(0.5, at_least=0, below=1)
    temperature: float = parameter(-1.5)
    embedder: Scorer | None = parameter(None, example="MiniLM()")


def test_ranges_in_words() -> None:
    assert [p.allowed for p in Ranged.parameters()] == [
        "a number above 0",
        "in [0, 1)",
        "a number that is finite",
        "a scorer or None",
    ]


@dataclass(frozen=True, repr=False)
class Unresolved(Brick):
    graph: Graph = parameter(example="Graph()")


@dataclass(frozen=True, repr=False)
class Unwritable(Brick):
    numbers: list[int] = parameter(None)


def test_types_that_cannot_be_checked() -> None:
    with fails("parameter.unresolved_type", PipelineError):
        Unresolved(None)  # type: ignore[arg-type]
    with fails("parameter.unwritable_type", PipelineError, name="numbers"):
        Unwritable([])
