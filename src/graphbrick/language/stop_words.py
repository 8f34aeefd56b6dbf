"""Function words, by language and by use, and the language of a text by them.

The lists of English differ on purpose: each was measured, and weights are stored, for what it is used for.
"""

from __future__ import annotations

import re
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
# What questions are built of besides; stored extractions depend on the lists above, so these are apart.
_ASKED = {
    "russian": "какие какую какого каким какими каком каких сколько почему откуда отчего чей чья чьё чьи который"
    " которая которое которые которую которого которой которых что-то это эта этим ли нужно нужен нужна нужны можете"
    " могу могут сделать делать является находится бывает будут мною нам нами свой свои своего своей своих весь вся"
    " моего моей мои моих ваш ваша ваши наш наша наши для из-за также когда-нибудь расскажи расскажите скажи"
    " скажите чтобы",
    "ukrainian": "і й та в у на з із зі до від про що як який яка яке які якого якої яких якою чи це цей ця ці той та"
    " те ті де коли чому хто кого кому скільки звідки куди можна треба потрібно може можу не ні є був була було були"
    " бути буде для за по при під над між через після перед без або але якщо щоб його її їх я ти ми ви він вона воно"
    " вони мій моя мої свій своя свої",
    "bulgarian": "и в във на с със за от до по при че как какъв каква какво какви кой коя кое кои къде кога защо колко"
    " може трябва се си е са съм беше бяха ще не да ли това този тази тези или но ако",
    "polish": "co kto kogo komu gdzie kiedy dlaczego czemu ile jaki jaka jakie jakich jakiego jakiej jakim czy który"
    " których którą którego której można mogę może trzeba należy ma mają mam być będzie są ze we ku pod nad przed"
    " między bez lub albo ale jeśli jeżeli żeby aby ten ta te tego tej tych tym mój moja moje swój swoja swoje go jej"
    " ich ja ty my wy on ona ono oni one",
    "czech": "a i v ve na z ze do od o po pro při pod nad před mezi bez nebo ale jestli že co kdo koho komu kde kdy"
    " proč kolik jak jaký jaká jaké jakých který která které kterou kterého kterých zda může mohu lze je jsou být byl"
    " byla bylo byly bude má mají mám se si to ten ta ty toho té těch tím můj moje svůj jeho její jejich já vy on ona"
    " ono oni k ke s u za",
    "slovak": "a i v vo na z zo do od o po pre pri pod nad pred medzi bez alebo ale či že čo kto koho komu kde kedy"
    " prečo koľko ako aký aká aké akých ktorý ktorá ktoré ktorú ktorého ktorých môže môžem možno je sú byť bol bola"
    " bolo boli bude má majú mám sa si to ten tá tie toho tej tých s so u za k ku",
    "dutch": "wie wat waar wanneer waarom waarvoor welk welke hoe hoeveel hoelang kun kunt kan moeten mag mogen wil"
    " willen is zijn wordt worden werden jij jouw wij jullie",
    "swedish": "vad vem vilken vilket vilka var när varför hur hurdan kan måste får ska skall finns blir gör göra",
    "norwegian": "hva hvem hvilken hvilket hvilke hvor når hvorfor hvordan kan må får skal finnes blir gjør",
    "danish": "hvad hvem hvilken hvilket hvilke hvor hvornår hvorfor hvordan kan må får skal findes bliver gør",
    "italian": "chi che cosa quale quali quando dove perché come quanto quanta quanti quante posso può possono devo"
    " deve bisogna serve",
    "portuguese": "quem que qual quais quando onde porque porquê como quanto quanta quantos quantas posso pode podem"
    " devo deve preciso são é",
    "romanian": "și în din pe la cu de ce cine care unde când cum cât câtă câți câte este sunt era poate pot trebuie nu"
    " un o al ale lui ei lor să sau dar dacă pentru prin mai",
    "hungarian": "a az és hogy mi ki mit kit hol mikor miért hogyan mennyi hány melyik milyen van vannak volt lehet"
    " kell nem egy is vagy de ha ez",
    "finnish": "ja on ei mikä mitä kuka ketä missä milloin miksi miten kuinka montako paljonko voi voinko pitää täytyy"
    " se tämä että tai mutta jos ovat oli",
    "turkish": "ne kim nerede nereye neden niçin nasıl kaç hangi mı mi mu mü var yok",
    "greek": "τι ποιος ποια ποιο ποιοι ποιες πού που πότε γιατί πώς πόσο πόσα πόσες μπορώ μπορεί πρέπει υπάρχει",
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


@lru_cache(maxsize=1)
def _asked() -> dict[str, frozenset[str]]:
    """Return the function words of each language with those that ask."""
    listed = stop_words()
    more = {language: frozenset(words.split()) for language, words in _ASKED.items()}
    return {language: listed.get(language, frozenset()) | more.get(language, frozenset()) for language in listed | more}


def asking_words(question: str) -> frozenset[str]:
    """Return the function words of the language of a question, with those that ask; none where none is known.

    One of them is enough in Cyrillic and Greek letters, where most languages have none; else two.

    >>> sorted(word for word in "Какая длина пути максимальна?".lower().split() if word in asking_words("Какая длина?"))
    ['какая']
    """
    words = re.findall(r"[^\W\d_]+", question.lower())
    counts = {language: sum(word in stops for word in words) for language, stops in _asked().items()}
    best = max(counts, key=lambda language: counts[language])
    least = 1 if any("\u0370" <= letter <= "\u052f" for letter in question) else 2
    return _asked()[best] if counts[best] >= least else frozenset()
