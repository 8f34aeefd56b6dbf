"""Graphs in ladybug, an embedded database."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphbrick.core.deferred import cached_property
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Properties, PropertyColumn, shown_value
from graphbrick.core.schema import Connection, NodeClass, Property, RelationType, Rows, Schema
from graphbrick.graphs.databases.cypher.around import Followed
from graphbrick.graphs.databases.cypher.cypher import FACTS, OPTIONS, CypherGraph
from graphbrick.graphs.databases.cypher.dialect import Dialect, quoted
from graphbrick.graphs.databases.cypher.ladybug_search import handles_named_in, has_value, table_search
from graphbrick.graphs.databases.cypher.plain_schema import examples_of
from graphbrick.graphs.databases.cypher.properties import Search, Tally
from graphbrick.graphs.databases.cypher.rows import first_rows, plain_values
from graphbrick.graphs.databases.cypher.values import key_value, properties_among, property_value, type_kind
from graphbrick.graphs.databases.embedded import LIMITS, EmbeddedGraph
from graphbrick.graphs.databases.errors import QueryError
from graphbrick.graphs.databases.graph import check_client, files_mark
from graphbrick.graphs.databases.names import relation_words
from graphbrick.graphs.databases.nodes import Edge, Node
from graphbrick.graphs.queries.limits import with_limit
from graphbrick.graphs.queries.tokens import literal

_EXAMPLES = 3
_ORDERED = 1_000_000  # rows of a table whose examples are its first ones
_INTERNAL = ("_ID", "_LABEL", "_SRC", "_DST")


class LadybugGraph(EmbeddedGraph, CypherGraph):
    """A graph in a database of ladybug on this machine, ``ladybug:FILE``, opened for reading only.

    Half of the memory that queries may use (``?memory=4096`` for another number of megabytes) is for the page cache.
    """

    options = (*OPTIONS, *LIMITS)
    engine = Path(__file__).with_name("ladybug_worker.py")

    @property
    def dialect(self) -> Dialect:
        """The words that differ."""
        return Dialect(handle="id({})", type="label({})", text="CAST({}, 'STRING')")

    def fetch(self, text: str, parameters: Mapping[str, Any], limit: int) -> Rows:
        """Run a query and return values as the client returns them."""
        check_client("ladybug", "ladybug")
        file = Path(self.address.name)
        if not file.exists():
            text = f"there is no database {file}; correct the address ladybug:FILE"
            raise GraphbrickError(text, code="ladybug.no_file", file=file)
        values = {name: value for name, value in parameters.items() if re.search(rf"\${re.escape(name)}\b", text)}
        request = {
            "text": with_limit(text, self.language, limit + 1),
            "values": values,
            "limit": limit,
            "seconds": self.timeout,
        }
        result = self.ask_process({"file": str(file.absolute()), "cache": self.memory // 2}, request, self.timeout)
        if result is None:
            text = "only one query at a time is allowed; leave out what follows ';'"
            raise QueryError(text, code="ladybug.several_queries")
        columns, rows = result
        return first_rows(columns, rows, limit)

    def mark(self) -> dict[str, Any] | None:
        """Return sizes and times of the files, or what `CypherGraph.mark` returns."""
        return super().mark() if self.stamp else files_mark(self.files())

    def files(self) -> Iterable[Path]:
        """Return the file of the database, and that of what was written last."""
        file = Path(self.address.name)
        return [path for path in (file, file.with_name(f"{file.name}.wal")) if path.exists()]

    # Nodes and relations come whole, because a query may only name properties that some table has

    def shown(self, variable: str, *, whole: bool = False) -> str:
        """Return the expression that a query must return for a node, so that `read` can read it."""
        return variable

    def read(self, value: Any, *, whole: bool = False) -> Node:
        """Return the node of a value that was returned as `shown` says; only a whole one has properties."""
        place = value["_ID"]
        return self.made((place["table"], place["offset"]), [value["_LABEL"]], value, whole)

    def relation(self, variable: str, *, whole: bool = False) -> str:
        """Return the expression that a query must return for a relation, so that `read_relation` can read it."""
        return variable

    def read_relation(self, value: Any) -> tuple[str, str, str]:
        """Return the type, the key and the label of a relation."""
        kind = str(value["_LABEL"])
        comments = self._table_comments.get(kind, {})
        return (
            kind,
            str(value.get("key") or comments.get("relation") or kind),
            str(comments.get("label") or value.get("label") or relation_words(kind)),
        )

    def of_triple(self, relation: Any) -> Properties:
        """Return the properties of a relation that was returned whole."""
        return self.own(relation, ("key", "label"))

    def own(self, values: Mapping[str, Any], without: Collection[str]) -> Properties:
        """Return the properties among the values of a node or relation."""
        properties, names = properties_among(values, (*without, *_INTERNAL)), self._names_of(values["_LABEL"])
        own = {names[name]: properties.get(name, ()) for name in names if values.get(name) is not None}
        known = {*names, *names.values()}  # values of a relation with the name of a property stay triples
        return {**{name: value for name, value in properties.items() if name not in known}, **own}

    def _names_of(self, table: str) -> Mapping[str, str]:
        """Return the property that each column holds; empty for a table that no export of a folder graph made."""
        columns = self._table_comments.get(table, {}).get("columns", {})
        return {column: str(name) for column, (name, _) in columns.items()}

    def repeated(self, handle: Any) -> Collection[str]:
        """Return the properties that only repeat triples: the numbers and dates in an export of a folder graph."""
        table = self._tables[handle[0]][1]
        return {*self._table_comments.get(table, {}).get("properties", {})} - {*self._names_of(table).values()}

    def nodes_at(self, handles: Sequence[Any]) -> list[Node]:
        """Return the whole nodes with these handles, in any order, without those that are gone."""
        by_table: dict[int, list[int]] = {}
        for table, offset in handles:
            by_table.setdefault(table, []).append(offset)
        nodes: list[Node] = []
        for table, offsets in by_table.items():
            query = f"MATCH (n:{quoted(self._tables[table][1])}) WHERE offset(id(n)) IN $offsets RETURN n"
            rows = self.fetch(query, {"offsets": offsets}, len(offsets)).rows
            nodes += [self.read(row[0], whole=True) for row in rows]
        return nodes

    @cached_property
    def _tables(self) -> dict[int, tuple[str, str, str]]:
        """The kind, name and comment of each table."""
        rows = self.fetch("CALL show_tables() RETURN id, name, type, comment", {}, 100_000).rows
        return {int(number): (kind, name, comment or "") for number, name, kind, comment in sorted(rows)}

    @cached_property
    def _table_comments(self) -> dict[str, dict[str, Any]]:
        """The comments of tables made by the export of a folder graph, such as key and label of a relation."""
        comments = {}
        for _, name, comment in self._tables.values():
            if comment.startswith("{"):
                try:
                    comments[name] = json.loads(comment)
                except ValueError:
                    continue
        return comments

    def edges(
        self, handles: list[Any], forward: bool, followed: Followed | None, limit: int, *, whole: bool = False
    ) -> list[tuple[Any, Edge]]:
        """Return at most ``limit`` edges of nodes in one direction, table by table."""
        arrow = "-[r]->" if forward else "<-[r]-"
        by_table: dict[int, list[int]] = {}
        for table, offset in handles:
            by_table.setdefault(table, []).append(offset)
        edges: list[tuple[Any, Edge]] = []
        for table, offsets in by_table.items():
            text = (
                f"MATCH (n:{quoted(self._tables[table][1])}){arrow}(m) WHERE offset(id(n)) IN $offsets"
                f"{self.of_relations(followed)} RETURN offset(id(n)), r, m LIMIT {limit - len(edges)}"
            )
            rows = self.fetch(text, {"offsets": offsets, **self.followed_values(followed)}, limit).rows
            edges += [((table, row[0]), self.edge(row[1], row[2], forward, whole=whole)) for row in rows]
            if len(edges) >= limit:
                break
        return edges

    def carries_key(self, kind: str) -> bool:
        """Return whether the edges of a type may belong to several relations; not if the table names its relation."""
        return "relation" not in self._table_comments.get(kind, {})

    def named_in(self, text: str, n: int) -> list[Node]:
        """Return at most ``n`` entities whose names are parts of a text, compared in lower case."""
        return self.nodes_at(handles_named_in(self, text, self.names(), aliases=self._has_aliases, n=n))

    @cached_property
    def _has_aliases(self) -> bool:
        """True if any node has an alias; looking through millions of nodes without one takes seconds."""
        lists = [
            table
            for table, columns in self._columns.items()
            for name, kind, _ in columns
            if (name, kind) == ("aliases", "STRING[]")
        ]
        return any(
            self.fetch(f"MATCH (n:{quoted(table)}) WHERE size(n.aliases) > 0 RETURN 1 LIMIT 1", {}, 1).rows
            for table in lists
        )

    def equal(self, name: str) -> str:
        """Return the condition that a property of ``n``, as text, is ``$text``."""
        return f"CAST(n.{quoted(name)}, 'STRING') = $text"

    def by_handle(self, key: str) -> Node | None:
        """Return None: every node has a primary key."""
        return None

    def key_names(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the properties that hold the key of a node of a table; without others, its primary key is the key."""
        return (*self._key_names, self._primary_keys.get(labels[0], ""))

    def find(self, key: str) -> Node | None:
        """Return the entity with exactly this key; None if there is none."""
        for table, name in self._primary_keys.items():
            kind, value = self._key_types[table], key_value(key, self._key_types[table])
            if value is None:
                continue
            is_text = isinstance(value, str) and kind != "STRING"
            place = f"CAST(n.{quoted(name)}, 'STRING')" if is_text else f"n.{quoted(name)}"
            text = f"MATCH (n:{quoted(table)}) WHERE {place} = $value RETURN n LIMIT 1"
            for row in self.fetch(text, {"value": value}, 1).rows:
                node = self.read(row[0])
                if node.key == key:
                    return node
        return super().find(key)

    def nodes_after(self, after: Any, n: int) -> list[Node]:
        """Return at most ``n`` whole nodes of one table in the order of their ids; none only after the last table."""
        for table, (kind, name, _) in self._tables.items():
            if kind == "NODE" and (after is None or table >= after[0]):
                offset = after[1] if after is not None and table == after[0] else -1
                text = (
                    f"MATCH (n:{quoted(name)}) WHERE offset(id(n)) > $after RETURN n ORDER BY offset(id(n)) LIMIT {n}"
                )
                rows = self.fetch(text, {"after": offset}, n).rows
                if rows:
                    return [self.read(row[0], whole=True) for row in rows]
        return []

    # Properties

    def searches(self, condition: Condition) -> Iterable[Search]:
        """Return the searches that together find all nodes with a property that meets a condition, and a few more."""
        for table, columns in self._columns.items():
            for name, declared, _ in columns:
                if self._names_of(table).get(name, name) == condition.name and table in self._node_tables:
                    search = table_search(table, name, declared, condition)
                    if search is not None:
                        yield search

    def read_property_columns(self) -> list[PropertyColumn]:
        """Return the columns of the node tables that have values, with exact counts."""
        tally = Tally()
        for table in self._node_tables:
            names = self._names_of(table)
            columns = {name: kind for name, kind, _ in self._columns[table] if name not in self._named_columns(table)}
            pattern = f"(n:{quoted(table)})"
            having = (has_value(f"n.{quoted(name)}", kind) for name, kind in columns.items())
            listed = ", ".join(f"sum(CASE WHEN {one} THEN 1 ELSE 0 END)" for one in having)  # count() takes no decimals
            counts = self.fetch(f"MATCH {pattern} RETURN {listed}", {}, 1).rows[0] if columns else ()
            order = self._in_order(pattern, "n")
            for (name, kind), n in zip(columns.items(), counts, strict=True):
                if n:
                    place = f"n.{quoted(name)}"
                    text = f"MATCH {pattern} WHERE {has_value(place, kind)} RETURN {place}{order} LIMIT {_EXAMPLES}"
                    values = map(property_value, self._column(text))
                    examples = [shown_value(value) for value in values if value is not None]
                    tally.count((names.get(name, name), *type_kind(kind)), n, examples)
        return tally.columns()

    def _named_columns(self, table: str) -> set[str]:
        """Return the columns of a table that hold keys, names and descriptions rather than properties."""
        names = [name for name, _, _ in self._columns[table]]
        key = next((name for name in self.key_names([table]) if name in names), "")
        return {key, *self.called.by(dict.fromkeys(names, True)), *FACTS}

    @cached_property
    def _node_tables(self) -> list[str]:
        return [name for kind, name, _ in self._tables.values() if kind == "NODE"]

    # The schema

    @cached_property
    def _columns(self) -> dict[str, list[tuple[str, str, bool]]]:
        """The name and type of each column of each table, and whether it is the primary key."""
        columns: dict[str, list[tuple[str, str, bool]]] = {}
        for kind, table, _ in self._tables.values():
            rows = self.fetch(f"CALL table_info({literal(table)}) RETURN *", {}, 10_000)
            place = {name: i for i, name in enumerate(rows.columns)}
            columns[table] = [
                (row[place["name"]], row[place["type"]], kind == "NODE" and bool(row[place["primary key"]]))
                for row in rows.rows
            ]
        return columns

    def properties_of_classes(self) -> Mapping[str, Collection[str]]:
        """Return the names of the columns of each node table; unlike the schema, this reads no rows."""
        return {table: [name for name, _, _ in self._columns[table]] for table in self._node_tables}

    def knows_all_properties(self) -> bool:
        """Return True."""
        return True

    @cached_property
    def _primary_keys(self) -> dict[str, str]:
        return {table: name for table, columns in self._columns.items() for name, _, is_key in columns if is_key}

    @cached_property
    def _key_types(self) -> dict[str, str]:
        return {table: kind for table, columns in self._columns.items() for _, kind, is_key in columns if is_key}

    def read_schema(self) -> Schema:
        """Return the tables, with exact numbers and examples of values of each property."""
        classes, connections, is_complete = list[NodeClass](), list[Connection](), True
        for kind, table, _ in self._tables.values():
            if kind == "NODE":
                pattern = f"(n:{quoted(table)})"
                count = self.fetch(f"MATCH {pattern} RETURN count(*)", {}, 1).rows[0][0]
                classes.append(NodeClass(table, self._described(table, pattern, "n"), count))
            elif kind == "REL":
                comments = self._table_comments.get(table, {})
                if "relations" in comments:
                    own = self._described(table, f"()-[r:{quoted(table)}]->()", "r")
                    own = tuple(one for one in own if one.name not in ("key", "label"))  # of some of them
                    connections += [
                        Connection(head, table, tail, own, n, label) for label, head, tail, n in comments["relations"]
                    ]
                    is_complete = is_complete and not comments.get("more")
                    continue
                properties = self._described(table, f"()-[r:{quoted(table)}]->()", "r")
                pairs = self.fetch(f"CALL show_connection({literal(table)}) RETURN *", {}, 100_000).rows
                for head, tail, *_ in pairs:
                    ends = f"(:{quoted(head)})-[r:{quoted(table)}]->(:{quoted(tail)})"
                    count = self.fetch(f"MATCH {ends} RETURN count(*)", {}, 1).rows[0][0]
                    connections.append(Connection(head, table, tail, properties, count))
        return Schema.by_count(classes, connections, is_complete)

    def _described(self, table: str, pattern: str, variable: str) -> tuple[Property, ...]:
        """Return the properties of a table that some row has, and that do not only repeat the name of the table."""
        comments = self._table_comments.get(table, {})
        columns = [column for column in self._columns[table] if "relation" not in comments or column[0] != "key"]
        if not columns:
            return ()
        listed = ", ".join(f"{variable}.{quoted(name)}" for name, _, _ in columns)
        in_order = self._in_order(pattern, variable)
        query = f"MATCH {pattern} RETURN {listed}{in_order} LIMIT {10 * _EXAMPLES}"
        rows = self.fetch(query, {}, 10 * _EXAMPLES).rows
        values = zip(*rows, strict=True) if rows else [()] * len(columns)
        described = []
        for (name, kind, _), column in zip(columns, values, strict=True):
            place = f"{variable}.{quoted(name)}"
            least = 1 if "type" in comments and name == "types" else 0  # the first type is the table
            if not rows or all(_is_empty(value, least) for value in column):
                having = has_value(place, kind, least)
                column = self._column(f"MATCH {pattern} WHERE {having} RETURN {place}{in_order} LIMIT {_EXAMPLES}")
                if rows and not column:
                    continue
            described.append(Property(name, kind, examples_of(value for value in column if value is not None)))
        return tuple(described)

    def _in_order(self, pattern: str, variable: str) -> str:
        """Return the order that makes the first rows the same in every process, which recorded replies of models need.

        Threads read a table in parallel, and whichever is first gives the rows. A large table would be read whole.
        """
        count = self.fetch(f"MATCH {pattern} RETURN count(*)", {}, 1).rows[0][0]
        return f" ORDER BY offset(id({variable}))" if count <= _ORDERED else ""

    def _column(self, text: str) -> tuple[Any, ...]:
        return tuple(row[0] for row in self.fetch(text, {}, _EXAMPLES).rows)

    def plain(self, value: Any) -> Any:
        """Return a value as plain data: entities as keys, relations as their types, paths as lists of both."""
        if type(value) in (str, int, bool):
            return value  # most values, and the tests below take time
        if isinstance(value, Mapping) and "_NODES" in value:
            steps = [value["_NODES"][0]]
            for relation, node in zip(value["_RELS"], value["_NODES"][1:], strict=True):
                steps += [relation, node]
            return [self.plain(step) for step in steps]
        if isinstance(value, Mapping) and "_ID" in value:
            if "_SRC" in value:
                return RelationType.of(value["_LABEL"], self.own(value, ()))
            return self.node_value(self.read(value), value)
        return plain_values(value, self.plain)


def _is_empty(value: Any, least: int) -> bool:
    """Return whether a value is missing, or a list of at most ``least`` values."""
    return value is None or (isinstance(value, list) and len(value) <= least)
