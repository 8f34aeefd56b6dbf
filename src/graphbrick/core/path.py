"""Paths: walks along triples, with their text and their relation pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property
from graphbrick.core.items import BaseItem

if TYPE_CHECKING:
    from graphbrick.core.graph import Graph


class Step(NamedTuple):
    """One step of a relation pattern.

    Attributes:
        relation: Label of the relation.
        forward: Whether it is followed from head to tail.
        back: Whether the step comes back to the entity where the walk started.
    """

    relation: str
    forward: bool
    back: bool = False


@dataclass(frozen=True, eq=False)
class PathPattern:
    """The relation pattern of paths that need not have been listed, for scorers.

    Attributes:
        start_label: Label of the entity where the paths start.
        steps: The steps.
        write: Returns the pattern as text, as in `Path.pattern_text`; only called if a scorer reads the text.
        read_types: Returns `types`; only called if a scorer reads them.
    """

    start_label: str
    steps: tuple[Step, ...]
    write: Callable[[], str]
    read_types: Callable[[], tuple[str, ...]] = tuple

    @cached_property
    def text(self) -> str:
        """The pattern as text."""
        return self.write()

    @property
    def pattern_text(self) -> str:
        """The text."""
        return self.text

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The first type of an entity that each step leads to; empty texts where there is none."""
        return self.read_types() or ("",) * len(self.steps)


class Reading(NamedTuple):
    """One way to understand a question: a relation pattern from a seed, and where it ends.

    Attributes:
        pattern: The pattern.
        score: Its score for the question; higher is better.
        ends: int32, the entities at its end, which answer the question if it is read so.
    """

    pattern: PathPattern
    score: float
    ends: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Path(BaseItem):
    """A walk along triples, each followed forwards or backwards; most start at a seed.

    Two paths are equal if they follow the same triples from the same start in the same directions; the score does not
    count.

    Attributes:
        graph: The graph the ids belong to.
        nodes: Entity ids along the path, one more than there are triples.
        triples: Triple ids along the path.
        forward: For each triple, whether it is followed from head to tail.
        score: Score of the last ranking stage; 0 before any.
        source: The stage that found the path.
        prefix: This path without its last triple, if the stage has it: texts of many paths with a common beginning are
            then made in a fraction of the time.
    """

    kind = "path"
    citations = ()

    graph: Graph
    nodes: tuple[int, ...]
    triples: tuple[int, ...]
    forward: tuple[bool, ...]
    score: float = 0.0
    source: str = ""
    prefix: Path | None = None

    @property
    def identity(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]:
        """Nodes, triples and directions."""
        return self.nodes, self.triples, self.forward

    @property
    def entities(self) -> tuple[int, ...]:
        """The entities after the start, which a path does not support: the question usually names it."""
        return self.nodes[1:]

    @property
    def start(self) -> int:
        """The entity the path starts from."""
        return self.nodes[0]

    @property
    def end(self) -> int:
        """The entity the path leads to."""
        return self.nodes[-1]

    @property
    def hops(self) -> int:
        """Number of triples."""
        return len(self.triples)

    @property
    def comes_back(self) -> bool:
        """True if the path returns to its start."""
        return self.nodes[0] in self.nodes[1:]

    @cached_property
    def pattern(self) -> tuple[tuple[int, bool], ...]:
        """The relations followed and in which direction: (relation, forward) a hop."""
        if self.prefix is not None:
            return (*self.prefix.pattern, (self.graph.relation_of(self.triples[-1]), self.forward[-1]))
        return tuple(zip(map(self.graph.relation_of, self.triples), self.forward, strict=True))

    @property
    def start_label(self) -> str:
        """The label of the entity the path starts from."""
        return self.graph.label(self.nodes[0])

    @property
    def steps(self) -> tuple[Step, ...]:
        """The pattern by the labels of its relations."""
        label, start = self.graph.relation_label, self.nodes[0]
        return tuple(
            Step(label(relation), forward, node == start)
            for (relation, forward), node in zip(self.pattern, self.nodes[1:], strict=True)
        )

    @cached_property
    def text(self) -> str:
        """The path as text: ``Nairobi <- capital <- Kenya -> currency -> Kenyan shilling``."""
        if self.prefix is not None:
            return self._carried_on(self.prefix.text, self.graph.label(self.nodes[-1]))
        return self._text([self.graph.label(node) for node in self.nodes[1:]])

    @property
    def types(self) -> tuple[str, ...]:
        """The first type of the entity that each step leads to; empty texts where there is none."""
        return tuple(self.graph.first_type(node) for node in self.nodes[1:])

    @cached_property
    def pattern_text(self) -> str:
        """The path with types for entities: ``Nairobi <- capital <- country -> currency -> currency``.

        The start keeps its label at the beginning only: repeated where a path comes back, it would make the path look
        close to every question that names it. An entity without types leaves its place empty.
        """
        if self.prefix is not None:
            return self._carried_on(self.prefix.pattern_text, self.graph.first_type(self.nodes[-1]))
        return self._text([self.graph.first_type(node) for node in self.nodes[1:]])

    def _carried_on(self, before: str, station: str) -> str:
        """The text of the prefix and of the last triple."""
        relation = self.graph.relation_label(self.graph.relation_of(self.triples[-1]))
        return step_text(before, relation, station, forward=self.forward[-1])

    def _text(self, stations: list[str]) -> str:
        text = self.graph.label(self.nodes[0])
        for (relation, forward), station in zip(self.pattern, stations, strict=True):
            text = step_text(text, self.graph.relation_label(relation), station, forward=forward)
        return text


def step_text(before: str, relation: str, station: str, *, forward: bool) -> str:
    """The text of an extended path, without empty parts: ``before -> relation -> station`` or with ``<-``."""
    arrow = "->" if forward else "<-"
    if before and relation and station:
        return f"{before} {arrow} {relation} {arrow} {station}"
    return " ".join([part for part in (before, arrow, relation, arrow, station) if part])
