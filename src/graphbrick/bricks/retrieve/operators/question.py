"""Questions with their names replaced by placeholders, so that wordings can be matched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from graphbrick.bricks.retrieve.operators.dates import with_decades
from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.core import Query
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import read_literal
from graphbrick.language.courtesy import without_courtesy
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold, nfc
from graphbrick.language.said_dates import day_of_name, said_days
from graphbrick.language.small_talk import is_of_occasion, lead_in, lead_out, purpose
from graphbrick.language.stems import WORD, is_plural, possible_singulars, spaced, stem, stems
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.english.context import in_context
from graphbrick.patterns.english.everyday import EVERYDAY
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import UNITS, sources_of, whole_values, words_of_values
from graphbrick.patterns.properties.terms import is_rather_value, terms_in
from graphbrick.patterns.properties.written import with_names_as_words
from graphbrick.patterns.several_steps import unfolded

_WELL_CONNECTED = 10  # triples of an entity that a common word is taken for
_FEW_NAMES = 10_000  # of a graph in which a word that means nothing else is a name at once
_FAR_MORE = 10  # times the triples, for a reading to win over the one that linking chose
_US = Expression(r"\bUS\b(?![A-Z ]*$)|\bU\.S\.")  # «us» is no country
_SPACES = Expression(r"\s+")
_POSSESSIVE = Expression(
    r"\b(e\d+)'s? ([a-z -]+?)(?=$|,| (?:is|are|was|were|has|have|do|does|with|that|which|in|by|than|and|or"
    r"|won|got|made|received|earned|sold) )"
)
_POSSESSIVE_BEFORE_VERB = Expression(  # «what language does e0's species speak»
    r"\b(does|do|did) (e\d+)'s? ([a-z -]+?) ([a-z]+)"
    r"(?=$| (?:from|into|in|at|onto|on|to|with|for|of|as|by|about|over|under|against|up|e\d+)\b)"
)
_INDIRECT = Expression(
    r"^(?P<lead>who|what|where|when|how (?!many|much)[a-z]+) (?P<what>(?:the |e\d+).+?|e\d+) (?P<be>is|are|was|were)$"
)
_FRONTED = Expression(
    r"^(?:of|among|out of) (?:all )?(?:the )?(?!e\d+ (?:and|or) )(.+?), (?:which|what|who)(?: ones?)? "
)
_SIGN_FIRST = Expression(r"(?<!\be)([€$£])\s?(\d[\d,.]*(?: ?(?:thousand|million|billion|k|m|mn|mio|bn)\b)?)")
_AMOUNT, _JOINT = Expression(r"[€$£]\d[\d.,]*[a-z]*\b"), "\u2060"
_NAME = Expression(r"(?<=\W)[A-Z][\w-]*(?: (?:of |the |and )*[A-Z][\w-]*)*")
_ON = Expression(r"(?:,? (?:on|of|from) (?:the )?)$")
_LAST_WORD = Expression(r"[^\W\d_][\w-]{3,}(?=\W*$)")
_PLAIN_WORD = Expression(r"[^\W\d_][^\W_]+")
_MORE_THEN = Expression(r"(?<=more |less |ewer )then\b|(?<=er )then(?= \d| e\d)")
_PLACEHOLDER = Expression(r"\be(\d+)\b")
_QUOTED = Expression(r"[\"“„«‘'](e\d+)[\"”“»’'](?!\w)")
_THE = Expression(r"(?:\bthe|(?<!\be\d )\ban?) (e\d+)\b")  # «is e0 a e1» stays
_NOT_FIRST = Expression(r"^(is|are|was|were|do|does|did|has|have|can|will) not ((?:the )?e\d+)\b")  # «isn't e0 public»
# Numbers of which the lower is the better one.
_LOW_IS_GOOD = Expression(
    r"\b(?P<word>best|better|worst|worse) "
    r"(?=(?:[a-z]+ ){0,2}(?:delays?|era|whip|ranks?|ranking|latency|error rate|prices?|(?:lap|response) times?)\b)"
)
_LOW_WORDS = {"best": "lowest", "better": "lower", "worst": "highest", "worse": "higher"}
_SLIPPED = {"teh": "the", "hte": "the", "adn": "and", "nad": "and", "wre": "were", "hwo": "how", "wht": "what"}
_SLIPS = Expression(rf"\b(?:{'|'.join(_SLIPPED)})\b")
_SHORT_FORMS = (
    (Expression(r"\bwon't\b"), "will not"),
    (Expression(r"\bcan'?t\b|\bcan not\b"), "cannot"),
    (Expression(r"(?<=\w)n't\b"), " not"),
    (Expression(r"\b(do|does|did|is|are|was|were|have|has|had)nt\b"), r"\1 not"),
    (Expression(r"\b(who)'s (?=(?:never |ever |not )?(?:won|been|got|had|made|[a-z]+ed)\b(?! by))"), r"\1 has "),
    (Expression(r"\b(who|what|how|where|when|there|that)'?s\b"), r"\1 is"),
    (Expression(r"\b(who|what|how|where|when|they|we|you)'(?:re|r)\b"), r"\1 are"),
    (Expression(r"\b(who|what|they|we|you|i)'ve\b"), r"\1 have"),
    (Expression(r"\b(who|what|they|we|you|i)'d\b"), r"\1 would"),
)
_SAME_NAME = 0.87  # the least similarity of a name with a typing error or two


@dataclass(frozen=True)
class Question:
    """A question in lower case in which `e0`, `e1`, ... stand for the entities that it names.

    Attributes:
        text: The text, without the mark at the end.
        entities: What the placeholders stand for.
        names: The words with a capital that are not placeholders, as the question writes them; none if all have one.
        told: The entities whose class the question says, so that no other of their name is meant.
        unit: The unit in which it wants numbers, which the text no longer has; "" for none.
    """

    text: str
    entities: tuple[int, ...]
    names: tuple[str, ...] = ()
    told: frozenset[int] = frozenset()
    unit: str = ""


def is_known(lexicon: Lexicon, words: English, word: str) -> bool:
    """Return whether a word has a meaning of its own, so that it does not name an entity."""
    form = stem(word)
    return word in words.all_words or form in words.all_words or form in lexicon.words


def question_of(graph: Graph, query: Query, known: Callable[[str], bool]) -> Question:
    """Return a question with placeholders for its seeds; numbers that are entities stay numbers, but not «route 131».

    A seed that the text does not name, such as one given by its key, is left out. Names of one lower-case word, such as
    «euro», are added: linking leaves them out beside other names.

    Args:
        graph: The graph.
        query: The question.
        known: Whether a word has a meaning in the wordings or in the graph's words, so that it is no name.
    """
    text = nfc(query.text).replace("’", "'")
    places: list[tuple[int, int, int]] = []
    named = {mention.entity: mention.text for mention in query.mentions}
    for entity in query.seeds:
        if query.alternatives(entity).intersection(seed for _, _, seed in places):
            continue  # another reading of a name that has its placeholder
        names = [graph.label(entity), *graph.aliases(entity)]
        if entity in named and not _is_id(graph, entity, named[entity], names):
            is_code = not (names[0][:1].isalnum() or names[0][-1:].isalnum()) and named[entity] in names[0]
            names.insert(int(is_code), named[entity])  # all of `:has()`, if it stands there
        label = graph.label(entity)  # «2001 oslo bears» is no number, as «2001 Oslo Bears» is not
        place = next((span for name in names if (span := _find(text, name, places))), None)
        if _is_number(label if label.casefold() == names[0].casefold() else names[0]):
            from graphbrick.language.restrictions import is_numbered  # few names are numbers

            place = place if place and is_numbered(text, *place, graph.types(entity)) else None
        if place is not None:
            places.append((*place, _reading(graph, query, entity)))
    own = {source.spoken for source in sources_of(graph) if source.measured is not None}
    places += _common_words(graph, text, places, lambda word: word in own or known(word))
    places.sort()
    text = _without_days_of_names(graph, text, places)
    parts, at = [], 0
    for number, (start, end, _) in enumerate(places):
        parts += [_without_placeholders(text[at:start]), f"e{number}"]
        at = end
    parts.append(_without_placeholders(text[at:]))
    plain = _alone(graph, "".join(parts), [entity for _, _, entity in places])
    plain = tidy(_AMOUNT.sub(partial(_joined_value, graph), plain)).replace(_JOINT, "")
    plain = with_names_as_words(graph, _without_placeholders(unfolded(plain, known), len(places)))
    plain = with_decades(plain)
    return Question(plain, tuple(entity for _, _, entity in places), _names(text, places))


def _without_days_of_names(graph: Graph, text: str, places: list[tuple[int, int, int]]) -> str:
    """Return a text with spaces for a day after a part of a name that it completes: «did DL315 leave on 7 Feb 2013»."""
    days = said_days(text)
    for start, end, entity in places:
        first, last = days.get(day_of_name(graph.label(entity)), (0, 0))
        if first >= end and not said_days(text[start:end]):
            before = _ON.search(text[end:first])
            first -= len(before[0]) if before else 0
            text = f"{text[:first]}{' ' * (last - first)}{text[last:]}"
    return text


def _joined_value(graph: Graph, match: re.Match[str]) -> str:
    """Return an amount that is a text of the graph, such as «$1B», so that its sign stays before it."""
    return f"{match[0][0]}{_JOINT}{match[0][1:]}" if match[0].lower() in whole_values(graph) else match[0]


def _alone(graph: Graph, text: str, entities: list[int]) -> str:
    """Return a question with placeholders without a sentence before it that names what it speaks of."""
    found = in_context(without_courtesy(text).rstrip("?.! "), graph.types(entities[0])) if entities else None
    if found is None:
        return text
    labels = list(map(graph.label, entities))
    names = dict.fromkeys(labels[int(number)] for number in _PLACEHOLDER.findall(found.before))
    before = _PLACEHOLDER.sub(lambda match: labels[int(match[1])], found.before)
    said = f"«{found.word}» stands for {', '.join(names)}; not part of the question: «{before}»"
    event(said, "operators.context", once=True, names=list(names))
    return found.text


def _names(text: str, places: list[tuple[int, int, int]]) -> tuple[str, ...]:
    """Return the words with a capital, but the first, outside the places of entities; none if most words have one."""
    words = [
        word
        for word in list(_PLAIN_WORD.finditer(text))[1:]
        if not any(word.start() < end and start < word.end() for start, end, _ in places)
    ]
    names = tuple(word[0] for word in words if word[0][0].isupper())
    return names if 2 * len(names) < len(words) or len(names) == 1 else ()


def with_given_seed(graph: Graph, query: Query) -> Query:
    """Return a question that names the one entity where it was told to start.

    If it names one other entity in its place, as after somebody has chosen another start, that name is replaced. The
    name is looked for among words with a capital, else it may be the last word.
    """
    if len(query.seeds) != 1:
        return query
    seed = query.seeds[0]
    said = (graph.label(seed), graph.key(seed), *graph.aliases(seed), *(mention.text for mention in query.mentions))
    if any(_find(query.text, name, []) for name in said):
        return query
    names = [match for match in _NAME.finditer(query.text, 1) if graph.named(match[0])]
    if not names:
        last = _LAST_WORD.search(query.text)
        names = [last] if last and graph.named(last[0]) else []
    if len(names) != 1:
        return query
    name, label = names[0], graph.label(seed)
    event(
        f"{name[0]!r} is read as {label!r}, where the question starts", "operators.given_seed", name=name[0], seed=label
    )
    return replace(query, text=f"{query.text[: name.start()]}{label}{query.text[name.end() :]}")


def courtesy_left_out(graph: Graph, query: Query) -> tuple[Query, bool]:
    """Return a question without what only makes it polite or introduces it, unless that has a name or a value.

    What it is asked for is left out with values of the graph too.

    Returns:
        The question, and whether something else may be asked: what was left out has a value, or a name is only like
        that in the graph, as «Tom Lambert» is like Tom Lamb.
    """
    is_unsure = any(mention.score < _SAME_NAME for mention in query.mentions)
    is_name = any(query.text.startswith(mention.text) for mention in query.mentions)
    before = purpose(query.text)
    if before and not _names_one(graph, before, query):
        event(f"not part of the question: «{before}»", "operators.purpose", text=before)
        is_unsure |= _speaks_of(graph, before, query)
        query = replace(query, text=query.text[len(before) :].lstrip())
    before = lead_in(query.text)
    if before and not _speaks_of(graph, before, query) and not _says_which(graph, before, query.text[len(before) :]):
        event(f"not part of the question: «{before}»", "operators.lead_in", text=before)
        query = replace(query, text=query.text[len(before) :].lstrip())
    after = lead_out(query.text)
    is_open = bool(after) and _speaks_of(graph, after, query)
    if after and not (_names_one(graph, after, query) if is_of_occasion(after) else is_open):
        event(f"not part of the question: «{after}»", "operators.lead_out", text=after)
        is_unsure |= is_open
        query = replace(query, text=query.text[: -len(after)].rstrip())
    return query if is_name else replace(query, text=without_courtesy(query.text)), is_unsure


def _says_which(graph: Graph, before: str, asked: str) -> bool:
    """Return whether a sentence before a question tells of which things it asks: «I'm looking at nurses»."""
    table = getattr(graph, "type_table", None)
    names = {stems(spaced(table[2][number])) for number in range(len(table[2]))} if table else set()
    several = {stem(word) for word in WORD.findall(before.lower()) if is_plural(word)} - set(stems(asked))
    return any((word,) in names for word in several)


def _speaks_of(graph: Graph, text: str, query: Query) -> bool:
    """Return whether a text has a name that a question mentions, or a word of a value of the graph."""
    if _names_one(graph, text, query):
        return True
    return not (words_of_values(graph).difference(FUNCTION_WORDS)).isdisjoint(WORD.findall(text.lower()))


def _names_one(graph: Graph, text: str, query: Query) -> bool:
    """Return whether a text has a name that a question mentions."""
    labels = (graph.label(seed) for seed in query.seeds)
    return any(fold(name) in fold(text) for name in (*(mention.text for mention in query.mentions), *labels))


def _is_id(graph: Graph, entity: int, text: str, names: list[str]) -> bool:
    """Return whether a seed was given by its key or number, which is not how the question names it."""
    return text in (graph.key(entity), str(entity)) and fold(text) not in map(fold, names)


def _is_number(name: str) -> bool:
    """Return whether a name is a number or date, which questions compare with.

    >>> _is_number("2001"), _is_number("500 km"), _is_number("2001 Seattle Mariners"), _is_number("3dfx")
    (True, True, False, False)
    """
    literal = read_literal(name) if name[:1].isdigit() else None
    if literal is not None and literal.unit and " " not in name and literal.unit.lower() not in UNITS:
        return False
    return literal is not None and not any(word[:1].isupper() for word in literal.unit.split())


def _without_placeholders(text: str, given: int = 0) -> str:
    """Return a text in lower case whose own words are not read as placeholders: «E85» is a fuel.

    Args:
        text: The text.
        given: How many placeholders it has.

    >>> _without_placeholders("the price of E85"), _without_placeholders("the price of e0 and e1", 1)
    ('the price of e-85', 'the price of e0 and e-1')
    """
    return _PLACEHOLDER.sub(
        lambda match: match[0] if int(match[1]) < given else f"e-{match[1]}", _US.sub("USA", text).lower()
    )


def _reading(graph: Graph, query: Query, entity: int) -> int:
    """Return the entity that a name means: the one with far more triples if others have it, as for Asia."""
    others = [other for mention in query.mentions if mention.entity == entity for other in mention.others]
    best = max(others, key=graph.degree, default=entity)
    return best if graph.degree(best) >= _FAR_MORE * graph.degree(entity) else entity


def _common_words(
    graph: Graph, text: str, taken: list[tuple[int, int, int]], known: Callable[[str], bool]
) -> list[tuple[int, int, int]]:
    """Return the places of words that name an entity and mean nothing else."""
    places = []
    longer = [(one.start, one.end) for one in terms_in(graph, text) if " " in text[one.start : one.end]]
    spoken = {source.spoken for source in sources_of(graph) if " " in source.spoken}  # «release date» names no date
    names = [found.span() for name in spoken for found in re.finditer(rf"\b{re.escape(name)}\b", text.lower())]
    for word in re.finditer(r"[^\W\d_]{3,}", text):
        if (
            known(word[0].lower())
            or (word[0].islower() and any(start <= word.start() and word.end() <= end for start, end in longer))
            or any(start <= word.start() < end for start, end in names)
            or text[: word.start()].lower().endswith("whose ")
            or any(word.start() < end and start < word.end() for start, end, _ in taken)
        ):
            continue
        singulars = tuple(possible_singulars(word[0].lower()))
        entities = graph.named(word[0])
        if not entities and words_of_values(graph).isdisjoint(
            singulars
        ):  # «giants» are those of that kind, if there are
            entities = [one for form in (*_plurals(word[0]), *singulars) for one in graph.named(form)]
        least = 1 if graph.n_entities <= _FEW_NAMES else min(_WELL_CONNECTED, graph.n_triples / 100)
        if entities and max(map(graph.degree, entities)) >= least and not is_rather_value(graph, word[0], entities):
            places.append((*word.span(), max(entities, key=graph.degree)))
    return places


def _plurals(word: str) -> tuple[str, ...]:
    """Return what the plural of a word may be: entities such as Beverages are asked for as «a beverage»."""
    return (f"{word[:-1]}ies",) if word.endswith("y") else (f"{word}s", f"{word}es")


def _find(text: str, name: str, taken: list[tuple[int, int, int]]) -> tuple[int, int] | None:
    """Return where a name stands in a text outside other names; None if nowhere."""
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        if all(match.end() <= start or match.start() >= end for start, end, _ in taken):
            return match.start(), match.end()
    if fold(name) and fold(text).find(fold(name)) >= 0:
        loose = r"\W+".join(map(re.escape, re.findall(r"\w+", name)))
        for match in re.finditer(rf"(?<!\w){loose}(?!\w)", text, re.IGNORECASE):
            if all(match.end() <= start or match.start() >= end for start, end, _ in taken):
                return match.span()
    return None


def tidy(text: str) -> str:
    """Return a lower-case question in one form: no mark at the end, «the X of e0» for «e0's X».

    >>> tidy("what is e0's largest city?")
    'what is the largest city of e0'
    >>> tidy("Of the countries that border e0, which one is the largest?".lower())
    'which of the countries that border e0 is the largest'
    >>> tidy("what language does e0's mother speak?")
    'what language does the mother of e0 speak'
    >>> tidy("who earns more than $1.5 million?")
    'who earns more than 1.5 million $'
    >>> tidy("teams that won more then 100 games")
    'teams that won more than 100 games'
    >>> tidy("which of e0 and e1 has the best lap time")
    'which of e0 and e1 has the lowest lap time'
    >>> tidy('which is older, "e0" or "e1"')
    'which is older, e0 or e1'
    >>> tidy("do you happen to know where the mother of e0 is, please?")
    'where is the mother of e0'
    """
    text = without_courtesy(_SPACES.sub(" ", text.replace("`", "'")).strip()).rstrip("?.! ")
    text = _QUOTED.sub(r"\1", text)
    text = _SLIPS.sub(lambda match: _SLIPPED[match[0]], text)
    for short, long in _SHORT_FORMS:
        text = short.sub(long, text)
    text = _NOT_FIRST.sub(r"\1 \2", _MORE_THEN.sub("than", text))
    for wording, plainer in EVERYDAY:
        text = wording.sub(plainer, text)
    text = _LOW_IS_GOOD.sub(lambda match: f"{_LOW_WORDS[match['word']]} ", text)
    text = _SIGN_FIRST.sub(r"\2 \1", text)
    text = _FRONTED.sub(r"which of the \1 ", _THE.sub(r"\1", text))
    text = _POSSESSIVE_BEFORE_VERB.sub(r"\1 the \3 of \2 \4", text)
    for _ in range(2):
        text = _POSSESSIVE.sub(r"the \2 of \1", text)
    text = _INDIRECT.sub(r"\g<lead> \g<be> \g<what>", text)
    return _SPACES.sub(" ", text).strip()
