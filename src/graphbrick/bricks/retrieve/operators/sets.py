"""Plans that give entities, and the base of all plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphbrick.core import Subgraph
from graphbrick.core.errors import GraphbrickError, not_known
from graphbrick.core.items import Item, Property
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import Followed, follow
from graphbrick.patterns.languages import in_one_language
from graphbrick.patterns.properties.sources import Source, value_of
from graphbrick.pipeline.budget import check_budget

_FEW_ALIKE = 5  # entities that share one number and may all be the largest
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Steps = tuple[tuple[int, bool], ...]
"""Relations with whether each is followed from head to tail."""


class CannotPlanError(GraphbrickError):
    """A question whose operator this graph cannot answer; the message says why."""


class UnknownNounError(CannotPlanError):
    """Words that nothing in the graph is called by.

    Attributes:
        nouns: The stems of the words.
    """

    def __init__(self, nouns: Sequence[str]) -> None:
        nouns = tuple(nouns)
        super().__init__(not_known(nouns), code="operators.unknown_nouns", nouns=nouns)
        self.nouns = nouns


class UnreadWordError(CannotPlanError):
    """A word, such as «not», whose meaning at its place no rule reads."""

    def __init__(self, word: str) -> None:
        super().__init__(
            f"I do not understand what {word!r} changes in this question", code="operators.unread_word", word=word
        )


NO_VALUE = "operators.no_value"
"""The code of the error that entities do not have a property that is asked for."""

UNREAD_WORDS = "operators.unread_words"
NO_ANTECEDENT = "operators.no_antecedent"
"""The code of the error that the plan of a value does not use words of the question."""


def check_differ(numbers: Floats, what: str) -> None:
    """Raise `CannotPlanError` if many numbers are all the same, so that none is the largest."""
    if len(numbers) > _FEW_ALIKE and (numbers == numbers[0]).all():
        text = f"all {len(numbers):,} have the same {what}, {numbers[0]:,.12g}: none has the most or the least"
        raise CannotPlanError(text, code="operators.all_alike", n=len(numbers), what=what)


def no_value(owner: str, name: str) -> CannotPlanError:
    """Return the error that something does not have a property."""
    return CannotPlanError(f"«{owner}» has no {name}", code=NO_VALUE, owner=owner, name=name)


@dataclass(frozen=True)
class Place:
    """The graph and the limits that plans run with.

    Attributes:
        graph: The graph.
        subgraph: The view of it that patterns are followed in.
        classes: The entities of each class.
        symmetric: Labels of the relations that are followed both ways.
        ended: Triples that do not count, ascending: those that ended, in a question about now.
        languages: In which texts count, best first; empty for a graph without texts in a language.
        unit: The unit in which numbers are wanted; "" for that of the graph.
        results: What plans have given, so that parts of a plan run once.
    """

    graph: Graph
    subgraph: Subgraph
    classes: Mapping[str, Ints]
    symmetric: frozenset[str] = frozenset()
    ended: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    unit: str = ""
    languages: tuple[str, ...] = ()
    results: dict[SetPlan, Ints] = field(default_factory=dict, compare=False)

    def steps_text(self, steps: Steps, end: str = "") -> str:
        """Return steps as text, such as «→ borders → *», with the class of the ends for the last star."""
        parts = [
            f"{'→' if forward else '←'} {self.graph.relation_label(relation)} {'→' if forward else '←'} *"
            for relation, forward in steps
        ]
        return " ".join(parts).replace("→ * →", "→").replace("← * ←", "←")[:-1] + (end or "*")

    def followed(self, start: int, steps: Steps, *, back: bool) -> Followed | None:
        """Follow a pattern."""
        both = {relation for relation, _ in steps if self.graph.relation_label(relation) in self.symmetric}
        counts = self._counts if len(self.ended) or self.languages else None
        return follow(self.subgraph, start, steps, back=back, symmetric=both, check=check_budget, counts=counts)

    def _counts(self, local: Ints, forward: bool) -> npt.NDArray[np.bool_]:
        own = self.subgraph.triples
        return self.counts(local if own is None else own[local].astype(np.int64), forward=forward)

    def counts(self, triples: Ints, *, forward: bool = True) -> npt.NDArray[np.bool_]:
        """Return which triples count; forwards, those to texts in one language for each head and relation."""
        counted = ~np.isin(triples, self.ended)
        if self.languages and forward:
            counted[counted] = in_one_language(self.graph, triples[counted], self.languages)
        return counted

    def properties(self, source: Source, entities: Ints) -> list[Item]:
        """Return a property of some entities as evidence."""
        own = [(entity, value_of(self.graph, source, entity)) for entity in entities.tolist()]
        known = [(entity, value) for entity, value in own if value is not None]
        if source.measured is None:
            return [Property(self.graph, entity, source.name, value) for entity, value in known]
        triples = [(source.measured.triple(self.graph, entity), value) for entity, value in known]
        name = source.measured.name
        return [Property(self.graph, one, name, value, of_triple=True) for one, value in triples if one is not None]

    def labels(self, entities: Sequence[int]) -> str:
        """Return the labels of some entities; the first three of many."""
        names = [self.graph.label(entity) for entity in entities[:3]]
        return ", ".join(names) + (", ..." if len(entities) > 3 else "")


class Plan(ABC):
    """A node of a plan."""

    @abstractmethod
    def text(self, place: Place) -> str:
        """Return the plan as people read it."""

    def texts(self, place: Place) -> list[str]:
        """Return all that the plan says of the graph, first the plan as people read it."""
        return [self.text(place)]

    def owners(self, place: Place) -> Ints:
        """Return the entities whose properties the plan gives; none for a plan that does not give values."""
        return np.zeros(0, dtype=np.int64)

    @property
    def is_count(self) -> bool:
        """True if the one answer says how many there are of something that the graph holds one by one."""
        return False


@dataclass(frozen=True)
class Pattern(Plan):
    """Relations in a row without their ends: what is assumed of them holds for every plan that follows them."""

    steps: Steps

    def text(self, place: Place) -> str:
        """Return the relations as plans have them between their ends."""
        return place.steps_text(self.steps, "").removesuffix("*").strip()

    def is_part_of(self, place: Place, ways: Sequence[str]) -> bool:
        """Return whether the relations are some of those of another row."""
        text = self.text(place)
        return any(text in way and text != way for way in ways)


class SetPlan(Plan):
    """A plan that gives entities."""

    def run(self, place: Place) -> Ints:
        """Return the entities, int64, distinct, ascending unless the plan ranks them."""
        entities = place.results.get(self)
        if entities is None:
            entities = place.results[self] = self._run(place)
        return entities

    def only(self, place: Place) -> int:
        """Return the only entity; raise `CannotPlanError` if there are none or several."""
        entities = self.run(place)
        if len(entities) != 1:
            text = f"«{self.text(place)}» gives {len(entities)} entities, not one"
            raise CannotPlanError(text, code="operators.not_one_entity", n=len(entities))
        return int(entities[0])

    @abstractmethod
    def _run(self, place: Place) -> Ints:
        """Find the entities."""

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        return []


class ValuePlan(Plan):
    """A plan that gives a number, or yes or no."""

    @abstractmethod
    def value(self, place: Place) -> float | bool:
        """Return the value."""

    def unit(self, place: Place) -> str:
        """Return the unit of the value; empty for none."""
        return ""


class Shown(NamedTuple):
    """An answer that is a value.

    Attributes:
        text: The value as people write it.
        entity: The entity that it is; None for a value that is not an entity.
    """

    text: str
    entity: int | None = None


class TextPlan(Plan):
    """A plan that gives values as texts."""

    @abstractmethod
    def shown(self, place: Place) -> list[Shown]:
        """Return the answers."""

    @abstractmethod
    def proofs(self, place: Place) -> list[Item]:
        """Return what shows them."""

    def without_group(self, place: Place) -> tuple[str, int, int] | None:
        """Return by what entities are grouped, how many have nothing of it, and of how many; None without groups."""
        return None

    def empty_groups(self, place: Place) -> int:
        """Return how many groups have none of what is counted, and are not listed."""
        return 0


@dataclass(frozen=True)
class Along(SetPlan):
    """The entities at the end of a pattern from one entity; itself only if the pattern returns.

    Attributes:
        start: The entity.
        steps: The pattern.
        back: Whether walks may come back to it.
        of_class: Only entities of this class; "" for all.
    """

    start: int
    steps: Steps
    back: bool = False
    of_class: str = ""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{place.graph.label(self.start)} {place.steps_text(self.steps, self.of_class)}"

    def _run(self, place: Place) -> Ints:
        followed = place.followed(self.start, self.steps, back=self.back)
        ends = np.zeros(0, dtype=np.int64) if followed is None else np.unique(followed.ends).astype(np.int64)
        return ends[np.isin(ends, place.classes[self.of_class])] if self.of_class else ends

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        followed = place.followed(self.start, self.steps, back=self.back)
        if followed is None:
            return []
        index = np.flatnonzero(np.isin(followed.ends, entities))
        return [followed.path(i) for i in index.tolist()]


@dataclass(frozen=True)
class Members(SetPlan):
    """All entities of a class."""

    name: str

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"every {self.name}"

    def _run(self, place: Place) -> Ints:
        members = place.classes[self.name]
        nodes = place.subgraph.nodes
        return members if nodes is None else members[np.isin(members, nodes)]


@dataclass(frozen=True)
class Having(SetPlan):
    """All entities that have a relation, such as everything with a salary.

    Attributes:
        relation: The relation.
        forward: Whether they are its heads; else its tails.
    """

    relation: int
    forward: bool = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        label = place.graph.relation_label(self.relation)
        return f"everything with {label}" if self.forward else f"everything that {label} leads to"

    def _run(self, place: Place) -> Ints:
        csr, ids = place.graph.csr, place.graph.triple_ids()
        triples = ids[csr.relation[ids] == self.relation]
        triples = triples[place.counts(triples, forward=not self.forward)]
        entities = np.unique(csr.heads(triples) if self.forward else csr.tail[triples]).astype(np.int64)
        nodes = place.subgraph.nodes
        return entities if nodes is None else entities[np.isin(entities, nodes)]


@dataclass(frozen=True)
class Listed(SetPlan):
    """Entities that the question names."""

    entities: tuple[int, ...]

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return " | ".join(place.graph.label(entity) for entity in self.entities)

    def _run(self, place: Place) -> Ints:
        return np.unique(np.array(self.entities, dtype=np.int64))


@dataclass(frozen=True)
class Both(SetPlan):
    """The entities that are in all of several sets."""

    parts: tuple[SetPlan, ...]

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return " ∩ ".join(f"({part.text(place)})" for part in self.parts)

    def _run(self, place: Place) -> Ints:
        entities = self.parts[0].run(place)
        for part in self.parts[1:]:
            other = part.run(place)
            entities = entities[np.isin(entities, other)]
        return entities

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        return [item for part in self.parts for item in part.proofs(place, entities)]


@dataclass(frozen=True)
class Either(Both):
    """The entities that are in any of several sets."""

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return " ∪ ".join(f"({part.text(place)})" for part in self.parts)

    def _run(self, place: Place) -> Ints:
        return np.unique(np.concatenate([part.run(place) for part in self.parts]))


@dataclass(frozen=True)
class Without(SetPlan):
    """The entities of one set that are not in another."""

    base: SetPlan
    other: SetPlan

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"({self.base.text(place)}) without ({self.other.text(place)})"

    def _run(self, place: Place) -> Ints:
        base = self.base.run(place)
        return base[~np.isin(base, self.other.run(place))]

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows why entities are in the set."""
        return self.base.proofs(place, entities)


def all_ends(steps: frozenset[tuple[int, bool]]) -> SetPlan:
    """Return everything that some steps lead to."""
    ends = [Having(relation, not forward) for relation, forward in sorted(steps)]
    return Either(tuple(ends)) if ends[1:] else ends[0]
