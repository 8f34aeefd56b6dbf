"""Messages that ask nothing, such as greetings and thanks."""

from __future__ import annotations

import re

from graphbrick.language.folding import fold

_CORE = frozenset(
    "hi hello hey howdy thanks thank thx cheers bye goodbye welcome danke dank hallo servus tschuss merci bonjour "
    "salut gracias hola grazie ciao obrigado obrigada bedankt hoi dag spasibo sukran shukran ok okay cool great nice "
    "perfect awesome wonderful lovely спасибо привет здравствуите شكرا مرحبا".split()
)
_WITH = frozenset(
    "you u so very much many a lot for your the help it that this was is and again all everyone there good morning "
    "evening afternoon night day see later soon yes no please sir team bot schon sehr vielen guten tag morgen abend "
    "nacht grossartig super prima beaucoup muchas buenos dias tardes mille большое جزيلا لك".split()
)
_PHRASES = frozenset(
    fold(text)
    for text in (
        "good morning|good evening|good afternoon|good night|good day|how are you|how are you doing|how is it going|"
        "what's up|nice to meet you|see you|see you later|guten morgen|guten tag|guten abend|wie geht es dir|"
        "wie geht's|auf wiedersehen|buenos dias|ça va|你好|您好|谢谢|謝謝|多谢|再见|こんにちは|ありがとう|"
        "ありがとうございます|안녕하세요|감사합니다|السلام عليكم|good bye|well done|got it|i see|"
        "are you there|can you hear me|who are you"
    ).split("|")
)
_LONGEST = 8  # words


def is_small_talk(text: str) -> bool:
    """Return whether a message greets or thanks, and asks nothing.

    >>> [is_small_talk(text) for text in ("Thanks!", "hi there", "Thanks, and when does it open?", "Who is Hi?")]
    [True, True, False, False]
    """
    folded = fold(re.sub(r"[^\w\s'’]", " ", text))
    words = folded.split()
    if not words or len(words) > _LONGEST:
        return folded in _PHRASES
    if folded in _PHRASES:
        return True
    is_question = text.rstrip().endswith(("?", "？", "؟"))
    return not is_question and not _CORE.isdisjoint(words) and all(word in _CORE or word in _WITH for word in words)
