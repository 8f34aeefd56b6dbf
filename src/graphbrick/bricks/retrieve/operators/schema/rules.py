"""Phrases whose answer is a known class: what never happened, names that several have, what depends on what breaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators.measures import main_role
from graphbrick.bricks.retrieve.operators.properties.selections import Through
from graphbrick.bricks.retrieve.operators.schema.reading import SchemaPaths
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.sets import (
    Along,
    CannotPlanError,
    Either,
    Listed,
    Members,
    SetPlan,
    UnreadWordError,
    Without,
)
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.chains import Chain
from graphbrick.patterns.lexicon import label_stems
from graphbrick.patterns.unknown_words import WordReader

NO_PATH = "schema.no_path"
"""The code of the error that no path explains a phrase about all entities of a name."""

_DOES = Expression(r"[^s]s$").search  # «owns», not «owned», which may be said of both ends
_DONE_BY = Expression(r"\b([a-z]+) by\b")
_ARTICLE = Expression(r"(?:^| )(?:an?|the|any|some|all|all the)? ?$")
_BARE = Expression(r"(?:which|what|who|list|name|show|show me|give me|all|the| )*$")
_NOT_A_VERB = Expression(r"(?:more|less|fewer|larger|smaller|higher|lower|over|under|above|below|any more|than)\b")
_OTHER_VERB = Expression(r"\be\d+ [a-z]+ (?:but|and|yet)(?: did| does| do| has| have| had)?$")
_NO_VERB = Expression(r"(?:(?:of|in|with|by|on|to|for|from|at|as) )?(?:the )?e\d+\b")
_UNIVERSAL = Expression(r"\b(?:every|each|all|only|just|most|exactly|both|more|less|fewer|than)\b(?!-)")
_LEADS = frozenset(map(stem, ("direct", "lead", "manage", "run", "own", "head", "produce")))  # whom others work for
_DEPENDS = frozenset(map(stem, ("depend", "require", "need", "use", "rely")))
_TAIL_IS_ABOVE = frozenset(map(stem, ("report", "under", "boss", "manager", "supervisor", "superior", "by")))
_ABOVE = frozenset(map(stem, ("report", "boss", "manager", "manage", "supervisor", "supervise", "superior")))


class ClassRules:
    """A reader of phrases by the classes of the graph.

    Args:
        paths: Finds paths between classes.
        read: Returns the plan of a phrase.
        entity: Returns what a placeholder stands for.
    """

    def __init__(self, paths: SchemaPaths, read: Callable[[str], SetPlan], entity: Callable[[str], int]) -> None:
        self.paths, self.read, self.entity = paths, read, entity
        self.place, self.english, self.lexicon = paths.place, paths.english, paths.lexicon

    def plain(self, text: str) -> SetPlan | None:
        """Return the plan of a question without an operator, if a path between classes explains all of its words.

        Args:
            text: The question.
        """
        mention = MENTION.search(text)
        rules = (self.called, self.owners, self.together, self.works_for, self.impact, self.hierarchy)
        plan = next((plan for rule in rules if (plan := rule(text)) is not None), None) if mention else None
        if plan is not None or mention is None:
            return plan
        if Chain.of(text).is_common:  # «what shares a label with e0» asks for no label
            return None
        return self.paths.along(text, self.entity(mention[0]))

    def called(self, text: str) -> SetPlan | None:
        """Read «albums with a track called e0»: the phrase about all that have the name."""
        match = self.english.match("class_called", text)
        if not match:
            return None
        words, entity = match["noun"].split(), self.entity(match["who"])
        noun = next((noun for noun in (words, words[-1:]) if self.paths.type_named(stems(" ".join(noun)))), None)
        if noun is None:
            return None
        name = self.paths.type_named(stems(" ".join(noun)))
        before = match["left"] + " ".join(words[: len(words) - len(noun)])
        entities = self._named(entity, name)
        if not entities:
            label = self.place.graph.label(entity)
            raise CannotPlanError(f"no {name} is called {label!r}", code="schema.none_called", name=label, noun=name)
        if _BARE.match(before) and not match["rest"]:
            return Listed(entities)
        phrase = f"{_ARTICLE.sub(' ', before)}{' '.join(noun)} {match['who']}{match['rest']}"
        plan = self.paths.along(re.sub(r" +", " ", phrase).strip(), entities[0])
        if plan is None:
            raise CannotPlanError(
                f"no path between classes says «{match['left'].strip()}»", code=NO_PATH, words=match["left"]
            )
        return _from_each(plan, entities)

    def owners(self, text: str) -> SetPlan | None:
        """Read «whose albums are about e0»: the people that each of what it speaks of belongs to.

        Raises:
            CannotPlanError: The graph does not have what the phrase speaks of, or not whose it is.
        """
        match = self.english.match("whose_first", text)
        noun = match["noun"] if match else ""
        name = self.paths.type_named(stems(noun)) or self._near_type(noun)
        if match is None or not name:
            return None
        own = re.fullmatch(r"(?:is|was|are|were) (?P<who>e\d+)", match["rest"])
        named = self._named(self.entity(own["who"]), name) if own else ()
        if own and not named:
            return None  # «whose boss is e0» asks for others
        ways = [way for person in sorted(self.paths.people()) for way in self.paths.owners(name, person)]
        key = {way: (len(way), not any(self.paths.speaks_of(join, noun) for join in way)) for way in ways}
        best = [way for way in ways if key[way] == min(key.values())]
        if len(best) != 1:
            raise CannotPlanError(f"this graph does not say whose {noun} it is", code=NO_PATH, words=noun)
        steps = tuple((join.relation, join.forward) for join in best[0])
        base = Listed(named) if named else self.read(f"which {name} {match['rest']}")
        return Walk(base, steps, tuple(join.end for join in best[0]))

    def _near_type(self, noun: str) -> str:
        """Return the class that a word of the same meaning names: «music» of tracks; "" for none."""
        near = WordReader(self.lexicon, self.english.all_words).near([noun], f"the {noun}") if noun else []
        return self.paths.type_named(stems(near[0].read_as)) if near else ""

    def never(self, text: str) -> SetPlan | None:
        """Read «which clubs has e0 never played for», «which genres have never been sold»."""
        match = self.english.match("never", text)
        left = self.english.match("never_left", match["left"]) if match else None
        if not match or not left or _NOT_A_VERB.match(match["rest"]):
            return None
        if (_NO_VERB.match(match["rest"]) and MENTION.search(match["left"])) or _OTHER_VERB.search(match["left"]):
            return None  # another rule reads «played for e0 but never for e1», «e0 wrote but did not direct»
        is_never = bool(match["is_never"]) or left["aux"] in ("has", "have", "had")
        base_text, who = left["base"], (left["who"] or "").strip()
        whose = re.fullmatch(r"(?P<base>.+?),? whose (?P<part>.+)", base_text)
        if whose:
            base_text, who = whose["base"], f"have {whose['part']}"
        if MENTION.fullmatch(who) and not self.english.content(base_text) and base_text != "who":
            base_text, who = f"{base_text} {who}", ""
        phrase = " ".join(filter(None, (left["aux"], who, match["rest"])))
        if not is_never and MENTION.search(phrase):
            return None  # another rule reads «do not border e0»
        plan = self.lacking(base_text, phrase)
        if plan is None and is_never and base_text != "who":
            raise UnreadWordError("never" if match["is_never"] else "not")
        return plan

    def lacking(self, base_text: str, phrase: str) -> SetPlan | None:
        """Return the entities of a set, or all people for «who», for which a phrase does not hold; None if unread."""
        if base_text == "who":
            positive = self.read(f"who {phrase}")
            parts = positive.parts if isinstance(positive, Either) else (positive,)
            walks = [part for part in parts if isinstance(part, Walk)]
            if len(walks) < len(parts):
                return None  # another rule reads «who does not work in e0»
            who = tuple(Members(walk.classes[-1]) for walk in walks)
            others = tuple(map(self.of_all_named, walks))
            return Without(who[0], others[0]) if len(who) == 1 else Without(Either(who), Either(others))
        base = self.read(self.english.as_question(base_text))
        if MENTION.search(phrase):
            return Without(base, self.of_all_named(self.read(f"which {self._noun(base)} {phrase}")))
        words = self.paths.content(phrase)
        if _UNIVERSAL.search(phrase):
            return None
        if isinstance(base, Listed):
            return self._lacking_of(base, words)
        name = self.paths.type_named(stems(self._noun(base)))
        takes_part = self.paths.partakers(name, words) if name else None
        return None if takes_part is None else Without(base, takes_part)

    def _lacking_of(self, base: Listed, words: set[str]) -> SetPlan | None:
        """Read «which MVPs were never an all-star»: those that one relation joins to an award, without the others."""
        sets = []
        for start in base.entities:
            for join in {
                join for name in self.place.graph.types(start) for join in self.paths.classes.joins.get(name, ())
            }:
                takes_part = self.paths.partakers(join.end, words)
                if isinstance(takes_part, Walk) and len(takes_part.steps) == 1:
                    around = Along(start, ((join.relation, join.forward),), of_class=join.end)
                    sets.append(Without(around, takes_part))
        return sets[0] if len(sets) == 1 else None

    def partakers(self, text: str) -> SetPlan | None:
        """Read «which customers have bought something»: members of a class by what they did, without an entity."""
        classes = self.paths.classes_in(text)
        if text.startswith("who "):
            return self._people_with(text)
        if not classes or _UNIVERSAL.search(self.english.lead.sub("", text, count=1).removeprefix(" all ")):
            return None
        name, said = classes[0]
        plan = self.paths.partakers(name, self.paths.content(text) - said)
        return None if isinstance(plan, Walk) and self._is_turned_round(plan, text) else plan

    def _is_turned_round(self, plan: Walk, text: str) -> bool:
        """Return whether «airlines owned by pilots» is read as airlines that own something, by a relation OWNS."""
        relation, leads_to_them = plan.steps[-1]
        words = spaced(self.paths.place.graph.relation_label(relation)).lower().split()
        active = frozenset(stem(word) for word in words if _DOES(word))
        done = {one for verb in _DONE_BY.findall(text) for one in stems(verb)}
        return not leads_to_them and "by" not in words and any(self.paths.said.is_among(one, active) for one in done)

    def _people_with(self, text: str) -> SetPlan | None:
        """Read «who has resolved an incident»: the members of the one class of people that take part."""
        words = self.paths.content(text)
        if _UNIVERSAL.search(text):
            return None
        people = sorted(self.paths.people() - {name for name, _ in self.paths.classes_in(text)})
        plans = [plan for name in people if (plan := self.paths.partakers(name, words)) is not None]
        shortest = min((len(plan.steps) for plan in plans if isinstance(plan, Walk)), default=0)
        best = [plan for plan in plans if isinstance(plan, Walk) and len(plan.steps) == shortest]
        if len({plan.steps for plan in best}) > 1:
            return None
        return best[0] if len(best) == 1 else Either(tuple(best)) if best else None

    def impact(self, text: str) -> SetPlan | None:
        """Read «which services break if e0 goes down»: those that depend on it."""
        match = self.english.match("impact", text)
        if not match:
            return None
        entity, graph = self.entity(match["who"]), self.place.graph
        names = {name for name, _ in self.paths.classes_in(match["noun"])}
        steps = [
            (relation, "by" in label)
            for relation in range(graph.n_relations)
            if _DEPENDS & set(label := label_stems(graph.relation_label(relation)))
        ]
        if len(steps) != 1 or len(names) > 1:
            raise CannotPlanError("no relation says what depends on what", code="schema.no_dependence")
        return Along(entity, (steps[0],), of_class=next(iter(names), ""))

    def hierarchy(self, text: str) -> SetPlan | None:
        """Read «who is the boss of e0», «who works under e0», by the relation that says so."""
        above, below = self.english.match("boss", text), self.english.match("subordinates", text)
        match = above or below
        nested = self.english.match("of_boss", text) if not match else None
        if nested:  # «who reports to the boss of e0»
            inner = self.hierarchy(f"who is {nested['inner']}")
            outer = self.read(f"{nested['front']} {nested['who']}") if inner else None
            return Through(inner, outer) if inner and isinstance(outer, Along) else None
        if not match:
            return None
        entity, graph = self.entity(match["who"]), self.place.graph
        own = set(graph.types(entity))
        steps = []
        for relation in range(graph.n_relations):
            label = set(label_stems(graph.relation_label(relation)))
            joins = (join for name in own for join in self.paths.classes.joins.get(name, ()))
            if label & _ABOVE and any(join.relation == relation and join.end in own for join in joins):
                steps.append((relation, bool(label & _TAIL_IS_ABOVE) == bool(above)))
        return Along(entity, (steps[0],)) if len(steps) == 1 else None

    def together(self, text: str) -> SetPlan | None:
        """Read «who works with e0»: those that a relation leads to the same."""
        match = self.english.match("done_with", text)
        if match is None:
            return None
        entity, words = self.entity(match["who"]), set(self.english.content(match["verb"]))
        joins = [
            join
            for name in self.place.graph.types(entity)
            for join in self.paths.classes.joins.get(name, ())
            if self.paths.said.is_spoken(join, words)
        ]
        if len(joins) != 1 or "with" in label_stems(self.place.graph.relation_label(joins[0].relation)):
            return None
        (join,) = joins
        steps = ((join.relation, join.forward), (join.relation, not join.forward))
        return Walk(Listed((entity,)), steps, (join.end, join.start))

    def works_for(self, text: str) -> SetPlan | None:
        """Read «who worked for e0», «with e0», where no relation says so: who has a part in what e0 leads, or is in."""
        match = self.english.match("works_for", text)
        if match is None or stem("work") in self.lexicon.words:
            return None
        entity = self.entity(match["who"])
        own, joins = set(self.place.graph.types(entity)), self.paths.classes.joins
        parts = [join for name in sorted(own) for join in joins.get(name, ()) if join.end not in own]
        noun = stems(match["noun"] or "person")
        roles = frozenset() if self.lexicon.class_named(noun) else self.paths.resolver.steps_named(noun)
        backs = {
            join.end: [b for b in joins.get(join.end, ()) if b.end in own and (not roles or b[1:3] in roles)]
            for join in parts
        }
        works = {join.end for join in parts if "by" in self.paths.said.label(join) and backs[join.end]}
        parts = [join for join in parts if join.end in works]
        if len(works) != 1:
            return None
        note = ""
        if match["how"] != "with":
            makes = [join for join in parts if "by" in self.paths.said.label(join)]
            makes = [join for join in makes if _LEADS.intersection(self.paths.said.label(join))] or makes
            main, note = main_role(self.place, [Along(entity, (join[1:3],), of_class=join.end) for join in makes])
            parts = [join for join in makes if main is None or join[1:3] == main.steps[0]]
        walks = tuple(
            Walk(Listed((entity,)), (part[1:3], back[1:3]), (part.end, back.end))
            for part in parts
            for back in backs[part.end]
        )
        plan: SetPlan = walks[0] if len(walks) == 1 else Either(walks)
        if note:
            self.paths.resolver.assumptions[plan] = note
        return plan

    def took_part(self, text: str) -> tuple[int, SetPlan] | None:
        """Read «has e0 ever won an award»: the entity, and those of its class of which the rest holds."""
        text, mentions = self.english.without("negation", text), MENTION.findall(text)
        if (
            len(mentions) != 1
            or _UNIVERSAL.search(text)
            or self.english.cues.search(MENTION.sub("", self.english.without("auxiliary", text)))
        ):
            return None
        entity, words = self.entity(f"e{mentions[0]}"), self.paths.content(text)
        for name in self.place.graph.types(entity):
            plan = self.paths.partakers(name, words)
            if plan is not None:
                return entity, plan
        return None

    def of_all_named(self, plan: SetPlan) -> SetPlan:
        """Return a plan about one entity as one about all of its class that have its name, as in «not by Ada Marsh»."""
        start = plan.start if isinstance(plan, Along) else None
        if isinstance(plan, Walk) and isinstance(plan.base, Listed) and len(plan.base.entities) == 1:
            (start,) = plan.base.entities
        types = self.place.graph.types(start) if start is not None else []
        return _from_each(plan, self._named(start, types[0])) if start is not None and types else plan

    def _named(self, entity: int, of_class: str) -> tuple[int, ...]:
        """Return all entities of a class with the name of one, which comes first if it is among them."""
        graph, text = self.place.graph, fold(self.place.graph.label(entity))
        members = self.lexicon.classes[of_class]
        named = [one for one in (entity, *self.paths.namesakes(entity)) if fold(graph.label(one)) == text]
        return tuple(one for one in named if np.isin(one, members))

    def _noun(self, base: SetPlan) -> str:
        """Return the name of the class of the entities of a set."""
        if isinstance(base, Members):
            return base.name
        return self.lexicon.classes_of(base.run(self.place)) or "ones"


def _from_each(plan: SetPlan, entities: tuple[int, ...]) -> SetPlan:
    """Return a plan that starts from one entity as one that starts from several."""
    if isinstance(plan, Walk):
        return replace(plan, base=Listed(entities))
    if isinstance(plan, Along) and entities[1:]:
        return Either(tuple(replace(plan, start=one) for one in entities))
    return replace(plan, start=entities[0]) if isinstance(plan, Along) and entities else plan
