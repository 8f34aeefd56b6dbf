"""References that a question explains by itself, so that they mean nothing of earlier turns."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from graphbrick.language.stems import is_plural, stem, stems
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
