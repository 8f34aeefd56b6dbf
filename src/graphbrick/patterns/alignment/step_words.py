"""The words of a step without training: those of its label, and which way each of them points.

A label says what its tails are to its heads («supplier», «mother»), what its heads are («apprentice of»), or what one
does to the other («built by», «lives in»). «X's builder», «who built X» and «the violins built by X» then have one
direction each. Names with dots say what the heads are, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from graphbrick.language.stems import root, stem
from graphbrick.patterns.alignment.alignment import Token
from graphbrick.patterns.dotted import DottedName, dotted_name, spoken_part
from graphbrick.patterns.text import in_words

_SKIPPED = frozenset("has have is was are were be been the a an".split())
_PREPOSITIONS = frozenset("in at with for to from on into under over near within as".split())
_OWNING = frozenset("with as does do did has have".split())
"""Words before the seed that make it the owner: «share an employer with X», «which employer does X have»."""
_AGENTS = ("er", "or", "ist", "ant", "ent")
_CONVERSE = (
    ("child son daughter kid offspring", "parent mother father mom mum dad"),
    ("employer company firm workplace", "employee worker staff"),
    ("teacher mentor instructor tutor master", "student pupil apprentice disciple trainee"),
    ("boss manager supervisor superior", "report subordinate"),
    ("predecessor", "successor"), ("ancestor", "descendant"), ("owner", "property possession"),
    ("home residence", "resident inhabitant"), ("whole", "part"), ("group", "member"),
)  # fmt: skip
_OF_VERBS = {
    "work": ("employer company firm workplace", "employee worker staff"), "employ": ("", "employee worker staff"),
    "liv": ("home residence", "resident inhabitant"), "bas": ("base headquarters", ""), "locat": ("location place", ""),
    "study": ("school university", "student"), "bor": ("birthplace", "native"), "direct": ("filmmaker", ""),
    "play": ("team club", "player"), "own": ("", "property"),
}  # fmt: skip
"""Nouns for the tails and the heads of verbs, by root."""
_OPPOSITE = {
    stem(word): frozenset(map(stem, other.split()))
    for pair in _CONVERSE
    for words, other in (pair, pair[::-1])
    for word in words.split()
}

_ALL_NOUNS = [*_CONVERSE, *_OF_VERBS.values()]
_IN_FULL = {stem(word): word for pair in _ALL_NOUNS for words in pair for word in words.split()}


@dataclass(frozen=True, slots=True)
class StepWords:
    """The words of a relation.

    Attributes:
        words: Its words, all of them as one phrase, then each by itself.
        tail: Stems of nouns that say what the tail is to the head.
        head: Stems of nouns that say what the head is to the tail.
        verb: The root of its verb; "" for none.
        is_passive: Whether the tail does what the verb says («built by»), rather than the head («lives in»).
        phrase: A name of several words, such as «place of birth»; "" for none.
        head_kind: What the heads are, where the label says it: «person» of `people.person.nationality`.
    """

    words: tuple[str, ...]
    tail: frozenset[str]
    head: frozenset[str]
    verb: str = ""
    is_passive: bool = False
    phrase: str = ""
    head_kind: str = ""

    @property
    def nouns(self) -> tuple[str, ...]:
        """Nouns for its ends, in full, and for who does what its verb says."""
        agents = (f"{self.verb}er", f"{self.verb}or") if self.verb else ()
        return (*(_IN_FULL.get(noun, noun) for noun in sorted(self.tail | self.head)), *agents)

    def is_named(self, word: str) -> bool:
        """Return whether a word is the noun of the label itself, in the singular or the plural."""
        return any(stem(word) == stem(name) for name in self.words)

    def direction(self, token: Token) -> int:
        """Return which way a word of a question points: 1 forwards, -1 backwards, 0 either."""
        word = token.word
        noun = stem(word.rpartition(" ")[2])
        forwards = 1 if noun in self.tail or stem(word) in self.tail else -1 if noun in self.head else 0
        if self.verb and word.endswith(("ed", "ing")):
            forwards = 0  # «based» is not a base
        is_owned = token.place == 0 or (token.is_left and not _OWNING.isdisjoint(token.connectors[:1]))
        if not forwards and self.verb and root(word) == self.verb:
            if word.endswith("ee"):
                forwards = -1 if self.is_passive else 1
            elif word.endswith(_AGENTS):
                forwards = 1 if self.is_passive else -1
            elif "of" not in token.connectors and "'s" not in token.connectors:
                acts = token.is_left != (token.place == 2 if token.is_left else token.place == 1)
                return 1 if self.is_passive == acts else -1
            else:
                forwards = 0 if self.is_passive else 1  # «X's base», where X is based in a town
        return -forwards if token.before == "whose" else forwards if is_owned else 0


@lru_cache(maxsize=4096)
def step_words(label: str) -> StepWords:
    """Return the words of a relation label.

    >>> "apprentic" in step_words("apprentice_of").head, step_words("built_by").is_passive
    (True, True)
    >>> sorted(step_words("has_child").head)
    ['dad', 'father', 'mom', 'mother', 'mum', 'parent']
    >>> dotted = step_words("film.actor.film..film.performance.film")
    >>> sorted(dotted.tail), sorted(dotted.head), dotted.head_kind
    (['film'], ['actor'], 'actor')
    """
    dotted = dotted_name(label)
    if dotted is not None:
        return _dotted(dotted)
    phrase = in_words(label).split()
    tokens = [word for word in phrase if word not in _SKIPPED] or phrase
    words = _words(phrase, tokens) or (label,)
    last = tokens[-1] if tokens else ""
    if last == "of" and len(tokens) > 1:
        nouns = _nouns(tokens[:-1])
        return StepWords(words, _converse(nouns), nouns)
    if last == "by" and len(tokens) > 1:
        return StepWords(words, *_nouns_of_verb(tokens[0]), root(tokens[0]), is_passive=True)
    if len(tokens) > 1 and last in _PREPOSITIONS:
        return StepWords(words, *_nouns_of_verb(tokens[0]), root(tokens[0]))
    nouns = _nouns(tokens)
    is_agent = len(tokens) == 1 and last.endswith(_AGENTS)
    verb, phrases = root(last) if is_agent else "", " ".join(tokens) if len(tokens) > 1 else ""
    return StepWords(words, nouns, _converse(nouns), verb, is_passive=is_agent, phrase=phrases)


def _dotted(name: DottedName) -> StepWords:
    """Return the words of a dotted name: the type is what heads are, the properties what the tail is to the head."""
    kind, properties = name.kind, list(dict.fromkeys(map(spoken_part, name.properties)))
    phrase = " ".join(properties).split()
    tokens = [word for word in phrase if word not in _SKIPPED] or phrase
    nouns = _nouns(properties[-1].split())
    words = dict.fromkeys([*properties, *_words(phrase, tokens)])
    return StepWords(
        tuple(words), nouns, (_converse(nouns) | {stem(kind)}) - nouns, phrase=properties[-1], head_kind=kind
    )


def _words(phrase: list[str], tokens: list[str]) -> tuple[str, ...]:
    """Return a label as one phrase, and its single words with a meaning."""
    single = [word for word in tokens if word not in _PREPOSITIONS and word not in ("of", "by")]
    return tuple(dict.fromkeys(filter(None, [" ".join(phrase), *single])))


def _nouns_of_verb(verb: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of nouns for the tails and the heads of a verb."""
    tail, head = (frozenset(map(stem, nouns.split())) for nouns in _OF_VERBS.get(root(verb), ("", "")))
    return tail, head


def _nouns(tokens: list[str]) -> frozenset[str]:
    """Return the stems of a noun phrase, of its head, and of its other words of the same meaning."""
    head = tokens[tokens.index("of") - 1] if "of" in tokens[1:] else tokens[-1]
    same = {
        word
        for words, other in _CONVERSE
        for group in (words, other)
        if head in group.split()
        for word in group.split()
    }
    return frozenset(map(stem, (" ".join(tokens), head, *same)))


def _converse(nouns: frozenset[str]) -> frozenset[str]:
    return frozenset(word for noun in nouns for word in _OPPOSITE.get(noun, ())) - nouns
