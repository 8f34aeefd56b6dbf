"""Recognise table columns by name, including the header conventions of Neo4j and Neptune."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

# Column names of each role, best first. A leading `:` marks a reserved column (Neo4j `:LABEL`, Neptune `~label`), so
# that the `:LABEL` of a node (its type) is not mistaken for its label.
_HEAD = (
    *(":start_id", ":from", "head", "subject", "source", "src", "s", "from", "start", "start_id", "h"),
    *("entity1", "node1", "head_id", "subject_id", "source_id"),
)
_RELATION = (
    *(":type", ":label", "relation", "predicate", "p", "r", "edge", "type"),
    *("rel", "metaedge", "relationship", "property", "label"),
)
_TAIL = (
    *(":end_id", ":to", "tail", "object", "target", "dst", "o", "t", "to", "end", "end_id"),
    *("entity2", "node2", "tail_id", "object_id", "target_id"),
)
_NODE_ROLES = {
    "key": (":id", "id", "key", "node_id", "nodeid", "entity_id", "iri", "uri", "mid", "curie", "identifier"),
    "label": ("name", "label", "title", "preflabel"),
    "types": (":label", ":type", "kind", "type", "types", "category", "labels"),
    "description": ("description", "desc", "definition", "comment", "abstract"),
    "aliases": ("aliases", "alias", "synonyms", "alternate_names", "altlabel"),
}
_NEO4J_SUFFIXES = {"ID", "LABEL", "TYPE", "START_ID", "END_ID"}
_RESERVED = {*map(str.casefold, _NEO4J_SUFFIXES), "from", "to"}
_VALUE_TYPE = re.compile(
    r"(string|int|integer|long|float|double|boolean|bool|byte|short|char|date|datetime|localdatetime|time|localtime"
    r"|duration|point)(\[\])?",
    re.IGNORECASE,
)


def _plain_name(cell: str) -> str:
    """Return a header cell in the spelling of the role tables.

    >>> [_plain_name(cell) for cell in ("Name:string", "personId:ID(Person)", "~label", "rdfs:label", "node id")]
    ['name', ':id', ':label', 'label', 'node_id']
    """
    cell = re.sub(r"\(.*\)$", "", cell.strip())  # drop the id space (Neo4j) or cardinality (Neptune)
    name, _, suffix = cell.rpartition(":")
    if name and suffix in _NEO4J_SUFFIXES:
        return ":" + suffix.casefold()
    if name:
        cell = name if _VALUE_TYPE.fullmatch(suffix) else suffix
    plain = re.sub(r"[ -]", "_", cell.lstrip(":~_").casefold())
    return ":" + plain if cell.startswith((":", "~")) and plain in _RESERVED else plain


def _find(cells: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the index of the column that matches the best name; None if no column matches."""
    plain = [_plain_name(cell) for cell in cells]
    return next((plain.index(name) for name in names if name in plain), None)


def triple_columns(cells: Sequence[str], options: ReadOptions, file: Path | str) -> tuple[tuple[int, int, int], bool]:
    """Return the column indices of head, relation and tail, and whether the first row is a header.

    Args:
        cells: The first row.
        options: May name the columns, or say whether there is a header.
        file: The file, for error messages.

    Raises:
        InputError: A column does not exist or is named twice, or the header does not tell which columns to use.
    """
    head, relation, tail = (_find(cells, names) for names in (_HEAD, _RELATION, _TAIL))
    if options.columns is not None:
        numbers_only = all(column.isdecimal() and column not in cells for column in options.columns)
        recognised = None not in (head, relation, tail)
        header = options.header if options.header is not None else recognised or not numbers_only
        first, second, third = (named_column(column, cells, header, file) for column in options.columns)
        if len({first, second, third}) < 3:
            raise InputError(
                f"the columns {', '.join(options.columns)} are not three different ones of this file",
                file,
                code="columns.not_different",
            )
        return (first, second, third), header
    if options.header is False:
        return (0, 1, 2), False
    if head is not None and relation is not None and tail is not None:
        return (head, relation, tail), True
    known = [cells[place] for place in (head, relation, tail) if place is not None]
    if options.header is None and len(known) == 2:
        raise InputError(
            f"the first row looks like a header ({known[0]}, {known[1]}), but not all of head, relation and tail are "
            f"among {_listed(cells)}; name them with --columns, or say --no-header",
            file,
            1,
            code="columns.header_in_part",
            known=known,
        )
    if options.header and len(cells) != 3:
        raise unrecognised("head, relation and tail", cells, file, "name them with --columns")
    return (0, 1, 2), options.header is True


def named_column(column: str, cells: Sequence[str], header: bool, file: Path | str) -> int:
    """Return the index of a column given by name (if there is a header) or by 1-based number."""
    names = [cell.strip() for cell in cells]
    if header and column in names:
        return names.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(names):
        return int(column) - 1
    if not header:
        reason = f"there is no column {column}; the rows have {len(names)} columns"
        raise InputError(reason, file, code="columns.no_number", column=column, at_most=len(names))
    folded = {name.casefold(): name for name in names}
    close = get_close_matches(column.casefold(), folded, n=1)
    advice = f"; did you mean {folded[close[0]]!r}?" if close else ""
    reason = f"there is no column {column!r}; the columns are {_listed(names)}{advice}"
    near = folded[close[0]] if close else ""
    raise InputError(reason, file, code="columns.no_name", column=column, near=near)


def node_columns(cells: Sequence[str], file: Path) -> tuple[dict[str, int], bool]:
    """Return the column indices by role, and whether the first row is a header.

    The roles are key, label, types, description and aliases; missing roles are left out. Two columns without a header
    are key and label.

    Raises:
        InputError: No column is recognised as the key, or none beside it.
    """
    roles = {role: _find(cells, names) for role, names in _NODE_ROLES.items()}
    places = {role: place for role, place in roles.items() if place is not None}
    if "key" in places:
        if len(places) == 1 and len(cells) > 1:
            raise unrecognised("label, types, description or aliases", cells, file, "call it label")
        return places, True
    if len(cells) > 2 or places:
        raise unrecognised("the key", cells, file, "call it id")
    return {"key": 0, "label": 1}, False


def unrecognised(what: str, cells: Sequence[str], file: Path | str, advice: str) -> InputError:
    """Return the error that no column is recognised as ``what``; it lists the columns."""
    reason = f"no columns known as {what} among {_listed(cells)}: {advice}"
    return InputError(reason, file, code="columns.unknown", wanted=what, columns=list(cells), advice=advice)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name.strip()[:40] or "(no name)" for name in names[:30])
    return shown + (f" and {len(names) - 30} more" if len(names) > 30 else "")
