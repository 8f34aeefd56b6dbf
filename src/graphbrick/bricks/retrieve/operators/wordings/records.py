"""Words for records such as orders: that they came in on a day, and how many of a thing are on one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of, whole_values, words_of_values

_DAY = r"(?:the )?(?:year )?(?:\d|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.? \d)"
_MADE_THEN = Expression(
    r"(?:\b(?:that |which )?(?:were |was |have been |had been |has been |have |had |has )?"
    r"\b(?P<verb>came|come|received|made|created|entered|taken|took|recorded|issued|filed|raised|happened|occurred)"
    r"(?: in| place)? |\b(?:were |was |are |is )?(?P<plan>planned|scheduled|booked|due) )"
    rf"(?P<when>in|on|for|during|before|after|since|between|from|until) (?={_DAY})"
)
_QUANTITIES = frozenset(map(stem, "quantity qty units pieces count".split()))
_GOES = Expression(
    r"^(?:(?P<lead>which|what|how many) (?P<noun>[a-z ]+?) |(?:do|does|did) e\d+ )"
    r"(?P<verb>go|goes|went|fly|flies|flew|run|runs|ran|travel|travels|travelled|sail|sails|sailed|drive|drives|drove) "
    r"(?:(?:out of|from|between) (?:the )?|(?=to (?:the )?e\d+ from )to (?:the )?)e(?P<number>\d+)\b"
)
_IN_PACK = Expression(
    r"^how many (?:(?P<what>e\d+)|(?P<first>[a-z]+?)(?: of (?P<of>e\d+))?) (?:come|comes|are there|are|fit|fits|go|is) "
    r"(?:in|on|per|to|into) (?:a|an|each|one|every|the) (?P<pack>[a-z]+)(?: of (?P<other>e\d+))?$"
)
_BY_THE = Expression(r"\b(?:paid |billed |charged )?(?:by the|per|an?) (?P<time>hour|day|week|month|year)$")
_RATES = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_OF = r"(?P<what>(?:the )?e\d+)"
_HOW_MANY = (
    (
        Expression(
            rf"^how many (?:(?:units|pieces|items) of )?{_OF} (?:are|is|were|was)(?: there)? (?:on|in|with|part of) "
            r"(?P<where>(?:the )?e\d+)$"
        ),
        r"what is the {name} of \g<what> in \g<where>",
    ),
    (
        Expression(
            rf"^how many (?:(?:units|pieces|items) of )?{_OF} (?:do|does|did) (?P<where>(?:the )?e\d+) "
            r"(?:contain|include|have|hold|list)$"
        ),
        r"what is the {name} of \g<what> in \g<where>",
    ),
    (
        Expression(
            rf"^(?P<lead>(?:which|what) [a-z]+) (?:has|have|had|contains?|contained|includes?|included) the "
            rf"(?P<most>most|fewest|least) (?:(?:units|pieces) of )?{_OF}(?: (?:on|in) it)?$"
        ),
        r"\g<lead> had the {most} {name} of \g<what>",
    ),
)


_LIGHT = (
    r"(?:leaves?|left|writes?|wrote|written|makes?|made|posts?|posted|submits?|submitted|gives?|gave|given|adds?|added)"
)


@lru_cache(maxsize=64)
def _patterns(nouns: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    """Return the wordings in which records called so are made: «how many comments did e0 leave»."""
    noun = rf"(?P<noun>(?:{'|'.join(sorted(nouns))})s?)\b"
    one = rf"(?:an? |any |some |the )?(?:(?P<which>[a-z][a-z -]*?) )??{noun}"
    texts = (
        rf"^how many (?P<many>{noun}) (?:do|does|did|has|have) (?P<who>(?:the )?e\d+) {_LIGHT}(?P<rest>.*)$",
        rf"^(?P<lead>who|(?:which|what) [a-z]+) (?:has |have )?{_LIGHT} the (?P<most>most|fewest|least) {noun}$",
        rf"\b(?P<aux>do|does|did) (?P<who>(?:the )?e\d+|[a-z]+) {_LIGHT} {one}(?: (?P<to>on|about|of|for|to|in))?"
        r"(?P<rest>| .*)$",
        rf"\b{_LIGHT} {one} (?P<to>on|about|of|for|to) (?P<rest>.+)$",
    )
    return tuple(map(re.compile, texts))


def verb_of_relation(label: str) -> str:
    """Return the verb of a relation that is one in the past, such as «comment» of `COMMENTED`; "" for another."""
    first = next(iter(_words_of(label)), "")
    verb = forms.participle_of(first) if first and forms.is_installed() else ""
    return verb if verb != first else ""


def _words_of(label: str) -> list[str]:
    return re.findall(r"[a-z]+", spaced(label).lower().replace("_", " "))


def relations_of_noun(graph: Graph, lexicon: Lexicon, noun: str) -> list[int]:
    """Return the relations whose triples a noun stands for: reviews of `REVIEWED`, notes of `WROTE_DEAL_NOTE`.

    The name of a class stands for its members.
    """
    if lexicon.class_named(stems(noun)) or stems(noun) in lexicon.roles:
        return []
    said = stem(noun)
    own = [number for number, verb in enumerate(_verbs(graph)) if verb and stem(verb) == said]
    own = own or [number for number, made in enumerate(_made(graph)) if made and stem(made) == said]
    return own or [number for number, verb in enumerate(_verbs(graph)) if verb and said in map(stem, forms.acts(verb))]


def _verbs(graph: Graph) -> list[str]:
    """Return the verb of each relation, as `verb_of_relation` gives it; a session finds them once."""
    key = ("verbs of relations", graph.place, graph.hash)
    labels = map(graph.relation_label, range(graph.n_relations))
    return current_session().get(key, lambda: [*map(verb_of_relation, labels)], at_most=8)


def _made(graph: Graph) -> list[str]:
    """Return for each relation what its verb makes by its label, such as «note» of `WROTE_DEAL_NOTE`; "" for none."""
    labels = (_words_of(graph.relation_label(number)) for number in range(graph.n_relations))
    verbs = zip(labels, _verbs(graph), strict=True)
    return [words[-1] if verb and verb != "have" and len(words) > 1 else "" for words, verb in verbs]


def in_words_of_records(graph: Graph, text: str, entities: Sequence[int], lexicon: Lexicon) -> str:
    """Return a question about records in the words that other rules read.

    Args:
        graph: The graph.
        text: The question in lower case, with placeholders.
        entities: What the placeholders stand for.
        lexicon: The words of the graph.
    """
    text = _by_the_hour(graph, _in_packs(graph, _of_journeys(graph, text, entities, lexicon)))
    text = _in_verb(graph, text, lexicon)
    return _without_making(graph, _by_quantity(graph, text), lexicon)


def _in_verb(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «who left a comment on e0» as «who commented on e0», where a relation is called so; also how many."""
    if not re.search(rf"\b{_LIGHT}\b", text):
        return text
    nouns = frozenset(verb for verb in _verbs(graph) if verb and relations_of_noun(graph, lexicon, verb))
    match = next(filter(None, (one.search(text) for one in _patterns(nouns))), None) if nouns else None
    if match is None:
        return text
    verb, parts = match["noun"] if match["noun"] in nouns else match["noun"][:-1], match.groupdict("")
    which = parts.get("which", "")
    if which and which not in whole_values(graph):
        return text
    before, on = text[: match.start()], " on" if parts.get("to") == "on" else ""
    if "most" in parts:
        return f"{parts['lead']} has the {parts['most']} {parts['noun']}"
    if "many" in parts:
        return f"how many times did {parts['who']} {verb}{parts['rest']}"
    said = f"{parts['aux']} {parts['who']} {verb}" if "aux" in parts else forms.past(verb)
    return f"{before}{said}{on} {parts['rest'].strip()}{f' with {which}' if which else ''}".replace("  ", " ").strip()


def _of_journeys(graph: Graph, text: str, entities: Sequence[int], lexicon: Lexicon) -> str:
    """Return «which airlines fly from e0 to e1» as a question for those that have flights from e0 to e1.

    Flights are the class that two relations join to the class of e0. In «which flights go from e0 to e1» the verb is
    left out.
    """
    match = _GOES.search(text)
    if match is None or int(match["number"]) >= len(entities):
        return text
    joins = class_graph_of(graph).joins
    places = set(graph.types(entities[int(match["number"])]))
    ways = {name: {join.relation for join in joins[name] if join.end in places and join.forward} for name in joins}
    journeys = [name for name, relations in ways.items() if len(relations) > 1 and name not in places]
    named = lexicon.class_named(stems(match["noun"])) if match["noun"] else ""
    if named in journeys:
        there = "are there " if match["lead"] == "how many" else ""
        return f"{text[: match.start('verb')]}{there}{text[match.end('verb') :].lstrip()}"
    if len(journeys) != 1:
        return text
    noun = forms.plural(spaced(journeys[0]).lower()) if forms.is_installed() else f"{spaced(journeys[0]).lower()}s"
    where = text[match.end("verb") :].strip().removeprefix("out of ")
    where = where if where.startswith(("from ", "between ", "to ")) else f"from {where}"
    return f"{text[: match.start('verb')]}have {noun} {where}"


def _in_packs(graph: Graph, text: str) -> str:
    """Return «how many e0 come in a case» as a question for its number, `units_per_case`."""
    match = _IN_PACK.match(text)
    if match is None:
        return text
    of = match["what"] or match["of"] or match["other"] or ""
    first = stems(match["first"] or "units")
    for source in sources_of(graph):
        before, per, pack = spaced(source.name).lower().replace("_", " ").rpartition(" per ")
        is_meant = per and stems(pack) == stems(match["pack"]) and (stems(before) == first or not match["first"])
        if is_meant and MENTION.fullmatch(of):
            return f"what is the {before}{per}{pack} of {of}"
    return text


def _by_the_hour(graph: Graph, text: str) -> str:
    """Return a question with «hourly» for «paid by the hour», where that is a value."""
    match = _BY_THE.search(text)
    value = _RATES[match["time"]] if match else ""
    if match is None or value not in words_of_values(graph):
        return text
    return f"{text[: match.start()]}{value}{text[match.end() :]}"


def _by_quantity(graph: Graph, text: str) -> str:
    """Return «how many e0 were on e1» as a question for the quantity, where triples of the graph have one."""
    for pattern, wording in _HOW_MANY:
        match = pattern.match(text)
        if match is None:
            continue
        names = [one.name for one in graph.columns if one.of_triples and set(stems(spaced(one.name))) <= _QUANTITIES]
        if len(names) != 1:
            return text
        most = "highest" if match.groupdict().get("most") == "most" else "lowest"
        return match.expand(wording.format(name=spaced(names[0]).lower(), most=most))
    return text


def _without_making(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question without a verb that only says that things came to be on a day: «came in during 2013».

    A verb that the graph has as a relation or property stays.
    """
    match = _MADE_THEN.search(text)
    if match is None:
        return text
    verb = stem(match["verb"] or match["plan"])
    own = {name for source in sources_of(graph) for name in source.words} | (lexicon.words if match["verb"] else set())
    if verb in own or any(match["plan"] in one.spoken for one in lexicon.relations):
        return text
    when = {"during": "in", "for": "on"}.get(match["when"], match["when"])
    return f"{text[: match.start()]}{when} {text[match.end() :]}".strip()
