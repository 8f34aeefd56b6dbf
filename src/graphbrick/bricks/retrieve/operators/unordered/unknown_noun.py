"""A class of the graph for a noun that it does not know: «which posters did Ada order», of a graph of products."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.unordered.evidence import LEFT_OUT
from graphbrick.bricks.retrieve.operators.wordings.records import relations_of_noun
from graphbrick.core import Evidence
from graphbrick.core.trace import Event, StageTrace, Trace, event, tell_again
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.english import senses
from graphbrick.patterns.lexicon import Lexicon, label_stems
from graphbrick.patterns.properties.name_parts import entities_with
from graphbrick.patterns.properties.sources import owners_of, sources_of, words_of_values

_ENOUGH = 0.8  # confidence of a reading with a class
_LEAST = 0.3  # similarity of a class
_SHORTEST = 3  # letters of a noun
_WORD = Expression(r"[\w-]+")
_BEFORE_NOUN = Expression(
    r"(?:|which|what|many|every|each|all|any|no|the|an?|our|your|my|these|those|of|different|other|more|fewer|most"
    r"|least|[a-z]{2,}est)"
)
_NAME = Expression(r"e\d+")
_OF_UNIT = Expression(r"is compared as it is$")  # what is assumed of a currency
_ASKING = frozenset(("which", "what", "many", "much", ""))
_GOES_ON = frozenset("of on about for to from against behind".split())
_PRODUCTS = frozenset("product item article device gadget model merchandise".split())
_RESTRICTING = frozenset(
    "woman women man men girl girls boy boys lady ladies gentleman gentlemen female females male males child children"
    " kid kids baby babies teenager teenagers adult adults pensioner pensioners foreigner foreigners beginner beginners"
    " newcomer newcomers stranger strangers".split()
)
"""Nouns for some of all people: the class would say less."""
_PARTIES = frozenset("customer client supplier vendor partner owner employer sponsor".split())
"""Nouns for people that may be companies."""
_PRICED = "price cost release released launch launched warranty supplier brand vendor manufacturer purchase purchased"
_TRADED = frozenset(map(stem, _PRICED.split()))
"""Stems of words for what products have."""
_MADE = _TRADED | frozenset(map(stem, "made make maker manufactured bought sold sells".split()))
"""Stems of words for what is done to them."""
_LIGHT = frozenset(
    "how is are was were be been do does did done has have had having get gets got can could will would should shall"
    " may might must there here it its we us our you your i me my they them their please tell show list give name find"
    " know need want all every each any many".split()
)


class _Noun(NamedTuple):
    """A noun that the graph does not know.

    Attributes:
        word: The noun.
        is_beside: Whether a name stands before it: «the Fort Point poster».
        is_modifier: Whether a class follows it: «threat groups».
        is_asked: Whether the question asks for it: «which posters».
    """

    word: str
    is_beside: bool
    is_modifier: bool
    is_asked: bool


_BACK = re.compile(r"→ (?P<there>[^→←|]+) → \* ← (?P=there) ←|← (?P<here>[^→←|]+) ← \* → (?P=here) →")


def noun_as_class(
    read_again: Callable[[str], tuple[Evidence, StageTrace]],
    graph: Graph,
    lexicon: Lexicon,
    question: Question,
    text: str,
    known: Callable[[str], bool],
    embedder: Embedder,
    before: Sequence[str],
) -> Evidence | None:
    """Answer a question with a class in place of a noun that the graph does not know; None if that does not help.

    The class is the nearest one by meaning, and is taken if the graph explains all other words of the question, of
    which one at least says what is asked: «which posters did Ada order» can only mean products, while «which posters
    are there» may mean what the graph does not have. A noun before a class, as in «threat groups», is left out.

    Args:
        read_again: Answers another text of the question.
        graph: The graph.
        lexicon: Its words.
        question: The question with placeholders.
        text: The question as it was asked.
        known: Whether a word has a meaning.
        embedder: Compares words.
        before: The events of the question as it was asked.
    """
    told = [str(one) for one in before if isinstance(one, Event) and one.code == "operators.assumption"]
    for noun in _unknown_nouns(graph, lexicon, question, known):
        if any(f"'{noun.word}' is taken for" in text for text in told):
            continue  # it was read, such as «SUVs» of some values, and nothing fits: other cars are no answer
        is_product = forms.singular(noun.word) in _PRODUCTS
        name = (is_product and _of_products(graph, lexicon)) or _nearest(noun.word, lexicon, embedder)
        name = "" if noun.is_modifier else name
        if not (name or noun.is_modifier):
            continue
        found, read = read_again(_reworded(text, noun.word, name))
        if _is_taken(found, noun, name, read.events, before, lexicon):
            as_class = f"read as {forms.plural(spaced(name).lower())}" if name else "left out"
            said = f"the graph does not know '{noun.word}': {as_class}, since it knows all the rest of the question"
            event(said, "operators.noun_as_class", word=noun.word, read_as=name)
            tell_again(Trace([read]))
            return found
    return None


def _is_taken(
    found: Evidence, noun: _Noun, name: str, events: Sequence[str], before: Sequence[str], lexicon: Lexicon
) -> bool:
    """Return whether a reading is sure, and its plan has entities of the class, or is the one without the noun.

    Args:
        found: The answer to the question with a class in place of the noun.
        noun: The noun.
        name: The class; "" if the noun is left out.
        events: The events of this answer.
        before: The events of the question as it was asked.
        lexicon: The words of the graph.
    """
    said = [one for one in events if isinstance(one, Event)]
    assumed = [str(one) for one in said if one.code == "operators.assumption"]
    is_sure = (found.confidence or 0.0) >= _ENOUGH or bool(assumed and all(map(_OF_UNIT.search, assumed)))
    plans = [str(one).removeprefix("plan: ") for one in said if one.code == "operators.plan"]
    if not (found.items and is_sure and plans) or _BACK.search(plans[0]):
        return False  # what is in the region of Etna is nothing at Etna
    if not name or noun.is_beside or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plans[0], re.IGNORECASE):
        return True
    ends = [path.end for path in found.paths]
    if ends and np.isin(ends, lexicon.classes[name]).all():
        return True
    without = (str(one) for one in before if isinstance(one, Event) and one.code == LEFT_OUT)
    return not noun.is_asked and any(plans[0] in text for text in without)


def _names_others(graph: Graph, word: str, noun: str) -> bool:
    """Return whether names have a word, but never right before a noun: «meat products» beside «Meat/Poultry».

    «Threat groups» are all groups where one is called Threat Group-1314.
    """
    return bool(entities_with(graph, word)) and not entities_with(graph, f"{word} {forms.singular(noun)}")


def _unknown_nouns(graph: Graph, lexicon: Lexicon, question: Question, known: Callable[[str], bool]) -> Iterator[_Noun]:
    """Yield the nouns that the graph does not know, where other words say what is asked."""
    values = words_of_values(graph)
    names = {word for source in sources_of(graph) for word in (*stems(spaced(source.name)), *source.stems)}
    words = _WORD.findall(question.text)
    said = {word for word in words if word not in FUNCTION_WORDS and word not in _LIGHT and word[1:].isalpha()}
    for at, word in enumerate(words):
        before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        is_modifier = (stem(after),) in lexicon.by_class  # «threat groups»
        noun = _Noun(word, bool(_NAME.fullmatch(before)), is_modifier, before in _ASKING)
        is_placed = _BEFORE_NOUN.fullmatch(before) or words[max(0, at - 2)] in ("most", "least") or noun.is_beside
        is_surely_noun = noun.is_beside or is_modifier or before == "what"  # «does e0 dance», «what beats e0»
        is_product = forms.singular(word) in _PRODUCTS and bool(question.entities)
        is_noun = is_product or (forms.is_only_noun(word) if is_surely_noun else forms.may_be_noun(word))
        is_placed = is_placed or (is_product and _begins_class(lexicon, before))  # «graphics products»
        is_new = (
            (not known(word) or _is_in_label_only(lexicon, stem(word)))
            and values.isdisjoint((word, forms.singular(word)))
            and not relations_of_noun(graph, lexicon, forms.singular(word))
            and stem(word) not in names
        )
        is_new = is_new and not (is_modifier and _names_others(graph, word, after))
        is_whole = after not in _GOES_ON and len(word) >= _SHORTEST and word not in _RESTRICTING
        is_said = is_product or bool(said - {word, *([after] if is_modifier else [])})
        if is_whole and is_new and is_placed and is_noun and is_said and word.isalpha():
            yield noun


def _begins_class(lexicon: Lexicon, word: str) -> bool:
    """Return whether a word is the first of two or more of the name of a class."""
    return any(len(name) > 1 and name[0] == stem(word) for name in lexicon.by_class)


def _is_in_label_only(lexicon: Lexicon, word: str) -> bool:
    """Return whether a stem is only the last word of a name of ends, such as «country» of «origin country»."""
    named = [names for names in lexicon.relations if word in names.words]
    is_last = all(any(len(name) > 1 and name[-1] == word for name in names.tail) for names in named)
    return bool(named) and is_last and (word,) not in lexicon.roles and not lexicon.class_named((word,))


def _nearest(noun: str, lexicon: Lexicon, embedder: Embedder) -> str:
    """Return the class that is nearest to a noun; "" if it is far, or wider: not all people are gardeners.

    A noun of people stands for people, one of times for times: a contestant is no episode, and a year no series. Where
    only one class is of people, it is that one: contestants are bakers.
    """
    by_name, one = {spaced(name).lower(): name for name in lexicon.classes}, forms.singular(noun)
    may_be_thing = one.endswith(("er", "or")) and one not in _PARTIES  # a poster need not be somebody who posts
    kind = "" if may_be_thing else forms.kind_of(one)
    kinds = {kind, forms.GROUP} if one in _PARTIES else {kind}
    names = [name for name in by_name if kind not in (forms.PERSON, forms.TIME) or forms.kind_of(name) in kinds]
    if not forms.kind_of(one):
        names = [name for name in names if forms.kind_of(name) != forms.PERSON] or names
    if not names:
        return ""
    scores = embedder.score(one, names)
    best = int(scores.argmax())
    is_only = kind == forms.PERSON and len(names) == 1
    is_near = is_only or scores[best] >= _LEAST
    return by_name[names[best]] if is_near and not senses.is_narrower(one, names[best]) else ""


def _of_products(graph: Graph, lexicon: Lexicon) -> str:
    """Return the one class of things that are made, sold or released, by its properties and relations; "" for none."""
    kinds = {name: forms.kind_of(spaced(name).lower()) for name in lexicon.classes}
    joins = class_graph_of(graph).joins
    found = []
    for name in (name for name, kind in kinds.items() if kind not in (forms.PERSON, forms.GROUP, forms.PLACE)):
        relations = (graph.relation_label(join.relation) for join in joins.get(name, ()) if join.forward)
        said = any(not _MADE.isdisjoint(label_stems(label)) for label in relations)
        own = (one for one in sources_of(graph) if not _TRADED.isdisjoint(one.words))
        if said or any(np.isin(lexicon.classes[name], owners_of(graph, one)).any() for one in own):
            found.append(name)
    return found[0] if len(found) == 1 else ""


def _reworded(text: str, noun: str, name: str) -> str:
    """Return a question with a class in place of a noun, in the plural where the noun is; "" leaves it out."""
    own = spaced(name).lower()
    own = forms.plural(own) if own and is_plural(noun) else own
    first = own.split()[0] if " " in own else ""  # «graphics products»
    text = re.sub(rf"(?<!\w){first} (?={noun}(?!\w))", "", text, flags=re.IGNORECASE) if first else text
    return re.sub(rf"(?<!\w){noun}(?!\w){'' if own else ' ?'}", own, text, flags=re.IGNORECASE)
