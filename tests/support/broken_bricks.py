"""Bricks that break one rule of the contract each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick import PPR, Answer, Evidence, Query, ShortestPaths
from graphbrick.core import BaseItem, Path, Subgraph
from graphbrick.core.errors import PipelineError
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import ExtractStage, Stage


class WholeGraph(ExtractStage):
    """Gives the whole graph."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(repr=False)
class Melting(WholeGraph):
    """Not frozen."""


class Undeclared(WholeGraph):
    """No dataclass at all."""


@dataclass(frozen=True)
class Chatty(PPR):
    """Prints every parameter.

    Args:
        k: Entities.
        restart: Probability.
        direction: Direction.
        tolerance: Bound.
    """


@dataclass(frozen=True, repr=False, eq=False)
class Lonely(PPR):
    """Equals nothing but itself.

    Args:
        k: Entities.
        restart: Probability.
        direction: Direction.
        tolerance: Bound.
    """

    __eq__ = object.__eq__


@dataclass(frozen=True, repr=False)
class Listed(WholeGraph):
    """Holds a list.

    Args:
        hops: Numbers.
    """

    hops: list[int] = field(default_factory=list)


@dataclass(frozen=True, repr=False)
class Unpicklable(WholeGraph):
    """Cannot be sent to another process."""

    def __reduce__(self) -> str:
        raise TypeError("stays here")

    def __copy__(self) -> Unpicklable:
        return Unpicklable()


@dataclass(frozen=True, repr=False)
class Undocumented(WholeGraph):
    pass


@dataclass(frozen=True, repr=False)
class HalfDocumented(WholeGraph):
    """Says what one of its parameters is.

    Args:
        k: Entities.
    """

    k: int = 1
    radius: float = 0.5


@dataclass(frozen=True, repr=False)
class Unreadable(WholeGraph):
    """Has a parameter that is no literal.

    Args:
        ids: Entity ids.
    """

    ids: frozenset[int] = frozenset({1})


@dataclass(frozen=True, repr=False)
class Credulous(WholeGraph):
    """Takes anything.

    Args:
        k: Entities.
    """

    k: int = 1


@dataclass(frozen=True, repr=False)
class Infinite(Credulous):
    """Takes any float that is not below 0, and thereby what is no number.

    Args:
        k: Entities.
        radius: How far.
    """

    k: int = parameter(1, at_least=1)
    radius: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.radius, float) or self.radius <= 0:
            raise PipelineError("Infinite radius must be at least 0; try 1.0")


@dataclass(frozen=True, repr=False)
class Crashing(Credulous):
    """Fails on nonsense with an error of Python.

    Args:
        k: Entities.
    """

    def __post_init__(self) -> None:
        if self.k < 1:
            raise PipelineError("Crashing k must be at least 1; try 10")


@dataclass(frozen=True, repr=False)
class Vague(Credulous):
    """Refuses without a name.

    Args:
        k: Entities.
    """

    def __post_init__(self) -> None:
        if not isinstance(self.k, int):
            raise PipelineError("wrong")


@dataclass(frozen=True, repr=False)
class NumberlessName(WholeGraph):
    """Takes any name.

    Args:
        name: A text, or nothing.
    """

    name: str | None = None


Score = Callable[[str, Sequence[str]], Any]


def scorer(score: Score) -> Scorer:
    @dataclass(frozen=True, repr=False)
    class Broken(Scorer):
        """A broken scorer."""

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return score(query, texts)  # type: ignore[no-any-return]

    return publish(Broken)


def stage(kind: type[Stage], method: Callable[..., Any]) -> Stage:
    """A stage of a kind whose one method is given."""
    broken = type("Broken", (kind,), {kind.kind: method, "__doc__": "A broken stage."})
    return publish(dataclass(frozen=True, repr=False)(broken))


def publish(kind: type[Any]) -> Any:
    """An instance of a class that pickle finds, so that not this is what the contract finds wrong."""
    kind.__module__, kind.__qualname__ = __name__, "Broken"
    globals()["Broken"] = kind
    return kind()


def random_scores(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.random.default_rng().random(len(texts))


def place_scores(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.arange(len(texts), dtype=np.float64)


def sorting(query: str, texts: list[str]) -> npt.NDArray[np.float64]:
    texts.sort()
    return np.zeros(len(texts))


def undefined_for_nothing(query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.array([len(text) / max(map(len, texts)) for text in texts]) if max(map(len, texts)) else np.zeros(1)


def ids(*values: int) -> npt.NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


EMPTY = ids()


def path_of(query: Query, subgraph: Subgraph) -> Path | None:
    """A right path, to be spoilt."""
    found = ShortestPaths().retrieve(query, subgraph).items
    return found[0] if found else None


def spoilt(**changes: Any) -> Callable[..., Evidence]:
    def retrieve(self: object, query: Query, subgraph: Subgraph) -> Evidence:
        path = path_of(query, subgraph)
        return Evidence((replace(path, **changes),) if path else ())

    return retrieve


@dataclass(frozen=True)
class Note(BaseItem):
    """An item whose equality compares scores."""

    kind = "note"

    text: str
    score: float = 0.0
    source: str = ""
    entities = ()
    citations = ()
    graph = None


def scored_note(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    return Evidence((Note("Kenya has a coast"),) if subgraph.local(query.seeds) else ())


def flipped(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    path = path_of(query, subgraph)
    return Evidence((replace(path, forward=tuple(not way for way in path.forward)),) if path else ())


def outside(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    return ShortestPaths().retrieve(query, Subgraph(subgraph.graph))


def backwards(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    path = path_of(query, subgraph)
    if path is None:
        return Evidence()
    ways = tuple(not way for way in path.forward[::-1])
    return Evidence((replace(path, nodes=path.nodes[::-1], triples=path.triples[::-1], forward=ways),))


def twice(self: object, query: Query, subgraph: Subgraph) -> Evidence:
    return Evidence(ShortestPaths().retrieve(query, subgraph).items * 2)


class Toggle:
    """Another truth at each call."""

    on = False

    def __call__(self) -> bool:
        self.on = not self.on
        return self.on


toggle = Toggle()


def spoil_input(self: object, query: Query, subgraph: Subgraph) -> Subgraph:
    if subgraph.nodes is not None and len(subgraph.nodes):
        subgraph.nodes[0] += 1
    return subgraph


def write_into_graph(self: object, graph: Graph, query: Query) -> Subgraph:
    (graph.path / "notes.txt").write_text("I was here" if toggle() else "and here")
    return Subgraph(graph)


def uncoded_trace(self: object, graph: Graph, query: Query) -> Subgraph:
    fact(error_bound=np.float32(0.5))
    return Subgraph(graph)


def own_answer(*answers: tuple[str, int | None]) -> Callable[..., Answer]:
    def generate(self: object, query: Query, evidence: Evidence) -> Answer:
        return Answer(tuple(a for a, _ in answers), tuple(e for _, e in answers)) if evidence.items else Answer()

    return generate
