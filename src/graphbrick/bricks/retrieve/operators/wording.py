"""English wordings of operators, read from ``english.toml``: cues, comparisons, numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from graphbrick.bricks.retrieve.operators.dates import Date, of_year, read_date
from graphbrick.core.deferred import cached_property
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import WORD, Stems, before_ending, stem, stems

MENTION = Expression(r"\be(\d+)\b")
"""A placeholder for an entity in a question."""
_WORD = Expression(rf"{WORD.pattern}(?:'s)?")
_SAME_ENDING = {"y": "i", "i": "y"}
_SMALL = frozenset("of in by at with for to from on the a an".split())  # not among the words of a relation
_BARE = ("most", "fewest", "least")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


class Comparison(NamedTuple):
    """An adjective or adverb that compares.

    Attributes:
        largest: Whether the largest number wins.
        names: What it measures, the usual first; empty if the words after it say so.
    """

    largest: bool
    names: tuple[str, ...]


class Amount(NamedTuple):
    """A number in a question.

    Attributes:
        value: The number, in the unit of the graph.
        rest: The words after it.
        date: The month or day that it is; None for a number.
    """

    value: float
    rest: str
    date: Date | None = None

    @property
    def as_date(self) -> Date:
        """The date, or the year of the number."""
        return self.date or of_year(self.value)


class _Compiled(dict[str, tuple[re.Pattern[str], ...]]):
    """The patterns by name, compiled when first used: all together take a tenth of a second.

    Args:
        texts: The texts of each pattern.
        macros: The parts that they are made of.
    """

    def __init__(self, texts: Mapping[str, Sequence[str]], macros: Mapping[str, str]) -> None:
        super().__init__()
        self.texts, self._macros = texts, macros

    def __missing__(self, name: str) -> tuple[re.Pattern[str], ...]:
        """Compile the pattern of a name."""
        compiled = self[name] = tuple(re.compile(_filled(text, self._macros)) for text in self.texts[name])
        return compiled


@dataclass(frozen=True)
class English:
    """The wordings.

    Attributes:
        plain: Stems of words without a meaning of their own.
        near: Stems of names of relations or classes for general words, by the stem of the word.
        objects: Stems of what a verb is done to, by the stem of the verb.
        superlatives: «largest», «most populous», «most».
        comparatives: «larger», «more populous», «more».
        bounds: For phrases such as «more than»: over, under, least, most or exactly.
        ordinals: «second» and so on.
        symmetric: Stems of words of relations that hold both ways, such as «border».
        phrases: Verbs of several words, with verbs of the same meaning.
        anything: Stems of nouns for any entity.
        class_words: Stems of words that are near the name of a class: «town» for city.
        verbs: Stems before which the noun of a question ends.
        value_words: Stems of words that only say that something has a value, such as «written» of a language.
        gaining: Stems of verbs that only say that something has a number, such as «won» of prizes.
        of_numbers: Stems of nouns that only say what a number is, such as «score».
        asking: Words that questions are built with, in which typing errors are mended.
        unknown: Words for operators that no rule knows.
        not_superlative: Words that end in «est» and are no superlatives.
        patterns: The wordings of the operators, by name.
        lead: Matches the words that begin a question, such as «which».
        cues: Matches words that call for an operator.
        number: Matches a number in digits or words.
        numbers: Number words.
        scales: Words such as «million».
        months: The number of each month by its names.
        units: For each unit, how many of the unit of the graph it is.
        currencies: The sign of each currency by its names.
    """

    plain: frozenset[str]
    near: Mapping[str, tuple[Stems, ...]]
    objects: Mapping[str, frozenset[str]]
    superlatives: Mapping[str, Comparison]
    comparatives: Mapping[str, Comparison]
    bounds: Mapping[str, str]
    ordinals: Mapping[str, int]
    symmetric: frozenset[str]
    phrases: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    anything: frozenset[str]
    class_words: frozenset[str]
    verbs: frozenset[str]
    value_words: frozenset[str]
    gaining: frozenset[str]
    of_numbers: frozenset[str]
    asking: frozenset[str]
    unknown: tuple[str, ...]
    not_superlative: frozenset[str]
    patterns: Mapping[str, tuple[re.Pattern[str], ...]]
    lead: re.Pattern[str]
    cues: re.Pattern[str]
    number: re.Pattern[str]
    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    months: Mapping[str, int]
    units: Mapping[str, float]
    currencies: Mapping[str, str]

    @cached_property
    def all_words(self) -> frozenset[str]:
        """All words of the file, and their stems."""
        return self._own_words | _with_stems(self.near)

    def known_words(self, of_graph: Set[str]) -> frozenset[str]:
        """Return `all_words` without the general words that no name of a graph is near, such as «fly» without airports.

        Args:
            of_graph: The stems of the words of the graph.
        """
        near = [word for word in self.near if self.is_among(word, of_graph)]
        return self._own_words | _with_stems(near)

    @cached_property
    def _own_words(self) -> frozenset[str]:
        phrases = [*self.superlatives, *self.comparatives, *self.bounds, *self.numbers, *self.scales]
        return self.plain | _with_stems([*phrases, *self.ordinals, *self.units, *self.verbs, *self.class_words])

    def is_among(self, word: str, words: Set[str]) -> bool:
        """Return whether a word, or all words of a name near it, are among some stems."""
        same = f"{word[:-1]}{_SAME_ENDING[word[-1]]}" if word[-1:] in _SAME_ENDING else word  # study, studied
        return word in words or same in words or any(words >= set(name) - _SMALL for name in self.near.get(word, ()))

    def for_graph(self, classes: Iterable[Stems], words: Set[str]) -> English:
        """Return the wordings for a graph: «item» has a meaning if a class is called so, «make» beside «produces»."""
        names = {word for name in classes if len(name) == 1 for word in name}
        names |= {one for one in ("mak", "tak") if one in words or any(words >= set(name) for name in self.near[one])}
        return _without_plain(frozenset(names))

    def without_objects(self, words: Sequence[str]) -> list[str]:
        """Return stems without what the verbs among them are done to, as games in «lost games».

        >>> english().without_objects(["lost", "gam"]), english().without_objects(["gam"])
        (['lost'], ['gam'])
        """
        objects = frozenset[str]().union(*(self.objects.get(word, frozenset()) for word in words))
        return [word for word in words if word not in objects]

    def content(self, text: str) -> list[str]:
        """Return the stems of the words of a text that have a meaning of their own.

        >>> english().content("which of the countries has a capital")
        ['country', 'capital']
        """
        plain = [word.removesuffix("'s") for word in _WORD.findall(text)]
        return [stem(word) for word in plain if word not in self.plain and stem(word) not in self.plain]

    def cues_in(self, text: str) -> list[str]:
        """Return the words of a question that call for an operator, the first that counts first.

        >>> [english().cues_in(text) for text in ("how many towns border e0", "is e0 in e1", "which is near e0")]
        [['how many'], ['is'], []]
        """
        first, number = self.match("auxiliary", text), self.search("cue_before_number", text)
        matches = [*filter(None, [first]), *self.cues.finditer(text), *filter(None, [number])]
        unknown = self.unknown_superlative(text)
        return list(dict.fromkeys([match[0].strip() for match in matches] + ([unknown] if unknown else [])))

    def unknown_superlative(self, text: str) -> str:
        """Return the first word of a text that is a superlative of an unlisted adjective; "" if there is none.

        >>> english().unknown_superlative("which team in the west has the juiciest interest")
        'juiciest'
        """
        words = re.findall(r"\b[a-z]{2,}est\b", text)
        return next((word for word in words if word not in self.superlatives and word not in self.not_superlative), "")

    def match(self, name: str, text: str) -> re.Match[str] | None:
        """Return the first match of a wording at the beginning of a text."""
        return next((match for pattern in self.patterns[name] if (match := pattern.match(text))), None)

    def search(self, name: str, text: str) -> re.Match[str] | None:
        """Return the first match of a wording anywhere in a text."""
        return next((match for pattern in self.patterns[name] if (match := pattern.search(text))), None)

    def without(self, name: str, text: str) -> str:
        """Return a text without the parts that a wording matches."""
        for pattern in self.patterns[name]:
            text = pattern.sub("", text)
        return text.strip()

    def as_question(self, text: str) -> str:
        """Return a noun phrase as a question."""
        return text if self.lead.match(text) else f"which {text}"

    def count_of(self, text: str) -> int:
        """Return a small number in digits or words; 1 for none.

        >>> english().count_of("three"), english().count_of("12"), english().count_of("")
        (3, 12, 1)
        """
        return int(text) if text.isdecimal() else int(self.numbers.get(text, 1))

    def same_scale(self, text: str, low: float, high: float) -> float:
        """Read «between 1 and 2 million» as one million to two million."""
        first = re.split(r" (?:and|to) ", text)[0]
        if any(word in self.scales for word in first.split()):
            return low
        scales = self.scales.items()
        factor = next((scale for word, scale in scales if re.search(rf"\b{word}\b", text)), 1.0)
        return low if low * factor > high else low * factor

    def read_amount(self, text: str) -> Amount | None:
        """Return the number or date, with its unit, that a text begins with; else None.

        >>> english().read_amount("1.5 million people"), english().read_amount("a hundred thousand")
        (Amount(value=1500000.0, rest='people', date=None), Amount(value=100000.0, rest='', date=None))
        """
        date = read_date(text, self.months)
        if date is not None:
            return Amount(date.start, date.rest, date)
        match = self.number.match(text)
        if match is None:
            return None
        digits, word = match["digits"], match["word"]
        value = float(digits.replace(",", "")) if digits else float(self.numbers[word] if word else 1)
        for scale in (match["scales"] or "").replace("-", " ").split():
            value *= self.scales.get(scale, 1)
        rest = text[match.end() :].strip()
        for unit, factor in self.units.items():
            if re.match(rf"{re.escape(unit)}s?(?:\s|$)", rest):
                return Amount(value * factor, rest[len(unit) :].removeprefix("s").strip())
        return Amount(value, rest)


@lru_cache(maxsize=16)
def _without_plain(names: frozenset[str]) -> English:
    words = english()
    same = {word for word in words.plain | words.anything if stem(word) in names}
    return words if not same else replace(words, plain=words.plain - same, anything=words.anything - same)


@lru_cache(maxsize=1)
def english() -> English:
    """Return the wordings of English."""
    content = tomllib.loads(
        (files("graphbrick.bricks.retrieve.operators") / "english.toml").read_text(encoding="utf-8")
    )
    superlatives, comparatives = _adjectives(content)
    numbers, scales = content["numbers"], content["scales"]
    names = "|".join(sorted(map(re.escape, numbers), key=len, reverse=True))
    scale = "|".join(sorted(map(re.escape, scales), key=len, reverse=True))
    number = re.compile(
        rf"(?:(?P<digits>-?(?:{_NUMBER}))|(?P<word>{names})\b(?: an?\b)?|(?=(?:{scale})\b))"
        rf"(?P<scales>(?:[ -]?(?:{scale})\b)*)"
    )
    compare = {phrase: kind for kind, phrases in content["compare"].items() for phrase in phrases}
    macros = dict(content["macros"])
    macros |= _macros(superlatives, comparatives, compare, numbers, content["ordinals"], content["months"])
    currencies = {name: sign for sign, names in content["currencies"].items() for name in (sign, *names)}
    macros["currency"] = _any_of(currencies)
    near: dict[str, tuple[Stems, ...]] = {}
    for word, others in content["near"].items():
        near[stem(word)] = tuple(dict.fromkeys((*near.get(stem(word), ()), *map(stems, others))))
    plain = content["words"]["plain"].split()
    return English(
        plain=frozenset(plain) | frozenset(map(stem, plain)),
        near=near,
        objects={stem(verb): frozenset(map(stem, nouns.split())) for verb, nouns in content["objects"].items()},
        superlatives=superlatives,
        comparatives=comparatives,
        bounds=compare,
        ordinals=content["ordinals"],
        symmetric=frozenset(map(stem, content["words"]["symmetric"].split())),
        phrases=tuple((re.compile(rf"\b{text}\b"), tuple(verbs)) for text, verbs in content["phrases"].items()),
        anything=frozenset(map(stem, content["words"]["anything"].split())),
        class_words=frozenset(map(stem, content["words"]["class_words"].split())),
        verbs=frozenset(map(stem, content["words"]["verbs"].split())),
        value_words=frozenset(map(stem, content["words"]["value_words"].split())),
        gaining=frozenset(map(stem, content["words"]["gaining"].split())),
        of_numbers=frozenset(map(stem, content["words"]["of_numbers"].split())),
        asking=frozenset(
            word
            for phrase in (content["words"]["asking"], *superlatives, *comparatives, *compare, *content["ordinals"])
            for word in phrase.split()
        ),
        unknown=tuple(content["words"]["unknown"]),
        not_superlative=frozenset(content["words"]["not_superlative"].split()),
        patterns=_Compiled(content["patterns"], macros),
        lead=re.compile(macros["lead"]),
        cues=_cues(content["words"], superlatives, comparatives, compare),
        number=number,
        numbers=numbers,
        scales=scales,
        months=content["months"],
        units={unit: float(factor) for unit, (_, factor) in content["units"].items()},
        currencies=currencies,
    )


def _macros(
    superlatives: Mapping[str, Comparison],
    comparatives: Mapping[str, Comparison],
    compare: Mapping[str, str],
    numbers: Mapping[str, float],
    ordinals: Mapping[str, int],
    months: Mapping[str, int],
) -> dict[str, str]:
    """Return the parts of patterns that are made of word lists."""
    count = _any_of([word for word, number in numbers.items() if 1 < number <= 50], r"\d{1,3}")
    before = rf"(?:(?P<rank>{_any_of(ordinals)})[ -])?(?:(?P<n>{count}) )?"
    adjectives = [form for form in superlatives if form not in _BARE]
    return {
        "sup": rf"{before}(?<!at )(?P<sup>{_any_of(superlatives)})(?: (?:number|amount|count) of)?",
        "adjective": rf"{before}(?P<sup>{_any_of(adjectives)})",
        "more": _any_of(comparatives),
        "either": _any_of([*superlatives, *comparatives]),
        "bound": _any_of(compare),
        "count": count,
        "month": _any_of(months),
    }


def _cues(
    words: Mapping[str, list[str]],
    superlatives: Mapping[str, Comparison],
    comparatives: Mapping[str, Comparison],
    compare: Mapping[str, str],
) -> re.Pattern[str]:
    """Return the pattern of words that call for an operator."""
    bounds = [phrase for phrase, kind in compare.items() if " " in phrase or kind == "exactly"]
    how = [f"how {form.removeprefix('more ')}" for form in comparatives if form.startswith("more ")]
    return re.compile(
        rf"\b(?:{_any_of([*words['cues'], *words['unknown'], *superlatives, *comparatives, *bounds, *how])})\b"
    )


def _any_of(words: Iterable[str], *patterns: str) -> str:
    """Return a pattern for any of some words, the longest first."""
    return "|".join([*sorted(map(re.escape, words), key=len, reverse=True), *patterns])


def _filled(pattern: str, macros: Mapping[str, str]) -> str:
    """Put the macros into a pattern."""
    for name, text in macros.items():
        pattern = pattern.replace(f"{{{name}}}", text)
    return pattern


def _adjectives(content: dict[str, dict[str, list[str]]]) -> tuple[dict[str, Comparison], dict[str, Comparison]]:
    """Return the superlatives and comparatives of the adjectives in the file."""
    superlatives = {"most": Comparison(True, ()), "fewest": Comparison(False, ()), "least": Comparison(False, ())}
    comparatives = {"more": Comparison(True, ()), "fewer": Comparison(False, ()), "less": Comparison(False, ())}
    for up, table in ((True, content["up"]), (False, content["down"])):
        for word, names in table.items():
            one, other = Comparison(up, tuple(names)), Comparison(not up, tuple(names))
            base = before_ending(word)
            superlatives |= {f"{base}est": one, f"most {word}": one, f"least {word}": other}
            comparatives |= {f"{base}er": one, f"more {word}": one, f"less {word}": other}
    irregular: dict[str, str] = dict(content["irregular"].items())  # type: ignore[arg-type]
    for form, word in irregular.items():
        is_up = word in content["up"]
        chosen = Comparison(is_up, tuple(content["up" if is_up else "down"][word]))
        (comparatives if form.endswith(("er", "se")) else superlatives)[form] = chosen
    return superlatives, comparatives


def _with_stems(phrases: Iterable[str]) -> frozenset[str]:
    """Return the words of phrases, and their stems."""
    words = {word for phrase in phrases for word in phrase.split()}
    return frozenset(words) | frozenset(map(stem, words))
