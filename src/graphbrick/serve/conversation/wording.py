"""English words by which a question refers to earlier turns, and replacing them by names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from graphbrick.language.stems import WORD
from graphbrick.language.stop_words import QUESTION_WORDS

_START = re.compile(
    r"(?:(?:and|but|or|so|then|also|ok|okay|now|well)\b[\s,:]*)*"
    r"(?:(?:what|how) about\b[\s,:]*|(?:the )?same (?:question )?(?:for|with|about)\b\s*)?",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\b(?:(?P<he>he|him|his|himself)|(?P<she>she|her|hers|herself)|(?P<it>it|its|itself)"
    r"|(?P<they>they|them|their|theirs|themselves)|(?P<there>there)"
    r"|(?P<that>(?:this|that|these|those)\s+(?!year|time|day|month|week|way|kind|sort)(?P<noun>[^\W\d_]+))"
    r"|(?P<bare>(?:this|that|these|those)(?=\s*[?.!,;:]*$)|(?<=of )(?:this|that|these|those)))\b",
    re.IGNORECASE,
)
_POSSESSIVE = frozenset(("his", "its", "their", "hers", "theirs"))
_NO_REFERENCE = re.compile(
    r"\b(?:is|was|isn't|wasn't|be) it (?:true|possible|correct|right|the case|known)\b"
    r"|\bhow (?:far|long|hot|cold|late|likely) (?:is|was) it\b|\bit (?:takes?|took)\b|\b(?:does|did) it take\b"
    r"|\bthose (?:with|without|who|whose|whom|that|which|having)\b|\bif (?:that|it) is\b"
    r"|\b(?:time|date|day|year) (?:is|was) it\b|\bit (?:is|was) (?:true|possible|correct|said|known)\b"
    r"|\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were|exists?)\b|\bthere any\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"they|them|their|theirs|themselves|these|those", re.IGNORECASE)
_VERBS = frozenset(
    "is are was were be been do does did has have had can could will would should may might what which who whom whose "
    "where when why how name list give show tell find count".split()
)
_IN_FULL = re.compile(
    r"\b(?:who|whom|whose|what|which|where|when|why|how|tell|show|give|list|name|find|count|describe|explain|define"
    r"|introduce|present|say|know|information|info|details?|facts?|more|everything|anything|all)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:any|all|every|each|never|nobody|anybody|everybody|anyone|everyone|nothing|anything|everything|nowhere|anywhere"
    r"|those (?:with|without|who|whose|that|which|having))\b"
    r"|(?<=[\w,] )(?!I\b)[A-Z][a-z]",  # also of what has a name that the graph does not know
)
_NO_CONTENT = QUESTION_WORDS | frozenset("about again instead please regarding same then too well".split())


class Reference(NamedTuple):
    """Words of a question that stand for something said before.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        kind: he, she, it, they, there, that (with a noun) or bare («of these»).
        text: The words.
        noun: The noun after «that»; empty for other kinds.
        possessive: Whether a name in its place takes an «'s».
    """

    start: int
    end: int
    kind: str
    text: str
    noun: str
    possessive: bool

    @property
    def plural(self) -> bool:
        """Return whether it may stand for several things."""
        return _PLURAL.match(self.text) is not None


def split_start(text: str) -> tuple[str, str]:
    """Return how a text joins what was said before, and the rest.

    >>> split_start("And what about Kenya?"), split_start("Andorra?")
    (('And what about ', 'Kenya?'), ('', 'Andorra?'))
    """
    match = _START.match(text)
    end = match.end() if match else 0
    return text[:end], text[end:]


def references(text: str) -> list[Reference]:
    """Return the words of a text that stand for something else, in order.

    >>> [(one.text, one.kind, one.possessive) for one in references("When did she marry her husband there?")]
    [('she', 'she', False), ('her', 'she', True), ('there', 'there', False)]
    >>> [(one.text, one.kind) for one in references("Which of these is in that country?")]
    [('these', 'bare'), ('that country', 'that')]
    >>> references("Is it true that there are lakes?")
    []
    """
    empty = [match.span() for match in _NO_REFERENCE.finditer(text)]
    listed = []
    for match in _REFERENCE.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in empty):
            continue
        kind, words, noun, end = str(match.lastgroup), match.group(), match.group("noun") or "", match.end()
        if noun.lower() in _NO_CONTENT or noun.lower() in _VERBS:  # «which of these is larger», but not «those who»
            if not text[: match.start()].lower().endswith("of "):
                continue
            kind, words, noun, end = "bare", words.split()[0], "", match.start() + len(words.split()[0])
        possessive = words.lower() in _POSSESSIVE or (words.lower() == "her" and _is_noun_next(text, end))
        listed.append(Reference(match.start(), end, kind, words, noun, possessive))
    return listed


def _is_noun_next(text: str, at: int) -> bool:
    """Return whether a noun may follow, as in «her husband», and not «her in 1890» or the end."""
    match = WORD.match(text, at + 1)
    return match is not None and match.group().lower() not in _NO_CONTENT and not match.group().isdigit()


def content_words(text: str) -> list[str]:
    """Return the content words of a text, in lower case.

    >>> content_words("the population in 2020, please")
    ['population', '2020']
    """
    return [word for word in map(str.lower, WORD.findall(text)) if word not in _NO_CONTENT and word not in _VERBS]


def is_asked_in_full(text: str) -> bool:
    """Return whether a text without names says what is asked: «Tell me about ...», «Who is ...?», «more on ...».

    >>> is_asked_in_full("tell me more about      "), is_asked_in_full("of      ?"), is_asked_in_full("does      ?")
    (True, False, False)
    """
    return _IN_FULL.search(text) is not None


def is_of_all(text: str) -> bool:
    """Return whether a text without known names speaks of all things, or of one that has another name.

    >>> is_of_all("who doesn't report to anybody?"), is_of_all("who made Jaws"), is_of_all("What is its age?")
    (True, True, False)
    """
    return _OF_ALL.search(text) is not None


def starts_with_verb(text: str) -> bool:
    """Return whether a text asks for yes or no: «is Nairobi in Kenya».

    >>> starts_with_verb("Is Nairobi in Kenya?"), starts_with_verb("in Kenya?")
    (True, False)
    """
    return re.match(r"(?:is|are|was|were|do|does|did|has|have|had|can|will)\b", text, re.IGNORECASE) is not None


def listed(names: Sequence[str]) -> str:
    """Return names as they are read aloud.

    >>> listed(["Kenya", "Uganda", "Rwanda"])
    'Kenya, Uganda and Rwanda'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_place(text: str, reference: Reference, names: Sequence[str]) -> str:
    """Return a text with names in place of a reference.

    >>> text = "who is her husband?"
    >>> in_place(text, references(text)[0], ["Marie Curie"])
    'who is the husband of Marie Curie?'
    """
    before, after = text[: reference.start], text[reference.end :]
    if reference.kind == "there" and not re.search(r"\b(?:from|near|around|in|to)\s+$", before, re.IGNORECASE):
        return f"{before}in {listed(names)}{after}"
    if not reference.possessive:
        return f"{before}{listed(names)}{after}"
    phrase = re.fullmatch(r"\s+([^?.!,;:]+)([?.!\s]*)", after)
    words = WORD.findall(phrase[1].lower()) if phrase else []
    if phrase and 1 <= len(words) <= 3 and not any(word in QUESTION_WORDS or word in _VERBS for word in words):
        return f"{before}the {phrase[1].strip()} of {listed(names)}{phrase[2]}"
    return f"{before}{listed([name + _genitive(name) for name in names])}{after}"


def _genitive(name: str) -> str:
    return "'" if name.endswith("s") else "'s"


def as_question(text: str) -> str:
    """Return a text as a question: a noun alone is asked for.

    >>> as_question("the currency of Kenya?"), as_question("borders of Kenya"), as_question("who rules Kenya")
    ('What is the currency of Kenya?', 'What are the borders of Kenya?', 'Who rules Kenya?')
    """
    text = text.strip().rstrip("?.! ")
    words = [word.lower() for word in WORD.findall(text)]
    if words and not _VERBS.intersection(words):
        phrase = text if words[0] in ("the", "a", "an") else f"the {text}"
        nouns = words[1:2] if words[0] in ("the", "a", "an") else words[:1]
        is_plural = nouns and nouns[0].endswith("s") and not nouns[0].endswith("ss")
        text = f"What {'are' if is_plural else 'is'} {phrase[0].lower()}{phrase[1:]}"
    return f"{text[:1].upper()}{text[1:]}?"


def about(text: str, names: Sequence[str]) -> str:
    """Return a question that lacks its subject with names as the subject.

    >>> about("the population?", ["Kenya"])
    'What is the population of Kenya?'
    """
    return as_question(f"{text.strip().rstrip('?.! ')} of {listed(names)}")
