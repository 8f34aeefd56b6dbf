"""Small words of a question that a plan leaves out although they change what is asked: «not», «only», «two»."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.groups import joins_several
from graphbrick.bricks.retrieve.operators.grammar.links import Link, Links, may_be_in
from graphbrick.bricks.retrieve.operators.grammar.tokens import Tokens
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan, UnreadWordError
from graphbrick.bricks.retrieve.operators.schema.refusals import check_nouns_of_labels
from graphbrick.bricks.retrieve.operators.sets import UNREAD_WORDS
from graphbrick.bricks.retrieve.operators.triples.columns import letters_of_triples, texts_of_triples, triple_properties
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.properties.values import Kind
from graphbrick.core.trace import event
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stems
from graphbrick.patterns.lexicon import SMALL, label_stems
from graphbrick.patterns.properties.sources import has_columns
from graphbrick.patterns.properties.value_parts import PartOf, parts_of_values

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_NEGATED = Expression(r"\b(?:without|not|no|of 0|other than)\b")  # in texts of plans
_NOT_WITHIN = Expression(  # «not before» is from then on
    r"\b(?:not|never)\b(?: [a-z]+){0,3} (than|before|after|since|until|till|over|under|above|below|at least|at most"
    r"|between|up to)\b"
)
_NO = Expression(r"\bno (?!(?:longer|one|more|less|fewer|later|earlier)\b)[a-z]+")
_WITHOUT = Expression(r"\b(?:without|except|excluding)\b")
_NONE = Expression(r"\b(?:none|nobody|no one|nothing|neither|nor)\b")
_LACKS = Expression(r"\b(?:lack|lacks|lacked|lacking|missing|absent)\b")
_ONLY = Expression(r"(?<!\bthe )(?<!\bnot )(?<!-)\b(?:only|solely|exclusively)\b(?! a\b)(?!-)")
_MORE = Expression(r"\b(?:more|fewer)\b(?! than\b)")
_OR_MORE = Expression(r"\bor (?:more|fewer|less)\b")
_OPEN = Expression(r"\b(?:over|under|at least|at most)\b")  # in texts of plans
_ALONE = Expression(r"\b(?:without|only|of \d+|exactly \d+)\b")  # in texts of plans
_YEAR = Expression(  # a date, or after a word of time: «over 2000 mm» is none
    r"\b(?P<year>(?:1[5-9]|20)\d\d)(?=-\d\d)"
    r"|\b(?:in|on|during|since|until) (?:the year |[a-z]+ )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?"
    r"(?P<said>(?:1[5-9]|20)\d\d)\b"
)
_PER = Expression(
    r"\b(?:per|(?:for|in|of|by|at) each|(?:do|does|did|has|have|had) (?:each|every)"
    r"|(?:each|every) (?:year|month|quarter|week|day))\b(?! other)"
)
_BY_KIND = Expression(r"(?<!ed)(?<!ing) by (?:types?|kinds?)\b(?! of\b)")  # which are small words elsewhere
_EACH_TIME = Expression(r"\b(?:each|every) (?:year|month|quarter|week|day)\b")
_GROUPED = Expression(r"(?i)\beach\b|per|\bmean\b")  # in texts of plans, where the name of a property may have «per»
_MOST, _BEST = (
    Expression(r"(?<!at )\b(?:most|fewest|least)\b(?! of\b)"),
    Expression(r"(?i)(?<!at )most|est\b|first|last|best|max|min"),
)
_TOTAL = Expression(r"\b(?:total|combined|altogether)\b|\btogether$")
_SUMMED = Expression(r"(?i)sum|total|mean|count|number|combined|largest|smallest")
_OWN = Expression(r"\b(?:their|its|his|her) own\b")
_OWN_SHOWN = Expression(r"(?i)(?<![a-z])own(?![a-z])")  # a town is not one's own
_ON_TIME, _TIMELY = Expression(r"\bon time\b(?! \w)"), Expression(r"(?i)time|before|until|late|delay")
_ADJECTIVES = "main|single|large|great|small|big|long|real|actual|true|correct|available|live|given|chief|official"
_ADJECTIVE = Expression(  # that says which ones are meant, before a noun for them
    r"(?:^|\b(?:which|what|the|all|any|every|many|of|list|our|are|there|show|me|e\d+) )"
    rf"(?P<word>{_ADJECTIVES}) (?=(?P<noun>[a-z]+(?: [a-z]+)?))"
)
_BE_ADJECTIVE = Expression(rf"\b(?:is|are|was|were)(?: (?:very|really|quite))? (?P<word>{_ADJECTIVES})$")
_NEVER = Expression(r"(?!)")
_COUNT, _COUNTED = Expression(r"\bcounts?$|\btheir (?:number|count)\b"), Expression(r"(?i)count|number|sum|total")
_AND_HOW = Expression(r"\band how (?:many|much)\b")  # a second question
_COMPARED = Expression(r"\b(?:over|above|under|below|(?:more|less|fewer|higher|lower) than|at least|at most) [€$£]?\d")
_BOUNDED = Expression(
    r"(?i)over|above|under|below|at least|at most|before|after|since|until|more|less|between|from|per"
)
_SHOWN_BY = (
    (_WITHOUT, _NEGATED), (_PER, _GROUPED), (_NONE, _NEGATED), (_ONLY, _ALONE), (_OR_MORE, _OPEN), (_MOST, _BEST),
    (_TOTAL, _SUMMED), (_OWN, _OWN_SHOWN), (_ON_TIME, _TIMELY), (_BY_KIND, _GROUPED),
)  # fmt: skip
_WINS, _WON = Expression(r"\b(?:wins|losses|draws)\b"), Expression(r"(?i)win|won|loss|lost|draw|result|record")
_SHARE, _SHARED = (
    Expression(r"^what (?:share|percentage|proportion|fraction) of\b"),
    Expression(r"(?i)share|percent|ratio"),
)
_NON = Expression(r"\bnon[- ](?= |$)")  # before a name
_SHOWN_BY_GRAMMAR = (
    (_NON, _NEGATED),
    (_WINS, _WON),
    (_SHARE, _SHARED),
    (_AND_HOW, _NEVER),
    (_COUNT, _COUNTED),
    (_COMPARED, _BOUNDED),
)
_AND_WHO = Expression(r"\band (?:who|what|when|where|how)\b")  # a second question
_OTHER = Expression(r"(?<!\beach )\b(?:other|another)\b(?! than\b)")
_PLACED = Expression(r"\b(?:in|at|on) (e\d+)\b")
_LOOKED_AT = 50  # answers
_SHOWN = 3  # values in a message
_NUMBERS = dict(zip("two three four five six seven eight nine ten eleven twelve".split(), range(2, 13), strict=True))
_NUMBER = Expression(rf"\b(?:{'|'.join(_NUMBERS)})\b(?! (?:thirds|quarters|million|billion|thousand|hundred)\b)(?!-)")


def check_left_out(parser: Parser, plan: Plan | None) -> None:
    """Raise `UnreadWordError` if a plan says nothing of a word that changes what is asked.

    These are «not», «never», «without», «nobody», «only», «or more», «per», «most», «total», a number in words, a year,
    and a name in a comparison. It is an assumption that «other» says nothing, or that «in» a country means its
    citizens.
    """
    if plan is None:
        return
    text, shown = parser.question.text, plan.text(parser.place)
    _check_names(parser, plan)
    _check_who(parser, plan)
    _check_texts_of_triples(parser, shown)
    check_nouns_of_labels(parser.schema, parser.question, shown)
    bare = MENTION.sub(" ", text)
    for asked, shows in _SHOWN_BY:
        word = asked.search(bare)
        is_sum = asked is _TOTAL and isinstance(plan, p.Amount)  # of the only one, or of all
        if word is not None and not shows.search(shown) and not is_sum:
            raise UnreadWordError(word[0])
    _check_shown(parser, plan, bare, shown)
    _check_adjective(parser, shown)
    plain = shown.replace(",", "")
    for match in _YEAR.finditer(bare):  # «flights from e0 to e1 on 2013-02-07»
        year = match["year"] or match["said"]
        if year not in plain:
            raise UnreadWordError(year)
    assume_kind(parser, plan)
    other = _OTHER.search(bare)
    if other is not None and not _NEGATED.search(shown):
        assume_other(parser, plan, other[0])
    _assume_place(parser, plan)
    for number in _NUMBER.finditer(bare):
        _check_number(parser, plan, shown, number[0])
    word = parser.english.search("not_of_all", text) or _NO.search(text)
    if word is None or parser.english.match("auxiliary", text):
        return
    within = _NOT_WITHIN.search(text)
    is_turned = within is not None and not re.search(rf"\b{within[1]}\b", shown)
    if not _NEGATED.search(shown) and not is_turned:
        raise UnreadWordError(word[0])


def _check_shown(parser: Parser, plan: Plan, text: str, shown: str) -> None:
    """Raise `UnreadWordError` for a second question, a comparison or a count that a plan leaves out."""
    is_truth = parser.english.match("auxiliary", text) is not None
    for asked, shows in _SHOWN_BY_GRAMMAR[:-1] if is_truth else _SHOWN_BY_GRAMMAR:
        word = asked.search(text)
        if word is not None and not shows.search(shown):
            raise UnreadWordError(word[0])
    if isinstance(plan, p.Count) and isinstance(plan.base, p.Listed):
        named, lexicon = np.array(plan.base.entities), parser.resolver.lexicon
        classes = [lexicon.classes[name] for name in lexicon.classes_in(text)]
        is_other = any(not np.isin(named, members).any() for members in classes)
        if is_other or len(set(map(parser.place.graph.label, plan.base.entities))) > 1:
            raise UnreadWordError("how many")  # things that a question names need not be counted


def _check_adjective(parser: Parser, shown: str) -> None:
    """Raise `UnreadWordError` for «large customers», where a plan has every customer."""
    shown = shown.lower().replace("_", " ")
    for match in _ADJECTIVE.finditer(parser.question.text):
        word, nouns = match["word"], match["noun"].split()
        is_noun = is_plural(nouns[0]) or parser.resolver.lexicon.classes_in(" ".join(nouns))
        if is_noun and not re.search(rf"\b{word}", shown):
            raise UnreadWordError(word)
    said = _BE_ADJECTIVE.search(parser.question.text)  # «cars that are small»
    if said is not None and not re.search(rf"\b{said['word']}", shown):
        raise UnreadWordError(said["word"])


def _check_who(parser: Parser, plan: Plan) -> None:
    """Raise `UnreadWordError` if a plan answers «who» by records of people, such as orders: each is of one person."""
    if not parser.question.text.startswith("who ") or not isinstance(plan, SetPlan):
        return
    links = Links(Tokens(parser, parser.question.text))
    for name in links.classes_of(plan.run(parser.place)[:_LOOKED_AT]) if links.joins else ():
        people = [one for one in links.between(name, None) if forms.kind_of(spaced(one.end).lower()) == forms.PERSON]
        ways = [Link(((one.relation, one.forward),), one.end) for one in people]
        is_record = any(not joins_several(parser.place, name, way) for way in ways)
        if is_record and not forms.may_be_who(spaced(name)):
            raise UnreadWordError("who")


def _check_texts_of_triples(parser: Parser, shown: str) -> None:
    """Raise `CannotPlanError` for «official languages of e0», where triples say which one is official."""
    said, shown = MENTION.sub(" ", parser.question.text), shown.lower().replace("_", " ")
    letters = letters_of_triples(parser.place.graph).items()
    graded = {f"{spaced(one.name).lower()} {letter.lower()}" for letter, own in letters for one in own}
    for text in (*texts_of_triples(parser.place.graph), *sorted(graded)):
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said) and text not in shown:
            reason = f"«{text}» is said of triples, which this reading leaves out"
            raise CannotPlanError(reason, code=UNREAD_WORDS, words=(text,))


def check_grammar(parser: Parser, plan: Plan) -> None:
    """Raise `UnreadWordError` if a plan of the grammar says nothing of «their own», or of what is so at triples."""
    text, shown = MENTION.sub(" ", parser.question.text), plan.text(parser.place).lower()
    said = _OWN.search(text)
    if said is not None and not _OWN_SHOWN.search(shown):
        raise UnreadWordError(said[0])
    _check_shown(parser, plan, text, shown)
    _check_adjective(parser, shown)
    _check_texts_of_triples(parser, shown)
    assume_kind(parser, plan)
    for one in triple_properties(parser.place.graph):
        word = spaced(one.name).lower()
        if one.kind == Kind.BOOLEAN and re.search(rf"\b{re.escape(word)}\b", text) and word not in shown:
            raise UnreadWordError(word)


def assume_kind(parser: Parser, plan: Plan) -> None:
    """Record as an assumption that «mobs» are of the type `mob`, where the values of another property end in it too."""
    text, shown, graph = parser.question.text, plan.text(parser.place), parser.place.graph
    for term in parser.conditions.terms(text) if has_columns(graph) else ():
        word = text[term.start : term.end]
        is_taken = re.search(rf" {re.escape(str(term.value))}\b", shown) is not None
        if term.named or " " in word or not is_plural(word) or not is_taken:
            continue
        for other in (one for kind in parts_of_values(graph, word, (), frozenset()) for one in kind.sources):
            if not isinstance(other, PartOf) or other.of in term.sources or other.name in shown:
                continue
            values = [one for one in sorted(other.values) if stems(one)[-1:] == stems(word)]
            if values:
                taken, instead = f"{term.sources[0].name} {term.value}", ", ".join(values[:_SHOWN])
                said = f"{word!r} is taken for {taken}; there is {other.name} {instead} too"
                parser.resolver.assumptions.setdefault(plan, said)


def check_path(parser: Parser) -> None:
    """Raise `CannotPlanError` if a question without a plan denies or compares, or says something of triples."""
    _check_texts_of_triples(parser, "")
    _check_adjective(parser, "")
    bare = MENTION.sub(" ", parser.question.text)
    unread = (_NONE, _LACKS, _MORE, _AND_WHO, _ON_TIME, _EACH_TIME)
    word = next((found for pattern in unread if (found := pattern.search(bare))), None)
    if word is not None and word[0] not in parser.resolver.lexicon.words:
        raise UnreadWordError(word[0])


def assume_other(parser: Parser, plan: Plan, word: str) -> None:
    """Record as an assumption that «other» speaks of nothing that the question names."""
    parser.resolver.assumptions.setdefault(plan, f"{word!r} is left out: the question does not say than what")


def _assume_place(parser: Parser, plan: Plan) -> None:
    """Record as an assumption that «pilots in e0», a country, are its citizens, which the question does not say."""
    if not isinstance(plan, p.Along) or len(plan.steps) != 1:
        return
    graph, lexicon = parser.place.graph, parser.resolver.lexicon
    places = (parser.entity(match[1]) for match in _PLACED.finditer(parser.question.text))
    name = lexicon.classes_of(np.array([plan.start])) if plan.start in places else ""
    label = graph.relation_label(plan.steps[0][0])
    is_said = set(stems(parser.question.text)) & set(label_stems(label)) - SMALL
    if name and Links.is_place(name) and not is_said and not may_be_in(label_stems(label), name):
        text = f"the question does not say how something is in {graph.label(plan.start)}; {label} is taken"
        parser.resolver.assumptions.setdefault(plan, text)
        event(text, "operators.place_taken", relation=label)  # also where a path says the same and is surer


def _check_names(parser: Parser, plan: Plan) -> None:
    """Raise `UnreadWordError` for «patients under 10 whom e0 treats»; of «larger than e0» a plan has the number."""
    if isinstance(plan, p.Within):
        said = " ".join(plan.texts(parser.place))
        named = re.sub(r"\bthan (?!\d).*", "", parser.question.text)
        labels = (parser.place.graph.label(parser.entity(match[0])) for match in MENTION.finditer(named))
        left_out = next((label for label in labels if label not in said), None)
        if left_out is not None:
            raise UnreadWordError(left_out)


def _check_number(parser: Parser, plan: Plan, shown: str, word: str) -> None:
    """Raise `UnreadWordError` if a plan neither has a number nor gives so many; «two or more» is more than one."""
    number = _NUMBERS[word]
    if re.search(rf"\b(?:{number}|over {number - 1}|under {number + 1})\b", shown) or word in shown.lower():
        return
    if not isinstance(plan, SetPlan) or len(plan.run(parser.place)) != number:
        raise UnreadWordError(word)
