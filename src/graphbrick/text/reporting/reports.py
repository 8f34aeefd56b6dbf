"""Reports on the communities of a graph, kept beside it in ``notes.graph.communities/``."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core import Citation
from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.core.session import current_session
from graphbrick.graphs.communities import CommunityTree, communities_of
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.beside import FolderBeside, facts_of

MOST_RATING = 10.0
_FILE = "reports.jsonl"
_PLACES = 5  # passages that a text cites at most


class Cited(NamedTuple):
    """The sources of a text of a report.

    Attributes:
        entities: Entity ids.
        triples: Triple ids.
        passages: Passage ids.
    """

    entities: tuple[int, ...] = ()
    triples: tuple[int, ...] = ()
    passages: tuple[int, ...] = ()

    @classmethod
    def union(cls, parts: Iterable[Cited]) -> Cited:
        """Return the sources of several texts, each once."""
        lists = list(zip(*parts, strict=True)) or [(), (), ()]
        return cls(*(tuple(dict.fromkeys(one for part in parts for one in part)) for parts in lists))


NOTHING = Cited()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a report says.

    Attributes:
        summary: It in one sentence.
        explanation: More about it; may be empty.
        cited: What it was written from.
    """

    summary: str
    explanation: str = ""
    cited: Cited = NOTHING

    @property
    def text(self) -> str:
        """Summary and explanation, each as a sentence."""
        mark = "." if self.explanation and self.summary and self.summary[-1] not in ".!?:" else ""
        return f"{self.summary}{mark} {self.explanation}".strip()


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """The report on one community.

    Attributes:
        community: Number of the community.
        title: Its name, with its most important entities.
        summary: What it is about.
        rating: How important it is, from 0 to 10.
        why: The reason for the rating; may be empty.
        findings: What else is to be said.
        cited: What the summary was written from.
    """

    community: int
    title: str
    summary: str
    rating: float
    why: str = ""
    findings: tuple[Finding, ...] = ()
    cited: Cited = NOTHING

    @property
    def text(self) -> str:
        """The report as it is read: title, summary, and a line for each finding."""
        return "\n".join(line for line in (self.title, self.summary, *(one.text for one in self.findings)) if line)

    @property
    def all_cited(self) -> Cited:
        """The sources of summary and findings together."""
        return Cited.union([self.cited, *(finding.cited for finding in self.findings)])

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        findings = [[one.summary, one.explanation, one.cited] for one in self.findings]
        names = ("community", "title", "summary", "rating", "why", "cited")
        return {name: getattr(self, name) for name in names} | {"findings": findings}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> CommunityReport:
        """Return what `to_json` gave."""
        findings = tuple(
            Finding(summary, explanation, _cited(cited)) for summary, explanation, cited in value["findings"]
        )
        return cls(**{**value, "findings": findings, "cited": _cited(value["cited"])})


def _cited(value: Sequence[Sequence[int]]) -> Cited:
    return Cited(*(tuple(ids) for ids in value))


@dataclass(frozen=True)
class KeptReports:
    """The reports of a graph.

    Attributes:
        tree: The communities.
        of: The report on each community that has one.
        writer: What wrote them, as recipe text; "GraphRAG" for imported ones.
    """

    tree: CommunityTree
    of: Mapping[int, CommunityReport]
    writer: str

    def at_level(self, level: int) -> list[int]:
        """Return the communities of a level and the undivided ones above it, ascending.

        A community without a report is replaced by the nearest one around it that has one.
        """
        reported = set()
        for community in self.tree.at_level(level):
            while community >= 0 and community not in self.of:
                community = int(self.tree.parent[community])
            reported.add(community)
        return sorted(reported - {-1})

    def holding(self, entities: Iterable[int], level: int) -> dict[int, int]:
        """Return the communities of a level that hold entities, ascending, each with the number of these in it.

        A community without a report is replaced by the nearest one around it that has one.
        """
        counts: Counter[int] = Counter()
        for entity in set(entities):
            around = (one for one in self.tree.around(entity) if self.tree.level[one] <= level and one in self.of)
            counts.update([*around][:1])
        return dict(sorted(counts.items()))


def reports_place(graph: Graph) -> FolderBeside:
    """Return the folder of the reports of a graph."""
    return FolderBeside(graph, "communities", "reports")


def keep_reports(graph: Graph, tree: CommunityTree, reports: Iterable[CommunityReport], writer: str) -> None:
    """Write the reports on the communities of a graph beside it, in place of others.

    Raises:
        GraphbrickError: They cannot be written.
    """
    rows = [json.dumps(report.to_json()) for report in reports]

    def fill(folder: Path) -> dict[str, Any]:
        (folder / _FILE).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        made_of = {"graph": graph.hash, "text": _text_state(graph), "tree": tree.identity}
        return {**made_of, "reports": len(rows), "writer": writer}

    reports_place(graph).keep("the reports", fill)
    current_session().drop(("reports",), of=graph)


def _text_state(graph: Graph) -> str:
    """Return a hash of the documents that a graph was made from; empty without documents."""
    return graph.text_state if isinstance(graph, TextGraph) else ""


def earlier_writer(graph: Graph) -> str:
    """Return the writer of the reports kept for this or an earlier version of a graph; empty for none."""
    place = reports_place(graph)
    writers = []
    for folder in (place.folder, *place.older()):
        with suppress(ValueError):  # a damaged folder counts as none
            writers.append(str((facts_of(folder) or {}).get("writer", "")))
    return next(filter(None, writers), "")


def reports_of(graph: Graph) -> KeptReports:
    """Return the reports on the communities of a graph.

    Raises:
        GraphbrickError: There are none, or none on its present communities.
        GraphFormatError: They are damaged.
    """
    return current_session().get(("reports",), lambda: _open(graph), of=graph)


def _open(graph: Graph) -> KeptReports:
    place = reports_place(graph)
    advice = f"graphbrick prepare reports {shlex.quote(str(graph.path))}"
    try:
        facts = place.facts()
        if facts is None:
            why = "are of an older version of it" if place.older() else "were not written yet"
            raise GraphbrickError(
                f"the reports on the communities of {graph.path} {why}; run {advice}", code="reports.not_there"
            )
        if facts["text"] != _text_state(graph):
            raise GraphbrickError(
                f"the reports of {graph.path} were written from other documents; run {advice}",
                code="reports.other_documents",
            )
        tree = communities_of(graph)
        if facts["tree"] != tree.identity:
            raise GraphbrickError(
                f"the reports of {graph.path} are on other communities than it has now; run {advice}",
                code="reports.other_communities",
            )
        lines = (place.folder / _FILE).read_text(encoding="utf-8").splitlines()
        reports = [CommunityReport.from_json(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GraphFormatError(
            f"the reports in {place.folder} are damaged ({error}); run {advice}", code="reports.damaged"
        ) from error
    return KeptReports(tree, {report.community: report for report in reports}, str(facts["writer"]))


def cited_passages(graph: Graph, cited: Cited, most: int = _PLACES) -> list[int]:
    """Return the passages that a text was written from, best first.

    Those that it names come first, then those that support most of its triples. If there are none, those that mention
    most of its entities. A graph that was not made from documents has none.
    """
    if not isinstance(graph, TextGraph):
        return []
    places: Counter[int] = Counter()
    support = graph.support
    for triple in cited.triples if support is not None else ():
        begin, passages = support  # type: ignore[misc]
        places.update(passages[begin[triple] : begin[triple + 1]].tolist())
    if not places and not cited.passages:
        for entity in cited.entities:
            places.update(graph.mentioned_in(entity).tolist())
    ranked = sorted(places, key=lambda passage: (-places[passage], passage))
    return list(dict.fromkeys([*cited.passages, *ranked]))[:most]


def citations(graph: Graph, cited: Cited, most: int = _PLACES) -> tuple[Citation, ...]:
    """Return the places in documents that a text was written from, best first."""
    passages = cited_passages(graph, cited, most)
    return tuple(passage_citation(graph, passage) for passage in passages) if isinstance(graph, TextGraph) else ()


def passage_citation(graph: TextGraph, passage: int) -> Citation:
    """Return the place of a passage in its document."""
    _, document, start, end, _, section = graph.passage(passage)
    return Citation(document, start, end, section=section)
