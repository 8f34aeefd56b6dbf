"""Words that ask, and other function words of questions, of nineteen languages."""

from __future__ import annotations

import re
from functools import lru_cache

from graphbrick.language.stop_words import stop_words

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
    "spanish": "quién quiénes quien quienes qué cuál cuáles cual cuales cuándo cuando dónde donde adónde cómo como"
    " cuánto cuánta cuántos cuántas cuanto cuanta cuantos cuantas puedo puede pueden podemos debo debe deben hay",
    "french": "qui que quoi quel quelle quels quelles quand où comment pourquoi combien puis peut peux peuvent dois"
    " doit doivent faut est-ce",
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


@lru_cache(maxsize=1)
def words_of_questions() -> dict[str, frozenset[str]]:
    """Return the function words of each language with those that ask."""
    listed = stop_words()
    more = {language: frozenset(words.split()) for language, words in _ASKED.items()}
    return {language: listed.get(language, frozenset()) | more.get(language, frozenset()) for language in listed | more}


def asked_in(question: str) -> str:
    """Return the language that a question is asked in; empty where none is known.

    One function word is enough in Cyrillic and Greek letters, where most languages have none; else two.

    >>> asked_in("¿Cómo apago la máquina?"), asked_in("Onde ficam as senhas?"), asked_in("blue whale")
    ('spanish', 'portuguese', '')
    """
    words = re.findall(r"[^\W\d_]+", question.lower())
    counts = {language: sum(word in stops for word in words) for language, stops in words_of_questions().items()}
    best = max(counts, key=lambda language: counts[language])
    least = 1 if any("\u0370" <= letter <= "\u052f" for letter in question) else 2
    return best if counts[best] >= least else ""


def asking_words(question: str) -> frozenset[str]:
    """Return the function words of the language of a question, with those that ask; none where none is known.

    >>> sorted(word for word in "Какая длина пути максимальна?".lower().split() if word in asking_words("Какая длина?"))
    ['какая']
    """
    language = asked_in(question)
    return words_of_questions()[language] if language else frozenset()
