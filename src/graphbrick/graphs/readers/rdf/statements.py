"""Convert statements of RDF into triples and facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from graphbrick.graphs.readers.rdf.annotations import Annotations
from graphbrick.graphs.readers.rdf.blank_names import BlankNames
from graphbrick.graphs.readers.rdf.lists import Lists
from graphbrick.graphs.readers.rdf.restrictions import Restrictions
from graphbrick.graphs.readers.reader import FileReading
from graphbrick.graphs.records.blocks import Described
from graphbrick.graphs.records.rdf_names import (
    ALIAS_IRI,
    DESCRIPTION_IRIS,
    IMPLIES_IRI,
    LABEL_IRIS,
    REIFIES_IRI,
    TYPE_IRI,
    local_name,
)
from graphbrick.graphs.records.records import (
    DESCRIPTION,
    IS_TRIPLE,
    LABEL,
    EdgeRecord,
    EntityRecord,
    RankedFact,
    TripleRecord,
)
from graphbrick.kernels.strings.ntriples import NO_LANGUAGE, OTHER, PREFERRED, VARIANT

if TYPE_CHECKING:
    import pyoxigraph

Fact: TypeAlias = EntityRecord | Described | RankedFact
POSITION = "position"
_LITERALS = 1 << 16
_ANONYMOUS = re.compile("[0-9a-f]{24,32}")


class Statements:
    """Converter of RDF statements into triples and facts.

    Args:
        ox: The module pyoxigraph.
        reading: The options, and the receiver of what is left out.
        number_blanks: Whether the parser names anonymous nodes, which are numbered in file order instead.
        has_formulas: Whether graphs named by blank nodes are formulas of N3, whose statements are not facts.
        mend: Repairs an IRI that the parser did not check.
        is_multilingual: Whether texts are in several languages, so that every description is a triple as well.
    """

    def __init__(
        self,
        ox: ModuleType,
        reading: FileReading,
        *,
        number_blanks: bool,
        has_formulas: bool = False,
        mend: Callable[[str], str] | None = None,
        is_multilingual: bool = False,
    ) -> None:
        self._ox, self._left_out, self._mend = ox, reading.left_out, mend
        self.labels = LABEL_IRIS | frozenset(reading.labels)
        self.facts = self.labels | DESCRIPTION_IRIS | {TYPE_IRI, ALIAS_IRI}
        self._only_facts = self.facts - DESCRIPTION_IRIS if is_multilingual else self.facts
        self.language = reading.options.language.strip().casefold()
        self.annotations = Annotations(reading.left_out)
        self.lists = Lists(ox, self.key, reading.left_out)
        self.restrictions = Restrictions(ox, self.key, reading.left_out)
        self.blank_names = BlankNames(self.labels, self.rank, reading.left_out)
        self._number_blanks, self._has_formulas = number_blanks, has_formulas
        self._blanks: dict[str, str] = {}
        self._literals: set[str] = set()  # recently described; describing one twice is harmless

    def note(self, quad: pyoxigraph.Quad, *, by_name: bool = True) -> None:
        """Take the triple of a statement that names one, or a part of a list or restriction, before the conversion.

        Args:
            quad: Any statement of the file, in file order.
            by_name: Whether the node that stands for the triple has the same name when the file is read again.
        """
        self._number(quad.subject, quad.object)
        self.lists.note(quad)
        self.restrictions.note(quad)
        if quad.predicate.value == REIFIES_IRI and isinstance(quad.object, self._ox.Triple):
            triple = self._keys(quad.object)
            if triple is not None:
                self.annotations.note(self.key(quad.subject) if by_name else None, triple)

    @property
    def is_noted(self) -> bool:
        """Whether the file was read once to note triples, lists or restrictions, and has some."""
        return self.annotations.is_noted or bool(self.lists) or bool(self.restrictions)

    def restart(self) -> None:
        """Number anonymous nodes from the start, to read the file once more."""
        self._blanks.clear()

    def parts(self, quad: pyoxigraph.Quad) -> list[Fact | TripleRecord]:
        """Return the triples and facts of a statement."""
        subject, predicate, value = quad.subject, quad.predicate.value, quad.object
        if self.is_noted:
            self._number(subject, value)
        if not isinstance(quad.graph_name, self._ox.DefaultGraph) and self._is_quoted(quad):
            return []
        if isinstance(value, self._ox.Triple):
            return self._about_triple(quad, value)
        if self.annotations.is_noted and self.annotations.takes(self.key(subject), predicate, self._term(value)):
            return []
        if self.restrictions.takes(subject) or self.lists.takes(subject, predicate, value):
            return []
        return self._converted(subject, *self.restrictions.read(predicate, value) or (predicate, value))

    def listed(self) -> Iterator[Fact | TripleRecord | EdgeRecord]:
        """Yield what the file states about the members of lists; triples have the position in the list, from 1."""
        for subject, predicate, member, position in self.lists.statements():
            for part in self._converted(subject, predicate, member):
                yield EdgeRecord(*part, {POSITION: position}) if isinstance(part, tuple) else part

    def unnamed(self, quad: pyoxigraph.Quad) -> None:
        """Take a statement about a node without a name that was converted elsewhere."""
        if isinstance(quad.subject, self._ox.BlankNode) and not isinstance(quad.object, self._ox.Triple):
            self.blank_names.take(self.key(quad.subject), quad.predicate.value, self._term(quad.object))

    def _converted(self, subject: Any, predicate: str, value: Any) -> list[Fact | TripleRecord]:
        if isinstance(subject, self._ox.BlankNode):
            self.blank_names.take(self.key(subject), predicate, self._term(value))
        if predicate in self.facts and (facts := self._stated(subject, predicate, value)) is not None:
            return facts
        return self._triple(subject, predicate, value)

    def _is_quoted(self, quad: pyoxigraph.Quad) -> bool:
        """Count the graph name of a statement; return whether it is part of a formula or rule of N3."""
        name = quad.graph_name
        if self._has_formulas and isinstance(name, self._ox.BlankNode):
            self._left_out.add("statements inside formulas of N3", str(quad))
            return True
        self._left_out.add("graph names of statements", str(getattr(name, "value", name)))
        return False

    def _about_triple(self, quad: pyoxigraph.Quad, value: Any) -> list[Fact | TripleRecord]:
        triple = self._keys(value)
        if quad.predicate.value != REIFIES_IRI or triple is None:
            self._left_out.add("statements about statements that are not properties of a triple", str(quad))
        elif not self.annotations.is_noted:
            self._left_out.add("statements about statements, as none is in the first 4 MiB of the file", str(quad))
        else:
            self.annotations.note(self.key(quad.subject), triple)
        return []

    def annotated(self, label: Callable[[str], str]) -> Iterator[Any]:
        """Yield the triples with properties, each preceded by the facts about its tail if that is a literal.

        Args:
            label: Returns the name of an IRI.
        """
        for record in self.annotations.records(label, self._only_facts):
            if record.tail.startswith('"'):
                literal = self._ox.parse(f"<a:a> <a:a> {record.tail} .", format=self._ox.RdfFormat.N_TRIPLES)
                yield from self._described(record.tail, next(iter(literal)).object)
            yield record

    def _triple(self, subject: Any, predicate: str, value: Any) -> list[Fact | TripleRecord]:
        """Return the triple, preceded by the facts about its tail if that is a literal."""
        head, tail = self.key(subject), self._term_key(value)
        if self.annotations.is_noted and self.annotations.holds_back((head, predicate, tail)):
            return []  # it follows with its properties
        if self._has_formulas and predicate == IMPLIES_IRI:
            self._left_out.add("rules of N3")
            return []
        return [*self._described(tail, value), (head, predicate, tail)]

    def _described(self, key: str, value: Any) -> list[Fact | TripleRecord]:
        """Return the facts about a literal, unless they were returned lately."""
        if not isinstance(value, self._ox.Literal) or key in self._literals:
            return []
        if len(self._literals) >= _LITERALS:
            self._literals.clear()
        self._literals.add(key)
        type_ = local_name(value.datatype.value)
        return [Described(EntityRecord(key, value.value.strip() or None, types=(type_,)))]

    def _stated(self, subject: Any, predicate: str, value: Any) -> list[Fact | TripleRecord] | None:
        """Return the facts that a statement states about its subject; None if it is an ordinary triple."""
        key, is_literal = self.key(subject), isinstance(value, self._ox.Literal)
        if is_literal == (predicate == TYPE_IRI) or isinstance(value, self._ox.BlankNode):
            return None  # a class must not be a literal, and have a name, and a text must be one
        if predicate == TYPE_IRI:
            return [EntityRecord(key, types=(local_name(self.key(value)),), may_be_relation=True)]
        text = value.value.strip()
        if not text:
            self._left_out.add("labels and descriptions without a letter", key)
            return []
        if predicate == ALIAS_IRI:
            return [EntityRecord(key, aliases=(text,), may_be_relation=True)]
        rank = self.rank(value.language)
        if predicate in self._only_facts:
            return [RankedFact(key, LABEL if predicate in self.labels else DESCRIPTION, text, rank)]
        return [
            RankedFact(key, DESCRIPTION, text, rank + IS_TRIPLE),
            *self._triple(subject, predicate, value),
        ]

    def rank(self, language: str | None) -> int:
        """Return the rank of a text in a language; the lowest is best."""
        if language is None:
            return NO_LANGUAGE
        tag = language.casefold()
        if tag == self.language:
            return PREFERRED
        return VARIANT if tag.startswith(self.language + "-") else OTHER

    def _keys(self, triple: Any) -> TripleRecord | None:
        """Return the keys of a triple term; None if it holds another triple term."""
        if isinstance(triple.object, self._ox.Triple):
            return None
        return self.key(triple.subject), triple.predicate.value, self._term_key(triple.object)

    def _term(self, value: Any) -> Any:
        """Return the value of a property: a literal as it is, the key of another term."""
        return value if isinstance(value, self._ox.Literal) else self.key(value)

    def _term_key(self, value: Any) -> str:
        return str(value) if isinstance(value, self._ox.Literal) else self.key(value)

    def key(self, term: Any) -> str:
        """Return the key of an IRI or a blank node."""
        name: str = term.value
        if not isinstance(term, self._ox.BlankNode):
            return name if self._mend is None else self._mend(name)
        # The parser names anonymous nodes ([] in Turtle) by 128 random bits; a build must be deterministic.
        if self._number_blanks and _ANONYMOUS.fullmatch(name):
            name = self._blanks.setdefault(name, f"anon{len(self._blanks) + 1}")
        return f"_:{name}"

    def _number(self, *terms: Any) -> None:
        """Number the anonymous nodes among terms in their order."""
        for term in terms:
            if isinstance(term, self._ox.Triple):
                self._number(term.subject, term.object)
            elif isinstance(term, self._ox.BlankNode):
                self.key(term)
