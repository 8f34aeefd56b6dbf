"""Adjectives of places, such as «Swedish» for Sweden.

Most are those of WordNet (``places.tsv.gz``, which ``tools/english_lexicon.py`` makes).
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from importlib.resources import files

_MORE = {  # names that WordNet gives to another word, or that came after it
    "british": "united kingdom,uk,britain,england",
    "american": "us,u.s.,united states of america",
    "european": "europe",
    "african": "africa",
    "asian": "asia",
    "south american": "south america",
    "north american": "north america",
    "chinese": "people's republic of china",
    "korean": "south korea,republic of korea",
    "russian": "russia,russian federation",
    "czech": "czechia,czech republic",
    "slovak": "slovakia",
    "serbian": "serbia",
    "croatian": "croatia",
    "ukrainian": "ukraine",
    "south african": "south africa",
    "new zealand": "new zealand",
    "emirati": "united arab emirates,uae",
    "saudi": "saudi arabia",
}
"""Names of places by their adjectives, with commas between them."""


@lru_cache(maxsize=1)
def _places() -> dict[str, tuple[str, ...]]:
    packed = (files("graphbrick.patterns.english") / "places.tsv.gz").read_bytes()
    found = dict(line.split("\t") for line in gzip.decompress(packed).decode("utf-8").splitlines())
    names = {word: [*_MORE.get(word, "").split(","), *found.get(word, "").split(",")] for word in (*found, *_MORE)}
    return {word: tuple(sorted(dict.fromkeys(filter(None, each)), key=_size)) for word, each in names.items()}


def _size(name: str) -> int:
    """Return how many words a name has."""
    return len(name.split())


def places_of(adjective: str) -> tuple[str, ...]:
    """Return the names of the place that a lower-case adjective is of, in lower case, those of one word first.

    Another word has none.

    >>> "sweden" in places_of("swedish"), "uk" in places_of("british"), places_of("cheap")
    (True, True, ())
    """
    return _places().get(adjective, ())
