"""The tables of GraphRAG as records, passages, support, communities and reports."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from graphbrick.graphs.communities import CommunityTree
from graphbrick.graphs.corpus import Claim, TextGraph
from graphbrick.graphs.corpus_writer import Support
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record
from graphbrick.language.counting import counted
from graphbrick.text.exchange.graphrag.passages import Passages
from graphbrick.text.exchange.graphrag.tables import Row, TableRows, ids_of, name_of, number_of, text_of
from graphbrick.text.extract.describing import joined_descriptions
from graphbrick.text.extract.extraction import STATUSES
from graphbrick.text.reporting.reports import MOST_RATING, Cited, CommunityReport, Finding

RELATED = "related to"
"""The relation of all imported triples: GraphRAG describes a relation, but does not name it."""

_NONE = frozenset({"", "none", "null", "nan"})
_DATA = re.compile(r"\s*\[\s*Data:([^\]]*)\]")
_DATA_LIST = re.compile(r"\b(Entit|Relation|Source|Text Unit)[a-z]*\s*\(([^)]*)\)", re.IGNORECASE)


@dataclass
class _Entity:
    types: Counter[str] = field(default_factory=Counter)
    descriptions: Counter[str] = field(default_factory=Counter)


@dataclass
class _Relation:
    weight: float = 0.0
    descriptions: Counter[str] = field(default_factory=Counter)
    keywords: dict[str, None] = field(default_factory=dict)
    passages: set[int] = field(default_factory=set)


class Reader:
    """The records, passages, communities and reports that a graph is made from.

    Attributes:
        passages: Documents and passages.
        notes: What a user should know.
    """

    def __init__(self, tables: TableRows) -> None:
        self.passages = Passages(tables)
        self.notes = list(tables.notes)
        self._tables = tables
        self._entities: defaultdict[str, _Entity] = defaultdict(_Entity)
        self._relations: defaultdict[tuple[str, str], _Relation] = defaultdict(_Relation)
        self._mentions: list[set[str]] = [set() for _ in self.passages.passages]
        self._title: dict[str, str] = {}  # of the entity with an id
        self._cited_entity: dict[str, str] = {}
        self._cited_relation: dict[str, tuple[str, str]] = {}
        self._triple: dict[tuple[str, str], int] = {}
        self._read_entities()
        self._read_relations()
        self._claims = list(self._read_claims())
        if self.passages.apart:
            self.notes.append(
                f"{self.passages.apart:,} text units are not in the text of a document, and are documents of their own"
            )

    @property
    def has_relations(self) -> bool:
        """True if there is a relation between two entities."""
        return bool(self._relations)

    def _read_entities(self) -> None:
        for row in self._tables["entities"]:
            title = name_of(row, "title", "name")
            if not title:
                continue
            entity = self._entities[title]
            if text_of(row, "type"):
                entity.types[text_of(row, "type")] += 1
            if text_of(row, "description"):
                entity.descriptions[text_of(row, "description")] += 1
            self._title[text_of(row, "id")] = title
            self._cited_entity[str(row.get("human_readable_id"))] = title
            for unit in ids_of(row, "text_unit_ids"):
                self._mention(title, unit)
        for row in self._tables["text_units"]:
            for one in ids_of(row, "entity_ids"):
                if one in self._title:
                    self._mention(self._title[one], text_of(row, "id"))

    def _mention(self, title: str, unit: str) -> int | None:
        number = self.passages.number(unit)
        if number is not None:
            self._mentions[number].add(title)
        return number

    def _read_relations(self) -> None:
        unknown = set()
        for row in self._tables["relationships"]:
            head, tail = name_of(row, "source"), name_of(row, "target")
            if not head or not tail:
                continue
            unknown |= {head, tail} - self._entities.keys()
            relation = self._relations[head, tail]
            relation.weight += max(number_of(row, "weight", 1.0), 0.0)
            if text_of(row, "description"):
                relation.descriptions[text_of(row, "description")] += 1
            relation.keywords |= dict.fromkeys(ids_of(row, "keywords"))
            self._cited_relation[str(row.get("human_readable_id"))] = head, tail
            for unit in ids_of(row, "text_unit_ids"):
                numbers = {self._mention(end, unit) for end in (head, tail)}
                relation.passages |= numbers - {None}  # type: ignore[arg-type]
        self._add_unknown(unknown, "ends of relationships")

    def _read_claims(self) -> Iterator[tuple[str, str, Claim]]:
        """Yield the claims with the titles of subject and object; the ids are filled in when there is a graph."""
        unknown, lost = set(), 0
        for row in self._tables["covariates"]:
            subject, affected = (name_of(row, name) for name in ("subject_id", "object_id"))
            passage = self.passages.number(text_of(row, "text_unit_id"))
            if passage is None or subject.lower() in _NONE:
                lost += 1
                continue
            affected = "" if affected.lower() in _NONE else affected
            for title in (subject, affected):
                if title:
                    unknown |= {title} - self._entities.keys()
                    self._mentions[passage].add(title)
            status = text_of(row, "status").upper()
            start, end = (text_of(row, name) for name in ("start_date", "end_date"))
            yield (
                subject,
                affected,
                Claim(
                    -1,
                    None,
                    passage,
                    text_of(row, "type"),
                    status if status in STATUSES else "SUSPECTED",
                    "" if start.lower() in _NONE else start,
                    "" if end.lower() in _NONE else end,
                    text_of(row, "description"),
                    text_of(row, "source_text"),
                ),
            )
        self._add_unknown(unknown, "subjects or objects of claims")
        if lost:
            self.notes.append(f"{lost:,} claims without subject or text unit were left out")

    def _add_unknown(self, titles: set[str], what: str) -> None:
        for title in sorted(titles):
            self._entities[title]
        if titles:
            few = ", ".join(sorted(titles)[:3]) + (", ..." if len(titles) > 3 else "")
            self.notes.append(f"{len(titles):,} {what} are not in the table of entities, and were added: {few}")

    # The graph

    def records(self) -> Iterator[Record]:
        """Yield the records of the graph."""
        for title, entity in sorted(self._entities.items()):
            description = joined_descriptions(entity.descriptions) if entity.descriptions else None
            if len(entity.descriptions) == 1:
                description = next(iter(entity.descriptions))
            yield EntityRecord(title, title, (), tuple(entity.types), description)
        for head, tail in sorted(self._relations):
            yield head, RELATED, tail

    def mentions(self, graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return the entities that each passage mentions, like `TextGraph.mentions`."""
        rows = [sorted(map(graph.entity, titles)) for titles in self._mentions]
        begin = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return begin, np.array([entity for row in rows for entity in row], dtype=np.int32)

    def support(self, graph: Graph) -> Support:
        """Return what the passages say of the triples."""
        rows = [self._relations[head, tail] for head, _, tail in graph.key_triples()]
        texts = (
            next(iter(row.descriptions), "") if len(row.descriptions) < 2 else joined_descriptions(row.descriptions)
            for row in rows
        )
        claims = [
            claim._replace(subject=graph.entity(subject), object=graph.entity(affected) if affected else None)
            for subject, affected, claim in self._claims
        ]
        return Support(
            np.array([max(row.weight, 1e-6) for row in rows], dtype=np.float32),
            np.cumsum([0, *(len(row.passages) for row in rows)]),
            np.array([passage for row in rows for passage in sorted(row.passages)], dtype=np.int32),
            texts,
            (tuple(row.keywords) for row in rows),
            sorted(claims, key=lambda one: one.passage),
        )

    # Communities

    def communities(self, graph: TextGraph) -> tuple[CommunityTree, dict[int, int]]:
        """Return the communities, and the number in the tree of each number in the tables."""
        clusters: dict[int, list[int]] = {}
        parents: dict[int, int | None] = {}
        rows = self._tables["communities"]
        for row in rows:
            number, parent = _community(row), int(number_of(row, "parent", -1))
            members = [graph.entity(self._title[one]) for one in ids_of(row, "entity_ids") if one in self._title]
            if number >= 0 and members:
                clusters[number], parents[number] = members, None if parent < 0 else parent
        if not clusters:
            clusters, parents = self._communities_of_nodes(graph)
        without = len({_community(row) for row in rows} - clusters.keys())
        if without:
            self.notes.append(f"{without:,} communities name no entity of the table of entities, and were left out")
        return CommunityTree.of(clusters, {one: up if up in clusters else None for one, up in parents.items()})

    def _communities_of_nodes(self, graph: TextGraph) -> tuple[dict[int, list[int]], dict[int, int | None]]:
        """Return members and parents of the communities by the table of nodes: a row for each entity and level.

        Versions before 1.1 keep them there. A community lies in that of its first member on the level above.
        """
        clusters: dict[int, list[int]] = {}
        parents: dict[int, int | None] = {}
        levels: dict[int, int] = {}
        of_level: dict[tuple[str, int], int] = {}
        for row in self._tables["nodes"]:
            title, number, level = (
                name_of(row, "title"),
                int(number_of(row, "community", -1)),
                number_of(row, "level", 0),
            )
            if number >= 0 and title in self._entities:
                clusters.setdefault(number, []).append(graph.entity(title))
                of_level[title, int(level)] = number
                levels[number] = int(level)
        for (title, level), number in of_level.items():
            if level == levels[number]:
                parents.setdefault(number, of_level.get((title, level - 1)))
        members = {number: list(dict.fromkeys(entities)) for number, entities in clusters.items()}
        return members, {number: None if up == number else up for number, up in parents.items()}

    def reports(self, graph: TextGraph, numbers: Mapping[int, int]) -> list[CommunityReport]:
        """Return the reports, by community; those that belong to none are left out, which is noted."""
        reports = {}
        left_out: list[str] = []
        keys = ((head, tail) for head, _, tail in graph.key_triples())
        self._triple = dict(zip(keys, graph.triple_ids().tolist(), strict=True))
        for row in self._tables["community_reports"]:
            number = numbers.get(_community(row))
            if number is None or number in reports or not text_of(row, "title", "summary"):
                left_out.append(text_of(row, "title") or text_of(row, "id"))
            else:
                reports[number] = self._report(graph, number, row)
        if left_out:
            few = ", ".join(f"«{title}»" for title in left_out[:3]) + (", ..." if len(left_out) > 3 else "")
            self.notes.append(
                f"{counted(len(left_out), 'report')} left out, without words or a community with entities: {few}"
            )
        return [reports[number] for number in sorted(reports)]

    def _report(self, graph: TextGraph, number: int, row: Row) -> CommunityReport:
        findings = []
        for one in _findings(row.get("findings")):
            (summary, first), (explanation, second) = self._read_text(graph, one[0]), self._read_text(graph, one[1])
            findings.append(Finding(summary, explanation, Cited.union([first, second])))
        summary, cited = self._read_text(graph, text_of(row, "summary"))
        rating = min(max(number_of(row, "rank", number_of(row, "rating", 0.0)), 0.0), MOST_RATING)
        why = text_of(row, "rating_explanation", "rank_explanation")
        return CommunityReport(number, text_of(row, "title"), summary, rating, why, tuple(findings), cited)

    def _read_text(self, graph: TextGraph, text: str) -> tuple[str, Cited]:
        """Return a text without its citations, and what it cites."""
        entities: list[int] = []
        triples: list[int] = []
        passages: list[int] = []
        for data in _DATA.findall(text):
            for kind, listed in _DATA_LIST.findall(data):
                for one in re.findall(r"\d+", listed):
                    if kind.lower() == "entit" and one in self._cited_entity:
                        entities.append(graph.entity(self._cited_entity[one]))
                    elif kind.lower() == "relation" and one in self._cited_relation:
                        triples.append(self._triple[self._cited_relation[one]])
                    elif kind.lower() in ("source", "text unit"):
                        passage = self.passages.number_cited(one)
                        passages += [] if passage is None else [passage]
        cited = Cited.union([Cited(tuple(entities), tuple(triples), tuple(passages))])
        return _DATA.sub("", text).strip(), cited


def _community(row: Row) -> int:
    """Return the number of a community; -1 if there is none. Version 0 has it as ``id``."""
    return int(number_of(row, "community", number_of(row, "id", -1)))


def _findings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield summary and explanation of each finding: objects, or the same as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = [value]
    for one in value if isinstance(value, list) else []:
        if isinstance(one, Mapping):
            yield text_of(one, "summary"), text_of(one, "explanation")
        elif isinstance(one, str) and one.strip():
            yield one.strip(), ""
