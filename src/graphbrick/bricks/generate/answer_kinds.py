"""The kind of answer that a question asks for, and what sentences with such an answer look like."""

from __future__ import annotations

import re

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stop_words import QUESTION_WORDS

_MONTH = (
    r"jan(uary|uar)?|feb(ruary|ruar)?|mar(ch)?|märz|apr(il)?|may|mai|june?|juni|july?|juli|aug(ust)?|sept?(ember)?"
    r"|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?|janvier|f[ée]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre"
    r"|novembre|d[ée]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro"
    r"|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre"
)
_DAY = (
    r"(mon|tues|wednes|thurs|fri|satur|sun)days?|(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend"
    r"|sonntag)\w*|weekdays?|weekends?|wochenende\w*|werktags|daily|täglich"
    r"|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|(segunda|terça|quarta|quinta|sexta)-feira|(lune|marte"
    r"|mercole|giove|vener)dì|sabato|domenica|(lun|mar|mercre|jeu|vendre|same)dis?|dimanches?"
)
_CLOCK = (
    r"\d{1,2}([.:]\d\d)? ?([ap]\.?m\b|o'clock|uhr\b)|\b\d{1,2}:\d\d\b|\b(noon|midnight|mitternacht|mittags|hourly"
    r"|stündlich)\b"
)
_NUMBER = (
    r"\d|\b(one(?! (?:of|another)\b)|two|three|four|five|six|seven|eight|nine|ten|once|twice|half|zwei|drei|vier"
    r"|fünf|zehn|halb|deux|trois|quatre|cinq|huit|dix|dos|tres|cuatro|cinco|seis|siete|ocho|diez|dois|duas|três|quatro"
    r"|sete|oito|nove|dez|due|tre|quattro|cinque|sette|otto|dieci)\b"
)
_UNIT = (
    r"(second|minute|hour|day|week|month|year|decade|sekunde|minute|stunde|tag|woche|monat|jahr|heure|jour|semaine"
    r"|mois|année|hora|día|semana|mes|año|segundo|minuto|dia|ano\b|anos\b|secondi|ore?\b|giorn|settiman|anni\b|anno\b)"
)
_CURRENCY = r"euros?|dollars?|pounds?|cents?|pence|francs?|franken|rupees|yen|[$€£¥₹]|eur|usd|gbp|chf"
_ADDRESS = r"[\w.+-]+@[\w-]+\.\w|https?://|\bwww\.\w|(?i:mailing list)"
_PATH = r"(?<![\w.])~?(?:/[\w.+-]+){2,}|(?<![\w.])~/\S|\b[A-Z]:\\\\\w|\bhttps?://|\b[\w-]+\.(?:[\w-]+\.)*(?:org|com|net|edu)\b"
# Numbers of places in documents are no answers: «(see Section 4.3.1, page 67)», «[1]».
_REFERENCE = Expression(
    r"\((?:see|siehe|voir|véase|ver)\b[^()]*\)|\[\d{1,3}\]"
    r"|\b(?:sections?|chapters?|pages?|appendix|figures?|tables?|kapitel|abschnitt|seiten?|chapitres?|capítulos?)"
    r" \d[\d.]*",
    re.IGNORECASE,
)
_HOW_MANY = Expression(
    r"\b(?:how many|wie viele|combien d(?:e |')|cu[aá]nt[oa]s|quant[aeio]s?) ?(?P<what>[^\W\d_][\w-]*(?: [\w-]+){0,2})",
    re.IGNORECASE,
)
_PRICE = (
    rf"(?i)[$€£¥₹] ?\d|\d[\d.,]*\s?(?:(?:thousand|million|billion)\s)?({_CURRENCY})(?!\w)"
    r"|\b(free|kostenlos|gratis|grátis|gratuit\w*)\b"
)
_EVERY = (
    r"(?i)\b(every|each|once|twice|times|daily|hourly|weekly|monthly|yearly|alle|jeden?|stündlich|täglich"
    r"|chaque|tous les|toutes les|fois|cada|veces|todos os|todos los|todas as|todas las|vezes|ogni|volt[ae]"
    r"|diari[ao]s?|diariamente)\b|\dmal\b"
)

# Patterns of questions, and of the sentences that have what they ask for. The first that fits a question counts.
_KINDS = tuple(
    (Expression(question, re.IGNORECASE), Expression(sentence))
    for question, sentence in (
        (r"\b(called|named|name of|(term|word) for)\b", r"(?i)\b(called|known as|named|termed|referred to as)\b"),
        (
            r"^((what|who|was|wer|qué|quién|qu'est-ce|o que|que|chi) (is|are|ist|sind|es|son|que?|é|são|è|sono)"
            r"|(che )?cos'è) "
            r"(?!(said|known|written|told|there|mentioned)\b)[\w\s.-]{2,40}\??$",
            r"(?i)^(\W*(an?|the|eine?|der|die|das)\s)?\W*(\w[\w-]*[^\w-]\W*){1,6}?(\([^)]*\) )?"
            r"(is|are|means|refers|ist|sind|es|son|est|sont|é|são|è|sono)\b",
        ),
        (
            r"^(para qu[eé] sirven?|para que servem?|a (che )?cosa servono|a (che )?cosa serve|à quoi ser(t|vent))\b",
            r"(?i)\b(sirven?|servem?|servono|serve a|ser(t|vent)|permiten?|permitem?|permett(e|ono)|permet(tent)?)\b"
            r"|(?<!c')\b(es|é|è|est) (una?|uma?|une?)\b|\b(para|per|pour) [^\W\d_]+([aei]re?|r)\b",
        ),
        (
            r"^((until|till|since|from|by) )?when\b|^(bis |ab |seit |von )?wann\b|\bwhat time\b"
            r"|\b(which|what) (year|day|date|month)s?\b|\b(an )?welche[mrn]? (tag|datum|monat|jahr)|uhrzeit"
            r"|\b(open|geöffnet|offen|opening hours|öffnungszeiten)\b"
            r"|^(depuis |jusqu'à |desde |hasta |até |da |fino a )?(quand|cuándo|quando)\b"
            r"|\b(quelle|qué|que|quale?|che) (année|date|jour|año|fecha|día|ano|data|dia|anno|giorno)\b",
            rf"(?i)\b(1\d|20)\d\d\b|\b({_MONTH})\.? \d|\b\d+\.? ({_MONTH})\b|\b({_DAY})\b|{_CLOCK}"
            r"|\b(when|while|before|after|during|if|until|wenn|als|sobald|bevor|nachdem|cuando|quando|quand|antes|después"
            r"|depois|hasta|até|avant|après|prima|dopo)\b",
        ),
        (
            r"^(whom?|where|to (whom|which|what|where)|an wen|wohin)\b.*\b(do|can|should|must|may|could|would) "
            r"(I|we|you|one|users|people) (\w+ )?(e-?mail|mail|write|contact|send|report|complain)\b"
            r"|\b(which|what|the|an?|qu?elle?) (e-?mail |mail |web )?address\b|^an wen\b",
            _ADDRESS,
        ),
        (
            r"\bhow often\b|\bwie oft\b|\bin welchem takt\b|\bquelle fréquence\b|\bcombien de fois\b"
            r"|\bcuántas veces\b|\bcada cuánto\b|\b(qué frecuencia|que frequência|che frequenza)\b|\bquantas vezes\b"
            r"|\bogni quanto\b|\bquante volte\b",
            _EVERY,
        ),
        (
            r"\b(how (long|soon)|wie lange|combien de temps|(cuánto|quanto) (tiempo|tempo|dura|tarda|demora))\b"
            rf"|\b(how many|cuánt[ao]s|quant[aeio]s?|combien d(e |')) ?{_UNIT}",
            rf"(?i)(?<!every )(?<!alle )(?<!\d)({_NUMBER}|\b(a few|several)\b)[^.]{{0,25}}\b({_UNIT}|limit)",
        ),
        (
            r"\b(costs?|price of|fees?|fine|charge|pay|ticket|tax|kostet|kosten|gebühr\w*|preis\w*|steuer)\b"
            r"|\b(cuesta|cuestan|coûtent?|prix|precio|tarifs?|tarifas?|custam?|preço|costano|prezzo)\b|\bquanto costa\b"
            r"|\bhow (much|expensive) (is|are|was|were)\b|\bwie (teuer|hoch ist die \w*steuer)",
            _PRICE,
        ),
        (
            r"\b(how (many|much|often|large|big|tall|high|old|far|fast|expensive|heavy|deep)"
            r"|wie ?(viele?|oft|hoch|groß|alt|weit|teuer)|(what|which) (share|percentage|number|age|price)|combien"
            r"|cuánt[oa]s?|quant[aeio]s?)\b",
            rf"(?i){_NUMBER}|\b(most|million|billion|dozens?|hundreds|thousands)\b",
        ),
        (
            r"^(who|whom|whose|wer|wen|wem|qui|quién|quiénes|quem|chi)\b",
            r"(?<=[a-zäöü,(] )[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+|^[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+"
            r"|\b(men|women|people|adults|children|by|usuari\w+|utilizador\w*|utent[ei]|utilisateurs?|administrador\w*"
            r"|person[aen]s?|pesso\w+|alunos|professores)\b",
        ),
        (
            r"^(where|wo|wohin|woher|a?d[oó]nde|onde|dove|où)\b",
            rf"\b(in|at|on|near|under|into|from|to|im|am|unter|bei|auf|nach|aus)\b (the |dem |der |den )?"
            rf"(?!(?i:{_DAY}|{_MONTH})\b)[A-ZÄÖÜ]\w+|\b(in|at|near|behind|beside|opposite|next to) the [a-z]"
            r"|\b(en|no|na|em|nel|nella|dans|sur|dans) (el |la |le |o |a |un |una |une |uma )?[A-ZÁÉ]\w+"
            rf"|([A-ZÄÖÜ][\w ]+, ){{2}}|{_PATH}",
        ),
        (r"\b(which|what) (countr|cit|place|town|region|state)", r"(?<=[^\W\d_A-Z,(] )[A-ZÄÖÜ]\w+"),
        (
            r"^(why|warum|weshalb|wieso|pourquoi|por qu[eê]|porqu[eê]|perché)\b",
            r"(?i)\b(because|due to|since|so that|in order|reasons?|caus\w+|therefore|comes? down to|thanks to"
            r"|as a result|weil|denn|damit|um\b.*\bzu|parce qu|afin|puisque|porque|debido|para que|ya que|já que|devido"
            r"|perché|poiché|affinché|para evitar|per evitare|pour éviter|a fim de"
            r"|to (ensure|prevent|reduce|avoid|keep|make))\b",
        ),
    )
)


def has_kind(wanted: Expression, text: str) -> bool:
    """Return whether a text has the kind of answer that a pattern is for; references to places are left out.

    >>> wanted = answer_pattern("How many ships are there?")
    >>> [has_kind(wanted, text) for text in ("There are 3 ships.", "The ships (see page 7) are old.")]
    [True, False]
    """
    return wanted.search(_REFERENCE.sub(" ", text)) is not None


def counted_pattern(question: str) -> re.Pattern[str] | None:
    """Return the pattern of a number before what a question counts; None if it counts nothing.

    >>> pattern = counted_pattern("How many passenger ships are in the port?")
    >>> [bool(pattern and pattern.search(text)) for text in ("It has 12 ships.", "It has ships since 1921.")]
    [True, False]
    """
    asked = _HOW_MANY.search(question)
    if asked is None:
        return None
    words = [word for word in asked["what"].casefold().split() if word not in QUESTION_WORDS and len(word) > 2]
    stems = [re.escape(word.removesuffix("s").removesuffix("e")) for word in words]
    return re.compile(rf"(?i)(?:{_NUMBER})[\d.,+]*\s(?:[\w-]+\s){{0,2}}(?:{'|'.join(stems)})") if stems else None


def answer_pattern(question: str) -> Expression | None:
    """Return the pattern of sentences that have the kind of answer that a question asks for; None for any kind.

    >>> pattern = answer_pattern("What does a ticket cost?")
    >>> [pattern is not None and bool(pattern.search(text)) for text in ("It costs 3 euros.", "It has 3 pages.")]
    [True, False]
    """
    return next((sentence for kind, sentence in _KINDS if kind.search(question.strip(" ¿¡\n"))), None)
