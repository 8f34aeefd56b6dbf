"""The roles of table columns by their names, including the header conventions of Neo4j and Neptune."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.fields import VALUE_TYPE, split_type

# Column names of each role, best first. A leading `:` marks a reserved column (Neo4j `:LABEL`, Neptune `~label`), so
# that the `:LABEL` of a node (its type) is not mistaken for its label.
HEAD = (
    *(":start_id", ":from", "head", "subject", "source", "src", "from", "start", "start_id"),
    *("entity1", "node1", "head_id", "subject_id", "source_id", "s", "h"),
)
RELATION = (
    *(":type", ":label", "relation", "predicate", "type", "rel", "metaedge", "relationship", "label"),
    *("relation_type", "relationship_type", "rel_type", "reltype", "edge_type", "interaction", "kind"),
    *("predicate_id", "relation_id", "edge", "property", "p", "r"),
)
TAIL = (
    *(":end_id", ":to", "tail", "object", "target", "dst", "to", "end", "end_id"),
    *("entity2", "node2", "tail_id", "object_id", "target_id", "o", "t"),
)
HEADERS_ONLY = {name for name in RELATION if len(name) > 2} - {
    "edge",
    "type",
    "property",
    "label",
    "interaction",
    "kind",
}
"""Names of columns of relations that are hardly ever relations themselves."""

KEY = (":id", "id", "key", "node_id", "nodeid", "entity_id", "iri", "uri", "mid", "curie", "identifier")
NAME = ("name", "label", "title", "preflabel")
TYPES = (":label", ":type", "kind", "type", "types", "category", "labels")
DESCRIPTION = ("description", "desc", "definition", "comment", "abstract")
ALIASES = ("aliases", "alias", "synonyms", "alternate_names", "altlabel")

"""Words before «name» where it is only a part of a name, or the name of something else."""

_NEO4J_SUFFIXES = {"ID", "LABEL", "TYPE", "START_ID", "END_ID", "IGNORE"}
_RESERVED = {*map(str.casefold, _NEO4J_SUFFIXES), "from", "to"}


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_YEARS = (1500, 2200)
_LEAST_WIDTH = 3  # columns of a table whose header is looked for below titles
_MOST_TITLES = 20  # rows above a header


def is_header(first: Sequence[str]) -> bool:
    """Return whether a first row may name columns: most of its cells are different, and few of them are numbers.

    Years in a row may be names: ``country,2019,2020``.
    """
    names = [cell.strip() for cell in first if cell.strip()]
    numeric = [name for name in names if _NUMBER.fullmatch(name)]
    numbers = 0 if _are_years(numeric) else len(numeric)
    are_different = 2 * len({*names}) >= len(names) > 0 and (len({*names}) > 1 or len(names) == 1)
    return are_different and 2 * numbers < len(names) and not _NUMBER.fullmatch(names[0])


def _are_years(names: Sequence[str]) -> bool:
    """Return whether numbers are two or more years, one after another."""
    years = [int(name) for name in names if len(name) == len("1999") and name.isdecimal()]
    steps = {after - before for before, after in pairwise(years)}
    return 1 < len(years) == len(names) and len(steps) == 1 and _YEARS[0] <= min(years) <= max(years) <= _YEARS[1]


def title_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows of titles above the header: rows with few cells before one that fills most columns.

    >>> title_rows([["Report", "", ""], ["", "", ""], ["name", "city", "age"], ["Ann", "Kiel", "3"]])
    2
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    usual = Counter(count for count in filled if count > 1).most_common(1)
    width = usual[0][0] if usual else 0
    if width < _LEAST_WIDTH or 2 * filled[0] > width:
        return 0
    for least in (width, 0.75 * width):
        for place, count in enumerate(filled[: _MOST_TITLES + 1]):
            if count >= least and is_header(rows[place]):
                return place
    return 0


def distinct_titles(cells: Sequence[str]) -> list[str]:
    """Return the names of columns with a number where one comes again.

    >>> distinct_titles(["id", "phone ", "phone"])
    ['id', 'phone', 'phone (2)']
    """
    counts: Counter[str] = Counter()
    titles = []
    for cell in map(str.strip, cells):
        counts[cell] += bool(cell)
        titles.append(f"{cell} ({counts[cell]})" if counts[cell] > 1 else cell)
    return titles


def plain_name(cell: str) -> str:
    """Return a header cell in the spelling of the role tables.

    >>> [plain_name(cell) for cell in ("Name:string", "personId:ID(Person)", "~label", "rdfs:label", "node id")]
    ['name', ':id', ':label', 'label', 'node_id']
    """
    cell = re.sub(r"(\(.*\)|\{.*\})+$", "", cell.strip())  # drop ID space and options (Neo4j), cardinality (Neptune)
    name, _, suffix = cell.rpartition(":")
    if name and suffix in _NEO4J_SUFFIXES:
        return ":" + suffix.casefold()
    if name:
        cell = name if VALUE_TYPE.fullmatch(suffix) else suffix
    plain = re.sub(r"[ -]", "_", cell.lstrip(":~_").casefold())
    return ":" + plain if cell.startswith((":", "~")) and plain in _RESERVED else plain


def space_in(cell: str) -> str:
    """Return the ID space of a header cell.

    >>> space_in(":START_ID(Person)"), space_in("id:ID"), space_in("name:string(x)")
    ('Person', '', '')
    """
    match = re.search(r":(?:START_|END_)?ID\(([^)]*)\)", cell)
    return match[1].strip() if match else ""


def space_of(header: Sequence[str]) -> str:
    """Return the ID space of the keys of a table of nodes; empty if there is none."""
    key = find_column(header, KEY)
    return "" if key is None else space_in(header[key])


def has_role(header: Sequence[str], role: str) -> bool:
    """Return whether a header has a column of "head", "relation" or "types"."""
    return find_column(header, {"head": HEAD, "relation": RELATION, "types": TYPES}[role]) is not None


def find_column(cells: Sequence[str], names: Sequence[str], without: Iterable[int | None] = ()) -> int | None:
    """Return the index of the column that matches the best name; None if no column matches."""
    plain = ["" if place in without else plain_name(cell) for place, cell in enumerate(cells)]
    return next((plain.index(name) for name in names if name in plain), None)


def table_kind(cells: Sequence[str]) -> str:
    """Return "edges" or "nodes" for the header of a table; empty if it tells neither.

    >>> [table_kind(cells.split()) for cells in ("~id ~from ~to", "id name from to", "source target", "year sum")]
    ['edges', 'nodes', 'edges', '']
    """
    head, tail, key = (find_column(cells, names) for names in (HEAD, TAIL, KEY))
    if head is not None and tail is not None:
        reserved = plain_name(cells[head]).startswith(":")
        is_node = key is not None and find_column(cells, NAME) is not None and find_column(cells, RELATION[:4]) is None
        if reserved or not is_node or "node1" in map(plain_name, cells):
            return "edges"
        relation = find_column(cells, RELATION, without=(find_column(cells, NAME),))
        return "nodes" if relation is None else "edges"
    return "" if key is None else "nodes"


def named_column(column: str, cells: Sequence[str], header: bool, file: Path | str) -> int:
    """Return the index of a column given by name (if there is a header) or by 1-based number."""
    names = [cell.strip() for cell in cells]
    if header and column in names:
        return names.index(column)
    plain = [split_type(cell)[0] for cell in cells]
    if header and column in plain:
        return plain.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(names):
        return int(column) - 1
    if not header:
        reason = f"there is no column {column}; the rows have {len(names)} columns"
        raise InputError(reason, file, code="columns.no_number", column=column, at_most=len(names))
    folded = {name.casefold(): name for name in names}
    close = get_close_matches(column.casefold(), folded, n=1)
    advice = f"; did you mean {folded[close[0]]!r}?" if close else ""
    reason = f"there is no column {column!r}; the columns are {listed(names)}{advice}"
    near = folded[close[0]] if close else ""
    raise InputError(reason, file, code="columns.no_name", column=column, near=near)


def unrecognised(what: str, cells: Sequence[str], file: Path | str, advice: str) -> InputError:
    """Return the error that no column is recognised as ``what``; it lists the columns."""
    reason = f"no columns known as {what} among {listed(cells)}: {advice}"
    return InputError(reason, file, code="columns.unknown", wanted=what, columns=list(cells), advice=advice)


def listed(names: Sequence[str]) -> str:
    """Return the names of columns for an error, at most 30 of them."""
    shown = ", ".join(name.strip()[:40] or "(no name)" for name in names[:30])
    return shown + (f" and {len(names) - 30} more" if len(names) > 30 else "")
