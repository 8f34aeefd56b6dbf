"""Names of a question that stand beside a class, or in the place of one: «the category Seafood», «which beverages»."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np

from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.bricks.retrieve.operators.wordings.initials import with_codes, with_initials
from graphbrick.bricks.retrieve.operators.wordings.money import without_money
from graphbrick.bricks.retrieve.operators.wordings.plain_words.delays import in_words_of_delays
from graphbrick.bricks.retrieve.operators.wordings.plain_words.rewording import in_plain_words
from graphbrick.bricks.retrieve.operators.wordings.records import in_words_of_records
from graphbrick.bricks.retrieve.operators.wordings.short_names import with_short_names
from graphbrick.bricks.retrieve.operators.wordings.spellings import with_names_of_graph
from graphbrick.bricks.retrieve.operators.wordings.units import factor_in, is_unit, may_be_in, names_of_unit, unit_in
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural, spaced, stem, stems
from graphbrick.patterns.lexicon import Lexicon, label_stems
from graphbrick.patterns.properties.sources import owners_of, sources_of, whole_values

_HOW_OLD = Expression(r"^how old (is|was|are|were) (e\d+)$")
_AGES = {"oldest": "highest age", "youngest": "lowest age", "older": "higher age", "younger": "lower age"}
_MOSTLY = 0.6  # part of what leads to an entity that its name may stand for
_MOST = 1_000  # triples of an entity that decide what its name stands for
_BESIDE = Expression(r"(?P<the>\bthe )?\b(?P<noun>(?:[a-z]+ )?[a-z]+) e(?P<number>\d+)\b")
_CLASS_OF = Expression(r"\bthe (?P<noun>[a-z]+) of e(?P<number>\d+)\b")
_BEFORE_CLASS = Expression(
    r"(?P<names>\be\d+(?:(?:, | and | or |, and |, or )(?:the )?e\d+)*) "
    r"(?P<noun>(?!(?:and|or|is|are|was|were)\b)[a-z]+(?: [a-z]+)?)\b"
)
_OWNER_BEFORE = Expression(r"(?P<article>\b(?:an?|the|any) )?\be(?P<number>\d+) (?P<noun>[a-z]+)\b(?! of\b)")
_IN_UNIT = Expression(r",? in (?P<unit>[a-zµ/0-9]+)(?=$| (?:of|for|is|are|was|were|do|does|did|per|by|at)\b)")
_OTHER_UNITS = frozenset("weeks percent euro euros dollars".split())
_KINDS = Expression(r"\b(?P<who>e\d+)[ -](?P<noun>types|kinds|classes|categories)\b(?! of\b)")  # «dragon types»
_RELATIVE = Expression(r"(?:who|what|which)(?: one)? (?:is|are|was|were) $")  # before «the team e0 played for»
_RUNS_ON, _RUN = Expression(r"\b(?:runs?|ran) on\b"), stem("run")
_CHOICE = Expression(r"\b(?:which|what|how many|any|every|each|no|other|of) $")


def with_classes(graph: Graph, question: Question, lexicon: Lexicon, english: English) -> Question:
    """Return a question without the classes beside its names, and with classes for names that stand for one.

    «In the shop» is left out too, where the graph knows nothing that is called so.

    Args:
        graph: The graph.
        question: The question.
        lexicon: The words of the graph.
        english: The wordings.
    """
    question = with_names_of_graph(graph, question, lexicon)
    question = replace(question, text=re.sub(r"\b(e\d+)-(?:type|style|class|category)s?\b", r"\1", question.text))
    question = replace(question, text=_without_here(graph, question.text, lexicon, english))
    question = replace(question, text=in_words_of_delays(graph, question.text, lexicon))
    question = replace(question, text=without_money(graph, question.text, lexicon, english))
    question = _without_unit(graph, question, lexicon)
    known = partial(_means_something, lexicon, english)
    question = in_plain_words(graph, question, lexicon)
    question = replace(question, text=with_initials(graph, question.text, lexicon, english))
    question = replace(question, text=with_codes(graph, question.text, lexicon, english))
    question = replace(question, text=with_short_names(graph, question.text, lexicon.classes, known))
    question = replace(question, text=in_words_of_records(graph, question.text, question.entities, lexicon))
    question = replace(question, text=_in_verbs_of_graph(graph, question, lexicon, english))
    question = replace(question, text=_running_on(graph, question.text, lexicon))
    question = _in_place_of_class(graph, _without_apposition(graph, question, lexicon), lexicon, english)
    return _with_owners_last(graph, question, lexicon, english)


def in_years(graph: Graph, question: Question) -> Question:
    """Return a question with «age» for words that otherwise compare dates, if the graph has an age."""
    has_age = any(source.stems == ("ag",) and source.literal is not None for source in sources_of(graph))
    return replace(question, text=_in_years(question.text)) if has_age else question


def _without_unit(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Return a question without the unit that it asks for, if a number may be told in it: `height_cm` in metres."""
    match = _IN_UNIT.search(question.text)
    if match is None or graph.named(match["unit"]) or match["unit"] in whole_values(graph):
        return question  # «measured in mg», of a column of units
    text, unit = f"{question.text[: match.start()]}{question.text[match.end() :]}", match["unit"]
    numbers = [source for source in sources_of(graph) if source.literal is not None and not source.is_date]
    names = [source.name for source in numbers] + [column.name for column in graph.columns if column.of_triples]
    own = {word for name in names for word in stems(spaced(name))}
    if is_unit(unit) and any(may_be_in(name, unit) or factor_in(graph, name, unit) for name in names):
        classes = [lexicon.classes[name] for name in lexicon.classes_in(text)]
        near = [one.name for one in numbers if any(np.isin(ids, owners_of(graph, one)).any() for ids in classes)]
        return replace(question, text=_with_kind_of_length(text, unit, near or names), unit=unit)
    is_other = is_unit(unit) and not own.isdisjoint(stems(text)) and stem(unit) not in lexicon.words
    if is_other and any(unit_in(name) and set(stems(spaced(name))) & set(stems(text)) for name in names):
        return replace(question, text=text, unit=unit)  # of another kind: the number that is found is refused
    return replace(question, text=text) if unit in _OTHER_UNITS and stem(unit) in own else question


def _with_kind_of_length(text: str, unit: str, names: Sequence[str]) -> str:
    """Return a question with «distance» or «duration» for a length that the unit tells apart: «length in km»."""
    words = {word for name in names for word in stems(spaced(name))}
    often = (name for name in names_of_unit(unit) if stem(name) in words)
    return text if stem("length") in words else re.sub(r"\blengths?\b", next(often, "length"), text)


def _without_here(graph: Graph, text: str, lexicon: Lexicon, english: English) -> str:
    """Return a question without «in the shop», where the graph knows nothing that is called so."""
    match = english.search("here", text)
    if match is None or stem(match["noun"]) in lexicon.words or match["noun"] in text[: match.start()]:
        return text
    if any(stem(match["noun"]) in source.words for source in sources_of(graph)) or graph.named(match["noun"]):
        return text
    return f"{text[: match.start()]}{text[match.end() :]}".strip()


def _means_something(lexicon: Lexicon, english: English, word: str) -> bool:
    """Return whether a word is one of the graph, or one that questions are built with."""
    return stem(word) in lexicon.words or word in english.all_words


def _in_verbs_of_graph(graph: Graph, question: Question, lexicon: Lexicon, english: English) -> str:
    """Return a question with verbs of the graph for verbs of several words, and without «rep» of «support rep»."""
    text = question.text
    for pattern, verbs in english.phrases:
        match = pattern.search(text)
        known = words_around(graph, question, lexicon) if match else frozenset()
        own = next((verb for verb in verbs if stem(verb.split()[0]) in known), "")
        if match and own:
            first, *rest = own.split()
            verb = forms.verb_of(match["verb"]) if forms.is_installed() else ""
            form = forms.like(match["verb"], verb, first) if verb else first
            form = forms.third_person(first) if verb == "be" else form
            text = f"{text[: match.start()]}{' '.join([form, *rest])}{text[match.end() :]}"
    match = english.search("person_beside", text)
    if match and stem(match["word"]) in lexicon.words and stem(match["noun"]) not in lexicon.words:
        text = f"{text[: match.end('word')]}{text[match.end() :]}"
    return text


def _running_on(graph: Graph, text: str, lexicon: Lexicon) -> str:
    """Return a question with «is on» for «runs on», where a relation such as `ON_PLATFORM` says that alone."""
    if _RUNS_ON.search(text) is None or _RUN in lexicon.words:
        return text
    own = (spaced(graph.relation_label(number)) for number in range(graph.n_relations))
    labels = [label.lower().replace("_", " ").split() for label in own]
    on = [" ".join(label[1:]) for label in labels if label[:1] == ["on"] and len(label) > 1]
    if not on:
        return text
    text = re.sub(r"^what (?:do|does|did|can|will) (e\d+) run on$", rf"what is the {on[0]} of \1", text)
    asked = re.sub(r"\b(?:do|does|did|can|will) (.+?) run on\b", r"is \1 on", text)
    return _RUNS_ON.sub(lambda match: "is on" if match[0].startswith("runs") else "are on", asked)


def words_around(graph: Graph, question: Question, lexicon: Lexicon) -> frozenset[str]:
    """Return the words of the relations of the entities that a question names; all words of the graph for none."""
    csr = graph.csr
    around = {
        relation
        for entity in question.entities
        for row in (csr.relation[csr.row(entity, True)], csr.relation[csr.in_triple[csr.row(entity, False)]])
        for relation in np.unique(row).tolist()
    }
    words = frozenset(word for relation in around for word in lexicon.relations[relation].words)
    columns = frozenset(word for source in sources_of(graph) if source.relation < 0 for word in source.words)
    return (words if question.entities else frozenset(lexicon.words)) | columns


def _in_years(text: str) -> str:
    """Return a question with «age» for words that otherwise compare dates, as the graph has an age.

    >>> _in_years("which victims were older than 60"), _in_years("how old is e0")
    ('which victims were higher age than 60', 'what is the age of e0')
    """
    text = _HOW_OLD.sub(r"what \1 the age of \2", text)
    return re.sub(r"\b(?:oldest|youngest|older|younger)\b", lambda match: _AGES[match[0]], text)


def _without_apposition(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Leave out «the category» of «the category Seafood», and take the namesake that is a category."""
    text, entities, told = question.text, list(question.entities), set(question.told)
    for match in reversed(list(_BESIDE.finditer(text))):
        number, words = int(match["number"]), match["noun"].split()
        if number >= len(entities):
            continue
        for noun in dict.fromkeys((match["noun"], words[-1])):
            of_class = lexicon.class_named(stems(noun))
            start = match.start("noun") + len(match["noun"]) - len(noun)
            before = text[:start].removesuffix("the ")
            ends = not text[match.end() :].strip()
            if not of_class or is_plural(noun) or _CHOICE.search(text[:start]):
                continue
            if _RELATIVE.fullmatch(before) and not ends:
                continue
            member = _member(graph, entities[number], lexicon.classes[of_class])
            if member is not None:
                entities[number] = member
                told.add(member)
                text = f"{before}e{number}{text[match.end() :]}"
                break
    for match in reversed(list(_CLASS_OF.finditer(text))):  # «the airport of Denver» is that airport
        noun, number = match["noun"], int(match["number"])
        is_relation = any(stem(noun) in names.words for names in lexicon.relations)
        of_class = lexicon.class_named(stems(noun)) if forms.is_place(noun) and not is_relation else ""
        if of_class and number < len(entities) and entities[number] in lexicon.classes[of_class]:
            text = f"{text[: match.start()]}e{number}{text[match.end() :]}"
    question = replace(question, text=text, entities=tuple(entities), told=frozenset(told))
    return _without_class_after(graph, question, lexicon)


def _without_class_after(graph: Graph, question: Question, lexicon: Lexicon) -> Question:
    """Leave out «award» of «the Gold Shoe award», and «awards» of «the Gold Shoe and Silver Ball awards»."""
    text, entities = question.text, list(question.entities)
    for match in reversed(list(_BEFORE_CLASS.finditer(text))):
        numbers = [int(number) for number in re.findall(r"e(\d+)", match["names"])]
        for noun in dict.fromkeys((match["noun"], match["noun"].split()[0])):
            rest = text[match.start("noun") + len(noun) :]
            of_class = lexicon.class_named(stems(noun))
            numbers = numbers if is_plural(noun) else numbers[-1:]
            if not of_class or (is_plural(noun) and len(numbers) == 1) or max(numbers) >= len(entities):
                continue
            if _names_more(graph, noun, rest):
                continue
            members = [_member(graph, entities[number], lexicon.classes[of_class]) for number in numbers]
            if all(member is not None for member in members):
                for number, member in zip(numbers, members, strict=True):
                    entities[number] = entities[number] if member is None else member
                text = f"{text[: match.end('names')]}{rest}"
                break
    return replace(question, text=text, entities=tuple(entities))


def _names_more(graph: Graph, noun: str, rest: str) -> bool:
    """Return whether a noun and the word after it are one name, as in «Kenya country code»."""
    after = re.match(r" ([a-z]+)", rest)
    name = stems(f"{noun} {after[1]}") if after else ()
    labels = (label_stems(graph.relation_label(number)) for number in range(graph.n_relations))
    return bool(name) and (any(one.stems == name for one in sources_of(graph)) or name in labels)


def _member(graph: Graph, entity: int, members: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int | None:
    """Return an entity if it is in a class, else its only namesake in it; None if there is none."""
    if np.isin(entity, members):
        return entity
    namesakes = [other for other in graph.named(graph.label(entity)) if np.isin(other, members)]
    return namesakes[0] if len(namesakes) == 1 else None


def _in_place_of_class(graph: Graph, question: Question, lexicon: Lexicon, english: English) -> Question:
    """Read «which beverages cost less than 10» as «which products of e0», where Beverages is a category of products."""
    kinds = _KINDS.search(question.text)
    match = kinds or english.match("as_class", question.text)
    if match is None or int(match["who"][1:]) >= len(question.entities):
        return question
    entity = question.entities[int(match["who"][1:])]
    if kinds and not np.isin(entity, lexicon.classes.get(lexicon.class_named((stem(kinds["noun"]),)), [])):
        return question
    leading = Counter((relation, lexicon.classes_of(np.array([head]))) for head, relation in _heads(graph, entity))
    if not leading:
        return question
    (((_, noun), n),) = leading.most_common(1)
    if n < _MOSTLY * leading.total():
        return question
    if not noun or np.isin(question.entities, lexicon.classes[noun]).any():
        return question  # «how many Gold Shoes did e1 win», who is a player, are no players
    start, end = match.span("who")
    rest = question.text[match.end() if kinds else end :]
    text = f"{question.text[:start]}{noun} of {question.text[start:end]}{rest}".lower()
    if n < leading.total():
        name = graph.label(entity)
        said = f"{name!r} is taken for every {noun} that is joined to it: {n:,} of {leading.total():,} things"
        event(said, "operators.stands_for", name=name, noun=noun, n=n, of=leading.total())
    return replace(question, text=text)


def _with_owners_last(graph: Graph, question: Question, lexicon: Lexicon, english: English) -> Question:
    """Read «e0 films» as «films of e0», where several relations lead from e0 to films."""

    def turned(match: re.Match[str]) -> str:
        number, noun = int(match["number"]), stems(match["noun"])
        names = (noun, *english.near.get(noun[0], ())) if noun[0] in english.class_words else (noun,)
        of_class = next(filter(None, map(lexicon.class_named, names)), "")
        if not of_class or number >= len(question.entities):
            return match[0]
        members, entity = lexicon.classes[of_class], question.entities[number]
        relations = {relation for other, relation in _around(graph, entity) if np.isin(other, members)}
        is_turned = len(relations) > 1 and not np.isin(entity, members)
        return f"{match['article'] or ''}{match['noun']} of e{number}" if is_turned else match[0]

    return replace(question, text=_OWNER_BEFORE.sub(turned, question.text))


def _around(graph: Graph, entity: int) -> Iterator[tuple[int, int]]:
    """Yield the neighbours of an entity with their relations."""
    yield from _heads(graph, entity)
    for triple in islice(graph.triples_from(entity), _MOST):
        _, relation, tail = graph.triple(triple)
        yield tail, relation


def _heads(graph: Graph, entity: int) -> Iterator[tuple[int, int]]:
    """Yield the entities with a relation to an entity, and the relations."""
    for triple in islice(graph.triples_to(entity), _MOST):
        head, relation, _ = graph.triple(triple)
        yield head, relation
