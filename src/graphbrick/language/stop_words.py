"""Function words of languages, and the language of a text by them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

# Languages whose lists come with bm25s, which also has none for scripts without capitals but those below.
_LISTS = {
    "english": "STOPWORDS_EN_PLUS",
    "german": "STOPWORDS_GERMAN",
    "dutch": "STOPWORDS_DUTCH",
    "french": "STOPWORDS_FRENCH",
    "spanish": "STOPWORDS_SPANISH",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "italian": "STOPWORDS_ITALIAN",
    "russian": "STOPWORDS_RUSSIAN",
    "swedish": "STOPWORDS_SWEDISH",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "danish": "STOPWORDS_DANISH",
    "turkish": "STOPWORDS_TURKISH",
}
_MORE = {
    "english": "also although among another around became become becomes however may many might must often one since"
    " still two three upon us via whether within without would could shall first second later early several various"
    " according including known used using made based well however thus therefore",
    "greek": "ο η το οι τα του της των τον την και να με σε για από είναι που στο στη στην στον ένα μια δεν θα ως",
    "arabic": "في من على إلى عن هو هي هذا هذه التي الذي أن إن كان كانت ما لا مع أو و ثم قد كل بين بعد قبل",
    "hebrew": "של את על הוא היא זה זו עם כי גם לא או אל מן בין כל יש אין היה הייתה אשר",
    "hindi": "का की के में है हैं को से पर और यह वह एक भी था थी थे ने हो कि जो लिए तक या इस उस",
    "polish": "i w na z do się że nie jest to o jak po od za dla oraz są był była przez który która które",
}


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """Return the function words of each language, lower case."""
    from bm25s import stopwords

    lists = {language: set(getattr(stopwords, name)) for language, name in _LISTS.items()}
    for language, words in _MORE.items():
        lists.setdefault(language, set()).update(words.split())
    return {language: frozenset(word.lower() for word in words) for language, words in lists.items()}


def stop_words_of(words: Iterable[str]) -> frozenset[str]:
    """Return the function words of the language that most of some words are function words of; none if few are.

    >>> "the" in stop_words_of("the lake is in the north of it".split())
    True
    """
    listed = list(words)
    counts = {language: sum(word in stops for word in listed) for language, stops in stop_words().items()}
    best = max(counts, key=lambda language: counts[language])
    return stop_words()[best] if counts[best] >= 2 else frozenset()
