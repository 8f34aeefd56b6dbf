"""Marks such as [2] in the replies of language models, and replies that consist of nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from graphbrick.bricks.generate.quote import Quote
from graphbrick.core import Answer, Evidence, Item, Query
from graphbrick.core.trace import event, tally
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.scorers.bm25 import BM25

MARK = Expression(
    r"([ \t]?)[\[【]\s*\^?(?:(?:item|passage|evidence|source|path|ref)s?\.?\s*:?\s*)?"
    r"(\d{1,6}(?:\s*[,;&–-]\s*\d{1,6})*)\s*(?:†[^\]】]{0,40})?\s*[\]】]",
    re.IGNORECASE,
)
"""A citation by number, as models write it; gpt-oss writes 【2†source】."""
_CODE = Expression(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_NO_WORDS = Expression(r"[\s\-*•.,;:#>|`_]*\Z")
_SENTENCES = 2


def numbers_in(text: str) -> tuple[int, ...]:
    """Return the numbers of at most six digits that a text lists; ``2-4`` are three."""
    numbers: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[–-]\s*(\d+))?", text):
        numbers += range(int(first), min(int(last or first), int(first) + 1000) + 1)
    return tuple(numbers)


def renumbered(text: str, mark: Callable[[re.Match[str]], str]) -> str:
    """Return a text with every mark replaced, but for numbers in brackets inside of code.

    >>> renumbered("Read `sys.argv[1]` [3].", lambda match: " [1]")
    'Read `sys.argv[1]` [1].'
    """
    return "".join(part if i % 2 else MARK.sub(mark, part) for i, part in enumerate(_CODE.split(text)))


def marks_alone(reply: str) -> tuple[int, ...]:
    """Return the numbers that a reply of marks alone cites; none if it has words, or no mark.

    >>> marks_alone("- [1][2]"), marks_alone("Kenya [1]"), marks_alone("1")
    ((1, 2), (), ())
    """
    marks = [match.group(2) for match in MARK.finditer(reply)]
    if not marks or not _NO_WORDS.match(MARK.sub("", re.sub(r"^\s*\d{1,3}[.)]\s", "", reply, flags=re.MULTILINE))):
        return ()
    return tuple(dict.fromkeys(number for mark in marks for number in numbers_in(mark.replace("–", "-"))))


def quoted(query: Query, evidence: Evidence, items: Sequence[Item], numbers: Sequence[int]) -> Answer:
    """Return the sentences of the cited passages that answer best, as a reply of marks alone says nothing.

    Args:
        query: The question.
        evidence: The evidence.
        items: The items that the model was shown, in their order.
        numbers: The numbers of those that it cites.
    """
    cited = tuple(items[number - 1] for number in numbers if 0 < number <= len(items) and items[number - 1].citations)
    tally(unread_replies=1)
    if not cited:
        event("no answer: the reply has no words, only marks, and cites no passage", "marks.no_words", numbers=numbers)
        return Answer()
    event(
        "the reply has no words, only marks; the passages that it cites are quoted instead",
        "marks.quoted_instead",
        numbers=numbers,
    )
    return Quote(BM25(), n=_SENTENCES, around=0).generate(query, replace(evidence, items=cited))


def from_first_word(on_token: Callable[[str], None], refusal: str = "") -> Callable[[str], None]:
    """Return a token callback that passes on a reply from when it has a word: one of marks alone is not an answer.

    Args:
        on_token: What the reply is passed on to.
        refusal: A reply that begins with these words is not passed on.
    """
    held, is_passed = "", False

    def read(piece: str) -> None:
        nonlocal held, is_passed
        held += piece
        if not is_passed:
            has_words = not _NO_WORDS.match(MARK.sub("", re.sub(r"[\[【][^\]】]{0,40}\Z", "", held)))
            begin = held.lstrip(" \t\n*_`#").upper()[: len(refusal)]
            is_passed = has_words and not (refusal and refusal.startswith(begin))
        if is_passed:
            on_token(held)
            held = ""

    return read
