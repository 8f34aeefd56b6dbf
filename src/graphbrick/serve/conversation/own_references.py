"""Whether a question needs earlier turns: references that it explains by itself, and questions that have none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphbrick.language import forms
from graphbrick.language.stems import WORD, is_plural, stem, stems
from graphbrick.serve.conversation.focus import member_of
from graphbrick.serve.conversation.names import Name
from graphbrick.serve.conversation.wording import Reference, content_words

_TOLD = 3  # content words before «that» that tell what it means: «someone called from a +373 number, where is that»
_LONG = 12  # content words before a pronoun; messages that go on from an answer are short
_SUBJECT = re.compile(
    r"(?:(?:which|what|how many) )?(?P<noun>[\w-]+) (?P<verb>(?!do\b|did\b|does\b)[\w-]+)", re.IGNORECASE
)
_BE = frozenset("is are was were".split())
_FIRST = re.compile(r"(?:the|an?) [^?.!]+, (?:who|what|which|where|when|how)\b", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:do|did|are|were|can|could|have|had|will|would|should|what|when|where|how)$", re.IGNORECASE)


def explains_itself(one: Reference, text: str, names: Sequence[Name], classes: Collection[str]) -> bool:
    """Return whether a reference means something in its own question.

    Args:
        one: The reference.
        text: The question.
        names: The names in it.
        classes: Stems of the words of names of classes.

    >>> text = "which pilots joined their airline before 2014?"
    >>> explains_itself(Reference(21, 26, "they", "their", "", True), text, (), {"pilot"})
    True
    """
    before, kind = text[: one.start], one.kind
    if any(re.search(r"[.!?] ", text[name.end : one.start]) for name in names if name.end <= one.start):
        return True  # «I live in Paris. Which country is that?»
    said = re.split(r"[.!?] ", before)
    if max(map(len, map(content_words, said[:-1])), default=0) >= _TOLD or len(content_words(before)) >= _LONG:
        return True  # «There are many ways of making a barrel. How many are there for it?»
    if kind == "bare" and len(content_words(before)) >= _TOLD and not before.lower().endswith("of "):
        return True
    if _FIRST.match(text) and "," in before and len(content_words(before.partition(",")[0])) > 1:
        return True  # «the team with the most goals, who leads it?»
    if one.possessive and sum(name.start >= one.end for name in names) > 1:
        return True  # «who left their team first, Ann or Bob?»
    return _is_of_subject(one, text, classes) or _is_of_clause(one, before)


def _is_of_subject(one: Reference, text: str, classes: Collection[str]) -> bool:
    """Return whether a pronoun means what the question asks for: «which film has the most people in it»."""
    match = _SUBJECT.match(text)
    if match is None or match.end() >= one.start or one.kind not in ("it", "he", "she", "they"):
        return False
    noun, is_near = match["noun"].lower(), not text[match.end() : one.start].strip()
    if not (stem(noun) in classes or (is_plural(noun) and one.plural)) or is_plural(noun) != one.plural:
        return False
    if match["verb"].lower() in _BE and is_near:
        return False  # «which players are their best ones»
    is_asked = _ASKING.search(text[: one.start].rstrip()) is not None
    return one.possessive or (not is_near and not is_asked and not text[: one.start].lower().endswith("than "))


def _is_of_clause(one: Reference, before: str) -> bool:
    """Return whether «they» is the subject of a clause: «lecturers of a department they work in»."""
    words = stems(before)
    is_they = one.text.lower() == "they" and len(words) > 1
    return is_they and not _ASKING.search(before.rstrip()) and is_plural(before.split()[0].lower())


def means_people(one: Reference, names: Sequence[Name]) -> bool:
    """Return whether «they» may mean people in general: «which languages do they speak in Kenya?»."""
    return bool(names) and one.text.lower() == "they"


_OPEN = re.compile(
    r"\b(?:he|him|his|himself|she|her|hers|herself|its?|itself|they|them|theirs?|themselves|this|these|those|here|you|your"
    r"|ones?|others?|another|else|same|such|former|latter|above|previous|previously|said|mentioned|respective"
    r"|respectively|so|too|also|again|instead|then|rest|remaining|both|neither|either|only|just|even|still|why|further"
    r"|next|last|rather|really|sure|correct|wrong|meant?|actually)\b",
    re.IGNORECASE,
)
"""Words that may speak of what was said before."""
_SOME = re.compile(
    r"(?<!how )(?<!the )\b(?:any|some|all|each|none|few|several|many|most)\b(?! of\b)"
    r"(?:\s+(?:our|the))?(?:\s+(?P<noun>[\w-]+))?",
    re.IGNORECASE,
)
_THERE = re.compile(r"\b(?:is|are|was|were|be|been) there\b|\bthere (?:is|are|was|were)\b", re.IGNORECASE)
_COMPARATIVE = re.compile(
    r"\b(?:more|less|fewer|better|worse|(?:larg|small|bigg|old|young|high|low|long|short|earli|lat|cheap|new|great|fast"
    r"|slow|rich|heavi|light|clos|near|farth|wid|deep|tall|strong|weak|saf|busi|easi|hard)er)\b(?!.*\b(?:than|or)\b)",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"(?P<told>\b(?:the|which|what|many|all|any)\s+(?:[\w-]+\s+){1,2})?(?:(?<![\w-])(?P<noun>[\w-]+)\s+)?\bthat\b",
    re.IGNORECASE,
)
_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should"
_AFTER_NOUN = "of|in|at|on|by|for|from|with|to|under|over|between|about|that|who|which|whose"
_EXPLAINED = re.compile(
    rf"\bthe (?=\s|\d|[A-Z])|\bthe (?:[\w-]+ )?(?:most|least|fewest|[a-z]{{3,}}est)\b"
    rf"|\bthe (?P<noun>(?:[\w-]+ ){{1,3}}?)(?:(?P<joins>{_AFTER_NOUN})\b(?=\W+\w|\s{{2}})|(?=\s|\d))"
)
_STARTS = re.compile(
    rf"(?:(?:(?:in|at|on|for|from|by|to|with|since|under) )?(?:who|whom|whose|which|what|where|when|how)\b"
    rf"|(?!was\b)(?:{_AUXILIARY})\b|(?:list|show|give|tell|find|count|name|describe|summari[sz]e|explain)\b)",
    re.IGNORECASE,
)
_LACKS_NOUN = re.compile(
    rf"(?!how much (?:do|does|did|is|was)\b)(?:which|how many|how much|whose) (?:{_AUXILIARY}|{_AFTER_NOUN})\b"
    r"(?! (?:our|all|we)\b)",
    re.IGNORECASE,
)
_LACKS_THINGS = re.compile(r"how many (?:do|does|did|has|have|had)\b", re.IGNORECASE)
_BARE_BEST = re.compile(r"\bthe (?:[\w-]+ )?(?:most|least|fewest|[a-z]{3,}est)\W*$", re.IGNORECASE)
_ABOUT_NAME = re.compile(
    r"(?:(?:who|what|where) (?:is|are|was|were)|tell (?:me|us) about|describe|summari[sz]e|show (?:me|us)?|explain)\W*",
    re.IGNORECASE,
)
_QUESTIONS = frozenset("who whom whose which what where when how".split())
_ASKS = re.compile(rf"\b(?:{_AUXILIARY})\b", re.IGNORECASE)


def speaks_of_others(text: str, names: Sequence[Name], classes: Collection[str]) -> bool:
    """Return whether a question may speak of something that it does not name.

    It may if it has a pronoun, a comparison with something unsaid, or «the» before a noun that nothing explains. When
    in doubt it does: «both» may stand for what was said before.

    Args:
        text: The question.
        names: The names in it.
        classes: Stems of the words of names of classes.

    >>> [speaks_of_others(one, (), {"product"}) for one in ("Who leads it?", "Who is older?", "Who leads the team?")]
    [True, True, True]
    >>> speaks_of_others("Which products that cost 5 have the most orders of 2013?", (), {"product"})
    False
    """
    outside = _THERE.sub(" ", without_names(text, names))
    if _LACKS_THINGS.match(text):
        return True  # «how many does it own»
    if _BARE_BEST.search(text) and not re.search(r"\bof\b", text, re.IGNORECASE):
        return True  # «is Chai the cheapest?»
    if _OPEN.search(outside) or _COMPARATIVE.search(outside) or re.search(r"\bthere\b", outside, re.IGNORECASE):
        return True
    quantified = [(one["noun"] or "").lower() for one in _SOME.finditer(outside)]
    if any(not is_plural(noun) or stem(noun) not in classes for noun in quantified):
        return True  # «did any order Chai?»
    if any(not one["told"] and stem((one["noun"] or "").lower()) not in classes for one in _THAT.finditer(outside)):
        return True  # not «the people that ...»
    rest = _EXPLAINED.sub(lambda found: " the " if _has_verb(found, classes) else " ", outside)
    return re.search(r"\bthe\b", rest, re.IGNORECASE) is not None


def _has_verb(found: re.Match[str], classes: Collection[str]) -> bool:
    """Return whether the last of several words after «the» may be a verb: «what does the page say about X»."""
    words = (found["noun"] or "").lower().split()
    if len(words) < 2 or found["joins"] == "of" or stem(words[-1]) in classes or not forms.is_installed():
        return False
    if forms.is_adjective(words[-2]) or forms.participle_of(words[-1]):
        return False  # «the average salary in», «the parts made in»
    return _is_verb(words[-1])


def is_whole(text: str, names: Sequence[Name]) -> bool:
    """Return whether a text is a whole English question or wish about something, not «how many in Berlin?».

    >>> [is_whole(one, ()) for one in ("Which products cost 5?", "Who works in Berlin?", "List all teams")]
    [True, True, True]
    >>> [is_whole(one, ()) for one in ("How many in Berlin?", "How many did Berlin have?", "Who in Berlin?")]
    [False, False, False]
    """
    outside = " ".join(without_names(text, names).split())
    start = _STARTS.match(text)
    if start is None or _LACKS_NOUN.match(text):
        return False
    if not content_words(outside):
        return bool(names) and _ABOUT_NAME.fullmatch(outside) is not None
    rest, asking = WORD.findall(text[start.end() :]), start[0].lower().split()[-1]
    if asking in ("which", "how", "whose"):
        rest = rest[1 + (asking == "how") :]  # the noun may also be a verb: «how many orders of Chai»
    return asking not in _QUESTIONS or any(_ASKS.fullmatch(one) or _is_verb(one) for one in rest)


def names_its_own(text: str, names: Sequence[Name], said: str) -> bool:
    """Return whether a question names what it is about: an entity, or another name or a year in words that are new.

    A year or a value such as «Germany» may also choose among the things that were spoken of.

    Args:
        text: The question.
        names: The entities that it names.
        said: What was said just before.

    >>> names_its_own("Which customers are in Germany?", (), "Who leads the Payments Team?")
    True
    >>> names_its_own("Which customers are in Germany?", (), "Which customers bought Chai?")
    False
    """
    if any(re.search(r"[\W\d]|[A-Z]", text[name.start : name.end]) for name in names):
        return True
    has_value = re.search(r"(?<=[\w,] )[A-Z]\w|\b\d{4}\b", text) is not None
    return has_value and set(map(stem, content_words(text))).isdisjoint(map(stem, content_words(said)))


def proper(text: str, names: Sequence[Name], said: str = "") -> list[Name]:
    """Return those of the names in a question that have a capital or a digit, and were not said before.

    >>> [one.start for one in proper("Who made the token of Bolt?", [Name(9, 18, 1, True), Name(22, 26, 2, True)])]
    [22]
    """
    capital = [name for name in names if re.search(r"[A-Z\d]", text[name.start : name.end])]
    return [name for name in capital if text[name.start : name.end].casefold() not in said.casefold()]


def may_choose(text: str, names: Sequence[Name], former: str, classes: Collection[str]) -> bool:
    """Return whether a question may choose among the answers to another one, as it asks for things of the same class.

    Args:
        text: The question.
        names: The names in it.
        former: The other question, without its names.
        classes: Stems of the words of names of classes.

    >>> may_choose("Which customers bought Chai?", (), "Which customers are in Germany?", {"customer"})
    True
    >>> may_choose("Which customers bought Tofu?", [Name(23, 27, 1, True)], "Which customers bought?", {"customer"})
    False
    """
    own, before = (set(map(stem, content_words(one))) for one in (without_names(text, names), former))
    if not own or own == before:
        return False
    of_people = former.lower().startswith("who ") or any(map(member_of, WORD.findall(former)))
    if of_people and text.lower().startswith("who "):
        return True  # «who ordered Chai» after «which customers are in Germany»
    return not own.isdisjoint(before & set(classes))


def _is_verb(word: str) -> bool:
    return word.islower() and forms.is_installed() and bool(forms.verb_of(word))


def without_names(text: str, names: Sequence[Name]) -> str:
    """Return a text without names; two spaces stand where they were."""
    for name in reversed(names):
        text = f"{text[: name.start]}  {text[name.end :]}"
    return text
