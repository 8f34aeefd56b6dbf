"""The reports on communities that are kept beside a graph, as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from graphbrick.core import Evidence, Point, Query, Report, Subgraph
from graphbrick.core.compute import check_limits
from graphbrick.core.graph import Capability
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import fact
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.reporting.reports import (
    MOST_RATING,
    Cited,
    CommunityReport,
    KeptReports,
    citations,
    reports_of,
)


@dataclass(frozen=True, repr=False)
class Reports(RetrieveStage):
    """The reports on the communities of a graph, of which each entity is in one.

    They are written once, for all questions: by ``graphbrick prepare reports``, or imported. With `Points` and
    `WriteAnswer` after it, this is the global search of Microsoft GraphRAG. After an extract or prune stage, only
    reports on communities with an entity of the subgraph are taken.

    With a scorer and a ``threshold`` the communities are chosen from the coarsest down, as in GraphRAG's dynamic choice
    of communities: the parts of a community whose report scores that much are scored next, and take its place if one of
    them does too. If no report of a level does, those of the next level are scored. The published form is
    ``Reports(LLMPointwiseScorer(LLM()), threshold=0.5)``, but that the original lets the model rate from 0 to 5.

    Args:
        scorer: Ranks the reports, such as MiniLM(); None to rank them by their rating.
        n: Most reports, at least 1; None for all.
        level: Level of the communities, from 0, the coarsest; a community that is not divided that far is taken itself.
            With a threshold the finest level that is looked at.
        threshold: Least score in a choice from the coarsest down; None for all communities of the level.

    Returns:
        `Report` items, best first, each with the entities of its community, its statements as parts, and the places in
        documents that they were written from. Without a scorer the score is the rating, from 0 to 1. Equal scores keep
        the order of the communities.

    Raises:
        GraphbrickError: The graph has no reports.
    """

    paper = "Edge et al., From Local to Global: A Graph RAG Approach to Query-Focused Summarization, 2024"
    needs = frozenset({Capability.LABELS, Capability.ADJACENCY, Capability.STORED})
    starts_at_seeds = False
    links_itself = True
    stays_inside = False

    scorer: Scorer | None = parameter(None, example="MiniLM()")
    n: int | None = parameter(None, at_least=1, example=20, search=(10, 50))
    level: int = parameter(2, at_least=0, at_most=100, search=(0, 1, 2))
    threshold: float | None = parameter(None, example=0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and self.scorer is None:
            self.refuse("threshold", "None without a scorer", None)

    @property
    def reads_reports(self) -> bool:
        """Whether it fails unless reports were prepared: always."""
        return True

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the reports."""
        graph = cast(Graph, subgraph.graph)
        reports = reports_of(graph)
        allowed = set(reports.of)
        if subgraph.nodes is not None:
            allowed = {one for one in reports.of if np.isin(reports.tree.members(one), subgraph.nodes).any()}
        if self.threshold is None:
            chosen = [one for one in reports.at_level(self.level) if one in allowed]
            scores = self._scores(query, [reports.of[one] for one in chosen])
        else:
            chosen, scores = self._chosen_downwards(query, reports, allowed)
        fact(reports=len(chosen))
        order = np.argsort(-np.array(scores), kind="stable")[: self.n].tolist()
        source = repr(self)
        return Evidence(
            tuple(report_item(graph, reports, reports.of[chosen[i]], float(scores[i]), source) for i in order),
            scale=repr(self.scorer) if self.scorer is not None and self.scorer.comparable else "",
        )

    def _scores(self, query: Query, reports: Sequence[CommunityReport]) -> list[float]:
        if self.scorer is None:
            return [report.rating / MOST_RATING for report in reports]
        scores: list[float] = self.scorer.rate(query.text, [report.text for report in reports]).tolist()
        return scores

    def _chosen_downwards(self, query: Query, reports: KeptReports, allowed: set[int]) -> tuple[list[int], list[float]]:
        """Return the communities chosen from the coarsest down, and their scores."""
        tree, score = reports.tree, dict[int, float]()
        relevant: set[int] = set()
        level, looked_at = 0, 0
        queue = [one for one in tree.children(-1) if one in allowed]
        while queue:
            check_limits()
            looked_at += len(queue)
            score |= zip(queue, self._scores(query, [reports.of[one] for one in queue]), strict=True)
            assert self.threshold is not None
            good = [one for one in queue if score[one] >= self.threshold]
            relevant |= set(good)
            relevant -= {int(tree.parent[one]) for one in good}
            queue = [part for one in good for part in tree.children(one) if part in allowed]
            queue = [part for part in queue if tree.level[part] <= self.level]
            while not queue and not relevant and level < min(self.level, tree.levels - 1):
                level += 1
                queue = [one for one in sorted(allowed - score.keys()) if tree.level[one] == level]
        fact(scored=looked_at)
        chosen = sorted(relevant)
        return chosen, [score[one] for one in chosen]


def report_item(graph: Graph, kept: KeptReports, report: CommunityReport, score: float, source: str) -> Report:
    """Return a report as an item of evidence."""
    entities = tuple(kept.tree.members(report.community).tolist())

    def part(text: str, cited: Cited) -> Point:
        about = [*cited.entities, *(end for triple in cited.triples for end in graph.triple(triple)[::2])]
        return Point(text, citations(graph, cited), tuple(sorted(set(about))), graph, score, source)

    parts = [part(f"{report.title}: {report.summary}", report.cited if any(report.cited) else report.all_cited)]
    parts += [part(finding.text, finding.cited) for finding in report.findings if finding.text]
    return Report(graph, entities, report.text, score, source, citations(graph, report.all_cited), tuple(parts))
