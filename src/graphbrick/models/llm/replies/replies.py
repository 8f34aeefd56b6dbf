"""Reading replies of language models that were asked for numbers, names, or yes and no.

Candidates are numbered in the prompt, and a reply is read by these numbers. A text counts only if it is the whole text
of a candidate: one candidate's text may be the beginning of another's. Nothing else is guessed. An unusable part is
an event that shows the beginning of the reply; nothing is raised.

A model may be asked for JSON and reply in words, or the other way round, so every reader reads both.
`graphbrick.models.llm.replies.json_replies` finds JSON in a reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from graphbrick.core.trace import event, tally
from graphbrick.language.folding import fold
from graphbrick.models.llm.replies.json_replies import Object, find_json, only_list
from graphbrick.models.llm.replies.thinking import without_thoughts

_SHOWN = 200  # characters of a reply in an event
_LISTED = 5  # wrong numbers in an event

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)\w*[ \t]*(?=[\[{])|^[ \t]*(?:```|~~~).*$|(?<=[\]}])[ \t]*(?:```|~~~)[ \t]*$", re.MULTILINE
)
MARKDOWN = re.compile(r"[*`]")
_NAMING = re.compile(r"^(?:(?:[a-z]+ ){0,4}(?:names?|entit(?:y|ies)|answers?|are|is)\s*:)\s*", re.IGNORECASE)
_PLACE = re.compile(r"^(?:[-•]|\(?[0-9]{1,3}[.)]|\[[0-9]{1,3}\]|#[0-9]{1,3})\s+(?=\S)")
_PART = re.compile(r"\s*[,;]\s+|\s+and\s+", re.IGNORECASE)
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’", "'"))
_ARRAY = re.compile(r"\[[\s0-9,\"'-]*\]")
BULLET = re.compile(r"^\s*[-•]\s+")
_LABEL = re.compile(r"^[a-z ]{0,60}\b(?:answers?|numbers?|candidates?|choices?|ranking|list|are)\s*:\s*", re.IGNORECASE)
BETWEEN = re.compile(r"(?:[\s,;>&]|\band\b)+")
NUMBER = re.compile(r"[\[(#\"']*(-?[0-9]{1,9})[\])\"'.:]*")
_RANGE = re.compile(r"\[?([0-9]{1,9})[-–]([0-9]{1,9})\]?\.?")
NUMBERED = re.compile(r"^(?:[-•]\s+)?(?:[\[(#]*([0-9]{1,9})(?:[\])]+[.:)]*|[.:]|\s[-–])|#([0-9]{1,9}))\s+(\S.*)$")


def shown(reply: str) -> str:
    """Return the beginning of a reply for events, without thinking if there is anything else."""
    return repr((without_thoughts(reply) or reply)[:_SHOWN])


def unreadable(message: str, code: str = "", **values: object) -> None:
    """Record an unreadable reply: an event, and the figure ``unread_replies`` of the stage."""
    event(message, code, once=False, **values)
    tally(unread_replies=1)


def one_line(text: str) -> str:
    """Return a text on one line, so that it cannot pass for several candidates."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())


def lines_of(texts: Iterable[str], longest: int = 1000) -> list[str]:
    """Return each text on one line; very long ones are cut, which is an event."""
    lines = [one_line(text) for text in texts]
    long = sum(len(line) > longest for line in lines)
    if long:
        event(
            f"{long:,} texts of more than {longest:,} characters were cut for the language model",
            "reply.texts_cut",
            cut=long,
            longest=longest,
        )
    return [line[:longest] for line in lines]


def numbered(texts: Iterable[str], longest: int = 1000, first: int = 1) -> str:
    """Return texts as numbered lines of a prompt, from ``first``; cutting a long one is an event."""
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines_of(texts, longest), first))


def read_numbers(reply: str, texts: Sequence[str]) -> list[int] | None:
    """Return the candidates that a reply names, best first, by their numbers from 1; each once.

    It reads the first line of numbers, with the lines of numbers that follow it (``3, 1``; ``[3, 1]``; ``Answer: 3``;
    ``2-4``; a remark in parentheses at the end is left out), or the list in a JSON object. If there is none, a reply of
    numbered lines (``3. text``, ``[3] text``) or of whole candidate texts is read line by line; if the number and the
    text of a line belong to different candidates, the text counts.

    Args:
        reply: The reply.
        texts: The candidates, each as in the prompt.

    Returns:
        Distinct numbers from 1 to the number of candidates; empty if the reply chooses none; None if it cannot be read.

    >>> read_numbers("[3] Kenya\\n[1] Uganda", ["Uganda", "Rwanda", "Kenya"])
    [3, 1]
    >>> read_numbers("NONE", ["Uganda"]), read_numbers('{"numbers": [1]}', ["Uganda"])
    ([], [1])
    """
    bare = [plain(text) for text in texts]
    lines = _lines(reply)
    short = [_without_text(line, bare) for line in lines]
    # Where a line has the number and the text of a candidate, all of them may be of that kind.
    named = _text_lines(lines, bare, reply) if short != lines else None
    if named is None:
        named = _number_lines(short)
    if named is None:
        named = _text_lines(lines, bare, reply)
    if named is None:
        unreadable(f"no candidate could be read out of the reply {shown(reply)}", "reply.no_candidate")
        return None
    n, chosen, wrong, twice = len(texts), dict[int, None](), [], []
    for number, last in named:
        wrong += [bound for bound in dict.fromkeys((number, last)) if not 1 <= bound <= n]
        for choice in range(max(number, 1), min(last, n) + 1):
            if choice in chosen:
                twice.append(choice)
            chosen[choice] = None
    if wrong:
        event(
            f"the reply names {few(wrong)}, but the candidates are 1 to {n}: {shown(reply)}",
            "reply.unknown_numbers",
            numbers=wrong,
            n=n,
        )
    if twice:
        event(
            f"the reply names {few(twice)} more than once; the first place counts: {shown(reply)}",
            "reply.repeated_numbers",
            numbers=twice,
        )
    return list(chosen)


def read_names(reply: str) -> list[str] | None:
    """Return the names that a reply lists, in its order, each once.

    It reads the list of texts in JSON, or one name a line, without bullets, numbers and quotes.

    Returns:
        Names, none of them empty; an empty list if the reply says that there are none; None if the reply is empty.

    >>> read_names('{"names": ["Nairobi", "Kenya"]}'), read_names("1. Nairobi\\n2. Kenya"), read_names("NONE")
    (['Nairobi', 'Kenya'], ['Nairobi', 'Kenya'], [])
    """
    text, value = opened(reply)
    listed = only_list(value)
    if listed is not None:
        items = [one_line(str(item)) for item in listed if isinstance(item, str | int) and not isinstance(item, bool)]
        if len(items) < len(listed):
            event(
                f"{len(listed) - len(items)} of the names are not texts and were left out: {shown(reply)}",
                "reply.names_not_texts",
                left_out=len(listed) - len(items),
            )
    else:
        lines = [line for line in map(str.strip, MARKDOWN.sub("", text).splitlines()) if line]
        lines = lines[1:] if len(lines) > 1 and lines[0].endswith(":") else lines
        items = [_PLACE.sub("", _NAMING.sub("", BULLET.sub("", line))) for line in lines]
        if not items:
            unreadable(f"no name could be read out of the reply {shown(reply)}", "reply.no_name")
            return None
    names = [plain(name.translate(_QUOTES)) for name in items]
    return list(dict.fromkeys(name for name in names if name and fold(name) != "none"))


def parts_of(name: str) -> list[str]:
    """Return the pieces of a line between commas and "and": one line may hold several names."""
    return [piece for piece in map(plain, _PART.split(name)) if piece]


def read_yes(reply: str) -> bool | None:
    """Return whether a reply says yes, by its first word or the only boolean in JSON; None for neither.

    >>> read_yes("Yes, they are."), read_yes('{"enough": false}'), read_yes("Perhaps.")
    (True, False, None)
    """
    text, value = opened(reply)
    verdicts = [item for item in value.values() if isinstance(item, bool)] if isinstance(value, dict) else []
    if verdicts:
        return verdicts[0] if len(verdicts) == 1 else None
    words = fold(" ".join(map(str, value.values())) if isinstance(value, dict) else text).split()
    return {"yes": True, "true": True, "no": False, "false": False}.get(words[0]) if words else None


def opened(reply: str) -> tuple[str, object]:
    """Return a reply without thinking and code fences, and its value if it is JSON; else None.

    If its JSON breaks off, the value has the whole items before that, and there is an event.
    """
    text = without_fences(reply)
    value, whole = find_json(text)
    if not whole:
        event(f"the reply breaks off; what came before was read: {shown(reply)}", "reply.broken_off")
    return text, value


def read_object(reply: str) -> Object | None:
    """Return the JSON object that a reply has; None if it has none, or one that breaks off.

    >>> read_object('{"operator": "count"}'), read_object('{"operator": "count", "sets": ["which'), read_object("3")
    ({'operator': 'count'}, None, None)
    """
    value, whole = find_json(without_fences(reply))
    return value if whole and isinstance(value, Object) else None


def without_fences(reply: str) -> str:
    """Return a reply without thinking and the lines of code fences."""
    return _FENCE.sub("", without_thoughts(reply))


def _joined(match: re.Match[str]) -> str:
    return one_line(match.group())


def without_remark(line: str) -> str:
    """Return a line without the words in parentheses at its end."""
    bare = line.rstrip(" .")
    before, opened, remark = bare.rpartition("(")
    is_remark = opened and remark.endswith(")") and any(map(str.isalpha, remark))
    return before.rstrip() if is_remark else line


def _lines(reply: str) -> list[str]:
    """Return the non-empty lines of a reply, without Markdown; a JSON list of numbers becomes one line."""
    text, value = opened(reply)
    listed = only_list(value)
    if listed is not None:
        are_numbers = all(isinstance(item, int) for item in listed)
        text = f"[{', '.join(map(str, listed))}]" if are_numbers else "\n".join(map(str, listed))
    elif isinstance(value, dict) and len(value) == 1:
        text = str(next(iter(value.values())))
    text = _ARRAY.sub(_joined, text)
    return [line for line in map(str.strip, MARKDOWN.sub("", text).splitlines()) if line]


def _without_text(line: str, texts: Sequence[str]) -> str:
    """Return the number alone for a line with the number and whole text of a candidate; else the line."""
    match = NUMBERED.match(line)
    number = int(match.group(1) or match.group(2)) if match else 0
    return str(number) if match and 0 < number <= len(texts) and plain(match.group(3)) == texts[number - 1] else line


def _number_lines(lines: Iterable[str]) -> list[tuple[int, int]] | None:
    """Return the ranges of the first lines of numbers in a row; a single number is a range too."""
    ranges: list[tuple[int, int]] | None = None
    for line in lines:
        numbers = _numbers(line)
        if numbers is None and ranges is not None:
            break
        if numbers is not None:
            ranges = (ranges or []) + numbers
            if not numbers:
                break  # none of them
    return ranges


def _numbers(line: str) -> list[tuple[int, int]] | None:
    """Return the ranges of a line of numbers, or one that says there are none; else None."""
    bare = _LABEL.sub("", without_remark(BULLET.sub("", line)))
    if fold(bare) == "none" or bare == "[]":
        return []
    pieces = [piece for piece in BETWEEN.split(bare.strip(" []().")) if piece]
    ranges = []
    for piece in pieces:
        one, several = NUMBER.fullmatch(piece), _RANGE.fullmatch(piece)
        if one:
            ranges.append((int(one.group(1)), int(one.group(1))))
        elif several and int(several.group(1)) < int(several.group(2)):
            ranges.append((int(several.group(1)), int(several.group(2))))
        else:
            return None
    return ranges or None


def _text_lines(lines: Sequence[str], texts: list[str], reply: str) -> list[tuple[int, int]] | None:
    """Return the same for lines with text; all must have it, except a first that introduces them."""
    place = {text: number for number, text in reversed(list(enumerate(texts, 1))) if text}
    found, moved = [], []
    for line in lines[1:] if lines and lines[0].endswith(":") else lines:
        match = NUMBERED.match(line)
        text = plain(match.group(3) if match else BULLET.sub("", line))
        number = int(match.group(1) or match.group(2)) if match else place.get(text)
        if number is None:
            return None
        meant = place.get(text, number)
        if meant != number and texts[number - 1 : number] != [text]:
            moved.append(number)
            number = meant
        found.append((number, number))
    if moved:
        event(f"the reply numbers candidates anew; what counts is their text: {shown(reply)}", "reply.numbered_anew")
    return found or None


def plain(text: str) -> str:
    """Return a text as it is compared with others: on one line, without quotes and Markdown."""
    return MARKDOWN.sub("", one_line(text)).strip("\"' ")


def few(numbers: Sequence[int]) -> str:
    """Return the first few numbers as text."""
    distinct = list(dict.fromkeys(numbers))
    return ", ".join(map(str, distinct[:_LISTED])) + (" and more" if len(distinct) > _LISTED else "")
