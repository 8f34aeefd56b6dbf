"""Reader of Pajek networks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.core.properties.values import Kind, Scalar, Value, read_value
from graphbrick.graphs.readers.formats.elements import Edge, Element, Node, records_of, understood
from graphbrick.graphs.readers.reader import FileReading, Reader
from graphbrick.graphs.records.blocks import Part

_CELL = re.compile(r'"([^"]*)"?|(\S+)')
_LINES = {"arcs": True, "edges": False, "arcslist": True, "edgeslist": False, "matrix": True}


class _Pajek:
    """A Pajek file with one network.

    Vertices are numbered from 1 to the number that ``*Vertices`` states; those without a line of their own exist too.
    """

    def __init__(self, file: Path, reading: FileReading) -> None:
        self.file, self.reading, self.left_out = file, reading, reading.left_out
        self._section, self._relation = "", ""
        self._count, self._first_mode, self._row = 0, 0, 0
        self._listed: set[int] = set()

    def elements(self) -> Iterator[Element]:
        """Yield the vertices and lines."""
        has_network = False
        for number, line in self.reading.lines(self.file):
            text = line.strip()
            if not text or text.startswith(("%", "/*")):
                continue
            cells = [quoted or word for quoted, word in _CELL.findall(text)]
            if text.startswith("*"):
                if self._section == "vertices":
                    yield from self._unlisted()
                self._section, self._row = cells[0][1:].casefold(), 0
                if self._section == "vertices" and has_network:
                    self.left_out.add("networks after the first", f"line {number}")
                    return
                has_network = has_network or self._section == "vertices"
                self._begin(cells, number, text)
            elif self._section == "vertices":
                yield from self._vertex(cells, number, text)
            elif self._section in _LINES:
                yield from self._line(cells, number, text)
        if self._section == "vertices":
            yield from self._unlisted()
        if not has_network:
            raise InputError("the file has no line '*Vertices'", self.file, code="pajek.no_vertices")

    def _begin(self, cells: list[str], number: int, text: str) -> None:
        if self._section == "vertices":
            if len(cells) < 2 or not cells[1].isdigit():
                raise InputError("*Vertices does not state a number", self.file, number, text, code="pajek.no_number")
            self._count = int(cells[1])
            if len(cells) > 2 and cells[2].isdigit():
                self._first_mode = int(cells[2])
                self.left_out.add("modes of two-mode networks", cells[2])
        elif self._section in _LINES:
            names = [cell for cell in cells[1:] if not cell.startswith(":")]
            self._relation = " ".join(names).strip() or (cells[1].lstrip(":") if len(cells) > 1 else "")
        elif self._section != "network":
            self.left_out.add("sections that are not part of a network", cells[0])

    def _unlisted(self) -> Iterator[Node]:
        yield from (Node(str(vertex)) for vertex in range(1, self._count + 1) if vertex not in self._listed)

    def _vertex(self, cells: list[str], number: int, text: str) -> Iterator[Node]:
        if not cells[0].isdigit() or not 1 <= int(cells[0]) <= self._count:
            reason = f"a vertex has a number from 1 to {self._count}"
            self._bad(reason, "pajek.bad_vertex", number, text)
            return
        self._listed.add(int(cells[0]))
        if len(cells) > 2:
            self.left_out.add("elements of the drawing", " ".join(cells[2:])[:40], len(cells) - 2)
        label = cells[1].strip() if len(cells) > 1 else ""
        yield Node(str(int(cells[0])), {"label": label} if label else {})

    def _line(self, cells: list[str], number: int, text: str) -> Iterator[Edge]:
        directed = _LINES[self._section]
        if self._section == "matrix":
            self._row += 1
            weights = [_weight(cell) for cell in cells]
            # Columns of a two-mode network are the vertices of the second mode.
            if len(weights) != self._count - self._first_mode or None in weights:
                reason = f"a row of the matrix has {self._count - self._first_mode} numbers"
                self._bad(reason, "pajek.bad_row", number, text)
                return
            for column, weight in enumerate(weights, self._first_mode + 1):
                if weight:
                    yield Edge(str(self._row), str(column), {"weight": weight}, directed, self._relation)
            return
        ends = cells if self._section.endswith("list") else cells[:2]
        if len(ends) < 2 or not all(end.lstrip("-").isdigit() for end in ends):
            self._bad("a line joins two numbers of vertices", "pajek.bad_line", number, text)
            return
        fields: dict[str, Value] = {}
        relation = self._relation
        if not self._section.endswith("list"):
            fields, relation = self._parameters(cells[2:])
        for end in ends[1:]:
            yield Edge(str(int(ends[0])), str(int(end)), fields, directed, relation)

    def _parameters(self, cells: list[str]) -> tuple[dict[str, Value], str]:
        """Return the fields of a line, and its relation: its own label or that of the section."""
        weight = _weight(cells[0]) if cells else None
        rest = cells if weight is None else cells[1:]
        relation = self._relation
        if "l" in rest[:-1]:
            at = rest.index("l")
            relation, rest = rest[at + 1].strip() or relation, rest[:at] + rest[at + 2 :]
        if rest:
            self.left_out.add("elements of the drawing", " ".join(rest)[:40])
        return ({} if weight is None else {"weight": weight}), relation

    def _bad(self, reason: str, code: str, number: int, text: str) -> None:
        self.reading.bad.add(InputError(reason, self.file, number, text, code=code))


def _weight(text: str) -> Scalar | None:
    value = read_value(text, Kind.INTEGER)
    return read_value(text, Kind.NUMBER) if value is None else value


def _read(file: Path, reading: FileReading) -> Iterator[Part]:
    """Yield the vertices and lines of the first network of a Pajek file.

    Raises:
        InputError: No network, or the first bad record unless ``bad`` skips them.
    """
    return records_of(_Pajek(file, reading).elements(), reading)


def _understood(file: Path, reading: FileReading) -> str:
    return understood(_Pajek(file, reading).elements(), reading)


READER = Reader(_read, is_checked=True, understood=_understood)
