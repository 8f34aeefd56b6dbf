"""Names that are initials: `OS` for operating systems, `eol-date` for the end of life."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from graphbrick.bricks.retrieve.operators.wording import English
from graphbrick.core.properties.values import Kind
from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import possible_singulars, stem
from graphbrick.language.stop_words import QUESTION_WORDS
from graphbrick.patterns.lexicon import Lexicon
from graphbrick.patterns.properties.sources import sources_of, words_of_values

_PARTS = Expression(r"[A-Za-z]+")
_WORD = Expression(r"[a-z]+")
_GAP = Expression(r"[ -]")
_SHORTEST, _LONGEST = 2, 4  # letters
_CODE, _FEW = Expression(r"[A-Z]{2,8}"), 12  # codes of a column
_TIMES = {"ft": "full[ -]?time", "pt": "part[ -]?time"}
_USUAL = {
    "os": "operating system", "vm": "virtual machine", "po": "purchase order", "pr": "pull request",
    "bu": "business unit", "db": "database", "ap": "access point", "eol": "end of life|end-of-life",
    "sku": "stock keeping unit", "dob": "date of birth",
}  # fmt: skip


def with_initials(graph: Graph, text: str, lexicon: Lexicon, english: English) -> str:
    """Return a question with the initials that the graph has for the words that they stand for.

    Of three letters and more, any words with these initials are meant, unless one of them means something itself. Two
    letters say little («oldest systems» are no `OS`): only usual ones are read.

    Args:
        graph: The graph.
        text: The question in lower case.
        lexicon: The words of the graph.
        english: The wordings.
    """
    for initials in (*_of_classes(lexicon.classes), *_of_properties(graph)):
        usual = re.search(rf"\b(?:{_USUAL[initials]})s?\b", text) if initials in _USUAL else None
        found = usual.span() if usual else next(_windows(text, initials), None) if len(initials) > _SHORTEST else None
        if found is None or (usual is None and _mean_something(text[slice(*found)], graph, lexicon, english)):
            continue
        said = text[slice(*found)]
        event(f"{said!r} is read as {initials!r}", "operators.initials", said=said, name=initials)
        text = f"{text[: found[0]]}{initials}{text[found[1] :]}"
    return text


def with_codes(graph: Graph, text: str, lexicon: Lexicon, english: English) -> str:
    """Return a question with the codes of a column for the words that they begin: `PERM` for permanent.

    Of two letters, only `FT` and `PT` are read. A column has codes if all its few values are of two to eight
    capitals, and some entities share them.

    Args:
        graph: The graph.
        text: The question in lower case.
        lexicon: The words of the graph.
        english: The wordings.
    """
    key = ("codes of columns", graph.place, graph.hash)
    codes = current_session().get(key, lambda: _codes(graph), at_most=8)
    for code, name in codes.items():
        pattern = _TIMES.get(code) or (rf"{code}[a-z]{{2,}}" if len(code) > _SHORTEST else None)
        found = list(re.finditer(rf"\b{pattern}\b", text)) if pattern else []
        if len(found) != 1 or not words_of_values(graph).isdisjoint((found[0][0], *possible_singulars(found[0][0]))):
            continue
        is_small = found[0][0] in english.all_words  # «every» is no evening
        if code not in _TIMES and (is_small or _mean_something(found[0][0], graph, lexicon, english)):
            continue
        event(f"{found[0][0]!r} is read as the {name} {code.upper()}", "operators.code", said=found[0][0], name=name)
        text = f"{text[: found[0].start()]}{code}{text[found[0].end() :]}"
    return text


def _codes(graph: Graph) -> dict[str, str]:
    """Return the codes of columns in lower case, each with its column; those of several columns are left out."""
    found: dict[str, list[str]] = {}
    for column in getattr(graph, "columns", ()):
        is_kind = not column.of_triples and column.kind == Kind.TEXT and not column.tells_apart
        texts = column.few_texts(_FEW) if is_kind else []
        if len(texts) > 1 and all(_CODE.fullmatch(text) for text in texts):
            for text in texts:
                found.setdefault(text.lower(), []).append(column.name)
    return {code: names[0] for code, names in found.items() if len(names) == 1}


def _mean_something(words: str, graph: Graph, lexicon: Lexicon, english: English) -> bool:
    """Return whether one of some words names a class, a relation or a property, or compares."""
    names = {word for source in sources_of(graph) for word in source.words}
    names |= lexicon.words | {word for name in lexicon.by_class for word in name}
    said = [word for word in _WORD.findall(words) if word not in QUESTION_WORDS]
    compares = english.superlatives.keys() | english.comparatives.keys()
    return any(stem(word) in names or word in compares for word in said)


def _of_classes(classes: Iterable[str]) -> Iterator[str]:
    for name in classes:
        if name.isupper() and name.isalpha() and _SHORTEST <= len(name) <= _LONGEST:
            yield name.lower()


def _of_properties(graph: Graph) -> Iterator[str]:
    """Yield the parts of names of properties that are no words: of at least three letters, as two say little."""
    parts = {part.lower() for source in sources_of(graph) for part in _PARTS.findall(source.name)}
    for part in sorted(parts):
        if _SHORTEST < len(part) <= _LONGEST and forms.is_installed() and not forms.is_word(part):
            yield part


def _windows(text: str, initials: str) -> Iterator[tuple[int, int]]:
    """Yield where as many words as there are initials begin with these, the first and the last being no small words."""
    words = list(_WORD.finditer(text))
    for at in range(len(words) - len(initials) + 1):
        window = words[at : at + len(initials)]
        gaps = [text[one.end() : other.start()] for one, other in pairwise(window)]
        ends = {window[0][0], window[-1][0]}
        if (
            all(one[0][0] == letter for one, letter in zip(window, initials, strict=True))
            and all(_GAP.fullmatch(gap) for gap in gaps)
            and not ends & QUESTION_WORDS
            and all(len(word) >= len(initials) for word in ends)
            and stem(initials) not in map(stem, ends)
        ):
            yield window[0].start(), window[-1].end()
