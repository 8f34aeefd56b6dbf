"""The properties of triples as questions speak of them, and their values as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.values import Kind, Value
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language.folding import fold
from graphbrick.language.stems import Stems, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.properties.column_numbers import are_dates, as_number, floats_of
from graphbrick.patterns.properties.names import in_full
from graphbrick.patterns.text import in_words

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FEW = 100  # texts of a property
_YEARS = range(1000, 2200)
_NUMERIC = frozenset((Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME))
_TIMES = frozenset(map(stem, "year season since from until to start end begin began joined left date day".split()))
_BEGINS = frozenset(map(stem, "since from start started begin began joined first entered valid".split()))
_ENDS = frozenset(map(stem, "until to end ended left last final".split()))


@dataclass(frozen=True)
class TripleProperty:
    """A property of triples.

    Attributes:
        name: Its name.
        kind: The kind of most values.
        stems: The stems of its name, in order.
        is_time: Whether its values are dates or years.
        relations: The relations whose triples have it.
    """

    name: str
    kind: Kind
    stems: Stems
    is_time: bool
    relations: frozenset[int]

    @property
    def words(self) -> frozenset[str]:
        """The stems of its name."""
        return frozenset(self.stems)

    @property
    def is_number(self) -> bool:
        """True if its values can be added up."""
        return self.kind in (Kind.INTEGER, Kind.NUMBER) and not self.is_time

    @property
    def is_begin(self) -> bool:
        """True if its dates say when something began: `since`."""
        return self.is_time and bool(_BEGINS & self.words)

    @property
    def is_end(self) -> bool:
        """True if its dates say when something ended: `until`."""
        return self.is_time and bool(_ENDS & self.words)


def triple_properties(graph: Graph) -> tuple[TripleProperty, ...]:
    """Return the properties of the triples of a graph folder; a session finds them once."""
    key = ("triple properties", graph.place, graph.hash)
    return current_session().get(key, lambda: _find(graph), at_most=8)


def _find(graph: Graph) -> tuple[TripleProperty, ...]:
    best: dict[str, TripleProperty] = {}
    count: dict[str, int] = {}
    for column in getattr(graph, "columns", ()):
        if not column.of_triples or len(column) <= count.get(column.name, 0):
            continue
        words = stems(" ".join(in_full(in_words(spaced(column.name)).split(), frozenset())))
        relations = np.unique(graph.csr.relation[column.owners]).tolist()
        is_time = column.kind in (Kind.DATE, Kind.DATETIME) or are_dates(column)
        if column.kind == Kind.INTEGER and _TIMES.intersection(words):
            values = floats_of(column)
            is_time = bool(len(values)) and _YEARS[0] <= values.min() and values.max() <= _YEARS[-1]
        best[column.name] = TripleProperty(column.name, column.kind, words, is_time, frozenset(relations))
        count[column.name] = len(column)
    return tuple(best.values())


def texts_of_triples(graph: Graph) -> frozenset[str]:
    """Return the texts in lower case of properties of triples that have few of them; a session finds them once."""
    key = ("texts of triples", graph.place, graph.hash)
    return current_session().get(key, lambda: _find_texts(graph), at_most=8)


def _find_texts(graph: Graph) -> frozenset[str]:
    names = {one.name for one in triple_properties(graph) if one.kind == Kind.TEXT}
    own = [column for column in getattr(graph, "columns", ()) if column.of_triples and column.name in names]
    texts = (text.lower().replace("_", " ") for column in own for text in column.few_texts(_FEW))
    return frozenset(text for text in texts if text not in FUNCTION_WORDS and not text.isdecimal())


def letters_of_triples(graph: Graph) -> dict[str, tuple[TripleProperty, ...]]:
    """Return the properties of triples by those of their texts that are one capital letter: the A of a grade."""
    key = ("letters of triples", graph.place, graph.hash)
    return current_session().get(key, lambda: _find_letters(graph), at_most=8)


def _find_letters(graph: Graph) -> dict[str, tuple[TripleProperty, ...]]:
    found: dict[str, tuple[TripleProperty, ...]] = {}
    for one in triple_properties(graph):
        columns = [column for column in graph.columns if column.of_triples and column.name == one.name]
        texts = [text for column in columns for text in column.few_texts(_FEW)] if one.kind == Kind.TEXT else []
        for letter in {text for text in texts if len(text) == 1 and text.isupper()}:
            found[letter] = (*found.get(letter, ()), one)
    return found


def numbers_of_triples(graph: Graph, name: str, triples: Ints) -> Floats:
    """Return the number of each triple, dates as years with their fraction; NaN where there is none."""
    numbers = np.full(len(triples), np.nan)
    for column in graph.columns:
        if column.name == name and column.of_triples and len(column) and (column.kind in _NUMERIC or are_dates(column)):
            rows = np.minimum(np.searchsorted(column.owners, triples), len(column) - 1)
            has = column.owners[rows] == triples
            numbers[has] = floats_of(column)[rows[has]]
    for place in _changed(graph, triples):
        value = as_number(graph.triple_properties(int(triples[place])).get(name))
        numbers[place] = np.nan if value is None else value
    return numbers


def with_text(graph: Graph, name: str, text: str, triples: Ints) -> npt.NDArray[np.bool_]:
    """Return which triples have a text as the value of a property, without case and accents."""
    has = np.zeros(len(triples), dtype=np.bool_)
    for column in graph.columns:
        if column.name == name and column.of_triples and column.kind == Kind.TEXT:
            has |= np.isin(triples, column.named(text))
    for place in _changed(graph, triples):
        has[place] = _is_text(graph.triple_properties(int(triples[place])).get(name), text)
    return has


def _changed(graph: Graph, triples: Ints) -> list[int]:
    """Return the places of triples that came, or moved, with changes."""
    built = graph.manifest.triples
    return np.flatnonzero(triples >= built).tolist()


def _is_text(value: Value | None, text: str) -> bool:
    texts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(one, str) and fold(one) == fold(text) for one in texts)
