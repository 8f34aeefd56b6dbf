"""Words of a question that are values of properties: «Rust», «tier 1», «public», «severity 2»."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from graphbrick.core.properties.values import Kind, Scalar, value_text
from graphbrick.core.session import current_session
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.patterns.english.states import code_of_state
from graphbrick.patterns.properties.sources import Source, equal_to, holders_of, sources_of, value_of

_LONGEST = 6  # words of a value
_TEXTS = 64  # whose values a session remembers
_READ_WORDS = 64  # of a text
_LONGEST_CODE = 5  # letters
_WORD = Expression(r"(?<!\S)non-|[^\s,;:?!()«»\"]+")
_NUMBER = Expression(r"-?\d+(?:\.\d+)?")
_MORE = Expression(r"(?:,| or|, or| and) (?P<number>-?\d+(?:\.\d+)?)\b(?! or more| or less)")
_COMPOUND = Expression(r"-(?:handed|based|born|made|coloured|colored|speaking|language)$")
_NEVER_FIRST = frozenset("a an and are did do does had has have is of or than that the was were what which who".split())
_NEVER_LAST = frozenset("a an and are by did do does from had has have is of or than that the was were with".split())
_SHORT_NAMES = {
    **dict.fromkeys(("us", "usa", "america"), ("USA", "US", "United States", "United States of America")),
    **dict.fromkeys(("uk", "britain"), ("UK", "United Kingdom", "Great Britain")),
}
_NAME, _SURNAME = map(stem, ("name", "surname"))
_PRICES = frozenset(map(stem, "price cost value age rank".split()))
_OF_PEOPLE = frozenset(map(stem, "first last middle family given maiden full nick".split()))
_CURRENCIES = frozenset("dollar dollars euro euros pound pounds cent cents buck bucks yen franc francs".split())
_LINKS = frozenset(("is", "of", "=", "level", "number", "equals", "being", "at"))
_PRIZES = frozenset(map(stem, "title titles championship champion champions winner winners victory".split()))
_WINS = frozenset(("win", "wins", "won", "winning", "claimed", "took", "take", "captured"))
_ARTICLES = frozenset(("the", "a", "an", "any", "their", "its", "his", "her", "that", "ever", "at", "least", "one"))
_ASKING = frozenset(map(stem, ("is", "has", "was", "are", "can", "does")))


@dataclass(frozen=True)
class Term:
    """A value of a property in a text.

    Attributes:
        start: Where it begins, with the words that name its property.
        end: Where it ends.
        sources: The properties that have the value; several for a value of several properties.
        value: The value.
        named: Whether the words beside it name the property.
    """

    start: int
    end: int
    sources: tuple[Source, ...]
    value: Scalar
    named: bool = False


def terms_in(graph: Graph, text: str, known: Set[str] = frozenset()) -> list[Term]:
    """Return the values of properties in a text, in order; longer ones win, and those that their property names.

    A session remembers those of some texts: each reader of a question asks for them.

    Args:
        graph: The graph.
        text: The text, in any case; entities may be placeholders such as `e0`.
        known: Stems of words that mean something else, such as names of classes.
    """
    key = ("values in a text", graph.place, graph.hash, text, frozenset(known))
    return list(current_session().get(key, lambda: _terms_in(graph, text, known), at_most=_TEXTS))


def is_rather_value(graph: Graph, word: str, entities: Sequence[int]) -> bool:
    """Return whether more entities have a word as a value than there are triples of the entities of that name.

    «malware» means the 693 programs of that type, and not the technique called Malware, which has 22 triples.

    Args:
        graph: The graph.
        word: The word, as the question writes it: with a capital, it is a name.
        entities: The entities of that name.
    """
    if not entities or not word.islower():
        return False
    terms = [one for one in terms_in(graph, word) if one.start == 0 and one.end == len(word)]
    holders = (len(holders_of(graph, source, one.value)) for one in terms for source in one.sources)
    return max(holders, default=0) > sum(map(graph.degree, entities))


def _terms_in(graph: Graph, text: str, known: Set[str]) -> list[Term]:
    sources = [source for source in sources_of(graph) if source.relation < 0]
    if not sources:
        return []
    words = list(islice(_WORD.finditer(text), _READ_WORDS))
    terms: list[Term] = []
    at = 0
    while at < len(words):
        term = next(_terms_at(graph, sources, words, at, known), None)
        size = _size_of_name(sources, words, at)
        end = words[at + size - 1].end() if size > 1 else 0
        if size > 1 and (term is None or term.end < end):
            at += size  # «baseline high date» has no value «baseline high»
            continue
        if term is not None and not (terms and term.start < terms[-1].end):
            terms += [term, *_others(text, term)]
            term = terms[-1]
            at = next((i for i, word in enumerate(words) if word.start() >= term.end), len(words))
        else:
            at += 1
    return terms


def _size_of_name(sources: Sequence[Source], words: Sequence[re.Match[str]], at: int) -> int:
    """Return how many words from a place on are the whole name of a property that is no yes or no."""
    longest = max((len(source.stems) for source in sources), default=0)
    forms = tuple(stem(word[0].lower()) for word in words[at : at + longest])
    sizes = [len(one.stems) for one in sources if one.kind != Kind.BOOLEAN and forms[: len(one.stems)] == one.stems]
    return max(sizes, default=0)


def _others(text: str, term: Term) -> Iterator[Term]:
    """Yield further numbers of a property, as in «tier 1 or 2»."""
    at = term.end
    while isinstance(term.value, float) and (more := _MORE.match(text, at)):
        yield Term(more.start("number"), more.end(), term.sources, float(more["number"]), True)
        at = more.end()


def _terms_at(
    graph: Graph, sources: Sequence[Source], words: list[re.Match[str]], at: int, known: Set[str]
) -> Iterator[Term]:
    """Yield the readings of the words from a place on, best first."""
    stemmed = [stem(word[0].lower().removesuffix("'s")) for word in words[at : at + _LONGEST + 4]]
    for source in sources:
        size = _size_of_prize(source, words, at, stemmed) if source.kind == Kind.BOOLEAN else 0
        if size:
            yield Term(words[at].start(), words[at + size - 1].end(), (source,), True, True)
        size = len(source.stems)
        if tuple(stemmed[:size]) != source.stems:
            size = _size_of_state(source, words[at], stemmed) if source.kind == Kind.BOOLEAN else 0
        if not size:
            continue
        if source.kind == Kind.BOOLEAN:
            last = words[at + size - 1]
            yield Term(words[at].start(), last.end(), (source,), True, True)
            continue
        place = at + size
        while place < len(words) and words[place][0].lower() in _LINKS:
            place += 1
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            value = _value(graph, source, [word[0] for word in words[place : place + length]])
            if value is not None:
                yield Term(words[at].start(), words[place + length - 1].end(), (source,), value, True)
                break
    texts = [source for source in sources if source.kind == Kind.TEXT or source.codes]
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        span = [word[0] for word in words[at : at + length]]
        is_unit = length == 1 and at > 0 and words[at - 1][0][-1].isdigit() and span[0].lower() in _CURRENCIES
        if is_unit or not _may_be_value(span, known):
            continue
        named = [source for source in texts if not _is_other_name(sources, source, span)]
        readings = [(source, value) for source in named if (value := _value(graph, source, span)) is not None]
        readings = [one for one in readings if length > 1 or not _is_only_code(graph, *one, span[0])]
        if readings:
            after = tuple(stemmed[length : length + _LONGEST])
            exact = [s for s, _ in readings if after[: len(s.stems)] == s.stems]
            end = at + length + (len(exact[0].stems) if exact else 0)
            if not exact and after[:1] and any(after[0] == s.stems[-1] and s.stems[1:] for s, _ in readings):
                exact = [s for s, _ in readings if s.stems[-1:] == after[:1]]  # «Washington state» of `store_state`
                end += 1
            chosen = tuple(exact or [source for source, _ in readings])
            value = next(value for source, value in readings if source == chosen[0])
            yield Term(words[at].start(), words[end - 1].end(), chosen, value, bool(exact))


def _is_only_code(graph: Graph, source: Source, value: Scalar, word: str) -> bool:
    """Return whether an everyday word is written like the code of one thing: «run» is no station with the code RUN."""
    is_code = isinstance(value, str) and value.isupper() and len(value) <= _LONGEST_CODE and word.islower()
    return is_code and forms.is_word(word) and len(equal_to(graph, source.name, str(value))) == 1


def _is_other_name(sources: Sequence[Source], source: Source, span: Sequence[str]) -> bool:
    """Return whether a word that speaks of a property would be a short name: «news» is no club called NEW."""
    is_name = source.stems[-1:] == (_NAME,) and len(source.stems) > 1 and _OF_PEOPLE.isdisjoint(source.stems)
    if not is_name or len(span) > 1:
        return False
    word = stem(span[0].lower())
    return word in _PRICES or any(word in one.words for one in sources)


def _size_of_prize(source: Source, words: Sequence[re.Match[str]], at: int, forms: Sequence[str]) -> int:
    """Return how many words say that something was won, where a property tells it: «won the league», `league_title`.

    Returns:
        The number of words from the place on; 0 if they do not.
    """
    prefix = 1 if len(source.stems) > 1 and source.stems[0] in _ASKING else 0
    own = source.stems[prefix:]
    name = own[:-1] if own[-1:] and own[-1] in _PRIZES else own
    if not name or name == source.stems or tuple(forms[: len(name)]) != name:
        return 0
    if name == own:
        return len(name)  # «active» of `is_active`
    if forms[len(name) : len(name) + 1] and forms[len(name)] in _PRIZES:
        return len(name) + 1
    before = [word[0].lower() for word in words[max(at - 3, 0) : at]]
    while before and before[-1] in _ARTICLES:
        before.pop()
    return len(name) if before and before[-1] in _WINS else 0


def _size_of_state(source: Source, word: re.Match[str], forms: Sequence[str]) -> int:
    """Return how many words say a boolean property otherwise than by its name; 0 if they do not.

    They may be an adverb («remotely» of `remote`), the same words the other way round («calls tools» of `tool_call`),
    or with a space inside one of them («web extensions» of `accepts_webextensions`).
    """
    text, size = word[0].lower(), len(source.stems)
    if size == 1 and text.endswith("ly") and stem(text[:-2]) == source.stems[0]:
        return 1
    if size == 2 and tuple(forms[1::-1]) == source.stems:
        return 2
    return size + 1 if "".join(forms[: size + 1]) == "".join(source.stems) and len(forms) > size else 0


def _may_be_value(span: Sequence[str], known: Set[str]) -> bool:
    words = [word.lower() if word != "US" else "usa" for word in span]
    if any(re.fullmatch(r"e\d+", word) for word in words) or all(word in QUESTION_WORDS for word in words):
        return False
    if words[0] in _NEVER_FIRST or words[-1] in _NEVER_LAST:
        return False
    if all(_NUMBER.fullmatch(word) for word in words):
        return False  # a number alone is an amount or a year
    return not all(stem(word) in known for word in words)


def _singulars(text: str) -> Iterator[str]:
    """Yield what a text may be the plural of.

    >>> list(_singulars("comedies")), list(_singulars("Senior Engineers"))
    (['comedie', 'comedy'], ['Senior Engineer'])
    """
    if text.endswith("s") and len(text) > 3:
        yield text[:-1]
        if text.endswith("ies"):
            yield f"{text[:-3]}y"
        elif text.endswith(("sses", "shes", "ches", "xes", "zes")):
            yield text[:-2]


def has_names_of_people(source: Source) -> bool:
    """Return whether a property is a name of people, such as `last_name`: «butchers» are no people called Butcher."""
    return _SURNAME in source.stems or (_NAME in source.stems and not _OF_PEOPLE.isdisjoint(source.stems))


def _value(graph: Graph, source: Source, span: Sequence[str]) -> Scalar | None:
    """Return the value of a property that some words are, as the graph writes it; else None."""
    text = " ".join(span)
    if source.kind in (Kind.INTEGER, Kind.NUMBER):
        return float(text) if len(span) == 1 and _NUMBER.fullmatch(text) else None
    plain = _COMPOUND.sub("", text.removesuffix("'s"))
    code = source.codes.get(stem(plain)) or source.codes.get(plain.lower())
    if code is not None or source.kind != Kind.TEXT:
        return code
    singulars = () if has_names_of_people(source) else _singulars(plain)
    names = (*_SHORT_NAMES.get(plain.casefold(), ()), code_of_state(plain, source.words))
    forms = [plain, *singulars, *filter(None, names)]
    cased = [plain.capitalize(), plain.title(), plain.upper()] if not graph.columns else []
    for form in (*forms, *cased):
        owners = equal_to(graph, source.name, form)
        if len(owners):
            own = value_of(graph, source, int(owners[0]))
            values = own if isinstance(own, tuple) else (own,)
            for value in values:
                if isinstance(value, str) and fold(value_text(value)) == fold(form):
                    return value
    return None
