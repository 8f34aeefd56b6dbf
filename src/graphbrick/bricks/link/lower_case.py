"""Parts of names in lower case, numbers that end names («senna», «sprint 8»), and words that name nothing."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.bricks.link.exact import Matches
from graphbrick.bricks.link.question import Question, Span
from graphbrick.bricks.link.unmatched import MISSPELT, READ_WORDS, Unmatched
from graphbrick.bricks.link.words import vocabulary
from graphbrick.core import Mention
from graphbrick.graphs.graph import Graph
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import Token, name_form
from graphbrick.language.forms import is_installed, is_word, may_be_noun
from graphbrick.language.stems import WORD, is_plural, spaced, stem
from graphbrick.language.stop_words import FUNCTION_WORDS, QUESTION_WORDS, TITLES

_SMALL = frozenset((*QUESTION_WORDS, *FUNCTION_WORDS))
_WITH = frozenset(("with", "without", "has", "have", "had"))
_BETWEEN_PARTS = Expression(r"\s*(?:[/,;&+(]|\band\b)\s*")
_SHORTEST = 4  # letters of a common noun that is a part of a name
_AUXILIARIES = frozenset(("do", "does", "did", "has", "have", "had", "is", "was"))


def parts_of_names(unmatched: Unmatched) -> Matches:
    """Return parts of names in a question that shows none by capitals, and numbers that end names."""
    question = unmatched.question
    parts = [] if question.shows_names or question.shouts else _lower_parts(unmatched)
    taken = {span for span, _ in parts}
    had = [one for one in _had(unmatched) if one[0] not in taken]
    return [*parts, *had, *_numbered(unmatched)]


def _had(unmatched: Unmatched) -> Matches:
    """Return common nouns that are a part of one name alone, before a class or after «with»: «meat products».

    They are nouns that the graph does not know otherwise: «patients with dementia» of «Dementia in Alzheimer disease».
    """
    known, words = vocabulary(unmatched.graph), unmatched.question.words[:READ_WORDS]
    classes = {stem(spaced(name).lower().split()[-1]) for name in unmatched.graph.type_labels()}
    found = []
    for at, word in enumerate(words):
        before, after = (words[place].text if 0 <= place < len(words) else "" for place in (at - 1, at + 1))
        is_modifier = stem(after) in classes and is_plural(after)
        is_had = (before in _WITH and (not after or after in _SMALL)) or is_modifier  # «with disk problems» goes on
        is_noun = word.text.isalpha() and len(word.text) >= _SHORTEST and is_installed() and may_be_noun(word.text)
        is_known = word.text in _SMALL or word.text in known or stem(word.text) in classes
        is_piece = "_" in unmatched.question.text[max(word.start - 1, 0) : word.end + 1]  # of a name in one word
        if is_known or is_piece or not is_had or not is_noun or not unmatched.question.is_lower(Span(at, at)):
            continue
        mention = _part_of_one(unmatched, Span(at, at), after if is_modifier else "")
        found += [(Span(at, at), mention)] if mention is not None else []
    return found


def _part_of_one(unmatched: Unmatched, span: Span, noun: str) -> Mention | None:
    """Return the entity of which a word is a part of the name, if no other name has it.

    A part begins with it: «meat» of Meat/Poultry, and «dementia» of Dementia in Alzheimer disease; «coast» is not the
    Ivory Coast.

    Args:
        unmatched: Knows the question.
        span: The word.
        noun: The class after it: «meat products» are no products with this word in their own names.
    """
    folded, graph = unmatched.question.folded(span), unmatched.graph
    named = [one for one in graph.names.containing(folded) if folded in name_form(graph.label(one)).split()]
    others = [one for one in named if all(stem(noun) != stem(spaced(name).lower()) for name in graph.types(one))]
    parts = _BETWEEN_PARTS.split(graph.label(others[0])) if len(others) == 1 else []
    if not any(name_form(part).split()[:1] == folded.split() for part in parts):
        return None
    return unmatched.only(unmatched.question.surface(span), others, "is a part of the name", "link.part_of_one")


def _lower_parts(unmatched: Unmatched) -> Matches:
    """Return words in lower case that English does not have and that are parts of one name alone: «senna».

    Of several such words the whole counts first: «winston churchill».
    """
    known, taken, words = (
        vocabulary(unmatched.graph),
        list[tuple[Span, Mention]](),
        unmatched.question.words[:READ_WORDS],
    )
    small = QUESTION_WORDS | TITLES
    is_common = [word.text in small or word.text in known or not word.text.isalpha() for word in words]
    is_foreign = [_is_foreign(words, at) for at in range(len(words))]
    for size in (3, 2, 1):
        for at in range(len(words) - size + 1):
            span = Span(at, at + size - 1)
            inside = slice(at, at + size)
            if any(is_common[inside]) or not any(is_foreign[inside]) or any(span.overlaps(one) for one, _ in taken):
                continue
            mention = unmatched.abridged(span) or unmatched.part(span)
            taken += [(span, mention)] if mention is not None else []
    return taken


def _is_foreign(words: Sequence[Token], at: int) -> bool:
    """Return whether English does not have a word, or it stands where a name does: «did senna win»."""
    word, before = words[at].text, words[at - 1].text if at else ""
    is_subject = before in _AUXILIARIES and not word.endswith("s")
    return len(word) >= MISSPELT and (is_subject or not (is_installed() and is_word(word)))


def _numbered(unmatched: Unmatched) -> Matches:
    """Return numbers after a word of the graph that end one name alone: «sprint 8» of «Web Sprint 8»."""
    known, taken, words = (
        vocabulary(unmatched.graph),
        list[tuple[Span, Mention]](),
        unmatched.question.words[:READ_WORDS],
    )
    for at in range(1, len(words)):
        span, noun = Span(at - 1, at), words[at - 1].text
        is_numbered = words[at].text.isdigit() and noun in known and noun not in QUESTION_WORDS
        if is_numbered and not unmatched.graph.names.exact(unmatched.question.folded(span)):
            mention = unmatched.part(span)
            taken += [(span, mention)] if mention is not None else []
    return taken


def unknown_words(graph: Graph, question: Question, most: int) -> list[str]:
    """Return the first words of a question that build no question and speak of no type, relation or property."""
    known = vocabulary(graph)
    words = (match[0] for match in WORD.finditer(question.text) if match[0].lower() not in _SMALL)
    return list(dict.fromkeys(word for word in words if word.lower() not in known and not word.isdecimal()))[:most]
