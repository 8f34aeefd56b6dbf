"""Names spelled unlike the graph's: other spellings, parts of names, and typing errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from graphbrick.bricks.link.exact import Matches, ranked
from graphbrick.bricks.link.question import Question, Span, disjoint
from graphbrick.bricks.link.spellings import other_spellings
from graphbrick.bricks.link.words import PARTICLES, vocabulary
from graphbrick.core import Mention
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.names import NearMatch, misspelt
from graphbrick.language.folding import name_form
from graphbrick.language.stop_words import QUESTION_WORDS, TITLES

# Names that match nothing are looked for in the beginning of a question, in pieces of a few words.
READ_WORDS, _LONGEST, _LONGEST_LOWER = 64, 10, 4
_LONGEST_PART = 4
_LOOKED_AT, _TURN = 500, 0.02  # names, and the share of them with a comma from which names are turned round
_PART = 0.9  # the score of a part that only one name has
WHOLE_NAME = 0.95
"""The score of a whole name in another spelling, or with its words in another order."""
MISSPELT = 5  # letters of the shortest name in which a typing error is forgiven
_MISSPELT_LOWER = 8  # the same for names in lower case
_ERRORS = 2
_FAR = 10  # letters of the shortest name in which two typing errors are forgiven, in pieces with capitals
_ALIKE = 3  # letters that names of fewer than that begin with in common
_NEAREST = 8


@dataclass(frozen=True)
class Several:
    """A part, or the initials, of several names, and the entities that have these."""

    text: str
    entities: Sequence[int]


class Unmatched:
    """Looks up the spans of one question that are not names of the graph.

    Args:
        graph: The graph.
        question: The question.
        min_score: Least similarity of a near miss.
    """

    def __init__(self, graph: Graph, question: Question, min_score: float) -> None:
        self.graph, self.question, self.min_score = graph, question, min_score
        self.several: list[Several] = []
        """Parts of several names that were met."""
        self._near: list[tuple[Span, NearMatch]] = []

    def beside(self, exact: Matches) -> Matches:
        """Return the mentions of a question with exact names: these, and names spelled otherwise.

        A longer name with a typing error replaces a shorter exact name inside it: «Paris Hiltan» is not Paris.
        """
        taken = [entry for entry in exact if entry[0].first < READ_WORDS]
        later = exact[len(taken) :]
        for span, is_named in self._spans(lower_from=2):
            if any(span.overlaps(other) and not self._replaces(span, other) for other, _ in taken):
                continue
            inside = [other for other, _ in taken if span.contains(other)]
            whole = not is_named or self._is_whole(span, [other for other, _ in taken])
            mention = self._look_up(span, is_named=is_named, whole=whole, longer=bool(inside))
            if mention is not None:
                taken = [entry for entry in taken if entry[0] not in inside] + [(span, mention)]
        return sorted(taken, key=lambda entry: entry[0].first) + later

    def _replaces(self, span: Span, other: Span) -> bool:
        """Return whether a span may replace an exact name: it has more words, not only the 5 of «Calm Sea 5 stars»."""
        is_number = other.last == span.last - 1 and self.question.words[span.last].text.isdecimal()
        return span.contains(other) and span.size > other.size and not is_number

    def alone(self) -> Matches:
        """Return the mentions of a question in which nothing matches exactly; near misses come last."""
        every = list(self._spans(lower_from=1))
        named = [span for span, is_named in every if is_named]
        spans = named or [span for span, _ in every]
        for look_up in (self._other_spelling, self.abridged, self._one_error, self.part):
            matches = [(span, mention) for span in spans if (mention := look_up(span)) is not None]
            if matches:
                return disjoint(matches)
        return [] if named and self.several else self._near_misses(spans)

    def nearest(self, n: int) -> list[str]:
        """Return the ``n`` names that are nearest to pieces of the question, after `alone`."""
        return list(dict.fromkeys(match.name for _, match in self._near))[:n]

    def instead(self, n: int) -> list[tuple[str, str]]:
        """Return pieces of the question, each with a name that may be meant by it, after `alone`."""
        near = ((self.question.surface(span), match) for span, match in self._near)
        return list(dict.fromkeys((text, match.name) for text, match in near if match.may_be_meant_by(text)))[:n]

    def _near_misses(self, spans: Sequence[Span]) -> Matches:
        """Return the names similar to spans, the most similar first, then those of the longest span."""
        folded = {span: self.question.folded(span) for span in spans if span.size <= _LONGEST_PART}
        near = [
            (span, match)
            for span, text in folded.items()
            if len(text) >= MISSPELT - 1
            for match in self.graph.names.near(text, 3, min_score=0.5)
        ]
        near.sort(key=lambda entry: (-entry[1].score, -entry[0].size, entry[0].first, entry[1].entity))
        self._near = near
        matches = [(span, match) for span, match in near if self._is_likely(match, folded[span])]
        return [(span, self._nearest(span, {match.entity: match.score})) for span, match in disjoint(matches)]

    def _is_likely(self, match: NearMatch, folded: str) -> bool:
        """Return whether a near miss is similar enough, for which names below ten letters have to be more so."""
        least = self.min_score + (1 - self.min_score) * max(0, _FAR - len(folded)) / _FAR
        return match.score >= least and _has_numbers_of(folded, match.name)

    def _spans(self, *, lower_from: int) -> Iterator[tuple[Span, bool]]:
        """Yield the spans that may be names, longest first, and whether capitals or quotes mark them as names.

        Args:
            lower_from: Number of words from which spans in lower case are included.
        """
        question, known = self.question, vocabulary(self.graph)
        n = min(len(question.words), READ_WORDS)
        texts = [word.text for word in question.words[:n]]
        plain = [t in QUESTION_WORDS or t in known or t.isdigit() or question.is_month(i) for i, t in enumerate(texts)]
        for size in range(min(_LONGEST, n), 0, -1):
            for first in range(n - size + 1):
                span = Span(first, first + size - 1)
                if span in question.quoted:
                    yield span, True
                elif any(span.overlaps(one) and not one.contains(span) for one in question.quoted):
                    continue  # a name ends where its quotation marks do
                elif all(plain[first : first + size]) or texts[span.last] in TITLES or question.cuts_word(span):
                    continue
                elif self._is_named(span):
                    yield span, True
                elif lower_from <= size <= _LONGEST_LOWER and not QUESTION_WORDS.intersection(
                    (texts[first], texts[span.last])
                ):
                    yield span, False

    def _is_named(self, span: Span) -> bool:
        """Return whether capitals show a possible name; inner function words may be lower case."""
        question = self.question
        if not question.shows_names:
            return False
        inner = range(span.first, span.last + 1)
        capitals = [at for at in inner if question.is_capitalized(at)]
        if span.first not in capitals or span.last not in capitals:
            return False
        is_plain = span.size == 1 or question.is_function_word(question.words[0])
        if span.first == 0 and is_plain and not question.surface(span)[1:].isupper():
            return False  # the first word has a capital anyway
        words = [question.words[at] for at in inner if at not in capitals]
        return all(question.is_function_word(word) or word.text in PARTICLES for word in words)

    def _is_whole(self, span: Span, taken: Sequence[Span]) -> bool:
        """Return whether a span is not a piece of a longer name, as «Charles» is in «Charles Xavier»."""
        question, known = self.question, vocabulary(self.graph)
        covered = {at for other in taken for at in range(other.first, other.last + 1)}
        for at in (span.first - 1, span.last + 1):
            if 0 < at < len(question.words) and at not in covered and question.is_capitalized(at):
                word = question.words[at]
                if self._is_apart(at, span):
                    continue  # «in 1991, Senna»
                if not (question.is_function_word(word) or word.text in known or word.text in TITLES):
                    return False
        return True

    def _is_apart(self, at: int, span: Span) -> bool:
        """Return whether a comma, or the end of a sentence, stands between a word and a span beside it."""
        words, (one, other) = self.question.words, (at, span.first) if at < span.first else (span.last, at)
        signs = ",;:!?." if len(words[one].text) > _ALIKE else ",;:!?"  # «J. K. Rowling», «St. John»
        return not set(signs).isdisjoint(self.question.text[words[one].end : words[other].start])

    def _look_up(self, span: Span, *, is_named: bool, whole: bool, longer: bool) -> Mention | None:
        """Return the entity that a span names in another spelling; None if there is none.

        Args:
            span: The span.
            is_named: Whether capitals or quotes show that it may be a name.
            whole: Whether it is not a piece of a longer name.
            longer: Whether a shorter exact name is inside it.
        """
        if not is_named:
            long = len(self.question.folded(span)) >= _MISSPELT_LOWER
            return self._turned(span) or (self._one_error(span) if long else None)
        steps = [self._other_spelling, self._turned, self._acronym, self.abridged]
        if not longer and whole:
            steps.append(self.part)
        if span.size > 1 or whole:
            steps.append(self._one_error)
        if not longer and whole:
            steps.append(self._similar)
        return next((mention for step in steps if (mention := step(span)) is not None), None)

    def _other_spelling(self, span: Span) -> Mention | None:
        surface = self.question.surface(span)
        for text in other_spellings(self.question, span):
            entities = ranked(self.graph, surface, self.graph.names.exact(text))
            if entities:
                tell_other_spelling(surface, self.graph.label(entities[0]))
                return Mention(surface, entities[0], WHOLE_NAME, tuple(entities[1:]))
        return None

    def _turned(self, span: Span) -> Mention | None:
        """Return the entity whose name has the words of a span in another order, as «Apples, raw» has."""
        if not 1 < span.size <= _LONGEST_PART or not _has_turned(self.graph):
            return None
        from graphbrick.bricks.link.parts import turned  # most graphs have no such names

        return turned(self.graph, self.question, span)

    def _acronym(self, span: Span) -> Mention | None:
        """Return the only entity whose name has these initials, as «ICU» has those of Intensive Care Unit."""
        surface = self.question.surface(span)
        if span.size > 1 or self.question.shouts or surface[1:].islower():
            return None
        from graphbrick.bricks.link.acronyms import meant_by  # most names are written in full

        return self.only(surface, meant_by(self.graph, surface), "is taken by its initials for", "link.initials")

    def abridged(self, span: Span) -> Mention | None:
        """Return the only entity whose name begins and ends as a span does, as «Niels Bohr» of Niels Henrik Bohr."""
        if not 1 < span.size <= _LONGEST_PART:
            return None
        from graphbrick.bricks.link.parts import abridged  # most names are written in full

        return self.only(
            self.question.surface(span), abridged(self.graph, self.question, span), "is short for", "link.abridged"
        )

    def part(self, span: Span) -> Mention | None:
        """Return the entity of which a span is a part of the name, if it is the only one, or all others contain it."""
        folded, surface = self.question.folded(span), self.question.surface(span)
        if span.size > _LONGEST_PART or len(folded) < 2 or any(one.text == surface for one in self.several):
            return None
        if any(word.text in QUESTION_WORDS for word in self.question.words[span.first : span.last + 1]):
            return None
        named = self.graph.names.containing(folded)
        entities = [one for one in named if not self.graph.first_type(one).endswith("angString")]  # no prose
        if len(entities) > 1:
            from graphbrick.bricks.link.parts import in_all, told_by_rest  # most names are written in full

            mention = in_all(self.graph, surface, entities) or told_by_rest(self.graph, self.question, span, entities)
            if mention is not None:
                return mention
        return self.only(surface, entities, "is a part of the name", "link.part_of_one")

    def only(self, surface: str, entities: Sequence[int], why: str, code: str) -> Mention | None:
        """Return the only entity that words stand for, with an event; of several, none is taken, and they are noted."""
        if len(entities) > 1:
            self.several.append(Several(surface, entities))
        if len(entities) != 1:
            return None
        taken = self.graph.label(entities[0])
        event(f"{surface!r} {why} {taken!r} alone", code, name=surface, taken=taken)
        return Mention(surface, entities[0], _PART)

    def _one_error(self, span: Span) -> Mention | None:
        """Return the entity whose name differs from a span by one typing error; the best connected of several."""
        folded = self.question.folded(span)
        scores: dict[int, float] = {}
        is_right = span.size == 1 and bool(self.graph.names.containing(folded))  # a word of some name as it is
        for name in misspelt(self.graph.names, folded) if len(folded) >= MISSPELT and not is_right else ():
            form = name_form(self.graph.names.name(name))
            score = max(fuzz.ratio(folded, form) / 100, OSA.normalized_similarity(folded, form))
            if score >= self.min_score and len(form) >= MISSPELT - 1 and _has_numbers_of(folded, form):
                entity = self.graph.names.entity(name)
                scores[entity] = max(score, scores.get(entity, 0))
        return self._nearest(span, scores) if scores else None

    def _similar(self, span: Span) -> Mention | None:
        """Return the entity whose name differs from a span by two typing errors.

        Names of fewer than ten letters begin alike, and no other name is as near.
        """
        folded = self.question.folded(span)
        if len(folded) < _MISSPELT_LOWER:
            return None
        scores = {
            match.entity: match.score
            for match in self.graph.names.near(folded, _NEAREST, min_score=self.min_score)
            if OSA.distance(folded, name_form(match.name), score_cutoff=_ERRORS) <= _ERRORS
            and _has_numbers_of(folded, match.name)
        }
        if len(folded) < _FAR:
            begin = {one: name_form(self.graph.label(one)).startswith(folded[:_ALIKE]) for one in scores}
            scores = {one: score for one, score in scores.items() if begin[one]} if len(scores) == 1 else {}
        return self._nearest(span, scores) if scores else None

    def _nearest(self, span: Span, scores: dict[int, float]) -> Mention:
        """Return the mention of the entity with the highest score; the best connected of several."""
        surface = self.question.surface(span)
        first, *others = sorted(scores, key=lambda entity: (-scores[entity], -self.graph.degree(entity), entity))
        taken, score = self.graph.label(first), scores[first]
        message = f"{surface!r} is not a name in this graph; {taken!r} is taken for it (similarity {score:.2f})"
        event(message, "link.near_miss", name=surface, taken=taken, score=score)
        return Mention(surface, first, scores[first], tuple(others))


def _has_numbers_of(text: str, name: str) -> bool:
    from graphbrick.bricks.link.parts import same_numbers  # most names are spelled as they are in the graph

    return same_numbers(text, name_form(name))


def tell_other_spelling(name: str, taken: str) -> None:
    """Record that words name an entity that is spelled otherwise."""
    message = f"{name!r} is not a name in this graph; {taken!r}, spelled otherwise, is taken for it"
    event(message, "link.other_spelling", name=name, taken=taken)


def _has_turned(graph: Graph) -> bool:
    """Return whether names of a graph are turned round, as «Apples, raw» and «Doe, John» are; a session looks once."""

    def look() -> bool:
        places = range(0, graph.n_entities, max(1, graph.n_entities // _LOOKED_AT))
        return sum(", " in graph.label(place) for place in places) > _TURN * len(places)

    return current_session().get(("turned names", graph.place, graph.hash), look, at_most=8)
