"""Numbers and dates among the tails of relations: the types of relations, and their values.

A relation has literal values if at least 95 % of its distinct tails read as numbers of one unit, or as dates. The types
are determined when a graph is built and are part of its manifest; for older or changed graphs, at first use.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import is_code
from graphbrick.core.session import current_session
from graphbrick.graphs.store.stored import StoredGraph
from graphbrick.graphs.store.strings import StringTable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

INTEGER, DECIMAL, YEAR, DATE = "integer", "decimal", "year", "date"
_SHARE = 0.95  # of distinct tails that must read as values of one kind and unit
_NODES = 0.5  # of distinct tails that may be nodes
_FIRST = 24  # tails of each relation that are looked at first
_SAMPLED = 20_000  # distinct tails that decide about a relation
_CHUNK = 1 << 22  # triples read together
_YEARS = range(1000, 2200)  # whole numbers of four digits that can be years
_NUMBER = re.compile(
    r"(?P<sign>[-\u2212]?)(?P<before>[$€£¥]?)\s?(?P<digits>\d{1,3}(?:[,\u202f\u00a0' ]\d{3})+|\d+)(?P<decimals>\.\d+)?"
    r"(?:\s?(?P<unit>%|°[CF]?|[A-Za-zµ]{1,12}(?:[/ ][A-Za-z]{1,10})?[²³23]?))?"
)
_DATE = re.compile(r"(?P<year>-?\d{4})-(?P<month>\d{2})(?:-(?P<day>\d{2})(?:T[\d:.Z+-]*)?)?")
_SCHEME = 24  # characters of a key that has the scheme of an IRI
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SEPARATORS = re.compile(r"[,\u202f\u00a0' ]")


class Literal(NamedTuple):
    """A number or date read from a text.

    Attributes:
        kind: "integer", "decimal" or "date".
        value: The number; for a date, years with their fraction.
        unit: Such as "km²"; empty for none.
    """

    kind: str
    value: float
    unit: str = ""


class LiteralType(NamedTuple):
    """The type of the tails of a relation.

    Attributes:
        kind: "integer", "decimal", "year" or "date".
        unit: Such as "km²"; empty for none.
    """

    kind: str
    unit: str = ""

    @property
    def is_date(self) -> bool:
        """True if values are years or dates rather than amounts."""
        return self.kind in (YEAR, DATE)

    def __str__(self) -> str:
        return f"{self.kind} in {self.unit}" if self.unit else self.kind


def value_text_of(key: str, label: str) -> str:
    """Return the text that shows whether an entity is a value; empty for an IRI that is called by its last part.

    >>> value_text_of("http://ex.org/report/2020", "2020"), value_text_of('"2020"', "2020")
    ('', '2020')
    """
    if "://" not in key[:_SCHEME] or not _IRI.match(key):
        return label
    from graphbrick.graphs.records.rdf_names import local_name  # most graphs have no IRIs

    return "" if local_name(key) == label else label


def value_texts(folder: Path) -> Callable[[int], str]:
    """Return the function from the entities of a graph that is being built to `value_text_of`."""
    labels = StringTable.open(folder, "labels")
    keys = StringTable.open(folder, "keys") if (folder / StringTable.file("keys")).exists() else labels
    return lambda entity: value_text_of(keys[entity], labels[entity])


def read_literal(text: str) -> Literal | None:
    """Return the number or date that a text is; None if it is neither. Digits that begin with zeros are a code.

    >>> read_literal("582,650 km²"), read_literal("-3.5 %"), read_literal("Kenya"), read_literal("+254")
    (Literal(kind='integer', value=582650.0, unit='km²'), Literal(kind='decimal', value=-3.5, unit='%'), None, None)
    >>> read_literal("1963-12-12").value > read_literal("1963-06").value
    True
    """
    text = text.strip()
    date = _DATE.fullmatch(text)
    if date:
        return _read_date(date)
    number = _NUMBER.fullmatch(text)
    if number is None or is_code(number["digits"]):
        return None
    value = float(_SEPARATORS.sub("", number["digits"]) + (number["decimals"] or ""))
    unit = (number["before"] or number["unit"] or "").replace("km2", "km²").replace("m2", "m²")
    return Literal(DECIMAL if number["decimals"] else INTEGER, -value if number["sign"] else value, unit)


def exact_number(text: str) -> Decimal | None:
    """Return the number that a text is, with all its digits; None if `read_literal` reads no number.

    >>> f"{exact_number('0.00000012 kg'):f}", f"{exact_number('-9,007,199,254,740,993'):f}"
    ('0.00000012', '-9007199254740993')
    """
    number = _NUMBER.fullmatch(text.strip())
    if number is None:
        return None
    digits = _SEPARATORS.sub("", number["digits"]) + (number["decimals"] or "")
    return Decimal(f"-{digits}" if number["sign"] else digits)


def _read_date(date: re.Match[str]) -> Literal | None:
    year, month, day = int(date["year"]), int(date["month"]), int(date["day"] or 1)
    try:
        of_year = datetime.date(2000, month, day).timetuple().tm_yday - 1
    except ValueError:
        return None
    return Literal(DATE, year + of_year / 366)


def literal_types(graph: StoredGraph) -> Mapping[int, LiteralType]:
    """Return the types of the relations whose tails are numbers or dates, by relation id."""
    return current_session().get(("literal types", graph.place, graph.hash), lambda: _types(graph), at_most=16)


def _types(graph: StoredGraph) -> dict[int, LiteralType]:
    known = graph.manifest.literals
    if known is not None and not graph.changes.files:
        return {int(relation): LiteralType(*entry) for relation, entry in known.items()}
    ids = graph.triple_ids()
    relation, tail = graph.csr.relation[ids], graph.csr.tail[ids]

    def text(entity: int) -> str:
        return value_text_of(graph.key(entity), graph.label(entity))

    return find_literal_types(relation, tail, graph.n_relations, text, partial(_is_node, graph))


def _is_node(graph: StoredGraph, entities: Ints) -> npt.NDArray[np.bool_]:
    """Return which entities are heads of triples or have properties, int64 [entities] to bool [entities]."""
    csr = graph.csr
    return np.asarray(csr.out_end[entities] > csr.out_begin[entities]) | [
        bool(graph.own_properties(entity)) for entity in entities.tolist()
    ]


def find_literal_types(
    relation: npt.NDArray[np.integer],
    tail: npt.NDArray[np.integer],
    n_relations: int,
    text: Callable[[int], str],
    is_node: Callable[[Ints], npt.NDArray[np.bool_]],
) -> dict[int, LiteralType]:
    """Return the types of the relations whose tails are numbers or dates.

    A relation most of whose tails are nodes has none: their numbers are keys.

    Args:
        relation: The relation of each triple.
        tail: The tail of each triple.
        n_relations: Number of relations.
        text: Returns the text of an entity that shows whether it is a value (`value_text_of`).
        is_node: Returns which entities are more than the tail of triples: they have triples, a type or properties.
    """
    candidates = [
        number
        for number, tails in first_tails(relation, tail, n_relations).items()
        if _type_of(map(text, tails)) is not None
    ]
    types = {}
    for number in candidates:
        parts = [
            np.unique(tail[at : at + _CHUNK][relation[at : at + _CHUNK] == number])
            for at in range(0, len(relation), _CHUNK)
        ]
        distinct = np.unique(np.concatenate(parts))
        step = -(-len(distinct) // _SAMPLED)
        kind = _type_of(map(text, distinct[::step].tolist()))
        if kind is not None and is_node(distinct[::step].astype(np.int64)).mean() < _NODES:
            types[number] = kind
    return types


def first_tails(
    relation: npt.NDArray[np.integer], tail: npt.NDArray[np.integer], n_relations: int
) -> dict[int, list[int]]:
    """Return a few distinct tails of each relation."""
    tails: dict[int, list[int]] = {}
    is_full = np.zeros(n_relations, dtype=np.bool_)
    for at in range(0, len(relation), _CHUNK):
        numbers, ends = np.asarray(relation[at : at + _CHUNK]), np.asarray(tail[at : at + _CHUNK])
        open_ = np.flatnonzero(~is_full[numbers])
        order = open_[np.argsort(numbers[open_], kind="stable")]
        first = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), len(order)], strict=True):
            number = int(numbers[order[begin]])
            step = max(1, (end - begin) // _FIRST)  # triples are sorted by head, so the first ones may be alike
            more = [*tails.get(number, ()), *ends[order[begin:end:step]].tolist()]
            tails[number] = list(dict.fromkeys(more))[:_FIRST]
            is_full[number] = len(tails[number]) == _FIRST
        if is_full.all():
            break
    return tails


def _type_of(texts: Iterable[str]) -> LiteralType | None:
    """Return the type of texts; None if too few of them are values of one kind and unit."""
    read = [read_literal(text) for text in texts]
    values = [literal for literal in read if literal is not None]
    if not values:
        return None
    dates = sum(literal.kind == DATE for literal in values)
    years = sum(
        not literal.unit and _YEARS[0] <= literal.value <= _YEARS[-1] for literal in values if literal.kind == INTEGER
    )
    least = _SHARE * len(read)
    if dates and dates + years >= least:
        return LiteralType(DATE)
    units = Counter(literal.unit for literal in values if literal.kind != DATE)
    unit, count = max(units.items(), key=lambda item: item[1], default=("", 0))  # the first of the most frequent
    if count < least:
        return None
    if years >= least and not unit:
        return LiteralType(YEAR)
    return LiteralType(DECIMAL if any(literal.kind == DECIMAL for literal in values) else INTEGER, unit)


class Values(NamedTuple):
    """The values of one relation.

    Attributes:
        heads: int64, ascending, the entities that have a value.
        values: float64, the value of each; the first triple counts if an entity has several.
        tails: int64, the tail that each value was read from.
    """

    heads: Ints
    values: Floats
    tails: Ints

    def of(self, entities: npt.NDArray[np.integer]) -> Floats:
        """Return the value of each entity, float64; NaN for those without one."""
        if not len(self.heads):
            return np.full(len(entities), np.nan)
        at = np.minimum(np.searchsorted(self.heads, entities), len(self.heads) - 1)
        return np.where(self.heads[at] == entities, self.values[at], np.nan)


def values_of(graph: StoredGraph, relation: int) -> Values:
    """Return the values of a relation whose tails are numbers or dates; a session reads them once."""
    key = ("literal values", graph.place, graph.hash, relation)
    return current_session().get(key, lambda: _values(graph, relation), at_most=64)


def _values(graph: StoredGraph, relation: int) -> Values:
    ids = graph.triple_ids()
    ids = ids[graph.csr.relation[ids] == relation]
    distinct, place = np.unique(graph.csr.tail[ids], return_inverse=True)
    unit = literal_types(graph)[relation].unit
    texts = [value_text_of(graph.key(entity), graph.label(entity)) for entity in distinct.tolist()]
    numbers = _numbers(texts, unit)
    heads, first = np.unique(graph.csr.heads(ids), return_index=True)
    values = numbers[place[first]]
    is_read = ~np.isnan(values)
    tails = distinct[place[first]].astype(np.int64)
    return Values(heads[is_read].astype(np.int64), values[is_read], tails[is_read])


def _numbers(texts: list[str], unit: str) -> Floats:
    """Return the value of each text, NaN for a text that is not a value of the unit."""
    try:  # plain digits are what most large tables hold
        values = np.array(list(map(float, texts)))
        return np.where(np.isfinite(values), values, np.nan)  # "Infinity" is a name
    except ValueError:
        read = map(read_literal, texts)
        return np.array([np.nan if it is None or it.unit not in ("", unit) else it.value for it in read])
