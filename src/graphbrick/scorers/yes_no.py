"""How probable it is that a language model says yes, by the log-probabilities of its first word."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.core.trace import event
from graphbrick.graphs.text import fold
from graphbrick.llm.messages import Reply
from graphbrick.llm.replies import read_yes, shown

LIKELIEST = 20
"""How many of the likeliest first words to ask for; servers give no more."""
LONGEST = 4
"""The tokens of a reply: some models begin with an empty word, and some spell YES as two."""

# A word may be cut into several tokens, of which the first is seen; case and spaces do not count.
_YES, _NO = frozenset({"yes", "ye", "y"}), frozenset({"no", "n"})
_SHOWN = 3


def probabilities(replies: Sequence[Reply]) -> npt.NDArray[np.float64]:
    """The probability of yes among yes and no of each reply, float64 [replies], in [0, 1].

    Without log-probabilities it is 1 or 0 by the word that was said; where neither word is said, 0.5. Both are events.
    """
    found, by_word, neither = list[float](), 0, Counter[str]()
    for reply in replies:
        probability = probability_of_yes(reply)
        if probability is None:
            said = read_yes(reply.text)
            by_word += said is not None
            if said is None:
                neither[shown(reply.text)] += 1
            probability = 0.5 if said is None else float(said)
        found.append(probability)
    if by_word:
        event(f"{by_word:,} of {len(found):,} replies came without log-probabilities; they score 1 for yes, 0 for no")
    if neither:
        some = ", ".join(reply for reply, _ in neither.most_common(_SHOWN))
        more = " and others" if len(neither) > _SHOWN else ""
        event(f"{neither.total():,} of {len(found):,} replies say neither yes nor no and score 0.5: {some}{more}")
    return np.array(found, dtype=np.float64)


def probability_of_yes(reply: Reply) -> float | None:
    """Return the probability of yes among yes and no as first word; None if neither is among the likeliest.

    >>> top = (("YES", math.log(0.6)), (" no", math.log(0.2)), ("Hm", math.log(0.1)))
    >>> reply = Reply((Choice(assistant("YES"), "stop", (TokenLogprob("YES", math.log(0.6), top),)),))
    >>> round(probability_of_yes(reply), 6)
    0.75
    """
    first = next((token.top for token in reply.choices[0].logprobs if token.token.strip()), ())
    yes = sum(math.exp(p) for word, p in first if fold(word) in _YES)
    no = sum(math.exp(p) for word, p in first if fold(word) in _NO)
    return yes / (yes + no) if yes + no > 0 else None
