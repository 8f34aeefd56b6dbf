"""Questions for several properties of one thing: «what are the sector and size of Acme», «Acme's email and phone»."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import shown_number
from graphbrick.bricks.retrieve.operators.plan import Listed, Members, Plan, SetPlan, ValuePlan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.sets import (
    NO_VALUE,
    CannotPlanError,
    Ints,
    Place,
    Shown,
    TextPlan,
    no_value,
)
from graphbrick.core.items import Item
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stems
from graphbrick.patterns.properties.sources import owners_of

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.facts import Facts

_LEAD = (
    r"^(?:(?:what (?:is|are|was|were)|what's|(?:please )?(?:give|show|tell|send)(?: me)?|list|find|get|look up|name|"
    r"(?:i|we) (?:need|want)(?: to know)?)(?: all)? )?(?:the )?"
)
_WHO = r"(?:the )?(?P<who>e\d+(?:(?:, e\d+)*,? and e\d+)?)"
_LISTS = (
    Expression(rf"{_LEAD}(?P<list>[^?:;]+?(?:,| and )[^?:;]+?) (?:of|for) {_WHO}$"),
    Expression(rf"{_LEAD}(?P<list>[^?:;]+?) of {_WHO}(?: and|,) (?P<rest>(?:(?:its|their|his|her|the) )?[^?:;]+)$"),
    Expression(rf"^(?:what|which) (?P<list>[^?:;]+?(?:,| and )[^?:;]+?) (?:does|do|did) {_WHO} have$"),
    Expression(
        rf"^(?:tell me about )?{_WHO}(?::|,| -) ?(?:what (?:is|are|was|were) )?(?:the |its )?"
        r"(?P<list>[^?:;]+?(?:,| and )[^?:;]+)$"
    ),
)
_HOW_MANY = Expression(
    rf"^how (?:many|much) (?P<list>[a-z -]+?(?:,| and )[a-z, -]+?) (?:does|do|did|has|have|had) {_WHO}"
    r"(?: (?:have|had|get|got|make|made|score|scored|receive|received|keep|kept|collect|collected))?$"
)
_POSSESSIVE = Expression(rf"{_LEAD}{_WHO}'s (?P<list>[^?:;]+?(?:,| and )[^?:;]+)$")
_BETWEEN = Expression(r"(?:, and |, | and (?:also )?)(?:the |its |their |his |her |what (?:(?:is|are|was|were) )?)*")
_OWN = Expression(r"^(?:the|its|their|his|her) ")
_MENTION = Expression(r"\be\d+\b")


@dataclass(frozen=True)
class Several(TextPlan):
    """Several things about one entity, each with its name.

    Attributes:
        base: The entity.
        parts: The words of the question for each, and the plan of it.
    """

    base: Listed
    parts: tuple[tuple[str, Plan], ...]

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return "; ".join(plan.text(place) for _, plan in self.parts)

    def texts(self, place: Place) -> list[str]:
        """Return the plan as people read it, and those of its parts."""
        return [self.text(place), *(text for _, plan in self.parts for text in plan.texts(place))]

    def owners(self, place: Place) -> Ints:
        """Return the entity."""
        return self.base.run(place)

    def shown(self, place: Place) -> list[Shown]:
        """Return a line for each part, such as «sector: Energy»; what is not known is said to be so."""
        return [Shown(f"{name}: {values_of_plan(plan, place)}", _only_end(plan, place)) for name, plan in self.parts]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows the parts."""
        return [item for _, plan in self.parts for item in proofs_of_plan(plan, place)]


@dataclass(frozen=True)
class OfNamed(TextPlan):
    """What a question asks of each of several named entities: one thing, or several.

    Attributes:
        parts: The entities with the plan for each.
    """

    parts: tuple[tuple[int, Plan], ...]

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return "; ".join(plan.text(place) for _, plan in self.parts)

    def texts(self, place: Place) -> list[str]:
        """Return the plan as people read it, and those of its parts."""
        return [self.text(place), *(text for _, plan in self.parts for text in plan.texts(place))]

    def owners(self, place: Place) -> Ints:
        """Return the entities."""
        return Listed(tuple(entity for entity, _ in self.parts)).run(place)

    def shown(self, place: Place) -> list[Shown]:
        """Return a line for each entity, such as «Ada Low: goals 3, assists 1»."""
        return [
            Shown(f"{place.graph.label(entity)}: {values_of_plan(plan, place)}", entity) for entity, plan in self.parts
        ]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows the parts."""
        return [item for _, plan in self.parts for item in proofs_of_plan(plan, place)]


def values_of_plan(plan: Plan, place: Place) -> str:
    """Return what a plan gives, in one line; «not known» for nothing."""
    try:
        if isinstance(plan, Several):
            return ", ".join(f"{name} {values_of_plan(one, place)}" for name, one in plan.parts)
        if isinstance(plan, ValuePlan):
            return shown_number(plan.value(place), plan.unit(place))
        if isinstance(plan, TextPlan):
            found = [one.text for one in plan.shown(place)]
        else:
            found = list(map(place.graph.label, plan.run(place).tolist())) if isinstance(plan, SetPlan) else []
    except CannotPlanError as error:
        if error.code != NO_VALUE:
            raise
        found = []
    return ", ".join(found) or "not known"


def _only_end(plan: Plan, place: Place) -> int | None:
    """Return the entity that a relation leads to, if it is the only one."""
    ends = plan.run(place).tolist() if isinstance(plan, SetPlan) else []
    return ends[0] if len(ends) == 1 else None


def proofs_of_plan(plan: Plan, place: Place) -> list[Item]:
    """Return what shows what a plan gives."""
    if isinstance(plan, TextPlan):
        return plan.proofs(place)
    return plan.proofs(place, plan.run(place)) if isinstance(plan, SetPlan) else []


def several_values(facts: Facts, text: str) -> Plan | None:
    """Return the plan of a question for several things about an entity, at least one of them a property; else None.

    Raises:
        CannotPlanError: One of them is neither a property nor what a relation leads to.
    """
    match = next(filter(None, (pattern.match(text) for pattern in _LISTS)), None)
    if match is None or _MENTION.findall(text) != _MENTION.findall(match["who"]):
        return None
    said = _listed(match)
    is_one = not match.groupdict().get("rest") and any(
        one.stems == stems(match["list"]) for one in facts.sources
    )  # «terms and conditions»
    if len(said) < 2 or not all(said) or is_one:
        return None
    of_each = [_about(facts, who, said) for who in _MENTION.findall(match["who"])]
    if len(of_each) == 1 or not all(isinstance(one, Several) for one in of_each):
        return of_each[0] if len(of_each) == 1 else None
    return OfNamed(tuple((one.base.entities[0], one) for one in of_each if isinstance(one, Several)))


def _listed(match: re.Match[str]) -> list[str]:
    """Return the nouns of a list, also of those after the name: «goals of e0 and assists»."""
    rest = match.groupdict().get("rest")
    return [*_BETWEEN.split(match["list"]), *(_BETWEEN.split(_OWN.sub("", rest)) if rest else ())]


def properties_of_several(facts: Facts, text: str) -> Plan | None:
    """Return the plan of «goals and assists of e0», «how many goals and assists did e0 have»; else None.

    All must be properties, so that no word could mean what a relation leads to.
    """
    patterns = (_HOW_MANY, _POSSESSIVE, *_LISTS)
    match = next(filter(None, (pattern.match(text) for pattern in patterns)), None)
    if match is None or _MENTION.findall(text) != _MENTION.findall(match["who"]):
        return None
    said = [one.removeprefix("how many ") for one in _listed(match)]
    of_each = list[Several]()
    for who in _MENTION.findall(match["who"]):
        base = Listed((facts.parser.entity(who),))
        head = said[-1].rpartition(" ")[2]  # «the average and the highest score»
        plans = [
            (name, name and (_property(facts, base, name) or _property(facts, base, f"{name} {head}"))) for name in said
        ]
        own = [(name, plan) for name, plan in plans if isinstance(plan, Plan)]
        if len(own) < len(said) or len(said) < 2:
            return None
        of_each.append(Several(base, tuple((_said(name, plan), plan) for name, plan in own)))
    return of_each[0] if len(of_each) == 1 else OfNamed(tuple((one.base.entities[0], one) for one in of_each))


def _about(facts: Facts, who: str, said: list[str]) -> Plan | None:
    """Return the plan for several things about one entity, of which one at least is a property."""
    base = Listed((facts.parser.entity(who),))
    own = [(name, _property(facts, base, name)) for name in said]
    if not any(plan for _, plan in own):
        return _of_relations(facts, base, said, who)
    return Several(base, tuple((_said(name, plan), plan or _related(facts, base, name, who)) for name, plan in own))


def _said(name: str, plan: Plan | None) -> str:
    """Return the words for a property; the name of a quantity, whose word in a question is none that people say."""
    return plan.source.name if isinstance(plan, Values) and plan.source.measured is not None else name


def _of_relations(facts: Facts, base: Listed, said: list[str], who: str) -> Plan | None:
    """Return the plan of «the supplier and category of e0», where relations lead to things of different classes."""
    try:
        plans = [_related(facts, base, name, who) for name in said]
        found = [plan.run(facts.place) for plan in plans if isinstance(plan, SetPlan)]
    except CannotPlanError:
        return None  # none of them is a property, so another rule may read it
    classes = [facts.lexicon.classes_of(ends) for ends in found if len(ends)]
    is_apart = len(classes) == len(said) and all(classes) and len(set(classes)) == len(classes)
    return Several(base, tuple(zip(said, plans, strict=True))) if is_apart else None


def _property(facts: Facts, base: Listed, name: str) -> Plan | None:
    """Return the plan of a property that a noun names, also one that this entity lacks; None for no property."""
    sources, part = facts.named(name)
    if not sources and name in ("name", "full name"):
        return base
    plan = facts.values(sources, base, part)
    if plan is not None:
        return plan
    kinds = facts.place.graph.types(base.entities[0])
    members = [Members(kind).run(facts.place) for kind in kinds if kind in facts.place.classes]
    known = [one for one in sources if any(np.isin(own, owners_of(facts.place.graph, one)).any() for own in members)]
    return Values(base, known[0], part) if known else None


def _related(facts: Facts, base: Listed, name: str, who: str) -> Plan:
    """Return the plan of what a relation that a noun names leads to."""
    try:
        if not facts.english.content(name):  # it would be all that is beside e0
            raise no_value(base.text(facts.place), name)
        return facts.parser.set(facts.english.as_question(f"{name} of {who}"))
    except CannotPlanError as error:
        raise no_value(base.text(facts.place), name) from error
