"""English questions in other words: a count as a list, a list as a count, and either as a noun phrase."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphbrick.language import forms
from graphbrick.language.stems import stem

_BE = r"(?:are|is|were|was)"
_THE = re.compile(r"^(?:all |the |all of )+", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:please )?(?:(?:can|could) you )?(?:list|show|give|name|find|get)(?: me| us)?(?: a list of)? (?P<rest>.+)",
    re.IGNORECASE,
)
_WHAT_ARE = re.compile(rf"(?:what|who|which) {_BE} (?P<rest>(?:the|all) .+)", re.IGNORECASE)
_WHICH = re.compile(rf"(?:which|what|how many) (?!{_BE}\b)(?:of )?(?P<rest>.+)", re.IGNORECASE)
_SOME = re.compile(
    r"(?:which|what|how many) of (?P<base>the .+?) (?P<be>are|is|were|was) (?!the \w+(?:est)?$)(?P<rest>.+)",
    re.IGNORECASE,
)
_WHO = re.compile(r"who (?P<rest>.+)", re.IGNORECASE)
_HOW_MANY = re.compile(r"how many (?P<rest>.+)", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:what is |what's |give me )?the (?:total )?number of (?P<rest>.+)|count (?P<all>.+)", re.IGNORECASE
)
_PREPOSITIONS = frozenset(
    "of in at on by for from with without under over above below near between before after to within".split()
)
_BES, _DOES, _HAVE = frozenset("are is were was".split()), frozenset("do does did".split()), ("have", "has", "own")
_ASKING = frozenset("which what who whom whose where when why how is are was were do does did has have can".split())
_LONGEST_NOUN = 4  # words before the end of a noun


_AND = re.compile(r"^(?:(?:and|but|so|then|also|ok|okay|now|well)\b[\s,:]*)+", re.IGNORECASE)


def _plain(question: str) -> str:
    question = _AND.sub("", " ".join(question.split())) or question
    return " ".join(question.split()).rstrip("?.!。？ ")


def as_list(question: str) -> str:
    """Return a question for a number as one for the things; empty for another question.

    >>> as_list("How many customers are in Germany?"), as_list("Who rules Kenya?")
    ('Which customers are in Germany?', '')
    """
    text = _plain(question)
    if match := _HOW_MANY.fullmatch(text):
        return f"Which {match['rest']}?"
    match = _NUMBER.fullmatch(text)
    return f"List the {_THE.sub('', match['rest'] or match['all'], count=1)}?" if match else ""


def as_counts(question: str, types: Collection[str] = (), people: Sequence[str] = ("people",)) -> list[str]:
    """Return questions for the number of what a question lists, the likeliest first.

    Args:
        question: The question.
        types: Stems of the last words of names of classes.
        people: Nouns for «who», in the plural.

    >>> as_counts("Which customers are in Germany?")[0], as_counts("Who works for Shop?")[0]
    ('How many customers are in Germany?', 'How many people work for Shop?')
    >>> as_counts("products of Exotic Liquids")
    ['How many products of Exotic Liquids are there?']
    """
    text, counts = _plain(question), list[str]()
    which = re.fullmatch(rf"(?:which|what) (?!{_BE}\b)(?P<rest>.+)", text, re.IGNORECASE)
    who = re.fullmatch(rf"who (?!{_BE} the\b)(?P<rest>.+)", text, re.IGNORECASE)
    if which:
        counts.append(f"How many {which['rest']}?")
    elif who:
        counts += [f"How many {one} {_of_several(who['rest'])}?" for one in people]
    return counts + [f"How many {_THE.sub('', one, count=1)} are there?" for one in noun_phrases(text, types)]


def noun_phrases(question: str, types: Collection[str] = ()) -> list[str]:
    """Return phrases that may name what a question asks for, the likeliest first; it must be tried whether they do.

    Args:
        question: The question.
        types: Stems of the last words of names of classes, by which the end of a noun is found.

    >>> noun_phrases("Which people work in the Berlin Office?")
    ['the people that work in the Berlin Office', 'the people in the Berlin Office']
    >>> noun_phrases("How many incidents were there in 2023?"), noun_phrases("products of Exotic Liquids")
    (['the incidents in 2023'], ['the products of Exotic Liquids'])
    >>> noun_phrases("Which of the players of Real Vantora are defenders?")
    ['the players of Real Vantora that are defenders']
    >>> noun_phrases("How many players does The Foundry have?")[0], noun_phrases("Where is Kenya?")
    ('the players of The Foundry', [])
    """
    text = _plain(question)
    lead = _LEAD.fullmatch(text) or _WHAT_ARE.fullmatch(text)
    if lead:
        return [f"the {_THE.sub('', lead['rest'], count=1)}"]
    if some := _SOME.fullmatch(text):
        return [f"{some['base']} that {'are' if some['be'] == 'is' else some['be']} {some['rest']}"]
    if which := _WHICH.fullmatch(text):
        return _phrases(_THE.sub("", which["rest"], count=1).split(), types)
    if who := _WHO.fullmatch(text):
        return [f"the people who {_of_several(who['rest'])}"]
    words = text.split()
    return [] if not words or words[0].lower() in _ASKING else [f"the {_THE.sub('', text, count=1)}"]


def _phrases(words: list[str], types: Collection[str]) -> list[str]:
    """Return the phrases for «customers are in Germany» and the like."""
    ends = [i for i, word in enumerate(words[:_LONGEST_NOUN]) if stem(word.lower()) in types]
    end = ends[0] + 1 if ends else 1
    noun, after = " ".join(words[:end]), words[end:]
    if not after:
        return [f"the {noun}"]
    first, rest = after[0].lower(), after[1:]
    if first in _BES:
        is_there = rest[:1] == ["there"]
        tail = " ".join(rest[1:] if is_there else rest)
        return [f"the {noun} {tail}".rstrip(), *([] if is_there or not tail else [f"the {noun} that {first} {tail}"])]
    if first in _DOES and len(rest) > 1:
        return _of_subject(noun, first, " ".join(rest[:-1]), rest[-1])
    if first in _PREPOSITIONS:
        return [f"the {noun} {' '.join(after)}"]
    without_verb = [f"the {noun} {' '.join(rest)}"] if rest and rest[0].lower() in _PREPOSITIONS else []
    return [f"the {noun} that {' '.join(after)}", *without_verb]


def _of_subject(noun: str, does: str, subject: str, verb: str) -> list[str]:
    """Return the phrases for «services does Shop own»."""
    if verb.lower() in _HAVE[:2]:
        return [f"the {noun} of {subject}", f"the {noun} that {subject} {verb}"]
    if not forms.is_installed() or verb.lower() in _PREPOSITIONS:
        return [f"the {noun} that {subject} {verb}"]
    said = {"does": forms.third_person, "did": forms.past}.get(does, str)(verb.lower())
    by = f"the {noun} {forms.participle(verb.lower())} by {subject}"
    return [f"the {noun} that {subject} {said}", by, f"the {noun} of {subject}"]


def _of_several(text: str) -> str:
    """Return a text whose first word is a verb as one about several: «works for X», «work for X»."""
    verb, space, rest = text.partition(" ")
    has_base = forms.is_installed() and verb.endswith("s") and verb.lower() not in ("is", "was", "has", "does")
    base = forms.verb_of(verb.lower()) if has_base else ""
    return f"{base or {'is': 'are', 'was': 'were', 'has': 'have', 'does': 'do'}.get(verb, verb)}{space}{rest}"


def most_of(question: str) -> str:
    """Return what the answer to a question has most or least of; empty for another question.

    >>> most_of("Which employee has the most orders?"), most_of("Which lake is the largest?")
    ('orders', '')
    """
    match = re.fullmatch(r".+ (?:has|have|had) the (?:most|fewest|least) (?P<what>[\w -]+)", _plain(question))
    return match["what"] if match else ""


_SORT = re.compile(r"(?:sort|order|rank|arrange)(?: (?:them|these|those))?(?: all)? (?P<by>by .+)", re.IGNORECASE)
_ONLY = re.compile(
    r"(?:show (?:me )?|list )?(?:only|just) (?:(?:those|the ones|ones)(?: (?:that|who|which))? (?P<those>.+)"
    r"|(?:the )?(?P<which>[\w -]+?) ones?)",
    re.IGNORECASE,
)
_TALLY = re.compile(
    r"(?:and )?(?:(?:so )?how many(?: (?:are|were) (?:there|they|these|those)| (?:is|was) (?:that|this|it)| of them"
    r"| (?:are|were) there of them| in total| in all| altogether)*|how many results|count them)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:and )?(?:(?:who|which|what) (?:are|were) (?:they|these|those)|(?:which|what) ones"
    r"|(?:please )?(?:list|show|name|give)(?: me| us)? (?:them|these|those|the list)(?: all)?)",
    re.IGNORECASE,
)
_WHO_IS = re.compile(
    r"(?:who|which|which one|which of them) (?P<be>is|was) the (?P<best>(?:most|least) [\w-]+|[\w-]{3,}est)",
    re.IGNORECASE,
)
_PLURAL_VERB = re.compile(r"(?:that|who|which|are|were|have|had|do|did|can)\b|[a-z]+ (?:less|more|at|over|under)\b")


def as_full_sentence(text: str) -> str:
    """Return a wish about the last answers as a question with «them»; another text as it is.

    >>> as_full_sentence("sort them by price"), as_full_sentence("only the remote ones")
    ('List them sorted by price', 'Which of them are remote?')
    >>> as_full_sentence("only those with more than 5 goals"), as_full_sentence("who is the oldest?")
    ('Which of them have more than 5 goals?', 'Which of them is the oldest?')
    >>> as_full_sentence("only those under 15"), as_full_sentence("only those who live in London")
    ('Which of them are under 15?', 'Which of them live in London?')
    """
    plain = _plain(text)
    if match := _SORT.fullmatch(plain):
        return f"List them sorted {match['by']}"
    if match := _ONLY.fullmatch(plain):
        said = re.sub(r"^with\b", "have", match["those"] or match["which"])
        is_clause = _PLURAL_VERB.match(said) or re.search(r"\b(?:that|who|which) ", plain)
        return f"Which of them {said}?" if is_clause else f"Which of them are {said}?"
    if match := _WHO_IS.fullmatch(plain):
        return f"Which of them {match['be']} the {match['best']}?"
    return text


def wants_number(text: str) -> bool:
    """Return whether a message asks only how many the last answers are: «How many are there?»."""
    return _TALLY.fullmatch(_plain(text)) is not None


def wants_list(text: str) -> bool:
    """Return whether a message asks only which the last answers are: «Who are they?», «list them»."""
    return _NAMED.fullmatch(_plain(text)) is not None
