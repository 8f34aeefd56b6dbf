"""Phrases that name the class of their answer, read as the shortest path between classes that explains their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

import numpy as np
import numpy.typing as npt

from graphbrick.bricks.retrieve.operators.measures import main_role
from graphbrick.bricks.retrieve.operators.phrases import PhraseResolver
from graphbrick.bricks.retrieve.operators.schema.class_graph import ClassGraph, Join, class_graph_of, over_all_classes
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.schema.ways import WHO, Way, WaysSaid
from graphbrick.bricks.retrieve.operators.sets import (
    Along,
    CannotPlanError,
    Either,
    Having,
    Listed,
    Members,
    SetPlan,
    Steps,
)
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.deferred import cached_property
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.forms import may_be_who
from graphbrick.language.stems import WORD, root, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.language.voice import begins_at, follows
from graphbrick.patterns.lexicon import stems_of_name

AMBIGUOUS = "schema.ambiguous"
"""The code of the error that two paths explain a phrase equally well."""

_MOST_HOPS, _MOST_WAYS = 6, 20_000
_LEAD = Expression(
    r"^(?:(?:in|on|at|by|for|with|from|to|of) )?(?:which|what|whose|name|list|give me|show me|find|all)"
    r"(?: of)?(?: all)?(?: of)?(?: the)? "
)
_VERB_ALONE = Expression(r"what [a-z]+s (?:the |an? )?e\d+")
_NOUN_LEAD = Expression(r"^(?:(?:in|on|at|by|for|with|from|to|of) )?(?:which|what) ")
_WHO_IS = Expression(r"^(?:who|where) (?:is |are |was |were )?(?:all )?(?:the )?")
_IS_WHERE = Expression(r"^where (?:is|are|was|were) (?:the )?e\d+\b")
_IS = Expression(r"^(?:is|are|was|were)(?: there)?(?: all| any)?(?: the| an?)? ")
_HEAD = Expression(
    r"(?:e\d+ )?(.*?)(?:$|\b(?:is|are|was|were|do|does|did|has|have|had|can|will|would|e\d+|that|which|who|whose|"
    r"of|in|on|at|by|for|with|from|to)\b)"
)
# Words that change what the entities at the end of a path are; no path says them.
_CHANGES = Expression(
    r"\b(?:not|never|no|none|without|except|neither|nor|only|just|exactly|every|each|first|last|same|common|shared?|both|either|"
    r"most|least|fewest|more|less|fewer|between|than|how|when|why|and|or|but|other|others|else|another|also|still|yet)\b"
)
_FUNCTION_WORDS = frozenset(map(stem, FUNCTION_WORDS))
_MAIN_VERBS = frozenset(map(stem, ("own", "use", "make", "take", "hold", "call", "give", "mention")))  # say a relation
_ANYBODY = frozenset(map(stem, ("anyone", "anybody", "someone", "somebody", "stuff", "anything", "something")))


Ints = npt.NDArray[np.int64]


class SchemaPaths:
    """A finder of paths between the classes that a phrase names.

    Args:
        resolver: Knows the graph and its words.
    """

    def __init__(self, resolver: PhraseResolver) -> None:
        self.resolver, self.place = resolver, resolver.place
        self.english, self.lexicon = resolver.english, resolver.lexicon
        self.classes: ClassGraph = class_graph_of(resolver.place.graph)
        self.said = WaysSaid(resolver)

    @cached_property
    def _of_classes(self) -> frozenset[str]:
        """The stems of the names of classes."""
        return frozenset(word for name in self.lexicon.by_class for word in name)

    @cached_property
    def _of_relations(self) -> frozenset[str]:
        """The stems of the words of relations."""
        return frozenset(word for names in self.lexicon.relations for word in names.words)

    def along(self, phrase: str, entity: int) -> SetPlan | None:
        """Return the set that a phrase about one entity asks for; None if no path explains all of its words.

        Raises:
            CannotPlanError: Two paths of one length explain them.
        """
        phrase = self.english.without("everywhere", phrase)
        wanted = self._wanted(phrase) if self.classes else None
        return None if wanted is None else self.between(phrase, entity, *wanted)

    def between(self, phrase: str, entity: int, targets: set[str], words: set[str]) -> SetPlan | None:
        """Return the entities of some classes to which the path leads that explains some words; None without one.

        Where several entities have the name, the one is taken that the path fits.

        Raises:
            CannotPlanError: Two paths of one length explain them.
        """
        readings = dict[str, int]()
        for one in (entity, *self.namesakes(entity)):
            for name in self.place.graph.types(one):
                readings.setdefault(name, one)
        own = set(self.place.graph.types(entity))
        best: tuple[tuple[int, bool, int], Way] | None = None
        reason: CannotPlanError | None = None
        label = self.place.graph.label(entity)
        for name in readings:
            if (best or reason) and self.place.graph.label(readings[name]) != label:
                continue  # «Mistral» is no «mistral» because another relation leads from that
            left = frozenset(self._unsaid(words, self._beside(phrase, name)))
            ways = self._shortest(name, targets, left, phrase)
            try:
                way = self._best(ways, phrase, readings[name])
            except CannotPlanError as error:
                reason = error
                continue
            if way is None and ways and name in own:
                return None  # its namesakes are not meant because they have one relation only
            if way is not None:
                key = self.said.how_well(way, phrase, self.content(phrase)).by_preposition, name in own, -len(way.joins)
                if best is None or key > best[0]:
                    best = key, way
        if best is None and reason is not None:
            raise reason
        return None if best is None else self._plan(best[1], readings[best[1].joins[0].start], phrase)

    def namesakes(self, entity: int) -> list[int]:
        """Return the other entities of the name of one, the best connected first."""
        graph = self.place.graph
        others = (other for other in graph.named(graph.label(entity)) if other != entity)
        return sorted(others, key=lambda other: -graph.degree(other))

    def _plan(self, way: Way, entity: int, phrase: str) -> SetPlan:
        steps: Steps = tuple((join.relation, join.forward) for join in way.joins)
        names = tuple(join.end for join in way.joins)
        if len(steps) == 1:
            along = Along(entity, steps)
            ends = [self.lexicon.classes[name] for name in way.ends or names]
            if np.isin(along.run(self.place), np.concatenate(ends)).all():
                return along
        if way.ends:
            ways = (way._replace(joins=(*way.joins[:-1], way.joins[-1]._replace(end=end)), ends=()) for end in way.ends)
            return Either(tuple(self._plan(one, entity, phrase) for one in ways))
        if len(steps) == 1:
            return Along(entity, steps, of_class=names[0])
        plan = Walk(Listed((entity,)), steps, names)
        self._note(plan, way, phrase)
        return plan

    def _beside(self, phrase: str, name: str) -> Set[str]:
        """Return the stems of the name of a class if it stands before the entity: «the artist e0»."""
        before = re.search(r"((?:[\w-]+ ){1,3})(?:called |named )?e\d+\b", phrase)
        words = stems(before[1]) if before else ()
        for size in range(1, len(words) + 1):
            if self.type_named(words[-size:]) == name:
                return frozenset(words[-size:])
        return frozenset()

    def partakers(self, name: str, words: Set[str]) -> SetPlan | None:
        """Return the members of a class that have the shortest path that explains some words: «customers who bought».

        Raises:
            CannotPlanError: Two paths of one length explain them.
        """
        left = self._unsaid(words, stems_of_name(name))
        if not self.classes or name not in self.classes.joins or not left:
            return None
        own = (join for join in self.classes.joins[name] if join.end == name)
        same = [join for join in own if not self._unsaid(left, self._words_of_join(join))]
        if len({join.relation for join in same}) == 1:  # «types that are effective against anything», which are types
            return Having(same[0].relation)
        best = self._best(self._shortest(name, set(self.classes.joins) - {name}, frozenset(left), ""), "")
        if best is None:
            return None
        joins = best.joins
        steps = tuple((join.relation, not join.forward) for join in reversed(joins))
        classes = tuple(join.start for join in reversed(joins))
        ends = tuple(map(Members, best.ends or (joins[-1].end,)))
        return Walk(ends[0] if len(ends) == 1 else Either(ends), steps, classes, is_backward=True)

    def type_named(self, words: Sequence[str]) -> str:
        """Return the class of the class graph that some stems name; "" for none."""
        names = self.lexicon.by_class.get(tuple(words), ())
        if not names and len(words) == 1 and words[0] in self.english.class_words:
            near = (self.lexicon.by_class.get(other, ()) for other in self.english.near.get(words[0], ()))
            names = next(filter(None, near), ())
        if not names and len(words) > 1:
            names = self.lexicon.by_class.get(("".join(words),), ())  # «media types» of the class mediatype
        return next((name for name in names if name in self.classes.joins), "")

    def classes_in(self, text: str) -> list[tuple[str, frozenset[str]]]:
        """Return the classes that a text names, in order, with the stems that name them."""
        words, classes, at = stems(text), list[tuple[str, frozenset[str]]](), 0
        longest = max(map(len, self.lexicon.by_class), default=0) + 1
        while at < len(words):
            sizes = range(min(longest, len(words) - at), 0, -1)
            size = next((size for size in sizes if self.type_named(words[at : at + size])), 0)
            if size:
                classes.append((self.type_named(words[at : at + size]), frozenset(words[at : at + size])))
            at += max(size, 1)
        return classes

    def _wanted(self, phrase: str) -> tuple[set[str], set[str]] | None:
        """Return the classes that a phrase asks for, and the words that a path has to explain; None for no class."""
        if _CHANGES.search(_WHO_IS.sub("", _LEAD.sub("", phrase))) or len(set(MENTION.findall(phrase))) != 1:
            return None
        targets, said = self._targets(phrase)
        return (targets, self.content(_LEAD.sub("", phrase)) - said) if targets else None

    def people(self) -> set[str]:
        """Return the classes of people, or of groups of them, that «who» may ask for."""
        return {name for name in self.classes.joins if may_be_who(name)}

    def far(self, holders: SetPlan, entities: Ints, words: set[str]) -> SetPlan | None:
        """Return what the shortest path that says some words joins to a set, among the class of some entities."""
        start = self.lexicon.classes_of(holders.run(self.place))
        target = self.lexicon.classes_of(entities)
        if start not in self.classes.joins or target not in self.classes.joins or start == target:
            return None
        left = self._unsaid(words, stems_of_name(start) | stems_of_name(target))
        known = frozenset(word for word in left if self.said.is_among(word, self._of_relations | self._of_classes))
        try:
            best = self._best(self._shortest(start, {target}, known, ""), "")
        except CannotPlanError:
            return None
        if best is None or not known:
            return None
        return Walk(
            holders, tuple((join.relation, join.forward) for join in best.joins), tuple(j.end for j in best.joins)
        )

    def owners(self, name: str, person: str) -> list[tuple[Join, ...]]:
        """Return the shortest paths from a class to one of people on which every step leads to one entity at most."""
        ways: list[tuple[Join, ...]] = [()]
        for _ in range(_MOST_HOPS):
            ways = [
                (*way, join)
                for way in ways
                for join in self.classes.joins.get(way[-1].end if way else name, ())
                if join.end not in {name, *(one.end for one in way)} and self._is_single(join)
            ]
            complete = [way for way in ways if way[-1].end == person]
            if complete:
                return complete
        return []

    def speaks_of(self, join: Join, noun: str) -> bool:
        """Return whether a noun says the relation of a step: «orders» of PURCHASED."""
        nouns = set(map(root, WORD.findall(noun)))
        return self.said.is_spoken(join, set(self.english.content(noun))) or bool(
            nouns & set(map(root, self.said.label(join)))
        )

    def _is_single(self, join: Join) -> bool:
        """Return whether every entity of the class that a join leaves has one triple of it at most."""
        csr, ids = self.place.graph.csr, self.place.graph.triple_ids()
        triples = ids[csr.relation[ids] == join.relation]
        starts = csr.heads(triples) if join.forward else csr.tail[triples]
        starts = starts[np.isin(starts, self.lexicon.classes[join.start])]
        return len(np.unique(starts)) == len(starts)

    def asked(self, phrase: str) -> frozenset[str]:
        """Return the classes of which the entities are that a phrase asks for; none if it does not say so."""
        return frozenset(self._targets(phrase)[0])

    def asked_noun(self, phrase: str) -> str:
        """Return the stem of the noun after «which» or «what»; "" if none stands there, as in «what needs e0»."""
        lead = None if _VERB_ALONE.fullmatch(phrase) else _NOUN_LEAD.match(phrase)
        head = _HEAD.match(phrase[lead.end() :]) if lead else None
        return next(iter(self.english.content(head[1])), "") if head else ""

    def _targets(self, phrase: str) -> tuple[set[str], frozenset[str]]:
        """Return the classes that a phrase asks for, and the stems that name them."""
        rest = _LEAD.sub("", phrase)
        if WHO.match(rest):
            return self.people() - {name for name, _ in self.classes_in(rest)}, frozenset()
        if _IS_WHERE.match(rest):  # «where is e0 the currency» asks for no currency
            return set(), frozenset()
        head = _HEAD.match(_IS.sub("", _WHO_IS.sub("", rest), count=1))
        classes = self.classes_in(head[1]) if head else []
        words = stems(head[1]) if head else ()
        while len(classes) > 1 and follows(words, classes[0][1], classes[1][1]):
            del classes[0]  # «model families» are families
        return ({classes[0][0]}, classes[0][1]) if classes else (set(), frozenset())

    def content(self, phrase: str) -> set[str]:
        """Return the stems of the words that a path has to explain: also «own» where a relation is called so."""
        plain = MENTION.sub(" ", phrase)
        anything = self.english.anything | _ANYBODY
        verbs = (self._of_relations - _FUNCTION_WORDS | _MAIN_VERBS).intersection(stems(plain))
        return {*self.english.content(plain), *verbs} - anything

    def _unsaid(self, words: Set[str], said: Set[str]) -> set[str]:
        """Return the words that others do not explain; of a word with a hyphen each part has to be explained."""
        return {
            word
            for word in words
            if not self.said.is_among(word, said)
            and not all(self.said.is_among(stem(part), said) for part in word.split("-"))
        }

    def _words_of_join(self, join: Join) -> Set[str]:
        own = {*self.lexicon.relations[join.relation].words, *self.said.label(join)} - self._of_classes
        return own | stems_of_name(join.end)

    def _shortest(self, start: str, targets: Set[str], words: frozenset[str], phrase: str) -> list[Way]:
        """Return the shortest ways to a target that explain all words."""
        ways, seen = [Way((), words)], 0
        for _ in range(_MOST_HOPS):
            longer, complete = list[Way](), list[Way]()
            for way in ways:
                for join in self._next(way, start, phrase, targets):
                    seen += 1
                    left = frozenset(self._unsaid(way.left, self._words_of_join(join))) if way.left else way.left
                    extended = Way((*way.joins, join), left)
                    if join.end in targets and not left:
                        complete.append(extended)
                    elif len(targets) > 1 or join.end not in targets or self.classes.is_joined_to_itself(join.end):
                        longer.append(extended)
            if complete or seen > _MOST_WAYS:
                return complete
            ways = longer
        return []

    def _next(self, way: Way, first: str, phrase: str, targets: Set[str]) -> Iterator[Join]:
        """Yield the joins that a way may go on with: to a class that it has not met, or by a verb of the phrase.

        It may end in the class where it began if the phrase names the class before: «who acted in the films of e0».
        """
        met = {join.end for join in way.joins} | ({way.joins[0].start} if way.joins else set())
        start = way.joins[-1].end if way.joins else first
        is_named = bool(way.joins) and any(self.english.is_among(w, stems_of_name(start)) for w in self.content(phrase))
        for join in self.classes.joins.get(start, ()):
            returns = is_named and join.end == first and join.end in targets
            if join.end != start and (join.end not in met or returns):
                yield join
            elif join.end == start and not any(one.relation == join.relation for one in way.joins):
                label = self.said.label(join)
                is_said = bool(phrase) and begins_at(phrase, label) == join.forward
                if is_said or join.relation in self.classes.symmetric:
                    yield join

    def _main(self, ways: Sequence[Way], entity: int, phrase: str) -> Way | None:
        """Return the way that begins with what an entity is to most of its neighbours; None if they differ later."""
        if len({(way.joins[0].end, way.joins[1:]) for way in ways}) > 1:
            return None
        firsts = {Along(entity, (way.joins[0][1:3],), of_class=way.joins[0].end): way for way in ways}
        main, note = main_role(self.place, list(firsts))
        if main is not None and note:
            self.resolver.assumptions[self._plan(firsts[main], entity, phrase)] = note
        return None if main is None else firsts[main]

    def _best(self, ways: Sequence[Way], phrase: str, entity: int | None = None) -> Way | None:
        """Return the best said of several ways of one length; None if there are none, or none is better over one step.

        Raises:
            CannotPlanError: There are several over more than one step.
        """
        if not ways:
            return None
        scores = {way: self.said.how_well(way, phrase, self.content(phrase)) for way in ways}
        top = max(scores.values())
        best = [way for way in ways if scores[way] == top]
        if len({tuple(join[1:3] for join in way.joins) for way in best}) == 1:
            ends = tuple(dict.fromkeys(way.joins[-1].end for way in best))
            joins = over_all_classes([way.joins for way in best])
            return best[0]._replace(joins=joins, ends=ends if len(ends) > 1 else ())
        main = None if entity is None else self._main(best, entity, phrase)
        if main is not None or len(best[0].joins) == 1 or self.content(phrase) <= self._of_classes:
            return main
        texts = [self._text(way) for way in best[:2]]
        raise CannotPlanError(
            f"the question may mean «{texts[0]}» or «{texts[1]}»; say which", code=AMBIGUOUS, ways=tuple(texts)
        )

    def _text(self, way: Way) -> str:
        steps = tuple((join.relation, join.forward) for join in way.joins)
        return f"{way.joins[0].start} {self.place.steps_text(steps, way.joins[-1].end)}"

    def _note(self, plan: Walk, way: Way, phrase: str) -> None:
        """Record that a phrase does not say some class and relation on the way."""
        content = self.content(phrase)
        for join, after in zip(way.joins, way.joins[1:], strict=False):
            own = stems_of_name(join.end)
            is_class_said = any(self.english.is_among(word, own) for word in content)
            if not is_class_said and not self.said.is_spoken(join, content) and not self.said.is_spoken(after, content):
                self.resolver.assumptions[plan] = (
                    f"nothing in the question says the way; taken for {plan.text(self.place)}"
                )
                return
