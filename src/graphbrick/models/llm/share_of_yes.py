"""Probability that a language model says yes, from the probabilities of the first token of its reply."""

from __future__ import annotations

import math
from collections.abc import Iterable

from graphbrick.language.folding import fold

# A word may be cut into several tokens, of which the first is seen; case and spaces do not count.
_YES, _NO = frozenset({"yes", "ye", "y"}), frozenset({"no", "n"})


def share_of_yes(likeliest: Iterable[tuple[str, float]]) -> float | None:
    """Return the probability of yes among yes and no; None if neither is among the likeliest tokens.

    All spellings count.

    Args:
        likeliest: Tokens with the natural logarithm of their probability.

    >>> round(share_of_yes([("YES", math.log(0.6)), (" no", math.log(0.2)), ("Hm", math.log(0.1))]), 6)
    0.75
    """
    yes = no = 0.0
    for token, logprob in likeliest:
        word = fold(token)
        yes += math.exp(logprob) if word in _YES else 0.0
        no += math.exp(logprob) if word in _NO else 0.0
    return yes / (yes + no) if yes + no > 0 else None
