"""The triples that a question speaks of: a relation, what the question names at its sides, and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from graphbrick.bricks.retrieve.operators.dates import MOMENT
from graphbrick.bricks.retrieve.operators.measures import Span
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.sets import Listed
from graphbrick.bricks.retrieve.operators.triples.columns import TripleProperty, triple_properties, with_text
from graphbrick.bricks.retrieve.operators.triples.edges import During, Edges, Holds, Said
from graphbrick.bricks.retrieve.operators.triples.periods import Period
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import WORD, root, spaced, stem
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.language.voice import begins_at
from graphbrick.patterns.lexicon import Lexicon, label_stems, stems_of_name

_IS = Expression(r"\b(?:been|is|are|was|were)\b")
TIME_WORDS = frozenset(map(stem, "year season date time day month moment".split()))
_LONGEST_TEXT = 4  # words of a text of triples
YEARS = frozenset(map(stem, ("year", "season")))


@dataclass(frozen=True)
class Frame:
    """The triples that a question speaks of.

    Attributes:
        edges: The triples.
        open_heads: Whether the heads are not named.
        open_tails: Whether the tails are not named.
        unread: Stems of words that neither relation, classes nor conditions explain.
        spoken: Number of words that the relation explains.
        has_period: Whether a stretch of time is among the conditions.
        assumption: What is assumed of its dates; "" for nothing.
    """

    edges: Edges
    open_heads: bool
    open_tails: bool
    unread: tuple[str, ...]
    spoken: int
    has_period: bool = False
    assumption: str = ""


class Frames:
    """A finder of the triples that one question speaks of.

    Args:
        parser: Knows the question, the graph and its words.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.place = parser, parser.english, parser.place
        self.graph, self.lexicon = parser.place.graph, parser.resolver.lexicon
        self.properties = triple_properties(self.graph)

    def best(
        self, text: str, *, period: Period | None = None, used: Set[str] = frozenset(), of: TripleProperty | None = None
    ) -> Frame | None:
        """Return the frame that explains most words of a text; None if several relations do so equally well.

        Args:
            text: The text, without the period.
            period: A stretch of time that the question names; a condition where triples have dates.
            used: Stems that need no relation.
            of: A property that the triples must have.
        """
        frames = list(self._all(text, period, used, of))
        if not frames:
            return None
        key = [(len(frame.unread), -frame.spoken, not frame.has_period) for frame in frames]
        least = min(key)
        best = [frame for frame, own in zip(frames, key, strict=True) if own == least]
        return best[0] if len(best) == 1 else self._largest(best, text)

    def _largest(self, frames: Sequence[Frame], text: str) -> Frame | None:
        """Return the frame with most triples of several that no word tells apart, as in «which club was e0 with»."""
        is_plain = bool(self.english.search("joins_only", text))
        if any(frame.spoken or frame.unread for frame in frames) or not (
            is_plain or all(not (frame.open_heads or frame.open_tails) for frame in frames)
        ):
            return None
        frame = max(frames, key=lambda frame: len(replace(frame.edges, conditions=()).run(self.place)))
        label = self.graph.relation_label(frame.edges.relation)
        return replace(frame, assumption=f"several relations are possible; taken for {label!r}")

    def _all(self, text: str, period: Period | None, used: Set[str], of: TripleProperty | None) -> Iterator[Frame]:
        mentions = list(dict.fromkeys(MENTION.findall(text)))
        entities = [self.parser.entities[int(number)] for number in mentions]
        if len(entities) > 2 or len(set(entities)) < len(entities):
            return
        around = [self.relations_of(entity) for entity in entities]
        for relation in range(self.graph.n_relations) if of is None else sorted(of.relations):
            for at_head in self._sides(text, relation, entities, around):
                heads = next((e for e, head in zip(entities, at_head, strict=True) if head), None)
                tails = next((e for e, head in zip(entities, at_head, strict=True) if not head), None)
                edges = Edges(
                    relation,
                    None if heads is None else Listed((heads,)),
                    None if tails is None else Listed((tails,)),
                )
                frame = self._read(text, edges, used, heads is None, tails is None)
                yield frame if period is None else self._during(frame, period, text)

    def relations_of(self, entity: int) -> tuple[frozenset[int], frozenset[int]]:
        """Return the relations of the triples that leave an entity, and of those that enter it."""
        csr = self.graph.csr
        leaving = csr.relation[csr.row(entity, True)]
        entering = csr.relation[csr.in_triple[csr.row(entity, False)]]
        return frozenset(np.unique(leaving).tolist()), frozenset(np.unique(entering).tolist())

    def _sides(
        self,
        text: str,
        relation: int,
        entities: Sequence[int],
        around: Sequence[tuple[frozenset[int], frozenset[int]]],
    ) -> list[tuple[bool, ...]]:
        """Return, for each way that entities may be at the sides of a relation, which of them are heads."""
        ways: list[tuple[bool, ...]] = [()]
        if len(entities) == 1:
            ways = [(True,), (False,)]
        elif len(entities) == 2:
            ways = [(True, False), (False, True)]
        ways = [
            way
            for way in ways
            if any(relation in own[not head] for own, head in zip(around, way, strict=True)) or not entities
        ]
        ways = [way for way in ways if all(
            relation in around[i][not head] or self._is_of_side(entities[i], relation, heads=head)
            for i, head in enumerate(way)
        )]  # fmt: skip
        if len(ways) < 2:
            return ways
        is_head = begins_at(text, label_stems(self.graph.relation_label(relation)))
        return [] if is_head is None else [way for way in ways if way[0] == is_head]

    def classes(self, relation: int) -> tuple[str, str]:
        """Return the classes of the heads and of the tails of a relation; "" for none."""
        key = ("classes of sides", self.graph.place, self.graph.hash, relation, tuple(self.lexicon.classes))
        return current_session().get(key, lambda: self._find_classes(relation), at_most=512)

    def _find_classes(self, relation: int) -> tuple[str, str]:
        csr, ids = self.graph.csr, self.graph.triple_ids()
        triples = ids[csr.relation[ids] == relation]
        heads, tails = np.unique(csr.heads(triples)), np.unique(csr.tail[triples])
        lexicon: Lexicon = self.lexicon
        return lexicon.classes_of(heads.astype(np.int64)), lexicon.classes_of(tails.astype(np.int64))

    def _is_of_side(self, entity: int, relation: int, *, heads: bool) -> bool:
        name = self.classes(relation)[not heads]
        return bool(name) and bool(np.isin(entity, self.lexicon.classes[name]))

    # Words

    def _read(self, text: str, edges: Edges, used: Set[str], open_heads: bool, open_tails: bool) -> Frame:
        names = self.lexicon.relations[edges.relation].words | set(
            label_stems(self.graph.relation_label(edges.relation))
        )
        own = {word for name in self.classes(edges.relation) for word in stems_of_name(name)}
        forms = self._forms(edges.relation)
        spoken, unread = 0, list[str]()
        text, said_at_length = self._said_at_length(text, edges)
        conditions: list[During | Said | Holds] = [*said_at_length]
        for word in _words(text, names):
            if MENTION.fullmatch(word) or not self.english.content(word):
                continue
            form = stem(word.removesuffix("'s"))
            if self.english.is_among(form, names) or root(fold(word)) in forms:
                spoken += 1
            elif not self.english.is_among(form, used | own):
                said = self._holds(form, edges) or self._said(word, edges)
                if said is None:
                    unread.append(form)
                else:
                    conditions.append(said)
        unread = [word for word in dict.fromkeys(unread) if not self.english.match("light_verb", word)]
        edges = replace(edges, conditions=tuple(dict.fromkeys(conditions)))
        return Frame(edges, open_heads, open_tails, tuple(unread), spoken)

    def _said_at_length(self, text: str, edges: Edges) -> tuple[str, list[Said]]:
        """Return a text without the texts of several words that are properties of triples, and these conditions."""
        conditions = list[Said]()
        if not any(one.kind == Kind.TEXT and edges.relation in one.relations for one in self.properties):
            return text, conditions
        words, at, rest = text.split(), 0, list[str]()
        while at < len(words):
            spans = (words[at : at + size] for size in range(min(_LONGEST_TEXT, len(words) - at), 1, -1))
            texts = (" ".join(span) for span in spans if self._may_begin(span[0]))
            said = next(((one, one_text) for one_text in texts if (one := self._said(one_text, edges))), None)
            if said is None:
                rest.append(words[at])
                at += 1
            else:
                conditions.append(said[0])
                at += len(said[1].split())
        return " ".join(rest), conditions

    @staticmethod
    def _may_begin(word: str) -> bool:
        return word not in QUESTION_WORDS and not MENTION.fullmatch(word)

    def _said(self, word: str, edges: Edges) -> Said | None:
        """Return the condition that a word is the text of a property of triples; None if it is not."""
        triples = edges.run(self.place)
        for one in self.properties:
            if one.kind == Kind.TEXT and edges.relation in one.relations and len(word) > 1:
                has = with_text(self.graph, one.name, word, triples)
                if has.any():
                    value = self.graph.triple_properties(int(triples[has][0]))[one.name]
                    return Said(one.name, value if isinstance(value, str) else word)
        return None

    def _holds(self, form: str, edges: Edges) -> Holds | None:
        """Return the condition that a stem is the name of a boolean of triples; None if it is not."""
        named = (one for one in self.properties if one.kind == Kind.BOOLEAN and edges.relation in one.relations)
        return next((Holds(one.name) for one in named if one.stems == (form,)), None)

    # Dates

    def dates(self, relation: int) -> list[TripleProperty]:
        """Return the properties of the triples of a relation that are dates or years."""
        return [one for one in self.properties if one.is_time and relation in one.relations]

    def moments(self, relation: int) -> list[TripleProperty]:
        """Return the dates of the triples of a relation that do not say when something began or ended."""
        return [one for one in self.dates(relation) if not one.is_begin and not one.is_end]

    def is_literal(self, relation: int, text: str) -> bool:
        """Return whether a word of a text is a form of a word in the label of a relation."""
        return bool(self._forms(relation) & {root(fold(word)) for word in WORD.findall(text)})

    def _forms(self, relation: int) -> set[str]:
        return {root(word) for word in WORD.findall(fold(spaced(self.graph.relation_label(relation))))}

    @staticmethod
    def whole(relation: int) -> Edges:
        """Return all triples of a relation."""
        return Edges(relation)

    def _during(self, frame: Frame, period: Period, text: str) -> Frame:
        """Return a frame with a stretch of time as a condition; as it is if its triples have no dates."""
        dates = self.dates(frame.edges.relation)
        if not dates:
            return frame
        plain = self.moments(frame.edges.relation)
        begin = next((one for one in dates if one.is_begin), None)
        end = next((one for one in dates if one.is_end and one is not begin), None)
        assumption, until = "", ""
        if plain:
            one = plain[0]
        elif begin is not None and end is not None and period.word != "since":
            one, until = begin, end.name
        else:
            one = begin or end or dates[0]
            verb = "begins" if one is begin else "ends"
            if not (one is begin and (period.word == "since" or self.english.search(verb, text))):
                assumption = f"{one.name!r} is the only date of these triples; compared with «{period.span.said}»"
        is_state = one is begin and period.word == "since" and _IS.search(text) is not None
        condition = During(one.name, _begun(period.span) if is_state else period.span, until)
        edges = replace(frame.edges, conditions=(*frame.edges.conditions, condition))
        of_time = [word for word in frame.unread if self.english.is_among(word, one.words | TIME_WORDS)]
        unread = tuple(word for word in frame.unread if word not in of_time)
        spoken = frame.spoken + len(of_time)
        return replace(frame, edges=edges, unread=unread, spoken=spoken, has_period=True, assumption=assumption)


def _begun(span: Span) -> Span:
    """Return the year, month or day of «since 2005»: who «has been in Sales since 2005» began then.

    >>> _begun(Span(2005.0, np.inf, True, "since 2005")).high < 2006
    True
    """
    width = {1: 1.0, 2: 1 / 12, 3: 1 / 366}[span.said.count("-") + 1]
    return span._replace(high=span.low + width - MOMENT, said=span.said.replace("since", "in"))


def _words(text: str, names: Set[str]) -> list[str]:
    """Return the words of a text; the parts of one with hyphens, if a relation has such words in its label."""
    words = list[str]()
    for word in re.findall(r"[^\s,;:?!()«»\"]+", text):
        parts = word.split("-")
        words += parts if parts[1:] and any(stem(part) in names for part in parts) else [word]
    return words
