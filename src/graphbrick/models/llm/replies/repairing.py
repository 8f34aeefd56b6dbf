"""JSON that a language model wrote nearly right: single or curly quotes, comments, a comma too many or too few.

`json_repair` reads far more than we could, but makes values of prose too: «{nope, 3» becomes a list, «[3] Kenya» a
number. So it is asked only about a text that begins as an object or a list of texts does and ends as one, and what it
returns counts only if every text in it stands in quotation marks in the reply.
"""

from __future__ import annotations

import json
import re

_SPACE = r"(?:\s|//[^\n]*\n|\#[^\n]*\n|/\*.*?\*/)*"
_QUOTE = "[\"'“”‘’„«»]"
_BEGINS = re.compile(
    rf"\{{{_SPACE}(?:{_QUOTE}[^\n{{}}\[\]]{{1,80}}?{_QUOTE}|[A-Za-z_]\w{{0,60}})\s*:|\[{_SPACE}[\[{{(]?{_SPACE}{_QUOTE}",
    re.DOTALL,
)
_ENDS = re.compile(r"[\]})][\s;.`~]*\Z")
_OUTSIDE = re.compile(rf"{_QUOTE}\s*[,:=\]}}\[{{]|[\[{{,:=]\s*{_QUOTE}")  # of a text: here the repair went wrong
_INSIDE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|“[^”\n]*”|//[^\n]*|\#[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD, _CONSTANTS = re.compile(r"[^\W\d_]\w*"), frozenset(("None", "True", "False"))
_LONGEST = 100_000  # characters
_DEEPEST = 20


def repaired(text: str) -> object:
    """Return the object or list that a text nearly is; None if that is not certain.

    >>> repaired("{'entities': ['Alma Berg',], // names\\n 'triples': []}")
    {'entities': ['Alma Berg'], 'triples': []}
    >>> repaired("{nope, 3}"), repaired("[3] Kenya"), repaired("{ color: red; }")
    (None, None, None)
    """
    text = text.strip()
    if len(text) > _LONGEST or not _BEGINS.match(text) or not _ENDS.search(text) or _depth(text) > _DEEPEST:
        return None
    try:
        import json_repair  # of the extra llm, without which no model is asked
    except ImportError:
        return None
    try:
        value: object = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    is_single = re.search(r"[\[{,:]\s*'", text) is not None
    is_right = isinstance(value, dict | list) and value and _stands_in(value, text, is_single)
    return value if is_right and not _words_left(text, value) else None


def _words_left(text: str, value: object) -> list[str]:
    """Return the words and quoted texts that the value lacks, as it would lack «serif» of a style sheet."""
    there = json.dumps(value, ensure_ascii=False)
    quoted = {match[0][1:-1] for match in _INSIDE.finditer(text) if match[0][0] in "\"'“" and "\\" not in match[0]}
    words = {*_WORD.findall(_INSIDE.sub(" ", text)), *quoted} - _CONSTANTS
    return [word for word in words if word not in there]


def _depth(text: str) -> int:
    depth = most = 0
    for char in text:
        depth += (char in "[{(") - (char in "]})")
        most = max(most, depth)
    return most


def _stands_in(value: object, text: str, is_single: bool) -> bool:
    """Return whether every text of a value stands in quotation marks in the reply, and every key in it."""
    if isinstance(value, dict):
        keys = all(isinstance(key, str) and key in text and not _OUTSIDE.search(key) for key in value)
        return keys and all(_stands_in(one, text, is_single) for one in value.values())
    if isinstance(value, list):
        return all(_stands_in(one, text, is_single) for one in value)
    if not isinstance(value, str) or not value:
        return True
    if _OUTSIDE.search(value) or (is_single and "'" in (value[0], value[-1])):
        return False
    begin = re.escape(re.split(r"[\\\"\n\t]", value)[0][:40])  # up to what may be written as an escape
    return re.search(_QUOTE + r"\s*" + begin, text) is not None
