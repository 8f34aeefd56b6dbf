"""Reports about communities of entities: those kept beside the graph, or written when a question needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.documents.hierarchy import Community, at_level, hierarchy
from graphbrick.bricks.retrieve.documents.reports import report_item
from graphbrick.core import Evidence, Query, Report, Subgraph, seeds_of
from graphbrick.core.parameters import parameter
from graphbrick.core.session import current_session
from graphbrick.core.trace import event, fact
from graphbrick.graphs.graph import Graph
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.models.llm.replies.replies import numbered, one_line, opened, shown
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import RetrieveStage
from graphbrick.text.reporting.reports import reports_of

_NAMES = 30  # best-connected entities whose names a community is ranked by
_TRIPLES = 100  # triples that a report is written from
_FINDINGS = 10
_TEXT = {"type": "string"}
_SCHEMA = json_object(
    title=_TEXT,
    summary=_TEXT,
    rating={"type": "number", "minimum": 0, "maximum": 10},
    rating_explanation=_TEXT,
    findings=json_list(json_object(summary=_TEXT, explanation=_TEXT), most=_FINDINGS),
)
_INSTRUCTION = f"""You write a report about a community of entities in a knowledge graph: from the triples given
(head -> relation -> tail), from reports about parts of the community if there are any, and from nothing else. Name
entities as they are written there. Reply with JSON:
- "title": a short name of the community, with its most important entities;
- "summary": what the community is about and how its entities are related, in at most five sentences;
- "rating": a number from 0 to 10, how important the community is;
- "rating_explanation": one sentence about the rating;
- "findings": at most {_FINDINGS} objects with a "summary" of one sentence and an "explanation" of a few sentences."""


@dataclass(frozen=True, repr=False)
class CommunityReports(RetrieveStage):
    """Reports about the communities of the graph that hold the seeds: GRAG-M of the LEGO-GraphRAG paper.

    Communities and reports are those of Microsoft GraphRAG. ``graphbrick prepare reports GRAPH`` finds the communities
    of the whole graph by the Leiden method, large ones divided again, level by level, and writes a report about each
    once, for all questions: title, summary, and findings. A question then takes those about the communities of its
    seeds and asks no model, whatever the subgraph is. An answer stage that reads text, such as `Generate`, reads them;
    `PathAnswer` does not.

    With ``llm`` reports are written when a question needs them, about communities of the subgraph, wherever the seeds
    are: those of one level are ranked by how well the names of their best-connected entities match the question, and
    the model writes about the best ``n``. For a community with more than 100 triples, reports on its parts take the
    place of their triples, the largest part first. A report does not depend on the question. On a whole graph (with no
    extract stage before) the communities are the same for all questions, and kept replies serve every question that
    needs the same report. After an extract stage they are those of the current subgraph.

    Args:
        llm: The language model that writes when a question needs it: one call for a report, and one for each part that
            it is written from; None for the reports that are kept beside the graph.
        scorer: Ranks the reports by their text, or with ``llm`` the communities by their names, such as MiniLM(); None
            to rank kept reports by the number of seeds in their communities, then by their rating.
        n: Most reports, at least 1.
        size: With ``llm``, entities from which on a community is not divided further, at least 2; that of kept
            communities is an option of ``graphbrick prepare communities``.
        level: Level of the communities, from 0, the coarsest; a community that is not divided that far is used itself.

    Returns:
        `Report` items, best first, each with the entities of its community. Kept reports have their statements as
        parts. Without a scorer the score is the number of seeds in the community. An empty reply of the model gives no
        report. Of communities of equal score the one with the lowest entity id comes first.

    Raises:
        GraphbrickError: The graph has no reports (without ``llm``), or the extra ``graphbrick[communities]`` is not
            installed (with it).
        ModelError: The model cannot be reached.
    """

    paper = (
        "Edge et al., From Local to Global: A Graph RAG Approach, 2024; Cao et al., LEGO-GraphRAG, VLDB 2025 (GRAG-M); "
        "Traag et al., From Louvain to Leiden, 2019"
    )

    stays_inside = False

    llm: ChatModel | None = parameter(None, example="LLM()")
    scorer: Scorer | None = parameter(None, example="MiniLM()")
    n: int = parameter(3, at_least=1, search=(1, 3, 5))
    size: int = parameter(50, at_least=2, search=(20, 50, 100))
    level: int = parameter(2, at_least=0, at_most=100, search=(0, 1, 2))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.llm is not None and self.scorer is None:
            self.refuse("scorer", "a scorer with llm, as communities are ranked before reports are written", "MiniLM()")

    @property
    def reads_reports(self) -> bool:
        """Whether it fails unless reports were prepared: without `llm`."""
        return self.llm is None

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the reports."""
        if self.llm is None:
            return self._kept(query, cast(Graph, subgraph.graph))
        if not len(seeds_of(query, subgraph)):
            return Evidence()
        assert self.scorer is not None  # as __post_init__ demands
        return self._written(query, subgraph, self.llm, self.scorer)

    def _kept(self, query: Query, graph: Graph) -> Evidence:
        """Return the kept reports about the communities of the seeds."""
        kept = reports_of(graph)
        seeds = kept.holding(query.seeds, self.level)
        fact(communities=len(seeds))
        if not seeds:
            return Evidence()
        chosen = list(seeds)
        if self.scorer is None:
            scores = np.array([float(seeds[one]) for one in chosen])
            ties = np.array([-kept.of[one].rating for one in chosen])
        else:
            scores = self.scorer.rate(query.text, [kept.of[one].text for one in chosen])
            ties = np.zeros(len(chosen))
        order = np.lexsort((np.array(chosen), ties, -scores))[: self.n].tolist()
        source = repr(self)
        items = (report_item(graph, kept, kept.of[chosen[i]], float(scores[i]), source) for i in order)
        return Evidence(tuple(items), scale=repr(self.scorer) if self.scorer and self.scorer.comparable else "")

    def _written(self, query: Query, subgraph: Subgraph, llm: ChatModel, scorer: Scorer) -> Evidence:
        """Return reports that are written now, about communities of the subgraph."""
        is_whole, graph = subgraph.is_whole, subgraph.graph
        subgraph = subgraph.listed()
        if is_whole:
            size = self.size  # the session holds the communities, which must not refer to the graph
            levels = current_session().get(("communities", size), lambda: hierarchy(subgraph, size), of=graph)
        else:
            levels = hierarchy(subgraph, self.size)
        communities = at_level(levels, self.level)
        fact(communities=len(communities))
        if not communities:
            return Evidence()
        degree = subgraph.csr.degrees()
        names = []
        for community in communities:
            best = community.members[np.argsort(-degree[community.members], kind="stable")[:_NAMES]]
            names.append(", ".join(graph.label(node) for node in _entities(subgraph, best)))
        scores = scorer.rate(query.text, names)
        writer = _Writer(llm, subgraph)
        reports = []
        for i in np.argsort(-scores, kind="stable")[: self.n].tolist():
            text = writer.report(communities[i])
            if text:
                entities = tuple(_entities(subgraph, communities[i].members))
                reports.append(Report(graph, entities, text, float(scores[i]), repr(self)))
        return Evidence(tuple(dict.fromkeys(reports)))


class _Writer:
    """A writer of reports on communities of one subgraph.

    Args:
        llm: The language model.
        subgraph: A view with its ids listed.
    """

    def __init__(self, llm: ChatModel, subgraph: Subgraph) -> None:
        self._llm, self._subgraph, self._csr = llm, subgraph, subgraph.csr
        self._head, self._degree = self._csr.all_heads(), self._csr.degrees()

    def report(self, community: Community) -> str:
        """Return the report on a community; empty if the model gave none."""
        left, parts = self._inside(community.members), []
        total = len(left)
        largest_first = sorted(community.children, key=lambda part: -len(self._inside(part.members)))
        for part in largest_first:
            if len(left) <= _TRIPLES:
                break
            text = self.report(part)
            if text:
                parts.append(text)
                left = np.setdiff1d(left, self._inside(part.members))
        if len(left) > _TRIPLES:
            event(
                f"a report was written from the first {_TRIPLES} of the {total:,} triples of its community",
                "community_reports.triples_cut",
                n=_TRIPLES,
                total=total,
            )
        # The triples of the best-connected entities come first, as in GraphRAG.
        weight = self._degree[self._head[left]] + self._degree[self._csr.tail[left]]
        left = left[np.lexsort((left, -weight))][:_TRIPLES]
        prompt = f"Triples:\n{numbered(self._texts(left))}"
        if parts:
            prompt += "\n\nReports about parts:\n\n" + "\n\n".join(parts)
        reply = self._llm.complete(
            [{"role": "system", "content": _INSTRUCTION}, {"role": "user", "content": prompt}], schema=_SCHEMA
        )
        return _report_text(reply)

    def _inside(self, members: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the local ids of the triples among entities."""
        inside = np.zeros(self._csr.n_nodes, dtype=np.bool_)
        inside[members] = True
        return np.flatnonzero(inside[self._head] & inside[self._csr.tail])

    def _texts(self, triples: npt.NDArray[np.int64]) -> list[str]:
        ids = triples if self._subgraph.triples is None else self._subgraph.triples[triples]
        return [self._subgraph.graph.triple_text(int(triple)) for triple in ids]


def _report_text(reply: str) -> str:
    """Return a report as text; a reply that is not its JSON stays as it is, which is an event."""
    text, value = opened(reply)
    if not isinstance(value, Mapping) or not isinstance(value.get("summary"), str):
        if text.strip():
            event(
                f"a report is not the JSON that was asked for, and is kept as it is: {shown(reply)}",
                "community_reports.not_json",
            )
        return text.strip()
    title, rating, why = (one_line(str(value.get(name, ""))) for name in ("title", "rating", "rating_explanation"))
    lines = [title, str(value["summary"]).strip(), f"Importance: {rating} of 10. {why}".strip() if rating else ""]
    findings = value.get("findings")
    for finding in findings if isinstance(findings, list) else []:
        if isinstance(finding, Mapping):
            lines.append(" ".join(str(finding.get(name, "")).strip() for name in ("summary", "explanation")).strip())
    return "\n".join(line for line in lines if line)


def _entities(subgraph: Subgraph, local: npt.NDArray[np.int64]) -> list[int]:
    """Return the entity ids of local ids."""
    ids: list[int] = (local if subgraph.nodes is None else subgraph.nodes[local]).tolist()
    return ids
