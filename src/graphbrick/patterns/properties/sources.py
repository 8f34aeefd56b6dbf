"""The properties of entities that questions ask for or compare: columns, and relations to numbers or dates.

What reads a question sees one kind of thing, a `Source`, however the graph holds the values.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Kind, PropertyColumn, Scalar, Value
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.property_view import PropertyView
from graphbrick.graphs.store.literals import (
    DATE,
    DECIMAL,
    INTEGER,
    YEAR,
    LiteralType,
    Values,
    literal_types,
    values_of,
)
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import Stems, is_plural, spaced, stem
from graphbrick.patterns.english.states import code_of_state
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.properties.column_numbers import are_dates, as_number, floats_of, value_kind
from graphbrick.patterns.properties.names import in_full, name_words
from graphbrick.patterns.text import readable

if TYPE_CHECKING:
    from graphbrick.patterns.properties.measured import Measured

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NUMERIC = {Kind.INTEGER: INTEGER, Kind.NUMBER: DECIMAL, Kind.DATE: DATE, Kind.DATETIME: DATE}
_LOWEST: dict[Kind, Scalar] = {
    Kind.INTEGER: -(2**63) + 1,
    Kind.NUMBER: -(2**63) + 1,
    Kind.DATE: datetime.date.min,
    Kind.DATETIME: datetime.date.min,
    Kind.TEXT: "",
}
_YEARS = range(1000, 2200)
_NOBODY = np.empty(0, dtype=np.int64)
_MEANS = {  # words for what columns that are cut short measure
    short: tuple(map(stem, words.split()))
    for shorts, words in (("srp msrp rrp", "price"), ("sqft sqm", "area size"))
    for short in shorts.split()
}
_SMALL = frozenset("of in by at with for to from on the a an has is was are id".split())
_SHORTEST_AGENT = 7  # letters of a noun such as «composer», from «composed»
_OF_YEARS = Expression(
    r"year|season|(?:ed|built|since|born|birth|death|begin|start|inception|debut|until)$"
)  # names of columns whose whole numbers may be years
_FEW = 5  # texts of a column of codes
_COUNTS = frozenset(map(stem, ("number", "count", "quantity", "amount", "total", "level", "rank", "tier", "year")))
_BETWEEN = frozenset(  # values of a column of yes and no that are neither
    "partial partly partially limited some mixed maybe unknown n/a na none - ?".split()
) | {"not known", ""}
_YES_NO = ({"y", "n"}, {"yes", "no"}, {"true", "false"}, {"t", "f"})
# Codes that are seen together in a column, with the words for them.
_CODES = (
    {"l": "left", "r": "right", "b": "both switch", "s": "switch both", "a": "ambidextrous"},
    {"m": "male man boy", "f": "female woman girl", "x": "", "u": "", "o": "other", "d": "diverse"},
    {"male": "man boy", "female": "woman girl", "other": "", "unknown": ""},
)

_VALUES_READ, _FEW_VALUES = 1_000, 100  # entities, different values


@dataclass(frozen=True)
class Source:
    """A property of entities.

    Attributes:
        name: Its name.
        relation: The relation whose tails are the values; -1 for a column.
        literal: The type of its numbers or dates; None for texts and booleans.
        kind: The kind of most values.
        words: The stems of the words of its name that have a meaning.
        stems: The stems of its name, in order, without a leading «is» or «has».
        spoken: The words of its name, in lower case; "" for a relation.
        yes: The value that is true in a column of yes and no, such as 1 or "Y".
        codes: The texts of a column of a few letters, such as "L" and "R", by the words for them; in a column of yes
            and no those that are neither, such as "partial".
        measured: Where the amounts of a quantity are that stands at triples; None for a property of entities.
    """

    name: str
    relation: int = -1
    literal: LiteralType | None = field(default=None, compare=False)
    kind: Kind = field(default=Kind.TEXT, compare=False)
    words: frozenset[str] = field(default=frozenset(), compare=False)
    stems: Stems = field(default=(), compare=False)
    spoken: str = field(default="", compare=False)
    yes: Scalar = field(default=True, compare=False)
    codes: Mapping[str, str] = field(default_factory=dict, compare=False)
    measured: Measured | None = None

    @property
    def unit(self) -> str:
        """The unit of its numbers; empty for none."""
        return "" if self.literal is None else self.literal.unit

    @property
    def is_date(self) -> bool:
        """True if its values are years or dates."""
        return self.literal is not None and self.literal.is_date


def sources_of(graph: Graph) -> Sequence[Source]:
    """Return the properties of a graph, relations to numbers and dates first; a session finds them once."""
    return current_session().get(("property sources", graph.place, graph.hash), lambda: _find(graph), at_most=8)


UNITS = frozenset(
    "mm cm m km kg g mg t lb lbs ft mb gb kb ms s min h hours minutes seconds days usd eur gbp chf pct".split()
)


def property_names(graph: Graph) -> list[str]:
    """Return the names of the properties that are not tails of triples, as lower-case words, also without a unit."""
    own = [source for source in sources_of(graph) if source.relation < 0]
    names = [spaced(source.name).lower().replace("_", " ") for source in own]
    full = [source.spoken for source in own if source.spoken not in names]
    return [*names, *full, *(name.rpartition(" ")[0] for name in names if name.rpartition(" ")[2] in UNITS)]


def has_columns(graph: Graph) -> bool:
    """Return whether entities have properties that are not tails of triples."""
    if not _is_stored(graph):
        return any(source.relation < 0 for source in sources_of(graph))
    changed = graph.changes.facts.values()
    return any(not column.of_triples for column in graph.columns) or any(facts.properties for facts in changed)


def has_triple_properties(graph: Graph) -> bool:
    """Return whether the triples of a graph folder have properties."""
    return _is_stored(graph) and graph.triples_have_properties


def _is_stored(graph: Graph) -> bool:
    """Return whether the columns of a graph are its own, and not known by the protocol of properties alone."""
    return type(graph).property_columns is PropertyView.property_columns


def _find(graph: Graph) -> tuple[Source, ...]:
    sources = [
        Source(label, relation, literal, Kind.DATE if literal.is_date else Kind.NUMBER, *_words(label_stems(label)))
        for relation, literal in literal_types(graph).items()
        for label in [graph.relation_label(relation)]
    ]
    names = {source.name for source in sources}
    best: dict[str, PropertyColumn] = {}
    if not _is_stored(graph) or has_columns(graph):
        for column in [*graph.property_columns(), *_columns_of_changes(graph)]:
            if column.name not in names and (column.name not in best or best[column.name].count < column.count):
                best[column.name] = column
    table = graph.type_table[2] if _is_stored(graph) and graph.type_table else ()
    types = [table[number] for number in range(len(table))]
    parts = [readable(spaced(name)).lower().split() for name in [*best, *types]]
    known, shared = set(chain(*parts)), set(chain(*(words for words in parts if len(words) > 1)))
    for name, column in best.items():
        # «baseline» beside `baseline_low_date` is one word
        spoken = (name.lower(),) if name.lower() in shared else name_words(name, known)
        literal, own, whole = _literal(graph, column), tuple(map(stem, spoken)), in_full(spoken, known)
        yes, codes = _coded(graph, name, own)
        kind = column.kind if yes is True else Kind.BOOLEAN
        whole = whole[:-1] if len(whole) > 1 and whole[-1] == "flag" else whole  # «international» of `intl_flag`
        words, stems = _words(tuple(map(stem, whole)))
        sources.append(Source(name, -1, literal, kind, words.union(own), stems, " ".join(whole), yes, codes))
    return (*sources, *_quantities(graph))


def _quantities(graph: Graph) -> Iterator[Source]:
    """Yield the quantities whose amounts stand at triples."""
    if not has_triple_properties(graph):
        return
    from graphbrick.patterns.properties.measured import quantities_of  # most graphs have none

    for one in quantities_of(graph):
        word = stem(one.spoken)
        yield Source(
            one.label, -1, one.literal, Kind.NUMBER, frozenset((word,)), (word,), one.spoken, measured=one.measured
        )


def _coded(graph: Graph, name: str, words: Stems) -> tuple[Scalar, dict[str, str]]:
    """Return the value for yes in a column of two such values, else True; and the codes of a column by their words."""
    columns = [column for column in graph.columns if column.name == name and not column.of_triples]
    if len(columns) != 1:
        return True, {}
    if columns[0].is_binary() and not _COUNTS.intersection(words) and not is_plural(name.lower()):
        return 1, {}
    codes = {text.lower(): text for text in columns[0].few_texts(_FEW)}
    pair = next((one for one in _YES_NO if one <= codes.keys() and codes.keys() - one <= _BETWEEN), None)
    if pair is not None:
        yes = next(text for code, text in codes.items() if code in pair and code[0] in "yt")
        return yes, {stem(code): text for code, text in codes.items() if code not in pair}
    family = next((one for one in _CODES if len(codes) > 1 and codes.keys() <= one.keys()), {})
    return True, {word: text for code, text in codes.items() for word in family.get(code, "").split()}


def _columns_of_changes(graph: Graph) -> list[PropertyColumn]:
    """Return the properties that came with changes."""
    changed = [facts.properties for facts in graph.changes.facts.values() if facts.properties]
    kinds = {name: value_kind(value) for properties in changed for name, value in properties.items()}
    return [PropertyColumn(name, kind, 1) for name, kind in kinds.items()]


def _words(stems: Stems) -> tuple[frozenset[str], Stems]:
    """Return the stems of a name that have a meaning, with the verb of «composer», and all of them in order."""
    agents = (word[:-2] for word in stems if len(word) >= _SHORTEST_AGENT and word.endswith(("er", "or")))
    means = (word for short in stems for word in _MEANS.get(short, ()))
    words, is_state = frozenset((*stems, *agents, *means)), len(stems) > 1 and stems[0] in ("is", "has")
    return words - _SMALL or words, stems[1:] if is_state else stems


def _literal(graph: Graph, column: PropertyColumn) -> LiteralType | None:
    kind = _NUMERIC.get(column.kind)
    if column.kind == Kind.TEXT and _is_stored(graph):
        own = [one for one in graph.columns if one.name == column.name and not one.of_triples]
        return LiteralType(DATE) if len(own) == 1 and are_dates(own[0]) else None
    if kind != INTEGER or not _OF_YEARS.search(column.name.lower()):
        return None if kind is None else LiteralType(kind, column.unit)
    values = _numbers_of_columns(graph, column.name).values
    is_year = len(values) > 0 and _YEARS[0] <= values.min() and values.max() <= _YEARS[-1]
    return LiteralType(YEAR if is_year else INTEGER)


def numbers_of(graph: Graph, source: Source) -> Values:
    """Return the numbers of a property, dates as years with their fraction; tails are -1 for a column."""
    if source.relation >= 0:
        return values_of(graph, source.relation)
    if source.measured is not None:
        return source.measured.numbers(graph)
    key = ("property numbers", graph.place, graph.hash, source.name)
    return current_session().get(key, lambda: _numbers_of_columns(graph, source.name), at_most=64)


def _numbers_of_columns(graph: Graph, name: str) -> Values:
    heads: list[Ints] = []
    values: list[Floats] = []
    changed = _changed(graph)
    for column in graph.columns:
        if column.name == name and not column.of_triples and (column.kind in _NUMERIC or are_dates(column)):
            owners = column.owners.astype(np.int64)
            numbers = floats_of(column)
            keep = ~np.isin(owners, changed)
            heads.append(owners[keep])
            values.append(numbers[keep])
    others = changed if _is_stored(graph) else _owners(graph, name)
    read = [(entity, as_number(graph.properties(entity).get(name))) for entity in others.tolist()]
    read = [(entity, number) for entity, number in read if number is not None]
    heads.append(np.array([entity for entity, _ in read], dtype=np.int64))
    values.append(np.array([number for _, number in read], dtype=np.float64))
    owners, first = np.unique(np.concatenate(heads), return_index=True)
    return Values(owners, np.concatenate(values)[first], np.full(len(owners), -1, dtype=np.int64))


def _changed(graph: Graph) -> Ints:
    facts = graph.changes.facts.items()
    return np.array(sorted(entity for entity, changed in facts if changed.properties is not None), dtype=np.int64)


def value_of(graph: Graph, source: Source, entity: int) -> Value | None:
    """Return the value of a property that is no relation for an entity; None without one."""
    if source.measured is not None:
        return source.measured.value(graph, entity)
    return graph.properties(entity).get(source.name)


def owners_of(graph: Graph, source: Source) -> Ints:
    """Return the entities that have a property, ascending."""
    if source.literal is not None:
        return numbers_of(graph, source).heads
    return _owners(graph, source.name)


def _owners(graph: Graph, name: str) -> Ints:
    if not _is_stored(graph):
        every = [
            np.asarray(graph.matching(condition), dtype=np.int64)
            for column in graph.property_columns()
            if column.name == name
            for condition in _any_value(column)
        ]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *every]))
    changed = _changed(graph)
    parts = [c.owners.astype(np.int64) for c in graph.columns if c.name == name and not c.of_triples]
    owners = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
    news = [entity for entity in changed.tolist() if name in graph.properties(entity)]
    return np.union1d(owners[~np.isin(owners, changed)], news).astype(np.int64)


def _any_value(column: PropertyColumn) -> list[Condition]:
    """Return conditions one of which every value of a kind meets."""
    if column.kind == Kind.BOOLEAN:
        return [Condition(column.name, equals=True), Condition(column.name, equals=False)]
    return [Condition(column.name, at_least=_LOWEST[column.kind])]


def holders_of(graph: Graph, source: Source, value: Scalar) -> Ints:
    """Return the entities whose value of a property equals another; True is the value for yes; ascending.

    Columns of states may have codes: `WA` for Washington.
    """
    if source.measured is not None:
        known = source.measured.numbers(graph)
        return known.heads[known.values == value] if isinstance(value, int | float) else known.heads[:0]
    found = equal_to(graph, source.name, source.yes if value is True else value)
    code = code_of_state(value, source.words) if isinstance(value, str) and not len(found) else ""
    return equal_to(graph, source.name, code) if code else found


def equal_to(graph: Graph, name: str, value: Scalar) -> Ints:
    """Return the entities whose value of a property equals another, texts after folding; ascending."""
    if not isinstance(value, str) or not _is_stored(graph):
        return np.asarray(graph.matching(Condition(name, equals=value)), dtype=np.int64)
    columns = [c for c in graph.columns if c.name == name and not c.of_triples and c.kind == Kind.TEXT]
    parts = [found for column in columns if len(found := column.named(value))]
    changed = _changed(graph)
    if not parts and not len(changed):
        return _NOBODY
    news = [entity for entity in changed.tolist() if _has_text(graph.properties(entity).get(name), value)]
    owners = np.unique(np.concatenate([_NOBODY, *parts]))
    return np.union1d(owners[~np.isin(owners, changed)], news).astype(np.int64)


def _has_text(own: Value | None, text: str) -> bool:
    texts = own if isinstance(own, tuple) else (own,)
    return any(isinstance(one, str) and fold(one) == fold(text) for one in texts)


_LONG_TEXT = 12  # words, from which a text says something rather than names a value


def words_of_values(graph: Graph) -> frozenset[str]:
    """Return the words of the texts of properties that have few different values, such as languages; lower case."""
    if _is_stored(graph):
        key = ("words of values", graph.place, graph.hash)
        return current_session().get(key, lambda: _words_of(_few_texts(graph)), at_most=8)
    return _words_of(_few_read(graph))


def whole_values(graph: Graph) -> frozenset[str]:
    """Return the texts of properties that have few different texts, such as languages; lower case."""
    if _is_stored(graph):
        key = ("whole values", graph.place, graph.hash)
        return current_session().get(key, lambda: frozenset(map(str.lower, _few_texts(graph))), at_most=8)
    return frozenset(map(str.lower, _few_read(graph)))


def _words_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of short texts; notes and descriptions name no value."""
    return frozenset(word for text in texts if text.count(" ") < _LONG_TEXT for word in text.lower().split())


def _few_texts(graph: Graph) -> Iterator[str]:
    """Yield the values of stored columns, also of triples, with few different texts, and of what came with changes."""
    for column in graph.columns:
        yield from column.few_texts(_FEW_VALUES)
    for facts in graph.changes.facts.values():
        yield from (value for value in (facts.properties or {}).values() if isinstance(value, str))


def _few_read(graph: Graph) -> Iterator[str]:
    """Yield the values of properties with few different texts, as the first entities have them."""
    for source in sources_of(graph):
        if source.relation < 0 and source.kind == Kind.TEXT:
            owners = owners_of(graph, source)[:_VALUES_READ].tolist()
            values = {str(graph.properties(owner).get(source.name, "")) for owner in owners}
            yield from values if len(values) <= _FEW_VALUES else ()
