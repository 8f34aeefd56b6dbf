"""Names and directions of Cypher patterns, checked against a schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphbrick.core.schema import Connection, Schema
from graphbrick.graphs.queries.edits import Edits
from graphbrick.graphs.queries.names import other_name_property, same_name, unknown_name
from graphbrick.graphs.queries.tokens import CYPHER, Token, after_bracket, literal, token_at, tokens_of

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = frozenset(  # in ladybug, which refuses more than others
    "ALL ASC ASCENDING CREATE DESC DESCENDING EXISTS ON OPTIONAL ORDER WHERE WITH UNION UNWIND AND DISTINCT ENDS "
    "IN NOT OR STARTS XOR FALSE TRUE NULL FOR CASE WHEN THEN ELSE END GROUP TABLE COLUMN DEFAULT ANY NONE SINGLE "
    "PRIMARY MACRO PROFILE HINT JOIN INSTALL SHORTEST TRAIL ACYCLIC INDEX HEADERS GLOB CAST ONLY".split()
)
_NAME = ("word", "name")


@dataclass
class Part:
    """A node or a relation of a pattern: its variable, labels or types, and keys of properties."""

    variable: str = ""
    names: list[str] = field(default_factory=list)
    is_long: bool = False
    start: int = field(init=False)
    end: int = field(init=False)


_BEFORE = 16  # nodes of a pattern that a relation may leave in place of the last one


class Step(NamedTuple):
    """A relation of a pattern with the nodes that it joins, and the nodes before in a pattern of MATCH."""

    left: Part
    relation: Part
    right: Part
    before: tuple[Part, ...]


def quoted(name: str) -> str:
    """Return a name as it is written in Cypher, with backticks if it needs them: `Order` is a word of the language.

    >>> quoted("Film"), quoted("acted in"), quoted("Order")
    ('Film', '`acted in`', '`Order`')
    """
    return name if _PLAIN.fullmatch(name) and name.upper() not in _RESERVED else "`" + name.replace("`", "``") + "`"


class CypherCheck:
    """One check; see `graphbrick.graphs.queries.check.check_query`.

    Args:
        text: The query.
        schema: The names that it may use.

    Attributes:
        text: The query.
        tokens: Its tokens.
        steps: The relations of its patterns; after `run`.
        nodes: The nodes of its patterns, each as often as it is written; after `run`.
        edits: The corrections.
        problems: The remaining faults, a sentence each.
    """

    def __init__(self, text: str, schema: Schema) -> None:
        self.text, self.edits, self.problems = text, Edits(text), list[str]()
        self.tokens, self._schema = tokens_of(text, CYPHER), schema
        self._classes = {known.name: known for known in schema.classes}
        self._relations = dict.fromkeys(connection.relation for connection in schema.connections)
        self._labels = {known.label: known.relation for known in schema.connections if known.label}
        self._sampled = {  # relations that may join other classes, too
            known.relation
            for known in schema.connections
            if not schema.is_complete and (known.count is None or known.label)
        }
        self._nodes: dict[str, set[str]] = {}  # variables of nodes with their labels
        self._types: dict[str, set[str]] = {}  # variables of relations with their types
        self.steps: list[Step] = []
        self.nodes: list[Part] = []
        self._end_of_match: int | None = None  # index after the last pattern of a MATCH, where a comma may add another

    def run(self) -> None:
        """Fill `edits` and `problems`."""
        i = 0
        while i < len(self.tokens):
            i = self._chain(i) if self.tokens[i].is_symbol("(") else i + 1
        for step in self.steps:
            self._check_step(step)
        self._check_properties()

    def _chain(self, i: int) -> int:
        """Read the pattern that begins at a bracket, if it is one; return the index to continue from."""
        left = self._node(i)
        if left is None:
            return i + 1
        is_matched = self._token(i - 1).is_word("MATCH") or (i - 1 == self._end_of_match and self._is(i - 1, ","))
        before: list[Part] = []
        while True:
            relation = self._relation(left.end)
            if relation is None:
                self._end_of_match = left.end if is_matched else None
                return left.end
            right = self._node(relation.end)
            if right is None:
                return relation.end
            self.steps.append(Step(left, relation, right, tuple(before[-_BEFORE:]) if is_matched else ()))
            before.append(left)
            left = right

    def _node(self, i: int) -> Part | None:
        """Return the node in the brackets at ``i``; None if something else is there."""
        if not self._is(i, "("):
            return None
        start = i
        part, i = self._named(i + 1, self._classes, "class")
        if self._is(i, "{"):
            i = self._properties(i, part, self._properties_of_nodes(part.names))
        if self._token(i).is_word("WHERE"):
            i = self._next(i, ")")
        if self._token(i).kind == "parameter":
            i += 1
        if not self._is(i, ")"):
            return None
        part.start, part.end = start, i + 1
        self.nodes.append(part)
        if part.variable:
            self._nodes.setdefault(part.variable, set()).update(part.names)
        return part

    def _relation(self, i: int) -> Part | None:
        """Return the relation whose arrow begins at ``i``; None if no arrow is there."""
        part = Part()
        i += self._is(i, "<")
        if not self._is(i, "-"):
            return None
        i += 1
        if self._is(i, "["):
            part, i = self._named(i + 1, self._relations, "relation")
            if len(part.names) == 1 and part.names[0] in self._labels.values() and self._is(i, "{"):
                self._check_label(i)
            if self._is(i, "*"):
                part.is_long = True
                i = self._next(i, "{", "]")
            if self._is(i, "{"):
                i = self._properties(i, part, self._properties_of_relations(part.names))
            if not self._is(i, "]"):
                return None
            i += 1
        if not self._is(i, "-"):
            return None
        i += 1
        part.end = i + self._is(i, ">")
        if part.variable:
            self._types.setdefault(part.variable, set()).update(part.names)
        return part

    def _named(self, i: int, known: Collection[str], kind: str) -> tuple[Part, int]:
        """Return the variable and the names after colons that begin at ``i``, and the index after them."""
        part = Part()
        if self._token(i).kind in _NAME:
            part.variable = self._token(i).text
            i += 1
        has_not = False
        while self._is(i, ":", "|", "&", "!"):
            has_not = has_not or self._is(i, "!")
            i += 1
            token = self._token(i)
            if token.kind in _NAME:
                label = self._label_alone(i) if kind == "relation" else None
                part.names.append(self._by_label(token, label) if label else self._known(token, known, kind))
                i += 1
        if has_not:
            part.names.clear()  # it may be anything else
        return part, i

    def _label_alone(self, i: int) -> str | None:
        """Return the label of a relation without a variable, if the name at ``i`` means it and ends a step."""
        name = self._token(i).text
        if not self._is(i - 1, ":") or not self._is(i + 1, "]") or same_name(name, self._relations):
            return None
        return same_name(name, self._labels)

    def _by_label(self, token: Token, label: str) -> str:
        """Write the name that relations share, with a label, for a token; return the name."""
        shared = self._labels[label]
        written = f"{quoted(shared)} {{label: {literal(label)}}}"
        self.edits.replace(token.start, token.end, written, f"wrote {written} for {token.text!r}")
        return shared

    def _check_label(self, i: int) -> None:
        """Check the label in the map at ``i``, where relations share a name."""
        key, colon, value = (self._token(i + n) for n in (1, 2, 3))
        text = value.text[1:-1].replace("\\'", "'").replace("\\\\", "\\")
        if key.text != "label" or not colon.is_symbol(":") or value.kind != "string" or text in self._labels:
            return
        same = same_name(text, self._labels)
        if same is None:
            self.problems.append(unknown_name("relation with the label", text, self._labels))
        else:
            self.edits.replace(value.start, value.end, literal(same), f"wrote {same!r} for {text!r}")

    def _properties(self, i: int, part: Part, known: Collection[str] | None) -> int:
        """Check the keys of the map at ``i``, and return the index after it."""
        end = after_bracket(self.tokens, i)
        for k in range(i, end):
            is_key = self._is(k - 1, "{", ",") and self._token(k).kind in _NAME and self._is(k + 1, ":")
            if is_key and known is not None:
                self._check_property(self.tokens[k], known, part.names)
        return end

    def _known(self, token: Token, known: Collection[str], kind: str) -> str:
        """Return the name of the schema for a token; correct it, or report that it is unknown."""
        same = same_name(token.text, known)
        if same is None:
            named = [*known, *self._labels] if kind == "relation" else known
            self.problems.append(unknown_name(kind, token.text, named))
            return token.text
        self._write(token, same)
        return same

    def _check_property(self, token: Token, known: Collection[str], owners: Sequence[str]) -> None:
        """Correct a token that is a property, or report that the owners have none of this name."""
        same = same_name(token.text, known)
        if same is None:
            relation = same_name(token.text, self._relations) or same_name(f"has {token.text}", self._relations)
            if relation is not None:
                self.problems.append(
                    f"{token.text!r} is no property but a relation; follow it to a node: -[:{quoted(relation)}]->"
                )
                return
            same = other_name_property(token.text, known)
        if same is None:
            self.problems.append(unknown_name(f"property of {' or '.join(owners) or 'nodes'}", token.text, known))
            return
        self._write(token, same)

    def _write(self, token: Token, name: str) -> None:
        """Write a name of the schema for a token, in quotes where the language needs them."""
        if name != token.text:
            self.edits.replace(token.start, token.end, quoted(name), f"wrote {name!r} for {token.text!r}")
        elif token.kind == "word" and quoted(name) != name:
            self.edits.replace(token.start, token.end, quoted(name))

    def _check_properties(self) -> None:
        """Check every ``variable.property`` whose variable is a node or a relation."""
        for i, dot in enumerate(self.tokens):
            owner, token = self._token(i - 1), self._token(i + 1)
            if not dot.is_symbol(".") or owner.kind not in _NAME or token.kind not in _NAME:
                continue
            if self._is(i - 2, ".") or self._is(i + 2, "(", "."):
                continue
            known: Collection[str] | None = None
            names: set[str] = set()
            if owner.text in self._nodes:
                names = self._nodes[owner.text]
                known = self._properties_of_nodes(names)
            elif owner.text in self._types:
                names = self._types[owner.text]
                known = self._properties_of_relations(names)
            if known is not None:
                self._check_property(token, known, sorted(names))

    def _properties_of_nodes(self, names: Collection[str]) -> Collection[str] | None:
        """Return the properties that nodes of these classes may have; None if that is not known."""
        classes = [self._classes[name] for name in names or self._classes if name in self._classes]
        if not classes or not all(known.properties for known in classes):
            return None
        return dict.fromkeys(known.name for part in classes for known in part.properties)

    def _properties_of_relations(self, names: Collection[str]) -> Collection[str] | None:
        """Return the properties that relations of these types may have; None if none has any."""
        alike = [known for known in self._schema.connections if not names or known.relation in names]
        return dict.fromkeys(known.name for part in alike for known in part.properties) or None

    def _check_step(self, step: Step) -> None:
        """Turn the arrow of a step that the schema has only in the other direction, or report that it has none."""
        left, relation, right, _ = step
        start, stop = left.end, relation.end
        heads, tails = self._labels_of(left), self._labels_of(right)
        types = [name for name in relation.names if name in self._relations]
        if relation.is_long or not types or not (heads | tails) <= set(self._classes):
            return
        if not self._sampled.isdisjoint(types):
            return
        points_left, points_right = self._is(start, "<"), self._is(stop - 1, ">")
        forwards, backwards = self._has(heads, types, tails), self._has(tails, types, heads)
        if not forwards and not backwards and points_right and self._moved(step, types):
            return
        if points_left == points_right:
            if not forwards and not backwards:
                self._no_connection(heads, types, tails)
        elif points_right and not forwards:
            self._turn(start, stop, backwards, heads, types, tails)
        elif points_left and not backwards:
            self._turn(start, stop, forwards, tails, types, heads)

    def _labels_of(self, node: Part) -> set[str]:
        return set(node.names) | self._nodes.get(node.variable, set())

    def _moved(self, step: Step, types: Sequence[str]) -> bool:
        """Let a relation leave the one node before in the pattern that can have it, if there is just one.

        Models chain what both begins at one node: ``(a)-[:r]->(b)-[:s]->(c)`` for ``(a)-[:r]->(b), (a)-[:s]->(c)``.
        """
        tails = self._labels_of(step.right)
        able = [
            node.variable
            for node in step.before
            if node.variable and self._labels_of(node) and tails and self._has(self._labels_of(node), types, tails)
        ]
        if len(able) != 1:
            return False
        place = self.tokens[step.left.end].start
        self.edits.replace(place, place, f", ({able[0]})", f"let {'|'.join(types)} begin at {able[0]}")
        return True

    def _has(self, heads: set[str], types: Sequence[str], tails: set[str]) -> bool:
        return any(
            known.relation in types and (not heads or known.head in heads) and (not tails or known.tail in tails)
            for known in self._schema.connections
        )

    def _turn(
        self, start: int, stop: int, other_way: bool, heads: set[str], types: Sequence[str], tails: set[str]
    ) -> None:
        """Turn the arrow between the tokens ``start`` and ``stop`` if the schema has the relation the other way."""
        if not other_way:
            self._no_connection(heads, types, tails)
            return
        self.turn(start, stop, types)

    def turn(self, start: int, stop: int, types: Sequence[str]) -> None:
        """Turn the arrow between the tokens ``start`` and ``stop``."""
        first, last = self.tokens[start], self.tokens[stop - 1]
        change = f"turned the direction of {'|'.join(types)}"
        if first.is_symbol("<"):
            self.edits.replace(first.start, first.end, "")
            self.edits.replace(last.start, last.end, "->", change)
        else:
            self.edits.replace(first.start, first.end, "<-")
            self.edits.replace(last.start, last.end, "", change)

    def _no_connection(self, heads: set[str], types: Sequence[str], tails: set[str]) -> None:
        pattern = f"({_labels(heads)})-[:{'|'.join(types)}]->({_labels(tails)})"
        alike = [known for known in self._schema.connections if known.relation in types]
        leads = ", ".join(map(connection_text, alike[:5]))
        self.problems.append(f"the graph has no {pattern}; it has {leads}")

    def _next(self, i: int, *symbols: str) -> int:
        """Return the index of the next of these symbols outside of brackets; that of the end if there is none."""
        while not self._is(i, *symbols) and self._token(i).kind != "end":
            i = after_bracket(self.tokens, i) if self._is(i, "(", "{", "[") else i + 1
        return i

    def _token(self, i: int) -> Token:
        return token_at(self.tokens, i)

    def _is(self, i: int, *symbols: str) -> bool:
        return self._token(i).is_symbol(*symbols)


def connection_text(connection: Connection) -> str:
    """Return a relation of a schema as a pattern.

    >>> connection_text(Connection("Film", "directed by", "Person"))
    '(:Film)-[:`directed by`]->(:Person)'
    """
    head, relation, tail = map(quoted, (connection.head, connection.relation, connection.tail))
    return f"(:{head})-[:{relation}]->(:{tail})"


def _labels(names: Collection[str]) -> str:
    return "".join(f":{quoted(name)}" for name in sorted(names))
