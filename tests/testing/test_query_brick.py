"""A graph in SQLite with a query language and passages, and a brick that talks to a model, by CONTRIBUTING.md alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails

from graphbrick import LLM, Generate, LocalAround, PathAnswer, Session, ShortestPaths
from graphbrick.core import Citation, Evidence, Passage, Query, Row, Subgraph
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import (
    Capability,
    Labels,
    NeighbourList,
    Neighbours,
    Passages,
    PassageText,
    QueryLanguage,
    capabilities_of,
)
from graphbrick.core.parameters import parameter
from graphbrick.core.schema import Rows
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.models.llm.messages import Tool, system, tool_result, user
from graphbrick.pipeline import RetrieveStage
from graphbrick.testing import Reply, ScriptedLLM

ENTITIES = ("Kenya", "Uganda", "Nairobi", "Kampala", "Kenyan shilling")
TRIPLES = ((0, 0, 2), (1, 0, 3), (0, 1, 4))
RELATIONS = ("capital", "currency")
ATLAS = "Nairobi is the capital of Kenya. Kampala lies in Uganda."


class SqliteGraph(Labels, Neighbours, QueryLanguage, Passages):
    """A graph in a file of SQLite; the connection belongs to the session."""

    language = "SQL"

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def database(self) -> sqlite3.Connection:
        address = f"{self.file.as_uri()}?mode=ro"
        return current_session().get(
            ("sqlite graph", str(self.file)),
            lambda: sqlite3.connect(address, uri=True, check_same_thread=False),
            close=sqlite3.Connection.close,
        )

    def rows(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.database.execute(text, values).fetchall()

    def label(self, entity: int) -> str:
        return str(self.rows("SELECT name FROM entity WHERE id = ?", int(entity))[0][0])

    key = label

    def relation_label(self, relation: int) -> str:
        return RELATIONS[relation]

    def entity(self, key: str) -> int:
        for row in self.rows("SELECT id FROM entity WHERE name = ?", key):
            return int(row[0])
        raise LinkError(f"no entity has the key {key!r}")

    def search(self, text: str, n: int) -> list[int]:
        return [row[0] for row in self.rows("SELECT id FROM entity WHERE instr(?, name) ORDER BY id LIMIT ?", text, n)]

    def neighbours(
        self,
        entities: Sequence[int],
        *,
        direction: str = "both",
        relations: Collection[int] | None = None,
        limit: int = 1000,
    ) -> list[NeighbourList]:
        ways = {"out": "head = ?1", "in": "tail = ?1", "both": "head = ?1 OR tail = ?1"}
        select = f"SELECT head, relation, tail FROM triple WHERE {ways[direction]} LIMIT {limit + 1}"
        lists = []
        for entity in entities:
            found = [row for row in self.rows(select, int(entity)) if relations is None or row[1] in relations]
            triples = np.array(found[:limit], dtype=np.int32).reshape(-1, 3)
            lists.append(NeighbourList(triples, is_cut=len(found) > limit))
        return lists

    def query(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        try:
            cursor = self.database.execute(text, parameters)
        except sqlite3.Error as error:
            raise GraphbrickError(f"{text!r}: {error}; read the schema and correct the query") from error
        rows = cursor.fetchmany(limit + 1)
        return Rows(tuple(column[0] for column in cursor.description), rows[:limit], is_cut=len(rows) > limit)

    def passages(self, entities: Sequence[int], limit: int) -> list[list[PassageText]]:
        lists: list[list[PassageText]] = []
        for entity in entities:
            name, start, found = self.label(entity), 0, []
            for sentence in ATLAS.split(". "):
                if name in sentence:
                    found.append(PassageText(sentence, "atlas.txt", start, start + len(sentence)))
                start += len(sentence) + 2
            lists.append(found[:limit])
        return lists


@dataclass(frozen=True, repr=False)
class AskSql(RetrieveStage):
    """Rows of the queries that a model writes with a tool; a query that fails is given back to it.

    Args:
        llm: The model.
        rounds: Queries at most, at least 1.
    """

    needs = frozenset({Capability.LABELS, Capability.QUERY_LANGUAGE})

    llm: LLM = parameter(example="LLM('gpt-4.1')")
    rounds: int = parameter(3, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the rows."""
        graph: Any = subgraph.graph
        tool = Tool("query", f"Run {graph.language}", {"type": "object", "properties": {"text": {"type": "string"}}})
        messages = [system("Tables: entity(id, name), triple(head, relation, tail)."), user(query.text)]
        items: list[Row] = []
        for _ in range(self.rounds):
            reply = self.llm.ask(messages, tools=[tool])
            if not reply.tool_calls:
                break
            messages.append(reply.message)
            for call in reply.tool_calls:
                try:
                    found = graph.query(call.arguments["text"], {}, limit=10)
                except GraphbrickError as error:
                    event(str(error))
                    messages.append(tool_result(call, str(error)))
                    continue
                place = Citation(query=call.arguments["text"])
                items += [Row(found.columns, row, (place,), (), subgraph.graph) for row in found.rows]
                messages.append(tool_result(call, json.dumps(found.rows)))
        return Evidence(tuple(items))


@dataclass(frozen=True, repr=False)
class AboutSeeds(RetrieveStage):
    """Passages that mention a seed."""

    needs = frozenset({Capability.LABELS, Capability.PASSAGES})

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the passages."""
        graph: Any = subgraph.graph
        found = zip(query.seeds, graph.passages(query.seeds, 5), strict=True)
        return Evidence(
            tuple(
                Passage(p.text, (Citation(p.document, p.start, p.end),), (seed,), subgraph.graph)
                for seed, passages in found
                for p in passages
            )
        )


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[SqliteGraph]:
    with sqlite3.connect(tmp_path / "atlas.sqlite") as database:
        database.execute("CREATE TABLE entity(id INTEGER, name TEXT)")
        database.execute("CREATE TABLE triple(head INTEGER, relation INTEGER, tail INTEGER)")
        database.executemany("INSERT INTO entity VALUES (?, ?)", enumerate(ENTITIES))
        database.executemany("INSERT INTO triple VALUES (?, ?, ?)", TRIPLES)
    database.close()
    with Session():
        yield SqliteGraph(tmp_path / "atlas.sqlite")


def calls(text: str) -> Reply:
    return Reply(tool_calls=[("query", json.dumps({"text": text}))], finish_reason="tool_calls")


CAPITALS = (
    "SELECT h.name AS country, t.name AS capital FROM triple JOIN entity h ON head = h.id JOIN entity t ON tail = t.id "
    "WHERE relation = 0 ORDER BY head"
)


def test_the_graph_gives_what_it_implements(graph: SqliteGraph) -> None:
    missing = {Capability.ADJACENCY, Capability.CORPUS, Capability.STORED, Capability.PROPERTIES}
    assert capabilities_of(graph) == frozenset(Capability) - missing
    assert (ShortestPaths() >> PathAnswer())(LocalAround(graph), "What is the capital of Uganda?").texts == ("Kampala",)


def test_passages_of_the_graph_become_evidence_with_their_places(graph: SqliteGraph) -> None:
    run = AboutSeeds().run(graph, "What is known of Kampala?", seeds=["Kampala"])
    assert run.evidence is not None
    assert [item.citations for item in run.evidence.items] == [(Citation("atlas.txt", 33, 56),)]
    assert ATLAS[33:56] == run.evidence.items[0].text


def test_a_model_queries_with_a_tool_until_a_query_runs(graph: SqliteGraph) -> None:
    replies = [calls("SELECT nonsense"), calls(CAPITALS), "That is all.", "Nairobi [1]"]
    with ScriptedLLM(replies) as server:
        llm = LLM("model", base_url=server.base_url)
        run = (AskSql(llm) >> Generate(llm)).run(graph, "Which capitals are there?", seeds=["Kenya"])
        second = server.requests[1]
    assert run.evidence is not None
    assert [item.text for item in run.evidence.items] == [
        "country: Kenya, capital: Nairobi",
        "country: Uganda, capital: Kampala",
    ]
    assert {item.citations for item in run.evidence.items} == {(Citation(query=CAPITALS),)}
    assert run.answer is not None
    assert (run.answer.texts, run.answer.support) == (("Nairobi",), ((0,),))
    assert "no such column: nonsense" in json.dumps(second.body["messages"][-1])
    assert any("no such column" in message for message in run.trace.events)


def test_the_connection_is_closed_with_its_session(graph: SqliteGraph) -> None:
    with Session() as session:
        database = graph.database
        assert session.opened("sqlite graph") == [database]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_a_brick_that_needs_what_the_graph_lacks_is_refused_with_advice(graph: SqliteGraph) -> None:
    with fails("graph.missing_capability"):
        ShortestPaths().run(graph, "What is the capital of Uganda?", seeds=["Uganda"])
