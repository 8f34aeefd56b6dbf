"""The dictionary of word forms that the package lemminflect brings, read without importing the package.

Importing lemminflect imports spaCy where it is installed, and its first use reads 120,000 lines into dictionaries: over
a second of processor time for the dozen words that a question needs. Here the two sorted files are only unpacked, and a
word is found by bisection. What the dictionary does not have gets its regular form.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from graphbrick.core.errors import ModelError
from graphbrick.language.expressions.expression import Expression

_INFLECTED = {"noun": ("NNS",), "verb": ("VBD", "VBN", "VBG", "VBZ")}  # forms in a line of the file, in order
_OTHERWISE = {"VBD": "VBN", "VBN": "VBD"}  # forms that stand for a missing one
# Words that lemminflect overrides by code.
_BE = {"VBD": "was", "VBN": "been", "VBG": "being", "VBZ": "is"}
_PAST_OF_MODAL = {"can": "could", "may": "might", "will": "would", "shall": "should", "must": "must", "ought": "ought"}

# Endings of regular forms.
_HISSING = Expression(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = Expression(r"[^aeiou]y$")
_GREEK = Expression(r"[sx]is$")  # thesis, epistaxis
_MAN = Expression(r"[a-z]man$")
# One short vowel and one consonant at the end: the consonant is doubled.
_SHORT = Expression(r"(?:(?:co|de|dis|mis|out|over|pre|re|un|under)-?[^aeiou]+|[^aeiou]*)[aeiou][^aeiouwxy]")


@cache
def is_installed() -> bool:
    """Return whether lemminflect is installed; it is looked for once."""
    return find_spec("lemminflect") is not None


def inflected(word: str, tag: str) -> str:
    """Return the first form of a word, the regular one if the dictionary has none.

    Args:
        word: A base form.
        tag: The form, as the Penn Treebank names it: NNS, VBD, VBN, VBG or VBZ.

    Raises:
        ModelError: lemminflect is not installed.
    """
    lower, same_case = word.lower(), _case(word)
    if lower in _PAST_OF_MODAL:
        form = _PAST_OF_MODAL[lower] if tag in _OTHERWISE else ""
    else:
        form = _BE[tag] if lower == "be" and tag in _BE else _looked_up(lower, tag)
    return same_case(form or regular(lower, tag))


def lemmas(word: str) -> dict[str, str]:
    """Return the first base form of a word by part of speech (NOUN, VERB, ...); empty for an unknown word.

    Raises:
        ModelError: lemminflect is not installed.
    """
    lower, same_case = word.lower(), _case(word)
    entries: dict[str, str] = {}
    for category, forms in _entries("lemma_lu.csv.gz", lower):
        part = category.upper()
        entries["AUX" if part == "MODAL" else part] = forms
    entries |= _overrides("lemma_overrides.csv").get(lower, {})
    return {part: same_case(forms.split("/")[0]) for part, forms in entries.items()}


def regular(word: str, tag: str) -> str:
    """Return the regular form of a word, as one has that no dictionary has.

    Args:
        word: A base form in lower case.
        tag: The form, as the Penn Treebank names it: NNS, VBD, VBN, VBG or VBZ.

    >>> regular("blorb", "NNS"), regular("grelly", "NNS"), regular("fibrosis", "NNS"), regular("signalman", "NNS")
    ('blorbs', 'grellies', 'fibroses', 'signalmen')
    >>> regular("reblog", "VBD"), regular("onboard", "VBN"), regular("upcycle", "VBG"), regular("patchify", "VBZ")
    ('reblogged', 'onboarded', 'upcycling', 'patchifies')
    """
    if tag == "NNS" and _GREEK.search(word):
        return word[:-2] + "es"
    if tag == "NNS" and _MAN.search(word):
        return word[:-2] + "en"
    if tag in ("NNS", "VBZ"):
        return word[:-1] + "ies" if _CONSONANT_Y.search(word) else word + ("es" if _HISSING.search(word) else "s")
    stem = word + word[-1] if _SHORT.fullmatch(word) else word
    if tag == "VBG":
        if word.endswith("ie"):
            return word[:-2] + "ying"
        return (word[:-1] if re.search(r"[^eoy]e$", word) else stem) + "ing"
    if word.endswith("e"):
        return word + "d"
    return word[:-1] + "ied" if _CONSONANT_Y.search(word) else stem + "ed"


def _looked_up(word: str, tag: str) -> str:
    """Return the form of a word in lower case in the dictionary; "" if it has none."""
    forms: dict[str, str] = {}
    for category, listed in _entries("infl_lu.csv.gz", word):
        forms |= {name: one for name, one in zip(_INFLECTED.get(category, ()), listed.split(","), strict=False) if one}
    forms |= _overrides("infl_overrides.csv").get(word, {})
    return (forms.get(tag) or forms.get(_OTHERWISE.get(tag, ""), "")).split("/")[0]


def _case(word: str) -> Callable[[str], str]:
    """Return what writes a text in the case of a word."""
    return str.upper if word.isupper() else str.capitalize if word[:1].isupper() else str.lower


def _entries(file: str, word: str) -> Iterator[tuple[str, str]]:
    """Yield the category and the rest of each line about a word; its lines are next to each other."""
    text, key = _text(file), f"{word},".encode()
    low, high = 0, len(text)
    while low < high:  # the first line that is not before the word; commas sort before letters, so words are compared
        middle = text.rfind(b"\n", 0, (low + high) // 2) + 1
        if middle < low:
            middle = low
        end = text.find(b"\n", middle) + 1
        if text[middle : text.find(b",", middle)] < key[:-1]:
            low = end
        else:
            high = middle
    while text.startswith(key, low):
        end = text.find(b"\n", low)
        category, _, forms = text[low + len(key) : end].decode("utf-8").partition(",")
        yield category, forms
        low = end + 1


@lru_cache(maxsize=2)
def _text(file: str) -> bytes:
    return gzip.decompress(_bytes(file))


@lru_cache(maxsize=2)
def _overrides(file: str) -> dict[str, dict[str, str]]:
    """Return the form by tag, or the base form by part of speech, of words that a file of exceptions has."""
    exceptions: dict[str, dict[str, str]] = {}
    for line in _bytes(file).decode("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            word, kind, form = line.strip().split(",")
            exceptions.setdefault(word, {})[kind] = form
    return exceptions


def _bytes(file: str) -> bytes:
    found = find_spec("lemminflect")
    if found is None or not found.submodule_search_locations:
        raise _missing()
    path = Path(found.submodule_search_locations[0]) / "resources" / file
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read ({error.strerror or error}); it belongs to lemminflect 0.2: "
            "pip install --force-reinstall 'lemminflect>=0.2.3,<0.3'",
            code="dictionary.not_readable",
            path=path,
        ) from error


def _missing() -> ModelError:
    return ModelError("writing English questions needs lemminflect: pip install 'graphbrick[learn]'")
