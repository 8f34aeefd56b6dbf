"""Typing errors in questions to documents: words that no document has, read as words that the documents have."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from os.path import commonprefix

from rapidfuzz.distance import OSA

from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.word_index import WordIndex
from graphbrick.language.folding import Token, nfc, tokens
from graphbrick.language.forms import is_installed, is_word
from graphbrick.language.stop_words import stop_words

# Letters of the shortest word in which an error is mended: if a dictionary tells that it is no English word, and else.
_SHORTEST, _SHORTEST_UNKNOWN = 5, 8
_FAR = 10  # letters of the shortest word in which two errors are mended
_LONGEST = 40
_READ_WORDS = 64
_ENDINGS = frozenset(("e", "en", "er", "es", "em", "ing", "ed", "y", "ies", "ie"))
_ADDED = _ENDINGS | frozenset(("s", "n", "d", "t", "st"))  # to a whole word


def words_of(graph: TextGraph) -> WordIndex:
    """Return the words of the passages."""
    return current_session().get(("passage words",), graph.word_index, of=graph)


def respelled(graph: TextGraph, question: str, *, tell: bool = True) -> str:
    """Return a question with its typing errors mended.

    A word of five letters or more that stands in no passage, in no dictionary of English, and is no form of a word of
    the passages is read as the nearest word of the passages: one that begins alike and differs by one typing error (a
    letter inserted, left out, replaced, or swapped with its neighbour), from ten letters on by two; the most frequent
    of several. Words of other languages need eight letters, as there is no dictionary. Nothing is mended where more than
    half of the words are unknown: such a question is in another language than the documents.

    Args:
        graph: The graph.
        question: The question.
        tell: Whether each mended word is an event.
    """
    question = nfc(question)
    words = [word for word in tokens(question)[:_READ_WORDS] if len(word.text) > 1]
    index = words_of(graph)
    unknown = [word for word in words if word.text not in index and not _is_function_word(word.text)]
    is_foreign = 2 * sum(not _is_english(word.text) for word in unknown) > len(words)
    if is_foreign or not unknown:
        return question
    shortest = _SHORTEST if is_installed() and not _is_german(words) else _SHORTEST_UNKNOWN
    for word in reversed([one for one in unknown if shortest <= len(one.text) <= _LONGEST]):
        surface = question[word.start : word.end]
        near = "" if not word.text.isalpha() or _is_english(word.text) else _nearest(graph, index, word.text)
        if near:
            taken = _as_written(graph, index, near)
            taken = taken.lower() if surface.islower() else taken
            if tell:
                event(f"read {surface!r} as {taken!r}: no document has {surface!r}", "documents.respelled",
                      word=surface, taken=taken)  # fmt: skip
            question = f"{question[: word.start]}{taken}{question[word.end :]}"
    return question


def _nearest(graph: TextGraph, index: WordIndex, word: str) -> str:
    """Return the nearest word of the passages; empty if there is none, or if one is another form of the word."""
    errors = 2 if len(word) >= _FAR else 1
    by_letter = current_session().get(("words by letter",), partial(_by_letter, index), of=graph)
    near: list[tuple[int, int, str]] = []
    for letter in {word[0], word[1]}:
        for other in by_letter.get(letter, ()):
            if abs(len(other) - len(word)) <= errors:
                distance = OSA.distance(word, other, score_cutoff=errors)
                is_alike = letter == word[0] or other[:2] == word[1::-1]
                if distance <= errors and is_alike:
                    near.append((distance, -index.frequency(other), other))
    if any(_is_form(word, other) for _, _, other in near):
        return ""
    return min(near)[2] if near else ""


def _is_form(word: str, other: str) -> bool:
    """Return whether two words seem to be forms of one: they differ by an ending.

    >>> _is_form("timetables", "timetable"), _is_form("hunden", "hunde"), _is_form("swiming", "swimming")
    (True, True, False)
    """
    same = len(commonprefix((word, other)))
    endings = {word[same:], other[same:]}
    return endings <= _ENDINGS or ("" in endings and endings <= _ADDED | {""})


def _by_letter(index: WordIndex) -> dict[str, list[str]]:
    """Return the words of an index that have letters only, by their first one."""
    words = defaultdict[str, list[str]](list)
    for word in index.words():
        if word.isalpha():
            words[word[0]].append(word)
    return dict(words)


def _as_written(graph: TextGraph, index: WordIndex, word: str) -> str:
    """Return a folded word as a passage writes it."""
    scores = index.scores([word], graph.n_passages)
    text = graph.passage(int(scores.argmax())).text
    return next((text[one.start : one.end] for one in tokens(text) if one.text == word), word)


def _is_english(word: str) -> bool:
    return is_installed() and is_word(word)


def _is_function_word(word: str) -> bool:
    return any(word in words for words in stop_words().values())


def _is_german(words: list[Token]) -> bool:
    """Return whether more words are function words of German than of English."""
    german, english = (sum(word.text in stop_words()[name] for word in words) for name in ("german", "english"))
    return german > english
