"""Reading the scores that a language model gives to numbered candidates; see `replies`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from graphbrick.core.trace import event
from graphbrick.models.llm.replies.json_replies import Object
from graphbrick.models.llm.replies.replies import BULLET, MARKDOWN, NUMBERED, few, opened, plain, shown, without_remark

_SCORE = re.compile(
    r"(?:[-•]\s+)?[\[(#\"']*([0-9]{1,9})[\])\"']*\s*(?:[:=|]|->|[.)]\s)\s*"
    r"\"?([-+]?(?:[0-9]+(?:\.[0-9]+)?|nan|inf(?:inity)?))\"?\s*(?:/\s*100\b|%)?\s*\.?",
    re.IGNORECASE,
)
_TEXT_SCORE = re.compile(r"(\S.*?)\s*[:=|]\s*\"?([-+]?[0-9]+(?:\.[0-9]+)?)\"?\s*(?:/\s*100\b|%)?\s*(?:points)?\.?")


def read_scores(
    reply: str, n: int, *, least: float = 0.0, most: float = 100.0, every: bool = True, texts: Sequence[str] = ()
) -> dict[int, float]:
    """Return the scores that a reply gives, by number from 1, within bounds; candidates may be missing.

    It reads lines ``3: 80``, several of them on one line with commas between, or JSON: an object ``{"3": 80}`` or a
    list of ``{"number": 3, "score": 80}``, which may be the value of another object. If the texts of the candidates are
    given, it reads lines ``3. text: 80`` and ``text: 80`` with the whole text of a candidate, too.

    Args:
        reply: The reply.
        n: The number of candidates.
        least: Lowest score; a lower one is raised to it.
        most: Highest score; a higher one is lowered to it.
        every: Whether every candidate must have a score, so that it is an event if some have none.
        texts: The candidates, each as in the prompt; none if only numbers are read.

    >>> read_scores("1: 80\\n2: 5", 2)
    {1: 80.0, 2: 5.0}
    """
    scores: dict[int, float] = {}
    wrong, twice, clipped, odd = [], [], [], []
    for number, score in _score_pairs(reply, [plain(text) for text in texts]):
        if not 1 <= number <= n:
            wrong.append(number)
        elif number in scores:
            twice.append(number)
        elif not math.isfinite(score):
            odd.append(number)
        else:
            scores[number] = min(max(score, least), most)
            if scores[number] != score:
                clipped.append(number)
    lacking = [number for number in range(1, n + 1) if number not in scores]
    if wrong:
        event(
            f"the reply scores {few(wrong)}, but the candidates are 1 to {n}: {shown(reply)}",
            "reply.unknown_scores",
            numbers=wrong,
            n=n,
        )
    if twice:
        event(
            f"the reply scores {few(twice)} more than once; the first score counts: {shown(reply)}",
            "reply.repeated_scores",
            numbers=twice,
        )
    if odd:
        event(
            f"the reply gives {few(odd)} a score that is not a finite number: {shown(reply)}",
            "reply.scores_not_finite",
            numbers=odd,
        )
    if clipped:
        event(
            f"the scores of {few(clipped)} are not within {least:g} and {most:g} and were clipped: {shown(reply)}",
            "reply.scores_clipped",
            numbers=clipped,
        )
    if lacking and every:
        event(
            f"the reply has no score for {len(lacking)} of {n} candidates ({few(lacking)}): {shown(reply)}",
            "reply.scores_missing",
            numbers=lacking,
            n=n,
        )
    return scores


def _score_pairs(reply: str, texts: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Yield number and score of every line that holds nothing else but the text of the candidate."""
    text, value = opened(reply)
    if isinstance(value, Object) and len(value) == 1 and isinstance(inner := next(iter(value.values())), Object | list):
        value = inner
    lines = text.splitlines()
    if isinstance(value, Object):
        lines = [f"{number}: {score}" for number, score in value.pairs]
    elif isinstance(value, list) and value and all(isinstance(item, Object) for item in value):
        lines = [f"{item.get('number')}: {item.get('score')}" for item in value]
    for line in lines:
        bare = without_remark(MARKDOWN.sub("", line).strip())
        named = _named_score(bare, texts)
        if named is not None:
            yield named
            continue
        pieces = [piece.strip() for piece in re.split(r"[,;]", bare) if piece.strip()]
        matches = [_SCORE.fullmatch(piece) for piece in pieces]
        if all(matches):
            yield from ((int(match.group(1)), float(match.group(2))) for match in matches if match)


def _named_score(line: str, texts: Sequence[str]) -> tuple[int, float] | None:
    """Return number and score of a line with the whole text of a candidate; None for other lines."""
    match = _TEXT_SCORE.fullmatch(line) if texts else None
    if match is None:
        return None
    label, score = BULLET.sub("", match.group(1)), float(match.group(2))
    if label.isdecimal() and 0 < int(label) <= len(texts):
        return None  # a number, even if it is the text of a candidate
    numbered = NUMBERED.match(label)
    if numbered:
        number, text = int(numbered.group(1) or numbered.group(2)), plain(numbered.group(3))
        if 0 < number <= len(texts) and text == texts[number - 1]:
            return number, score
        label = text if text in texts else label  # the text counts
    return (texts.index(plain(label)) + 1, score) if texts.count(plain(label)) == 1 else None
