"""What retrieval finds: paths and reports, in order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graphbrick.core.cached import once

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class Path:
    """A walk along triples from a seed, each followed forwards or backwards.

    Two paths are equal if they follow the same triples from the same start in the same directions; the score does not
    count.

    Attributes:
        graph: The graph the ids belong to.
        nodes: Entity ids along the path, one more than there are triples.
        triples: Triple ids along the path.
        forward: For each triple, whether it is followed from head to tail.
        score: What the last ranking stage gave; 0 before any did.
        source: The stage that found the path.
        prefix: This path without its last triple, where the finder had it: texts of many paths with a common beginning
            are then made in a fraction of the time.
    """

    graph: Graph
    nodes: tuple[int, ...]
    triples: tuple[int, ...]
    forward: tuple[bool, ...]
    score: float = 0.0
    source: str = ""
    prefix: Path | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def identity(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]:
        """What makes this path different from others of the same graph."""
        return self.nodes, self.triples, self.forward

    @property
    def start(self) -> int:
        """The seed the path starts from."""
        return self.nodes[0]

    @property
    def end(self) -> int:
        """The entity the path leads to."""
        return self.nodes[-1]

    @property
    def hops(self) -> int:
        """Number of triples."""
        return len(self.triples)

    @once
    def pattern(self) -> tuple[tuple[int, bool], ...]:
        """The relations followed and in which direction: (relation, forward) a hop."""
        if self.prefix is not None:
            return (*self.prefix.pattern, (self.graph.relation_of(self.triples[-1]), self.forward[-1]))
        return tuple(zip(map(self.graph.relation_of, self.triples), self.forward, strict=True))

    @once
    def text(self) -> str:
        """The path as text: ``Nairobi <- capital <- Kenya -> currency -> Kenyan shilling``."""
        if self.prefix is not None:
            return self._on(self.prefix.text, self.graph.label(self.nodes[-1]))
        return self._text([self.graph.label(node) for node in self.nodes[1:]])

    @once
    def pattern_text(self) -> str:
        """The path with types in the place of entities: ``Nairobi <- capital <- country -> currency -> currency``.

        The seed keeps its label; an entity without types leaves its place empty.
        """
        station = self.graph.first_type
        if self.prefix is not None:
            return self._on(self.prefix.pattern_text, station(self.nodes[-1]))
        return self._text([station(node) for node in self.nodes[1:]])

    def _on(self, before: str, station: str) -> str:
        """The text of the prefix and of the last triple."""
        relation = self.graph.relation_label(self.graph.relation_of(self.triples[-1]))
        return step_text(before, relation, station, forward=self.forward[-1])

    def _text(self, stations: list[str]) -> str:
        text = self.graph.label(self.nodes[0])
        for (relation, forward), station in zip(self.pattern, stations, strict=True):
            text = step_text(text, self.graph.relation_label(relation), station, forward=forward)
        return text

    def with_score(self, score: float) -> Path:
        """The same path with another score."""
        return replace(self, score=score)

    def __repr__(self) -> str:
        return f"Path({self.text!r}, score={self.score:.4g})"


@dataclass(frozen=True)
class Report:
    """A text about a part of a graph, such as what a language model wrote about a community.

    Attributes:
        graph: The graph the ids belong to.
        nodes: The entities it is about, ascending.
        text: What it says.
        score: What the last ranking stage gave.
        source: The stage that made it.
    """

    graph: Graph = field(compare=False, repr=False)
    nodes: tuple[int, ...] = field(repr=False)
    text: str
    score: float = field(default=0.0, compare=False)
    source: str = field(default="", compare=False)

    @property
    def pattern_text(self) -> str:
        """The text: a report has no pattern."""
        return self.text

    def with_score(self, score: float) -> Report:
        """The same report with another score."""
        return replace(self, score=score)


Item = Path | Report


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval found, best first.

    Attributes:
        items: Paths and reports, each with its text, score and the stage it came from.
    """

    items: tuple[Item, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def texts(self) -> list[str]:
        """The text of every item; what many paths begin or end with is written once."""
        said: dict[int, str] = {}
        steps: dict[tuple[int, bool], str] = {}
        found = []
        for item in self.items:
            before = said.get(id(item.prefix)) if isinstance(item, Path) else None
            if before is None or not isinstance(item, Path):
                text = item.text
            else:
                key = item.triples[-1], item.forward[-1]
                step = steps.get(key)
                if step is None:
                    relation, station = item.graph.relation_of(key[0]), item.graph.label(item.nodes[-1])
                    step = step_text(".", item.graph.relation_label(relation), station, forward=key[1])[1:]
                    steps[key] = step
                text = before + step if before else step[1:]
            said[id(item)] = text
            found.append(text)
        return found

    @property
    def paths(self) -> tuple[Path, ...]:
        """The items that are paths."""
        return tuple(item for item in self.items if isinstance(item, Path))

    @property
    def reports(self) -> tuple[Report, ...]:
        """The items that are reports."""
        return tuple(item for item in self.items if isinstance(item, Report))

    def union(self, other: Evidence) -> Evidence:
        """The items of both, each once, in order of first appearance."""
        return Evidence(tuple(dict.fromkeys(self.items + other.items)))


def step_text(before: str, relation: str, station: str, *, forward: bool) -> str:
    """The text of a path that is carried on: ``before -> relation -> station`` or with ``<-``, without empty parts."""
    arrow = "->" if forward else "<-"
    if before and relation and station:
        return f"{before} {arrow} {relation} {arrow} {station}"
    return " ".join([part for part in (before, arrow, relation, arrow, station) if part])
