"""Reasons not to answer a question by the best path: an unknown name, an unread number, another class of answers."""

from __future__ import annotations

import numpy as np

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.schema.reading import SchemaPaths
from graphbrick.bricks.retrieve.operators.sets import (
    UNREAD_WORDS,
    Along,
    CannotPlanError,
    Plan,
    SetPlan,
    UnreadWordError,
    no_value,
)
from graphbrick.bricks.retrieve.operators.wording import MENTION, English
from graphbrick.core import Evidence
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.forms import PERSON, PLACE, TIME, kind_of
from graphbrick.language.stems import stem, stems
from graphbrick.patterns.properties.sources import sources_of

_WHICH = Expression(r"(?:which|what) ")
_LONGEST_NOUN, _LOOKED_AT = 3, 50  # words, and ends
_YES_NO_LAST = Expression(
    r", *(does|do|did|is|are|was|were|has|have|can) (?:the )?(?:e\d+|it|they|he|she|there)\b[^,]*$"
)
_AMOUNT = Expression(
    r"(?:what|how much) (?:does|do|did|would|can|could) .+ (?P<verb>earn|cost|weigh|make a year|charge|get paid)$"
)
_NUMBER = Expression(r"(?<![\w.-])\d[\d,.]*\b")
_NOUN_OF = Expression(
    r"(?:what|who|which)(?: is| are| was| were) (?:the |an? )?(?P<noun>[a-z -]+?) of (?:the )?(?P<who>e\d+)"
)


def check_one(english: English, text: str) -> None:
    """Raise `CannotPlanError` for two questions in one, of which only one would be answered."""
    second = english.search("second_question", text)
    if second:
        message = f"«{second['words']}» is a second question; ask one at a time"
        raise CannotPlanError(message, code=UNREAD_WORDS, words=tuple(second["words"].split()))


def check_manner(english: English, text: str) -> None:
    """Raise `CannotPlanError` if a question asks in which way something is done, which no path tells."""
    if english.match("manner", text):
        message = "a path tells what, who and where, not in which way"
        raise CannotPlanError(message, code=UNREAD_WORDS, words=("how",))


def _check_noun_of(paths: SchemaPaths, question: Question) -> None:
    """Raise `CannotPlanError` for «the capital of e0» where e0 is only a capital: `capital of` goes the other way."""
    said = _NOUN_OF.fullmatch(question.text)
    if said is None:
        return
    name, graph = stems(said["noun"]), paths.place.graph
    entity = question.entities[int(said["who"][1:])]
    relations = enumerate(paths.lexicon.relations)
    named = [(number, name in one.tail) for number, one in relations if (name in one.tail) != (name in one.head)]
    there, turned = (
        any(len(Along(entity, ((number, is_tail != back),)).run(paths.place)) for number, is_tail in named)
        for back in (False, True)
    )
    if turned and not there:
        raise no_value(graph.label(entity), said["noun"])


def check_names(paths: SchemaPaths, question: Question) -> None:
    """Raise `CannotPlanError` if a question has a name or a number that no placeholder stands for.

    Names are words with a capital that nothing in the graph is called by, in a question in which not all have one. So
    is a noun after «which» that the graph does not know, if its entities have classes. «The capital of e0» is refused
    too where e0 is a capital and has none.
    """
    english, lexicon = paths.english, paths.lexicon
    _check_noun_of(paths, question)
    known = {word for source in sources_of(paths.place.graph) for word in source.words}
    known |= lexicon.words | english.all_words
    unknown = [
        name
        for name in question.names
        if not {name.lower(), stem(name.lower())} & known and name.lower() not in english.months
    ]
    noun = paths.asked_noun(question.text) if paths.classes else ""
    if noun and noun not in known and not paths.asked(question.text):
        raise CannotPlanError(f"nothing in this graph is called {noun!r}", code=UNREAD_WORDS, words=(noun,))
    numbers = [one for one in _NUMBER.findall(MENTION.sub(" ", question.text)) if not paths.place.graph.named(one)]
    if unknown or numbers:
        words = tuple(dict.fromkeys((*unknown, *numbers)))
        raise CannotPlanError(
            f"nothing in this graph is called {' or '.join(map(repr, words))}", code=UNREAD_WORDS, words=words
        )


def check_class(paths: SchemaPaths, question: Question, evidence: Evidence) -> None:
    """Raise `CannotPlanError` if the best path does not end at what a question asks for: «which team», «who»."""
    targets = paths.asked(question.text) if paths.classes else frozenset()
    best = next(iter(evidence.paths), None)
    if best is not None and question.text.startswith("when ") and _is_no_time(paths, best.end):
        text = f"«when» asks for no {paths.lexicon.classes_of(np.array([best.end]))}"
        raise CannotPlanError(text, code=UNREAD_WORDS, words=("when",))
    if best is not None and _YES_NO_LAST.search(question.text):
        text = "a path gives names, and the question asks for yes or no"
        raise CannotPlanError(text, code=UNREAD_WORDS, words=tuple(_YES_NO_LAST.findall(question.text)[-1:]))
    amount = _AMOUNT.match(question.text)
    if best is not None and amount is not None and paths.place.graph.types(best.end):
        text = f"«{amount['verb']}» asks for a number, and no property of this graph has it"
        raise CannotPlanError(text, code=UNREAD_WORDS, words=(amount["verb"],))
    if best is None or not targets:
        if best is not None and question.text.startswith("who ") and _is_place(paths, best.end):
            text = f"«who» asks for no {paths.lexicon.classes_of(np.array([best.end]))}"
            raise CannotPlanError(text, code=UNREAD_WORDS, words=("who",))
        return
    if not any(np.isin(best.end, paths.lexicon.classes[name]) for name in targets):
        raise CannotPlanError(
            f"no path that fits leads to {' or '.join(sorted(targets))}",
            code=UNREAD_WORDS,
            words=tuple(sorted(targets)),
        )


def check_ends(paths: SchemaPaths, question: Question, plan: Plan | None) -> None:
    """Raise `CannotPlanError` if nothing that a plan selects is of a class that a question asks for."""
    if not paths.classes or not isinstance(plan, SetPlan):
        return
    ends = plan.run(paths.place)
    if (
        question.text.startswith("who ")
        and len(ends)
        and all(_is_place(paths, end) for end in ends[:_LOOKED_AT].tolist())
    ):
        text = f"«who» asks for no {paths.lexicon.classes_of(ends) or 'place'}"
        raise CannotPlanError(text, code=UNREAD_WORDS, words=("who",))
    if question.text.startswith("where ") and len(ends) and all(_is_person(paths, end) for end in ends[:_LOOKED_AT]):
        text = f"«where» asks for no {paths.lexicon.classes_of(ends) or 'person'}"
        raise CannotPlanError(text, code=UNREAD_WORDS, words=("where",))
    lead = _WHICH.match(question.text)
    words = stems(question.text[lead.end() :])[:_LONGEST_NOUN] if lead else ()
    named = (paths.type_named(words[:size]) for size in range(len(words), 0, -1))
    asked = [paths.lexicon.classes[name] for name in {*filter(None, named)}]
    if len(ends) and asked and not np.isin(ends, np.concatenate(asked)).any():
        found = paths.lexicon.classes_of(ends) or "others"
        text = f"no reading gives what the question asks for; the best one gives {found}"
        raise CannotPlanError(text, code="refusals.other_ends", words=words)


def _is_no_time(paths: SchemaPaths, entity: int) -> bool:
    """Return whether no class of an entity is one of times, which «when» asks for."""
    types = paths.place.graph.types(entity)
    return bool(types) and all(kind_of(name.casefold()) != TIME for name in types)


def _is_person(paths: SchemaPaths, entity: int) -> bool:
    """Return whether all classes of an entity are of people, which «where» never asks for."""
    types = paths.place.graph.types(entity)
    return bool(types) and all(kind_of(name.casefold()) == PERSON for name in types)


def _is_place(paths: SchemaPaths, entity: int) -> bool:
    """Return whether all classes of an entity are places or times, which «who» never asks for."""
    types = paths.place.graph.types(entity)
    return bool(types) and all(kind_of(name.casefold()) in (PLACE, TIME) for name in types)


def check_nouns_of_labels(schema: SchemaPaths, question: Question, shown: str) -> None:
    """Raise `UnreadWordError` if a plan goes over «origin country» only because the question says «countries».

    Args:
        schema: Knows the graph.
        question: The question.
        shown: The text of its plan.
    """
    graph, lexicon = schema.place.graph, schema.lexicon
    said = frozenset(stems(MENTION.sub(" ", question.text)))
    steps = [number for number in range(graph.n_relations) if f" {graph.relation_label(number)} " in shown]
    for number in steps if len(steps) > 1 else ():
        for *first, noun in lexicon.relations[number].tail:
            is_said = noun in said and not said.intersection(first) and not lexicon.class_named((noun,))
            if first and is_said and "of" not in first:  # «inhabitants» of «number of inhabitants»
                raise UnreadWordError(noun)
