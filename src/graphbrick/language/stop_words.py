"""Function words, by language and by use, and the language of a text by them.

The lists of English differ on purpose: each was measured, and weights are stored, for what it is used for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from graphbrick.language.bm25 import bm25s

# Languages whose lists come with bm25s; it has none for scripts without capitals but those below.
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


ARTICLES = {
    "english": ("the", "a", "an"),
    "german": ("der", "die", "das", "ein", "eine"),
    "french": ("le", "la", "les", "un", "une"),
    "spanish": ("el", "los", "las"),
    "italian": ("il", "lo", "gli"),
    "dutch": ("het", "een", "de"),
    "portuguese": ("o", "os", "as"),
}
"""Articles that names may begin with; each is listed once, also where several languages have it."""
ALL_ARTICLES = frozenset(article for articles in ARTICLES.values() for article in articles)

NAME_LINKS = frozenset(
    "of the de la le les du des da do dos del della di van von der den ter ten el al bin ibn av af and&".split()
)
"""Words without a capital inside names, in languages with capitals."""

QUESTION_WORDS = frozenset(
    "a about after all also am an and any are as at be because been before between both but by can could did do does "
    "each for from had has have he her hers him his how i if in into is it its many me more most much my no not of on "
    "one or other our out over s she so some such t than that the their them then there these they this those to too "
    "under up us was we were what when where which while who whom whose why will with would you your anybody anyone "
    "anything everybody everyone everything nobody nothing somebody someone something never".split()
)
"""English words that build a question; alone they name nothing, though a film may be called "It" or a city "Of"."""
FUNCTION_WORDS = (
    "'s",
    *"a about also an and another are as at be been by can co did do does each find for from give had has have".split(),
    *"he in is it its know list many me name of on one or other same she share shares some tell that the their".split(),
    *"there these they this to was were what which whose with you".split(),
)  # fmt: skip
"""English words that connect, and speak of no hop of a walk. The order is that of stored weights."""

WHO_WHEN_WHERE = frozenset(("who", "whom", "when", "where"))
"""English words that say what kind of answer is expected: they fit many relations, and support none."""

INTERROGATIVES = frozenset("who whom whose what which when where why how many much does did do is are was were".split())
"""English words that ask; beside the function words of documents, they are no content of a question."""


@lru_cache(maxsize=1)
def stop_words() -> dict[str, frozenset[str]]:
    """Return the function words of each language, lower case."""
    bm25s()
    from bm25s import stopwords

    lists = {language: set(getattr(stopwords, name)) for language, name in _LISTS.items()}
    for language, words in _MORE.items():
        lists.setdefault(language, set()).update(words.split())
    return {language: frozenset(word.lower() for word in words) for language, words in lists.items()}


def stop_words_of(words: Iterable[str]) -> frozenset[str]:
    """Return the function words of the language with most of these words; none for fewer than two.

    >>> "the" in stop_words_of("the lake is in the north of it".split())
    True
    """
    listed = list(words)
    counts = {language: sum(word in stops for word in listed) for language, stops in stop_words().items()}
    best = max(counts, key=lambda language: counts[language])
    return stop_words()[best] if counts[best] >= 2 else frozenset()


TITLES = frozenset("dr lady lord miss mount mr mrs ms mt prof professor sir".split())
"""Words before the name of a person or mountain that are hardly ever a part of a label, or may be left out."""
