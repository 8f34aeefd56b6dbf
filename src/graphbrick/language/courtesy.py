"""Words around a question that only make it polite, or join it to what was said before."""

from __future__ import annotations

import re

from graphbrick.language.expressions.expression import Expression

_POLITE = Expression(
    r"^(?:(?:please|kindly|so|and|well|ok|okay|hi|hello|hey|just|quick question)"
    r"(?: there| all| team| everyone| everybody)?[,:!.]* "
    r"|(?:(?:many )?thanks|thank you|thx|ta)"
    r"(?: (?:a lot|so much|very much|again|for (?:that|this|the (?:help|answer))))?"
    r"(?:[,.!;]+ | (?=(?:who|what|which|where|when|whose|how|and|now|but)\b))"
    r"|(?:great|cool|nice|perfect|good|super|awesome|alright|all right|sure|fine|right|got it|i see|hm+|ah|oh|wow|"
    r"no|yes|yep|nope|good (?:morning|day|afternoon|evening))[,.!;]+ "
    r"|(?:i(?:'m| am) )?(?:very )?sorry (?:to|for) (?:trouble|bother|disturb|interrupt)(?:ing)?"
    r"(?: you)?(?: again)?,? (?:but )?"
    r"|(?:can|could|would|will|may|might) (?:you|anyone|someone|i) (?:please |kindly )?"
    r"(?:help(?: (?:me|us))?(?: out)?|ask)(?: (?:with )?(?:something|this|a (?:quick )?question))?[?,.!:;]+ (?:and )?"
    r"|(?:excuse me|pardon me|sorry|i beg your pardon)[,.!]+ (?:but )?"
    r"|(?:would|could) you (?:please )?(?:be so (?:kind|nice|good) (?:as )?(?:to )?|mind )"
    r"(?=(?:tell|name|list|show|give|find|count|look|check|see)(?:ing)?\b)"
    r"|(?:please )?(?:find(?:ing)? out|look(?:ing)? up|check(?:ing)?|hav(?:e|ing) a look(?: at)?|see(?:ing)?)"
    r"(?: for (?:me|us))? (?=(?:who|what|which|where|when|whose|how)\b)"
    r"|(?:now|then|next|also|but|one more thing)(?:[,:!]+ | (?=(?:who|what|which|where|when|whose|how)\b))"
    r"|(?:can|could|would|will|do) (?:you|anyone|someone) (?:please |kindly |possibly |happen to |also )*"
    r"(?:(?:know|remember|recall|say)(?: of)? |(?:work|figure) out |(?:calculate|compute|determine) "
    r"|(?=(?:find out|look up|check|have a look|see) )"
    r"|(?=(?:tell|name|list|show|give|find|count|describe|explain|summari[sz]e)\b))"
    r"|(?:can|could|may|might) (?:i|we) (?:please |also )*(?:get|have|see) (?=(?:all|every|an? (?:list|overview) of)\b)"
    r"|(?:i|we)(?:'m| am|'re| are) (?:just |mainly |really )*"
    r"(?:after|looking for|searching for|interested in|in need of) (?=[a-z]+(?: [a-z]+)* )"
    r"|i(?:'d| would)? (?:also )?(?:like|love|want|need|wish) to (?:know|find out|learn|see) "
    r"|(?:for (?:my|our|a|the) (?:(?:annual|yearly|monthly|weekly|quarterly|next|new) )?"
    r"(?:presentation|reports?|records?|notes?|files?|talk|meeting|article|homework|thesis"
    r"|slides?)(?: (?:today|tomorrow|tonight|next week|on [a-z]+day))? )?"
    r"(?:i|we)(?:'d| would)(?: also)? (?:need|like|love|want|appreciate)"
    r"(?: to (?:have|see|get))? (?=(?:the|a|an|all|every) )"
    r"|i(?:'m| am| was)? ?(?:wonder|wondering|asking myself) |(?:any idea|remind me|let me know) "
    r"|(?:make|compile|draw up|put together|prepare) (?:me |us )?an? (?:list|overview|table) of "
    r"|(?:tell|show) me (?=(?:who|what|which|where|when|whose|how|since)\b))+",
    re.IGNORECASE,
)
_THANKS = Expression(
    r"(?:[.!?]?,? (?:please|pls|plz|thanks|thx|thank you|by any chance|if possible|if you (?:can|could|would|please)"
    r"|if (?:that|it)(?: is|'s) (?:not too much (?:trouble|to ask)|possible|ok|okay|all right|alright)"
    r"|if you (?:do not|don't) mind|when you have (?:a moment|time)|thanks a lot|many thanks)"
    r"(?: in advance| so much| very much| a lot)?)+(?=[?.! ]*$)",
    re.IGNORECASE,
)

_BE, _DO = r"(?:are|is|were|was)", r"(?:do|does|did|have|has|can)"
_AND_WHICH = Expression(  # a question for yes or no, or a statement, and a second one for what it speaks of
    rf"^(?:{_BE} there (?:any |an? |some )?|{_DO} (?:any|some) (?:of the )?|some (?:of the )?)"
    r"(?!(?:more|fewer|less|as many|enough|one|body|thing)\b|(?:any|some)(?:one|body|thing)\b)(?P<what>[^?.;]+?)"
    r"(?:[?.;,]+(?: and)?(?: if so,?)?|,? and) (?:which|what|who)(?: ones?)?(?: (?:is|are) (?:it|they|that|those))?"
    r"(?=[?.! ]*$)",
    re.IGNORECASE,
)


def without_courtesy(text: str) -> str:
    """Return a question without the words that only make it polite, and two questions for the same as one.

    >>> without_courtesy("Could you please tell me who owns Auth, thanks?")
    'who owns Auth?'
    >>> without_courtesy("For my talk tomorrow I would need the capital of Kenya, if possible.")
    'the capital of Kenya.'
    >>> without_courtesy("For the Boston office I would need the sales")
    'For the Boston office I would need the sales'
    >>> without_courtesy("Great, thank you! Now which services are written in Rust?")
    'which services are written in Rust?'
    >>> without_courtesy("Are there services without an owner? Which ones?")
    'which services without an owner?'
    """
    return _AND_WHICH.sub(r"which \g<what>", _THANKS.sub("", _POLITE.sub("", text)))
