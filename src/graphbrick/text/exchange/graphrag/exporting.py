"""Write a graph made from text as the Parquet tables of Microsoft GraphRAG 3."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha512
from os import PathLike
from pathlib import Path
from typing import Any

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.files.parquet import require_pyarrow
from graphbrick.graphs.communities import CommunityTree, communities_of, communities_place
from graphbrick.graphs.corpus import OCCURS_WITH, TextGraph
from graphbrick.graphs.export.place import Export, Written, new_export_folder, tell_left_out
from graphbrick.graphs.records.records import LeftOut
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.llm.context_budget import text_tokens
from graphbrick.text.documents.store import TextStore
from graphbrick.text.exchange.graphrag.tables import TITLE
from graphbrick.text.exchange.left_out import facts_left_out
from graphbrick.text.extract.describing import joined_descriptions
from graphbrick.text.reporting.reports import Cited, CommunityReport, reports_of, reports_place

_NONE = "NONE"

Rows = list[dict[str, Any]]


def to_graphrag(
    graph: TextGraph, target: str | PathLike[str], *, overwrite: bool = False, left_out: LeftOut | None = None
) -> Written:
    """Write a graph as a folder with the tables of Microsoft GraphRAG 3; `import_graphrag` reads it.

    Triples with the same ends become one relationship, with their descriptions; a triple without one is described by
    its words, and two entities in one sentence by nothing. Citations of reports are written as ``[Data: ...]``. There
    are tables of communities and reports only if they are kept beside the graph. Ids depend on the content alone.

    Args:
        graph: The graph.
        target: The folder to make.
        overwrite: Replace an earlier export.
        left_out: Receives what the tables cannot hold: aliases, further types, properties, triples that are joined.

    Returns:
        The folder, and the number of relationships.

    Raises:
        GraphbrickError: The target exists or cannot be written, or the documents of the graph are missing.
        ModelError: pyarrow is not installed.
    """
    require_pyarrow("this export")
    import pyarrow
    from pyarrow import parquet

    tables = _Tables(graph).rows()
    path = Path(target)
    with new_export_folder(path, (".parquet",), overwrite=overwrite) as work:
        for name, rows in tables.items():
            schema = pyarrow.schema([(column, _type(column)) for column in COLUMNS[name]])
            parquet.write_table(pyarrow.Table.from_pylist(rows, schema), work / f"{name}.parquet", compression="zstd")
    left_out = LeftOut() if left_out is None else left_out
    facts_left_out(graph, len(tables["relationships"]), left_out)
    tell_left_out(left_out)
    return Written(path, len(tables["relationships"]))


EXPORT = Export(to_graphrag, takes=("left_out",), needs_text=True)


_PLACE = ("community", "level", "parent", "children", "title")
COLUMNS = {
    "documents": ("id", "human_readable_id", "title", "text", "text_unit_ids", "creation_date", "raw_data"),
    "text_units": (
        *("id", "human_readable_id", "text", "n_tokens", "document_id", "entity_ids"),
        *("relationship_ids", "covariate_ids"),
    ),
    "entities": ("id", "human_readable_id", "title", "type", "description", "text_unit_ids", "frequency", "degree"),
    "relationships": (
        *("id", "human_readable_id", "source", "target", "description", "weight", "combined_degree"),
        "text_unit_ids",
    ),
    "communities": (
        *("id", "human_readable_id", *_PLACE, "entity_ids", "relationship_ids", "text_unit_ids"),
        *("period", "size"),
    ),
    "community_reports": (
        *("id", "human_readable_id", *_PLACE, "summary", "full_content", "rank", "rating_explanation"),
        *("findings", "full_content_json", "period", "size"),
    ),
    "covariates": (
        *("id", "human_readable_id", "covariate_type", "type", "description", "subject_id", "object_id"),
        *("status", "start_date", "end_date", "source_text", "text_unit_id"),
    ),
}
"""The columns of each table."""
_NUMBERS = frozenset("human_readable_id n_tokens frequency degree combined_degree community level parent size".split())


def _type(column: str) -> Any:
    import pyarrow

    text = pyarrow.string()
    if column in _NUMBERS:
        return pyarrow.int64()
    if column in ("weight", "rank"):
        return pyarrow.float64()
    if column == "children":
        return pyarrow.list_(pyarrow.int64())
    if column == "findings":
        return pyarrow.list_(pyarrow.struct([("explanation", text), ("summary", text)]))
    return pyarrow.list_(text) if column.endswith("_ids") else text


@dataclass
class _Relationship:
    """The triples with the same ends."""

    number: int
    weight: float = 0.0
    descriptions: Counter[str] = field(default_factory=Counter)
    passages: set[int] = field(default_factory=set)


class _Tables:
    """The rows of the tables of a graph."""

    def __init__(self, graph: TextGraph) -> None:
        self._graph = graph
        self._titles = _titles(graph)
        self._units = [
            _hashed(graph.passage(i).document, str(i), graph.passage(i).text) for i in range(graph.n_passages)
        ]
        self._pairs: dict[tuple[int, int], _Relationship] = {}
        self._pair_of: dict[int, tuple[int, int]] = {}
        begin, support = graph.support or ([], [])
        for triple in graph.triple_ids().tolist():
            head, _, tail = graph.triple(triple)
            row = self._pairs.setdefault((head, tail), _Relationship(len(self._pairs)))
            self._pair_of[triple] = head, tail
            row.weight += 1.0 if graph.weights is None else float(graph.weights[triple])
            description = self._described(triple)
            if description:
                row.descriptions[description] += 1
            if len(begin):
                row.passages.update(int(one) for one in support[begin[triple] : begin[triple + 1]])

    def _described(self, triple: int) -> str:
        description = self._graph.triple_description(triple)
        relation = self._graph.relation_of(triple)
        if description or self._graph.relation_key(relation) == OCCURS_WITH:
            return description
        head, _, tail = self._graph.triple(triple)
        return f"{self._graph.label(head)} {self._graph.relation_label(relation)} {self._graph.label(tail)}"

    def rows(self) -> dict[str, Rows]:
        """Return all tables by name."""
        tables = {
            "documents": list(self._documents()),
            "text_units": list(self._text_units()),
            "entities": list(self._entities()),
            "relationships": list(self._relationships()),
            "covariates": list(self._covariates()),
        }
        if communities_place(self._graph).facts() is not None:
            tree = communities_of(self._graph)
            tables["communities"] = list(self._communities(tree))
            if reports_place(self._graph).facts() is not None:
                reports = reports_of(self._graph).of
                tables["community_reports"] = [self._report(tree, reports[one]) for one in sorted(reports)]
        return tables

    def _documents(self) -> Iterator[dict[str, Any]]:
        units: dict[str, list[str]] = {}
        for i, unit in enumerate(self._units):
            units.setdefault(self._graph.passage(i).document, []).append(unit)
        with TextStore(text_folder(self._graph.place)) as store:
            for number, (address, ids) in enumerate(units.items()):
                document = store.document(address)
                if document is None:
                    raise GraphbrickError(
                        f"{store.folder} does not have the document {address}, which {self._graph.path} was made from; "
                        "index again",
                        code="export_graphrag.no_document",
                    )
                id_ = _hashed("document", address)
                raw = json.dumps({TITLE: document[0]}, ensure_ascii=False)  # GraphRAG's titles are names of files
                row = {"id": id_, "human_readable_id": number, "title": address, "text": document[1], "raw_data": raw}
                yield {**row, "text_unit_ids": ids}

    def _text_units(self) -> Iterator[dict[str, Any]]:
        related: dict[int, list[str]] = {}
        for (head, tail), row in self._pairs.items():
            for one in row.passages:
                related.setdefault(one, []).append(self._relation_id(head, tail))
        claims: dict[int, list[str]] = {}
        for number, claim in enumerate(self._graph.claims):
            claims.setdefault(claim.passage, []).append(_hashed("claim", str(number)))
        begin, mentions = self._graph.mentions
        for number, unit in enumerate(self._units):
            passage = self._graph.passage(number)
            yield {
                "id": unit,
                "human_readable_id": number,
                "text": passage.text,
                "n_tokens": text_tokens(passage.text),
                "document_id": _hashed("document", passage.document),
                "entity_ids": [self._entity_id(one) for one in mentions[begin[number] : begin[number + 1]].tolist()],
                "relationship_ids": related.get(number, []),
                "covariate_ids": claims.get(number, []),
            }

    def _entities(self) -> Iterator[dict[str, Any]]:
        for entity, title in enumerate(self._titles):
            units = [self._units[one] for one in self._graph.mentioned_in(entity).tolist()]
            yield {
                "id": self._entity_id(entity),
                "human_readable_id": entity,
                "title": title,
                "type": self._graph.first_type(entity),
                "description": self._graph.description(entity),
                "text_unit_ids": units,
                "frequency": len(units),
                "degree": self._graph.degree(entity),
            }

    def _relationships(self) -> Iterator[dict[str, Any]]:
        for (head, tail), row in self._pairs.items():
            only = next(iter(row.descriptions), "")
            yield {
                "id": self._relation_id(head, tail),
                "human_readable_id": row.number,
                "source": self._titles[head],
                "target": self._titles[tail],
                "description": only if len(row.descriptions) < 2 else joined_descriptions(row.descriptions),
                "weight": row.weight,
                "combined_degree": self._graph.degree(head) + self._graph.degree(tail),
                "text_unit_ids": [self._units[one] for one in sorted(row.passages)],
            }

    def _covariates(self) -> Iterator[dict[str, Any]]:
        for number, claim in enumerate(self._graph.claims):
            yield {
                "id": _hashed("claim", str(number)),
                "human_readable_id": number,
                "covariate_type": "claim",
                "type": claim.type,
                "description": claim.description,
                "subject_id": self._titles[claim.subject],
                "object_id": _NONE if claim.object is None else self._titles[claim.object],
                "status": claim.status,
                "start_date": claim.start or _NONE,
                "end_date": claim.end or _NONE,
                "source_text": claim.quote,
                "text_unit_id": self._units[claim.passage],
            }

    def _communities(self, tree: CommunityTree) -> Iterator[dict[str, Any]]:
        for number in range(len(tree)):
            members = tree.members(number).tolist()
            chosen = set(members)
            inside = {
                self._pair_of[triple]
                for one in members
                for triple in self._graph.triples_from(one)
                if self._pair_of[triple][1] in chosen
            }
            passages = sorted({passage for pair in inside for passage in self._pairs[pair].passages})
            yield {
                **self._place(tree, number),
                "title": f"Community {number}",
                "entity_ids": list(map(self._entity_id, members)),
                "relationship_ids": [self._relation_id(*pair) for pair in sorted(inside)],
                "text_unit_ids": [self._units[one] for one in passages],
            }

    def _place(self, tree: CommunityTree, number: int) -> dict[str, Any]:
        return {
            "id": _hashed("community", tree.identity, str(number)),
            "human_readable_id": number,
            "community": number,
            "level": int(tree.level[number]),
            "parent": int(tree.parent[number]),
            "children": tree.children(number),
            "period": "",
            "size": len(tree.members(number)),
        }

    def _report(self, tree: CommunityTree, report: CommunityReport) -> dict[str, Any]:
        findings = []
        for finding in report.findings:
            explanation = f"{finding.explanation} {self._data(finding.cited)}".strip()
            findings.append({"summary": finding.summary, "explanation": explanation})
        content = {
            "title": report.title,
            "summary": f"{report.summary} {self._data(report.cited)}".strip(),
            "rating": report.rating,
            "rating_explanation": report.why,
            "findings": findings,
        }
        sections = "".join(f"\n\n## {one['summary']}\n\n{one['explanation']}" for one in findings)
        return {
            **self._place(tree, report.community),
            **content,
            "id": _hashed("report", tree.identity, str(report.community)),
            "rank": report.rating,
            "full_content": f"# {report.title}\n\n{content['summary']}{sections}",
            "full_content_json": json.dumps(content, indent=4, ensure_ascii=False),
        }

    def _data(self, cited: Cited) -> str:
        """Return what a text cites as GraphRAG writes it; empty for nothing."""
        relations = [self._pairs[self._pair_of[triple]].number for triple in cited.triples]
        lists = {"Entities": cited.entities, "Relationships": relations, "Sources": cited.passages}
        parts = [f"{name} ({', '.join(map(str, _once(ids)))})" for name, ids in lists.items() if ids]
        return f"[Data: {'; '.join(parts)}]" if parts else ""

    def _entity_id(self, entity: int) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, self._graph.key(entity)))

    def _relation_id(self, head: int, tail: int) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([self._graph.key(head), self._graph.key(tail)])))


def _titles(graph: TextGraph) -> list[str]:
    """Return a title for each entity: its label, with the key if several have that label."""
    labels = [graph.label(entity) for entity in range(graph.n_entities)]
    counts = Counter(labels)
    return [label if counts[label] == 1 else f"{label} ({graph.key(i)})" for i, label in enumerate(labels)]


def _hashed(*parts: str) -> str:
    return sha512(json.dumps(parts).encode()).hexdigest()


def _once(ids: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(ids))
