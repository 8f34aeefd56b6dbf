"""Who does what a verb says, and most: «who won the most races», «who sings e0» where the graph has artists."""

from __future__ import annotations

import numpy as np

from graphbrick.bricks.retrieve.operators.plan import Degree, Having, SetPlan
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems
from graphbrick.patterns.english.senses import near_nouns
from graphbrick.patterns.lexicon import verb_forms
from graphbrick.patterns.properties.sources import sources_of

_WHO_DOES = Expression(r"who (?:(?:has|have|had) )?(?P<verb>[a-z]+)(?: (?:on|in))? (?P<who>e\d+)$")
_MOSTLY = 0.5  # of the ends of a relation, for it to be of people


def by_doer(resolver: Resolver, text: str) -> tuple[str, str] | None:
    """Return «who is the artist of e0» and what was read for «who sings e0»; None where no one class does it.

    Args:
        resolver: Knows the graph and its words; a verb of the graph is never replaced.
        text: The question.
    """
    match = _WHO_DOES.fullmatch(text)
    if match is None or not forms.is_installed() or stem(match["verb"]) in resolver.lexicon.words:
        return None
    verb = forms.verb_of(match["verb"])
    agents = forms.agents(verb) if verb else []
    nouns = [*agents, *(near for agent in agents for near in sorted(near_nouns(agent)))]
    named = dict.fromkeys(name for noun in nouns if (name := resolver.lexicon.class_named(stems(noun))))
    if len(named) != 1:
        return None
    noun = next(noun for noun in nouns if resolver.lexicon.class_named(stems(noun)))
    return f"who is the {noun} of {match['who']}", f"{match['verb']!r} is read as {noun!r}"


def done_most(resolver: Resolver, verb: str, words: str, *, by_people: bool) -> tuple[SetPlan, Degree] | None:
    """Return who does what a verb says, and how often, for «who won the most races»; None for no one relation.

    Args:
        resolver: Knows the graph and its words.
        verb: The verb.
        words: What is counted; may be empty.
        by_people: Whether only people can do it, as «who» asks for them.
    """
    values = {source.relation for source in sources_of(resolver.place.graph)}
    options = [
        (number, one.subject == "head")
        for number, one in enumerate(resolver.lexicon.relations)
        if one.subject and number not in values and stem(verb) in map(stem, verb_forms(one.verb))
    ]
    if by_people and len(options) > 1:
        people = resolver.lexicon.classes.get("person", np.zeros(0, dtype=np.int64))
        options = [one for one in options if np.isin(Having(*one).run(resolver.place), people).mean() > _MOSTLY]
    if len(options) != 1:
        return None
    (step,) = options
    base, measure = Having(*step), Degree((step,))
    others = Having(step[0], not step[1]).run(resolver.place)
    names = {word for name, of_class in resolver.lexicon.classes.items() if np.isin(others, of_class).all()
             for word in stems(name)}  # fmt: skip
    unsaid = [
        word
        for word in resolver.english.content(words)
        if not resolver.english.is_among(word, names | resolver.lexicon.relations[step[0]].words)
    ]
    if len(unsaid) > 1 or resolver.lexicon.words.intersection(unsaid):
        return None
    if unsaid:
        resolver.assumptions[measure] = (
            f"{unsaid[0]!r} is not a word of this graph; taken for {measure.text(resolver.place)}"
        )
    return base, measure
