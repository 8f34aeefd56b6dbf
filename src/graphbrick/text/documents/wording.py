"""The words of a line of Markdown or plain text, and whether it is code or a menu."""

from __future__ import annotations

from graphbrick.language.expressions.expression import Expression

_IMAGE = Expression(r"!\[[^\]]*\](?:\([^)\s]*[^)]*\))?")
_LINK = Expression(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_STRONG = Expression(r"\*\*(\S(?:[^*]*\S)?)\*\*")
_PROMPT = Expression(r"^(?:>>>|\.\.\.|\$|%|#!|\(Pdb\))\s|^\S+ ::= ")
_CODE_SIGNS = Expression(r"[{}()\[\]<>=;|\\/_`@#$%^&*~]|::|->")
_NAME = Expression(  # of an option, a variable, a function
    r"--?[^\W\d_]\S*|[$%]\w\S*|[^\W\d]\w*(?:[.:]+\w+)+:?|\w*[a-z]\w*[A-Z]\w*[a-z]|[^\W\d]\w*\(|[^\W\d]*_\w+|[^\W\d]\w*_"
)
_VALUE = Expression(r"--?\w\S*|[A-Z][A-Z\d_|.,-]*|[<\[{]\S*[>\]}.]")  # after the name of an option
_MOST_WORDS = 4  # of a name with its values


def plain_words(text: str) -> str:
    """Return a text on one line, without addresses of links, pictures and marks of bold type.

    >>> plain_words("See [the docs](https://example.org/a)\\nfor **more**.")
    'See the docs for more.'
    """
    return " ".join(_STRONG.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub("", text))).split())


def looks_like_code(text: str) -> bool:
    """Return whether a line is code, a command or the output of a program, by its signs.

    >>> looks_like_code(">>> f(x)"), looks_like_code("It calls f(x) once.")
    (True, False)
    """
    line = _LINK.sub(r"\1", _IMAGE.sub("", text)).strip()
    signs = len(_CODE_SIGNS.findall(line.strip("|*_-# ")))
    return bool(_PROMPT.match(line)) or (signs >= 3 and signs * 8 > len(line))


def is_menu(text: str) -> bool:
    """Return whether more than half of the words are those of links or pictures."""
    bare = _LINK.sub("", _IMAGE.sub("", text))
    n_links = len(_LINK.findall(text)) + len(_IMAGE.findall(text))
    return n_links > 0 and 2 * len(bare.split()) <= len(plain_words(text).split())


def is_name(heading: str) -> bool:
    """Return whether a heading is the name of an option, a function or a variable, and no phrase.

    >>> [is_name(text) for text in ("-c, --conflict MODE", "LogFacility", "resize(size, box)", "ups.load", "PATH_MAX")]
    [True, True, True, True, True]
    >>> [is_name(text) for text in ("Setup", "3.2.1", "3.2 The port", "page 3", "FAQ", "e.g. a port")]
    [False, False, False, False, False, False]
    """
    name, bracket, _ = heading.replace("`", "").partition("(")
    first, *values = f"{name}{bracket}".split() or [""]
    is_called = not bracket or heading.rstrip("`").endswith(")")
    is_short = len(values) < _MOST_WORDS and is_called
    return is_short and _NAME.fullmatch(first.rstrip(",")) is not None and all(map(_VALUE.fullmatch, values))
