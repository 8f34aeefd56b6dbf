"""Turns of phrase in words that the rules read: «neither in e0 nor e1», «top 5 scorers», «ordered in 2012»."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.bricks.retrieve.operators.wordings.plain_words.compass import in_coordinates
from graphbrick.core.properties.values import Kind
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import owners_of, sources_of, whole_values

_LOOKED_AT = 20  # members of a class, and triples of each
_BEING = r"(?:liv(?:e|es|ing)|work(?:s|ing)?|stay(?:s|ing)?|sit(?:s|ting)?|stand(?:s|ing)?|located|based|situated)"
_SAME_PLACE = Expression(
    rf"(?P<that> (?:that|which|who))?(?: (?:is|are|was|were))? {_BEING} (?P<where>in|at|for|on) the same "
    r"(?P<what>[a-z]+)"
)
_NEITHER = Expression(
    rf"(?:,? (?:that|which|who))?(?: (?:is|are|was|were))?(?: {_BEING})? "
    rf"neither (?P<where>in|at|from|on|of) (?P<one>.+?) nor (?:(?P=where) )?(?P<other>.+)$"
)
_THERE_BEEN = Expression(r"(?<=\w) (?:have|has) there been$")
_VERSUS = Expression(
    r"^(?:compare )?(?P<one>e\d+) (?:vs\.?|versus) (?P<other>e\d+)[,:]? (?P<what>(?!and\b)[a-z][a-z ]+)$"
)
_COMPARE = Expression(r"^compare (?:the )?(?P<what>[a-z][a-z ]+?) of (?P<one>e\d+) (?:and|with|to) (?P<other>e\d+)$")
_OF_BOTH = r"\g<what> of \g<one> and \g<other>"
_SAME_OF_BOTH = (
    Expression(
        r"^(?:do|does|did|are|is|have|has) (?:the )?(?P<one>e\d+) and (?:the )?(?P<other>e\d+) (?:[a-z]+ )?"
        r"(?:in |on |of )?the same (?:number of |amount of )?(?P<what>[a-z ]+)$"
    ),
    Expression(
        r"^(?:is|are) the (?P<what>[a-z ]+) of (?P<one>e\d+) the same as (?:that of |those of |the (?P=what) of )?"
        r"(?P<other>e\d+)$"
    ),
)
_NUMBERED = Expression(
    r"\b(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)-(?P<noun>[a-z]+) (?P<what>[a-z]+s)\b"
)
_NEITHER_OF = Expression(  # «neither fast nor cheap from e0»: all that is told is of e0
    r"(?P<neither>,? (?:(?:that|which|who) )?(?:(?:is|are|was|were) )?neither (?!in |at |from |on |of ).+? nor .+?)"
    r"(?P<tail> (?:from|by|of|made by) e\d+)$"
)
_BOTH_A = Expression(r"\bboth (?P<one>an? [a-z]+(?: [a-z]+)?) and (?P<other>an? )(?=[a-z])")
_MORE_OF = Expression(
    r"^(?:which|what) (?:are there|do we have|do you have|have we got) (?P<more>more|fewer) of[,:]? (?P<what>.+ or .+)$"
)
_WORTH = Expression(
    r"\bworth (?=(?:(?:over|under|more than|less than|at least|at most|exactly) )?\d[\d.,]* (?P<unit>[a-z]+)\b)"
)
_SOLD_OUT = Expression(r"\b(?:(?:completely|currently|already) )?sold out\b")
_TOP = Expression(
    r"^(?:(?:who|which) (?:is|are|was|were) |list |show (?:me )?)?(?:the |our )?(?:top|leading) "
    r"(?P<n>(?:\d+|two|three|four|five|six|ten) )?(?P<who>[a-z]+(?:ers?|ors?))"
    r"(?P<rest> (?:of|in|for|at|from|per|by) .+)?$"
)
_OF_GROUPS = Expression(r" (?:(?:of|in|for|at|from) (?:each|every)|per|by) (?P<group>.+)$")
_EACH = Expression(r"\b(?:each|every|per)\b")
_SHORT_AVERAGE = Expression(r"\bavg\b\.?")
_TOP_LEAD = (
    r"^(?:(?:what|which|who) are |list |show (?:me )?|name |give me )?(?:the |our )?top "
    r"(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten) (?P<noun>[a-z]+(?: [a-z]+)?)"
)
_TOP_BY = (
    Expression(
        rf"{_TOP_LEAD} by (?P<what>(?!e\d)[a-z -]+?),? (?:among|amongst|of) (?:those|the ones|all those)"
        r"(?P<rest> .*\be\d.*)$"
    ),
    Expression(
        rf"{_TOP_LEAD.replace('(?P<noun>', '(?P<noun>e[0-9]+ ')}(?P<rest>(?: [^,]*)?),? by (?P<what>(?!e\d)[a-z -]+)$"
    ),
    Expression(rf"{_TOP_LEAD}(?P<rest> [^,]*\be\d[^,]*?),? by (?P<what>(?!e\d)[a-z -]+)$"),
)
_DONE_ON_AVERAGE = Expression(
    r"^what (?:do|does|did) (?:the |our )?(?P<who>[a-z]+) (?P<verb>[a-z]+) on average (?P<where>(?:in|at|for|on) .+)$"
)
_ANYBODY = frozenset("people we they you everybody everyone".split())
_INTENDED = Expression(
    r"\b(?:is|are|was|were) (?:supposed|expected|due|scheduled|planned|set|meant|going) to (?P<be>be )?"
    r"(?P<verb>[a-z]+)\b"
)
_TIMED = r"(?=(?:in|on|before|after|since|between|during|until|only|last|this) )"
_DONE = Expression(rf"\b(?P<done>[a-z]+ed)(?: (?:{_TIMED}|(?P<what>(?:an? |any )?e\d+)))")

_LAST_DONE = Expression(
    r"^(?P<lead>when (?:did|was|were|has|have) (?:the )?e\d+(?: been)?) (?:last|most recently|ever) (?P<verb>[a-z]+)"
    r"(?P<rest>.*)$"
)


def without_turns_of_phrase(graph: Graph, entities: tuple[int, ...], text: str, lexicon: Lexicon) -> str:
    """Return a question with plainer words for what it says of places, amounts, the best, and things done.

    Args:
        graph: The graph.
        entities: The entities of the placeholders.
        text: The question, with placeholders.
        lexicon: The words of the graph.
    """
    same = _SAME_PLACE.search(text)
    if same is not None and any(one.stems == (stem(same["what"]),) for one in sources_of(graph)):
        be, where = _being(same, text), same["where"]
        text = f"{text[: same.start()]}{be} {where} the same {same['what']}{text[same.end() :]}"
        if lexicon.class_of_people:
            text = re.sub(r"^who(?= are )", f"which {forms.plural(spaced(lexicon.class_of_people).lower())}", text)
    text = _THERE_BEEN.sub(" are there", in_coordinates(graph, _out_of_stock(graph, text)))
    text = _COMPARE.sub(_OF_BOTH, _VERSUS.sub(_OF_BOTH, text))
    text = _with_numbered(graph, text, lexicon)
    text = _same_of_both(graph, text)
    text = _NEITHER.sub(r" not \g<where> \g<one> or \g<other>", text)
    text = _NEITHER_OF.sub(r"\g<tail>\g<neither>", text)
    text = _BOTH_A.sub(r"\g<one> and \g<other>", text)
    text = _MORE_OF.sub(r"are there \g<more> \g<what>", text)
    text = _with_top(_in_full(graph, text))
    text = _of_done_on_average(graph, text, lexicon)
    text = _INTENDED.sub(partial(_as_future, graph), text)
    worth = _WORTH.search(text)
    if worth is not None and any(one.stems == (stem(worth["unit"]),) for one in sources_of(graph)):
        text = f"{text[: worth.start()]}with {text[worth.end() :]}"  # credits, and no euros, which are its value
    text = _top_doers(graph, text, lexicon)
    return _with_what_is_done(graph, entities, _once_dated(graph, text), lexicon)


def _out_of_stock(graph: Graph, text: str) -> str:
    """Return «out of stock» for «sold out», where nothing is called so and numbers tell what is in stock."""
    if _SOLD_OUT.search(text) is None:
        return text
    own = [one.stems for one in sources_of(graph)]
    is_called = any({stem("sold"), "out"} <= set(name) for name in own) or "sold out" in whole_values(graph)
    has_stock = any(stem("stock") in name for name in own)
    return text if is_called or not has_stock else _SOLD_OUT.sub("out of stock", text)


def _once_dated(graph: Graph, text: str) -> str:
    """Return «when did e0 erupt» for «when did e0 last erupt», where one date of each thing tells of it."""
    match = _LAST_DONE.match(text)
    words = {stem(match["verb"]), *map(stem, forms.acts(match["verb"]))} if match and forms.is_installed() else set()
    dates = [one for one in sources_of(graph) if one.is_date and words.intersection(one.stems)] if words else []
    return f"{match['lead']} {match['verb']}{match['rest']}" if match and len(dates) == 1 else text


def _in_full(graph: Graph, text: str) -> str:
    """Return «average» for «avg», unless a number has the short form in its name."""
    is_name = any("avg" in source.stems for source in sources_of(graph))
    return text if is_name else _SHORT_AVERAGE.sub("average", text)


def _of_done_on_average(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «what is the average score in e0» for «what do people score on average in e0», a number of that name."""
    match = _DONE_ON_AVERAGE.match(text)
    if match is None or not (match["who"] in _ANYBODY or lexicon.class_named(stems(match["who"]))):
        return text
    numbers = [column.name for column in graph.columns if column.kind in (Kind.INTEGER, Kind.NUMBER)]
    is_number = any(stem(match["verb"]) in stems(spaced(name)) for name in numbers)
    return f"what is the average {match['verb']} {match['where']}" if is_number else text


def _with_top(text: str) -> str:
    """Return «which 3 e0 chips have the highest price» for «top 3 e0 chips by price», where a name restricts them."""
    match = next(filter(None, (pattern.match(text) for pattern in _TOP_BY)), None)
    if match is None or _EACH.search(match["rest"]):
        return text
    who = " ".join(filter(None, (match["noun"], match["rest"].strip())))
    return f"which {match['n']} {who} have the highest {match['what']}"


def _as_future(graph: Graph, match: re.Match[str]) -> str:
    """Return «will close» for «are supposed to close», where one date alone speaks of closing."""
    dates = [one for one in sources_of(graph) if one.is_date and stem(match["verb"]) in one.stems]
    return f"will {match['be'] or ''}{match['verb']}" if len(dates) == 1 else match[0]


def _same_of_both(graph: Graph, text: str) -> str:
    """Return «does e0 have the same fuel as e1» for «do e0 and e1 use the same fuel», a property."""
    match = next(filter(None, (pattern.match(text) for pattern in _SAME_OF_BOTH)), None)
    if match is None or not any(one.stems == stems(match["what"]) for one in sources_of(graph) if one.relation < 0):
        return text
    return f"does {match['one']} have the same {match['what']} as {match['other']}"


def _with_numbered(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «cars with 12 cylinders» for «12-cylinder cars», where cars have a number of that name."""
    match = _NUMBERED.search(text)
    if match is None or not lexicon.class_named((stem(match["what"]),)):
        return text
    if not any(one.literal is not None and stem(match["noun"]) in one.stems for one in sources_of(graph)):
        return text
    noun = forms.plural(match["noun"]) if forms.is_installed() else f"{match['noun']}s"
    return f"{text[: match.start()]}{match['what']} with {match['n']} {noun}{text[match.end() :]}"


def _being(match: re.Match[str], text: str) -> str:
    """Return « are» for the verb of «which employees live in the same city», and nothing for «employees who live»."""
    return " are" if re.match(r"(?:which|what|who)\b", text) and not match["that"] else ""


def _top_doers(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «top 5 players by goals scored» for «top 5 scorers», where one class of people has one such number."""
    match = _TOP.match(text)
    verb = forms.verb_behind(forms.singular(match["who"])) if match and forms.is_installed() else ""
    if match is None or not verb or lexicon.classes_in(match["who"]):
        return text
    of_verb = {stem(verb)}
    near = of_verb | {word for name in english().near.get(stem(verb), ()) for word in name}
    people = [name for name in lexicon.classes if forms.kind_of(spaced(name).lower()) == forms.PERSON]
    found = [
        (name, source)
        for source in sources_of(graph)
        if source.literal is not None and not source.is_date and source.words & near
        for name in people
        if np.isin(lexicon.classes[name], owners_of(graph, source)).any()
    ]
    chosen = [one for one in found if one[1].words & of_verb] or found
    if len(chosen) != 1:
        return text
    ((name, source),) = chosen
    one = spaced(name).lower()
    many = forms.plural(one) if match["n"] else one
    group = _OF_GROUPS.match(match["rest"] or "")
    if group is not None:
        return f"{one} with the highest {source.spoken} per {group['group']}" if not match["n"] else text
    return f"top {match['n'] or ''}{many}{match['rest'] or ''} by {source.spoken}"


def _with_what_is_done(graph: Graph, entities: tuple[int, ...], text: str, lexicon: Lexicon) -> str:
    """Return «placed an order in 2012» for «ordered in 2012», where one relation joins people and orders."""
    match = _DONE.search(text)
    verb = forms.verb_of(match["done"]) if match and forms.is_installed() else ""
    name = lexicon.class_named((stem(verb),)) if verb else ""
    if match is None or not name or match["done"] in lexicon.words:
        return text
    said = _verb_to(graph, lexicon, name)
    if not said:
        return text
    what = match["what"]
    if what is not None:
        number = int(re.sub(r"\D", "", what))
        if number >= len(entities) or name not in graph.types(entities[number]):
            return text
        return f"{text[: match.start()]}{said} {what}{text[match.end() :]}"
    article = "an" if name[0].lower() in "aeiou" else "a"
    rest = text[match.end() :].strip()
    return f"{text[: match.start()]}{said} {article} {spaced(name).lower()} {rest}".strip()


def _verb_to(graph: Graph, lexicon: Lexicon, name: str) -> str:
    """Return the verb of the one relation whose triples lead from people to things of a class; "" for none."""
    labels = set[str]()
    for thing in lexicon.classes[name][:_LOOKED_AT].tolist():
        for triple in graph.triples_to(thing)[:_LOOKED_AT]:
            kinds = {forms.kind_of(spaced(one).lower()) for one in graph.types(graph.head(triple))}
            if forms.PERSON in kinds:
                labels.add(graph.relation_label(graph.relation_of(triple)))
    (label,) = labels if len(labels) == 1 else ("",)
    words = spaced(label).lower().replace("_", " ").split()
    verb = forms.verb_of(words[0]) if len(words) == 1 else ""
    return forms.past(verb) if verb else ""
