"""The kinds of stage. A brick derives from one of them and implements its one method."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.answer import NearReading
from graphbrick.core.errors import PipelineError
from graphbrick.core.graph import Capabilities, Capability
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import Pipeline
from graphbrick.pipeline.run import Level

if TYPE_CHECKING:
    from graphbrick.graphs.graph import Graph


class Stage(Brick, Pipeline):
    """One slot of a pipeline; a brick derives from a kind below and implements its one method."""

    kind: ClassVar[str]
    needs: ClassVar[Capabilities] = frozenset({Capability.LABELS})
    """Capabilities that a graph must have for this stage; checked when a run starts."""
    _accepts: ClassVar[frozenset[Level]]
    _gives: ClassVar[Level]

    @property
    def accepts(self) -> frozenset[Level]:
        """The levels this stage can go on from."""
        return self._accepts

    @property
    def gives(self) -> Level:
        """The level this stage leads to."""
        return self._gives

    @property
    def reads_reports(self) -> bool:
        """Whether it fails unless reports on communities were prepared beside the graph (`prepare reports`)."""
        return False

    def stages_within(self) -> Iterator[Stage]:
        """Yield this stage."""
        yield self


class LinkStage(Stage):
    """Finds the seeds of a question."""

    kind = "link"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY})
    _gives = Level.QUERY

    @abstractmethod
    def link(self, graph: Graph, query: Query) -> Query:
        """Return the query with its seeds."""

    def resolve(self, graph: Graph, query: Query, seeds: Iterable[str | int]) -> Query:
        """Return the query with given seeds: entity ids, keys, labels or aliases.

        Only the default linker is asked for this, when a run is started with seeds.

        Raises:
            LinkError: There is no such entity.
        """
        raise PipelineError(f"{self!r} cannot look up seeds by name", code="stage.no_seeds_by_name")


class ExtractStage(Stage):
    """Takes a subgraph around the seeds."""

    kind = "extract"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY})
    _gives = Level.SUBGRAPH

    @abstractmethod
    def extract(self, graph: Graph, query: Query) -> Subgraph:
        """Return the subgraph for a query; the seeds are always in it."""


class ExpandStage(Stage):
    """Makes a subgraph larger; the first subgraph is that of the seeds alone."""

    kind = "expand"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY, Level.SUBGRAPH, Level.EVIDENCE})
    _gives = Level.SUBGRAPH

    @abstractmethod
    def expand(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return the larger subgraph; all entities and triples of the one given are in it."""


class PruneStage(Stage):
    """Leaves out what does not bear on the question."""

    kind = "prune"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    _accepts = frozenset({Level.QUERY, Level.SUBGRAPH})
    _gives = Level.SUBGRAPH

    @abstractmethod
    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        """Return a part of the subgraph; the seeds are always in it."""


class RetrieveStage(Stage):
    """Finds evidence, such as reasoning paths, in a subgraph or the whole graph.

    Attributes:
        starts_at_seeds: Whether every path that it gives starts at a seed; False for stages that find their own starts.
        links_itself: Whether it can do without seeds, so that no link stage is put before it.
        stays_inside: Whether items speak only of entities of the subgraph; False for texts about parts of the whole
            graph, such as reports that were written before the question.
    """

    kind = "retrieve"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY})
    starts_at_seeds: ClassVar[bool] = True
    links_itself: ClassVar[bool] = False
    stays_inside: ClassVar[bool] = True
    _accepts = frozenset({Level.QUERY, Level.SUBGRAPH})
    _gives = Level.EVIDENCE

    @abstractmethod
    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the evidence found, in the order that the brick states."""

    def near(self, query: Query, subgraph: Subgraph, most: int) -> Sequence[NearReading]:
        """Return other readings of a question that was not answered, best first; none by default.

        Args:
            query: The question.
            subgraph: The view of the graph.
            most: Most readings that are offered. Those without a number of answers are tried, and left out without any.
        """
        del query, subgraph, most
        return ()


class RerankStage(Stage):
    """Orders evidence, or keeps a part of it.

    Attributes:
        writes_items: Whether it may give items that are not among those it was given, such as summaries of them.
    """

    kind = "rerank"
    writes_items: ClassVar[bool] = False
    _accepts = frozenset({Level.EVIDENCE})
    _gives = Level.EVIDENCE

    @abstractmethod
    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the evidence in a new order, best first; it may be shorter."""


class GenerateStage(Stage):
    """Makes the answer."""

    kind = "generate"
    _accepts = frozenset({Level.EVIDENCE})
    _gives = Level.ANSWER

    @abstractmethod
    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the answer to a query from its evidence; empty if the evidence holds none."""
