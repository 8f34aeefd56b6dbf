"""The sentences of passages that may be quoted, each with its heading and its form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from graphbrick.core import Item
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.expressions.expression import Expression
from graphbrick.text.documents.listed import BULLET, LONGEST_LIST, introduces, with_items
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.documents.table_rows import RULE, Table, cells_of, header_above
from graphbrick.text.documents.wording import is_menu, is_name, looks_like_code, plain_words

_LEAST_WORDS = 3
_GAP = 60  # characters between sentences that are quoted together: white space, a short line, the fence of code
_FENCE, _FENCES = Expression(r"^\s*(```|~~~)", re.MULTILINE), Expression(r"(```|~~~)[^\n]*")
_HEADING = Expression(r"^#{1,6}\s")
_FULL_STOPS = (".", "!", "?", ":", ";", "…", "。", "！", "？", "।", "۔", "؟", '"', "”", ")", "»")
_LONGEST_LEAD = 160  # characters of a line that an item of its list is quoted with
_MOST_ITEMS = 100  # of a list in the next passage
_ENTRY = Expression(r"[^\s:]*\w: \w\S*$")  # «Monday: closed»
_TERM = Expression(r"[\w.+-]+ [-–—] \S")  # «hp-levels - displays the level of ink»
_NUMBER = Expression(r"\d[\d.,]*(?![.)\d])\s")  # «50, and ...», and no «3. An item»
POINTS_BACK = Expression(
    r"(This|That|It|They|These|Those|He|She|Otherwise|However|Such|So|Then|Thus|Therefore|But|Instead|There|Here|See"
    r"|In (?:this|that|these|such)|For (?:this|example|instance)|Diese[rsmn]?|Dies|Er|Sie|Es|Dort|Damit|Dabei|Dazu"
    r"|Zum Beispiel|Il|Elle|Ils|Elles|Cet|Cette|Ces|Cela|Ceci|Par exemple|Dans ce cas|Cependant"
    r"|Est[aeo]s?|Es[aeo]s?|Además|Entonces|Así|También|Por ejemplo|Por eso|De este modo|En este caso|Sin embargo"
    r"|Isto|Isso|Assim|Também|Por exemplo|Por isso|Desta forma|Neste caso|No entanto"
    r"|Quest[aeio]|Quell[aeio]|Ad esempio|Inoltre|Quindi|In questo caso|Tuttavia)\b"
)
"""What a sentence begins with that goes on from the one before."""


@dataclass(frozen=True)
class Quotable:
    """One sentence, list or row of a table that may be quoted.

    Attributes:
        text: Its words as they are quoted: on one line, without addresses of links; a row with its header.
        item: Index of the item of evidence that it stands in.
        start: Offset of its first character in the text of the item.
        end: Offset after its last character.
        heading: The heading that it stands under; empty for none.
        is_code: Whether it is code or output of a program.
        is_menu: Whether it is mostly links, as in the menu of a web page.
        is_record: Whether it is a row of a table or an entry such as «Monday: closed», which says all by itself.
        lead: The line that introduces the list in which it is an item; empty for none.
        tail: The lines, code or sentence that a line introduces, which is quoted after it where nothing else is.
    """

    text: str
    item: int
    start: int
    end: int
    heading: str = ""
    is_code: bool = False
    is_menu: bool = False
    is_record: bool = False
    lead: str = ""
    tail: str = ""


def quotable(items: Sequence[Item]) -> list[Quotable]:
    """Return what may be quoted of the items that have a place in a document, in their order.

    Headings and questions are not quoted, nor are lines of one or two words but for «Monday: closed», unless a passage
    has nothing else: then its lines are quoted together.
    """
    every = []
    for number, item in enumerate(items):
        section = next((citation.section for citation in item.citations if citation.document), None)
        if section is not None:
            above = header_above(item) if cells_of(item.text.lstrip().partition("\n")[0]) else None
            every += list(_of_passage(number, item.text, section, above)) or _whole(number, item.text, section)
    return every


def _of_passage(number: int, text: str, section: str, above: list[str] | None) -> Iterator[Quotable]:
    """Yield what may be quoted of a passage; it may begin in a table, whose header is then that of `_header_above`."""
    ranges = [(start, end) for start, end in sentences(text) if not RULE.match(text[start:end])]
    words = [plain_words(text[start:end]) for start, end in ranges]
    titles = {title.strip() for title in section.split(" > ")}
    titled = _title_of(text, ranges, titles)
    heading, table = section.rpartition(" > ")[2], Table(text, above)
    lead, listed_until = "", 0
    fences = [match.start() for match in _FENCE.finditer(text)]
    for i, (start, end) in enumerate(ranges):
        raw = text[start:end]
        if titled[i]:
            heading = titled[i]
            continue
        cells = cells_of(raw)
        shown = table.row(cells, start, end) or words[i]
        is_code = sum(fence <= start for fence in fences) % 2 == 1 or looks_like_code(raw)
        is_item, shown = BULLET.match(shown) is not None, BULLET.sub("", shown)
        facts = (heading, is_code, is_menu(raw), bool(cells) or _ENTRY.match(shown) is not None)
        if introduces(raw) and not cells:
            until = next((j for j in range(i + 1, len(ranges)) if titled[j]), len(ranges))
            listed = with_items(text, ranges, i, until)
            if listed.is_list:
                lead, listed_until = BULLET.sub("", words[i]), listed.end
                yield Quotable(BULLET.sub("", listed.text), number, start, ranges[listed.last][1], *facts)
                continue
            if listed.last > i:
                yield Quotable(shown, number, start, end, *facts, tail=listed.text[len(words[i]) :])
                continue
        if _is_sentence(f"- {shown}" if is_item else shown):
            is_listed = i < listed_until and len(lead) <= _LONGEST_LEAD
            yield Quotable(shown, number, start, end, *facts, lead=lead if is_listed else "")


def _title_of(text: str, ranges: Sequence[tuple[int, int]], titles: AbstractSet[str]) -> list[str]:
    """Return the heading that each sentence is, or is a part of: «O3. It hangs. Why?»; empty for others."""
    places = [
        (match.start(), match.end(), title)
        for title in titles
        if title in text
        for match in re.finditer(rf"^[#\s]*{re.escape(title)}[^\S\n]*$", text, re.MULTILINE)
    ]
    found = []
    for start, end in ranges:
        raw = text[start:end]
        inside = next((title for first, last, title in places if first <= start and end <= last), "")
        is_title = bool(inside) or _HEADING.match(raw) is not None or raw.strip() in titles
        found.append(plain_words(inside or raw).lstrip("# ") if is_title else "")
    return found


def _whole(number: int, text: str, section: str) -> list[Quotable]:
    """Return a passage that has only short lines as one quotation; none if it has no words."""
    shown = plain_words(text)
    return [Quotable(shown, number, 0, len(text), section.rpartition(" > ")[2])] if shown and shown != section else []


def snippet(
    quotables: Sequence[Quotable], scores: Sequence[float], i: int, room: int, quoted: AbstractSet[str] = frozenset()
) -> range:
    """Return the sentences that are quoted together with one: what stands around it, as far as there is room.

    Of the sentences before and after, in the same passage and under the same heading, the one with the higher score
    comes first. A sentence that goes on from another («This should rule out all of them») is quoted with that. A row of
    a table is quoted alone; code goes with the line that introduces it.

    Args:
        quotables: The sentences of the passages.
        scores: How well each answers the question.
        i: The index of the sentence that is quoted.
        room: Most characters; 0 for the sentence alone. With the sentence that it goes on from it may be longer.
        quoted: Sentences that are quoted already.
    """
    first = last = i
    if room and _goes_with(quotables, i - 1, i) and POINTS_BACK.match(quotables[i].text):
        first -= _length(quotables[i - 1 : i + 1]) <= LONGEST_LIST
    while True:
        beside = [
            j
            for j, pair in ((first - 1, (first - 1, first)), (last + 1, (last, last + 1)))
            if _goes_with(quotables, *pair) and quotables[j].text not in quoted
            if _length(quotables[min(first, j) : max(last, j) + 1]) <= room
        ]
        if not beside:
            return range(first, last + 1)
        best = max(beside, key=lambda j: scores[j])
        first, last = min(first, best), max(last, best)


def _length(quotables: Sequence[Quotable]) -> int:
    return sum(len(one.text) for one in _apart(quotables))


def _apart(quotables: Sequence[Quotable]) -> list[Quotable]:
    """Return sentences without those that stand in another, as an item in the list that a line introduces."""
    found: list[Quotable] = []
    for one in quotables:
        if not found or one.item != found[-1].item or one.end > found[-1].end:
            found.append(one)
    return found


def _goes_with(quotables: Sequence[Quotable], i: int, j: int) -> bool:
    """Return whether a sentence and the next one may be quoted together."""
    if i < 0 or j >= len(quotables):
        return False
    one, two = quotables[i], quotables[j]
    is_near = one.item == two.item and one.heading == two.heading and two.start - one.end <= _GAP
    is_alike = one.is_code == two.is_code or one.text.endswith((":", "："))
    return is_near and is_alike and not (one.is_record or two.is_record or one.is_menu or two.is_menu)


def joined_sentences(quotables: Sequence[Quotable], text: str) -> str:
    """Return sentences of a passage on one line, with a dot between those without a mark at their ends."""
    parts = _apart(quotables)
    shown = _led(parts[0])
    for one, two in pairwise(parts):
        between = plain_words(_FENCES.sub(" ", text[one.end : two.start]))  # lines of one or two words
        shown += f" {between}" if any(map(str.isalnum, between)) else ""
        is_whole = one.text.endswith(_FULL_STOPS) or two.text[:1].islower() or two.text[:1].isdigit()
        is_whole = is_whole and _TERM.match(two.text) is None
        shown += f" {two.text}" if is_whole else f" · {two.text}"
    return shown + parts[-1].tail


def under_name(shown: str, heading: str) -> str:
    """Return a quotation with the name of the option or function that it describes, as a row with its header.

    >>> under_name("The default is 1.", "MaxRetries"), under_name("MaxRetries is 1.", "MaxRetries")
    ('MaxRetries: The default is 1.', 'MaxRetries is 1.')
    """
    name = heading.replace("`", "")
    return f"{name}: {shown}" if is_name(name) and name.casefold() not in shown.casefold() else shown


def whole_sentence(one: Quotable, item: Item) -> str:
    """Return the words of a sentence with what stands of it in the passages before and after, as over a page break."""
    graph = item.graph
    place = next((place for place in item.citations if place.document and place.start is not None), None)
    is_plain = plain_words(item.text[one.start : one.end]) == one.text and not one.is_code
    if one.tail or not isinstance(graph, TextGraph) or place is None or place.end is None or not is_plain:
        return _led(one) + one.tail
    passage = graph.passage_at(place.document, place.start or 0, place.end)
    shown = _led(one)
    if passage is None:
        return shown
    if one.end >= len(item.text.rstrip()) and introduces(shown):
        after = graph.passage(passage + 1) if passage + 1 < graph.n_passages else None
        if after is not None and after.document == place.document and after.section == place.section:
            return _with_list(shown, after.text)
    if one.end >= len(item.text.rstrip()) and not shown.endswith(_FULL_STOPS):
        following = _sentences_of(graph, passage + 1, place.document)
        if following and (following[0][:1].islower() or _NUMBER.match(following[0])):
            shown = f"{shown} {following[0]}"
    if one.start == 0 and not one.lead and shown[:1].islower():
        preceding = _sentences_of(graph, passage - 1, place.document)
        if preceding and not preceding[-1].endswith(_FULL_STOPS):
            shown = f"{preceding[-1]} {shown}"
    return shown


def _led(one: Quotable) -> str:
    """Return a sentence behind the line that introduces it."""
    return f"{one.lead} {one.text}" if one.lead else one.text


def _with_list(line: str, following: str) -> str:
    """Return a line with the items of the list that the next passage begins with."""
    text = f"{line}\n\n{following}"
    return with_items(
        text, [place for place in sentences(text) if not RULE.match(text[slice(*place)])], 0, _MOST_ITEMS
    ).text


def _sentences_of(graph: TextGraph, passage: int, document: str) -> list[str]:
    """Return the sentences of a passage, on one line each; none if it is of another document."""
    if not 0 <= passage < graph.n_passages:
        return []
    text, of, *_ = graph.passage(passage)
    return [plain_words(text[start:end]) for start, end in sentences(text)] if of == document else []


def _is_sentence(text: str) -> bool:
    is_long = len(text.split()) >= _LEAST_WORDS or (not text.isascii() and len(text) >= 2 * _LEAST_WORDS)
    is_long = is_long or _ENTRY.match(text) is not None
    return is_long and not text.rstrip("\"'”’»*_ ").endswith(("?", "？", "؟"))
