"""Questions in words that the rules read: «who is in e0» for «who works in e0», «employees» for «people»."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.plain_words.done_at import with_value_of_verb
from graphbrick.bricks.retrieve.operators.wordings.plain_words.turns_of_phrase import without_turns_of_phrase
from graphbrick.core.properties.values import Kind
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, possible_singulars, spaced, stem, stems
from graphbrick.language.stop_words import TITLES
from graphbrick.patterns.lexicon import Lexicon, label_stems
from graphbrick.patterns.properties.sources import Source, owners_of, sources_of, words_of_values

_PEOPLE = Expression(r"\b(?:the (?=head))?(people|persons?|folks|colleagues?|co-?workers?|head ?count)\b")
_FEW_SEXES = 20  # different values of a property
_SEX = {"women": "female", "woman": "female", "men": "male", "man": "male"}
_SEXES = Expression(rf"\b({'|'.join(_SEX)})\b(?! (?:city|utd|united)\b)")
_WHERE = r"(?=(?:in|at|from|on|out of)\b)"
_WORKS_THERE = Expression(
    r"\b(?P<do>do|does|did|has|have) (?P<who>(?:the )?(?:e\d+|[a-z]+)(?: who .+?)?)(?P<ever> ever)? "
    rf"work(?:ed)? {_WHERE}"
)
_WORKS = Expression(rf"\b(works|work|worked|working|have worked|has worked) {_WHERE}")
_BE = {"works": "is ", "work": "are ", "worked": "was ", "working": "", "have worked": "were ", "has worked": "was "}
_THERE = Expression(r"^(?:is|are) there (?:an? |any )?(?P<what>[a-z -]+?) (?:in|at|on|for) (?P<who>(?:the )?e\d+)$")
_ROLES = frozenset(map(stem, "position role job title rank occupation profession".split()))
_WHO_IS = Expression(r"^who (?:is|are|was|were) (?:the |our |an? )?e(?P<role>\d+)s?$")
_OF_ROLE = Expression(
    r"^(?:what (?:is|are) )?(?:the )?(?P<what>[a-z]+(?: [a-z]+)?) of (?:the |our |an? )?e(?P<role>\d+)s?$"
)
_HAS = {"knows": "has", "know": "have", "knew": "had"}
_KNOWS = Expression(r"\b(?:knows|know|knew)\b(?= (?:(?:both|either|neither|no|any) )?e\d)")
_BY_TODAY = Expression(
    r"\b(?:today|yesterday|tomorrow|ago|days?|weeks?|months?|quarters?|years?|aged?|older|younger|in (?:their|his|her)"
    r"|(?:over|under|above|below|at least|at most) \d)"
)

_BEGINS = frozenset(map(stem, "since from start started begin began joined".split()))
_JOINED = Expression(
    r"\b(?P<done>joined|entered|moved|transferred|switched)(?: to| into)? "
    r"(?=(?:the )?e\d+ (?:in|on|before|after|since|between|during|until)\b)"
)
_NOT_SINCE = Expression(
    r"(?:,? (?:that|which|who|whom))?(?: (?:we|you|they|i|nobody))? (?:(?:has|have|had|was|were|is|are) )?"
    r"(?:not|never) (?:been )?(?P<done>[a-z]+(?:ed|en|t)) since (?=\S)"
)
_WEEKDAY = Expression(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b")
_BY_THEMSELVES = Expression(r"^(?P<who>.+) (?:who|that|which) (?:have |has )?(?P<done>[a-z]+)$")
_DID_THEMSELVES = Expression(r"^(?P<who>(?:how many|which|what) [a-z]+(?: [a-z]+)?) (?:have |has )?(?P<done>[a-z]+)$")
_DONE_TO = (  # what has a state by a verb, and how the state is said
    (Expression(r"^(?P<who>.+) (?P<done>[a-z]+) the (?P<most>most|fewest) (?P<noun>[a-z]+)$"),
     r"\g<who> has the \g<most> DONE"),
    (Expression(r"^how many (?P<noun>[a-z]+) (?:did|does|has|have) (?P<who>(?:the )?e\d+) (?P<done>[a-z]+)"
                r"(?P<rest>(?: in .+)?)$"), r"how many DONE does \g<who> have\g<rest>"),
    (Expression(r"^(?P<who>.+?) (?:has |have )?never (?P<done>[a-z]+) (?:an? |any )?(?P<noun>[a-z]+)$"),
     r"\g<who> without DONE"),
    (Expression(r"^(?P<lead>(?:which |what |all )?)(?P<noun>[a-z]+)(?: that)? (?P<who>e\d+) (?P<done>[a-z]+)$"),
     r"\g<lead>DONE of \g<who>"),
    (Expression(r"^(?:have|has|had|did|do|does) (?:we|you|they|i|anyone|anybody|somebody|someone)(?: ever| already)? "
                r"(?P<done>[a-z]+) (?:an? |any |some |the )?(?P<noun>[a-z]+)(?P<rest>(?: .+)?)$"),
     r"are there any DONE\g<rest>"),
)  # fmt: skip
_NON = Expression(r"\bnon[- ](?P<who>e\d+)(?P<rest> [a-z].*)$")
_NOT_DONE = Expression(r"\bun(?P<done>[a-z]{3,}(?:ed|en|t)) (?P<noun>[a-z]+s)\b")


_TITLE = Expression(rf"\b(?P<word>{'|'.join(sorted(TITLES))})\.? (?=e\d)")  # that the name in the graph does not have


def in_plain_words(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Return a question with words of the graph for those of people, work, states and times.

    Args:
        graph: The graph.
        question: The question.
        lexicon: The words of the graph.
    """
    question = replace(question, text=_with_class_of_people(graph, question.text, lexicon))
    question = replace(question, text=_without_work(graph, question.text, lexicon))
    question = replace(question, text=_with_state(graph, question.text))
    question = replace(question, text=_with_dates_of_today(graph, question.text, lexicon))
    text = _having_what_is_known(graph, _of_those_in_role(graph, question, lexicon), lexicon)
    text = _with_not(graph, _without_those(text, lexicon), lexicon)
    text = _last_before(graph, _with_start(graph, _with_short_days(graph, text), lexicon))
    text = _with_state_of_verb(graph, text, lexicon)
    text = with_value_of_verb(graph, question.entities, text)
    text = without_turns_of_phrase(graph, question.entities, text, lexicon)
    text = _TITLE.sub(lambda title: title[0] if stem(title["word"]) in lexicon.words else "", text)
    if text != question.text:
        labels = [graph.label(entity) for entity in question.entities]
        said = MENTION.sub(lambda mention: labels[int(mention[1])], text)
        event(f"the question is read as «{said}»", "operators.plain_words", read_as=said)
    return replace(question, text=text)


def _without_those(text: str, lexicon: Lexicon) -> str:
    """Return «countries in e1 except e0 countries» for «non-e0 countries in e1»."""
    match = _NON.search(text)
    words = match["rest"].split() if match else []
    named = (size for size in (1, 2) if words[size - 1 :] and lexicon.class_named(stems(words[size - 1])))
    size = next(named, 0)
    if match is None or not size:
        return text
    nouns = " ".join(words[:size])
    return f"{text[: match.start()]}{match['rest'].strip()} except {match['who']} {nouns}"


def _with_short_days(graph: Graph, text: str) -> str:
    """Return «on mon» for «on monday», if the days of the graph are cut short."""
    values = words_of_values(graph)

    def cut(match: re.Match[str]) -> str:
        short = [match[0][:size] for size in (3, 4, 2) if match[0][:size] in values]
        return short[0] if short and match[1] not in values else match[0]

    return _WEEKDAY.sub(cut, text)


def _with_start(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «who started in e0 in 2015» for «who joined e0 in 2015», where triples have a date of their beginning."""
    match = _JOINED.search(text)
    columns = (one for one in getattr(graph, "columns", ()) if one.of_triples) if match else ()
    is_dated = any(not _BEGINS.isdisjoint(stems(spaced(one.name))) for one in columns)
    if match is None or not is_dated or stem(match["done"]) in lexicon.words:
        return text
    return f"{text[: match.start()]}started in {text[match.end() :]}"


def _last_before(graph: Graph, text: str) -> str:
    """Return «with a last seen before 2024» for «not seen since 2024», where a property is called `last_seen`."""
    match = _NOT_SINCE.search(text)
    names = {one.stems: one.spoken for one in sources_of(graph) if one.is_date} if match else {}
    own = names.get((stem("last"), stem(match["done"]))) if match else None
    if match is None or own is None:
        return text
    return f"{text[: match.start()]} with a {own} date before {text[match.end() :]}".replace("  ", " ").strip()


def _with_state_of_verb(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «has the most won deals» for «won the most deals», where deals have a stage that is called won."""
    for pattern, plain in _DONE_TO:
        match = pattern.search(text)
        verb = forms.verb_of(match["done"]) if match and forms.is_installed() else ""
        if match is None or not verb or stem(verb) in lexicon.words or not lexicon.classes_in(match["noun"]):
            continue
        if forms.participle(verb) in words_of_values(graph):
            nouns = match["noun"] if is_plural(match["noun"]) else forms.plural(match["noun"])
            return match.expand(plain.replace("DONE", f"{forms.participle(verb)} {nouns}"))
    match = _BY_THEMSELVES.match(text) or _DID_THEMSELVES.match(text)
    verb = forms.verb_of(match["done"]) if match and forms.is_installed() else ""
    if match is None or not verb or stem(verb) in lexicon.words or match["done"] in words_of_values(graph):
        return text
    that, done = "are" if _DID_THEMSELVES.made(match) else "that are", forms.participle(verb)
    return f"{match['who']} {that} {done}" if done in words_of_values(graph) else text


def _with_not(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «orders not shipped» for «unshipped orders», if the graph speaks of shipping and nothing is unshipped."""

    def turned(match: re.Match[str]) -> str:
        verb = forms.verb_of(match["done"]) if forms.is_installed() else ""
        said = {stem(match["done"]), stem(verb)}
        own = {word for source in sources_of(graph) for word in source.words} | lexicon.words
        values, nouns = words_of_values(graph), (match["noun"], *possible_singulars(match["noun"]))
        is_noun = bool(lexicon.classes_in(match["noun"])) or not values.isdisjoint(nouns)
        if not verb or not said & own or f"un{match['done']}" in values or not is_noun:
            return match[0]
        return f"{match['noun']} that are not {match['done']}"

    return _NOT_DONE.sub(turned, text)


def _with_class_of_people(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with the one class of persons for «people», «women», «headcount», if nothing is called so."""
    found = _PEOPLE.search(text) or _SEXES.search(text)
    name = lexicon.class_of_people or (_class_with_sexes(graph, lexicon) if found and found[1] in _SEX else "")
    own = {word for source in sources_of(graph) for word in source.words}.union(lexicon.words) if found else set()
    if found is None or not name or own.intersection(stems(found[1])):
        return text
    one = spaced(name).lower()
    many = forms.plural(one)

    def named(match: re.Match[str]) -> str:
        if match[1].startswith("head"):
            return f"number of {many}"
        return many if match[1] == "people" or match[1].endswith("s") else one

    if _sexes(graph):  # «women» of a column with the code F
        text = _SEXES.sub(lambda match: f"{_SEX[match[1]]} {many if match[1].endswith('en') else one}", text)
    return _PEOPLE.sub(named, text)


def _sexes(graph: Graph) -> list[Source]:
    """Return the properties that tell women from men, with codes such as F or values such as «female»."""
    texts = {column.name: column.few_texts(_FEW_SEXES) for column in graph.columns if not column.of_triples}
    female = {name for name, own in texts.items() if "female" in map(str.lower, own)}
    return [source for source in sources_of(graph) if "woman" in source.codes or source.name in female]


def _class_with_sexes(graph: Graph, lexicon: Lexicon) -> str:
    """Return the only class whose members are women or men by a property: contacts beside sales reps; "" for none."""
    owners = [owners_of(graph, source) for source in _sexes(graph)]
    named = [name for name, members in lexicon.classes.items() if any(np.isin(members, own).any() for own in owners)]
    return named[0] if len(named) == 1 else ""


def _having_what_is_known(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return «who has e0» for «who knows e0», where nothing in the graph speaks of knowing but a relation of having."""
    if _KNOWS.search(text) is None or stem("know") in lexicon.words:
        return text
    labels = (label_stems(graph.relation_label(number)) for number in range(graph.n_relations))
    is_had = any(label[:1] == (stem("has"),) for label in labels)
    return _KNOWS.sub(lambda match: _HAS[match[0]], text) if is_had else text


def _of_those_in_role(graph: Graph, question: Question, lexicon: Lexicon) -> str:
    """Return «which employees with e0» for «who is e0», and «salary of employees with e0», where e0 is a position."""
    text = question.text
    match = _WHO_IS.match(text) or _OF_ROLE.match(text)
    name = lexicon.class_of_people if match else ""
    role = question.entities[int(match["role"])] if match and int(match["role"]) < len(question.entities) else None
    kinds = set(graph.types(role)) if role is not None else set()
    if match is None or role is None or not name or not any(_ROLES & set(stems(spaced(one))) for one in kinds):
        return text
    people = f"{forms.plural(spaced(name).lower())} with e{match['role']}"
    what = match.groupdict().get("what")
    own = [source for source in sources_of(graph) if np.isin(role, owners_of(graph, source))] if what else []
    if what is not None and any(source.stems == stems(what) for source in own):
        return text  # what the position itself has
    return f"which {people}" if what is None else f"{what} of {people}"


def _with_dates_of_today(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with dates for «last month», «older than 50»; see `today.in_dates`."""
    if not _BY_TODAY.search(text):
        return text
    from graphbrick.bricks.retrieve.operators.today import in_dates  # most questions speak of no such time

    return in_dates(graph, text, lexicon)


def _with_state(graph: Graph, text: str) -> str:
    """Return «does e0 have a lift» for «is there a lift in e0», where a property says yes or no."""
    match = _THERE.match(text)
    states = (one for one in sources_of(graph) if one.kind is Kind.BOOLEAN) if match else ()
    if match is None or not any(one.stems == stems(match["what"]) for one in states):
        return text
    return f"does {match['who']} have {match['what']}"


def _without_work(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with «who is in e0» for «who works in e0», where nothing in the graph speaks of work."""
    if "work" not in text or stem("work") in lexicon.words:
        return text
    if any(stem("work") in source.words for source in sources_of(graph)):
        return text
    said = _WORKS_THERE.search(text)
    found = said or _WORKS.search(text)
    if found is not None:
        event(
            "nothing in this graph speaks of work: it is read as being there", "operators.work", said=found[0].strip()
        )
    if said is not None:
        is_many = said["do"] == "do" or is_plural(said["who"].split()[-1])
        be = {"did": "were" if is_many else "was", "has": "was", "have": "were"}.get(
            said["do"], "are" if is_many else "is"
        )
        return f"{text[: said.start()]}{be} {said['who']}{said['ever'] or ''} {text[said.end() :]}"
    return _WORKS.sub(lambda match: _BE[match[1]], text)
