"""Recognise the columns of tables by name, also those of Neo4j, Neptune, APOC and Gephi."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.fields import Field, distinct_names, field_of, split_type
from graphbrick.graphs.readers.roles import (
    ALIASES,
    DESCRIPTION,
    HEAD,
    HEADERS_ONLY,
    KEY,
    NAME,
    RELATION,
    TAIL,
    TYPES,
    find_column,
    listed,
    named_column,
    plain_name,
    space_in,
    unrecognised,
)
from graphbrick.graphs.records.called import is_name_of, last_words

if TYPE_CHECKING:
    from graphbrick.graphs.readers import ReadOptions

_DIRECTIONS = {"directed", "undirected", "mutual"}
_DATE = re.compile(r"(\d{1,2}[./])?(\d{1,2}[./])?\d{4}(-\d\d?(-\d\d?([T ].*)?)?)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class NodeColumns:
    """The columns of a table of nodes, by index.

    Attributes:
        key: The column of keys.
        names: The column of names, and those that a row without a name takes it from; best first.
        aliases: Columns of further names.
        types: The column of types.
        description: The column of descriptions.
        fields: The columns of properties.
        ignored: (reason, column) of the columns that are not read.
        space: The ID space of the keys; empty if there is none.
        header: Whether the first row names the columns.
        width: Number of columns.
        is_exact: Whether an export of this package wrote the table, whose lists are separated by semicolons alone.
    """

    key: int
    names: tuple[int, ...] = ()
    aliases: tuple[int, ...] = ()
    types: int | None = None
    description: int | None = None
    fields: tuple[Field, ...] = ()
    ignored: tuple[tuple[str, str], ...] = ()
    space: str = ""
    header: bool = True
    width: int = 2
    is_exact: bool = False

    def properties(self, has_spaces: bool) -> tuple[Field, ...]:
        """Return the columns of properties; that of keys is one where keys begin with their ID space."""
        return tuple(field for field in self.fields if field.place != self.key or (self.space and has_spaces))


@dataclass(frozen=True)
class EdgeColumns:
    """The columns of a table of edges, by index.

    Attributes:
        head: The column of heads.
        relation: The column of relations; None if all edges have the relation of the options.
        tail: The column of tails.
        direction: The column that says whether an edge is directed, as Gephi writes it.
        relation_label: The column of labels of relations.
        fields: The columns of properties.
        ignored: (reason, column) of the columns that are not read.
        spaces: The ID spaces of heads and tails.
        header: Whether the first row names the columns.
        width: Number of columns.
    """

    head: int
    relation: int | None
    tail: int
    direction: int | None = None
    relation_label: int | None = None
    fields: tuple[Field, ...] = ()
    ignored: tuple[tuple[str, str], ...] = ()
    spaces: tuple[str, str] = ("", "")
    header: bool = True
    width: int = 3


def field_columns(
    cells: Sequence[str], samples: Sequence[Sequence[str]], used: Iterable[int | None]
) -> tuple[tuple[Field, ...], tuple[tuple[str, str], ...]]:
    """Return the columns of properties, and (reason, column) of those that are not read.

    A column without a name is the property ``column 7``.
    """
    taken, fields, ignored = set(used), [], []
    for place, cell in enumerate(cells):
        texts = [row[place] for row in samples if place < len(row)]
        if place in taken:
            continue
        if plain_name(cell) == ":ignore":
            ignored.append(("that the header marks as IGNORE", cell.strip()))
            continue
        name = cell if cell.strip() else f"column {place + 1}"
        if re.fullmatch(r"__index_level_\d+__", cell) or (name != cell and _count_up(texts)):
            ignored.append(("that only number the rows", name))
        else:
            fields.append(field_of(place, name, texts))
    return distinct_names(fields), tuple(ignored)


def _count_up(texts: Sequence[str]) -> bool:
    """Return whether texts are whole numbers that follow each other, as the index that pandas writes."""
    if len(texts) < 2 or not texts[0].strip().isdecimal():
        return False
    first = int(texts[0])
    return all(text.strip() == str(number) for number, text in enumerate(texts, first))


def edge_columns(
    cells: Sequence[str], samples: Sequence[Sequence[str]], options: ReadOptions, file: Path | str
) -> EdgeColumns:
    """Return the columns of a table of edges.

    Args:
        cells: The first row.
        samples: Some of the rows after it.
        options: May name the columns or the relation, or say whether there is a header.
        file: The file, for error messages.

    Raises:
        InputError: A column does not exist or is named twice, or the header does not tell which columns to use.
    """
    direction = _direction_column(cells, samples)
    head, tail = _end_columns(cells, samples)
    relation = find_column(cells, RELATION, without=(direction, head, tail))
    if options.columns is not None:
        return _named_edges(cells, samples, options, file, is_known=None not in (head, relation, tail))
    has_relation = relation is not None or options.relation is not None
    if options.header is not False and head is not None and tail is not None and has_relation:
        fields, ignored = field_columns(cells, samples, (head, relation, tail, direction))
        spaces = (space_in(cells[head]), space_in(cells[tail]))
        return EdgeColumns(head, relation, tail, direction, None, fields, ignored, spaces, True, len(cells))
    if options.header is None:
        _check_header(cells, samples, (head, relation, tail), file)
    if options.relation is not None and _is_edge_list(cells, samples):
        return _edge_list(cells, samples, options)
    if options.header and len(cells) != 3:
        raise unrecognised("head, relation and tail", cells, file, "name them with --columns")
    return EdgeColumns(0, 1, 2, header=options.header is True)


def _end_columns(cells: Sequence[str], samples: Sequence[Sequence[str]]) -> tuple[int | None, int | None]:
    """Return the columns of heads and tails; of several pairs, such as from and to beside start and end, no dates."""
    plain = [plain_name(cell) for cell in cells]
    pairs = [(plain.index(h), plain.index(t)) for h, t in zip(HEAD, TAIL, strict=True) if {h, t} <= set(plain)]
    of_things = [pair for pair in pairs if not all(_are_dates(samples, place) for place in pair)]
    if pairs:  # «source» beside start and end tells where an edge comes from, and is no end of it
        return (of_things or pairs)[0]
    return find_column(cells, HEAD), find_column(cells, TAIL)


def _are_dates(samples: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether the filled cells of a column are dates, or years."""
    texts = [row[place].strip() for row in samples if place < len(row) and row[place].strip()]
    return all(map(_DATE.fullmatch, texts))


def triple_columns(cells: Sequence[str], options: ReadOptions, file: Path | str) -> tuple[tuple[int, int, int], bool]:
    """Return the column indices of head, relation and tail, and whether the first row is a header.

    Raises:
        InputError: As for `edge_columns`, or there is no column of relations.
    """
    columns = edge_columns(cells, (), options, file)
    if columns.relation is None:
        raise unrecognised("the relation", cells, file, "one relation for all edges is not supported here")
    return (columns.head, columns.relation, columns.tail), columns.header


def _direction_column(cells: Sequence[str], samples: Sequence[Sequence[str]]) -> int | None:
    """Return the column ``Type`` of Gephi, which tells the direction; None if there is none."""
    place = find_column(cells, ("type",))
    if place is None:
        return None
    texts = {row[place].strip().casefold() for row in samples if place < len(row)}
    return place if texts and texts <= _DIRECTIONS else None


def _named_edges(
    cells: Sequence[str], samples: Sequence[Sequence[str]], options: ReadOptions, file: Path | str, *, is_known: bool
) -> EdgeColumns:
    """Return the columns that the options name; two are head and tail."""
    names = options.columns or ()
    has_data = all(_NUMBER.fullmatch(cell.strip()) for cell in cells)
    numbers_only = all(column.isdecimal() and (has_data or column not in cells) for column in names)
    header = options.header if options.header is not None else is_known or not numbers_only
    places = [named_column(column, cells, header, file) for column in names]
    if len(set(places)) < len(places):
        reason = f"the columns {', '.join(names)} are not {_COUNTS[len(names)]} different ones of this file"
        raise InputError(reason, file, code="columns.not_different")
    head, relation, tail = places[0], places[1] if len(places) == 3 else None, places[-1]
    titles = cells if header else [""] * len(cells)
    fields, ignored = field_columns(titles, samples, places)
    return EdgeColumns(head, relation, tail, None, None, fields, ignored, ("", ""), header, len(cells))


_COUNTS = {2: "two", 3: "three"}


def _check_header(
    cells: Sequence[str], samples: Sequence[Sequence[str]], known: Sequence[int | None], file: Path | str
) -> None:
    """Raise if the first row looks like a header of which only a part is known."""
    head, relation, tail = known
    names = [cells[place] for place in known if place is not None]
    is_sure = relation is not None and plain_name(cells[relation]) in HEADERS_ONLY and len(cells) > 2
    is_sure = is_sure and all(row[relation : (relation or 0) + 1] != [cells[relation or 0]] for row in samples)
    if len(names) < 2 and not is_sure:
        return
    if head is not None and tail is not None:
        reason = (
            f"the header names {names[0]} and {names[1]}, but no column of relations is among {listed(cells)}; name "
            "it with --columns, or give the relation of all edges with --relation NAME"
        )
    else:
        order = ",".join(cell.strip() for cell in cells) if len(cells) == 3 else "HEAD,RELATION,TAIL"
        reason = (
            f"the first row looks like a header ({', '.join(names)}), but not all of head, relation and tail are "
            f"among {listed(cells)}; name them with --columns {order}, or say --no-header"
        )
    raise InputError(reason, file, 1, code="columns.header_in_part", known=names)


def _is_edge_list(cells: Sequence[str], samples: Sequence[Sequence[str]]) -> bool:
    """Return whether rows are head, tail and perhaps a weight, not triples."""
    third = [row[2].strip() for row in (samples or [cells]) if len(row) > 2]
    return len(cells) == 2 or (len(cells) > 2 and all(_NUMBER.fullmatch(text) for text in third))


def _edge_list(cells: Sequence[str], samples: Sequence[Sequence[str]], options: ReadOptions) -> EdgeColumns:
    """Return the columns of an edge list: head, tail, and perhaps a weight."""
    numbers = [all(map(_NUMBER.fullmatch, map(str.strip, row[:2]))) for row in (cells, *samples)]
    header = options.header if options.header is not None else len(numbers) > 1 and not numbers[0] and all(numbers[1:])
    titles = cells if header else ["", "", *["weight"][: len(cells) - 2], *[""] * (len(cells) - 3)]
    fields, ignored = field_columns(titles, samples, (0, 1))
    return EdgeColumns(0, None, 1, None, None, fields, ignored, ("", ""), header, len(cells))


def node_columns(
    cells: Sequence[str], samples: Sequence[Sequence[str]], options: ReadOptions, file: Path
) -> NodeColumns:
    """Return the columns of a table of nodes. Two columns without a header are key and name.

    The name is the first of the columns ``name``, ``label``, ``title`` and ``prefLabel``, unless another of them has
    more than twice as many different values in the first rows. Of the others, a ``label`` that repeats its values is
    the type of the nodes if there is no other column of types, and a ``label`` or ``prefLabel`` whose values are all
    different is an alias. If the table has none of them, or only a ``title``, the name is the first column that ends
    in «name», such as ``CompanyName``, and has mostly different values. If no column is called ``id`` or the like, the
    first column is the key, provided that it ends in «id», such as ``CustomerID``, or is the name, and no value comes
    twice. Of several columns of types, one whose only value is in the name of the file goes before the others. Every
    other column without a role is a property.

    Args:
        cells: The first row.
        samples: Some of the rows after it.
        options: May name the columns of keys, names and types.
        file: The file, for error messages.

    Raises:
        InputError: No column is recognised as the key, or a column of the options does not exist.
    """
    chosen = [
        None if name is None else named_column(name, cells, True, file)
        for name in (options.key, options.name, options.type)
    ]
    key, name, types = chosen
    key = find_column(cells, KEY, without=(name, types)) if key is None else key
    if key is None and cells and last_words(split_type(cells[0])[0])[0] == "id" and 0 not in (name, types):
        key = 0 if _distinct(samples, 0) == 1 else None
    roles = [find_column(cells, names) for names in (NAME, TYPES, DESCRIPTION, ALIASES)]
    if key is None and name is None and len(cells) > 1 and plain_name(cells[0]) in ("name", "label"):
        key = name = 0 if _distinct(samples, 0) == 1 else None  # edges may call nodes by their names
    if key is None:
        if len(cells) > 2 or any(place is not None for place in (*roles, name, types)):
            raise unrecognised("the key", cells, file, "call it id, or name it with --key")
        return NodeColumns(0, (1,) if len(cells) > 1 else (), header=False)
    if types is None:
        types = _type_of_file(cells, samples, file, (key, name))
    if types is None:
        types = find_column(cells, TYPES, without=(key, name))
    names = [place for place, cell in enumerate(cells) if plain_name(cell) in NAME and place not in (key, types)]
    names.sort(key=lambda place: NAME.index(plain_name(cells[place])))
    if name is None and all(plain_name(cells[place]) == "title" for place in names):  # a title may be that of a person
        places = (
            place for place, cell in enumerate(cells) if is_name_of(split_type(cell)[0]) and place not in (key, types)
        )
        name = next((place for place in places if _distinct(samples, place) > _MOSTLY), None)
    if name is None and names:
        counts = {place: len({row[place] for row in samples if row[place].strip()}) for place in names}
        better = [place for place in names if counts[place] > 2 * counts[names[0]]]
        name = max(better, key=counts.__getitem__, default=names[0])
    others = [place for place in names if place != name]
    aliases: list[int] = []
    for place in others:
        texts = [row[place] for row in samples if row[place].strip()]
        plain, repeats = plain_name(cells[place]), len(set(texts)) <= len(texts) / 2
        if types is None and plain == "label" and repeats and texts:
            types = place
        elif plain != "title" and len(texts) == len(set(texts)) >= _ENOUGH:
            aliases.append(place)
    description, alias = (find_column(cells, names, without=(key, name, types)) for names in (DESCRIPTION, ALIASES))
    aliases = [place for place in (alias, *aliases) if place is not None]
    used = (key, name, types, description, *aliases)
    fields, ignored = field_columns(cells, samples, used)
    space = space_in(cells[key])
    if space and split_type(cells[key])[0].rpartition(":")[0]:
        fields = distinct_names((Field(key, cells[key].partition(":")[0].strip()), *fields))
    fallback = [place for place in others if place != types]
    ordered = tuple(fallback) if name is None else (name, *fallback)
    return NodeColumns(key, ordered, tuple(aliases), types, description, fields, ignored, space, True, len(cells))


def _type_of_file(
    cells: Sequence[str], samples: Sequence[Sequence[str]], file: Path, without: Sequence[int | None]
) -> int | None:
    """Return the column of types whose only value is in the name of the file: «Monster» in `nodes_monster.csv`.

    A ``label`` is one too, beside another column of names: a plane with the label Plane may have a type of its own.
    """
    stem = _LETTERS.sub("", file.stem.casefold())
    has_names = any(plain_name(cell) in NAME and plain_name(cell) != "label" for cell in cells)
    called = (*TYPES, "label") if has_names else TYPES
    for place, cell in enumerate(cells):
        values = {_LETTERS.sub("", row[place].casefold()) for row in samples} if plain_name(cell) in called else set()
        if place not in without and len(values) == 1 and "" != min(values) in stem:
            return place
    return None


def _distinct(samples: Sequence[Sequence[str]], place: int) -> float:
    """Return the share of different values among the filled cells of a column; 0 without any."""
    texts = [row[place].strip() for row in samples if row[place].strip()]
    return len(set(texts)) / len(texts) if texts else 0.0


_LETTERS = re.compile(r"[\W_]+")
_MOSTLY = 0.5  # of the values of a column of names are different
_ENOUGH = 5  # rows that show that the values of a column are all different
