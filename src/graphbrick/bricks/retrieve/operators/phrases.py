"""Plain phrases of a question, such as «which countries border Kenya», as patterns of a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import main_role
from graphbrick.bricks.retrieve.operators.plan import Along, CannotPlanError, Measure, Place, Plan, SetPlan, Steps
from graphbrick.bricks.retrieve.operators.sets import Ints, Pattern, all_ends
from graphbrick.bricks.retrieve.operators.wording import MENTION, English
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Path, Query
from graphbrick.core.errors import not_known
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import Stems, stems
from graphbrick.language.voice import begins_at, is_another_way
from graphbrick.patterns.chains import Chain, turns_back
from graphbrick.patterns.lexicon import SMALL, Lexicon, label_stems, stems_of_name
from graphbrick.patterns.properties.sources import Source, sources_of
from graphbrick.patterns.several_steps import says_alike

_CANDIDATES = 256  # patterns of one phrase that are compared
SAMPLE = 3
"""Entities whose patterns decide what is counted for all."""
_LOOKED_AT = 1_000  # entities that the sample is drawn from
_LEAD = Expression(r"^(?:which|what|who|where|whose|how|name|list|in which|on which|at which|by which)\b")
_AFTER_NOUN = Expression(r"\b(?:is|are|was|were|do|does|did|have|has|had|that|which|who|in|on|at|of|by|with|e\d+)\b")
# What a pattern loses for each fault; the scores of the scorer count by `_TRUST`, and at most `_WORST`.
_UNSAID_WORD, _UNSAID_NAMED, _UNSAID_PLAIN, _HOP, _BACK_AND_FORTH, _WRONG_END = 4.0, 7.0, 1.0, 3.0, 5.0, 20.0
_WORST, _TRUST = 20.0, 0.3
_WRONG_WAY = 6.0
_WHOLE_LABEL = 2.0  # what a pattern gains for a label of several words in a row: «plays for» is not «plays at»


@dataclass(frozen=True)
class _Match:
    """A pattern for a phrase.

    Attributes:
        along: The pattern.
        score: The larger, the better it fits.
        unsaid: Words of the phrase that it leaves unexplained.
        said: Relations that words of the phrase speak of.
        excess: Relations with a meaning of their own that no word speaks of.
        is_wrong: Whether its ends are not what the phrase asks for.
        is_turned: Whether it follows a verb from its object where the phrase names the subject, or the other way round.
    """

    along: Along
    score: float
    unsaid: tuple[str, ...]
    said: int
    excess: int
    is_wrong: bool
    is_turned: bool

    def is_like(self, other: _Match) -> bool:
        """Return whether no word of a phrase tells two patterns apart."""
        return (
            replace(self, along=other.along, score=other.score) == other and self.along.of_class == other.along.of_class
        )

    @property
    def is_good(self) -> bool:
        """True if it says all that the phrase says, and no more."""
        return not (self.unsaid or self.excess or self.is_wrong or self.is_turned)


_BE = Expression(r"^ *(?:is|are|was|were) (?=the |an? )")  # «what are the subclasses of e0»


class _Noun(NamedTuple):
    """A noun that a phrase asks for.

    Attributes:
        of_class: The class that it names; "" for none.
        steps: The relations, with directions, whose ends it names, where it is no class.
        name: Its stems.
    """

    of_class: str = ""
    steps: frozenset[tuple[int, bool]] = frozenset()
    name: Stems = ()


class PhraseResolver:
    """A finder of the pattern that a plain phrase speaks of.

    The patterns stage proposes patterns with their scores. Among them the one is taken whose ends have the class that
    the phrase asks for, and whose relations explain the words of the phrase.

    Args:
        patterns: The stage.
        place: The graph.
        lexicon: The words of the graph.
        english: The wordings.
    """

    def __init__(self, patterns: Patterns, place: Place, lexicon: Lexicon, english: English) -> None:
        self.place, self.lexicon, self.english = place, lexicon, english
        self.assumptions: dict[Plan | Measure, str] = {}
        self._read: dict[tuple[str, int], list[_Match]] = {}
        self._patterns = [replace(patterns, n=_CANDIDATES, each=1, max_hops=hops) for hops in {1, patterns.max_hops}]
        self.labels = [label_stems(place.graph.relation_label(number)) for number in range(place.graph.n_relations)]
        plain = {word for name in lexicon.by_class for word in name} | {"locat", "part", "plac", "sit", "location"}
        self._is_plain = [plain.issuperset(set(label) - SMALL) for label in self.labels]

    def along(self, phrase: str, entity: int) -> Along:
        """Return the pattern from an entity that a phrase speaks of; the entity is `e0` or so in the phrase.

        Raises:
            CannotPlanError: No pattern explains all words of the phrase.
        """
        matches = self._matches(phrase, entity)
        if not matches:
            raise CannotPlanError(
                f"no relation leads away from {self.place.graph.label(entity)}", code="operators.no_relation"
            )
        best = matches[0]
        if self._is_only_noun(best, phrase):
            return best.along
        if not best.is_good:  # an entity may have nothing at the end of the right pattern: no neighbours, no airports
            steps = self._steps_of_others(phrase, entity)
            if steps is not None:
                return replace(steps, start=entity)
        if best.unsaid:
            raise CannotPlanError(
                not_known(best.unsaid),
                code="operators.unknown_words",
                words=tuple(best.unsaid),
            )
        return best.along

    def explained(self, phrase: str, entity: int) -> Along | None:
        """Return the pattern that says all that a phrase says, and no more; None if there is none."""
        best = next(iter(self._matches(phrase, entity)), None)
        return best.along if best is not None and best.is_good and best.said else None

    def _is_only_noun(self, match: _Match, phrase: str) -> bool:
        """Return whether the only unknown words are the noun asked for, in a graph without types.

        «How many services does e0 own»: `owns` is all that the graph knows, and it leads to nothing else.
        """
        noun = self.english.content(_AFTER_NOUN.split(_LEAD.sub("", phrase).strip(), maxsplit=1)[0])
        verbs = {word for relation, _ in match.along.steps for word in self.lexicon.relations[relation].words}
        if noun[1:2] and noun[1] in verbs:  # «races won» by e0
            noun = noun[:1]
        is_clear = match.said and not (match.excess or match.is_wrong) and match.unsaid == tuple(noun[-1:]) != ()
        if not is_clear or self.place.graph.type_table or self.lexicon.words.intersection(match.unsaid):
            return False
        unknown = " ".join(map(repr, match.unsaid))
        self.assumptions[match.along] = (
            f"{unknown} is not a word of this graph; taken for {match.along.text(self.place)}"
        )
        return True

    def assumptions_of(self, plan: Plan) -> list[str]:
        """Return the assumptions of a plan, in words."""
        text = plan.text(self.place)
        made = {part: said for part, said in self.assumptions.items() if part.text(self.place) in text}
        ways = [part.text(self.place) for part in made if isinstance(part, Pattern)]
        return [
            said for part, said in made.items() if not (isinstance(part, Pattern) and part.is_part_of(self.place, ways))
        ]

    def _steps_of_others(self, phrase: str, entity: int) -> Along | None:
        """Return the good pattern that entities of the same class have; None if they have none."""
        name = self.lexicon.classes_of(np.array([entity]))
        if not name:
            return None
        votes = Counter[Along]()
        for other in self._sample(self.lexicon.classes[name]):
            matches = self._matches(phrase, other)[:1]
            votes.update(replace(match.along, start=entity) for match in matches if match.is_good and other != entity)
        return votes.most_common(1)[0][0] if votes else None

    def _sample(self, entities: Ints, n: int = SAMPLE) -> list[int]:
        """Return a few well-connected entities of a set."""
        sample = entities[:: max(1, len(entities) // _LOOKED_AT)].tolist()
        return sorted(sample, key=lambda entity: -self.place.graph.degree(entity))[:n]

    def noun_and_verb(self, text: str) -> tuple[str, str]:
        """Return the noun phrase that a text begins with, and the rest."""
        words = text.split()
        for end in range(len(words), 0, -1):
            first = " ".join(words[:end])
            if self.is_called(stems(first)) or self.english.match("noun_of", first):
                return first, " ".join(words[end:])
        return text, ""

    def is_called(self, name: Stems) -> bool:
        """Return whether a class, or the ends of a relation, have a name."""
        return bool(self.lexicon.class_named(name)) or (len(name) == 1 and bool(self.steps_named(name)))

    def words_of(self, source: Source) -> Set[str]:
        """Return the stems of the words that speak of a property."""
        return source.words if source.relation < 0 else self.lexicon.relations[source.relation].words

    def words_in(self, phrase: str) -> list[str]:
        """Return the stems of a phrase that have a meaning; all of them if the phrase is the name of a property."""
        own, words = stems(phrase), self.english.content(phrase)
        if words or not any(self._is_name_of(own, source) for source in sources_of(self.place.graph)):
            return words
        return list(own)

    def _is_name_of(self, words: Stems, source: Source) -> bool:
        """Return whether stems are the name of a property, also without the class: «long name» of `route_long_name`."""
        first = source.stems[: -len(words)] if words else ()
        return source.stems == words or (first + words == source.stems and bool(self.lexicon.class_named(first)))

    def is_said(self, wanted: Sequence[str], source: Source) -> bool:
        """Return whether all of some words speak of a property."""
        words = self.words_of(source)
        return bool(wanted) and all(self.english.is_among(word, words) for word in wanted)

    def _matches(self, phrase: str, entity: int) -> list[_Match]:
        if (phrase, entity) not in self._read:
            self._read[phrase, entity] = self._ranked(phrase, entity)
        return self._read[phrase, entity]

    def _ranked(self, phrase: str, entity: int) -> list[_Match]:
        label = self.place.graph.label(entity)
        text = MENTION.sub(lambda _: label, phrase)
        text = text if _LEAD.match(text) else f"which {text}"
        query = Query(f"{text[0].upper()}{text[1:]}?", (entity,))
        paths: dict[tuple[Steps, bool], Path] = {}
        for patterns in self._patterns:
            for path in patterns.retrieve(query, self.place.subgraph).paths:
                paths.setdefault((path.pattern, path.end == path.start), path)
        if not paths:
            return []
        top = max(path.score for path in paths.values())
        wanted = self.english.content(MENTION.sub(" ", phrase))
        chain = Chain.of(phrase)
        head = self._head(chain.before_noun(phrase))
        plain = stems(phrase)  # «own» and «take» have no meaning of their own, unless a relation does
        ways = [one for one in paths.values() if not turns_back(one.pattern, phrase, self.lexicon.relations)]
        read = (self._match(one, wanted, plain, head, top, chain) for one in ways)
        matches = sorted((self._turned(match, phrase) for match in read), key=lambda match: -match.score)
        return self._by_role(self._by_labels(matches))

    def _head(self, text: str) -> _Noun:
        """Return what the first noun of a text asks for."""
        words = stems(_BE.sub("", text))
        longest = max([2, *map(len, self.lexicon.by_class)])
        for at in range(len(words)):
            for size in range(min(longest, len(words) - at), 0, -1):
                name = tuple(words[at : at + size])
                of_class = self.lexicon.class_named(name) or self._near_class(name)
                steps = self.steps_named(name)
                if of_class and not (size == 1 and steps and name not in self.lexicon.by_class):
                    return _Noun(of_class)
                if steps:
                    return _Noun("", steps, name)
            if words[at] in self.english.verbs:
                break
        return _Noun()

    def _near_class(self, name: Stems) -> str:
        if len(name) != 1:
            return ""
        near = map(self.lexicon.class_named, self.english.near.get(name[0], ()))
        return next(filter(None, near), "") if name[0] in self.english.class_words else ""

    def called(self, noun: str) -> SetPlan | None:
        """Return the ends of relations called by a name: «player» for heads of `plays for`; else None."""
        steps = self.steps_named((noun,))
        return all_ends(steps) if steps else None

    def _ends_of(self, steps: frozenset[tuple[int, bool]]) -> Ints:
        """Return the entities at the ends of some steps."""
        return all_ends(steps).run(self.place)

    def steps_named(self, name: Stems) -> frozenset[tuple[int, bool]]:
        """Return the relations, with directions, whose ends have a name."""
        names = {name} | {*self.english.near.get(name[0], ())} if len(name) == 1 else {name}
        steps = set()
        for relation, relation_names in enumerate(self.lexicon.relations):
            if names & relation_names.tail:
                steps.add((relation, True))
            if names & relation_names.head:
                steps.add((relation, False))
        return frozenset(steps)

    def _match(self, path: Path, wanted: Sequence[str], plain: Stems, head: _Noun, top: float, chain: Chain) -> _Match:
        graph, lexicon = self.place.graph, self.lexicon
        relations = [lexicon.relations[relation] for relation, _ in path.pattern]
        classes = {name for node in path.nodes[1:] for name in graph.types(node)}
        class_words = {word for name in classes for word in stems_of_name(name)}
        of_class = head.of_class
        along = Along(path.start, path.pattern, path.end == path.start)
        is_wrong = bool(of_class) and not np.isin(path.end, lexicon.classes[of_class])
        if of_class and path.hops == 1:  # the ends of one relation may be of several classes
            inside = np.isin(along.run(self.place), lexicon.classes[of_class])
            is_wrong = not inside.any()
            along = replace(along, of_class="" if is_wrong or inside.all() else of_class)
        if of_class and not is_wrong:
            class_words |= set(stems(of_class))
        if head.steps and path.pattern[-1] not in head.steps:
            is_step = chain.goes_on_after(head.name)  # «the father of the translator of e0» asks for no translator
            is_wrong |= is_step or path.hops > 1 or not np.isin(along.run(self.place), self._ends_of(head.steps)).all()
            class_words |= set() if is_wrong else set(head.name)
        unsaid = [
            word
            for word in wanted
            if not any(self.english.is_among(word, words) for words in (class_words, *(one.words for one in relations)))
        ]
        for word, times in Counter(wanted).items():  # «the capital of ... whose capital is e0» has it twice
            said_by = sum(self.english.is_among(word, names.words) for names in relations)
            if 0 < said_by < times and word not in class_words:
                unsaid.append(word)
        unsaid += chain.unsaid(relations, self.english.is_among)
        if len(unsaid) < len(wanted) and "person" in unsaid:
            unsaid.remove("person")  # «what do people pay with»: who does it says nothing
        score = _TRUST * max(path.score - top, -_WORST) - _UNSAID_WORD * len(unsaid) - _HOP * path.hops
        there = path.hops > 1 and path.pattern[-1] == (path.pattern[-2][0], not path.pattern[-2][1])
        between = {word for name in graph.types(path.nodes[-2]) if name != of_class for word in stems_of_name(name)}
        said = excess = 0
        for (relation, _), names in zip(path.pattern, relations, strict=True):
            is_end = there and chain.is_common and relation == path.pattern[-1][0]  # «share a band with e0»
            is_said = any(self.english.is_among(word, names.words) for word in wanted)
            if is_said or names.words.intersection(plain) or (is_end and not between.isdisjoint(wanted)):
                said += 1
            else:
                excess += not self._is_plain[relation]
                score -= _UNSAID_PLAIN if self._is_plain[relation] else _UNSAID_NAMED
            score += _WHOLE_LABEL * _holds(plain, self.labels[relation])
        pairs = zip(path.pattern, path.pattern[1:], strict=False)
        back = sum(one[0] == other[0] and one[1] != other[1] for one, other in pairs)
        if chain.is_common:  # «who shares an employer with e0» goes there and back
            is_wrong |= not there and not any(says_alike(graph.relation_label(one)) for one, _ in path.pattern)
        else:
            score -= _BACK_AND_FORTH * back
            excess += back
        score -= _WRONG_END * is_wrong
        return _Match(along, score, tuple(dict.fromkeys(unsaid)), said, excess, is_wrong, is_turned=False)

    def _turned(self, match: _Match, phrase: str) -> _Match:
        """Mark a pattern that follows a verb from its wrong side: «which services depend on e0».

        The verb may be that of the second relation, if no word says the first: «what is effective against e0», which
        has a type.
        """
        for relation, forward in match.along.steps[:2]:
            label = self.labels[relation]
            is_head = None if any(word in self.english.symmetric for word in label) else begins_at(phrase, label)
            is_other = is_another_way(phrase, label, self.labels)
            if is_other or (is_head is not None and is_head != forward):
                return replace(match, is_turned=True, score=match.score - _WRONG_WAY)
            if is_head is not None:
                break
        return match

    def _by_role(self, matches: list[_Match]) -> list[_Match]:
        """Put first what an entity is to most of its neighbours, if no word says what: «the films of e0», who directs.

        Several relations may join two classes; the one is taken that joins the entity to most, with an assumption.
        """
        best = matches[0]
        if len(best.along.steps) > 1 or best.said or best.is_wrong or not best.excess:
            return matches
        alike = [one for one in matches if len(one.along.steps) == 1 and one.is_like(best)]
        main, note = main_role(self.place, [one.along for one in alike])
        if main is None:
            return matches
        if note:
            self.assumptions[main] = note
        return sorted(matches, key=lambda match: match.along != main)

    def _by_labels(self, matches: list[_Match]) -> list[_Match]:
        """Explain words by the names of the ends: «services» that are called «Auth Service»."""
        best = matches[0]
        if not best.unsaid:
            return matches
        for i, match in enumerate(matches[:8]):
            ends = match.along.run(self.place)[:50].tolist()
            named = [set(stems(self.place.graph.label(end))) for end in ends]
            unsaid = tuple(
                word for word in match.unsaid if 2 * sum(word in words for words in named) < max(len(ends), 1)
            )
            matches[i] = replace(
                match, unsaid=unsaid, score=match.score + _UNSAID_WORD * (len(match.unsaid) - len(unsaid))
            )
        return sorted(matches, key=lambda match: -match.score)


def _holds(words: Stems, label: Stems) -> bool:
    """Return whether a label of two words or more stands in a phrase.

    >>> _holds(("who", "play", "for", "e0"), ("play", "for")), _holds(("who", "play", "for", "e0"), ("play", "at"))
    (True, False)
    """
    size = len(label)
    return size > 1 and any(words[at : at + size] == label for at in range(len(words) - size + 1))
