"""Typing errors in questions to documents: words that no document has, read as words that the documents have."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from rapidfuzz.distance import OSA

from graphbrick.core.session import current_session
from graphbrick.core.trace import event
from graphbrick.graphs.corpus import TextGraph, passage_words
from graphbrick.graphs.store.word_index import WordIndex
from graphbrick.language.folding import Token, nfc, tokens
from graphbrick.language.forms import is_installed, is_word
from graphbrick.language.languages.german import german_root
from graphbrick.language.stop_words import stop_words

# Letters of the shortest word in which one error is mended: a word in lower case, a name, and any word that only has a
# near one which no dictionary has; in lower case, from _FAR letters on two.
_SHORTEST, _SHORTEST_NAME, _SHORTEST_UNKNOWN, _FAR = 6, 7, 8, 10
_LONGEST = 40
_READ_WORDS = 64
_ENDINGS = frozenset(("e", "en", "er", "es", "em", "ing", "ed", "y", "ies", "ie"))
_ADDED = _ENDINGS | frozenset(("s", "n", "d", "t", "st"))  # to a whole word


def respelled(graph: TextGraph, question: str, *, tell: bool = True) -> str:
    """Return a question with its typing errors mended.

    A word that stands in no passage, in no dictionary of English, and is no form of a word of the passages is read as
    the nearest word of the passages: one that begins alike and differs by one typing error (a letter inserted, left
    out, replaced, or swapped with its neighbour), from ten letters on by two; the most frequent of several. It needs
    six letters, eight if no dictionary has the nearest word, as in German. A name, with a capital inside the question,
    needs seven, and is read as a name only. Nothing is mended where more than half of the words are unknown: such a
    question is in another language than the documents.

    Args:
        graph: The graph.
        question: The question.
        tell: Whether each mended word is an event.
    """
    question = nfc(question)
    words = [word for word in tokens(question)[:_READ_WORDS] if len(word.text) > 1]
    index = passage_words(graph)
    unknown = [word for word in words if word.text not in index and not _is_function_word(word.text)]
    is_foreign = 2 * sum(not _is_english(word.text) for word in unknown) > len(words)
    if is_foreign or not unknown:
        return question
    is_german = _is_german(words)
    parts, end = list[str](), 0
    for word in unknown:
        surface = question[word.start : word.end]
        is_name = surface[0].isupper() and word != words[0] and not is_german
        taken = _taken(graph, index, word.text, is_name=is_name, is_german=is_german)
        if taken:
            taken = taken.lower() if surface.islower() else taken
            if tell:
                text = f"read {surface!r} as {taken!r}: no document has {surface!r}"
                event(text, "documents.respelled", word=surface, taken=taken)
            parts += [question[end : word.start], taken]
            end = word.end
    return "".join((*parts, question[end:]))


def _taken(graph: TextGraph, index: WordIndex, word: str, *, is_name: bool, is_german: bool) -> str:
    """Return the word of the passages that is taken for another one, as they write it; empty for none."""
    least = _SHORTEST_NAME if is_name else _SHORTEST_UNKNOWN if is_german or not is_installed() else _SHORTEST
    if not least <= len(word) <= _LONGEST or not word.isalpha() or _is_english(word):
        return ""
    near = _nearest(graph, index, word, errors=2 if len(word) >= _FAR and not is_name else 1, is_german=is_german)
    if not near or (not is_name and len(word) < _SHORTEST_UNKNOWN and not _is_english(near)):
        return ""
    written = _as_written(graph, index, near)
    return written if written[0].isupper() or not is_name else ""


def _nearest(graph: TextGraph, index: WordIndex, word: str, *, errors: int, is_german: bool) -> str:
    """Return the nearest word of the passages; empty if there is none, or if one is another form of the word."""
    by_letter = current_session().get(("words by letter",), partial(_by_letter, index), of=graph)
    near: list[tuple[int, int, str]] = []
    for letter in {word[0], word[1]}:
        for other in by_letter.get(letter, ()):
            if abs(len(other) - len(word)) <= errors:
                distance = OSA.distance(word, other, score_cutoff=errors)
                if distance <= errors and (letter == word[0] or other[:2] == word[1::-1]):
                    near.append((distance, -index.frequency(other), other))
    if any(_is_form(word, other) or (is_german and german_root(other) == german_root(word)) for _, _, other in near):
        return ""
    return min(near)[2] if near else ""


def _is_form(word: str, other: str) -> bool:
    """Return whether two words seem to be forms of one: they differ by an ending.

    >>> _is_form("timetables", "timetable"), _is_form("hunden", "hunde"), _is_form("swiming", "swimming")
    (True, True, False)
    """
    same = next(
        (i for i, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), min(len(word), len(other))
    )
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
