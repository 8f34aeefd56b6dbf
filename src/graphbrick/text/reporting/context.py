"""The contexts that reports on communities are written from, as numbered lines.

The lines of a context and their order depend on the community alone, and not on ids or on the rest of the graph, so
that a report is written anew only if its community or the texts about it have changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from graphbrick.core.graph import PassageText
from graphbrick.core.items import Entity
from graphbrick.core.properties.stated import shown_properties
from graphbrick.core.properties.values import Properties
from graphbrick.graphs.communities import CommunityTree
from graphbrick.graphs.corpus import OCCURS_WITH, Claim, TextGraph, full_text
from graphbrick.graphs.graph import Graph
from graphbrick.models.llm.replies.replies import lines_of
from graphbrick.text.reporting.reports import Cited, CommunityReport

_ENTITIES = 40  # of a community without descriptions, whose names are listed
_FACTS = 0.5  # share of the budget for triples if passages are listed too
_LONGEST = 12_000  # characters of a line
_PROPERTIES, _LONGEST_VALUE = 12, 120  # properties of an entity or a triple, and characters of a value
_MISSES = 20
_HEADINGS = ("Reports on parts", "Entities", "Relations", "Claims", "Passages")


class Line(NamedTuple):
    """A numbered line of a context.

    Attributes:
        heading: Index of its heading.
        text: Its words, on one line.
        cited: What it stands for.
        tokens: Tokens that it takes.
    """

    heading: int
    text: str
    cited: Cited
    tokens: int


@dataclass(frozen=True)
class Context:
    """The context that a report is written from.

    Attributes:
        lines: Numbered lines, by heading.
        left_out: Number of triples or passages that did not fit.
    """

    lines: tuple[Line, ...]
    left_out: int

    @property
    def text(self) -> str:
        """The lines under their headings, numbered from 1."""
        parts: list[str] = []
        heading = -1
        for number, line in enumerate(self.lines, 1):
            if line.heading != heading:
                heading = line.heading
                parts.append(f"{'' if not parts else chr(10)}{_HEADINGS[heading]}:")
            parts.append(f"{number}. {line.text}")
        return "\n".join(parts)

    def cited(self, numbers: Iterable[int]) -> Cited:
        """Return the sources of lines by their numbers; numbers that do not exist are left out."""
        return Cited.union(self.lines[one - 1].cited for one in numbers if 0 < one <= len(self.lines))


class Contexts:
    """The contexts of the communities of a graph.

    Args:
        graph: The graph.
        tree: Its communities.
        tokens: Budget of a context.
        count: Returns the tokens of a text.
    """

    def __init__(self, graph: Graph, tree: CommunityTree, tokens: int, count: Callable[[str], int]) -> None:
        self._graph, self._tree, self._tokens = graph, tree, tokens
        self._count = lru_cache(maxsize=100_000)(count)
        occurs = [i for i in range(graph.n_relations) if graph.relation_key(i) == OCCURS_WITH]
        self._occurs = occurs[0] if occurs else -1
        self._claims: dict[int, list[Claim]] = {}
        for claim in graph.claims if isinstance(graph, TextGraph) and len(graph.claims) else ():
            self._claims.setdefault(claim.subject, []).append(claim)

    def of(self, community: int, reports: Mapping[int, CommunityReport]) -> Context:
        """Return the context of a community.

        Args:
            community: Number of the community.
            reports: The reports on its parts, which stand for their triples and passages if not all of these fit.
        """
        inside = _Inside(self._graph, self._tree.members(community).tolist(), self._occurs)
        facts, passages = inside.facts, inside.passages()
        parts: list[Line] = []
        budget = self._tokens
        children = [child for child in self._tree.children(community) if child in reports]
        for child in sorted(children, key=lambda one: (-len(self._tree.members(one)), reports[one].title)):
            if self._fits(inside, facts, passages, budget):
                break
            line = self._line(0, reports[child].text, reports[child].all_cited)
            if line.tokens > budget:
                continue
            parts.append(line)
            budget -= line.tokens
            part = _Inside(self._graph, self._tree.members(child).tolist(), self._occurs)
            covered, covered_passages = set(part.facts), set(part.passages())
            facts = [fact for fact in facts if fact not in covered]
            passages = [passage for passage in passages if passage not in covered_passages]
        return self._filled(inside, parts, facts, passages)

    def _fits(self, inside: _Inside, facts: Sequence[int], passages: Sequence[int], budget: int) -> bool:
        """Return whether all triples with their ends, and all passages, may fit the budget of tokens."""
        for fact in facts:
            ends = self._graph.triple(fact)[::2]
            share = sum(self._count(self._entity_text(end)) / max(inside.degree[end], 1) for end in ends)
            budget -= self._count(self._fact_text(fact)) + round(share)
            if budget < 0:
                return False
        for passage in passages:
            budget -= self._count(self._passage_text(passage))
            if budget < 0:
                return False
        return True

    def _filled(self, inside: _Inside, parts: list[Line], facts: Sequence[int], passages: Sequence[int]) -> Context:
        """Return the context with as many facts, by importance, and then passages as fit."""
        page = _Page(parts)
        most = self._tokens if not passages else page.used + round(_FACTS * (self._tokens - page.used))
        entities = set[int]()

        def lines_about(fact: int) -> list[Line]:
            ends = [end for end in dict.fromkeys(self._graph.triple(fact)[::2]) if end not in entities]
            about = [self._entity_line(end) for end in ends]
            about += [self._claim_line(claim) for end in ends for claim in self._claims.get(end, ())]
            return [*about, self._line(2, self._fact_text(fact), Cited(triples=(fact,)))]

        for fact in page.each(facts):
            if page.add(lines_about(fact), most):
                entities.update(self._graph.triple(fact)[::2])
        rest = [member for member in inside.members if member not in entities]
        for member in rest[: _ENTITIES if passages else None]:
            page.add([self._entity_line(member)], most, counts=False)
        for passage in page.each(passages):
            page.add([self._line(4, self._passage_text(passage), Cited(passages=(passage,)))], self._tokens)
        return Context(tuple(sorted(page.lines, key=lambda line: line.heading)), page.left_out)  # stable

    def _line(self, heading: int, text: str, cited: Cited) -> Line:
        one = lines_of([text], _LONGEST)[0]
        return Line(heading, one, cited, self._count(one) + 4)  # its number and the end of the line

    def _entity_line(self, entity: int) -> Line:
        return self._line(1, self._entity_text(entity), Cited(entities=(entity,)))

    def _entity_text(self, entity: int) -> str:
        text = Entity(self._graph, entity).text
        return text if isinstance(self._graph, TextGraph) else _with(text, self._graph.own_properties(entity))

    def _claim_line(self, claim: Claim) -> Line:
        text = f"{self._graph.label(claim.subject)} ({claim.type}, {claim.status}): {claim.description}"
        return self._line(3, text, Cited(entities=(claim.subject,), passages=(claim.passage,)))

    def _fact_text(self, fact: int) -> str:
        text = self._graph.triple_text(fact)
        if not isinstance(self._graph, TextGraph):
            return _with(text, self._graph.triple_properties(fact))
        description = self._graph.triple_description(fact)
        return f"{text}: {description}" if description else text

    def _passage_text(self, passage: int) -> str:
        assert isinstance(self._graph, TextGraph)
        text: PassageText = self._graph.passage(passage)
        return full_text(text.title, text.text)


class _Page:
    """Lines of a context, as they are chosen.

    Args:
        lines: The first lines.

    Attributes:
        lines: The lines.
        used: Tokens that they take.
        left_out: Number of things that did not fit.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines, self.used, self.left_out = list(lines), sum(line.tokens for line in lines), 0
        self._misses = 0

    def each(self, things: Sequence[int]) -> Iterator[int]:
        """Yield things until several in a row did not fit; the others are left out unseen."""
        self._misses = 0
        for i, thing in enumerate(things):
            if self._misses == _MISSES:
                self.left_out += len(things) - i
                return
            yield thing

    def add(self, lines: Sequence[Line], most: int, *, counts: bool = True) -> bool:
        """Add lines if all of them fit; return whether they did.

        Args:
            lines: The lines.
            most: Most tokens of the page after that.
            counts: Whether they count as left out if they do not fit.
        """
        size = sum(line.tokens for line in lines)
        if self.used + size > most:
            self.left_out += counts
            self._misses += 1
            return False
        self.lines += lines
        self.used += size
        self._misses = 0
        return True


class _Inside:
    """The triples and passages of a community.

    Args:
        graph: The graph.
        members: The entities.
        occurs: The relation of entities that occur together.

    Attributes:
        members: The entities, best connected first.
        facts: Its triples that state something, best connected first.
        degree: Number of triples of each entity inside.
    """

    def __init__(self, graph: Graph, members: Sequence[int], occurs: int) -> None:
        self._graph = graph
        chosen = set(members)
        ends = {triple: (head, graph.triple(triple)[2]) for head in members for triple in graph.triples_from(head)}
        ends = {triple: pair for triple, pair in ends.items() if pair[1] in chosen}
        self.degree = Counter(end for pair in ends.values() for end in set(pair))
        facts = [triple for triple in ends if graph.relation_of(triple) != occurs]
        importance = {triple: sum(self.degree[end] for end in set(ends[triple])) for triple in facts}
        self.facts = sorted(facts, key=lambda one: (-importance[one], graph.triple_text(one)))
        self.members = sorted(members, key=lambda one: (-self.degree[one], graph.label(one), graph.key(one)))

    def passages(self) -> list[int]:
        """Return the passages that mention the entities, most first; none if entities are described."""
        graph = self._graph
        if not isinstance(graph, TextGraph):
            return []
        if any(map(graph.description, self.members)) or any(map(graph.triple_description, self.facts)):
            return []
        mentions = Counter(passage for member in self.members for passage in graph.mentioned_in(member).tolist())
        least = 2 if any(count > 1 for count in mentions.values()) else 1
        chosen = (one for one, count in mentions.items() if count >= least)
        return sorted(chosen, key=lambda one: (-mentions[one], one))  # ids are in the order of documents and places


def _with(text: str, properties: Properties) -> str:
    """Return a text with properties after it, such as ``Kisumu (city); population 397957``."""
    shown = shown_properties(properties, _PROPERTIES, _LONGEST_VALUE)
    return "; ".join([text, *(f"{name} {value}" for name, value in shown)])
