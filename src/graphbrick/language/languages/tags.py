"""The tags of languages, such as ``de``: of the language that a question is in, or that it names."""

from __future__ import annotations

import re

from graphbrick.language.languages.asking import words_of_questions

TAGS = dict(
    one.split(":")
    for one in (
        "arabic:ar armenian:hy azerbaijani:az basque:eu belarusian:be bengali:bn bulgarian:bg catalan:ca chinese:zh"
        " croatian:hr czech:cs danish:da dutch:nl english:en esperanto:eo estonian:et finnish:fi french:fr galician:gl"
        " georgian:ka german:de greek:el hebrew:he hindi:hi hungarian:hu icelandic:is indonesian:id irish:ga italian:it"
        " japanese:ja korean:ko latin:la latvian:lv lithuanian:lt macedonian:mk malay:ms maltese:mt norwegian:no"
        " persian:fa polish:pl portuguese:pt romanian:ro russian:ru serbian:sr slovak:sk slovene:sl slovenian:sl"
        " spanish:es swedish:sv swahili:sw tamil:ta thai:th turkish:tr ukrainian:uk urdu:ur vietnamese:vi welsh:cy"
    ).split()
)
"""The tags of languages by their English names in lower case."""
_FIRST = {  # words that questions begin with, which are no function words of these languages elsewhere
    "german": "wer was wie wo wann warum wieviel welche welcher welches nenne zeige erzähle",
    "french": "qui que quoi quel quelle quels quelles où quand comment combien qu est",
    "spanish": "quién quiénes qué cuál cuáles dónde cuándo cómo cuánto cuántos cuántas",
    "italian": "chi che qual quale quali dove quando quanti quante cosa",
    "swedish": "vad vem vilken vilka var när hur",
}
_LETTERS = (  # of scripts that one language is known by, the surest first
    ("\u3040", "\u30ff", "ja"),
    ("\uac00", "\ud7af", "ko"),
    ("\u4e00", "\u9fff", "zh"),
    ("\u0600", "\u06ff", "ar"),
    ("\u0590", "\u05ff", "he"),
    ("\u0900", "\u097f", "hi"),
    ("\u0e00", "\u0e7f", "th"),
)


def tag_of_question(question: str) -> str:
    """Return the tag of the language that a question is in; empty for English, and where it cannot be told.

    A question begins with a function word of its language: «Show me La Paz» is not in Spanish.

    >>> tag_of_question("Was ist das Motto von Berlin?"), tag_of_question("ベルリンとは何ですか")
    ('de', 'ja')
    >>> tag_of_question("Was Ada born in Rome?"), tag_of_question("Show me La Paz")
    ('', '')
    """
    for first, last, tag in _LETTERS:
        if any(first <= letter <= last for letter in question):
            return tag
    words = re.findall(r"[^\W\d_]+", question.lower())
    lists = words_of_questions()
    counts = dict.fromkeys(lists, 0)
    for language, stops in lists.items():
        is_first = not {*words[:1]}.isdisjoint(_FIRST.get(language, "").split()) and words[0] not in lists["english"]
        if is_first or not stops.isdisjoint(words[:1]):
            counts[language] = 2 * is_first + sum(word in stops for word in words)
    best = max(counts, key=lambda language: counts[language])
    least = 1 if any("\u0370" <= letter <= "\u052f" for letter in question) else 2
    return TAGS[best] if counts[best] >= least and counts[best] > counts["english"] else ""
